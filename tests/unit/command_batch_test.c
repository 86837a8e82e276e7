// Commands that change many entities in one step: ecs/command_batch.c.
#include "ecs_fixture.h"

#include "snapshot/state.h"
#include "ecs/last_values.h"
#include "ecs/query_rows.h"
#include "ecs/queued_entities.h"
#include "ecs/world_hash.h"

enum { MANY = 300 };

static shoal_entity es[MANY];

// Spawns MANY entities with a position whose x is their index.
static void spawn_positions(world_o *w) {
  uint32_t dot = world_assemblage_declare(w, id_of(w, "dot"));
  world_assemblage_add_component(w, dot, 0, POSITION, 0);
  assert_int_equal(world_spawn_many(w, dot, MANY, es, NULL), MANY);
  for (uint32_t i = 0; i < MANY; ++i)
    set(w, es[i], POSITION, POSITION_X, i);
}

FIXTURE(world_o, world_setup, world_teardown)

TEST_IN(bulk_spawn_applies_template_values, world_o, w) {
  query_o *q = QUERY(w, HAS(POSITION));
  uint32_t rock = world_assemblage_declare(w, id_of(w, "rock")), left = id_of(w, "left");
  world_assemblage_add_component(w, rock, 0, POSITION, 0);
  world_assemblage_set_field(w, rock, 0, POSITION, 0, POSITION_Y, 5);
  world_assemblage_add_component(w, rock, 0, GUN, left);
  assert_int_equal(world_spawn_many(w, rock, MANY, es, NULL), MANY);
  assert_int_equal(q->count, MANY);
  assert_int_equal(world_assemblage_alive_count(w, id_of(w, "rock")), MANY);
  for (uint32_t i = 0; i < MANY; ++i) {
    assert_int_equal(q->entities[i], es[i]);
    assert_false(world_is_queued(w, es[i]));
    assert_true(get(w, es[i], POSITION, POSITION_Y) == 5);
    assert_int_not_equal(manager_find_instance_row(world_manager(w, GUN), es[i], left), ROW_NONE);
  }
  assert_int_equal(world_spawn_many(w, 0, 2, NULL, NULL), 2); // assemblage 0 has no components
  assert_int_equal(world_entities(w)->alive_count, MANY + 2);
}

enum { FULL_PAGES = 3, PAGED = FULL_PAGES * INDEX_PAGE };
static shoal_entity paged[PAGED];

// Declares an assemblage with two plain components and one `many` component.
static uint32_t declare_ship(world_o *w) {
  uint32_t ship = world_assemblage_declare(w, id_of(w, "ship"));
  world_assemblage_add_component(w, ship, 0, POSITION, 0);
  world_assemblage_set_field(w, ship, 0, POSITION, 0, POSITION_Y, 5);
  world_assemblage_add_component(w, ship, 0, HEALTH, 0);
  world_assemblage_add_component(w, ship, 0, GUN, id_of(w, "left"));
  return ship;
}

TEST_IN(bulk_spawn_shares_the_index_pages_of_components_with_equal_rows, world_o, w) {
  uint32_t ship = declare_ship(w);
  assert_int_equal(world_spawn_many(w, ship, PAGED, paged, NULL), PAGED);
  const manager_o *position = world_manager(w, POSITION), *health = world_manager(w, HEALTH);
  assert_ptr_not_equal(position->pages[0], health->pages[0]); // also contains index 0, which belongs to no entity
  for (uint32_t i = 1; i < FULL_PAGES; ++i)
    assert_ptr_equal(position->pages[i], health->pages[i]);
  assert_true(world_remove_component(w, paged[INDEX_PAGE], HEALTH, 0));
  assert_int_equal(manager_row(health, paged[INDEX_PAGE]), ROW_NONE);
  assert_int_equal(manager_row(position, paged[INDEX_PAGE]), INDEX_PAGE);
  for (uint32_t i = 0; i < PAGED - 1; ++i)
    if (i != INDEX_PAGE && (manager_row(health, paged[i]) != i || manager_row(position, paged[i]) != i))
      fail_msg("entity %u has the wrong rows", i);
  assert_int_equal(manager_row(health, paged[PAGED - 1]), INDEX_PAGE); // the last row filled the gap
}

