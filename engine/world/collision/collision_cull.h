// Culls bodies that cannot touch any other body, before exact shapes are computed. Culling helps if many bodies can
// meet only a few other bodies and not each other (bullets and ships). The few bodies mark the grid cells that they
// reach, and each of the many bodies passes only if it is in a marked cell. Conservative: every body that touches
// another body passes.
#ifndef SHOAL_COLLISION_COLLISION_CULL_H
#define SHOAL_COLLISION_COLLISION_CULL_H

#include "base/array.h"
#include "collision/collider.h"
#include "collision/swept_bodies.h"

enum { CULL_MAX_CLASSES = 16 };

// Bodies with the same category and mask. If there are more than CULL_MAX_CLASSES combinations, the last class contains
// all remaining bodies.
typedef struct cull_class_t {
  uint32_t category, mask; // bitwise OR of the bodies' values
  uint32_t count;
} cull_class_t;

typedef struct body_row_t {
  uint32_t index; // entity index of the body's owner
  uint32_t row;
  uint32_t transform_row;
} body_row_t;

// Consecutive rows of bodies whose transforms are consecutive in the same order. The bodies have the same class and
// kind, have no parents, and are not swept.
typedef struct cull_run_t {
  uint32_t class, count;
  uint32_t row, transform_row; // row of the first body, row of its transform
} cull_run_t;

// A square around an entity's position that contains its body, in pixels; `reach` is half the side length.
typedef struct cull_square_t {
  float x, y, reach;
} cull_square_t;

// A body that is not in a run.
typedef struct cull_item_t {
  cull_square_t square;
  uint32_t class, row, transform_row;
} cull_item_t;

// Working memory and result of cull_bodies, reused between calls. Zero-initialize.
typedef struct cull_t {
  const manager_o *bodies, *transforms;
  const sweeps_t *sweeps;
  body_columns body;
  transform_columns transform;
  cull_class_t classes[CULL_MAX_CLASSES];
  uint32_t class_count;
  ARRAY(cull_run_t) runs;
  ARRAY(cull_item_t) items;
  ARRAY(cull_square_t) partners; // bodies that the current class can collide with
  ARRAY(uint64_t) bits;
  ARRAY(body_row_t) rows; // result, in unspecified order
} cull_t;

void cull_free(cull_t *s, allocator_t *a);
// Stores in `rows` the enabled bodies that may touch other bodies, at their positions or on their swept paths.
void cull_bodies(cull_t *s, world_o *w, const sweeps_t *sweeps, transform_matrices_t *matrices);

#endif
