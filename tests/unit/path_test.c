// Entities that move along a path: movement/path.h.
#include "movement/path.h"

#include "components_fixture.h"

#define DT (1.0 / 60)

static shoal_entity spawn_on_path(fixture_t *f, double x, double y, const char *points, double speed) {
  shoal_entity e = place(f, x, y);
  add(f, e, "path");
  set(f, e, "path", "points", strings_intern(world_strings(f->world), points));
  set(f, e, "path", "speed", speed);
  return e;
}

static void run_ticks(fixture_t *f, int ticks) {
  for (int i = 0; i < ticks; ++i)
    path_update(f->world, DT);
}

static void assert_at(fixture_t *f, shoal_entity e, double x, double y) {
  assert_near(get(f, e, "transform", "x"), x, 0.01);
  assert_near(get(f, e, "transform", "y"), y, 0.01);
}

FIXTURE(fixture_t, fixture_setup, fixture_teardown)

TEST_IN(entity_follows_its_path_and_stops_at_the_end, fixture_t, f) {
  shoal_entity e = spawn_on_path(f, 0, 0, "30,0 30,40", 60);
  run_ticks(f, 20);
  assert_at(f, e, 20, 0);
  assert_near(get(f, e, "path", "dir_x"), 1, 1e-6);
  run_ticks(f, 20); // continues around the corner with the rest of the step
  assert_at(f, e, 30, 10);
  assert_true(get(f, e, "path", "next") == 2 && get(f, e, "path", "dir_x") == 0);
  run_ticks(f, 100);
  assert_at(f, e, 30, 40);
  assert_true(get(f, e, "path", "next") == 3 && get(f, e, "path", "dir_y") == 0);
  set(f, e, "transform", "x", 5); // an entity at the end of its path is not moved
  run_ticks(f, 10);
  assert_at(f, e, 5, 40);
}

TEST_IN(path_can_loop_or_reverse, fixture_t, f) {
  shoal_entity round = spawn_on_path(f, 0, 0, "0,0 10,0 10,10 0,10", 60),
               back = spawn_on_path(f, 0, 0, "0,0 10,0 30,0", 60);
  set(f, round, "path", "loop", 1);
  set(f, back, "path", "back", 1);
  run_ticks(f, 35);
  assert_at(f, round, 0, 5);
  assert_at(f, back, 25, 0);
  run_ticks(f, 40);
  assert_at(f, round, 0, 5);
  assert_at(f, back, 15, 0);
}

TEST_IN(path_sets_the_mover_velocity_and_at_speed_0_only_a_direction, fixture_t, f) {
  shoal_entity moved = spawn_on_path(f, 0, 0, "30,40", 50), guided = spawn_on_path(f, 0, 0, "30,40 30,0", 0);
  add(f, moved, "mover");
  run_ticks(f, 1);
  assert_at(f, moved, 0, 0);
  assert_near(get(f, moved, "mover", "vx"), 30, 1e-3);
  assert_near(get(f, moved, "mover", "vy"), 40, 1e-3);
  assert_at(f, guided, 0, 0);
  assert_near(get(f, guided, "path", "dir_x"), 0.6, 1e-6);
  set(f, guided, "transform", "x", 29);
  set(f, guided, "transform", "y", 39);
  set(f, moved, "transform", "x", 30);
  set(f, moved, "transform", "y", 40);
  run_ticks(f, 2); // within reach of the end; the mover stops on arrival
  assert_true(get(f, guided, "path", "next") == 2);
  assert_true(get(f, moved, "mover", "vx") == 0 && get(f, moved, "mover", "vy") == 0);
}

TEST_IN(invalid_path_points_are_logged_once, fixture_t, f) {
  static const char *const WRONG[] = {"30",    "30,",   "a,b",   "1,2,3", "1,2 3",
                                      "1e9,2", "nan,1", "1,2 ,", "--1,2", "99999999999999999999,1"};
  for (size_t i = 0; i < sizeof WRONG / sizeof WRONG[0]; ++i) {
    shoal_entity e = spawn_on_path(f, 7, 7, WRONG[i], 60);
    run_ticks(f, 3);
    assert_at(f, e, 7, 7);
    assert_true(get(f, e, "path", "faulty") == 1);
    assert_int_equal(f->line_count, i + 1);
  }
  shoal_entity ok = spawn_on_path(f, 0, 0, "  -0.50,+0", 60), empty = spawn_on_path(f, 3, 3, "", 60);
  set(f, ok, "path", "points", strings_intern(world_strings(f->world), " -0.50,.25\n3,4. "));
  run_ticks(f, 1);
  assert_true(get(f, ok, "path", "faulty") == 0 && get(f, empty, "path", "faulty") == 0);
  assert_at(f, empty, 3, 3);
}
