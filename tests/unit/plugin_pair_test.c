// Queries over pairs that a plugin opens (access/queries.c): their cost, and writes to the targets of pairs.
#include "plugin_fixture.h"

#include "access/access.h"
#include "ecs/relation_internal.h"
#include "shoal/relation.h"

#define POSITION_FIELDS(F) F(f32, x, 0) F(f32, y, 0)
SHOAL_COMPONENT(place, POSITION_FIELDS)
#define NO_FIELDS(F)
SHOAL_RELATION(likes, NO_FIELDS)
SHOAL_RELATION_WITH(follows, NO_FIELDS, SHOAL_KIND_COMPONENT, SHOAL_CASCADE_DESTROY)
static const shoal_component *const brings[] = {&place_component, &likes_component, &follows_component, NULL};
static const shoal_plugin def = {.name = "pairs", .components = brings};

enum { COUNT = 5000 };
static plugged_t *t;
static context_t held;
static shoal_world *w;
static shoal_entity all[COUNT];

// Every entity likes and follows the next one.
static int setup(void **state) {
  static run_t run = {.name = "pairs.work"};
  plugged_setup(state);
  t = *state;
  plugged_open_and_bind(t, &def);
  held = plugin_build_context(t->p->list.items[0], PLUGIN_CALL_SYSTEM);
  held.run = &run;
  w = shoal_get_world(&held.shared);
  for (uint32_t i = 0; i < COUNT; ++i)
    all[i] = SPAWN(t->w, get_component(t, "place")->id);
  for (uint32_t i = 0; i < COUNT; ++i)
    assert_true(shoal_add_pair(w, all[i], &likes_component, all[(i + 1) % COUNT]) &&
                shoal_add_pair(w, all[i], &follows_component, all[(i + 1) % COUNT]));
  return 0;
}
FIXTURE(fixture, setup, plugged_teardown)

static uint64_t count_steps(void) {
  const relation_o *r = relation_get(t->w);
  uint64_t steps = 0;
  for (uint32_t i = 0; i < r->links.count; ++i)
    steps += r->links.items[i]->steps;
  return steps;
}

static shoal_view open_pairs(const shoal_query_desc *desc, const shoal_component *relation, shoal_entity target) {
  shoal_view v;
  if (!shoal_query_pairs_begin(w, desc, &(shoal_pair){relation, target}, 1, &v))
    fail_msg("%s", shoal_last_error(w));
  return v;
}

TEST_WITH(pair_query_visits_only_the_pairs_of_its_target, fixture) {
  static const shoal_query_desc descs[] = {{.with = {"place"}, .reads = {"place", "likes", "follows"}},
                                           {.with = {"place"}},
                                           {.with = {"place", "likes", "follows"}, .reads = {"place"}},
                                           {.optional = {"place"}}};
  const shoal_component *const relations[] = {&likes_component, &follows_component};
  for (uint32_t k = 0; k < 8; ++k) {
    shoal_view v = open_pairs(&descs[k / 2], relations[k % 2], all[0]); // builds the reverse lookup
    shoal_query_end(w, &v);
    uint64_t before = count_steps();
    for (uint32_t i = 1; i <= 10; ++i) {
      v = open_pairs(&descs[k / 2], relations[k % 2], all[i]);
      if (v.count != 1)
        fail_msg("query %u of %s has %u rows", k / 2, relations[k % 2]->name, v.count);
      assert_int_equal(v.entities[0], all[i - 1]);
      shoal_query_end(w, &v);
    }
    if (count_steps() - before > 30)
      fail_msg("query %u of %s took %u steps", k / 2, relations[k % 2]->name, (uint32_t)(count_steps() - before));
  }
}

