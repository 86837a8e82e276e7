// Calls for single entities in a world of libshoal-ecs: values as structs, and consecutive destructions, which are
// executed as a batch. Prints a line `ok` or `not ok` for each test.
#include <shoal/ecs.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ITEM_FIELDS(F)                                                                                                 \
  F(u8, level, 1)                                                                                                      \
  F(f64, price, 2) F(bool, sold, 1) F(entity, owner) F(enum, kind, "tool weapon") F(i16, rank, -3) F(vec2, pos, 4, 5)
SHOAL_COMPONENT(item, ITEM_FIELDS)
#define BODY_FIELDS(F) F(f32, x, 0) F(f32, y, 0)
SHOAL_COMPONENT(body, BODY_FIELDS)
#define HEAT_FIELDS(F) F(f32, value, 20)
SHOAL_COMPONENT(heat, HEAT_FIELDS)
#define GUN_FIELDS(F) F(u32, ammo, 6)
SHOAL_MANY(gun, GUN_FIELDS)
#define HIT_FIELDS(F) F(entity, target)
SHOAL_EVENT(hit, HIT_FIELDS)
#define PART_FIELDS(F) F(entity, whole, .flags = SHOAL_CASCADE_DESTROY)
SHOAL_COMPONENT(part, PART_FIELDS)
#define SCORE_FIELDS(F) F(u32, value, 3)
SHOAL_SINGLE(score, SCORE_FIELDS)

enum { COUNT = 300 };

static const char *test_name;

static void check(bool ok, const char *condition, int line) {
  if (ok)
    return;
  printf("not ok %s: line %d: %s\n", test_name, line, condition);
  exit(1);
}
#define CHECK(condition_) check(condition_, #condition_, __LINE__)
#define EQUAL(a_, b_) check((a_) == (b_), #a_ " is " #b_, __LINE__)

// --- values

static void structs_of_values_are_stored_and_read(void) {
  shoal_world *w = shoal_ecs_create(SHOAL_COMPONENTS(item, body, score));
  shoal_ecs_define_assemblage(w, "item", SHOAL_COMPONENTS(item));
  shoal_entity e = shoal_spawn(w, "item"), owner = shoal_spawn(w, NULL);
  item_values read;
  memset(&read, 0xff, sizeof read);
  CHECK(SHOAL_GET(w, e, item, &read));
  item_values expected;
  memset(&expected, 0, sizeof expected); // also clears the padding
  expected.level = 1, expected.price = 2, expected.sold = 1, expected.rank = -3, expected.pos.x = 4, expected.pos.y = 5;
  CHECK(memcmp(&read, &expected, sizeof read) == 0);
  expected = (item_values){.level = 9, .price = -1.5, .sold = 7, .owner = owner, .rank = 12, .pos = {1, (float)NAN}};
  CHECK(SHOAL_SET(w, e, item, &expected));
  CHECK(SHOAL_GET(w, e, item, &read));
  CHECK(read.level == 9 && read.price == -1.5 && read.sold == 1 && read.owner == owner && read.rank == 12);
  CHECK(read.pos.x == 1 && isnan(read.pos.y));
  double level;
  CHECK(shoal_get(w, e, &item_component, SHOAL_COLUMN_INDEX(item, level), &level) && level == 9);
  score_values score = {8};
  CHECK(SHOAL_SET(w, SHOAL_ENTITY_NONE, score, &score));
  score.value = 0;
  CHECK(SHOAL_GET(w, SHOAL_ENTITY_NONE, score, &score) && score.value == 8);
  shoal_ecs_destroy(w);
}

