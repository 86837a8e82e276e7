// Component rows: ecs/manager.h.
#include "ecs_fixture.h"

FIXTURE(world_o, world_setup, world_teardown)

TEST_IN(removed_row_is_replaced_by_the_last_row, world_o, w) {
  shoal_entity a = SPAWN(w, POSITION), b = SPAWN(w, POSITION), c = SPAWN(w, POSITION);
  set(w, a, POSITION, POSITION_X, 1);
  set(w, b, POSITION, POSITION_X, 2);
  set(w, c, POSITION, POSITION_X, 3);
  assert_true(world_remove_component(w, a, POSITION, 0));
  const manager_o *m = world_manager(w, POSITION);
  assert_int_equal(m->count, 2);
  assert_int_equal(manager_row(m, a), ROW_NONE);
  assert_int_equal(manager_row(m, c), 0);
  assert_true(get(w, b, POSITION, POSITION_X) == 2 && get(w, c, POSITION, POSITION_X) == 3);
  assert_true(world_remove_component(w, b, POSITION, 0)); // removes the last row, which must not reappear
  assert_int_equal(manager_row(m, b), ROW_NONE);
  assert_true(world_remove_component(w, c, POSITION, 0));
  assert_int_equal(m->count, 0);
}

TEST_IN(first_row_of_an_entity_with_a_high_index_takes_less_than_2_kb, world_o, w) {
  shoal_entity e = 0;
  for (uint32_t i = 0; i < 9000; ++i)
    e = spawn(w);
  size_t bytes = world_allocator(w)->bytes;
  add(w, e, HEALTH, 0);
  assert_in_range(world_allocator(w)->bytes - bytes, 1, 2000);
  assert_null(world_manager(w, HEALTH)->clamped); // no column has a range
}

TEST_IN(stale_id_does_not_find_the_row_of_a_reused_index, world_o, w) {
  shoal_entity old = SPAWN(w, HEALTH);
  world_destroy_entity(w, old);
  for (uint32_t i = 0; i < ENTITY_MIN_FREE_TICKS; ++i)
    world_end_tick(w);
  shoal_entity e = 0;
  for (uint32_t i = 0; i < 1100 && shoal_entity_index(e) != shoal_entity_index(old); ++i) {
    if (e)
      world_destroy_entity(w, e);
    e = spawn(w);
  }
  assert_int_equal(shoal_entity_index(e), shoal_entity_index(old));
  add(w, e, HEALTH, 0);
  const manager_o *m = world_manager(w, HEALTH);
  assert_int_equal(manager_row(m, old), ROW_NONE);
  assert_int_equal(manager_row(m, e), 0);
  assert_int_equal(manager_row(m, UINT32_MAX), ROW_NONE);
  assert_int_equal(manager_row(m, 0), ROW_NONE);
  assert_false(world_has_component(w, old, HEALTH));
}

// Returns the instances of `e` in chain order, as one string.
static const char *format_chain(world_o *w, shoal_entity e, uint32_t manager) {
  static char text[256];
  const manager_o *m = world_manager(w, manager);
  text[0] = '\0';
  for (uint32_t row = manager_row(m, e); row != ROW_NONE; row = m->next[row]) {
    assert_int_equal(m->owner[row], e);
    strcat(text, strings_text(world_strings(w), m->instance[row]));
    strcat(text, " ");
  }
  return text;
}

TEST_IN(instances_keep_their_order_when_rows_move, world_o, w) {
  shoal_entity other = spawn(w), e = spawn(w);
  uint32_t left = id_of(w, "left"), right = id_of(w, "right"), rear = id_of(w, "rear");
  add(w, other, GUN, left);
  add(w, e, GUN, right);
  add(w, other, GUN, right);
  add(w, e, GUN, left);
  add(w, e, GUN, rear);
  add(w, e, GUN, right); // no effect: the instance is already present
  assert_int_equal(world_manager(w, GUN)->count, 5);
  assert_string_equal(format_chain(w, e, GUN), "right left rear ");
  assert_true(world_remove_component(w, other, GUN, left)); // `rear` of e moves to row 0
  assert_string_equal(format_chain(w, e, GUN), "right left rear ");
  assert_int_equal(manager_find_instance_row(world_manager(w, GUN), e, rear), 0);
  assert_true(world_remove_component(w, e, GUN, left));
  assert_string_equal(format_chain(w, e, GUN), "right rear ");
  assert_true(world_remove_component(w, e, GUN, right)); // removes the head of the chain
  assert_string_equal(format_chain(w, e, GUN), "rear ");
  add(w, e, GUN, left);
  assert_string_equal(format_chain(w, e, GUN), "rear left ");
  assert_string_equal(format_chain(w, other, GUN), "right ");
  assert_int_equal(manager_find_instance_row(world_manager(w, GUN), e, right), ROW_NONE);
}

