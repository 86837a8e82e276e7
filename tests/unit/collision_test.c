// Overlap tests of shapes, and collision events: collision/body.h and collision/collision.h.
#include "components_fixture.h"

#include "base/random.h"
#include "collision/body.h"
#include "collision/collision.h"

typedef struct hit_t {
  shoal_entity a, b;
  double x, y, nx, ny, depth;
} hit_t;

enum { HIT_MAX = 4096 };
typedef struct picking_t {
  uint32_t count;
  hit_t hit[HIT_MAX];
} picking_t;

// Runs one more tick and returns its collision events.
static const picking_t *run_collision(fixture_t *f) {
  static picking_t hits;
  error_info_t error = {0};
  schedule_o *s = schedule_create(world_allocator(f->world));
  assert_true(components_schedule(f->components, s, &error));
  assert_true(schedule_sort(s, &error));
  world_end_tick(f->world);
  schedule_run(s, f->world, PHASE_POST_UPDATE, 1.0f / 60);
  schedule_destroy(s);
  const event_o *ev = world_find_event(f->world, "collision");
  const columns_t *c = &ev->columns;
  hits.count = 0;
  for (uint32_t i = (uint32_t)(ev->tick_start - ev->first); i < c->count; ++i) {
    assert_true(hits.count < HIT_MAX);
    hits.hit[hits.count++] = (hit_t){(shoal_entity)columns_get(c, i, 0),
                                     (shoal_entity)columns_get(c, i, 1),
                                     columns_get(c, i, 2),
                                     columns_get(c, i, 3),
                                     columns_get(c, i, 4),
                                     columns_get(c, i, 5),
                                     columns_get(c, i, 6)};
  }
  return &hits;
}

static shoal_entity spawn_circle(fixture_t *f, double x, double y, double radius) {
  shoal_entity e = place(f, x, y);
  add(f, e, "body");
  set(f, e, "body", "radius", radius);
  return e;
}

static shoal_entity spawn_box(fixture_t *f, double x, double y, double width, double height, double angle) {
  shoal_entity e = place(f, x, y);
  add(f, e, "body");
  set(f, e, "body", "kind", BODY_KIND_BOX);
  set(f, e, "body", "width", width);
  set(f, e, "body", "height", height);
  set(f, e, "transform", "angle", angle);
  return e;
}

static void move_to(fixture_t *f, shoal_entity e, double x, double y) {
  set(f, e, "transform", "x", x);
  set(f, e, "transform", "y", y);
}

static void assert_hit(const picking_t *hits, double x, double y, double nx, double ny, double depth) {
  assert_int_equal(hits->count, 1);
  assert_near(hits->hit[0].x, x, 1e-3);
  assert_near(hits->hit[0].y, y, 1e-3);
  assert_near(hits->hit[0].nx, nx, 1e-3);
  assert_near(hits->hit[0].ny, ny, 1e-3);
  assert_near(hits->hit[0].depth, depth, 1e-3);
}

static const double EIGHTH = 0.78539816339, ROOT = 0.70710678118;

FIXTURE(fixture_t, fixture_setup, fixture_teardown)

TEST_IN(overlapping_circles_collide, fixture_t, f) {
  spawn_circle(f, 0, 0, 10);
  shoal_entity b = spawn_circle(f, 20, 0, 10);
  assert_int_equal(run_collision(f)->count, 0); // the circles only touch
  move_to(f, b, 0, 16);
  assert_hit(run_collision(f), 0, 8, 0, 1, 4);
  move_to(f, b, 14, 14.3);
  assert_int_equal(run_collision(f)->count, 0); // the bounding boxes overlap, the circles do not
  move_to(f, b, 0, 0);
  assert_hit(run_collision(f), 0, 0, 1, 0, 20);
}

