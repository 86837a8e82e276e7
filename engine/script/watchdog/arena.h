// Allocator of one Lua VM. Small blocks come from size classes in chunks; large blocks have separate mappings.
// Destroying the arena frees everything in one step, regardless of the VM's state, so a VM that was interrupted needs
// no lua_close.
//
// The cap is soft: LuaJIT does not survive every failed allocation, so an arena over its cap keeps allocating and calls
// `on_over_cap`. Only huge blocks, of at least ARENA_REFUSED_BYTES, are refused if they are larger than
// max_block_bytes. Not thread-safe.
#ifndef SHOAL_WATCHDOG_ARENA_H
#define SHOAL_WATCHDOG_ARENA_H

#include <stdbool.h>
#include <stddef.h>

#define ARENA_REFUSED_BYTES ((size_t)16 << 20) // minimum size of a huge block; smaller blocks are never refused

typedef struct arena_o arena_o;

typedef struct arena_desc_t {
  size_t cap_bytes;                   // soft limit of allocated bytes (default: no limit)
  size_t max_block_bytes;             // maximum size of a huge block (default: cap_bytes)
  void (*on_over_cap)(void *context); // callback for each allocation above the cap; may be NULL
  void *context;
} arena_desc_t;

arena_o *arena_create(const arena_desc_t *desc);
void arena_destroy(arena_o *arena); // frees all blocks
void arena_set_limit(arena_o *arena, size_t cap_bytes);
// Call when a game starts. From now on, populates memory in small slices, so that no frame of a running game waits for
// megabytes of pages. Also unmaps the freed large blocks of tables that grew while the game was loaded.
void arena_grow_in_slices(arena_o *arena);

// Allocates, resizes and (with `new_bytes` 0) frees, as a lua_Alloc; `arena` is the arena_o. An allocation returns NULL
// only for a refused huge block, or if the system is out of memory.
void *arena_resize(void *arena, void *block, size_t old_bytes, size_t new_bytes);

size_t arena_bytes(const arena_o *arena); // returns the number of bytes currently allocated

#endif
