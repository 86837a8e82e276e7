// How rows come and go. Private to ecs, snapshot and migrate: others go through the world's structure changes.
#ifndef SHOAL_ECS_MANAGER_INTERNAL_H
#define SHOAL_ECS_MANAGER_INTERNAL_H

#include "ecs/manager.h"

manager_o *manager_create(world_o *w, uint32_t id, const schema_t *schema);
void manager_destroy(manager_o *m);
// Takes over another schema: defaults only when the layout is the same, new columns when it is not (there are no rows
// then).
void manager_redeclare(manager_o *m, const schema_t *schema);

// One row for each entity, none of which has this instance yet. Queries are not told. Returns the first row. The rows
// come at the end, or, where the entities are about to join the group that owns m, behind its last row: `at` is
// m->count or the group's count. What is there moves to the end as if each new row had changed places with it.
uint32_t manager_add_rows(manager_o *m, const shoal_entity *entities, uint32_t count, uint32_t instance, uint32_t at,
                          const double *values);
// The same from staged columns.
uint32_t manager_add_staged(manager_o *m, const shoal_entity *entities, uint32_t instance, uint32_t at,
                            const columns_t *staged);

// The rows of these entities, of a plain component, change places with those at `to`, `to` + `step` and so on, one by
// one. `from`: `count` places for the rows from which they come, or NULL.
void manager_bring_rows(manager_o *m, const shoal_entity *entities, uint32_t count, uint32_t to, int step,
                        uint32_t *from);

// Appends a row that belongs to no entity, with defaults, to a single. Row 0 is the single's own; ecs keeps lists of
// its own in the rows after it. Returns the row.
uint32_t manager_add_unowned(manager_o *m);
// Returns the first row whose `column` (a string) is `text`, or ROW_NONE.
uint32_t manager_find_text(const manager_o *m, uint32_t column, uint32_t text);

// Removes a row in two steps: it leaves the index and its owner's chain; then the last row fills its place, which
// queries are told of.
void manager_detach_row(manager_o *m, uint32_t row);
void manager_fill_row(manager_o *m, uint32_t row);
// Are the rows of these entities, of a plain component, side by side, the first one first or last?
bool manager_is_run(const manager_o *m, const shoal_entity *entities, uint32_t count);
// The rows of those of `count` entities that have this plain component: as if one by one, in this order. Only the moves
// are told. `is_run`: they are what manager_is_run says, which is not looked at again.
void manager_erase_many(manager_o *m, const shoal_entity *entities, uint32_t count, bool is_run);

// For snapshots. All rows at once, with the index that finds them, which goes to the manager; queries are not told. The
// rows of a single cannot go: clearing gives it its defaults. `marks` (columns.h) are NULL, by column, where there are
// none.
void manager_load(manager_o *m, uint32_t count, const shoal_entity *owner, const uint32_t *instance,
                  const uint32_t *next, const void *const *columns, const uint8_t *const *marks, uint32_t **pages,
                  uint32_t page_count);
void manager_track(manager_o *m, bool on); // no query is open
void manager_clear(manager_o *m);
// What a snapshot says of its storage goes to whoever has it, or is kept; NULL and 0 where it says nothing.
void manager_load_storage(manager_o *m, uint32_t version, const void *bytes, size_t size);

// Hashes the rows and the storage; returns `seed` where there is neither.
uint64_t manager_hash(const manager_o *m, uint64_t seed);

void manager_add_query(manager_o *m, query_o *q);

#endif
