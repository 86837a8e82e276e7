// Which of many upright boxes overlap: a grid of cells by hash, built anew for every question. Boxes of different size
// live in grids of different cell size (each step four times the one below), so that a few big ones cost no more than
// small ones; those of different category and mask too, so that thirty thousand bullets that only ships can meet cost
// little more than their ships. Memory is kept between questions. Knows nothing of the world.
#ifndef SHOAL_COLLISION_SPATIAL_HASH_H
#define SHOAL_COLLISION_SPATIAL_HASH_H

#include "base/array.h"

#include <stdbool.h>
#include <stdint.h>

// All numbers finite, halves not negative. Two items may pair when each one's category is in the other's mask.
typedef struct spatial_item_t {
  float x, y, half_x, half_y; // centre and half extents
  uint32_t category, mask;
} spatial_item_t;

typedef struct spatial_pair_t {
  uint32_t first, second; // numbers of the items, first < second
} spatial_pair_t;

// An item and the cell that its centre lies in.
typedef struct spatial_entry_t {
  spatial_item_t item;
  int32_t cell_x, cell_y;
  uint32_t grid;
  uint32_t number; // of the item
} spatial_entry_t;

// Where an item belongs.
typedef struct spatial_place_t {
  int32_t cell_x, cell_y;
  uint32_t grid, bucket;
  uint16_t class, level;
} spatial_place_t;

typedef struct spatial_hash_t {
  allocator_t *allocator;
  ARRAY(spatial_pair_t) pairs;    // the answer
  ARRAY(spatial_entry_t) entries; // by bucket
  ARRAY(spatial_place_t) places;  // by item
  ARRAY(uint32_t) starts;         // by bucket: its first entry; one more at the end
} spatial_hash_t;

void spatial_hash_init(spatial_hash_t *h, allocator_t *a);
void spatial_hash_fini(spatial_hash_t *h);

// Do the boxes share some area (an edge is not enough), and may the two pair? The gate of spatial_hash_pairs.
static inline bool spatial_overlap(const spatial_item_t *a, const spatial_item_t *b) {
  float dx = a->x - b->x, dy = a->y - b->y;
  float x = a->half_x + b->half_x, y = a->half_y + b->half_y;
  return dx < x && -dx < x && dy < y && -dy < y && (a->category & b->mask) != 0 && (b->category & a->mask) != 0;
}

// Every pair of items for which spatial_overlap holds, once, into h->pairs, in no order to rely on but the same for the
// same items. Stops at `max` pairs and returns false when there are more.
bool spatial_hash_pairs(spatial_hash_t *h, const spatial_item_t *items, uint32_t count, uint32_t max);

#endif
