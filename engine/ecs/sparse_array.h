// Numbers by index of which most are 0: in pages that exist once one of theirs is another. A list of pages,
// sparse_count(numbers) long, belongs to whoever keeps it.
#ifndef SHOAL_ECS_SPARSE_ARRAY_H
#define SHOAL_ECS_SPARSE_ARRAY_H

#include "base/alloc.h"

#include <stdint.h>

#define PAGE_NUMBERS 4096u // repeated in scripts/shoal/schema/component.lua

static inline uint32_t sparse_count(uint32_t numbers) {
  return (numbers + PAGE_NUMBERS - 1) / PAGE_NUMBERS;
}

static inline uint32_t sparse_get(uint32_t *const *pages, uint32_t i) {
  const uint32_t *page = pages[i / PAGE_NUMBERS];
  return page ? page[i % PAGE_NUMBERS] : 0;
}

// To be written; its page is made when it is missing. The numbers up to the end of the page follow it.
uint32_t *sparse_at(uint32_t **pages, uint32_t i, allocator_t *a);
// The pages, of `count`; the list stays.
void sparse_free(uint32_t **pages, uint32_t count, allocator_t *a);

// All numbers, into an array and from one; those behind `numbers` become 0, up to the last of `count` pages.
void sparse_copy(uint32_t *out, uint32_t *const *pages, uint32_t numbers);
void sparse_load(uint32_t **pages, uint32_t count, const uint32_t *from, uint32_t numbers, allocator_t *a);
// What hash_bytes says of that array.
uint64_t sparse_hash(uint32_t *const *pages, uint32_t numbers, uint64_t seed);

#endif
