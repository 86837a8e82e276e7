// Trails: stores past positions of an entity in a ring buffer, at a fixed interval, and computes the ribbon from them.
#include "particles/trail.h"

#include "base/assert.h"
#include "components/builtin.h"
#include "particles/curve.h"
#include "transform/transform.h"

#include <math.h>
#include <string.h>

#define JUMP 160.0f // maximum movement in pixels per tick; a longer movement discards the stored positions
#define MIN_SECONDS 0.02
#define MAX_SECONDS 60.0

// Hidden fields, in this order: seconds since the most recent position was stored; its slot; number of stored
// positions; the positions.
// clang-format off
#define TRAIL_FIELDS(F)                                                                                                \
  SHOAL_TRAIL_FIELDS(F) F(f32, wait, 0, .flags = SHOAL_HIDDEN) F(u8, first, 0, .flags = SHOAL_HIDDEN)                  \
  F(u8, kept, 0, .flags = SHOAL_HIDDEN)                                                                                \
  F(vec4, p0, 0, 0, 0, 0, .flags = SHOAL_HIDDEN) F(vec4, p1, 0, 0, 0, 0, .flags = SHOAL_HIDDEN)                        \
  F(vec4, p2, 0, 0, 0, 0, .flags = SHOAL_HIDDEN) F(vec4, p3, 0, 0, 0, 0, .flags = SHOAL_HIDDEN)                        \
  F(vec4, p4, 0, 0, 0, 0, .flags = SHOAL_HIDDEN) F(vec4, p5, 0, 0, 0, 0, .flags = SHOAL_HIDDEN)                        \
  F(vec4, p6, 0, 0, 0, 0, .flags = SHOAL_HIDDEN) F(vec4, p7, 0, 0, 0, 0, .flags = SHOAL_HIDDEN)                        \
  F(vec4, p8, 0, 0, 0, 0, .flags = SHOAL_HIDDEN) F(vec4, p9, 0, 0, 0, 0, .flags = SHOAL_HIDDEN)                        \
  F(vec4, p10, 0, 0, 0, 0, .flags = SHOAL_HIDDEN) F(vec4, p11, 0, 0, 0, 0, .flags = SHOAL_HIDDEN)
// clang-format on
BUILTIN_COMPONENT(trail, TRAIL_FIELDS)
enum { TRAIL_POSITIONS = SHOAL_COLUMN_INDEX(trail, p0) };
_Static_assert(sizeof(trail_columns) / sizeof(void *) <= SCHEMA_MAX_FIELDS, "too many columns for a component");
_Static_assert(sizeof(trail_columns) / sizeof(void *) == TRAIL_POSITIONS + 2 * TRAIL_POINTS,
               "expected two columns per position");

bool trail_declare(world_o *w, error_info_t *error) {
  return builtin_declare(w, &trail_component, error);
}

static double clamp(float x, double min, double max) {
  double v = (double)x;
  return v > min ? (v < max ? v : max) : min; // NaN becomes `min`
}

static float *position_column(const manager_o *m, uint32_t point, uint32_t axis) {
  shoal_assert(point < TRAIL_POINTS && axis < 2, "trail point %u is out of range (count %u)", point, TRAIL_POINTS);
  return manager_column(m, TRAIL_POSITIONS + 2 * point + axis);
}

// Returns the number of stored positions, clamped because saves are untrusted.
static uint32_t position_count(const trail_columns *columns, uint32_t row) {
  return columns->kept[row] < TRAIL_POINTS ? columns->kept[row] : TRAIL_POINTS;
}

// Returns the slot of the position `number`, counted from the newest (0).
static uint32_t position_slot(const trail_columns *columns, uint32_t row, uint32_t number) {
  return (columns->first[row] % TRAIL_POINTS + TRAIL_POINTS - number % TRAIL_POINTS) % TRAIL_POINTS;
}

static void store_position(const manager_o *m, const trail_columns *columns, uint32_t row, float x, float y) {
  uint32_t slot = (columns->first[row] % TRAIL_POINTS + 1) % TRAIL_POINTS, count = position_count(columns, row);
  columns->first[row] = (uint8_t)slot;
  columns->kept[row] = (uint8_t)(count < TRAIL_POINTS ? count + 1 : count);
  position_column(m, slot, 0)[row] = x;
  position_column(m, slot, 1)[row] = y;
}