TEST_IN(circle_collides_with_sides_and_corners_of_a_box, fixture_t, f) {
  shoal_entity c = spawn_circle(f, 0, 0, 10);
  spawn_box(f, 30, 0, 40, 20, 0); // spans x = 10 to 50 and y = -10 to 10
  assert_int_equal(run_collision(f)->count, 0);
  move_to(f, c, 2, 3);
  assert_hit(run_collision(f), 10, 3, 1, 0, 2);
  move_to(f, c, 2, -16); // 8 and 6 pixels from the corner, so the distance equals the radius
  assert_int_equal(run_collision(f)->count, 0);
  move_to(f, c, 4, -18);
  assert_int_equal(run_collision(f)->count, 0);
  move_to(f, c, 4, -15);
  assert_hit(run_collision(f), 10, -10, 6 / sqrt(61), 5 / sqrt(61), 10 - sqrt(61));
  move_to(f, c, 30, 4); // the centre is inside the box, 6 pixels from its lower side
  assert_hit(run_collision(f), 30, 10, 0, -1, 16);
}

TEST_IN(normal_points_from_a_to_b_when_the_box_is_first, fixture_t, f) {
  spawn_box(f, 0, 0, 20, 20, 0);
  spawn_circle(f, 18, 0, 10);
  assert_hit(run_collision(f), 10, 0, 1, 0, 2);
}

TEST_IN(box_rotates_with_its_transform, fixture_t, f) {
  shoal_entity c = spawn_circle(f, 0, 24, 10);
  shoal_entity b = spawn_box(f, 0, 0, 20, 20, 0);
  assert_int_equal(run_collision(f)->count, 0);
  set(f, b, "transform", "angle", EIGHTH); // now a corner is 14.142 from the centre
  assert_hit(run_collision(f), 0, 10 / ROOT, 0, -1, 10 / ROOT - 14);
  move_to(f, c, 18 * ROOT, 18 * ROOT);
  assert_hit(run_collision(f), 10 * ROOT, 10 * ROOT, -ROOT, -ROOT, 2);
}

TEST_IN(boxes_collide_at_sides_and_corners, fixture_t, f) {
  spawn_box(f, 0, 0, 20, 20, 0);
  shoal_entity b = spawn_box(f, 20, 0, 20, 20, 0);
  assert_int_equal(run_collision(f)->count, 0); // the boxes share only an edge
  move_to(f, b, 18, 6);
  assert_hit(run_collision(f), 9, 3, 1, 0, 2);
  move_to(f, b, 5, -17);
  assert_hit(run_collision(f), 2.5, -8.5, 0, -1, 3);
  set(f, b, "transform", "angle", EIGHTH);
  move_to(f, b, 24, 0);
  // A corner penetrates the right side.
  assert_hit(run_collision(f), 10 - (10 / ROOT - 14) / 3, 0, 1, 0, 10 / ROOT - 14);
  move_to(f, b, 10 + 10 * ROOT + 0.1, 10 + 10 * ROOT + 0.1);
  assert_int_equal(run_collision(f)->count, 0); // a side narrowly misses the corner although the bounding boxes overlap
  move_to(f, b, 10 + 10 * ROOT - 0.1, 10 + 10 * ROOT - 0.1);
  assert_int_equal(run_collision(f)->count, 1);
  assert_near(run_collision(f)->hit[0].nx, ROOT, 1e-3);
}

TEST_IN(bodies_apply_scale_offset_and_parent_transforms, fixture_t, f) {
  shoal_entity parent = place(f, 100, 0), body = spawn_circle(f, 10, 0, 5), other = spawn_circle(f, 100, 36, 5);
  set(f, body, "transform", "parent", parent);
  assert_int_equal(run_collision(f)->count, 0);
  set(f, parent, "transform", "angle", 2 * EIGHTH); // the body is at (100, 10)
  set(f, parent, "transform", "scale_x", 2);        // the body is at (100, 20) with a radius of 10
  assert_int_equal(run_collision(f)->count, 0);
  set(f, body, "body", "offset_x", 1.5); // the body is at (100, 23)
  assert_hit(run_collision(f), 100, 32, 0, 1, 2);
  assert_int_equal(run_collision(f)->hit[0].b, other);
}

