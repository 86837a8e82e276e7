// Continuous collision detection of moving bodies: collision/swept_bodies.h. collider_sweep is compared with small
// steps.
#include "components_fixture.h"

#include "base/random.h"
#include "collision/collider.h"
#include "collision/collision.h"
#include "collision/swept_bodies.h"

// --- two colliders

static double random_between(random_t *r, double from, double to) {
  return from + random_unit(r) * (to - from);
}

static collider_t random_collider(random_t *r) {
  double angle = random_between(r, -3, 3), half_x = random_between(r, 0.5, 12);
  collider_t k = {.box = random_u32(r) % 2,
                  .x = random_between(r, -60, 60),
                  .y = random_between(r, -60, 60),
                  .half_x = half_x,
                  .ux = 1};
  k.half_y = k.box ? random_between(r, 0.5, 12) : half_x;
  if (k.box && random_u32(r) % 3) {
    k.ux = cos(angle);
    k.uy = sin(angle);
  }
  return k;
}

static collider_t collider_at_time(const collider_t *k, displacement_t way, double time, double larger) {
  collider_t then = *k;
  then.x -= way.dx * (1 - time);
  then.y -= way.dy * (1 - time);
  then.half_x += larger;
  then.half_y += larger;
  return then;
}

static bool are_touching_at(const collider_t *a, displacement_t of_a, const collider_t *b, displacement_t of_b,
                            double time, double larger) {
  collider_t x = collider_at_time(a, of_a, time, larger), y = collider_at_time(b, of_b, time, 0);
  contact_t contact;
  return collider_find_contact(&x, &y, &contact);
}

// Returns the index (0 to `steps`) of the first small step at which the colliders overlap; -1 if they do not overlap.
static int find_first_touch(const collider_t *a, displacement_t of_a, const collider_t *b, displacement_t of_b,
                            int steps) {
  for (int i = 0; i <= steps; ++i)
    if (are_touching_at(a, of_a, b, of_b, (double)i / steps, 0))
      return i;
  return -1;
}

static void expect_contact(const collider_t *a, displacement_t of_a, const collider_t *b, displacement_t of_b,
                           const contact_t *contact) {
  double along = ((double)contact->nx * (of_a.dx - of_b.dx) + (double)contact->ny * (of_a.dy - of_b.dy));
  collider_t x = collider_at_time(a, of_a, (double)contact->time, 0),
             y = collider_at_time(b, of_b, (double)contact->time, 0);
  assert_true(fabs((double)(contact->nx * contact->nx + contact->ny * contact->ny) - 1) < 1e-5);
  assert_true(fabs(along * (1 - (double)contact->time) - (double)contact->depth) < 1e-3);
  assert_true(collider_distance(&x, (double)contact->x, (double)contact->y) < 2e-3);
  assert_true(collider_distance(&y, (double)contact->x, (double)contact->y) < 2e-3);
}

TEST(sweep_matches_small_steps) {
  enum { COUNT = 2000, STEPS = 1000 };
  random_t r;
  random_seed(&r, 3);
  uint32_t met = 0, between = 0;
  for (int i = 0; i < COUNT; ++i) {
    collider_t a = random_collider(&r), b = random_collider(&r);
    displacement_t of_a = {random_between(&r, -150, 150), random_between(&r, -150, 150)}, of_b = {0, 0};
    if (i % 4 == 0)
      of_b = (displacement_t){random_between(&r, -50, 50), random_between(&r, -50, 50)};
    contact_t contact;
    bool meets = collider_sweep(&a, of_a.dx, of_a.dy, &b, of_b.dx, of_b.dy, &contact);
    int step = find_first_touch(&a, of_a, &b, of_b, STEPS);
    if (step == 0) { // the colliders overlap at the start, so the movement is irrelevant
      assert_int_equal(meets, are_touching_at(&a, of_a, &b, of_b, 1, 0));
      continue;
    }
    if (step > 0)
      assert_true(meets);
    if (!meets)
      continue;
    ++met;
    double time = (double)contact.time;
    if (step > 0)
      assert_true(time <= (double)step / STEPS + 1e-6);
    if (step > 0 && time < (double)(step - 1) / STEPS - 1e-6)
      ++between; // the sweep found a brief, earlier overlap between two steps
    assert_true(are_touching_at(&a, of_a, &b, of_b, time, 1e-3));
    assert_false(are_touching_at(&a, of_a, &b, of_b, time - 1e-4, -1e-3));
    expect_contact(&a, of_a, &b, of_b, &contact);
  }
  assert_in_range(met, 200, COUNT);
  assert_in_range(between, 0, COUNT / 100);
}

TEST(sweep_is_symmetric) {
  random_t r;
  random_seed(&r, 8);
  for (int i = 0; i < 1000; ++i) {
    collider_t a = random_collider(&r), b = random_collider(&r);
    displacement_t way = {random_between(&r, -150, 150), random_between(&r, -150, 150)};
    contact_t one, other;
    bool meets = collider_sweep(&a, way.dx, way.dy, &b, 0, 0, &one);
    assert_int_equal(meets, collider_sweep(&b, 0, 0, &a, way.dx, way.dy, &other));
    if (!meets)
      continue;
    assert_true(fabs((double)(one.time - other.time)) < 1e-5);
    assert_true(fabs((double)(one.depth - other.depth)) < 1e-3);
  }
}

