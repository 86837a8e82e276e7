// Merging edited assemblages into live entities. Each rule is tested with touched marks (world_track_touched_fields)
// and, where the result is the same, without them.
#include "ecs_fixture.h"

#include "ecs/world_hash.h"
#include "migrate/world_migrate.h"

typedef struct worlds_t {
  world_o *from, *to;
} worlds_t;

static uint32_t declare_assemblage(world_o *w, const char *name) {
  return world_assemblage_declare(w, id_of(w, name));
}

static void add_template_component(world_o *w, const char *name, uint32_t manager, int32_t column, double value) {
  uint32_t a = declare_assemblage(w, name);
  world_assemblage_add_component(w, a, 0, manager, 0);
  if (column >= 0)
    world_assemblage_set_field(w, a, 0, manager, 0, (uint32_t)column, value);
}

static void add_state_component(world_o *w, const char *name, const char *state, uint32_t manager, double value) {
  uint32_t a = declare_assemblage(w, name), t = world_assemblage_add_state(w, a, id_of(w, state));
  world_assemblage_add_component(w, a, t, manager, 0);
  if (value != 0)
    world_assemblage_set_field(w, a, t, manager, 0, 0, value);
}

static void add_child_template(world_o *w, const char *name, const char *key, const char *of) {
  world_assemblage_add_child(w, declare_assemblage(w, name), id_of(w, key), declare_assemblage(w, of));
}

static shoal_entity spawn_assemblage(world_o *w, const char *name) {
  error_info_t error = {0};
  shoal_entity e = world_spawn(w, world_find_assemblage(w, id_of(w, name)), &error);
  if (e == 0)
    fail_msg("%s", error.text);
  return e;
}

// The old world declares `tank` with a position and health; each test declares the new version.
static int setup_tracked(void **state) {
  static worlds_t t;
  t = (worlds_t){make_world(), make_world()};
  world_track_touched_fields(t.from, true);
  world_track_touched_fields(t.to, true);
  add_template_component(t.from, "tank", POSITION, POSITION_X, 1);
  add_template_component(t.from, "tank", HEALTH, 0, 100);
  *state = &t;
  return 0;
}

static int setup_plain(void **state) {
  setup_tracked(state);
  worlds_t *t = *state;
  world_track_touched_fields(t->from, false);
  world_track_touched_fields(t->to, false);
  return 0;
}

static int teardown(void **state) {
  worlds_t *t = *state;
  world_destroy(t->from);
  world_destroy(t->to);
  return 0;
}
typedef worlds_t plain_worlds_t;
FIXTURE(plain_worlds_t, setup_plain, teardown)
FIXTURE(worlds_t, setup_tracked, teardown)

static char log_lines[1024];

static void append_line(void *context, const char *line) {
  (void)context;
  snprintf(log_lines + strlen(log_lines), sizeof log_lines - strlen(log_lines), "%s\n", line);
}

static world_migrate_counts_t run_merge(worlds_t *t) {
  error_info_t error = {0};
  world_migrate_counts_t counts;
  log_lines[0] = 0;
  if (!world_migrate(t->from, t->to, &(world_migrate_desc_t){.log_line = append_line}, &counts, &error))
    fail_msg("%s", error.text);
  return counts;
}

TEST_IN(merge_updates_untouched_values_and_keeps_written_ones, plain_worlds_t, t) {
  add_template_component(t->to, "tank", POSITION, POSITION_X, 5);
  add_template_component(t->to, "tank", HEALTH, 0, 200);
  shoal_entity free = spawn_assemblage(t->from, "tank"), set_x = spawn_assemblage(t->from, "tank");
  set(t->from, set_x, POSITION, POSITION_X, 7);
  world_migrate_counts_t counts = run_merge(t);
  assert_int_equal(get(t->to, free, POSITION, POSITION_X), 5);
  assert_int_equal(get(t->to, free, HEALTH, 0), 200);
  assert_int_equal(get(t->to, set_x, POSITION, POSITION_X), 7);
  assert_int_equal(get(t->to, set_x, HEALTH, 0), 200);
  assert_int_equal(counts.merge.assemblages, 1);
  assert_int_equal(counts.merge.entities_touched, 2);
  assert_int_equal(counts.merge.values_changed, 3);
  assert_int_equal(counts.merge.values_kept, 1);
}

// The value equals the template's, but a script wrote it: only the touched mark shows this.
TEST_IN(merge_keeps_a_written_value_that_equals_the_old_default, worlds_t, t) {
  add_template_component(t->to, "tank", POSITION, POSITION_X, 5);
  add_template_component(t->to, "tank", HEALTH, 0, 100);
  shoal_entity e = spawn_assemblage(t->from, "tank");
  set(t->from, e, POSITION, POSITION_X, 1);
  run_merge(t);
  assert_int_equal(get(t->to, e, POSITION, POSITION_X), 1);
}

