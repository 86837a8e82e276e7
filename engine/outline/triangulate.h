// Simple polygons, concave ones too, into triangles by cutting ears.
#ifndef SHOAL_OUTLINE_TRIANGULATE_H
#define SHOAL_OUTLINE_TRIANGULATE_H

#include <stdint.h>

#define TRIANGULATE_MAX_POINTS 512u

// Twice the area; positive when the points go clockwise on the screen (y down).
float polygon_area_twice(const float *xy, uint32_t points);

// Writes up to (points - 2) triangles, three indices each, into `out` (caller's, 3 · (points - 2) long). Returns how
// many. Both windings are fine; points on a line and doubled points make fewer triangles. A polygon that crosses itself
// gives some triangles of its own points, never an endless loop. Points past TRIANGULATE_MAX_POINTS are left out.
uint32_t triangulate(const float *xy, uint32_t points, uint16_t *out);

#endif
