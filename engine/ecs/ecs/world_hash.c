// Hash of all state that affects the future of a world. Hashes only meaningful bytes: columns up to their count, arrays
// of numbers, and commands, which have no padding; never pointers or capacities.
#include "ecs/world_hash.h"

#include "base/assert.h"
#include "base/hash.h"
#include "ecs/last_values.h"
#include "ecs/manager_internal.h"
#include "ecs/query_observer.h"
#include "ecs/world_internal.h"

static uint64_t hash_queue(world_o *w, uint64_t hash) {
  hash = hash_bytes(&w->commands.count, sizeof w->commands.count, hash);
  if (w->commands.count > 0)
    hash = hash_bytes(w->commands.items, w->commands.count * sizeof *w->commands.items, hash);
  if (w->lists.count > 0)
    hash = hash_bytes(w->lists.items, w->lists.count * sizeof *w->lists.items, hash);
  if (w->list_values.count > 0)
    hash = hash_bytes(w->list_values.items, w->list_values.count * sizeof *w->list_values.items, hash);
  for (uint32_t i = 0; i < w->blocks.count; ++i) {
    const spawn_batch_t *b = w->blocks.items[i];
    if (b->count > 0)
      hash = hash_bytes(b->entities.items, b->count * sizeof *b->entities.items, hash);
    for (uint32_t k = 0; k < b->parts.count; ++k)
      if (b->parts.items[k].staged)
        hash = columns_hash(&b->parts.items[k].columns, hash);
  }
  return hash;
}

static uint64_t hash_events(world_o *w, uint64_t hash) {
  for (uint32_t i = 0; i < w->events.count; ++i) {
    const live_event_t *ev = w->events.items[i];
    uint64_t numbers[] = {ev->shared.first, ev->shared.tick_start};
    hash = hash_bytes(numbers, sizeof numbers, hash);
    hash = columns_hash(&ev->shared.columns, hash);
    hash = columns_hash(&ev->staged, hash);
  }
  return hash;
}

// Hashes the dead entities that pending events name, and the last values that handlers of these events can read.
static uint64_t hash_event_deaths(world_o *w, uint64_t hash) {
  for (uint32_t i = 0; i < w->event_deaths.deaths.count; ++i) {
    const event_death_t *d = &w->event_deaths.deaths.items[i];
    uint64_t numbers[] = {d->entity, (uint64_t)d->group << 32 | d->state, d->events, d->last_tick};
    hash = hash_bytes(numbers, sizeof numbers, hash);
    for (uint32_t k = 0; k < w->managers.count; ++k)
      hash = last_values_hash(w->managers.items[k], d->entity, d->removal, hash);
  }
  return hash;
}

// Hashes the row order of the systems' queries, which determines the order of the systems' effects. Skips empty queries
// except groups, so a system without rows does not change the hash. Inspection queries are not part of the state.
static uint64_t hash_queries(world_o *w, uint64_t hash) {
  for (uint32_t i = 0; i < w->queries.count; ++i) {
    const query_o *q = w->queries.items[i];
    if (q->count == 0 && !q->grouped)
      continue;
    uint32_t header[] = {q->count, q->grouped}; // groups affect the order of future rows
    hash = hash_bytes(header, sizeof header, hash);
    if (q->count > 0)
      hash = hash_bytes(q->entities, q->count * sizeof *q->entities, hash);
  }
  return hash;
}

uint64_t world_hash(world_o *w) {
  shoal_assert(!w->applying, "cannot hash a world while commands are being applied");
  uint64_t numbers[] = {w->tick, w->tick_rate};
  uint64_t hash = hash_bytes(numbers, sizeof numbers, 0);
  hash = hash_bytes(w->random.s, sizeof w->random.s, hash);
  hash = entities_hash(&w->entities, hash);
  hash = strings_hash(w->strings, hash);
  for (uint32_t i = 0; i < w->managers.count; ++i)
    hash = manager_hash(w->managers.items[i], hash);
  hash = hash_events(w, hash);
  hash = hash_event_deaths(w, hash);
  for (uint32_t i = 0; i < w->readers.count; ++i) {
    uint64_t reader[] = {w->readers.items[i].reader, w->readers.items[i].event, w->readers.items[i].next};
    hash = hash_bytes(reader, sizeof reader, hash);
  }
  hash = hash_queries(w, hash);
  hash = query_observer_hash(w, hash);
  return hash_queue(w, hash);
}

uint64_t world_entities_hash(const world_o *w) {
  return entities_hash(&w->entities, 0);
}

uint64_t world_component_hash(world_o *w, uint32_t manager) {
  const manager_o *m = world_manager(w, manager);
  return m ? manager_hash(m, 0) : 0;
}
