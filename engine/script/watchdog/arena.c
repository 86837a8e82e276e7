// Arena allocator. Lua passes the block size when it frees a block, so blocks need no headers; a freed block stores the
// link of its class's free list. A freed small block stays in its size class until the arena is destroyed; this is no
// problem, because VMs are short-lived. A freed large block is unmapped.
#include "watchdog/arena.h"

#include "base/alloc.h"
#include "base/assert.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
  STEP = 16,         // class sizes up to LINEAR_MAX are multiples of STEP
  LINEAR_MAX = 1024, // largest size up to which classes are evenly spaced
  MAX = 32 * 1024,   // larger blocks have separate mappings
  PARTS = 4,         // number of size classes per doubling above LINEAR_MAX
  CLASSES = LINEAR_MAX / STEP + 5 * PARTS,
  INITIAL_CHUNK = 256 * 1024,
  CHUNK = 1024 * 1024,
  PAGE = 4096,
  HUGE_FROM = 16 * 1024 * 1024 // bytes of a large block from which it uses huge pages
};

typedef struct free_block_t {
  struct free_block_t *next;
} free_block_t;

typedef struct chunk_head_t {
  struct chunk_head_t *next;
  size_t bytes;
} chunk_head_t;

// Header directly before a large block. Its 64 bytes keep the block aligned; a whole page would be wasteful.
typedef struct large_t {
  struct large_t *next, *previous;
  size_t bytes;
  char padding[40];
} large_t;

struct arena_o {
  arena_desc_t desc;
  size_t bytes;
  char *at, *end; // free part of the current chunk
  chunk_head_t *chunks;
  large_t large; // ring of all large blocks
  free_block_t *free[CLASSES];
};

_Static_assert(sizeof(large_t) == 64, "large_t must keep blocks aligned");

// Returns the size class of a block, and stores its rounded size.
static uint32_t get_size_class(size_t bytes, size_t *block) {
  shoal_assert(bytes > 0 && bytes <= MAX, "small block size %zu is out of range", bytes);
  if (bytes <= LINEAR_MAX) {
    uint32_t steps = (uint32_t)((bytes + STEP - 1) / STEP);
    *block = (size_t)steps * STEP;
    return steps - 1;
  }
  // `bytes` is in (LINEAR_MAX << doubling, LINEAR_MAX << (doubling + 1)].
  uint32_t doubling = 63u - (uint32_t)__builtin_clzll((bytes - 1) / LINEAR_MAX);
  size_t base = (size_t)LINEAR_MAX << doubling, part = base / PARTS;
  uint32_t parts = (uint32_t)((bytes - base + part - 1) / part);
  *block = base + parts * part;
  return LINEAR_MAX / STEP + doubling * PARTS + parts - 1;
}

arena_o *arena_create(const arena_desc_t *desc) {
  shoal_assert(desc, "desc must not be NULL");
  arena_o *a = alloc_object(sizeof *a);
  a->desc = *desc;
  a->large.next = a->large.previous = &a->large;
  return a;
}

void arena_destroy(arena_o *a) {
  if (!a)
    return;
  for (large_t *l = a->large.next, *next; l != &a->large; l = next) {
    next = l->next;
    munmap(l, l->bytes);
  }
  for (chunk_head_t *c = a->chunks, *next; c; c = next) {
    next = c->next;
    munmap(c, c->bytes);
  }
  free(a);
}

