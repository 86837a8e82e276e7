// LLVM, loaded at run time: compiles IR text to an object file in memory. The library is an optional package of the
// distribution (libllvm15, or else 16 or 19; 14 has another pointer syntax), loaded on first use and never unloaded. A
// graphics driver may use the same library, so each compilation has its own context, as LLVM requires of threads.
//
// Only for the compiler thread (codegen.h), and never in a forked child.
#ifndef SHOAL_NATIVE_LLVM_H
#define SHOAL_NATIVE_LLVM_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

// Loads the library. Returns false with a message if it is missing. Later calls return the same result immediately.
bool llvm_open(error_t *error);

// Compiles IR. `features` in LLVM's syntax: "+avx2". Returns an object to be released with llvm_free, or NULL with a
// message.
void *llvm_compile(const char *text, size_t length, const char *features, size_t *size_bytes, error_t *error);
void llvm_free(void *object);

// Sets a function that is called on the compiler thread instead of LLVM terminating the process; it must not return.
void llvm_set_fatal_handler(void (*call)(const char *why));

#endif
