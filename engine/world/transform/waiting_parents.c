// Stores the transforms that wait for a parent's transform, from one tick to the next.
#include "transform/waiting_parents.h"

#include "base/array.h"
#include "components/name.h"
#include "ecs/ranges.h"
#include "transform/transform.h"

#include <stdio.h>

// Maximum number of stored pairs; further pairs are reported once earlier pairs no longer wait.
#define MAX_WAITING 64u

typedef struct waiting_pair_t {
  shoal_entity child, parent;
} waiting_pair_t;

struct waiting_parents_o {
  world_o *world;
  uint64_t tick; // tick in which `pairs` was stored
  uint32_t count;
  waiting_pair_t pairs[MAX_WAITING];
};

waiting_parents_o *waiting_parents_create(world_o *w) {
  waiting_parents_o *waiting = alloc_resize(world_allocator(w), NULL, 0, sizeof *waiting);
  *waiting = (waiting_parents_o){.world = w};
  return waiting;
}

void waiting_parents_destroy(waiting_parents_o *waiting) {
  if (waiting)
    alloc_resize(world_allocator(waiting->world), waiting, sizeof *waiting, 0);
}

static bool contains_pair(const waiting_parents_o *waiting, waiting_pair_t pair) {
  for (uint32_t i = 0; i < waiting->count; ++i)
    if (waiting->pairs[i].child == pair.child && waiting->pairs[i].parent == pair.parent)
      return true;
  return false;
}

static void report_pair(world_o *w, waiting_pair_t pair) {
  char child[NAME_DESCRIPTION_MAX], parent[NAME_DESCRIPTION_MAX], message[4 * NAME_DESCRIPTION_MAX];
  snprintf(message, sizeof message, "the parent of %s is %s, which has no transform: add transform = {} to the parent",
           name_describe(w, pair.child, child, sizeof child), name_describe(w, pair.parent, parent, sizeof parent));
  world_report_once(w, "transform.parent", message);
}

void waiting_parents_check(waiting_parents_o *waiting) {
  world_o *w = waiting->world;
  waiting_parents_o current = {.world = w, .tick = world_tick(w)};
  if (*world_links_written(w) != 0) { // the flag is 0 if every parent has a transform
    const manager_o *m = world_find_manager(w, "transform");
    transform_columns c = transform_columns_of(m);
    for (uint32_t row = 0; row < m->count && current.count < MAX_WAITING; ++row)
      if (c.parent[row] != c.linked_parent[row])
        current.pairs[current.count++] = (waiting_pair_t){m->owner[row], c.parent[row]};
  }
  for (uint32_t i = 0; i < current.count && waiting->tick + 1 == current.tick; ++i)
    if (contains_pair(waiting, current.pairs[i]))
      report_pair(w, current.pairs[i]);
  *waiting = current;
}
