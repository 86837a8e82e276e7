// The transform hierarchy: transform/transform.h.
#include "components_fixture.h"

#include "base/random.h"

static shoal_entity spawn_child(fixture_t *f, shoal_entity parent, double x, double y) {
  shoal_entity e = place(f, x, y);
  set(f, e, "transform", "parent", parent);
  return e;
}

static void assert_place(fixture_t *f, shoal_entity e, double x, double y) {
  const float *m = world_matrix(f, e);
  assert_near((double)m[12], x, 1e-3);
  assert_near((double)m[13], y, 1e-3);
}

static const double QUARTER = 1.57079632679;

FIXTURE(fixture_t, fixture_setup, fixture_teardown)

TEST_IN(world_matrix_without_a_parent_is_the_local_matrix, fixture_t, f) {
  shoal_entity e = place(f, 3, 4);
  set(f, e, "transform", "z", 5);
  set(f, e, "transform", "angle", QUARTER);
  set(f, e, "transform", "scale_x", 2);
  set(f, e, "transform", "scale_y", 3);
  transform_update_child_lists(f->world);
  const float expected[16] = {0, 2, 0, 0, -3, 0, 0, 0, 0, 0, 1, 0, 3, 4, 5, 1};
  for (int i = 0; i < 16; ++i)
    assert_near((double)world_matrix(f, e)[i], (double)expected[i], 1e-6);
}

TEST_IN(parent_moves_rotates_and_scales_its_descendants, fixture_t, f) {
  shoal_entity parent = place(f, 100, 100), child = spawn_child(f, parent, 10, 0),
               grandchild = spawn_child(f, child, 0, 5);
  transform_update_child_lists(f->world);
  assert_place(f, child, 110, 100);
  assert_place(f, grandchild, 110, 105);
  set(f, parent, "transform", "x", 200);
  set(f, parent, "transform", "angle", QUARTER);
  set(f, parent, "transform", "scale_x", 2);
  transform_update_child_lists(f->world);
  assert_place(f, child, 200, 120);
  assert_place(f, grandchild, 195, 120);
}

TEST_IN(child_can_be_created_before_its_parent, fixture_t, f) {
  shoal_entity child = place(f, 1, 0), parent = place(f, 10, 0), root = place(f, 100, 0);
  set(f, child, "transform", "parent", parent);
  set(f, parent, "transform", "parent", root);
  transform_update_child_lists(f->world);
  assert_place(f, child, 111, 0);
}

TEST_IN(children_are_listed_in_attachment_order, fixture_t, f) {
  shoal_entity parent = place(f, 0, 0), out[4] = {0};
  shoal_entity c = place(f, 0, 0), a = place(f, 0, 0), b = place(f, 0, 0);
  const shoal_entity order[] = {a, b, c};
  for (int i = 0; i < 3; ++i) {
    set(f, order[i], "transform", "parent", parent);
    assert_int_equal(transform_list_children(f->world, parent, out, 4), i + 1); // the list is correct before any update
  }
  assert_memory_equal(out, order, sizeof order);
  set(f, a, "transform", "parent", 0); // detaches the first child, so that it is appended again
  transform_update_child_lists(f->world);
  set(f, a, "transform", "parent", parent);
  assert_int_equal(transform_list_children(f->world, parent, out, 4), 3);
  const shoal_entity after[] = {b, c, a};
  assert_memory_equal(out, after, sizeof after);
  // returns the number of all children, not the capacity
  assert_int_equal(transform_list_children(f->world, parent, out, 1), 3);
  assert_int_equal(transform_list_children(f->world, a, out, 4), 0);
}

TEST_IN(child_can_change_its_parent, fixture_t, f) {
  shoal_entity one = place(f, 10, 0), two = place(f, 20, 0), child = spawn_child(f, one, 1, 0);
  transform_update_child_lists(f->world);
  set(f, child, "transform", "parent", two);
  assert_int_equal(transform_find_parent(f->world, child), two);
  transform_update_child_lists(f->world);
  assert_place(f, child, 21, 0);
  assert_int_equal(transform_list_children(f->world, one, NULL, 0), 0);
  set(f, child, "transform", "parent", 0);
  transform_update_child_lists(f->world);
  assert_place(f, child, 1, 0);
}

