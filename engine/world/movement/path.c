// Moves entities along paths. The points of a path are parsed from its string every tick, so that all state is in the
// world.
#include "movement/path.h"

#include "base/array.h"
#include "base/assert.h"
#include "components/name.h"
#include "movement/mover.h"
#include "transform/transform.h"

#include <math.h>
#include <string.h>

#define PATH_SYSTEM "shoal.path"
#define ARRIVAL_DISTANCE 0.01     // distance in pixels within which an entity moved by the path has reached a point
#define GAME_ARRIVAL_DISTANCE 2.0 // distance in pixels within which an entity moved by the game has reached a point
#define MAX_DIGITS 15             // maximum number of digits; integers with this many digits are exact in a double

typedef struct point_t {
  double x, y;
} point_t;

typedef struct paths_t {
  world_o *world;
  manager_o *manager, *transforms, *movers;
  path_columns columns;
  transform_columns transform;
  double dt_s;
  ARRAY(point_t) points;
} paths_t;

// --- points

// Parses a decimal number exactly, as an integer and one division. Returns the end of the number, or NULL if there is
// no number, or if its integer part has too many digits.
static const char *read_number(const char *text, double *out) {
  double value = 0, divisor = 1;
  int digits = 0;
  bool is_negative = *text == '-', has_point = false;
  for (text += is_negative; (*text >= '0' && *text <= '9') || (*text == '.' && !has_point); ++text) {
    if (*text == '.') {
      has_point = true;
    } else if (digits < MAX_DIGITS) {
      value = value * 10 + (*text - '0');
      divisor *= has_point ? 10 : 1;
      digits += value > 0 || has_point;
    } else if (!has_point) {
      return NULL;
    }
  }
  *out = (is_negative ? -value : value) / divisor;
  return digits > 0 || (text[-1] == '0') ? text : NULL;
}

static const char *skip_spaces(const char *text) {
  return text + strspn(text, " \t\n");
}

static bool read_points(paths_t *paths, const char *text) {
  paths->points.count = 0;
  for (text = skip_spaces(text); *text; text = skip_spaces(text)) {
    point_t point;
    text = read_number(text, &point.x);
    if (!text || *text != ',')
      return false;
    text = read_number(text + 1, &point.y);
    if (!text || (*text && !strchr(" \t\n", *text)))
      return false;
    array_push(world_allocator(paths->world), &paths->points, point);
  }
  return true;
}

// --- movement along a path

static void emit_path_ended(const paths_t *p, shoal_entity entity) {
  const event_o *ended = builtin_find_event(p->world, "path_ended");
  if (!ended)
    return;
  uint32_t ticket = world_emit_event(p->world, ended->id);
  world_set_event_field(p->world, ticket, (uint32_t)schema_find_field(&ended->schema, "entity"), (double)entity);
}

// Returns the number of the point after `next`, or 0 at the end of the path. Updates `returning`.
static uint32_t next_point(const paths_t *paths, uint32_t row, uint32_t next) {
  uint32_t count = paths->points.count;
  uint8_t *returning = &paths->columns.returning[row];
  if (paths->columns.back[row] && count > 1) {
    if (next >= count)
      *returning = 1;
    else if (next <= 1)
      *returning = 0;
    return *returning ? next - 1 : next + 1;
  }
  if (next < count)
    return next + 1;
  return paths->columns.loop[row] ? 1 : 0;
}

// Moves *position by `remaining` pixels along the path. Returns the number of the next point, or 0 at the end of the
// path.
static uint32_t advance_along_path(const paths_t *paths, uint32_t row, uint32_t next, double remaining,
                                   point_t *position) {
  double tolerance = remaining > 0 ? ARRIVAL_DISTANCE : GAME_ARRIVAL_DISTANCE;
  for (uint32_t i = 0; i <= paths->points.count; ++i) {
    const point_t *target = &paths->points.items[next - 1];
    double dx = target->x - position->x, dy = target->y - position->y, distance = sqrt(dx * dx + dy * dy);
    if (distance > remaining && distance > tolerance) {
      position->x += dx / distance * remaining;
      position->y += dy / distance * remaining;
      return next;
    }
    if (remaining > 0)
      *position = *target;
    remaining = fmax(remaining - distance, 0);
    next = next_point(paths, row, next);
    if (next == 0)
      return 0;
  }
  return next;
}

static void set_field(manager_o *m, uint32_t row, uint32_t column, double value) {
  columns_set(&m->columns, row, column, value);
}

static void apply_movement(const paths_t *paths, uint32_t row, uint32_t transform_row, const point_t *start,
                           const point_t *end) {
  uint32_t mover = paths->movers ? manager_row(paths->movers, paths->manager->owner[row]) : ROW_NONE;
  if (mover != ROW_NONE) {
    set_field(paths->movers, mover, SHOAL_COLUMN_INDEX(mover, vx), (end->x - start->x) / paths->dt_s);
    set_field(paths->movers, mover, SHOAL_COLUMN_INDEX(mover, vy), (end->y - start->y) / paths->dt_s);
  } else if (end->x != start->x || end->y != start->y) {
    set_field(paths->transforms, transform_row, SHOAL_COLUMN_INDEX(transform, x), end->x);
    set_field(paths->transforms, transform_row, SHOAL_COLUMN_INDEX(transform, y), end->y);
  }
}

