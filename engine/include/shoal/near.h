// Spatial queries: the bodies around a point, in a box or along a ray, as in world.near and related functions of
// scripts. Entities with `findable` and without a body are found, too.
//
//   shoal_entity near[16];
//   uint32_t count = shoal_find_near(c, x, y, 60, UINT32_MAX, near, 16);
//
// While a system runs, all its queries see the same state: the state at the start of the system if the plugin lists
// `body` in .uses, otherwise the state at the first query. A body that the system moves is still found at its old
// position. Entities that it spawns or destroys appear in results, or disappear from them, only in the next system.
// Results depend only on the world. The first query of a system takes about 2 ns per body, and up to 100 ns per body
// that has changed since the previous query. Later queries visit only bodies near the area.
//
// Only bodies with at least one of the categories in `mask`, a bit set, are found. UINT32_MAX selects all. Numbers that
// are not finite fail the current call. Allowed in systems that run alone, the render phase, functions, panels and
// commands. Part of the public plugin headers: C11, usable from C++.
#ifndef SHOAL_NEAR_H
#define SHOAL_NEAR_H

#include "shoal/plugin.h"

typedef struct shoal_ray_hit {
  shoal_entity entity;
  double x, y;   // point at which the segment enters the body
  double nx, ny; // outward normal at that point
} shoal_ray_hit;

// Finds the bodies that overlap a circle, sorted by the distance from its center, then by entity index. Writes at most
// `capacity` of them to `out` and returns the total number.
static inline uint32_t shoal_find_near(shoal_context *c, double x, double y, double radius, uint32_t mask,
                                       shoal_entity *out, uint32_t capacity) {
  return c->api->find_near(c, x, y, radius, mask, out, capacity);
}

// Returns the number of bodies that overlap a circle.
SHOAL_NODISCARD static inline uint32_t shoal_count_near(shoal_context *c, double x, double y, double radius,
                                                        uint32_t mask) {
  return c->api->count_near(c, x, y, radius, mask);
}

// Finds the `k` bodies nearest to a point, in the order of shoal_find_near. `out` must have `k` elements. Returns the
// number of bodies written, which is less than `k` only if there are no more bodies.
static inline uint32_t shoal_find_nearest(shoal_context *c, double x, double y, uint32_t k, uint32_t mask,
                                          shoal_entity *out) {
  return c->api->find_nearest(c, x, y, k, mask, out);
}

// Finds the bodies that overlap an axis-aligned box, sorted by entity index. Writes at most `capacity` of them to `out`
// and returns the total number.
static inline uint32_t shoal_find_in_box(shoal_context *c, double left, double top, double right, double bottom,
                                         uint32_t mask, shoal_entity *out, uint32_t capacity) {
  return c->api->find_in_box(c, left, top, right, bottom, mask, out, capacity);
}

// Finds the first body that the segment enters. If several bodies are equally near, finds the body with the lowest
// entity index. Ignores bodies that contain the start of the segment. Returns true and writes the hit to `out`, or
// returns false and zeroes `out` if the segment enters no body.
SHOAL_NODISCARD static inline bool shoal_cast_ray(shoal_context *c, double x1, double y1, double x2, double y2,
                                                  uint32_t mask, shoal_ray_hit *out) {
  memset(out, 0, sizeof *out);
  return c->api->cast_ray(c, x1, y1, x2, y2, mask, out);
}

#endif