TEST_IN(merge_without_touched_marks_keeps_values_that_differ_from_the_old_template, plain_worlds_t, t) {
  world_track_touched_fields(t->to, true); // only the new world tracks touched values
  add_template_component(t->to, "tank", POSITION, POSITION_X, 5);
  add_template_component(t->to, "tank", HEALTH, 0, 200);
  shoal_entity e = spawn_assemblage(t->from, "tank");
  set(t->from, e, HEALTH, 0, 30);
  run_merge(t);
  assert_int_equal(get(t->to, e, POSITION, POSITION_X), 5);
  assert_int_equal(get(t->to, e, HEALTH, 0), 30);
  const manager_o *m = world_manager(t->to, HEALTH);
  assert_true(columns_is_touched(&m->columns, manager_row(m, e), 0));
}

TEST_IN(merge_of_identical_templates_changes_nothing, plain_worlds_t, t) {
  add_template_component(t->to, "tank", POSITION, POSITION_X, 1);
  add_template_component(t->to, "tank", HEALTH, 0, 100);
  add_template_component(t->to, "other", HEALTH, 0, 1);
  for (uint32_t i = 0; i < 10; ++i)
    set(t->from, spawn_assemblage(t->from, "tank"), HEALTH, 0, i);
  world_migrate_counts_t counts = run_merge(t);
  assert_int_equal(counts.merge.entities_touched + counts.merge.assemblages + counts.merge.values_kept, 0);
  for (uint32_t i = 0; i < 10; ++i)
    assert_int_equal(get(t->to, i + 1, HEALTH, 0), i);
}

TEST_IN(merge_adds_and_removes_components_but_keeps_written_ones, plain_worlds_t, t) {
  add_template_component(t->to, "tank", POSITION, POSITION_X, 1);
  add_template_component(t->to, "tank", LABEL, 0, id_of(t->to, "new"));
  shoal_entity free = spawn_assemblage(t->from, "tank"), hurt = spawn_assemblage(t->from, "tank"),
               has = spawn_assemblage(t->from, "tank");
  set(t->from, hurt, HEALTH, 0, 3);
  add(t->from, has, LABEL, 0);
  query_o *q = QUERY(t->to, HAS(LABEL));
  world_migrate_counts_t counts = run_merge(t);
  assert_false(world_has_component(t->to, free, HEALTH));
  assert_true(world_has_component(t->to, hurt, HEALTH));
  assert_string_equal(strings_text(world_strings(t->to), (uint32_t)get(t->to, free, LABEL, 0)), "new");
  assert_int_equal(get(t->to, has, LABEL, 0), 0); // an existing label keeps its value
  assert_int_equal(q->count, 3);
  assert_int_equal(counts.merge.components_added, 2);
  assert_int_equal(counts.merge.components_removed, 2);
  assert_int_equal(counts.merge.values_kept, 1);
}

TEST_IN(merge_does_not_restore_a_component_removed_by_a_script, worlds_t, t) {
  add_template_component(t->to, "tank", POSITION, POSITION_X, 1);
  add_template_component(t->to, "tank", HEALTH, 0, 200);
  shoal_entity e = spawn_assemblage(t->from, "tank");
  assert_true(world_remove_component(t->from, e, HEALTH, 0));
  run_merge(t);
  assert_false(world_has_component(t->to, e, HEALTH));
}

TEST_IN(merge_updates_each_named_instance_separately, worlds_t, t) {
  uint32_t old = declare_assemblage(t->from, "tank"), left = id_of(t->from, "left"), right = id_of(t->from, "right");
  world_assemblage_add_component(t->from, old, 0, GUN, left);
  world_assemblage_add_component(t->from, old, 0, GUN, right);
  shoal_entity e = spawn_assemblage(t->from, "tank");
  add_template_component(t->to, "tank", POSITION, POSITION_X, 1);
  add_template_component(t->to, "tank", HEALTH, 0, 100);
  uint32_t now = declare_assemblage(t->to, "tank");
  world_assemblage_add_component(t->to, now, 0, GUN, id_of(t->to, "right"));
  world_assemblage_set_field(t->to, now, 0, GUN, id_of(t->to, "right"), 0, 4);
  world_assemblage_add_component(t->to, now, 0, GUN, id_of(t->to, "rear"));
  run_merge(t);
  const manager_o *m = world_manager(t->to, GUN);
  assert_int_equal(manager_find_instance_row(m, e, id_of(t->to, "left")), ROW_NONE);
  assert_int_not_equal(manager_find_instance_row(m, e, id_of(t->to, "rear")), ROW_NONE);
  uint32_t row = manager_find_instance_row(m, e, id_of(t->to, "right"));
  assert_int_equal(columns_get(&m->columns, row, 0), 4);
}

