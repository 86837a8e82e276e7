// Relations between entities: ecs/relation.h. A randomized test compares them with a model that stores only the pairs.
#include "ecs_fixture.h"

#include "ecs/relation.h"
#include "ecs/relation_internal.h"
#include "snapshot/snapshot.h"
#include "snapshot/state.h"
#include "ecs/world_hash.h"

// Relations that cover every effect that destroying a target can have on its sources.
enum {
  LIKES = NAME + 1, // the pair is removed
  FOLLOWS,          // the source is destroyed
  AIMS,             // the target field is set to 0
  LOOKS,            // no effect: the target field keeps the id
  HATES             // the pair is removed
};

static uint32_t declare_link(world_o *w, const char *name, schema_kind_t kind, uint32_t cascade) {
  schema_buffer_t s;
  schema_init(&s, name, kind, "test");
  schema_add_field(&s.schema, "strength", FIELD_F32, 1);
  schema_add_field(&s.schema, "target", FIELD_ENTITY, 0)->flags |= cascade;
  uint32_t id = world_declare_schema(w, &s.schema, NULL);
  assert_int_not_equal(id, 0);
  return id;
}

static world_o *make_related(void) {
  world_o *w = make_world();
  assert_int_equal(declare_link(w, "likes", SCHEMA_MANY, FIELD_CASCADE_REMOVE), LIKES);
  assert_int_equal(declare_link(w, "follows", SCHEMA_COMPONENT, FIELD_CASCADE_DESTROY), FOLLOWS);
  assert_int_equal(declare_link(w, "aims", SCHEMA_COMPONENT, FIELD_CASCADE_CLEAR), AIMS);
  assert_int_equal(declare_link(w, "looks", SCHEMA_COMPONENT, 0), LOOKS);
  assert_int_equal(declare_link(w, "hates", SCHEMA_MANY, FIELD_CASCADE_REMOVE), HATES);
  relation_enable(w);
  return w;
}

static int setup(void **state) {
  *state = make_related();
  return 0;
}
FIXTURE(world_o, setup, world_teardown)

static void add_relation(world_o *w, shoal_entity e, uint32_t m, shoal_entity target) {
  error_info_t error = {0};
  if (!relation_add_pair(w, e, m, target, NULL, &error))
    fail_msg("%s", error.text);
}

static uint32_t target_column(world_o *w, uint32_t m) {
  return (uint32_t)relation_find_column(w, m, NULL);
}

static const char *format_sources(world_o *w, shoal_entity e, uint32_t m) {
  static char texts[4][512];
  static uint32_t next;
  char *text = texts[next++ % 4];
  uint32_t count;
  const shoal_entity *list = relation_list_sources(w, e, m, target_column(w, m), &count);
  text[0] = '\0';
  for (uint32_t i = 0; i < count; ++i)
    sprintf(text + strlen(text), "%u ", shoal_entity_index(list[i]));
  return text;
}

// --- pairs

TEST_IN(relation_lists_many_targets_of_an_entity_and_the_referrers_of_a_target, world_o, w) {
  shoal_entity a = spawn(w), b = spawn(w), apples = spawn(w), pears = spawn(w), found[4];
  add_relation(w, b, LIKES, apples);
  add_relation(w, a, LIKES, pears);
  add_relation(w, a, LIKES, apples);
  add_relation(w, a, LIKES, apples); // relating a pair again changes nothing
  assert_int_equal(world_manager(w, LIKES)->count, 3);
  assert_string_equal(format_sources(w, apples, LIKES), "1 2 ");
  assert_string_equal(format_sources(w, pears, LIKES), "1 ");
  assert_int_equal(relation_list_targets(w, a, LIKES, found, 4), 2);
  assert_int_equal(found[0], pears);
  assert_int_equal(found[1], apples);
  assert_true(relation_remove_pair(w, a, LIKES, pears));
  assert_false(relation_remove_pair(w, a, LIKES, pears));
  assert_string_equal(format_sources(w, pears, LIKES), "");
  assert_int_equal(relation_find_row(w, b, LIKES, pears), ROW_NONE);
  assert_int_not_equal(relation_find_row(w, b, LIKES, apples), ROW_NONE);
}

