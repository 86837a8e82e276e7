// Which shapes of a Chipmunk space may touch: an index that stands where Chipmunk's trees would. Those keep what they
// learnt from step to step, and hand pairs out in an order that follows from it; the order decides in which order
// contacts are solved, and so every bit of the result. This one has no memory: it sorts the shapes into a grid at every
// step, and the order of its pairs follows from where the shapes are and from the order of the list alone.
//
// A shape's number is its place in the list: space.c keeps the lists in the order of the world's rows.
#ifndef SHOAL_PHYSICS_BROADPHASE_H
#define SHOAL_PHYSICS_BROADPHASE_H

#include <chipmunk/chipmunk_private.h>
#include <stdbool.h>
#include <stdint.h>

// A shape by the cell that the middle of its box lies in.
typedef struct grid_entry_t {
  cpBB box;
  int32_t x, y; // cell
  uint32_t number, bucket;
} grid_entry_t;

// Cells are at least as large as every shape in them. Shapes much larger than most stand in a list of their own.
typedef struct grid_t {
  double cell, cells_per_pixel;
  grid_entry_t *unsorted, *entries; // `entries` by bucket, those of a bucket by number
  uint32_t unsorted_capacity, entry_capacity, entry_count;
  uint32_t *starts; // by bucket, one more at the end
  uint32_t bucket_count, start_capacity;
  grid_entry_t *large; // by number
  uint32_t large_count, large_capacity;
} grid_t;

typedef struct pair_t {
  uint32_t first, second; // numbers, first < second
} pair_t;

typedef struct broadphase_t {
  cpSpatialIndex base; // first: Chipmunk sees this
  cpShape **shapes;    // by number
  uint32_t count, capacity;
  bool dirty; // shapes came, went or moved since the grid was built
  grid_t grid;
  uint32_t *found; // numbers, of the last search
  uint32_t found_count, found_capacity;
  pair_t *pairs, *sorted;
  uint32_t pair_count, pair_capacity, sorted_capacity;
  uint32_t *firsts; // by number: where its pairs begin in `sorted`
  uint32_t first_capacity;
} broadphase_t;

// For a space that has no indices yet; cpSpaceFree frees them.
void broadphase_install(cpSpace *space);

static inline broadphase_t *broadphase_moving(cpSpace *space) {
  return (broadphase_t *)space->dynamicShapes;
}
static inline broadphase_t *broadphase_resting(cpSpace *space) {
  return (broadphase_t *)space->staticShapes;
}

// Numbers of the shapes whose boxes meet `box` now, in b->found, in an order that follows from where shapes are.
void broadphase_find(broadphase_t *b, cpBB box);

#endif