// --- in a world

static uint32_t run_collision(fixture_t *f) {
  error_info_t error = {0};
  schedule_o *s = schedule_create(world_allocator(f->world));
  assert_true(components_schedule(f->components, s, &error));
  assert_true(schedule_sort(s, &error));
  world_end_tick(f->world);
  schedule_run(s, f->world, PHASE_POST_UPDATE, 1.0f / 60);
  schedule_destroy(s);
  const event_o *ev = world_find_event(f->world, "collision");
  return ev->columns.count - (uint32_t)(ev->tick_start - ev->first);
}

static double event_value(fixture_t *f, uint32_t back, const char *field) {
  const event_o *ev = world_find_event(f->world, "collision");
  for (uint32_t i = 0; i < ev->columns.column_count; ++i)
    if (strcmp(ev->columns.schema->fields[i].name, field) == 0)
      return columns_get(&ev->columns, ev->columns.count - 1 - back, i);
  fail_msg("collision has no field %s", field);
  return 0;
}

static void move_to(fixture_t *f, shoal_entity e, double x, double y) {
  set(f, e, "transform", "x", x);
  set(f, e, "transform", "y", y);
}

static shoal_entity spawn_body(fixture_t *f, double x, double y, double radius) {
  shoal_entity e = place(f, x, y);
  add(f, e, "body");
  set(f, e, "body", "radius", radius);
  return e;
}

static shoal_entity spawn_wall(fixture_t *f, double x, double y, double width, double height) {
  shoal_entity e = spawn_body(f, x, y, 0);
  set(f, e, "body", "kind", BODY_KIND_BOX);
  set(f, e, "body", "width", width);
  set(f, e, "body", "height", height);
  return e;
}

static shoal_entity spawn_bullet(fixture_t *f, double x, double y, double radius) {
  shoal_entity e = spawn_body(f, x, y, radius);
  add(f, e, "swept");
  return e;
}

static void assert_swept(fixture_t *f, shoal_entity e, shoal_entity hit, double time, double stop_x, double stop_y) {
  assert_int_equal((shoal_entity)get(f, e, "swept", "hit"), hit);
  assert_true(fabs(get(f, e, "swept", "time") - time) < 1e-5);
  assert_true(fabs(get(f, e, "swept", "stop_x") - stop_x) < 1e-3);
  assert_true(fabs(get(f, e, "swept", "stop_y") - stop_y) < 1e-3);
}

FIXTURE(fixture_t, fixture_setup, fixture_teardown)

TEST_IN(fast_body_hits_a_thin_wall, fixture_t, f) {
  shoal_entity thin = spawn_wall(f, 300.5, 0, 1, 100), e = spawn_bullet(f, 0, 0, 2);
  assert_int_equal(run_collision(f), 0);
  move_to(f, e, 400, 0); // a hundred times its diameter
  assert_int_equal(run_collision(f), 1);
  assert_int_equal((shoal_entity)event_value(f, 0, "a"), thin);
  assert_true(fabs(event_value(f, 0, "x") - 300) < 1e-3 && fabs(event_value(f, 0, "y")) < 1e-3);
  assert_true(fabs(event_value(f, 0, "nx") + 1) < 1e-6 && fabs(event_value(f, 0, "depth") - 102) < 1e-3);
  assert_swept(f, e, thin, 298.0 / 400, 298, 0);
  assert_int_equal(run_collision(f), 0); // the bullet stays behind the wall without a further collision
  assert_swept(f, e, 0, 1, 400, 0);
}

TEST_IN(body_without_swept_tunnels_through_a_thin_wall, fixture_t, f) {
  spawn_wall(f, 300.5, 0, 1, 100);
  shoal_entity e = spawn_body(f, 0, 0, 2);
  assert_int_equal(run_collision(f), 0);
  move_to(f, e, 400, 0);
  assert_int_equal(run_collision(f), 0);
}

TEST_IN(teleported_body_is_not_swept, fixture_t, f) {
  spawn_wall(f, 300.5, 0, 1, 100);
  shoal_entity e = spawn_bullet(f, 0, 0, 2);
  run_collision(f);
  move_to(f, e, 400, 0);
  set(f, e, "swept", "jumped", 1);
  assert_int_equal(run_collision(f), 0);
  move_to(f, e, 0, 0); // moves back, with `jumped` unset
  assert_int_equal(run_collision(f), 1);
  set(f, e, "body", "enabled", 0);
  run_collision(f);
  move_to(f, e, 400, 0);
  set(f, e, "body", "enabled", 1);
  assert_int_equal(run_collision(f), 0);
}

TEST_IN(sweep_starts_at_the_from_fields_if_the_game_sets_them, fixture_t, f) {
  shoal_entity thin = spawn_wall(f, 300.5, 0, 1, 100), e = spawn_bullet(f, 400, 0, 2);
  set(f, e, "swept", "jumped", 0);
  set(f, e, "swept", "from_x", 100);
  assert_int_equal(run_collision(f), 1);
  assert_swept(f, e, thin, 198.0 / 300, 298, 0);
}

