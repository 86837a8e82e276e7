// Simple properties of a world and its entities: time, strings, liveness, components.
#include "base/assert.h"
#include "base/hash.h"
#include "ecs/world_internal.h"

#include <stdio.h>
#include <string.h>

// --- properties of the world

uint64_t world_number(const world_o *w) {
  return w->number;
}

uint64_t world_tick(const world_o *w) {
  return w->tick;
}

double world_dt_s(const world_o *w) {
  return 1.0 / w->tick_rate;
}

uint32_t world_tick_rate(const world_o *w) {
  return w->tick_rate;
}

void world_set_tick_rate(world_o *w, uint32_t rate) {
  w->tick_rate = rate ? rate : WORLD_DEFAULT_TICK_RATE;
}

entities_t *world_entities(world_o *w) {
  return &w->entities;
}

strings_o *world_strings(world_o *w) {
  return w->strings;
}

random_t *world_random(world_o *w) {
  return &w->random;
}

void world_keep_on_machine(world_o *w, const char *component, const char *field) {
  manager_o *m = world_find_manager(w, component);
  int32_t column = m && m->schema.kind == SCHEMA_SINGLE ? manager_find_column(m, field) : -1;
  if (column < 0)
    return;
  field_t *f = &m->schema.fields[column];
  shoal_assert(f->type != FIELD_STRING && f->type != FIELD_ASSET && f->type != FIELD_ENTITY && f->type != FIELD_MAT4,
               "%s.%s refers to the world, so it cannot belong to the machine", component, field);
  f->flags |= FIELD_OF_MACHINE;
}

void world_set_view_players(world_o *w, uint32_t players) {
  w->view_players = players;
}

uint32_t world_view_players(const world_o *w) {
  return w->view_players;
}

void world_use_random_streams(world_o *w, bool enabled) {
  w->uses_random_streams = enabled;
}

bool world_uses_random_streams(const world_o *w) {
  return w->uses_random_streams;
}

void world_begin_random_stream(world_o *w, const char *system) {
  if (!w->uses_random_streams)
    return;
  shoal_assert(!w->in_random_stream, "%s begins a random stream inside another random stream", system);
  uint64_t seed = hash_bytes(&w->tick, sizeof w->tick, hash_text(system));
  w->world_stream = w->random;
  w->in_random_stream = true;
  random_seed(&w->random, hash_bytes(w->world_stream.s, sizeof w->world_stream.s, seed));
}

void world_end_random_stream(world_o *w) {
  if (w->in_random_stream)
    w->random = w->world_stream;
  w->in_random_stream = false;
}

allocator_t *world_allocator(world_o *w) {
  return &w->allocator;
}

uint64_t world_column_bytes(const world_o *w) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < w->managers.count; ++i) {
    const manager_o *m = w->managers.items[i];
    uint64_t row = sizeof *m->owner;
    for (uint32_t c = 0; c < m->columns.column_count; ++c)
      row += m->columns.element_bytes[c];
    bytes += row * m->count;
  }
  return bytes;
}

uint8_t *world_links_written(world_o *w) {
  return &w->links_written;
}

uint64_t world_update_links_version(world_o *w) {
  w->links_version += w->links_written & 1;
  w->links_written = w->links_written ? 2 : 0;
  return w->links_version;
}

bool world_tracks_touched_fields(const world_o *w) {
  return w->tracks_touched;
}

jobs_o *world_jobs(const world_o *w) {
  return w->jobs;
}

log_o *world_log(world_o *w) {
  return w->log;
}

bool world_is_deferring(const world_o *w) {
  return w->frames.count > 0 || w->applying;
}

const uint32_t *world_deferral_depth(const world_o *w) {
  return &w->frames.count;
}

// --- entities

char *entity_label(char *out, shoal_entity e) {
  snprintf(out, 32, "entity(%u:%u)", shoal_entity_index(e), shoal_entity_generation(e));
  return out;
}

bool world_is_alive(const world_o *w, shoal_entity e) {
  return entities_is_alive(&w->entities, e);
}

bool world_is_doomed(const world_o *w, shoal_entity e) {
  return is_marked(w, e, MARK_DOOMED);
}

bool world_has_component(const world_o *w, shoal_entity e, uint32_t manager) {
  if (manager == 0 || manager > w->managers.count || !is_living(w, e))
    return false;
  return manager_row(w->managers.items[manager - 1], e) != ROW_NONE;
}

bool world_instance_disables_component(const world_o *w, uint32_t instance, const manager_o *m) {
  const char *name = strings_text(w->strings, instance);
  return m != w->disabled && (strcmp(name, m->schema.name) == 0 || strcmp(name, DISABLED_WHOLE) == 0);
}

bool world_is_disabled(const world_o *w, shoal_entity e, uint32_t manager) {
  if (!world_has_disabled(w) || !world_has_component(w, e, manager))
    return false;
  const manager_o *d = w->disabled;
  uint32_t row = manager_row(d, e);
  while (row != ROW_NONE && !world_instance_disables_component(w, d->instance[row], w->managers.items[manager - 1]))
    row = d->next[row];
  return row != ROW_NONE;
}
