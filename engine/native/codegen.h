// Compiles text (LLVM's IR, one function called `rows`) to machine code, on a thread of its own, and keeps what it has
// made: in the process by the text, so that a reload that changes nothing compiles nothing, and as files below the
// user's cache folder, so that the next start needs no compiler. Without LLVM what is not in the cache is refused, and
// whoever wanted it does without.
//
// A package has what its maker's machine has compiled for every level; that is looked at first, and is there at once.
//
// Called on the main thread. A forked child has what was ready and gets nothing more: the compiler's thread is not
// there, and nothing of it is touched.
#ifndef SHOAL_NATIVE_CODEGEN_H
#define SHOAL_NATIVE_CODEGEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Which instructions code may use. All give the same bits.
typedef enum codegen_level_t {
  CODEGEN_NONE, // there is no code for this processor
  CODEGEN_SSE2,
  CODEGEN_AVX2,
  CODEGEN_AVX512
} codegen_level_t;

typedef enum codegen_state_t { CODEGEN_WAITS, CODEGEN_READY, CODEGEN_REFUSED } codegen_state_t;

typedef struct codegen_code_t codegen_code_t;

#define CODEGEN_MAX_TEXT ((size_t)1 << 20)
#define CODEGEN_CACHE_BYTES ((uint64_t)32 << 20) // of the files; past it the oldest ones go

codegen_level_t codegen_best(void); // of this processor
const char *codegen_level_name(codegen_level_t level);

// What is there already, or begun now. Given back with codegen_drop; never NULL.
codegen_code_t *codegen_want(const char *text, size_t length, codegen_level_t level);
void codegen_drop(codegen_code_t *c); // NULL is fine

codegen_state_t codegen_look(const codegen_code_t *c);
codegen_state_t codegen_wait(const codegen_code_t *c); // until it is ready or refused; in a child as it is
void *codegen_entry(const codegen_code_t *c);          // of what is ready
const char *codegen_why(const codegen_code_t *c);      // of what is refused
bool codegen_was_kept(const codegen_code_t *c);        // it came from the cache
bool codegen_was_shipped(const codegen_code_t *c);     // it came from the package
double codegen_compile_ms(const codegen_code_t *c);    // processor time, of what is ready

// Of this process until now: what was compiled here, opening LLVM not counted in, and what there is of it.
typedef struct codegen_figures_t {
  uint32_t compiled;
  double ms, most_ms; // processor time, all of them and the longest
  double open_ms;
  bool is_missing;                     // LLVM, which was wanted
  uint64_t code_bytes, compiler_bytes; // mapped; what the process grew by while LLVM was opened and compiled, at most
} codegen_figures_t;
codegen_figures_t codegen_figures(void);

// Waits for what is being compiled, and compiles nothing more: called before the process ends, behind all worlds. One
// that ends without it does so all the same, but for the moment in which LLVM is being opened.
void codegen_stop(void);

// For whoever makes a package: from now on objects are kept as they are, also those for other processors, which are
// made and never run. Then each of them, sorted, as a file of the archive.
void codegen_keep_objects(void);
uint32_t codegen_object_count(void);
typedef struct codegen_object_t {
  char name[64];     // of a file in the archive
  const void *bytes; // borrowed
  size_t size_bytes;
} codegen_object_t;
// At most `max` of them, sorted by name; returns how many.
uint32_t codegen_list_objects(codegen_object_t *out, uint32_t max);

#endif
