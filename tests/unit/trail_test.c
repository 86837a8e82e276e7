// Trails behind moving entities: particles/trail.h.
#include "components_fixture.h"
#include "particles/trail.h"
#include "ecs/world_hash.h"

static int setup(void **state) {
  error_info_t error = {0};
  fixture_t *f = *state = fixture_open();
  if (!trail_declare(f->world, &error))
    fail_msg("%s", error.text);
  return 0;
}
FIXTURE(fixture_t, setup, fixture_teardown)

static void fly_for_ticks(fixture_t *f, shoal_entity e, int ticks, double vx, double vy) {
  for (int i = 0; i < ticks; ++i) {
    set(f, e, "transform", "x", get(f, e, "transform", "x") + vx);
    set(f, e, "transform", "y", get(f, e, "transform", "y") + vy);
    transform_update_child_lists(f->world);
    trail_update(f->world, 1.0 / 60.0);
  }
}

static bool get_trail(fixture_t *f, shoal_entity e, trail_t *out) {
  return trail_build(f->world, row_of(f, e, "trail"), (float)get(f, e, "transform", "x"),
                     (float)get(f, e, "transform", "y"), 0, out);
}

static shoal_entity spawn_flyer(fixture_t *f) {
  shoal_entity e = place(f, 100, 50);
  add(f, e, "trail");
  set(f, e, "trail", "seconds", 0.5);
  return e;
}

TEST_IN(trail_length_matches_its_seconds, fixture_t, f) {
  static trail_t t;
  shoal_entity e = spawn_flyer(f);
  assert_false(get_trail(f, e, &t));
  fly_for_ticks(f, e, 120, 2, 0);
  assert_true(get_trail(f, e, &t));
  assert_near(t.xy[0][0], 340, 1e-3);
  assert_near(t.xy[t.count - 1][0], 340 - 60, 2.5); // half a second at 120 pixels per second
  assert_near(t.half_width[0], 5, 1e-3);
  assert_near(t.half_width[t.count - 1], 0, 1e-3); // tapers to a point
  for (uint32_t i = 1; i < t.count; ++i)
    assert_true(t.xy[i][0] <= t.xy[i - 1][0] + 1e-3f);
}

TEST_IN(trail_fades_when_disabled_or_at_rest_and_ends_at_a_jump, fixture_t, f) {
  static trail_t t;
  shoal_entity e = spawn_flyer(f);
  fly_for_ticks(f, e, 60, 2, 0);
  fly_for_ticks(f, e, 60, 0, 0);
  assert_true(!get_trail(f, e, &t) || fabsf(t.xy[t.count - 1][0] - t.xy[0][0]) < 1e-3f);
  fly_for_ticks(f, e, 60, 2, 0);
  set(f, e, "trail", "enabled", 0);
  fly_for_ticks(f, e, 60, 2, 0);
  assert_false(get_trail(f, e, &t));
  set(f, e, "trail", "enabled", 1);
  fly_for_ticks(f, e, 60, 2, 0);
  fly_for_ticks(f, e, 1, 900, 0);
  assert_true(!get_trail(f, e, &t) || fabsf(t.xy[t.count - 1][0] - t.xy[0][0]) < 10.0f);
}

TEST_IN(trail_with_nan_or_infinite_values_stays_within_its_point_limit, fixture_t, f) {
  static trail_t t;
  static const char *const FIELDS[] = {"seconds", "width", "soft", "wait", "p3.x", "first", "kept"};
  for (size_t i = 0; i < sizeof FIELDS / sizeof *FIELDS; ++i)
    for (int k = 0; k < 3; ++k) {
      shoal_entity e = spawn_flyer(f);
      fly_for_ticks(f, e, 30, 2, 1);
      set(f, e, "trail", FIELDS[i], i >= 5 ? 255 : k == 0 ? NAN : k == 1 ? INFINITY : -1e30);
      get_trail(f, e, &t);
      fly_for_ticks(f, e, 5, 2, 1);
      get_trail(f, e, &t);
      assert_true(t.count <= TRAIL_MAX);
    }
}

TEST_IN(drawing_a_trail_does_not_change_the_world, fixture_t, f) {
  static trail_t t;
  shoal_entity e = spawn_flyer(f);
  fly_for_ticks(f, e, 30, 2, 1);
  uint64_t before = world_hash(f->world);
  get_trail(f, e, &t);
  assert_true(world_hash(f->world) == before);
}
