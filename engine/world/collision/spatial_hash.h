// Finds overlapping pairs among many axis-aligned boxes with hash grids, which are rebuilt in each call. Boxes of
// different sizes use grids of different cell sizes (each four times the previous size), so a few large boxes do not
// slow down small boxes. Boxes with different category and mask also use different grids: 30,000 bullets that can only
// meet ships cost little more than the ships. Memory is reused between calls. Independent of worlds.
#ifndef SHOAL_COLLISION_SPATIAL_HASH_H
#define SHOAL_COLLISION_SPATIAL_HASH_H

#include "base/array.h"

#include <stdbool.h>
#include <stdint.h>

// All numbers must be finite, and half extents must not be negative. Two items can form a pair if each item's category
// is in the mask of the other item.
typedef struct spatial_item_t {
  float x, y, half_x, half_y; // centre and half extents
  uint32_t category, mask;
} spatial_item_t;

typedef struct spatial_pair_t {
  uint32_t first, second; // indices of the items, first < second
} spatial_pair_t;

// An item and the cell of its centre.
typedef struct spatial_entry_t {
  spatial_item_t item;
  int32_t cell_x, cell_y;
  uint32_t grid;
  uint32_t item_index;
} spatial_entry_t;

// Cell and bucket of an item.
typedef struct spatial_position_t {
  int32_t cell_x, cell_y;
  uint32_t grid, bucket;
  uint16_t class;
  uint16_t level; // level of the item; once its grid is chosen, level of the grid (0: smallest cells)
} spatial_position_t;

// A cell of a grid, in the coordinates of the items. Cells around zero are twice as wide or high as other cells.
typedef struct spatial_cell_t {
  int32_t level; // grids of the same cell size have the same level; the size is 4^level pixels
  int32_t cell_x, cell_y;
  double left, top, width, height;
} spatial_cell_t;

typedef struct spatial_hash_t {
  allocator_t *allocator;
  ARRAY(spatial_pair_t) pairs;         // result of spatial_hash_collect_pairs
  ARRAY(spatial_entry_t) entries;      // entries, sorted by bucket
  ARRAY(spatial_position_t) positions; // positions, indexed by item
  ARRAY(uint32_t) bucket_starts;       // index of the first entry of each bucket; one additional element at the end
} spatial_hash_t;

void spatial_hash_init(spatial_hash_t *h, allocator_t *a);
void spatial_hash_fini(spatial_hash_t *h);

// Returns true if the boxes overlap (a common edge is not enough) and can form a pair. spatial_hash_collect_pairs uses
// this test.
static inline bool spatial_items_overlap(const spatial_item_t *a, const spatial_item_t *b) {
  float dx = a->x - b->x, dy = a->y - b->y;
  float reach_x = a->half_x + b->half_x, reach_y = a->half_y + b->half_y;
  return dx < reach_x && -dx < reach_x && dy < reach_y && -dy < reach_y && (a->category & b->mask) != 0 &&
         (b->category & a->mask) != 0;
}

// Stores each pair for which spatial_items_overlap returns true in h->pairs, once, in an unspecified but deterministic
// order. Returns true on success. If there are more than `max` pairs, stores `max` pairs and returns false.
bool spatial_hash_collect_pairs(spatial_hash_t *h, const spatial_item_t *items, uint32_t count, uint32_t max);
// Returns the cell of an item that was passed to the last call of spatial_hash_collect_pairs.
spatial_cell_t spatial_hash_cell(const spatial_hash_t *h, uint32_t item);

#endif
