// Watchers of entities that enter and leave a query: ecs/query_observer.c.
#include "ecs_fixture.h"

#include "ecs/event_deaths.h"
#include "ecs/world_internal.h"
#include "ecs/last_values.h"
#include "snapshot/snapshot.h"
#include "snapshot/state.h"
#include "ecs/world_hash.h"

// Returns the changes since the last call as one string: +3 entered, -3 left.
static const char *take_changes(world_o *w, uint32_t watcher) {
  static char text[256];
  uint32_t count;
  const query_watch_t *n = world_watch_pop_entries(w, watcher, &count);
  text[0] = '\0';
  for (uint32_t i = 0; i < count; ++i) {
    char one[16];
    snprintf(one, sizeof one, "%c%u ", n[i].entered ? '+' : '-', n[i].entity);
    strcat(text, one);
  }
  return text;
}

FIXTURE(world_o, world_setup, world_teardown)

TEST_IN(new_watcher_reports_all_matching_entities, world_o, w) {
  SPAWN(w, HEALTH);
  SPAWN(w, POSITION);
  SPAWN(w, HEALTH);
  uint32_t x = world_watch_query(w, id_of(w, "system"), QUERY(w, HAS(HEALTH)));
  assert_string_equal(take_changes(w, x), "+1 +3 ");
  assert_string_equal(take_changes(w, x), "");
}

TEST_IN(watching_a_query_again_by_the_same_name_returns_the_same_watcher, world_o, w) {
  query_o *q = QUERY(w, HAS(HEALTH));
  uint32_t x = world_watch_query(w, id_of(w, "system"), q);
  SPAWN(w, HEALTH);
  assert_int_equal(world_watch_query(w, id_of(w, "system"), q), x); // a reload watches the query again
  assert_string_equal(take_changes(w, x), "+1 ");
  uint32_t other = world_watch_query(w, id_of(w, "other"), q);
  assert_int_not_equal(other, x);
  assert_string_equal(take_changes(w, other), "+1 ");
}

TEST_IN(watcher_omits_enter_then_leave_but_reports_leave_then_enter, world_o, w) {
  shoal_entity a = SPAWN(w, HEALTH), b = spawn(w);
  uint32_t x = world_watch_query(w, id_of(w, "system"), QUERY(w, HAS(HEALTH)));
  take_changes(w, x);
  add(w, b, HEALTH, 0);
  world_remove_component(w, b, HEALTH, 0);
  assert_string_equal(take_changes(w, x), "");
  world_remove_component(w, a, HEALTH, 0);
  add(w, a, HEALTH, 0);
  assert_string_equal(take_changes(w, x), "-1 +1 ");
  world_remove_component(w, a, HEALTH, 0);
  add(w, a, HEALTH, 0);
  world_remove_component(w, a, HEALTH, 0);
  add(w, b, HEALTH, 0);
  assert_string_equal(take_changes(w, x), "-1 +2 ");
}

TEST_IN(watcher_lists_leaves_then_enters_in_order, world_o, w) {
  shoal_entity a = SPAWN(w, HEALTH);
  uint32_t x = world_watch_query(w, id_of(w, "system"), QUERY(w, HAS(HEALTH)));
  take_changes(w, x);
  SPAWN(w, HEALTH);
  world_destroy_entity(w, a);
  shoal_entity c = SPAWN(w, HEALTH);
  world_destroy_entity(w, c);
  SPAWN(w, HEALTH);
  assert_string_equal(take_changes(w, x), "-1 +2 +4 ");
}

TEST_IN(entity_with_instances_enters_and_leaves_once, world_o, w) {
  shoal_entity e = spawn(w);
  uint32_t left = id_of(w, "left"), right = id_of(w, "right");
  query_o *q = QUERY(w, HAS(GUN));
  uint32_t x = world_watch_query(w, id_of(w, "system"), q);
  add(w, e, GUN, left);
  add(w, e, GUN, right);
  uint32_t late = world_watch_query(w, id_of(w, "late"), q);
  assert_string_equal(take_changes(w, x), "+1 ");
  assert_string_equal(take_changes(w, late), "+1 ");
  world_remove_component(w, e, GUN, left);
  assert_string_equal(take_changes(w, x), "");
  world_remove_component(w, e, GUN, right);
  assert_string_equal(take_changes(w, x), "-1 ");
}

