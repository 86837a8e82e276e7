// Entity ids and their reuse: ecs/entity.h.
#include "ecs/entity.h"

#include "ecs_fixture.h"

static allocator_t memory;
static entities_t s;

static void entities_setup(void) {
  memory = (allocator_t){0};
  entities_init(&s, &memory);
}

static void entities_teardown(void) {
  entities_fini(&s);
  assert_int_equal(memory.bytes, 0);
  assert_int_equal(memory.blocks, 0);
}
STATIC_FIXTURE(fixture, entities_setup, entities_teardown)

static shoal_entity create_entity(entities_t *entities, uint32_t tick) {
  return entities_create(entities, tick, (entity_properties_t){0});
}

TEST_WITH(first_entity_has_index_1_and_id_0_is_never_alive, fixture) {
  assert_false(entities_is_alive(&s, SHOAL_ENTITY_NONE));
  shoal_entity e = create_entity(&s, 0);
  assert_int_equal(e, 1);
  assert_true(entities_is_alive(&s, e));
  assert_int_equal(s.alive_count, 1);
}

TEST_WITH(destroyed_entity_records_tick_and_system, fixture) {
  shoal_entity e = create_entity(&s, 0);
  assert_true(entities_destroy(&s, e, 12, 34));
  assert_false(entities_is_alive(&s, e));
  assert_int_equal(sparse_get(s.died_tick, shoal_entity_index(e)), 12);
  assert_int_equal(sparse_get(s.died_by, shoal_entity_index(e)), 34);
  assert_false(entities_destroy(&s, e, 13, 35));
  assert_int_equal(sparse_get(s.died_tick, shoal_entity_index(e)), 12);
  assert_int_equal(s.free_count, 1);
  assert_int_equal(s.alive_count, 0);
}

TEST_WITH(forged_ids_are_dead_and_change_nothing, fixture) {
  shoal_entity e = create_entity(&s, 0);
  uint64_t hash = entities_hash(&s, 0);
  const shoal_entity forged[] = {
      0, 2, SHOAL_ENTITY_INDEX_MASK, e | 1u << 22, e | 1u << 30, e | 1u << 31, UINT32_MAX, 4096, 1u << 22, 3u << 30};
  for (size_t i = 0; i < sizeof forged / sizeof forged[0]; ++i) {
    assert_false(entities_is_alive(&s, forged[i]));
    assert_false(entities_destroy(&s, forged[i], 0, 0));
  }
  assert_true(entities_hash(&s, 0) == hash);
  assert_true(entities_is_alive(&s, e));
}

TEST_WITH(free_indices_are_reused_in_order_once_more_than_1024_are_free, fixture) {
  enum { N = 1030, LATER = ENTITY_MIN_FREE_TICKS };
  shoal_entity e[N];
  entities_create_many(&s, e, N, 0, (entity_properties_t){0});
  for (uint32_t i = 0; i < 1024; ++i)
    assert_true(entities_destroy(&s, e[N - 1 - i], 0, 0));
  // An index is reused only if more than 1,024 are free.
  assert_int_equal(shoal_entity_index(create_entity(&s, LATER)), N + 1);
  assert_true(entities_destroy(&s, e[0], LATER, 0));
  shoal_entity again = create_entity(&s, LATER);
  assert_int_equal(shoal_entity_index(again), shoal_entity_index(e[N - 1]));
  assert_int_equal(shoal_entity_generation(again), 1);
  assert_int_not_equal(again, e[N - 1]);
  assert_int_equal(s.free_count, 1024);
}

TEST_WITH(free_index_is_reused_150_ticks_after_its_entity_died, fixture) {
  enum { N = 1030 };
  shoal_entity e[N], made[3];
  entities_create_many(&s, e, N, 7, (entity_properties_t){0});
  for (uint32_t i = 0; i < N; ++i)
    assert_true(entities_destroy(&s, e[i], i < 2 ? 7 : 8, 0));
  assert_int_equal(create_entity(&s, 156), N + 1);
  entities_create_many(&s, made, 3, 157,
                       (entity_properties_t){0}); // two indices have waited 150 ticks; the third is new
  assert_int_equal(made[0], e[0] + (1u << SHOAL_ENTITY_INDEX_BITS));
  assert_int_equal(made[1], e[1] + (1u << SHOAL_ENTITY_INDEX_BITS));
  assert_int_equal(made[2], N + 2);
  assert_int_equal(create_entity(&s, 158), e[2] + (1u << SHOAL_ENTITY_INDEX_BITS));
  assert_false(s.reused_early);
}