static void update_trail(const manager_o *manager, const trail_columns *columns, uint32_t row, float x, float y,
                         double dt_s) {
  double interval_s = clamp(columns->seconds[row], MIN_SECONDS, MAX_SECONDS) / (double)(TRAIL_POINTS - 1);
  double wait = clamp(columns->wait[row], 0, MAX_SECONDS) + dt_s;
  uint32_t count = position_count(columns, row), newest = position_slot(columns, row, 0);
  if (count > 0) {
    float dx = x - position_column(manager, newest, 0)[row], dy = y - position_column(manager, newest, 1)[row];
    if (!(dx * dx + dy * dy <= JUMP * JUMP * (float)(1.0 + wait / dt_s)))
      columns->kept[row] = 0;
  }
  if (columns->enabled[row] && columns->kept[row] == 0) {
    store_position(manager, columns, row, x, y);
    wait = 0;
  }
  for (; wait >= interval_s; wait -= interval_s) {
    if (columns->enabled[row])
      store_position(manager, columns, row, x, y);
    else
      columns->kept[row] = (uint8_t)(position_count(columns, row) - (position_count(columns, row) > 0));
    wait = wait < 2 * MAX_SECONDS ? wait : 0;
  }
  columns->wait[row] = (float)wait;
}

void trail_update(world_o *w, double dt_s) {
  const manager_o *manager = builtin_find(w, "trail"), *transforms = world_find_manager(w, "transform");
  if (!manager || manager->count == 0 || !transforms || !(dt_s > 0))
    return;
  transform_matrices_t matrices = {0};
  trail_columns columns = trail_columns_of(manager);
  transform_matrices_begin(&matrices, transforms);
  for (uint32_t row = 0; row < manager->count; ++row) {
    uint32_t transform_row = manager_row(transforms, manager->owner[row]);
    if (transform_row == ROW_NONE || world_is_disabled(w, manager->owner[row], manager->id))
      continue;
    float matrix[16];
    transform_compute_world_matrix(&matrices, transform_row, matrix);
    if (isfinite(matrix[12]) && isfinite(matrix[13]))
      update_trail(manager, &columns, row, matrix[12], matrix[13], dt_s);
  }
  transform_matrices_end(&matrices);
}

static void run_trails(void *context, world_o *w, uint32_t number, float dt_s) {
  (void)context, (void)number, (void)dt_s;
  trail_update(w, world_dt_s(w));
}

bool trail_schedule(world_o *w, schedule_o *schedule, error_info_t *error) {
  static const char *const PREDECESSORS[] = {"shoal.transform", NULL};
  (void)w;
  return schedule_add_system(schedule,
                             &(system_desc_t){.name = "shoal.trail",
                                              .phase = PHASE_POST_UPDATE,
                                              .priority = -1000,
                                              .after = PREDECESSORS,
                                              .run = run_trails},
                             error);
}

// --- drawing

bool trail_is_visible(world_o *w, uint32_t row, int32_t *layer) {
  const manager_o *m = builtin_find(w, "trail");
  shoal_assert(m && row < m->count, "trail row %u is out of range", row);
  trail_columns columns = trail_columns_of(m);
  *layer = columns.layer[row];
  return columns.visible[row] && columns.kept[row] > 0 && !world_is_disabled(w, m->owner[row], m->id);
}

// Interpolates between p[1] and p[2] with a Catmull-Rom spline (1974).
static float catmull_rom(const float *p, float t) {
  float a = p[1] * 2.0f, b = p[2] - p[0], columns = 2.0f * p[0] - 5.0f * p[1] + 4.0f * p[2] - p[3];
  float d = 3.0f * (p[1] - p[2]) + p[3] - p[0];
  return 0.5f * (a + t * (b + t * (columns + t * d)));
}

typedef struct polyline_t {
  float x[TRAIL_POINTS + 1], y[TRAIL_POINTS + 1], age[TRAIL_POINTS + 1]; // `age`: fraction of the trail's duration
  uint32_t count;
} polyline_t;