TEST_IN(mirrored_and_scaled_boxes_collide_as_drawn, fixture_t, f) {
  shoal_entity b = spawn_box(f, 0, 0, 10, 10, 0);
  set(f, b, "transform", "scale_x", -4);
  set(f, b, "transform", "scale_y", 2);
  shoal_entity c = spawn_circle(f, 24, 0, 5);
  assert_hit(run_collision(f), 20, 0, 1, 0, 1);
  move_to(f, c, 0, 14);
  assert_hit(run_collision(f), 0, 10, 0, 1, 1);
}

TEST_IN(bodies_collide_only_if_each_mask_has_the_other_category, fixture_t, f) {
  static const struct {
    uint32_t category_a, mask_a, category_b, mask_b, touching;
  } TABLE[] = {
      {1, UINT32_MAX, 1, UINT32_MAX, 1},
      {1, 2, 2, 1, 1},
      {1, 1, 2, 1, 0},
      {1, 2, 2, 2, 0},
      {1, 2, 1, 2, 0},
      {3, 4, 4, 2, 1},
      {0, 7, 1, 7, 0},
      {1, 0, 1, 1, 0},
      {0x80000000, 1, 1, 0x80000000, 1},
  };
  shoal_entity a = spawn_circle(f, 0, 0, 10), b = spawn_circle(f, 1, 0, 10);
  for (size_t i = 0; i < sizeof TABLE / sizeof TABLE[0]; ++i) {
    set(f, a, "body", "category", TABLE[i].category_a);
    set(f, a, "body", "mask", TABLE[i].mask_a);
    set(f, b, "body", "category", TABLE[i].category_b);
    set(f, b, "body", "mask", TABLE[i].mask_b);
    assert_int_equal(run_collision(f)->count, TABLE[i].touching);
  }
}

TEST_IN(collision_event_orders_its_bodies_by_category_then_index, fixture_t, f) {
  shoal_entity first = spawn_circle(f, 0, 0, 10), second = spawn_circle(f, 4, 0, 10);
  const picking_t *hits = run_collision(f);
  assert_int_equal(hits->hit[0].a, first);
  assert_near(hits->hit[0].nx, 1, 1e-6);
  set(f, first, "body", "category", 4);
  set(f, second, "body", "category", 2);
  hits = run_collision(f);
  assert_int_equal(hits->hit[0].a, second);
  assert_near(hits->hit[0].nx, -1, 1e-6);
}

TEST_IN(disabled_or_destroyed_bodies_and_bodies_without_transform_do_not_collide, fixture_t, f) {
  spawn_circle(f, 0, 0, 10);
  shoal_entity b = spawn_circle(f, 4, 0, 10), bodiless = place(f, 0, 0);
  assert_true(bodiless != 0);
  assert_int_equal(run_collision(f)->count, 1);
  set(f, b, "body", "enabled", 0);
  assert_int_equal(run_collision(f)->count, 0);
  set(f, b, "body", "enabled", 1);
  world_remove_component(f->world, b, manager_of(f, "transform")->id, 0);
  assert_int_equal(run_collision(f)->count, 0);
  add(f, b, "transform");
  assert_int_equal(run_collision(f)->count, 1);
  world_destroy_entity(f->world, b);
  assert_int_equal(run_collision(f)->count, 0);
}

TEST_IN(bodies_with_nan_or_infinite_values_do_not_collide, fixture_t, f) {
  static const double BAD[] = {NAN, INFINITY, -INFINITY};
  shoal_entity good = spawn_circle(f, 0, 0, 10);
  shoal_entity b = spawn_box(f, 0, 0, 10, 10, 0), c = spawn_circle(f, 0, 0, 5);
  assert_int_equal(run_collision(f)->count, 3);
  for (size_t i = 0; i < 3; ++i) {
    set_in_place(f, b, "transform", "x", BAD[i]);
    set_in_place(f, c, "body", "radius", BAD[i]);
    assert_int_equal(run_collision(f)->count, 0);
    set(f, b, "transform", "x", 0);
    set(f, c, "body", "radius", 5);
    set_in_place(f, b, "transform", "angle", BAD[i]);
    set_in_place(f, c, "transform", "scale_x", BAD[i]);
    assert_int_equal(run_collision(f)->count, 0);
    set(f, b, "transform", "angle", 0);
    set(f, c, "transform", "scale_x", 1);
  }
  set(f, good, "transform", "y", 1e38); // finite, but far from the other bodies
  assert_int_equal(run_collision(f)->count, 1);
}