TEST_IN(removing_without_a_name_removes_every_instance, world_o, w) {
  shoal_entity e = spawn(w);
  add(w, e, GUN, id_of(w, "left"));
  add(w, e, GUN, id_of(w, "right"));
  assert_true(world_remove_component(w, e, GUN, 0));
  assert_false(world_has_component(w, e, GUN));
  assert_int_equal(world_manager(w, GUN)->count, 0);
  assert_false(world_remove_component(w, e, GUN, 0));
}

TEST_IN(singleton_has_one_row_without_an_owner, world_o, w) {
  const manager_o *m = world_manager(w, SCORE);
  assert_int_equal(m->count, 1);
  assert_int_equal(m->owner[0], 0);
  error_info_t error;
  shoal_entity e = spawn(w);
  assert_false(world_add_component(w, e, SCORE, 0, &error));
  assert_non_null(strstr(error.text, "score"));
  assert_false(world_has_component(w, e, SCORE));
}

// --- hooks

typedef struct hook_log_t {
  char text[512];
  world_o *w;
} hook_log_t;

static void log_hook(hook_log_t *t, const char *what, shoal_entity e) {
  char line[32];
  snprintf(line, sizeof line, "%s%u ", what, e);
  strcat(t->text, line);
}

static void on_added(void *context, world_o *w, manager_o *m, const uint32_t *rows, uint32_t count) {
  hook_log_t *t = context;
  (void)w;
  strcat(t->text, "added ");
  for (uint32_t i = 0; i < count; ++i) {
    log_hook(t, "", m->owner[rows[i]]);
    if (m->id == HEALTH)
      log_hook(t, "hp", (uint32_t)columns_get(&m->columns, rows[i], 0));
  }
}

static void on_removing(void *context, world_o *w, manager_o *m, const shoal_entity *entities, uint32_t count) {
  (void)w;
  assert_true(count > 0);
  strcat(((hook_log_t *)context)->text, "removing ");
  for (uint32_t i = 0; i < count; ++i) {
    assert_int_not_equal(manager_row(m, entities[i]), ROW_NONE);
    log_hook(context, "", entities[i]);
  }
}

static void on_died(void *context, world_o *w, manager_o *m, const shoal_entity *entities, uint32_t count) {
  assert_true(count > 0);
  strcat(((hook_log_t *)context)->text, "died ");
  for (uint32_t i = 0; i < count; ++i) {
    assert_true(world_is_alive(w, entities[i]));
    assert_int_not_equal(manager_row(m, entities[i]), ROW_NONE);
    log_hook(context, "", entities[i]);
  }
}

static void set_logging_hooks(world_o *w, uint32_t manager, hook_log_t *t) {
  world_set_hooks(w, manager,
                  &(manager_hooks_t){.context = t, .added = on_added, .removing = on_removing, .died = on_died});
}

TEST_IN(added_hook_runs_once_per_batch_after_values_are_set, world_o, w) {
  hook_log_t t = {.text = ""};
  set_logging_hooks(w, HEALTH, &t);
  world_defer_begin(w, 0);
  shoal_entity a = SPAWN(w, HEALTH);
  set(w, a, HEALTH, 0, 5);
  shoal_entity b = SPAWN(w, HEALTH, POSITION);
  set(w, b, HEALTH, 0, 6);
  world_defer_end(w, false);
  assert_string_equal(t.text, "added 1 hp5 2 hp6 ");
  t.text[0] = '\0';
  add(w, a, HEALTH, 0); // no effect: the component is already present
  assert_string_equal(t.text, "");
}

TEST_IN(removing_hook_runs_after_a_pending_added_hook, world_o, w) {
  hook_log_t t = {.text = ""};
  set_logging_hooks(w, POSITION, &t);
  world_defer_begin(w, 0);
  shoal_entity a = SPAWN(w, POSITION);
  world_remove_component(w, a, POSITION, 0);
  world_defer_end(w, false);
  assert_string_equal(t.text, "added 1 removing 1 ");
}

