// Commands queued while a world is deferred: ecs/command.c, ecs/deferral.c, ecs/spawn.c.
#include "ecs_fixture.h"

#include "ecs/world_hash.h"

FIXTURE(world_o, world_setup, world_teardown)

TEST_IN(deferred_changes_are_applied_in_order_when_the_deferral_ends, world_o, w) {
  shoal_entity old = SPAWN(w, POSITION);
  world_defer_begin(w, 0);
  shoal_entity e = spawn(w);
  assert_true(world_is_alive(w, e)); // the id is valid immediately; components are added when the deferral ends
  assert_true(world_is_deferring(w));
  add(w, e, HEALTH, 0);
  assert_false(world_has_component(w, e, HEALTH));
  set(w, e, HEALTH, 0, 3);
  set(w, e, HEALTH, 0, 4);
  assert_true(world_remove_component(w, old, POSITION, 0));
  assert_true(world_has_component(w, old, POSITION));
  add(w, old, POSITION, 0);
  assert_int_equal(world_command_count(w), 6);
  world_defer_end(w, false);
  assert_int_equal(world_command_count(w), 0);
  assert_false(world_is_deferring(w));
  assert_true(get(w, e, HEALTH, 0) == 4);
  assert_true(world_has_component(w, old, POSITION));
}

TEST_IN(deferred_set_keeps_its_order_among_other_commands, world_o, w) {
  shoal_entity e = SPAWN(w, HEALTH);
  set(w, e, HEALTH, 0, 1);
  world_defer_begin(w, 0);
  set(w, e, HEALTH, 0, 2);
  assert_true(get(w, e, HEALTH, 0) == 1);
  world_remove_component(w, e, HEALTH, 0);
  add(w, e, HEALTH, 0);
  world_defer_end(w, false);
  assert_true(get(w, e, HEALTH, 0) == 0); // the value was set in the row that was then removed
}

TEST_IN(dropped_changes_have_no_effect_and_free_their_ids, world_o, w) {
  shoal_entity e = SPAWN(w, POSITION);
  uint32_t by = id_of(w, "broken"), reader = id_of(w, "reader");
  const field_type_t f32[] = {FIELD_F32};
  uint32_t bang = DECLARE(w, "bang", SCHEMA_EVENT, f32, "x");
  (void)reader;
  world_defer_begin(w, by);
  shoal_entity made = spawn(w);
  add(w, made, HEALTH, 0);
  world_destroy_entity(w, e);
  world_emit_event(w, bang);
  uint32_t block = world_spawn_block_begin(w, 0, 3, NULL);
  shoal_entity in_block = world_spawn_block_entities(w, block)[2];
  uint32_t committed = world_spawn_block_begin(w, 0, 2, NULL);
  shoal_entity in_committed = world_spawn_block_entities(w, committed)[1];
  world_spawn_block_commit(w, committed);
  world_defer_end(w, true);
  assert_true(world_is_alive(w, e));
  assert_false(world_is_alive(w, made) || world_is_alive(w, in_block) || world_is_alive(w, in_committed));
  assert_int_equal(world_command_count(w), 0);
  assert_int_equal(world_manager(w, HEALTH)->count, 0);
  assert_int_equal(world_event(w, bang)->columns.count, 0);
  assert_int_equal(world_entities(w)->free_count, 6);
  assert_int_equal(sparse_get(world_entities(w)->died_by, shoal_entity_index(made)), by);
  assert_null(world_spawn_block_entities(w, block));
}

TEST_IN(inner_deferral_can_be_dropped_without_the_outer_one, world_o, w) {
  shoal_entity e = spawn(w);
  world_defer_begin(w, 0);
  add(w, e, POSITION, 0);
  world_defer_begin(w, 0);
  add(w, e, HEALTH, 0);
  shoal_entity inner = spawn(w);
  world_defer_end(w, true);
  assert_false(world_is_alive(w, inner));
  assert_true(world_is_deferring(w));
  assert_true(world_is_component_pending(w, e, POSITION));
  assert_false(world_is_component_pending(w, e, HEALTH));
  world_defer_begin(w, 0);
  add(w, e, LABEL, 0);
  world_defer_end(w, false);
  assert_false(world_has_component(w, e, LABEL)); // only the outermost end applies the changes
  world_defer_end(w, false);
  assert_true(world_has_component(w, e, POSITION) && world_has_component(w, e, LABEL));
  assert_false(world_has_component(w, e, HEALTH));
}

