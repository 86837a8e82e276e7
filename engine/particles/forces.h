// What acts on the particles of an emitter on their way, besides its gravity: drag and wind, what draws them to the
// middle or around it, and a floor or a box off which they bounce. In closed form, as everything of particles: the
// bounces before a moment are calculated anew for each picture. The component emitter_forces, beside an emitter.
#ifndef SHOAL_PARTICLES_FORCES_H
#define SHOAL_PARTICLES_FORCES_H

#include "ecs/world.h"

typedef enum particle_walls_t { PARTICLES_FREE, PARTICLES_FLOOR, PARTICLES_BOX } particle_walls_t;

// The component's fields; all numbers are finite. Plain data without gaps: it is saved where the emitter is gone.
typedef struct particle_forces_t {
  float drag, wind_x, wind_y, pull, swirl;
  uint32_t walls;
  float left, top, right, bottom, bounce, slide;
} particle_forces_t;

typedef struct particle_motion_t {
  float age, radius;
  float middle_x, middle_y; // where its emitter was
  float x, y;               // where it began; then, where it is
  float way_x, way_y;       // how far it came without forces
  float begin_x, begin_y;   // how fast it began
  float vx, vy;             // how fast it is without forces and gravity; then, how fast it is
  float gravity_x, gravity_y;
  float moving_s; // then: seconds in which it was not at rest
} particle_motion_t;

bool forces_declare(world_o *w, error_t *error);
// False where the entity has none. A number that is none is 0; what is out of its bounds is taken as the nearest.
bool forces_of(world_o *w, shoal_entity e, particle_forces_t *out);
// Are they what forces_of could give? A file may hold anything.
bool forces_are_sound(const particle_forces_t *f);
// What is wrong with those of an entity, in words; NULL if nothing.
const char *forces_fault(world_o *w, shoal_entity e);

void forces_move(const particle_forces_t *f, particle_motion_t *m);

#endif
