// The paged way from an entity's index to a place. A page exists while something on it is there.
#include "ecs/index.h"

#include "ecs/entity.h"

#include <string.h>

uint32_t *index_make(uint32_t ***pages, uint32_t *page_count, shoal_entity e, allocator_t *a) {
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
  for (uint32_t i = 0; i < page_count; ++i)
    alloc_free_aligned(a, pages[i], MANAGER_PAGE_ROWS * sizeof(uint32_t));
  alloc_resize(a, pages, page_count * sizeof *pages, 0);
}

void index_set_many(uint32_t ***pages, uint32_t *page_count, const shoal_entity *entities, uint32_t count,
                    uint32_t first, allocator_t *a) {
  for (uint32_t i = 0, line; i < count; i += line) {
    uint32_t *slots = index_slot(pages, page_count, entities[i], a);
    line = entities_in_line(entities + i, count - i, MANAGER_PAGE_ROWS);
    for (uint32_t k = 0; k < line; ++k)
      slots[k] = first + i + k + 1;
  }
}

void index_clear_many(uint32_t *const *pages, const shoal_entity *entities, uint32_t count) {
  for (uint32_t i = 0, line; i < count; i += line) {
    uint32_t index = shoal_entity_index(entities[i]);
    uint32_t *slots = &pages[index / MANAGER_PAGE_ROWS][index % MANAGER_PAGE_ROWS];
    line = entities_in_line(entities + i, count - i, MANAGER_PAGE_ROWS);
    for (uint32_t k = 0; k < line; ++k)
      slots[k] = 0;
  }
}