TEST_IN(destroyed_entity_records_the_system_of_the_innermost_deferral, world_o, w) {
  shoal_entity a = spawn(w), b = spawn(w), c = spawn(w);
  uint32_t outer = id_of(w, "outer"), inner = id_of(w, "inner");
  for (int i = 0; i < 5; ++i)
    world_end_tick(w);
  world_defer_begin(w, outer);
  world_destroy_entity(w, a);
  world_defer_begin(w, inner);
  world_destroy_entity(w, b);
  world_defer_end(w, false);
  world_defer_end(w, false);
  world_destroy_entity(w, c);
  const entities_t *s = world_entities(w);
  assert_int_equal(sparse_get(s->died_by, shoal_entity_index(a)), outer);
  assert_int_equal(sparse_get(s->died_by, shoal_entity_index(b)), inner);
  assert_int_equal(sparse_get(s->died_by, shoal_entity_index(c)), 0);
  assert_int_equal(sparse_get(s->died_tick, shoal_entity_index(a)), 5);
}

TEST_IN(commands_for_an_already_destroyed_entity_are_ignored, world_o, w) {
  shoal_entity e = SPAWN(w, POSITION);
  world_defer_begin(w, 0);
  assert_true(world_destroy_entity(w, e));
  assert_true(world_is_alive(w, e) && world_is_doomed(w, e));
  assert_false(world_destroy_entity(w, e));
  add(w, e, HEALTH, 0);
  set(w, e, HEALTH, 0, 3);
  set(w, e, POSITION, POSITION_X, 3);
  assert_true(world_remove_component(w, e, POSITION, 0));
  shoal_entity born_and_dead = SPAWN(w, LABEL);
  world_destroy_entity(w, born_and_dead);
  world_defer_end(w, false);
  assert_false(world_is_alive(w, e) || world_is_alive(w, born_and_dead));
  assert_int_equal(world_manager(w, HEALTH)->count + world_manager(w, POSITION)->count, 0);
  assert_int_equal(world_manager(w, LABEL)->count, 0);
  assert_int_equal(world_entities(w)->free_count, 2);
}

TEST_IN(entity_can_be_destroyed_after_its_destroy_was_dropped, world_o, w) {
  shoal_entity outer = SPAWN(w, POSITION), inner = SPAWN(w, POSITION), listed = SPAWN(w, POSITION);
  const query_desc_t positions = {.terms = {{POSITION, QUERY_WITH}}, .term_count = 1};
  query_o *q = world_find_or_create_query(w, &positions, NULL);
  world_defer_begin(w, 0);
  assert_true(world_destroy_entity(w, outer));
  world_defer_begin(w, 0);
  assert_true(world_destroy_entity(w, inner));
  assert_int_equal(world_query_destroy_entities(w, q), 1); // the other two matching entities are already queued
  assert_false(world_destroy_entity(w, listed));
  world_defer_end(w, true);
  assert_true(world_is_doomed(w, outer) && !world_is_doomed(w, inner) && !world_is_doomed(w, listed));
  assert_true(world_destroy_entity(w, listed));
  world_defer_end(w, false);
  assert_true(world_is_alive(w, inner) && !world_is_alive(w, outer) && !world_is_alive(w, listed));
}

static void assert_set_rejected(world_o *w, shoal_entity e, uint32_t manager, uint32_t instance, uint32_t column,
                                const char *words) {
  error_info_t error = {0};
  assert_false(world_set_field(w, e, manager, instance, column, 1, &error));
  if (!strstr(error.text, words))
    fail_msg("\"%s\" does not say \"%s\"", error.text, words);
}

TEST_IN(invalid_set_fails_with_the_reason, world_o, w) {
  shoal_entity e = SPAWN(w, POSITION), dead = spawn(w);
  world_destroy_entity(w, dead);
  add(w, e, GUN, id_of(w, "left"));
  assert_set_rejected(w, 0, POSITION, 0, 0, "expected an entity, got id 0");
  assert_set_rejected(w, dead, POSITION, 0, 0, "entity(2:0) is not alive");
  assert_set_rejected(w, e, HEALTH, 0, 0, "entity(1:0) has no health");
  assert_set_rejected(w, e, GUN, id_of(w, "rear"), 0, "entity(1:0) has no gun.rear");
  assert_set_rejected(w, e, POSITION, 0, 2, "position has no column 2");
  assert_set_rejected(w, e, POSITION, id_of(w, "left"), 0, "no named instances");
  assert_set_rejected(w, e, SCORE, 0, 0, "score is a single");
  assert_set_rejected(w, e, 99, 0, 0, "unknown component number 99");
  world_defer_begin(w, 0);
  assert_set_rejected(w, e, HEALTH, 0, 0, "has no health"); // no queued command adds this component
  world_defer_end(w, false);
}

