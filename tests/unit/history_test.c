// The rewind history of a world: time/history.h.
#include "ecs_fixture.h"

#include "base/random.h"
#include "snapshot/state.h"
#include "ecs/world_hash.h"
#include "time/history.h"

#include <math.h>
#include <sched.h>
#include <stdatomic.h>

typedef struct history_fixture_t {
  world_o *w;
  allocator_t memory;
  history_o *h;
  uint64_t hashes[2000]; // indexed by tick
} history_fixture_t;

SETUP(history_fixture_t, p) {
  p->w = make_world();
  p->h = history_create(&p->memory, 16 << 20);
}

TEARDOWN(history_fixture_t, p) {
  history_destroy(p->h);
  world_destroy(p->w);
  assert_int_equal(p->memory.blocks, 0);
}

// Simulates one tick, in which entities rest, move evenly, turn, spawn and die, driven by the world's random stream.
static void simulate_tick(history_fixture_t *p) {
  world_o *w = p->w;
  random_t *r = world_random(w);
  manager_o *m = world_manager(w, POSITION);
  float *x = manager_column(m, POSITION_X), *y = manager_column(m, POSITION_Y);
  for (uint32_t i = 0; i < m->count; ++i) {
    x[i] += 0.25f * (float)(i % 7);
    y[i] = sinf((float)world_tick(w) * 0.01f + (float)i);
  }
  if (random_u32(r) % 3 == 0)
    SPAWN(w, POSITION, HEALTH);
  if (random_u32(r) % 5 == 0 && m->count > 0)
    world_destroy_entity(w, m->owner[random_u32(r) % m->count]);
  if (random_u32(r) % 7 == 0 && m->count > 0) {
    char word[32];
    snprintf(word, sizeof word, "gun %u", random_u32(r) % 50);
    world_add_component(w, m->owner[random_u32(r) % m->count], GUN, id_of(w, word), NULL);
  }
  world_end_tick(w);
  history_add_snapshot(p->h, w);
  p->hashes[world_tick(w)] = world_hash(w);
}

static void run_ticks(history_fixture_t *p, uint32_t ticks) {
  if (world_tick(p->w) == 0) {
    history_add_snapshot(p->h, p->w);
    p->hashes[0] = world_hash(p->w);
  }
  for (uint32_t i = 0; i < ticks; ++i)
    simulate_tick(p);
}

TEST_IN(history_rewinds_1_to_700_ticks_and_steps_forward_again, history_fixture_t, p) {
  error_info_t error = {0};
  run_ticks(p, 700);
  for (uint32_t back = 1; back <= 700; back += back < 10 ? 1 : 37) {
    assert_int_equal(history_rewind(p->h, p->w, back, &error), back);
    assert_int_equal(world_tick(p->w), 700 - back);
    assert_true(world_hash(p->w) == p->hashes[700 - back]);
    while (history_has_next(p->h))
      assert_true(history_step_forward(p->h, p->w, &error));
    assert_int_equal(world_tick(p->w), 700);
    assert_true(world_hash(p->w) == p->hashes[700]);
  }
}

TEST_IN(simulation_after_a_rewind_is_identical, history_fixture_t, p) {
  run_ticks(p, 500);
  uint64_t end = p->hashes[500];
  assert_int_equal(history_rewind(p->h, p->w, 300, NULL), 300);
  run_ticks(p, 300);
  assert_true(world_hash(p->w) == end);
  assert_false(history_has_next(p->h));
  assert_int_equal(history_rewind(p->h, p->w, 450, NULL), 450);
  assert_true(world_hash(p->w) == p->hashes[50]);
}

TEST_IN(new_ticks_replace_the_rewound_future, history_fixture_t, p) {
  run_ticks(p, 300);
  history_rewind(p->h, p->w, 100, NULL);
  random_seed(world_random(p->w), 99);
  run_ticks(p, 100);
  assert_int_equal(world_tick(p->w), 300);
  assert_int_equal(history_rewind(p->h, p->w, 50, NULL), 50);
  assert_true(world_hash(p->w) == p->hashes[250]);
  assert_int_equal(history_rewind(p->h, p->w, 100, NULL), 100);
  assert_true(world_hash(p->w) == p->hashes[150]);
}