TEST_IN(bodies_collide_at_large_and_negative_coordinates, fixture_t, f) {
  static const double PLACES[][2] = {{-5000, -3000}, {1e6, -1e6}, {-3e7, 3e7}, {1e12, 1e12}};
  shoal_entity a = spawn_circle(f, 0, 0, 10), b = spawn_circle(f, 0, 0, 10);
  for (size_t i = 0; i < 4; ++i) {
    move_to(f, a, PLACES[i][0], PLACES[i][1]);
    move_to(f, b, PLACES[i][0] + 8, PLACES[i][1]);
    assert_int_equal(run_collision(f)->count, 1);
    move_to(f, b, -PLACES[i][0], PLACES[i][1]);
    assert_int_equal(run_collision(f)->count, 0);
  }
}

TEST_IN(circle_with_radius_0_collides_as_a_point, fixture_t, f) {
  shoal_entity point = spawn_circle(f, 4, 0, 0);
  spawn_circle(f, 0, 0, 10);
  spawn_box(f, 100, 0, 20, 20, 0);
  assert_hit(run_collision(f), 7, 0, -1, 0, 6);
  move_to(f, point, 92, 0);
  assert_hit(run_collision(f), 90, 0, 1, 0, 2);
  move_to(f, point, 10.5, 0);
  assert_int_equal(run_collision(f)->count, 0);
  spawn_circle(f, 10.5, 0, 0);
  assert_int_equal(run_collision(f)->count, 0); // two points never overlap
}

// Fills a world with `count` overlapping bodies, which are determined by the seed alone.
static void make_overlapping_bodies(fixture_t *f, uint64_t seed, uint32_t count) {
  random_t r;
  random_seed(&r, seed);
  for (uint32_t i = 0; i < count; ++i) {
    double x = random_unit(&r) * 400 - 200, y = random_unit(&r) * 400 - 200, size = 2 + random_unit(&r) * 40;
    shoal_entity e =
        random_u32(&r) % 2 ? spawn_circle(f, x, y, size / 2) : spawn_box(f, x, y, size, 10, random_unit(&r) * 7 - 3);
    set(f, e, "body", "category", 1u << random_u32(&r) % 3);
  }
}