TEST_IN(destroying_a_parent_destroys_its_subtree, fixture_t, f) {
  shoal_entity root = place(f, 0, 0), parent = spawn_child(f, root, 0, 0), other = spawn_child(f, root, 0, 0);
  shoal_entity child = spawn_child(f, parent, 0, 0), second = spawn_child(f, parent, 0, 0);
  shoal_entity grandchild = spawn_child(f, child, 0, 0), nephew = spawn_child(f, second, 0, 0);
  transform_update_child_lists(f->world);
  world_destroy_entity(f->world, parent);
  assert_false(world_is_alive(f->world, parent) || world_is_alive(f->world, child) || world_is_alive(f->world, second));
  assert_false(world_is_alive(f->world, grandchild) || world_is_alive(f->world, nephew));
  assert_true(world_is_alive(f->world, root) && world_is_alive(f->world, other));
  shoal_entity out[2];
  assert_int_equal(transform_list_children(f->world, root, out, 2), 1);
  assert_int_equal(out[0], other);
  transform_update_child_lists(f->world);
}

TEST_IN(parent_and_child_can_be_destroyed_together, fixture_t, f) {
  shoal_entity root = place(f, 0, 0), parent = spawn_child(f, root, 0, 0), child = spawn_child(f, parent, 0, 0);
  shoal_entity last = spawn_child(f, child, 0, 0);
  transform_update_child_lists(f->world);
  world_defer_begin(f->world, 0);
  world_destroy_entity(f->world, last);
  world_destroy_entity(f->world, parent);
  world_destroy_entity(f->world, child);
  world_defer_end(f->world, false);
  assert_int_equal(world_entities(f->world)->alive_count, 1);
  assert_int_equal(transform_list_children(f->world, root, NULL, 0), 0);
}

TEST_IN(orphaned_children_keep_their_world_transform, fixture_t, f) {
  shoal_entity root = place(f, 100, 50);
  set(f, root, "transform", "angle", 0.5);
  shoal_entity parent = spawn_child(f, root, 10, 20), child = spawn_child(f, parent, 3, 4);
  set(f, parent, "transform", "orphan", 1);
  set(f, parent, "transform", "angle", 0.25);
  set(f, parent, "transform", "scale_x", 2);
  set(f, parent, "transform", "scale_y", 2);
  set(f, child, "transform", "scale_y", -1);
  shoal_entity grandchild = spawn_child(f, child, 7, 8);
  transform_update_child_lists(f->world);
  float child_was[16], grandchild_was[16];
  memcpy(child_was, world_matrix(f, child), sizeof child_was);
  memcpy(grandchild_was, world_matrix(f, grandchild), sizeof grandchild_was);
  world_destroy_entity(f->world, root);
  assert_false(world_is_alive(f->world, parent));
  assert_true(world_is_alive(f->world, child) && world_is_alive(f->world, grandchild));
  assert_int_equal(transform_find_parent(f->world, child), 0);
  assert_near(get(f, child, "transform", "angle"), 0.75, 1e-5);
  assert_near(get(f, child, "transform", "scale_x"), 2, 1e-5);
  assert_near(get(f, child, "transform", "scale_y"), -2, 1e-5);
  transform_update_child_lists(f->world);
  for (int i = 0; i < 16; ++i) {
    assert_near((double)world_matrix(f, child)[i], (double)child_was[i], 1e-3);
    assert_near((double)world_matrix(f, grandchild)[i], (double)grandchild_was[i], 1e-3);
  }
}

TEST_IN(orphan_position_includes_the_parent_position_written_in_the_same_tick, fixture_t, f) {
  shoal_entity parent = place(f, 0, 0), child = spawn_child(f, parent, 1, 0);
  set(f, parent, "transform", "orphan", 1);
  transform_update_child_lists(f->world);
  set(f, parent, "transform", "x", 50);
  world_destroy_entity(f->world, parent);
  assert_near(get(f, child, "transform", "x"), 51, 1e-4);
}

