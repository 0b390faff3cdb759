// SPDX-License-Identifier: GPL-3.0-or-later
/** Floats and doubles: NaN, infinities, rounding. */
public class Floats {
    //= fails assert
    static void reflexive(double d) { assert d == d; }
    //= holds
    static void notNan(double d) { if (!Double.isNaN(d)) assert d == d; }
    //= holds
    static void divideByZero() { assert 1.0 / 0 == Double.POSITIVE_INFINITY && Double.isNaN(0.0 / 0); }
    //= holds
    static void nanCompares(float f) { float n = Float.NaN; assert !(f < n) && !(f > n) && !(f == n) && f != n; }
    //= holds
    static void toInt() { assert (int) Float.NaN == 0 && (int) 1e20 == Integer.MAX_VALUE && (long) -1e30 == Long.MIN_VALUE; }
    //= holds
    static void truncates() { assert (int) -1.9 == -1 && (int) 1.9f == 1 && (byte) 300.7 == 44; }
    //= holds
    static void remainder() { assert 5.5 % 2 == 1.5 && -5.5 % 2 == -1.5 && 5.5f % -2 == 1.5f; }
    //= holds
    static void negativeZero() { double z = -0.0; assert z == 0.0 && 1 / z < 0; }
    //= fails assert
    static void tenth() { assert 0.1 + 0.2 == 0.3; }
    //= holds
    static void tenthFloat() { assert 0.1f + 0.2f == 0.3f; }
    //= fails assert
    static void intToFloat(int i) { assert (int) (float) i == i; }
    //= holds
    static void intToDouble(int i) { assert (int) (double) i == i; }
    //= holds
    static void bits() { assert Float.floatToIntBits(1f) == 0x3f800000 && Double.longBitsToDouble(0x4000000000000000L) == 2; }
    //= holds
    static void sqrt() { assert Math.sqrt(16) == 4 && Double.isNaN(Math.sqrt(-1)); }
    //= holds
    static void rounding() { assert Math.floor(-1.5) == -2 && Math.ceil(-1.5) == -1 && Math.rint(2.5) == 2; }
    //= holds
    static void minmax() { assert Math.max(1.0, 2.0) == 2 && Math.min(-0.0, 0.0) == 0; }
    //= holds
    static void compare() { assert Double.compare(0.0, -0.0) > 0 && Double.compare(Double.NaN, 1) > 0; }
    //= fails assert
    static void bigger(float f) { assert f + 1 > f; }
    //= holds
    static void widens(float f) { if (f == f) assert (float) (double) f == f; }
}
