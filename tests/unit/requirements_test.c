// Required components (ecs/requirements.h): random changes to entities, queued and applied.
#include "ecs_fixture.h"

enum { ENTITIES = 24, ROUNDS = 400 };

// Declares `name`, which requires the listed components. Returns its id.
static uint32_t declare_requiring(world_o *w, const char *name, const char *first, const char *second) {
  schema_buffer_t s;
  error_info_t error;
  const char *const names[] = {first, second};
  schema_init(&s, name, SCHEMA_COMPONENT, "test");
  for (uint32_t i = 0; i < 2 && names[i]; ++i)
    schema_add_required(&s.schema, world_allocator(w), names[i]);
  uint32_t id = world_declare_schema(w, &s.schema, &error);
  schema_fini(&s.schema, world_allocator(w));
  assert_int_not_equal(id, 0);
  return id;
}

static void assert_requirement(world_o *w, shoal_entity e, uint32_t requirer, uint32_t required) {
  if (world_has_component(w, e, requirer))
    assert_true(world_has_component(w, e, required));
}

FIXTURE(world_o, world_setup, world_teardown)

TEST_IN(required_components_are_present_after_random_changes, world_o, w) {
  uint32_t seed = 41, glider = declare_requiring(w, "glider", "position", NULL);
  uint32_t pilot = declare_requiring(w, "pilot", "glider", "health");
  const uint32_t components[] = {POSITION, HEALTH, glider, pilot, FROZEN};
  shoal_entity es[ENTITIES];
  uint32_t refused = 0;
  assert_int_equal(world_spawn_many(w, 0, ENTITIES, es, NULL), ENTITIES);
  for (uint32_t round = 0; round < ROUNDS; ++round) {
    bool is_deferred = random_from_seed(&seed, 3) > 0;
    if (is_deferred)
      world_defer_begin(w, 0);
    uint32_t component = components[random_from_seed(&seed, 5)];
    bool repeats = random_from_seed(&seed, 2) == 0; // long runs of one command are merged
    for (uint32_t k = random_from_seed(&seed, 40); k-- > 0;) {
      shoal_entity e = es[random_from_seed(&seed, ENTITIES)];
      component = repeats ? component : components[random_from_seed(&seed, 5)];
      if (random_from_seed(&seed, 2) == 0)
        assert_true(world_add_component(w, e, component, 0, NULL));
      else
        refused += !world_remove_component(w, e, component, 0) && world_has_component(w, e, component);
    }
    if (is_deferred)
      world_defer_end(w, random_from_seed(&seed, 8) == 0);
    for (uint32_t i = 0; i < ENTITIES; ++i) {
      assert_requirement(w, es[i], glider, POSITION);
      assert_requirement(w, es[i], pilot, glider);
      assert_requirement(w, es[i], pilot, HEALTH);
    }
  }
  assert_true(refused > ROUNDS);
}

TEST_IN(required_component_cannot_be_removed_while_its_dependent_is_queued, world_o, w) {
  error_info_t error;
  uint32_t glider = declare_requiring(w, "glider", "position", NULL);
  shoal_entity e = world_spawn(w, 0, NULL);
  world_defer_begin(w, 0);
  assert_true(world_add_component(w, e, glider, 0, NULL));
  assert_true(world_is_component_pending(w, e, POSITION));
  assert_false(world_remove_component(w, e, POSITION, 0));
  assert_false(world_check_removal(w, e, POSITION, &error));
  assert_string_equal(error.text,
                      "cannot remove position from entity(1:0), because glider requires position: remove glider "
                      "first, or disable position");
  assert_true(world_remove_component(w, e, glider, 0));
  assert_true(world_remove_component(w, e, POSITION, 0));
  world_defer_end(w, false);
  assert_false(world_has_component(w, e, POSITION));
}

TEST_IN(missing_required_components_are_added, world_o, w) {
  shoal_entity e = world_spawn(w, 0, NULL);
  assert_true(world_add_component(w, e, FROZEN, 0, NULL));
  schema_buffer_t s;
  schema_init(&s, "frozen", SCHEMA_COMPONENT, "test");
  schema_add_required(&s.schema, world_allocator(w), "health");
  assert_int_equal(world_declare_schema(w, &s.schema, NULL), FROZEN);
  schema_fini(&s.schema, world_allocator(w));
  assert_false(world_has_component(w, e, HEALTH));
  world_add_all_required(w);
  assert_true(world_has_component(w, e, HEALTH));
}