TEST_IN(changes_returned_to_a_watcher_are_reported_before_later_ones, world_o, w) {
  shoal_entity a = SPAWN(w, HEALTH), b = spawn(w);
  uint32_t x = world_watch_query(w, id_of(w, "system"), QUERY(w, HAS(HEALTH)));
  take_changes(w, x);
  world_remove_component(w, a, HEALTH, 0);
  add(w, b, HEALTH, 0);
  assert_string_equal(take_changes(w, x), "-1 +2 ");
  add(w, a, HEALTH, 0); // meanwhile `a` matches again and `b` no longer does; neither was reported
  world_remove_component(w, b, HEALTH, 0);
  SPAWN(w, HEALTH);
  world_watch_return_entries(w, x);
  assert_string_equal(take_changes(w, x), "-1 +1 +3 ");
  assert_string_equal(take_changes(w, x), "");
  world_watch_return_entries(w, x);
  world_watch_return_entries(w, x);
  assert_string_equal(take_changes(w, x), "");
}

TEST_IN(repeated_enter_and_leave_does_not_grow_the_list, world_o, w) {
  uint32_t x = world_watch_query(w, id_of(w, "system"), QUERY(w, HAS(HEALTH)));
  shoal_entity kept = SPAWN(w, HEALTH), e = spawn(w);
  size_t bytes = 0;
  for (uint32_t i = 0; i < 5000; ++i) {
    if (i == 1000)
      bytes = world_allocator(w)->bytes;
    add(w, e, HEALTH, 0);
    world_remove_component(w, e, HEALTH, 0);
  }
  assert_int_equal(world_allocator(w)->bytes, bytes);
  add(w, e, HEALTH, 0);
  assert_string_equal(take_changes(w, x), "+1 +2 ");
  world_remove_component(w, kept, HEALTH, 0);
  assert_string_equal(take_changes(w, x), "-1 ");
}

static float last_hp(world_o *w, shoal_entity e) {
  manager_o *m = world_manager(w, HEALTH);
  uint32_t row = last_values_find(m, e, 0, 0, false);
  return row == ROW_NONE ? -1 : (float)last_values_get(m, row, 0);
}

TEST_IN(last_values_are_kept_until_the_leave_is_taken, world_o, w) {
  shoal_entity e = SPAWN(w, HEALTH, POSITION);
  set(w, e, HEALTH, 0, 3);
  uint32_t x = world_watch_query(w, id_of(w, "system"), QUERY(w, HAS(HEALTH)));
  world_watch_enable_last_rows(w, x);
  take_changes(w, x);
  world_remove_component(w, e, HEALTH, 0);
  assert_true(last_hp(w, e) == 3);
  // The entity still has the component.
  assert_true(last_values_find(world_manager(w, POSITION), e, 0, 0, false) == ROW_NONE);
  world_destroy_entity(w, e);
  assert_true(last_values_find(world_manager(w, POSITION), e, 0, 0, false) != ROW_NONE);
  snapshot_o *s = snapshot_create(world_allocator(w));
  world_end_tick(w);
  assert_true(snapshot_take(s, w, NULL));
  uint64_t hash = world_hash(w);
  assert_true(last_hp(w, e) == 3);
  assert_string_equal(take_changes(w, x), "-1 ");
  world_end_tick(w);
  assert_true(last_hp(w, e) == -1);
  assert_true(snapshot_restore(s, w, NULL));
  assert_true(world_hash(w) == hash);
  assert_true(last_hp(w, e) == 3);
  assert_true(last_values_find(world_manager(w, POSITION), e, 0, 0, false) != ROW_NONE);
  snapshot_release(s);
}

TEST_IN(last_values_are_kept_when_a_one_of_term_stops_matching, world_o, w) {
  query_o *any = QUERY(w, ONE_OF(HEALTH), ONE_OF(LABEL)), *all = QUERY(w, HAS(HEALTH));
  shoal_entity es[20];
  for (uint32_t i = 0; i < 20; ++i)
    set(w, es[i] = SPAWN(w, HEALTH), HEALTH, 0, i);
  uint32_t x = world_watch_query(w, id_of(w, "system"), any), count;
  world_watch_enable_last_rows(w, x);
  take_changes(w, x);
  world_query_remove_component(w, all, HEALTH, NULL);
  world_watch_pop_entries(w, x, &count);
  assert_int_equal(count, 20);
  for (uint32_t i = 0; i < count; ++i)
    assert_true(last_hp(w, es[i]) == (float)i);
}

