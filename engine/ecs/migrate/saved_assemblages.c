// Implements saved_assemblages with a second world, which has the components of the saved state and the saved
// assemblages, but no entities. It shares the strings of the loaded world, because a merge requires equal string ids.
#include "migrate/saved_assemblages.h"

#include "base/assert.h"
#include "ecs/assemblage_inspect.h"
#include "ecs/world_internal.h"
#include "snapshot/state_view.h"

#include <string.h>

struct saved_assemblages_o {
  world_o *saved;
  strings_o *own; // the string table that `saved` was created with, while `saved` shares the table of `loaded`
  world_o *loaded;
  bool tracked; // the state contains marks
  bool assumed;
};

saved_assemblages_o *saved_assemblages_create(const state_view_t *v, error_info_t *error) {
  allocator_t memory = {0};
  saved_assemblages_o *s = alloc_resize(&memory, NULL, 0, sizeof *s);
  schema_t *schema = alloc_resize(&memory, NULL, 0, sizeof *schema);
  bool ok = true;
  *s = (saved_assemblages_o){.saved = world_create(&(world_desc_t){.tick_rate = 60}), .tracked = v->info->tracked};
  for (uint32_t i = 0; i < v->component_count && ok; ++i) {
    shoal_assert(v->components[i].schema, "the state has already been migrated");
    memset(schema, 0, sizeof *schema);
    state_get_schema(&v->components[i], schema);
    ok = world_declare_schema(s->saved, schema, error) != 0;
  }
  alloc_resize(&memory, schema, sizeof *schema, 0);
  if (ok)
    return s;
  saved_assemblages_destroy(s);
  return NULL;
}

void saved_assemblages_destroy(saved_assemblages_o *s) {
  if (!s)
    return;
  if (s->own)
    s->saved->strings = s->own;
  world_destroy(s->saved);
  allocator_t memory = {.bytes = sizeof *s, .blocks = 1};
  alloc_resize(&memory, s, sizeof *s, 0);
}

void saved_assemblages_attach(saved_assemblages_o *s, world_o *w) {
  shoal_assert(!s->own, "the saved assemblages are already attached to a world");
  s->own = s->saved->strings;
  s->saved->strings = w->strings;
  s->loaded = w;
}

uint32_t saved_assemblages_add(saved_assemblages_o *s, const char *name) {
  shoal_assert(s->own, "the saved assemblages are not attached to a world");
  return name[0] ? world_assemblage_declare(s->saved, strings_intern(s->saved->strings, name)) : 0;
}

void saved_assemblages_add_state(saved_assemblages_o *s, uint32_t assemblage, uint32_t state) {
  if (assemblage != 0 && state != 0)
    world_assemblage_add_state(s->saved, assemblage, state);
}

void saved_assemblages_add_child(saved_assemblages_o *s, uint32_t assemblage, const char *name, const char *child) {
  uint32_t of = child[0] ? world_find_assemblage(s->saved, strings_find(s->saved->strings, child)) : 0;
  if (assemblage != 0 && of != 0)
    world_assemblage_add_child(s->saved, assemblage, strings_intern(s->saved->strings, name), of);
}

// Converts a value to the form in which columns store it.
static double convert_to_stored_value(const saved_assemblages_o *s, const field_t *f, const saved_default_t *x) {
  if (field_is_text(f))
    return x->text ? strings_intern(s->saved->strings, x->text) : 0;
  if (f->type != FIELD_ENUM)
    return x->number;
  int32_t choice = x->text ? field_find_choice(f, x->text, strlen(x->text)) : 0;
  return choice < 0 ? 0 : choice;
}

void saved_assemblages_add_default(saved_assemblages_o *s, const saved_default_t *x) {
  world_o *w = s->saved;
  manager_o *m = world_find_manager(w, x->component);
  int32_t column = m && x->field ? schema_find_field(&m->schema, x->field) : -1;
  if (!m || (m->schema.kind == SCHEMA_SINGLE) != (x->assemblage == 0) || (x->field && column < 0))
    return;
  double value = column < 0 ? 0 : convert_to_stored_value(s, &m->schema.fields[column], x);
  if (m->schema.kind == SCHEMA_SINGLE) {
    if (column >= 0)
      m->columns.initial[column] = value;
    return;
  }
  uint32_t instance = m->schema.kind == SCHEMA_MANY ? strings_intern(w->strings, x->instance) : 0;
  uint32_t state = x->state ? world_assemblage_add_state(w, x->assemblage, x->state) : 0;
  world_assemblage_add_component(w, x->assemblage, state, m->id, instance);
  if (column >= 0)
    world_assemblage_set_field(w, x->assemblage, state, m->id, instance, (uint32_t)column, value);
}

void saved_assemblages_assume_empty(saved_assemblages_o *s) {
  const world_o *w = s->loaded;
  uint32_t count = world_assemblage_count(w);
  s->assumed = true;
  for (uint32_t i = 1; i <= count; ++i) {
    uint32_t made = world_assemblage_declare(s->saved, world_assemblage_name(w, i));
    for (uint32_t k = 0, state; (state = world_assemblage_state_name(w, i, k)) != 0; ++k)
      world_assemblage_add_state(s->saved, made, state);
  }
  for (uint32_t i = 1; i <= count; ++i)
    for (uint32_t k = 0, child; (child = world_assemblage_child_number(w, i, k)) != 0; ++k)
      world_assemblage_add_child(s->saved, world_find_assemblage(s->saved, world_assemblage_name(w, i)),
                                 world_assemblage_child_name(w, i, k),
                                 world_find_assemblage(s->saved, world_assemblage_name(w, child)));
}

bool saved_assemblages_are_assumed(const saved_assemblages_o *s) {
  return s->assumed;
}

typedef struct merge_log_t {
  const saved_assemblages_o *of;
  const char *save;
} merge_log_t;

static void log_decision(void *context, const char *line) {
  const merge_log_t *x = context;
  log_o *log = world_log(x->of->loaded);
  if (x->of->assumed)
    log_warn(log, "%s: an older version wrote this save without assemblages: %s", x->save, line);
  else
    log_info(log, "migrated an older save: %s", line);
}

bool saved_assemblages_merge(saved_assemblages_o *s, const char *save, assemblage_merge_counts_t *counts,
                             error_info_t *error) {
  merge_log_t log = {.of = s, .save = save};
  shoal_assert(s->loaded, "the saved assemblages are not attached to a world");
  // Without saved assemblages, a load has already computed marks with the current ones.
  if (!s->assumed && !s->tracked && world_tracks_touched_fields(s->loaded))
    assemblage_merge_derive_marks(s->saved, s->loaded);
  return assemblage_merge_by_value(s->saved, s->loaded, !s->assumed, log_decision, &log, counts, error);
}