static void every_nan_is_stored_as_the_canonical_one(void) {
  shoal_world *w = shoal_ecs_create(SHOAL_COMPONENTS(body));
  shoal_ecs_define_assemblage(w, "ball", SHOAL_COMPONENTS(body));
  shoal_entity e = shoal_spawn(w, "ball");
  uint32_t bits[2] = {0xffc00123u, 0x7f800001u};
  body_values values;
  memcpy(&values, bits, sizeof values);
  CHECK(SHOAL_SET(w, e, body, &values));
  CHECK(SHOAL_GET(w, e, body, &values));
  memcpy(bits, &values, sizeof bits);
  CHECK(bits[0] == 0x7fc00000u && bits[1] == 0x7fc00000u);
  shoal_ecs_destroy(w);
}

static void refused_structs_change_nothing(void) {
  shoal_world *w = shoal_ecs_create(SHOAL_COMPONENTS(body, heat));
  shoal_ecs_define_assemblage(w, "ball", SHOAL_COMPONENTS(body));
  shoal_entity e = shoal_spawn(w, "ball");
  body_values values = {1, 2};
  uint64_t hash = shoal_hash(w);
  CHECK(!(shoal_set_struct(w, e, &body_component, &values, 4)));
  CHECK(strcmp(shoal_last_error(w), "values of body: expected 8 bytes, got 4") == 0);
  CHECK(!(shoal_set_struct(w, e, &body_component, NULL, 8)));
  CHECK(!(shoal_get_struct(w, e, &body_component, &values, 12)));
  heat_values heat = {3};
  CHECK(!(SHOAL_SET(w, e, heat, &heat) || SHOAL_GET(w, e, heat, &heat)));
  CHECK(!(SHOAL_SET(w, e + 1, body, &values)));
  CHECK(shoal_hash(w) == hash);
  shoal_ecs_destroy(w);
}

// --- destroying one by one

static uint32_t random_below(uint32_t *seed, uint32_t limit) {
  *seed = *seed * 1664525 + 1013904223;
  return (*seed >> 8) % limit;
}

static void emit_hits(shoal_world *w, const shoal_entity *entities, uint32_t count) {
  hit_columns *hits = (hit_columns *)(uintptr_t)shoal_emit_begin(w, &hit_component, count);
  for (uint32_t i = 0; i < count; ++i)
    hits->target[i] = entities[i * 3];
  CHECK(shoal_emit_end(w, &hit_component));
}

// Fills a world with entities that have different components, and with queries over them.
static shoal_world *create_world(shoal_entity *entities, bool has_group) {
  shoal_world *w = shoal_ecs_create(SHOAL_COMPONENTS(body, heat, gun, hit));
  shoal_view view;
  shoal_query_desc hot = {.with = {"body", "heat"}}, cold = {.with = {"body"}, .without = {"heat"}},
                   armed = {.with = {"gun"}, .optional = {"heat"}}, any = {.any = {"gun", "heat"}};
  const shoal_query_desc *const queries[] = {&hot, &cold, &armed, &any};
  shoal_ecs_define_assemblage(w, "ball", SHOAL_COMPONENTS(body));
  for (uint32_t i = 0; i < 4; ++i)
    CHECK(shoal_query_begin(w, queries[i], &view) && shoal_query_end(w, &view));
  CHECK(!has_group || shoal_ecs_create_group(w, &hot));
  uint32_t random = 7;
  for (uint32_t i = 0; i < COUNT; ++i) {
    entities[i] = shoal_spawn(w, "ball");
    CHECK(SHOAL_SET(w, entities[i], body, (&(body_values){(float)i, 1})));
    if (random_below(&random, 3) > 0)
      shoal_add(w, entities[i], &heat_component);
    for (uint32_t k = random_below(&random, 3); k > 0; --k)
      shoal_add_instance(w, entities[i], &gun_component, k == 1 ? "left" : "right");
  }
  return w;
}

static void compare_worlds(shoal_world *a, shoal_world *b) {
  size_t size = shoal_snapshot(a, NULL, 0);
  void *bytes_a = malloc(size), *bytes_b = malloc(size);
  CHECK(shoal_hash(a) == shoal_hash(b));
  CHECK(size > 0 && shoal_snapshot(a, bytes_a, size) == size && shoal_snapshot(b, bytes_b, size) == size);
  CHECK(memcmp(bytes_a, bytes_b, size) == 0);
  free(bytes_a);
  free(bytes_b);
}

