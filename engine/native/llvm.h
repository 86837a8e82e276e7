// LLVM, opened at run time: text of its IR becomes an object file in memory. The library is an optional one of the
// distribution (libllvm15, else 16 or 19; 14 writes pointers in another way), found when it is first wanted and never
// closed. A window's driver may have the same library open already: each compilation has a context of its own, which
// is what LLVM asks of threads that share it.
//
// All of it on one thread at a time, the compiler's (codegen.h), and never in a forked child.
#ifndef SHOAL_NATIVE_LLVM_H
#define SHOAL_NATIVE_LLVM_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

// False with a message where there is none. Asked again, it answers at once.
bool llvm_open(error_t *error);

// `features` as LLVM writes them: "+avx2". The object belongs to the caller: llvm_free. NULL with a message.
void *llvm_compile(const char *text, size_t length, const char *features, size_t *size_bytes, error_t *error);
void llvm_free(void *object);

// LLVM ends the process when it is asked for what it cannot do. On the compiler's thread this is called in its place,
// and does not come back.
void llvm_on_fatal(void (*call)(const char *why));

#endif
