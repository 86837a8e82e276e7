// Which bodies may touch anything at all: a first look, before anything exact is calculated. Where many bodies can meet
// few others and not one another (bullets and ships), the few mark the cells of a grid that they reach, and of the many
// those go on that lie in such a cell. Nothing that touches is lost; what goes on is looked at exactly.
#ifndef SHOAL_COLLISION_COLLISION_CULL_H
#define SHOAL_COLLISION_COLLISION_CULL_H

#include "base/array.h"
#include "collision/collider.h"
#include "collision/swept.h"

enum { SIEVE_CLASS_MAX = 16 };

// Bodies of one category and mask. Where there are more than SIEVE_CLASS_MAX, the last is for all that is left.
typedef struct cull_class_t {
  uint32_t category, mask; // of all its bodies
  uint32_t count;
} cull_class_t;

typedef struct body_row_t {
  uint32_t index; // of the entity
  uint32_t row;
  uint32_t place; // row of its transform
} body_row_t;

// Bodies that lie side by side and whose transforms do, in the same order: of one class and kind, without parents, and
// not swept.
typedef struct cull_run_t {
  uint32_t class, count;
  uint32_t row, place; // of the first
} cull_run_t;

// A square that a body lies in.
typedef struct cull_square_t {
  float x, y, reach;
} cull_square_t;

// A body that is in no run.
typedef struct cull_item_t {
  cull_square_t square;
  uint32_t class, row, place;
} cull_item_t;

// Memory is kept between questions; zeros at first.
typedef struct cull_t {
  const manager_o *bodies, *transforms;
  const sweeps_t *sweeps;
  body_columns body;
  transform_columns transform;
  cull_class_t classes[SIEVE_CLASS_MAX];
  uint32_t class_count;
  ARRAY(cull_run_t) runs;
  ARRAY(cull_item_t) items;
  ARRAY(cull_square_t) few; // those that the class at hand can meet
  ARRAY(uint64_t) bits;
  ARRAY(body_row_t) rows; // the answer, in no order to rely on
} cull_t;

void cull_free(cull_t *s, allocator_t *a);
// Fills `rows` with the bodies that are switched on, less those that touch nothing on their ways.
void cull_run(cull_t *s, world_o *w, const sweeps_t *sweeps, transform_places_t *places);

#endif