// Destroys the same entities in two worlds; in the second world, another call follows each destruction. With `emits`,
// events refer to some of these entities.
static void compare_destruction(bool has_group, bool emits, uint32_t seed) {
  shoal_entity entities[2][COUNT], fresh[2];
  shoal_world *w[2] = {create_world(entities[0], has_group), create_world(entities[1], has_group)};
  for (uint32_t k = 0; k < 2; ++k) {
    uint32_t random = seed;
    if (emits)
      emit_hits(w[k], entities[k], 40);
    for (uint32_t i = 0; i < COUNT; ++i) {
      bool is_run = seed % 2; // visits rows in order; false: at random, with repetitions
      shoal_destroy(w[k], entities[k][is_run ? i / 2 * 2 : random_below(&random, COUNT)]);
      if (k == 1)
        CHECK(shoal_ecs_entity_count(w[k]) > 0);
    }
    fresh[k] = shoal_spawn(w[k], "ball");
  }
  EQUAL(fresh[0], fresh[1]);
  EQUAL(shoal_ecs_entity_count(w[0]), shoal_ecs_entity_count(w[1]));
  compare_worlds(w[0], w[1]);
  shoal_ecs_destroy(w[0]);
  shoal_ecs_destroy(w[1]);
}

static void entities_destroyed_in_a_batch_leave_the_state_of_single_calls(void) {
  for (uint32_t seed = 1; seed < 9; ++seed) {
    compare_destruction(false, false, seed);
    compare_destruction(true, false, seed);
    compare_destruction(false, true, seed);
  }
}

static void destroyed_entity_is_dead_in_every_later_call(void) {
  shoal_entity entities[COUNT];
  shoal_world *w = create_world(entities, false);
  body_values values;
  shoal_view view;
  CHECK(shoal_destroy(w, entities[4]) && shoal_destroy(w, entities[9]) && shoal_destroy(w, entities[5]));
  CHECK(!(shoal_is_alive(w, entities[4])));
  CHECK(shoal_is_alive(w, entities[6]));
  CHECK(!(shoal_destroy(w, entities[4])));
  CHECK(strstr(shoal_last_error(w), "is not alive") != NULL);
  CHECK(!(SHOAL_GET(w, entities[4], body, &values)));
  CHECK(shoal_destroy(w, entities[10]));
  CHECK(!(SHOAL_SET(w, entities[10], body, &values) || shoal_add(w, entities[10], &heat_component) ||
          shoal_has(w, entities[10], &body_component)));
  CHECK(shoal_destroy(w, entities[11]));
  CHECK(shoal_find_row(w, &body_component, entities[11]) == SHOAL_NO_ROW);
  CHECK(shoal_destroy(w, entities[12]));
  EQUAL(shoal_get_rows(w, &body_component).count, COUNT - 6);
  CHECK(shoal_destroy(w, entities[13]));
  CHECK(shoal_query_begin(w, &(shoal_query_desc){.with = {"body"}}, &view));
  EQUAL(view.count, COUNT - 7);
  CHECK(shoal_destroy(w, entities[14])); // queued until the query ends
  CHECK(!(shoal_is_alive(w, entities[14])));
  CHECK(SHOAL_GET(w, entities[14], body, &values));
  CHECK(shoal_query_end(w, &view));
  EQUAL(shoal_ecs_entity_count(w), COUNT - 8);
  shoal_ecs_destroy(w);
}

