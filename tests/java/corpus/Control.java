// SPDX-License-Identifier: GPL-3.0-or-later
import assay.Input;
import java.util.function.*;

/** Control flow, recursion, switches, lambdas. */
public class Control {
    //= holds
    static void recursion() { assert factorial(5) == 120 && fib(10) == 55; }
    static int factorial(int n) { return n <= 1 ? 1 : n * factorial(n - 1); }
    static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
    //= holds
    static void recursionOpen(int n) { if (n >= 0 && n < 6) assert sum(n) == n * (n + 1) / 2; }
    static int sum(int n) { return n == 0 ? 0 : n + sum(n - 1); }
    //= holds
    static void euclid() { assert gcd(48, 36) == 12; }
    static int gcd(int a, int b) { while (b != 0) { int t = a % b; a = b; b = t; } return a; }
    //= holds
    static void tableSwitch(int x) { int r; switch (x) { case 1: r = 10; break; case 2: r = 20; break; case 3: r = 30; break; default: r = 0; }
        assert x < 1 || x > 3 ? r == 0 : r == x * 10; }
    //= holds
    static void lookupSwitch(int x) { int r; switch (x) { case -1000: r = 1; break; case 5: r = 2; break; case 70000: r = 3; break; default: r = 0; }
        assert (r == 2) == (x == 5) && (r == 0) == (x != -1000 && x != 5 && x != 70000); }
    //= fails assert
    static void fallThrough(int x) { int r = 0; switch (x) { case 1: r += 1; case 2: r += 2; break; case 3: r += 4; } assert r != 3; }
    //= holds
    static void switchExpression(int x) { int r = switch (x & 3) { case 0, 1 -> 1; case 2 -> 2; default -> { int y = x & 3; yield y; } }; assert r >= 1 && r <= 3; }
    //= holds
    static void labels() { int n = 0; outer: for (int i = 0; i < 5; i++) for (int j = 0; j < 5; j++) { if (j == 3) continue outer; if (i == 3) break outer; n++; } assert n == 9; }
    //= holds
    static void doWhile() { int i = 0; do i++; while (i < 10); assert i == 10; }
    //= fails assert
    static void needle(int x) { int y = x * 31 + 17; if (y == 1234567) assert false; }
    //= holds
    static void shortCircuit(int x) { boolean called = false; boolean r = x > 0 && (called = true); assert r == (x > 0) && called == (x > 0); }
    //= holds
    static void lambda(int a) { IntUnaryOperator f = x -> x + a; assert f.applyAsInt(1) == a + 1; }
    //= holds
    static void lambdaBoxed() { Function<Integer, Integer> f = x -> x * 2; assert f.apply(21) == 42; }
    //= holds
    static void compose() { Function<Integer, Integer> f = x -> x + 1, g = x -> x * 10; assert f.andThen(g).apply(1) == 20 && f.compose(g).apply(1) == 11; }
    //= holds
    static void methodReference() { Function<String, Integer> f = String::length; assert f.apply("four") == 4; BinaryOperator<Integer> add = Integer::sum; assert add.apply(2, 3) == 5; }
    //= holds
    static void constructorReference() { Supplier<StringBuilder> s = StringBuilder::new; assert s.get().append(1).toString().equals("1"); }
    //= holds
    static void boundReference() { String s = "abc"; IntFunction<Character> f = s::charAt; assert f.apply(1) == 'b'; }
    //= holds
    static void runnable() { int[] n = {0}; Runnable r = () -> n[0]++; r.run(); r.run(); assert n[0] == 2; }
    //= fails assert
    static void chooses(boolean b, int x) { IntBinaryOperator f = b ? (p, q) -> p + q : (p, q) -> p - q; assert f.applyAsInt(x, 1) > x; }
    //= holds
    static void anonymous() { Comparable<Integer> c = new Comparable<>() { public int compareTo(Integer o) { return 5 - o; } }; assert c.compareTo(3) == 2; }
    //= holds
    static void assumed() { int x = Input.anyInt(); Input.assume(x > 10); assert x != 5; }
    //= fails assert
    static void assumedWrong() { int x = Input.anyInt(); Input.assume(x > 10); assert x != 50; }
    //= holds
    static void varargs() { assert total() == 0 && total(1, 2, 3) == 6; }
    static int total(int... a) { int s = 0; for (int v : a) s += v; return s; }
    //= holds
    static void bitsLoop(int x) { int n = 0; for (int i = 0; i < 32; i++) n += x >>> i & 1; assert n >= 0 && n <= 32; }
    //= bounded
    static void openLoop(int n) { int s = 0; for (int i = 0; i < n; i++) s += 1; assert n < 0 || s == n; }
    //= fails assert
    static void openLoopFails(int n) { int s = 0; for (int i = 0; i < n; i++) s += 2; assert s != 12; }
    //= holds
    static void synchronised() { int n = 0; synchronized (Control.class) { n++; } assert n == 1 + locked(); }
    static synchronized int locked() { return 0; }
    //= holds
    static void instanceOfPattern(boolean b) { Object o = b ? "text" : (Object) 5; if (o instanceof String s) assert s.length() == 4; else assert (Integer) o == 5; }
}
