// Clamps columns that were written in place, and reports replaced NaN and invalid list counts.
#include "ecs/ranges.h"

#include "base/assert.h"
#include "base/hash.h"
#include "ecs/last_values.h"
#include "ecs/world_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
  MAX_CHECKED = 64,  // maximum number of values checked per column and pass
  MAX_REPORTED = 256 // maximum number of reports per world
};

void world_mark_written(world_o *w, uint32_t manager, uint64_t columns) {
  manager_o *m = world_manager(w, manager);
  shoal_assert(m, "unknown component number %u", manager);
  m->unclamped |= columns & (m->ranged | m->listed);
  w->ranges.has_marked_columns |= m->unclamped != 0;
}

void world_record_write(world_o *w, uint32_t manager, uint32_t column, uint32_t row, const char *location,
                        uint32_t line) {
  range_note_t *note = &w->ranges.notes[w->ranges.note_count++ % RANGE_NOTES];
  *note = (range_note_t){.manager = manager, .column = column, .row = row, .line = line};
  size_t bytes = strnlen(location, sizeof note->location - 1);
  memcpy(note->location, location, bytes);
}

// Returns the latest note about a value. If that note has been overwritten, returns the latest note about the column,
// or NULL if the column has no note.
static const range_note_t *find_recorded_write(const world_o *w, uint32_t manager, uint32_t column, uint32_t row) {
  uint32_t count = w->ranges.note_count < RANGE_NOTES ? w->ranges.note_count : RANGE_NOTES;
  const range_note_t *latest = NULL;
  for (uint32_t i = 1; i <= count; ++i) {
    const range_note_t *note = &w->ranges.notes[(w->ranges.note_count - i) % RANGE_NOTES];
    if (note->manager != manager || note->column != column)
      continue;
    if (note->row == row || note->row == ROW_NONE)
      return note;
    latest = latest ? latest : note;
  }
  return latest;
}

// --- reports

typedef struct clamping_t {
  world_o *w;
  const manager_o *m;
  uint32_t column, checked;
} clamping_t;

// Writes "system NAME" for the running system; "program" outside systems. Returns `out`.
static const char *describe_running_code(const world_o *w, char *out, size_t bytes) {
  uint32_t system_id = w->frames.count > 0 ? w->frames.items[w->frames.count - 1].system_id : w->applying_system_id;
  snprintf(out, bytes, "%s%s", system_id ? "system " : "program", system_id ? strings_text(w->strings, system_id) : "");
  return out;
}

static bool record_report(world_o *w, uint64_t hash) {
  return !log_is_muted(w->log) && log_once_add(&w->ranges.reported, &w->allocator, hash, MAX_REPORTED);
}

static void send_report(world_o *w, const char *where, const char *message) {
  if (w->ranges.report)
    w->ranges.report(w->ranges.context, where, message);
  else if (w->log)
    log_warn(w->log, "%s: %s (reported once)", where, message);
}

void world_report_once(world_o *w, const char *where, const char *message) {
  if (record_report(w, hash_text(where) ^ hash_text(message) * 0x9e3779b97f4a7c15u))
    send_report(w, where, message);
}

// Reports a replaced value once for each field and location. `location` is "file:line", or the result of
// describe_running_code.
static void report_value(world_o *w, const schema_t *s, uint32_t column, double value, double stored,
                         const char *location) {
  const field_t *f = &s->fields[column];
  char label[160], message[RANGE_TEXT_BYTES];
  snprintf(label, sizeof label, "%s.%s", s->name, f->name);
  if (!record_report(w, hash_text(location) ^ hash_text(label) * 0x9e3779b97f4a7c15u))
    return;
  range_describe_problem(label, f->flags & FIELD_HAS_MIN ? f->min : -INFINITY,
                         f->flags & FIELD_HAS_MAX ? f->max : INFINITY, value, stored, RANGE_STORED, message);
  send_report(w, location, message);
}

// Writes "file:line" of the latest write to a value, or the result of describe_running_code if it is unknown.
static void format_location(const world_o *w, const manager_o *m, uint32_t column, uint32_t row, char *out,
                            size_t bytes) {
  const range_note_t *note = find_recorded_write(w, m->id, column, row);
  if (note && note->line > 0)
    snprintf(out, bytes, "%s:%u", note->location, note->line);
  else if (note)
    snprintf(out, bytes, "%s", note->location);
  else
    describe_running_code(w, out, bytes);
}

// Reports NaN and invalid list counts. Other out-of-range values are clamped without a report.
static void report_clamped_value(void *context, uint32_t row, double value) {
  clamping_t *pass = context;
  bool is_reported = value != value || schema_list_capacity(&pass->m->schema, pass->column) > 0;
  if (!is_reported || pass->checked++ >= MAX_CHECKED)
    return;
  char location[sizeof((range_note_t *)0)->location + 16];
  format_location(pass->w, pass->m, pass->column, row, location, sizeof location);
  report_value(pass->w, &pass->m->schema, pass->column, value, columns_get(&pass->m->columns, row, pass->column),
               location);
}

