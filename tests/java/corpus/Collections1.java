// SPDX-License-Identifier: GPL-3.0-or-later
import java.util.*;

/** The JDK's own collections. */
public class Collections1 {
    //= holds
    static void list() { List<Integer> l = new ArrayList<>(); for (int i = 0; i < 20; i++) l.add(i * i); assert l.size() == 20 && l.get(5) == 25; }
    //= fails exception
    static void listBounds(int i) { new ArrayList<>(List.of(1, 2)).get(i); }
    //= holds
    static void listRemove() { List<String> l = new ArrayList<>(); l.add("a"); l.add("b"); l.remove("a"); assert l.size() == 1 && l.contains("b"); }
    //= holds
    static void iterate() { int s = 0; List<Integer> l = new ArrayList<>(); l.add(1); l.add(2); for (int v : l) s += v; assert s == 3; }
    //= fails exception
    static void modified() { List<Integer> l = new ArrayList<>(); l.add(1); l.add(2); l.add(3); for (Integer v : l) if (v == 1) l.remove(v); }
    //= holds
    static void linked() { LinkedList<Integer> l = new LinkedList<>(); l.add(1); l.addFirst(0); assert l.getFirst() == 0 && l.removeLast() == 1; }
    //= holds
    static void map() { Map<String, Integer> m = new HashMap<>(); m.put("one", 1); m.put("two", 2); m.put("one", 11); assert m.get("one") == 11 && m.size() == 2 && m.get("x") == null; }
    //= fails null
    static int mapMissing(boolean b) { Map<String, Integer> m = new HashMap<>(); m.put("a", 1); return m.get(b ? "a" : "b"); }
    //= holds
    static void mapInts(int k) { Map<Integer, Integer> m = new HashMap<>(); m.put(k, 1); assert m.containsKey(k) && m.get(k) == 1; }
    //= holds
    static void set() { Set<Integer> s = new HashSet<>(); s.add(1); s.add(1); s.add(2); assert s.size() == 2 && s.contains(2); }
    //= holds
    static void tree() { TreeMap<Integer, String> t = new TreeMap<>(); t.put(3, "c"); t.put(1, "a"); t.put(2, "b"); assert t.firstKey() == 1 && t.lastEntry().getValue().equals("c"); }
    //= holds
    static void deque() { Deque<Integer> d = new ArrayDeque<>(); d.push(1); d.push(2); assert d.pop() == 2 && d.peek() == 1; }
    //= fails exception
    static void emptyDeque(boolean b) { Deque<Integer> d = new ArrayDeque<>(); if (b) d.push(1); d.pop(); }
    //= holds
    static void sort() { List<Integer> l = new ArrayList<>(); l.add(3); l.add(1); l.add(2); Collections.sort(l); assert l.get(0) == 1 && l.get(2) == 3; }
    //= holds
    static void sortBy() { List<String> l = new ArrayList<>(); l.add("ccc"); l.add("a"); l.add("bb"); l.sort((a, b) -> a.length() - b.length()); assert l.get(0).equals("a"); }
    //= holds
    static void queue() { PriorityQueue<Integer> q = new PriorityQueue<>(); q.add(5); q.add(1); q.add(3); assert q.poll() == 1 && q.poll() == 3; }
    //= holds
    static void optional() { Optional<String> o = Optional.of("x"); assert o.isPresent() && o.map(s -> s + "y").get().equals("xy"); }
    //= fails exception
    static void optionalEmpty(boolean b) { Optional<Integer> o = b ? Optional.of(1) : Optional.empty(); o.get(); }
    //= holds
    static void bitset() { BitSet b = new BitSet(); b.set(70); assert b.get(70) && !b.get(69) && b.cardinality() == 1; }
    //= fails exception
    static void unmodifiable() { Collections.unmodifiableList(new ArrayList<>(Collections.singletonList(1))).add(2); }
}
