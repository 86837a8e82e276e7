// Hashes the rows that a part of a parallel system must not write. Unused with SHOAL_CHECK_RACES: ThreadSanitizer then
// reports such writes with their source lines.
#include "plugin/part_check.h"

#include "access/read_check.h"
#include "base/hash.h"
#include "plugin/plugin.h"
#include "plugin/system_binding.h"

#include <stdatomic.h>

static allocator_t *get_memory(const run_t *run) {
  return &run->plugin->plugins->memory;
}

// --- rows of the view: a part must not write the rows of a different part

static bool is_written(const access_term_t *term, uint32_t column) {
  return term->written && !access_is_derived(term->bound, column);
}

static uint64_t hash_part(const run_t *run, const access_term_t *term, uint32_t column, uint32_t part) {
  uint32_t first = part * run->part_rows, remaining = run->view.count - first;
  uint32_t count = remaining < run->part_rows ? remaining : run->part_rows;
  size_t bytes = access_element_bytes(term->bound, column);
  return hash_bytes((const char *)term->columns[column] + first * bytes, count * bytes, 0);
}

// Finds the next written column after `column` of term `i`. Returns true if a column was found, or false after the last
// column. Start with term 0 and column UINT32_MAX.
static bool find_next_written(const run_t *run, uint32_t *i, uint32_t *column) {
  for (++*column; *i < run->rows.term_count; ++*i, *column = 0)
    for (; *column < access_column_count(&run->rows.terms[*i]); ++*column)
      if (is_written(&run->rows.terms[*i], *column))
        return true;
  return false;
}

static void hash_parts(run_t *run) {
  part_check_t *check = &run->part_check;
  for (uint32_t part = 0; part < run->part_count; ++part)
    for (uint32_t i = 0, column = UINT32_MAX; find_next_written(run, &i, &column);)
      array_push(get_memory(run), &check->parts,
                 (part_rows_t){.hash = hash_part(run, &run->rows.terms[i], column, part)});
}

// Returns the first of the part's rows in `parts`. All parts have the same number of written columns.
static part_rows_t *get_part_rows(run_t *run, uint32_t part) {
  return run->part_check.parts.items + part * (run->part_check.parts.count / run->part_count);
}

void part_check_enter(run_t *run, uint32_t part) {
  if (!run->part_check.is_running)
    return;
  part_rows_t *rows = get_part_rows(run, part);
  for (uint32_t i = 0, column = UINT32_MAX; find_next_written(run, &i, &column); ++rows)
    rows->changed = hash_part(run, &run->rows.terms[i], column, part) != rows->hash;
}

void part_check_leave(run_t *run, uint32_t part) {
  if (!run->part_check.is_running)
    return;
  part_rows_t *rows = get_part_rows(run, part);
  for (uint32_t i = 0, column = UINT32_MAX; find_next_written(run, &i, &column); ++rows)
    rows->hash = hash_part(run, &run->rows.terms[i], column, part);
}

// --- rows outside the view

static uint64_t hash_foreign_rows(const foreign_rows_t *f) {
  const manager_o *m = f->binding->manager;
  size_t element = access_element_bytes(f->binding, f->column), bytes = m->count * element;
  const char *data = m->data[f->binding->columns[f->column]];
  const char *view = f->term ? f->term->columns[f->column] : NULL;
  size_t view_bytes = f->term ? f->rows * element : 0;
  if (!view || view < data || view >= data + bytes) // the view points to copies, not to the column
    return bytes > 0 ? hash_bytes(data, bytes, 0) : 0;
  size_t before = (size_t)(view - data), after = bytes - before - view_bytes;
  uint64_t hash = before > 0 ? hash_bytes(data, before, 0) : 0;
  return after > 0 ? hash_bytes(view + view_bytes, after, hash) : hash;
}

static void add_foreign_rows(run_t *run, const access_binding_t *binding, const access_term_t *term) {
  for (uint32_t column = 0; column < binding->component->column_count; ++column) {
    foreign_rows_t f = {.binding = binding, .term = term, .column = column, .rows = run->view.count};
    if (access_is_derived(binding, column))
      continue;
    f.hash = hash_foreign_rows(&f);
    array_push(get_memory(run), &run->part_check.foreign, f);
  }
}

static bool has_foreign_rows(const run_t *run, const access_binding_t *binding) {
  for (uint32_t i = 0; i < run->part_check.foreign.count; ++i)
    if (run->part_check.foreign.items[i].binding->manager == binding->manager)
      return true;
  return false;
}

void part_check_open(run_t *run, access_binding_t *binding) {
  component_binding_t *opened = (component_binding_t *)(void *)binding;
  // Stores the flag only if it is not set, because the parts would otherwise compete for its cache line at each
  // opening.
  if (!atomic_load_explicit(&opened->is_opened_by_parts, memory_order_relaxed))
    atomic_store_explicit(&opened->is_opened_by_parts, true, memory_order_relaxed);
  if (run->part_check.is_in_order && !plugin_run_has_manager(run, binding) && !has_foreign_rows(run, binding))
    add_foreign_rows(run, binding, NULL);
}

// --- the check

void part_check_begin(run_t *run) {
  part_check_t *check = &run->part_check;
  access_o *access = &run->plugin->access;
  check->is_running = run->checks_reads && run->def->parallel && !run->plugin->plugins->checks_races;
  check->is_in_order = check->is_running && run->run_number <= READ_CHECK_INITIAL;
  check->parts.count = check->foreign.count = 0;
  if (!check->is_running)
    return;
  hash_parts(run);
  for (uint32_t i = 0; i < run->rows.term_count; ++i)
    if (run->rows.terms[i].bound)
      add_foreign_rows(run, run->rows.terms[i].bound, &run->rows.terms[i]);
  for (uint32_t i = 0; i < access->bound.count; ++i) {
    const component_binding_t *binding = (component_binding_t *)(void *)access->bound.items[i];
    bool is_opened = binding->shared.manager && atomic_load(&binding->is_opened_by_parts);
    if (is_opened && !plugin_run_has_manager(run, &binding->shared) && !has_foreign_rows(run, &binding->shared))
      add_foreign_rows(run, &binding->shared, NULL);
  }
}

static bool reject_write(const access_binding_t *binding, uint32_t column, error_info_t *error) {
  return error_set(error,
                   "a part of the system writes %s.%s outside its rows, while other parts run: use shoal_set or an "
                   "event, whose changes are queued, or remove .parallel; make race shows the line",
                   binding->component->name, binding->manager->schema.fields[binding->columns[column]].name);
}

bool part_check_end(run_t *run, error_info_t *error) {
  const part_check_t *check = &run->part_check;
  const part_rows_t *rows = check->parts.items;
  for (uint32_t part = 0; part < run->part_count && check->is_running; ++part)
    for (uint32_t i = 0, column = UINT32_MAX; find_next_written(run, &i, &column); ++rows)
      if (rows->changed || hash_part(run, &run->rows.terms[i], column, part) != rows->hash)
        return reject_write(run->rows.terms[i].bound, column, error);
  for (uint32_t i = 0; i < check->foreign.count; ++i)
    if (hash_foreign_rows(&check->foreign.items[i]) != check->foreign.items[i].hash)
      return reject_write(check->foreign.items[i].binding, check->foreign.items[i].column, error);
  return true;
}

void part_check_free(run_t *run) {
  array_free(get_memory(run), &run->part_check.parts);
  array_free(get_memory(run), &run->part_check.foreign);
}
