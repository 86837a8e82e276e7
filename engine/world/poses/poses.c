// Interpolates poses between two ticks, except across large moves, and applies the corrections of rollbacks.
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
  float length_a = sqrtf(ax * ax + ay * ay), length_b = sqrtf(bx * bx + by * by);
  *x = interpolate(ax, bx, t);
  *y = interpolate(ay, by, t);
  float length = sqrtf(*x * *x + *y * *y), target = interpolate(length_a, length_b, t);
  if (length > 0.0f && ax * bx + ay * by > 0.0f) {
    *x *= target / length;
    *y *= target / length;
  } else {
    *x = bx;
    *y = by;
  }
}

static affine_t interpolate_pose(const affine_t *previous, const affine_t *current, float t) {
  affine_t pose = *current;
  float dx = current->x - previous->x, dy = current->y - previous->y;
  bool should_snap = dx * dx + dy * dy > POSES_SNAP_PIXELS * POSES_SNAP_PIXELS;
  // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): equal bits mean that the pose has not changed
  if (should_snap || memcmp(previous, current, sizeof *current) == 0)
    return pose;
  interpolate_axis(previous->ux, previous->uy, current->ux, current->uy, t, &pose.ux, &pose.uy);
  interpolate_axis(previous->vx, previous->vy, current->vx, current->vy, t, &pose.vx, &pose.vy);
  pose.x = interpolate(previous->x, current->x, t);
  pose.y = interpolate(previous->y, current->y, t);
  return pose;
}

static affine_t get_pose(poses_t *p, uint32_t row) {
  float matrix[16];
  transform_compute_world_matrix(&p->matrices, row, matrix);
  return (affine_t){matrix[0], matrix[1], matrix[4], matrix[5], matrix[12], matrix[13]};
}

// Stores the poses of all entities that have the component of `manager`, unless an earlier call in the same
// poses_store has stored them.
static void store_poses(poses_t *poses, const manager_o *transform, const manager_o *manager) {
  for (uint32_t i = 0; manager && i < manager->count; ++i) {
    uint32_t row = manager_row(transform, manager->owner[i]), index = shoal_entity_index(manager->owner[i]);
    if (row == ROW_NONE)
      continue;
    shoal_assert(index < poses->previous.count, "entity index %u is out of range (count %u)", index,
                 poses->previous.count);
    stored_pose_t *stored = &poses->previous.items[index];
    if (stored->store_number != poses->store_number || stored->entity != manager->owner[i])
      *stored = (stored_pose_t){manager->owner[i], poses->store_number, get_pose(poses, row)};
  }
}

void poses_store(poses_t *poses, allocator_t *allocator, world_o *w) {
  static const char *const DRAWN_COMPONENTS[] = {"sprite",  "shape", "text",     "tilemap", "camera",
                                                 "emitter", "light", "occluder", "trail"};
  const manager_o *transform = world_find_manager(w, "transform");
  uint32_t count = poses->previous.count, target = world_entities(w)->used;
  poses->previous_world = transform ? world_number(w) : 0;
  if (!transform)
    return;
  poses->previous_tick = world_tick(w);
  array_reserve(allocator, &poses->previous, target);
  if (target > count)
    memset(poses->previous.items + count, 0, (target - count) * sizeof *poses->previous.items);
  poses->previous.count = target > count ? target : count;
  poses->store_number++;
  transform_matrices_begin(&poses->matrices, transform);
  for (uint32_t i = 0; i < sizeof DRAWN_COMPONENTS / sizeof *DRAWN_COMPONENTS; ++i)
    store_poses(poses, transform, builtin_find(w, DRAWN_COMPONENTS[i]));
}

void poses_begin(poses_t *p, world_o *w, float alpha) {
  p->transform = w ? world_find_manager(w, "transform") : NULL;
  p->alpha = alpha;
  p->can_interpolate = p->transform && p->previous_world == world_number(w) && world_tick(w) == p->previous_tick + 1;
  if (p->transform)
    transform_matrices_begin(&p->matrices, p->transform);
}

// Returns the entity's pose before the last tick. Returns NULL if no pose is stored, for example because the entity is
// new, or if poses cannot be interpolated.
static const affine_t *find_previous_pose(const poses_t *p, shoal_entity entity) {
  uint32_t index = shoal_entity_index(entity);
  if (!p->can_interpolate || index >= p->previous.count)
    return NULL;
  const stored_pose_t *stored = &p->previous.items[index];
  return stored->entity == entity && stored->store_number == p->store_number ? &stored->pose : NULL;
}

bool poses_find(poses_t *poses, shoal_entity entity, affine_t *out) {
  uint32_t row = poses->transform ? manager_row(poses->transform, entity) : ROW_NONE;
  if (row == ROW_NONE)
    return false;
  const affine_t *previous = find_previous_pose(poses, entity);
  *out = get_pose(poses, row);
  if (previous)
    *out = interpolate_pose(previous, out, poses->alpha);
  if (poses->corrections)
    pose_corrections_apply(poses->corrections, entity, out);
  return true;
}

void poses_fini(poses_t *p, allocator_t *a) {
  array_free(a, &p->previous);
  transform_matrices_end(&p->matrices);
}