TEST_IN(history_keeps_ticks_before_a_restored_snapshot, history_fixture_t, p) {
  snapshot_o *s = snapshot_create(&p->memory);
  run_ticks(p, 100);
  assert_true(snapshot_take(s, p->w, NULL));
  run_ticks(p, 100);
  assert_true(snapshot_restore(s, p->w, NULL));
  history_add_snapshot(p->h, p->w);
  run_ticks(p, 20);
  assert_int_equal(history_rewind(p->h, p->w, 40, NULL), 40);
  assert_int_equal(world_tick(p->w), 80);
  assert_true(world_hash(p->w) == p->hashes[80]);
  snapshot_release(s);
}

TEST_IN(history_stays_within_its_budget_by_evicting_the_oldest, history_fixture_t, p) {
  history_destroy(p->h);
  p->h = history_create(&p->memory, 900000);
  run_ticks(p, 1500);
  history_stats_t stats = history_stats(p->h);
  assert_true(stats.bytes <= 900000);
  assert_true(stats.ticks > 50 && stats.ticks < 1500);
  uint64_t went = history_rewind(p->h, p->w, 1500, NULL);
  assert_int_equal(went, stats.ticks - 1);
  assert_true(world_hash(p->w) == p->hashes[1500 - went]);
}

TEST_IN(empty_history_cannot_be_rewound, history_fixture_t, p) {
  error_info_t error = {0};
  assert_int_equal(history_rewind(p->h, p->w, 5, &error), 0);
  assert_non_null(strstr(error.text, "has no snapshot before"));
  run_ticks(p, 0);
  assert_int_equal(history_rewind(p->h, p->w, 5, &error), 0);
  assert_false(history_step_forward(p->h, p->w, &error));
}

static void damage_snapshots(history_fixture_t *p) {
  history_snapshot_t s;
  for (uint32_t i = 0; history_get_packed(p->h, i, &s); ++i)
    memset((void *)(uintptr_t)s.packed, 0xff, s.packed_size);
}

// Runs ticks after the history was emptied, and rewinds to one of them.
static void check_refilled_history(history_fixture_t *p) {
  run_ticks(p, 20);
  assert_int_equal(history_count(p->h), 20);
  assert_int_equal(history_rewind(p->h, p->w, 10, NULL), 10);
  assert_true(world_hash(p->w) == p->hashes[world_tick(p->w)]);
}

TEST_IN(history_can_be_rewound_again_after_its_memory_was_damaged, history_fixture_t, p) {
  error_info_t error = {0};
  run_ticks(p, 100);
  damage_snapshots(p);
  assert_int_equal(history_rewind(p->h, p->w, 50, &error), 0);
  assert_string_equal(error.text, "the history is damaged");
  check_refilled_history(p);
}

TEST_IN(history_can_be_rewound_again_after_damage_at_the_world_s_position, history_fixture_t, p) {
  run_ticks(p, 100);
  damage_snapshots(p);
  history_move_to(p->h, 20);
  check_refilled_history(p);
}

TEST_IN(rewinding_converts_states_of_a_redeclared_component, history_fixture_t, p) {
  error_info_t error = {0};
  static const field_type_t f32s[] = {FIELD_F32}, i32s[] = {FIELD_I32};
  uint32_t heat = DECLARE(p->w, "heat", SCHEMA_COMPONENT, f32s, "degrees");
  run_ticks(p, 20);
  shoal_entity e = SPAWN(p->w, heat);
  set(p->w, e, heat, 0, 37);
  run_ticks(p, 1);
  world_remove_component(p->w, e, heat, 0);
  DECLARE(p->w, "heat", SCHEMA_COMPONENT, i32s, "degrees");
  run_ticks(p, 20);
  assert_int_equal(history_rewind(p->h, p->w, 20, &error), 20);
  assert_true(get(p->w, e, heat, 0) == 37);
  while (history_has_next(p->h))
    assert_true(history_step_forward(p->h, p->w, &error));
  assert_true(world_hash(p->w) == p->hashes[41]);
  run_ticks(p, 5);
}

