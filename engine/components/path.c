// A path's points are a text, read anew each tick: what counts is in the world and nothing else.
#include "components/path.h"

#include "base/array.h"
#include "base/assert.h"
#include "components/builtin.h"
#include "components/name.h"
#include "components/transform.h"

#include <math.h>
#include <string.h>

#define PATH_SYSTEM "shoal.path"
#define ARRIVED 0.01   // pixels: as near as one comes that is moved exactly
#define NEAR 2.0       // pixels: as near as one has to come that somebody else moves
#define MOST_DIGITS 15 // of a number, so that it is exact as a whole number

// points: "x,y x,y …", in what its transform is in. speed: pixels a second. loop: after the last point comes the first;
// back: it turns round at both ends. next: the point that it goes to, from 1. dir_x, dir_y: where that is, or 0, 0.
// returning: it is on its way back. faulty: the text that was said to be wrong.
// clang-format off
#define PATH_FIELDS(F)                                                                                                 \
  F(string, points, "") F(f32, speed, 40) F(bool, loop, 0) F(bool, back, 0) F(u32, next, 1) F(f32, dir_x, 0)          \
  F(f32, dir_y, 0)                                                                                                     \
  F(bool, returning, 0, .flags = SHOAL_HIDDEN) F(bool, faulty, 0, .flags = SHOAL_HIDDEN)
// clang-format on
SHOAL_COMPONENT(path, PATH_FIELDS)

enum { PATH_POINTS, PATH_SPEED, PATH_LOOP, PATH_BACK, PATH_NEXT, PATH_DIR_X, PATH_DIR_Y, PATH_RETURNING, PATH_FAULTY };

bool path_declare(world_o *w, error_t *error) {
  return builtin_declare(w, &path_component, error);
}

typedef struct point_t {
  double x, y;
} point_t;

typedef struct paths_t {
  world_o *w;
  manager_o *m, *transforms, *movers;
  uint32_t mover_x, mover_y;
  double dt_s;
  ARRAY(point_t) points; // of the path at hand
} paths_t;

// -------------------------------------------------------------------------------------------------------------- points