// Spawns and destroys many entities in a new world three times, then spawns entities with the reused ids; returns the
// state's hash. The ids are stored in `out`, unless it is NULL.
static uint64_t hash_respawned(shoal_entity *out) {
  world_o *w = make_world();
  uint32_t ship = declare_ship(w);
  query_o *q = QUERY(w, HAS(POSITION), HAS(HEALTH));
  for (uint32_t i = 0; i < 3; ++i) {
    assert_int_equal(world_spawn_many(w, ship, PAGED, out, NULL), PAGED);
    assert_int_equal(world_query_destroy_entities(w, q), PAGED);
    for (uint32_t k = 0; k <= ENTITY_MIN_FREE_TICKS; ++k)
      world_end_tick(w);
  }
  assert_true(world_entities(w)->used < 3 * PAGED); // ids were reused
  world_spawn_many(w, ship, PAGED, out, NULL);
  uint64_t hash = world_hash(w);
  world_destroy(w);
  return hash;
}

TEST(bulk_spawn_with_and_without_a_list_of_ids_gives_the_same_state) {
  shoal_entity out[PAGED];
  assert_true(hash_respawned(out) == hash_respawned(NULL));
}

// The second spawn reuses the ids of entities that were destroyed in scattered order.
TEST_IN(bulk_spawn_with_scattered_ids_gives_each_entity_its_rows, world_o, w) {
  enum { CREATED = 4096, REUSED = CREATED - ENTITY_MIN_FREE, OTHERS = 7 };
  static shoal_entity created[CREATED], reused[REUSED];
  shoal_entity others[OTHERS];
  for (uint32_t i = 0; i < OTHERS; ++i)
    others[i] = SPAWN(w, HEALTH);
  uint32_t ship = declare_ship(w);
  query_o *ships = QUERY(w, HAS(POSITION), HAS(HEALTH)), *healthy = QUERY(w, HAS(HEALTH));
  assert_int_equal(world_spawn_many(w, ship, CREATED, created, NULL), CREATED);
  for (uint32_t i = 0; i < CREATED; ++i)
    world_destroy_entity(w, created[i * 1237 % CREATED]);
  for (uint32_t i = 0; i <= ENTITY_MIN_FREE_TICKS; ++i)
    world_end_tick(w);
  assert_int_equal(world_spawn_many(w, ship, REUSED, reused, NULL), REUSED);
  assert_int_equal(shoal_entity_index(reused[1]), shoal_entity_index(created[1237]));
  const manager_o *position = world_manager(w, POSITION), *health = world_manager(w, HEALTH);
  for (uint32_t i = 0; i < REUSED; ++i) {
    assert_int_equal(manager_row(position, reused[i]), i);
    assert_int_equal(manager_row(health, reused[i]), OTHERS + i);
    assert_int_equal(query_row_of_entity(ships, reused[i]), i + 1);
    assert_int_equal(query_row_of_entity(healthy, reused[i]), OTHERS + i + 1);
  }
  for (uint32_t i = 0; i < OTHERS; ++i) {
    assert_int_equal(manager_row(health, others[i]), i);
    assert_int_equal(query_row_of_entity(healthy, others[i]), i + 1);
    assert_int_equal(query_row_of_entity(ships, others[i]), 0);
  }
}

TEST_IN(bulk_spawn_of_an_unknown_assemblage_fails, world_o, w) {
  error_info_t error = {0};
  assert_int_equal(world_spawn_many(w, 9, 5, es, &error), 0);
  assert_non_null(strstr(error.text, "unknown assemblage number 9"));
  assert_int_equal(world_entities(w)->alive_count, 0);
}

TEST_IN(query_destroy_destroys_only_matching_entities, world_o, w) {
  shoal_entity other = SPAWN(w, HEALTH);
  spawn_positions(w);
  query_o *q = QUERY(w, HAS(POSITION), HAS_NOT(FROZEN));
  add(w, es[7], FROZEN, 0);
  assert_int_equal(world_query_destroy_entities(w, q), MANY - 1);
  assert_int_equal(q->count, 0);
  assert_true(world_is_alive(w, other) && world_is_alive(w, es[7]));
  assert_false(world_is_alive(w, es[0]) || world_is_alive(w, es[MANY - 1]));
  assert_int_equal(world_manager(w, POSITION)->count, 1);
  assert_true(get(w, es[7], POSITION, POSITION_X) == 7);
  assert_int_equal(world_query_destroy_entities(w, q), 0);
}

