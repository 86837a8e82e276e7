// The rows of a query as runs (schedule/runs.h): each of them once, wherever they lie, and however they came there.
#include "ecs_fixture.h"

#include "schedule/runs.h"
#include "native/kernel.h"
#include "snapshot/snapshot.h"
#include "snapshot/state.h"

enum { MOST = 1024, STEPS = 300, SEEDS = 40 };

static uint64_t seed;

static uint32_t dice(uint32_t sides) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(seed >> 33) % sides;
}

static uint32_t row_in(const row_span_t *span, uint32_t term, uint32_t i) {
  return span->rows ? span->rows[term][span->from + i] : span->at[term] + span->from + i;
}

// Looked at in pieces of any length, as workers take them. How many rows lie in runs.
static uint32_t assert_complete(row_runs_t *r, query_o *q) {
  static bool seen[1 << 16];
  query_open(q);
  bool good = row_runs_look(r, q);
  assert_int_equal(good ? r->count : q->count, q->count);
  for (uint32_t first = 0; good && first < r->count;) {
    uint32_t left = r->count - first, most = 1 + dice(200);
    row_span_t span = row_runs_span(r, first, left < most ? left : most);
    assert_in_range(span.count, 1, most);
    for (uint32_t i = 0; i < span.count; ++i) {
      shoal_entity e = SHOAL_ENTITY_NONE;
      for (uint32_t t = 0; t < q->term_count; ++t) {
        const manager_o *m = q->terms[t].manager;
        if (q->terms[t].role != QUERY_WITH)
          continue;
        assert_in_range(row_in(&span, t, i) + 1, 1, m->count);
        assert_true(e == SHOAL_ENTITY_NONE || m->owner[row_in(&span, t, i)] == e);
        e = m->owner[row_in(&span, t, i)];
      }
      assert_true(query_matches(q, e));
      assert_false(seen[shoal_entity_index(e)]);
      seen[shoal_entity_index(e)] = true;
    }
    first += span.count;
  }
  memset(seen, 0, sizeof seen);
  query_close(q);
  return good ? r->in_runs : 0;
}

static void spawn_some(world_o *w, uint32_t mask, uint32_t count) {
  static const uint32_t PARTS[] = {POSITION, HEALTH, LABEL, FROZEN};
  for (uint32_t i = 0; i < count; ++i) {
    shoal_entity e = spawn(w);
    for (uint32_t k = 0; k < 4; ++k)
      if (mask >> k & 1)
        add(w, e, PARTS[k], 0);
  }
}

static shoal_entity any_of(world_o *w, uint32_t manager) {
  const manager_o *m = world_manager(w, manager);
  return m->count ? m->owner[dice(m->count)] : SHOAL_ENTITY_NONE;
}

static void change(world_o *w, query_o *const *queries, snapshot_o *kept) {
  error_t error = {0};
  shoal_entity e = any_of(w, POSITION + dice(4));
  switch (dice(12)) {
  case 0:
  case 1:
  case 2: spawn_some(w, 1 + dice(15), world_manager(w, POSITION)->count < MOST ? 1 + dice(40) : 1); break;
  case 3:
  case 4:
    if (e != SHOAL_ENTITY_NONE)
      add(w, e, POSITION + dice(4), 0);
    break;
  case 5:
  case 6:
    if (e != SHOAL_ENTITY_NONE)
      world_remove(w, e, POSITION + dice(4), 0);
    break;
  case 7:
  case 8:
    if (e != SHOAL_ENTITY_NONE)
      world_destroy(w, e);
    break;
  case 9: world_group(w, queries[dice(3)], &error); break; // or it is refused: another one has a component
  case 10: world_ungroup(w, queries[dice(3)]); break;
  default:
    if (dice(2) || snapshot_size(kept) == 0)
      assert_true(snapshot_take(kept, w, &error));
    else
      assert_true(snapshot_restore(kept, w, &error));
  }
}

static void every_row_is_in_one_place_whatever_has_moved(void **state) {
  (void)state;
  uint32_t in_runs = 0;
  for (uint32_t i = 1; i <= SEEDS; ++i) {
    seed = i;
    world_o *w = make_world();
    snapshot_o *kept = snapshot_create(world_allocator(w));
    query_o *queries[] = {QUERY(w, HAS(POSITION), HAS(HEALTH)), QUERY(w, HAS(POSITION), HAS(HEALTH), HAS(LABEL)),
                          QUERY(w, HAS(POSITION), HAS(LABEL), HAS_NOT(FROZEN))};
    row_runs_t runs[3] = {{.least_run = 1 + dice(8), .least_rows = 1}, {.least_run = 2, .least_rows = 1}, {0}};
    for (uint32_t step = 0; step < STEPS; ++step) {
      change(w, queries, kept);
      for (uint32_t k = 0; k < 3; ++k)
        in_runs += assert_complete(&runs[k], queries[k]);
    }
    for (uint32_t k = 0; k < 3; ++k)
      row_runs_fini(&runs[k]);
    snapshot_release(kept);
    world_destroy_all(w);
  }
  assert_true(in_runs > 100000); // or it has looked at nothing
}

