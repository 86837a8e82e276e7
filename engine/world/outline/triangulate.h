// Triangulates simple polygons, including concave polygons, by ear clipping.
#ifndef SHOAL_OUTLINE_TRIANGULATE_H
#define SHOAL_OUTLINE_TRIANGULATE_H

#include <stdint.h>

#define TRIANGULATE_MAX_POINTS 512u

// Returns twice the area of a polygon; positive if the points are clockwise on the screen (y down).
float polygon_area_twice(const float *xy, uint32_t points);

// Writes the triangles, three indices each, to `out` (3 · (points - 2) elements) and returns their number: points - 2,
// or fewer if points are collinear or duplicate. Accepts both windings. Terminates for self-intersecting polygons as
// well, but their triangles may leave out parts of the area. Points after the first TRIANGULATE_MAX_POINTS are ignored.
uint32_t triangulate(const float *xy, uint32_t points, uint16_t *out);

#endif
