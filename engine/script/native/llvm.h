// Compiles IR text to an object file in memory, with LLVM, which is loaded at run time. The library is an optional
// package of the distribution (libllvm15 or later; LLVM 14 has a different pointer syntax). It is loaded on first use
// and never unloaded. A graphics driver may use the same library on another thread, so each compilation has its own
// context, as LLVM requires.
//
// Only for the compiler thread (codegen.h); must not be used in a forked child.
#ifndef SHOAL_NATIVE_LLVM_H
#define SHOAL_NATIVE_LLVM_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

// Loads the library. Returns true on success, or false with a message if no installed library has a supported version
// and all required functions. Later calls return the same result immediately.
bool llvm_open(error_info_t *error);

// Compiles IR. `features` are processor features in LLVM's syntax: "+avx2". Returns an object that must be released
// with llvm_free. On failure, returns NULL with a message.
void *llvm_compile(const char *text, size_t length, const char *features, size_t *size_bytes, error_info_t *error);
void llvm_free(void *object);

// Sets the handler of LLVM's fatal errors, which would otherwise terminate the process. The handler is called on the
// compiler thread and must not return.
void llvm_set_fatal_handler(void (*handler)(const char *message));

#endif