TEST_IN(relation_without_many_keeps_only_its_last_target, world_o, w) {
  shoal_entity a = spawn(w), b = spawn(w), c = spawn(w);
  add_relation(w, a, AIMS, b);
  add_relation(w, a, AIMS, c);
  assert_string_equal(format_sources(w, b, AIMS), "");
  assert_string_equal(format_sources(w, c, AIMS), "1 ");
  add_relation(w, c, AIMS, c); // an entity can be its own target
  assert_string_equal(format_sources(w, c, AIMS), "1 3 ");
  assert_true(relation_remove_pair(w, a, AIMS, c));
  assert_false(world_has_component(w, a, AIMS));
}

TEST_IN(changes_of_pairs_are_applied_after_earlier_queued_changes, world_o, w) {
  shoal_entity a = spawn(w), b = spawn(w), c = spawn(w), d = spawn(w);
  add_relation(w, a, LIKES, b);
  world_defer_begin(w, 0);
  add_relation(w, a, LIKES, c);
  add_relation(w, a, LIKES, d);
  add_relation(w, a, LIKES, c);
  assert_true(relation_remove_pair(w, a, LIKES, d));
  assert_true(relation_remove_pair(w, a, LIKES, b));
  assert_false(relation_remove_pair(w, a, LIKES, b));
  add_relation(w, a, LIKES, b);
  add_relation(w, a, AIMS, b);
  add_relation(w, a, AIMS, c);
  assert_string_equal(format_sources(w, c, LIKES), ""); // not visible until the queue is applied
  world_defer_end(w, false);
  assert_int_equal(world_manager(w, LIKES)->count, 2);
  assert_string_equal(format_sources(w, b, LIKES), "1 ");
  assert_string_equal(format_sources(w, c, LIKES), "1 ");
  assert_string_equal(format_sources(w, d, LIKES), "");
  assert_string_equal(format_sources(w, c, AIMS), "1 ");
  world_defer_begin(w, 0);
  add_relation(w, a, LIKES, d);
  world_defer_end(w, true); // drops the queued pairs
  assert_string_equal(format_sources(w, d, LIKES), "");
}

// Queued pairs are part of the world: they are hashed, saved in snapshots, and applied equally in a different world.
TEST_IN(queued_pairs_are_hashed_and_restored_with_the_world, world_o, w) {
  world_o *other = make_related();
  error_info_t error = {0};
  shoal_entity es[30];
  for (uint32_t i = 0; i < 30; ++i)
    es[i] = spawn(w);
  snapshot_o *s = snapshot_create(world_allocator(w));
  world_defer_begin(w, 0);
  for (uint32_t i = 0; i < 60; ++i) {
    add_relation(w, es[i % 30], i % 20 < 15 ? LIKES : AIMS, es[i * 7 % 30]);
    assert_true(world_is_component_pending(w, es[i % 30], i % 20 < 15 ? LIKES : AIMS));
  }
  world_destroy_entity(w, es[3]);
  uint64_t queued = world_hash(w);
  assert_true(snapshot_take(s, w, &error));
  world_defer_end(w, false);
  if (!snapshot_restore(s, other, &error))
    fail_msg("%s", error.text);
  assert_int_equal(world_hash(other), queued);
  world_defer_begin(other, 0);
  world_defer_end(other, false); // applies the queued pairs, which the snapshot restored
  assert_int_equal(world_hash(other), world_hash(w));
  assert_string_equal(format_sources(w, es[7], LIKES), format_sources(other, es[7], LIKES));
  snapshot_release(s);
  world_destroy(other);
}

// Deferred pairs, which are added in bulk, must give the same result as pairs that are added immediately.
TEST_IN(deferred_pairs_give_the_same_world_as_immediate_pairs, world_o, w) {
  world_o *other = make_related(), *both[] = {w, other};
  for (uint32_t k = 0; k < 2; ++k) {
    query_o *q = QUERY(both[k], HAS(POSITION), HAS(LIKES)), *aiming = QUERY(both[k], HAS(AIMS), HAS_NOT(HEALTH));
    shoal_entity es[100];
    for (uint32_t i = 0; i < 100; ++i)
      es[i] = i % 3 ? SPAWN(both[k], POSITION) : SPAWN(both[k], HEALTH);
    world_destroy_entity(both[k], es[50]);
    if (k == 0)
      world_defer_begin(w, 0);
    for (uint32_t i = 0; i < 300; ++i)
      if (i % 100 != 50 && i * 7 % 100 != 50)
        add_relation(both[k], es[i % 100], i / 100 % 2 ? AIMS : LIKES, es[i * 7 % 100]);
    if (k == 0)
      world_defer_end(w, false);
    assert_true(q->count > 60 && aiming->count > 30);
  }
  assert_int_equal(world_hash(w), world_hash(other));
  world_destroy(other);
}