// Returns true if both indexes of `m` and `q` contain exactly the `count` entities of `list` in this order.
static bool has_rows(const manager_o *m, query_o *q, const shoal_entity *list, uint32_t count) {
  bool has = m->count == count && q->count == count;
  for (uint32_t i = 0; i < MANY; ++i)
    has &= manager_row(m, list[i]) == (count > 0 ? i : ROW_NONE) && query_contains(q, list[i]) == (count > 0);
  return has;
}

TEST_IN(destroying_all_owners_of_a_component_empties_its_index_and_queries, world_o, w) {
  query_o *q = QUERY(w, HAS(POSITION)), *both = QUERY(w, HAS(POSITION), HAS(HEALTH));
  spawn_positions(w);
  world_query_add_component(w, q, HEALTH, NULL, NULL, 0, NULL);
  shoal_entity other = SPAWN(w, LABEL);
  world_share_pages(w, 1);
  const manager_o *position = world_manager(w, POSITION), *health = world_manager(w, HEALTH);
  assert_ptr_equal(position->pages[0], health->pages[0]);
  uint32_t **copy = index_copy(position->pages, position->page_count, world_allocator(w));
  assert_int_equal(world_query_destroy_entities(w, both), MANY);
  assert_true(has_rows(position, q, es, 0) && has_rows(health, both, es, 0));
  assert_true(world_is_alive(w, other));
  for (uint32_t i = 0; i < MANY; ++i) // a shared page is not cleared in place
    assert_int_equal(index_get(copy, position->page_count, es[i]), i + 1);
  index_free(copy, position->page_count, world_allocator(w));
  spawn_positions(w);
  world_query_add_component(w, q, HEALTH, NULL, NULL, 0, NULL);
  assert_true(has_rows(position, q, es, MANY) && has_rows(health, both, es, MANY));
}

TEST_IN(query_add_sets_values_on_new_and_existing_components, world_o, w) {
  spawn_positions(w);
  query_o *q = QUERY(w, HAS(POSITION)), *both = QUERY(w, HAS(POSITION), HAS(TRANSFORM));
  add(w, es[3], TRANSFORM, 0);
  set(w, es[3], TRANSFORM, 0, es[4]);
  const uint32_t columns[] = {1};
  const double values[] = {2.5};
  assert_true(world_query_add_component(w, q, TRANSFORM, columns, values, 1, NULL));
  assert_int_equal(both->count, MANY);
  for (uint32_t i = 0; i < MANY; ++i) {
    assert_true(get(w, es[i], TRANSFORM, 1) == 2.5);
    assert_true(get(w, es[i], TRANSFORM, 0) == (i == 3 ? es[4] : 0)); // columns that were not passed keep their values
  }
}

TEST_IN(query_remove_updates_other_queries, world_o, w) {
  spawn_positions(w);
  query_o *q = QUERY(w, HAS(POSITION), HAS(HEALTH)), *without = QUERY(w, HAS(POSITION), HAS_NOT(HEALTH));
  query_o *either = QUERY(w, ONE_OF(HEALTH), ONE_OF(LABEL)), *may = QUERY(w, HAS(POSITION), MAY_HAVE(HEALTH));
  for (uint32_t i = 0; i < MANY; i += 2)
    add(w, es[i], HEALTH, 0);
  shoal_entity lone = SPAWN(w, HEALTH);
  assert_true(world_query_remove_component(w, q, HEALTH, NULL));
  assert_int_equal(q->count, 0);
  assert_int_equal(without->count, MANY);
  assert_int_equal(either->count, 1);
  assert_int_equal(either->entities[0], lone);
  for (uint32_t i = 0; i < may->count; ++i)
    assert_int_equal(may->terms[1].rows[i], ROW_NONE);
  assert_int_equal(world_manager(w, HEALTH)->count, 1);
}

TEST_IN(bulk_change_of_an_invalid_component_is_rejected, world_o, w) {
  error_info_t error = {0};
  query_o *q = QUERY(w, HAS(POSITION));
  const uint32_t column = 9;
  const double value = 1;
  assert_false(world_query_add_component(w, q, SCORE, NULL, NULL, 0, &error));
  assert_non_null(strstr(error.text, "score is a single"));
  assert_false(world_query_remove_component(w, q, 99, &error));
  assert_non_null(strstr(error.text, "unknown component number 99"));
  assert_false(world_query_add_component(w, q, HEALTH, &column, &value, 1, &error));
  assert_non_null(strstr(error.text, "health has no column 9"));
}