static void a_query_beside_the_group_of_another_is_a_run_and_a_rest(void **state) {
  world_o *w = *state;
  error_t error = {0};
  query_o *three = QUERY(w, HAS(POSITION), HAS(HEALTH), HAS(LABEL)), *two = QUERY(w, HAS(POSITION), HAS(HEALTH));
  assert_true(world_group(w, three, &error));
  for (uint32_t i = 0; i < 200; ++i) {
    spawn_some(w, 1, 1); // position
    spawn_some(w, 3, 1); // and health
    spawn_some(w, 7, 2); // and label
  }
  row_runs_t runs = {0};
  assert_in_range(assert_complete(&runs, two), 400, 401);
  assert_int_equal(runs.count, 600);
  row_runs_fini(&runs);
}

static void what_is_disabled_is_left_to_the_query(void **state) {
  world_o *w = *state;
  uint32_t disabled = declare(w, "disabled", SCHEMA_MANY, NULL, NULL, 0);
  query_o *q = QUERY(w, HAS(POSITION), HAS(HEALTH));
  spawn_some(w, 3, 300);
  row_runs_t runs = {0};
  assert_int_equal(assert_complete(&runs, q), 300);
  shoal_entity e = any_of(w, HEALTH);
  add(w, e, disabled, id_of(w, "health"));
  assert_int_equal(q->count, 299);
  assert_int_equal(assert_complete(&runs, q), 0);
  world_remove(w, e, disabled, id_of(w, "health"));
  assert_int_equal(assert_complete(&runs, q), 300);
  row_runs_fini(&runs);
}

static void rows_that_lie_anyhow_are_not_looked_through_while_they_move(void **state) {
  world_o *w = *state;
  query_o *q = QUERY(w, HAS(POSITION), HAS(HEALTH));
  shoal_entity all[300];
  for (uint32_t i = 0; i < 300; ++i)
    all[i] = SPAWN(w, POSITION);
  for (uint32_t i = 0; i < 300; ++i)
    add(w, all[(i * 7) % 300], HEALTH, 0);
  row_runs_t runs = {0};
  query_open(q);
  assert_true(row_runs_look(&runs, q)); // once: nobody knows yet
  assert_int_equal(runs.in_runs, 0);
  query_close(q);
  for (uint32_t i = 0; i < 3; ++i) {
    world_destroy(w, all[i]);
    query_open(q);
    assert_false(row_runs_look(&runs, q));
    query_close(q);
  }
  query_open(q);
  assert_true(row_runs_look(&runs, q)); // they have come to rest
  query_close(q);
  row_runs_fini(&runs);
}

// --- kernels over them

// health and position take part; each health counts up, and the place goes by it.
static kernel_o *count_up(query_o *q) {
  kernel_o *k = kernel_create(q, 0, false);
  error_t error = {0};
  uint32_t x = kernel_column(k, POSITION, POSITION_X, 4, true), y = kernel_column(k, POSITION, POSITION_Y, 4, false);
  uint32_t hp = kernel_column(k, HEALTH, 0, 4, true);
  int32_t one = kernel_constant(k, 4, false, 1);
  kernel_store(k, hp, kernel_op(k, "addl", kernel_load(k, hp), one));
  kernel_store(k, x, kernel_op(k, "addf", kernel_load(k, x), kernel_load(k, y)));
  kernel_complete(k);
  assert_true(kernel_is_sound(k, &error));
  return k;
}

static void a_kernel_reaches_each_row_once_in_runs_and_beside_them(void **state) {
  world_o *w = *state;
  error_t error = {0};
  query_o *q = QUERY(w, HAS(POSITION), HAS(HEALTH));
  assert_true(world_group(w, QUERY(w, HAS(POSITION), HAS(HEALTH), HAS(LABEL)), &error));
  world_track_touched(w, true);
  for (uint32_t i = 0; i < 400; ++i)
    spawn_some(w, 1 + i * 5 % 15, 3);
  const manager_o *position = world_manager(w, POSITION), *health = world_manager(w, HEALTH);
  for (uint32_t row = 0; row < position->count; ++row) {
    ((float *)position->data[POSITION_X])[row] = 0;
    ((float *)position->data[POSITION_Y])[row] = (float)(position->owner[row] % 1000);
  }
  kernel_o *k = count_up(q);
  for (uint32_t i = 0; i < 3; ++i) {
    query_open(q);
    assert_non_null(q->terms[0].rows);
    kernel_run(k, 0);
    query_close(q);
  }
  for (uint32_t row = 0; row < position->count; ++row) {
    shoal_entity e = position->owner[row];
    float times = query_matches(q, e) ? 3.0f : 0.0f;
    assert_true(((float *)position->data[POSITION_X])[row] == times * (float)(e % 1000));
    assert_int_equal(columns_is_touched(&position->columns, row, POSITION_X), times > 0);
    assert_false(columns_is_touched(&position->columns, row, POSITION_Y));
  }
  for (uint32_t row = 0; row < health->count; ++row)
    assert_int_equal(((int32_t *)health->data[0])[row], query_matches(q, health->owner[row]) ? 3 : 0);
  kernel_destroy(k);
}

#define T(test) cmocka_unit_test_setup_teardown(test, world_setup, world_teardown)

int runs_tests(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_row_is_in_one_place_whatever_has_moved),
      T(a_query_beside_the_group_of_another_is_a_run_and_a_rest),
      T(what_is_disabled_is_left_to_the_query),
      T(rows_that_lie_anyhow_are_not_looked_through_while_they_move),
      T(a_kernel_reaches_each_row_once_in_runs_and_beside_them),
  };
  return cmocka_run_group_tests_name("runs", tests, NULL, NULL);
}