TEST_IN(merge_updates_components_of_the_current_state, worlds_t, t) {
  add_state_component(t->from, "tank", "alive", SCORE + 1, 0);
  add_state_component(t->from, "tank", "dying", LABEL, 0);
  shoal_entity alive = spawn_assemblage(t->from, "tank"), dying = spawn_assemblage(t->from, "tank");
  assert_true(world_enter_state(t->from, dying, id_of(t->from, "dying"), NULL));
  add_template_component(t->to, "tank", POSITION, POSITION_X, 1);
  add_template_component(t->to, "tank", HEALTH, 0, 100);
  add_state_component(t->to, "tank", "alive", SCORE + 1, 0);
  add_state_component(t->to, "tank", "dying", FROZEN, 0);
  run_merge(t);
  assert_false(world_has_component(t->to, alive, FROZEN));
  assert_true(world_has_component(t->to, dying, FROZEN));
  assert_false(world_has_component(t->to, dying, LABEL));
}

TEST_IN(merge_resets_entities_in_a_deleted_state_to_the_initial_state, worlds_t, t) {
  add_state_component(t->from, "tank", "alive", FROZEN, 0);
  add_state_component(t->from, "tank", "dying", LABEL, 0);
  shoal_entity e = spawn_assemblage(t->from, "tank");
  assert_true(world_enter_state(t->from, e, id_of(t->from, "dying"), NULL));
  add_template_component(t->to, "tank", POSITION, POSITION_X, 1);
  add_template_component(t->to, "tank", HEALTH, 0, 100);
  add_state_component(t->to, "tank", "alive", FROZEN, 0);
  world_migrate_counts_t counts = run_merge(t);
  assert_true(world_has_component(t->to, e, FROZEN));
  assert_false(world_has_component(t->to, e, LABEL));
  assert_int_equal(world_entities(t->to)->state[shoal_entity_index(e)], id_of(t->to, "alive"));
  assert_int_equal(counts.merge.states_reset, 1);
  assert_non_null(strstr(log_lines, "assemblage tank no longer has state dying"));
}

static shoal_entity find_child(world_o *w, shoal_entity parent, const char *name) {
  const manager_o *m = world_manager(w, TRANSFORM);
  for (uint32_t row = 0; row < m->count; ++row)
    if (columns_get(&m->columns, row, 0) == parent &&
        world_entities(w)->assemblage[shoal_entity_index(m->owner[row])] == id_of(w, name))
      return m->owner[row];
  return SHOAL_ENTITY_NONE;
}

TEST_IN(merge_adds_and_removes_children, plain_worlds_t, t) {
  add_template_component(t->from, "tank/turret", TRANSFORM, 1, 8);
  add_template_component(t->from, "tank/flag", TRANSFORM, 1, 2);
  add_child_template(t->from, "tank", "turret", "tank/turret");
  add_child_template(t->from, "tank", "flag", "tank/flag");
  shoal_entity free = spawn_assemblage(t->from, "tank"), used = spawn_assemblage(t->from, "tank");
  set(t->from, find_child(t->from, used, "tank/flag"), TRANSFORM, 1, 3);
  add_template_component(t->to, "tank", POSITION, POSITION_X, 1);
  add_template_component(t->to, "tank", HEALTH, 0, 100);
  add_template_component(t->to, "tank/turret", TRANSFORM, 1, 9);
  add_template_component(t->to, "tank/lamp", TRANSFORM, 1, 4);
  add_child_template(t->to, "tank", "lamp", "tank/lamp");
  add_child_template(t->to, "tank", "turret", "tank/turret");
  world_migrate_counts_t counts = run_merge(t);
  assert_int_equal(get(t->to, find_child(t->to, free, "tank/turret"), TRANSFORM, 1), 9);
  assert_int_equal(get(t->to, find_child(t->to, free, "tank/lamp"), TRANSFORM, 1), 4);
  assert_int_equal(find_child(t->to, free, "tank/flag"), SHOAL_ENTITY_NONE);
  assert_int_equal(get(t->to, find_child(t->to, used, "tank/flag"), TRANSFORM, 1), 3);
  assert_int_equal(counts.merge.children_added, 2);
  assert_int_equal(counts.merge.children_removed, 1);
}

