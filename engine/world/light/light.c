// Lists the visible lights with their current positions, colours and ranges, and finds the ambient light of a camera.
#include "light/light.h"

#include "base/assert.h"
#include "light/light_internal.h"
#include "transform/transform.h"

#include <math.h>
#include <string.h>

// Maximum number of entities whose occluders a light ignores: the light's entity and its ancestors.
#define MAX_PASSED 8u

bool light_declare(world_o *w, error_info_t *error) {
  return builtin_declare(w, &light_component, error) && builtin_declare(w, &ambient_component, error) &&
         builtin_declare(w, &occluder_component, error);
}

// --- numbers

static float clamp(float x, float min, float max) {
  return x > min ? (x < max ? x : max) : min; // NaN becomes `min`
}

// Returns smooth noise over time, from -1 to 1, that depends on the seed.
static float sample_noise(double at, uint32_t seed) {
  double whole = floor(at);
  float part = (float)(at - whole), ends[2];
  for (uint32_t i = 0; i < 2; ++i) {
    uint64_t x = ((uint64_t)(int64_t)whole + i) * 0x9E3779B97F4A7C15u ^ (uint64_t)seed * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    ends[i] = (float)((x >> 40) & 0xFFFF) / 32768.0f - 1.0f;
  }
  part = part * part * (3.0f - 2.0f * part);
  return ends[0] + (ends[1] - ends[0]) * part;
}

// --- ambient

static void read_ambient(const manager_o *m, uint32_t row, ambient_t *out) {
  ambient_columns c = ambient_columns_of(m);
  shoal_assert(row < m->count, "ambient row %u is out of range (count %u)", row, m->count);
  const float *const colour[4] = SHOAL_VEC4_PARTS(c.colour);
  for (int i = 0; i < 3; ++i)
    out->colour[i] = clamp(colour[i][row], 0.0f, 4.0f);
  out->layer = c.layer[row];
  out->detail = clamp(c.detail[row], 0.1f, 1.0f);
}

bool ambient_is_used(world_o *w) {
  const manager_o *m = builtin_find(w, "ambient"), *lights = builtin_find(w, "light");
  return (m && m->count > 0) || (lights && lights->count > 0);
}

bool ambient_find(world_o *w, shoal_entity camera, ambient_t *out) {
  const manager_o *m = builtin_find(w, "ambient"), *cameras = world_find_manager(w, "camera");
  uint32_t row = m && camera ? manager_row(m, camera) : ROW_NONE;
  if (row != ROW_NONE && world_is_disabled(w, camera, m->id))
    row = ROW_NONE;
  for (uint32_t i = 0; m && row == ROW_NONE && i < m->count; ++i)
    if (!(cameras && manager_row(cameras, m->owner[i]) != ROW_NONE) && !world_is_disabled(w, m->owner[i], m->id))
      row = i;
  *out = (ambient_t){.colour = {AMBIENT_COLOUR}, .layer = 1000, .detail = 0.5f};
  if (row != ROW_NONE)
    read_ambient(m, row, out);
  const manager_o *lights = builtin_find(w, "light");
  return row != ROW_NONE || (lights && lights->count > 0);
}

// --- lights

static light_t read_light(const light_columns *c, uint32_t row, const affine_t *pose, uint32_t seed, double time_s) {
  float scale = sqrtf(fabsf(pose->ux * pose->vy - pose->uy * pose->vx)), turn = c->angle[row];
  float ux = cosf(turn), uy = sinf(turn), flicker = clamp(c->flicker[row], 0.0f, 1.0f);
  float wave =
      flicker > 0.0f ? 0.6f * sample_noise(time_s * 7.0, seed) + 0.4f * sample_noise(time_s * 17.0, ~seed) : 0.0f;
  float half = clamp(c->cone[row], 0.0f, 6.2831855f) * 0.5f, soft = clamp(c->cone_soft[row], 0.0f, 1.0f);
  float power = clamp(c->intensity[row], 0.0f, 100.0f) * (1.0f + flicker * wave);
  light_t l = {.at = {pose->ux * c->offset_x[row] + pose->vx * c->offset_y[row] + pose->x,
                      pose->uy * c->offset_x[row] + pose->vy * c->offset_y[row] + pose->y,
                      clamp(c->range[row], 0.0f, LIGHT_MAX_RANGE) * scale * (1.0f + 0.1f * flicker * wave), -1.0f}};
  float x = pose->ux * ux + pose->vx * uy, y = pose->uy * ux + pose->vy * uy, length = sqrtf(x * x + y * y);
  l.cone[0] = length > 0.0f ? x / length : 1.0f;
  l.cone[1] = length > 0.0f ? y / length : 0.0f;
  l.cone[2] = half >= 3.14159f ? -2.0f : cosf(half);
  l.cone[3] = 1.0f / fmaxf(cosf(half * (1.0f - soft)) - cosf(half), 0.001f);
  const float *const colour[4] = SHOAL_VEC4_PARTS(c->colour);
  for (int i = 0; i < 3; ++i)
    l.colour[i] = clamp(colour[i][row], 0.0f, 16.0f) * power * clamp(colour[3][row], 0.0f, 1.0f);
  l.colour[3] = clamp(c->falloff[row], 0.0f, 1000.0f);
  l.more[0] = clamp(c->glow[row], 0.0f, 4.0f);
  float directions = clamp(c->size[row], 0.0f, 1000.0f) * scale / fmaxf(l.at[2], 1.0f) * (float)LIGHT_FACE * 0.21f;
  l.more[1] = clamp(directions, 1.0f, 16.0f);
  return l;
}

