// SPDX-License-Identifier: GPL-3.0-or-later
/** Strings, builders, boxes, switch on strings, enums. */
public class Strings {
    //= holds
    static void concat() { int n = 7; assert ("a" + n + 'c' + true).equals("a7ctrue"); }
    //= holds
    static void literalsAreOne() { String a = "x", b = "x"; assert a == b && "x" + "y" == "xy"; }
    //= holds
    static void madeAreNot() { String a = new String("x"); assert a != "x" && a.equals("x"); }
    //= holds
    static void length() { assert "hello".length() == 5 && "".isEmpty(); }
    //= holds
    static void charAt() { assert "hello".charAt(1) == 'e' && "h\u20acllo".charAt(1) == '\u20ac'; }
    //= fails exception
    static char charAtAny(int i) { return "hello".charAt(i); }
    //= holds
    static void charAtGuarded(int i) { if (i >= 0 && i < 5) assert "hello".charAt(i) >= 'e'; }
    //= holds
    static void substring() { assert "hello".substring(1, 3).equals("el") && "hello".substring(3).equals("lo"); }
    //= holds
    static void indexOf() { assert "hello".indexOf('l') == 2 && "hello".indexOf("lo") == 3 && "hello".indexOf('z') == -1; }
    //= holds
    static void compare() { assert "abc".compareTo("abd") < 0 && "b".compareTo("abc") > 0; }
    //= holds
    static void hash() { assert "abc".hashCode() == 96354; }
    //= holds
    static void builder() { StringBuilder b = new StringBuilder(); for (int i = 0; i < 3; i++) b.append(i).append(','); assert b.toString().equals("0,1,2,"); }
    //= holds
    static void reverse() { assert new StringBuilder("abc").reverse().toString().equals("cba"); }
    //= holds
    static void switchString() { assert pick("two") == 2 && pick("three") == 3 && pick("x") == 0; }
    static int pick(String s) { switch (s) { case "one": return 1; case "two": return 2; case "three": return 3; default: return 0; } }
    //= holds
    static void parse() { assert Integer.parseInt("-123") == -123; }
    //= fails exception
    static void parseBad() { Integer.parseInt("12x"); }
    //= holds
    static void toText() { assert Integer.toString(-2147483648).equals("-2147483648") && Long.toString(10L).equals("10"); }
    //= holds
    static void valueOf() { assert String.valueOf(3).equals("3") && String.valueOf((Object) null).equals("null"); }
    //= holds
    static void upper() { assert "abc".toUpperCase(java.util.Locale.ROOT).equals("ABC"); }
    //= holds
    static void trim() { assert "  a ".trim().equals("a"); }
    //= holds
    static void replace() { assert "banana".replace('a', 'o').equals("bonono"); }
    //= holds
    static void chars() { int n = 0; for (char c : "hello".toCharArray()) if (c == 'l') n++; assert n == 2; }
    //= holds
    static void boxing(int a) { Integer x = a, y = a; assert x.equals(y) && x.intValue() == a; }
    //= fails assert
    static void boxIdentity(int a) { Integer x = a, y = a; assert x == y; }
    //= holds
    static void boxIdentitySmall(byte a) { Integer x = (int) a, y = (int) a; assert x == y; }
    //= holds
    static void boxLong(long a) { Long x = a; assert x == a; }
    //= fails null
    static int unboxNull(boolean b) { Integer x = b ? 1 : null; return x; }
    //= holds
    static void enums() { assert Colour.RED.ordinal() == 0 && Colour.valueOf("BLUE") == Colour.BLUE && Colour.values().length == 3; }
    enum Colour { RED, GREEN, BLUE { int weight() { return 5; } }; int weight() { return 1; } }
    //= holds
    static void enumBody(int i) { Colour c = Colour.values()[i & 1]; assert c.weight() == 1 && Colour.BLUE.weight() == 5; }
    //= holds
    static void enumSwitch(boolean b) { Colour c = b ? Colour.RED : Colour.BLUE; int r; switch (c) { case RED: r = 1; break; case BLUE: r = 2; break; default: r = 3; } assert r == (b ? 1 : 2); }
    //= holds
    static void enumName() { assert Colour.GREEN.name().equals("GREEN") && Colour.GREEN.toString().equals("GREEN"); }
    //= fails assert
    static void symbolicText(int a) { if (a >= 0 && a < 20) assert !Integer.toString(a).equals("13"); }
    //= fails assert
    static void argument(String s) { assert s.length() != 2 || s.charAt(0) != 'o' || s.charAt(1) != 'k'; }
}
