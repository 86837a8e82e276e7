// Looks for allocation functions on the stack. Names of the C library's internal functions cannot be looked up at run
// time, but the calling exported function is on the stack, too.
#include "crash/allocator_frame.h"

#include "base/assert.h"
#include "base/dynamic_library.h"
#include "crash/call_stack.h"

#include <stdbool.h>
#include <string.h>

static const char *const NAMES[] = {"malloc",         "free",     "calloc", "realloc", "reallocarray", "aligned_alloc",
                                    "posix_memalign", "memalign", "valloc", "pvalloc", "malloc_trim"};

// Returns the name of the allocation function at `address`, without the C library's prefix; NULL if `address` is not in
// one of these functions.
static const char *find_name(const void *address) {
  const char *name = address ? dynamic_library_symbol(address) : NULL;
  if (!name)
    return NULL;
  name += strncmp(name, "__libc_", 7) == 0 ? 7 : 0;
  for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; ++i)
    if (strcmp(NAMES[i], name) == 0)
      return NAMES[i];
  return NULL;
}

const char *allocator_frame_find(const void *code) {
  enum { MAX_FRAMES = 64 };
  void *frames[MAX_FRAMES];
  const char *name = find_name(code);
  uint32_t count = name ? 0 : call_stack_capture(frames, MAX_FRAMES);
  shoal_assert(count <= MAX_FRAMES, "the stack has %u frames (capacity %d)", count, (int)MAX_FRAMES);
  for (uint32_t i = 0; i < count && !name; ++i)
    name = find_name((const char *)frames[i] - 1); // the call precedes the return address
  return name;
}