// One row exists for each instance at the time the entity stopped matching. An entity that no watcher reports has no
// row.
TEST_IN(last_values_of_many_components_are_found_by_instance, world_o, w) {
  shoal_entity e = spawn(w), other = spawn(w);
  uint32_t left = id_of(w, "left"), right = id_of(w, "right");
  manager_o *m = world_manager(w, GUN);
  uint32_t x = world_watch_query(w, id_of(w, "system"), QUERY(w, HAS(GUN), HAS_NOT(FROZEN)));
  world_watch_enable_last_rows(w, x);
  add(w, other, FROZEN, 0);
  add(w, other, GUN, left);
  add(w, e, GUN, left);
  add(w, e, GUN, right);
  take_changes(w, x);
  for (uint32_t i = 0; i < 2; ++i) {
    columns_set(&m->columns, manager_find_instance_row(m, e, left), 0, 5 + i);
    columns_set(&m->columns, manager_find_instance_row(m, e, right), 0, 7 + i);
    if (i == 0) {
      world_remove_component(w, e, GUN, 0);
      add(w, e, GUN, left);
      add(w, e, GUN, right);
    }
  }
  world_destroy_entity(w, e);
  world_destroy_entity(w, other);
  assert_true(last_values_get(m, last_values_find(m, e, 0, left, false), 0) == 5);
  assert_true(last_values_get(m, last_values_find(m, e, 0, right, false), 0) == 7);
  assert_true(last_values_find(m, e, 0, id_of(w, "rear"), false) == ROW_NONE);
  assert_true(last_values_find(m, other, 0, left, true) == ROW_NONE);
}

// Returns the removal number of the first entity reported since the previous call, which must have left.
static uint32_t take_removal(world_o *w, uint32_t watcher) {
  uint32_t count;
  const query_watch_t *n = world_watch_pop_entries(w, watcher, &count);
  assert_true(count >= 1 && !n[0].entered);
  return n[0].removal;
}

// A removal number finds the row of an entity that lost the component and got a new one. It finds no row for an entity
// that left without a removal, even if rows of an earlier removal still exist. The same holds after a restore.
TEST_IN(last_values_are_found_by_removal_number, world_o, w) {
  shoal_entity e = SPAWN(w, HEALTH);
  manager_o *m = world_manager(w, HEALTH);
  uint32_t x = world_watch_query(w, id_of(w, "system"), QUERY(w, HAS(HEALTH), HAS_NOT(FROZEN)));
  world_watch_enable_last_rows(w, x);
  take_changes(w, x);
  set(w, e, HEALTH, 0, 3);
  world_remove_component(w, e, HEALTH, 0);
  add(w, e, HEALTH, 0);
  set(w, e, HEALTH, 0, 4);
  assert_true(last_values_get(m, last_values_find(m, e, take_removal(w, x), 0, false), 0) == 3);
  add(w, e, FROZEN, 0);
  snapshot_o *s = snapshot_create(world_allocator(w));
  assert_true(snapshot_take(s, w, NULL));
  for (uint32_t i = 0; i < 2; ++i) {
    uint32_t removal = take_removal(w, x);
    assert_true(last_values_find(m, e, removal, 0, false) == ROW_NONE);
    world_remove_component(w, e, HEALTH, 0);
    assert_true(last_values_get(m, last_values_find(m, e, removal, 0, false), 0) == 4);
    assert_true(snapshot_restore(s, w, NULL));
  }
  snapshot_release(s);
}

