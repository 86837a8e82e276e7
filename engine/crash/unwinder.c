// Redirects malloc and free of libgcc_s. Has no effect if libgcc is linked statically.
#include "crash/unwinder.h"

#include "base/assert.h"
#include "base/rebind.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#define SPARE_BYTES ((size_t)256 << 10)
#define ALIGNMENT ((size_t)16)

static _Alignas(16) char spare[SPARE_BYTES];
static atomic_size_t used;
static atomic_bool uses_spare;

// Returns NULL if the spare memory is used up: the unwinder then searches unsorted tables.
static void *allocate_memory(size_t bytes) {
  if (!atomic_load(&uses_spare))
    return malloc(bytes);
  shoal_assert(bytes > 0, "the unwinder must not allocate 0 bytes");
  size_t whole = bytes < SPARE_BYTES ? (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT : SPARE_BYTES + 1;
  size_t at = atomic_fetch_add(&used, whole);
  return at + whole <= SPARE_BYTES ? spare + at : NULL;
}

static void release_memory(void *memory) {
  if (!atomic_load(&uses_spare))
    free(memory);
}

void unwinder_prepare(void) {
  static const rebind_t calls[] = {{"malloc", (void *)(uintptr_t)allocate_memory},
                                   {"free", (void *)(uintptr_t)release_memory}};
  void *frame = NULL;
  backtrace(&frame, 1); // the first walk of the stack loads libgcc_s
  void *library = dlopen("libgcc_s.so.1", RTLD_LAZY | RTLD_NOLOAD);
  const void *inside = library ? dlsym(library, "_Unwind_Backtrace") : NULL;
  if (inside)
    rebind_functions(inside, calls, sizeof calls / sizeof *calls);
  if (library)
    dlclose(library);
}

void unwinder_use_spare_memory(void) {
  atomic_store(&uses_spare, true);
}
