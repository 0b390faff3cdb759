// SPDX-License-Identifier: GPL-3.0-or-later
package assay;

/** Inputs of a program that `assay java` looks at: here those that it found. */
public final class Input {
    private Input() {}
    public static int anyInt() { return Integer.parseInt(Run.next("int")); }
    public static short anyShort() { return Short.parseShort(Run.next("short")); }
    public static byte anyByte() { return Byte.parseByte(Run.next("byte")); }
    public static long anyLong() { return Long.parseLong(Run.next("long")); }
    public static char anyChar() { return (char) Integer.parseInt(Run.next("char")); }
    public static boolean anyBoolean() { return Run.next("boolean").equals("true"); }
    public static float anyFloat() { return Float.parseFloat(Run.next("float")); }
    public static double anyDouble() { return Double.parseDouble(Run.next("double")); }
    public static void assume(boolean condition) { Run.assume(condition); }
}
