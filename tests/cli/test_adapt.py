# SPDX-License-Identifier: GPL-3.0-or-later
"""assay adapt: no wrong answer in either direction on pairs of every family and near misses; bad input; JSON and C."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from common import ARCHES, ASSAY, INPUTS, SOURCE, Test, assay, part

with open(ASSAY, "rb") as program:
    SANITIZED = b"__asan_init" in program.read()

FOUND, NONE, UNDECIDED = 0, 1, 3
# target, inner, options, what must come out, (arguments or None), only on
PAIRS = [
    ("shift_add", "sum_mask", [], FOUND, ["#1, 1, #0, #0", "1, #1, #0, #0"], None),
    ("shift_add", "sum_mask_off", ["--family", "substitute,return"], NONE, None, None),
    ("minus", "minus_turned", ["--family", "permute"], FOUND, ["#1, #0"], None),
    ("minus", "minus_off", ["--family", "permute,return"], NONE, None, None),
    ("pick3", "pick3_turned", ["--family", "permute"], FOUND, ["#2, #0, #1"], None),
    ("twice", "plus", ["--family", "permute"], NONE, None, None),
    ("twice", "plus", ["--family", "substitute"], FOUND, ["#0, #0"], None),
    ("to_byte", "clamp", ["--family", "substitute"], FOUND, ["#0, 0, 255"], None),
    ("to_byte_off", "clamp", ["--family", "convert,return"], NONE, None, None),
    ("masked", "mask", ["--family", "substitute"], FOUND, ["#0, 0x5a5a1234, 0x1badb002"], None),
    ("masked", "mask", ["--family", "substitute", "--constants", "0,1,0x5a5a1234"], NONE, None, None),
    ("narrow_s8", "wide", ["--family", "substitute"], NONE, None, None),
    ("narrow_s8", "wide", ["--family", "convert"], FOUND, None, None),
    ("narrow_z16", "wide", ["--family", "convert"], FOUND, None, None),
    ("narrow_z12", "wide", ["--family", "convert"], NONE, None, None),
    ("truth", "times7", ["--family", "convert"], FOUND, ["(32 bits of #0 != 0)", "(#0 != 0)"], None),
    ("square_next", "square", ["--family", "convert,return"], NONE, None, None),
    ("square_next", "square", ["--family", "arithmetic"], FOUND, None, None),
    ("is_upper", "is_lower", ["--family", "arithmetic", "--assume", "arg0 > 9", "--assume", "arg0 < 5"], UNDECIDED, None, None),
    ("is_upper", "is_lower", ["--family", "convert,return"], NONE, None, None),
    ("is_upper", "is_lower", ["--family", "arithmetic", "--assume", "arg0 >= 0", "--assume", "arg0 < 256"], FOUND, None, None),
    ("is_letter", "is_letter_1024", ["--family", "permute"], NONE, None, None),
    ("is_letter", "is_letter_1024", ["--family", "permute,return"], FOUND, ["#0"], None),
    ("is_letter_1024", "is_letter", ["--family", "convert,return"], NONE, None, None),
    ("low_byte", "product", ["--family", "permute,return"], FOUND, None, None),
    ("set", "set_turned", ["--family", "permute"], FOUND, ["#2, #1, #0"], None),
    ("set", "set_more", ["--family", "convert,return"], NONE, None, None),
    ("set_zero", "set", ["--family", "substitute"], FOUND, ["#0, 0, 0"], None),
    ("set", "set_zero", ["--family", "convert,return"], NONE, None, None),
    ("get_y", "get_at", ["--family", "substitute"], FOUND, ["#0, 1"], None),
    ("lookup1", "lookup2", ["--family", "substitute", "--modulo-faults", "--regions", "arg0:255"], FOUND, ["#0, 255, #1", "#0, 254, #1"], None),
    ("is_digit", "is_of_class", ["--family", "substitute", "--assume", "arg0 >= -128", "--assume", "arg0 < 256"], FOUND, ["#0, 8"], None),
    ("is_digit", "is_of_class", ["--family", "substitute"], NONE, None, "x86_64"),
    ("calls_helper", "calls_helper_too", ["--family", "substitute"], FOUND, ["4, #0"], None),
    ("write_out", "write_to", [], FOUND, ["1, #0, #1"], "x86_64"),
    ("write_out", "read_from", ["--family", "convert,return"], NONE, None, "x86_64"),
    ("write_out", "write_twice", ["--family", "convert,return"], NONE, None, "x86_64"),
    ("twice_at", "sum_at", ["--family", "substitute"], FOUND, ["#0, #0"], None),
    ("sum_at", "twice_at", ["--family", "convert,return"], NONE, None, None),
    ("sum_at", "sum_at_or", ["--family", "convert,return"], NONE, None, None),
    ("write_or_trap", "write_to_or_trap", ["--family", "substitute"], FOUND, ["#1, #0, 1"], "x86_64"),
    ("write_or_trap", "write_whatever", ["--family", "convert,return"], NONE, None, "x86_64"),
    ("write_whatever", "write_to_or_trap", ["--family", "convert,return"], NONE, None, "x86_64"),
    ("write_or_exit", "write_or_exit_turned", ["--family", "permute"], FOUND, ["#1, #0"], "x86_64"),
    ("write_or_exit", "write_to_or_trap", ["--family", "convert,return"], NONE, None, "x86_64"),
    ("write_whatever", "write_or_exit_turned", ["--family", "convert,return"], NONE, None, "x86_64"),
    ("call_both", "call_open_only", ["--family", "convert,return"], NONE, None, "x86_64"),
    ("call_open_only", "call_both_second", ["--family", "convert,return"], NONE, None, "x86_64"),
    ("call_open", "call_close", ["--family", "convert,return"], NONE, None, "x86_64"),
    ("by_hook", "square", ["--family", "convert,return"], NONE, None, "x86_64"),
    ("from_table", "to_table", ["--family", "convert,return"], NONE, None, "x86_64"),
    ("from_table", "from_table_turned", ["--family", "permute"], FOUND, ["#1, #0"], None),
    ("sum_to", "sum_from", ["--family", "substitute"], FOUND, ["#1, #0, 0"], None),
    ("divide_or_0", "divide", ["--family", "substitute"], NONE, None, "x86_64"),
    ("divide", "divide_or_0", ["--family", "permute", "--modulo-faults"], FOUND, ["#0, #1"], "x86_64"),
]


def ask(path, target, inner, options):
    r = assay("adapt", "--json", "--runs", "50", *options, f"{path}:{target}", f"{path}:{inner}")
    return r.code, (json.loads(r.out) if r.out else None), r.err


class Adapt(Test):
    def test_pairs(self):
        wrong, n = [], 0
        for turn, (arch, debug) in enumerate([("x86_64", "s"), *((arch, "g") for arch in ARCHES)]):
            path = os.path.join(INPUTS, f"adapt-{arch}-{debug}.so")
            for target, inner, options, want, arguments, only in part([p for p in PAIRS if not p[5] or p[5] == arch], turn):
                code, doc, err = ask(path, target, inner, options)
                n += 1
                what = f"{arch} {debug} {target} <- {inner} {' '.join(options)}"
                if code != want:
                    # without debug information nothing says how wide a result is: that may stay open
                    if code == 3 and debug == "s":
                        continue
                    wrong.append(f"{what}: {code}, not {want}: {doc and doc.get('reason')} {doc and doc.get('arguments')} {err}")
                elif arguments and debug == "g" and ", ".join(doc["arguments"]) not in arguments:
                    wrong.append(f"{what}: {doc['arguments']}")
        assert not wrong, "\n".join(wrong)
        print(f"{n} pairs")

    def test_structures(self):
        """Structures that are laid out differently are copied in and out; near misses have no adapter."""
        few = ["--assume", "arg1 >= 0", "--assume", "arg1 < 4"]
        wide = "fits into"
        for turn, arch in enumerate(("aarch64", "x86_64")):
            path = os.path.join(INPUTS, f"structures-{arch}.so")
            for target, inner, options, arguments, structure, note in part([
                ("pay", "pay_ledger", [], "#1, copy of #0", ["8 bytes at 8 <-> 4 at 0, with sign", "4 bytes at 16 <-> 2 at 4, with sign", "1 byte at 0 <-> 1 at 6"], None),
                ("pay_ledger", "pay", [], "copy of #1, #0", ["1 byte at 6 <-> 1 at 0", "4 bytes at 0 <-> 8 at 8, with sign", "2 bytes at 4 <-> 4 at 16, with sign"], wide),
                ("worth", "worth_ledger", [], "copy of #0, #1", None, None),
                ("worth_ledger", "worth", [], "copy of #0, #1", None, wide),
                ("worth_ledger", "worth_or_not", [], "copy of #0, #1", None, wide),
                ("worth_or_not", "worth_ledger", [], "copy of #0, #1", None, None),
                ("set_up_words", "set_up_bytes", [], "#2, copy of #0, #1", ["258 entries: 1 byte at 0 <-> 4 at 0, with zeroes"], None),
                ("set_up_bytes", "set_up_words", [], "copy of #1, #2, #0", ["258 entries: 4 bytes at 0 <-> 1 at 0, with zeroes"], None),
                ("stream_words", "stream_bytes", few, "#3, #2, #1, copy of #0", None, wide),
                ("pay", "pay_not_kept", [], None, None, None),
                ("pay_not_kept", "pay", [], None, None, None),
                ("pay", "pay_more", [], None, None, None),
                ("worth", "worth_debts", [], None, None, None),
                ("worth_debts", "worth", [], None, None, None),
                ("set_up_words", "set_up_from_1", [], None, None, None),
                ("set_up_words", "set_up_not_kept", [], None, None, None),
                ("set_up_not_kept", "set_up_bytes", [], None, None, None),
                ("stream_words", "stream_off", few, None, None, None),
            ], turn):
                if target.startswith(("set_up", "stream")) and arch != "aarch64":
                    continue  # the same terms, and time
                code, doc, err = ask(path, target, inner, ["--family", "memory", *options])
                what = f"{arch} {target} <- {inner}: {code} {doc} {err}"
                self.assertEqual(code, FOUND if arguments else UNDECIDED, what)
                if not arguments:
                    continue
                self.assertEqual(", ".join(doc["arguments"]), arguments, what)
                self.assertFalse(doc["bounded"], what)
                if structure:
                    self.assertEqual(doc["structure"], structure, what)
                self.assertEqual(any(wide in n for n in doc["notes"]), note is not None, what)
        r = assay("adapt", "--family", "memory", "--emit", "patch", "--output", "/dev/null", f"{path}:pay", f"{path}:pay_ledger")
        self.assertEqual(r.code, 2)
        self.assertIn("--emit preload", r.err)

    def test_structures_with_an_exception(self):
        """An adapter that is right but for one number is shown when that number is excluded, and the reason tells which it is."""
        path = os.path.join(INPUTS, "structures-aarch64.so")
        code, doc, err = ask(path, "take", "take_wide", ["--family", "memory"])
        self.assertEqual((code, doc["reason"]), (UNDECIDED, "the adapter that comes closest differs when #1 is 0"), err)
        code, doc, err = ask(path, "take", "take_wide", ["--family", "memory", "--assume", "arg1 != 0"])
        self.assertEqual(code, FOUND, (doc, err))

    def test_structures_without_inputs(self):
        """Where no input counts, nothing was proved."""
        path = os.path.join(INPUTS, "structures-aarch64.so")
        code, doc, err = ask(path, "fill_words", "fill_bytes", ["--family", "memory", "--assume", "arg1 > 9", "--assume", "arg1 < 5"])
        self.assertEqual((code, doc["reason"]), (UNDECIDED, "no input was found that satisfies the assumptions"), (doc, err))

    def test_structures_up_to_a_bound(self):
        """A loop that runs as often as an argument says is proved up to a number, and the answer says so."""
        path = os.path.join(INPUTS, "structures-aarch64.so")
        code, doc, err = ask(path, "fill_words", "fill_bytes", ["--family", "memory"])
        self.assertEqual((code, doc["bounded"]), (FOUND, True), (doc, err))
        self.assertIn("proved for #1 from 0 to 256; with larger numbers, up to 1999, it was only run", doc["notes"])

    @unittest.skipIf(SANITIZED, "native runs are left out")
    def test_structures_compiled(self):
        """The C that copies a structure was compiled and run against the target."""
        path = os.path.join(INPUTS, f"structures-{os.uname().machine}.so")
        for target, inner in ("pay_ledger", "pay"), ("set_up_words", "set_up_bytes"):
            for emit in "c", "preload":
                r = assay("adapt", "--json", "--emit", emit, "--family", "memory", "--runs", "300", f"{path}:{target}", f"{path}:{inner}")
                self.assertEqual((r.code, json.loads(r.out)["compiled"]), (0, {"runs": 300}), r.out + r.err)

    def test_never_wrong_without_reach(self):
        """An inner function that looks at memory the target does not look at is no stand-in, whatever it returns."""
        path = os.path.join(INPUTS, "adapt-x86_64-g.so")
        code, doc, _ = ask(path, "same", "same_and_look", ["--family", "substitute"])
        assert code == 1, doc
        code, doc, _ = ask(path, "same", "same_and_ask", ["--family", "substitute"])
        assert code == 1, doc
        code, doc, _ = ask(path, "same_and_ask", "same", ["--family", "substitute"])
        assert code == 1, doc
        # where the structure lies on two pages, of which the target touches one
        code, doc, _ = ask(path, "get_y", "get_near", ["--family", "substitute"])
        assert code == 1, doc
        code, doc, _ = ask(path, "get_y", "get_y_fenced", ["--family", "substitute"])
        assert code == 0, doc
        code, doc, _ = ask(path, "get_y", "get_at_or", ["--family", "substitute"])
        assert code == 0, doc

    def test_same_unknown_callee(self):
        """What is called through a pointer of the caller's memory is not known, but it is the same."""
        path = os.path.join(INPUTS, "adapt-x86_64-g.so")
        for target, inner in [("call_open", "call_open_second"), ("call_open_second", "call_open"), ("call_both", "call_both_second"), ("by_hook", "by_hook"),
                              ("say", "say"), ("say", "say_turned"), ("sum7", "sum7"), ("pick7", "same")]:
            code, doc, _ = ask(path, target, inner, ["--family", "convert,return"])
            assert code != NONE, doc

    def test_itself(self):
        """No function is refuted as a stand-in for itself."""
        with open(os.path.join(SOURCE, "tests/adapt/pairs.c"), encoding="utf-8") as f:
            names = re.findall(r"^(?!static|_Noreturn)\w[\w ]*[ *](\w+)\(.*\)(?: {|$)", f.read(), re.M)
        self.assertGreater(len(names), 50)
        for turn, arch in enumerate(ARCHES):
            path = os.path.join(INPUTS, f"adapt-{arch}-g.so")
            there = assay("functions", "--json", path).out
            here = part(names, turn)
            with tempfile.NamedTemporaryFile("w", suffix=".txt") as tasks:
                tasks.write("".join(f"{name} {name}\n" for name in here if f'"{name}"' in there))
                tasks.flush()
                r = assay("adapt", "--json", "--sweep", path, "--tasks", tasks.name, "--family", "permute,substitute,convert,return",
                          "--search-timeout", "1s", "--runs", "5")
            doc = json.loads(r.out)
            self.assertEqual(doc["counts"]["none"], 0, [t for t in doc["tasks"] if t["verdict"] == "none"])
            self.assertGreater(doc["counts"]["adapters"], len(here) // 2, doc["counts"])

    def test_by_runs(self):
        """What cannot be explored is told apart by runs; and what does the same is not."""
        apart = [("close_users", "close_groups"), ("note_first", "note_second"), ("sized", "sized_more"), ("clear_all", "call_with"),
                 ("plain_sum", "aligned_sum"), ("eight", "plain_sum"), ("listed", "unlisted"), ("guarded", "guarded_otherwise"),
                 ("guarded_otherwise", "guarded"), ("is_above", "is_below"), ("twice", "thrice"), ("wake_one", "wake_two"), ("find_three", "find_two"),
                 ("ceiling", "lock_by"), ("look_up", "take_out"), ("put_there", "put_also"), ("is_large", "is_negative"),
                 ("opposite", "doubled"), ("is_second", "by_flag"), ("seven", "leave_it"), ("keep_unit", "keep_unit_wrongly"),
                 ("zeroed_and_told", "zeroed_bytes"), ("zeroed_and_told", "zeroed_words"),
                 ("say_one", "say_two"), ("number_signed", "number_unsigned"), ("number_unsigned", "number_signed"), ("spaces", "spaces_too"),
                 ("not_chosen_more", "chosen"), ("put_nothing", "put_much"),
                 ("ask_once", "spin"), ("note_sum", "spin"), ("class_of", "class_after"), ("pages_all", "pages_free")]
        alike = [(f, f) for pair in apart for f in pair] + [("eight", "eight_turned"), ("eight_turned", "eight"), ("next_count", "next_by"), ("is_set", "set_or"),
                 ("five", "prime"), ("third", "byte_at"), ("first", "row_at"), ("put_third", "put_at"), ("from_frame", "from_frame_at"), ("map_eight", "map_at"),
                 ("call_first", "call_from"), ("pipe_one", "pipe_two"), ("in_frame", "in_frame"), ("plus_one", "carried"), ("plus_letter", "letter_above"),
                 ("plus_letter", "letter_below"), ("plus_letter", "letter_checked"), ("plus_letter", "letter_before"), ("close_none", "close_given"), ("far_byte", "byte_of"),
                 ("sum_of_two", "sum_in_array"), ("guarded", "guarded_turned"), ("at_frame", "at_larger_frame"), ("eleventh", "by_flags"), ("is_above", "is_not_at_most"),
                 ("twice", "added"), ("half", "halved"), ("tangled_too", "tangled_too"), ("by_limit", "by_limit_from"), ("wake_one", "wake_by"), ("put_there", "put_by"),
                 ("product", "product_turned"), ("product_turned", "product"), ("sum_behind", "sum_before"), ("sum_before", "sum_behind"), ("signed_by", "signed_by_turned"),
                 ("scaled", "scaled_as_word"), ("scaled_as_word", "scaled"), ("is_second", "first_or"), ("keep_unit", "keep_unit_by"),
                 ("zeroed_three", "zeroed_bytes"), ("zeroed_three", "zeroed_words"), ("set_ninth", "set_squared"),
                 ("say_one", "say_by"), ("number_signed", "number_up_to"), ("number_unsigned", "number_up_to"), ("chosen", "not_chosen"), ("not_chosen", "chosen"),
                 ("put_much_of", "put_much"), ("ask_once", "ask_by_table"), ("note_sum", "note_in_callee"), ("class_of", "class_by"), ("class_after", "class_by"),
                 ("pages_all", "pages_of"), ("pages_free", "pages_of"), ("open_at", "open_by_parts"), ("store_word", "push_word"), ("store_word", "store_behind"),
                 ("state_of", "state_of_turned"), ("put_word", "put_by_guard")]
        same = [("tangled", "tangled_too")]
        not_same = [("scaled", "scaled_less"), ("tangled", "tangled_less"), ("count_left", "count_right"), ("tell_one", "tell_other"), ("place_one", "place_other"), ("keep_one", "keep_other")]
        options = ["--family", "permute,substitute,convert,return", "--search-timeout", "2s", "--summary-timeout", "1s", "--runs", "5"]
        with tempfile.TemporaryDirectory() as d:
            sources = [os.path.join(SOURCE, "tests/adapt", name) for name in ("runs.c", "stub.s")]
            subprocess.run(["x86_64-linux-gnu-gcc", "-g", "-O1", "-fno-inline", "-shared", "-fPIC", "-Wl,-Bsymbolic", *sources, "-o", f"{d}/runs.so"],
                           check=True)
            for target, inner in part(apart): # as long as it takes
                code, doc, _ = ask(f"{d}/runs.so", target, inner, [*options, "--search-timeout", "60s"])
                self.assertEqual(code, NONE, (target, inner, doc))
            for target, inner in part(alike):
                code, doc, _ = ask(f"{d}/runs.so", target, inner, options)
                self.assertNotEqual(code, NONE, (target, inner, doc))
            for target, inner in same:
                code, doc, _ = ask(f"{d}/runs.so", target, inner, options)
                self.assertEqual((code, doc.get("arguments")), (FOUND, ["#0", "#1"]), (target, inner, doc))
            for target, inner in part(not_same):
                code, doc, _ = ask(f"{d}/runs.so", target, inner, options)
                self.assertNotEqual(code, FOUND, (target, inner, doc))
            code, doc, _ = ask(f"{d}/runs.so", "ask_none", "ask_two", options)
            self.assertEqual((code, doc.get("arguments")), (FOUND, ["0", "0"]), doc)

    def test_what_callees_are_given(self):
        """A function that memory leads to may look at what it takes, and at a structure in the frame; not at what nothing says it takes."""
        source = """
            struct note { int kind; long a, b; char end; };
            struct teller { int n; struct calls { long (*none)(void); long (*tell)(struct teller *, struct note *); long (*take)(void *, char, unsigned *);
                            long (*old)(); long (*short_of)(int *); } *calls; };
            __attribute__((noinline)) void leave(long x) { volatile long there[12]; for (int i = 0; i < 12; i++) there[i] = x; }
            __attribute__((noinline)) long keep(long x) { asm volatile("" ::: "memory"); return x; }
            long tell_one(struct teller *t) { struct note n = {1, 2, 3, 4}; return t->calls->tell(t, &n); }
            long tell_two(struct teller *t) { struct note n = {1, 2, 4, 4}; return t->calls->tell(t, &n); }
            long tell_by(struct teller *t, long b) { struct note n = {1, 2, b, 4}; return t->calls->tell(t, &n); }
            long tell_all(struct teller *t) { struct note n; __builtin_memset(&n, 255, sizeof n); asm volatile("" : "+m"(n)); n = (struct note){.kind = 1, .a = 2, .b = 3}; n.end = 4; return t->calls->tell(t, &n); }
            union either { struct { char c; long d; } one; struct { int e; int f; long g; } two; };
            struct told { long (*tell)(struct told *, union either *); };
            long either_one(struct told *t) { union either u = {.two = {1, 2, 3}}; u.one.c = 1; u.one.d = 3; asm volatile("" : : "r"(&u) : "memory"); return t->tell(t, &u); }
            long either_two(struct told *t) { union either u = {.two = {1, 9, 3}}; u.one.c = 1; u.one.d = 3; asm volatile("" : : "r"(&u) : "memory"); return t->tell(t, &u); }
            long either_four(struct told *t) { union either u = {.two = {1, 2, 3}}; u.one.c = 1; u.one.d = 4; asm volatile("" : : "r"(&u) : "memory"); return t->tell(t, &u); }
            long tell_static(struct teller *t) { static struct note n = {1, 2, 3, 4}; return t->calls->tell(t, &n); }
            long part_one(struct teller *t) { struct note n; leave(1); n.kind = 5; asm volatile("" : : "r"(&n) : "memory"); return t->calls->tell(t, &n); }
            long part_two(struct teller *t) { struct note n; leave(2); n.kind = 5; asm volatile("" : : "r"(&n) : "memory"); return t->calls->tell(t, &n); }
            long take_one(struct teller *t) { struct note n = {1, 2, 3, 4}; unsigned x = 7; asm volatile("" : : "r"(&n), "r"(&x) : "memory"); return t->calls->take(&n, 6, &x); }
            long take_other(struct teller *t) { struct note n = {2, 2, 3, 4}; unsigned x = 7; asm volatile("" : : "r"(&n), "r"(&x) : "memory"); return t->calls->take(&n, 6, &x); }
            long take_letter(struct teller *t, int c) { struct note n = {1, 2, 3, 4}; unsigned x = 7; asm volatile("" : : "r"(&n), "r"(&x) : "memory"); return t->calls->take(&n, c, &x); }
            long take_more(struct teller *t) { struct note n = {1, 2, 3, 4}; unsigned x = 8; asm volatile("" : : "r"(&n), "r"(&x) : "memory"); return t->calls->take(&n, 6, &x); }
            long take_seven(struct teller *t) { struct note n = {1, 2, 3, 4}; unsigned x = 7; asm volatile("" : : "r"(&n), "r"(&x) : "memory"); return t->calls->take(&n, 7, &x); }
            long old_one(struct teller *t) { return t->calls->old(1); }
            long old_two(struct teller *t) { return t->calls->old(2); }
            long ask_first(struct teller *t, long a, long b) { return ((long (*)(long))t->calls->none)(a); }
            long ask_second(struct teller *t, long a, long b) { return ((long (*)(long))t->calls->none)(b * 3); }
            long short_one(struct teller *t) { int x[2] = {1, 2}; asm volatile("" : : "r"(x) : "memory"); return t->calls->short_of(x); }
            long short_two(struct teller *t) { int x[2] = {1, 3}; asm volatile("" : : "r"(x) : "memory"); return t->calls->short_of(x); }
            long short_three(struct teller *t) { int x[2] = {3, 2}; asm volatile("" : : "r"(x) : "memory"); return t->calls->short_of(x); }
            long each(long (*f)(long, short), long n) { return f(n, 3); }
            long each_after(long (*f)(long, short), long n) { return f(n + 1, 3); }
            long each_wider(long (*f)(long, short), long n) { return ((long (*)(long, long))f)(n, 0x50003); }
            long each_fourth(long (*f)(long, short), long n) { return f(n, 4); }
        """
        apart = [("tell_one", "tell_two"), ("take_one", "take_more"), ("take_one", "take_seven"), ("short_one", "short_three"), ("each", "each_after"), ("each", "each_fourth"),
                 ("tell_by", "tell_one"), ("either_one", "either_four")]
        alike = [("tell_one", "tell_by"), ("tell_one", "tell_all"), ("tell_all", "tell_one"), ("tell_one", "tell_static"), ("tell_static", "tell_one"), ("part_one", "part_two"),
                 ("take_one", "take_other"), ("take_one", "take_letter"), ("old_one", "old_two"), ("ask_first", "ask_second"), ("short_one", "short_two"), ("each", "each_wider"),
                 ("each_wider", "each"), ("either_one", "either_two")]
        options = ["--family", "permute,substitute,convert,return", "--search-timeout", "500ms", "--runs", "5"]
        with tempfile.TemporaryDirectory() as d:
            with open(f"{d}/c.c", "w") as f:
                f.write(source)
            for turn, target in enumerate(("x86_64-linux-gnu", "aarch64-linux-gnu")):
                subprocess.run(["clang", f"--target={target}", "-ffreestanding", "-nostdlib", "-fuse-ld=lld", "-std=gnu11", "-w", "-g", "-O1", "-shared", "-fPIC", f"{d}/c.c", "-o", f"{d}/c.so"], check=True)
                for a, b in part(apart, turn): # as long as it takes
                    code, doc, err = ask(f"{d}/c.so", a, b, [*options, "--search-timeout", "60s"])
                    self.assertEqual(code, NONE, (target, a, b, doc, err))
                for a, b in part(alike, turn):
                    code, doc, err = ask(f"{d}/c.so", a, b, options)
                    self.assertNotEqual(code, NONE, (target, a, b, doc, err))

    def test_numbers_of_80_bits(self):
        """A number that 64 bits have not room for is compared with others that differ from it in 64 bits, too; not with one that does not."""
        source = """
            static const volatile long double most = 1.18973149535723176502e+4932L, least = 3.36210314311209350626e-4932L, tenth = 0.1L, third = 0.3L;
            static const volatile double near_tenth = 0.1, near_third = 0.3;
            static long double size(long double x) { return __builtin_fabsl(x); }
            void kind(long double x, int *to) { if (size(x) > most) to[0] = 2; else if (x > 0 && x < least) to[1] = 3; else if (-x > tenth) to[2] = 4; else if (x < tenth) to[3] = 5; else to[4] = 6; }
            void kind_turned(int *to, long double x) { if (x < 0 && -tenth > x && size(x) <= most) to[2] = 4; else if (x < tenth && size(x) <= most && !(x > 0 && x < least)) to[3] = 5; else kind(x, to); }
            void kind_off(long double x, int *to) { if (size(x) > most) to[0] = 2; else if (x > 0 && x < least) to[1] = 3; else if (-x > tenth) to[2] = 7; else if (x < tenth) to[3] = 5; else to[4] = 6; }
            int is_below(long n) { return tenth < near_tenth ? n : n + 1; }
            int is_not_below(long n) { return third > near_third ? n : n + 1; }
            int is_same(long n) { return tenth == near_tenth ? n + 1 : n; }
            int number(long n) { return n; }
        """
        options = ["--family", "permute,substitute,convert,return", "--search-timeout", "500ms", "--runs", "5"]
        with tempfile.TemporaryDirectory() as d:
            with open(f"{d}/x.c", "w") as f:
                f.write(source)
            subprocess.run(["x86_64-linux-gnu-gcc", "-g", "-O1", "-fno-inline", "-shared", "-fPIC", f"{d}/x.c", "-o", f"{d}/x.so"], check=True)
            for target, inner in ("kind", "kind_off"), ("kind_off", "kind"):
                code, doc, _ = ask(f"{d}/x.so", target, inner, [*options, "--search-timeout", "60s"])
                self.assertEqual(code, NONE, (target, inner, doc))
            for target, inner in ("kind", "kind_turned"), ("kind_turned", "kind"), *((f, "number") for f in ("is_below", "is_not_below", "is_same")), ("number", "is_below"), ("number", "is_same"):
                code, doc, _ = ask(f"{d}/x.so", target, inner, options)
                self.assertNotEqual(code, NONE, (target, inner, doc))

    def test_where_results_are(self):
        """Structures and vectors come back in registers that are not compared, and callers extend what is narrow: neither shows anything."""
        source = """
            struct D { double d; };
            struct D difference(long m, long n) { struct D r = {m - n}; return r; }
            struct D turned(long m, long n) { struct D r = {n - m}; return r; }
            struct F { float x, y; };
            struct F two(int n) { struct F r = {n, 1}; return r; }
            struct F two_others(int n) { struct F r = {1, n}; return r; }
            struct M { long a; double b; };
            struct M mixed(long n, long m) { struct M r = {n, m}; return r; }
            struct M mixed_turned(long n, long m) { struct M r = {m, n}; return r; }
            struct A { char a[5]; };
            struct A array(int a, int b) { struct A r = {{a, b, 1, 2, 3}}; return r; }
            struct A array_other(int a, int b) { struct A r = {{a, b, 1, 2, 4}}; return r; }
            typedef int vector __attribute__((vector_size(16)));
            vector lanes(int n, int m) { return (vector){n, m, n, m}; }
            vector lanes_other(int n, int m) { return (vector){n, m, n, m + 1}; }
            struct P { char a; short b; };
            struct P padded(int a, int b) { struct P r; r.a = a; r.b = b; return r; }
            struct P padded_with(int b, int a) { union { struct P p; int all; } u; u.all = 99 << 8; u.p.a = a; u.p.b = b; return u.p; }
            struct S { int a, b; };
            struct S words(int a, int b) { struct S r = {a, b}; return r; }
            struct S words_turned(int b, int a) { struct S r = {a, b}; return r; }
            int letter(signed char c) { return c; }
            int letter_of(int x) { return (signed char)x; }
            int letter_doubled(signed char c) { return c * 2; }
            int both(_Bool a, _Bool b) { return a + b; }
            int both_of(int a, int b) { return !!a + !!b; }
            double scaled(double x) { return x * 2; }
            struct D scaled_too(double x) { struct D r = {x + x}; return r; }
            struct L { long a, b, c; };
            struct L large(long n, long m) { struct L r = {n, m, 3}; return r; }
            struct L large_turned(long m, long n) { struct L r = {n, m, 3}; return r; }
            struct L large_other(long m, long n) { struct L r = {n, m, n & 7}; return r; }
            struct G { char a; long b, c; };
            struct G gaps(long n, long m) { struct G r; r.a = 1; r.b = n; r.c = m; return r; }
            struct G gaps_filled(long n, long m) { union { struct G g; long w[3]; } u; u.w[0] = 0x7700; u.g.a = 1; u.g.b = n; u.g.c = m; return u.g; }
            typedef unsigned _BitInt(17) bits;
            struct L large_of(bits b, long n) { struct L r = {n, b >> 3, 3}; return r; }
            struct L large_of_all(bits b, long n) { struct L r = {n, (b & 0x1ffff) >> 3, 3}; return r; }
            int shifted(bits a) { return a >> 3; }
            int shifted_of(bits a, int z) { return (a ^ z) >> 3; }
        """
        not_found = [("two", "two_others"), ("array", "array_other"), ("lanes", "lanes_other")]
        not_none = [("difference", "turned"), ("mixed", "mixed_turned"), ("padded", "padded_with"), ("words", "words_turned"), ("letter", "letter_of"), ("both", "both_of"), ("scaled", "scaled_too"),
                    ("shifted", "shifted_of"), ("large", "large_turned"), ("large_turned", "large"), ("large", "large"), ("gaps", "gaps_filled"), ("gaps_filled", "gaps"),
                    ("large_of", "large_of_all"), ("large_of_all", "large_of")]
        options = ["--family", "permute,substitute,convert,return", "--search-timeout", "2s", "--runs", "5"]
        with tempfile.TemporaryDirectory() as d:
            with open(f"{d}/s.c", "w") as f:
                f.write(source)
            for turn, target in enumerate(("x86_64-linux-gnu", "aarch64-linux-gnu", "armv7-linux-gnueabihf")):
                subprocess.run(["clang", f"--target={target}", "-ffreestanding", "-nostdlib", "-fuse-ld=lld", "-g", "-O1", "-shared", "-fPIC", f"{d}/s.c", "-o", f"{d}/s.so"], check=True)
                for a, b in part(not_found, turn):
                    code, doc, _ = ask(f"{d}/s.so", a, b, options)
                    self.assertNotEqual(code, FOUND, (target, a, b, doc))
                for a, b in part(not_none, turn):
                    code, doc, _ = ask(f"{d}/s.so", a, b, options)
                    self.assertNotEqual(code, NONE, (target, a, b, doc))
                code, doc, _ = ask(f"{d}/s.so", "letter_doubled", "letter", options)
                self.assertEqual(code, NONE, (target, doc))
                code, doc, _ = ask(f"{d}/s.so", "large", "large_other", options)
                self.assertEqual(code == NONE, target.startswith("x86_64"), (target, doc))
                if target.startswith("armv7"):
                    continue
                code, doc, _ = ask(f"{d}/s.so", "words", "words_turned", options)
                self.assertEqual((code, doc.get("arguments")), (FOUND, ["#1", "#0"]), (target, doc))

    def test_floats(self):
        """Floating-point numbers are handed over in registers of their own, and come back there."""
        source = """
            int ask(double); void tell(double, int);
            int ask_first(double x, double y) { return ask(x); }
            int ask_second(double x, double y) { return ask(y); }
            int ask_more(double x, double y) { return ask(y + 1); }
            void tell_first(double x, int n, double y) { tell(x, n); }
            void tell_second(int n, double x, double y) { tell(y, n); }
            double minus(double x, double y) { return x - y; }
            double minus_turned(double y, double x) { return x - y; }
            double plus(double x, double y) { return x + y; }
            double next(double x) { return x + 1; }
            float half(float x) { return x * 0.5f; }
            double half_wide(double x) { return x * 0.5; }
            float product(int unused, float x, float y) { return x * y; }
            double mixed(float a, double b, long n, float c) { return a + b * n - c; }
            double mixed_turned(float c, long n, float a, double b) { return a + b * n - c; }
            double mixed_off(float c, long n, float a, double b) { return a + b * n + c; }
            int above(double x, double y) { return x > y; }
            int above_turned(double y, double x) { return x > y; }
            int above_off(double y, double x) { return x >= y; }
            void put(double *p, double x) { *p = x; }
            void put_turned(int unused, double y, double *p, double x) { *p = x; }
            long bits(double x) { long n; __builtin_memcpy(&n, &x, 8); return n; }
            double number(long n) { double x; __builtin_memcpy(&x, &n, 8); return x; }
            double scaled(double x, int n) { return x * n + 3; }
            double scaled_by(int unused, int n, double x) { return x * n + 3; }
        """
        found = [("minus", "minus_turned", "f1, f0"), ("next", "plus", "f0, 1"), ("half", "product", "0, f0, 0.5"), ("mixed", "mixed_turned", "#0, f2, f0, f1"),
                 ("mixed_turned", "mixed", "#0, f1, f2, f0"), ("above", "above_turned", "f1, f0"), ("put", "put_turned", "0, #0, 0, f0"), ("put_turned", "put", "#1, f1"),
                 ("ask_first", "ask_second", "0, f0"), ("tell_first", "tell_second", "#0, 0, f0"), ("scaled", "scaled_by", "0, #0, f0")]
        not_found = [("minus", "plus"), ("mixed", "mixed_off"), ("ask_first", "ask_more"), ("half", "half_wide"), ("bits", "number"), ("number", "bits"), ("above", "above_off"), ("next", "half_wide")]
        none = [("minus", "plus"), ("above", "above_off"), ("half_wide", "next"), ("above", "bits")]
        options = ["--family", "permute,substitute,convert,return", "--search-timeout", "2s"]
        with tempfile.TemporaryDirectory() as d:
            with open(f"{d}/f.c", "w") as f:
                f.write(source)
            for turn, machine in enumerate(("x86_64", "aarch64")):
                lib = f"{d}/{machine}.so"
                cc = [f"{machine}-linux-gnu-gcc", "-O1", "-shared", "-fPIC", "-ffp-contract=off", f"{d}/f.c"]
                subprocess.run([*cc, "-g", "-o", lib], check=True)
                subprocess.run([*cc, "-s", "-o", f"{d}/plain.so"], check=True)
                for target, inner, arguments in part(found, turn):
                    code, doc, err = ask(lib, target, inner, options)
                    self.assertEqual((code, doc and ", ".join(doc.get("arguments", []))), (FOUND, arguments), (machine, target, inner, doc, err))
                for target, inner in part(not_found, turn):
                    code, doc, _ = ask(lib, target, inner, options)
                    self.assertNotEqual(code, FOUND, (machine, target, inner, doc))
                for target, inner in part(none, turn):
                    code, doc, _ = ask(lib, target, inner, options)
                    self.assertEqual(code, NONE, (machine, target, inner, doc))
                # nobody says there that it takes such numbers: they are no registers that carry nothing
                for target, inner in ("ask_first", "ask_second"), ("tell_first", "tell_second"), ("ask_first", "ask_more"):
                    code, doc, _ = ask(f"{d}/plain.so", target, inner, options)
                    self.assertNotEqual(code, FOUND, (machine, target, inner, doc))
                code, doc, _ = ask(lib, "half_wide", "plus", [*options, "--enumerate"])
                self.assertEqual(code, UNDECIDED, doc)
                code, doc, _ = ask(lib, "next", "plus", [*options, "--enumerate"])
                self.assertEqual(code, FOUND, doc)
                r = assay("adapt", "--emit", "patch", "-o", f"{d}/new.so", *options, f"{lib}:minus", f"{lib}:minus_turned")
                self.assertEqual((r.code, r.out), (2, ""))
                self.assertIn("--emit preload", r.err)
                # with all of it compiled, and with a patch, on this machine
                if machine != os.uname().machine:
                    continue
                with open(f"{d}/others.c", "w") as f:
                    f.write("int ask(double x) { return x > 0; } void tell(double x, int n) { (void)x; (void)n; }")
                subprocess.run([*cc, f"{d}/others.c", "-g", "-o", lib], check=True)
                for emit in "c", "preload":
                    for target, inner in ("next", "plus"), ("half", "product"), ("mixed", "mixed_turned"), ("put", "put_turned"):
                        r = assay("adapt", "--json", "--emit", emit, *options, "--runs", "300", f"{lib}:{target}", f"{lib}:{inner}")
                        self.assertEqual(r.code, FOUND, r.out + r.err)
                        if not SANITIZED:
                            self.assertEqual(json.loads(r.out)["compiled"], {"runs": 300}, r.out)
                r = assay("adapt", "--emit", "patch", "-o", f"{d}/new.so", *options, "--runs", "50", f"{lib}:scaled", f"{lib}:scaled_by")
                self.assertEqual(r.code, FOUND, r.out + r.err)
                with open(f"{d}/main.c", "w") as f:
                    f.write("#include <stdio.h>\ndouble scaled(double, int); int main(void) { printf(\"%g %g\\n\", scaled(1.5, 4), scaled(-0.25, 2)); return 0; }")
                subprocess.run(["cc", f"{d}/main.c", f"{d}/new.so", "-o", f"{d}/main"], check=True)
                self.assertEqual(subprocess.run([f"{d}/main"], capture_output=True, text=True, check=False).stdout, "9 2.5\n")

    def test_loops(self):
        """Loops of both that go on together are proved for any number of rounds; what differs in a late one is not."""
        source = """
            unsigned sum(const unsigned char *p, int n) { unsigned s = 0; for (int i = 0; i < n; i++) s += p[i]; return s; }
            unsigned sum_turned(int n, const unsigned char *p) { unsigned s = 0; for (int i = 0; i < n; i++) s += p[i]; return s; }
            unsigned sum_from(int n, const unsigned char *p, unsigned s) { for (int i = 0; i < n; i++) s += p[i]; return s; }
            unsigned sum_late(const unsigned char *p, int n) { unsigned s = 0; for (int i = 0; i < n; i++) s += p[i] + (i == 1000000); return s; }
            unsigned sum_reads(int n, const unsigned char *p) { unsigned s = 0; for (int i = 0; i < n; i++) s += p[i] + (*(const volatile unsigned char *)&p[i + (i > 1000000)] & 0); return s; }
            void fill(char *p, int c, unsigned long n) { while (n--) *p++ = c; }
            void fill_turned(unsigned long n, char *p, int c) { while (n--) *p++ = c; }
            void fill_late(unsigned long n, char *p, int c) { while (n--) { if (n == 5000000) c++; *p++ = c; } }
            unsigned product(unsigned a, unsigned b) { unsigned r = 0; while (b) { if (b & 1) r += a; a <<= 1; b >>= 1; } return r; }
            unsigned product_turned(unsigned b, unsigned a) { unsigned r = 0; while (b) { if (b & 1) r += a; a <<= 1; b >>= 1; } return r; }
        """
        late = "checked for inputs on which the target runs no block more than 4 times"
        options = ["--family", "permute,substitute,return", "--search-timeout"]
        with tempfile.TemporaryDirectory() as d:
            with open(f"{d}/l.c", "w") as f:
                f.write(source)
            for turn, machine in enumerate(("x86_64", "aarch64")):
                subprocess.run([f"{machine}-linux-gnu-gcc", "-g", "-O1", "-shared", "-fPIC", "-nostdlib", f"{d}/l.c", "-o", f"{d}/l.so"], check=True)
                for target, inner in ("sum", "sum_turned"), ("sum", "sum_from"), ("fill", "fill_turned"), ("product", "product_turned"):
                    code, doc, err = ask(f"{d}/l.so", target, inner, [*options, "60s"])
                    self.assertEqual((code, doc and doc.get("bounded")), (FOUND, False), (machine, target, inner, doc, err))
                    self.assertIn("loops of both were followed side by side, for any number of rounds", doc["notes"])
                for target, inner in part([("sum", "sum_late"), ("sum_late", "sum"), ("sum", "sum_reads"), ("fill", "fill_late")], turn):
                    code, doc, err = ask(f"{d}/l.so", target, inner, [*options, "2s"])
                    if code == FOUND:
                        self.assertEqual((doc["bounded"], late in doc["notes"]), (True, True), (machine, target, inner, doc))

    def test_handlers(self):
        """What catches an exception is found by where the code is, and is not in it."""
        source = """
            extern "C" {
            void other(int);
            int caught(int x) { try { other(x); } catch (int) { return 1; } return 0; }
            int caught_as(int x) { try { other(x); } catch (long) { return 1; } return 0; }
            int ended(int x) noexcept { other(x); other(x + 1); return 5; }
            int thrown_on(int x) { other(x); other(x + 1); return 5; }
            }
        """
        with tempfile.TemporaryDirectory() as d:
            with open(f"{d}/e.cc", "w") as f:
                f.write(source)
            subprocess.run(["clang", "--target=x86_64-linux-gnu", "-nostdlib", "-fuse-ld=lld", "-Wl,-Bsymbolic", "-g", "-O1", "-shared", "-fPIC", f"{d}/e.cc", "-o", f"{d}/e.so"], check=True)
            for a, b in ("caught", "caught_as"), ("ended", "thrown_on"), ("thrown_on", "ended"):
                code, doc, _ = ask(f"{d}/e.so", a, b, ["--family", "permute", "--search-timeout", "2s", "--runs", "5"])
                self.assertNotEqual(code, FOUND, (a, b, doc))

    def test_cut_off(self):
        """A target that time did not suffice to explore has no stand-in, even if one agrees with all that was explored."""
        checks = "".join("  if (n %% %d == %d) return 0;\n" % (2 * i + 1001, i + 1) for i in range(400))
        with tempfile.TemporaryDirectory() as d:
            with open(f"{d}/rare.c", "w") as f:
                f.write("int rare(unsigned n) {\n  if (n & 1) __builtin_trap();\n%s  return n == 123456794u ? 7 : 0;\n}\n" % checks)
                f.write("int zero(unsigned n) { if (n & 1) __builtin_trap(); return 0; }\n")
            subprocess.run(["x86_64-linux-gnu-gcc", "-g", "-O0", "-shared", "-fPIC", f"{d}/rare.c", "-o", f"{d}/rare.so"], check=True)
            for limit in ("5ms", "10ms", "20ms", "40ms"):
                code, doc, _ = ask(f"{d}/rare.so", "rare", "zero", ["--family", "substitute", "--search-timeout", "1s", "--summary-timeout", limit])
                self.assertNotEqual(code, FOUND, (limit, doc))

    def test_library(self):
        """Directions of the thesis's table 1.4, in the C library itself."""
        path = next(p for p in ("/usr/x86_64-linux-gnu/lib/libc.so.6", "/lib/x86_64-linux-gnu/libc.so.6") if os.path.exists(p))
        for target, inner, arguments in [("abs", "labs", "32-to-64S(#0)"), ("ffs", "ffsl", "32-to-64S(#0)"), ("atoi", "strtol", "#0, 0, 10"),
                                         ("setpgrp", "setpgid", "0, 0"), ("umount", "umount2", "#0, 0"), ("wait", "waitpid", "0xffffffff, #0, 0")]:
            code, doc, _ = ask(path, target, inner, ["--family", "permute,substitute,convert,return", "--search-timeout", "20s"])
            self.assertEqual((code, ", ".join(doc.get("arguments", []))), (FOUND, arguments), doc)

    def test_assumptions_about_variables(self):
        """What the user says of variables of the file holds of both functions; a result may count as a truth value only."""
        text = """
            static unsigned short plain[384]; const unsigned short *class = plain + 128; int busy; char *at, *end; int flushed;
            int __attribute__((noinline)) upper(int c) { return class[c] & 0x100; }
            int __attribute__((noinline)) lower(int c) { return class[c] & 0x200; }
            int __attribute__((noinline)) put(char c) { if (at >= end) { flushed++; return -1; } *at++ = c; return c; }
            int __attribute__((noinline)) put_locked(char c) { if (busy) flushed = 2; return put(c); }
            int nothing(int *p, int k) { return 0; }
            int look(int *p, int k) { (void)*(volatile int *)p; return 0; }"""
        up = "arg0 >= -128 && arg0 < 224 && ((class[arg0] & 0x100) != 0) == ((class[arg0 + 32] & 0x200) != 0)"
        wrong = "arg0 >= -128 && arg0 < 224 && ((class[arg0] & 0x100) != 0) == ((class[arg0 + 31] & 0x200) != 0)"
        free = "busy == 0 && at < end"
        with tempfile.TemporaryDirectory() as d:
            for machine in ("x86_64", "aarch64"):
                path = f"{d}/{machine}.so"
                subprocess.run([f"{machine}-linux-gnu-gcc", "-g", "-O1", "-shared", "-fPIC", "-Wl,-Bsymbolic", "-x", "c", "-", "-o", path],
                               input=text.encode(), check=True)
                for target, inner, options, want, arguments in (
                        ("upper", "lower", ["--truth", "--family", "arithmetic", "--assume", up], FOUND, ["#0 + 32"]),
                        ("upper", "lower", ["--truth", "--family", "substitute", "--assume", up], None, None),
                        ("upper", "lower", ["--truth", "--family", "arithmetic", "--assume", wrong], FOUND, ["#0 + 31"]),
                        ("upper", "lower", ["--family", "arithmetic,return", "--assume", up], None, None),
                        ("upper", "lower", ["--truth", "--family", "substitute"], NONE, None),
                        ("put", "put_locked", ["--family", "permute", "--assume", free], FOUND, ["#0"]),
                        ("put", "put_locked", ["--family", "permute", "--assume", "busy == 0"], FOUND, ["#0"]),
                        ("put", "put_locked", ["--family", "permute", "--assume", "busy != 0"], None, None),
                        # what one operand of `&&` keeps from being read may not be there
                        ("nothing", "look", ["--family", "substitute", "--assume", "*p > 3"], FOUND, ["#0", "0"]),
                        ("nothing", "look", ["--family", "substitute", "--assume", "(p != 0 && *p > 3) == (k > 3)"], None, None),
                        ("nothing", "look", ["--family", "substitute", "--assume", "(p != 0 && *p == 3) + 0 == k"], None, None)):
                    code, doc, err = ask(path, target, inner, options)
                    if want is None: # none, or undecided
                        self.assertIn(code, (NONE, UNDECIDED), (machine, target, options, doc, err))
                    else:
                        self.assertEqual((code, doc.get("arguments")), (want, arguments), (machine, target, options, doc, err))

    def test_arguments_of_two_words(self):
        """Where they begin with a register of an even number, the one before it is left out: no adapter is refuted for that."""
        for machine, wide, half in (("arm-linux-gnueabihf", "long long", 32), ("aarch64-linux-gnu", "__int128", 64)):
            text = f"long upper({wide} c) {{ return c >> {half}; }} long upper_behind(int z, {wide} c) {{ return c >> {half}; }}"
            with tempfile.TemporaryDirectory() as d:
                subprocess.run([f"{machine}-gcc", "-g", "-O1", "-shared", "-fPIC", "-x", "c", "-", "-o", f"{d}/t.so"], input=text.encode(), check=True)
                for target, inner in (("upper", "upper_behind"), ("upper_behind", "upper")):
                    code, doc, _ = ask(f"{d}/t.so", target, inner, ["--family", "permute,substitute,convert,return", "--search-timeout", "2s", "--runs", "5"])
                    self.assertNotEqual(code, NONE, (machine, target, doc))

    def test_bad_input(self):
        path = os.path.join(INPUTS, "adapt-x86_64-g.so")
        other = os.path.join(INPUTS, "adapt-aarch64-g.so")
        for argv, text in [
            ([f"{path}:minus", "plus"], "FILE:FUNC"),
            ([f"{path}:minus", f"{path}:no_such"], "no_such"),
            ([f"{path}:minus", f"{other}:minus"], "cannot call"),
            ([f"{path}:minus", f"{path}:never"], "never returns"),
            (["--family", "magic", f"{path}:minus", f"{path}:plus"], "magic"),
            (["--regions", "arg0", f"{path}:minus", f"{path}:plus"], "argN:SIZE"),
            (["--constants", "1,x", f"{path}:minus", f"{path}:plus"], "--constants"),
            (["--assume", "arg0 +", f"{path}:minus", f"{path}:plus"], "--assume"),
            (["/nonexistent:f", f"{path}:plus"], "/nonexistent"),
            ([f"{path}:0x10-0x20", f"{path}:plus"], "fragments are of ARM code"),
            (["--sweep", path, "--fragments", "--against", path], "fragments are of ARM code"),
            (["--sweep", path, "--against", other], "different machines"),
            (["--store", "x.db", f"{path}:minus", f"{path}:plus"], "for --sweep FILE"),
            (["--slice", "0/2", f"{path}:minus", f"{path}:plus"], "for --sweep FILE"),
            (["--sweep", path, "--slice", "100/100"], "I below N"),
            (["--sweep", path, "--fragments", "--tasks", "t", "--against", path], "--tasks names fragments"),
        ]:
            r = assay("adapt", *argv)
            assert r.code == 2 and text in r.err and not r.out, (argv, r.code, r.err)

    def test_emitted(self):
        """The C of an adapter is compiled, linked with the functions and run against the target."""
        cc = shutil.which("cc") or shutil.which("gcc")
        machine = os.uname().machine
        path = os.path.join(INPUTS, f"adapt-{machine}-g.so")
        if not cc or not os.path.exists(path):
            return
        r = assay("adapt", "--emit", "c", "--json", "--runs", "100", f"{path}:to_byte", f"{path}:clamp")
        assert r.code == 0, r.err
        c = json.loads(r.out)["c"]
        main = """
        #include <stdio.h>
        int to_byte_original(int x) { return x < 0 ? 0 : x > 255 ? 255 : x; }
        int main(void) { unsigned s = 1; for (int i = 0; i < 10000; i++) { s = s * 1103515245u + 12345u;
          if ((int)to_byte(s) != to_byte_original((int)s)) return 1; } puts("same"); return 0; }
        """
        with tempfile.TemporaryDirectory() as d:
            with open(f"{d}/w.c", "w") as f:
                f.write(c + main)
            subprocess.run([cc, "-O1", f"{d}/w.c", path, f"-Wl,-rpath,{os.path.dirname(path)}", "-o", f"{d}/w"], check=True)
            out = subprocess.run([f"{d}/w"], capture_output=True, text=True)
            assert out.stdout == "same\n", out

    @unittest.skipIf(SANITIZED, "native runs are left out")
    def test_compiled(self):
        """The C that is printed was compiled and run against the target, as often as asked for; else it is said why not."""
        own, other = (os.path.join(INPUTS, f"adapt-{arch}-g.so") for arch in (os.uname().machine, "i686"))
        with tempfile.TemporaryDirectory() as d:
            with open(f"{d}/two.c", "w") as f:
                f.write("typedef struct { long low, high; } two; two order(long a, long b) { two x = {a < b ? a : b, a < b ? b : a}; return x; }"
                        "two order_turned(long b, long unused, long a) { two x = {a < b ? a : b, a < b ? b : a}; return x; }")
            subprocess.run(["cc", "-O1", "-g", "-shared", "-fPIC", f"{d}/two.c", "-o", f"{d}/two.so"], check=True)
            for emit in "c", "preload":
                for path, target, inner in [(own, "to_byte", "clamp"), (own, "set", "set_turned"), (f"{d}/two.so", "order", "order_turned")]:
                    r = assay("adapt", "--json", "--emit", emit, "--family", "substitute", "--runs", "300", f"{path}:{target}", f"{path}:{inner}")
                    self.assertEqual((r.code, json.loads(r.out)["compiled"]), (0, {"runs": 300}), r.out + r.err)
        r = assay("adapt", "--emit", "c", "--runs", "10", f"{other}:to_byte", f"{other}:clamp")
        self.assertIn("compiled  and run: no: this machine does not run", r.out)
        r = assay("adapt", "--emit", "c", "--runs", "0", f"{own}:to_byte", f"{own}:clamp")
        self.assertNotIn("compiled", r.out)
        same = assay("adapt", "--emit", "c", f"{own}:to_byte", f"{own}:to_byte")
        self.assertEqual((same.code, same.out), (2, ""))
        self.assertIn("--emit preload", same.err)

    def test_preload(self):
        """A library made of an adapter replaces a function in a program that was not changed, by one of the same name."""
        with tempfile.TemporaryDirectory() as d:
            def cc(name, text, *argv):
                with open(f"{d}/{name}.c", "w") as f:
                    f.write(text)
                subprocess.run(["cc", "-g", "-O1", "-w", f"{d}/{name}.c", *argv, f"-Wl,-rpath,{d}", "-o", f"{d}/{name}"], check=True)
            so = ["-shared", "-fPIC"]
            cc("old.so", "int area(int w, int h) { return w * h; } __attribute__((noinline, noclone)) static int own(int x) { return x * 3; } int uses(int x) { return own(x); }", *so)
            cc("new.so", "int area(int unit, int h, int w) { return h * w * unit; }", *so)
            cc("main", "#include <stdio.h>\nint area(int, int); int main(void) { printf(\"%d\\n\", area(6, 7)); return 0; }", f"{d}/old.so")
            r = assay("adapt", "--emit", "preload", "--family", "substitute", "--runs", "100", f"{d}/old.so:area", f"{d}/new.so:area")
            self.assertEqual(r.code, 0, r.err)
            cc("wrap.so", r.out + "__attribute__((destructor)) static void bye(void) { puts(inner ? \"replaced\" : \"\"); }", *so)
            out = subprocess.run([f"{d}/main"], env={"LD_PRELOAD": f"{d}/wrap.so"}, capture_output=True, text=True, check=False)
            self.assertEqual(out.stdout, "42\nreplaced\n", out)
            os.remove(f"{d}/new.so")
            gone = subprocess.run([f"{d}/main"], env={"LD_PRELOAD": f"{d}/wrap.so"}, capture_output=True, text=True, check=False)
            self.assertEqual((gone.returncode, gone.stdout), (127, ""), gone)
            own = assay("adapt", "--emit", "preload", f"{d}/old.so:own", f"{d}/old.so:area")
            self.assertEqual((own.code, own.out), (2, ""), own.err)

    def test_patch_that_calls_itself(self):
        """The target would jump to what calls it."""
        with tempfile.TemporaryDirectory() as d:
            with open(f"{d}/turned.c", "w") as f:
                f.write("__attribute__((noinline)) int minus(int a, int b) { return a - b; } int turned(int a, int b) { return minus(b, a); }"
                        "int (*hook)(int, int); int apply(int a, int b) { return hook(a, b); } int apply_too(int a, int b) { return hook(a, b); }")
            subprocess.run(["gcc", "-O1", "-g", "-shared", "-fPIC", f"{d}/turned.c", "-o", f"{d}/t.so"], check=True)
            for inner in "turned", "minus":
                got = assay("adapt", "--emit", "patch", "-o", f"{d}/new.so", f"{d}/t.so:minus", f"{d}/t.so:{inner}")
                self.assertEqual(got.code, 2, got.out)
                self.assertIn("would call it again", got.err)
                self.assertFalse(os.path.exists(f"{d}/new.so"))
            # a library that is loaded first is called for the name, also by the inner function
            got = assay("adapt", "--emit", "preload", f"{d}/t.so:minus", f"{d}/t.so:turned")
            self.assertEqual((got.code, got.out), (2, ""))
            self.assertIn("would call it again", got.err)
            got = assay("adapt", "--emit", "patch", "--family", "permute", "--runs", "10", "-o", f"{d}/new.so", f"{d}/t.so:apply", f"{d}/t.so:apply_too")
            self.assertEqual(got.code, 0, got.err)
            self.assertIn("calls through pointers do not lead back", got.out)
            # what can never be patched is said before anything is searched for
            for arch, target, text in [("i686", "plus", "x86-64 and AArch64"), ("x86_64", "same", "no room")]:
                path = os.path.join(INPUTS, f"adapt-{arch}-g.so")
                got = assay("adapt", "--emit", "patch", "-o", f"{d}/new.so", f"{path}:{target}", f"{path}:minus_off")
                self.assertEqual((got.code, got.out), (2, ""))
                self.assertIn(text, got.err)

    def test_repair(self):
        """verify follows the adapter: it calls safe what does the same, and unsafe what takes inputs that the old one rejects."""
        with tempfile.TemporaryDirectory() as d:
            for arch, target, inner, want in [("x86_64", "set", "set_turned", "safe"), ("aarch64", "set", "set_turned", "safe"),
                                              ("x86_64", "divide", "divide_or_0", "unsafe")]:
                path = os.path.join(INPUTS, f"adapt-{arch}-g.so")
                r = assay("adapt", "--repair", path, target, "--by", f"{path}:{inner}", "--family", "permute", "--modulo-faults", "--output", f"{d}/new.so",
                          "--json", "--runs", "50")
                self.assertEqual((r.code, json.loads(r.out)["verify"]), (1 if want == "unsafe" else 0, want), r.out)

    def test_patch(self):
        """In a patched library the adapter stands in for the target, whoever calls it; the rest is as before."""
        run = """
        #include <dlfcn.h>
        #include <stdio.h>
        #include <string.h>
        int main(int argc, char **argv) {
            (void)argc; int sum = 0; void *l = dlopen(argv[1], RTLD_NOW); if (!l) { puts(dlerror()); return 2; }
            int (*f)(int, int) = 0; void *p = dlsym(l, argv[2]); memcpy(&f, &p, sizeof f);
            for (int i = -400; i < 400; i++) sum = sum * 31 + f(i, i * 7);
            int (*g)(int, int) = 0; p = dlsym(l, "plus"); memcpy(&g, &p, sizeof g);
            printf("%d %d\\n", sum, g(1, 2)); return 0; }
        """
        with tempfile.TemporaryDirectory() as d:
            gcc = {"x86_64": "x86_64-linux-gnu-gcc", "aarch64": "aarch64-linux-gnu-gcc"}
            with open(f"{d}/run.c", "w") as f:
                f.write(run)
            with open(f"{d}/other.c", "w") as f:
                f.write("int limit(int hi, int x, int lo) { return x < lo ? lo : x > hi ? hi : x; } __attribute__((noinline, noclone)) static int helper(int a, int b) { return a + b; } int added(int a, int b) { return helper(b, a); }")
            for arch, cc in gcc.items():
                path = os.path.join(INPUTS, f"adapt-{arch}-g.so")
                subprocess.run([cc, "-O1", "-g", "-shared", "-fPIC", "-nostdlib", f"{d}/other.c", "-o", f"{d}/other.so"], check=True)
                subprocess.run([cc, "-w", f"{d}/run.c", "-o", f"{d}/run"], check=True)
                start = [] if os.uname().machine == arch else [f"qemu-{arch}", "-L", f"/usr/{arch}-linux-gnu"]
                for target, inner in [("to_byte", f"{path}:clamp"), ("to_byte", f"{d}/other.so:limit"), ("is_letter", f"{path}:is_letter_1024"),
                                      ("minus", f"{path}:minus_turned"), ("truth", f"{path}:times7")]:
                    new = f"{d}/{target}.so"
                    r = assay("adapt", "--emit", "patch", "--runs", "50", "--family", "permute,substitute,convert,return", "--output", new, f"{path}:{target}", inner)
                    self.assertEqual(r.code, 0, (target, r.out, r.err))
                    self.assertIn(f"written   {new}", r.out)
                    out = [subprocess.run([*start, f"{d}/run", f, target], capture_output=True, text=True, check=False).stdout for f in (path, new)]
                    self.assertRegex(out[0], "^-?[0-9]+ 3\n$")
                    self.assertEqual(out[0], out[1], (arch, target, inner))
            r = assay("adapt", "--repair", path, "to_byte", "--by", f"{path}:clamp", "--output", new, "--json", "--runs", "50")
            doc = json.loads(r.out)
            self.assertEqual((r.code, doc["patched"]), (0, new))
            self.assertEqual(doc["verify"], "safe", doc)
            for argv, text in [(["--emit", "patch", f"{path}:to_byte", f"{path}:clamp"], "--output"),
                               (["--repair", path, "to_byte", "--output", new], "--by"),
                               (["--repair", path, "to_byte", "--by", f"{d}/other.so:limit", "--output", f"{d}/no/such/dir"], "cannot write"),
                               (["--output", new, f"{path}:to_byte", f"{path}:clamp"], "--output"),
                               (["--emit", "patch", "--output", f"{d}/other.so", f"{d}/other.so:limit", f"{path}:clamp"], "name another"),
                               (["--emit", "patch", "--output", new, f"{path}:plus", f"{d}/other.so:added"], "preload")]:
                r = assay("adapt", "--runs", "10", "--family", "substitute", *argv)
                self.assertEqual((r.code, r.out), (2, ""), (argv, r.out, r.err))
                self.assertIn(text, r.err)

    def test_enumerate(self):
        path = os.path.join(INPUTS, "adapt-x86_64-g.so")
        code, doc, _ = ask(path, "twice", "plus", ["--family", "substitute", "--enumerate"])
        assert code == 0 and doc["counts"]["enumerated"] > 0, doc
        code, doc, _ = ask(path, "minus", "minus_off", ["--family", "permute", "--enumerate"])
        assert code == 3, doc

    @unittest.skipIf(SANITIZED, "functions that are run in its process, with any pointers, reach what the sanitizer keeps there")
    def test_native(self):
        """What was found is run on this machine, too; what cannot be is said."""
        own, other = (os.path.join(INPUTS, f"adapt-{arch}-g.so") for arch in (os.uname().machine, "i686"))
        runs = ["--native", "--runs", "200"]
        for target, inner, options in [("to_byte", "clamp", []), ("set", "set_turned", []), ("sum_to", "sum_from", ["--family", "substitute"]),
                                       ("twice", "plus", ["--enumerate", "--family", "substitute"])]:
            r = assay("adapt", *runs, *options, f"{own}:{target}", f"{own}:{inner}")
            self.assertEqual(r.code, 0, r.out + r.err)
            self.assertRegex(r.out, r"and on \d+ runs, \d\d+ more on this machine\n  compiled  and run against the target on \d\d+ inputs")
        r = assay("adapt", *runs, f"{other}:to_byte", f"{other}:clamp")
        self.assertEqual(r.code, 0, r.err)
        self.assertIn("not run natively", r.out)
        # system calls are not made, but compared
        if os.uname().machine == "x86_64":
            r = assay("adapt", "--native", "--emit", "c", "--runs", "200", "--family", "substitute", f"{own}:write_out", f"{own}:write_to")
            self.assertIn("200 more on this machine\n *   compiled  and run against the target on 200 inputs", r.out)
            r = assay("adapt", "--json", "--native", "--runs", "200", "--enumerate", "--family", "permute", f"{own}:write_out", f"{own}:read_from")
            self.assertEqual(r.code, 3, r.out)
        # what the runs alone show: nothing is found among adapters that differ, also where they fault
        r = assay("adapt", *runs, "--enumerate", "--family", "substitute", f"{own}:same", f"{own}:get_y")
        self.assertEqual(r.code, 3, r.out)

    def test_sweep(self):
        """A sweep that is run again asks nothing twice, and a store is of one sweep."""
        path = os.path.join(INPUTS, "adapt-x86_64-g.so")
        with tempfile.TemporaryDirectory() as d:
            with open(f"{d}/tasks", "w") as f:
                f.write("# pairs\nminus minus_turned\ntwice plus\nminus minus_off\nto_byte clamp\n")
            sweep = ["adapt", "--sweep", path, "--family", "permute,substitute", "--runs", "100", "--tasks", f"{d}/tasks"]
            first = assay(*sweep, "--store", f"{d}/db", "--slice", "0/2", "--jobs", "2")
            self.assertEqual(first.code, 0, first.err)
            self.assertIn("2 pairs: 2 adapters (0 trivial), 0 none, 0 undecided", first.out)
            rest = assay(*sweep, "--store", f"{d}/db", "--jobs", "2")
            self.assertIn("4 pairs: 3 adapters (0 trivial), 1 none, 0 undecided", rest.out)
            self.assertIn("minus <- minus_turned(#1, #0 -> result)", rest.out)
            again = assay(*sweep, "--store", f"{d}/db", "--json")
            doc = json.loads(again.out)
            self.assertEqual(doc["counts"], {"tasks": 4, "adapters": 3, "trivial": 0, "none": 1, "undecided": 0})
            self.assertEqual(doc, json.loads(assay(*sweep, "--json").out))
            other = assay("adapt", "--sweep", path, "--near", "1", "--store", f"{d}/db")
            self.assertEqual((other.code, other.out), (2, ""))
            self.assertIn("another sweep", other.err)
            # answers are of what a file had in it, whatever it is called
            copy = f"{d}/copy.so"
            shutil.copy(path, copy)
            of_copy = ["adapt", "--sweep", copy, "--tasks", f"{d}/tasks", "--family", "permute", "--runs", "5", "--store", f"{d}/copy.db"]
            self.assertEqual(assay(*of_copy).code, 0)
            shutil.copy(os.path.join(INPUTS, "adapt-x86_64-s.so"), copy)
            changed = assay(*of_copy)
            self.assertEqual((changed.code, changed.out), (2, ""))
            self.assertIn("another sweep", changed.err)
            bad = assay(*sweep, "--store", f"{d}/no/such/db")
            self.assertEqual((bad.code, bad.out), (2, ""))
            for argv in (["--slice", "2/2"], ["--tasks", f"{d}/none"]):
                self.assertEqual(assay("adapt", "--sweep", path, *argv).code, 2)
            near = assay("adapt", "--sweep", path, "--near", "1", "--slice", "0/60", "--family", "permute", "--search-timeout", "2s", "--runs", "10")
            self.assertEqual(near.code, 0, near.err)

    def test_clusters(self):
        """Targets that compute the same, of whichever argument, are in one cluster."""
        path = os.path.join(INPUTS, "adapt-x86_64-g.so")
        with tempfile.TemporaryDirectory() as d:
            with open(f"{d}/tasks", "w") as f:
                f.write("minus minus_turned\nminus_turned minus\nminus minus\ntwice plus\nsame plus\nsecond plus\n")
            sweep = ["adapt", "--sweep", path, "--family", "substitute", "--runs", "50", "--tasks", f"{d}/tasks", "--store", f"{d}/db"]
            r = assay(*sweep)
            self.assertIn("plus stands in for 3 targets, which do 2 different things\n", r.out)
            self.assertIn("minus stands in for 2 targets, which do 2 different things\n", r.out)
            plus = [c for c in json.loads(assay(*sweep, "--json").out)["clusters"] if c["inner"] == "plus"]
            self.assertEqual([(c["targets"], c["first"]) for c in plus], [(2, "same"), (1, "twice")])

    def test_random(self):
        """Random functions in random adapters: never none where there is one, and what is found is right when it is run."""
        with tempfile.TemporaryDirectory() as d:
            out = subprocess.run([sys.executable, os.path.join(SOURCE, "tests/adapt/random_pairs.py"), ASSAY, d, "11", "4"], capture_output=True, text=True)
            self.assertEqual(out.returncode, 0, out.stdout + out.stderr)

    def fragments(self, d):
        """Fragments of an ARM program by name, the program, and the functions that they are asked to be."""
        gcc = ["arm-linux-gnueabihf-gcc", "-marm", "-march=armv5te", "-mfloat-abi=soft", "-O2", "-nostdlib", "-shared"]
        subprocess.run([*gcc, "-fPIC", "-g", os.path.join(SOURCE, "tests/adapt/references.c"), "-o", f"{d}/ref.so"], check=True)
        subprocess.run([*gcc, os.path.join(SOURCE, "tests/adapt/fragments.s"), "-o", f"{d}/code.so"], check=True)
        nm = subprocess.run(["arm-linux-gnueabihf-nm", f"{d}/code.so"], capture_output=True, text=True, check=True).stdout
        at = {line.split()[2]: int(line.split()[0], 16) for line in nm.splitlines() if len(line.split()) == 3}
        return {n: f"{d}/code.so:{a:#x}-{at[n + '_end']:#x}" for n, a in at.items() if n + "_end" in at}, f"{d}/ref.so"

    def test_fragments(self):
        """A piece of ARM code is recognised; what reaches beyond the general registers is none."""
        with tempfile.TemporaryDirectory() as d:
            code, ref = self.fragments(d)
            for name, inner, want, arguments in [
                ("to_byte", "clamp", 0, ["#7, 0, 255"]),
                ("to_byte", "bswap32", 1, None),
                ("turned", "bswap32", 0, ["#9"]),
                ("turned", "rotate", 1, None),
                ("distance", "abs_diff", 0, ["#5, #6", "#6, #5"]),
                ("distance_off", "abs_diff", 1, None),
                ("distance_off", "maximum", 1, None),
                ("to_lower", "clamp", 1, None),
                ("to_lower", "align_up", 1, None),
            ]:
                r = assay("adapt", "--json", "--runs", "500", "--family", "permute,substitute,convert,return", code[name], f"{ref}:{inner}")
                self.assertEqual(r.code, want, (name, inner, r.out, r.err))
                if arguments:
                    self.assertIn(", ".join(json.loads(r.out)["arguments"]), arguments)
            r = assay("adapt", "--emit", "c", "--runs", "10", code["turned"] + "@r4", f"{ref}:bswap32")
            self.assertIn("bswap32(a9)", r.out)
            for name, text in [("loads", "memory"), ("leaves", "jumps out"), ("conditional", "condition codes"), ("stacks", "r0 to r12"), ("asks", "is no fragment")]:
                r = assay("adapt", code[name], f"{ref}:clamp")
                self.assertEqual((r.code, r.out), (2, ""), (name, r.err))
                self.assertIn(text, r.err)
            self.assertIn("last 3 registers", assay("adapt", code["to_byte"] + "@r3", f"{ref}:clamp").err)
            other = os.path.join(INPUTS, "adapt-x86_64-g.so")
            self.assertIn("fragments are of ARM code", assay("adapt", f"{other}:0x1000-0x1010", f"{other}:clamp").err)

    def test_fragment_sweep(self):
        with tempfile.TemporaryDirectory() as d:
            _, ref = self.fragments(d)
            sweep = ["adapt", "--sweep", f"{d}/code.so", "--fragments", "--family", "permute,substitute,return", "--runs", "100"]
            r = assay(*sweep, "--against", ref, "--json", "--slice", "0/3", "--jobs", "2")
            self.assertEqual(r.code, 0, r.err)
            doc = json.loads(r.out)
            self.assertGreater(doc["counts"]["tasks"], 20)
            found = {(t["target"].split("@")[1], t["inner"]) for t in doc["tasks"] if t["verdict"] == "adapter"}
            self.assertIn(("r2", "clamp"), found)
            self.assertEqual(assay(*sweep).code, 2)

    def test_never_an_address(self):
        """An address of a file that may be loaded anywhere is no constant of an adapter."""
        cc = "x86_64-linux-gnu-gcc"
        with tempfile.TemporaryDirectory() as d:
            with open(f"{d}/a.c", "w") as f:
                f.write("static int state; void set(int *p, int x) { *p = x; } void set_state(int x) { set(&state, x); }"
                        "int look(void) { return state; }")
            subprocess.run([cc, "-O1", "-fno-inline", "-shared", "-fPIC", f"{d}/a.c", "-o", f"{d}/a.so"], check=True)
            r = assay("adapt", f"{d}/a.so:set_state", f"{d}/a.so:set")
            self.assertNotEqual(r.code, 0, r.out)


if __name__ == "__main__":
    unittest.main()