static void snapshot_after_a_destruction_does_not_contain_the_entity(void) {
  shoal_entity entities[COUNT];
  shoal_world *w = create_world(entities, false);
  uint64_t before = shoal_hash(w);
  size_t size = shoal_snapshot(w, NULL, 0);
  void *bytes = malloc(size), *after = malloc(2 * size);
  EQUAL(shoal_snapshot(w, bytes, size), size);
  CHECK(shoal_destroy(w, entities[0]) && shoal_hash(w) != before);
  CHECK(shoal_destroy(w, entities[1]));
  size_t after_size = shoal_snapshot(w, after, 2 * size);
  CHECK(shoal_destroy(w, entities[2]) && shoal_restore(w, after, after_size));
  CHECK(shoal_is_alive(w, entities[2]) && !shoal_is_alive(w, entities[1]));
  CHECK(shoal_destroy(w, entities[2]) && shoal_restore(w, bytes, size));
  CHECK(shoal_hash(w) == before && shoal_is_alive(w, entities[0]));
  free(bytes);
  free(after);
  shoal_ecs_destroy(w);
}

static void observers_list_destroyed_entities_in_the_order_of_the_calls(void) {
  shoal_entity entities[COUNT];
  shoal_world *w = create_world(entities, false);
  shoal_observed lists;
  shoal_query_desc bodies = {.with = {"body"}};
  CHECK(shoal_observe_changes(w, "bodies", &bodies, false, &lists) && lists.entered_count == COUNT);
  for (uint32_t i = 0; i < 3; ++i)
    CHECK(shoal_destroy(w, entities[20 - i * 7]));
  CHECK(shoal_observe_changes(w, "bodies", &bodies, false, &lists));
  CHECK(lists.left_count == 3 && lists.left[0] == entities[20] && lists.left[1] == entities[13] &&
        lists.left[2] == entities[6]);
  shoal_ecs_destroy(w);
}

static void cascades_destroy_with_the_call(void) {
  shoal_world *w = shoal_ecs_create(SHOAL_COMPONENTS(part));
  shoal_ecs_define_assemblage(w, "part", SHOAL_COMPONENTS(part));
  shoal_entity whole = shoal_spawn(w, NULL), part = shoal_spawn(w, "part"), other = shoal_spawn(w, "part");
  CHECK(SHOAL_SET(w, part, part, (&(part_values){whole})));
  CHECK(shoal_destroy(w, other) && shoal_destroy(w, whole));
  CHECK(!(shoal_is_alive(w, part) || shoal_destroy(w, part)));
  EQUAL(shoal_ecs_entity_count(w), 0);
  shoal_ecs_destroy(w);
}

static void worlds_keep_their_batches_apart(void) {
  shoal_entity a[COUNT], b[COUNT];
  shoal_world *first = create_world(a, false), *second = create_world(b, false);
  for (uint32_t i = 0; i < 5; ++i)
    CHECK(shoal_destroy(first, a[i]) && shoal_destroy(second, b[i]));
  EQUAL(shoal_ecs_entity_count(first), COUNT - 5);
  CHECK(shoal_destroy(first, a[9]));
  CHECK(shoal_ecs_destroy(first)); // a world with an entity whose destruction is still queued
  CHECK(!(shoal_destroy(first, a[8])));
  CHECK(strcmp(shoal_last_error(second), "shoal_destroy_many: the world was destroyed") == 0);
  EQUAL(shoal_ecs_entity_count(second), COUNT - 5);
  CHECK(shoal_ecs_run_tick(second));
  CHECK(shoal_ecs_destroy(second));
}

#define RUN(test_)                                                                                                     \
  do {                                                                                                                 \
    test_name = #test_;                                                                                                \
    test_();                                                                                                           \
    printf("ok %s\n", test_name);                                                                                      \
  } while (0)

int main(void) {
  RUN(structs_of_values_are_stored_and_read);
  RUN(every_nan_is_stored_as_the_canonical_one);
  RUN(refused_structs_change_nothing);
  RUN(entities_destroyed_in_a_batch_leave_the_state_of_single_calls);
  RUN(destroyed_entity_is_dead_in_every_later_call);
  RUN(snapshot_after_a_destruction_does_not_contain_the_entity);
  RUN(observers_list_destroyed_entities_in_the_order_of_the_calls);
  RUN(cascades_destroy_with_the_call);
  RUN(worlds_keep_their_batches_apart);
}
