// Implements saved_assemblages with a second world, which has the components of the saved state and the saved
// assemblages, but no entities. The second world shares the strings of the loaded world, because a merge requires equal
// string ids.
#include "migrate/saved_assemblages.h"

#include "base/assert.h"
#include "ecs/assemblage_inspect.h"
#include "ecs/world_internal.h"
#include "snapshot/state_view.h"

#include <string.h>

struct saved_assemblages_o {
  world_o *saved;
  // the string table that `saved` was created with, while `saved` shares the table of `loaded`
  strings_o *initial_strings;
  world_o *loaded; // world of the loaded entities; `saved` itself after saved_assemblages_create_in
  bool has_marks;  // true if the state contains marks
  bool assumed;
};

saved_assemblages_o *saved_assemblages_create(const state_view_t *view, error_info_t *error) {
  allocator_t memory = {0};
  saved_assemblages_o *assemblages = alloc_resize(&memory, NULL, 0, sizeof *assemblages);
  schema_buffer_t *buffer = alloc_resize(&memory, NULL, 0, sizeof *buffer);
  bool succeeded = true;
  *assemblages =
      (saved_assemblages_o){.saved = world_create(&(world_desc_t){.tick_rate = 60}), .has_marks = view->info->tracked};
  for (uint32_t i = 0; i < view->component_count && succeeded; ++i) {
    shoal_assert(view->components[i].schema, "the state has already been migrated");
    state_get_schema(&view->components[i], buffer);
    succeeded = world_declare_schema(assemblages->saved, &buffer->schema, error) != 0;
  }
  alloc_resize(&memory, buffer, sizeof *buffer, 0);
  if (succeeded)
    return assemblages;
  saved_assemblages_destroy(assemblages);
  return NULL;
}

saved_assemblages_o *saved_assemblages_create_in(world_o *w) {
  allocator_t memory = {0};
  saved_assemblages_o *assemblages = alloc_resize(&memory, NULL, 0, sizeof *assemblages);
  *assemblages = (saved_assemblages_o){.saved = w, .initial_strings = w->strings, .loaded = w};
  return assemblages;
}

void saved_assemblages_destroy(saved_assemblages_o *assemblages) {
  if (!assemblages)
    return;
  if (assemblages->initial_strings)
    assemblages->saved->strings = assemblages->initial_strings;
  if (assemblages->saved != assemblages->loaded)
    world_destroy(assemblages->saved);
  allocator_t memory = {.bytes = sizeof *assemblages, .blocks = 1};
  alloc_resize(&memory, assemblages, sizeof *assemblages, 0);
}

void saved_assemblages_attach(saved_assemblages_o *assemblages, world_o *w) {
  shoal_assert(!assemblages->initial_strings, "the saved assemblages are already attached to a world");
  assemblages->initial_strings = assemblages->saved->strings;
  assemblages->saved->strings = w->strings;
  assemblages->loaded = w;
}

uint32_t saved_assemblages_add(saved_assemblages_o *assemblages, const char *name) {
  shoal_assert(assemblages->initial_strings, "the saved assemblages are not attached to a world");
  return name[0] ? world_assemblage_declare(assemblages->saved, strings_intern(assemblages->saved->strings, name)) : 0;
}

void saved_assemblages_add_state(saved_assemblages_o *assemblages, uint32_t assemblage, uint32_t state) {
  if (assemblage != 0 && state != 0)
    world_assemblage_add_state(assemblages->saved, assemblage, state);
}

void saved_assemblages_add_child(saved_assemblages_o *assemblages, uint32_t assemblage, const char *name,
                                 const char *child) {
  uint32_t child_number =
      child[0] ? world_find_assemblage(assemblages->saved, strings_find(assemblages->saved->strings, child)) : 0;
  if (assemblage != 0 && child_number != 0)
    world_assemblage_add_child(assemblages->saved, assemblage, strings_intern(assemblages->saved->strings, name),
                               child_number);
}

