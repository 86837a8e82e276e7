// The bodies of a world, and its entities with `findable`, in grids, for spatial queries (near_queries.h) and movers.
// Scripts and native loops write columns without setting marks, so the grids cannot follow each write. Instead, the
// first search at a new moment (world_moment) compares the columns with stored copies and updates the grids for the
// rows that differ. All searches of a system therefore see the bodies at one moment: the start of the system if
// body_grid_capture was called there, otherwise the first search. A world that never searches has no copies. Main
// thread only.
//
// Neither the grids nor the copies are part of the state: results do not depend on them, nor on their history.
#ifndef SHOAL_COLLISION_BODY_GRID_H
#define SHOAL_COLLISION_BODY_GRID_H

#include "collision/box_grid.h"
#include "collision/collider.h"
#include "collision/found_bodies.h"
#include "ecs/world.h"
#include "transform/transform.h"

// The enabled bodies, indexed by row of `body` at the moment of the last update.
typedef struct body_boxes_t body_boxes_t;
struct body_boxes_t {
  box_grid_t grid;
  collider_t *colliders;       // colliders; valid for boxes that can be found
  shoal_entity *owners;        // entities of the boxes
  box_indices_t candidates;    // scratch memory of searches
  ARRAY(found_body_t) results; // scratch memory of searches
  // Entities with `findable`, indexed by row of `findable`; NULL if no entity has it.
  body_boxes_t *findables;
};

// A body and its bounds at an earlier moment.
typedef struct former_bounds_t {
  shoal_entity entity;
  bounds_t bounds;
} former_bounds_t;

typedef struct body_grid_o body_grid_o;

// Creates the grids of a world in which `body` and `transform` are declared, and attaches them to `body`.
body_grid_o *body_grid_create(world_o *w);
void body_grid_destroy(body_grid_o *g);

// Copies the columns if this is a new moment: later searches at this moment use the current values. Takes about 2 ns
// per body.
void body_grid_capture(world_o *w);
// Returns the bodies at the start of the current moment; valid until the next call.
body_boxes_t *body_grid_sync(world_o *w);
// Like body_grid_sync, for callers that may not search: does not build the grids. Search with body_grid_collect.
body_boxes_t *body_grid_update(world_o *w);
// Appends the bodies that overlap or touch the area and have a category in `mask` to `candidates`, in unspecified
// order. Builds the grid if necessary.
void body_grid_collect(body_boxes_t *boxes, const bounds_t *area, uint32_t mask);
// Records the bounds that bodies have now, until body_grid_end_record is called. Bounds are copied when they change, so
// a record in which no body moves takes no time. Neither function computes boxes for bodies that have moved before the
// record, unless a body moves during the record: a world that does not search then computes no boxes.
void body_grid_begin_record(world_o *w);
// Ends the record and returns the bodies whose bounds may have changed since its start, with their bounds at the start;
// in unspecified order, valid until the next record. Stores 0 in `count` if no record has begun.
const former_bounds_t *body_grid_end_record(world_o *w, uint32_t *count);
// Moves the box of the body in this row temporarily, until the next call to body_grid_sync or body_grid_update. For
// code that moves bodies sequentially and must find bodies that it has already moved; `colliders` keeps the old
// position.
void body_grid_move(body_grid_o *g, uint32_t row, const bounds_t *bounds);
body_grid_o *body_grid_find(world_o *w); // returns the grids of a world
// Moves the collider and the box of the body in this row to the basis of its current world matrix. For code that moves
// an entity and needs its children at their new positions before the next moment. Returns true if the collider has
// changed, or false if it is the same, is not finite, or searches do not find the body.
bool body_grid_follow(world_o *w, uint32_t row, transform_basis_t basis);

#endif