TEST_IN(spawned_child_dies_with_its_parent_before_an_update, fixture_t, f) {
  strings_o *strings = world_strings(f->world);
  uint32_t transform = manager_of(f, "transform")->id;
  world_assemblage_declare(f->world, strings_intern(strings, "turret"));
  uint32_t turret = world_find_assemblage(f->world, strings_find(strings, "turret"));
  world_assemblage_add_component(f->world, turret, 0, transform, 0);
  world_assemblage_set_field(f->world, turret, 0, transform, 0, SHOAL_COLUMN_INDEX(transform, x), 5);
  uint32_t tank = world_assemblage_declare(f->world, strings_intern(strings, "tank"));
  world_assemblage_add_component(f->world, tank, 0, transform, 0);
  world_assemblage_set_field(f->world, tank, 0, transform, 0, SHOAL_COLUMN_INDEX(transform, x), 100);
  world_assemblage_add_child(f->world, tank, strings_intern(strings, "gun"), turret);
  error_info_t error = {0};
  shoal_entity e = world_spawn(f->world, tank, &error), child = 0;
  assert_int_equal(transform_list_children(f->world, e, &child, 1), 1);
  assert_int_equal(transform_find_parent(f->world, child), e);
  assert_place(f, child, 105, 0); // the child is also drawn at that position
  e = world_spawn(f->world, tank, &error);
  world_destroy_entity(f->world, e);
  assert_int_equal(world_entities(f->world)->alive_count, 2); // only the first entity and its child remain
}

TEST_IN(parent_cycle_is_broken_at_the_closing_link_and_logged_once, fixture_t, f) {
  shoal_entity a = place(f, 1, 0), b = spawn_child(f, a, 2, 0), c = spawn_child(f, b, 4, 0);
  transform_update_child_lists(f->world);
  set(f, a, "transform", "parent", c);
  transform_update_child_lists(f->world);
  transform_update_child_lists(f->world);
  assert_int_equal(f->line_count, 1);
  assert_non_null(strstr(f->line, "entity(1:"));
  assert_int_equal(transform_find_parent(f->world, a), 0);
  assert_place(f, c, 7, 0);
}

TEST_IN(parent_cycle_closed_in_one_tick_is_broken, fixture_t, f) {
  shoal_entity a = place(f, 1, 0), b = place(f, 2, 0), c = place(f, 4, 0), below = spawn_child(f, b, 8, 0);
  set(f, a, "transform", "parent", c);
  set(f, b, "transform", "parent", a);
  set(f, c, "transform", "parent", b);
  transform_update_child_lists(f->world);
  assert_int_equal(f->line_count, 1);
  assert_place(f, c, 4, 0);
  assert_place(f, below, 15, 0);
}

TEST_IN(entity_cannot_be_its_own_parent, fixture_t, f) {
  shoal_entity e = place(f, 1, 2);
  set(f, e, "transform", "parent", e);
  transform_update_child_lists(f->world);
  assert_int_equal(f->line_count, 1);
  assert_place(f, e, 1, 2);
}

TEST_IN(dead_parent_is_ignored, fixture_t, f) {
  shoal_entity dead = place(f, 100, 0), child = place(f, 1, 0);
  world_destroy_entity(f->world, dead);
  set(f, child, "transform", "parent", dead);
  assert_int_equal(transform_find_parent(f->world, child), 0);
  transform_update_child_lists(f->world);
  assert_place(f, child, 1, 0);
  assert_int_equal((uint32_t)get(f, child, "transform", "parent"), 0);
  set(f, child, "transform", "parent", 0x3fffffff); // a forged id
  transform_update_child_lists(f->world);
  assert_place(f, child, 1, 0);
}

TEST_IN(parent_without_a_transform_is_ignored_until_it_has_one, fixture_t, f) {
  shoal_entity parent = place(f, 100, 0), child = spawn_child(f, parent, 1, 0);
  uint32_t transform = manager_of(f, "transform")->id;
  transform_update_child_lists(f->world);
  world_remove_component(f->world, parent, transform, 0);
  assert_int_equal(transform_find_parent(f->world, child), 0);
  transform_update_child_lists(f->world);
  assert_place(f, child, 1, 0);
  add(f, parent, "transform");
  set(f, parent, "transform", "x", 50);
  transform_update_child_lists(f->world);
  assert_place(f, child, 51, 0);
}

