// Groups (queries that own the order of their rows): ecs/query.h.
#include "ecs_fixture.h"

#include "ecs/world_hash.h"

// Returns the owners of a component's rows as one string, in row order.
static const char *format_owners(world_o *w, uint32_t manager) {
  static char texts[4][512];
  static uint32_t next;
  char *text = texts[next++ % 4];
  const manager_o *m = world_manager(w, manager);
  text[0] = '\0';
  for (uint32_t i = 0; i < m->count; ++i) {
    char one[16];
    snprintf(one, sizeof one, "%u ", m->owner[i]);
    strcat(text, one);
  }
  return text;
}

static query_o *make_group(world_o *w, query_o *q) {
  error_info_t error = {0};
  if (!world_group_query(w, q, &error))
    fail_msg("%s", error.text);
  return q;
}

static void assert_aligned(query_o *q) {
  query_open(q);
  for (uint32_t k = 0; k < q->term_count; ++k) {
    const query_term_t *t = &q->terms[k];
    for (uint32_t i = 0; t->owned && i < q->count; ++i)
      assert_int_equal(manager_row(t->manager, q->entities[i]), i);
    for (uint32_t c = 0; t->owned && c < t->view_count; ++c)
      assert_null(t->views[c].rows);
  }
  query_close(q);
}

FIXTURE(world_o, world_setup, world_teardown)

TEST_IN(grouped_rows_precede_other_rows_in_group_order, world_o, w) {
  query_o *q = make_group(w, QUERY(w, HAS(POSITION), HAS(HEALTH)));
  shoal_entity a = SPAWN(w, POSITION), b = SPAWN(w, HEALTH), c = SPAWN(w, POSITION, HEALTH);
  SPAWN(w, POSITION);
  add(w, b, POSITION, 0);
  assert_int_equal(q->count, 2);
  assert_string_equal(format_owners(w, POSITION), "3 2 4 1 ");
  assert_string_equal(format_owners(w, HEALTH), "3 2 ");
  assert_aligned(q);
  add(w, a, HEALTH, 0);
  assert_string_equal(format_owners(w, HEALTH), "3 2 1 ");
  world_remove_component(w, c, HEALTH, 0);
  assert_string_equal(format_owners(w, POSITION), "1 2 3 4 ");
  assert_string_equal(format_owners(w, HEALTH), "1 2 ");
  world_destroy_entity(w, a);
  assert_string_equal(format_owners(w, POSITION), "2 4 3 ");
  assert_aligned(q);
}

TEST_IN(values_move_with_their_grouped_rows, world_o, w) {
  make_group(w, QUERY(w, HAS(POSITION), HAS(HEALTH)));
  shoal_entity es[20];
  for (uint32_t i = 0; i < 20; ++i) {
    es[i] = SPAWN(w, POSITION);
    set(w, es[i], POSITION, POSITION_Y, i);
  }
  for (uint32_t i = 0; i < 20; i += 3) {
    add(w, es[i], HEALTH, 0);
    set(w, es[i], HEALTH, 0, 100 + i);
  }
  world_remove_component(w, es[3], HEALTH, 0);
  world_destroy_entity(w, es[6]);
  for (uint32_t i = 0; i < 20; ++i) {
    if (i == 6)
      continue;
    assert_true(get(w, es[i], POSITION, POSITION_Y) == i);
    if (i % 3 == 0 && i != 3)
      assert_true(get(w, es[i], HEALTH, 0) == 100 + i);
  }
}

TEST_IN(group_created_late_sorts_existing_rows, world_o, w) {
  SPAWN(w, POSITION);
  SPAWN(w, HEALTH);
  shoal_entity a = SPAWN(w, HEALTH, POSITION), b = SPAWN(w, HEALTH);
  add(w, b, POSITION, 0);
  set(w, a, HEALTH, 0, 7);
  query_o *q = QUERY(w, HAS(POSITION), HAS(HEALTH));
  assert_int_equal(q->terms[0].misaligned + q->terms[1].misaligned, 4);
  make_group(w, q);
  assert_string_equal(format_owners(w, POSITION), "3 4 1 ");
  assert_string_equal(format_owners(w, HEALTH), "3 4 2 ");
  assert_true(get(w, a, HEALTH, 0) == 7);
  assert_aligned(q);
}