TEST_WITH(pair_query_follows_targets_that_a_query_wrote, fixture) {
  const shoal_component *const relations[] = {&likes_component, &follows_component};
  for (uint32_t k = 0; k < 2; ++k) {
    for (uint32_t i = 0; i < 40; ++i) { // moves the pair of entity 2i to the target of entity 2i + 1
      shoal_view v = open_pairs(NULL, relations[k], all[2 * i + 1]);
      assert_int_equal(v.count, 1);
      (k == 0 ? SHOAL_COLUMN(&v, likes, target) : SHOAL_COLUMN(&v, follows, target))[0] = all[2 * i + 2];
      assert_true(shoal_query_end(w, &v));
      v = open_pairs(NULL, relations[k], all[2 * i + 1]);
      assert_int_equal(v.count, 0);
      shoal_query_end(w, &v);
      v = open_pairs(NULL, relations[k], all[2 * i + 2]);
      assert_int_equal(v.count, 2);
      shoal_query_end(w, &v);
      assert_int_equal(shoal_get_referrers(w, all[2 * i + 2], relations[k], NULL, 0), 2);
    }
    shoal_view v; // writes all rows
    assert_true(shoal_query_begin(w, &(shoal_query_desc){.with = {relations[k]->name}}, &v));
    for (uint32_t i = 0; i < v.count; ++i)
      (k == 0 ? SHOAL_COLUMN(&v, likes, target) : SHOAL_COLUMN(&v, follows, target))[i] = all[7];
    assert_true(shoal_query_end(w, &v));
    assert_int_equal(shoal_get_referrers(w, all[7], relations[k], NULL, 0), COUNT);
    (k == 0 ? SHOAL_ROWS_COLUMNS(shoal_get_rows(w, relations[k]), likes)->target
            : SHOAL_ROWS_COLUMNS(shoal_get_rows(w, relations[k]), follows)->target)[0] = all[9];
    assert_int_equal(shoal_get_referrers(w, all[7], relations[k], NULL, 0), COUNT - 1);
    v = open_pairs(NULL, relations[k], all[9]);
    assert_int_equal(v.count, 1);
    shoal_query_end(w, &v);
  }
}

TEST_WITH(pair_query_that_changes_no_target_needs_no_comparison, fixture) {
  shoal_view v;
  assert_true(shoal_query_begin(w, &(shoal_query_desc){.with = {"follows"}}, &v));
  for (uint32_t i = 0; i < v.count; ++i)
    SHOAL_COLUMN(&v, follows, target)[i] = all[7];
  assert_true(shoal_query_end(w, &v));
  v = open_pairs(NULL, &follows_component, all[7]); // compares the column
  assert_int_equal(v.count, COUNT);
  assert_true(shoal_query_end(w, &v));
  uint64_t before = count_steps();
  v = open_pairs(NULL, &follows_component, all[7]);
  assert_int_equal(v.count, COUNT);
  for (uint32_t i = 0; i < COUNT; ++i)
    assert_int_equal(SHOAL_COLUMN(&v, follows, target)[i], all[7]);
  assert_true(shoal_query_end(w, &v));
  assert_int_equal(count_steps(), before);
}

static shoal_entity *get_follows_targets(void) {
  return SHOAL_ROWS_COLUMNS(shoal_get_rows(w, &follows_component), follows)->target;
}

TEST_WITH(pair_query_restores_targets_that_were_written_while_it_was_open, fixture) {
  shoal_view v, inner;
  v = open_pairs(NULL, &follows_component, all[1]);
  assert_int_equal(v.count, 1);
  assert_true(shoal_query_begin(w, &(shoal_query_desc){.with = {"follows"}}, &inner));
  SHOAL_COLUMN(&inner, follows, target)[0] = all[9];
  assert_true(shoal_query_end(w, &inner));
  assert_true(shoal_query_end(w, &v)); // writes its copy
  assert_int_equal(get_follows_targets()[0], all[1]);
  assert_int_equal(shoal_get_referrers(w, all[1], &follows_component, NULL, 0), 1);
  assert_int_equal(shoal_get_referrers(w, all[9], &follows_component, NULL, 0), 1);
}

