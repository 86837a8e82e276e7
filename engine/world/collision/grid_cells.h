// Cells of hash grids: cell sizes, the cell of a coordinate and the bucket of a cell. Shared by spatial_hash.c, which
// finds pairs of boxes, and box_grid.c, which finds the boxes in an area. Stateless; any thread.
#ifndef SHOAL_COLLISION_GRID_CELLS_H
#define SHOAL_COLLISION_GRID_CELLS_H

#include <stdint.h>
#include <string.h>

// Returns the smallest exponent with size ≤ 2^exponent. `size` must be a positive normal number.
static inline int grid_size_exponent(double size) {
  uint64_t representation;
  memcpy(&representation, &size, sizeof representation);
  // The exponent as frexp returns it: size < 2^bits. An item of exactly a power of two fits into a cell of that size.
  return (int)(representation >> 52 & 0x7ff) - 1022 - (representation << 12 == 0);
}

// Returns the cell of a coordinate. The outermost cells contain all coordinates beyond them. Cell 0 has double width,
// because positions are rounded towards it from both sides. Neighbouring positions still have the same or neighbouring
// cells, so no pair is missed.
static inline int32_t grid_cell(double position, double cells_per_pixel) {
  const double MAX_CELL = 1 << 29;
  double cell = position * cells_per_pixel;
  return (int32_t)(cell > -MAX_CELL ? cell < MAX_CELL ? cell : MAX_CELL : -MAX_CELL);
}

// Returns the bucket of a cell; `mask` is the number of buckets, a power of two, minus 1. Consecutive cells of a row
// have consecutive buckets.
static inline uint32_t grid_bucket(uint32_t grid, int32_t cell_x, int32_t cell_y, uint32_t mask) {
  return ((uint32_t)cell_x + (uint32_t)cell_y * 0x9e3779b1u + grid * 0x85ebca6bu) & mask;
}

// A level with fewer than 1/GRID_LEVEL_WORTH as many items as the next used level is merged into that level, to save
// lookups.
enum { GRID_LEVEL_WORTH = 8 };

// Merges sparsely used levels into the next used level, whose cells are larger. `counts` is the number of items of each
// level.
static inline void grid_merge_levels(uint32_t *counts, uint32_t level_count) {
  uint32_t next_used = level_count;
  for (uint32_t level = 0; level < level_count; ++level) {
    if (counts[level] == 0)
      continue;
    if (next_used < level_count && counts[next_used] < counts[level] / GRID_LEVEL_WORTH) {
      counts[level] += counts[next_used];
      counts[next_used] = 0;
    }
    next_used = level;
  }
}

#endif
