// Change counters and observers: ecs/changes.h. A randomized test compares the observed changes with copies of all
// values.
#include "ecs_fixture.h"

#include "ecs/changes.h"
#include "ecs/relation.h"
#include "snapshot/snapshot.h"
#include "snapshot/state.h"
#include "ecs/world_hash.h"

static world_o *make_tracked_world(void) {
  world_o *w = make_world();
  assert_true(changes_declare(w, NULL));
  return w;
}

static int setup(void **state) {
  *state = make_tracked_world();
  return 0;
}
FIXTURE(world_o, setup, world_teardown)

static void write_x(world_o *w, shoal_entity e, float x) {
  manager_o *m = world_manager(w, POSITION);
  ((float *)m->data[POSITION_X])[manager_row(m, e)] = x;
}

TEST_IN(change_counter_counts_added_removed_and_changed_rows, world_o, w) {
  shoal_entity es[200];
  for (uint32_t i = 0; i < 200; ++i)
    es[i] = SPAWN(w, POSITION);
  assert_int_equal(changes_count(w, POSITION), 0); // counting starts with the first call
  write_x(w, es[3], 5);
  write_x(w, es[150], 5);
  write_x(w, es[7], 0); // writes the same value
  assert_int_equal(changes_count(w, POSITION), 2);
  world_destroy_entity(w, es[0]);
  SPAWN(w, POSITION);
  SPAWN(w, POSITION);
  write_x(w, es[3], 6);
  assert_int_equal(changes_count(w, POSITION), 6);
  set(w, es[9], POSITION, POSITION_Y, 1);
  world_end_tick(w);
  assert_int_equal(changes_count(w, POSITION), 7);
  columns_set(&world_manager(w, SCORE)->columns, 0, 0, 4);
  assert_int_equal(changes_count(w, SCORE), 0);
  columns_set(&world_manager(w, SCORE)->columns, 0, 0, 5);
  assert_int_equal(changes_count(w, SCORE), 1);
}

// After a restore, counters and observers give the same results, no matter which counters were read before.
TEST_IN(snapshot_restores_counters_and_pending_changes, world_o, w) {
  world_o *other = make_tracked_world();
  error_info_t error = {0};
  shoal_entity e = SPAWN(w, POSITION), f = SPAWN(w, POSITION, HEALTH);
  uint32_t observer = observer_find_or_create(w, "nurse", QUERY(w, HAS(POSITION)), true), count;
  observer_begin_delivery(w, observer);
  observer_end_delivery(w, observer);
  changes_count(w, POSITION);
  changes_count(w, HEALTH);
  write_x(w, e, 3);
  uint64_t hash = world_hash(w);
  snapshot_o *s = snapshot_create(world_allocator(w));
  assert_true(snapshot_take(s, w, &error));
  write_x(w, f, 3);
  observer_find_or_create(other, "nurse", QUERY(other, HAS(POSITION)), true);
  world_o *both[] = {w, other};
  for (uint32_t i = 0; i < 2; ++i) {
    if (!snapshot_restore(s, both[i], &error))
      fail_msg("%s", error.text);
    assert_int_equal(world_hash(both[i]), hash);
    uint32_t again = observer_find_or_create(both[i], "nurse", QUERY(both[i], HAS(POSITION)), true);
    assert_true(observer_has_pending(both[i], again));
    observer_begin_delivery(both[i], again);
    const shoal_entity *list = observer_get_list(both[i], again, OBSERVED_CHANGED, &count);
    assert_int_equal(count, 1);
    assert_int_equal(list[0], e);
    observer_get_list(both[i], again, OBSERVED_ENTER, &count);
    assert_int_equal(count, 0);
    observer_end_delivery(both[i], again);
    assert_false(observer_has_pending(both[i], again));
    assert_int_equal(changes_count(both[i], POSITION), 1);
  }
  snapshot_release(s);
  world_destroy(other);
}

