// Which bodies are where: around a point, in a box, along a ray. Every body that is switched on is looked at, from the
// fields as they are, so that an answer is right at any moment of a tick; it takes about a microsecond for a thousand.
// Main thread.
#ifndef SHOAL_COLLISION_NEAR_H
#define SHOAL_COLLISION_NEAR_H

#include "ecs/world.h"

typedef struct near_hit_t {
  shoal_entity entity;
  double x, y, nx, ny; // where the ray comes in, and the outward normal there
} near_hit_t;

// Bodies are asked for by `mask`: one of their categories is in it.
//
// Those that overlap the circle, the nearest first (by the distance from its middle to the nearest point of them, then
// by the index of the entity). Fills at most `most` of `out` and returns how many there are. A radius of infinity is
// everywhere.
uint32_t near_circle(world_o *w, double x, double y, double radius, uint32_t mask, shoal_entity *out, uint32_t most);
// Those that overlap the upright box, by the index of the entity.
uint32_t near_box(world_o *w, double left, double top, double right, double bottom, uint32_t mask, shoal_entity *out,
                  uint32_t most);
// The first body that the segment enters; of several at the same place the one with the lowest entity index. Bodies
// that contain its start are ignored. False when it hits nothing.
bool near_ray(world_o *w, double x1, double y1, double x2, double y2, uint32_t mask, near_hit_t *out);

#endif