TEST_IN(deferred_bulk_change_affects_entities_matched_at_the_call, world_o, w) {
  spawn_positions(w);
  query_o *q = QUERY(w, HAS(POSITION));
  world_defer_begin(w, id_of(w, "reaper"));
  world_query_add_component(w, q, HEALTH, NULL, NULL, 0, NULL);
  shoal_entity late = SPAWN(w, POSITION);
  assert_int_equal(world_command_count(w), 3); // one command for all matching entities, two for `late`
  world_destroy_entity(w, es[0]);
  world_query_destroy_entities(w, q);
  assert_int_equal(q->count, MANY);
  assert_true(world_is_component_pending(w, es[1], HEALTH));
  world_defer_end(w, false);
  assert_true(world_is_alive(w, late));
  assert_false(world_has_component(w, late, HEALTH));
  assert_int_equal(q->count, 1);
  assert_string_equal(strings_text(world_strings(w), sparse_get(world_entities(w)->died_by, shoal_entity_index(es[5]))),
                      "reaper");
}

TEST_IN(bulk_changes_of_a_failed_system_are_dropped, world_o, w) {
  spawn_positions(w);
  query_o *q = QUERY(w, HAS(POSITION));
  uint64_t before = world_hash(w);
  world_defer_begin(w, 0);
  world_query_add_component(w, q, HEALTH, NULL, NULL, 0, NULL);
  world_query_remove_component(w, q, POSITION, NULL);
  world_query_destroy_entities(w, q);
  assert_true(world_hash(w) != before); // the hash covers queued commands
  world_defer_end(w, true);
  assert_true(world_hash(w) == before);
}

TEST_IN(bulk_change_affects_an_entity_with_instances_once, world_o, w) {
  query_o *q = QUERY(w, HAS(GUN));
  shoal_entity e[20];
  for (uint32_t i = 0; i < 20; ++i) {
    e[i] = SPAWN(w, GUN);
    add(w, e[i], GUN, id_of(w, "left"));
  }
  assert_int_equal(q->count, 40);
  world_query_add_component(w, q, HEALTH, NULL, NULL, 0, NULL);
  assert_int_equal(world_manager(w, HEALTH)->count, 20);
  assert_true(world_query_remove_component(w, QUERY(w, HAS(HEALTH)), GUN, NULL));
  assert_int_equal(world_manager(w, GUN)->count, 0);
  for (uint32_t i = 0; i < 5; ++i) {
    add(w, e[i], GUN, 0);
    add(w, e[i], GUN, id_of(w, "left"));
  }
  assert_int_equal(world_query_destroy_entities(w, q), 5);
  assert_int_equal(world_entities(w)->alive_count, 15);
}

TEST_IN(query_newer_than_a_snapshot_matches_after_a_restore, world_o, w) {
  allocator_t memory = {0};
  error_info_t error;
  snapshot_o *s = snapshot_create(&memory);
  spawn_positions(w);
  assert_true(snapshot_take(s, w, &error));
  query_o *late = QUERY(w, HAS(POSITION), HAS_NOT(LABEL)); // this query does not exist in the snapshot
  assert_true(snapshot_restore(s, w, &error));
  assert_true(world_query_add_component(w, late, HEALTH, NULL, NULL, 0, NULL));
  assert_int_equal(world_manager(w, HEALTH)->count, MANY);
  assert_true(snapshot_restore(s, w, &error));
  assert_true(world_group_query(w, late, &error));
  assert_int_equal(late->count, MANY);
  assert_true(snapshot_restore(s, w, &error));
  assert_int_equal(world_query_destroy_entities(w, late), MANY);
  snapshot_release(s);
}