TEST_IN(merge_keeps_a_child_removed_from_the_template_if_its_own_child_changed, worlds_t, t) {
  add_template_component(t->from, "tank/turret", TRANSFORM, 1, 8);
  add_template_component(t->from, "tank/turret/gun", TRANSFORM, 1, 2);
  add_child_template(t->from, "tank/turret", "gun", "tank/turret/gun");
  add_child_template(t->from, "tank", "turret", "tank/turret");
  shoal_entity e = spawn_assemblage(t->from, "tank");
  shoal_entity gun = find_child(t->from, find_child(t->from, e, "tank/turret"), "tank/turret/gun");
  add(t->from, gun, HEALTH, 0);
  add_template_component(t->to, "tank", POSITION, POSITION_X, 1);
  add_template_component(t->to, "tank", HEALTH, 0, 100);
  run_merge(t);
  assert_int_not_equal(find_child(t->to, e, "tank/turret"), SHOAL_ENTITY_NONE);
  assert_true(world_is_alive(t->to, gun));
}

TEST_IN(merge_keeps_the_child_entity_when_the_assemblage_of_its_child_slot_changes, worlds_t, t) {
  add_template_component(t->from, "vehicle/turret", TRANSFORM, 1, 8);
  add_child_template(t->from, "tank", "turret", "vehicle/turret");
  shoal_entity e = spawn_assemblage(t->from, "tank"), turret = find_child(t->from, e, "vehicle/turret");
  add_template_component(t->to, "tank", POSITION, POSITION_X, 1);
  add_template_component(t->to, "tank", HEALTH, 0, 100);
  add_template_component(t->to, "vehicle/turret", TRANSFORM, 1, 8);
  add_template_component(t->to, "tank/turret", TRANSFORM, 1, 12);
  add_template_component(t->to, "tank/turret", FROZEN, -1, 0);
  add_child_template(t->to, "tank", "turret", "tank/turret");
  run_merge(t);
  assert_int_equal(find_child(t->to, e, "tank/turret"), turret);
  assert_int_equal(get(t->to, turret, TRANSFORM, 1), 12);
  assert_true(world_has_component(t->to, turret, FROZEN));
  assert_int_equal(world_assemblage_alive_count(t->to, id_of(t->to, "tank/turret")), 1);
  assert_int_equal(world_assemblage_alive_count(t->to, id_of(t->to, "vehicle/turret")), 0);
}

TEST_IN(merge_leaves_entities_of_a_deleted_assemblage_unchanged, worlds_t, t) {
  shoal_entity e = spawn_assemblage(t->from, "tank");
  run_merge(t);
  assert_int_equal(get(t->to, e, HEALTH, 0), 100);
  assert_non_null(strstr(log_lines, "assemblage tank was removed: its only entity is unchanged"));
}

TEST_IN(entities_of_a_deleted_assemblage_can_no_longer_enter_its_states, worlds_t, t) {
  error_info_t error;
  add_state_component(t->from, "tank", "alive", FROZEN, 0);
  shoal_entity e = spawn_assemblage(t->from, "tank");
  run_merge(t);
  assert_true(world_has_component(t->to, e, FROZEN));
  assert_non_null(strstr(log_lines, "assemblage tank was removed: its only entity in state alive keeps its components "
                                    "and values, but can no longer enter a state: "));
  assert_false(world_enter_state(t->to, e, id_of(t->to, "alive"), &error));
  assert_non_null(strstr(error.text, "has no states: assemblage tank was removed"));
}

TEST_IN(watchers_are_notified_of_components_added_by_the_merge, worlds_t, t) {
  add_template_component(t->to, "tank", POSITION, POSITION_X, 1);
  add_template_component(t->to, "tank", HEALTH, 0, 100);
  add_template_component(t->to, "tank", FROZEN, -1, 0);
  uint32_t count = 0, x = world_watch_query(t->from, id_of(t->from, "cold"), QUERY(t->from, HAS(FROZEN)));
  QUERY(t->to, HAS(FROZEN));
  shoal_entity e = spawn_assemblage(t->from, "tank");
  world_watch_pop_entries(t->from, x, &count);
  assert_int_equal(count, 0);
  run_merge(t);
  x = world_watch_query(t->to, id_of(t->to, "cold"), QUERY(t->to, HAS(FROZEN)));
  const query_watch_t *list = world_watch_pop_entries(t->to, x, &count);
  assert_int_equal(count, 1);
  assert_int_equal(list[0].entity, e);
}

