/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a person tells `assay verify`: the configuration and the answers to its questions, as files that can
 * be reviewed, committed and replayed. docs/verify-use.md describes both.
 *
 * The configuration is one JSON object; all members are optional:
 *
 *   {"prototypes": {"copy": {"arguments": 3, "returns": true, "variadic": false, "outputs": [0]}},
 *    "names": {"old": {"0x401000": "parse"}, "new": {}},
 *    "equal": [["sha1", "sha256"]],
 *    "error_functions": ["die"], "pure_functions": ["trace"], "ignore": ["usage"],
 *    "invalid_values": [-1, {"function": "open_file", "value": 0}],
 *    "exit_edges": [{"side": "new", "from": "0x401000", "to": "0x401020"}],
 *    "accepted": ["KEY"]}
 *
 * A file of answers lists questions, each with the key of the difference it is about and what was answered:
 *
 *   {"answers": [{"key": "KEY", "answer": "yes"}]} */
#ifndef VERIFY_CONFIG_H
#define VERIFY_CONFIG_H

#include <jansson.h>

#include "base/error.h"
#include "verify/verify.h"

struct config;

struct config *config_new(void);
void config_free(struct config *c);
/* The knowledge the files amount to; belongs to the configuration. */
struct verify_knowledge *config_knowledge(struct config *c);

/* Adds what is in a file. A malformed one is an error "FILE:LINE:COLUMN: ...". */
bool config_read(struct config *c, const char *path, struct error *err);

/* Every entry of the configuration, in a fixed order: what it is called in a warning ("error_functions:
 * die"), and its mark. Keys of differences that were accepted are no entries. */
size_t config_entries(struct config *c);
const char *config_entry(struct config *c, size_t i, bool **used);

/* What was recovered from two programs about the functions that `pair` call, in the form of a configuration,
 * ready to be corrected. `import`: what libraries told about imports. */
json_t *config_recovered(struct program *old, struct program *new, const struct match_pair *const *pair,
                         size_t n, const struct verify_import *import, size_t nimports);
/* Puts what is in `more` into `into`, which stays as it is where both say something. */
void config_join(json_t *into, json_t *more);
bool config_write(const char *path, const json_t *configuration, struct error *err);

/* ---- answers ---- */

enum config_answer { ANSWER_NONE, ANSWER_YES, ANSWER_NO };

/* A file that does not exist yet is an error unless `may_be_new`. */
bool config_read_answers(struct config *c, const char *path, bool may_be_new, struct error *err);
enum config_answer config_answer(const struct config *c, const char *key);
/* Replaces what was answered before. `about` (borrowed, may be NULL) is put beside it when it is written. */
void config_set_answer(struct config *c, const char *key, enum config_answer answer, json_t *about);
/* All answers, the ones read from files as they stood there. */
bool config_write_answers(const struct config *c, const char *path, struct error *err);

/* The file to be filled in: one entry a question, {"key", "answer": "", ...}; takes the list. */
bool config_write_questions(const char *path, json_t *questions, struct error *err);

#endif