// Creates and destroys `rate` entities in each tick, and returns the tick in which the first id recurs.
static uint32_t find_recurrence(uint32_t rate) {
  shoal_entity e[2000], first = 0;
  for (uint32_t tick = 0;; ++tick) {
    entities_create_many(&s, e, rate, tick, (entity_properties_t){0});
    first = tick == 0 ? e[0] : first;
    for (uint32_t i = 0; i < rate && tick > 0; ++i)
      if (e[i] == first)
        return tick;
    entities_destroy_many(&s, e, rate, tick);
    assert_false(entities_is_alive(&s, first));
  }
}

TEST_WITH(id_does_not_recur_within_38400_ticks_at_2000_deaths_a_tick, fixture) {
  assert_int_equal(find_recurrence(2000), 38400);
  assert_int_equal(s.used, 2000 * 150 + 1);
  assert_false(s.reused_early);
}

TEST_WITH(id_does_not_recur_within_262144_create_destroy_pairs, fixture) {
  assert_true(find_recurrence(2) >= 256 * 1024 / 2);
}

TEST_WITH(creation_fails_when_all_indices_are_alive, fixture) {
  for (uint32_t i = 1; i <= SHOAL_ENTITY_MAX_ALIVE; ++i)
    if (create_entity(&s, 0) != i)
      fail_msg("entity %u", i);
  assert_int_equal(s.alive_count, 4194303);
  assert_int_equal(entities_available(&s), 0);
  uint64_t hash = entities_hash(&s, 0);
  assert_int_equal(create_entity(&s, 0), 0);
  assert_true(entities_hash(&s, 0) == hash);
  // The FIFO still holds back the last 1,024 indices, so no id is reused too early.
  for (uint32_t i = 1; i <= 1024; ++i)
    assert_true(entities_destroy(&s, i, 0, 0));
  assert_int_equal(create_entity(&s, 0), 0);
  assert_true(entities_destroy(&s, 1025, 0, 0));
  assert_int_equal(entities_available(&s), 1);
  assert_false(s.reused_early);
  // no unused index is left, so the oldest free index is reused early
  assert_int_equal(create_entity(&s, 149), 1u | 1u << 22);
  assert_true(s.reused_early);
}

static uint32_t warnings;

static void count_warnings(void *context, log_level_t level, const char *line) {
  (void)context;
  warnings += level == LOG_WARN && strstr(line, "entity ids are reused within") != NULL;
}

TEST_WITH(world_without_unused_ids_warns_once_and_reuses_the_oldest, fixture) {
  log_o *log = log_create(LOG_WARN);
  log_set_terminal(log, false);
  log_set_listener(log, count_warnings, NULL);
  world_o *w = world_create(&(world_desc_t){.log = log});
  entities_t *all = world_entities(w);
  while (all->used <= SHOAL_ENTITY_MAX_ALIVE)
    create_entity(all, 0);
  for (uint32_t i = 1; i <= 1026; ++i)
    entities_destroy(all, i, 0, 0);
  assert_int_equal(warnings, 0);
  assert_int_equal(shoal_entity_index(world_spawn(w, 0, NULL)), 1);
  assert_int_equal(shoal_entity_index(world_spawn(w, 0, NULL)), 2);
  assert_int_equal(warnings, 1);
  world_destroy(w);
  log_destroy(log);
}

TEST_WITH(entity_hash_covers_generations_states_and_the_free_queue, fixture) {
  entities_t other;
  entities_init(&other, &memory);
  shoal_entity a = create_entity(&s, 0), b = create_entity(&s, 0);
  create_entity(&other, 0);
  create_entity(&other, 0);
  assert_true(entities_hash(&s, 0) == entities_hash(&other, 0));
  entities_destroy(&s, a, 0, 0);
  entities_destroy(&s, b, 0, 0);
  entities_destroy(&other, b, 0, 0);
  entities_destroy(&other, a, 0, 0);
  assert_true(entities_hash(&s, 0) != entities_hash(&other, 0));
  entities_fini(&other);
  uint64_t hash = entities_hash(&s, 0);
  s.state[1] = 5;
  assert_true(entities_hash(&s, 0) != hash);
}

