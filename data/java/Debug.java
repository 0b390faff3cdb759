// SPDX-License-Identifier: GPL-3.0-or-later
package gov.nasa.jpf.symbc;

import assay.Run;

/** Inputs by the names of Symbolic PathFinder: here those that assay found. */
public final class Debug {
    private Debug() {}
    public static int makeSymbolicInteger(String name) { return Integer.parseInt(Run.next("int")); }
    public static short makeSymbolicShort(String name) { return Short.parseShort(Run.next("short")); }
    public static byte makeSymbolicByte(String name) { return Byte.parseByte(Run.next("byte")); }
    public static long makeSymbolicLong(String name) { return Long.parseLong(Run.next("long")); }
    public static char makeSymbolicChar(String name) { return (char) Integer.parseInt(Run.next("char")); }
    public static boolean makeSymbolicBoolean(String name) { return Run.next("boolean").equals("true"); }
    public static double makeSymbolicReal(String name) { return Double.parseDouble(Run.next("double")); }
    public static String makeSymbolicString(String name) { return Run.nextString(); }
    public static int addSymbolicInt(int was, String name) { return Integer.parseInt(Run.next("int")); }
    public static short addSymbolicShort(short was, String name) { return Short.parseShort(Run.next("short")); }
    public static byte addSymbolicByte(byte was, String name) { return Byte.parseByte(Run.next("byte")); }
    public static long addSymbolicLong(long was, String name) { return Long.parseLong(Run.next("long")); }
    public static char addSymbolicChar(char was, String name) { return (char) Integer.parseInt(Run.next("char")); }
    public static boolean addSymbolicBoolean(boolean was, String name) { return Run.next("boolean").equals("true"); }
    public static double addSymbolicDouble(double was, String name) { return Double.parseDouble(Run.next("double")); }
    public static void assume(boolean condition) { Run.assume(condition); }
}