TEST_IN(merge_updates_an_unwritten_singleton_to_its_new_default, worlds_t, t) {
  schema_buffer_t *s = calloc(1, sizeof *s);
  schema_init(s, "score", SCHEMA_SINGLE, "test");
  schema_add_field(&s->schema, "value", FIELD_I32, 12);
  assert_int_equal(world_declare_schema(t->to, &s->schema, NULL), SCORE);
  free(s);
  run_merge(t);
  assert_int_equal(columns_get(&world_manager(t->to, SCORE)->columns, 0, 0), 12);
}

// --- touched marks

static bool is_touched(world_o *w, shoal_entity e, uint32_t manager, uint32_t column) {
  const manager_o *m = world_manager(w, manager);
  return columns_is_touched(&m->columns, manager_row(m, e), column);
}

TEST_IN(touched_marks_move_with_their_rows, worlds_t, t) {
  world_o *w = t->from;
  shoal_entity e[40];
  assert_true(world_group_query(w, QUERY(w, HAS(POSITION), HAS(LABEL)), NULL));
  for (uint32_t i = 0; i < 40; ++i) {
    e[i] = spawn_assemblage(w, "tank");
    if (i % 3 == 0)
      set(w, e[i], POSITION, POSITION_Y, i);
  }
  for (uint32_t i = 0; i < 40; i += 5)
    add(w, e[i], LABEL, 0); // swaps rows: the entity joins the group
  for (uint32_t i = 0; i < 40; i += 4)
    world_destroy_entity(w, e[i]);
  spawn_assemblage(w, "tank");
  for (uint32_t i = 0; i < 40; ++i)
    if (i % 4 != 0) {
      assert_int_equal(is_touched(w, e[i], POSITION, POSITION_Y), i % 3 == 0);
      assert_false(is_touched(w, e[i], POSITION, POSITION_X));
    }
}

TEST_IN(touched_marks_are_saved_in_snapshots_but_not_hashed, worlds_t, t) {
  error_info_t error = {0};
  allocator_t memory = {0};
  snapshot_o *s = snapshot_create(&memory);
  add_template_component(t->to, "tank", POSITION, POSITION_X, 1);
  add_template_component(t->to, "tank", HEALTH, 0, 100);
  shoal_entity free = spawn_assemblage(t->from, "tank"), e = spawn_assemblage(t->from, "tank");
  uint64_t before = world_hash(t->from);
  set(t->from, e, HEALTH, 0, 100);
  assert_int_equal(world_hash(t->from), before);
  assert_true(snapshot_take(s, t->from, &error));
  assert_true(snapshot_restore(s, t->to, &error));
  assert_true(is_touched(t->to, e, HEALTH, 0));
  assert_false(is_touched(t->to, free, HEALTH, 0));
  world_track_touched_fields(t->to, false); // a world that does not track marks can restore the snapshot
  assert_true(snapshot_restore(s, t->to, &error));
  assert_int_equal(world_hash(t->to), before);
  set(t->to, e, HEALTH, 0, 5);
  assert_true(snapshot_take(s, t->to, &error)); // a world that does not track marks can take a snapshot
  assert_true(snapshot_restore(s, t->from, &error));
  assert_true(is_touched(t->from, e, HEALTH, 0));
  assert_false(is_touched(t->from, e, POSITION, POSITION_X));
  snapshot_release(s);
}

TEST_IN(deferred_block_and_bulk_writes_set_touched_marks, worlds_t, t) {
  world_o *w = t->from;
  error_info_t error = {0};
  uint32_t tank = declare_assemblage(w, "tank");
  world_defer_begin(w, 0); // overrides a value of a queued spawn
  shoal_entity a = world_spawn(w, tank, &error);
  set(w, a, HEALTH, 0, 4);
  world_defer_end(w, false);
  uint32_t block = world_spawn_block_begin(w, tank, 20, &error); // writes to the columns of a spawn block
  shoal_entity b = world_spawn_block_entities(w, block)[11];
  columns_set(world_spawn_block_columns(w, block, HEALTH, 0), 11, 0, 9);
  world_spawn_block_commit(w, block);
  shoal_entity c = SPAWN(w, LABEL); // gets its health from a bulk command
  assert_true(world_query_add_component(w, QUERY(w, HAS(LABEL)), HEALTH, (uint32_t[]){0}, (double[]){6}, 1, &error));
  assert_true(is_touched(w, a, HEALTH, 0));
  assert_false(is_touched(w, a, POSITION, 0));
  assert_true(is_touched(w, b, HEALTH, 0));
  assert_false(is_touched(w, b, POSITION, 0));
  assert_false(is_touched(w, world_manager(w, HEALTH)->owner[2], HEALTH, 0));
  assert_int_equal(get(w, c, HEALTH, 0), 6);
  assert_true(is_touched(w, c, HEALTH, 0));
}
