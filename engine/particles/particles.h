// Where the particles of an emitter are at a time, in closed form: a particle is a pure function of how its emitter
// looks, of the births that it belongs to, of its number and of the time. Nothing is kept for a single one.
#ifndef SHOAL_PARTICLES_PARTICLES_H
#define SHOAL_PARTICLES_PARTICLES_H

#include "particles/curve.h"
#include "particles/forces.h"
#include "shoal/entity.h"

typedef enum particle_shape_t { PARTICLES_POINT, PARTICLES_CIRCLE, PARTICLES_RING, PARTICLES_RECT } particle_shape_t;

#define PARTICLES_IMAGE_MAX 64u // bytes of an image's name with its '\0'

// An emitter's fields, as they are drawn. Plain data without gaps: it is part of saves where the emitter is gone.
typedef struct particle_look_t {
  float life, life_vary;
  uint32_t shape;
  float radius, width, height, angle, spread;
  uint32_t outward;
  float speed, speed_vary, gravity_x, gravity_y, inherit, sway;
  float size, size_vary, stretch, spin, colour[4], colour_vary, soft;
  int32_t frame, frames, last_frame;
  uint32_t pick, add;
  curve_t speeds, sizes;
  colour_curve_t colours;
  uint32_t seed;
  char image[PARTICLES_IMAGE_MAX]; // "" for round ones
} particle_look_t;

// Where an emitter was: its axes and its place.
typedef struct particle_pose_t {
  float ux, uy, vx, vy, x, y;
} particle_pose_t;

// Particles that were born at even distances in time, while their emitter went from one place to another. Plain data
// without gaps, as it is saved.
typedef struct particle_births_t {
  double first, step;      // when the first one was born, and how many seconds later the next
  double from, until;      // when the emitter was at the two places
  particle_pose_t was, is; // the same where it stood still
  shoal_entity emitter;    // or, with PARTICLES_LEFT, the number of one that is gone
  uint32_t number, count;  // of the first one among all that the emitter had; how many they are
  uint32_t flags;
} particle_births_t;

#define PARTICLES_LEFT 1u

// One that is to be seen: in the world's space, or in its emitter's.
typedef struct particle_t {
  float x, y, ux, uy; // place; where its right side points to, of length 1
  float size, length; // its width; how much longer it is than wide, along its right side
  float colour[4];    // straight
  int32_t frame;
} particle_t;

// Those of number `begin` … `end` - 1 of these births that are alive at `now` (of the emitter's clock), into `out`.
// Returns how many they are. `local`: in the emitter's space. `forces`: NULL for none.
uint32_t particles_at(const particle_look_t *look, const particle_forces_t *forces, const particle_births_t *births,
                      uint32_t begin, uint32_t end, double now, bool local, particle_t *out);

static inline double particles_longest(const particle_look_t *look) {
  return (double)look->life * (1.0 + (double)look->life_vary);
}

#endif
