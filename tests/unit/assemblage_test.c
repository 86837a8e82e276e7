// Templates, states and children: ecs/assemblage.c.
#include "ecs_fixture.h"

#include "content/retained_values.h"
#include "ecs/world_hash.h"

// Declares a tank, which always has a position. State `alive` adds health and the left gun; state `dying` adds health,
// a label and the right gun.
static uint32_t declare_tank(world_o *w) {
  uint32_t tank = world_assemblage_declare(w, id_of(w, "tank"));
  world_assemblage_add_component(w, tank, 0, POSITION, 0);
  uint32_t alive = world_assemblage_add_state(w, tank, id_of(w, "alive"));
  uint32_t dying = world_assemblage_add_state(w, tank, id_of(w, "dying"));
  assert_int_equal(alive, 1);
  assert_int_equal(dying, 2);
  world_assemblage_add_component(w, tank, alive, HEALTH, 0);
  world_assemblage_set_field(w, tank, alive, HEALTH, 0, 0, 100);
  world_assemblage_add_component(w, tank, alive, GUN, id_of(w, "left"));
  world_assemblage_add_component(w, tank, dying, HEALTH, 0);
  world_assemblage_set_field(w, tank, dying, HEALTH, 0, 0, 1);
  world_assemblage_add_component(w, tank, dying, LABEL, 0);
  world_assemblage_set_field(w, tank, dying, LABEL, 0, 0, id_of(w, "boom"));
  world_assemblage_add_component(w, tank, dying, GUN, id_of(w, "right"));
  world_assemblage_add_component(w, tank, dying, POSITION, 0);
  return tank;
}

static const char *get_state(world_o *w, shoal_entity e) {
  return strings_text(world_strings(w), world_entities(w)->state[shoal_entity_index(e)]);
}

FIXTURE(world_o, world_setup, world_teardown)

TEST_IN(spawned_entity_has_components_of_its_template_and_initial_state, world_o, w) {
  uint32_t tank = declare_tank(w);
  shoal_entity e = world_spawn(w, tank, NULL);
  assert_string_equal(get_state(w, e), "alive");
  assert_true(world_has_component(w, e, POSITION) && world_has_component(w, e, GUN) &&
              !world_has_component(w, e, LABEL));
  assert_true(get(w, e, HEALTH, 0) == 100);
  assert_int_equal(world_entities(w)->assemblage[shoal_entity_index(e)], id_of(w, "tank"));
}

TEST_IN(entering_a_state_changes_only_components_of_the_old_or_the_new_state, world_o, w) {
  shoal_entity e = world_spawn(w, declare_tank(w), NULL);
  set(w, e, HEALTH, 0, 55);
  set(w, e, POSITION, POSITION_X, 5);
  add(w, e, FROZEN, 0);
  const manager_o *gun = world_manager(w, GUN);
  assert_true(world_enter_state(w, e, id_of(w, "dying"), NULL));
  assert_string_equal(get_state(w, e), "dying");
  assert_true(get(w, e, HEALTH, 0) == 1); // `dying` lists health too
  assert_true(get(w, e, LABEL, 0) == id_of(w, "boom"));
  assert_int_equal(manager_find_instance_row(gun, e, id_of(w, "left")), ROW_NONE);
  assert_int_not_equal(manager_find_instance_row(gun, e, id_of(w, "right")), ROW_NONE);
  assert_true(world_has_component(w, e, FROZEN)); // `frozen` belongs to no state
  assert_true(world_enter_state(w, e, id_of(w, "alive"), NULL));
  assert_true(get(w, e, POSITION, POSITION_X) == 5); // `dying` lists position without values, so the base value remains
  assert_false(world_has_component(w, e, LABEL));
  assert_int_equal(gun->count, 1);
}

TEST_IN(changed_value_is_kept_if_both_states_list_the_same_default, world_o, w) {
  uint32_t tank = declare_tank(w), stunned = world_assemblage_add_state(w, tank, id_of(w, "stunned"));
  world_assemblage_add_component(w, tank, stunned, HEALTH, 0);
  world_assemblage_set_field(w, tank, stunned, HEALTH, 0, 0, 100);
  shoal_entity e = world_spawn(w, tank, NULL);
  set(w, e, HEALTH, 0, 55);
  world_enter_state(w, e, id_of(w, "stunned"), NULL);
  assert_true(get(w, e, HEALTH, 0) == 55);
}

