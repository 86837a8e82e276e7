// Comparison of two world states, entity by entity and field by field.
#include "ecs_fixture.h"

#include "base/random.h"
#include "snapshot/compare.h"

typedef struct compare_fixture_t {
  world_o *w;
  allocator_t memory;
  snapshot_o *a, *b;
  compare_item_t items[32];
  uint64_t total;
} compare_fixture_t;

SETUP(compare_fixture_t, t) {
  t->w = make_world();
  t->a = snapshot_create(&t->memory);
  t->b = snapshot_create(&t->memory);
}

TEARDOWN(compare_fixture_t, t) {
  snapshot_release(t->a);
  snapshot_release(t->b);
  world_destroy(t->w);
  assert_int_equal(t->memory.blocks, 0);
}

static void take_first_snapshot(compare_fixture_t *t) {
  assert_true(snapshot_take(t->a, t->w, NULL));
}

static void take_second_snapshot(compare_fixture_t *t) {
  error_info_t error = {0};
  assert_true(snapshot_take(t->b, t->w, NULL));
  t->total = snapshot_compare(t->a, t->b, t->w, t->items, 32, &error);
  if (t->total == UINT64_MAX)
    fail_msg("%s", error.text);
}

static void assert_line(compare_fixture_t *t, uint32_t i, const char *words) {
  char line[COMPARE_LINE_MAX];
  assert_string_equal(compare_format_line(&t->items[i], line), words);
}

TEST_IN(snapshots_of_an_unchanged_world_are_equal, compare_fixture_t, t) {
  for (uint32_t i = 0; i < 20; ++i)
    add(t->w, SPAWN(t->w, POSITION, LABEL), GUN, id_of(t->w, "left"));
  take_first_snapshot(t);
  take_second_snapshot(t);
  assert_int_equal(t->total, 0);
}

TEST_IN(field_difference_names_the_entity_and_both_values, compare_fixture_t, t) {
  shoal_entity e = SPAWN(t->w, POSITION, NAME), other = SPAWN(t->w, POSITION);
  set(t->w, e, NAME, 0, id_of(t->w, "ship"));
  set(t->w, e, POSITION, POSITION_Y, 3);
  take_first_snapshot(t);
  set(t->w, other, POSITION, POSITION_X, -2.5);
  set(t->w, e, POSITION, POSITION_Y, 4);
  take_second_snapshot(t);
  assert_int_equal(t->total, 2);
  assert_line(t, 0, "entity(1:0 \"ship\") position.y: 3 and 4");
  assert_line(t, 1, "entity(2:0) position.x: 0 and -2.5");
  assert_int_equal(t->items[0].entity, e);
  assert_true(t->items[0].a.number == 3 && t->items[0].b.number == 4);
}

TEST_IN(entity_in_only_one_state_is_reported_without_fields, compare_fixture_t, t) {
  shoal_entity dies = SPAWN(t->w, POSITION, HEALTH);
  SPAWN(t->w, POSITION);
  take_first_snapshot(t);
  world_destroy_entity(t->w, dies);
  shoal_entity born = SPAWN(t->w, HEALTH);
  take_second_snapshot(t);
  assert_line(t, 0, "entity(1:0): present and absent");
  assert_int_equal(t->items[1].entity, born);
  assert_line(t, 1, "entity(3:0): absent and present");
  assert_int_equal(t->items[2].kind, COMPARE_OTHER);
}

TEST_IN(component_or_instance_in_only_one_state_is_reported, compare_fixture_t, t) {
  shoal_entity e = SPAWN(t->w, POSITION, FROZEN);
  add(t->w, e, GUN, id_of(t->w, "left"));
  take_first_snapshot(t);
  world_remove_component(t->w, e, FROZEN, 0);
  add(t->w, e, HEALTH, 0);
  add(t->w, e, GUN, id_of(t->w, "right"));
  world_set_field(t->w, e, GUN, id_of(t->w, "left"), 0, 0.5, NULL);
  take_second_snapshot(t);
  assert_int_equal(t->total, 4);
  assert_line(t, 0, "entity(1:0) health: absent and present");
  assert_line(t, 1, "entity(1:0) frozen: present and absent");
  assert_line(t, 2, "entity(1:0) gun.left.heat: 0 and 0.5");
  assert_line(t, 3, "entity(1:0) gun.right: absent and present");
}

TEST_IN(strings_are_compared_by_content_not_by_id, compare_fixture_t, t) {
  shoal_entity e = SPAWN(t->w, LABEL), other = SPAWN(t->w, LABEL);
  set(t->w, e, LABEL, 0, id_of(t->w, "one"));
  set(t->w, other, LABEL, 0, id_of(t->w, "same"));
  take_first_snapshot(t);
  world_o *w = make_world();
  id_of(w, "something else first");
  SPAWN(w, LABEL);
  SPAWN(w, LABEL);
  set(w, e, LABEL, 0, id_of(w, "two"));
  set(w, other, LABEL, 0, id_of(w, "same"));
  assert_true(snapshot_take(t->b, w, NULL));
  assert_int_equal(snapshot_compare(t->a, t->b, w, t->items, 32, NULL), 1);
  assert_line(t, 0, "entity(1:0) label.text: \"one\" and \"two\"");
  world_destroy(w);
}

