// Arena allocator. Lua passes the block size when it frees a block, so blocks need no headers; a freed block stores the
// link of its class's free list. A freed small block stays in its size class until the arena is destroyed; this is
// acceptable, because VMs are short-lived. Freed large blocks are kept up to a limit, because a script that builds a
// long table in each tick would otherwise map, clear and unmap its pages each time.
#include "watchdog/arena.h"

#include "base/alloc.h"
#include "base/assert.h"
#include "base/pages.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
  STEP_BYTES = 16,             // difference between the sizes of classes up to LINEAR_MAX
  LINEAR_MAX = 1024,           // largest size up to which classes are evenly spaced
  MAX_SMALL_BYTES = 32 * 1024, // maximum size of a small block; larger blocks have separate mappings
  CLASSES_PER_DOUBLING = 4,    // number of size classes per doubling above LINEAR_MAX
  CLASS_COUNT = LINEAR_MAX / STEP_BYTES + 5 * CLASSES_PER_DOUBLING,
  INITIAL_CHUNK_BYTES = 256 * 1024,
  CHUNK_BYTES = HUGE_PAGE_BYTES,
  SLICE_BYTES = 64 * 1024, // part of a chunk that is populated in one step while a game runs
  PAGE_BYTES = 4096,
  MAX_SPARE_BLOCK_BYTES = 1024 * 1024, // maximum size of a large block that is kept when it is freed
  MAX_SPARE_BYTES = 16 * 1024 * 1024,  // maximum total size of freed large blocks that are kept
  HUGE_PAGES_BYTES = 16 * 1024 * 1024  // minimum size of a large block that uses huge pages
};

typedef struct free_block_t {
  struct free_block_t *next;
} free_block_t;

typedef struct chunk_header_t {
  struct chunk_header_t *next;
  size_t bytes;
} chunk_header_t;

// Header directly before a large block. Its 64 bytes keep the block aligned; a whole page would be wasteful.
typedef struct large_block_t {
  struct large_block_t *next, *previous;
  size_t bytes;
  char padding[40];
} large_block_t;

struct arena_o {
  arena_desc_t desc;
  size_t bytes;
  char *cursor, *end;   // free part of the current chunk
  char *populated;      // end of the populated part of the current chunk
  bool grows_in_slices; // true if chunks are populated in slices (arena_grow_in_slices)
  chunk_header_t *chunks;
  large_block_t large;  // ring of all large blocks in use
  large_block_t *spare; // freed large blocks, linked by `next`
  size_t spare_bytes;
  free_block_t *free[CLASS_COUNT];
};

_Static_assert(sizeof(large_block_t) == 64, "large_t must keep blocks aligned");

// Returns the size class of a block, and stores its rounded size.
static uint32_t get_size_class(size_t bytes, size_t *block_bytes) {
  shoal_assert(bytes > 0 && bytes <= MAX_SMALL_BYTES, "small block size %zu is out of range", bytes);
  if (bytes <= LINEAR_MAX) {
    uint32_t steps = (uint32_t)((bytes + STEP_BYTES - 1) / STEP_BYTES);
    *block_bytes = (size_t)steps * STEP_BYTES;
    return steps - 1;
  }
  // `bytes` is in (LINEAR_MAX << doubling, LINEAR_MAX << (doubling + 1)].
  uint32_t doubling = 63u - (uint32_t)__builtin_clzll((bytes - 1) / LINEAR_MAX);
  size_t base = (size_t)LINEAR_MAX << doubling, step_bytes = base / CLASSES_PER_DOUBLING;
  uint32_t steps_above = (uint32_t)((bytes - base + step_bytes - 1) / step_bytes);
  *block_bytes = base + steps_above * step_bytes;
  return LINEAR_MAX / STEP_BYTES + doubling * CLASSES_PER_DOUBLING + steps_above - 1;
}

arena_o *arena_create(const arena_desc_t *desc) {
  shoal_assert(desc, "desc must not be NULL");
  arena_o *arena = alloc_object(sizeof *arena);
  arena->desc = *desc;
  arena->large.next = arena->large.previous = &arena->large;
  return arena;
}

static void unmap_spares(arena_o *arena) {
  for (large_block_t *large = arena->spare, *next; large; large = next) {
    next = large->next;
    pages_release(large, large->bytes);
  }
  arena->spare = NULL;
  arena->spare_bytes = 0;
}

void arena_destroy(arena_o *arena) {
  if (!arena)
    return;
  for (large_block_t *large = arena->large.next, *next; large != &arena->large; large = next) {
    next = large->next;
    pages_release(large, large->bytes);
  }
  unmap_spares(arena);
  for (chunk_header_t *chunk = arena->chunks, *next; chunk; chunk = next) {
    next = chunk->next;
    pages_release(chunk, chunk->bytes);
  }
  free(arena);
}

