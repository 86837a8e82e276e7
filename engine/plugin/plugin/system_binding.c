// Binds a plugin's systems and observers to the world: their components and queries.
#include "plugin/system_binding.h"

#include "access/last_error.h"
#include "access/read_check.h"
#include "base/assert.h"
#include "plugin/plugin.h"
#include "ecs/changes.h"
#include "ecs/name_hint.h"
#include "shoal/observe.h"

#include <string.h>

void plugin_free_run(plugins_o *plugins, run_t *run) {
  for (uint32_t i = 0; i < run->rows.term_count; ++i)
    scratch_free(&plugins->memory, &run->copies[i]);
  access_view_fini(&run->plugin->access, &run->rows);
  for (uint32_t i = 0; i < run->read_rows.count; ++i)
    scratch_free(&plugins->memory, &run->read_rows.items[i].copies);
  array_free(&plugins->memory, &run->read_rows);
  part_check_free(run);
}

static bool has_term_columns(const run_t *run, const manager_o *manager) {
  for (uint32_t i = 0; i < run->rows.term_count; ++i)
    if (run->rows.terms[i].bound && run->rows.terms[i].manager == manager)
      return true;
  return false;
}

// For a system with .concurrent, binds the components that are listed in .reads but are not part of the query.
static bool add_read_tables(plugins_o *plugins, run_t *run, error_info_t *error) {
  char hint[HINT_BYTES];
  for (uint32_t i = 0; i < SHOAL_MAX_NAMES && run->def->reads[i] && run->def->concurrent; ++i) {
    const char *name = run->def->reads[i];
    const manager_o *manager = world_find_manager(plugins->world, name);
    if (!manager && world_find_event(plugins->world, name))
      return error_set(
          error, ".reads must name components, got the event %s: a system with .concurrent cannot read events", name);
    if (!manager)
      return error_set(error, ".reads: unknown component %s%s", name, hint_component(plugins->world, name, hint));
    if (has_term_columns(run, manager))
      continue;
    access_o *access = &run->plugin->access;
    read_rows_t read = {.binding = access_find_component_binding(access, manager)};
    if (!read.binding)
      read.binding = access_find_binding(access, world_access_find_component(&access->own.shared, name));
    array_push(&plugins->memory, &run->read_rows, read);
  }
  return true;
}

bool plugin_run_has_manager(const run_t *run, const access_binding_t *binding) {
  if (has_term_columns(run, binding->manager))
    return true;
  for (uint32_t i = 0; i < run->read_rows.count; ++i)
    if (run->read_rows.items[i].binding->manager == binding->manager)
      return true;
  return false;
}

// Returns the mask of the columns to declare as read. If the plugin uses a derived column, these are all columns,
// because a derived column depends on all of them.
static uint64_t get_read_columns(const access_binding_t *binding) {
  for (uint32_t i = 0; i < binding->component->column_count; ++i)
    if (access_is_derived(binding, i))
      return UINT64_MAX >> (64 - binding->manager->schema.field_count);
  return access_stored_columns(binding);
}

static bool init_rows(run_t *run, error_info_t *error) {
  shoal_query_desc desc;
  memcpy(desc.with, run->def->query, sizeof desc.with);
  memcpy(desc.without, run->def->without, sizeof desc.without);
  memcpy(desc.optional, run->def->optional, sizeof desc.optional);
  memcpy(desc.any, run->def->any, sizeof desc.any);
  memcpy(desc.reads, run->def->reads, sizeof desc.reads);
  return access_view_init(&run->plugin->access, &run->rows, &desc, run->phase != PHASE_RENDER) ||
         error_set(error, "%s", access_error_text());
}

bool plugin_bind_run(plugins_o *plugins, run_t *run, error_info_t *error) {
  shoal_assert(run->rows.term_count == 0, "the terms of %s are already bound", run->name);
  run->ready = init_rows(run, error) && add_read_tables(plugins, run, error);
  if (run->ready && run->observer)
    run->observes = observer_find_or_create(plugins->world, run->name, run->rows.query, run->observer->changed != NULL);
  return run->ready;
}

uint32_t plugin_list_run_access(const run_t *run, system_access_t access[RUN_MAX_ACCESS]) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < run->rows.term_count; ++i) {
    const access_term_t *term = &run->rows.terms[i];
    if (term->bound)
      access[count++] = (system_access_t){.manager = term->manager->id,
                                          .reads = get_read_columns(term->bound),
                                          .writes = term->written ? access_stored_columns(term->bound) : 0};
  }
  for (uint32_t i = 0; i < run->read_rows.count; ++i)
    access[count++] = (system_access_t){.manager = run->read_rows.items[i].binding->manager->id,
                                        .reads = get_read_columns(run->read_rows.items[i].binding)};
  return count;
}

