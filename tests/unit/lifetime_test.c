// Entities with a limited lifetime: countdown/lifetime.h.
#include "components_fixture.h"

#include "countdown/lifetime.h"

static shoal_entity spawn_with_lifetime(fixture_t *f, double seconds) {
  shoal_entity e = place(f, 0, 0);
  add(f, e, "lifetime");
  set(f, e, "lifetime", "seconds", seconds);
  return e;
}

FIXTURE(fixture_t, fixture_setup, fixture_teardown)

TEST_IN(entity_is_destroyed_when_its_lifetime_ends, fixture_t, f) {
  shoal_entity short_lived = spawn_with_lifetime(f, 0.25), long_lived = spawn_with_lifetime(f, 0.5),
               eternal = place(f, 0, 0);
  lifetime_update(f->world, 0.125f);
  assert_near(get(f, short_lived, "lifetime", "seconds"), 0.125, 0);
  assert_true(world_is_alive(f->world, short_lived));
  lifetime_update(f->world, 0.125f); // the lifetime ends at exactly 0
  assert_false(world_is_alive(f->world, short_lived));
  assert_true(world_is_alive(f->world, long_lived));
  lifetime_update(f->world, 10);
  assert_false(world_is_alive(f->world, long_lived));
  assert_true(world_is_alive(f->world, eternal));
}

TEST_IN(expired_entity_is_recorded_as_destroyed_by_the_lifetime_system, fixture_t, f) {
  shoal_entity e = spawn_with_lifetime(f, 0);
  lifetime_update(f->world, 0);
  assert_false(world_is_alive(f->world, e));
  uint32_t by = sparse_get(world_entities(f->world)->died_by, shoal_entity_index(e));
  assert_string_equal(strings_text(world_strings(f->world), by), "shoal.lifetime");
}

TEST_IN(simultaneous_expiry_destroys_entities_and_their_children, fixture_t, f) {
  for (int i = 0; i < 500; ++i) {
    shoal_entity parent = spawn_with_lifetime(f, i % 2 ? 1 : 5), child = spawn_with_lifetime(f, i % 3 ? 9 : 1);
    set(f, child, "transform", "parent", parent);
  }
  transform_update_child_lists(f->world);
  lifetime_update(f->world, 2);
  // Still alive: the 250 parents with 5 seconds, and their children whose own lifetime has not ended.
  uint32_t children = 0;
  for (int i = 0; i < 500; ++i)
    children += i % 2 == 0 && i % 3 != 0;
  assert_int_equal(world_entities(f->world)->alive_count, 250 + children);
}

TEST_IN(lifetime_system_runs_in_pre_update, fixture_t, f) {
  error_info_t error = {0};
  shoal_entity e = spawn_with_lifetime(f, 0.01);
  schedule_o *s = schedule_create(world_allocator(f->world));
  assert_true(components_schedule(f->components, s, &error) && schedule_sort(s, &error));
  schedule_run(s, f->world, PHASE_PRE_UPDATE, 1.0f / 60);
  schedule_destroy(s);
  assert_false(world_is_alive(f->world, e));
}
