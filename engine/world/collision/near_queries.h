// Spatial queries for bodies: around a point, in a box, along a ray. While a system runs, queries see the bodies as
// they were at its start, after the entities spawned by earlier systems had been added (body_grid.h); otherwise,
// queries see the current values. A query visits only bodies near the area. Main thread only.
#ifndef SHOAL_COLLISION_NEAR_QUERIES_H
#define SHOAL_COLLISION_NEAR_QUERIES_H

#include "ecs/world.h"

typedef struct near_hit_t {
  shoal_entity entity;
  double x, y, nx, ny; // entry point of the ray and the outward normal at that point
} near_hit_t;

// Spatial queries find only bodies that have at least one of the categories in `mask`, a bit set.
//
// Finds the bodies that overlap a circle, sorted by distance between its centre and the body, then by entity index.
// Writes at most `max` of them to `out` and returns the total number. An infinite radius finds all bodies with these
// categories.
uint32_t near_find_in_circle(world_o *w, double x, double y, double radius, uint32_t mask, shoal_entity *out,
                             uint32_t max);
// Returns the number of bodies that near_find_in_circle finds.
uint32_t near_count_in_circle(world_o *w, double x, double y, double radius, uint32_t mask);
// Finds the `k` bodies nearest to a point, in the order of near_find_in_circle. `out` must have `k` elements. Returns
// the number of bodies written, which is less than `k` only if there are no more bodies.
uint32_t near_find_nearest(world_o *w, double x, double y, uint32_t k, uint32_t mask, shoal_entity *out);
// Finds the bodies that overlap an axis-aligned box, sorted by entity index. Writes at most `max` of them to `out` and
// returns the total number.
uint32_t near_find_in_box(world_o *w, double left, double top, double right, double bottom, uint32_t mask,
                          shoal_entity *out, uint32_t max);
// Finds the first body that the segment enters; if several bodies are equally near, the body with the lowest entity
// index. Ignores bodies that contain the start of the segment. Returns true if the segment enters a body.
bool near_cast_ray(world_o *w, double x1, double y1, double x2, double y2, uint32_t mask, near_hit_t *out);

#endif
