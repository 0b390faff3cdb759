// SPDX-License-Identifier: GPL-3.0-or-later
package org.sosy_lab.sv_benchmarks;

import assay.Run;

/** Inputs by the names of the software-verification competition: here those that assay found. */
public final class Verifier {
    private Verifier() {}
    public static int nondetInt() { return Integer.parseInt(Run.next("int")); }
    public static short nondetShort() { return Short.parseShort(Run.next("short")); }
    public static byte nondetByte() { return Byte.parseByte(Run.next("byte")); }
    public static long nondetLong() { return Long.parseLong(Run.next("long")); }
    public static char nondetChar() { return (char) Integer.parseInt(Run.next("char")); }
    public static boolean nondetBoolean() { return Run.next("boolean").equals("true"); }
    public static float nondetFloat() { return Float.parseFloat(Run.next("float")); }
    public static double nondetDouble() { return Double.parseDouble(Run.next("double")); }
    public static String nondetString() { return Run.nextString(); }
    public static void assume(boolean condition) { Run.assume(condition); }
}
