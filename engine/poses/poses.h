// Poses of entities as they are drawn: between their places before the last tick and those after it.
#ifndef SHOAL_POSES_POSES_H
#define SHOAL_POSES_POSES_H

#include "base/array.h"
#include "poses/affine.h"
#include "transform/transform.h"

#define POSES_SNAP_PIXELS 160.0f // a longer way in one tick (a wrap, a teleport) is not interpolated

typedef struct remembered_t {
  shoal_entity entity; // whose it is: the index may be somebody else's by now
  uint32_t number;     // of the looks so far; one of an earlier look means nothing
  affine_t pose;
} remembered_t;

// Zeroed to begin with; memory is kept from frame to frame.
typedef struct poses_t {
  const manager_o *transform; // NULL: nothing has a pose
  float alpha;                // 0 … 1, from before the last tick to after it
  bool between;               // the places before the last tick are known
  transform_places_t places;
  ARRAY(remembered_t) before; // places before the last tick, by index of the entity
  uint32_t before_number;
  const world_o *before_world; // of this world
  uint64_t before_tick;        // when it was at this tick
} poses_t;

// Before the last tick of a frame: stores the places of all that may be drawn, to interpolate from. A picture of any
// other tick than the one after it shows entities at their places.
void poses_remember(poses_t *p, allocator_t *a, world_o *w);
void poses_begin(poses_t *p, world_o *w, float alpha); // for a picture of the world; NULL: of none
// Returns false if the entity has no transform.
bool poses_find(poses_t *p, shoal_entity e, affine_t *out);
void poses_fini(poses_t *p, allocator_t *a);

#endif
