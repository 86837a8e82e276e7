// Entity index → place + 1, in pages of INDEX_PAGE that exist only where something is: the way from an entity to
// its row in a manager, a query or a watcher.
//
// Pages with the same places in them may be one: components that are always added together have the same rows. Who
// writes to a page that others have too gets one of his own first, by index_slot. In front of a page lie two numbers:
// by how many others it is used, and how often such a page had to be copied to be written.
#ifndef SHOAL_ECS_INDEX_H
#define SHOAL_ECS_INDEX_H

#include "base/alloc.h"
#include "ecs/index_runs.h"

#include <stdbool.h>

#define INDEX_PAGE 4096u // entities
#define INDEX_HEAD 16u   // numbers in front of a page, which stays aligned
enum { INDEX_OTHERS = -1, INDEX_COPIES = -2 };

// The slot of an entity whose page may be missing, or be others' too: it is made.
uint32_t *index_make(uint32_t ***pages, uint32_t *page_count, shoal_entity e, allocator_t *a);
void index_free(uint32_t **pages, uint32_t page_count, allocator_t *a);

// Two pages become one, if they hold the same and neither is written all the time. False where they hold other places.
bool index_share(uint32_t **page, uint32_t *with, allocator_t *a);
// The pages of another index, shared.
uint32_t **index_copy(uint32_t *const *pages, uint32_t page_count, allocator_t *a);

// The slot of an entity, to be written; its page is made when it is missing.
static inline uint32_t *index_slot(uint32_t ***pages, uint32_t *page_count, shoal_entity e, allocator_t *a) {
  uint32_t i = shoal_entity_index(e), page = i / INDEX_PAGE;
  if (page < *page_count && (*pages)[page] && (*pages)[page][INDEX_OTHERS] == 0)
    return &(*pages)[page][i % INDEX_PAGE];
  return index_make(pages, page_count, e, a);
}

// 0 where nothing is.
static inline uint32_t index_get(uint32_t *const *pages, uint32_t page_count, shoal_entity e) {
  uint32_t i = shoal_entity_index(e), page = i / INDEX_PAGE;
  return page < page_count && pages[page] ? pages[page][i % INDEX_PAGE] : 0;
}

// The places first, first + 1, … for `count` entities; and none for those that have one.
void index_set_many(uint32_t ***pages, uint32_t *page_count, const shoal_entity *entities, uint32_t count,
                    uint32_t first, allocator_t *a);
void index_clear_many(uint32_t ***pages, uint32_t *page_count, const shoal_entity *entities, uint32_t count,
                      allocator_t *a);

#endif