TEST_IN(ungrouped_query_over_grouped_components_maps_rows, world_o, w) {
  query_o *all = QUERY(w, HAS(POSITION)), *may = QUERY(w, HAS(LABEL), MAY_HAVE(POSITION));
  make_group(w, QUERY(w, HAS(POSITION), HAS(HEALTH)));
  shoal_entity a = SPAWN(w, POSITION, LABEL), b = SPAWN(w, POSITION, HEALTH, LABEL);
  query_open(all);
  assert_non_null(all->terms[0].views[0].rows);
  for (uint32_t i = 0; i < all->count; ++i)
    assert_int_equal(all->terms[0].rows[i], manager_row(world_manager(w, POSITION), all->entities[i]));
  assert_int_equal(all->entities[0], a); // entities remain in query order, which differs from row order
  query_close(all);
  query_term_t *optional = &may->terms[may->terms[0].manager->id == POSITION ? 0 : 1];
  for (uint32_t i = 0; i < may->count; ++i)
    assert_int_equal(optional->rows[i], manager_row(world_manager(w, POSITION), may->entities[i]));
  world_destroy_entity(w, b);
  assert_int_equal(may->count, 1);
  assert_int_equal(optional->rows[0], 0);
}

static void assert_mapped(query_o *q) {
  query_open(q);
  for (uint32_t k = 0; k < q->term_count; ++k) {
    const query_term_t *t = &q->terms[k];
    uint32_t misaligned = 0;
    for (uint32_t i = 0; i < q->count && t->rows; ++i) {
      uint32_t row = manager_row(t->manager, q->entities[i]);
      if (t->manager->schema.kind == SCHEMA_COMPONENT)
        assert_int_equal(t->rows[i], row);
      misaligned += t->rows[i] != i;
    }
    assert_int_equal(t->misaligned, misaligned);
  }
  query_close(q);
}

// One query is created after the first entities have left the group, and one is driven by a component with many rows.
TEST_IN(row_maps_stay_current_while_entities_join_and_leave, world_o, w) {
  query_o *queries[5] = {QUERY(w, HAS(POSITION)), QUERY(w, HAS(POSITION), HAS(HEALTH), MAY_HAVE(LABEL)),
                         QUERY(w, HAS(GUN), HAS(POSITION), HAS(HEALTH)), QUERY(w, MAY_HAVE(HEALTH), HAS(LABEL))};
  query_o *group = make_group(w, QUERY(w, HAS(POSITION), HAS(HEALTH), HAS(LABEL), MAY_HAVE(FROZEN)));
  static const uint32_t COMPONENTS[] = {POSITION, HEALTH, LABEL, FROZEN, GUN};
  shoal_entity entities[24];
  uint32_t seed = 5;
  for (uint32_t i = 0; i < 24; ++i)
    entities[i] = SPAWN(w, POSITION, HEALTH, LABEL);
  for (uint32_t step = 0; step < 3000; ++step) {
    shoal_entity e = entities[random_from_seed(&seed, 24)];
    uint32_t component = COMPONENTS[random_from_seed(&seed, 5)];
    if (world_has_component(w, e, component))
      world_remove_component(w, e, component, 0);
    else
      add(w, e, component, component == GUN ? id_of(w, "left") : 0);
    if (step == 1500)
      queries[4] = QUERY(w, HAS(LABEL), HAS(HEALTH), HAS_NOT(FROZEN));
    for (uint32_t i = 0; i < (step < 1500 ? 4 : 5); ++i)
      assert_mapped(queries[i]);
    assert_aligned(group);
    assert_mapped(group);
  }
}

TEST_IN(component_belongs_to_at_most_one_group, world_o, w) {
  error_info_t error = {0};
  query_o *first = make_group(w, QUERY(w, HAS(POSITION), HAS(HEALTH)));
  assert_true(world_group_query(w, first, NULL)); // the query is already a group
  assert_false(world_group_query(w, QUERY(w, HAS(LABEL), HAS(HEALTH)), &error));
  assert_non_null(strstr(error.text, "health already belongs to a group"));
  assert_false(QUERY(w, HAS(LABEL), HAS(HEALTH))->grouped);
  world_ungroup_query(w, first);
  assert_true(world_group_query(w, QUERY(w, HAS(LABEL), HAS(HEALTH)), NULL));
}

TEST_IN(many_component_cannot_be_grouped, world_o, w) {
  error_info_t error = {0};
  assert_false(world_group_query(w, QUERY(w, HAS(POSITION), HAS(GUN)), &error));
  assert_non_null(strstr(error.text, "one row per entity"));
  assert_false(world_group_query(w, QUERY(w, ONE_OF(POSITION), ONE_OF(HEALTH)), &error));
}

