// Collision events: finds touching pairs of bodies with contact point, normal and depth. Keeps only scratch memory
// between ticks. See simulation/components.h for the event and its order.
#ifndef SHOAL_COLLISION_COLLISION_H
#define SHOAL_COLLISION_COLLISION_H

#include "collision/spatial_hash.h"
#include "ecs/world.h"
#include "schedule/schedule.h"

typedef struct collision_o collision_o;

// Maximum number of pairs with overlapping bounding boxes in one tick, which limits memory and time when thousands of
// bodies are at the same position. Additional pairs are not tested; a warning is logged once.
#define COLLISION_MAX_PAIRS (1u << 20)

// Declares the collision event. Returns true on success, or false with an error if the declaration is rejected.
bool collision_declare(world_o *w, error_info_t *error);

collision_o *collision_create(world_o *w); // borrows `w`, in which body and transform must be declared
void collision_destroy(collision_o *c);
bool collision_schedule(collision_o *c, schedule_o *s, error_info_t *error);

// Emits a collision event for each touching pair, and collision_began and collision_ended for pairs that begin or cease
// to touch, if the world has these events. Uses the current world matrices. Called by shoal.collision.
void collision_update(collision_o *c);
// Returns the number of bodies that the last collision_update compared with other bodies, for tools. Bodies that cannot
// touch anything are skipped earlier.
uint32_t collision_body_count(const collision_o *c);
// Returns the cell of compared body `body` (0 … collision_body_count - 1) in the grids of the spatial hash.
spatial_cell_t collision_cell(const collision_o *c, uint32_t body);

#endif
