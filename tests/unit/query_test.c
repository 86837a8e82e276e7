// Query matching and aligned rows: ecs/query.h.
#include "ecs_fixture.h"

#include "ecs/world_hash.h"
#include "snapshot/snapshot.h"
#include "snapshot/state.h"

// Returns the query's entities in order, as one string.
static const char *format_entities(const query_o *q) {
  static char text[512];
  text[0] = '\0';
  for (uint32_t i = 0; i < q->count; ++i) {
    char one[16];
    snprintf(one, sizeof one, "%u ", q->entities[i]);
    strcat(text, one);
  }
  return text;
}

static query_term_t *find_term(query_o *q, uint32_t manager) {
  for (uint32_t i = 0; i < q->term_count; ++i)
    if (q->terms[i].manager->id == manager)
      return &q->terms[i];
  return NULL;
}

FIXTURE(world_o, world_setup, world_teardown)

TEST_IN(equal_terms_in_any_order_return_the_same_query, world_o, w) {
  query_o *q = QUERY(w, HAS(POSITION), HAS(HEALTH), HAS_NOT(FROZEN));
  assert_ptr_equal(q, QUERY(w, HAS_NOT(FROZEN), HAS(HEALTH), HAS(POSITION), HAS(HEALTH)));
  assert_ptr_not_equal(q, QUERY(w, HAS(POSITION), HAS(HEALTH)));
  assert_int_equal(world_query_count(w), 2);
  assert_int_equal(q->term_count, 3);
}

TEST_IN(query_matches_with_without_and_one_of_terms, world_o, w) {
  query_o *q = QUERY(w, HAS(POSITION), HAS_NOT(FROZEN), ONE_OF(HEALTH), ONE_OF(LABEL), MAY_HAVE(NAME));
  shoal_entity a = SPAWN(w, POSITION), b = SPAWN(w, POSITION, HEALTH), c = SPAWN(w, LABEL, POSITION);
  SPAWN(w, HEALTH, LABEL);
  assert_string_equal(format_entities(q), "2 3 ");
  add(w, a, LABEL, 0);
  assert_string_equal(format_entities(q), "2 3 1 ");
  add(w, b, FROZEN, 0);
  assert_string_equal(format_entities(q), "1 3 "); // the last row fills the gap
  world_remove_component(w, c, LABEL, 0);
  assert_string_equal(format_entities(q), "1 ");
  world_remove_component(w, b, FROZEN, 0);
  assert_string_equal(format_entities(q), "1 2 ");
  world_destroy_entity(w, a);
  assert_string_equal(format_entities(q), "2 ");
  assert_true(query_matches(q, b));
  assert_false(query_matches(q, c));
  assert_false(query_matches(q, UINT32_MAX));
}

TEST_IN(new_query_finds_existing_entities, world_o, w) {
  SPAWN(w, POSITION, HEALTH);
  SPAWN(w, POSITION);
  shoal_entity gunner = SPAWN(w, POSITION, HEALTH);
  add(w, gunner, GUN, id_of(w, "left"));
  add(w, gunner, GUN, id_of(w, "right"));
  assert_string_equal(format_entities(QUERY(w, HAS(POSITION), HAS(HEALTH))), "1 3 ");
  assert_string_equal(format_entities(QUERY(w, HAS(POSITION), HAS_NOT(HEALTH))), "2 ");
  assert_string_equal(format_entities(QUERY(w, ONE_OF(GUN), ONE_OF(HEALTH))), "1 3 ");
  assert_string_equal(format_entities(QUERY(w, HAS(GUN))), "3 3 ");
}

