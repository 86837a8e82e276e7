// Compiles LLVM IR (one function named `rows`) to machine code on a background thread. The result is cached twice. The
// cache in the process finds code by its source, so a reload without changes compiles nothing. The files in the user's
// cache folder make the compiler unnecessary at the next start. If LLVM is not installed, code that is not cached is
// refused, and the caller runs the system in LuaJIT.
//
// Packages contain objects compiled for every level. A package is searched first, and its objects are ready
// immediately.
//
// Main thread only. A forked child keeps the code that was ready; it cannot compile more, because the compiler thread
// does not exist there.
#ifndef SHOAL_NATIVE_CODEGEN_H
#define SHOAL_NATIVE_CODEGEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Instruction sets that code may use. The results are bit-identical for all of them.
typedef enum codegen_level_t {
  CODEGEN_NONE, // nothing is compiled: --native off, or an unsupported processor
  CODEGEN_SSE2,
  CODEGEN_AVX2,
  CODEGEN_AVX512
} codegen_level_t;

typedef enum codegen_state_t { CODEGEN_PENDING, CODEGEN_READY, CODEGEN_REFUSED } codegen_state_t;

typedef struct codegen_code_t codegen_code_t;

#define CODEGEN_MAX_TEXT ((size_t)1 << 20)
// maximum total size of the cache files; if it is exceeded, the oldest files are deleted
#define CODEGEN_CACHE_BYTES ((uint64_t)32 << 20)

codegen_level_t codegen_best_level(void); // returns the highest level that this processor supports
const char *codegen_level_name(codegen_level_t level);

// Returns the code for an IR text, and queues it for compilation if necessary. Never returns NULL. Release the code
// with codegen_release_code.
codegen_code_t *codegen_request_code(const char *text, size_t length, codegen_level_t level);
void codegen_release_code(codegen_code_t *code); // accepts NULL

codegen_state_t codegen_state(const codegen_code_t *code);
// Waits until the code is ready or refused, and returns its state. In a forked child, returns immediately.
codegen_state_t codegen_wait_until_done(const codegen_code_t *code);
void *codegen_entry(const codegen_code_t *code); // returns the address of the function; the code must be READY
// Returns the reason why the code was refused, or "" if it was not refused.
const char *codegen_refusal(const codegen_code_t *code);
// Returns true if the code was refused because LLVM failed or its object could not be mapped, which is an error in the
// IR or in LLVM, or because LLVM failed for earlier code. Returns false if the code was refused because LLVM is not
// installed, the processor cannot run the code, or the compiler thread is not running, as in a forked child.
bool codegen_has_failed(const codegen_code_t *code);
bool codegen_is_cached(const codegen_code_t *code);   // returns true if the code was read from the cache
bool codegen_is_packaged(const codegen_code_t *code); // returns true if the code was read from the package
// Returns the CPU time spent compiling or loading the code, in ms. Valid if the code is ready.
double codegen_compile_ms(const codegen_code_t *code);

// Totals of this process since its start. Compile times do not include opening LLVM.
typedef struct codegen_statistics_t {
  uint32_t compiled;
  double ms, max_ms; // CPU time spent compiling: total, and maximum of a single compilation
  double open_ms;
  bool is_missing;         // true if LLVM was needed but is not installed
  uint64_t code_bytes;     // size of the mapped code
  uint64_t compiler_bytes; // upper bound of the memory that LLVM uses
} codegen_statistics_t;
codegen_statistics_t codegen_statistics(void);

// Waits for the current compilation and stops the compiler thread. The next request that needs the thread starts it
// again. native_set_destroy calls this function for the last set. If a process exits without destroying its sets, an
// exit handler stops the thread. If LLVM is being loaded at this time, the handler runs too late, after the destructors
// of LLVM, and the compiler thread may then loop forever.
void codegen_stop_thread(void);

// For packaging: keeps all objects that are compiled from now on, including objects for other processors, which are not
// run. codegen_list_objects returns them as files of the archive.
void codegen_enable_object_files(void);
uint32_t codegen_object_count(void);
typedef struct codegen_object_t {
  char name[64];     // file name in the archive
  const void *bytes; // contents of the file; borrowed
  size_t size_bytes;
} codegen_object_t;
// Stores up to `max` objects, sorted by name, and returns their number.
uint32_t codegen_list_objects(codegen_object_t *out, uint32_t max);

#endif
