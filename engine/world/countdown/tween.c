// Tweens: world.tween adds a row of this component for each number to interpolate. The row's instance name is the path
// of the number, for example transform.x. This system advances the rows and removes completed rows. Tweens of
// singletons are rows of an entity that exists only for this purpose (scripts/shoal/world/timers_and_tweens.lua).
#include "countdown/countdown.h"

#include "base/assert.h"
#include "components/name.h"
#include "content/former_names.h"

#include <math.h>
#include <string.h>

#define TWEEN_SYSTEM "shoal.tween"

typedef struct tweens_t {
  manager_o *manager;
  tween_columns columns;
  double dt_s;
} tweens_t;

typedef struct target_t {
  manager_o *manager; // component that the path names; NULL if not found
  uint32_t column, instance;
} target_t;

static bool is_number_column(const manager_o *manager, int32_t column) {
  const field_t *field = column < 0 ? NULL : &manager->schema.fields[column];
  return field && field->type >= FIELD_F32 && field->type <= FIELD_U32 &&
         !(field->flags & (FIELD_HIDDEN | FIELD_READ_ONLY));
}

// Finds the field of a path: component.field, component.vector.part or, for `many` components,
// component.instance.field.
static target_t find_current_target(world_o *w, const char *path) {
  const char *field = "";
  target_t target = {.manager = world_find_manager_by_path(w, path, &field)};
  int32_t column = target.manager ? manager_find_column(target.manager, field) : -1;
  const char *separator = column < 0 ? strchr(field, '.') : NULL;
  if (target.manager && separator && target.manager->schema.kind == SCHEMA_MANY) {
    char instance[256];
    size_t bytes = (size_t)(separator - field);
    if (bytes >= sizeof instance)
      return (target_t){0};
    memcpy(instance, field, bytes);
    instance[bytes] = '\0';
    target.instance = strings_find(world_strings(w), instance);
    column = target.instance != 0 ? manager_find_column(target.manager, separator + 1) : -1;
  }
  target.column = (uint32_t)column;
  return target.manager && is_number_column(target.manager, column) ? target : (target_t){0};
}

// Like find_current_target, but also accepts former names of the component and the field.
static target_t find_target(world_o *w, const char *path) {
  char current[COMPONENT_NAME_MAX + FIELD_NAME_MAX];
  target_t target = find_current_target(w, path);
  return !target.manager && former_names_find_path(w, path, current, sizeof current) ? find_current_target(w, current)
                                                                                     : target;
}

static void end_tween(world_o *w, const tweens_t *t, uint32_t row) {
  event_o *ended = builtin_find_event(w, "tween_ended");
  shoal_assert(world_is_deferring(w), "a tween can only end while commands are deferred");
  if (ended) {
    uint32_t ticket = world_emit_event(w, ended->id);
    const manager_o *component = find_target(w, strings_text(world_strings(w), t->columns.path[row])).manager;
    shoal_entity entity = component && component->schema.kind == SCHEMA_SINGLE ? 0 : t->manager->owner[row];
    world_set_event_field(w, ticket, (uint32_t)schema_find_field(&ended->schema, "entity"), entity);
    world_set_event_field(w, ticket, (uint32_t)schema_find_field(&ended->schema, "path"), t->columns.path[row]);
  }
  world_remove_component(w, t->manager->owner[row], t->manager->id, t->manager->instance[row]);
}

static void write_value(const target_t *target, uint32_t row, double value) {
  bool is_integer = target->manager->schema.fields[target->column].type >= FIELD_I8;
  columns_set(&target->manager->columns, row, target->column, is_integer ? floor(value + 0.5) : value);
}