TEST_IN(query_rows_are_aligned_again_after_the_entity_that_misaligned_them_is_destroyed, world_o, w) {
  query_o *q = QUERY(w, HAS(POSITION), HAS(HEALTH));
  SPAWN(w, POSITION, HEALTH);
  SPAWN(w, POSITION, HEALTH);
  query_open(q);
  assert_null(find_term(q, POSITION)->views[POSITION_X].rows);
  assert_null(find_term(q, HEALTH)->views[0].rows);
  uint32_t version = q->layout_version;
  query_close(q);
  shoal_entity odd = SPAWN(w, POSITION);
  shoal_entity last = SPAWN(w, POSITION, HEALTH);
  set(w, last, POSITION, POSITION_Y, 9);
  query_open(q);
  const column_view_t *y = &find_term(q, POSITION)->views[POSITION_Y];
  assert_non_null(y->rows);
  assert_int_equal(y->rows[2], 3);
  assert_true(((const float *)y->data)[y->rows[2]] == 9);
  assert_int_equal(find_term(q, POSITION)->misaligned, 1);
  assert_null(find_term(q, HEALTH)->views[0].rows);
  assert_int_equal(q->layout_version, version + 1);
  query_close(q);
  world_destroy_entity(w, odd);
  query_open(q);
  assert_null(find_term(q, POSITION)->views[POSITION_Y].rows);
  assert_int_equal(find_term(q, POSITION)->misaligned, 0);
  assert_int_equal(q->layout_version, version + 2);
  query_close(q);
}

TEST_IN(query_of_one_component_is_always_aligned, world_o, w) {
  query_o *q = QUERY(w, HAS(HEALTH));
  shoal_entity e[20];
  for (uint32_t i = 0; i < 20; ++i)
    e[i] = SPAWN(w, HEALTH, POSITION);
  for (uint32_t i = 0; i < 20; i += 3)
    world_destroy_entity(w, e[i]);
  query_open(q);
  assert_int_equal(q->count, 13);
  assert_null(q->terms[0].views[0].rows);
  query_close(q);
}

TEST_IN(closed_query_has_empty_views_and_open_calls_nest, world_o, w) {
  SPAWN(w, POSITION, HEALTH);
  query_o *q = QUERY(w, HAS(POSITION), MAY_HAVE(HEALTH));
  query_open(q);
  query_open(q);
  query_close(q);
  assert_int_equal(q->entity_view.count, 1);
  assert_int_equal(find_term(q, POSITION)->views[0].count, 1);
  query_close(q);
  assert_int_equal(q->entity_view.count, 0);
  assert_int_equal(find_term(q, POSITION)->views[0].count, 0);
  assert_int_equal(find_term(q, HEALTH)->views[0].count, 0);
  assert_int_equal(find_term(q, HEALTH)->present.count, 0);
  assert_int_equal(q->open, 0);
}

TEST_IN(missing_optional_component_has_no_row, world_o, w) {
  query_o *q = QUERY(w, HAS(POSITION), MAY_HAVE(HEALTH));
  SPAWN(w, POSITION);
  shoal_entity b = SPAWN(w, HEALTH, POSITION);
  query_open(q);
  const query_term_t *t = find_term(q, HEALTH);
  assert_int_equal(t->present.rows[0], ROW_NONE);
  assert_int_equal(t->present.rows[1], 0);
  query_close(q);
  world_remove_component(w, b, HEALTH, 0);
  assert_int_equal(q->count, 2);
  query_open(q);
  assert_int_equal(t->present.rows[1], ROW_NONE);
  query_close(q);
}

TEST_IN(many_component_matches_one_row_per_instance, world_o, w) {
  query_o *q = QUERY(w, HAS(GUN), HAS(POSITION));
  uint32_t left = id_of(w, "left"), right = id_of(w, "right");
  shoal_entity a = SPAWN(w, POSITION), b = spawn(w);
  add(w, a, GUN, left);
  add(w, b, GUN, left);
  add(w, a, GUN, right);
  assert_string_equal(format_entities(q), "1 1 ");
  add(w, b, POSITION, 0);
  assert_string_equal(format_entities(q), "1 1 2 ");
  query_open(q);
  assert_int_equal(find_term(q, GUN)->rows[1], 2);
  assert_int_equal(find_term(q, POSITION)->rows[1], 0);
  query_close(q);
  world_remove_component(w, a, GUN, left);
  assert_string_equal(format_entities(q), "2 1 ");
  world_remove_component(w, a, POSITION, 0);
  assert_string_equal(format_entities(q), "2 ");
}

