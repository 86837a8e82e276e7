// Forces on an emitter's particles in addition to gravity: drag, wind, attraction, swirl, and bouncing off a floor or
// the sides of a box. Like all particle motion, forces are evaluated in closed form, so every frame recomputes all
// earlier bounces. The component emitter_forces is added to the entity of the emitter.
#ifndef SHOAL_PARTICLES_FORCES_H
#define SHOAL_PARTICLES_FORCES_H

#include "ecs/world.h"

typedef enum particle_walls_t { PARTICLES_FREE, PARTICLES_FLOOR, PARTICLES_BOX } particle_walls_t;

// The component's fields; all values are finite. Plain data without padding: saved for removed emitters.
typedef struct particle_forces_t {
  float drag, wind_x, wind_y, pull, swirl;
  uint32_t walls;
  float left, top, right, bottom, bounce, slide;
} particle_forces_t;

typedef struct particle_motion_t {
  float age, radius;
  float centre_x, centre_y;             // position of the emitter
  float x, y;                           // input: start position; output: current position
  float displacement_x, displacement_y; // displacement that would result without forces
  float initial_vx, initial_vy;         // initial velocity
  float vx, vy; // input: velocity that would result without forces and gravity; output: velocity
  float gravity_x, gravity_y;
  float moving_s; // output: time, in seconds, during which the particle was not at rest
} particle_motion_t;

bool forces_declare(world_o *w, error_info_t *error);
// Stores the entity's forces in `out`. Returns true on success, or false if the entity lacks the component or the
// component is disabled. NaN and infinity become 0; other out-of-range values are clamped.
bool forces_read(world_o *w, shoal_entity e, particle_forces_t *out);
// Returns true if all values are finite and in range. Used to validate data from files.
bool forces_are_valid(const particle_forces_t *f);
// Returns a message about the first invalid field of the entity's forces: NaN, infinity, a `drag`, `bounce` or `slide`
// out of range, or an empty box. Returns NULL if all fields are valid, or if the component is missing or disabled.
const char *forces_find_invalid_field(world_o *w, shoal_entity e);

void forces_move_particle(const particle_forces_t *f, particle_motion_t *m);

#endif
