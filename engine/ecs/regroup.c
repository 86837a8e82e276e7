#include "ecs/regroup.h"

#include "ecs/world_internal.h"

// A query of the code of now, and whether it is to be a group.
typedef struct wanted_t {
  query_o *query;
  bool grouped;
} wanted_t;

typedef struct regroup_t {
  allocator_t memory;
  ARRAY(wanted_t) wanted;
} regroup_t;

static void list_queries(regroup_t *r, const world_o *w) {
  for (uint32_t i = 0; i < w->queries.count; i++) {
    wanted_t x = {w->queries.items[i], w->queries.items[i]->grouped};
    array_push(&r->memory, &r->wanted, x);
  }
}

static bool is_wanted_group(const regroup_t *r, const query_o *q) {
  for (uint32_t i = 0; i < r->wanted.count; i++)
    if (r->wanted.items[i].query == q)
      return r->wanted.items[i].grouped;
  return false;
}

static bool choose_again(const regroup_t *r, world_o *w, bool wake, error_t *error) {
  for (uint32_t i = 0; i < r->wanted.count; i++)
    if ((wake || r->wanted.items[i].grouped) && ((live_query_t *)r->wanted.items[i].query)->asleep)
      query_wake(r->wanted.items[i].query);
  for (uint32_t i = 0; i < w->queries.count; i++)
    if (!is_wanted_group(r, w->queries.items[i]))
      world_ungroup(w, w->queries.items[i]);
  for (uint32_t i = 0; i < r->wanted.count; i++)
    if (r->wanted.items[i].grouped && !world_group(w, r->wanted.items[i].query, error))
      return false;
  return true;
}

bool snapshot_restore_regrouped(const snapshot_o *s, world_o *w, bool wake, error_t *error) {
  regroup_t r = {.wanted = {0}};
  list_queries(&r, w);
  bool fine = snapshot_restore(s, w, error) && (r.wanted.count == 0 || choose_again(&r, w, wake, error));
  array_free(&r.memory, &r.wanted);
  return fine;
}