void world_report_replaced_nan(world_o *w) {
  columns_nan_t *nan = &w->ranges.replaced_nan;
  char location[160];
  if (!nan->schema)
    return;
  const schema_t *s = nan->schema;
  nan->schema = NULL;
  report_value(w, s, nan->column, (double)NAN, s->fields[nan->column].initial,
               describe_running_code(w, location, sizeof location));
}

void world_count_clamped(world_o *w, uint32_t manager, uint32_t column) {
  manager_o *m = world_manager(w, manager);
  shoal_assert(m && column < m->schema.field_count, "unknown component number %u or column %u", manager, column);
  ++m->clamped[column];
}

void world_set_range_report(world_o *w, range_report_t report, void *context) {
  if (report || w->ranges.context == context) {
    w->ranges.report = report;
    w->ranges.context = report ? context : NULL;
  }
}

// --- clamping

static void clamp_manager(world_o *w, manager_o *m) {
  for (uint32_t i = 0; i < m->columns.column_count; ++i) {
    clamping_t pass = {.w = w, .m = m, .column = i};
    uint32_t list_capacity = schema_list_capacity(&m->schema, i);
    if (m->unclamped >> i & 1 && list_capacity > 0) // the count may have shrunk: values past it must become 0
      m->unclamped |= ((UINT64_C(1) << list_capacity) - 1) << (i + 1);
    if (m->unclamped >> i & 1)
      columns_clamp(&m->columns, i, 0, m->count, report_clamped_value, &pass);
  }
  m->unclamped = 0;
}

static void clamp_marked_columns(world_o *w) {
  w->ranges.has_marked_columns = false;
  for (uint32_t i = 0; i < w->managers.count; ++i)
    if (w->managers.items[i]->unclamped)
      clamp_manager(w, w->managers.items[i]);
}

void world_set_written_check(world_o *w, written_check_t check, void *context) {
  w->ranges.check = check;
  w->ranges.check_context = context;
}

void world_check_written(world_o *w) {
  if (w->ranges.check)
    w->ranges.check(w->ranges.check_context, w);
}

void world_clamp_written_columns(world_o *w) {
  world_report_replaced_nan(w);
  if (w->ranges.has_marked_columns)
    clamp_marked_columns(w);
  world_check_written(w);
  w->ranges.note_count = 0;
}

void world_report_write(world_o *w, const manager_o *m, uint32_t column, uint32_t row, const char *message) {
  char location[sizeof((range_note_t *)0)->location + 16];
  format_location(w, m, column, row, location, sizeof location);
  world_report_once(w, location, message);
}

static void count_clamped(void *context, uint32_t row, double value) {
  (void)row;
  (void)value;
  ++*(uint32_t *)context;
}

static void clamp_all_rows(manager_o *m, void (*log_line)(void *context, const char *line), void *context) {
  char line[256], range[80];
  uint32_t count = 0;
  for (uint32_t i = 0; i < m->columns.column_count; ++i) {
    const field_t *f = &m->schema.fields[i];
    bool ends_list = f->flags & FIELD_IS_ELEMENT &&
                     (i + 1 == m->columns.column_count || field_element_number(&m->schema.fields[i + 1]) <= 1);
    if (field_is_clamped(f))
      columns_clamp(&m->columns, i, 0, m->count, count_clamped, &count);
    if (f->flags & FIELD_IS_OF_LIST && !ends_list) // one line for all values of a list
      continue;
    if (count > 0 && log_line) {
      bool has_range = field_has_range(f) || f->flags & FIELD_IS_OF_LIST;
      snprintf(line, sizeof line, has_range ? "%s.%.*s: %u value%s clamped to the range %s" : "%s.%.*s: %u NaN%s%s",
               m->schema.name, (int)field_base_bytes(f), f->name, count, count == 1 ? "" : "s",
               has_range ? field_format_range(f, range, sizeof range) : " replaced by the default");
      log_line(context, line);
    }
    count = 0;
  }
  m->unclamped = 0;
}

void world_clamp_all(world_o *w, void (*log_line)(void *context, const char *line), void *context) {
  for (uint32_t i = 0; i < w->managers.count; ++i) {
    manager_o *m = w->managers.items[i];
    if (!(m->ranged | m->listed))
      continue;
    clamp_all_rows(m, log_line, context);
    if (m->last_values)
      columns_clamp_rows(&m->last_values->columns, 0, m->last_values->columns.count);
  }
  for (uint32_t i = 0; i < w->events.count; ++i)
    columns_clamp_rows(&w->events.items[i]->shared.columns, 0, w->events.items[i]->shared.columns.count);
  w->ranges.has_marked_columns = false;
  w->ranges.replaced_nan.schema = NULL;
  w->ranges.note_count = 0;
}
