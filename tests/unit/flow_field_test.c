// The flow fields of the nav plugin.
#include "plugins/nav/flow_field.h"

#include "base/random.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE_MAX = 64, CELLS_MAX = SIDE_MAX * SIDE_MAX };

typedef struct scene_t {
  flow_field_t field;
  flow_map_t map;
  uint8_t cost[CELLS_MAX];
  uint32_t naive[CELLS_MAX], path[CELLS_MAX];
} scene_t;

SETUP(scene_t, s) {
  s->map.cost = s->cost;
}

TEARDOWN(scene_t, s) {
  flow_field_free(&s->field);
}

// Parses a map: '#' is a wall, '.' is a cell of cost 1, a digit is the cost of a cell.
static void parse_map(scene_t *s, const char *const *rows, uint32_t height) {
  s->map.width = (uint32_t)strlen(rows[0]);
  s->map.height = height;
  for (uint32_t y = 0; y < height; ++y)
    for (uint32_t x = 0; x < s->map.width; ++x) {
      char c = rows[y][x];
      s->cost[y * s->map.width + x] = (uint8_t)(c == '#' ? 0 : c == '.' ? 1 : c - '0');
    }
}

// Computes distances by relaxing all cells until nothing changes.
static void relax_naively(scene_t *s, uint32_t goal) {
  uint32_t width = s->map.width, height = s->map.height;
  memset(s->naive, 0xff, sizeof s->naive);
  s->naive[goal] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t from = 0; from < width * height; ++from)
      for (int step = 0; step < 9 && s->naive[from] != FLOW_FAR; ++step) {
        int dx = step % 3 - 1, dy = step / 3 - 1, x = (int)(from % width) + dx, y = (int)(from / width) + dy;
        if ((dx == 0 && dy == 0) || x < 0 || y < 0 || x >= (int)width || y >= (int)height)
          continue;
        uint32_t to = (uint32_t)y * width + (uint32_t)x;
        bool cuts =
            dx != 0 && dy != 0 &&
            (s->cost[from - from % width + (uint32_t)x] == 0 || s->cost[(uint32_t)y * width + from % width] == 0);
        if (s->cost[to] == 0 || cuts)
          continue;
        uint32_t own = s->cost[from] ? s->cost[from] : 1;
        uint32_t there = s->naive[from] + (dx == 0 || dy == 0 ? 10u : 14u) * (own + s->cost[to]) / 2;
        if (there < s->naive[to]) {
          s->naive[to] = there;
          changed = true;
        }
      }
  }
}

TEST_IN(flow_field_distances_match_naive_relaxation, scene_t, s) {
  random_t random;
  random_seed(&random, 3);
  for (uint32_t round = 0; round < 60; ++round) {
    s->map.width = 1 + random_u32(&random) % 40;
    s->map.height = 1 + random_u32(&random) % 40;
    uint32_t cells = s->map.width * s->map.height, goal = random_u32(&random) % cells;
    for (uint32_t i = 0; i < cells; ++i)
      s->cost[i] = (uint8_t)(random_u32(&random) % 10 < 3 ? 0 : 1 + random_u32(&random) % 3);
    flow_field_compute(&s->field, &s->map, &goal, 1);
    relax_naively(s, goal);
    assert_memory_equal(s->field.distance, s->naive, cells * sizeof *s->naive);
    for (uint32_t i = 0; i < cells; ++i) { // every path that exists ends at the goal
      uint32_t steps = flow_field_find_path(&s->field, &s->map, i, s->path, CELLS_MAX);
      assert_int_equal(steps > 0, s->naive[i] != FLOW_FAR);
      if (steps > 0)
        assert_int_equal(s->path[steps - 1], goal);
    }
  }
}

TEST_IN(flow_field_path_goes_around_a_wall_without_cutting_corners, scene_t, s) {
  static const char *const MAP[] = {
      ".....", //
      ".###.", //
      "...#.", //
      "...#.",
  };
  parse_map(s, MAP, 4);
  uint32_t goal = 3 * 5 + 4;
  flow_field_compute(&s->field, &s->map, &goal, 1);
  uint32_t steps = flow_field_find_path(&s->field, &s->map, 2 * 5 + 2, s->path, CELLS_MAX);
  assert_int_equal(steps, 12);
  for (uint32_t i = 0; i < steps; ++i)
    assert_true(s->cost[s->path[i]] != 0);
}

TEST_IN(flow_field_path_avoids_slow_ground, scene_t, s) {
  static const char *const MAP[] = {
      ".......", //
      ".99999.", //
      ".......",
  };
  parse_map(s, MAP, 3);
  uint32_t goal = 7 + 6;
  flow_field_compute(&s->field, &s->map, &goal, 1);
  uint32_t steps = flow_field_find_path(&s->field, &s->map, 7, s->path, CELLS_MAX);
  for (uint32_t i = 0; i < steps; ++i)
    assert_int_equal(s->cost[s->path[i]], 1);
}

// From any start, agents that follow the directions arrive without entering a wall.
TEST_IN(agents_following_the_flow_field_reach_the_goal, scene_t, s) {
  static const char *const MAP[] = {
      "..........", //
      ".####.###.", //
      ".#......#.", //
      ".#.####.#.", //
      "...#..#...", //
      ".#....#.#.",
  };
  parse_map(s, MAP, 6);
  uint32_t goal = 4 * 10 + 5;
  flow_field_compute(&s->field, &s->map, &goal, 1);
  for (uint32_t start = 0; start < 60; ++start) {
    float x = (float)(start % 10) + 0.5f, y = (float)(start / 10) + 0.5f;
    if (s->cost[start] == 0)
      continue;
    int step = 0;
    for (; step < 1000 && (uint32_t)y * 10 + (uint32_t)x != goal; ++step) {
      float dx, dy;
      flow_field_find_direction(&s->field, &s->map, x, y, &dx, &dy);
      assert_float_equal((double)(dx * dx + dy * dy), 1, 1e-3);
      x += dx * 0.1f;
      y += dy * 0.1f;
    }
    assert_true(step < 1000);
  }
}

TEST_IN(unreachable_cells_have_no_direction_or_path, scene_t, s) {
  static const char *const MAP[] = {"..#..", "..#.."};
  parse_map(s, MAP, 2);
  uint32_t goal = 4;
  float dx, dy;
  flow_field_compute(&s->field, &s->map, &goal, 1);
  flow_field_find_direction(&s->field, &s->map, 0.5f, 0.5f, &dx, &dy);
  assert_true(dx == 0 && dy == 0);
  assert_int_equal(flow_field_find_path(&s->field, &s->map, 0, s->path, CELLS_MAX), 0);
  flow_field_find_direction(&s->field, &s->map, NAN, 1e9f, &dx, &dy);
  assert_true(dx == 0 && dy == 0);
}