TEST_WITH(create_many_returns_the_same_ids_as_single_creates, fixture) {
  enum { N = 1030, WANTED = 10 };
  entities_t other;
  shoal_entity e[N], at_once[WANTED];
  entities_init(&other, &memory);
  entities_create_many(&s, e, N, 0, (entity_properties_t){0});
  for (uint32_t i = 0; i < N; ++i)
    assert_int_equal(create_entity(&other, 0), e[i]);
  for (uint32_t i = 0; i < 1027; ++i) { // three more than the minimum queue length
    entities_destroy(&s, e[i * 7 % N], 0, 0);
    entities_destroy(&other, e[i * 7 % N], 0, 0);
  }
  assert_int_equal(s.free_count, 1027);
  entities_create_many(&s, at_once, WANTED, ENTITY_MIN_FREE_TICKS, (entity_properties_t){0});
  for (uint32_t i = 0; i < WANTED; ++i) {
    assert_int_equal(at_once[i], create_entity(&other, ENTITY_MIN_FREE_TICKS));
    assert_true(entities_is_alive(&s, at_once[i]));
    assert_int_equal(shoal_entity_generation(at_once[i]), i < 3 ? 1 : 0);
  }
  assert_int_equal(s.free_count, 1024);
  assert_int_equal(s.alive_count, 3 + WANTED);
  assert_true(entities_hash(&s, 0) == entities_hash(&other, 0));
  entities_fini(&other);
}

// Lists entities in an order with runs of all lengths up to 100, some of them descending. Returns the number of listed
// entities.
static uint32_t list_mixed_runs(const shoal_entity *e, uint32_t count, shoal_entity *out) {
  uint32_t listed = 0;
  for (uint32_t first = 0, length = 1; first < count; first += length++)
    for (uint32_t i = 0; i < length && first + i < count; ++i)
      out[listed++] = e[first + (length % 7 == 0 && first + length <= count ? length - 1 - i : i)];
  return listed;
}

TEST_WITH(reused_runs_get_the_same_ids_as_single_creates, fixture) {
  enum { N = 5000, ROUNDS = 4 };
  static shoal_entity e[N], single[N], mixed[N];
  entities_t other;
  entities_init(&other, &memory);
  for (uint32_t round = 0; round < ROUNDS; ++round) {
    uint32_t tick = round * ENTITY_MIN_FREE_TICKS;
    entities_create_many(&s, e, N, tick, (entity_properties_t){0});
    for (uint32_t i = 0; i < N; ++i)
      single[i] = create_entity(&other, tick);
    assert_memory_equal(e, single, sizeof e);
    assert_true(entities_hash(&s, 0) == entities_hash(&other, 0));
    assert_int_equal(list_mixed_runs(e, N, mixed), N);
    entities_destroy_many(&s, mixed, N, tick);
    entities_destroy_many(&other, mixed, N, tick);
  }
  entities_fini(&other);
}

TEST_WITH(runs_of_consecutive_indices_of_any_length_are_found, fixture) {
  enum { LONG = 200 };
  shoal_entity line[LONG], reversed[LONG];
  for (uint32_t end = 1; end <= LONG; ++end) {
    for (uint32_t i = 0; i < LONG; ++i)
      line[i] = 4090 + i +
                (i < end ? 0
                 : i % 2 ? 7
                         // ends the run: a later index, or the next index with a different generation
                         : 1u << SHOAL_ENTITY_INDEX_BITS);
    for (uint32_t i = 0; i < LONG; ++i)
      reversed[i] = line[LONG - 1 - i] + (LONG - 1 - i < end ? 0 : 1);
    assert_int_equal(entities_run_length(line, LONG, 0), end);
    assert_int_equal(entities_run_length(line, end, 0), end);
    assert_int_equal(entities_run_length(line, LONG, 4096), end < 6 ? end : 6);
    assert_int_equal(entities_common_reverse_prefix_length(line + end - 1, reversed + LONG - end, end), end);
    assert_int_equal(entities_common_reverse_prefix_length(line + LONG - 1, reversed, LONG), end == LONG ? LONG : 0);
  }
}
