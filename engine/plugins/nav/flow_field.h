// How far it is from every cell of a map to a goal, and which way: computed once, read by any number of agents. Whole
// numbers, so that every machine finds the same ways. Knows nothing of Shoal.
#ifndef SHOAL_NAV_FLOW_FIELD_H
#define SHOAL_NAV_FLOW_FIELD_H

#include <stdbool.h>
#include <stdint.h>

#define FLOW_FAR UINT32_MAX // no way
#define FLOW_STRAIGHT 10u   // a step to the side over ground of cost 1; FLOW_SLANTED across a corner
#define FLOW_SLANTED 14u
#define FLOW_MAX_CELLS (1u << 22)

// Cells in rows; cost 0 is a wall, 1 free ground, up to 255 times as slow.
typedef struct flow_map_t {
  uint32_t width, height;
  uint8_t *cost; // width × height, the caller's
} flow_map_t;

typedef struct flow_field_t { // zero-initialised is empty
  uint32_t width, height;
  uint32_t *distance; // by cell
  uint32_t distance_capacity;
  uint64_t *heap; // scratch: distance and cell, the nearest first
  uint32_t heap_count, heap_capacity;
} flow_field_t;

void flow_field_free(flow_field_t *f);
// Distances to the nearest of these cells. A goal in a wall counts, and is left through its free neighbours. Ways do
// not cut a wall's corner.
void flow_field_compute(flow_field_t *f, const flow_map_t *map, const uint32_t *goals, uint32_t goal_count);

// The neighbour to go to from here, or the cell itself: at the goal, or where there is no way.
uint32_t flow_field_next(const flow_field_t *f, const flow_map_t *map, uint32_t cell);
// The way as cells from the first to the goal, `max` at most. Returns how many there are; 0 where there is none.
uint32_t flow_field_path(const flow_field_t *f, const flow_map_t *map, uint32_t from, uint32_t *out, uint32_t max);
// Where to go from a place in cells (0.5, 0.5 is the middle of the first one): the ways of the four cells around, mixed
// by nearness. Length 1, or 0 where there is nowhere to go.
void flow_field_direction(const flow_field_t *f, const flow_map_t *map, float x, float y, float *dx, float *dy);

#endif