TEST_IN(history_fork_is_independent, history_fixture_t, p) {
  run_ticks(p, 300);
  assert_int_equal(history_rewind(p->h, p->w, 100, NULL), 100);
  history_o *left = history_fork(p->h);
  random_seed(world_random(p->w), 99);
  run_ticks(p, 100);
  for (uint64_t tick = 201; tick <= 300; ++tick) {
    const snapshot_o *then = history_get_snapshot(left, tick);
    assert_non_null(then);
    assert_int_equal(snapshot_tick(then), tick);
  }
  assert_null(history_get_snapshot(left, 301));
  assert_true(world_hash(p->w) == p->hashes[300]); // the hash recorded after the rewind
  assert_true(snapshot_restore(history_get_snapshot(left, 200), p->w, NULL));
  assert_true(world_hash(p->w) == p->hashes[200]);
  history_destroy(p->h);
  p->h = left;
  assert_true(snapshot_restore(history_get_snapshot(left, 300), p->w, NULL));
  assert_int_equal(world_tick(p->w), 300);
}

TEST_IN(peeking_into_history_does_not_change_the_world, history_fixture_t, p) {
  uint64_t tick = 0, now;
  run_ticks(p, 400);
  now = world_hash(p->w);
  const snapshot_o *s = history_find_snapshot(p->h, 67, &tick, NULL);
  assert_int_equal(tick, 67);
  assert_true(world_hash(p->w) == now);
  assert_true(snapshot_restore(s, p->w, NULL));
  assert_true(world_hash(p->w) == p->hashes[67]);
}

// The same tick is added again after a paused tick, or after a script changed the world between ticks.
TEST_IN(adding_the_current_tick_again_replaces_its_state, history_fixture_t, p) {
  run_ticks(p, 100);
  assert_int_equal(history_stats(p->h).ticks, 101);
  SPAWN(p->w, POSITION);
  uint64_t changed = world_hash(p->w);
  assert_true(changed != p->hashes[100]);
  history_add_snapshot(p->h, p->w);
  assert_int_equal(history_stats(p->h).ticks, 101);
  assert_int_equal(history_count(p->h), 101);
  assert_int_equal(history_rewind(p->h, p->w, 1, NULL), 1);
  assert_true(world_hash(p->w) == p->hashes[99]);
  assert_true(history_step_forward(p->h, p->w, NULL));
  assert_int_equal(world_tick(p->w), 100);
  assert_true(world_hash(p->w) == changed);
  assert_false(history_has_next(p->h));
}

// --- packing on a background thread

static void spawn_entities(history_fixture_t *p, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i)
    SPAWN(p->w, POSITION, HEALTH);
}

static void create_threaded_history(history_fixture_t *p, uint64_t budget, history_late_t late) {
  history_destroy(p->h);
  p->h = history_create(&p->memory, budget);
  history_use_thread(p->h, late);
}

TEST_IN(packing_on_a_thread_gives_the_same_history, history_fixture_t, p) {
  create_threaded_history(p, 16 << 20, HISTORY_LATE_WAITS);
  run_history_rewinds_1_to_700_ticks_and_steps_forward_again(p);
  create_threaded_history(p, 16 << 20, HISTORY_LATE_WAITS);
  world_destroy(p->w);
  p->w = make_world();
  run_simulation_after_a_rewind_is_identical(p);
  for (uint32_t i = 0; i < 20; ++i) { // stops the thread; the next tick starts it again
    history_stop_thread(p->h);
    run_ticks(p, 3);
  }
  assert_int_equal(history_rewind(p->h, p->w, 37, NULL), 37);
  assert_true(world_hash(p->w) == p->hashes[world_tick(p->w)]);
}

