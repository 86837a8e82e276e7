// A world carried over to another version of its game.
#include "ecs_fixture.h"

#include "ecs/carry.h"

static void carried(world_o *from, world_o *to, carry_counts_t *counts) {
  error_t error = {{0}};
  if (!carry_world(from, to, NULL, counts, &error))
    fail_msg("%s", error.text);
}

// What runs on both worlds.
static void a_tick(world_o *w) {
  shoal_entity e = spawn(w);
  add(w, e, POSITION, 0);
  set(w, e, POSITION, POSITION_X, (double)world_tick(w));
  if (world_tick(w) % 3 == 0)
    add(w, e, HEALTH, 0);
  if (world_tick(w) % 5 == 0)
    world_destroy(w, world_manager(w, POSITION)->owner[0]);
  world_end_tick(w);
}

static void an_unchanged_game_is_carried_over_to_the_bit(void **state) {
  world_o *from = *state, *to = make_world();
  query_o *q = QUERY(from, HAS(POSITION), HAS(HEALTH));
  QUERY(to, HAS(POSITION), HAS(HEALTH));
  assert_true(world_group(from, q, NULL));
  assert_true(world_group(to, QUERY(to, HAS(POSITION), HAS(HEALTH)), NULL));
  for (uint32_t i = 0; i < 20; i++)
    a_tick(from);
  carried(from, to, NULL);
  assert_int_equal(world_hash(to), world_hash(from));
  for (uint32_t i = 0; i < 20; i++) {
    a_tick(from);
    a_tick(to);
    assert_int_equal(world_hash(to), world_hash(from));
  }
  world_destroy_all(to);
}

static void queries_and_groups_are_those_of_the_new_version(void **state) {
  world_o *from = *state, *to = make_world();
  query_o *old = QUERY(from, HAS(POSITION), HAS(HEALTH)), *new = QUERY(to, HAS(POSITION), HAS(LABEL));
  assert_true(world_group(from, old, NULL));
  assert_true(world_group(to, new, NULL));
  shoal_entity both = SPAWN(from, POSITION, LABEL);
  SPAWN(from, POSITION, HEALTH);
  carried(from, to, NULL);
  assert_int_equal(new->count, 1);
  assert_int_equal(new->entities[0], both);
  assert_true(new->grouped);
  assert_false(QUERY(to, HAS(POSITION), HAS(HEALTH))->grouped);
  world_destroy_all(to);
}

int carry_tests(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(an_unchanged_game_is_carried_over_to_the_bit, world_setup, world_teardown),
      cmocka_unit_test_setup_teardown(queries_and_groups_are_those_of_the_new_version, world_setup, world_teardown),
  };
  return cmocka_run_group_tests_name("carry", tests, NULL, NULL);
}
