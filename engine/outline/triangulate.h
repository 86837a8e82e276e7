// Triangulates simple polygons, including concave ones, by ear clipping.
#ifndef SHOAL_OUTLINE_TRIANGULATE_H
#define SHOAL_OUTLINE_TRIANGULATE_H

#include <stdint.h>

#define TRIANGULATE_MAX_POINTS 512u

// Returns twice the area; positive if the points are clockwise on the screen (y down).
float polygon_area_twice(const float *xy, uint32_t points);

// Writes the triangles, three indices each, to `out` (3 · (points - 2) elements) and returns their number: points - 2,
// or less if there are collinear or duplicate points. Accepts both windings. Self-intersecting polygons yield some
// triangles of their points and always terminate. Points after the first TRIANGULATE_MAX_POINTS are ignored.
uint32_t triangulate(const float *xy, uint32_t points, uint16_t *out);

#endif