TEST_IN(changes_are_reported_again_if_the_observer_does_not_finish, world_o, w) {
  shoal_entity e = SPAWN(w, POSITION);
  uint32_t observer = observer_find_or_create(w, "nurse", QUERY(w, HAS(POSITION)), true), count;
  observer_begin_delivery(w, observer);
  observer_end_delivery(w, observer);
  write_x(w, e, 3);
  observer_begin_delivery(w, observer); // not followed by observer_end_delivery: the changes remain pending
  world_end_tick(w);
  assert_true(observer_has_pending(w, observer));
  observer_begin_delivery(w, observer);
  assert_int_equal(observer_get_list(w, observer, OBSERVED_CHANGED, &count)[0], e);
  assert_int_equal(count, 1);
}

TEST_IN(observer_lists_changes_only_if_it_compares_values, world_o, w) {
  shoal_entity e = SPAWN(w, POSITION);
  uint32_t compares = observer_find_or_create(w, "compares", QUERY(w, HAS(POSITION)), true), count;
  uint32_t other = observer_find_or_create(w, "other", QUERY(w, HAS(POSITION)), false);
  for (uint32_t number = compares; number <= other; ++number) {
    observer_begin_delivery(w, number);
    observer_end_delivery(w, number);
  }
  write_x(w, e, 3);
  assert_true(observer_has_pending(w, compares));
  assert_false(observer_has_pending(w, other));
  observer_begin_delivery(w, other);
  observer_get_list(w, other, OBSERVED_CHANGED, &count);
  assert_int_equal(count, 0);
}

TEST_IN(observer_does_not_compare_optional_components, world_o, w) {
  shoal_entity e = SPAWN(w, POSITION, HEALTH);
  uint32_t observer = observer_find_or_create(w, "nurse", QUERY(w, HAS(POSITION), MAY_HAVE(HEALTH)), true);
  observer_begin_delivery(w, observer);
  observer_end_delivery(w, observer);
  set(w, e, HEALTH, 0, 3);
  assert_false(observer_has_pending(w, observer));
  write_x(w, e, 3);
  assert_true(observer_has_pending(w, observer));
}

// An observer lists leaves before enters. A retry does not list entities that were already handled.
TEST_IN(observer_lists_leaving_and_entering_entities_that_are_not_yet_handled, world_o, w) {
  shoal_entity a = SPAWN(w, POSITION), b = SPAWN(w, POSITION), c = spawn(w);
  uint32_t observer = observer_find_or_create(w, "nurse", QUERY(w, HAS(POSITION)), false), left, entered;
  observer_begin_delivery(w, observer);
  observer_end_delivery(w, observer);
  add(w, c, POSITION, 0);
  world_destroy_entity(w, a);
  shoal_entity d = SPAWN(w, POSITION);
  world_remove_component(w, b, POSITION, 0);
  observer_begin_delivery(w, observer);
  const shoal_entity *leave = observer_get_list(w, observer, OBSERVED_LEAVE, &left);
  const shoal_entity *enter = observer_get_list(w, observer, OBSERVED_ENTER, &entered);
  assert_true(left == 2 && leave[0] == a && leave[1] == b);
  assert_true(entered == 2 && enter[0] == c && enter[1] == d);
  observer_mark_handled(w, observer, OBSERVED_LEAVE, 0);
  observer_mark_handled(w, observer, OBSERVED_ENTER, 1);
  world_watch_return_entries(w, observer_get_watcher(w, observer));
  observer_begin_delivery(w, observer);
  assert_true(observer_get_list(w, observer, OBSERVED_LEAVE, &left)[0] == b && left == 1);
  assert_true(observer_get_list(w, observer, OBSERVED_ENTER, &entered)[0] == c && entered == 1);
}

