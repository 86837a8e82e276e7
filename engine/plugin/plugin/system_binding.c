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
  for (uint32_t i = 0; i < SHOAL_MAX_NAMES && r->def->reads[i] && r->def->concurrent; ++i) {
    const char *name = r->def->reads[i];
    const manager_o *m = world_find_manager(p->world, name);
    if (!m && world_find_event(p->world, name))
      return error_set(
          error, ".reads must name components, got the event %s: a system with .concurrent cannot read events", name);
    if (!m)
      return error_set(error, ".reads: unknown component %s%s", name, hint_component(p->world, name, hint));
    if (has_term_columns(r, m))
      continue;
    access_o *a = &r->plugin->access;
    table_run_t table = {.bound = access_find_component_binding(a, m)};
    if (!table.bound)
      table.bound = access_find_binding(a, world_access_find_component(&a->own.shared, name));
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
  shoal_query_desc wanted;
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

// --- rows, and writes to read-only columns

// Read-only columns are passed either in place or as copies that are not written back, depending on the order of the
// rows. A write would therefore change the world in some runs, but not in others. To detect such writes, columns are
// compared in the first runs, which include those of a trial, and in every 64th tick.

#define INITIAL_CHECKS 4u
#define CHECK_INTERVAL_TICKS 64u

bool plugin_checks_reads(const run_t *r) {
  return r->run_number < INITIAL_CHECKS || world_tick(r->plugin->plugins->world) % CHECK_INTERVAL_TICKS == 0;
}

// Returns the size of a column in bytes; 0 for a derived column, because it is a copy that is never written back.
static size_t column_bytes(const run_t *r, const access_term_t *t, uint32_t column) {
  return access_is_derived(t->bound, column) ? 0
                                             : (size_t)r->rows.query->count * access_element_bytes(t->bound, column);
}

static size_t table_bytes(const access_binding_t *b, uint32_t column) {
  return access_is_derived(b, column) ? 0 : (size_t)b->manager->count * access_element_bytes(b, column);
}

static const void *get_stored_column(const access_binding_t *b, uint32_t column) {
  return access_is_derived(b, column) ? NULL : b->manager->data[b->columns[column]];
}

static void copy_column(run_t *r, scratch_t *to, const access_binding_t *b, uint32_t column, const void *from,
                        size_t bytes) {
  if (bytes > 0)
    memcpy(scratch_reserve(&r->plugin->plugins->memory, to, column, b->component->column_count, bytes), from, bytes);
}

void plugin_copy_reads(run_t *r) {
  for (uint32_t i = 0; i < r->rows.term_count && r->rows.query; ++i) {
    const access_term_t *t = &r->rows.terms[i];
    for (uint32_t c = 0; t->bound && !t->written && c < t->bound->component->column_count; ++c)
      copy_column(r, &r->before[i], t->bound, c, t->columns[c], column_bytes(r, t, c));
  }
  for (uint32_t i = 0; i < r->tables.count; ++i) {
    table_run_t *t = &r->tables.items[i];
    for (uint32_t c = 0; c < t->bound->component->column_count; ++c)
      copy_column(r, &t->before, t->bound, c, get_stored_column(t->bound, c), table_bytes(t->bound, c));
  }
}

static bool reject_write(const run_t *r, const access_binding_t *b, uint32_t column, error_info_t *error) {
  return error_set(error, "the system writes %s.%s, which %s", b->component->name,
                   b->manager->schema.fields[b->columns[column]].name,
                   r->phase == PHASE_RENDER ? "is read-only in the render phase"
                                            : "is read-only, because .reads names it");
}

bool plugin_check_reads_unchanged(const run_t *r, error_info_t *error) {
  for (uint32_t i = 0; i < r->rows.term_count && r->rows.query; ++i) {
    const access_term_t *t = &r->rows.terms[i];
    for (uint32_t c = 0; t->bound && !t->written && c < t->bound->component->column_count; ++c) {
      size_t bytes = column_bytes(r, t, c);
      if (bytes > 0 && memcmp(r->before[i].memory[c], t->columns[c], bytes) != 0)
        return reject_write(r, t->bound, c, error);
    }
  }
  for (uint32_t i = 0; i < r->tables.count; ++i) {
    const table_run_t *t = &r->tables.items[i];
    for (uint32_t c = 0; c < t->bound->component->column_count; ++c) {
      size_t bytes = table_bytes(t->bound, c);
      if (bytes > 0 && memcmp(t->before.memory[c], get_stored_column(t->bound, c), bytes) != 0)
        return reject_write(r, t->bound, c, error);
    }
  }
  return true;
}

void plugin_open_rows(run_t *r) {
  access_view_open(&r->plugin->access, &r->rows, &r->view);
  r->checks_reads = plugin_checks_reads(r);
  ++r->run_number;
}

void plugin_refresh_columns(const run_t *r) {
  access_o *a = &r->plugin->access;
  for (uint32_t i = 0; i < a->bound.count; ++i)
    if (a->bound.items[i]->manager && (!r->def->concurrent || plugin_run_has_manager(r, a->bound.items[i])))
      access_refresh_columns(a, a->bound.items[i]);
}
