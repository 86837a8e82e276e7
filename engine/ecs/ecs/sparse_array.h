// Sparse arrays of numbers, mostly 0, in pages that are allocated on first write. The caller owns the list of pages,
// which has sparse_page_count(numbers) elements.
#ifndef SHOAL_ECS_SPARSE_ARRAY_H
#define SHOAL_ECS_SPARSE_ARRAY_H

#include "base/alloc.h"

#include <stdint.h>

#define PAGE_NUMBERS 4096u // duplicated in scripts/shoal/schema/component.lua

static inline uint32_t sparse_page_count(uint32_t numbers) {
  return (numbers + PAGE_NUMBERS - 1) / PAGE_NUMBERS;
}

static inline uint32_t sparse_get(uint32_t *const *pages, uint32_t i) {
  const uint32_t *page = pages[i / PAGE_NUMBERS];
  return page ? page[i % PAGE_NUMBERS] : 0;
}

// Returns a pointer to number i for writing, allocating its page if necessary; the rest of the page is contiguous.
uint32_t *sparse_get_or_create(uint32_t **pages, uint32_t i, allocator_t *a);
// Frees all pages, but not the list.
void sparse_free(uint32_t **pages, uint32_t count, allocator_t *a);

void sparse_copy(uint32_t *out, uint32_t *const *pages, uint32_t numbers);
// Loads the elements from `values`. `count` is the number of pages; the rest of the last page is filled with zeros.
void sparse_load(uint32_t **pages, uint32_t count, const uint32_t *values, uint32_t numbers, allocator_t *a);
uint64_t sparse_hash(uint32_t *const *pages, uint32_t numbers, uint64_t seed);

#endif
