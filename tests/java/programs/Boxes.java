// SPDX-License-Identifier: GPL-3.0-or-later
import assay.Input;
import java.util.ArrayList;
import java.util.List;

/** A list of boxed numbers, every second one an input: as many paths as there are subsets, or one. */
public class Boxes {
    static int count(List<Integer> list) {
        int count = 0;
        for (int i = 0; i < list.size(); i++)
            if (i % 2 == 0 && list.get(i) == 42)
                count++;
        return count;
    }

    static void run(int n, int bug) {
        List<Integer> list = new ArrayList<>(n);
        for (int i = 0; i < n; i++)
            list.add(i % 2 == 0 ? Input.anyInt() : i);
        assert count(list) != bug;
    }

    static void run200() { run(200, 75); }
    static void run6() { run(6, 2); }
    static void never() { run(200, 101); }
    static void plain200() {
        List<Integer> list = new ArrayList<>(200);
        for (int i = 0; i < 200; i++)
            list.add(i % 2 == 0 ? Input.anyInt() : i);
        count(list);
    }
}
