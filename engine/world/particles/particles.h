// Computes the positions of an emitter's particles in closed form: each particle is a pure function of the emitter's
// appearance, its birth record, its number and the time. Nothing is stored per particle.
#ifndef SHOAL_PARTICLES_PARTICLES_H
#define SHOAL_PARTICLES_PARTICLES_H

#include "particles/curve.h"
#include "particles/forces.h"
#include "shoal/entity.h"

typedef enum particle_shape_t { PARTICLES_POINT, PARTICLES_CIRCLE, PARTICLES_RING, PARTICLES_RECT } particle_shape_t;

#define PARTICLES_IMAGE_MAX 64u // size of an image name including '\0'

// Appearance of an emitter's particles. Plain data without padding: saved for removed emitters.
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
  char image[PARTICLES_IMAGE_MAX]; // name of the image; "": particles are discs
} particle_look_t;

// Pose of an emitter: its axes and position.
typedef struct particle_pose_t {
  float ux, uy, vx, vy, x, y;
} particle_pose_t;

// Particles born at regular intervals while their emitter moved from one pose to another. Plain data without padding:
// it is saved.
typedef struct particle_births_t {
  double first, step;                   // birth time of the first particle, and seconds between two births
  double start_s, end_s;                // times of the poses `start_pose` and `end_pose`
  particle_pose_t start_pose, end_pose; // first and last pose; equal if the emitter did not move
  shoal_entity emitter;                 // entity or, with PARTICLES_REMOVED, number of a removed emitter
  uint32_t number, count;               // number of the first particle, counted per emitter, and number of particles
  uint32_t flags;
} particle_births_t;

#define PARTICLES_REMOVED 1u

// A visible particle, in world space or in its emitter's space.
typedef struct particle_t {
  float x, y, ux, uy; // position; unit vector along the width
  float size, length; // width; additional length along the width
  float colour[4];    // colour of the particle, not premultiplied
  int32_t frame;
} particle_t;

// Computes the particles [begin, end) of the record that are alive and visible at time `clock_s` of the emitter's
// clock, stores them in `out` (capacity end - begin) and returns their number. `local`: true if the results must be in
// the emitter's space instead of world space. `forces` may be NULL.
uint32_t particles_compute(const particle_look_t *look, const particle_forces_t *forces,
                           const particle_births_t *births, uint32_t begin, uint32_t end, double clock_s, bool local,
                           particle_t *out);

static inline double particles_max_life_s(const particle_look_t *look) {
  return (double)look->life * (1.0 + (double)look->life_vary);
}

#endif
