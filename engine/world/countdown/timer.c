// Timers: world.after spawns an entity with this component. The system counts down and then emits the event.
#include "countdown/countdown.h"

#include "base/array.h"
#include "base/assert.h"
#include "content/former_names.h"

#include <jansson.h>
#include <stdlib.h>

#define TIMER_SYSTEM "shoal.timer"

typedef struct due_timer_t {
  double seconds; // remaining seconds, at most half a tick
  uint32_t row;
} due_timer_t;

typedef ARRAY(due_timer_t) due_timers_t;

static int compare_by_time(const void *a, const void *b) {
  const due_timer_t *x = a, *y = b;
  if (x->seconds != y->seconds)
    return x->seconds < y->seconds ? -1 : 1;
  return x->row < y->row ? -1 : x->row > y->row;
}

// Converts a JSON value to a column's value. Returns true on success, or false if the value's type differs from the
// column's type, if the value is not a choice of the column's enum, or if an entity is negative. After the timer was
// created, the event may have been redeclared, or the timer modified.
static bool read_value(world_o *w, const field_t *field, const json_t *value, double *out) {
  if (json_is_number(value) && (field->type <= FIELD_U32 || field->type == FIELD_ENTITY))
    *out = json_number_value(value);
  else if (json_is_boolean(value) && field->type == FIELD_BOOL)
    *out = json_is_true(value);
  else if (json_is_string(value) && field_is_text(field))
    *out = strings_intern(world_strings(w), json_string_value(value));
  else if (json_is_string(value) && field->type == FIELD_ENUM)
    *out = field_find_choice(field, json_string_value(value), json_string_length(value));
  else
    return false;
  return *out >= 0 || (field->type != FIELD_ENUM && field->type != FIELD_ENTITY);
}

static void emit_event(world_o *w, const event_o *event, const char *values) {
  uint32_t ticket = world_emit_event(w, event->id);
  json_error_t json_error;
  json_t *object = json_loads(values[0] ? values : "{}", JSON_REJECT_DUPLICATES, &json_error);
  if (!json_is_object(object))
    log_warn(world_log(w), "timer: the values of the event %s must be a JSON object, got %s: the values are ignored",
             event->schema.name, values);
  const char *name;
  json_t *value;
  json_object_foreach(object, name, value) {
    int32_t column = schema_find_field(&event->schema, name);
    column = column < 0 ? schema_find_renamed_field(&event->schema, name) : column;
    double number = 0;
    if (column >= 0 && read_value(w, &event->schema.fields[column], value, &number))
      world_set_event_field(w, ticket, (uint32_t)column, number);
    else
      log_warn(world_log(w), "timer: the event %s no longer has a field %s of the same type: the value is ignored",
               event->schema.name, name);
  }
  json_decref(object);
}

static void fire_timer(world_o *w, const manager_o *manager, uint32_t row) {
  const char *event_name =
      strings_text(world_strings(w), (uint32_t)columns_get(&manager->columns, row, SHOAL_COLUMN_INDEX(timer, event)));
  const char *values =
      strings_text(world_strings(w), (uint32_t)columns_get(&manager->columns, row, SHOAL_COLUMN_INDEX(timer, values)));
  const event_o *event = former_names_find_event(w, event_name);
  if (event)
    emit_event(w, event, values);
  else
    log_warn(world_log(w), "timer: the event %s no longer exists and is not emitted", event_name);
  world_destroy_entity(w, manager->owner[row]);
}

void timer_update(world_o *w, double dt_s) {
  manager_o *manager = builtin_find(w, "timer");
  shoal_assert(!world_is_deferring(w), "timers cannot count down while commands are deferred");
  if (manager->count == 0)
    return;
  double *seconds = timer_columns_of(manager).seconds;
  allocator_t *allocator = world_allocator(w);
  due_timers_t due_timers = {0};
  for (uint32_t row = 0; row < manager->count; ++row) {
    if (world_is_disabled(w, manager->owner[row], manager->id))
      continue;
    seconds[row] -= dt_s;
    due_timer_t item = {seconds[row], row};
    if (!(seconds[row] > dt_s / 2)) // rounds to the nearest tick
      array_push(allocator, &due_timers, item);
  }
  columns_mark_touched(&manager->columns, SHOAL_COLUMN_INDEX(timer, seconds), 0, manager->count);
  if (due_timers.count > 0) {
    qsort(due_timers.items, due_timers.count, sizeof *due_timers.items, compare_by_time);
    world_defer_begin(w, strings_intern(world_strings(w), TIMER_SYSTEM));
    for (uint32_t i = 0; i < due_timers.count; ++i)
      fire_timer(w, manager, due_timers.items[i].row);
    world_defer_end(w, false);
  }
  array_free(allocator, &due_timers);
}