TEST_IN(initial_state_overrides_values_of_the_template, world_o, w) {
  uint32_t tank = declare_tank(w);
  world_assemblage_set_field(w, tank, 0, POSITION, 0, POSITION_X, 3);
  world_assemblage_set_field(w, tank, 0, POSITION, 0, POSITION_Y, 4);
  world_assemblage_add_component(w, tank, 1, POSITION, 0);
  world_assemblage_set_field(w, tank, 1, POSITION, 0, POSITION_X, 7);
  shoal_entity e = world_spawn(w, tank, NULL);
  assert_true(get(w, e, POSITION, POSITION_X) == 7 && get(w, e, POSITION, POSITION_Y) == 4);
}

// While `alive` is not the current state, a row of kept:health stores the value.
TEST_IN(kept_component_is_restored_when_its_state_is_reentered, world_o, w) {
  uint32_t tank = declare_tank(w);
  assert_true(retained_values_declare(w, tank, 1, HEALTH, 0, id_of(w, "alive"), NULL));
  // Declared again, as in a reload.
  assert_true(retained_values_declare(w, tank, 1, HEALTH, 0, id_of(w, "alive"), NULL));
  manager_o *kept = world_find_manager(w, "kept:health");
  shoal_entity e = world_spawn(w, tank, NULL), other = world_spawn(w, tank, NULL);
  set(w, e, HEALTH, 0, 55);
  world_enter_state(w, e, id_of(w, "dying"), NULL);
  world_enter_state(w, other, id_of(w, "dying"), NULL);
  assert_int_equal(kept->count, 2);
  assert_true(get(w, e, HEALTH, 0) == 1);
  world_enter_state(w, e, id_of(w, "alive"), NULL);
  assert_true(get(w, e, HEALTH, 0) == 55);
  assert_int_equal(kept->count, 1);
  world_destroy_entity(w, other);
  assert_int_equal(kept->count, 0);
}

TEST_IN(entering_the_current_state_changes_nothing, world_o, w) {
  shoal_entity e = world_spawn(w, declare_tank(w), NULL);
  world_remove_component(w, e, HEALTH, 0);
  uint64_t hash = world_hash(w);
  assert_true(world_enter_state(w, e, id_of(w, "alive"), NULL));
  assert_true(world_hash(w) == hash);
}

TEST_IN(entering_an_unknown_state_fails_and_the_error_names_it, world_o, w) {
  shoal_entity e = world_spawn(w, declare_tank(w), NULL), plain = spawn(w);
  error_info_t error;
  assert_false(world_enter_state(w, e, id_of(w, "flying"), &error));
  assert_string_equal(error.text, "tank has no state \"flying\"");
  assert_false(world_enter_state(w, plain, id_of(w, "alive"), &error));
  assert_non_null(strstr(error.text, "entity(2:0) has no states"));
}

TEST_IN(components_of_a_deferred_state_change_are_pending, world_o, w) {
  shoal_entity e = world_spawn(w, declare_tank(w), NULL);
  world_defer_begin(w, 0);
  world_enter_state(w, e, id_of(w, "dying"), NULL);
  assert_string_equal(get_state(w, e), "alive");
  assert_true(world_is_component_pending(w, e, LABEL));
  set(w, e, LABEL, 0, id_of(w, "bang"));
  world_defer_end(w, false);
  assert_true(get(w, e, LABEL, 0) == id_of(w, "bang"));
}

