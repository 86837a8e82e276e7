// The transform hierarchy: local position, angle and scale, parents, and the derived fields world matrix and position,
// which are computed when they are read. Links are entities in hidden columns, so they stay valid when rows move. A
// parent that is dead or has no transform is treated as missing. A cycle is broken at the next update, at the entity
// that closed it, with one warning; until then, the entities in and below it have no parent.
//
// `parent` may be written at any time; the lists of children are updated when rows are added, at the next update, or
// when children are requested. When an entity is destroyed, so are its children. If `orphan` of the destroyed entity is
// true, its children survive instead, without a parent, and keep their world position, angle and scale (except shear,
// which results from rotation inside a non-uniform scale).
#ifndef SHOAL_TRANSFORM_TRANSFORM_H
#define SHOAL_TRANSFORM_TRANSFORM_H

#include "components/builtin.h"
#include "schedule/schedule.h"
#include "transform/waiting_parents.h"

#include <math.h>

// first_child … linked_parent are internal and hidden from scripts. linked_parent is the entity whose list of children
// contains the row, or 0; each update sets it to `parent` if that entity has a transform. The last three fields are
// derived.
#define TRANSFORM_LINK .flags = SHOAL_HIDDEN | SHOAL_READ_ONLY
// clang-format off
#define TRANSFORM_FIELDS(F)                                                                                            \
  F(f32, x, 0, .unit = "px") F(f32, y, 0, .unit = "px") F(f32, z, 0, .unit = "px")                                     \
  F(f32, angle, 0, .unit = "rad", .doc = "clockwise on screen") F(f32, scale_x, 1) F(f32, scale_y, 1)                  \
  F(entity, parent, .doc = "entity that this transform is relative to")                                                \
  F(bool, orphan, 0, .doc = "children survive when the entity is destroyed")                                        \
  F(entity, first_child, TRANSFORM_LINK) F(entity, next_sibling, TRANSFORM_LINK)                                       \
  F(entity, prev_sibling, TRANSFORM_LINK) F(entity, linked_parent, TRANSFORM_LINK)                                     \
  F(mat4, world, .doc = "world matrix, column-major")                                                                  \
  F(f32, world_x, 0, .unit = "px", .doc = "position in the world: world[13]")                                          \
  F(f32, world_y, 0, .unit = "px", .doc = "position in the world: world[14]")
// clang-format on
BUILTIN_COMPONENT(transform, TRANSFORM_FIELDS)

bool transform_declare(world_o *w, error_info_t *error);
// Adds the system shoal.transform. `waiting`: reports parents without a transform; may be NULL. Returns true on
// success, or false with an error if this name is taken.
bool transform_schedule(waiting_parents_o *waiting, schedule_o *s, error_info_t *error);

// Updates the lists of children from the `parent` column if any entity field was written since the last update. Called
// by the system shoal.transform, before the first frame, and before the UI is laid out.
void transform_update_child_lists(world_o *w);

// Cache of world matrices for reading many rows while the columns do not change. Computes matrices on demand, each
// parent's matrix only once. Zero-initialize. The memory is reused by later calls to transform_matrices_begin.
typedef struct transform_matrices_t {
  const manager_o *manager; // manager of the component transform
  allocator_t memory;
  bool ready;
  float (*matrices)[16]; // world matrices of rows with a parent or children, indexed by row
  uint8_t *states;       // state of each row: MATRIX_UNKNOWN, MATRIX_COMPUTED or MATRIX_CIRCULAR (transform.c)
  uint32_t capacity;     // capacity of `matrices` and `states`
  uint32_t *path, path_capacity;
} transform_matrices_t;

void transform_matrices_begin(transform_matrices_t *cache, const manager_o *m);
// Stores the row's world matrix in `out`, column-major.
void transform_compute_world_matrix(transform_matrices_t *cache, uint32_t row, float out[16]);
// The elements of a world matrix that place a flat shape: x axis, y axis and position.
typedef struct transform_basis_t {
  float xx, xy, yx, yy, x, y;
} transform_basis_t;

// Computes the basis of a row relative to its parent or, for a row without a parent, its basis in the world. Reads x,
// y, angle and scale; the other columns may be NULL. Inline, because storing a matrix takes longer than computing it.
static inline transform_basis_t transform_local_basis(const transform_columns *c, uint32_t row) {
  float cosine = 1, sine = 0, scale_x = c->scale_x[row], scale_y = c->scale_y[row];
  if (c->angle[row] != 0) {
    cosine = cosf(c->angle[row]);
    sine = sinf(c->angle[row]);
  }
  return (transform_basis_t){cosine * scale_x, sine * scale_x, -(sine * scale_y),
                             cosine * scale_y, c->x[row],      c->y[row]};
}
// Returns the basis of the row's world matrix.
transform_basis_t transform_compute_world_basis(transform_matrices_t *cache, uint32_t row);
void transform_matrices_end(transform_matrices_t *cache); // frees the memory of the cache

// Writes up to `max` children of e to `out`, in the order in which they were attached. Returns the number of children,
// which may exceed `max`.
uint32_t transform_list_children(world_o *w, shoal_entity e, shoal_entity *out, uint32_t max);
// Returns the parent of e, or 0 if e has no parent or the parent has no transform.
shoal_entity transform_find_parent(world_o *w, shoal_entity e);

#endif