static void set_direction(const paths_t *paths, uint32_t row, const point_t *position, uint32_t next) {
  double dx = 0, dy = 0;
  if (next != 0) {
    dx = paths->points.items[next - 1].x - position->x;
    dy = paths->points.items[next - 1].y - position->y;
    double distance = sqrt(dx * dx + dy * dy);
    dx = distance > 0 ? dx / distance : 0;
    dy = distance > 0 ? dy / distance : 0;
  }
  paths->columns.dir_x[row] = (float)dx;
  paths->columns.dir_y[row] = (float)dy;
}

static void log_invalid_points(const paths_t *p, uint32_t row, const char *text) {
  char name[NAME_DESCRIPTION_MAX];
  log_warn(world_log(p->world), "%s: path.points: invalid list of points \"%.60s\": write \"10,20 30,20\"",
           name_describe(p->world, p->manager->owner[row], name, sizeof name), text);
}

// Stores the origin of a relative path in its first tick, and adds the origin to all points. Resets the origin of any
// other path.
static void apply_origin(paths_t *paths, uint32_t row, const point_t *position) {
  bool is_first_tick = paths->columns.relative[row] && !paths->columns.begun[row];
  paths->columns.begun[row] = paths->columns.relative[row];
  if (is_first_tick || !paths->columns.relative[row]) {
    paths->columns.origin_x[row] = is_first_tick ? (float)position->x : 0;
    paths->columns.origin_y[row] = is_first_tick ? (float)position->y : 0;
  }
  for (uint32_t i = 0; paths->columns.relative[row] && i < paths->points.count; ++i) {
    paths->points.items[i].x += (double)paths->columns.origin_x[row];
    paths->points.items[i].y += (double)paths->columns.origin_y[row];
  }
}

static void follow_path(paths_t *paths, uint32_t row) {
  shoal_entity entity = paths->manager->owner[row];
  uint32_t transform_row = manager_row(paths->transforms, entity), next = paths->columns.next[row];
  const char *text = strings_text(world_strings(paths->world), paths->columns.points[row]);
  uint8_t *faulty = &paths->columns.faulty[row];
  bool is_valid = read_points(paths, text);
  if (!is_valid && !*faulty)
    log_invalid_points(paths, row, text);
  *faulty = !is_valid;
  double speed = (double)paths->columns.speed[row];
  if (transform_row == ROW_NONE || !is_valid || paths->points.count == 0)
    return;
  point_t start = {(double)paths->transform.x[transform_row], (double)paths->transform.y[transform_row]};
  if (!isfinite(start.x) || !isfinite(start.y))
    return;
  apply_origin(paths, row, &start);
  point_t end = start;
  bool was_moving = paths->columns.dir_x[row] != 0 || paths->columns.dir_y[row] != 0;
  bool is_finished = next == 0 || next > paths->points.count;
  uint32_t new_next =
      is_finished ? 0 : advance_along_path(paths, row, next, isfinite(speed) ? fmax(speed, 0) * paths->dt_s : 0, &end);
  if (speed > 0 && (!is_finished || was_moving))
    apply_movement(paths, row, transform_row, &start, &end);
  set_direction(paths, row, &end, new_next);
  if (!is_finished)
    paths->columns.next[row] = new_next != 0 ? new_next : paths->points.count + 1;
  if (!is_finished && new_next == 0)
    emit_path_ended(paths, entity);
}

void path_update(world_o *w, double dt_s) {
  paths_t paths = {.world = w,
                   .manager = builtin_find(w, "path"),
                   .transforms = world_find_manager(w, "transform"),
                   .movers = builtin_find(w, "mover"),
                   .dt_s = dt_s};
  shoal_assert(!world_is_deferring(w), "paths cannot be followed while commands are deferred");
  if (paths.manager->count == 0)
    return;
  paths.columns = path_columns_of(paths.manager);
  paths.transform = transform_columns_of(paths.transforms);
  world_defer_begin(w, strings_intern(world_strings(w), PATH_SYSTEM));
  for (uint32_t row = 0; row < paths.manager->count; ++row)
    if (!world_is_disabled(w, paths.manager->owner[row], paths.manager->id))
      follow_path(&paths, row);
  for (uint32_t column = SHOAL_COLUMN_INDEX(path, next); column <= SHOAL_COLUMN_INDEX(path, origin_y); ++column)
    columns_mark_touched(&paths.manager->columns, column, 0, paths.manager->count);
  world_defer_end(w, false);
  array_free(world_allocator(w), &paths.points);
}

static void run_paths(void *context, world_o *w, uint32_t number, float dt_s) {
  (void)context, (void)number, (void)dt_s;
  path_update(w, world_dt_s(w));
}

bool path_schedule(world_o *w, schedule_o *s, error_info_t *error) {
  (void)w;
  return schedule_add_system(
      s, &(system_desc_t){.name = PATH_SYSTEM, .phase = PHASE_PRE_UPDATE, .priority = 1001, .run = run_paths}, error);
}