// Applies the same changes one by one and in bulk, while watchers observe both worlds.
TEST(bulk_changes_give_the_same_world_as_single_changes) {
  uint64_t hashes[2];
  for (int at_once = 0; at_once < 2; ++at_once) {
    world_o *w = make_world();
    error_info_t error;
    query_o *q = QUERY(w, HAS(POSITION)), *both = QUERY(w, HAS(POSITION), HAS(HEALTH));
    QUERY(w, HAS(POSITION), MAY_HAVE(HEALTH));
    assert_true(world_group_query(w, both, &error));
    world_watch_query(w, id_of(w, "watcher"), both);
    spawn_positions(w);
    for (uint32_t i = 0; i < MANY; i += 5)
      add(w, es[i], HEALTH, 0);
    if (at_once) {
      world_query_add_component(w, q, HEALTH, NULL, NULL, 0, NULL);
    } else {
      for (uint32_t i = 0; i < MANY; ++i)
        add(w, es[i], HEALTH, 0);
    }
    world_destroy_entity(w, es[100]);
    shoal_entity list[MANY];
    uint32_t count = both->count;
    memcpy(list, both->entities, count * sizeof *list);
    if (at_once) {
      world_query_remove_component(w, both, HEALTH, NULL);
    } else {
      for (uint32_t i = count; i-- > 0;)
        world_remove_component(w, list[i], HEALTH, 0);
    }
    hashes[at_once] = world_hash(w);
    world_destroy(w);
  }
  assert_true(hashes[0] == hashes[1]);
}

enum { REMOVES = 1, MIXED = 2, ANY_ORDER = 4, NOT_APART = 8, RESTORED = 16, DROPPED = 32, PATTERNS = 64 };

static void change_entity(world_o *w, uint32_t pattern, uint32_t i) {
  shoal_entity e = es[pattern & ANY_ORDER ? i * 6 % MANY : i];
  world_add_component(w, e, HEALTH, 0, NULL);
  if (pattern & REMOVES)
    world_remove_component(w, e, FROZEN, 0);
  if (pattern & MIXED && i % 60 == 59)
    assert_true(world_set_field(w, e, HEALTH, 0, 0, i, NULL));
}

static void change_entities(world_o *w, uint32_t pattern, uint32_t from, uint32_t end) {
  for (uint32_t i = from; i < end; ++i)
    if (i != 77 && i * 6 % MANY != 77)
      change_entity(w, pattern, i);
}

// Queues the changes of a pattern, applies them and returns the hash. Some patterns drop an inner deferral or restore a
// snapshot that was taken between the changes.
static uint64_t queue_and_hash(world_o *w, uint32_t pattern) {
  allocator_t memory = {0};
  snapshot_o *s = snapshot_create(&memory);
  world_defer_begin(w, 0);
  world_destroy_entity(w, es[77]);
  change_entities(w, pattern, 0, 200);
  if (pattern & DROPPED) {
    world_defer_begin(w, 0);
    change_entities(w, pattern, 150, 190);
    world_defer_end(w, true);
  }
  assert_true(snapshot_take(s, w, NULL));
  change_entities(w, pattern, 200, MANY);
  world_defer_end(w, false);
  if (pattern & RESTORED) {
    assert_true(snapshot_restore(s, w, NULL));
    world_defer_begin(w, 0);
    change_entities(w, pattern, 200, MANY);
    world_defer_end(w, false);
  }
  snapshot_release(s);
  return world_hash(w);
}

// A pattern queues one kind of change, or two interleaved kinds, for entities in any order; some entities are repeated
// or dead.
TEST(queued_changes_give_the_same_world_as_immediate_changes) {
  for (uint32_t pattern = 0; pattern < PATTERNS; ++pattern) {
    uint64_t hashes[2];
    for (int queued = 0; queued < 2; ++queued) {
      world_o *w = make_world();
      QUERY(w, HAS(POSITION), HAS(HEALTH));
      QUERY(w, HAS(POSITION), HAS_NOT(FROZEN));
      if (pattern & NOT_APART)
        QUERY(w, HAS(HEALTH), HAS(FROZEN));
      spawn_positions(w);
      for (uint32_t i = 0; i < MANY; i += 2)
        add(w, es[i], FROZEN, 0);
      if (!queued) {
        world_destroy_entity(w, es[77]);
        change_entities(w, pattern, 0, MANY);
      }
      hashes[queued] = queued ? queue_and_hash(w, pattern) : world_hash(w);
      world_destroy(w);
    }
    if (hashes[0] != hashes[1])
      fail_msg("pattern %u", pattern);
  }
}