TEST_IN(estimated_work_of_queued_pairs_equals_their_count, world_o, w) {
  shoal_entity a = SPAWN(w, POSITION), b = SPAWN(w, POSITION), c = SPAWN(w, POSITION);
  world_defer_begin(w, 0);
  add_relation(w, a, LIKES, b);
  add_relation(w, a, LIKES, c);
  add_relation(w, b, LIKES, c);
  assert_true(world_estimate_command_work(w, 0) == 3);
  world_defer_end(w, false);
}

TEST_IN(invalid_pairs_are_rejected_with_a_message, world_o, w) {
  error_info_t error = {0};
  shoal_entity a = spawn(w), dead = spawn(w);
  world_destroy_entity(w, dead);
  assert_false(relation_add_pair(w, a, LIKES, dead, NULL, &error));
  assert_string_equal(error.text, "entity(2:0) cannot be the target of a pair of likes: the entity is not alive");
  assert_false(relation_add_pair(w, dead, LIKES, a, NULL, &error));
  assert_string_equal(error.text, "entity(2:0) is not alive");
  assert_false(relation_add_pair(w, a, LIKES, 0, NULL, &error));
  assert_string_equal(error.text, "a pair of likes must have a target entity, got shoal.none");
  assert_false(relation_add_pair(w, a, HEALTH, a, NULL, &error));
  assert_string_equal(error.text, "health cannot form pairs: add a field of type entity, for example target = "
                                  "shoal.types.entity");
  assert_false(relation_add_pair(w, a, SCORE, a, NULL, &error));
  assert_string_equal(error.text, "score is a singleton, which belongs to no entity");
  assert_false(relation_add_pair(w, a, 999, a, NULL, &error));
  for (uint32_t i = 0; i < MANAGER_MAX_INSTANCES; ++i)
    add_relation(w, a, LIKES, spawn(w));
  assert_false(relation_add_pair(w, a, LIKES, spawn(w), NULL, &error));
  assert_string_equal(error.text,
                      "too many pairs of likes (at most 1024 per entity): reverse the relation, because the number of "
                      "referrers is unlimited");
  uint32_t count;
  relation_list_sources(w, dead, LIKES, 1, &count);
  assert_int_equal(count, 0);
  relation_list_sources(w, 0xffffffff, LIKES, 1, &count);
  assert_int_equal(count, 0);
}

// --- costs

static uint64_t count_relation_steps(world_o *w) {
  const relation_o *r = relation_get(w);
  uint64_t steps = 0;
  for (uint32_t i = 0; i < r->links.count; ++i)
    steps += r->links.items[i]->steps;
  return steps;
}

TEST_IN(reverse_lookup_cost_is_proportional_to_the_result, world_o, w) {
  enum { COUNT = 20000, HEARTS = 100 };
  shoal_entity hearts[HEARTS], other = SPAWN(w, POSITION);
  for (uint32_t i = 0; i < HEARTS; ++i)
    hearts[i] = spawn(w);
  for (uint32_t i = 0; i < COUNT; ++i)
    add_relation(w, spawn(w), LIKES, hearts[i % HEARTS]);
  format_sources(w, other, LIKES); // builds the reverse lookup
  for (uint32_t i = 0; i < 50; ++i) {
    uint64_t before = count_relation_steps(w);
    uint32_t count;
    add_relation(w, spawn(w), LIKES, hearts[i]);
    relation_list_sources(w, hearts[i], LIKES, 1, &count);
    assert_int_equal(count, COUNT / HEARTS + 1);
    assert_true(count_relation_steps(w) - before <= 2 * count); // one step to count the sources, one to list them
  }
  *world_links_written(w) = 1; // simulates a write through a column: the next lookup checks each row once
  uint64_t before = count_relation_steps(w);
  format_sources(w, other, LIKES);
  format_sources(w, other, LIKES);
  assert_int_equal(count_relation_steps(w) - before, COUNT + 50);
}