TEST_IN(ungrouping_keeps_the_row_order, world_o, w) {
  query_o *q = make_group(w, QUERY(w, HAS(POSITION), HAS(HEALTH)));
  SPAWN(w, POSITION);
  shoal_entity a = SPAWN(w, POSITION, HEALTH), b = SPAWN(w, HEALTH, POSITION);
  world_ungroup_query(w, q);
  assert_false(q->grouped);
  assert_null(world_manager(w, POSITION)->group);
  assert_string_equal(format_owners(w, POSITION), "2 3 1 ");
  assert_int_equal(q->entities[0], a);
  assert_int_equal(q->entities[1], b);
  query_open(q);
  assert_null(q->terms[0].views[0].rows); // the query is no longer a group, but its rows happen to be still aligned
  query_close(q);
  world_destroy_entity(w, a);
  assert_string_equal(format_owners(w, POSITION), "1 3 ");
  assert_int_equal(q->terms[0].rows[0], 1);
}

TEST_IN(group_may_exclude_components, world_o, w) {
  query_o *q = make_group(w, QUERY(w, HAS(POSITION), HAS_NOT(FROZEN)));
  shoal_entity a = SPAWN(w, POSITION), b = SPAWN(w, POSITION);
  SPAWN(w, POSITION);
  add(w, a, FROZEN, 0);
  assert_string_equal(format_owners(w, POSITION), "3 2 1 ");
  world_remove_component(w, a, FROZEN, 0);
  assert_string_equal(format_owners(w, POSITION), "3 2 1 ");
  assert_int_equal(q->count, 3);
  add(w, b, FROZEN, 0);
  assert_string_equal(format_owners(w, POSITION), "3 1 2 ");
  assert_aligned(q);
}

TEST_IN(bulk_spawn_extends_a_group_and_moves_other_rows, world_o, w) {
  query_o *q = make_group(w, QUERY(w, HAS(POSITION), HAS(HEALTH)));
  uint32_t both = world_assemblage_declare(w, id_of(w, "both"));
  world_assemblage_add_component(w, both, 0, POSITION, 0);
  world_assemblage_add_component(w, both, 0, HEALTH, 0);
  world_assemblage_set_field(w, both, 0, HEALTH, 0, 0, 9);
  shoal_entity lone[3] = {SPAWN(w, POSITION), SPAWN(w, POSITION), SPAWN(w, POSITION)}, out[40];
  for (uint32_t i = 0; i < 3; ++i)
    set(w, lone[i], POSITION, POSITION_X, 50 + i);
  assert_int_equal(world_spawn_many(w, both, 40, out, NULL), 40);
  for (uint32_t i = 0; i < 40; ++i) {
    assert_int_equal(q->entities[i], out[i]);
    assert_true(get(w, out[i], HEALTH, 0) == 9);
  }
  for (uint32_t i = 0; i < 3; ++i) {
    assert_true(manager_row(world_manager(w, POSITION), lone[i]) >= 40);
    assert_true(get(w, lone[i], POSITION, POSITION_X) == 50 + i);
  }
  assert_aligned(q);
}

static void record_added_rows(void *context, world_o *w, manager_o *m, const uint32_t *rows, uint32_t count) {
  (void)w;
  for (uint32_t i = 0; i < count; ++i)
    *(uint64_t *)context = *(uint64_t *)context * 1000 + m->owner[rows[i]];
}

TEST_IN(added_hook_gets_the_current_positions_of_moved_rows, world_o, w) {
  uint64_t logged = 0;
  make_group(w, QUERY(w, HAS(POSITION), HAS(HEALTH)));
  SPAWN(w, POSITION);
  world_set_hooks(w, POSITION, &(manager_hooks_t){.context = &logged, .added = record_added_rows});
  world_defer_begin(w, 0);
  shoal_entity a = SPAWN(w, POSITION, HEALTH);
  SPAWN(w, POSITION);
  world_defer_end(w, false);
  assert_int_equal(manager_row(world_manager(w, POSITION), a), 0);
  assert_true(logged == 2003);
}

TEST_IN(world_hash_covers_groups, world_o, w) {
  query_o *q = QUERY(w, HAS(POSITION), HAS(HEALTH));
  SPAWN(w, POSITION, HEALTH);
  uint64_t before = world_hash(w);
  make_group(w, q);
  assert_true(world_hash(w) != before); // the group determines where later rows are inserted
  world_ungroup_query(w, q);
  assert_true(world_hash(w) == before);
}