TEST_IN(sweep_records_the_first_blocker_and_reports_sensors, fixture_t, f) {
  shoal_entity far_wall = spawn_wall(f, 300, 0, 2, 100), near_wall = spawn_wall(f, 200, 0, 2, 100),
               zone = spawn_wall(f, 100, 0, 2, 100);
  shoal_entity other = spawn_wall(f, 50, 0, 2, 100), e = spawn_bullet(f, 0, 0, 1);
  (void)far_wall;
  add(f, zone, "sensor");
  set(f, other, "body", "category", 4);
  set(f, e, "body", "mask", 1);
  run_collision(f);
  move_to(f, e, 400, 0);
  assert_int_equal(run_collision(f), 3); // collides only with bodies whose category is in its mask
  assert_swept(f, e, near_wall, 198.0 / 400, 198, 0);
}

TEST_IN(two_crossing_swept_bodies_collide, fixture_t, f) {
  shoal_entity a = spawn_bullet(f, 0, 0, 5), b = spawn_bullet(f, 400, 0, 5);
  run_collision(f);
  move_to(f, a, 400, 0);
  move_to(f, b, 0, 0);
  assert_int_equal(run_collision(f), 1);
  assert_swept(f, a, b, 390.0 / 800, 195, 0);
  assert_swept(f, b, a, 390.0 / 800, 205, 0);
}

TEST_IN(child_is_swept_along_with_its_parent, fixture_t, f) {
  shoal_entity thin = spawn_wall(f, 300.5, 50, 1, 10), arm = place(f, 0, 0), e = spawn_bullet(f, 0, 50, 2);
  set(f, e, "transform", "parent", arm);
  run_collision(f);
  move_to(f, arm, 400, 0);
  assert_int_equal(run_collision(f), 1);
  assert_swept(f, e, thin, 298.0 / 400, 298, 50);
}

// Collides many fast bodies together, with culling (collision_cull.h), and then one at a time, without culling.
TEST_IN(sweeping_many_bodies_gives_the_same_hits_as_sweeping_each_alone, fixture_t, f) {
  enum { WALLS = 8, BULLETS = 200 };
  static shoal_entity e[BULLETS];
  static double from[BULLETS][2], to[BULLETS][2];
  random_t r;
  random_seed(&r, 4);
  for (int i = 0; i < WALLS; ++i)
    set(f, spawn_wall(f, random_between(&r, -900, 900), random_between(&r, -900, 900), 2, 300), "transform", "angle",
        random_between(&r, -2, 2));
  for (int i = 0; i < BULLETS; ++i) {
    for (int k = 0; k < 2; ++k) {
      from[i][k] = random_between(&r, -1000, 1000);
      to[i][k] = from[i][k] + random_between(&r, -300, 300);
    }
    e[i] = i % 3 ? spawn_bullet(f, from[i][0], from[i][1], 2) : spawn_body(f, from[i][0], from[i][1], 2);
    set(f, e[i], "body", "category", 2);
    set(f, e[i], "body", "mask", 1);
  }
  run_collision(f);
  for (int i = 0; i < BULLETS; ++i)
    move_to(f, e[i], to[i][0], to[i][1]);
  uint32_t all = run_collision(f), alone = 0;
  double hit[BULLETS], time[BULLETS];
  for (int i = 0; i < BULLETS; ++i) {
    hit[i] = i % 3 ? get(f, e[i], "swept", "hit") : 0;
    time[i] = i % 3 ? get(f, e[i], "swept", "time") : 0;
    set(f, e[i], "body", "enabled", 0);
  }
  for (int i = 0; i < BULLETS; ++i) {
    set(f, e[i], "body", "enabled", 1);
    if (i % 3) {
      set(f, e[i], "swept", "jumped", 0);
      set(f, e[i], "swept", "from_x", from[i][0]);
      set(f, e[i], "swept", "from_y", from[i][1]);
    }
    alone += run_collision(f);
    if (i % 3)
      assert_true(hit[i] == get(f, e[i], "swept", "hit") && fabs(time[i] - get(f, e[i], "swept", "time")) < 1e-6);
    set(f, e[i], "body", "enabled", 0);
  }
  assert_int_equal(all, alone);
  assert_in_range(all, 10, BULLETS);
}

TEST_IN(nan_and_infinite_positions_are_not_swept, fixture_t, f) {
  static const double BAD[] = {NAN, INFINITY, 3e38};
  shoal_entity e = spawn_bullet(f, 0, 0, 2);
  spawn_wall(f, 300.5, 0, 1, 100);
  for (size_t i = 0; i < 3; ++i) {
    move_to(f, e, BAD[i], 0);
    run_collision(f);
    move_to(f, e, 10, 1000);
    run_collision(f);
    move_to(f, e, 0, 0);
    assert_int_equal(run_collision(f), 0);
  }
  move_to(f, e, 400, 0);
  assert_int_equal(run_collision(f), 1);
}
