// Queries for bodies near a point, in a box and along a ray (collision/near_queries.h). Rays are compared with point
// queries at small steps, boxes with circle queries.
#include "components_fixture.h"

#include "base/random.h"
#include "collision/near_queries.h"

#define ALL UINT32_MAX
#define MAX 512

static shoal_entity spawn_circle(fixture_t *f, double x, double y, double radius) {
  shoal_entity e = place(f, x, y);
  add(f, e, "body");
  set(f, e, "body", "radius", radius);
  return e;
}

static shoal_entity spawn_box(fixture_t *f, double x, double y, double width, double height) {
  shoal_entity e = place(f, x, y);
  add(f, e, "body");
  set(f, e, "body", "kind", 1);
  set(f, e, "body", "width", width);
  set(f, e, "body", "height", height);
  return e;
}

FIXTURE(fixture_t, fixture_setup, fixture_teardown)

TEST_IN(near_circle_sorts_bodies_by_their_nearest_point, fixture_t, f) {
  shoal_entity far = spawn_circle(f, 100, 0, 5), wide = spawn_box(f, 60, 0, 80, 10), around = spawn_circle(f, 1, 1, 50),
               out[MAX];
  assert_int_equal(near_find_in_circle(f->world, 0, 0, 96, ALL, out, MAX), 3);
  assert_true(out[0] == around && out[1] == wide && out[2] == far);
  assert_int_equal(near_find_in_circle(f->world, 0, 0, 95, ALL, out, MAX), 2); // the circle only touches `far`
  assert_int_equal(near_find_in_circle(f->world, 0, 0, INFINITY, ALL, out, 1), 3);
  assert_true(out[0] == around);
  assert_int_equal(near_find_in_circle(f->world, 0, 0, 0, ALL, out, MAX), 0);
}

TEST_IN(near_query_filters_by_mask_and_skips_disabled_bodies, fixture_t, f) {
  shoal_entity ship = spawn_circle(f, 0, 0, 5), rock = spawn_circle(f, 3, 0, 5), off = spawn_circle(f, 4, 0, 5),
               out[MAX];
  set(f, ship, "body", "category", 6);
  set(f, rock, "body", "category", 1);
  set(f, off, "body", "enabled", 0);
  assert_int_equal(near_find_in_circle(f->world, 0, 0, 10, 2, out, MAX), 1);
  assert_true(out[0] == ship);
  assert_int_equal(near_find_in_circle(f->world, 0, 0, 10, 1, out, MAX), 1);
  assert_true(out[0] == rock);
  assert_int_equal(near_find_in_circle(f->world, 0, 0, 10, 8, out, MAX), 0);
}

TEST_IN(near_query_uses_the_world_position_of_children, fixture_t, f) {
  shoal_entity ship = place(f, 100, 100), gun = spawn_circle(f, 10, 0, 1), out[MAX];
  set(f, ship, "transform", "scale_x", 3);
  set(f, gun, "transform", "parent", (double)ship);
  transform_update_child_lists(f->world);
  assert_int_equal(near_find_in_circle(f->world, 130, 100, 2, ALL, out, MAX), 1);
  assert_int_equal(near_find_in_circle(f->world, 10, 0, 2, ALL, out, MAX), 0);
}

TEST_IN(near_box_finds_overlapping_rotated_bodies, fixture_t, f) {
  shoal_entity turned = spawn_box(f, 0, 0, 20, 20), out[MAX];
  set(f, turned, "transform", "angle", M_PI / 4);
  assert_int_equal(near_find_in_box(f->world, 13, -2, 30, 2, ALL, out, MAX), 1); // the box's corner is at x = 14.1
  // a corner would be here only if the box were not rotated
  assert_int_equal(near_find_in_box(f->world, 9, 9, 30, 30, ALL, out, MAX), 0);
  // The corners can be given in any order.
  assert_int_equal(near_find_in_box(f->world, 30, 2, 13, -2, ALL, out, MAX), 1);
}