TEST_IN(died_hook_runs_once_per_batch_before_rows_are_removed, world_o, w) {
  hook_log_t t = {.text = ""};
  shoal_entity a = SPAWN(w, POSITION, HEALTH), b = SPAWN(w, POSITION), c = SPAWN(w, HEALTH);
  SPAWN(w, LABEL);
  set_logging_hooks(w, LABEL, &t); // not called for components that the dead entities lack
  set_logging_hooks(w, POSITION, &t);
  set_logging_hooks(w, HEALTH, &t);
  world_defer_begin(w, 0);
  world_destroy_entity(w, c);
  world_destroy_entity(w, b);
  world_destroy_entity(w, a);
  world_destroy_entity(w, b);
  world_defer_end(w, false);
  assert_string_equal(t.text, "died 2 1 died 3 1 removing 2 1 removing 3 1 ");
  assert_false(world_is_alive(w, a) || world_is_alive(w, b) || world_is_alive(w, c));
}

static void destroy_next(void *context, world_o *w, manager_o *m, const shoal_entity *entities, uint32_t count) {
  on_died(context, w, m, entities, count);
  for (uint32_t i = 0; i < count; ++i)
    world_destroy_entity(w, (shoal_entity)columns_get(&m->columns, manager_row(m, entities[i]), POSITION_X));
}

TEST_IN(died_hook_can_destroy_more_entities_in_the_same_batch, world_o, w) {
  hook_log_t t = {.text = ""};
  shoal_entity a = SPAWN(w, POSITION), b = SPAWN(w, POSITION), c = SPAWN(w, POSITION), d = SPAWN(w, POSITION);
  set(w, a, POSITION, POSITION_X, b);
  set(w, b, POSITION, POSITION_X, c);
  set(w, c, POSITION, POSITION_X, a); // closes a cycle
  world_set_hooks(w, POSITION, &(manager_hooks_t){.context = &t, .died = destroy_next, .removing = on_removing});
  assert_true(world_destroy_entity(w, a));
  assert_string_equal(t.text, "died 1 died 2 died 3 removing 1 2 3 ");
  assert_false(world_is_alive(w, b) || world_is_alive(w, c));
  assert_true(world_is_alive(w, d));
}

static void add_frozen(void *context, world_o *w, manager_o *m, const uint32_t *rows, uint32_t count) {
  (void)context;
  for (uint32_t i = 0; i < count; ++i)
    world_add_component(w, m->owner[rows[i]], FROZEN, 0, NULL);
}

TEST_IN(changes_queued_by_a_hook_apply_in_the_same_sync, world_o, w) {
  world_set_hooks(w, HEALTH, &(manager_hooks_t){.added = add_frozen});
  shoal_entity e = SPAWN(w, HEALTH);
  assert_true(world_has_component(w, e, FROZEN));
  assert_int_equal(world_command_count(w), 0);
}

static void defer_and_drop(void *context, world_o *w, manager_o *m, const uint32_t *rows, uint32_t count) {
  shoal_entity *dropped = context;
  (void)count;
  world_defer_begin(w, 0);
  *dropped = spawn(w);
  world_add_component(w, m->owner[rows[0]], LABEL, 0, NULL);
  world_defer_end(w, true);
  world_defer_begin(w, 0);
  world_add_component(w, m->owner[rows[0]], FROZEN, 0, NULL);
  world_defer_end(w, false);
}

TEST_IN(hook_can_drop_its_own_deferral_while_commands_are_applied, world_o, w) {
  shoal_entity dropped = 0;
  world_set_hooks(w, HEALTH, &(manager_hooks_t){.context = &dropped, .added = defer_and_drop});
  uint32_t rock = world_assemblage_declare(w, id_of(w, "rock"));
  world_assemblage_add_component(w, rock, 0, HEALTH, 0);
  uint32_t block = world_spawn_block_begin(w, rock, 2, NULL);
  shoal_entity e = world_spawn_block_entities(w, block)[0];
  world_defer_begin(w, 0);
  world_spawn_block_commit(w, block);
  world_defer_end(w, false);
  assert_int_not_equal(dropped, 0);
  assert_false(world_is_alive(w, dropped));
  assert_true(world_has_component(w, e, FROZEN) && !world_has_component(w, e, LABEL));
  assert_int_equal(world_command_count(w), 0);
  assert_false(world_is_deferring(w));
}
