// SPDX-License-Identifier: GPL-3.0-or-later
import assay.Input;

/** Replaces what matches a pattern in a line: ? is any character, [a-c] a range, c* any number of c. */
public class Replacer {
    static final int MAX = 40;
    final char[] pattern = new char[MAX];
    final char[] out = new char[MAX];
    int patterns, outs;

    boolean compile(char[] text) {
        patterns = 0;
        for (int i = 0; i < text.length; i++) {
            char c = text[i];
            if (c == '[') {
                if (i + 4 >= text.length || text[i + 2] != '-' || text[i + 4] != ']')
                    return false;
                add('[');
                add(text[i + 1]);
                add(text[i + 3]);
                i += 4;
            } else if (c == '?') {
                add('?');
            } else if (c == '*' && patterns > 0) {
                add('*');
            } else {
                add('c');
                add(c);
            }
        }
        return true;
    }

    void add(char c) {
        pattern[patterns++] = c;
    }

    int size(int at) {
        return pattern[at] == '[' ? 3 : pattern[at] == '?' ? 1 : 2;
    }

    boolean one(int at, char c) {
        switch (pattern[at]) {
        case '?':
            return true;
        case '[':
            return c >= pattern[at + 1] && c <= pattern[at + 2];
        default:
            return c == pattern[at + 1];
        }
    }

    /** Where a match of the rest of the pattern ends; -1: there is none. */
    int match(char[] line, int from, int at) {
        if (at >= patterns)
            return from;
        int next = at + size(at);
        if (next < patterns && pattern[next] == '*') {
            int i = from;
            while (i < line.length && one(at, line[i]))
                i++;
            for (; i >= from; i--) {
                int end = match(line, i, next + 1);
                if (end >= 0)
                    return end;
            }
            return -1;
        }
        if (from >= line.length || !one(at, line[from]))
            return -1;
        return match(line, from + 1, next);
    }

    void replace(char[] line, char[] by) {
        int i = 0;
        outs = 0;
        while (i < line.length) {
            int end = match(line, i, 0);
            if (end > i) {
                for (char c : by)
                    out[outs++] = c;
                i = end;
            } else {
                out[outs++] = line[i++];
            }
        }
    }

    static void run(int length, String pattern) {
        char[] line = new char[length];
        for (int i = 0; i < length; i++)
            line[i] = Input.anyChar();
        Replacer r = new Replacer();
        if (r.compile(pattern.toCharArray()))
            r.replace(line, new char[] {'x', 'y'});
        assert r.outs <= 2 * length;
    }

    static void simple() { run(4, "a?c"); }
    static void closure() { run(4, "[a-c]*d"); }
    static void long5() { run(5, "[a-c]*d?"); }

    /** The pattern is an input, too. */
    static void open(int pattern, int length) {
        char[] text = new char[pattern], line = new char[length];
        for (int i = 0; i < pattern; i++)
            text[i] = Input.anyChar();
        for (int i = 0; i < length; i++)
            line[i] = Input.anyChar();
        Replacer r = new Replacer();
        if (r.compile(text))
            r.replace(line, new char[] {'x'});
        assert r.outs <= length;
    }

    static void open23() { open(2, 3); }
    static void open33() { open(3, 3); }
}
