// Lists the visible lights with their current positions, colours and ranges, and finds the ambient light of a camera.
#include "light/light.h"

#include "base/assert.h"
#include "light/light_internal.h"
#include "transform/transform.h"

#include <math.h>
#include <string.h>

// Maximum number of entities whose occluders a light ignores: the light's entity and its ancestors.
#define MAX_IGNORED 8u

bool light_declare(world_o *w, error_info_t *error) {
  return builtin_declare(w, &light_component, error) && builtin_declare(w, &ambient_component, error) &&
         builtin_declare(w, &occluder_component, error);
}

// --- numbers

static float clamp(float x, float min, float max) {
  return x > min ? (x < max ? x : max) : min; // NaN becomes `min`
}

// Returns smooth noise over time, from -1 to 1, that depends on the seed.
static float sample_noise(double time, uint32_t seed) {
  double cell = floor(time);
  float fraction = (float)(time - cell), values[2];
  for (uint32_t i = 0; i < 2; ++i) {
    uint64_t x = ((uint64_t)(int64_t)cell + i) * 0x9E3779B97F4A7C15u ^ (uint64_t)seed * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    values[i] = (float)((x >> 40) & 0xFFFF) / 32768.0f - 1.0f;
  }
  fraction = fraction * fraction * (3.0f - 2.0f * fraction);
  return values[0] + (values[1] - values[0]) * fraction;
}

// --- ambient

static void read_ambient(const manager_o *manager, uint32_t row, ambient_t *out) {
  ambient_columns columns = ambient_columns_of(manager);
  shoal_assert(row < manager->count, "ambient row %u is out of range (count %u)", row, manager->count);
  const float *const colour[4] = SHOAL_VEC4_PARTS(columns.colour);
  for (int i = 0; i < 3; ++i)
    out->colour[i] = clamp(colour[i][row], 0.0f, 4.0f);
  out->layer = columns.layer[row];
  out->detail = clamp(columns.detail[row], 0.1f, 1.0f);
}

bool ambient_is_used(world_o *w) {
  const manager_o *ambients = builtin_find(w, "ambient"), *lights = builtin_find(w, "light");
  return (ambients && ambients->count > 0) || (lights && lights->count > 0);
}

bool ambient_find(world_o *w, shoal_entity camera, ambient_t *out) {
  const manager_o *ambients = builtin_find(w, "ambient"), *cameras = world_find_manager(w, "camera");
  uint32_t row = ambients && camera ? manager_row(ambients, camera) : ROW_NONE;
  if (row != ROW_NONE && world_is_disabled(w, camera, ambients->id))
    row = ROW_NONE;
  for (uint32_t i = 0; ambients && row == ROW_NONE && i < ambients->count; ++i)
    if (!(cameras && manager_row(cameras, ambients->owner[i]) != ROW_NONE) &&
        !world_is_disabled(w, ambients->owner[i], ambients->id))
      row = i;
  *out = (ambient_t){.colour = {AMBIENT_COLOUR}, .layer = 1000, .detail = 0.5f, .is_default = row == ROW_NONE};
  if (row != ROW_NONE)
    read_ambient(ambients, row, out);
  const manager_o *lights = builtin_find(w, "light");
  return row != ROW_NONE || (lights && lights->count > 0);
}

// --- lights

static light_t read_light(const light_columns *columns, uint32_t row, const affine_t *pose, uint32_t seed,
                          double time_s) {
  float scale = sqrtf(fabsf(pose->ux * pose->vy - pose->uy * pose->vx)), angle = columns->angle[row];
  float ux = cosf(angle), uy = sinf(angle), flicker = clamp(columns->flicker[row], 0.0f, 1.0f);
  float wave =
      flicker > 0.0f ? 0.6f * sample_noise(time_s * 7.0, seed) + 0.4f * sample_noise(time_s * 17.0, ~seed) : 0.0f;
  float half_angle = clamp(columns->cone[row], 0.0f, 6.2831855f) * 0.5f,
        softness = clamp(columns->cone_soft[row], 0.0f, 1.0f);
  float intensity = clamp(columns->intensity[row], 0.0f, 100.0f) * (1.0f + flicker * wave);
  light_t light = {
      .position = {pose->ux * columns->offset_x[row] + pose->vx * columns->offset_y[row] + pose->x,
                   pose->uy * columns->offset_x[row] + pose->vy * columns->offset_y[row] + pose->y,
                   clamp(columns->range[row], 0.0f, LIGHT_MAX_RANGE) * scale * (1.0f + 0.1f * flicker * wave), -1.0f}};
  float x = pose->ux * ux + pose->vx * uy, y = pose->uy * ux + pose->vy * uy, length = sqrtf(x * x + y * y);
  light.cone[0] = length > 0.0f ? x / length : 1.0f;
  light.cone[1] = length > 0.0f ? y / length : 0.0f;
  light.cone[2] = half_angle >= 3.14159f ? -2.0f : cosf(half_angle);
  light.cone[3] = 1.0f / fmaxf(cosf(half_angle * (1.0f - softness)) - cosf(half_angle), 0.001f);
  const float *const colour[4] = SHOAL_VEC4_PARTS(columns->colour);
  for (int i = 0; i < 3; ++i)
    light.colour[i] = clamp(colour[i][row], 0.0f, 16.0f) * intensity * clamp(colour[3][row], 0.0f, 1.0f);
  light.colour[3] = clamp(columns->falloff[row], 0.0f, 1000.0f);
  light.extra[0] = clamp(columns->glow[row], 0.0f, 4.0f);
  float directions =
      clamp(columns->size[row], 0.0f, 1000.0f) * scale / fmaxf(light.position[2], 1.0f) * (float)LIGHT_FACE * 0.21f;
  light.extra[1] = clamp(directions, 1.0f, 16.0f);
  return light;
}