static void *map_pages(size_t bytes, int flags) {
  void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

// --- large blocks

static size_t compute_mapping_size(size_t bytes) {
  return (bytes + sizeof(large_t) + PAGE - 1) / PAGE * PAGE;
}

static void link_large(arena_o *a, large_t *l) {
  l->next = a->large.next;
  l->previous = &a->large;
  l->next->previous = l;
  a->large.next = l;
}

// Asks for huge pages in blocks of many megabytes: mapping a gigabyte of small pages takes half a second in the kernel.
static void advise_huge_pages(large_t *l, size_t bytes) {
  if (bytes >= HUGE_FROM)
    madvise(l, bytes, MADV_HUGEPAGE); // only a hint: fails harmlessly on kernels without huge pages
}

static void *allocate_large(arena_o *a, size_t bytes) {
  size_t mapping = compute_mapping_size(bytes);
  large_t *l = map_pages(mapping, 0);
  if (!l)
    return NULL;
  advise_huge_pages(l, mapping);
  l->bytes = mapping;
  link_large(a, l);
  return l + 1;
}

static void free_large(void *block) {
  large_t *l = (large_t *)block - 1;
  shoal_assert(l->next->previous == l && l->previous->next == l, "large block does not belong to this arena");
  l->next->previous = l->previous;
  l->previous->next = l->next;
  munmap(l, l->bytes);
}

// Resizes a mapping with mremap, which moves pages instead of copying bytes. Copies them under ThreadSanitizer, which
// does not intercept mremap and would report a race when another thread reuses the old address range.
static void *resize_mapping(void *old, size_t before, size_t bytes) {
#ifdef __SANITIZE_THREAD__
  void *moved = map_pages(bytes, 0);
  if (moved) {
    memcpy(moved, old, before < bytes ? before : bytes);
    munmap(old, before);
  }
  return moved;
#else
  void *moved = mremap(old, before, bytes, MREMAP_MAYMOVE);
  return moved == MAP_FAILED ? NULL : moved;
#endif
}

static void *resize_large(arena_o *a, void *block, size_t bytes) {
  large_t *l = (large_t *)block - 1;
  size_t before = l->bytes, mapping = compute_mapping_size(bytes);
  if (mapping == before)
    return block;
  l->next->previous = l->previous;
  l->previous->next = l->next;
  large_t *moved = resize_mapping(l, before, mapping);
  if (!moved) {
    link_large(a, l);
    return NULL;
  }
  advise_huge_pages(moved, mapping);
  moved->bytes = mapping;
  link_large(a, moved);
  return moved + 1;
}

// --- small blocks

static bool add_chunk(arena_o *a) {
  size_t bytes = a->chunks ? CHUNK : INITIAL_CHUNK;
  // An arena that needs a second chunk will probably fill it: populating all its pages at once is cheaper than
  // microseconds per page fault.
  chunk_head_t *c = map_pages(bytes, a->chunks ? MAP_POPULATE : 0);
  if (!c)
    return false;
  *c = (chunk_head_t){.next = a->chunks, .bytes = bytes};
  a->chunks = c;
  a->at = (char *)c + (sizeof *c + STEP - 1) / STEP * STEP;
  a->end = (char *)c + bytes;
  return true;
}

static void *allocate_small(arena_o *a, uint32_t class, size_t block) {
  free_block_t *found = a->free[class];
  if (found) {
    a->free[class] = found->next;
    return found;
  }
  if ((size_t)(a->end - a->at) < block && !add_chunk(a))
    return NULL;
  void *cut = a->at;
  a->at += block;
  return cut;
}

static void free_small(arena_o *a, void *block, size_t bytes) {
  size_t size;
  uint32_t class = get_size_class(bytes, &size);
  free_block_t *freed = block;
  freed->next = a->free[class];
  a->free[class] = freed;
}

// --- blocks of any size

static void *allocate_block(arena_o *a, size_t bytes) {
  if (bytes > MAX)
    return allocate_large(a, bytes);
  size_t block;
  uint32_t class = get_size_class(bytes, &block);
  return allocate_small(a, class, block);
}

static void free_block(arena_o *a, void *block, size_t bytes) {
  if (bytes > MAX)
    free_large(block);
  else if (bytes > 0)
    free_small(a, block, bytes);
}

static void *resize_block(arena_o *a, void *old, size_t old_bytes, size_t new_bytes) {
  if (old_bytes > MAX && new_bytes > MAX)
    return resize_large(a, old, new_bytes);
  if (old_bytes <= MAX && new_bytes <= MAX) {
    size_t before, after;
    if (get_size_class(old_bytes, &before) == get_size_class(new_bytes, &after))
      return old;
  }
  void *moved = allocate_block(a, new_bytes);
  if (!moved)
    return NULL;
  memcpy(moved, old, old_bytes < new_bytes ? old_bytes : new_bytes);
  free_block(a, old, old_bytes);
  return moved;
}

// Returns false if the allocation must be refused. Refusal depends only on the block's size, so whether a script gets
// an error that it can catch does not depend on the memory in use.
static bool can_grow(arena_o *a, size_t size, size_t by) {
  size_t cap = a->desc.cap_bytes, max_block = a->desc.max_block_bytes ? a->desc.max_block_bytes : cap;
  if (size >= ARENA_REFUSED_BYTES && max_block > 0 && size > max_block)
    return false;
  if (cap > 0 && a->bytes + by > cap && a->desc.over)
    a->desc.over(a->desc.context);
  return true;
}

void *arena_resize(void *arena, void *old, size_t old_bytes, size_t new_bytes) {
  arena_o *a = arena;
  shoal_assert(!old || old_bytes <= a->bytes, "freeing %zu bytes, but only %zu are allocated", old_bytes, a->bytes);
  if (new_bytes == 0) {
    free_block(a, old, old ? old_bytes : 0);
    a->bytes -= old ? old_bytes : 0;
    return NULL;
  }
  size_t before = old ? old_bytes : 0;
  if (new_bytes > before && !can_grow(a, new_bytes, new_bytes - before))
    return NULL;
  void *block = before > 0 ? resize_block(a, old, before, new_bytes) : allocate_block(a, new_bytes);
  if (block)
    a->bytes += new_bytes - before;
  return block;
}

void arena_set_limit(arena_o *a, size_t cap_bytes) {
  a->desc.cap_bytes = cap_bytes;
}

size_t arena_bytes(const arena_o *a) {
  return a->bytes;
}