TEST_IN(many_component_in_other_terms_needs_one_instance, world_o, w) {
  query_o *without = QUERY(w, HAS(POSITION), HAS_NOT(GUN)), *any = QUERY(w, ONE_OF(GUN), ONE_OF(WHEEL)),
          *optional = QUERY(w, HAS(POSITION), MAY_HAVE(GUN));
  shoal_entity e = SPAWN(w, POSITION);
  uint32_t left = id_of(w, "left"), right = id_of(w, "right");
  add(w, e, GUN, left);
  add(w, e, GUN, right);
  assert_int_equal(without->count, 0);
  assert_int_equal(any->count, 1);
  assert_int_equal(optional->count, 1);
  assert_int_equal(find_term(optional, GUN)->rows[0], 0);
  world_remove_component(w, e, GUN, left);
  assert_int_equal(without->count, 0);
  assert_int_equal(any->count, 1);
  assert_int_equal(find_term(optional, GUN)->rows[0], manager_row(world_manager(w, GUN), e));
  world_remove_component(w, e, GUN, right);
  assert_int_equal(without->count, 1);
  assert_int_equal(any->count, 0);
  assert_int_equal(find_term(optional, GUN)->rows[0], ROW_NONE);
}

static void assert_query_rejected(world_o *w, query_desc_t desc, const char *words) {
  error_info_t error = {0};
  uint32_t before = world_query_count(w);
  assert_null(world_find_or_create_query(w, &desc, &error));
  if (!strstr(error.text, words))
    fail_msg("\"%s\" does not say \"%s\"", error.text, words);
  assert_int_equal(world_query_count(w), before);
}

TEST_IN(invalid_query_is_rejected_with_the_component_name, world_o, w) {
  assert_query_rejected(w, (query_desc_t){.terms = {HAS(POSITION), HAS(99)}, .term_count = 2}, "number 99");
  assert_query_rejected(w, (query_desc_t){.terms = {HAS(0)}, .term_count = 1}, "number 0");
  assert_query_rejected(w, (query_desc_t){.terms = {HAS(POSITION), MAY_HAVE(SCORE)}, .term_count = 2},
                        "score is a single");
  assert_query_rejected(w, (query_desc_t){.terms = {HAS(GUN), HAS(WHEEL)}, .term_count = 2}, "gun and wheel");
  assert_query_rejected(w, (query_desc_t){.terms = {HAS_NOT(FROZEN), MAY_HAVE(NAME)}, .term_count = 2}, "frozen");
  assert_query_rejected(w, (query_desc_t){.term_count = 0}, "at least one");
  assert_query_rejected(w, (query_desc_t){.term_count = 17}, "17");
}

TEST_IN(contradictory_query_matches_nothing, world_o, w) {
  query_o *q = QUERY(w, HAS(GUN), HAS_NOT(GUN));
  shoal_entity e = spawn(w);
  add(w, e, GUN, id_of(w, "left"));
  add(w, e, GUN, id_of(w, "right"));
  assert_int_equal(q->count, 0);
  world_remove_component(w, e, GUN, id_of(w, "left"));
  world_destroy_entity(w, e);
  assert_int_equal(q->count, 0);
}

TEST_IN(query_changes_allocate_nothing_in_steady_state, world_o, w) {
  query_o *q = QUERY(w, HAS(POSITION), HAS_NOT(FROZEN));
  uint64_t calls = 0;
  for (uint32_t round = 0; round < 2 * ENTITY_MIN_FREE_TICKS + 40; ++round) { // indices are reused in the second half
    if (round == ENTITY_MIN_FREE_TICKS + 20)
      calls = world_allocator(w)->calls;
    shoal_entity e[100];
    world_defer_begin(w, 0);
    for (uint32_t i = 0; i < 100; ++i) {
      e[i] = SPAWN(w, POSITION, HEALTH);
      set(w, e[i], HEALTH, 0, i);
    }
    world_defer_end(w, false);
    query_open(q);
    query_close(q);
    world_defer_begin(w, 0);
    for (uint32_t i = 0; i < 100; ++i)
      world_destroy_entity(w, e[i]);
    world_defer_end(w, false);
    world_end_tick(w);
  }
  assert_int_equal(world_allocator(w)->calls, calls);
}

