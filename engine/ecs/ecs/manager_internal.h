// Adding and removing rows. Private to ecs, snapshot and migrate; other modules request structural changes from the
// world.
#ifndef SHOAL_ECS_MANAGER_INTERNAL_H
#define SHOAL_ECS_MANAGER_INTERNAL_H

#include "ecs/manager.h"

manager_o *manager_create(world_o *w, uint32_t id, const schema_t *schema);
void manager_destroy(manager_o *m);
// Adopts a different schema. If the layout is the same, only replaces the defaults and clamps the rows to the new
// ranges. Otherwise, creates new columns; the manager must then be empty.
void manager_redeclare(manager_o *m, const schema_t *schema);

// Adds one row per entity; no entity may already have this instance. Does not notify queries. Returns the first row.
// `at` is m->count (append) or, if the entities are about to join the group that owns m, the group's count. In the
// second case, existing rows move to the end, as if each new row had swapped places with one of them.
uint32_t manager_add_rows(manager_o *m, const shoal_entity *entities, uint32_t count, uint32_t instance, uint32_t at,
                          const double *values);
// Like manager_add_rows for one entity at the end of a plain component, with the elements of columns_encode.
// `has_links`: the component has entity fields.
void manager_append_encoded_row(manager_o *m, shoal_entity e, const uint64_t *elements, bool has_links);
// Like manager_add_rows, but takes the values from staged columns, whose contents are undefined afterwards: an empty
// component takes over their memory.
uint32_t manager_add_staged_rows(manager_o *m, const shoal_entity *entities, uint32_t instance, uint32_t at,
                                 columns_t *staged);

// Swaps the rows of these entities, one by one, with the rows `target`, `target` + `step`, … Plain components only.
// `old_rows` (may be NULL) receives the `count` previous row numbers.
void manager_swap_rows(manager_o *m, const shoal_entity *entities, uint32_t count, uint32_t target, int step,
                       uint32_t *old_rows);

// Swaps two rows of a plain component without notifying queries.
void manager_swap_two_rows(manager_o *m, uint32_t a, uint32_t b);

// Appends a row with defaults and without an owner to a singleton, and returns it. Row 0 is the singleton itself; ecs
// stores lists in the following rows.
uint32_t manager_add_unowned_row(manager_o *m);
// Returns the first row with `text` (string id) in `column`, or ROW_NONE if no row contains it.
uint32_t manager_find_row_with_text(const manager_o *m, uint32_t column, uint32_t text);

// Remove a row in two steps: manager_detach_row takes it out of the index and its owner's chain; manager_fill_row moves
// the last row into the gap and notifies queries.
void manager_detach_row(manager_o *m, uint32_t row);
void manager_fill_row(manager_o *m, uint32_t row);
// Returns true if these entities' rows in a plain component are contiguous, in ascending or descending order.
bool manager_has_contiguous_rows(const manager_o *m, const shoal_entity *entities, uint32_t count);
// Removes the rows of the entities that have this plain component. The result equals removing them one by one in this
// order. Notifies queries only of moved rows. `is_run`: the result of manager_has_contiguous_rows.
void manager_erase_rows(manager_o *m, const shoal_entity *entities, uint32_t count, bool is_run);
// Like manager_erase_rows if these entities include the owners of all rows. No row moves.
void manager_erase_all_rows(manager_o *m, const shoal_entity *entities, uint32_t count);

// For snapshots: replaces all rows and the index, of which the manager takes ownership. Does not notify queries. A
// singleton needs at least one row; to reset it to its defaults, call manager_clear. `marks` (columns.h) may be NULL
// per column.
void manager_load_rows(manager_o *m, uint32_t count, const shoal_entity *owner, const uint32_t *instance,
                       const uint32_t *next, const void *const *columns, const uint8_t *const *marks, uint32_t **pages,
                       uint32_t page_count);
void manager_set_mark_tracking(manager_o *m, bool enabled); // starts or stops tracking marks; no query may be open
void manager_clear(manager_o *m);
// Passes storage from a snapshot to the component's hooks, or keeps the storage if the component has no hooks. `bytes`
// is NULL and `size` 0 if the snapshot contains no storage for the component.
void manager_load_storage(manager_o *m, uint32_t version, const void *bytes, size_t size);
// Returns true if the component has kept storage that still applies to its entities. After entities have been added or
// removed, the bytes are outdated: the hooks' `load` then receives NULL and fills its storage from the rows.
bool manager_has_foreign_storage(const manager_o *m);

// Hashes the rows and the storage; returns `seed` if both are empty.
uint64_t manager_hash(const manager_o *m, uint64_t seed);

void manager_add_query(manager_o *m, query_o *q);

static inline void manager_prefetch_row(const manager_o *m, uint32_t row) {
  __builtin_prefetch(&m->owner[row], 1);
  for (uint32_t c = 0; c < m->columns.stored_count; ++c)
    __builtin_prefetch((const char *)m->columns.data[c] + (size_t)row * m->columns.element_bytes[c], 1);
}

#endif
