// Sparse arrays of numbers: pages are allocated on first write; missing pages read as 0.
#include "ecs/sparse_array.h"

#include "base/assert.h"
#include "base/hash.h"

#include <string.h>

#define PAGE_BYTES (PAGE_NUMBERS * sizeof(uint32_t))

static const uint32_t zeros[PAGE_NUMBERS];

uint32_t *sparse_get_or_create(uint32_t **pages, uint32_t i, allocator_t *a) {
  uint32_t **page = &pages[i / PAGE_NUMBERS];
  if (!*page)
    *page = alloc_aligned(a, PAGE_BYTES);
  return *page + i % PAGE_NUMBERS;
}

void sparse_free(uint32_t **pages, uint32_t count, allocator_t *a) {
  for (uint32_t i = 0; i < count; ++i) {
    alloc_free_aligned(a, pages[i], PAGE_BYTES);
    pages[i] = NULL;
  }
}

static uint32_t count_page_numbers(uint32_t page, uint32_t numbers) {
  uint32_t first = page * PAGE_NUMBERS;
  uint32_t remaining = numbers > first ? numbers - first : 0;
  return remaining < PAGE_NUMBERS ? remaining : PAGE_NUMBERS;
}

void sparse_copy(uint32_t *out, uint32_t *const *pages, uint32_t numbers) {
  for (uint32_t i = 0; i < sparse_page_count(numbers); ++i)
    memcpy(out + (size_t)i * PAGE_NUMBERS, pages[i] ? pages[i] : zeros, count_page_numbers(i, numbers) * sizeof *out);
}

void sparse_load(uint32_t **pages, uint32_t count, const uint32_t *values, uint32_t numbers, allocator_t *a) {
  shoal_assert(sparse_page_count(numbers) <= count, "%u values do not fit in %u pages", numbers, count);
  sparse_free(pages, count, a);
  for (uint32_t i = 0; i < sparse_page_count(numbers); ++i) {
    size_t bytes = count_page_numbers(i, numbers) * sizeof *values;
    if (memcmp(values + (size_t)i * PAGE_NUMBERS, zeros, bytes) != 0)
      memcpy(sparse_get_or_create(pages, i * PAGE_NUMBERS, a), values + (size_t)i * PAGE_NUMBERS, bytes);
  }
}

uint64_t sparse_hash(uint32_t *const *pages, uint32_t numbers, uint64_t seed) {
  hash_parts_t parts;
  hash_parts_begin(&parts, seed);
  for (uint32_t i = 0; i < sparse_page_count(numbers); ++i)
    hash_parts_add(&parts, pages[i] ? pages[i] : zeros, count_page_numbers(i, numbers) * sizeof **pages);
  return hash_parts_end(&parts);
}
