#include "ecs/index.h"

#include <string.h>

uint32_t *index_slot(uint32_t ***pages, uint32_t *page_count, shoal_entity e, allocator_t *a) {
  uint32_t i = shoal_entity_index(e), page = i / MANAGER_PAGE_ROWS;
  if (page >= *page_count) {
    uint32_t count = *page_count ? *page_count : 1;
    while (count <= page)
      count *= 2;
    *pages = alloc_resize(a, *pages, *page_count * sizeof **pages, count * sizeof **pages);
    memset(*pages + *page_count, 0, (count - *page_count) * sizeof **pages);
    *page_count = count;
  }
  if (!(*pages)[page])
    (*pages)[page] = alloc_aligned(a, MANAGER_PAGE_ROWS * sizeof(uint32_t));
  return &(*pages)[page][i % MANAGER_PAGE_ROWS];
}

void index_free(uint32_t **pages, uint32_t page_count, allocator_t *a) {
  for (uint32_t i = 0; i < page_count; i++)
    alloc_free_aligned(a, pages[i], MANAGER_PAGE_ROWS * sizeof(uint32_t));
  alloc_resize(a, pages, page_count * sizeof *pages, 0);
}