TEST_IN(last_values_survive_a_string_sweep, world_o, w) {
  shoal_entity e = SPAWN(w, LABEL);
  set(w, e, LABEL, 0, id_of(w, "a text that only the dead row names"));
  uint32_t x = world_watch_query(w, id_of(w, "system"), QUERY(w, HAS(LABEL)));
  world_watch_enable_last_rows(w, x);
  take_changes(w, x);
  world_destroy_entity(w, e);
  for (uint32_t i = 0; i < 3000; ++i) {
    char text[16];
    snprintf(text, sizeof text, "unused %u", i);
    strings_intern(w->strings, text);
  }
  uint32_t epoch = strings_epoch(w->strings);
  world_end_tick(w);
  assert_int_not_equal(strings_epoch(w->strings), epoch);
  manager_o *m = world_manager(w, LABEL);
  uint32_t id = (uint32_t)last_values_get(m, last_values_find(m, e, 0, 0, false), 0);
  assert_string_equal(strings_text(w->strings, id), "a text that only the dead row names");
}

// Returns the last HEALTH of a dead entity that the event named; -1 if it cannot be read.
static double last_named_hp(world_o *w, shoal_entity e, uint32_t event) {
  manager_o *m = world_manager(w, HEALTH);
  uint32_t removal = event_deaths_removal(w, e, event);
  uint32_t row = removal != EVENT_DEATHS_NONE ? last_values_find(m, e, removal, 0, false) : ROW_NONE;
  return row != ROW_NONE ? last_values_get(m, row, 0) : -1;
}

static void emit_about(world_o *w, uint32_t event, shoal_entity e) {
  world_set_event_field(w, world_emit_event(w, event), 0, e);
}

TEST_IN(last_values_of_an_entity_that_an_event_names_live_as_long_as_the_event, world_o, w) {
  static const field_type_t types[] = {FIELD_ENTITY};
  uint32_t hit = DECLARE(w, "hit", SCHEMA_EVENT, types, "who"), other = DECLARE(w, "other", SCHEMA_EVENT, types, "who");
  shoal_entity early = SPAWN(w, HEALTH), late = SPAWN(w, HEALTH), unnamed = SPAWN(w, HEALTH);
  set(w, early, HEALTH, 0, 3);
  set(w, late, HEALTH, 0, 4);
  emit_about(w, hit, early);
  emit_about(w, hit, late);
  world_destroy_entity(w, early);
  world_destroy_entity(w, unnamed);
  emit_about(w, other, early); // emitted after the entity's death
  assert_true(last_named_hp(w, early, hit) == 3);
  assert_true(last_named_hp(w, early, other) == -1);
  assert_true(last_named_hp(w, unnamed, hit) == -1);
  assert_true(last_named_hp(w, late, hit) == -1); // the entity is alive
  world_end_tick(w);
  world_destroy_entity(w, late); // destroyed in the second tick of the event
  snapshot_o *s = snapshot_create(world_allocator(w));
  assert_true(snapshot_take(s, w, NULL));
  for (uint32_t i = 0; i < 2; ++i) {
    assert_true(last_named_hp(w, early, hit) == 3);
    assert_true(last_named_hp(w, late, hit) == 4);
    world_end_tick(w);
    assert_true(last_named_hp(w, early, hit) == -1);
    assert_true(last_named_hp(w, late, hit) == -1);
    assert_false(w->has_last_rows);
    assert_true(snapshot_restore(s, w, NULL));
  }
  snapshot_release(s);
}

// Events 1, 65 and 129 of many: their numbers have the same remainder modulo 64.
TEST_IN(last_values_are_readable_only_for_the_events_that_named_the_entity, world_o, w) {
  static const field_type_t types[] = {FIELD_ENTITY};
  enum { EVENTS = 200 };
  uint32_t events[EVENTS];
  for (uint32_t i = 0; i < EVENTS; ++i) {
    char name[16];
    snprintf(name, sizeof name, "event%u", i);
    events[i] = DECLARE(w, name, SCHEMA_EVENT, types, "who");
  }
  shoal_entity one = SPAWN(w, HEALTH), two = SPAWN(w, HEALTH), old = SPAWN(w, HEALTH);
  emit_about(w, events[150], old);
  world_end_tick(w);
  emit_about(w, events[70], two);
  emit_about(w, events[134], one);
  emit_about(w, events[5], two);
  emit_about(w, events[6], two);
  world_destroy_entity(w, one);
  world_destroy_entity(w, two);
  world_destroy_entity(w, old);
  uint64_t hash = world_hash(w);
  snapshot_o *s = snapshot_create(world_allocator(w));
  assert_true(snapshot_take(s, w, NULL));
  for (uint32_t round = 0; round < 2; ++round) {
    for (uint32_t i = 0; i < EVENTS; ++i) {
      assert_int_equal(last_named_hp(w, one, events[i]) >= 0, i == 134);
      assert_int_equal(last_named_hp(w, two, events[i]) >= 0, i == 5 || i == 6 || i == 70);
      assert_int_equal(last_named_hp(w, old, events[i]) >= 0, i == 150);
    }
    world_end_tick(w);
    assert_true(last_named_hp(w, old, events[150]) < 0);
    assert_true(last_named_hp(w, two, events[70]) >= 0);
    world_end_tick(w);
    assert_true(last_named_hp(w, two, events[70]) < 0);
    assert_true(snapshot_restore(s, w, NULL));
    assert_true(world_hash(w) == hash);
  }
  snapshot_release(s);
}

