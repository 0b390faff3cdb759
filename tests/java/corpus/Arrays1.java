// SPDX-License-Identifier: GPL-3.0-or-later
/** Arrays: bounds, lengths, arrays of arrays, copies. */
public class Arrays1 {
    //= fails bounds
    static int index(int[] a, int i) { return a[i]; }
    //= bounded
    static int indexChecked(int[] a, int i) { return i >= 0 && i < a.length ? a[i] : 0; }
    //= fails bounds
    static int last(int[] a) { return a[a.length - 1]; }
    //= fails size
    static int[] negative(int n) { return new int[n]; }
    //= holds
    static void positive(int n) { if (n >= 0 && n < 5) assert new int[n].length == n; }
    //= fails bounds
    static void offByOne(int[] a) { for (int i = 0; i <= a.length; i++) a[i] = i; }
    //= bounded
    static void fill(int[] a) { for (int i = 0; i < a.length; i++) a[i] = i; for (int i = 0; i < a.length; i++) assert a[i] == i; }
    //= holds
    static void zeros(int i) { int[] a = new int[8]; if (i >= 0 && i < 8) assert a[i] == 0; }
    //= holds
    static void readBack(int i, int v) { int[] a = new int[8]; if (i >= 0 && i < 8) { a[i] = v; assert a[i] == v; } }
    //= fails assert
    static void readOther(int i, int v) { int[] a = new int[8]; if (i >= 0 && i < 8) { a[i] = v; assert a[3] == 0; } }
    //= holds
    static void twoArrays(int i) { int[] a = new int[4], b = new int[4]; if (i >= 0 && i < 4) { a[i] = 1; assert b[i] == 0; } }
    //= holds
    static void matrix() { int[][] m = new int[3][4]; m[1][2] = 5; assert m.length == 3 && m[2].length == 4 && m[1][2] == 5 && m[2][1] == 0; }
    //= fails bounds
    static int matrixIndex(int i, int j) { int[][] m = new int[3][4]; return m[i & 3][j & 3]; }
    //= fails null
    static int ragged() { int[][] m = new int[3][]; return m[1][0]; }
    //= holds
    static void literal(int i) { int[] a = {3, 1, 4, 1, 5}; if (i >= 0 && i < 5) assert a[i] >= 1 && a[i] <= 5; }
    //= fails exception
    static void storeCheck() { Object[] a = new String[1]; a[0] = Integer.valueOf(1); }
    //= holds
    static void booleans(int i) { boolean[] b = new boolean[4]; b[2] = true; if (i >= 0 && i < 4) assert b[i] == (i == 2); }
    //= holds
    static void bytes() { byte[] b = new byte[2]; b[0] = (byte) 200; assert b[0] == -56; char[] c = {'a', '\uffff'}; assert c[1] == 65535; }
    //= holds
    static void longs(long v) { long[] a = new long[3]; a[1] = v; assert a[1] == v && a[0] == 0 && a[2] == 0; }
    //= holds
    static void copy() { int[] a = {1, 2, 3, 4, 5}; System.arraycopy(a, 0, a, 1, 4); assert a[0] == 1 && a[1] == 1 && a[4] == 4; }
    //= holds
    static void copyDown() { int[] a = {1, 2, 3, 4, 5}; System.arraycopy(a, 1, a, 0, 4); assert a[0] == 2 && a[3] == 5 && a[4] == 5; }
    //= fails bounds
    static void copyTooFar(int n) { int[] a = new int[4]; System.arraycopy(a, 0, new int[4], 1, n & 3); System.arraycopy(a, 2, a, 0, 3); }
    //= holds
    static void cloned() { int[] a = {1, 2}, b = a.clone(); b[0] = 9; assert a[0] == 1 && b[1] == 2 && a != b; }
    //= holds
    static void copyOf() { int[] a = java.util.Arrays.copyOf(new int[] {1, 2}, 3); assert a.length == 3 && a[1] == 2 && a[2] == 0; }
    //= holds
    static void equal() { assert java.util.Arrays.equals(new int[] {1, 2}, new int[] {1, 2}); }
    //= holds
    static void sorted() { int[] a = {3, 1, 2}; java.util.Arrays.sort(a); assert a[0] == 1 && a[1] == 2 && a[2] == 3; }
    //= holds
    static void bubble(int x, int y, int z) { int[] a = {x, y, z};
        for (int i = 0; i < 3; i++) for (int j = 0; j + 1 < 3; j++) if (a[j] > a[j + 1]) { int t = a[j]; a[j] = a[j + 1]; a[j + 1] = t; }
        assert a[0] <= a[1] && a[1] <= a[2]; }
    //= fails assert
    static void bubbleShort(int x, int y, int z) { int[] a = {x, y, z};
        for (int j = 0; j + 1 < 3; j++) if (a[j] > a[j + 1]) { int t = a[j]; a[j] = a[j + 1]; a[j + 1] = t; }
        assert a[0] <= a[1] && a[1] <= a[2]; }
    //= bounded
    static void max(int[] a) { if (a.length == 0) return; int m = a[0]; for (int v : a) if (v > m) m = v; for (int v : a) assert v <= m; }
    //= holds
    static void references(int i) { Object[] a = {"x", null, "y"}; if (i >= 0 && i < 3) assert (a[i] == null) == (i == 1); }
}
