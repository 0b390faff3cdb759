// SPDX-License-Identifier: GPL-3.0-or-later
/** Exceptions: handlers, finally, nesting, resources. */
public class Exceptions {
    //= holds
    static void caught(int b) { int r; try { r = 10 / b; } catch (ArithmeticException e) { r = -1; } assert b != 0 || r == -1; }
    //= fails divide
    static void wrongHandler(int b) { try { int r = 10 / b; } catch (NullPointerException e) { } }
    //= holds
    static void superHandler(int b) { try { int r = 10 / b; } catch (RuntimeException e) { assert e instanceof ArithmeticException; } }
    //= holds
    static void finallyRuns(boolean t) { int[] n = {0}; try { if (t) throw new RuntimeException(); } catch (RuntimeException e) { n[0] += 1; } finally { n[0] += 10; }
        assert n[0] == (t ? 11 : 10); }
    //= fails exception
    static void finallyRethrows(boolean t) { int x = 0; try { if (t) throw new IllegalStateException(); } finally { x++; } }
    //= holds
    static void finallyReturn() { assert two() == 2; }
    @SuppressWarnings("finally") static int two() { try { return 1; } finally { return 2; } }
    //= holds
    static void order() { String s = ""; try { try { throw new RuntimeException("a"); } finally { s += "f"; } } catch (RuntimeException e) { s += e.getMessage(); }
        assert s.equals("fa"); }
    //= fails exception
    static void custom(int a) throws Exception { if (a == 12345) throw new Mine(a); }
    static class Mine extends Exception { final int code; Mine(int c) { super("mine " + c); code = c; } }
    //= holds
    static void customCaught(int a) { try { custom(a); } catch (Exception e) { assert a == 12345 && ((Mine) e).code == 12345; } }
    //= holds
    static void message() { try { throw new Mine(7); } catch (Mine e) { assert e.getMessage().equals("mine 7"); } }
    //= holds
    static void divideMessage() { try { int z = 0; z = 1 / z; } catch (ArithmeticException e) { assert e.getMessage().equals("/ by zero"); } }
    //= holds
    static void boundsMessage() { try { int[] a = new int[3]; a[5] = 1; } catch (ArrayIndexOutOfBoundsException e) {
        assert e.getMessage().equals("Index 5 out of bounds for length 3"); } }
    //= holds
    static void nullCaught() { String s = null; try { s.length(); assert false; } catch (NullPointerException e) { } }
    //= holds
    static void castCaught() { Object o = "x"; try { Integer i = (Integer) o; assert false; } catch (ClassCastException e) { } }
    //= holds
    static void cause() { try { try { throw new RuntimeException("in"); } catch (RuntimeException e) { throw new IllegalStateException("out", e); } }
        catch (IllegalStateException e) { assert e.getCause().getMessage().equals("in"); } }
    //= holds
    static void resources() { int[] n = {0}; try (Closing c = new Closing(n)) { n[0]++; } assert n[0] == 11; }
    static class Closing implements AutoCloseable { final int[] n; Closing(int[] n) { this.n = n; } public void close() { n[0] += 10; } }
    //= holds
    static void deep(int d) { try { fall(3); assert false; } catch (IllegalArgumentException e) { } }
    static void fall(int n) { if (n == 0) throw new IllegalArgumentException(); fall(n - 1); }
    //= holds
    static void multi(int k) { int r = 0; try { if (k == 1) throw new IllegalStateException(); if (k == 2) throw new IllegalArgumentException(); }
        catch (IllegalStateException | IllegalArgumentException e) { r = 1; } assert (r == 1) == (k == 1 || k == 2); }
    //= fails exception
    static void throwNullIsNull(boolean b) { RuntimeException e = new IllegalStateException(); if (b) throw e; }
    //= fails null
    static void throwNull() { RuntimeException e = null; throw e; }
    //= holds
    static void loopWithCatch() { int n = 0; for (int i = -2; i <= 2; i++) try { n += 4 / i; } catch (ArithmeticException e) { n += 100; } assert n == 100; }
    //= fails assert
    static void assertion(int x) { assert x < 100 : "too big: " + x; }
    //= holds
    static void assertCaught(int x) { try { assert x < 100; } catch (AssertionError e) { assert x >= 100; } }
}
