// Poses of entities for drawing: interpolated between the transforms before and after the last tick, and corrected
// smoothly after a rollback.
#ifndef SHOAL_POSES_POSES_H
#define SHOAL_POSES_POSES_H

#include "base/affine.h"
#include "base/array.h"
#include "poses/pose_corrections.h"

// Maximum movement in one tick that is interpolated; longer movements (wrapping, teleporting) are not.
#define POSES_SNAP_PIXELS 160.0f

typedef struct stored_pose_t {
  shoal_entity entity; // owner of the pose; a different entity if the index has been reused
  // Number of the poses_store call that stored the pose; the pose is outdated if it differs from poses_t.store_number.
  uint32_t store_number;
  affine_t pose;
} stored_pose_t;

// Poses of the entities of a drawn world. Zero-initialize. Keeps its memory between frames.
typedef struct poses_t {
  const manager_o *transform; // manager of transform; NULL: no entity has a pose
  float alpha;                // interpolation factor: 0 before the last tick, 1 after the last tick
  bool can_interpolate;       // true if the poses before the last tick are known and interpolation is possible
  transform_matrices_t matrices;
  ARRAY(stored_pose_t) previous; // poses before the last tick, indexed by entity
  uint32_t store_number;
  uint64_t previous_world;               // number of the world that had the poses in `previous`; 0: no world
  uint64_t previous_tick;                // tick at which the poses in `previous` were stored
  const pose_corrections_t *corrections; // corrections after a rollback; borrowed; NULL: poses are not corrected
} poses_t;

// Stores the current poses of all entities that may be drawn. Call before the last tick of a frame. If the world is not
// drawn exactly one tick later, current poses are used without interpolation.
void poses_store(poses_t *p, allocator_t *a, world_o *w);
void poses_begin(poses_t *p, world_o *w, float alpha); // begins drawing a world; `w` may be NULL
// Stores the interpolated and corrected pose in `out`. Returns true on success, or false if the entity has no
// transform.
bool poses_find(poses_t *p, shoal_entity e, affine_t *out);
void poses_fini(poses_t *p, allocator_t *a);

#endif