TEST_IN(relation_target_can_have_a_million_referrers, world_o, w) {
  enum { COUNT = 1000000 };
  error_info_t error = {0};
  uint32_t number = world_assemblage_declare(w, id_of(w, "fan")), count;
  world_assemblage_add_component(w, number, 0, FOLLOWS, 0);
  shoal_entity star = spawn(w);
  uint32_t block = world_spawn_block_begin(w, number, COUNT, &error);
  columns_fill(world_spawn_block_columns(w, block, FOLLOWS, 0), 1, 0, COUNT, star);
  world_spawn_block_commit(w, block);
  const shoal_entity *list = relation_list_sources(w, star, FOLLOWS, 1, &count);
  assert_int_equal(count, COUNT);
  for (uint32_t i = 1; i < count; ++i)
    assert_true(shoal_entity_index(list[i - 1]) < shoal_entity_index(list[i]));
  world_destroy_entity(w, star); // the star's followers are destroyed as well
  assert_int_equal(world_entities(w)->alive_count, 0);
}

// --- cascades

TEST_IN(destroyed_target_removes_pairs_destroys_referrers_or_clears_fields_as_declared, world_o, w) {
  shoal_entity a = spawn(w), b = spawn(w), c = spawn(w), d = spawn(w), target = spawn(w);
  add_relation(w, a, LIKES, target);
  add_relation(w, a, LIKES, b);
  add_relation(w, b, FOLLOWS, target);
  add_relation(w, c, AIMS, target);
  add_relation(w, d, LOOKS, target);
  world_destroy_entity(w, target);
  assert_false(world_is_alive(w, b));             // destroyed together with the target it followed
  assert_false(world_has_component(w, a, LIKES)); // both targets of `likes` are dead
  assert_true(world_has_component(w, c, AIMS));
  assert_int_equal(get(w, c, AIMS, 1), 0);
  assert_int_equal(get(w, d, LOOKS, 1), target); // keeps the id of the dead entity
}

TEST_IN(destroying_a_cycle_of_relations_terminates, world_o, w) {
  shoal_entity ring[100], survivor = spawn(w);
  for (uint32_t i = 0; i < 100; ++i)
    ring[i] = spawn(w);
  for (uint32_t i = 0; i < 100; ++i) {
    add_relation(w, ring[i], FOLLOWS, ring[(i + 1) % 100]);
    add_relation(w, ring[i], LIKES, ring[(i * 7) % 100]);
    add_relation(w, survivor, LIKES, ring[i]);
  }
  shoal_entity self = spawn(w);
  add_relation(w, self, FOLLOWS, self);
  world_destroy_entity(w, ring[42]);
  world_destroy_entity(w, self);
  assert_int_equal(world_entities(w)->alive_count, 1);
  assert_int_equal(world_manager(w, LIKES)->count + world_manager(w, FOLLOWS)->count, 0);
}

TEST_IN(chain_of_100000_relations_is_destroyed_without_recursion, world_o, w) {
  shoal_entity first = spawn(w), last = first, survivor = spawn(w);
  for (uint32_t i = 1; i < 100000; ++i) {
    shoal_entity e = spawn(w);
    add_relation(w, e, FOLLOWS, last);
    last = e;
  }
  add_relation(w, first, FOLLOWS, last); // closes the cycle
  add_relation(w, survivor, LIKES, last);
  world_destroy_entity(w, first);
  assert_int_equal(world_entities(w)->alive_count, 1);
  assert_int_equal(world_manager(w, LIKES)->count, 0);
}

TEST_IN(removed_pair_updates_queries_and_watchers, world_o, w) {
  query_o *q = QUERY(w, HAS(POSITION), HAS(LIKES));
  uint32_t watcher = world_watch_query(w, id_of(w, "romance"), q), count;
  shoal_entity a = SPAWN(w, POSITION), b = spawn(w);
  add_relation(w, a, LIKES, b);
  assert_int_equal(q->count, 1);
  world_watch_pop_entries(w, watcher, &count);
  world_destroy_entity(w, b);
  assert_int_equal(q->count, 0);
  const query_watch_t *logged = world_watch_pop_entries(w, watcher, &count);
  assert_int_equal(count, 1);
  assert_int_equal(logged[0].entity, a);
  assert_false(logged[0].entered);
}

// --- queries over pairs

static query_o *query_pair(world_o *w, query_o *base, uint32_t m, shoal_entity target) {
  pair_t pair = {m, target_column(w, m), target};
  return pair_query_find_or_create(w, base, &pair, 1, NULL);
}