TEST_IN(bulk_changes_allocate_nothing_in_steady_state, world_o, w) {
  error_info_t error;
  query_o *q = QUERY(w, HAS(POSITION), HAS(HEALTH));
  assert_true(world_group_query(w, q, &error));
  spawn_positions(w);
  uint32_t dot = world_find_assemblage(w, id_of(w, "dot"));
  uint64_t calls = 0;
  for (uint32_t tick = 0; tick < ENTITY_MIN_FREE_TICKS + 30; ++tick) { // ids are reused after this many ticks
    world_query_destroy_entities(w, QUERY(w, HAS(POSITION)));
    uint32_t block = world_spawn_block_begin(w, dot, MANY, NULL);
    world_spawn_block_columns(w, block, POSITION, 0);
    world_spawn_block_commit(w, block);
    world_query_add_component(w, QUERY(w, HAS(POSITION)), HEALTH, NULL, NULL, 0, NULL);
    world_query_remove_component(w, q, HEALTH, NULL);
    world_end_tick(w);
    if (tick == ENTITY_MIN_FREE_TICKS + 14)
      calls = world_allocator(w)->calls;
  }
  assert_int_equal(world_allocator(w)->calls, calls);
}

TEST_IN(bulk_spawn_into_an_empty_component_does_not_copy_the_columns, world_o, w) {
  spawn_positions(w);
  world_query_destroy_entities(w, QUERY(w, HAS(POSITION)));
  uint32_t dot = world_find_assemblage(w, id_of(w, "dot")), count = 100000;
  manager_o *m = world_manager(w, POSITION);
  for (uint32_t round = 0; round < 2; ++round) { // the second block is appended to rows, and copied
    uint32_t block = world_spawn_block_begin(w, dot, count, NULL);
    columns_t *c = world_spawn_block_columns(w, block, POSITION, 0);
    for (uint32_t i = 0; i < count; ++i)
      columns_set(c, i, POSITION_X, i + round * count);
    const void *staged = c->data[POSITION_X];
    world_spawn_block_commit(w, block);
    assert_true((m->columns.data[POSITION_X] == staged) == (round == 0));
  }
  assert_int_equal(m->count, 2 * count);
  for (uint32_t i = 0; i < m->count; ++i)
    assert_true(columns_get(&m->columns, i, POSITION_X) == i);
}

TEST_IN(capacity_of_large_columns_exceeds_the_row_count_by_at_most_a_quarter, world_o, w) {
  for (uint32_t wanted = 20000; wanted < 200000; wanted += 7777) {
    uint32_t grown = columns_compute_capacity(wanted - 1, wanted);
    assert_true(grown >= wanted && grown <= wanted + wanted / 4 + 16);
  }
  assert_int_equal(columns_compute_capacity(0, 100000), 100000); // a bulk request gets exactly the requested capacity
  assert_int_equal(columns_compute_capacity(16, 17), 32);
  uint64_t before = world_column_bytes(w);
  SPAWN(w, POSITION);
  assert_int_equal(world_column_bytes(w) - before, 2 * sizeof(float) + sizeof(shoal_entity));
}

static void assert_matches(const query_o *q, const shoal_entity *wanted, uint32_t count) {
  assert_int_equal(q->count, count);
  assert_memory_equal(q->entities, wanted, count * sizeof *wanted);
}

TEST_IN(bulk_add_updates_queries_with_one_of_terms, world_o, w) {
  shoal_entity wanted[MANY];
  uint32_t count = 0;
  query_o *all = QUERY(w, HAS(POSITION)), *some = QUERY(w, HAS(FROZEN), ONE_OF(HEALTH), ONE_OF(LABEL));
  spawn_positions(w);
  for (uint32_t i = 0; i < MANY; ++i) {
    if (i % 3 != 2)
      add(w, es[i], i % 3 ? LABEL : HEALTH, 0);
    if (i % 3 != 2)
      wanted[count++] = es[i];
  }
  assert_int_equal(some->count, 0);
  assert_true(world_query_add_component(w, all, FROZEN, NULL, NULL, 0, NULL));
  assert_matches(some, wanted, count);
  for (uint32_t i = 2; i < MANY; i += 3)
    wanted[count++] = es[i];
  assert_true(world_query_add_component(w, all, LABEL, NULL, NULL, 0, NULL));
  assert_matches(some, wanted, count);
}

enum { ROWS = 24 };

// Creates a world of ROWS entities with a position. `q` matches those from index `first` up to, but not including,
// `end`.
static world_o *make_rows(uint32_t first, uint32_t end, query_o **q) {
  world_o *w = make_world();
  *q = QUERY(w, HAS(POSITION), HAS(FROZEN));
  QUERY(w, HAS(POSITION), MAY_HAVE(HEALTH));
  for (uint32_t i = 0; i < ROWS; ++i) {
    es[i] = SPAWN(w, POSITION);
    set(w, es[i], POSITION, POSITION_X, i);
    if (i >= first && i < end)
      add(w, es[i], FROZEN, 0);
  }
  return w;
}

