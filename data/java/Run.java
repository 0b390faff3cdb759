// SPDX-License-Identifier: GPL-3.0-or-later
package assay;

import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Calls a method with inputs that `assay java` found: "int arg0 3", "int arg1.length 2", "byte arg1[0] 65", "int Config.limit 7" for
 * what exists before the call; "int int 5" for what the program asks for, in order, of Input, Verifier or Debug,
 * "int string.length 1" and "byte string[0] 65" for a string.
 */
public final class Run {
    /** An assumption of the program does not hold for the inputs. */
    public static final class Unmet extends Error {}
    /** The program asks for something else than it should. */
    public static final class Confused extends Error {
        Confused(String what) { super(what); }
    }

    private static final Map<String, String> named = new HashMap<>();
    private static final ArrayDeque<String[]> asked = new ArrayDeque<>();

    private Run() {}

    /** The next value that the program asks for. */
    public static synchronized String next(String type) {
        String[] first = asked.poll();
        if (first == null)
            return "0";
        if (!first[0].equals(type))
            throw new Confused("the program asks for " + type + ", and " + first[0] + " is next");
        return first[1];
    }

    /** The next string that the program asks for: its length, then as many characters as it may have. */
    public static synchronized String nextString() {
        int length = Integer.parseInt(next("string.length"));
        StringBuilder s = new StringBuilder();
        while (!asked.isEmpty() && asked.peek()[0].equals("string[]")) {
            char c = (char) (Byte.parseByte(next("string[]")) & 0xff);
            if (s.length() < length)
                s.append(c);
        }
        return s.toString();
    }

    public static void assume(boolean condition) {
        if (!condition)
            throw new Unmet();
    }

    private static Object number(Class<?> type, String text) {
        if (type == boolean.class)
            return text.equals("true");
        if (type == byte.class)
            return Byte.valueOf(text);
        if (type == short.class)
            return Short.valueOf(text);
        if (type == char.class)
            return (char) Integer.parseInt(text);
        if (type == int.class)
            return Integer.valueOf(text);
        if (type == long.class)
            return Long.valueOf(text);
        if (type == float.class)
            return Float.valueOf(text);
        return Double.valueOf(text);
    }