// Returns the progress from `from` (0) to `to` (1); easing may exceed this range. Sets *finished to true if the last
// run is complete.
static double compute_progress(const tweens_t *t, uint32_t row, bool *finished) {
  double seconds = t->columns.seconds[row], elapsed = t->columns.elapsed[row] < 0 ? 0 : t->columns.elapsed[row];
  uint32_t times = t->columns.times[row];
  // Count the completed runs. Half a tick is added, so that a run ends at the tick nearest to its end.
  double runs = seconds > 0 ? floor((elapsed + t->dt_s / 2) / seconds) : INFINITY;
  *finished = times != 0 ? runs >= times : !(seconds > 0);
  if (*finished)
    return t->columns.back[row] && times % 2 == 0 ? 0 : 1;
  double parity = fmod(runs, 2);
  if (times == 0 && runs >= 2) { // keeps `elapsed` of endless tweens small, and therefore precise
    t->columns.elapsed[row] = elapsed -= (runs - parity) * seconds;
    runs = parity;
  }
  double fraction = (elapsed - runs * seconds) / seconds;
  return ease_evaluate(t->columns.ease[row], t->columns.back[row] && parity == 1 ? 1 - fraction : fraction);
}

static uint32_t find_target_row(const target_t *target, shoal_entity entity) {
  if (target->manager && target->manager->schema.kind == SCHEMA_SINGLE)
    return target->manager->count > 0 ? 0 : ROW_NONE;
  return target->manager ? manager_find_instance_row(target->manager, entity, target->instance) : ROW_NONE;
}

static void advance_row(world_o *w, const tweens_t *t, uint32_t row) {
  shoal_entity entity = t->manager->owner[row];
  t->columns.elapsed[row] += t->dt_s;
  if (t->columns.elapsed[row] + t->dt_s / 2 < 0)
    return;
  const char *path = strings_text(world_strings(w), t->columns.path[row]);
  target_t target = find_target(w, path);
  uint32_t target_row = find_target_row(&target, entity);
  if (target_row == ROW_NONE) {
    char name[NAME_DESCRIPTION_MAX];
    log_warn(world_log(w), "tween: %s no longer has a number field %s: the tween was removed",
             name_describe(w, entity, name, sizeof name), path);
    end_tween(w, t, row);
    return;
  }
  if (!t->columns.begun[row])
    t->columns.from[row] = columns_get(&target.manager->columns, target_row, target.column);
  t->columns.begun[row] = 1;
  bool finished = false;
  double progress = compute_progress(t, row, &finished), start_value = t->columns.from[row],
         end_value = t->columns.to[row];
  write_value(&target, target_row, progress == 1 ? end_value : start_value + (end_value - start_value) * progress);
  if (finished)
    end_tween(w, t, row);
}

void tween_update(world_o *w, double dt_s) {
  manager_o *manager = builtin_find(w, "tween");
  shoal_assert(!world_is_deferring(w), "tweens cannot run while commands are deferred");
  if (manager->count == 0)
    return;
  tweens_t t = {.manager = manager, .columns = tween_columns_of(manager), .dt_s = dt_s};
  world_defer_begin(w, strings_intern(world_strings(w), TWEEN_SYSTEM));
  for (uint32_t row = 0; row < manager->count; ++row)
    if (!world_is_disabled(w, manager->owner[row], manager->id))
      advance_row(w, &t, row);
  columns_mark_touched(&manager->columns, SHOAL_COLUMN_INDEX(tween, elapsed), 0, manager->count);
  columns_mark_touched(&manager->columns, SHOAL_COLUMN_INDEX(tween, begun), 0, manager->count);
  columns_mark_touched(&manager->columns, SHOAL_COLUMN_INDEX(tween, from), 0, manager->count);
  world_defer_end(w, false);
}

static void run_timers(void *context, world_o *w, uint32_t number, float dt_s) {
  (void)context, (void)number, (void)dt_s;
  timer_update(w, world_dt_s(w));
}

static void run_tweens(void *context, world_o *w, uint32_t number, float dt_s) {
  (void)context, (void)number, (void)dt_s;
  tween_update(w, world_dt_s(w));
}

bool countdown_schedule(world_o *w, schedule_o *s, error_info_t *error) {
  (void)w;
  system_desc_t timers = {.name = "shoal.timer", .phase = PHASE_PRE_UPDATE, .priority = 1000, .run = run_timers};
  system_desc_t tweens = {.name = TWEEN_SYSTEM, .phase = PHASE_PRE_UPDATE, .priority = 1000, .run = run_tweens};
  return schedule_add_system(s, &timers, error) && schedule_add_system(s, &tweens, error);
}