TEST_IN(child_that_loses_its_transform_is_detached, fixture_t, f) {
  shoal_entity parent = place(f, 100, 0), child = spawn_child(f, parent, 1, 0), other = spawn_child(f, parent, 2, 0),
               out[2];
  transform_update_child_lists(f->world);
  world_remove_component(f->world, child, manager_of(f, "transform")->id, 0);
  assert_int_equal(transform_list_children(f->world, parent, out, 2), 1);
  assert_int_equal(out[0], other);
  world_destroy_entity(f->world, parent);
  assert_true(world_is_alive(f->world, child));
}

TEST_IN(chain_of_100000_transforms_is_updated_without_recursion, fixture_t, f) {
  enum { COUNT = 100000 };
  shoal_entity first = place(f, 0, 0), parent = first;
  for (int i = 1; i < COUNT; ++i)
    parent = spawn_child(f, parent, 1, 0);
  transform_update_child_lists(f->world);
  assert_place(f, parent, COUNT - 1, 0);
  assert_true(world_destroy_entity(f->world, first));
  assert_int_equal(world_entities(f->world)->alive_count, 0);
}

// Asserts that two numbers have the same bits, or are both NaN.
static void assert_same_number(const float *a, const float *b) {
  if (!isnan(*a) || !isnan(*b))
    assert_memory_equal(a, b, sizeof *a);
}

// Asserts that the columns world_x and world_y, computed for all rows of a query and for single rows, have the bits of
// the matrices.
static void assert_positions_equal_matrices(fixture_t *f, float (*matrices)[16]) {
  const manager_o *m = manager_of(f, "transform");
  const query_desc_t desc = {.terms = {{m->id, QUERY_WITH}}, .term_count = 1};
  query_o *q = world_find_or_create_query(f->world, &desc, NULL);
  query_open(q);
  const query_term_t *term = query_find_with(q, m->id);
  const column_view_t *x = &term->views[SHOAL_COLUMN_INDEX(transform, world_x)], *y = x + 1;
  assert_int_equal(x->count, 0);
  query_compute_derived(q, m->id);
  assert_int_equal(x->count, m->count);
  for (uint32_t i = 0; i < q->count; ++i) {
    uint32_t row = term->rows ? term->rows[i] : i;
    assert_same_number((float *)x->data + row, &matrices[row][12]);
    assert_same_number((float *)y->data + row, &matrices[row][13]);
    float alone;
    manager_compute_derived_field(m, SHOAL_COLUMN_INDEX(transform, world_y), NULL, row, 1, &alone);
    assert_same_number(&alone, &matrices[row][13]);
  }
  query_close(q);
  assert_int_equal(x->count, 0);
}

// Asserts that the matrices computed for single rows, and for all rows in reverse order, equal the matrices computed
// for all rows in order, bit for bit, and so do the derived positions.
static void assert_consistent(fixture_t *f) {
  const manager_o *m = manager_of(f, "transform");
  static float all[128][16];
  uint32_t rows[128];
  assert_in_range(m->count, 1, 128);
  manager_compute_derived_field(m, SHOAL_COLUMN_INDEX(transform, world), NULL, 0, m->count, all);
  for (uint32_t row = 0; row < m->count; ++row) {
    float alone[16];
    manager_compute_derived_field(m, SHOAL_COLUMN_INDEX(transform, world), NULL, row, 1, alone);
    assert_memory_equal(alone, all[row], sizeof alone);
    rows[row] = m->count - 1 - row;
  }
  static float turned[128][16];
  manager_compute_derived_field(m, SHOAL_COLUMN_INDEX(transform, world), rows, 0, m->count, turned);
  for (uint32_t row = 0; row < m->count; ++row)
    assert_memory_equal(turned[row], all[rows[row]], sizeof all[row]);
  assert_positions_equal_matrices(f, all);
}