// Collects the points from the current position to the end of the trail. The last segment is cut off at the trail's
// duration.
static void collect_points(const manager_o *manager, const trail_columns *columns, uint32_t row, double back_s,
                           polyline_t *polyline) {
  double duration_s = clamp(columns->seconds[row], MIN_SECONDS, MAX_SECONDS),
         interval_s = duration_s / (double)(TRAIL_POINTS - 1);
  double elapsed_s = fmax(clamp(columns->wait[row], 0, MAX_SECONDS) - back_s, 0);
  uint32_t count = position_count(columns, row);
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t slot = position_slot(columns, row, i);
    float x = position_column(manager, slot, 0)[row], y = position_column(manager, slot, 1)[row];
    float age = (float)((elapsed_s + interval_s * (double)i) / duration_s),
          previous_age = polyline->age[polyline->count - 1];
    if (!isfinite(x) || !isfinite(y) || previous_age >= 1.0f)
      return;
    if (fabsf(x - polyline->x[polyline->count - 1]) + fabsf(y - polyline->y[polyline->count - 1]) < 0.01f)
      continue; // skips a repeated point, at which the curve would have no direction
    if (age > 1.0f && age > previous_age) {
      float fraction = (1.0f - previous_age) / (age - previous_age), previous_x = polyline->x[polyline->count - 1],
            previous_y = polyline->y[polyline->count - 1];
      x = previous_x + (x - previous_x) * fraction;
      y = previous_y + (y - previous_y) * fraction;
      age = 1.0f;
    }
    polyline->x[polyline->count] = x;
    polyline->y[polyline->count] = y;
    polyline->age[polyline->count++] = age;
  }
}

static void add_point(trail_t *out, const trail_columns *columns, uint32_t row, const curve_t *widths,
                      const colour_curve_t *colours, float x, float y, float age) {
  uint32_t i = out->count++;
  out->xy[i][0] = x;
  out->xy[i][1] = y;
  out->half_width[i] = (float)clamp(columns->width[row], 0, 10000) * 0.5f * fmaxf(curve_at(widths, age), 0.0f);
  colour_curve_at(colours, age, out->colour[i]);
  const float *const colour[4] = SHOAL_VEC4_PARTS(columns->colour);
  for (int k = 0; k < 4; ++k)
    out->colour[i][k] *= colour[k][row];
}

bool trail_build(world_o *w, uint32_t row, float x, float y, double back_s, trail_t *out) {
  const manager_o *manager = builtin_find(w, "trail");
  curve_t widths;
  colour_curve_t colours;
  shoal_assert(manager && row < manager->count, "trail row %u is out of range", row);
  trail_columns columns = trail_columns_of(manager);
  *out = (trail_t){
      .layer = columns.layer[row], .add = columns.blend[row] != 0, .soft = (float)clamp(columns.soft[row], 0, 1)};
  polyline_t polyline = {.x = {x}, .y = {y}, .count = 1};
  collect_points(manager, &columns, row, back_s, &polyline);
  const char *widths_text = strings_text(world_strings(w), columns.widths[row]);
  // Declaring "1 0" as the column's default would change all string ids.
  curve_read(widths_text[0] ? widths_text : "1 0", &widths);
  colour_curve_read(strings_text(world_strings(w), columns.colours[row]), &colours);
  for (uint32_t i = 0; i + 1 < polyline.count; ++i)
    for (uint32_t k = 0; k < TRAIL_SMOOTH; ++k) {
      uint32_t index[4] = {i > 0 ? i - 1 : 0, i, i + 1, i + 2 < polyline.count ? i + 2 : i + 1};
      const float xs[4] = {polyline.x[index[0]], polyline.x[index[1]], polyline.x[index[2]], polyline.x[index[3]]};
      const float ys[4] = {polyline.y[index[0]], polyline.y[index[1]], polyline.y[index[2]], polyline.y[index[3]]};
      float t = (float)k / (float)TRAIL_SMOOTH;
      add_point(out, &columns, row, &widths, &colours, catmull_rom(xs, t), catmull_rom(ys, t),
                polyline.age[i] + (polyline.age[i + 1] - polyline.age[i]) * t);
    }
  if (polyline.count > 1)
    add_point(out, &columns, row, &widths, &colours, polyline.x[polyline.count - 1], polyline.y[polyline.count - 1],
              polyline.age[polyline.count - 1]);
  return out->count > 1;
}