TEST_IN(dead_and_forged_ids_are_rejected_and_change_nothing, world_o, w) {
  shoal_entity alive = SPAWN(w, POSITION), dead = spawn(w);
  world_destroy_entity(w, dead);
  const shoal_entity bad[] = {0, dead, alive | 1u << 30, alive | 1u << 22, 12345, UINT32_MAX, SHOAL_ENTITY_INDEX_MASK};
  uint32_t some_state = id_of(w, "alive");
  uint64_t hash = world_hash(w);
  for (int deferred = 0; deferred < 2; ++deferred) {
    if (deferred)
      world_defer_begin(w, 0);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
      assert_false(world_is_alive(w, bad[i]));
      assert_false(world_destroy_entity(w, bad[i]));
      assert_false(world_add_component(w, bad[i], POSITION, 0, NULL));
      assert_false(world_remove_component(w, bad[i], POSITION, 0));
      assert_false(world_set_field(w, bad[i], POSITION, 0, 0, 1, NULL));
      assert_false(world_enter_state(w, bad[i], some_state, NULL));
      assert_false(world_has_component(w, bad[i], POSITION));
      assert_false(world_is_component_pending(w, bad[i], POSITION));
    }
    assert_int_equal(world_command_count(w), 0);
    if (deferred)
      world_defer_end(w, false);
  }
  assert_true(world_hash(w) == hash);
}

TEST_IN(second_destroy_returns_false_and_changes_nothing, world_o, w) {
  shoal_entity e = SPAWN(w, POSITION, HEALTH);
  assert_true(world_destroy_entity(w, e));
  uint64_t hash = world_hash(w);
  assert_false(world_destroy_entity(w, e));
  assert_true(world_hash(w) == hash);
}

TEST_IN(is_pending_reports_components_of_queued_commands, world_o, w) {
  shoal_entity old = spawn(w);
  uint32_t ship = world_assemblage_declare(w, id_of(w, "ship"));
  world_assemblage_add_component(w, ship, 0, HEALTH, 0);
  world_defer_begin(w, 0);
  shoal_entity e = world_spawn(w, ship, NULL);
  assert_true(world_is_component_pending(w, e, HEALTH));
  assert_false(world_is_component_pending(w, e, POSITION));
  assert_false(world_is_component_pending(w, old, HEALTH));
  add(w, old, POSITION, 0);
  assert_true(world_is_component_pending(w, old, POSITION));
  for (uint32_t i = 0; i < 1000; ++i) // makes the table of pending components grow, which must keep its entries
    add(w, spawn(w), LABEL, 0);
  assert_true(world_is_component_pending(w, e, HEALTH) && world_is_component_pending(w, old, POSITION));
  world_defer_end(w, false);
  assert_false(world_is_component_pending(w, e, HEALTH) || world_is_component_pending(w, old, POSITION));
}

// --- blocks

static uint32_t declare_rock(world_o *w) {
  uint32_t rock = world_assemblage_declare(w, id_of(w, "rock"));
  world_assemblage_add_component(w, rock, 0, POSITION, 0);
  world_assemblage_set_field(w, rock, 0, POSITION, 0, POSITION_Y, 7);
  world_assemblage_add_component(w, rock, 0, GUN, id_of(w, "left"));
  world_assemblage_add_component(w, rock, 0, GUN, id_of(w, "right"));
  return rock;
}

TEST_IN(spawn_block_creates_entities_with_its_column_values, world_o, w) {
  uint32_t rock = declare_rock(w), right = id_of(w, "right");
  query_o *q = QUERY(w, HAS(POSITION)), *guns = QUERY(w, HAS(GUN));
  uint32_t block = world_spawn_block_begin(w, rock, 100, NULL);
  assert_int_not_equal(block, 0);
  columns_t *c = world_spawn_block_columns(w, block, POSITION, 0), *g = world_spawn_block_columns(w, block, GUN, right);
  assert_null(world_spawn_block_columns(w, block, HEALTH, 0));
  assert_null(world_spawn_block_columns(w, block, GUN, 0));
  assert_int_equal(c->count, 100);
  assert_int_equal((uintptr_t)c->data[0] % 64, 0);
  for (uint32_t i = 0; i < 100; ++i) {
    columns_set(c, i, POSITION_X, i);
    columns_set(g, i, 0, i * 2);
  }
  shoal_entity e = world_spawn_block_entities(w, block)[42];
  assert_true(world_is_alive(w, e));
  assert_int_equal(q->count, 0);
  world_spawn_block_commit(w, block);
  assert_int_equal(q->count, 100);
  assert_int_equal(guns->count, 200);
  assert_int_equal(q->terms[0].misaligned, 0);
  assert_true(get(w, e, POSITION, POSITION_X) == 42 && get(w, e, POSITION, POSITION_Y) == 7);
  const manager_o *m = world_manager(w, GUN);
  assert_true(columns_get(&m->columns, manager_find_instance_row(m, e, right), 0) == 84);
  assert_int_equal(world_assemblage_alive_count(w, id_of(w, "rock")), 100);
}

