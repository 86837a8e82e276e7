// A body where it is in the world, and what two of them do to one another. Doubles, no state, any thread.
#ifndef SHOAL_COLLISION_COLLIDER_H
#define SHOAL_COLLISION_COLLIDER_H

#include "collision/body.h"
#include "ecs/world.h"

#include <math.h>

// A body in the world. A circle has half_x = half_y = its radius and a box its half sides along `u` and a quarter turn
// ahead of `u`.
typedef struct collider_t {
  shoal_entity entity;
  bool box;
  double x, y;
  double half_x, half_y;
  double ux, uy;
} collider_t;

typedef struct bounds_t {
  double left, top, right, bottom;
} bounds_t;

typedef struct contact_t {
  uint32_t a, b; // numbers of colliders
  float x, y, nx, ny, depth;
  float time; // of what has come a way: after which part of it, 0 … 1. Else 0
} contact_t;

// The body of `entity` in this row, with the entity's world matrix.
collider_t collider_place(const body_columns *bodies, uint32_t row, shoal_entity entity, const float world[16]);

// The upright box around it.
bounds_t collider_bounds(const collider_t *k);

// How far a body, a box or a circle, reaches at most from the place of its entity, which has these scales, however that
// is turned: a little too far. Infinite where it is larger than floats can say.
static inline float body_reach(const body_columns *s, bool box, size_t row, float scale_x, float scale_y) {
  scale_x = fabsf(scale_x);
  scale_y = fabsf(scale_y);
  float half = box ? (fabsf(s->width[row]) * scale_x + fabsf(s->height[row]) * scale_y) / 2
                   : fabsf(s->radius[row]) * (scale_x > scale_y ? scale_x : scale_y);
  float offset = fabsf(s->offset_x[row]) * scale_x + fabsf(s->offset_y[row]) * scale_y;
  return (half + offset) * 1.0001f;
}

// Fills point, normal (from a to b) and depth, or returns false when the two do not overlap: a shared edge is not
// enough.
bool collider_touch(const collider_t *a, const collider_t *b, contact_t *out);

// The same for what has come a way of (a_x, a_y) and of (b_x, b_y), straight and at one speed, to where it is: point
// and normal are those of the moment in which they meet, and depth is how far the ways go on into each other. Where
// they overlap to begin with, it is as if they had come no way, at time 0.
bool collider_sweep(const collider_t *a, double a_x, double a_y, const collider_t *b, double b_x, double b_y,
                    contact_t *out);

// How far the point is from the nearest one of it: 0 inside.
double collider_distance(const collider_t *k, double x, double y);

// Where the way from (x, y) to (x + dx, y + dy) enters it: *part of that way, 0 … 1, and the outward normal there.
// False when it does not, also when it begins inside.
bool collider_ray(const collider_t *k, double x, double y, double dx, double dy, double *part, double normal[2]);

#endif
