// A stateless spatial index for a Chipmunk space, used instead of Chipmunk's trees. The trees keep state between steps.
// This state determines the order of pairs, the order in which contacts are solved, and therefore every bit of the
// result. In contrast, this index sorts the shapes into a new grid in each step, so the order of pairs depends only on
// the shapes and their order in the list. The number of a shape is its index in the list, which space.c keeps in the
// order of the world's rows.
#ifndef SHOAL_PHYSICS_BROADPHASE_H
#define SHOAL_PHYSICS_BROADPHASE_H

#include <chipmunk/chipmunk_private.h>
#include <stdbool.h>
#include <stdint.h>

// A shape in the cell that contains the centre of its bounding box.
typedef struct grid_entry_t {
  cpBB box;
  int32_t x, y; // coordinates of the cell
  uint32_t number, bucket;
} grid_entry_t;

// Cells are at least as large as any shape in them. Much larger shapes are kept in a separate list.
typedef struct grid_t {
  double cell, cells_per_pixel;
  grid_entry_t *unsorted, *entries; // `entries` is sorted by bucket, then by number
  uint32_t unsorted_capacity, entry_capacity, entry_count;
  uint32_t *starts; // index of the first entry of each bucket; one additional element at the end
  uint32_t bucket_count, start_capacity;
  grid_entry_t *large; // shapes in the separate list, sorted by number
  uint32_t large_count, large_capacity;
} grid_t;

typedef struct pair_t {
  uint32_t first, second; // numbers of the two shapes, first < second
} pair_t;

typedef struct broadphase_t {
  cpSpatialIndex base; // must be first: Chipmunk's view of this struct
  cpShape **shapes;    // shapes, indexed by number
  uint32_t count, capacity;
  bool dirty; // true if shapes were added, removed or moved after the grid was built
  grid_t grid;
  uint32_t *results; // shape numbers found by the current search
  uint32_t result_count, result_capacity;
  pair_t *pairs, *sorted;
  uint32_t pair_count, pair_capacity, sorted_capacity;
  uint32_t *firsts; // scratch memory for sorting the pairs, indexed by shape number
  uint32_t first_capacity;
} broadphase_t;

// Installs this index in a new space. cpSpaceFree frees the index.
void broadphase_install(cpSpace *space);

static inline broadphase_t *broadphase_moving(cpSpace *space) {
  return (broadphase_t *)space->dynamicShapes;
}
static inline broadphase_t *broadphase_resting(cpSpace *space) {
  return (broadphase_t *)space->staticShapes;
}

// Finds the shapes whose bounding boxes overlap `box`, and stores their numbers in broadphase->results. The order
// depends only on the shapes.
void broadphase_find(broadphase_t *broadphase, cpBB box);

#endif
