// Paged index from entity to position. Pages are allocated only where they have entries.
#include "ecs/index.h"

#include "base/assert.h"

#include <string.h>

#define PAGE_BYTES ((INDEX_HEADER + INDEX_PAGE) * sizeof(uint32_t))
#define MAX_COPIES 3u // a page copied this often is hot: stop sharing it
#define MIN_DENSE 16u // entries per page from which clearing the page is faster than clearing its entries
#define MIN_RUN 8u    // minimum run length of consecutive entities in a list that is not scattered

static uint32_t *allocate_page(allocator_t *a) {
  return (uint32_t *)alloc_aligned(a, PAGE_BYTES) + INDEX_HEADER;
}

static void release_page(uint32_t *page, allocator_t *a) {
  if (page && page[INDEX_SHARERS] > 0)
    page[INDEX_SHARERS]--;
  else if (page)
    alloc_free_aligned(a, page - INDEX_HEADER, PAGE_BYTES);
}

// Replaces a shared page with a page for one index. `keeps_entries`: copies the entries.
static uint32_t *unshare_page(uint32_t *page, bool keeps_entries, allocator_t *a) {
  uint32_t *copy = allocate_page(a);
  if (keeps_entries)
    memcpy(copy, page, INDEX_PAGE * sizeof *copy);
  copy[INDEX_COPIES] = page[INDEX_COPIES] + 1;
  release_page(page, a);
  return copy;
}

bool index_try_share_page(uint32_t **page, uint32_t *candidate, allocator_t *a) {
  uint32_t *current = *page;
  shoal_assert(current && candidate, "cannot share a missing page");
  if (current == candidate)
    return true;
  if (memcmp(current, candidate, INDEX_PAGE * sizeof *current) != 0)
    return false;
  if (current[INDEX_COPIES] < MAX_COPIES && candidate[INDEX_COPIES] < MAX_COPIES) {
    candidate[INDEX_SHARERS]++;
    candidate[INDEX_COPIES] =
        current[INDEX_COPIES] > candidate[INDEX_COPIES] ? current[INDEX_COPIES] : candidate[INDEX_COPIES];
    release_page(current, a);
    *page = candidate;
  }
  return true;
}

uint32_t **index_copy(uint32_t *const *pages, uint32_t page_count, allocator_t *a) {
  uint32_t **copy = alloc_resize(a, NULL, 0, page_count * sizeof *copy);
  for (uint32_t i = 0; i < page_count; ++i) {
    copy[i] = pages[i];
    if (copy[i])
      copy[i][INDEX_SHARERS]++;
  }
  return copy;
}

// Grows the table of pages until it contains `page`: by a quarter or, if that is too little, to exactly this page,
// because most components of a large game have a single page, whose number may be high.
static void reserve_page(uint32_t ***pages, uint32_t *page_count, uint32_t page, allocator_t *a) {
  uint32_t count = *page_count + *page_count / 4;
  if (page < *page_count)
    return;
  count = count > page + 1 ? count : page + 1;
  *pages = alloc_resize(a, *pages, *page_count * sizeof **pages, count * sizeof **pages);
  memset(*pages + *page_count, 0, (count - *page_count) * sizeof **pages);
  *page_count = count;
}

// Returns the slot of an entity for writing. `keeps_entries`: false if the caller writes all entries of the page.
static uint32_t *create_slot(uint32_t ***pages, uint32_t *page_count, shoal_entity e, bool keeps_entries,
                             allocator_t *a) {
  uint32_t i = shoal_entity_index(e), page = i / INDEX_PAGE;
  reserve_page(pages, page_count, page, a);
  if (!(*pages)[page])
    (*pages)[page] = allocate_page(a);
  else if ((*pages)[page][INDEX_SHARERS] > 0)
    (*pages)[page] = unshare_page((*pages)[page], keeps_entries, a);
  return &(*pages)[page][i % INDEX_PAGE];
}

// Not inlined, because loops over slots are faster without this code.
__attribute__((noinline)) uint32_t *index_create_slot(uint32_t ***pages, uint32_t *page_count, shoal_entity e,
                                                      allocator_t *a) {
  return create_slot(pages, page_count, e, true, a);
}

void index_free(uint32_t **pages, uint32_t page_count, allocator_t *a) {
  for (uint32_t i = 0; i < page_count; ++i)
    release_page(pages[i], a);
  alloc_resize(a, pages, page_count * sizeof *pages, 0);
}

// Stores `position`, `position` + 1, … for a run of consecutive indices.
static void set_run(uint32_t *slots, uint32_t count, uint32_t position) {
  for (uint32_t k = 0; k < count; ++k)
    slots[k] = position + k;
}