static void assert_same_rows(world_o *at_once, world_o *one_by_one) {
  const manager_o *m = world_manager(at_once, POSITION), *n = world_manager(one_by_one, POSITION);
  assert_int_equal(m->count, n->count);
  assert_memory_equal(m->owner, n->owner, n->count * sizeof *n->owner);
  assert_memory_equal(m->data[POSITION_X], n->data[POSITION_X], n->count * sizeof(float));
  for (uint32_t i = 0; i < ROWS; ++i)
    assert_int_equal(manager_row(m, es[i]), manager_row(n, es[i]));
}

TEST(bulk_removal_orders_rows_like_single_removals) {
  for (uint32_t first = 0; first < ROWS; ++first)
    for (uint32_t end = first + 1; end <= ROWS; ++end) {
      query_o *q, *other;
      world_o *at_once = make_rows(first, end, &q), *one_by_one = make_rows(first, end, &other);
      assert_true(world_query_remove_component(at_once, q, POSITION, NULL));
      for (uint32_t i = end; i-- > first;)
        world_remove_component(one_by_one, es[i], POSITION, 0);
      assert_same_rows(at_once, one_by_one);
      assert_true(world_hash(at_once) == world_hash(one_by_one));
      world_destroy(at_once);
      world_destroy(one_by_one);
    }
}

TEST(deferred_removal_orders_rows_like_single_removals) {
  for (uint32_t first = 0; first < ROWS; ++first)
    for (uint32_t end = first + 1; end <= ROWS; ++end) {
      query_o *q, *other;
      world_o *at_once = make_rows(first, end, &q), *one_by_one = make_rows(first, end, &other);
      world_defer_begin(at_once, 0);
      for (uint32_t i = first; i < end; ++i) {
        world_remove_component(at_once, es[i], POSITION, 0);
        world_remove_component(one_by_one, es[i], POSITION, 0);
      }
      world_defer_end(at_once, false);
      assert_same_rows(at_once, one_by_one);
      assert_true(world_hash(at_once) == world_hash(one_by_one));
      world_destroy(at_once);
      world_destroy(one_by_one);
    }
}

TEST_IN(consecutive_deferred_destroys_are_merged_into_one_command, world_o, w) {
  spawn_positions(w);
  world_defer_begin(w, 0);
  for (uint32_t i = 0; i < MANY; ++i) {
    assert_true(world_destroy_entity(w, es[i]));
    assert_false(world_destroy_entity(w, es[i]));
    assert_true(world_is_doomed(w, es[i]));
  }
  assert_int_equal(world_command_count(w), 1);
  assert_true(world_estimate_command_work(w, 0) == MANY);
  // a merged command has no successor, which callers that inspect the queue rely on
  assert_int_equal(world_command_lane(w)->next, 0);
  world_defer_end(w, true);
  assert_false(world_is_doomed(w, es[0]) || world_is_doomed(w, es[MANY - 1]));
  assert_int_equal(world_entities(w)->alive_count, MANY);
}

// --- states

// Creates a world with MANY entities. Each has a position and, depending on its state, health, label, frozen or no
// other component. If `grouped`, a group owns the rows of the query for labels and positions. Each query has a watcher.
static world_o *make_states(bool grouped, uint32_t *states, query_o **queries) {
  static const uint32_t components[] = {HEALTH, LABEL, FROZEN};
  static const char *const names[] = {"healthy", "labelled", "frozen", "bare"};
  world_o *w = make_world();
  uint32_t dot = world_assemblage_declare(w, id_of(w, "dot"));
  world_assemblage_add_component(w, dot, 0, POSITION, 0);
  for (uint32_t i = 0; i < 4; ++i) {
    uint32_t state = world_assemblage_add_state(w, dot, states[i] = id_of(w, names[i]));
    if (i < 3)
      world_assemblage_add_component(w, dot, state, components[i], 0);
  }
  world_assemblage_set_field(w, dot, 1, HEALTH, 0, 0, 9);
  queries[0] = QUERY(w, HAS(HEALTH), HAS(POSITION));
  queries[1] = QUERY(w, HAS(LABEL), HAS(POSITION));
  queries[2] = QUERY(w, HAS(POSITION), HAS_NOT(FROZEN));
  assert_true(!grouped || world_group_query(w, queries[1], NULL));
  for (uint32_t i = 0; i < 3; ++i)
    world_watch_query(w, id_of(w, "watcher"), queries[i]);
  assert_int_equal(world_spawn_many(w, dot, MANY, es, NULL), MANY);
  return w;
}

