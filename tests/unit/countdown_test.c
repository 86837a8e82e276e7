// Timers, tweens and easings: countdown/countdown.h, countdown/ease.h. tests/lua/cases/timers_and_tweens.lua tests the
// Lua API.
#include "components_fixture.h"

#include "countdown/ease.h"
#include "countdown/countdown.h"

static uint32_t string_id(fixture_t *f, const char *text) {
  return strings_intern(world_strings(f->world), text);
}

static event_o *declare_bell(fixture_t *f) {
  schema_buffer_t buffer;
  error_info_t error = {0};
  schema_init(&buffer, "bell", SCHEMA_EVENT, "test");
  schema_add_field(&buffer.schema, "power", FIELD_F64, 0);
  schema_add_field(&buffer.schema, "who", FIELD_STRING, 0);
  if (world_declare_schema(f->world, &buffer.schema, &error) == 0)
    fail_msg("%s", error.text);
  schema_fini(&buffer.schema, world_allocator(f->world));
  return world_find_event(f->world, "bell");
}

static shoal_entity add_timer(fixture_t *f, const char *event, const char *values, double seconds) {
  shoal_entity e = place(f, 0, 0);
  add(f, e, "timer");
  set(f, e, "timer", "event", string_id(f, event));
  set(f, e, "timer", "values", string_id(f, values));
  set(f, e, "timer", "seconds", seconds);
  return e;
}

static double event_value(const event_o *ev, uint32_t row, const char *column) {
  assert_true(row < ev->columns.count);
  return columns_get(&ev->columns, row, (uint32_t)schema_find_field(&ev->schema, column));
}

FIXTURE(fixture_t, fixture_setup, fixture_teardown)

TEST_IN(timer_emits_its_event_once_with_its_values, fixture_t, f) {
  const event_o *bell = declare_bell(f);
  shoal_entity e = add_timer(f, "bell", "{\"power\":3.5,\"who\":\"cook\"}", 0.25);
  timer_update(f->world, 0.125);
  assert_true(world_is_alive(f->world, e));
  timer_update(f->world, 0.125);
  assert_false(world_is_alive(f->world, e));
  timer_update(f->world, 0.125);
  assert_int_equal(bell->columns.count, 1);
  assert_near(event_value(bell, 0, "power"), 3.5, 0);
  assert_string_equal(strings_text(world_strings(f->world), (uint32_t)event_value(bell, 0, "who")), "cook");
  assert_int_equal(f->line_count, 0);
}

TEST_IN(timer_skips_deleted_event_fields_and_logs_them, fixture_t, f) {
  const event_o *bell = declare_bell(f);
  add_timer(f, "bell", "{\"power\":2,\"loudness\":3}", 0);
  timer_update(f->world, 0.125);
  assert_near(event_value(bell, 0, "power"), 2, 0);
  assert_non_null(strstr(f->line, "the event bell no longer has a field loudness"));
  add_timer(f, "bell", "{\"power\":\"much\"}", 0);
  timer_update(f->world, 0.125);
  assert_near(event_value(bell, 1, "power"), 0, 0);
  assert_non_null(strstr(f->line, "the event bell no longer has a field power"));
  shoal_entity e = add_timer(f, "gong", "", 0);
  timer_update(f->world, 0.125);
  assert_false(world_is_alive(f->world, e));
  assert_non_null(strstr(f->line, "the event gong no longer exists"));
}

TEST_IN(timer_with_invalid_values_emits_its_event_without_them, fixture_t, f) {
  const event_o *bell = declare_bell(f);
  static const char *const DAMAGED[] = {"{", "[1]", "3", "{\"power\":1,\"power\":2}", "{\"power\":nan}"};
  for (uint32_t i = 0; i < sizeof DAMAGED / sizeof DAMAGED[0]; ++i) {
    add_timer(f, "bell", DAMAGED[i], 0);
    timer_update(f->world, 0.125);
    assert_near(event_value(bell, i, "power"), 0, 0);
    assert_int_equal(f->line_count, i + 1);
    assert_non_null(strstr(f->line, DAMAGED[i]));
  }
}

// Adds a row of `tween`, as world.tween does.
static void add_tween(fixture_t *f, shoal_entity e, const char *path, double to, double seconds) {
  error_info_t error = {0};
  if (!world_add_component(f->world, e, manager_of(f, "tween")->id, string_id(f, path), &error))
    fail_msg("%s", error.text);
  set(f, e, "tween", "path", string_id(f, path));
  set(f, e, "tween", "to", to);
  set(f, e, "tween", "seconds", seconds);
}

TEST_IN(tween_ends_exactly_at_its_target, fixture_t, f) {
  shoal_entity e = place(f, 0.1, 0);
  add_tween(f, e, "transform.x", 0.7, 0.3);
  for (int i = 0; i < 18; ++i) {
    assert_true(world_has_component(f->world, e, manager_of(f, "tween")->id));
    tween_update(f->world, 1.0 / 60);
  }
  assert_near(get(f, e, "transform", "x"), (double)0.7f, 0);
  assert_false(world_has_component(f->world, e, manager_of(f, "tween")->id));
}

TEST_IN(tween_of_an_invalid_field_path_is_removed_and_logged, fixture_t, f) {
  static const char *const PATHS[] = {"",   "transform",     "transform.nothing", "transform.parent", "transform.world",
                                      ".x", "transform.x.y", "nothing.x",         "sprite.layer"};
  for (uint32_t i = 0; i < sizeof PATHS / sizeof PATHS[0]; ++i) {
    shoal_entity e = place(f, 1, 2);
    add_tween(f, e, PATHS[i], 5, 1);
    tween_update(f->world, 0.125);
    assert_int_equal(f->line_count, i + 1);
    assert_non_null(strstr(f->line, "the tween was removed"));
    assert_false(world_has_component(f->world, e, manager_of(f, "tween")->id));
    assert_near(get(f, e, "transform", "x"), 1, 0);
  }
}

TEST_IN(endless_tween_does_not_drift, fixture_t, f) {
  shoal_entity e = place(f, 0, 0);
  add_tween(f, e, "transform.x", 1, 1);
  set(f, e, "tween", "times", 0);
  set(f, e, "tween", "back", 1);
  for (int i = 0; i < 4 * 1000 + 1; ++i)
    tween_update(f->world, 0.25);
  assert_near(get(f, e, "transform", "x"), 0.25, 1e-9);
  assert_true(get(f, e, "tween", "elapsed") < 2.5);
}

TEST(easings_map_0_to_0_and_1_to_1_and_accept_any_number) {
  for (uint32_t ease = 0; ease < EASE_COUNT + 2; ++ease) {
    assert_near(ease_evaluate(ease, 0), 0, 0);
    assert_near(ease_evaluate(ease, -3), 0, 0);
    assert_near(ease_evaluate(ease, (double)NAN), 0, 0);
    assert_near(ease_evaluate(ease, 1), 1, 0);
    assert_near(ease_evaluate(ease, (double)INFINITY), 1, 0);
    assert_near(ease_evaluate(ease, 0.001), 0, 0.05); // the curve is continuous at both ends
    assert_near(ease_evaluate(ease, 0.999), 1, 0.05);
    for (int i = 0; i <= 100; ++i)
      assert_near(ease_evaluate(ease, i / 100.0), 0.5, 1);
  }
}
