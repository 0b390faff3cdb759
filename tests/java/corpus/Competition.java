// SPDX-License-Identifier: GPL-3.0-or-later
import java.util.*;
import java.util.stream.*;
import org.sosy_lab.sv_benchmarks.Verifier;
/** Programs in the style of the software-verification competition: what they ask for is an input. */
public class Competition {
    static int ack(int m, int n) { if (m == 0) return n + 1; if (n == 0) return ack(m - 1, 1); return ack(m - 1, ack(m, n - 1)); }
    //= fails assert
    static void ackermannBad() { int m = Verifier.nondetInt(), n = Verifier.nondetInt(); if (m < 0 || m > 2 || n < 0 || n > 2) return; assert ack(m, n) < 7; }
    static int mc(int n) { return n > 100 ? n - 10 : mc(mc(n + 11)); }
    //= holds
    static void mccarthy() { int x = Verifier.nondetInt(); if (x < 95) return; if (x > 110) return; int r = mc(x); assert r == 91 || x > 101 && r == x - 10; }
    static class Environment { int level = 1; boolean methane; void waterRise() { if (level < 2) level++; } void lower() { if (level > 0) level--; } void changeMethane() { methane = !methane; } boolean critical() { return methane; } }
    static class Pump { boolean running, active = true; final Environment env; Pump(Environment e) { env = e; }
        void timeShift() { if (running) env.lower(); if (active) process(); }
        void process() { if (!running && env.level == 2) activate(); if (running && env.level == 0) running = false; }
        void activate() { running = true; } void stop() { running = false; active = false; } void start() { active = true; } }
    static class SafePump extends Pump { SafePump(Environment e) { super(e); } @Override void activate() { if (!env.critical()) super.activate(); } @Override void process() { if (running && env.critical()) running = false; else super.process(); } }
    static void step(Pump p) { if (Verifier.nondetBoolean()) p.env.waterRise(); if (Verifier.nondetBoolean()) p.env.changeMethane(); if (Verifier.nondetBoolean()) p.start(); else if (Verifier.nondetBoolean()) p.stop(); p.timeShift(); }
    //= fails assert
    static void minePumpBad() { Pump p = new Pump(new Environment()); for (int i = 0; i < 3; i++) { step(p); assert !(p.running && p.env.critical()); } }
    //= holds
    static void minePump() { Pump p = new SafePump(new Environment()); for (int i = 0; i < 4; i++) { step(p); assert !(p.running && p.env.critical()) || !p.active; } }
    enum Mode { IDLE, INFUSING, PAUSED, ALARM; Mode next(Event e) { switch (this) { case IDLE: return e == Event.START ? INFUSING : IDLE; case INFUSING: return e == Event.EMPTY ? ALARM : e == Event.PAUSE ? PAUSED : this; case PAUSED: return e == Event.START ? INFUSING : e == Event.EMPTY ? ALARM : this; default: return e == Event.CLEAR ? IDLE : this; } } }
    enum Event { START, PAUSE, EMPTY, CLEAR }
    //= holds
    static void infusion() { Mode m = Mode.IDLE; int volume = 3; for (int i = 0; i < 5; i++) { int k = Verifier.nondetInt(); Verifier.assume(k >= 0 && k < 4); Event e = Event.values()[k]; if (volume == 0) e = Event.EMPTY; m = m.next(e); if (m == Mode.INFUSING) volume--; assert volume >= 0; } }
    interface State { State on(boolean coin); boolean open(); }
    static final State LOCKED = new State() { public State on(boolean c) { return c ? UNLOCKED : this; } public boolean open() { return false; } };
    static final State UNLOCKED = new State() { public State on(boolean c) { return c ? this : LOCKED; } public boolean open() { return true; } };
    //= holds
    static void turnstile() { State s = LOCKED; boolean last = false; for (int i = 0; i < 6; i++) { last = Verifier.nondetBoolean(); s = s.on(last); } assert s.open() == last; }
    static class L { int v; L next; L(int v, L n) { this.v = v; next = n; } }
    static L reverse(L l) { L r = null; while (l != null) { L n = l.next; l.next = r; r = l; l = n; } return r; }
    //= holds
    static void listReverse() { int n = Verifier.nondetInt(); Verifier.assume(n >= 0 && n <= 5); L l = null; for (int i = 0; i < n; i++) l = new L(i, l); l = reverse(l); int k = 0; for (L p = l; p != null; p = p.next) assert p.v == k++; assert k == n; }
    //= fails assert
    static void insertionBad() { int[] a = new int[4]; for (int i = 0; i < 4; i++) a[i] = Verifier.nondetInt(); for (int i = 1; i < 4; i++) { int v = a[i], j = i; while (j > 1 && a[j - 1] > v) { a[j] = a[j - 1]; j--; } a[j] = v; } assert a[0] <= a[1] && a[1] <= a[2]; }
    //= fails assert
    static void unionFindBad() { int[] p = {0, 1, 2, 3}; for (int k = 0; k < 2; k++) { int a = Verifier.nondetInt() & 3, b = Verifier.nondetInt() & 3; while (p[a] != a) a = p[a]; while (p[b] != b) b = p[b]; p[a] = b; } int roots = 0; for (int i = 0; i < 4; i++) if (p[i] == i) roots++; assert roots > 2; }
    static int kind(String s) { switch (s) { case "one": return 1; case "two": return 2; case "Aa": return 3; case "BB": return 4; default: return 0; } }
    //= fails assert
    static void switchStringBad() { char c = Verifier.nondetChar(), d = Verifier.nondetChar(); assert kind("" + c + d) != 4; }
    //= fails assert
    static void nondet() { String s = Verifier.nondetString(); assert !s.equals("ab"); }
    //= fails exception
    static void nondetCharAt() { String s = Verifier.nondetString(); s.charAt(0); }
    //= bounded
    static void nondetLength() { String s = Verifier.nondetString(); assert s.length() >= 0 && s.equals(s) && s.concat("x").length() == s.length() + 1; }
    //= fails assert
    static void nondetStarts() { String s = Verifier.nondetString(); if (s.startsWith("a") && s.endsWith("b")) assert s.length() != 3; }
    //= holds
    static void tokens() { StringTokenizer t = new StringTokenizer("a b  c"); int n = 0; while (t.hasMoreTokens()) { assert t.nextToken().length() == 1; n++; } assert n == 3; }
    //= fails exception
    static void modified() { List<Integer> l = new ArrayList<>(Arrays.asList(1, 2, 3)); int k = Verifier.nondetInt(); for (Integer x : l) if (x == k) l.remove(x); }
    //= holds
    static void comparator() { List<String> l = new ArrayList<>(List.of("bbb", "a", "cc")); l.sort(Comparator.comparing(String::length)); assert l.get(0).equals("a") && l.get(2).equals("bbb"); Collections.reverse(l); assert l.get(0).equals("bbb"); }
    //= holds
    static void streamFilter() { int k = Verifier.nondetInt(); long n = Stream.of(1, 2, 3, 4).filter(x -> x > k).count(); assert n <= 4 && (k < 4 || n == 0); }
    //= fails assert
    static void streamCollect() { int k = Verifier.nondetInt(); List<Integer> l = Stream.of(1, 2, 3).map(x -> x * k).collect(Collectors.toList()); assert l.get(2) != 9; }
    //= holds
    static void optionalElse() { Optional<Integer> o = Verifier.nondetBoolean() ? Optional.of(1) : Optional.empty(); assert o.map(x -> x + 1).orElse(0) <= 2; o.ifPresent(x -> { assert x == 1; }); }
    //= holds
    static void enumMap() { EnumMap<Thread.State, Integer> m = new EnumMap<>(Thread.State.class); m.put(Thread.State.NEW, 1); assert m.get(Thread.State.NEW) == 1 && m.size() == 1; }
    record Point(int x, int y) { Point { if (x < 0) throw new IllegalArgumentException(); } int sum() { return x + y; } static Point of(int v) { return new Point(v, v); } }
    //= fails exception
    static void recordCheck() { Point.of(Verifier.nondetInt()); }
    //= holds
    static void recordEquals() { int a = Verifier.nondetInt() & 255; Point p = Point.of(a), q = new Point(a, a); assert p.equals(q) && p.hashCode() == q.hashCode() && p != q && p.sum() == 2 * a && !p.equals(new Point(a, a + 1)); }
    //= holds
    static void recordText() { assert new Point(1, 2).toString().equals("Point[x=1, y=2]"); }
    static int area(Object o) { if (o instanceof Integer i && i > 3) return i; if (o instanceof String s) return s.length(); if (!(o instanceof Point p)) return -1; return p.x * p.y; }
    //= holds
    static void patterns() { int k = Verifier.nondetInt(); Object o = k == 0 ? (Object) 7 : k == 1 ? "four" : k == 2 ? new Point(2, 3) : null; int a = area(o); assert a == (k == 0 ? 7 : k == 1 ? 4 : k == 2 ? 6 : -1); }
    static class Num implements Comparable<Num> { int n; Num(int n) { this.n = n; } public int compareTo(Num o) { return Integer.compare(n, o.n); } }
    static class Res implements AutoCloseable { final StringBuilder l; final String n; Res(StringBuilder l, String n) { this.l = l; this.n = n; l.append("+").append(n); } public void close() { l.append("-").append(n); throw new IllegalStateException(n); } }
    //= holds
    static void withResources() { StringBuilder l = new StringBuilder(); try (Res a = new Res(l, "a"); Res b = new Res(l, "b")) { if (Verifier.nondetBoolean()) throw new RuntimeException("x"); l.append("*"); } catch (RuntimeException e) { String s = l.toString(); if (s.equals("+a+b-b-a")) assert e.getMessage().equals("x") && e.getSuppressed().length == 2; else assert s.equals("+a+b*-b-a") && e.getMessage().equals("b") && e.getSuppressed()[0].getMessage().equals("a"); } }
    //= holds
    static void classNames() { assert new int[0].getClass().getName().equals("[I") && "x".getClass() == String.class && new Num(1).getClass().getSimpleName().equals("Num"); }
    static char[] some(int n) { char[] c = new char[n]; for (int i = 0; i < n; i++) { c[i] = Verifier.nondetChar(); Verifier.assume(c[i] < 128); } return c; }
    static int xml(char[] in) { int depth = 0, at = 0; while (at < in.length) { if (in[at] != '<') { at++; continue; } at++; boolean close = in[at] == '/'; if (close) at++; while (in[at] != '>') at++; at++; depth += close ? -1 : 1; if (depth < 0) throw new IllegalStateException("unbalanced"); } return depth; }
    //= fails bounds
    static void xmlBounds() { char[] c = some(3); Verifier.assume(c[0] != '<'); try { xml(c); } catch (IllegalStateException e) { } }
    //= fails exception
    static void xmlUnbalanced() { char[] c = some(4); c[3] = '>'; try { xml(c); } catch (ArrayIndexOutOfBoundsException e) { } }
    interface Listener { void on(String topic, int v); }
    static class Broker { final Map<String, List<Listener>> subs = new HashMap<>(); void subscribe(String p, Listener l) { subs.computeIfAbsent(p, k -> new ArrayList<>()).add(l); }
        static boolean match(String p, String t, int i, int j) { if (i == p.length()) return j == t.length(); if (p.charAt(i) == '*') { for (int k = j; k <= t.length(); k++) if (match(p, t, i + 1, k)) return true; return false; } return j < t.length() && (p.charAt(i) == '?' || p.charAt(i) == t.charAt(j)) && match(p, t, i + 1, j + 1); }
        int publish(String t, int v) { int n = 0; for (Map.Entry<String, List<Listener>> e : subs.entrySet()) if (match(e.getKey(), t, 0, 0)) for (Listener l : e.getValue()) { l.on(t, v); n++; } return n; } }
    //= holds
    static void broker() { Broker b = new Broker(); int[] got = new int[2]; b.subscribe("a*", (t, v) -> got[0] += v); b.subscribe("?b", (t, v) -> got[1] += v); char c = Verifier.nondetChar(), d = Verifier.nondetChar(); int n = b.publish("" + c + d, 1); assert n == (c == 'a' ? 1 : 0) + (d == 'b' ? 1 : 0) && n == got[0] + got[1]; }
    //= fails assert
    static void brokerBad() { Broker b = new Broker(); b.subscribe("*a?", (t, v) -> { assert t.length() != 3; }); b.publish("x" + Verifier.nondetChar() + "y", 1); }
    enum Op { ADD { int apply(int a, int b) { return a + b; } }, SUB { int apply(int a, int b) { return a - b; } }, DIV { int apply(int a, int b) { return a / b; } }; abstract int apply(int a, int b); }
    //= fails exception
    static void enumValueOf() { Op.valueOf(Verifier.nondetBoolean() ? "ADD" : "MUL"); }
    //= holds
    static void canonicalNames() { assert Op.class.getCanonicalName().equals("Competition.Op") && int[][].class.getCanonicalName().equals("int[][]") && new Object() {}.getClass().getCanonicalName() == null && Op.ADD.getClass().getSimpleName().isEmpty(); }
    //= fails assert
    static void valueOfNumber() { int d = Verifier.nondetInt(); assert !Integer.toString(d).equals("137"); }
    //= fails assert
    static void concatNumber() { int d = Verifier.nondetInt(); String s = "n=" + d; assert s.length() < 13; }
    //= holds
    static void valueOfLength() { int d = Verifier.nondetInt(); if (d < 0 || d > 99) return; String s = "" + d; assert s.length() == (d > 9 ? 2 : 1); }
    //= holds
    static void valueOfDigit() { int d = Verifier.nondetInt(); if (d < 0 || d > 9) return; assert Integer.toString(d).equals("" + (char) ('0' + d)); }
    //= holds
    static void valueOfFixed() { assert ("" + Integer.MIN_VALUE + 0 + -7 + 1000).equals("-21474836480-71000") && Integer.toString(Integer.MAX_VALUE).equals("2147483647") && new StringBuilder("\u0100").append(-42).toString().equals("\u0100-42"); }
}
