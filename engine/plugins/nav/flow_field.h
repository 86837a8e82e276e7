// Flow fields: distance and direction from each cell of a map to the nearest goal. A field is computed once and can be
// read by any number of agents. It uses integer arithmetic, so all processors find the same paths. Independent of
// Shoal.
#ifndef SHOAL_NAV_FLOW_FIELD_H
#define SHOAL_NAV_FLOW_FIELD_H

#include <stdbool.h>
#include <stdint.h>

#define FLOW_FAR UINT32_MAX // distance of cells without a path
#define FLOW_STRAIGHT 10u   // cost of a straight step on ground of cost 1; a diagonal step costs FLOW_DIAGONAL
#define FLOW_DIAGONAL 14u
#define FLOW_MAX_CELLS (1u << 22)

// A map, stored row by row. A cell of cost 0 is a wall, and a cell of cost 1 is open ground. Agents are n times as slow
// on ground of cost n.
typedef struct flow_map_t {
  uint32_t width, height;
  uint8_t *cost; // width × height, owned by the caller
} flow_map_t;

typedef struct flow_field_t { // zero-initialized: an empty field
  uint32_t width, height;
  uint32_t *distance; // distances to the nearest goal, indexed by cell
  uint32_t distance_capacity;
  uint64_t *heap; // scratch memory: binary heap of distances and cells
  uint32_t heap_count, heap_capacity;
} flow_field_t;

void flow_field_free(flow_field_t *field);
// Computes the distances to the nearest goal. A goal may be inside a wall: paths enter it through free neighbouring
// cells. Paths do not cut the corners of walls.
void flow_field_compute(flow_field_t *field, const flow_map_t *map, const uint32_t *goals, uint32_t goal_count);

// Returns the next cell on the path. Returns `cell` at a goal and if there is no path.
uint32_t flow_field_find_next(const flow_field_t *field, const flow_map_t *map, uint32_t cell);
// Writes the path from `start` to the goal, at most `capacity` cells. Returns the length of the path in cells, which
// may exceed `capacity`, or 0 if there is no path.
uint32_t flow_field_find_path(const flow_field_t *field, const flow_map_t *map, uint32_t start, uint32_t *out,
                              uint32_t capacity);
// Computes the direction at a position. The position is in cells: (0.5, 0.5) is the centre of the first cell. The
// direction is interpolated from the directions of the four surrounding cells. If this direction leads into a wall, the
// result points to the next cell of the path instead. Inside a wall, the result points to the nearest cell with a path,
// at most eight columns and rows away. The length of the direction is 1, or 0 at a goal, outside the map, and if there
// is no path.
void flow_field_find_direction(const flow_field_t *field, const flow_map_t *map, float x, float y, float *dx,
                               float *dy);

#endif
