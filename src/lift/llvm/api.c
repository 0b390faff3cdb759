/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lift/llvm/api.h"

#include <dlfcn.h>

/* As Debian's libllvm19 calls it, and as others do. */
static const char *const library[] = {"libLLVM.so.19.1", "libLLVM-19.so.1", "libLLVM-19.so",
                                      "/usr/lib/llvm-19/lib/libLLVM.so"};

bool llvm_load(struct llvm *out, struct error *err)
{
    *out = (struct llvm){0};
    for (size_t i = 0; i < sizeof library / sizeof *library && !out->library; i++)
        out->library = dlopen(library[i], RTLD_NOW | RTLD_LOCAL);
    if (!out->library)
        return error_set(err, ERROR_UNSUPPORTED,
                         "reading LLVM bitcode needs libLLVM 19, which is missing; install libllvm19");
#define LLVM_FIND(name)                                                                                      \
    if (!(out->name = (__typeof__(out->name))dlsym(out->library, "LLVM" #name)))                             \
        return error_set(err, ERROR_UNSUPPORTED,                                                             \
                         "the libLLVM found has no LLVM" #name "; install Debian's libllvm19");
    LLVM_FUNCTIONS(LLVM_FIND)
#undef LLVM_FIND
    return true;
}