// --- rows, and writes to read-only columns

// Read-only columns are passed either in place or as copies that are not written back, depending on the order of the
// rows. A write would therefore change the world only in some runs. To detect such writes, columns are compared in the
// first runs, which include trial runs, and in every 64th tick.

bool plugin_checks_reads(const run_t *run) {
  return run->run_number < READ_CHECK_INITIAL || world_tick(run->plugin->plugins->world) % READ_CHECK_INTERVAL == 0;
}

// Returns the size of a column in bytes, or 0 for a derived column, which is a copy and never written back.
static size_t column_bytes(const run_t *run, const access_term_t *term, uint32_t column) {
  return access_is_derived(term->bound, column)
             ? 0
             : (size_t)run->rows.query->count * access_element_bytes(term->bound, column);
}

static size_t read_bytes(const access_binding_t *binding, uint32_t column) {
  return access_is_derived(binding, column) ? 0
                                            : (size_t)binding->manager->count * access_element_bytes(binding, column);
}

static const void *get_stored_column(const access_binding_t *binding, uint32_t column) {
  return access_is_derived(binding, column) ? NULL : binding->manager->data[binding->columns[column]];
}

static void copy_column(run_t *run, scratch_t *copies, const access_binding_t *binding, uint32_t column,
                        const void *column_data, size_t bytes) {
  if (bytes > 0)
    memcpy(scratch_reserve(&run->plugin->plugins->memory, copies, column, binding->component->column_count, bytes),
           column_data, bytes);
}

void plugin_copy_reads(run_t *run) {
  for (uint32_t i = 0; i < run->rows.term_count && run->rows.query; ++i) {
    const access_term_t *term = &run->rows.terms[i];
    for (uint32_t column = 0; term->bound && !term->written && column < term->bound->component->column_count; ++column)
      copy_column(run, &run->copies[i], term->bound, column, term->columns[column], column_bytes(run, term, column));
  }
  for (uint32_t i = 0; i < run->read_rows.count; ++i) {
    read_rows_t *read = &run->read_rows.items[i];
    for (uint32_t column = 0; column < read->binding->component->column_count; ++column)
      copy_column(run, &read->copies, read->binding, column, get_stored_column(read->binding, column),
                  read_bytes(read->binding, column));
  }
}

static bool reject_write(const run_t *run, const access_binding_t *binding, uint32_t column, error_info_t *error) {
  return error_set(error, "the system writes %s.%s, which %s", binding->component->name,
                   binding->manager->schema.fields[binding->columns[column]].name,
                   run->phase == PHASE_RENDER ? "is read-only in the render phase"
                                              : "is read-only, because .reads names it");
}

bool plugin_check_reads_unchanged(const run_t *run, error_info_t *error) {
  for (uint32_t i = 0; i < run->rows.term_count && run->rows.query; ++i) {
    const access_term_t *term = &run->rows.terms[i];
    for (uint32_t column = 0; term->bound && !term->written && column < term->bound->component->column_count;
         ++column) {
      size_t bytes = column_bytes(run, term, column);
      if (bytes > 0 && memcmp(run->copies[i].memory[column], term->columns[column], bytes) != 0)
        return reject_write(run, term->bound, column, error);
    }
  }
  for (uint32_t i = 0; i < run->read_rows.count; ++i) {
    const read_rows_t *read = &run->read_rows.items[i];
    for (uint32_t column = 0; column < read->binding->component->column_count; ++column) {
      size_t bytes = read_bytes(read->binding, column);
      if (bytes > 0 && memcmp(read->copies.memory[column], get_stored_column(read->binding, column), bytes) != 0)
        return reject_write(run, read->binding, column, error);
    }
  }
  return true;
}

void plugin_open_rows(run_t *run) {
  access_view_open(&run->plugin->access, &run->rows, &run->view);
  run->checks_reads = plugin_checks_reads(run);
  ++run->run_number;
}

void plugin_refresh_columns(const run_t *run) {
  access_o *access = &run->plugin->access;
  for (uint32_t i = 0; i < access->bound.count; ++i)
    if (access->bound.items[i]->manager &&
        (!run->def->concurrent || plugin_run_has_manager(run, access->bound.items[i])))
      access_refresh_columns(access, access->bound.items[i]);
}
