// Reverse lookup of one entity field: the entities whose field points to a given entity. Derived from the column and
// therefore not part of the state: built on the first lookup, updated by notifications from managers
// (relation_internal.h), and rebuilt after a restore.
//
// Each row is a node, numbered by its entity or, if entities can have several rows, by row. The referrers of an entity
// are contiguous in one list, ordered by entity index. New referrers are appended; if this breaks the order, the list
// is marked and sorted on the next lookup. Removing a referrer leaves a hole.
#ifndef SHOAL_ECS_REFERRERS_H
#define SHOAL_ECS_REFERRERS_H

#include "base/array.h"
#include "ecs/manager.h"

#define LINKS_INLINE 2u // number of elements stored inline

typedef struct referrers_list_t {
  union {
    // Referring entities or, if entities can have several rows, row numbers + 1. 0: hole
    uint32_t inline_items[LINKS_INLINE], *heap_items;
  };
  uint32_t count, capacity, holes;
  uint32_t last;       // entity index of the last element
  shoal_entity target; // target of all elements, unless `mixed`
  bool mixed; // true if the elements refer to several entities with the same index, at most one of which is alive
  bool unsorted;
} referrers_list_t;

typedef struct referrers_node_t {
  shoal_entity target; // value of the field; 0 if the field is empty
  uint32_t position;   // position in the list of `target`
} referrers_node_t;

typedef struct referrers_t {
  manager_o *manager;
  uint32_t column;
  bool built;
  uint64_t links_version; // world_update_links_version when the lists were last compared with the column
  bool column_written;    // true if the column may have been written in place since then
  uint64_t version;       // incremented by every change
  uint64_t steps;         // number of elements and rows visited so far; measures the cost of lookups
  uint32_t *head;         // indexed by target: index in `lists` + 1
  uint32_t head_capacity;
  ARRAY(referrers_list_t) lists;
  uint32_t free_list; // index + 1 of the first unused list; unused lists are chained by `last`
  referrers_node_t *nodes;
  uint32_t capacity; // capacity of `nodes`
  allocator_t *allocator;
} referrers_t;

referrers_t *referrers_create(manager_o *m, uint32_t column, allocator_t *a);
void referrers_destroy(referrers_t *lookup);

void referrers_notify_rows_added(referrers_t *lookup, uint32_t first, uint32_t count);
void referrers_notify_row_removing(referrers_t *lookup, uint32_t row);
void referrers_notify_rows_removing(referrers_t *lookup, const shoal_entity *entities, uint32_t count);
void referrers_notify_row_written(referrers_t *lookup, uint32_t row);
// Reports values that were written in place: the values of `count` rows (`rows` may be NULL: the first rows), or of
// unknown rows of the column.
void referrers_notify_rows_written(referrers_t *lookup, const uint32_t *rows, uint32_t count);
void referrers_notify_column_written(referrers_t *lookup);
void referrers_notify_rows_replaced(referrers_t *lookup);

// Brings the lists up to date: builds them if necessary, or compares them with the column if it may have been written
// in place since the last call. `links_version` is the result of world_update_links_version.
void referrers_update(referrers_t *lookup, uint64_t links_version);
// referrers_list writes the referrers of e to `out`, sorted by entity index, then row, and returns their number. `out`
// receives entities or, if referrers_are_by_row, row numbers, and must hold referrers_max_count(e) items. Call
// referrers_update first.
uint32_t referrers_max_count(const referrers_t *lookup, shoal_entity e);
uint32_t referrers_list(referrers_t *lookup, shoal_entity e, uint32_t *out);
bool referrers_are_by_row(const referrers_t *lookup);

#endif
