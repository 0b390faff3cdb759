// SPDX-License-Identifier: GPL-3.0-or-later
import assay.Input;

/** Objects, inheritance, interfaces, dispatch, casts. */
public class Objects {
    interface Shape { int area(); default int twice() { return 2 * area(); } }
    static class Square implements Shape { final int side; Square(int s) { side = s; } public int area() { return side * side; } }
    static class Box implements Shape { final int a, b; Box(int a, int b) { this.a = a; this.b = b; } public int area() { return a * b; }
        public int twice() { return a * b + b * a; } }
    static abstract class Animal { int legs() { return 4; } abstract String name(); }
    static class Dog extends Animal { String name() { return "dog"; } }
    static class Bird extends Animal { int legs() { return 2; } String name() { return "bird"; } }
    static class Counter { static int made; int value; Counter() { made++; } Counter add(int n) { value += n; return this; } }
    static class Node { int value; Node next; Node(int v, Node n) { value = v; next = n; } }
    static class Point { int x, y; Point(int x, int y) { this.x = x; this.y = y; }
        public boolean equals(Object o) { return o instanceof Point && ((Point) o).x == x && ((Point) o).y == y; }
        public int hashCode() { return 31 * x + y; } }

    //= holds
    static void dispatch(boolean b) { Shape s = b ? new Square(3) : new Box(2, 5); assert s.area() == (b ? 9 : 10); }
    //= holds
    static void defaults(boolean b) { Shape s = b ? new Square(3) : new Box(2, 5); assert s.twice() == 2 * s.area(); }
    //= holds
    static void inherited(boolean b) { Animal a = b ? new Dog() : new Bird(); assert a.legs() == (b ? 4 : 2); }
    //= fails cast
    static void cast(boolean b) { Animal a = b ? new Dog() : new Bird(); Dog d = (Dog) a; }
    //= holds
    static void instance(boolean b) { Animal a = b ? new Dog() : new Bird(); if (a instanceof Dog) { Dog d = (Dog) a; assert b; } }
    //= fails null
    static int nullField(boolean b) { Node n = b ? new Node(1, null) : null; return n.value; }
    //= fails null
    static int nullNext(boolean b) { Node n = new Node(1, b ? new Node(2, null) : null); return n.next.value; }
    //= holds
    static void nullChecked(boolean b) { Node n = b ? new Node(1, null) : null; if (n != null) assert n.value == 1; }
    //= holds
    static void statics() { int before = Counter.made; new Counter(); new Counter(); assert Counter.made == before + 2; }
    //= holds
    static void chained(int a) { assert new Counter().add(a).add(1).value == a + 1; }
    //= holds
    static void aliases(int a, boolean b) { Node x = new Node(0, null), y = new Node(0, null), z = b ? x : y; z.value = a;
        assert b ? x.value == a && y.value == 0 : y.value == a && x.value == 0; }
    //= holds
    static void identity() { Node a = new Node(1, null), b = new Node(1, null); assert a != b && a == a; }
    //= holds
    static void equalsMethod(int x, int y) { assert new Point(x, y).equals(new Point(x, y)); }
    //= fails assert
    static void equalsWrong(int x, int y) { assert !new Point(x, 1).equals(new Point(y, 1)); }
    //= holds
    static void list(int n) { Node head = null; for (int i = 0; i < 5; i++) head = new Node(i, head); int s = 0;
        for (Node p = head; p != null; p = p.next) s += p.value; assert s == 10; }
    //= fails assert
    static void writeThrough(int i) { Node[] a = {new Node(1, null), new Node(2, null), new Node(3, null)};
        if (i >= 0 && i < 3) { a[i].value = 7; assert a[1].value == 2; } }
    //= holds
    static void finalFields(int a) { final int b = a + 1; class Local { int get() { return b; } } assert new Local().get() == a + 1; }
    //= holds
    static void inner() { Outer o = new Outer(); assert o.new Inner().sum() == 5; }
    static class Outer { int n = 5; class Inner { int sum() { return n; } } }
    //= holds
    static void superCall() { assert new Sub().value() == 11; }
    static class Base { int value() { return 1; } }
    static class Sub extends Base { int value() { return super.value() + 10; } }
    //= holds
    static void constructorOrder() { assert new Late().seen == 0; }
    static class Early { int seen; Early() { seen = get(); } int get() { return -1; } }
    static class Late extends Early { int v = 9; int get() { return v; } }
    //= holds
    static void arrayClass() { Object o = new int[3]; assert o instanceof int[] && !(o instanceof long[]) && o instanceof Cloneable; }
    //= holds
    static void getClassSame() { assert new Dog().getClass() == Dog.class && new Dog().getClass() != (Object) Bird.class; }
    //= holds
    static void className() { assert new Dog().name().equals("dog") && Dog.class.getName().equals("Objects$Dog"); }
    //= holds
    static void initialised() { assert Holder.value == 42 && Holder.times == 1; }
    static class Holder { static int times; static int value = make(); static int make() { times++; return 42; } }
    //= fails exception
    static int initialiserThrows() { return Bad.value; }
    static class Bad { static int value = new int[0].length; static { if (value == 0) throw new IllegalStateException(); } }
    //= holds
    static void ternaryBoth(int a) { Integer i = a > 0 ? 1 : Integer.valueOf(2); assert i == 1 || i == 2; }
    //= holds
    static void record() { Pair p = new Pair(1, "x"); assert p.a() == 1 && p.b().equals("x"); }
    record Pair(int a, String b) {}
}
