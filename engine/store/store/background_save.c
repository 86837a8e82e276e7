// Writes saves on a background thread that has its own world with the same declarations, restored from a snapshot. The
// thread shares no data with the game.
#include "store/background_save.h"

#include "base/assert.h"
#include "process/threads.h"
#include "ecs/assemblage_inspect.h"
#include "snapshot/state.h"
#include "store/save_internal.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

struct background_save_o {
  allocator_t memory; // allocator that only the thread uses while it runs
  world_o *world;
  snapshot_o *snapshot;
  unknown_components_o *unknown_components;
  char game[256], path[1024];
  pthread_t thread;
  atomic_bool finished;
  bool ok;
  error_info_t error;
};

// Interns a string of `source` in `target`, and returns its id there.
static uint32_t copy_string(world_o *target, const world_o *source, uint32_t id) {
  const strings_o *s = world_strings((world_o *)source);
  return strings_intern_bytes(world_strings(target), strings_text(s, id), strings_length(s, id));
}

static void copy_values(world_o *target, const world_o *source, uint32_t assemblage, uint32_t state,
                        const assemblage_part_t *part) {
  const schema_t *schema = &world_manager((world_o *)source, part->manager)->schema;
  uint32_t instance = copy_string(target, source, part->instance);
  world_assemblage_add_component(target, assemblage, state, part->manager, instance);
  for (uint32_t i = 0; i < schema->field_count; ++i) {
    bool is_text = field_is_text(&schema->fields[i]);
    world_assemblage_set_field(target, assemblage, state, part->manager, instance, i,
                               is_text ? copy_string(target, source, (uint32_t)part->values[i]) : part->values[i]);
  }
}

static void copy_assemblage(world_o *target, const world_o *source, uint32_t assemblage) {
  assemblage_part_t part;
  for (uint32_t i = 0, state; (state = world_assemblage_state_name(source, assemblage, i)) != 0; ++i)
    world_assemblage_add_state(target, assemblage, copy_string(target, source, state));
  for (uint32_t i = 0; world_assemblage_get_part(source, assemblage, i, &part); ++i) {
    uint32_t state =
        part.state ? world_assemblage_add_state(target, assemblage, copy_string(target, source, part.state)) : 0;
    copy_values(target, source, assemblage, state, &part);
  }
  for (uint32_t i = 0, child; (child = world_assemblage_child_number(source, assemblage, i)) != 0; ++i)
    world_assemblage_add_child(target, assemblage,
                               copy_string(target, source, world_assemblage_child_name(source, assemblage, i)), child);
}

static bool copy_declarations(world_o *target, world_o *source, error_info_t *error) {
  for (uint32_t i = 1; i <= world_manager_count(source); ++i)
    if (!world_declare_schema(target, &world_manager(source, i)->schema, error))
      return false;
  for (uint32_t i = 1; i <= world_event_count(source); ++i)
    if (!world_declare_schema(target, &world_event(source, i)->schema, error))
      return false;
  // Both worlds must have the same ids, because assemblages and the snapshot refer to components by id.
  shoal_assert(world_manager_count(target) == world_manager_count(source),
               "the copy has %u components, the saved world %u", world_manager_count(target),
               world_manager_count(source));
  for (uint32_t i = 1; i <= world_assemblage_count(source); ++i)
    world_assemblage_declare(target, copy_string(target, source, world_assemblage_name(source, i)));
  for (uint32_t i = 1; i <= world_assemblage_count(source); ++i)
    copy_assemblage(target, source, i);
  shoal_assert(world_assemblage_count(target) == world_assemblage_count(source),
               "the copy has %u assemblages, but the saved world has %u", world_assemblage_count(target),
               world_assemblage_count(source));
  return true;
}

static void *run_thread(void *context) {
  background_save_o *s = context;
  s->ok = snapshot_restore(s->snapshot, s->world, &s->error) &&
          save_write(s->world, s->game, s->path, s->unknown_components, &s->error);
  atomic_store(&s->finished, true);
  return NULL;
}

static void destroy_save(background_save_o *s) {
  snapshot_release(s->snapshot);
  world_destroy(s->world);
  unknown_components_destroy(s->unknown_components);
  allocator_t memory = s->memory;
  alloc_resize(&memory, s, sizeof *s, 0);
  shoal_assert(memory.bytes == 0, "a background save leaked %zu bytes", memory.bytes);
}

background_save_o *background_save_begin(world_o *w, const char *game, const char *path,
                                         const unknown_components_o *unknown_components, error_info_t *error) {
  shoal_assert(!world_is_deferring(w), "%s: cannot save while commands are deferred", path);
  allocator_t memory = {0};
  background_save_o *s = alloc_resize(&memory, NULL, 0, sizeof *s);
  memset(s, 0, sizeof *s);
  s->memory = memory;
  shoal_assert(strlen(game) < sizeof s->game && strlen(path) < sizeof s->path,
               "the path %s or the game name %s is too long", path, game);
  snprintf(s->game, sizeof s->game, "%s", game);
  snprintf(s->path, sizeof s->path, "%s", path);
  s->world = world_create(&(world_desc_t){.tick_rate = world_tick_rate(w)});
  s->snapshot = snapshot_create(&s->memory);
  s->unknown_components = unknown_components ? unknown_components_copy(unknown_components) : NULL;
  bool ok = copy_declarations(s->world, w, error) && snapshot_take(s->snapshot, w, error);
  if (ok && !thread_start(&s->thread, run_thread, s))
    ok = error_set(error, "cannot create a thread");
  if (ok)
    return s;
  destroy_save(s);
  return NULL;
}

bool background_save_is_done(background_save_o *s) {
  return atomic_load(&s->finished);
}

bool background_save_end(background_save_o *s, error_info_t *error) {
  if (!s)
    return true;
  pthread_join(s->thread, NULL);
  shoal_assert(atomic_load(&s->finished), "the thread of %s ended before it was done", s->path);
  bool ok = s->ok || error_set(error, "%s", s->error.text);
  destroy_save(s);
  return ok;
}