// Makes the same state changes in both worlds: immediately in `one_by_one`, deferred and then together in `at_once`.
// Before, one entity may lose or gain a state's component or be destroyed. Some entities change their state twice.
static void change_states(world_o *at_once, world_o *one_by_one, const uint32_t *states, uint32_t *seed) {
  uint32_t first = random_from_seed(seed, MANY), step = 1 + random_from_seed(seed, 7),
           length = random_from_seed(seed, 60);
  world_o *worlds[] = {at_once, one_by_one};
  uint32_t changed = random_from_seed(seed, MANY), kinds = 1 + random_from_seed(seed, 4),
           shift = random_from_seed(seed, 4);
  for (uint32_t i = 0; i < 2; ++i)
    if (world_is_alive(worlds[i], es[changed]) && changed % 3 == 0)
      world_remove_component(worlds[i], es[changed], HEALTH, 0);
    else if (world_is_alive(worlds[i], es[changed]) && changed % 3 == 1)
      add(worlds[i], es[changed], FROZEN, 0);
    else if (changed % 6 == 2)
      world_destroy_entity(worlds[i], es[changed]);
  world_defer_begin(at_once, 0);
  for (uint32_t i = 0; i < length; ++i) {
    shoal_entity e = es[(first + i * step) % MANY];
    uint32_t state = states[(random_from_seed(seed, kinds) + shift) % 4];
    for (uint32_t k = 0; k < 2; ++k)
      if (world_is_alive(worlds[k], e))
        assert_true(world_enter_state(worlds[k], e, state, NULL));
  }
  world_defer_end(at_once, false);
}

TEST(deferred_state_changes_order_rows_like_single_changes) {
  for (uint32_t round = 0; round < 60; ++round) {
    uint32_t states[4], seed = round;
    query_o *queries[3], *others[3];
    world_o *at_once = make_states(round % 2 == 0, states, queries);
    world_o *one_by_one = make_states(round % 2 == 0, states, others);
    for (uint32_t i = 0; i < 20; ++i) {
      change_states(at_once, one_by_one, states, &seed);
      assert_same_rows(at_once, one_by_one);
      assert_true(world_hash(at_once) == world_hash(one_by_one));
      for (uint32_t k = 0; k < 3; ++k) {
        assert_int_equal(queries[k]->count, others[k]->count);
        assert_memory_equal(queries[k]->entities, others[k]->entities, others[k]->count * sizeof(shoal_entity));
      }
    }
    world_destroy(at_once);
    world_destroy(one_by_one);
  }
}

TEST_IN(leave_finds_the_last_values_of_all_components_of_a_state, world_o, w) {
  static const uint32_t components[] = {HEALTH, LABEL};
  uint32_t dot = world_assemblage_declare(w, id_of(w, "dot")), watchers[2], count;
  uint32_t full = world_assemblage_add_state(w, dot, id_of(w, "full")), bare = id_of(w, "bare");
  world_assemblage_add_state(w, dot, bare);
  for (uint32_t i = 0; i < 2; ++i) {
    world_assemblage_add_component(w, dot, full, components[i], 0);
    watchers[i] = world_watch_query(w, id_of(w, "watcher"), QUERY(w, HAS(components[i])));
    world_watch_enable_last_rows(w, watchers[i]);
  }
  assert_int_equal(world_spawn_many(w, dot, MANY, es, NULL), MANY);
  for (uint32_t i = 0; i < 2; ++i)
    world_watch_pop_entries(w, watchers[i], &count);
  world_defer_begin(w, 0);
  for (uint32_t i = 0; i < MANY; ++i)
    assert_true(world_enter_state(w, es[i], bare, NULL));
  world_defer_end(w, false);
  for (uint32_t i = 0; i < 2; ++i) {
    const query_watch_t *left = world_watch_pop_entries(w, watchers[i], &count);
    assert_int_equal(count, MANY);
    for (uint32_t k = 0; k < MANY; ++k)
      assert_true(!left[k].entered && last_values_find(world_manager(w, components[1 - i]), left[k].entity,
                                                       left[k].removal, 0, false) != ROW_NONE);
  }
}