TEST_IN(pair_query_matches_the_referrers_of_a_target, world_o, w) {
  shoal_entity apples = spawn(w), pears = spawn(w), es[10];
  for (uint32_t i = 0; i < 10; ++i) {
    es[i] = SPAWN(w, POSITION);
    set(w, es[i], POSITION, POSITION_X, i);
    add_relation(w, es[i], LIKES, i % 2 ? pears : apples);
    if (i % 3 == 0)
      add_relation(w, es[i], LIKES, i % 2 ? apples : pears);
  }
  world_remove_component(w, es[1], POSITION, 0);
  query_o *base = QUERY(w, HAS(POSITION), HAS(LIKES)), *q = query_pair(w, base, LIKES, pears);
  pair_query_open(q);
  double sum = 0;
  const query_term_t *t = &q->terms[q->terms[0].manager->id == POSITION ? 0 : 1];
  for (uint32_t i = 0; i < q->count; ++i)
    sum += ((const float *)t->views[POSITION_X].data)[t->views[POSITION_X].rows[i]];
  assert_int_equal(q->count, 6); // matches 0, 3, 5, 6, 7 and 9
  assert_true(sum == 30);
  assert_int_equal(q->entities[0], es[0]);
  query_o *other = query_pair(w, base, LIKES, apples);
  assert_ptr_not_equal(q, other);
  assert_ptr_equal(q, query_pair(w, base, LIKES, pears));
  assert_int_equal(q->count, 6);
  assert_int_equal(other->count, 7); // matches 0, 2, 3, 4, 6, 8 and 9
  pair_query_close(q);
  pair_t both[] = {{LIKES, 1, apples}, {LIKES, 1, pears}};
  assert_int_equal(pair_query_find_or_create(w, base, both, 2, NULL)->count, 4); // matches 0, 3, 6 and 9
  world_destroy_entity(w, apples);
  assert_int_equal(query_pair(w, base, LIKES, apples)->count, 0);
  assert_int_equal(pair_query_find_or_create(w, base, both, 2, NULL)->count, 0);
}

TEST_IN(pair_query_on_a_group_maps_its_rows, world_o, w) {
  query_o *base = QUERY(w, HAS(POSITION), HAS(AIMS));
  assert_true(world_group_query(w, base, NULL));
  shoal_entity target = spawn(w), es[50];
  for (uint32_t i = 0; i < 50; ++i) {
    es[i] = SPAWN(w, POSITION);
    if (i % 3)
      add_relation(w, es[i], AIMS, target);
  }
  for (uint32_t i = 0; i < 50; i += 4)
    world_destroy_entity(w, es[i]);
  query_o *q = query_pair(w, base, AIMS, target);
  pair_query_open(q);
  for (uint32_t i = 0; i < q->count; ++i)
    for (uint32_t k = 0; k < 2; ++k)
      assert_int_equal(q->terms[k].manager->owner[q->terms[k].rows[i]], q->entities[i]);
  pair_query_close(q);
  assert_int_equal(q->count, 25);
}

// --- comparison with a model

enum { MAX = 60, KINDS = 5, STEPS = 6000 };

typedef struct model_t {
  shoal_entity e[MAX];                 // indexed by slot; 0 if unused
  shoal_entity named[KINDS][MAX][MAX]; // targets by kind and source slot, terminated by 0
} model_t;

static bool is_many(uint32_t kind) {
  return kind == 0 || kind == 4;
}

static void model_remove_pair(model_t *m, uint32_t kind, uint32_t slot, shoal_entity target) {
  shoal_entity *list = m->named[kind][slot];
  uint32_t kept = 0;
  for (uint32_t i = 0; i < MAX; ++i)
    if (list[i] != target && list[i] != 0)
      list[kept++] = list[i];
  memset(list + kept, 0, (MAX - kept) * sizeof *list);
}

static bool model_has(const model_t *m, uint32_t kind, uint32_t slot, shoal_entity target) {
  for (uint32_t i = 0; i < MAX; ++i)
    if (m->named[kind][slot][i] == target)
      return true;
  return false;
}

static void model_add(model_t *m, uint32_t kind, uint32_t slot, shoal_entity target) {
  uint32_t i = 0;
  if (model_has(m, kind, slot, target))
    return;
  while (is_many(kind) && m->named[kind][slot][i])
    ++i;
  m->named[kind][slot][i] = target;
}