// --- large blocks

static size_t compute_mapping_size(size_t bytes) {
  return (bytes + sizeof(large_block_t) + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
}

static void link_large(arena_o *arena, large_block_t *large) {
  large->next = arena->large.next;
  large->previous = &arena->large;
  large->next->previous = large;
  arena->large.next = large;
}

// Requests huge pages for blocks of many megabytes: mapping a gigabyte of small pages takes half a second in the
// kernel.
static void advise_huge_pages(large_block_t *large, size_t bytes) {
  if (bytes >= HUGE_PAGES_BYTES)
    pages_use_huge(large, bytes, true);
}

static bool fits(const large_block_t *large, size_t mapping) {
  return large->bytes >= mapping && large->bytes <= 2 * mapping;
}

// Removes and returns a spare block that is large enough but not more than twice as large, or returns NULL if no spare
// block fits.
static large_block_t *take_spare(arena_o *arena, size_t mapping) {
  for (large_block_t **link = &arena->spare, *large; (large = *link) != NULL; link = &large->next) {
    if (!fits(large, mapping))
      continue;
    *link = large->next;
    arena->spare_bytes -= large->bytes;
    return large;
  }
  return NULL;
}

static void *allocate_large(arena_o *arena, size_t bytes) {
  size_t mapping = compute_mapping_size(bytes);
  large_block_t *large = take_spare(arena, mapping);
  if (!large) {
    large = pages_map(mapping);
    if (!large)
      return NULL;
    advise_huge_pages(large, mapping);
    large->bytes = mapping;
  }
  link_large(arena, large);
  return large + 1;
}

static void unlink_large(large_block_t *large) {
  shoal_assert(large->next->previous == large && large->previous->next == large,
               "large block does not belong to this arena");
  large->next->previous = large->previous;
  large->previous->next = large->next;
}

static void free_large(arena_o *arena, void *block) {
  large_block_t *large = (large_block_t *)block - 1;
  unlink_large(large);
  if (large->bytes > MAX_SPARE_BLOCK_BYTES || arena->spare_bytes + large->bytes > MAX_SPARE_BYTES) {
    pages_release(large, large->bytes);
    return;
  }
  large->next = arena->spare;
  arena->spare = large;
  arena->spare_bytes += large->bytes;
}

// Copies a block to a spare block. Returns the new block, or NULL if no spare block fits.
static void *move_to_spare(arena_o *arena, void *block, size_t mapping) {
  large_block_t *large = (large_block_t *)block - 1, *spare = take_spare(arena, mapping);
  if (!spare)
    return NULL;
  size_t bytes = large->bytes < spare->bytes ? large->bytes : spare->bytes;
  link_large(arena, spare);
  memcpy(spare + 1, block, bytes - sizeof *large);
  free_large(arena, block);
  return spare + 1;
}

static void *resize_large(arena_o *arena, void *block, size_t bytes) {
  large_block_t *large = (large_block_t *)block - 1;
  size_t old_bytes = large->bytes, mapping = compute_mapping_size(bytes);
  if (fits(large, mapping))
    return block;
  void *spare = move_to_spare(arena, block, mapping);
  if (spare)
    return spare;
  unlink_large(large);
  large_block_t *moved = pages_resize(large, old_bytes, mapping);
  if (!moved) {
    link_large(arena, large);
    return NULL;
  }
  advise_huge_pages(moved, mapping);
  moved->bytes = mapping;
  link_large(arena, moved);
  return moved + 1;
}

// --- small blocks

void arena_grow_in_slices(arena_o *arena) {
  unmap_spares(arena);
  arena->grows_in_slices = true;
}

// Maps any chunk except the first. An arena that needs a second chunk will probably fill it, so one call maps a huge
// page or, if huge pages are not available, all small pages. While a game runs, this would take a virtual machine up to
// 20 ms in one frame, so the chunk has small pages, and the kernel may join the pages of the full chunk before it.
static void *map_next_chunk(arena_o *arena) {
  char *chunk = pages_map_huge(CHUNK_BYTES);
  if (!chunk)
    return NULL;
  arena->populated = arena->grows_in_slices ? chunk : chunk + CHUNK_BYTES;
  if (!arena->grows_in_slices) {
    pages_populate(chunk, CHUNK_BYTES);
    return chunk;
  }
  pages_use_huge(chunk, CHUNK_BYTES, false);
  if (arena->chunks->bytes == CHUNK_BYTES)
    pages_use_huge(arena->chunks, CHUNK_BYTES, true);
  return chunk;
}

static bool add_chunk(arena_o *arena) {
  size_t bytes = arena->chunks ? CHUNK_BYTES : INITIAL_CHUNK_BYTES;
  chunk_header_t *chunk = arena->chunks ? map_next_chunk(arena) : pages_map(bytes);
  if (!chunk)
    return false;
  if (!arena->chunks)
    arena->populated = (char *)chunk + bytes;
  *chunk = (chunk_header_t){.next = arena->chunks, .bytes = bytes};
  arena->chunks = chunk;
  arena->cursor = (char *)chunk + (sizeof *chunk + STEP_BYTES - 1) / STEP_BYTES * STEP_BYTES;
  arena->end = (char *)chunk + bytes;
  return true;
}

static void *allocate_small(arena_o *arena, uint32_t class, size_t block_bytes) {
  free_block_t *reused = arena->free[class];
  if (reused) {
    // The next block of this class is usually not in a cache: it was freed by a sweep of the whole heap.
    __builtin_prefetch(reused->next, 1);
    arena->free[class] = reused->next;
    return reused;
  }
  if ((size_t)(arena->end - arena->cursor) < block_bytes && !add_chunk(arena))
    return NULL;
  void *allocated = arena->cursor;
  arena->cursor += block_bytes;
  if (arena->cursor > arena->populated) { // a block is smaller than a slice
    pages_populate(arena->populated, SLICE_BYTES);
    arena->populated += SLICE_BYTES;
  }
  return allocated;
}

static void free_small(arena_o *arena, void *block, size_t bytes) {
  size_t size;
  uint32_t class = get_size_class(bytes, &size);
  free_block_t *freed = block;
  freed->next = arena->free[class];
  arena->free[class] = freed;
}

// --- blocks of any size

static void *allocate_block(arena_o *arena, size_t bytes) {
  if (bytes > MAX_SMALL_BYTES)
    return allocate_large(arena, bytes);
  size_t block;
  uint32_t class = get_size_class(bytes, &block);
  return allocate_small(arena, class, block);
}

static void free_block(arena_o *arena, void *block, size_t bytes) {
  if (bytes > MAX_SMALL_BYTES)
    free_large(arena, block);
  else if (bytes > 0)
    free_small(arena, block, bytes);
}

static void *resize_block(arena_o *arena, void *block, size_t old_bytes, size_t new_bytes) {
  if (old_bytes > MAX_SMALL_BYTES && new_bytes > MAX_SMALL_BYTES)
    return resize_large(arena, block, new_bytes);
  if (old_bytes <= MAX_SMALL_BYTES && new_bytes <= MAX_SMALL_BYTES) {
    size_t old_size, new_size;
    if (get_size_class(old_bytes, &old_size) == get_size_class(new_bytes, &new_size))
      return block;
  }
  void *moved = allocate_block(arena, new_bytes);
  if (!moved)
    return NULL;
  memcpy(moved, block, old_bytes < new_bytes ? old_bytes : new_bytes);
  free_block(arena, block, old_bytes);
  return moved;
}

// Returns true if the allocation is allowed, or false if it must be refused. Refusal depends only on the block's size,
// so whether a script gets an error that it can catch does not depend on the memory in use.
static bool can_grow(arena_o *arena, size_t bytes, size_t growth) {
  size_t cap = arena->desc.cap_bytes, max_block = arena->desc.max_block_bytes ? arena->desc.max_block_bytes : cap;
  if (bytes >= ARENA_REFUSED_BYTES && max_block > 0 && bytes > max_block)
    return false;
  if (cap > 0 && arena->bytes + growth > cap && arena->desc.on_over_cap)
    arena->desc.on_over_cap(arena->desc.context);
  return true;
}

void *arena_resize(void *context, void *old_block, size_t old_bytes, size_t new_bytes) {
  arena_o *arena = context;
  shoal_assert(!old_block || old_bytes <= arena->bytes, "freeing %zu bytes, but only %zu are allocated", old_bytes,
               arena->bytes);
  if (new_bytes == 0) {
    free_block(arena, old_block, old_block ? old_bytes : 0);
    arena->bytes -= old_block ? old_bytes : 0;
    return NULL;
  }
  size_t current_bytes = old_block ? old_bytes : 0;
  if (new_bytes > current_bytes && !can_grow(arena, new_bytes, new_bytes - current_bytes))
    return NULL;
  void *block =
      current_bytes > 0 ? resize_block(arena, old_block, current_bytes, new_bytes) : allocate_block(arena, new_bytes);
  if (block)
    arena->bytes += new_bytes - current_bytes;
  return block;
}

void arena_set_limit(arena_o *arena, size_t cap_bytes) {
  arena->desc.cap_bytes = cap_bytes;
}

size_t arena_bytes(const arena_o *arena) {
  return arena->bytes;
}
