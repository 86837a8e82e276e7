// Binds a plugin's systems and observers to the world: their components and queries.
#include "plugin/system_binding.h"

#include "access/last_error.h"
#include "base/assert.h"
#include "plugin/plugin.h"
#include "ecs/changes.h"
#include "ecs/name_hint.h"
#include "shoal/observe.h"

#include <string.h>

void plugin_free_run(plugins_o *p, run_t *r) {
  for (uint32_t i = 0; i < r->rows.term_count; ++i)
    scratch_free(&p->memory, &r->before[i]);
  access_view_fini(&r->plugin->access, &r->rows);
  for (uint32_t i = 0; i < r->tables.count; ++i)
    scratch_free(&p->memory, &r->tables.items[i].before);
  array_free(&p->memory, &r->tables);
}

static bool has_term_columns(const run_t *r, const manager_o *m) {
  for (uint32_t i = 0; i < r->rows.term_count; ++i)
    if (r->rows.terms[i].bound && r->rows.terms[i].manager == m)
      return true;
  return false;
}

// Binds the components that are listed in .reads but are not part of the query.
static bool add_read_tables(plugins_o *p, run_t *r, error_info_t *error) {
  char hint[HINT_BYTES];
  for (uint32_t i = 0; i < SHOAL_MAX_NAMES && r->def->reads[i] && r->def->beside; ++i) {
    const char *name = r->def->reads[i];
    const manager_o *m = world_find_manager(p->world, name);
    if (!m && world_find_event(p->world, name))
      return error_set(error, ".reads must name components, got the event %s: a system with .beside cannot read events",
                       name);
    if (!m)
      return error_set(error, ".reads: unknown component %s%s", name, hint_component(p->world, name, hint));
    if (has_term_columns(r, m))
      continue;
    access_o *a = &r->plugin->access;
    table_run_t table = {.bound = access_find_component_binding(a, m)};
    if (!table.bound)
      table.bound = access_find_binding(a, world_access_component_named(&a->own.shared, name));
    array_push(&p->memory, &r->tables, table);
  }
  return true;
}

bool plugin_run_has_manager(const run_t *r, const access_binding_t *b) {
  if (has_term_columns(r, b->manager))
    return true;
  for (uint32_t i = 0; i < r->tables.count; ++i)
    if (r->tables.items[i].bound->manager == b->manager)
      return true;
  return false;
}

// Returns the mask of the columns to declare as read: all columns if a derived one is used, because it depends on all.
static uint64_t get_read_columns(const access_binding_t *b) {
  for (uint32_t i = 0; i < b->component->column_count; ++i)
    if (access_is_derived(b, i))
      return UINT64_MAX >> (64 - b->manager->schema.field_count);
  return access_stored_columns(b);
}

static bool init_rows(run_t *r, error_info_t *error) {
  shoal_wanted wanted;
  memcpy(wanted.with, r->def->query, sizeof wanted.with);
  memcpy(wanted.without, r->def->without, sizeof wanted.without);
  memcpy(wanted.optional, r->def->optional, sizeof wanted.optional);
  memcpy(wanted.any, r->def->any, sizeof wanted.any);
  memcpy(wanted.reads, r->def->reads, sizeof wanted.reads);
  return access_view_init(&r->plugin->access, &r->rows, &wanted, r->phase != PHASE_RENDER) ||
         error_set(error, "%s", access_error_text());
}

bool plugin_bind_run(plugins_o *p, run_t *r, error_info_t *error) {
  shoal_assert(r->rows.term_count == 0, "the terms of %s are already bound", r->name);
  r->ready = init_rows(r, error) && add_read_tables(p, r, error);
  if (r->ready && r->observer)
    r->observes = observer_find_or_create(p->world, r->name, r->rows.query, r->observer->changed != NULL);
  return r->ready;
}

uint32_t plugin_list_run_access(const run_t *r, system_access_t access[RUN_MAX_ACCESS]) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < r->rows.term_count; ++i) {
    const access_term_t *t = &r->rows.terms[i];
    if (t->bound)
      access[count++] = (system_access_t){.manager = t->manager->id,
                                          .reads = get_read_columns(t->bound),
                                          .writes = t->written ? access_stored_columns(t->bound) : 0};
  }
  for (uint32_t i = 0; i < r->tables.count; ++i)
    access[count++] = (system_access_t){.manager = r->tables.items[i].bound->manager->id,
                                        .reads = get_read_columns(r->tables.items[i].bound)};
  return count;
}