static void model_destroy(model_t *m, uint32_t slot) {
  shoal_entity dead = m->e[slot];
  m->e[slot] = 0;
  for (uint32_t kind = 0; kind < KINDS; ++kind)
    memset(m->named[kind][slot], 0, sizeof m->named[kind][slot]);
  for (uint32_t i = 0; i < MAX; ++i) {
    if (m->e[i] && model_has(m, 1, i, dead))
      model_destroy(m, i);
    for (uint32_t kind = 0; kind < KINDS; ++kind)
      if (kind != 1 && kind != 3)
        model_remove_pair(m, kind, i, dead);
  }
}

static int compare_indices(const void *a, const void *b) {
  uint32_t x = shoal_entity_index(*(const shoal_entity *)a), y = shoal_entity_index(*(const shoal_entity *)b);
  return x < y ? -1 : x > y;
}

static void compare_kind(world_o *w, const model_t *m, uint32_t kind, shoal_entity target) {
  shoal_entity wanted[MAX];
  uint32_t count = 0, found;
  for (uint32_t i = 0; i < MAX; ++i)
    if (m->e[i] && model_has(m, kind, i, target))
      wanted[count++] = m->e[i];
  qsort(wanted, count, sizeof *wanted, compare_indices);
  const shoal_entity *list = relation_list_sources(w, target, LIKES + kind, 1, &found);
  assert_int_equal(found, count);
  for (uint32_t i = 0; i < count; ++i)
    assert_int_equal(list[i], wanted[i]);
}

static void compare_pairs(world_o *w, const model_t *m, shoal_entity target) {
  query_o *base = QUERY(w, HAS(LIKES), MAY_HAVE(FOLLOWS)), *q = query_pair(w, base, LIKES, target);
  uint32_t count;
  const shoal_entity *list = relation_list_sources(w, target, LIKES, 1, &count);
  assert_int_equal(q->count, count);
  for (uint32_t i = 0; i < count; ++i)
    assert_int_equal(q->entities[i], list[i]);
  (void)m;
}

typedef struct fuzz_t {
  world_o *w;
  model_t now, kept;
  snapshot_o *snapshot;
  bool has_kept;
} fuzz_t;

static uint32_t random_below(uint32_t limit) {
  static uint32_t seed = 1;
  return random_from_seed(&seed, limit);
}

static uint32_t random_slot(const model_t *m) {
  for (uint32_t tries = 0; tries < 200; ++tries) {
    uint32_t slot = random_below(MAX);
    if (m->e[slot])
      return slot;
  }
  return MAX;
}

static void write_in_place(fuzz_t *f, uint32_t kind, uint32_t slot, shoal_entity target) {
  manager_o *m = world_manager(f->w, LIKES + kind);
  uint32_t row = manager_row(m, f->now.e[slot]);
  if (row == ROW_NONE || is_many(kind))
    return;
  ((shoal_entity *)m->data[1])[row] = target;
  *world_links_written(f->w) = 1;
  f->now.named[kind][slot][0] = target;
}

static void make_random_change(fuzz_t *f) {
  uint32_t slot = random_slot(&f->now), to = random_slot(&f->now), kind = random_below(KINDS), what = random_below(20);
  if (slot == MAX || to == MAX || what < 3) {
    uint32_t free = 0;
    while (free < MAX && f->now.e[free])
      ++free;
    if (free < MAX)
      f->now.e[free] = spawn(f->w);
    return;
  }
  shoal_entity target = f->now.e[to];
  if (what < 5) {
    world_destroy_entity(f->w, f->now.e[slot]);
    model_destroy(&f->now, slot);
  } else if (what < 14) {
    add_relation(f->w, f->now.e[slot], LIKES + kind, target);
    model_add(&f->now, kind, slot, target);
  } else if (what < 16) {
    bool had = model_has(&f->now, kind, slot, target);
    if (relation_remove_pair(f->w, f->now.e[slot], LIKES + kind, target) != had)
      fail_msg("kind %u: %u to %u, had %d", kind, f->now.e[slot], target, had);
    model_remove_pair(&f->now, kind, slot, target);
  } else if (what < 18) {
    write_in_place(f, kind, slot, target);
  } else {
    world_remove_component(f->w, f->now.e[slot], LIKES + kind, 0);
    memset(f->now.named[kind][slot], 0, sizeof f->now.named[kind][slot]);
  }
}

