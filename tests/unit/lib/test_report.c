/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports: built from records, safe to print whatever the input's names are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "report/readable.h"
#include "report/report.h"

static void assert_string_record(const char *in, const char *want)
{
    json_t *j = report_string(in);
    assert_string_equal(json_string_value(j), want);
    json_decref(j);
}

static void test_names_are_made_readable(void **state)
{
    (void)state;
    static const char *const name[][2] = {
        {"_ZN4acme5totalERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE", "acme::total"},
        {"_ZNK4acme3BoxIiE3getEj", "acme::Box<...>::get"},
        {"_ZN3BoxIiLi5ENS_4ItemEEC2Ev", "Box<...>::Box"},
        {"_ZN3png6ReaderD0Ev.constprop.0", "png::Reader::~Reader.constprop.0"},
        {"_ZSt4sortIPiEvT_S1_", "std::sort<...>"},
        {"_ZNSt6vectorIiSaIiEE9push_backEOi", "std::vector<...>::push_back"},
        {"_Z4mainv", "main"},
        {"_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad"},
        {"_ZN50_$LT$T$u20$as$u20$core..convert..Into$LT$U$GT$$GT$4into17h0123456789abcdefE",
         "_<T as core::convert::Into<U>>::into"},
        /* not understood, or no such names */
        {"main", NULL},
        {"_Z", NULL},
        {"_ZN", NULL},
        {"_ZN9total", NULL},
        {"_ZN3fooIXplT_Li1EEE", NULL},
        {"_ZN99999999999999999999a", NULL},
        {"_ZNS_3fooE", NULL},
        {"_ZN3fooIL", NULL},
        {"_ZN3fooIS", NULL},
        {"_ZTV3foo", NULL},
        {"_ZN1aI", NULL},
        {"_ZN1aID", NULL},
        {"_ZN17h0123456789abcdefE", "h0123456789abcdef"},
    };
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        struct buf b = BUF_INIT;
        assert_int_equal(readable_name(&b, name[i][0]), name[i][1] != NULL);
        assert_string_equal(buf_text(&b), name[i][1] ? name[i][1] : "");
        buf_free(&b);
    }
}

static void test_names_are_made_printable(void **state)
{
    (void)state;
    assert_string_record("main", "main");
    assert_string_record("caf\xc3\xa9", "caf\xc3\xa9");
    assert_string_record("\033[31mred", "\\x1b[31mred");
    assert_string_record("\xff\xc3", "\\xff\\xc3");
    assert_string_record("\xc0\xaf", "\\xc0\\xaf");                   /* overlong */
    assert_string_record("\xed\xa0\x80", "\\xed\\xa0\\x80");          /* a surrogate */
    assert_string_record("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"); /* past the last code point */
    assert_string_record("\xc2\x9b", "\\xc2\\x9b");                   /* C1: a terminal's CSI */
    assert_string_record("\xe2\x82", "\\xe2\\x82");                   /* cut short */
    assert_true(json_is_null(report_string(NULL)));
}

static void test_members_and_lists(void **state)
{
    (void)state;
    struct report *r = report_new("explore");
    report_add(r, "input", json_pack("{s:s}", "file", "a.out"));
    report_add(r, "explored[]", json_pack("{s:s}", "function", "f"));
    report_add(r, "explored[]", json_pack("{s:s}", "function", "g"));
    report_add(r, "verdict", json_string("first"));
    report_add(r, "verdict", json_string("last"));
    json_t *doc = report_document(r);
    assert_int_equal(json_array_size(json_object_get(doc, "explored")), 2);
    assert_string_equal(json_string_value(json_object_get(doc, "verdict")), "last");
    assert_string_equal(json_string_value(json_object_get(doc, "schema")), "assay/explore/1");
    report_free(r);
}

/* An answer that was cut short says so, and why. */
static void test_cut_short(void **state)
{
    (void)state;
    struct report *r = report_new("verify");
    report_cut(r, &(struct ask_end){.outcome = WORK_DONE});
    assert_null(json_object_get(report_document(r), "complete"));
    report_cut(r, &(struct ask_end){.outcome = WORK_TIMEOUT, .reason = "time limit of 5 ms"});
    assert_true(json_is_false(json_object_get(report_document(r), "complete")));
    assert_string_equal(json_string_value(json_object_get(report_document(r), "reason")),
                        "time limit of 5 ms");
    report_free(r);
}

static void test_dot_cannot_be_escaped_from(void **state)
{
    (void)state;
    struct report *r = report_new("cfg");
    report_add(r, "function", json_pack("{s:s}", "name", "f\"; x -> y; \""));
    report_add(r, "blocks[]",
               json_pack("{s:i, s:s, s:[{s:s, s:s}], s:[{s:i, s:s}]}", "index", 0, "address", "0x10",
                         "instructions", "address", "0x10", "text", "nop \\\"]", "successors", "to", 0,
                         "kind", "taken"));
    struct buf out = BUF_INIT;
    report_dot(r, &out);
    assert_non_null(strstr(buf_text(&out), "digraph \"f\\\"; x -> y; \\\"\" {"));
    assert_non_null(strstr(buf_text(&out), "0x10  nop \\\\\\\"]\\l"));
    assert_non_null(strstr(buf_text(&out), "b0 -> b0 [color=darkgreen];"));
    buf_free(&out);
    report_free(r);
}

static void test_text_survives_missing_members(void **state)
{
    (void)state;
    static const char *const kinds[] = {"info", "functions", "cfg", "lift", "explore"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct report *r = report_new(kinds[i]);
        report_add(r, "members[]", json_object());
        report_add(r, "functions[]", json_object());
        report_add(r, "blocks[]", json_object());
        report_add(r, "explored[]", json_pack("{s:[{}]}", "paths"));
        struct buf out = BUF_INIT;
        report_text(r, (struct report_style){.color = true}, &out);
        report_json(r, &out);
        assert_true(out.len > 0);
        buf_free(&out);
        report_free(r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_are_made_readable),
        cmocka_unit_test(test_names_are_made_printable),
        cmocka_unit_test(test_members_and_lists),
        cmocka_unit_test(test_cut_short),
        cmocka_unit_test(test_dot_cannot_be_escaped_from),
        cmocka_unit_test(test_text_survives_missing_members),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