TEST_IN(spawned_children_get_a_transform_with_their_parent_and_a_name, world_o, w) {
  uint32_t turret = world_assemblage_declare(w, id_of(w, "turret")),
           hull = world_assemblage_declare(w, id_of(w, "hull")),
           barrel = world_assemblage_declare(w, id_of(w, "barrel"));
  world_assemblage_add_component(w, turret, 0, TRANSFORM, 0);
  world_assemblage_set_field(w, turret, 0, TRANSFORM, 0, 1, 8);
  world_assemblage_add_component(w, barrel, 0, NAME, 0);
  world_assemblage_set_field(w, barrel, 0, NAME, 0, 0, id_of(w, "Bertha"));
  world_assemblage_add_child(w, turret, id_of(w, "the_barrel"), barrel);
  world_assemblage_add_child(w, hull, id_of(w, "front"), turret);
  world_assemblage_add_child(w, hull, id_of(w, "back"), turret);
  shoal_entity e = world_spawn(w, hull, NULL);
  assert_int_equal(world_entities(w)->alive_count, 5);
  shoal_entity front = e + 1, front_barrel = e + 2, back = e + 3;
  assert_true(get(w, front, TRANSFORM, 0) == e && get(w, front, TRANSFORM, 1) == 8);
  assert_true(get(w, back, TRANSFORM, 0) == e);
  assert_true(get(w, front, NAME, 0) == id_of(w, "front") && get(w, back, NAME, 0) == id_of(w, "back"));
  assert_true(get(w, front_barrel, TRANSFORM, 0) == front); // added automatically, because a child needs a transform
  assert_true(get(w, front_barrel, NAME, 0) == id_of(w, "Bertha"));
  assert_false(world_has_component(w, e, NAME) || world_has_component(w, e, TRANSFORM));
}

TEST_IN(transform_of_a_deferred_child_is_pending, world_o, w) {
  uint32_t hull = world_assemblage_declare(w, id_of(w, "hull")), bolt = world_assemblage_declare(w, id_of(w, "bolt"));
  world_assemblage_add_child(w, hull, id_of(w, "first"), bolt);
  world_defer_begin(w, 0);
  shoal_entity e = world_spawn(w, hull, NULL), child = e + 1;
  assert_true(world_is_component_pending(w, child, TRANSFORM) && world_is_component_pending(w, child, NAME));
  assert_false(world_is_component_pending(w, e, TRANSFORM) || world_is_component_pending(w, child, HEALTH));
  set(w, child, TRANSFORM, 1, 4);
  world_defer_end(w, false);
  assert_true(get(w, child, TRANSFORM, 0) == e && get(w, child, TRANSFORM, 1) == 4);
}

TEST_IN(recursive_assemblage_cannot_be_spawned, world_o, w) {
  uint32_t a = world_assemblage_declare(w, id_of(w, "a")), b = world_assemblage_declare(w, id_of(w, "b"));
  world_assemblage_add_child(w, a, id_of(w, "x"), b);
  world_assemblage_add_child(w, a, id_of(w, "y"), b);
  world_assemblage_add_child(w, b, id_of(w, "x"), a);
  world_assemblage_add_child(w, b, id_of(w, "y"), a);
  uint64_t hash = world_hash(w);
  error_info_t error;
  assert_int_equal(world_spawn(w, a, &error), 0);
  assert_non_null(strstr(error.text, "a descendant of itself"));
  assert_int_equal(world_spawn_block_begin(w, b, 1, &error), 0);
  assert_int_equal(world_spawn(w, 3, &error), 0);
  assert_non_null(strstr(error.text, "number 3"));
  assert_true(world_hash(w) == hash);
}

TEST_IN(live_count_of_an_assemblage_survives_a_redeclaration, world_o, w) {
  uint32_t tank = declare_tank(w), name = id_of(w, "tank");
  shoal_entity e = world_spawn(w, tank, NULL);
  world_spawn(w, tank, NULL);
  assert_int_equal(world_assemblage_alive_count(w, name), 2);
  world_assemblages_clear(w);
  assert_int_equal(world_find_assemblage(w, name), 0);
  assert_int_equal(world_assemblage_alive_count(w, name), 2);
  error_info_t error;
  assert_false(world_enter_state(w, e, id_of(w, "dying"), &error));
  uint32_t again = declare_tank(w);
  assert_int_equal(world_find_assemblage(w, name), again);
  assert_true(world_enter_state(w, e, id_of(w, "dying"), NULL));
  world_destroy_entity(w, e);
  assert_int_equal(world_assemblage_alive_count(w, name), 1);
  assert_int_equal(world_assemblage_alive_count(w, id_of(w, "nobody")), 0);
  assert_true(world_assemblage_has_state(w, again, id_of(w, "dying")));
  assert_false(world_assemblage_has_state(w, again, id_of(w, "flying")));
}

TEST_IN(query_created_between_spawns_matches_both_entities, world_o, w) {
  uint32_t tank = declare_tank(w);
  world_spawn(w, tank, NULL);
  query_o *q = QUERY(w, HAS(POSITION), HAS(GUN), HAS_NOT(LABEL));
  world_spawn(w, tank, NULL);
  assert_int_equal(q->count, 2);
  query_o *none = QUERY(w, HAS(POSITION), HAS(LABEL));
  world_spawn(w, tank, NULL);
  assert_int_equal(none->count, 0);
}

