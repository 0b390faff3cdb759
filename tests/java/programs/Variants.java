// SPDX-License-Identifier: GPL-3.0-or-later
import gov.nasa.jpf.symbc.Debug;
import org.sosy_lab.sv_benchmarks.Verifier;

/** The other programs in other clothes: static fields, one return a method, inputs from elsewhere, a region that throws. */
public class Variants {
    // ---- a brake whose state is static, inputs by Verifier ----
    static int level, selected, pressureLeft, pressureRight, previous;

    static void brake(int pedal, boolean automatic, boolean skid) {
        if (pedal <= 0)
            selected = 0;
        else if (pedal < 3)
            selected = 30;
        else
            selected = 90;
        level = automatic ? Math.min(level + 1, 3) : 0;
        if (skid) {
            pressureRight = selected - 20 * level;
            previous = pressureLeft;
        } else {
            pressureLeft = selected;
        }
    }

    static void brakes(int steps) {
        for (int i = 0; i < steps; i++)
            brake(Verifier.nondetInt(), Verifier.nondetBoolean(), Verifier.nondetBoolean());
        assert pressureLeft <= 90 && pressureRight <= 90;
    }

    static void brakes1() { brakes(1); }
    static void brakes10() { brakes(10); }
    static void brakeArguments(int pedal, boolean automatic, boolean skid) {
        brake(pedal, automatic, skid);
        assert pressureLeft >= 0;
    }

    // ---- collision avoidance in which each method returns once, inputs by Debug ----
    static int own, other, vertical, up, down, layer, kind;
    static boolean confident;
    static final int[] threshold = {400, 500, 640, 740};

    static int limit() {
        int limit = 740;
        if (layer >= 0 && layer < 4)
            limit = threshold[layer];
        return limit;
    }

    static boolean below() {
        boolean result = false;
        if (own < other)
            result = true;
        return result;
    }

    static boolean climb() {
        boolean result;
        if (up > down)
            result = !below() || down < limit();
        else
            result = !below() && vertical >= 300 && up >= limit();
        return result;
    }

    static boolean descend() {
        boolean result;
        if (up > down)
            result = below() && vertical >= 300 && down >= limit();
        else
            result = below() || up >= limit();
        return result;
    }

    static int advise() {
        int advice = 0;
        if (confident && vertical > 600 && kind == 1) {
            boolean needUp = climb() && below(), needDown = descend() && !below();
            if (needUp && needDown)
                advice = 0;
            else if (needUp)
                advice = 1;
            else if (needDown)
                advice = 2;
        }
        return advice;
    }

    static void avoid(int steps) {
        for (int i = 0; i < steps; i++) {
            own = Debug.makeSymbolicInteger("own");
            other = Debug.makeSymbolicInteger("other");
            vertical = Debug.makeSymbolicInteger("vertical");
            up = Debug.makeSymbolicInteger("up");
            down = Debug.makeSymbolicInteger("down");
            layer = Debug.makeSymbolicInteger("layer");
            kind = Debug.makeSymbolicInteger("kind");
            confident = Debug.makeSymbolicBoolean("confident");
            int advice = advise();
            assert advice >= 0 && advice <= 2;
        }
    }

    static void avoid1() { avoid(1); }
    static void avoid2() { avoid(2); }
    static void avoid10() { avoid(10); }

    // ---- regions that throw: a path of its own each, and the rest merged ----
    static int checked(int x, int y) {
        int sum = 0;
        if (x > 10) {
            if (y == 0)
                throw new IllegalStateException();
            sum = sum + 3;
        } else {
            sum = sum - 1;
        }
        if (y > 5)
            sum += 7;
        return sum;
    }

    static void thrower(int x, int y, int z) {
        int sum = checked(x, y) + checked(y, z) + checked(z, x);
        assert sum > -4;
    }

    // ---- what is an input, what is reached, what cannot be repeated ----
    static void symbol(int[] a) {
        int sum = a.length == 2 ? a[0] + level : 0;
        assert sum != 1234 || a[0] == 1234;
    }

    static int half(int x) {
        int y = x & 7;
        if (y > 7)
            return -1;
        return y;
    }

    static void clock() {
        if (System.nanoTime() == 42)
            throw new IllegalStateException();
    }

    static void thread() { new Thread(() -> { level = 1; }).start(); }
    static void waits() throws InterruptedException { Object o = new Object(); synchronized (o) { o.wait(); } }
    static void reflects() throws ClassNotFoundException { assert Class.forName("Variants") != null; }
    static void locks() { Object o = new Object(); synchronized (o) { assert o != null; } }
}
