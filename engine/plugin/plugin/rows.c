// The rows of a plugin's systems, and the detection of writes to read-only columns.
#include "plugin/system_binding.h"

#include "base/assert.h"
#include "plugin/plugin.h"

#include <string.h>

// Read-only columns are passed either in place or as copies that are not written back, depending on the order of the
// rows. A write would therefore change the world in some runs, but not in others. To detect such writes, columns are
// compared in the first runs, which include those of a trial, and in every 64th tick.

#define INITIAL_CHECKS 4u
#define CHECK_INTERVAL_TICKS 64u

bool plugin_checks_reads(const run_t *r) {
  return r->run_number < INITIAL_CHECKS || world_tick(r->plugin->all->world) % CHECK_INTERVAL_TICKS == 0;
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
    memcpy(scratch_reserve(&r->plugin->all->memory, to, column, b->component->column_count, bytes), from, bytes);
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
    if (a->bound.items[i]->manager && (!r->def->beside || plugin_run_has_manager(r, a->bound.items[i])))
      access_refresh_columns(a, a->bound.items[i]);
}