TEST_IN(values_changed_after_a_spawn_apply_to_the_next_spawn, world_o, w) {
  uint32_t tank = declare_tank(w);
  world_assemblage_set_field(w, tank, 1, HEALTH, 0, 0, 100);
  world_spawn(w, tank, NULL);
  world_assemblage_set_field(w, tank, 1, HEALTH, 0, 0, 120);
  assert_true(get(w, world_spawn(w, tank, NULL), HEALTH, 0) == 120);
}

TEST_IN(assemblage_is_found_by_name_until_it_is_removed, world_o, w) {
  uint32_t tank = declare_tank(w), car = world_assemblage_declare(w, id_of(w, "car"));
  for (uint32_t i = 0; i < 2; ++i) {
    assert_int_equal(world_find_assemblage_named(w, "tank"), tank);
    assert_int_equal(world_find_assemblage_named(w, "car"), car);
    assert_int_equal(world_find_assemblage_named(w, "cart"), 0);
    assert_int_equal(world_find_assemblage_named(w, ""), 0);
    assert_int_equal(world_find_assemblage_named(w, NULL), 0);
  }
  assert_int_equal(world_find_assemblage_named(w, "car"), car);
  world_assemblages_clear(w);
  assert_int_equal(world_find_assemblage_named(w, "car"), 0);
}

// Links that a spawn writes invalidate lookups of referrers, as in writes of a field.
TEST_IN(spawn_with_an_entity_field_marks_links_as_written, world_o, w) {
  shoal_entity target = spawn(w);
  uint32_t child = world_assemblage_declare(w, id_of(w, "child"));
  world_assemblage_add_component(w, child, 0, TRANSFORM, 0);
  world_assemblage_set_field(w, child, 0, TRANSFORM, 0, 0, target);
  *world_links_written(w) = 0;
  shoal_entity e = world_spawn(w, child, NULL);
  assert_true(get(w, e, TRANSFORM, 0) == target);
  assert_int_equal(*world_links_written(w), 1);
}

// Consecutive spawns share a block, whose rows are filled with the template's values in advance. HEALTH gets its
// columns in the middle of the block, and the template changes later.
TEST_IN(consecutive_spawns_get_the_given_values_and_the_current_template_values, world_o, w) {
  // The first spawns of a run are separate commands, which read the template when they are applied.
  enum { COUNT = 400, FIRST_BLOCK_ROW = 4, FIRST_HEALTH = 70, FIRST_NEW = 150 };
  shoal_entity e[COUNT];
  spawn_field_t fields[] = {{POSITION, POSITION_Y, 0}, {HEALTH, 0, 0}};
  uint32_t car = world_assemblage_declare(w, id_of(w, "car"));
  world_assemblage_add_component(w, car, 0, POSITION, 0);
  world_assemblage_add_component(w, car, 0, HEALTH, 0);
  world_assemblage_set_field(w, car, 0, POSITION, 0, POSITION_X, 3);
  world_assemblage_set_field(w, car, 0, HEALTH, 0, 0, 100);
  world_defer_begin(w, 0);
  for (uint32_t i = 0; i < COUNT; ++i) {
    if (i == FIRST_NEW)
      world_assemblage_set_field(w, car, 0, POSITION, 0, POSITION_X, 5);
    bool sets_health = i >= FIRST_HEALTH && i % 3 == 0;
    e[i] = world_spawn_with_values(w, car, fields, (const double[]){i, i + 0.75}, sets_health ? 2 : 1, NULL);
    assert_int_equal(e[i], i + 1);
    assert_int_equal(world_entities(w)->alive_count, i + 1);
  }
  world_defer_end(w, false);
  for (uint32_t i = 0; i < COUNT; ++i) {
    bool is_new = i < FIRST_BLOCK_ROW || i >= FIRST_NEW;
    assert_true(get(w, e[i], POSITION, POSITION_X) == (is_new ? 5 : 3));
    assert_true(get(w, e[i], POSITION, POSITION_Y) == i);
    assert_true(get(w, e[i], HEALTH, 0) == (i >= FIRST_HEALTH && i % 3 == 0 ? i : 100));
  }
}
