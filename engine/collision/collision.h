// Collision events: finds the pairs of bodies that touch, with contact point, normal and depth. Keeps scratch memory
// between ticks, and no state. See components.h for the event and its order.
#ifndef SHOAL_COLLISION_COLLISION_H
#define SHOAL_COLLISION_COLLISION_H

#include "ecs/world.h"
#include "schedule/schedule.h"

typedef struct collision_o collision_o;

// How many pairs may overlap in one tick: memory and time have an end when thousands of bodies lie on one spot. The
// rest is not reported, with one log line.
#define COLLISION_MAX_PAIRS (1u << 20)

bool collision_declare(world_o *w, error_t *error); // the event

collision_o *collision_create(world_o *w); // borrowed; needs body and transform declared
void collision_destroy(collision_o *c);
bool collision_schedule(collision_o *c, schedule_o *s, error_t *error);

// Emits an event for every pair that touches, from the world matrices as they are. Run by shoal.collision.
void collision_update(collision_o *c);

#endif
