// Bodies in world space, and contacts between two of them. Computes in doubles. Stateless; any thread.
#ifndef SHOAL_COLLISION_COLLIDER_H
#define SHOAL_COLLISION_COLLIDER_H

#include "collision/body.h"
#include "ecs/world.h"
#include "transform/transform.h"

#include <math.h>

// A body in world space. half_x and half_y are the radius of a circle, or half the side lengths of a box along (ux, uy)
// and (-uy, ux).
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
  uint32_t a, b;             // indices of colliders; written by collision.c
  float x, y, nx, ny, depth; // contact point, unit normal from a to b, depth in pixels
  float time;                // fraction of the path before the contact, 0 … 1; 0 if the contact was not swept
} contact_t;

// Returns the body in this row, placed by the basis of its entity's world matrix.
static inline collider_t collider_place(const body_columns *bodies, uint32_t row, shoal_entity entity,
                                        transform_basis_t basis) {
  double offset_x = (double)bodies->offset_x[row], offset_y = (double)bodies->offset_y[row];
  double xx = (double)basis.xx, xy = (double)basis.xy, yx = (double)basis.yx, yy = (double)basis.yy;
  // Unrotated bodies do not need square roots.
  double scale_x = xy == 0 ? fabs(xx) : sqrt(xx * xx + xy * xy);
  double scale_y = yx == 0 ? fabs(yy) : sqrt(yx * yx + yy * yy);
  collider_t collider = {
      .entity = entity,
      .box = bodies->kind[row] == BODY_KIND_BOX,
      .x = (double)basis.x + xx * offset_x + yx * offset_y,
      .y = (double)basis.y + xy * offset_x + yy * offset_y,
      .ux = 1,
  };
  if (collider.box) {
    if (scale_x > 0) {
      collider.ux = xx / scale_x;
      collider.uy = xy / scale_x;
    }
    collider.half_x = fabs((double)bodies->width[row]) * scale_x / 2;
    collider.half_y = fabs((double)bodies->height[row]) * scale_y / 2;
  } else {
    collider.half_x = collider.half_y = fabs((double)bodies->radius[row]) * fmax(scale_x, scale_y);
  }
  return collider;
}

// Returns the body in this row, placed by its entity's world matrix.
collider_t collider_from_body(const body_columns *bodies, uint32_t row, shoal_entity entity, const float world[16]);

// Returns the axis-aligned bounding box.
static inline bounds_t collider_bounds(const collider_t *collider) {
  double half_x = collider->half_x, half_y = collider->half_y;
  if (collider->box) {
    half_x = fabs(collider->ux) * collider->half_x + fabs(collider->uy) * collider->half_y;
    half_y = fabs(collider->uy) * collider->half_x + fabs(collider->ux) * collider->half_y;
  }
  return (bounds_t){collider->x - half_x, collider->y - half_y, collider->x + half_x, collider->y + half_y};
}

// Stores collider_bounds of the body in this row, placed by the transform of an entity without a parent. Returns true
// on success, or false without a result if the body is not an unrotated box or its bounds are not finite.
static inline bool body_find_upright_bounds(const body_columns *bodies, uint32_t row,
                                            const transform_columns *transform, uint32_t transform_row, bounds_t *out) {
  double scale_x = (double)transform->scale_x[transform_row], scale_y = (double)transform->scale_y[transform_row];
  double x = (double)transform->x[transform_row] + scale_x * (double)bodies->offset_x[row],
         y = (double)transform->y[transform_row] + scale_y * (double)bodies->offset_y[row];
  double half_x = fabs((double)bodies->width[row]) * fabs(scale_x) / 2,
         half_y = fabs((double)bodies->height[row]) * fabs(scale_y) / 2;
  out->left = x - half_x;
  out->top = y - half_y;
  out->right = x + half_x;
  out->bottom = y + half_y;
  return transform->angle[transform_row] == 0 && bodies->kind[row] == BODY_KIND_BOX &&
         fabs(x) + half_x + (fabs(y) + half_y) < (double)INFINITY;
}

static inline void bounds_move(bounds_t *bounds, double x, double y) {
  bounds->left += x;
  bounds->right += x;
  bounds->top += y;
  bounds->bottom += y;
}

// Returns an upper bound of the distance between an entity's position and any point of its body, for these scales and
// any rotation. Returns infinity if the bound exceeds the range of floats.
static inline float body_reach(const body_columns *bodies, bool box, size_t row, float scale_x, float scale_y) {
  scale_x = fabsf(scale_x);
  scale_y = fabsf(scale_y);
  float half_extent = box ? (fabsf(bodies->width[row]) * scale_x + fabsf(bodies->height[row]) * scale_y) / 2
                          : fabsf(bodies->radius[row]) * (scale_x > scale_y ? scale_x : scale_y);
  float offset = fabsf(bodies->offset_x[row]) * scale_x + fabsf(bodies->offset_y[row]) * scale_y;
  return (half_extent + offset) * 1.0001f;
}

// Returns true if the colliders overlap (touching edges are not an overlap), and stores the contact's point, normal
// (from a to b) and depth. Returns false if they do not overlap.
bool collider_find_contact(const collider_t *a, const collider_t *b, contact_t *out);

// Like collider_find_contact, for colliders that have moved by (a_x, a_y) and (b_x, b_y) to their current positions, in
// a straight line at constant speed. Point and normal describe the first contact; depth is the distance by which the
// colliders move into each other along the normal after that contact. If the colliders overlap at the start, the result
// equals collider_find_contact's result at their current positions, with time 0. If the colliders overlap only at the
// end, because of rounding, the result is the same with time 1.
bool collider_sweep(const collider_t *a, double a_x, double a_y, const collider_t *b, double b_x, double b_y,
                    contact_t *out);

// Returns the distance from the point to the collider, or 0 if the point is inside.
double collider_distance(const collider_t *collider, double x, double y);

// Intersects the segment from (x, y) to (x + dx, y + dy). Stores the fraction of the segment before the entry point, 0
// … 1, and the outward normal at that point. Returns true if the segment enters the collider, or false if it does not
// or starts inside the collider.
bool collider_intersect_ray(const collider_t *collider, double x, double y, double dx, double dy, double *fraction,
                            double normal[2]);

#endif
