// Corrections of predicted poses. A correction is an offset and an angle that decrease linearly to 0. A rollback during
// a correction begins a new correction at the pose in which the entity is drawn, so drawn entities never jump.
#include "poses/pose_corrections.h"

#include "base/assert.h"

#include <math.h>
#include <string.h>

#define FULL_TURN 6.28318531f

void pose_corrections_advance(pose_corrections_t *c, double seconds) {
  c->now_s += seconds;
}

// Returns the part of a correction that is still drawn: 1 at its beginning, 0 after its end.
static float get_remaining_part(const pose_corrections_t *c, const pose_correction_t *item) {
  return c->now_s < item->end_s ? (float)((item->end_s - c->now_s) / POSE_CORRECTIONS_S) : 0.0f;
}

// Returns the pose of a row. A row without a parent needs no matrix.
static predicted_pose_t read_pose(pose_corrections_t *c, const transform_columns *t, uint32_t row) {
  shoal_entity entity = c->matrices.manager->owner[row];
  float matrix[16];
  if (t->parent[row] == 0)
    return (predicted_pose_t){entity, t->x[row], t->y[row], t->angle[row], false};
  transform_compute_world_matrix(&c->matrices, row, matrix);
  bool is_mirrored = matrix[0] * matrix[5] - matrix[1] * matrix[4] < 0;
  return (predicted_pose_t){entity, matrix[12], matrix[13], atan2f(matrix[1], matrix[0]), is_mirrored};
}

bool pose_corrections_store(pose_corrections_t *c, world_o *w) {
  const manager_o *transform = world_find_manager(w, "transform");
  if (c->is_stored || !transform)
    return false;
  transform_columns t = transform_columns_of(transform);
  uint32_t used = world_entities(w)->used, old_count = c->items.count;
  uint32_t count = used > old_count ? used : old_count;
  array_reserve(&c->memory, &c->predicted, count);
  array_reserve(&c->memory, &c->items, count);
  memset(c->predicted.items, 0, count * sizeof *c->predicted.items);
  memset(c->items.items + old_count, 0, (count - old_count) * sizeof *c->items.items);
  c->predicted.count = c->items.count = count;
  transform_matrices_begin(&c->matrices, transform);
  for (uint32_t row = 0; row < transform->count; ++row)
    c->predicted.items[shoal_entity_index(transform->owner[row])] = read_pose(c, &t, row);
  return c->is_stored = true;
}

void pose_corrections_skip_spawned(pose_corrections_t *c, world_o *w) {
  for (uint32_t i = 0; c->is_stored && i < c->predicted.count; ++i)
    if (!world_is_alive(w, c->predicted.items[i].entity))
      c->predicted.items[i].entity = 0;
}

// Begins a correction from the pose in which the entity was drawn, unless the distance is too long.
static void add_correction(pose_corrections_t *c, const predicted_pose_t *old, const predicted_pose_t *current) {
  pose_correction_t *item = &c->items.items[shoal_entity_index(current->entity)];
  float remaining = item->entity == current->entity ? get_remaining_part(c, item) : 0.0f;
  float x = old->x - current->x + remaining * item->x, y = old->y - current->y + remaining * item->y;
  float angle = remainderf(old->angle - current->angle + remaining * item->angle, FULL_TURN);
  *item = (pose_correction_t){0};
  if (!(x * x + y * y <= POSE_CORRECTIONS_SNAP_PIXELS * POSE_CORRECTIONS_SNAP_PIXELS)) // also true if x or y is NaN
    return;
  bool can_turn = isfinite(angle) && old->is_mirrored == current->is_mirrored;
  *item = (pose_correction_t){current->entity, x, y, can_turn ? angle : 0.0f, c->now_s + POSE_CORRECTIONS_S};
  c->end_s = item->end_s;
}

void pose_corrections_add(pose_corrections_t *c, world_o *w) {
  const manager_o *transform = world_find_manager(w, "transform");
  if (!c->is_stored)
    return;
  shoal_assert(transform, "the world has no transform");
  transform_columns t = transform_columns_of(transform);
  transform_matrices_begin(&c->matrices, transform);
  for (uint32_t row = 0; row < transform->count; ++row) {
    uint32_t index = shoal_entity_index(transform->owner[row]);
    if (index >= c->predicted.count || c->predicted.items[index].entity != transform->owner[row])
      continue;
    predicted_pose_t current = read_pose(c, &t, row);
    const predicted_pose_t *old = &c->predicted.items[index];
    if (old->x != current.x || old->y != current.y || old->angle != current.angle)
      add_correction(c, old, &current);
  }
  c->is_stored = false;
}

void pose_corrections_clear(pose_corrections_t *c) {
  c->is_stored = false;
  c->end_s = c->now_s;
  if (c->items.count > 0)
    memset(c->items.items, 0, c->items.count * sizeof *c->items.items);
}

static void rotate(float *x, float *y, float sine, float cosine) {
  float old_x = *x;
  *x = cosine * old_x - sine * *y;
  *y = sine * old_x + cosine * *y;
}

void pose_corrections_apply(const pose_corrections_t *c, shoal_entity entity, affine_t *pose) {
  uint32_t index = shoal_entity_index(entity);
  if (c->now_s >= c->end_s || index >= c->items.count || c->items.items[index].entity != entity)
    return;
  const pose_correction_t *item = &c->items.items[index];
  float remaining = get_remaining_part(c, item);
  pose->x += remaining * item->x;
  pose->y += remaining * item->y;
  if (remaining * item->angle == 0.0f)
    return;
  float sine = sinf(remaining * item->angle), cosine = cosf(remaining * item->angle);
  rotate(&pose->ux, &pose->uy, sine, cosine);
  rotate(&pose->vx, &pose->vy, sine, cosine);
}

void pose_corrections_fini(pose_corrections_t *c) {
  array_free(&c->memory, &c->predicted);
  array_free(&c->memory, &c->items);
  transform_matrices_end(&c->matrices);
  shoal_assert(c->memory.bytes == 0, "%zu bytes of the corrections were not freed", c->memory.bytes);
}