// Makes several changes as commands of one system. None of them destroys an entity, so the model can apply each change
// immediately and does not need a queue.
static void queue_random_changes(fuzz_t *f) {
  world_defer_begin(f->w, 0);
  // often uses a single kind, whose changes are merged into one command
  uint32_t alike = random_below(3) ? KINDS : random_below(KINDS);
  for (uint32_t i = random_below(40); i > 0; --i) {
    uint32_t slot = random_slot(&f->now), to = random_slot(&f->now), kind = alike < KINDS ? alike : random_below(KINDS);
    if (slot == MAX || to == MAX)
      break;
    if (random_below(8)) {
      add_relation(f->w, f->now.e[slot], LIKES + kind, f->now.e[to]);
      model_add(&f->now, kind, slot, f->now.e[to]);
    } else {
      bool had = model_has(&f->now, kind, slot, f->now.e[to]);
      if (relation_remove_pair(f->w, f->now.e[slot], LIKES + kind, f->now.e[to]) != had)
        fail_msg("kind %u, queued: %u to %u, had %d", kind, f->now.e[slot], f->now.e[to], had);
      model_remove_pair(&f->now, kind, slot, f->now.e[to]);
    }
  }
  world_defer_end(f->w, false);
}

static void restore_saved_state(fuzz_t *f) {
  error_info_t error = {0};
  if (!f->has_kept || random_below(2)) {
    assert_true(snapshot_take(f->snapshot, f->w, &error));
    f->kept = f->now;
  } else {
    if (!snapshot_restore(f->snapshot, f->w, &error))
      fail_msg("%s", error.text);
    f->now = f->kept;
  }
  f->has_kept = true;
}

TEST_IN(relations_match_a_naive_model_across_restores, world_o, w) {
  fuzz_t *f = calloc(1, sizeof *f);
  f->w = w;
  f->snapshot = snapshot_create(world_allocator(f->w));
  for (uint32_t step = 0; step < STEPS; ++step) {
    uint32_t what = random_below(30);
    if (what == 0)
      restore_saved_state(f);
    else if (what < 6)
      queue_random_changes(f);
    else
      make_random_change(f);
    if (random_below(8) == 0)
      world_end_tick(f->w);
    uint32_t slot = random_slot(&f->now);
    for (uint32_t kind = 0; slot != MAX && kind < KINDS; ++kind)
      compare_kind(f->w, &f->now, kind, f->now.e[slot]);
    if (slot != MAX)
      compare_pairs(f->w, &f->now, f->now.e[slot]);
  }
  for (uint32_t i = 0; i < MAX; ++i)
    for (uint32_t kind = 0; f->now.e[i] && kind < KINDS; ++kind)
      compare_kind(f->w, &f->now, kind, f->now.e[i]);
  snapshot_release(f->snapshot);
  free(f);
}

// Lookups do not change the hash, and a world that restores the state gives the same results.
TEST_IN(reverse_lookups_match_after_a_restore_and_leave_the_hash_unchanged, world_o, w) {
  world_o *other = make_related();
  error_info_t error = {0};
  shoal_entity es[40];
  for (uint32_t i = 0; i < 40; ++i)
    es[i] = spawn(w);
  for (uint32_t i = 0; i < 400; ++i)
    add_relation(w, es[random_below(40)], random_below(2) ? LIKES : AIMS, es[random_below(40)]);
  uint64_t hash = world_hash(w);
  snapshot_o *s = snapshot_create(world_allocator(w));
  assert_true(snapshot_take(s, w, &error));
  if (!snapshot_restore(s, other, &error))
    fail_msg("%s", error.text);
  for (uint32_t i = 0; i < 40; ++i) {
    assert_string_equal(format_sources(w, es[i], LIKES), format_sources(other, es[i], LIKES));
    assert_string_equal(format_sources(w, es[i], AIMS), format_sources(other, es[i], AIMS));
  }
  assert_int_equal(world_hash(w), hash);
  assert_int_equal(world_hash(other), hash);
  world_destroy_entity(w, es[7]);
  world_destroy_entity(other, es[7]);
  assert_int_equal(world_hash(w), world_hash(other));
  snapshot_release(s);
  world_destroy(other);
}
