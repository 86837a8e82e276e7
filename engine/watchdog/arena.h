// The memory of one Lua VM. Small blocks come from size classes over chunks, large ones have a mapping of their own;
// dropping the arena gives all of it back at once, whatever the VM was doing, so that a VM that was stopped in the
// middle needs no lua_close.
//
// There is a soft cap: LuaJIT does not survive every refusal, so an arena that is over its cap goes on giving and
// tells somebody. A single huge block that would take it there is refused, and told as well; one that is larger than
// most_block_bytes is always refused, and that is the caller's matter. One thread at a time.
#ifndef SHOAL_WATCHDOG_ARENA_H
#define SHOAL_WATCHDOG_ARENA_H

#include <stdbool.h>
#include <stddef.h>

#define ARENA_REFUSED_BYTES ((size_t)16 << 20) // a block of this size or more

typedef struct arena_o arena_o;

typedef struct arena_desc_t {
  size_t cap_bytes;                // default: no cap
  size_t most_block_bytes;         // default: cap_bytes
  void (*over)(void *context);     // called in the midst of every allocation that is given beyond the cap; may be NULL
  size_t overflow_bytes;           // see watchdog.h; 0: none
  void (*overflow)(void *context); // called before a block is brought to just that size, and need not return
  void *context;
} arena_desc_t;

arena_o *arena_create(const arena_desc_t *desc);
void arena_destroy(arena_o *a); // with everything in it
void arena_set_cap(arena_o *a, size_t cap_bytes);

// A lua_Alloc: `arena` is the arena_o. NULL only for a huge block beyond the cap, or when the system has no more.
void *arena_resize(void *arena, void *old, size_t old_bytes, size_t new_bytes);

// The same while all is given back because the arena is about to go: what comes back is left where it is, since to link
// each block into a list is to touch all pages once more.
void *arena_resize_last(void *arena, void *old, size_t old_bytes, size_t new_bytes);

size_t arena_bytes(const arena_o *a); // asked for and not given back

#endif