// Converts a value to the form in which columns store it.
static double convert_to_stored_value(const saved_assemblages_o *assemblages, const field_t *field,
                                      const saved_default_t *value) {
  if (field_is_text(field))
    return value->text ? strings_intern(assemblages->saved->strings, value->text) : 0;
  if (field->type != FIELD_ENUM)
    return value->number;
  int32_t choice = value->text ? field_find_choice(field, value->text, strlen(value->text)) : 0;
  return choice < 0 ? 0 : choice;
}

void saved_assemblages_add_default(saved_assemblages_o *assemblages, const saved_default_t *default_value) {
  world_o *w = assemblages->saved;
  manager_o *m = world_find_manager(w, default_value->component);
  int32_t column = m && default_value->field ? schema_find_field(&m->schema, default_value->field) : -1;
  if (!m || (m->schema.kind == SCHEMA_SINGLE) != (default_value->assemblage == 0) ||
      (default_value->field && column < 0))
    return;
  double value = column < 0 ? 0 : convert_to_stored_value(assemblages, &m->schema.fields[column], default_value);
  if (m->schema.kind == SCHEMA_SINGLE) {
    if (column >= 0)
      m->columns.initial[column] = value;
    return;
  }
  uint32_t instance = m->schema.kind == SCHEMA_MANY ? strings_intern(w->strings, default_value->instance) : 0;
  uint32_t state =
      default_value->state ? world_assemblage_add_state(w, default_value->assemblage, default_value->state) : 0;
  world_assemblage_add_component(w, default_value->assemblage, state, m->id, instance);
  if (column >= 0)
    world_assemblage_set_field(w, default_value->assemblage, state, m->id, instance, (uint32_t)column, value);
}

void saved_assemblages_assume_empty(saved_assemblages_o *assemblages) {
  const world_o *w = assemblages->loaded;
  uint32_t count = world_assemblage_count(w);
  assemblages->assumed = true;
  for (uint32_t i = 1; i <= count; ++i) {
    uint32_t number = world_assemblage_declare(assemblages->saved, world_assemblage_name(w, i));
    for (uint32_t k = 0, state; (state = world_assemblage_state_name(w, i, k)) != 0; ++k)
      world_assemblage_add_state(assemblages->saved, number, state);
  }
  for (uint32_t i = 1; i <= count; ++i)
    for (uint32_t k = 0, child; (child = world_assemblage_child_number(w, i, k)) != 0; ++k)
      world_assemblage_add_child(assemblages->saved,
                                 world_find_assemblage(assemblages->saved, world_assemblage_name(w, i)),
                                 world_assemblage_child_name(w, i, k),
                                 world_find_assemblage(assemblages->saved, world_assemblage_name(w, child)));
}

bool saved_assemblages_are_assumed(const saved_assemblages_o *assemblages) {
  return assemblages->assumed;
}

typedef struct merge_log_t {
  const saved_assemblages_o *assemblages;
  const char *save;
} merge_log_t;

static void log_decision(void *context, const char *line) {
  const merge_log_t *merge_log = context;
  log_o *log = world_log(merge_log->assemblages->loaded);
  if (merge_log->assemblages->assumed)
    log_warn(log, "%s: an older version wrote this save without assemblages: %s", merge_log->save, line);
  else
    log_info(log, "migrated an older save: %s", line);
}

bool saved_assemblages_merge(saved_assemblages_o *assemblages, const char *save, assemblage_merge_counts_t *counts,
                             error_info_t *error) {
  merge_log_t log = {.assemblages = assemblages, .save = save};
  shoal_assert(assemblages->loaded && assemblages->saved != assemblages->loaded,
               "the saved assemblages are not attached to a world");
  // Without saved assemblages, a load has already computed marks from the current assemblages.
  if (!assemblages->assumed && !assemblages->has_marks && world_tracks_touched_fields(assemblages->loaded))
    assemblage_merge_derive_marks(assemblages->saved, assemblages->loaded);
  return assemblage_merge_by_value(assemblages->saved, assemblages->loaded, !assemblages->assumed, log_decision, &log,
                                   counts, error);
}