// Returns the value of row `row` in tick `at`; only every third row is written.
static float value_of_row(uint64_t at, uint32_t row) {
  return (float)(at * 10000 + row);
}

static void assert_written_values(history_fixture_t *p) {
  manager_o *m = world_manager(p->w, POSITION);
  const float *x = manager_column(m, POSITION_X);
  for (uint32_t i = 0; i < m->count && world_tick(p->w) > 0; i += 3)
    assert_true(x[i] == value_of_row(world_tick(p->w), i));
}

static void run_written_tick(history_fixture_t *p) {
  manager_o *m = world_manager(p->w, POSITION);
  float *x = manager_column(m, POSITION_X);
  for (uint32_t i = 0; i < m->count; i += 3)
    x[i] = value_of_row(world_tick(p->w) + 1, i);
  world_end_tick(p->w);
  history_try_add_snapshot(p->h, p->w);
}

static void wait_for_release(void *context) {
  atomic_bool *released = context;
  while (!atomic_load(released))
    sched_yield();
}

// A task holds the packing thread until all slots are in use and 20 ticks have been dropped, 4 times.
TEST_IN(history_drops_only_whole_ticks_if_its_packing_thread_is_late, history_fixture_t, p) {
  error_info_t error = {0};
  spawn_entities(p, 7000);
  create_threaded_history(p, 64 << 20, HISTORY_LATE_DROPS);
  uint64_t first = world_hash(p->w);
  history_add_snapshot(p->h, p->w);
  for (uint32_t late = 20; late <= 80; late += 20) {
    atomic_bool released = false;
    uint64_t started = world_tick(p->w);
    assert_true(history_start_task(p->h, wait_for_release, &released));
    while (history_stats(p->h).late_count < late) {
      run_written_tick(p);
      assert_true(world_tick(p->w) < started + 100);
    }
    atomic_store(&released, true);
    assert_true(history_count(p->h) + late == world_tick(p->w) + 1);
    run_written_tick(p);
  }
  uint64_t last = world_tick(p->w), went = 0;
  for (uint64_t ticks; (ticks = history_rewind(p->h, p->w, 1, &error)) > 0; went += ticks)
    assert_written_values(p);
  assert_int_equal(world_tick(p->w), 0);
  assert_true(world_hash(p->w) == first);
  assert_int_equal(went, last);
}

TEST_IN(history_packed_on_a_thread_stays_within_its_budget, history_fixture_t, p) {
  static const uint64_t budgets[] = {2 << 20, 6 << 20, 24 << 20};
  for (uint32_t k = 0; k < 3; ++k) {
    create_threaded_history(p, budgets[k], HISTORY_LATE_WAITS);
    for (uint32_t i = 0; i < 300; ++i) {
      if (i % 20 == 0)
        spawn_entities(p, 50 << k);
      run_ticks(p, 1);
      assert_true(history_stats(p->h).bytes <= budgets[k]);
    }
    assert_true(history_stats(p->h).ticks > 5);
    assert_true(history_rewind(p->h, p->w, 5, NULL) == 5);
    assert_true(world_hash(p->w) == p->hashes[world_tick(p->w)]);
    run_ticks(p, 5);
  }
}

TEST_IN(history_stores_no_state_larger_than_its_budget, history_fixture_t, p) {
  spawn_entities(p, 20000);
  create_threaded_history(p, 1 << 20, HISTORY_LATE_WAITS);
  run_ticks(p, 3);
  assert_true(history_stats(p->h).too_large);
  assert_int_equal(history_stats(p->h).ticks, 0);
  assert_int_equal(history_rewind(p->h, p->w, 1, NULL), 0);
  create_threaded_history(p, 1 << 20, HISTORY_LATE_WAITS);
  history_set_max_budget(p->h, 256 << 20);
  run_ticks(p, 30);
  assert_false(history_stats(p->h).too_large);
  assert_int_equal(history_rewind(p->h, p->w, 20, NULL), 20);
  assert_true(world_hash(p->w) == p->hashes[world_tick(p->w)]);
}
