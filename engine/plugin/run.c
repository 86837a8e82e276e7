// Binds a plugin's systems, observers and queries to the world: their components and their query.
#include "plugin/run.h"

#include "base/assert.h"
#include "plugin/plugin.h"
#include "ecs/changes.h"
#include "ecs/hint.h"
#include "shoal/observe.h"

#include <string.h>

static bool is_among(const char *const *names, const char *name) {
  for (uint32_t i = 0; i < SHOAL_MAX_NAMES && names[i]; ++i)
    if (strcmp(names[i], name) == 0)
      return true;
  return false;
}

void plugin_free_run(plugins_o *p, run_t *r) {
  for (uint32_t i = 0; i < r->term_count; ++i) {
    term_run_t *t = &r->terms[i];
    uint32_t columns = t->bound ? t->bound->component->column_count : 0;
    alloc_resize(&p->memory, t->columns, columns * sizeof *t->columns, 0);
    alloc_resize(&p->memory, t->there, t->there_bytes, 0);
    scratch_free(&p->memory, &t->copies);
    scratch_free(&p->memory, &t->before);
  }
  for (uint32_t i = 0; i < r->tables.count; ++i)
    scratch_free(&p->memory, &r->tables.items[i].before);
  array_free(&p->memory, &r->tables);
}

// What it writes in place is seen by its value and not marked: looking for it after each run took longer than most
// systems do.
static uint64_t written_of(const bound_t *b) {
  uint64_t columns = 0;
  for (uint32_t i = 0; i < b->component->column_count; ++i)
    if (!bound_is_derived(b, i))
      columns |= UINT64_C(1) << b->columns[i];
  return columns;
}

static void declare_written(world_o *w, const bound_t *b) {
  world_manager(w, b->manager->id)->written_unmarked |= written_of(b);
}

static bool add_terms(plugins_o *p, run_t *r, const char *const *names, query_role_t role, query_desc_t *desc,
                      error_t *error) {
  char hint[HINT_BYTES];
  for (uint32_t i = 0; i < SHOAL_MAX_NAMES && names[i]; ++i) {
    const manager_o *m = world_find_manager(p->world, names[i]);
    if (!m)
      return error_set(error, "there is no component %s%s", names[i], hint_component(p->world, names[i], hint));
    if (r->term_count == QUERY_MAX_TERMS)
      return error_set(error, "a query names at most %d components", QUERY_MAX_TERMS);
    bound_t *b = NULL;
    bound_t *known;
    for (uint32_t k = 0; role != QUERY_WITHOUT && !b && (known = plugin_bound_at(r->plugin, k)) != NULL; ++k)
      b = known->manager == m ? known : NULL;
    uint32_t columns = b ? b->component->column_count : 0;
    term_run_t *t = &r->terms[r->term_count];
    *t = (term_run_t){.bound = b, .manager = m->id, .role = role};
    t->written = b && r->phase != PHASE_RENDER && !is_among(r->def->reads, names[i]);
    if (t->written)
      declare_written(p->world, b);
    t->columns = alloc_resize(&p->memory, NULL, 0, columns * sizeof *t->columns);
    r->shown[r->term_count++] = (shoal_term){.component = b ? b->component : NULL,
                                             .name = names[i],
                                             .columns = columns > 0 ? (void *const *)t->columns : NULL};
    desc->terms[desc->term_count++] = (query_term_desc_t){.manager = m->id, .role = role};
  }
  return true;
}

static bool has_columns_of(const run_t *r, const manager_o *m) {
  for (uint32_t i = 0; i < r->term_count; ++i)
    if (r->terms[i].bound && r->terms[i].bound->manager == m)
      return true;
  return false;
}

// What it reads besides its query.
static bool add_tables(plugins_o *p, run_t *r, error_t *error) {
  char hint[HINT_BYTES];
  for (uint32_t i = 0; i < SHOAL_MAX_NAMES && r->def->reads[i] && r->def->beside; ++i) {
    const char *name = r->def->reads[i];
    const manager_o *m = world_find_manager(p->world, name);
    if (!m && world_find_event(p->world, name))
      return error_set(error, "it reads the event %s, and a system with .beside cannot", name);
    if (!m)
      return error_set(error, "it reads %s, and there is no such component%s", name,
                       hint_component(p->world, name, hint));
    if (has_columns_of(r, m))
      continue;
    bound_t *b = NULL;
    for (uint32_t k = 0; k < r->plugin->bound_count && !b; ++k)
      b = r->plugin->bound[k].manager == m ? &r->plugin->bound[k] : NULL;
    table_run_t table = {.bound = b ? b : plugin_find_component(r->plugin, name)};
    array_push(&p->memory, &r->tables, table);
  }
  return true;
}

bool plugin_reaches(const run_t *r, const bound_t *b) {
  for (uint32_t i = 0; i < r->term_count; ++i)
    if (r->terms[i].bound && r->terms[i].bound->manager == b->manager)
      return true;
  for (uint32_t i = 0; i < r->tables.count; ++i)
    if (r->tables.items[i].bound->manager == b->manager)
      return true;
  return false;
}

// What is derived follows from all columns.
static uint64_t read_of(const bound_t *b) {
  for (uint32_t i = 0; i < b->component->column_count; ++i)
    if (bound_is_derived(b, i))
      return UINT64_MAX >> (64 - b->manager->schema.field_count);
  return written_of(b);
}

bool plugin_bind_run(plugins_o *p, run_t *r, error_t *error) {
  shoal_assert(r->term_count == 0, "the terms of %s are bound twice", r->name);
  query_desc_t desc = {.term_count = 0};
  const shoal_system *s = r->def;
  bool fine =
      add_terms(p, r, s->query, QUERY_WITH, &desc, error) && add_terms(p, r, s->without, QUERY_WITHOUT, &desc, error) &&
      add_terms(p, r, s->optional, QUERY_OPTIONAL, &desc, error) && add_terms(p, r, s->any, QUERY_ANY, &desc, error);
  if (fine && desc.term_count > 0) {
    r->query = world_query(p->world, &desc, error);
    fine = r->query != NULL;
  }
  fine = fine && add_tables(p, r, error);
  if (fine && r->observer)
    r->observes = observer_open(p->world, r->name, r->query, r->observer->changed != NULL);
  r->ready = fine;
  return fine;
}

uint32_t plugin_run_access(const run_t *r, system_access_t access[RUN_MAX_ACCESS]) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < r->term_count; ++i) {
    const term_run_t *t = &r->terms[i];
    if (t->bound)
      access[count++] = (system_access_t){
          .manager = t->manager, .reads = read_of(t->bound), .writes = t->written ? written_of(t->bound) : 0};
  }
  for (uint32_t i = 0; i < r->tables.count; ++i)
    access[count++] =
        (system_access_t){.manager = r->tables.items[i].bound->manager->id, .reads = read_of(r->tables.items[i].bound)};
  return count;
}