// Changes the last row through the columns, because no function of the engine writes it.
TEST_IN(world_hash_covers_the_last_values_of_entities_in_pending_events, world_o, w) {
  static const field_type_t types[] = {FIELD_ENTITY};
  uint32_t hit = DECLARE(w, "hit", SCHEMA_EVENT, types, "who");
  shoal_entity e = SPAWN(w, HEALTH);
  emit_about(w, hit, e);
  world_destroy_entity(w, e);
  uint64_t hash = world_hash(w);
  last_values_t *l = world_manager(w, HEALTH)->last_values;
  columns_set(&l->columns, 0, 0, columns_get(&l->columns, 0, 0) + 1);
  assert_true(world_hash(w) != hash);
  columns_set(&l->columns, 0, 0, columns_get(&l->columns, 0, 0) - 1);
  assert_true(world_hash(w) == hash);
  event_deaths_load(w, NULL, 0);
  assert_true(world_hash(w) != hash);
}

// `off` is never read, like the watcher of a disabled system; `on` is read every tick.
TEST_IN(last_values_of_a_pending_leave_do_not_accumulate, world_o, w) {
  enum { TICKS = 400, DEATHS = 32 };
  uint32_t off = world_watch_query(w, id_of(w, "off"), QUERY(w, HAS(HEALTH))), left = id_of(w, "left");
  uint32_t on = world_watch_query(w, id_of(w, "on"), QUERY(w, HAS(POSITION)));
  world_watch_enable_last_rows(w, off);
  world_watch_enable_last_rows(w, on);
  shoal_entity dead = SPAWN(w, HEALTH, LABEL), alive = SPAWN(w, HEALTH), es[DEATHS];
  add(w, dead, GUN, left);
  take_changes(w, off);
  set(w, dead, HEALTH, 0, 3);
  world_destroy_entity(w, dead);
  set(w, alive, HEALTH, 0, 5); // the last value before it stops matching
  world_remove_component(w, alive, HEALTH, 0);
  size_t bytes = 0;
  uint32_t count;
  for (uint32_t tick = 0; tick < TICKS; ++tick) {
    add(w, alive, HEALTH, 0);
    set(w, alive, HEALTH, 0, tick);
    world_remove_component(w, alive, HEALTH, 0);
    for (uint32_t i = 0; i < DEATHS; ++i)
      es[i] = SPAWN(w, POSITION, HEALTH);
    world_watch_pop_entries(w, on, &count);
    for (uint32_t i = 0; i < DEATHS; ++i)
      world_destroy_entity(w, es[i]);
    world_watch_pop_entries(w, on, &count);
    assert_int_equal(count, DEATHS);
    world_end_tick(w);
    bytes = tick == TICKS / 2 ? world_allocator(w)->bytes : bytes;
  }
  assert_true(world_allocator(w)->bytes <= bytes);
  assert_true(last_hp(w, dead) == 3);
  assert_true(last_hp(w, alive) == 5);
  assert_true(last_values_find(world_manager(w, GUN), dead, 0, left, false) != ROW_NONE);
  assert_string_equal(take_changes(w, off), "-1 -2 ");
  world_end_tick(w);
  assert_true(last_hp(w, dead) == -1);
}