// Returns true if any part of the light's range may be visible; false if the range is not positive, or if the range or
// position is NaN.
static bool is_visible(const light_t *l, const float seen[4]) {
  float x = l->at[0], y = l->at[1], range = l->at[2];
  return range > 0.0f && x + range > seen[0] && y + range > seen[1] && x - range < seen[2] && y - range < seen[3];
}

// Lists the light's own entity and its ancestors, whose occluders the light ignores.
static uint32_t list_ignored_entities(world_o *w, shoal_entity e, shoal_entity *out) {
  const manager_o *m = world_find_manager(w, "transform");
  const shoal_entity *parent = transform_columns_of(m).parent;
  uint32_t count = 0;
  while (e && count < MAX_PASSED) {
    uint32_t row = parent ? manager_row(m, e) : ROW_NONE;
    out[count++] = e;
    e = row == ROW_NONE ? 0 : parent[row];
  }
  return count;
}

// Stores LIGHT_TAPS values for each direction, in this order: the value of the preceding neighbour, of the direction
// itself, and of the two following neighbours. Neighbours are `apart` directions apart, rounded to an integer.
static void copy_taps(const float *row, float apart, float *out) {
  uint32_t step = (uint32_t)(apart + 0.5f);
  shoal_assert(step >= 1 && step <= LIGHT_ROW, "direction step %u is out of range [1, %d]", step, (int)LIGHT_ROW);
  for (uint32_t i = 0; i < LIGHT_ROW; ++i, out += LIGHT_TAPS)
    for (uint32_t tap = 0; tap < LIGHT_TAPS; ++tap)
      out[tap] = row[(i + LIGHT_ROW + tap * step - step) % LIGHT_ROW];
}

static void add_shadows(lights_t *l, allocator_t *a, world_o *w, shoal_entity e, light_t *light) {
  shoal_entity passed[MAX_PASSED];
  if (l->rows == LIGHT_MAX_ROWS) {
    if (!l->logged_many)
      log_warn(world_log(w),
               "light: too many visible lights with shadows (at most %u): the other lights are drawn without shadows",
               LIGHT_MAX_ROWS);
    l->logged_many = true;
    return;
  }
  float row[LIGHT_ROW];
  uint32_t count = list_ignored_entities(w, e, passed);
  if (!shadow_map_draw(l, light->at[0], light->at[1], light->at[2], passed, count, row))
    return;
  array_reserve(a, &l->shadows, (l->rows + 1) * LIGHT_ROW * LIGHT_TAPS);
  copy_taps(row, light->more[1], &l->shadows.items[(size_t)l->rows * LIGHT_ROW * LIGHT_TAPS]);
  light->at[3] = (float)l->rows++;
}

void lights_list(lights_t *l, allocator_t *a, world_o *w, const light_shapes_t *shapes, const float seen[4],
                 double time_s) {
  const manager_o *m = builtin_find(w, "light");
  light_columns c = light_columns_of(m);
  affine_t pose;
  float reach[4] = {seen[0], seen[1], seen[2], seen[3]};
  shoal_assert(shapes->poses && shapes->outlines, "poses and outlines must not be NULL");
  l->lights.count = l->occluders.count = l->xy.count = l->rows = 0;
  l->glows = false;
  if (!m || m->count == 0)
    return;
  ARRAY(uint32_t) rows = {0};
  for (uint32_t row = 0; row < m->count; ++row) {
    if (!c.enabled[row] || world_is_disabled(w, m->owner[row], m->id) ||
        !poses_find(shapes->poses, m->owner[row], &pose))
      continue;
    light_t light = read_light(&c, row, &pose, m->owner[row], time_s);
    if (!is_visible(&light, seen))
      continue;
    array_push(a, &l->lights, light);
    array_push(a, &rows, row);
    for (int i = 0; i < 4; ++i)
      reach[i] = (i < 2 ? fminf : fmaxf)(reach[i], light.at[i % 2] + (i < 2 ? -light.at[2] : light.at[2]));
    l->glows = l->glows || light.more[0] > 0.0f;
  }
  bool any = false;
  for (uint32_t i = 0; i < rows.count; ++i)
    any = any || c.shadows[rows.items[i]];
  if (any)
    occluders_list(l, a, w, shapes, reach);
  for (uint32_t i = 0; l->occluders.count > 0 && i < l->lights.count; ++i)
    if (c.shadows[rows.items[i]])
      add_shadows(l, a, w, m->owner[rows.items[i]], &l->lights.items[i]);
  array_free(a, &rows);
}

void lights_fini(lights_t *l, allocator_t *a) {
  array_free(a, &l->lights);
  array_free(a, &l->shadows);
  array_free(a, &l->occluders);
  array_free(a, &l->xy);
}