TEST_IN(positions_equal_matrices_in_random_hierarchies, fixture_t, f) {
  enum { COUNT = 120, TURNS = 30 };
  shoal_entity entities[COUNT];
  static const char *const FIELDS[] = {"x", "y", "z", "angle", "scale_x", "scale_y"};
  static const double VALUES[] = {0, -0.0, 1, -1.5, 0.3, 1e-30, 3e8, -7, (double)INFINITY, 40};
  uint64_t seed = 59;
  for (int i = 0; i < COUNT; ++i)
    entities[i] = place(f, i, -i);
  for (int turn = 0; turn < TURNS; ++turn) {
    for (int i = 0; i < 2 * COUNT; ++i) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      uint32_t number = (uint32_t)(seed >> 33);
      shoal_entity e = entities[number % COUNT], parent = entities[number / 128 % COUNT];
      if (number >> 24 & 1)
        set(f, e, "transform", "parent", number >> 25 & 3 ? parent : 0);
      else // infinity only in the last turns, because it spreads
        set(f, e, "transform", FIELDS[number >> 25 & 3 ? number / 128 % 6 : 3], VALUES[number % (turn < 20 ? 8 : 10)]);
    }
    assert_consistent(f);
    if (turn % 5 == 4)
      transform_update_child_lists(f->world);
    assert_consistent(f);
  }
}

// Sines and cosines are kept between calls while the parents stay the same.
TEST_IN(positions_follow_angles_that_change_while_parents_stay, fixture_t, f) {
  enum { COUNT = 100, TURNS = 60 };
  static const double ANGLES[] = {0, -0.0, 1, -1.5, 0.3, (double)NAN, 0, 40};
  shoal_entity entities[COUNT];
  uint64_t seed = 7;
  for (int i = 0; i < COUNT; ++i)
    entities[i] = i % 9 == 0 ? place(f, i, -i) : spawn_child(f, entities[i - 1 - (i % 3) % i], 1 + i % 5, i % 4);
  for (int turn = 0; turn < TURNS; ++turn) {
    for (int i = 0; i < turn % 4; ++i) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      set(f, entities[(seed >> 33) % COUNT], "transform", "angle", ANGLES[(seed >> 50) % (turn < 40 ? 5 : 8)]);
    }
    assert_consistent(f);
  }
}

TEST_IN(matrix_is_derived_from_current_fields_without_an_update, fixture_t, f) {
  shoal_entity parent = place(f, 100, 0), child = spawn_child(f, parent, 1, 0),
               grandchild = spawn_child(f, child, 2, 0);
  assert_place(f, grandchild, 103, 0);
  set(f, parent, "transform", "x", 50);
  assert_place(f, grandchild, 53, 0);
  set(f, child, "transform", "parent", 0);
  assert_place(f, grandchild, 3, 0);
  assert_consistent(f);
}

TEST_IN(rows_in_or_below_a_cycle_have_no_parent_until_it_is_broken, fixture_t, f) {
  shoal_entity a = place(f, 1, 0), b = spawn_child(f, a, 2, 0), c = spawn_child(f, b, 4, 0),
               below = spawn_child(f, c, 8, 0);
  shoal_entity alone = place(f, 16, 0), sound = spawn_child(f, alone, 32, 0);
  set(f, a, "transform", "parent", c);
  set(f, alone, "transform", "parent", alone);
  assert_place(f, a, 1, 0);
  assert_place(f, c, 4, 0);
  assert_place(f, below, 8, 0);
  assert_place(f, alone, 16, 0);
  assert_place(f, sound, 32, 0);
  assert_consistent(f);
  transform_update_child_lists(f->world);
  assert_place(f, sound, 48, 0);
  assert_consistent(f);
}

TEST_IN(columns_keep_the_positions_from_when_they_were_computed, fixture_t, f) {
  shoal_entity parent = place(f, 100, 0), child = spawn_child(f, parent, 1, 0);
  const manager_o *m = manager_of(f, "transform");
  const query_desc_t desc = {.terms = {{m->id, QUERY_WITH}}, .term_count = 1};
  query_o *q = world_find_or_create_query(f->world, &desc, NULL);
  const column_view_t *x = &query_find_with(q, m->id)->views[SHOAL_COLUMN_INDEX(transform, world_x)];
  for (int i = 0; i < 2; ++i) {
    query_open(q);
    query_compute_derived(q, m->id);
    set(f, parent, "transform", "x", 200);
    query_open(q);
    query_compute_derived(q, m->id);
    assert_near((double)((float *)x->data)[row_of(f, child, "transform")], i == 0 ? 101 : 201, 0);
    query_close(q);
    query_close(q);
  }
}

