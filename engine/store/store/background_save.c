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
  allocator_t memory; // used only by the thread while it runs
  world_o *world;
  snapshot_o *state;
  kept_components_o *kept;
  char game[256], path[1024];
  pthread_t thread;
  atomic_bool done;
  bool ok;
  error_info_t error;
};

// Returns the id in `to` of a string of `from`; adds the string to `to` if it is missing.
static uint32_t copy_string(world_o *to, const world_o *from, uint32_t id) {
  const strings_o *s = world_strings((world_o *)from);
  return strings_intern_bytes(world_strings(to), strings_text(s, id), strings_length(s, id));
}

static void copy_values(world_o *to, const world_o *from, uint32_t number, uint32_t state,
                        const assemblage_part_t *part) {
  const schema_t *schema = &world_manager((world_o *)from, part->manager)->schema;
  uint32_t instance = copy_string(to, from, part->instance);
  world_assemblage_add_component(to, number, state, part->manager, instance);
  for (uint32_t i = 0; i < schema->field_count; ++i) {
    bool text = field_is_text(&schema->fields[i]);
    world_assemblage_set_field(to, number, state, part->manager, instance, i,
                               text ? copy_string(to, from, (uint32_t)part->values[i]) : part->values[i]);
  }
}

static void copy_assemblage(world_o *to, const world_o *from, uint32_t number) {
  assemblage_part_t part;
  for (uint32_t i = 0, state; (state = world_assemblage_state_name(from, number, i)) != 0; ++i)
    world_assemblage_add_state(to, number, copy_string(to, from, state));
  for (uint32_t i = 0; world_assemblage_get_part(from, number, i, &part); ++i) {
    uint32_t state = part.state ? world_assemblage_add_state(to, number, copy_string(to, from, part.state)) : 0;
    copy_values(to, from, number, state, &part);
  }
  for (uint32_t i = 0, child; (child = world_assemblage_child_number(from, number, i)) != 0; ++i)
    world_assemblage_add_child(to, number, copy_string(to, from, world_assemblage_child_name(from, number, i)), child);
}

static bool copy_declarations(world_o *to, world_o *from, error_info_t *error) {
  for (uint32_t i = 1; i <= world_manager_count(from); ++i)
    if (!world_declare_schema(to, &world_manager(from, i)->schema, error))
      return false;
  for (uint32_t i = 1; i <= world_event_count(from); ++i)
    if (!world_declare_schema(to, &world_event(from, i)->schema, error))
      return false;
  // Assemblages and the snapshot refer to components by id.
  shoal_assert(world_manager_count(to) == world_manager_count(from), "the copy has %u components, the saved world %u",
               world_manager_count(to), world_manager_count(from));
  for (uint32_t i = 1; i <= world_assemblage_count(from); ++i)
    world_assemblage_declare(to, copy_string(to, from, world_assemblage_name(from, i)));
  for (uint32_t i = 1; i <= world_assemblage_count(from); ++i)
    copy_assemblage(to, from, i);
  shoal_assert(world_assemblage_count(to) == world_assemblage_count(from),
               "the copy has %u assemblages, but the saved world has %u", world_assemblage_count(to),
               world_assemblage_count(from));
  return true;
}

static void *run_thread(void *context) {
  background_save_o *s = context;
  s->ok = snapshot_restore(s->state, s->world, &s->error) && save_write(s->world, s->game, s->path, s->kept, &s->error);
  atomic_store(&s->done, true);
  return NULL;
}

static void destroy_save(background_save_o *s) {
  snapshot_release(s->state);
  world_destroy(s->world);
  kept_components_destroy(s->kept);
  allocator_t memory = s->memory;
  alloc_resize(&memory, s, sizeof *s, 0);
  shoal_assert(memory.bytes == 0, "a background save leaked %zu bytes", memory.bytes);
}

background_save_o *background_save_begin(world_o *w, const char *game, const char *path, const kept_components_o *kept,
                                         error_info_t *error) {
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
  s->state = snapshot_create(&s->memory);
  s->kept = kept ? kept_components_copy(kept) : NULL;
  bool ok = copy_declarations(s->world, w, error) && snapshot_take(s->state, w, error);
  if (ok && !thread_start(&s->thread, run_thread, s))
    ok = error_set(error, "cannot create a thread");
  if (ok)
    return s;
  destroy_save(s);
  return NULL;
}

bool background_save_is_done(background_save_o *s) {
  return atomic_load(&s->done);
}

bool background_save_end(background_save_o *s, error_info_t *error) {
  if (!s)
    return true;
  pthread_join(s->thread, NULL);
  shoal_assert(atomic_load(&s->done), "the thread of %s ended before it was done", s->path);
  bool ok = s->ok || error_set(error, "%s", s->error.text);
  destroy_save(s);
  return ok;
}
