// Moves entities along paths. The points of a path are parsed from its string in each tick, so that all state is in the
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
#define ARRIVED 0.01  // pixels: within this distance, an entity moved by the path has reached a point
#define NEAR 2.0      // pixels: within this distance, an entity moved by the game has reached a point
#define MAX_DIGITS 15 // maximum number of digits; integers with this many digits are exact in a double

typedef struct point_t {
  double x, y;
} point_t;

typedef struct paths_t {
  world_o *w;
  manager_o *m, *transforms, *movers;
  path_columns c;
  transform_columns transform;
  double dt_s;
  ARRAY(point_t) points;
} paths_t;

// --- points

// Parses a decimal number exactly, as an integer and one division. Returns the end of the number; NULL if there is no
// number, or if its integer part has too many digits.
static const char *read_number(const char *text, double *out) {
  double whole = 0, parts = 1;
  int digits = 0;
  bool minus = *text == '-', point = false;
  for (text += minus; (*text >= '0' && *text <= '9') || (*text == '.' && !point); ++text) {
    if (*text == '.') {
      point = true;
    } else if (digits < MAX_DIGITS) {
      whole = whole * 10 + (*text - '0');
      parts *= point ? 10 : 1;
      digits += whole > 0 || point;
    } else if (!point) {
      return NULL;
    }
  }
  *out = (minus ? -whole : whole) / parts;
  return digits > 0 || (text[-1] == '0') ? text : NULL;
}

static const char *skip_spaces(const char *text) {
  return text + strspn(text, " \t\n");
}

static bool read_points(paths_t *p, const char *text) {
  p->points.count = 0;
  for (text = skip_spaces(text); *text; text = skip_spaces(text)) {
    point_t at;
    text = read_number(text, &at.x);
    if (!text || *text != ',')
      return false;
    text = read_number(text + 1, &at.y);
    if (!text || (*text && !strchr(" \t\n", *text)))
      return false;
    array_push(world_allocator(p->w), &p->points, at);
  }
  return true;
}

// --- movement along a path

static void emit_path_ended(const paths_t *p, shoal_entity e) {
  const event_o *ended = builtin_find_event(p->w, "path_ended");
  if (!ended)
    return;
  uint32_t ticket = world_emit_event(p->w, ended->id);
  world_set_event_field(p->w, ticket, (uint32_t)schema_find_field(&ended->schema, "entity"), (double)e);
}

// Returns the number of the point after `next`; 0 at the end of the path. Updates `returning`.
static uint32_t next_point(const paths_t *p, uint32_t row, uint32_t next) {
  uint32_t count = p->points.count;
  uint8_t *returning = &p->c.returning[row];
  if (p->c.back[row] && count > 1) {
    if (next >= count)
      *returning = 1;
    else if (next <= 1)
      *returning = 0;
    return *returning ? next - 1 : next + 1;
  }
  if (next < count)
    return next + 1;
  return p->c.loop[row] ? 1 : 0;
}

// Moves *at by `left` pixels along the path. Returns the number of the next point; 0 at the end of the path.
static uint32_t advance_along_path(const paths_t *p, uint32_t row, uint32_t next, double left, point_t *at) {
  double reach = left > 0 ? ARRIVED : NEAR;
  for (uint32_t i = 0; i <= p->points.count; ++i) {
    const point_t *to = &p->points.items[next - 1];
    double dx = to->x - at->x, dy = to->y - at->y, far = sqrt(dx * dx + dy * dy);
    if (far > left && far > reach) {
      at->x += dx / far * left;
      at->y += dy / far * left;
      return next;
    }
    if (left > 0)
      *at = *to;
    left = fmax(left - far, 0);
    next = next_point(p, row, next);
    if (next == 0)
      return 0;
  }
  return next;
}

static void set_field(manager_o *m, uint32_t row, uint32_t c, double value) {
  columns_set(&m->columns, row, c, value);
}

static void apply_movement(const paths_t *p, uint32_t row, uint32_t transform_row, const point_t *from,
                           const point_t *to) {
  uint32_t mover = p->movers ? manager_row(p->movers, p->m->owner[row]) : ROW_NONE;
  if (mover != ROW_NONE) {
    set_field(p->movers, mover, SHOAL_COLUMN_INDEX(mover, vx), (to->x - from->x) / p->dt_s);
    set_field(p->movers, mover, SHOAL_COLUMN_INDEX(mover, vy), (to->y - from->y) / p->dt_s);
  } else if (to->x != from->x || to->y != from->y) {
    set_field(p->transforms, transform_row, SHOAL_COLUMN_INDEX(transform, x), to->x);
    set_field(p->transforms, transform_row, SHOAL_COLUMN_INDEX(transform, y), to->y);
  }
}