TEST_IN(ray_hits_the_first_body_and_returns_the_point, fixture_t, f) {
  shoal_entity stone = spawn_circle(f, 50, 0, 10), wall = spawn_box(f, 80, 0, 10, 100);
  near_hit_t hit;
  assert_true(near_cast_ray(f->world, 0, 0, 100, 0, ALL, &hit));
  assert_true(hit.entity == stone);
  assert_near(hit.x, 40, 1e-9);
  assert_near(hit.nx, -1, 1e-9);
  assert_true(near_cast_ray(f->world, 0, 20, 100, 20, ALL, &hit));
  assert_true(hit.entity == wall);
  assert_near(hit.x, 75, 1e-9);
  assert_near(hit.nx, -1, 1e-9);
  assert_near(hit.ny, 0, 1e-9);
  assert_false(near_cast_ray(f->world, 0, 0, 39, 0, ALL, &hit));
  assert_false(near_cast_ray(f->world, 0, 60, 100, 60, ALL, &hit));
  assert_true(near_cast_ray(f->world, 50, 0, 100, 0, ALL, &hit)); // the ray starts inside the stone, which is ignored
  assert_true(hit.entity == wall);
  assert_false(near_cast_ray(f->world, 5, 5, 5, 5, ALL, &hit));
}

// --- many bodies, compared with a brute-force search

static void spawn_random_bodies(fixture_t *f, random_t *r, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    double x = random_unit(r) * 400 - 200, y = random_unit(r) * 400 - 200, size = random_unit(r) * 40;
    shoal_entity e = random_u32(r) % 2 ? spawn_circle(f, x, y, size) : spawn_box(f, x, y, size, random_unit(r) * 60);
    set(f, e, "transform", "angle", random_unit(r) * 7);
    set(f, e, "transform", "scale_x", random_unit(r) * 2 - 0.5);
    set(f, e, "body", "offset_x", random_unit(r) * 10);
    set(f, e, "body", "category", 1u << random_u32(r) % 4);
  }
}

// Returns true if the point is inside any body whose category is in `mask`. Ray casts are compared with this test at
// small steps along the ray.
static bool is_inside_any(fixture_t *f, double x, double y, uint32_t mask) {
  shoal_entity out[1];
  return near_find_in_circle(f->world, x, y, 1e-9, mask, out, 1) > 0;
}

TEST_IN(ray_hits_match_marching_in_small_steps, fixture_t, f) {
  random_t r;
  random_seed(&r, 7);
  spawn_random_bodies(f, &r, 120);
  for (int i = 0; i < 200; ++i) {
    double x = random_unit(&r) * 400 - 200, y = random_unit(&r) * 400 - 200;
    double to_x = random_unit(&r) * 400 - 200, to_y = random_unit(&r) * 400 - 200;
    uint32_t mask = random_u32(&r) % 15 + 1;
    near_hit_t hit;
    if (is_inside_any(f, x, y, mask))
      continue;
    bool met = near_cast_ray(f->world, x, y, to_x, to_y, mask, &hit);
    double length = hypot(to_x - x, to_y - y), until = met ? hypot(hit.x - x, hit.y - y) : length;
    for (double at = 0.25; at < until - 1e-3; at += 0.5)
      if (is_inside_any(f, x + (to_x - x) * at / length, y + (to_y - y) * at / length, mask))
        fail_msg("ray %d went through something at %g of %g", i, at, until);
    if (met)
      assert_true(is_inside_any(f, hit.x - hit.nx * 1e-4, hit.y - hit.ny * 1e-4, mask));
  }
}

TEST_IN(near_box_includes_the_near_circle_results_in_index_order, fixture_t, f) {
  random_t r;
  random_seed(&r, 11);
  spawn_random_bodies(f, &r, 150);
  uint32_t found = 0;
  for (int i = 0; i < 100; ++i) {
    double x = random_unit(&r) * 400 - 200, y = random_unit(&r) * 400 - 200, size = random_unit(&r) * 60;
    shoal_entity in_box[MAX], in_circle[MAX];
    uint32_t boxed = near_find_in_box(f->world, x - size, y - size, x + size, y + size, ALL, in_box, MAX);
    uint32_t round = near_find_in_circle(f->world, x, y, size, ALL, in_circle, MAX);
    assert_true(round <= boxed);
    for (uint32_t k = 0; k < round; ++k) { // the box encloses the circle, so it must find these bodies as well
      uint32_t at = 0;
      while (at < boxed && in_box[at] != in_circle[k])
        ++at;
      assert_true(at < boxed);
    }
    for (uint32_t k = 1; k < boxed; ++k)
      assert_true(shoal_entity_index(in_box[k - 1]) < shoal_entity_index(in_box[k]));
    found += round;
  }
  assert_true(found > 100);
}
