// Timers: world.after spawns an entity with this component. The system counts down and then emits the event.
#include "countdown/countdown.h"

#include "base/array.h"
#include "base/assert.h"
#include "content/former_names.h"

#include <jansson.h>
#include <stdlib.h>

#define TIMER_SYSTEM "shoal.timer"

typedef struct due_t {
  double seconds; // remaining seconds, at most half a tick
  uint32_t row;
} due_t;

typedef ARRAY(due_t) dues_t;

static int compare_by_time(const void *a, const void *b) {
  const due_t *x = a, *y = b;
  if (x->seconds != y->seconds)
    return x->seconds < y->seconds ? -1 : 1;
  return x->row < y->row ? -1 : x->row > y->row;
}

// Converts a JSON value to a column's value. Returns false if the value has a different type than the column or is not
// one of its enum choices: the event may have been redeclared, or the timer modified, after the timer was created.
static bool read_value(world_o *w, const field_t *f, const json_t *v, double *out) {
  if (json_is_number(v) && (f->type <= FIELD_U32 || f->type == FIELD_ENTITY))
    *out = json_number_value(v);
  else if (json_is_boolean(v) && f->type == FIELD_BOOL)
    *out = json_is_true(v);
  else if (json_is_string(v) && field_is_text(f))
    *out = strings_intern(world_strings(w), json_string_value(v));
  else if (json_is_string(v) && f->type == FIELD_ENUM)
    *out = field_find_choice(f, json_string_value(v), json_string_length(v));
  else
    return false;
  return *out >= 0 || (f->type != FIELD_ENUM && f->type != FIELD_ENTITY);
}

static void emit_event(world_o *w, const event_o *ev, const char *values) {
  uint32_t ticket = world_emit_event(w, ev->id);
  json_error_t json_error;
  json_t *object = json_loads(values[0] ? values : "{}", JSON_REJECT_DUPLICATES, &json_error);
  if (!json_is_object(object))
    log_warn(world_log(w), "timer: the values of the event %s must be a JSON object, got %s: the values are ignored",
             ev->schema.name, values);
  const char *name;
  json_t *v;
  json_object_foreach(object, name, v) {
    int32_t column = schema_find_field(&ev->schema, name);
    column = column < 0 ? schema_find_renamed_field(&ev->schema, name) : column;
    double number = 0;
    if (column >= 0 && read_value(w, &ev->schema.fields[column], v, &number))
      world_set_event_field(w, ticket, (uint32_t)column, number);
    else
      log_warn(world_log(w), "timer: the event %s no longer has a field %s of the same type: the value is ignored",
               ev->schema.name, name);
  }
  json_decref(object);
}

static void fire_timer(world_o *w, const manager_o *m, uint32_t row) {
  const char *event =
      strings_text(world_strings(w), (uint32_t)columns_get(&m->columns, row, SHOAL_COLUMN_INDEX(timer, event)));
  const char *values =
      strings_text(world_strings(w), (uint32_t)columns_get(&m->columns, row, SHOAL_COLUMN_INDEX(timer, values)));
  const event_o *ev = former_names_find_event(w, event);
  if (ev)
    emit_event(w, ev, values);
  else
    log_warn(world_log(w), "timer: the event %s no longer exists and is not emitted", event);
  world_destroy_entity(w, m->owner[row]);
}

void timer_update(world_o *w, double dt_s) {
  manager_o *m = builtin_find(w, "timer");
  shoal_assert(!world_is_deferring(w), "timers cannot count down while commands are deferred");
  if (m->count == 0)
    return;
  double *seconds = timer_columns_of(m).seconds;
  allocator_t *a = world_allocator(w);
  dues_t due = {0};
  for (uint32_t row = 0; row < m->count; ++row) {
    if (world_is_disabled(w, m->owner[row], m->id))
      continue;
    seconds[row] -= dt_s;
    due_t item = {seconds[row], row};
    if (!(seconds[row] > dt_s / 2)) // rounds to the nearest tick
      array_push(a, &due, item);
  }
  columns_mark_touched(&m->columns, SHOAL_COLUMN_INDEX(timer, seconds), 0, m->count);
  if (due.count > 0) {
    qsort(due.items, due.count, sizeof *due.items, compare_by_time);
    world_defer_begin(w, strings_intern(world_strings(w), TIMER_SYSTEM));
    for (uint32_t i = 0; i < due.count; ++i)
      fire_timer(w, m, due.items[i].row);
    world_defer_end(w, false);
  }
  array_free(a, &due);
}