// Shares the page of `source` instead of creating a page whose entries are all written, and returns true. Returns false
// if the index already has this page, or if the page of `source` is missing or copied often.
static bool share_source_page(uint32_t **page, uint32_t number, const index_source_t *source) {
  uint32_t *candidate = number < source->page_count ? source->pages[number] : NULL;
  if (!candidate || *page || candidate[INDEX_COPIES] >= MAX_COPIES)
    return false;
  candidate[INDEX_SHARERS]++;
  *page = candidate;
  return true;
}

// Returns true if copying whole pages of `source` is faster than writing the entries of these entities one by one.
static bool is_scattered(const index_source_t *source, const shoal_entity *entities, uint32_t count) {
  uint32_t middle = count / 2;
  return source && source->pages && source->is_last && count / MIN_DENSE >= source->page_count &&
         entities_run_length(entities, count, 0) < MIN_RUN &&
         entities_run_length(entities + middle, count - middle, 0) < MIN_RUN;
}

// The loops below compare signed numbers, because SSE2 cannot compare unsigned numbers. Positions are below 2^31.
static bool has_higher_entries(const uint32_t *page, uint32_t position) {
  int32_t found = 0;
  for (int k = 0; k < (int)INDEX_PAGE; ++k)
    found |= (int32_t)page[k] > (int32_t)position;
  return found != 0;
}

static void copy_higher_entries(uint32_t *restrict page, const uint32_t *restrict source, uint32_t source_first,
                                uint32_t first) {
  for (int k = 0; k < (int)INDEX_PAGE; ++k)
    page[k] = (int32_t)source[k] > (int32_t)source_first ? source[k] - source_first + first : page[k];
}

// Copies the entries with positions from source->first on, and changes them to positions from `first` on.
static void copy_entries(uint32_t ***pages, uint32_t *page_count, uint32_t first, const index_source_t *source,
                         allocator_t *a) {
  for (uint32_t i = 0; i < source->page_count; ++i)
    if (source->pages[i] && has_higher_entries(source->pages[i], source->first))
      copy_higher_entries(index_create_slot(pages, page_count, i * INDEX_PAGE, a), source->pages[i], source->first,
                          first);
}

void index_set_many(uint32_t ***pages, uint32_t *page_count, const shoal_entity *entities, uint32_t count,
                    uint32_t first, const index_source_t *source, allocator_t *a) {
  uint32_t **table = *pages, table_count = *page_count; // local, because writes to slots could change *page_count
  bool shares = source && source->pages && source->first == first;
  if (is_scattered(source, entities, count)) {
    copy_entries(pages, page_count, first, source, a);
    return;
  }
  for (uint32_t i = 0, run; i < count; i += run) {
    uint32_t page = shoal_entity_index(entities[i]) / INDEX_PAGE;
    run = entities_run_length(entities + i, count - i, INDEX_PAGE);
    if (run == 1) {
      *index_slot(&table, &table_count, entities[i], a) = first + i + 1;
      continue;
    }
    reserve_page(&table, &table_count, page, a);
    if (run < INDEX_PAGE || !shares || !share_source_page(&table[page], page, source))
      set_run(create_slot(&table, &table_count, entities[i], run < INDEX_PAGE, a), run, first + i + 1);
  }
  *pages = table;
  *page_count = table_count;
}

void index_clear_many(uint32_t ***pages, uint32_t *page_count, const shoal_entity *entities, uint32_t count,
                      allocator_t *a) {
  uint32_t **table = *pages, table_count = *page_count;
  for (uint32_t i = 0, run; i < count; i += run) {
    uint32_t *slots = index_slot(&table, &table_count, entities[i], a);
    run = entities_run_length(entities + i, count - i, INDEX_PAGE);
    if (run == 1)
      *slots = 0;
    else
      memset(slots, 0, run * sizeof *slots);
  }
  *pages = table;
  *page_count = table_count;
}

void index_clear_all(uint32_t **pages, uint32_t page_count, const shoal_entity *entities, uint32_t count,
                     allocator_t *a) {
  if (count / MIN_DENSE < page_count) {
    index_clear_many(&pages, &page_count, entities, count, a);
    return;
  }
  for (uint32_t i = 0; i < page_count; ++i)
    if (pages[i] && pages[i][INDEX_SHARERS] > 0) {
      release_page(pages[i], a);
      pages[i] = NULL;
    } else if (pages[i]) {
      memset(pages[i], 0, INDEX_PAGE * sizeof *pages[i]);
    }
}
