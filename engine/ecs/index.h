// Entity index → place + 1, in pages of MANAGER_PAGE_ROWS that exist only where something is: the way from an entity to
// its row in a manager, a query or a watcher. Private to ecs and state.
#ifndef SHOAL_ECS_INDEX_H
#define SHOAL_ECS_INDEX_H

#include "base/alloc.h"
#include "ecs/manager.h"

// The slot of an entity whose page may be missing: it is made.
uint32_t *index_make(uint32_t ***pages, uint32_t *page_count, shoal_entity e, allocator_t *a);
void index_free(uint32_t **pages, uint32_t page_count, allocator_t *a);

// The slot of an entity; its page is made when it is missing.
static inline uint32_t *index_slot(uint32_t ***pages, uint32_t *page_count, shoal_entity e, allocator_t *a) {
  uint32_t i = shoal_entity_index(e), page = i / MANAGER_PAGE_ROWS;
  if (page < *page_count && (*pages)[page])
    return &(*pages)[page][i % MANAGER_PAGE_ROWS];
  return index_make(pages, page_count, e, a);
}

// 0 where nothing is.
static inline uint32_t index_get(uint32_t *const *pages, uint32_t page_count, shoal_entity e) {
  uint32_t i = shoal_entity_index(e), page = i / MANAGER_PAGE_ROWS;
  return page < page_count && pages[page] ? pages[page][i % MANAGER_PAGE_ROWS] : 0;
}

// The places first, first + 1, … for `count` entities; and none for those that have one.
void index_set_many(uint32_t ***pages, uint32_t *page_count, const shoal_entity *entities, uint32_t count,
                    uint32_t first, allocator_t *a);
void index_clear_many(uint32_t *const *pages, const shoal_entity *entities, uint32_t count);

#endif
