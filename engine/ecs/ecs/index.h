// Paged index: entity index → position + 1, in pages of INDEX_PAGE entries that are allocated on demand. Used to find
// an entity's row in a manager, a query or a watcher. Pages with equal content may be shared: components that are
// always added together have the same rows. Writing to a shared page copies it first (index_slot). A page's header
// counts the other indexes that share the page, and how often the page was copied for writing.
#ifndef SHOAL_ECS_INDEX_H
#define SHOAL_ECS_INDEX_H

#include "base/alloc.h"
#include "ecs/index_runs.h"

#include <stdbool.h>

// Number of entities per page: small, because a game may have thousands of components. Duplicated in
// scripts/shoal/schema/component.lua.
#define INDEX_PAGE 256u
#define INDEX_HEADER 16u // header size in elements, which keeps the page aligned
enum { INDEX_SHARERS = -1, INDEX_COPIES = -2 };

// Returns the slot of an entity for writing. Allocates the page if it is missing and copies it if it is shared.
uint32_t *index_create_slot(uint32_t ***pages, uint32_t *page_count, shoal_entity e, allocator_t *a);
void index_free(uint32_t **pages, uint32_t page_count, allocator_t *a);

// Returns true if `*page` and `candidate` have equal content. In this case, replaces `*page` with `candidate`, unless
// one of the pages is copied often.
bool index_try_share_page(uint32_t **page, uint32_t *candidate, allocator_t *a);
// Returns a copy of an index that shares all of its pages.
uint32_t **index_copy(uint32_t *const *pages, uint32_t page_count, allocator_t *a);

// Returns the slot of an entity for writing, like index_create_slot; inline for the common case.
static inline uint32_t *index_slot(uint32_t ***pages, uint32_t *page_count, shoal_entity e, allocator_t *a) {
  uint32_t i = shoal_entity_index(e), page = i / INDEX_PAGE;
  if (page < *page_count && (*pages)[page] && (*pages)[page][INDEX_SHARERS] == 0)
    return &(*pages)[page][i % INDEX_PAGE];
  return index_create_slot(pages, page_count, e, a);
}

// Returns the position + 1 stored for the index of e, or 0 if there is no entry. Does not compare generations.
static inline uint32_t index_get(uint32_t *const *pages, uint32_t page_count, shoal_entity e) {
  uint32_t i = shoal_entity_index(e), page = i / INDEX_PAGE;
  return page < page_count && pages[page] ? pages[page][i % INDEX_PAGE] : 0;
}

static inline void index_prefetch(uint32_t *const *pages, uint32_t page_count, shoal_entity e) {
  uint32_t i = shoal_entity_index(e), page = i / INDEX_PAGE;
  if (page < page_count && pages[page])
    __builtin_prefetch(&pages[page][i % INDEX_PAGE], 1);
}

// Index in which entities that are added to several indexes already have the positions `first`, first + 1, …
typedef struct index_source_t {
  uint32_t *const *pages; // pages of the index; NULL: no index
  uint32_t page_count, first;
  bool is_last; // true if only entities passed to index_set_many have positions from `first` on
} index_source_t;

// index_set_many stores the positions first, first + 1, … for `count` entities. If `source` has the same `first`,
// missing pages that will contain only these entities are shared with it. If the list is scattered but has many
// entities per page, the entries are copied from `source` page by page; this requires source->is_last. index_clear_many
// removes the entries of `count` entities, some of which may have no entry.
void index_set_many(uint32_t ***pages, uint32_t *page_count, const shoal_entity *entities, uint32_t count,
                    uint32_t first, const index_source_t *source, allocator_t *a);
void index_clear_many(uint32_t ***pages, uint32_t *page_count, const shoal_entity *entities, uint32_t count,
                      allocator_t *a);
// Like index_clear_many, but the index must contain no entries of other entities: dense pages are cleared as a whole.
void index_clear_all(uint32_t **pages, uint32_t page_count, const shoal_entity *entities, uint32_t count,
                     allocator_t *a);

#endif