static void set_direction(const paths_t *p, uint32_t row, const point_t *at, uint32_t next) {
  double dx = 0, dy = 0;
  if (next != 0) {
    dx = p->points.items[next - 1].x - at->x;
    dy = p->points.items[next - 1].y - at->y;
    double far = sqrt(dx * dx + dy * dy);
    dx = far > 0 ? dx / far : 0;
    dy = far > 0 ? dy / far : 0;
  }
  p->c.dir_x[row] = (float)dx;
  p->c.dir_y[row] = (float)dy;
}

static void log_invalid_points(const paths_t *p, uint32_t row, const char *text) {
  char name[NAME_DESCRIPTION_MAX];
  log_warn(world_log(p->w), "%s: path.points: invalid list of points \"%.60s\": write \"10,20 30,20\"",
           name_describe(p->w, p->m->owner[row], name, sizeof name), text);
}

// Stores the origin of a relative path in its first tick, and adds the origin to all points.
static void apply_origin(paths_t *p, uint32_t row, const point_t *at) {
  bool begins = p->c.relative[row] && !p->c.begun[row];
  p->c.begun[row] = p->c.relative[row];
  if (begins || !p->c.relative[row]) {
    p->c.origin_x[row] = begins ? (float)at->x : 0;
    p->c.origin_y[row] = begins ? (float)at->y : 0;
  }
  for (uint32_t i = 0; p->c.relative[row] && i < p->points.count; ++i) {
    p->points.items[i].x += (double)p->c.origin_x[row];
    p->points.items[i].y += (double)p->c.origin_y[row];
  }
}

static void follow_path(paths_t *p, uint32_t row) {
  shoal_entity e = p->m->owner[row];
  uint32_t transform_row = manager_row(p->transforms, e), next = p->c.next[row];
  const char *text = strings_text(world_strings(p->w), p->c.points[row]);
  uint8_t *faulty = &p->c.faulty[row];
  bool reads = read_points(p, text);
  if (!reads && !*faulty)
    log_invalid_points(p, row, text);
  *faulty = !reads;
  double speed = (double)p->c.speed[row];
  if (transform_row == ROW_NONE || !reads || p->points.count == 0)
    return;
  point_t from = {(double)p->transform.x[transform_row], (double)p->transform.y[transform_row]};
  if (!isfinite(from.x) || !isfinite(from.y))
    return;
  apply_origin(p, row, &from);
  point_t to = from;
  bool was_moving = p->c.dir_x[row] != 0 || p->c.dir_y[row] != 0;
  bool is_finished = next == 0 || next > p->points.count;
  uint32_t then =
      is_finished ? 0 : advance_along_path(p, row, next, isfinite(speed) ? fmax(speed, 0) * p->dt_s : 0, &to);
  if (speed > 0 && (!is_finished || was_moving))
    apply_movement(p, row, transform_row, &from, &to);
  set_direction(p, row, &to, then);
  if (!is_finished)
    p->c.next[row] = then != 0 ? then : p->points.count + 1;
  if (!is_finished && then == 0)
    emit_path_ended(p, e);
}

void path_update(world_o *w, double dt_s) {
  paths_t p = {.w = w,
               .m = builtin_find(w, "path"),
               .transforms = world_find_manager(w, "transform"),
               .movers = builtin_find(w, "mover"),
               .dt_s = dt_s};
  shoal_assert(!world_is_deferring(w), "paths cannot be followed while commands are deferred");
  if (p.m->count == 0)
    return;
  p.c = path_columns_of(p.m);
  p.transform = transform_columns_of(p.transforms);
  world_defer_begin(w, strings_intern(world_strings(w), PATH_SYSTEM));
  for (uint32_t row = 0; row < p.m->count; ++row)
    if (!world_is_disabled(w, p.m->owner[row], p.m->id))
      follow_path(&p, row);
  for (uint32_t c = SHOAL_COLUMN_INDEX(path, next); c <= SHOAL_COLUMN_INDEX(path, origin_y); ++c)
    columns_mark_touched(&p.m->columns, c, 0, p.m->count);
  world_defer_end(w, false);
  array_free(world_allocator(w), &p.points);
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
