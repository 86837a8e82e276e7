// Flow fields: distance and direction from each cell of a map to the nearest goal. Computed once, read by any number of
// agents. Integer arithmetic, so all processors find the same paths. Independent of Shoal.
#ifndef SHOAL_NAV_FLOW_FIELD_H
#define SHOAL_NAV_FLOW_FIELD_H

#include <stdbool.h>
#include <stdint.h>

#define FLOW_FAR UINT32_MAX // distance of a cell without a path
#define FLOW_STRAIGHT 10u   // cost of a straight step over ground of cost 1; a diagonal step costs FLOW_DIAGONAL
#define FLOW_DIAGONAL 14u
#define FLOW_MAX_CELLS (1u << 22)

// A map, row by row. Cost 0 is a wall, 1 is free ground, and ground of cost n is n times as slow.
typedef struct flow_map_t {
  uint32_t width, height;
  uint8_t *cost; // width × height, owned by the caller
} flow_map_t;

typedef struct flow_field_t { // all zero is an empty field
  uint32_t width, height;
  uint32_t *distance; // indexed by cell
  uint32_t distance_capacity;
  uint64_t *heap; // scratch: distances and cells, nearest first
  uint32_t heap_count, heap_capacity;
} flow_field_t;

void flow_field_free(flow_field_t *f);
// Computes the distances to the nearest goal. A goal inside a wall counts: paths enter it through its free neighbours.
// Paths do not cut corners of walls.
void flow_field_compute(flow_field_t *f, const flow_map_t *map, const uint32_t *goals, uint32_t goal_count);

// Returns the next cell on the path; the cell itself at a goal or without a path.
uint32_t flow_field_next(const flow_field_t *f, const flow_map_t *map, uint32_t cell);
// Writes the path from `from` to the goal, at most `max` cells. Returns the number of cells, 0 without a path.
uint32_t flow_field_path(const flow_field_t *f, const flow_map_t *map, uint32_t from, uint32_t *out, uint32_t max);
// Computes the direction from a position in cells (0.5, 0.5 is the centre of the first cell): the directions of the
// four surrounding cells, weighted by distance. Length 1, or 0 without a path.
void flow_field_direction(const flow_field_t *f, const flow_map_t *map, float x, float y, float *dx, float *dy);

#endif