// --- inspection queries

static query_o *inspect(world_o *w) {
  query_desc_t desc = {.terms = {HAS(POSITION), HAS(HEALTH), MAY_HAVE(GUN)}, .term_count = 3};
  error_info_t error = {0};
  query_o *q = world_find_or_create_inspection(w, &desc, &error);
  if (!q)
    fail_msg("%s", error.text);
  return q;
}

TEST_IN(inspection_queries_are_not_part_of_the_state, world_o, w) {
  SPAWN(w, POSITION, HEALTH);
  SPAWN(w, POSITION);
  uint64_t hash = world_hash(w);
  query_o *q = inspect(w);
  query_open(q);
  assert_string_equal(format_entities(q), "1 ");
  query_close(q);
  assert_ptr_equal(q, inspect(w));
  assert_int_equal(world_query_count(w), 0);
  assert_true(world_hash(w) == hash);
  query_o *of_system = QUERY(w, HAS(POSITION), HAS(HEALTH), MAY_HAVE(GUN));
  assert_ptr_not_equal(q, of_system);
  assert_int_equal(of_system->id, 1);
  assert_int_not_equal(world_hash(w), hash);
}

TEST_IN(empty_query_does_not_change_the_hash, world_o, w) {
  SPAWN(w, POSITION);
  uint64_t hash = world_hash(w);
  QUERY(w, HAS(POSITION), HAS(HEALTH));
  assert_true(world_hash(w) == hash);
}

// The order depends on the components' rows, not on when the query was created.
TEST_IN(inspection_query_has_the_order_of_its_rarest_component, world_o, w) {
  shoal_entity a = SPAWN(w, POSITION, HEALTH), b = SPAWN(w, POSITION, HEALTH), c = SPAWN(w, POSITION);
  query_o *q = inspect(w);
  assert_string_equal(format_entities(q), "1 2 ");
  add(w, c, HEALTH, 0);
  add(w, c, GUN, id_of(w, "left"));
  world_remove_component(w, a, HEALTH, 0); // moves the last row of HEALTH to the first place
  query_open(q);
  assert_string_equal(format_entities(q), "3 2 ");
  assert_int_equal(find_term(q, GUN)->rows[0], 0);
  assert_int_equal(find_term(q, GUN)->rows[1], ROW_NONE);
  query_close(q);
  world_destroy_entity(w, b);
  assert_string_equal(format_entities(inspect(w)), "3 ");
  assert_int_equal(world_query_destroy_entities(w, q), 1);
  assert_string_equal(format_entities(inspect(w)), "");
}

TEST_IN(system_query_opened_after_an_inspection_has_its_own_order, world_o, w) {
  world_o *plain = make_world();
  for (int k = 0; k < 2; ++k) {
    world_o *each = k ? plain : w;
    shoal_entity first = SPAWN(each, POSITION, HEALTH);
    if (each == w)
      inspect(each);
    SPAWN(each, POSITION, HEALTH);
    SPAWN(each, POSITION, HEALTH);
    world_destroy_entity(each, first);
    SPAWN(each, POSITION, HEALTH);
    if (each == w)
      inspect(each);
    QUERY(each, HAS(POSITION), HAS(HEALTH), MAY_HAVE(GUN));
    add(each, SPAWN(each, POSITION), HEALTH, 0);
  }
  assert_true(world_hash(w) == world_hash(plain));
  world_destroy(plain);
}

TEST_IN(inspection_query_is_updated_after_a_restore, world_o, w) {
  SPAWN(w, POSITION, HEALTH);
  snapshot_o *s = snapshot_create(world_allocator(w));
  assert_true(snapshot_take(s, w, NULL));
  SPAWN(w, POSITION, HEALTH);
  query_o *q = inspect(w);
  assert_string_equal(format_entities(q), "1 2 ");
  query_open(q);
  error_info_t error = {0};
  assert_false(snapshot_restore(s, w, &error)); // the rows of an open query must not move
  query_close(q);
  assert_true(snapshot_restore(s, w, &error));
  assert_string_equal(format_entities(inspect(w)), "1 ");
  snapshot_release(s);
}