// If few bodies can collide with many bodies, only the few bodies are tested (collision_cull.h). If the many bodies
// also collide with each other, culling is disabled. The events of the few bodies must be the same in both cases.
static void assert_culling_keeps_events(fixture_t *f, bool side_by_side) {
  enum { SHIPS = 12, BULLETS = 1500 };
  static picking_t all, few;
  static shoal_entity bullets[BULLETS];
  random_t r;
  random_seed(&r, 21);
  for (uint32_t i = 0; i < SHIPS; ++i) {
    double x = random_unit(&r) * 2000 - 1000, y = random_unit(&r) * 2000 - 1000, size = 40 + random_unit(&r) * 90;
    shoal_entity e = i % 2 ? spawn_circle(f, x, y, size / 2) : spawn_box(f, x, y, size, 30, random_unit(&r) * 7 - 3);
    set(f, e, "body", "category", 1);
    set(f, e, "body", "mask", 2);
    set(f, e, "body", "offset_x", random_unit(&r) * 60 - 30);
  }
  for (uint32_t i = 0; i < BULLETS; ++i) {
    double x = random_unit(&r) * 2000 - 1000, y = random_unit(&r) * 2000 - 1000;
    bool round = side_by_side ? i / 300 % 2 == 0 : i % 3 != 0;
    shoal_entity e = bullets[i] = round ? spawn_circle(f, x, y, 4) : spawn_box(f, x, y, 40, 6, random_unit(&r) * 7 - 3);
    set(f, e, "body", "category", 2);
    set(f, e, "transform", "scale_x", i % 5 ? 1 : 2.5);
    if (!side_by_side && i % 4 == 1) {
      set(f, e, "transform", "parent", bullets[i - 1]);
      set(f, e, "transform", "x", random_unit(&r) * 80 - 40);
      set(f, e, "transform", "y", random_unit(&r) * 80 - 40);
    }
    set(f, e, "body", "mask", 3);
  }
  all = *run_collision(f);
  for (uint32_t i = 0; i < BULLETS; ++i)
    set(f, bullets[i], "body", "mask", 1);
  few = *run_collision(f);
  uint32_t next = 0;
  for (uint32_t i = 0; i < all.count; ++i)
    if (shoal_entity_index(all.hit[i].a) <= SHIPS) {
      assert_true(next < few.count);
      assert_memory_equal(&all.hit[i], &few.hit[next++], sizeof(hit_t));
    }
  assert_int_equal(next, few.count);
  assert_in_range(next, 10, 400);
}

TEST_IN(culling_does_not_change_collision_events, fixture_t, f) {
  assert_culling_keeps_events(f, false);
}

TEST_IN(culling_does_not_change_collision_events_of_contiguous_rows, fixture_t, f) {
  assert_culling_keeps_events(f, true);
}

TEST_IN(each_colliding_pair_emits_one_event_ordered_by_a_then_b, fixture_t, f) {
  make_overlapping_bodies(f, 5, 300);
  const picking_t *hits = run_collision(f);
  assert_true(hits->count > 100);
  for (uint32_t i = 1; i < hits->count; ++i) {
    uint32_t a = shoal_entity_index(hits->hit[i].a), b = shoal_entity_index(hits->hit[i].b);
    uint32_t last_a = shoal_entity_index(hits->hit[i - 1].a), last_b = shoal_entity_index(hits->hit[i - 1].b);
    assert_true(last_a < a || (last_a == a && last_b < b));
  }
}

TEST_IN(event_order_does_not_depend_on_row_order, fixture_t, f) {
  static picking_t first;
  make_overlapping_bodies(f, 6, 60);
  for (int i = 0; i < 4040; ++i)
    place(f, 0, 0); // spreads the entity indices
  make_overlapping_bodies(f, 7, 60);
  first = *run_collision(f);
  manager_o *bodies = manager_of(f, "body");
  for (uint32_t i = 0; i < 40; ++i) { // removes rows and appends them again with the same values
    shoal_entity e = bodies->owner[i * 2];
    enum { COUNT = sizeof(body_columns) / sizeof(void *) };
    double values[COUNT];
    for (uint32_t c = 0; c < COUNT; ++c)
      values[c] = columns_get(&bodies->columns, manager_row(bodies, e), c);
    world_remove_component(f->world, e, bodies->id, 0);
    add(f, e, "body");
    for (uint32_t c = 0; c < COUNT; ++c)
      columns_set(&bodies->columns, manager_row(bodies, e), c, values[c]);
  }
  assert_true(bodies->owner[0] != 1);
  const picking_t *second = run_collision(f);
  assert_int_equal(first.count, second->count);
  assert_memory_equal(first.hit, second->hit, first.count * sizeof(hit_t));
}

