// Compares the grid of the spatial plugin with a brute-force search.
#include "plugins/spatial/point_grid.h"

#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { POINTS_MAX = 3000 };

typedef struct scene_t {
  point_grid_t grid;
  random_t random;
  float x[POINTS_MAX], y[POINTS_MAX];
  uint32_t category[POINTS_MAX];
  uint32_t count;
  point_near_t naive[POINTS_MAX], found[POINTS_MAX];
  uint32_t found_count;
} scene_t;

static int setup(void **state) {
  scene_t *s = calloc(1, sizeof *s);
  random_seed(&s->random, 5);
  *state = s;
  return s == NULL;
}

static int teardown(void **state) {
  scene_t *s = *state;
  point_grid_free(&s->grid);
  free(s);
  return 0;
}

static float random_unit_float(scene_t *s) {
  return (float)random_unit(&s->random);
}

static void add_point(scene_t *s, float x, float y) {
  s->x[s->count] = x;
  s->y[s->count] = y;
  s->category[s->count++] = 1u << (random_u32(&s->random) % 3);
}

static uint32_t search_naively(scene_t *s, const point_search_t *search) {
  uint32_t found = 0;
  for (uint32_t i = 0; i < s->count; ++i) {
    float dx = s->x[i] - search->x, dy = s->y[i] - search->y, distance = dx * dx + dy * dy;
    if (distance <= search->radius * search->radius && (s->category[i] & search->mask) && i != search->except)
      s->naive[found++] = (point_near_t){distance, i};
  }
  point_near_sort(s->naive, found);
  return found;
}

static void store_found_point(void *data, const point_entry_t *e, float distance_squared) {
  scene_t *s = data;
  s->found[s->found_count++] = (point_near_t){distance_squared, e->number};
}

static void assert_same(const point_near_t *a, const point_near_t *b, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    assert_int_equal(a[i].number, b[i].number);
    assert_true(a[i].distance == b[i].distance);
  }
}

static void assert_same_as_naive(scene_t *s, uint32_t searches, float spread) {
  point_grid_build(&s->grid, s->x, s->y, s->category, s->count);
  for (uint32_t i = 0; i < searches; ++i) {
    point_search_t search = {(random_unit_float(s) - 0.5f) * spread, (random_unit_float(s) - 0.5f) * spread, INFINITY,
                             1 + i % 7, POINT_NONE};
    if (i % 3 > 0)
      search.radius = random_unit_float(s) * spread * (i % 3 == 1 ? 0.05f : 0.8f);
    if (i % 4 == 0 && s->count > 0) { // queries at the position of a point, which is excluded
      search.except = i % s->count;
      search.x = s->x[search.except];
      search.y = s->y[search.except];
      if (!isfinite(search.x) || !isfinite(search.y))
        continue;
    }
    uint32_t naive = search_naively(s, &search), k = 1 + i % POINT_MAX_NEAREST;
    uint32_t nearest = point_grid_find_nearest(&s->grid, &search, k, s->found);
    assert_int_equal(nearest, naive < k ? naive : k);
    assert_same(s->found, s->naive, nearest);
    point_sum_t sum;
    nearest = point_grid_find_around(&s->grid, &search, k, s->found, &sum);
    assert_int_equal(nearest, naive < k ? naive : k);
    assert_same(s->found, s->naive, nearest);
    assert_int_equal(sum.count, naive);
    s->found_count = 0;
    point_grid_find_within(&s->grid, &search, store_found_point, s);
    point_near_sort(s->found, s->found_count);
    assert_int_equal(s->found_count, naive);
    assert_same(s->found, s->naive, naive);
  }
}

static void empty_grid_finds_no_points(void **state) {
  assert_same_as_naive(*state, 20, 100);
}

static void grid_finds_scattered_points(void **state) {
  scene_t *s = *state;
  while (s->count < POINTS_MAX)
    add_point(s, (random_unit_float(s) - 0.5f) * 1000, (random_unit_float(s) - 0.5f) * 600);
  assert_same_as_naive(s, 300, 1200);
}

static void grid_finds_clustered_and_distant_points(void **state) {
  scene_t *s = *state;
  while (s->count < 1500)
    add_point(s, (random_unit_float(s) - 0.5f) * (s->count % 2 ? 3.0f : 400.0f), (random_unit_float(s) - 0.5f) * 3.0f);
  add_point(s, 1e9f, -1e9f);
  add_point(s, -3e38f, 0);
  add_point(s, 1, NAN);
  for (int i = 0; i < 300; ++i) // all points are at the same position
    add_point(s, 7, 7);
  assert_same_as_naive(s, 300, 500);
}

static void grid_finds_collinear_points(void **state) {
  scene_t *s = *state;
  while (s->count < 2000)
    add_point(s, (float)s->count * 0.25f, 0);
  assert_same_as_naive(s, 200, 600);
}

int point_grid_tests(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(empty_grid_finds_no_points, setup, teardown),
      cmocka_unit_test_setup_teardown(grid_finds_scattered_points, setup, teardown),
      cmocka_unit_test_setup_teardown(grid_finds_clustered_and_distant_points, setup, teardown),
      cmocka_unit_test_setup_teardown(grid_finds_collinear_points, setup, teardown),
  };
  return cmocka_run_group_tests_name("point_grid", tests, NULL, NULL);
}
