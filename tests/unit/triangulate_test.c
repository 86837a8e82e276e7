// Triangulation of polygons: outline/triangulate.h.
#include "outline/triangulate.h"

#include "base/random.h"
#include "outline/outline.h"
#include "test.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static float compute_area(const float *xy, const uint16_t *triangles, uint32_t count) {
  float sum = 0.0f;
  for (uint32_t t = 0; t < count; ++t) {
    float corner[6];
    for (uint32_t k = 0; k < 3; ++k) {
      corner[2 * k] = xy[2 * triangles[3 * t + k]];
      corner[2 * k + 1] = xy[2 * triangles[3 * t + k] + 1];
    }
    sum += fabsf(polygon_area_twice(corner, 3));
  }
  return sum;
}

// Asserts that the n - 2 triangles of a simple polygon cover it: the sum of their areas is the polygon's area.
static void assert_covered(const float *xy, uint32_t points) {
  uint16_t out[TRIANGULATE_MAX_POINTS * 3];
  uint32_t count = triangulate(xy, points, out);
  float area = fabsf(polygon_area_twice(xy, points));
  assert_int_equal(count, points - 2);
  if (fabsf(compute_area(xy, out, count) - area) > 1e-3f * area)
    fail_msg("triangles cover %f of %f", (double)compute_area(xy, out, count), (double)area);
}

static void reverse_points(float *xy, uint32_t points) {
  for (uint32_t i = 0, j = points - 1; i < j; ++i, --j) {
    float x = xy[2 * i], y = xy[2 * i + 1];
    xy[2 * i] = xy[2 * j];
    xy[2 * i + 1] = xy[2 * j + 1];
    xy[2 * j] = x;
    xy[2 * j + 1] = y;
  }
}

TEST(concave_polygon_is_covered_in_both_windings) {
  float arrow[] = {0, 0, 10, 4, 0, 8, 4, 4};
  float comb[] = {0, 0, 90, 0, 90, 50, 80, 50, 80, 10, 60, 10, 60, 50, 50, 50, 50, 10, 30, 10, 30, 50, 0, 50};
  float spiral[] = {0, 0, 100, 0, 100, 100, 20, 100, 20, 40, 60, 40, 60, 60, 40, 60, 40, 80, 80, 80, 80, 20, 0, 20};
  for (int turn = 0; turn < 2; ++turn) {
    assert_covered(arrow, 4);
    assert_covered(comb, 12);
    assert_covered(spiral, 12);
    reverse_points(arrow, 4);
    reverse_points(comb, 12);
    reverse_points(spiral, 12);
  }
}

TEST(random_star_polygons_are_covered) {
  random_t r;
  random_seed(&r, 5);
  for (int round = 0; round < 1000; ++round) {
    float xy[64];
    uint32_t points = 3 + random_u32(&r) % 30;
    for (uint32_t i = 0; i < points; ++i) {
      double angle = 6.283185307 * i / points, radius = 10.0 + 90.0 * random_unit(&r);
      xy[2 * i] = (float)(radius * cos(angle));
      xy[2 * i + 1] = (float)(radius * sin(angle));
    }
    assert_covered(xy, points);
  }
}

TEST(duplicate_and_collinear_points_do_not_change_the_area) {
  const float xy[] = {0, 0, 5, 0, 10, 0, 10, 0, 10, 10, 0, 10, 0, 10};
  uint16_t out[15];
  uint32_t count = triangulate(xy, 7, out);
  assert_true(count >= 2 && count < 5);
  assert_true(fabsf(compute_area(xy, out, count) - 200.0f) < 1e-3f);
}

TEST(degenerate_polygons_terminate_with_few_triangles) {
  uint16_t out[30];
  const float line[] = {0, 0, 10, 0, 20, 0}, numbers[] = {0, 0, NAN, 4, 5, 5, 1, 2};
  const float bow[] = {0, 0, 10, 10, 10, 0, 0, 10};
  assert_int_equal(triangulate(line, 2, out), 0);
  assert_int_equal(triangulate(line, 3, out), 0);
  assert_true(triangulate(numbers, 4, out) <= 2);
  assert_true(triangulate(bow, 4, out) <= 2);
}

TEST(points_are_parsed_up_to_the_first_error) {
  float xy[8];
  assert_int_equal(outline_parse("0,-12 10,9 -10,9.5", xy, 4), 3);
  assert_true(xy[1] == -12.0f && xy[5] == 9.5f);
  assert_int_equal(outline_parse("  1 2;3,4\n", xy, 4), 2);
  assert_int_equal(outline_parse("1,2 3", xy, 4), 1);
  assert_int_equal(outline_parse("1,2 x,4 5,6", xy, 4), 1);
  assert_int_equal(outline_parse("1,2 nan,4", xy, 4), 1);
  assert_int_equal(outline_parse("", xy, 4), 0);
  assert_int_equal(outline_parse("1,1 2,2 3,3 4,4 5,5 6,6", xy, 4), 4);
}