TEST_IN(entities_of_an_open_spawn_block_can_only_be_destroyed, world_o, w) {
  uint32_t block = world_spawn_block_begin(w, declare_rock(w), 3, NULL);
  shoal_entity *e = world_spawn_block_entities(w, block), first = e[0], second = e[1];
  error_info_t error;
  assert_false(world_add_component(w, first, HEALTH, 0, &error));
  assert_non_null(strstr(error.text, "still being spawned"));
  assert_false(world_set_field(w, first, POSITION, 0, 0, 1, NULL));
  assert_true(world_destroy_entity(w, second));
  world_spawn_block_commit(w, block);
  assert_int_equal(world_manager(w, POSITION)->count, 2);
  assert_false(world_is_alive(w, second));
  add(w, first, HEALTH, 0);
}

TEST_IN(aborted_spawn_block_frees_its_ids, world_o, w) {
  uint32_t block = world_spawn_block_begin(w, declare_rock(w), 5, NULL);
  shoal_entity e = world_spawn_block_entities(w, block)[0];
  world_spawn_block_abort(w, block);
  world_spawn_block_abort(w, block);
  assert_false(world_is_alive(w, e));
  assert_int_equal(world_entities(w)->alive_count, 0);
  assert_int_equal(world_manager(w, POSITION)->count, 0);
  assert_null(world_spawn_block_columns(w, block, POSITION, 0));
}

TEST_IN(empty_spawn_block_succeeds_and_oversized_spawn_block_fails, world_o, w) {
  uint32_t rock = declare_rock(w);
  uint32_t block = world_spawn_block_begin(w, rock, 0, NULL);
  assert_int_not_equal(block, 0);
  world_spawn_block_commit(w, block);
  uint64_t hash = world_hash(w);
  error_info_t error;
  assert_int_equal(world_spawn_block_begin(w, rock, 4194304, &error), 0);
  assert_non_null(strstr(error.text, "4194303"));
  uint32_t pair = world_assemblage_declare(w, id_of(w, "pair"));
  world_assemblage_add_child(w, pair, id_of(w, "second"), rock);
  hash = world_hash(w);
  assert_int_equal(world_spawn_block_begin(w, pair, 2097152, &error), 0); // children count towards the limit
  assert_int_equal(world_spawn_block_begin(w, 77, 1, &error), 0);
  assert_true(world_hash(w) == hash);
}

TEST_IN(spawn_over_the_entity_limit_fails_and_changes_nothing, world_o, w) {
  shoal_entity first = spawn(w);
  for (uint32_t i = 2; i <= SHOAL_ENTITY_MAX_ALIVE; ++i)
    if (world_spawn(w, 0, NULL) != i)
      fail_msg("spawn %u", i);
  uint64_t hash = world_hash(w);
  error_info_t error;
  assert_int_equal(world_spawn(w, 0, &error), 0);
  assert_non_null(strstr(error.text, "4194303"));
  world_defer_begin(w, 0);
  assert_int_equal(world_spawn(w, 0, &error), 0);
  world_defer_end(w, false);
  assert_true(world_hash(w) == hash);
  assert_true(world_is_alive(w, first));
  add(w, first, POSITION, 0);
}

TEST_IN(dropped_ids_are_queued_for_reuse_in_commit_order_and_uncommitted_ids_last, world_o, w) {
  shoal_entity want[7];
  world_defer_begin(w, 0);
  want[0] = spawn(w);
  uint32_t open = world_spawn_block_begin(w, 0, 2, NULL), committed = world_spawn_block_begin(w, 0, 3, NULL);
  memcpy(want + 5, world_spawn_block_entities(w, open), 2 * sizeof *want); // ids of uncommitted blocks come last
  memcpy(want + 1, world_spawn_block_entities(w, committed), 3 * sizeof *want);
  world_spawn_block_commit(w, committed);
  want[4] = spawn(w);
  world_defer_end(w, true);
  const entities_t *s = world_entities(w);
  assert_int_equal(s->free_count, 7);
  for (uint32_t i = 0; i < 7; ++i)
    assert_int_equal(s->free_ring[s->free_first + i], shoal_entity_index(want[i]));
}
