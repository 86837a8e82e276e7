// Computes the paths of swept bodies. The previous positions of bodies are columns, so sweeps continue correctly after
// loads, rewinds and replays.
#include "collision/swept_bodies.h"

#include "base/assert.h"
#include "collision/collider.h"
#include "shoal/number.h"

void sweeps_free(sweeps_t *s, allocator_t *a) {
  array_free(a, &s->displacements);
}

// Finds the rows of the entity's body and transform. Returns true on success, or false if one of the rows is missing,
// if body.enabled is false, or if the body or the swept component is disabled.
static bool find_body(const sweeps_t *s, const world_o *w, shoal_entity entity, uint32_t *body_row,
                      uint32_t *transform_row) {
  *body_row = manager_row(s->bodies, entity);
  *transform_row = manager_row(s->transforms, entity);
  return *body_row != ROW_NONE && *transform_row != ROW_NONE && s->body.enabled[*body_row] &&
         !world_is_disabled(w, entity, s->manager->id) && !world_is_disabled(w, entity, s->bodies->id);
}

static displacement_t begin_path(const sweeps_t *sweeps, const world_o *w, uint32_t row,
                                 transform_matrices_t *matrices) {
  float *x = sweeps->columns.from_x + row, *y = sweeps->columns.from_y + row;
  uint8_t *jumped = sweeps->columns.jumped + row;
  shoal_entity entity = sweeps->manager->owner[row];
  uint32_t body_row, transform_row;
  float world_matrix[16];
  displacement_t displacement = {0, 0};
  sweeps->columns.time[row] = 1;
  sweeps->columns.hit[row] = SHOAL_ENTITY_NONE;
  if (!find_body(sweeps, w, entity, &body_row, &transform_row)) {
    *jumped = 1;
    return displacement;
  }
  transform_compute_world_matrix(matrices, transform_row, world_matrix);
  collider_t collider = collider_from_body(&sweeps->body, body_row, entity, world_matrix);
  if (!*jumped)
    displacement = (displacement_t){collider.x - (double)*x, collider.y - (double)*y};
  if (!isfinite(displacement.dx) || !isfinite(displacement.dy))
    displacement = (displacement_t){0, 0};
  *x = shoal_to_f32(collider.x);
  *y = shoal_to_f32(collider.y);
  *jumped = !isfinite(*x) || !isfinite(*y);
  sweeps->columns.stop_x[row] = shoal_to_f32((double)world_matrix[12]);
  sweeps->columns.stop_y[row] = shoal_to_f32((double)world_matrix[13]);
  return displacement;
}

void sweeps_begin(sweeps_t *sweeps, world_o *w, transform_matrices_t *matrices) {
  sweeps->manager = builtin_find(w, "swept");
  if (!sweeps->manager || sweeps->manager->count == 0) {
    sweeps->manager = NULL;
    return;
  }
  sweeps->bodies = world_find_manager(w, "body");
  sweeps->transforms = world_find_manager(w, "transform");
  shoal_assert(sweeps->bodies && sweeps->transforms, "body and transform must be declared");
  sweeps->columns = swept_columns_of(sweeps->manager);
  sweeps->body = body_columns_of(sweeps->bodies);
  array_reserve(world_allocator(w), &sweeps->displacements, sweeps->manager->count);
  sweeps->displacements.count = sweeps->manager->count;
  for (uint32_t row = 0; row < sweeps->manager->count; ++row)
    sweeps->displacements.items[row] = begin_path(sweeps, w, row, matrices);
  for (uint32_t column = 0; column < sweeps->manager->columns.column_count; ++column)
    columns_mark_touched(&sweeps->manager->columns, column, 0, sweeps->manager->count);
}

void sweeps_record_hit(const sweeps_t *sweeps, shoal_entity entity, shoal_entity hit_entity, float time) {
  uint32_t row = sweeps->manager ? manager_row(sweeps->manager, entity) : ROW_NONE;
  if (row == ROW_NONE)
    return;
  float *first_time = sweeps->columns.time + row;
  shoal_entity *hit = sweeps->columns.hit + row;
  shoal_assert(time >= 0 && time <= 1, "the contact time %g is out of range [0, 1]", (double)time);
  if (*hit != SHOAL_ENTITY_NONE && time >= *first_time)
    return;
  float *x = sweeps->columns.stop_x + row;
  float *y = sweeps->columns.stop_y + row;
  // Fraction of the path between this contact and the previously stored contact.
  double difference = (double)*first_time - (double)time;
  *x = shoal_to_f32((double)*x - sweeps->displacements.items[row].dx * difference);
  *y = shoal_to_f32((double)*y - sweeps->displacements.items[row].dy * difference);
  *first_time = time;
  *hit = hit_entity;
}