// Returns true if any part of the light's range may be visible, or false if it is not visible, if the range is not
// positive, or if the range or position is NaN.
static bool is_visible(const light_t *light, const float visible_area[4]) {
  float x = light->position[0], y = light->position[1], range = light->position[2];
  return range > 0.0f && x + range > visible_area[0] && y + range > visible_area[1] && x - range < visible_area[2] &&
         y - range < visible_area[3];
}

// Lists the light's own entity and its ancestors, whose occluders the light ignores. Returns their number, at most
// MAX_IGNORED.
static uint32_t list_ignored_entities(world_o *w, shoal_entity entity, shoal_entity *out) {
  const manager_o *transforms = world_find_manager(w, "transform");
  const shoal_entity *parent = transform_columns_of(transforms).parent;
  uint32_t count = 0;
  while (entity && count < MAX_IGNORED) {
    uint32_t row = parent ? manager_row(transforms, entity) : ROW_NONE;
    out[count++] = entity;
    entity = row == ROW_NONE ? 0 : parent[row];
  }
  return count;
}

// Stores LIGHT_TAPS values for each direction, in this order: the values of the preceding neighbour, of the direction
// itself, and of the two following neighbours. Neighbours are `spacing` directions apart, rounded to an integer.
static void copy_taps(const float *row, float spacing, float *out) {
  uint32_t step = (uint32_t)(spacing + 0.5f);
  shoal_assert(step >= 1 && step <= LIGHT_ROW, "direction step %u is out of range [1, %d]", step, (int)LIGHT_ROW);
  for (uint32_t i = 0; i < LIGHT_ROW; ++i, out += LIGHT_TAPS)
    for (uint32_t tap = 0; tap < LIGHT_TAPS; ++tap)
      out[tap] = row[(i + LIGHT_ROW + tap * step - step) % LIGHT_ROW];
}

static void add_shadows(lights_t *lights, allocator_t *allocator, world_o *w, shoal_entity entity, light_t *light) {
  shoal_entity ignored[MAX_IGNORED];
  if (lights->rows == LIGHT_MAX_ROWS) {
    if (!lights->limit_logged)
      log_warn(world_log(w),
               "light: too many visible lights with shadows (at most %u): the remaining lights have no shadows",
               LIGHT_MAX_ROWS);
    lights->limit_logged = true;
    return;
  }
  float row[LIGHT_ROW];
  uint32_t count = list_ignored_entities(w, entity, ignored);
  if (!shadow_map_draw(lights, light->position[0], light->position[1], light->position[2], ignored, count, row))
    return;
  array_reserve(allocator, &lights->shadows, (lights->rows + 1) * LIGHT_ROW * LIGHT_TAPS);
  copy_taps(row, light->extra[1], &lights->shadows.items[(size_t)lights->rows * LIGHT_ROW * LIGHT_TAPS]);
  light->position[3] = (float)lights->rows++;
}

void lights_list(lights_t *lights, allocator_t *allocator, world_o *w, const light_shapes_t *shapes,
                 const float visible_area[4], double time_s) {
  const manager_o *manager = builtin_find(w, "light");
  light_columns columns = light_columns_of(manager);
  affine_t pose;
  float bounds[4] = {visible_area[0], visible_area[1], visible_area[2], visible_area[3]};
  shoal_assert(shapes->poses && shapes->outlines, "poses and outlines must not be NULL");
  lights->lights.count = lights->occluders.count = lights->xy.count = lights->rows = 0;
  lights->has_glow = false;
  if (!manager || manager->count == 0)
    return;
  ARRAY(uint32_t) rows = {0};
  for (uint32_t row = 0; row < manager->count; ++row) {
    if (!columns.enabled[row] || world_is_disabled(w, manager->owner[row], manager->id) ||
        !poses_find(shapes->poses, manager->owner[row], &pose))
      continue;
    light_t light = read_light(&columns, row, &pose, manager->owner[row], time_s);
    if (!is_visible(&light, visible_area))
      continue;
    array_push(allocator, &lights->lights, light);
    array_push(allocator, &rows, row);
    for (int i = 0; i < 4; ++i)
      bounds[i] =
          (i < 2 ? fminf : fmaxf)(bounds[i], light.position[i % 2] + (i < 2 ? -light.position[2] : light.position[2]));
    lights->has_glow = lights->has_glow || light.extra[0] > 0.0f;
  }
  bool any_shadows = false;
  for (uint32_t i = 0; i < rows.count; ++i)
    any_shadows = any_shadows || columns.shadows[rows.items[i]];
  if (any_shadows)
    occluders_list(lights, allocator, w, shapes, bounds);
  for (uint32_t i = 0; lights->occluders.count > 0 && i < lights->lights.count; ++i)
    if (columns.shadows[rows.items[i]])
      add_shadows(lights, allocator, w, manager->owner[rows.items[i]], &lights->lights.items[i]);
  array_free(allocator, &rows);
}

void lights_fini(lights_t *l, allocator_t *a) {
  array_free(a, &l->lights);
  array_free(a, &l->shadows);
  array_free(a, &l->occluders);
  array_free(a, &l->xy);
}