TEST_WITH(pair_query_that_is_opened_twice_contains_the_current_targets, fixture) {
  static const shoal_query_desc desc = {.reads = {"follows"}};
  shoal_view outer = open_pairs(&desc, &follows_component, all[1]);
  get_follows_targets()[0] = all[9];
  shoal_view v = open_pairs(&desc, &follows_component, all[1]);
  assert_int_equal(v.count, 1);
  assert_int_equal(SHOAL_COLUMN(&v, follows, target)[0], all[9]);
  assert_true(shoal_query_end(w, &v) && shoal_query_end(w, &outer));
}

// Opens the pair queries of this many targets in turn.
static void open_targets(const shoal_query_desc *desc, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    shoal_view v = open_pairs(desc, &follows_component, all[i + 1]);
    assert_int_equal(v.count, 1);
    assert_int_equal(v.entities[0], all[i]);
    assert_true(shoal_query_end(w, &v));
  }
}

TEST_WITH(alternating_pair_queries_of_several_targets_stay_filled, fixture) {
  static const shoal_query_desc desc = {.with = {"place"}, .reads = {"place", "follows"}};
  open_targets(&desc, 20);
  uint64_t before = count_steps();
  open_targets(&desc, 20);
  assert_int_equal(count_steps(), before);
  assert_true(shoal_add_pair(w, all[3], &follows_component, all[1])); // replaces the target all[4]
  shoal_view v = open_pairs(&desc, &follows_component, all[1]);
  assert_int_equal(v.count, 2);
  assert_true(shoal_query_end(w, &v));
  v = open_pairs(&desc, &follows_component, all[4]);
  assert_int_equal(v.count, 0);
  assert_true(shoal_query_end(w, &v));
}

TEST_WITH(number_of_kept_pair_queries_is_limited, fixture) {
  static const shoal_query_desc desc = {.with = {"place"}, .reads = {"place", "follows"}};
  open_targets(&desc, COUNT - 1);
  open_targets(&desc, COUNT - 1);
  assert_in_range(relation_get(t->w)->queries.count, 2, 256);
}

TEST_WITH(pair_query_has_all_rows_of_a_second_component_with_several_rows, fixture) {
  assert_true(shoal_add_pair(w, all[0], &likes_component, all[5]));
  shoal_view v = open_pairs(&(shoal_query_desc){.with = {"likes"}}, &follows_component, all[1]);
  assert_int_equal(v.count, 2);
  for (uint32_t i = 0; i < 2; ++i) {
    assert_int_equal(v.entities[i], all[0]);
    assert_int_equal(SHOAL_COLUMN(&v, likes, target)[i], i == 0 ? all[1] : all[5]);
    assert_int_equal(SHOAL_COLUMN(&v, follows, target)[i], all[1]);
  }
  assert_true(shoal_query_end(w, &v));
}

// Removing rows moves other rows, so the rows of the base query and of the relation get out of step.
TEST_WITH(pair_query_finds_rows_in_every_order, fixture) {
  shoal_entity target = all[COUNT - 1], list[COUNT];
  for (uint32_t i = 0; i < 2000; ++i) {
    uint32_t n = (i * 2654435761u) % (COUNT - 1);
    bool changed = i % 3 == 0   ? shoal_remove(w, all[n], &place_component)
                   : i % 3 == 1 ? shoal_add_pair(w, all[n], &likes_component, target)
                                : shoal_remove_pair(w, all[n], &likes_component, all[(n + 1) % COUNT]);
    (void)changed;
    if (i % 50 > 0)
      continue;
    shoal_view v = open_pairs(&(shoal_query_desc){.with = {"place"}}, &likes_component, target);
    uint32_t count = shoal_get_referrers(w, target, &likes_component, list, COUNT), kept = 0;
    for (uint32_t k = 0; k < count; ++k)
      if (shoal_has(w, list[k], &place_component)) {
        assert_true(kept < v.count);
        assert_int_equal(v.entities[kept], list[k]);
        assert_int_equal(SHOAL_COLUMN(&v, likes, target)[kept], target);
        ++kept;
      }
    assert_int_equal(v.count, kept);
    assert_true(shoal_query_end(w, &v));
  }
}
