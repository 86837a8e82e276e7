// Relations between entities. A relation is a component with an entity field. The rows of a relation are ordinary rows:
// saved, restored, replayed, hashed, undone, written into scenes and visible in SQL. This module adds:
// - the reverse lookup from a target to its referrers (referrers.h)
// - pairs, of which an entity can have several if the component is `many`
// - cascades when a target is destroyed (FIELD_CASCADE_, schema.h)
//
// Cascades run while a batch of entities is destroyed. Referrers that must be destroyed as well join the batch, each
// once, so cycles terminate. Then the rows of surviving referrers are removed or cleared, in this order: by component,
// by field, by position of the destroyed entity in the batch, by referrer.
//
// Main thread only. Reverse lookups and queries over pairs are not part of the state.
#ifndef SHOAL_ECS_RELATION_H
#define SHOAL_ECS_RELATION_H

#include "ecs/world.h"

// name of a relation's target field; a relation without this field uses its first entity field
#define RELATION_TARGET "target"

// Enables relations for the rest of the world's life. Further calls do nothing.
void relation_enable(world_o *w);

// Returns the column with the target of this component's pairs; -1 with an error if the component is unknown, is a
// singleton, or has no entity field.
int32_t relation_find_column(world_o *w, uint32_t manager, error_info_t *error);

// Adds the pair (manager, target) of e. Adding an existing pair changes nothing. With a plain component, e has at most
// one pair: adding a second pair replaces the first. With a `many` component, the name of the pair's instance is the
// lowest number that is free in e: "1", "2" …. `instance` (may be NULL) receives the string id of this name, for
// world_set_field. While commands are deferred, the function queues a command and takes queued pairs into account.
// Returns true on success, or false with an error if e or `target` is not alive, if e is staged by an open block, if
// relation_find_column fails, or if e already has MANAGER_MAX_INSTANCES pairs.
bool relation_add_pair(world_o *w, shoal_entity e, uint32_t manager, shoal_entity target, uint32_t *instance,
                       error_info_t *error);
// Removes the pair (manager, target) of e, or queues a command while deferring, and returns true. Returns false if the
// pair is missing or cannot be removed (world_remove_component).
bool relation_remove_pair(world_o *w, shoal_entity e, uint32_t manager, shoal_entity target);
// Returns the row of the pair, ignoring queued pairs; ROW_NONE if the pair is missing.
uint32_t relation_find_row(world_o *w, shoal_entity e, uint32_t manager, shoal_entity target);
// Returns the instance of an existing or queued pair; 0 for plain components, ROW_NONE if the pair is missing.
uint32_t relation_find_instance(world_o *w, shoal_entity e, uint32_t manager, shoal_entity target);

// Writes up to `max` living targets of e to `out`, in the order in which the pairs were added. Returns the total number
// of living targets, which may exceed `max`. For an entity whose spawn is queued, these are the targets that it will
// have.
uint32_t relation_list_targets(world_o *w, shoal_entity e, uint32_t manager, shoal_entity *out, uint32_t max);

// Returns the entities that point to e with this column, each once, in order of entity index; borrowed until the next
// call. After the first call, the cost is proportional to the number of results, plus one pass over the column if
// unknown rows were written in place since the previous lookup. A dead entity has no results. Skips entities whose
// spawn is queued, as a query does.
const shoal_entity *relation_list_sources(world_o *w, shoal_entity e, uint32_t manager, uint32_t column,
                                          uint32_t *count);

// Reports that code wrote this column in place: at most `count` rows, listed in `rows` (NULL: the first rows; skips
// ROW_NONE). Keeps the reverse lookup and the transform hierarchy current. Does nothing for fields that are not entity
// fields. Main thread, before rows are added or removed.
void relation_report_written_rows(world_o *w, uint32_t manager, uint32_t column, const uint32_t *rows, uint32_t count);

// Returns a query for the entities that match `base` and have all `count` pairs. The query has the same terms as
// `base`, with row maps, and is already populated; open it with pair_query_open. The content is valid while the query
// is open: a later call may populate a closed query again, or reuse it for other targets. The addresses of the query
// and of its views are valid for the world's life. `base` must contain the component of the first pair. Returns NULL
// with an error if there are too many queries over pairs and no closed query can be reused.
typedef struct pair_t {
  uint32_t manager, column;
  shoal_entity target;
} pair_t;
#define PAIRS_MAX 4u
query_o *pair_query_find_or_create(world_o *w, query_o *base, const pair_t *pairs, uint32_t count, error_info_t *error);
// Creates a query that is reserved for the caller for the world's life. The targets of `pairs` are ignored. Before
// opening the query, call pair_query_retarget, which sets the targets and populates the query. The query has no rows if
// any target is 0 or the first target is dead.
query_o *pair_query_create(world_o *w, query_o *base, const pair_t *pairs, uint32_t count);
void pair_query_retarget(query_o *q, const shoal_entity *targets);
void pair_query_open(query_o *q);
void pair_query_close(query_o *q);
// Returns the target that this column contains in all rows of a query over pairs that was just opened. Returns
// SHOAL_ENTITY_NONE if the column is not the first pair's entity field, or if the rows may differ.
shoal_entity pair_query_find_fixed_target(const query_o *q, const struct manager_o *m, uint32_t column);

#endif