TEST_IN(matrices_of_a_chain_of_100000_transforms_are_derived_in_one_pass, fixture_t, f) {
  enum { COUNT = 100000 };
  shoal_entity parent = place(f, 0, 0);
  for (int i = 1; i < COUNT; ++i)
    parent = spawn_child(f, parent, 1, 0);
  float(*all)[16] = malloc(COUNT * sizeof *all);
  assert_non_null(all);
  manager_compute_derived_field(manager_of(f, "transform"), SHOAL_COLUMN_INDEX(transform, world), NULL, 0, COUNT, all);
  for (uint32_t i = 0; i < COUNT; ++i)
    assert_near((double)all[i][12], i, 0);
  free(all);
}

TEST_IN(entity_without_a_transform_has_the_identity_matrix, fixture_t, f) {
  shoal_entity e = place(f, 3, 4);
  const uint32_t rows[2] = {ROW_NONE, row_of(f, e, "transform")};
  float out[2][16];
  manager_compute_derived_field(manager_of(f, "transform"), SHOAL_COLUMN_INDEX(transform, world), rows, 0, 2, out);
  assert_near((double)out[0][0], 1, 0);
  assert_near((double)out[0][12], 0, 0);
  assert_near((double)out[1][12], 3, 0);
}

TEST_IN(parents_are_checked_only_after_an_entity_field_changed, fixture_t, f) {
  shoal_entity parent = place(f, 0, 0), child = place(f, 1, 0), later = place(f, 2, 0);
  transform_update_child_lists(f->world);
  assert_int_equal(*world_links_written(f->world), 0);
  set(f, child, "transform", "x", 5);
  assert_int_equal(*world_links_written(f->world), 0);
  set(f, child, "transform", "parent", parent);
  assert_int_equal(*world_links_written(f->world), 1);
  transform_update_child_lists(f->world);
  assert_int_equal(*world_links_written(f->world), 0);
  world_remove_component(f->world, parent, manager_of(f, "transform")->id, 0);
  set(f, later, "transform", "x", 6);
  transform_update_child_lists(f->world);
  // the child still refers to `parent`, which has lost its transform
  assert_int_not_equal(*world_links_written(f->world), 0);
  world_destroy_entity(f->world, parent);
  transform_update_child_lists(f->world);
  assert_int_equal(get(f, child, "transform", "parent"), 0);
  assert_int_equal(*world_links_written(f->world), 0);
}

TEST_IN(world_matrices_in_random_trees_match_walking_up_the_parents, fixture_t, f) {
  enum { COUNT = 60 };
  shoal_entity e[COUNT] = {0};
  random_t r;
  random_seed(&r, 3);
  for (int step = 0; step < 4000; ++step) {
    uint32_t i = random_u32(&r) % COUNT, p = random_u32(&r) % COUNT;
    if (!world_is_alive(f->world, e[i]))
      e[i] = place(f, random_u32(&r) % 64, random_u32(&r) % 64);
    else if (random_u32(&r) % 12 == 0)
      world_destroy_entity(f->world, e[i]);
    else if (p < i) // parents have lower indices, so that there is no cycle
      set(f, e[i], "transform", "parent", world_is_alive(f->world, e[p]) ? e[p] : 0);
    if (random_u32(&r) % 4 != 0)
      continue;
    transform_update_child_lists(f->world);
    uint32_t children = 0, parents = 0;
    if (manager_of(f, "transform")->count > 0)
      assert_consistent(f);
    for (uint32_t k = 0; k < COUNT; ++k) {
      if (!world_is_alive(f->world, e[k]))
        continue;
      double x = 0;
      for (shoal_entity up = e[k]; up != 0; up = transform_find_parent(f->world, up))
        x += get(f, up, "transform", "x");
      assert_near((double)world_matrix(f, e[k])[12], x, 0);
      children += transform_list_children(f->world, e[k], NULL, 0);
      parents += transform_find_parent(f->world, e[k]) != 0;
    }
    assert_int_equal(children, parents);
  }
}

TEST_IN(repeated_transform_update_allocates_nothing, fixture_t, f) {
  shoal_entity parent = place(f, 0, 0);
  for (int i = 0; i < 100; ++i)
    spawn_child(f, parent, i, 0);
  transform_update_child_lists(f->world);
  uint64_t calls = world_allocator(f->world)->calls;
  transform_update_child_lists(f->world);
  assert_int_equal(world_allocator(f->world)->calls, calls);
}