    private static Object object(Class<?> type, String name) throws Throwable {
        if (type.isInterface() || Modifier.isAbstract(type.getModifiers()))
            return null;
        try {
            Constructor<?> make = type.getDeclaredConstructor();
            make.setAccessible(true);
            return make.newInstance();
        } catch (NoSuchMethodException e) {
            Field unsafe = Class.forName("sun.misc.Unsafe").getDeclaredField("theUnsafe");
            unsafe.setAccessible(true);
            Object made = unsafe.getType().getMethod("allocateInstance", Class.class).invoke(unsafe.get(null), type);
            for (Class<?> c = type; c != null; c = c.getSuperclass())
                for (Field f : c.getDeclaredFields()) {
                    String text = named.get(name + "." + f.getName());
                    if (text == null || Modifier.isStatic(f.getModifiers()) || !f.getType().isPrimitive())
                        continue;
                    f.setAccessible(true);
                    f.set(made, number(f.getType(), text));
                }
            return made;
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static Object value(Class<?> type, String name) throws Throwable {
        String text = named.get(name), length = named.get(name + ".length");
        if (type.isPrimitive())
            return number(type, text == null ? "0" : text);
        if (type == String.class) {
            if (length == null)
                return null;
            byte[] bytes = (byte[]) value(byte[].class, name);
            return new String(bytes, StandardCharsets.ISO_8859_1);
        }
        if (!type.isArray())
            return object(type, name);
        if (length == null)
            return null;
        Object array = Array.newInstance(type.getComponentType(), Integer.parseInt(length));
        for (int i = 0; i < Array.getLength(array); i++)
            Array.set(array, i, value(type.getComponentType(), name + "[" + i + "]"));
        return array;
    }

    private static Class<?> type(String name) throws ClassNotFoundException {
        switch (name.charAt(0)) {
        case 'Z':
            return boolean.class;
        case 'B':
            return byte.class;
        case 'S':
            return short.class;
        case 'C':
            return char.class;
        case 'I':
            return int.class;
        case 'J':
            return long.class;
        case 'F':
            return float.class;
        case 'D':
            return double.class;
        case 'L':
            return find(name.substring(1, name.length() - 1).replace('/', '.'));
        default:
            return find(name.replace('/', '.'));
        }
    }

    private static Class<?> find(String name) throws ClassNotFoundException {
        return Class.forName(name, false, ClassLoader.getSystemClassLoader());
    }

    private static Class<?>[] types(String descriptor) throws ClassNotFoundException {
        List<Class<?>> list = new ArrayList<>();
        for (int i = 1; descriptor.charAt(i) != ')';) {
            int end = i;
            while (descriptor.charAt(end) == '[')
                end++;
            end = descriptor.charAt(end) == 'L' ? descriptor.indexOf(';', end) + 1 : end + 1;
            list.add(type(descriptor.substring(i, end)));
            i = end;
        }
        return list.toArray(new Class<?>[0]);
    }

    /** Before the call: what is known by name, static fields, and the queue of what will be asked for. */
    private static void take(String[] inputs) throws Throwable {
        Set<String> fields = new LinkedHashSet<>();
        named.clear();
        asked.clear();
        for (String input : inputs) {
            String[] part = input.split(" ", 3);
            if (part[0].equals(part[1]))
                asked.add(new String[] {part[0], part[2]});
            else if (part[1].equals("string.length") || part[1].startsWith("string["))
                asked.add(new String[] {part[1].replaceAll("[0-9]", ""), part[2]});
            else
                named.put(part[1], part[2]);
            String base = part[1].endsWith(".length") ? part[1].substring(0, part[1].length() - 7) : part[1];
            int index = base.indexOf('[');
            base = index < 0 ? base : base.substring(0, index);
            if (base.contains(".") && !base.startsWith("this.") && !base.startsWith("arg"))
                fields.add(base);
        }
        for (String name : fields) {
            int dot = name.lastIndexOf('.');
            Field f = Class.forName(name.substring(0, dot)).getDeclaredField(name.substring(dot + 1));
            f.setAccessible(true);
            f.set(null, value(f.getType(), name));
        }
    }

    /** What the method returns; what it throws comes out as it is. */
    public static Object call(String owner, String name, String descriptor, String... inputs) throws Throwable {
        Class<?> c = find(owner);
        Class<?>[] types = types(descriptor);
        Object[] argument = new Object[types.length];
        take(inputs);
        try {
            if (name.equals("<init>")) {
                Constructor<?> make = c.getDeclaredConstructor(types);
                make.setAccessible(true);
                for (int i = 0; i < types.length; i++)
                    argument[i] = value(types[i], "arg" + i);
                return make.newInstance(argument);
            }
            Method m = c.getDeclaredMethod(name, types);
            m.setAccessible(true);
            Object self = Modifier.isStatic(m.getModifiers()) ? null : object(c, "this");
            for (int i = 0; i < types.length; i++)
                argument[i] = value(types[i], "arg" + i);
            if (name.equals("main") && types.length == 1 && types[0] == String[].class && argument[0] == null)
                argument[0] = new String[0];
            return m.invoke(self, argument);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    /** The method has to throw an exception of exactly that class. */
    public static void expect(String exception, String owner, String name, String descriptor, String... inputs) throws Throwable {
        Throwable thrown = null;
        try {
            call(owner, name, descriptor, inputs);
        } catch (Throwable t) {
            thrown = t;
        }
        if (thrown == null || !thrown.getClass().getName().equals(exception)) {
            AssertionError wrong = new AssertionError(exception + " expected, " + (thrown == null ? "nothing" : thrown) + " thrown");
            wrong.initCause(thrown);
            throw wrong;
        }
    }

    /** FILE OWNER NAME DESCRIPTOR INPUT...: writes to the file how the call ended. */
    public static void main(String[] a) throws Throwable {
        String said = "returned";
        String[] inputs = java.util.Arrays.copyOfRange(a, 4, a.length);
        try {
            call(a[1], a[2], a[3], inputs);
        } catch (Unmet t) {
            said = "unmet";
        } catch (Throwable t) {
            said = "threw " + t.getClass().getName();
        }
        Files.write(Paths.get(a[0]), said.getBytes(StandardCharsets.UTF_8));
        Runtime.getRuntime().halt(0);
    }
}