// The string tables of the two worlds have equal ids, offsets and lengths, but different bytes.
TEST_IN(strings_with_the_same_id_and_length_are_compared_by_content, compare_fixture_t, t) {
  shoal_entity e = SPAWN(t->w, LABEL);
  set(t->w, e, LABEL, 0, id_of(t->w, "one"));
  take_first_snapshot(t);
  world_o *w = make_world();
  SPAWN(w, LABEL);
  set(w, e, LABEL, 0, id_of(w, "two"));
  assert_int_equal(id_of(w, "two"), id_of(t->w, "one"));
  assert_true(snapshot_take(t->b, w, NULL));
  assert_int_equal(snapshot_compare(t->a, t->b, w, t->items, 32, NULL), 1);
  assert_line(t, 0, "entity(1:0) label.text: \"one\" and \"two\"");
  world_destroy(w);
}

TEST_IN(field_whose_type_differs_is_reported_with_both_types, compare_fixture_t, t) {
  take_first_snapshot(t);
  world_o *w = world_create(&(world_desc_t){.seed = 7});
  const field_type_t f32s[] = {FIELD_F32, FIELD_F32}, text[] = {FIELD_STRING}, f64[] = {FIELD_F64};
  DECLARE(w, "position", SCHEMA_COMPONENT, f32s, "x", "y");
  DECLARE(w, "score", SCHEMA_SINGLE, f64, "value");
  DECLARE(w, "label", SCHEMA_COMPONENT, text, "text");
  assert_true(snapshot_take(t->b, w, NULL));
  t->total = snapshot_compare(t->a, t->b, w, t->items, 32, NULL);
  assert_int_equal(t->total, 1);
  assert_line(t, 0, "score.value: 0 (i32) and 0 (f64)");
  world_destroy(w);
}

TEST_IN(singletons_random_state_and_tick_are_reported_last, compare_fixture_t, t) {
  manager_o *score = world_manager(t->w, SCORE);
  take_first_snapshot(t);
  ((int32_t *)manager_column(score, 0))[0] = 12;
  random_u32(world_random(t->w));
  world_end_tick(t->w);
  take_second_snapshot(t);
  assert_int_equal(t->total, 3);
  assert_line(t, 0, "score.value: 0 and 12");
  assert_line(t, 1, "the random number generator differs");
  assert_line(t, 2, "tick: 0 and 1");
}

TEST_IN(different_row_order_is_reported, compare_fixture_t, t) {
  shoal_entity a = SPAWN(t->w, POSITION), b = SPAWN(t->w, POSITION);
  take_first_snapshot(t);
  world_remove_component(t->w, a, POSITION, 0);
  add(t->w, a, POSITION, 0);
  take_second_snapshot(t);
  assert_true(b != a);
  assert_int_equal(t->total, 1);
  assert_line(t, 0, "position: the row order differs");
}

TEST_IN(hidden_columns_are_not_compared, compare_fixture_t, t) {
  shoal_entity e = SPAWN(t->w, TRANSFORM);
  take_first_snapshot(t);
  set(t->w, e, TRANSFORM, 1, 8);
  world_manager(t->w, TRANSFORM)->schema.fields[1].flags |= FIELD_HIDDEN;
  take_second_snapshot(t);
  assert_int_equal(t->total, 0);
}

TEST_IN(compare_fills_a_small_buffer_and_returns_the_total, compare_fixture_t, t) {
  shoal_entity e[100];
  for (uint32_t i = 0; i < 100; ++i)
    e[i] = SPAWN(t->w, HEALTH);
  take_first_snapshot(t);
  for (uint32_t i = 0; i < 100; ++i)
    set(t->w, e[i], HEALTH, 0, 7);
  take_second_snapshot(t);
  assert_int_equal(t->total, 100);
  assert_int_equal(t->items[31].entity, e[31]);
}

TEST_IN(damaged_snapshots_are_rejected_or_compared_safely, compare_fixture_t, t) {
  error_info_t error = {0};
  for (uint32_t i = 0; i < 8; ++i)
    add(t->w, SPAWN(t->w, POSITION, LABEL, NAME), GUN, id_of(t->w, "left"));
  take_first_snapshot(t);
  assert_true(snapshot_take(t->b, t->w, NULL));
  size_t size = 0;
  snapshot_bytes(t->a, &size);
  uint8_t *bytes = malloc(size);
  random_t random;
  random_seed(&random, 5);
  uint32_t refused = 0;
  for (uint32_t round = 0; round < 4000; ++round) {
    memcpy(bytes, snapshot_bytes(t->b, &size), size);
    for (uint32_t i = 0; i < 4; ++i)
      bytes[random_u32(&random) % size] = (uint8_t)random_u32(&random);
    snapshot_o *wrong = snapshot_create(&t->memory);
    snapshot_set_bytes(wrong, bytes, round % 7 == 0 ? random_u32(&random) % size : size);
    refused += snapshot_compare(t->a, wrong, t->w, t->items, 32, &error) == UINT64_MAX;
    refused += snapshot_compare(wrong, t->a, NULL, t->items, 32, &error) == UINT64_MAX;
    snapshot_release(wrong);
  }
  assert_true(refused > 1000);
  free(bytes);
}
