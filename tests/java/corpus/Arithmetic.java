// SPDX-License-Identifier: GPL-3.0-or-later
/** Integers as the language has them: wrapping, shifting, dividing. */
public class Arithmetic {
    //= fails assert
    static void overflow(int a) { assert a + 1 > a; }
    //= holds
    static void wraps() { assert Integer.MAX_VALUE + 1 == Integer.MIN_VALUE; }
    //= fails assert
    static void absolute(int a) { assert Math.abs(a) >= 0; }
    //= holds
    static void absoluteBut(int a) { if (a != Integer.MIN_VALUE) assert Math.abs(a) >= 0; }
    //= fails divide
    static int divide(int a, int b) { return a / b; }
    //= fails divide
    static int remainder(long a, long b) { return (int) (a % b); }
    //= holds
    static void guarded(int a, int b) { if (b != 0) { int q = a / b, r = a % b; assert q * b + r == a; } }
    //= holds
    static void minByMinusOne() { int m = Integer.MIN_VALUE; assert m / -1 == m && m % -1 == 0; }
    //= holds
    static void remainderSign(int a) { int r = a % 7; assert a >= 0 ? r >= 0 : r <= 0; }
    //= holds
    static void shiftMasks(int a, int n) { assert a << n == a << (n & 31) && a >>> n == a >>> (n & 31); }
    //= holds
    static void longShiftMasks(long a, int n) { assert a << n == a << (n & 63) && a >> n == a >> (n & 63); }
    //= holds
    static void unsignedShift(int a) { assert a >>> 1 >= 0; }
    //= fails assert
    static void signedShift(int a) { assert a >> 1 >= 0; }
    //= holds
    static void narrowing(int a) { assert (byte) a == (byte) (a & 0xff) && (short) a == (a << 16) >> 16; }
    //= holds
    static void charIsUnsigned(int a) { char c = (char) a; assert c >= 0 && c <= 65535; }
    //= fails assert
    static void byteRange(byte b) { assert b >= 0; }
    //= holds
    static void byteFits(byte b, short s, char c) { assert b >= -128 && b <= 127 && s <= 32767 && c <= 65535; }
    //= holds
    static void longOfInt(int a) { long l = a; assert (int) l == a && (a >= 0 || l < 0); }
    //= holds
    static void compareLong(long a, long b) { assert (a < b) == (Long.compare(a, b) < 0); }
    //= fails assert
    static void midpoint(int a, int b) { if (a >= 0 && b >= a) { int m = (a + b) / 2; assert m >= a; } }
    //= holds
    static void midpointRight(int a, int b) { if (a >= 0 && b >= a) { int m = (a + b) >>> 1; assert m >= a && m <= b; } }
    //= holds
    static void bits(int a) { assert Integer.bitCount(a) == Integer.bitCount(~a) * -1 + 32; }
    //= holds
    static void increments(int a) { int b = a; b++; b += 2; b--; assert b == a + 2; }
    //= holds
    static void compound(byte b) { byte c = b; c += 200; assert c == (byte) (b + 200); }
    //= fails assert
    static void product(int a, int b) { if (a > 0 && b > 0) assert a * b > 0; }
    //= holds
    static void xorSwap(int a, int b) { int x = a, y = b; x ^= y; y ^= x; x ^= y; assert x == b && y == a; }
    //= fails divide
    static int exact(int a) { return Math.addExact(a, 1); }
    //= fails divide
    static int exactIsArithmetic(int a) { return Math.multiplyExact(a, 3); }
    //= holds
    static void highest(int a) { int h = Integer.highestOneBit(a); assert h == 0 || (h & (h - 1)) == 0; }
}
