// Ear clipping on a ring of point indices. Each triangle removes one point from the ring.
#include "outline/triangulate.h"

#include "base/assert.h"

#include <stdbool.h>

static float compute_cross_product(const float *xy, uint32_t a, uint32_t b, uint32_t c) {
  float ax = xy[2 * a], ay = xy[2 * a + 1];
  return (xy[2 * b] - ax) * (xy[2 * c + 1] - ay) - (xy[2 * b + 1] - ay) * (xy[2 * c] - ax);
}

float polygon_area_twice(const float *xy, uint32_t points) {
  float sum = 0.0f;
  for (uint32_t i = 0, j = points - 1; i < points; j = i++)
    sum += xy[2 * j] * xy[2 * i + 1] - xy[2 * i] * xy[2 * j + 1];
  return sum;
}

static bool is_same_point(const float *xy, uint32_t a, uint32_t b) {
  return xy[2 * a] == xy[2 * b] && xy[2 * a + 1] == xy[2 * b + 1];
}

// Returns true if point p is inside the triangle a b c. `sign` normalizes the winding. Points on the border are inside,
// except for the corners themselves.
static bool is_inside_triangle(const float *xy, float sign, uint32_t a, uint32_t b, uint32_t c, uint32_t p) {
  if (is_same_point(xy, p, a) || is_same_point(xy, p, b) || is_same_point(xy, p, c))
    return false;
  return compute_cross_product(xy, a, b, p) * sign >= 0.0f && compute_cross_product(xy, b, c, p) * sign >= 0.0f &&
         compute_cross_product(xy, c, a, p) * sign >= 0.0f;
}

static bool is_ear(const float *xy, float sign, const uint16_t *ring, uint32_t count, uint32_t i) {
  uint32_t a = ring[(i + count - 1) % count], b = ring[i], c = ring[(i + 1) % count];
  if (compute_cross_product(xy, a, b, c) * sign <= 0.0f)
    return false;
  for (uint32_t k = 0; k < count; ++k)
    if (ring[k] != a && ring[k] != b && ring[k] != c && is_inside_triangle(xy, sign, a, b, c, ring[k]))
      return false;
  return true;
}

static bool is_flat(const float *xy, const uint16_t *ring, uint32_t count, uint32_t i) {
  return compute_cross_product(xy, ring[(i + count - 1) % count], ring[i], ring[(i + 1) % count]) == 0.0f;
}

static void remove_index(uint16_t *ring, uint32_t *count, uint32_t i) {
  for (uint32_t k = i; k + 1 < *count; ++k)
    ring[k] = ring[k + 1];
  (*count)--;
}

uint32_t triangulate(const float *xy, uint32_t points, uint16_t *out) {
  uint16_t ring[TRIANGULATE_MAX_POINTS];
  uint32_t count = points < TRIANGULATE_MAX_POINTS ? points : TRIANGULATE_MAX_POINTS, triangles = 0;
  if (count < 3)
    return 0;
  for (uint32_t i = 0; i < count; ++i)
    ring[i] = (uint16_t)i;
  float sign = polygon_area_twice(xy, count) < 0.0f ? -1.0f : 1.0f;
  while (count >= 3) {
    uint32_t i = 0;
    while (i < count && !is_ear(xy, sign, ring, count, i) && !is_flat(xy, ring, count, i))
      i++;
    if (i == count) // the polygon intersects itself, and no ear is left to cut off
      break;
    if (!is_flat(xy, ring, count, i)) {
      out[3 * triangles] = ring[(i + count - 1) % count];
      out[3 * triangles + 1] = ring[i];
      out[3 * triangles + 2] = ring[(i + 1) % count];
      triangles++;
    }
    remove_index(ring, &count, i);
  }
  shoal_assert(triangles + 2 <= points, "%u triangles from a polygon with %u points", triangles, points);
  return triangles;
}