// A decimal number, exact to the last bit: a whole number and one division. NULL where there is none.
static const char *read_number(const char *text, double *out) {
  double whole = 0, parts = 1;
  int digits = 0;
  bool minus = *text == '-', point = false;
  for (text += minus; (*text >= '0' && *text <= '9') || (*text == '.' && !point); ++text) {
    if (*text == '.') {
      point = true;
    } else if (digits < MOST_DIGITS) {
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

static const char *pass_spaces(const char *text) {
  return text + strspn(text, " \t\n");
}

static bool read_points(paths_t *p, const char *text) {
  p->points.count = 0;
  for (text = pass_spaces(text); *text; text = pass_spaces(text)) {
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

// ------------------------------------------------------------------------------------------------------------ one path

static void *column(const manager_o *m, uint32_t c, uint32_t row, size_t size) {
  return (uint8_t *)manager_column((manager_o *)(uintptr_t)m, c) + row * size;
}
#define FIELD(p_, row_, field_, type_) (*(type_ *)column((p_)->m, field_, row_, sizeof(type_)))

static void say_that_it_ended(const paths_t *p, shoal_entity e) {
  const event_o *ended = builtin_event(p->w, "path_ended");
  if (!ended)
    return;
  uint32_t ticket = world_emit(p->w, ended->id);
  world_emit_set(p->w, ticket, (uint32_t)schema_find(&ended->schema, "entity"), (double)e);
}

// It has come to its next point: which one is it now? 0: it is through.
static uint32_t after(const paths_t *p, uint32_t row, uint32_t next) {
  uint32_t count = p->points.count;
  uint8_t *returning = &FIELD(p, row, PATH_RETURNING, uint8_t);
  if (FIELD(p, row, PATH_BACK, uint8_t) && count > 1) {
    if (next >= count)
      *returning = 1;
    else if (next <= 1)
      *returning = 0;
    return *returning ? next - 1 : next + 1;
  }
  if (next < count)
    return next + 1;
  return FIELD(p, row, PATH_LOOP, uint8_t) ? 1 : 0;
}

// Goes on by `left` pixels from *at. Returns the point that it goes to then, 0 when it is through.
static uint32_t walk(const paths_t *p, uint32_t row, uint32_t next, double left, point_t *at) {
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
    next = after(p, row, next);
    if (next == 0)
      return 0;
  }
  return next;
}

static void put(manager_o *m, uint32_t row, uint32_t c, double value) {
  columns_set(&m->columns, row, c, value);
}

static void give_way(const paths_t *p, uint32_t row, uint32_t place, const point_t *from, const point_t *to) {
  uint32_t mover = p->movers ? manager_row(p->movers, p->m->owner[row]) : ROW_NONE;
  if (mover != ROW_NONE) {
    put(p->movers, mover, p->mover_x, (to->x - from->x) / p->dt_s);
    put(p->movers, mover, p->mover_y, (to->y - from->y) / p->dt_s);
  } else if (to->x != from->x || to->y != from->y) {
    put(p->transforms, place, TRANSFORM_X, to->x);
    put(p->transforms, place, TRANSFORM_Y, to->y);
  }
}

static void point_to(const paths_t *p, uint32_t row, const point_t *at, uint32_t next) {
  double dx = 0, dy = 0;
  if (next != 0) {
    dx = p->points.items[next - 1].x - at->x;
    dy = p->points.items[next - 1].y - at->y;
    double far = sqrt(dx * dx + dy * dy);
    dx = far > 0 ? dx / far : 0;
    dy = far > 0 ? dy / far : 0;
  }
  FIELD(p, row, PATH_DIR_X, float) = (float)dx;
  FIELD(p, row, PATH_DIR_Y, float) = (float)dy;
}

static void say_fault(const paths_t *p, uint32_t row, const char *text) {
  char name[NAME_DESCRIPTION_MAX];
  log_warn(world_log(p->w), "%s: path.points: \"%.60s\" is no list of points: it has to be like \"10,20 30,20\"",
           name_describe(p->w, p->m->owner[row], name, sizeof name), text);
}

static void go(paths_t *p, uint32_t row) {
  shoal_entity e = p->m->owner[row];
  uint32_t place = manager_row(p->transforms, e), next = FIELD(p, row, PATH_NEXT, uint32_t);
  const char *text = strings_text(world_strings(p->w), FIELD(p, row, PATH_POINTS, uint32_t));
  uint8_t *faulty = &FIELD(p, row, PATH_FAULTY, uint8_t);
  bool reads = read_points(p, text);
  if (!reads && !*faulty)
    say_fault(p, row, text);
  *faulty = !reads;
  double speed = (double)FIELD(p, row, PATH_SPEED, float);
  if (place == ROW_NONE || !reads || p->points.count == 0)
    return;
  point_t from = {(double)*(float *)column(p->transforms, TRANSFORM_X, place, sizeof(float)),
                  (double)*(float *)column(p->transforms, TRANSFORM_Y, place, sizeof(float))};
  if (!isfinite(from.x) || !isfinite(from.y))
    return;
  point_t to = from;
  bool was_on_its_way = FIELD(p, row, PATH_DIR_X, float) != 0 || FIELD(p, row, PATH_DIR_Y, float) != 0;
  bool is_through = next == 0 || next > p->points.count;
  uint32_t then = is_through ? 0 : walk(p, row, next, isfinite(speed) ? fmax(speed, 0) * p->dt_s : 0, &to);
  if (speed > 0 && (!is_through || was_on_its_way))
    give_way(p, row, place, &from, &to);
  point_to(p, row, &to, then);
  if (!is_through)
    FIELD(p, row, PATH_NEXT, uint32_t) = then != 0 ? then : p->points.count + 1;
  if (!is_through && then == 0)
    say_that_it_ended(p, e);
}

void path_update(world_o *w, double dt_s) {
  paths_t p = {.w = w,
               .m = builtin_find(w, "path"),
               .transforms = world_find_manager(w, "transform"),
               .movers = builtin_find(w, "mover"),
               .dt_s = dt_s};
  shoal_assert(!world_is_deferring(w), "paths are followed while commands are deferred");
  if (p.m->count == 0)
    return;
  if (p.movers) {
    p.mover_x = (uint32_t)manager_find_column(p.movers, "vx");
    p.mover_y = (uint32_t)manager_find_column(p.movers, "vy");
  }
  world_defer_begin(w, strings_intern(world_strings(w), PATH_SYSTEM));
  for (uint32_t row = 0; row < p.m->count; ++row)
    if (!world_is_disabled(w, p.m->owner[row], p.m->id))
      go(&p, row);
  for (uint32_t c = PATH_NEXT; c <= PATH_FAULTY; ++c)
    columns_touch(&p.m->columns, c, 0, p.m->count);
  world_defer_end(w, false);
  array_free(world_allocator(w), &p.points);
}

static void run(void *context, world_o *w, uint32_t number, float dt_s) {
  (void)context, (void)number, (void)dt_s;
  path_update(w, world_dt_s(w));
}

bool path_schedule(world_o *w, schedule_o *s, error_t *error) {
  (void)w;
  return schedule_add(s, &(system_desc_t){.name = PATH_SYSTEM, .phase = PHASE_PRE_UPDATE, .priority = 1001, .run = run},
                      error);
}
