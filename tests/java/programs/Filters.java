// SPDX-License-Identifier: GPL-3.0-or-later
import assay.Input;
import java.util.ArrayList;

/** Loops that keep some of their elements: how many is what merging must not lose. */
public class Filters {
    static int[] inputs(int n) {
        int[] in = new int[n];
        for (int i = 0; i < n; i++)
            in[i] = Input.anyInt();
        return in;
    }

    static void count(int n) {
        int[] in = inputs(n), out = new int[n];
        int k = 0;
        for (int x : in)
            if (x > 0)
                out[k++] = x;
        assert k <= n;
    }

    static void positive(int n) {
        int[] in = inputs(n), out = new int[n];
        int k = 0;
        for (int x : in)
            if (x > 0)
                out[k++] = x;
        for (int i = 0; i < k; i++)
            assert out[i] > 0;
    }

    static void list(int n) {
        ArrayList<Integer> out = new ArrayList<>();
        for (int x : inputs(n))
            if (x > 0)
                out.add(x);
        for (int x : out)
            assert x > 0;
    }

    static void count8() { count(8); }
    static void count16() { count(16); }
    static void positive8() { positive(8); }
    static void positive12() { positive(12); }
    static void list5() { list(5); }
}