// Tests each pair of bodies alone, with all other bodies disabled. The results must equal those of a single test of all
// bodies.
TEST_IN(overlapping_bodies_emit_the_same_events_as_each_pair_alone, fixture_t, f) {
  enum { COUNT = 35 };
  static picking_t all;
  make_overlapping_bodies(f, 9, COUNT);
  all = *run_collision(f);
  uint32_t next = 0;
  manager_o *bodies = manager_of(f, "body");
  uint8_t *enabled = manager_column(bodies, SHOAL_COLUMN_INDEX(body, enabled));
  memset(enabled, 0, COUNT);
  for (uint32_t i = 0; i < COUNT; ++i) {
    for (uint32_t j = i + 1; j < COUNT; ++j) {
      enabled[i] = enabled[j] = 1;
      const picking_t *one = run_collision(f);
      if (one->count == 1) {
        bool found = false;
        for (uint32_t k = 0; k < all.count && !found; ++k)
          found = memcmp(&all.hit[k], &one->hit[0], sizeof(hit_t)) == 0;
        assert_true(found);
        ++next;
      }
      enabled[i] = enabled[j] = 0;
    }
  }
  assert_int_equal(next, all.count);
}

// Bodies do not overlap after moving apart along the normal by slightly more than the depth, but still do after moving
// by slightly less.
TEST_IN(moving_by_the_depth_along_the_normal_separates_bodies, fixture_t, f) {
  random_t r;
  random_seed(&r, 11);
  for (int i = 0; i < 100; ++i) {
    shoal_entity e[2];
    for (int k = 0; k < 2; ++k) {
      double x = random_unit(&r) * 30, y = random_unit(&r) * 30;
      e[k] = random_u32(&r) % 2
                 ? spawn_circle(f, x, y, 2 + random_unit(&r) * 20)
                 : spawn_box(f, x, y, 3 + random_unit(&r) * 40, 3 + random_unit(&r) * 40, random_unit(&r) * 7);
    }
    const picking_t *hits = run_collision(f);
    if (hits->count == 1) {
      hit_t hit = hits->hit[0];
      assert_near(hit.nx * hit.nx + hit.ny * hit.ny, 1, 1e-5);
      double x = get(f, hit.b, "transform", "x"), y = get(f, hit.b, "transform", "y");
      move_to(f, hit.b, x + hit.nx * (hit.depth + 0.01), y + hit.ny * (hit.depth + 0.01));
      assert_int_equal(run_collision(f)->count, 0);
      move_to(f, hit.b, x + hit.nx * (hit.depth - 0.01), y + hit.ny * (hit.depth - 0.01));
      assert_int_equal(run_collision(f)->count, 1);
    }
    world_destroy_entity(f->world, e[0]);
    world_destroy_entity(f->world, e[1]);
  }
}

TEST_IN(pairs_over_the_limit_are_dropped_and_logged_once, fixture_t, f) {
  for (int i = 0; i < 1500; ++i) // makes 1,124,250 pairs
    spawn_circle(f, 0, 0, 10);
  error_info_t error = {0};
  schedule_o *s = schedule_create(world_allocator(f->world));
  assert_true(components_schedule(f->components, s, &error) && schedule_sort(s, &error));
  schedule_run(s, f->world, PHASE_POST_UPDATE, 1.0f / 60);
  schedule_run(s, f->world, PHASE_POST_UPDATE, 1.0f / 60);
  schedule_destroy(s);
  assert_int_equal(world_find_event(f->world, "collision")->columns.count, 2 * COLLISION_MAX_PAIRS);
  assert_int_equal(f->line_count, 1);
  assert_non_null(strstr(f->line, "pairs of bounding boxes"));
}

TEST_IN(collision_allocates_nothing_in_steady_state, fixture_t, f) {
  make_overlapping_bodies(f, 12, 200);
  error_info_t error = {0};
  schedule_o *s = schedule_create(world_allocator(f->world));
  assert_true(components_schedule(f->components, s, &error) && schedule_sort(s, &error));
  uint64_t calls = 0;
  for (int tick = 0; tick < 8; ++tick) {
    if (tick == 4)
      calls = world_allocator(f->world)->calls;
    schedule_run(s, f->world, PHASE_POST_UPDATE, 1.0f / 60);
    world_end_tick(f->world);
  }
  assert_int_equal(world_allocator(f->world)->calls, calls);
  schedule_destroy(s);
}