TEST_IN(loading_random_change_data_does_not_crash, world_o, w) {
  manager_o *m = world_find_manager(w, "shoal.changes");
  uint64_t bytes[64];
  observer_find_or_create(w, "nurse", QUERY(w, HAS(POSITION)), true);
  for (uint32_t i = 0; i < 3000; ++i) {
    for (uint32_t k = 0; k < 64; ++k)
      bytes[k] = rand() % 3 ? (uint64_t)(rand() % 5) : UINT64_MAX - (uint64_t)rand();
    m->hooks.load(m->hooks.context, w, m, 2 + (uint32_t)rand() % 2, bytes, (size_t)(rand() % 64) * 8);
    observer_has_pending(w, 1);
    world_hash(w);
  }
}

// --- comparison with copies of all values

enum { MAX = 300, STEPS = 1500 };

typedef struct copy_t {
  shoal_entity e, observed; // `observed`: the value of `e` when the other values were copied
  bool in;
  float x, heat;
} copy_t;

static uint32_t random_below(uint32_t limit) {
  static uint32_t seed = 5;
  return random_from_seed(&seed, limit);
}

static void make_random_change(world_o *w, copy_t *c, uint32_t gun_name) {
  manager_o *guns = world_manager(w, GUN);
  if (!world_is_alive(w, c->e)) {
    c->e = spawn(w);
    return;
  }
  switch (random_below(6)) {
  case 0: world_add_component(w, c->e, POSITION, 0, NULL); break;
  case 1: world_remove_component(w, c->e, POSITION, 0); break;
  case 2:
    if (world_has_component(w, c->e, POSITION))
      write_x(w, c->e, (float)random_below(3));
    break;
  case 3: world_add_component(w, c->e, GUN, gun_name, NULL); break;
  case 4:
    if (manager_row(guns, c->e) != ROW_NONE)
      ((float *)guns->data[0])[manager_row(guns, c->e)] = (float)random_below(3);
    break;
  default:
    if (random_below(4) == 0)
      world_destroy_entity(w, c->e);
  }
}

static bool is_listed_once(world_o *w, uint32_t observer, observed_t kind, shoal_entity e) {
  uint32_t count, times = 0;
  const shoal_entity *list = observer_get_list(w, observer, kind, &count);
  for (uint32_t i = 0; i < count; ++i)
    times += list[i] == e;
  assert_true(times <= 1);
  return times == 1;
}

// An observer of entities with a position and a gun reports at least all entities that entered, left or changed.
TEST_IN(observer_changes_match_a_naive_model, world_o, w) {
  copy_t *copies = calloc(MAX, sizeof *copies);
  uint32_t observer = observer_find_or_create(w, "watch", QUERY(w, HAS(POSITION), HAS(GUN)), true),
           name = id_of(w, "left");
  const manager_o *positions = world_manager(w, POSITION), *guns = world_manager(w, GUN);
  for (uint32_t step = 0; step < STEPS; ++step) {
    for (uint32_t i = random_below(20); i > 0; --i)
      make_random_change(w, &copies[random_below(MAX)], name);
    if (random_below(3) == 0)
      world_end_tick(w);
    if (random_below(4) != 0)
      continue;
    observer_begin_delivery(w, observer);
    observer_end_delivery(w, observer);
    for (uint32_t i = 0; i < MAX; ++i) {
      copy_t *c = &copies[i];
      uint32_t row = manager_row(positions, c->e), gun = manager_row(guns, c->e);
      bool in = row != ROW_NONE && gun != ROW_NONE;
      float x = in ? ((const float *)positions->data[POSITION_X])[row] : 0;
      float heat = in ? ((const float *)guns->data[0])[gun] : 0;
      bool added = is_listed_once(w, observer, OBSERVED_ENTER, c->e);
      if (in && !c->in)
        assert_true(added);
      if (c->in && (!in || c->e != c->observed))
        assert_true(is_listed_once(w, observer, OBSERVED_LEAVE, c->observed));
      if (in && c->in && !added && (x != c->x || heat != c->heat))
        assert_true(is_listed_once(w, observer, OBSERVED_CHANGED, c->e));
      if (!in)
        assert_false(is_listed_once(w, observer, OBSERVED_CHANGED, c->e));
      c->observed = c->e, c->in = in, c->x = x, c->heat = heat;
    }
  }
  free(copies);
}
