// The transform tree: local position, angle and scale, parents, and the world matrix, a derived field: it is calculated
// for whoever reads it, from the fields and parents as they are then. Links are entities in hidden columns, so that
// nothing has to be mended when rows move. A parent that is dead or has no transform counts as none; a cycle is broken
// at the next update, at the entity that closed it, with one log line; until then those that it leads to have no
// parent.
//
// `parent` may be written at any time; the lists follow when rows are added, at the next update, or when children are
// asked for. An entity that dies takes along the children in its list; with `orphan` they lose their parent and keep
// their place, angle and scale in the world (a shear, from turning inside an uneven scale, is lost).
#ifndef SHOAL_TRANSFORM_TRANSFORM_H
#define SHOAL_TRANSFORM_TRANSFORM_H

#include "components/builtin.h"
#include "schedule/schedule.h"

// first_child … linked_parent belong to the tree: scripts neither see nor write them. linked_parent: the entity whose
// list of children the row is in, 0 for none; follows `parent`. world: derived.
#define TRANSFORM_LINK .flags = SHOAL_HIDDEN | SHOAL_READ_ONLY
// clang-format off
#define TRANSFORM_FIELDS(F)                                                                                            \
  F(f32, x, 0, .unit = "px") F(f32, y, 0, .unit = "px") F(f32, z, 0, .unit = "px")                                     \
  F(f32, angle, 0, .unit = "rad", .doc = "clockwise on screen") F(f32, scale_x, 1) F(f32, scale_y, 1)                  \
  F(entity, parent, .doc = "the entity whose transform this is relative to")                                       \
  F(bool, orphan, 0, .doc = "survives when its parent is destroyed")                                   \
  F(entity, first_child, TRANSFORM_LINK) F(entity, next_sibling, TRANSFORM_LINK)                                       \
  F(entity, prev_sibling, TRANSFORM_LINK) F(entity, linked_parent, TRANSFORM_LINK)                                     \
  F(mat4, world, .doc = "world matrix, column-major")
// clang-format on
BUILTIN_COMPONENT(transform, TRANSFORM_FIELDS)

bool transform_declare(world_o *w, error_t *error);
bool transform_schedule(world_o *w, schedule_o *s, error_t *error);

// Makes the lists of children follow the `parent` column, where somebody has written an entity since the last time.
// Run by shoal.transform; also called after `start`.
void transform_update(world_o *w);

// Places of many rows between two changes of the columns, parents calculated once. Zeroed to begin with; keeps its
// memory from one begin to the next. Nothing is calculated before it is asked for.
typedef struct transform_places_t {
  const manager_o *manager; // transform
  allocator_t memory;
  bool ready;
  float (*places)[16]; // by row, of those that have a parent or are one
  uint8_t *known;      // by row
  uint32_t capacity;   // of both
  uint32_t *path, path_capacity;
} transform_places_t;

void transform_places_begin(transform_places_t *p, const manager_o *m);
// The world matrix of the row, column by column.
void transform_place(transform_places_t *p, uint32_t row, float out[16]);
void transform_places_end(transform_places_t *p); // gives the memory back

// Children of e in the order in which they were attached, into `out` (caller's, `max` long). Returns how many there
// are.
uint32_t transform_children(world_o *w, shoal_entity e, shoal_entity *out, uint32_t max);
shoal_entity transform_parent(world_o *w, shoal_entity e);

#endif
