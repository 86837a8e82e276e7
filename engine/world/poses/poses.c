// Interpolates poses between two ticks, except across large moves.
#include "poses/poses.h"

#include "base/assert.h"
#include "components/builtin.h"

#include <math.h>
#include <string.h>

static float interpolate(float a, float b, float t) {
  return a + (b - a) * t;
}

// Interpolates the direction and the length of an axis separately, so that fast rotation does not shrink the image.
static void interpolate_axis(float ax, float ay, float bx, float by, float t, float *x, float *y) {
  float la = sqrtf(ax * ax + ay * ay), lb = sqrtf(bx * bx + by * by);
  *x = interpolate(ax, bx, t);
  *y = interpolate(ay, by, t);
  float length = sqrtf(*x * *x + *y * *y), target = interpolate(la, lb, t);
  if (length > 0.0f && ax * bx + ay * by > 0.0f) {
    *x *= target / length;
    *y *= target / length;
  } else {
    *x = bx;
    *y = by;
  }
}

static affine_t interpolate_pose(const affine_t *before, const affine_t *now, float t) {
  affine_t p = *now;
  float dx = now->x - before->x, dy = now->y - before->y;
  bool snaps = dx * dx + dy * dy > POSES_SNAP_PIXELS * POSES_SNAP_PIXELS;
  // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): equal bits mean that the pose has not changed
  if (snaps || memcmp(before, now, sizeof *now) == 0)
    return p;
  interpolate_axis(before->ux, before->uy, now->ux, now->uy, t, &p.ux, &p.uy);
  interpolate_axis(before->vx, before->vy, now->vx, now->vy, t, &p.vx, &p.vy);
  p.x = interpolate(before->x, now->x, t);
  p.y = interpolate(before->y, now->y, t);
  return p;
}

static affine_t get_pose(poses_t *p, uint32_t row) {
  float m[16];
  transform_compute_world_matrix(&p->matrices, row, m);
  return (affine_t){m[0], m[1], m[4], m[5], m[12], m[13]};
}

// Stores the poses of all entities that have the component `m`, unless an earlier call in the same poses_store has
// stored them.
static void store_poses(poses_t *p, const manager_o *transform, const manager_o *m) {
  for (uint32_t i = 0; m && i < m->count; ++i) {
    uint32_t row = manager_row(transform, m->owner[i]), index = shoal_entity_index(m->owner[i]);
    if (row == ROW_NONE)
      continue;
    shoal_assert(index < p->before.count, "entity index %u is out of range (count %u)", index, p->before.count);
    remembered_t *to = &p->before.items[index];
    if (to->number != p->before_number || to->entity != m->owner[i])
      *to = (remembered_t){m->owner[i], p->before_number, get_pose(p, row)};
  }
}

void poses_store(poses_t *p, allocator_t *a, world_o *w) {
  static const char *const DRAWN[] = {"sprite",  "shape", "text",     "tilemap", "camera",
                                      "emitter", "light", "occluder", "trail"};
  const manager_o *transform = world_find_manager(w, "transform");
  uint32_t count = p->before.count, target = world_entities(w)->used;
  p->before_world = transform ? w : NULL;
  if (!transform)
    return;
  p->before_tick = world_tick(w);
  array_reserve(a, &p->before, target);
  if (target > count)
    memset(p->before.items + count, 0, (target - count) * sizeof *p->before.items);
  p->before.count = target > count ? target : count;
  p->before_number++;
  transform_matrices_begin(&p->matrices, transform);
  for (uint32_t i = 0; i < sizeof DRAWN / sizeof *DRAWN; ++i)
    store_poses(p, transform, builtin_find(w, DRAWN[i]));
}

void poses_begin(poses_t *p, world_o *w, float alpha) {
  p->transform = w ? world_find_manager(w, "transform") : NULL;
  p->alpha = alpha;
  p->between = p->transform && p->before_world == w && world_tick(w) == p->before_tick + 1;
  if (p->transform)
    transform_matrices_begin(&p->matrices, p->transform);
}

// Returns the entity's pose before the last tick. Returns NULL if no pose is stored, for example because the entity is
// new, or if poses cannot be interpolated.
static const affine_t *find_previous_pose(const poses_t *p, shoal_entity e) {
  uint32_t index = shoal_entity_index(e);
  if (!p->between || index >= p->before.count)
    return NULL;
  const remembered_t *r = &p->before.items[index];
  return r->entity == e && r->number == p->before_number ? &r->pose : NULL;
}

bool poses_find(poses_t *p, shoal_entity e, affine_t *out) {
  uint32_t row = p->transform ? manager_row(p->transform, e) : ROW_NONE;
  if (row == ROW_NONE)
    return false;
  const affine_t *before = find_previous_pose(p, e);
  *out = get_pose(p, row);
  if (before)
    *out = interpolate_pose(before, out, p->alpha);
  return true;
}

void poses_fini(poses_t *p, allocator_t *a) {
  array_free(a, &p->before);
  transform_matrices_end(&p->matrices);
}
