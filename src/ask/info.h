/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `assay info`: facts about a file, and about every program in it when it is a container. */
#ifndef ASK_INFO_H
#define ASK_INFO_H

#include "ask/ask.h"
#include "ask/facts.h"
#include "base/vec.h"

struct ask_info {
    const char *file;
    struct object_options object;
    struct ask_limits limits;
};

struct ask_section {
    const char *name;
    uint64_t address, size;
    bool exec, write, alloc, nobits, tls, relro;
};

struct ask_problem {
    uint64_t address;
    const char *text;
};

struct ask_member {
    const char *path;
    bool is_member; /* of a container, or a file by itself: it has a size */
    uint64_t size;
    bool is_symlink;
    const char *link;
    const char *error; /* why it could not be read; or NULL */
    bool program;      /* the facts are there */
    struct ask_facts facts;
    uint64_t entry; /* 0: none */
    const char *soname, *interpreter, *debug_file;
    uint64_t symbols, stubs, bounds;
    const struct ask_section *section;
    size_t nsections;
    const struct ask_problem *problem;
    size_t nproblems;
};

struct ask_info_answer {
    VEC(struct ask_member) member;
    bool unread; /* some file could not be read */
    struct ask_end end;
    /* Its own: */
    const struct ask_info *q;
    struct arena arena;
};

bool ask_info(const struct ask_info *q, const struct ask_session *session, struct ask_info_answer *a,
              struct error *err);
void ask_info_free(struct ask_info_answer *a);
enum ask_status ask_info_status(const struct ask_info_answer *a);

#endif
