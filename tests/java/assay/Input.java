// SPDX-License-Identifier: GPL-3.0-or-later
package assay;

/** Inputs of a program that `assay java` looks at. Run on a virtual machine they are zeros. */
public final class Input {
    private Input() {}
    public static int anyInt() { return 0; }
    public static short anyShort() { return 0; }
    public static byte anyByte() { return 0; }
    public static long anyLong() { return 0; }
    public static char anyChar() { return 0; }
    public static boolean anyBoolean() { return false; }
    public static float anyFloat() { return 0; }
    public static double anyDouble() { return 0; }
    /** Nothing is asked of runs in which this is false. */
    public static void assume(boolean condition) {}
}
