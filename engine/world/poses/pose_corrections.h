// Smooths drawing after a rollback: an entity that the rollback has moved is drawn on the way from its predicted
// pose to the corrected pose, for POSE_CORRECTIONS_S of presentation time. Only drawing uses corrections: the world,
// its hash and its snapshots do not change.
//
// Around a rollback, call in this order: pose_corrections_store, the rollback, pose_corrections_skip_spawned, the ticks
// that run again, pose_corrections_add.
#ifndef SHOAL_POSES_POSE_CORRECTIONS_H
#define SHOAL_POSES_POSE_CORRECTIONS_H

#include "base/affine.h"
#include "base/array.h"
#include "transform/transform.h"

#define POSE_CORRECTIONS_S 0.05 // duration of a correction, in seconds
// Maximum length of a smooth correction in pixels; longer corrections (wrapping, teleporting) are drawn immediately.
#define POSE_CORRECTIONS_SNAP_PIXELS 200.0f

// Pose of an entity in the world before a rollback.
typedef struct predicted_pose_t {
  shoal_entity entity; // entity of the pose; 0: no pose is stored
  float x, y, angle;
  bool is_mirrored; // true if mirrored by an ancestor or, for a child, by its scale
} predicted_pose_t;

// Predicted pose minus corrected pose.
typedef struct pose_correction_t {
  shoal_entity entity; // entity of the correction; 0: no correction
  float x, y, angle;
  double end_s; // presentation time at which the entity is drawn at its corrected pose
} pose_correction_t;

// Corrections after rollbacks. Zero-initialize. Keeps its memory until pose_corrections_fini.
typedef struct pose_corrections_t {
  allocator_t memory;
  transform_matrices_t matrices;
  double now_s;                      // presentation time in seconds
  double end_s;                      // presentation time at which the last correction ends
  bool is_stored;                    // true while `predicted` waits for pose_corrections_add
  ARRAY(predicted_pose_t) predicted; // stored poses, indexed by entity
  ARRAY(pose_correction_t) items;    // corrections, indexed by entity
} pose_corrections_t;

// Advances the presentation time. Call once per frame.
void pose_corrections_advance(pose_corrections_t *c, double seconds);

// Stores the poses of all entities before a rollback. Returns true on success, or false if poses are already stored or
// the world lacks the component transform.
bool pose_corrections_store(pose_corrections_t *c, world_o *w);
// Drops the stored poses of entities that are not alive in the restored state. The ticks that run again may give their
// ids to new entities, which must not move from the stored poses.
void pose_corrections_skip_spawned(pose_corrections_t *c, world_o *w);
// Begins to correct the entities whose poses differ from the stored poses. Does nothing if no poses are stored.
void pose_corrections_add(pose_corrections_t *c, world_o *w);
// Drops all corrections and stored poses. Call this when a different world replaces the drawn world.
void pose_corrections_clear(pose_corrections_t *c);

// Changes a pose of the world to the pose in which the entity is drawn.
void pose_corrections_apply(const pose_corrections_t *c, shoal_entity entity, affine_t *pose);

void pose_corrections_fini(pose_corrections_t *c);

#endif
