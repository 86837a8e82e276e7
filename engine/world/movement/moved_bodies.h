// The bodies that push movers (mover.c): bodies that systems have moved since the start of the tick, and children of
// movers that have moved. Bodies that are movers themselves are not listed: they move sequentially and stop
// at obstacles.
#ifndef SHOAL_MOVEMENT_MOVED_BODIES_H
#define SHOAL_MOVEMENT_MOVED_BODIES_H

#include "base/array.h"
#include "collision/body_grid.h"
#include "transform/transform.h"

#include <math.h>

// Returns the distance, in pixels, up to which boxes that overlap at this coordinate only touch. Far from the origin,
// the rounding of positions to floats makes touching boxes overlap.
static inline double contact_skin(double coordinate) {
  double rounding = fabs(coordinate) * 0x1p-22;
  return rounding > 1e-3 ? rounding : 1e-3;
}

// Returns true if the intervals [a, b] and [c, d] overlap by more than contact_skin.
static inline bool intervals_overlap(double a, double b, double c, double d) {
  return a + contact_skin(d) < d && c + contact_skin(b) < b;
}

typedef struct moved_body_t {
  uint32_t row;         // row of `body`
  bounds_t before, now; // bounds at the start of the tick, and current bounds
} moved_body_t;

typedef struct moved_bodies_t {
  ARRAY(moved_body_t) bodies; // moved bodies, sorted by row
  double max_dx, max_dy;      // largest movement along each axis, in pixels
  ARRAY(uint32_t) ancestry;   // scratch memory: rows of `transform` whose children are to be visited
  // Managers of these components, set by moved_bodies_collect.
  const manager_o *body, *mover, *sensor, *transform;
} moved_bodies_t;

// Lists the bodies that have moved since body_grid_begin_record, except sensors, movers, and bodies that have jumped.
// Call once a tick, before moved_bodies_follow.
void moved_bodies_collect(moved_bodies_t *moved, world_o *w);
// Moves the bodies of all descendants of these entities to their current positions in the grids, and lists them with
// their previous bounds; a body that is already listed keeps its `before`. Returns true if any body has moved.
bool moved_bodies_follow(moved_bodies_t *moved, world_o *w, const body_boxes_t *boxes, transform_matrices_t *matrices,
                         const shoal_entity *parents, uint32_t count);
void moved_bodies_free(moved_bodies_t *moved, allocator_t *a);
// Returns the body in this row of `body`, or NULL if it has not moved.
const moved_body_t *moved_bodies_find(const moved_bodies_t *moved, uint32_t row);

// The movement that takes a mover out of a moved body's way.
typedef struct push_t {
  bool horizontal;
  double distance; // distance in pixels, positive to the right or down
} push_t;

// Computes the push that a body gives to a mover. Assumes that both have moved at constant speed during the tick: the
// mover from the bounds `start` to `box`. The push is along the axis on which the body reached the mover last. Returns
// true if the body pushes the mover, or false if it does not reach the mover, or overlapped it at the start.
bool moved_body_find_push(const moved_body_t *body, const bounds_t *start, const bounds_t *box, push_t *out);

#endif
