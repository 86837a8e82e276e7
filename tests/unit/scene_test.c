// Scenes as text: round trips, and the rejection of invalid scenes, which changes nothing.
// slow: takes seconds under the sanitizers
#include "components_fixture.h"

#include "ecs/world_hash.h"
#include "store/scene.h"

#include <stdio.h>

static void declare_components(world_o *w) {
  static const char *const moods[] = {"calm", "angry"};
  allocator_t memory = {0};
  schema_buffer_t s;
  schema_init(&s, "things", SCHEMA_COMPONENT, "test");
  schema_add_field(&s.schema, "a", FIELD_F32, 0.1);
  schema_add_field(&s.schema, "big", FIELD_U32, 7);
  for (uint32_t i = 0; i < 3; ++i)
    schema_add_field(&s.schema, ((const char *[]){"facing.x", "facing.y", "facing.z"})[i], FIELD_F32, i == 0)->flags =
        FIELD_IS_AXIS;
  schema_add_field(&s.schema, "fine", FIELD_F64, 0.25);
  schema_add_field(&s.schema, "hidden", FIELD_I32, 0)->flags = FIELD_HIDDEN;
  schema_add_field(&s.schema, "kept", FIELD_I32, 0)->flags = FIELD_READ_ONLY;
  field_set_choices(schema_add_field(&s.schema, "mood", FIELD_ENUM, 0), &memory, moods, 2);
  schema_add_field(&s.schema, "on", FIELD_BOOL, 0);
  schema_add_field(&s.schema, "small", FIELD_I8, -1);
  schema_add_field(&s.schema, "target", FIELD_ENTITY, 0);
  schema_add_field(&s.schema, "text", FIELD_STRING, 0);
  declare_schema(w, &s.schema);
  schema_init(&s, "gun", SCHEMA_MANY, "test");
  schema_add_field(&s.schema, "heat", FIELD_F32, 0);
  schema_add_field(&s.schema, "rest", FIELD_I16, 3);
  declare_schema(w, &s.schema);
  schema_init(&s, "frozen", SCHEMA_COMPONENT, "test");
  declare_schema(w, &s.schema);
  schema_init(&s, "score", SCHEMA_SINGLE, "test");
  schema_add_field(&s.schema, "value", FIELD_F32, 0);
  declare_schema(w, &s.schema);
}

static void add_template_component(world_o *w, uint32_t number, uint32_t state, const char *component,
                                   const char *instance) {
  world_assemblage_add_component(w, number, state, world_find_manager(w, component)->id, id_of(w, instance));
}

static void part_value(world_o *w, uint32_t number, uint32_t state, const char *component, const char *instance,
                       const char *field, double v) {
  manager_o *m = world_find_manager(w, component);
  world_assemblage_set_field(w, number, state, m->id, id_of(w, instance), (uint32_t)manager_find_column(m, field), v);
}

static void declare_assemblages(world_o *w) {
  uint32_t rock = world_assemblage_declare(w, id_of(w, "rock"));
  add_template_component(w, rock, 0, "transform", "");
  add_template_component(w, rock, 0, "things", "");
  part_value(w, rock, 0, "things", "", "a", 2.5);
  uint32_t turret = world_assemblage_declare(w, id_of(w, "tank/turret"));
  add_template_component(w, turret, 0, "transform", "");
  part_value(w, turret, 0, "transform", "", "y", 8);
  uint32_t flag = world_assemblage_declare(w, id_of(w, "tank/turret/flag"));
  add_template_component(w, flag, 0, "transform", "");
  world_assemblage_add_child(w, turret, id_of(w, "flag"), flag);
  uint32_t wheel = world_assemblage_declare(w, id_of(w, "tank/wheel"));
  add_template_component(w, wheel, 0, "transform", "");
  uint32_t tank = world_assemblage_declare(w, id_of(w, "tank"));
  add_template_component(w, tank, 0, "transform", "");
  add_template_component(w, tank, 0, "gun", "left");
  add_template_component(w, tank, 0, "gun", "right");
  part_value(w, tank, 0, "gun", "left", "heat", 1);
  uint32_t alive = world_assemblage_add_state(w, tank, id_of(w, "alive"));
  uint32_t dying = world_assemblage_add_state(w, tank, id_of(w, "dying"));
  add_template_component(w, tank, alive, "things", "");
  part_value(w, tank, alive, "things", "", "a", 4);
  add_template_component(w, tank, dying, "things", "");
  part_value(w, tank, dying, "things", "", "a", 5);
  add_template_component(w, tank, dying, "frozen", "");
  world_assemblage_add_child(w, tank, id_of(w, "turret"), turret);
  world_assemblage_add_child(w, tank, id_of(w, "wheel"), wheel);
}

static int setup(void **state) {
  if (fixture_setup(state) != 0)
    return -1;
  fixture_t *f = *state;
  declare_components(f->world);
  declare_assemblages(f->world);
  return 0;
}
FIXTURE(fixture_t, setup, fixture_teardown)

// --- helpers

static char *write_scene_text(world_o *w, allocator_t *a, size_t *bytes, error_info_t *error) {
  const entities_t *s = world_entities(w);
  shoal_entity *all = calloc(s->used, sizeof *all);
  uint32_t count = 0;
  for (uint32_t i = 1; i < s->used; ++i)
    if (s->alive[i])
      all[count++] = i | (shoal_entity)s->generation[i] << SHOAL_ENTITY_INDEX_BITS;
  char *text = scene_write(w, all, count, a, bytes, error);
  free(all);
  return text;
}

// Returns the world's scene text, valid until the next call; NULL frees it.
static const char *text_of(world_o *w) {
  static allocator_t memory;
  static char *text;
  static size_t bytes;
  error_info_t error = {0};
  if (text)
    alloc_resize(&memory, text, bytes + 1, 0);
  text = w ? write_scene_text(w, &memory, &bytes, &error) : NULL;
  if (w && !text)
    fail_msg("%s", error.text);
  return text ? text : "";
}

static uint32_t read_scene_text(world_o *w, const char *text, shoal_entity *first) {
  allocator_t memory = {0};
  scene_spawned_t made = {0};
  scene_fault_t fault;
  if (!scene_read(w, &(scene_desc_t){.text = text, .text_bytes = strlen(text)}, &memory, &made, &fault))
    fail_msg("line %u: %s\n%s", fault.line, fault.error.text, text);
  uint32_t count = made.count;
  if (first && count > 0)
    *first = made.items[0];
  scene_spawned_fini(&made, &memory);
  assert_int_equal(memory.bytes, 0);
  return count;
}

// Asserts that loading and checking both reject the text with this message and line, and leave world and strings
// unchanged.
static void assert_bytes_rejected(fixture_t *f, const char *text, size_t bytes, uint32_t line, const char *words) {
  allocator_t memory = {0};
  uint64_t before = world_hash(f->world), texts = strings_hash(world_strings(f->world), 0);
  for (int only_check = 0; only_check < 2; ++only_check) {
    scene_spawned_t made = {0};
    scene_fault_t fault;
    scene_desc_t ask = {.text = text, .text_bytes = bytes};
    if (scene_read(f->world, &ask, &memory, only_check ? NULL : &made, &fault))
      fail_msg("it was not refused: %s", text);
    if (!strstr(fault.error.text, words))
      fail_msg("'%s' does not contain '%s'", fault.error.text, words);
    if (fault.line != line)
      fail_msg("got line %u, expected %u: %s", fault.line, line, fault.error.text);
    assert_int_equal(made.count, 0);
  }
  assert_int_equal(memory.bytes, 0);
  assert_int_equal(world_hash(f->world), before);
  assert_int_equal(strings_hash(world_strings(f->world), 0), texts);
}

static void assert_rejected(fixture_t *f, const char *text, uint32_t line, const char *words) {
  assert_bytes_rejected(f, text, strlen(text), line, words);
}

static world_o *create_world(components_o **components) {
  error_info_t error = {0};
  world_o *w = world_create(&(world_desc_t){.seed = 1, .tick_rate = 60});
  *components = components_create(w, NULL, &error);
  declare_components(w);
  declare_assemblages(w);
  return w;
}

static void destroy_world(world_o *w, components_o *components) {
  components_destroy(components);
  world_destroy(w);
}

static shoal_entity spawn(fixture_t *f, const char *assemblage) {
  error_info_t error = {0};
  shoal_entity e = world_spawn(f->world, world_find_assemblage(f->world, id_of(f->world, assemblage)), &error);
  if (e == 0)
    fail_msg("%s", error.text);
  return e;
}

static shoal_entity child_of(fixture_t *f, shoal_entity e, uint32_t i) {
  shoal_entity out[8];
  assert_true(transform_list_children(f->world, e, out, 8) > i);
  return out[i];
}

static void set_gun(fixture_t *f, shoal_entity e, const char *instance, double heat) {
  manager_o *m = manager_of(f, "gun");
  world_add_component(f->world, e, m->id, id_of(f->world, instance), NULL);
  assert_true(world_set_field(f->world, e, m->id, id_of(f->world, instance), 0, heat, NULL));
}

// Asserts that the texts are equal. Reports only the text around the first difference, because messages are truncated.
static void assert_same_text(const char *text, const char *expected) {
  size_t at = 0;
  while (text[at] && text[at] == expected[at])
    at++;
  size_t from = at > 300 ? at - 300 : 0;
  if (text[at] != expected[at])
    fail_msg("…%.400s\n--- and not\n…%.400s", text + from, expected + from);
}

// --- tests

TEST_IN(scene_writes_only_differences_and_round_trips, fixture_t, f) {
  world_o *w = f->world;
  shoal_entity tank = spawn(f, "tank"), rock = spawn(f, "rock"), other = spawn(f, "rock");
  spawn(f, "tank");
  set(f, rock, "things", "a", 0.1);
  set(f, rock, "things", "target", tank);
  set(f, rock, "things", "text", id_of(w, "a \"quoted\"\nline"));
  set(f, rock, "things", "mood", 1);
  set(f, rock, "things", "facing.y", 0.5);
  set(f, other, "transform", "parent", rock);
  set(f, other, "things", "target", rock);
  add(f, rock, "name");
  set(f, rock, "name", "value", id_of(w, "hill"));
  add(f, rock, "frozen");
  set_gun(f, tank, "left", 2);
  set_gun(f, tank, "rear", 0);
  world_remove_component(w, tank, manager_of(f, "gun")->id, id_of(w, "right"));
  world_remove_component(w, tank, manager_of(f, "things")->id, 0);
  world_destroy_entity(w, child_of(f, tank, 1));
  set(f, child_of(f, tank, 0), "transform", "y", 9);
  transform_update_child_lists(w);
  const char *expected = "{\n"
                         "  \"format\": 1,\n"
                         "  \"entities\": [\n"
                         "    {\n"
                         "      \"assemblage\": \"tank\",\n"
                         "      \"id\": \"tank#1\",\n"
                         "      \"components\": {\n"
                         "        \"gun\": { \"left\": { \"heat\": 2 }, \"right\": null, \"rear\": {} },\n"
                         "        \"things\": null\n"
                         "      },\n"
                         "      \"children\": {\n"
                         "        \"turret\": {\n"
                         "          \"components\": {\n"
                         "            \"transform\": { \"y\": 9 }\n"
                         "          }\n"
                         "        },\n"
                         "        \"wheel\": null\n"
                         "      }\n"
                         "    },\n"
                         "    {\n"
                         "      \"assemblage\": \"rock\",\n"
                         "      \"name\": \"hill\",\n"
                         "      \"components\": {\n"
                         "        \"frozen\": {},\n"
                         "        \"things\": { \"a\": 0.1, \"facing\": [1, 0.5, 0], \"mood\": \"angry\", \"target\": "
                         "\"tank#1\", \"text\": \"a \\\"quoted\\\"\\nline\" }\n"
                         "      }\n"
                         "    },\n"
                         "    {\n"
                         "      \"assemblage\": \"rock\",\n"
                         "      \"parent\": \"hill\",\n"
                         "      \"components\": {\n"
                         "        \"things\": { \"target\": \"hill\" }\n"
                         "      }\n"
                         "    },\n"
                         "    {\n"
                         "      \"assemblage\": \"tank\"\n"
                         "    }\n"
                         "  ]\n"
                         "}\n";
  assert_string_equal(text_of(w), expected);
  components_o *components;
  world_o *copy = create_world(&components);
  assert_int_equal(read_scene_text(copy, expected, NULL), 4);
  transform_update_child_lists(copy);
  assert_string_equal(text_of(copy), expected);
  assert_int_equal(world_entities(copy)->alive_count, world_entities(w)->alive_count);
  text_of(NULL);
  destroy_world(copy, components);
}

TEST_IN(scene_entity_in_a_different_state_keeps_its_values, fixture_t, f) {
  shoal_entity e = 0;
  read_scene_text(f->world, "{\"entities\":[{\"assemblage\":\"tank\",\"state\":\"dying\"}]}", &e);
  assert_string_equal(strings_text(world_strings(f->world), world_entities(f->world)->state[shoal_entity_index(e)]),
                      "dying");
  assert_near(get(f, e, "things", "a"), 5, 0);
  assert_true(world_has_component(f->world, e, manager_of(f, "frozen")->id));
  // An entity that entered the state at run time keeps values that the state does not set, so they are written.
  shoal_entity entered = spawn(f, "tank");
  set(f, entered, "things", "big", 6);
  world_enter_state(f->world, entered, id_of(f->world, "dying"), NULL);
  assert_near(get(f, entered, "things", "a"), 5, 0);
  assert_non_null(strstr(text_of(f->world), "\"things\": { \"big\": 6 }"));
  text_of(NULL);
}

TEST_IN(scene_numbers_round_trip_bit_for_bit, fixture_t, f) {
  uint64_t seed = 1;
  for (uint32_t i = 0; i < 2000; ++i) {
    uint32_t bits;
    uint64_t wide = 0;
    float a;
    double ok;
    for (int k = 0; k < 4; ++k) {
      seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
      wide = wide << 32 | seed >> 32;
    }
    bits = (uint32_t)(seed >> 32);
    memcpy(&a, &bits, sizeof a);
    memcpy(&ok, &wide, sizeof ok);
    shoal_entity e = spawn(f, "rock");
    set(f, e, "things", "a", i == 0 ? -0.0 : i == 1 ? NAN : i == 2 ? INFINITY : a != a ? 1 : (double)a);
    set(f, e, "things", "fine", i == 0 ? -0.0 : i == 1 ? -INFINITY : ok != ok ? 1 : ok);
    set(f, e, "things", "big", bits);
    set(f, e, "things", "small", (int8_t)bits);
  }
  components_o *components;
  world_o *copy = create_world(&components);
  read_scene_text(copy, text_of(f->world), NULL);
  assert_int_equal(world_component_hash(copy, world_find_manager(copy, "things")->id),
                   world_component_hash(f->world, manager_of(f, "things")->id));
  text_of(NULL);
  destroy_world(copy, components);
}

static uint32_t random_below(uint64_t *seed, uint32_t sides) {
  *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
  return (uint32_t)(*seed >> 33) % sides;
}

static void make_random_change(fixture_t *f, shoal_entity e, const shoal_entity *all, uint32_t count, uint64_t *seed) {
  static const char *const names[] = {"x", "hill", "tank#1", ""};
  static const char *const instances[] = {"", "left", "right", "rear"};
  world_o *w = f->world;
  char text[32];
  switch (random_below(seed, 9)) {
  case 0:
    snprintf(text, sizeof text, "text %u\x01", random_below(seed, 50));
    add(f, e, "things");
    set(f, e, "things", "text", id_of(w, text));
    break;
  case 1: add(f, e, "frozen"); break;
  case 2:
    add(f, e, "things");
    set(f, e, "things", "target", all[random_below(seed, count)]);
    break;
  case 3: set_gun(f, e, instances[random_below(seed, 4)], random_below(seed, 5)); break;
  case 4: world_remove_component(w, e, manager_of(f, "gun")->id, id_of(w, instances[random_below(seed, 4)])); break;
  case 5: world_remove_component(w, e, manager_of(f, "things")->id, 0); break;
  case 6:
    add(f, e, "name");
    set(f, e, "name", "value", id_of(w, names[random_below(seed, 4)]));
    break;
  case 7:
    if (world_has_component(w, e, manager_of(f, "things")->id))
      set(f, e, "things", "mood", random_below(seed, 2));
    break;
  default: world_enter_state(w, e, id_of(w, random_below(seed, 2) ? "dying" : "alive"), NULL); break;
  }
}

// Writing a random world, reading the text and writing it again must give the same text and the same number of
// entities.
TEST_IN(random_scenes_round_trip, fixture_t, f) {
  for (uint64_t round = 1; round <= 40; ++round) {
    uint64_t seed = round * 77;
    shoal_entity all[256];
    uint32_t count = 0;
    for (uint32_t i = 0; i < 30; ++i) {
      all[count++] = random_below(&seed, 5) == 0 ? world_spawn(f->world, 0, NULL)
                                                 : spawn(f, random_below(&seed, 2) ? "tank" : "rock");
      while (manager_row(manager_of(f, "transform"), all[count - 1]) != ROW_NONE && count < 200 &&
             random_below(&seed, 2) && transform_list_children(f->world, all[count - 1], all + count, 8) > 0)
        count++;
    }
    for (uint32_t i = 0; i < 120; ++i)
      if (world_is_alive(f->world, all[i % count]))
        make_random_change(f, all[i % count], all, count, &seed);
    for (uint32_t i = 0; i < 10; ++i)
      world_destroy_entity(f->world, all[random_below(&seed, count)]);
    for (uint32_t i = 0; i + 1 < count; i += 3) { // choose parents that were spawned after their children
      uint32_t to = i + 1 + random_below(&seed, count - i - 1);
      if (world_is_alive(f->world, all[i]) && world_is_alive(f->world, all[to]) &&
          world_has_component(f->world, all[i], manager_of(f, "transform")->id))
        set(f, all[i], "transform", "parent", random_below(&seed, 4) ? all[to] : 0);
    }
    transform_update_child_lists(f->world);
    allocator_t memory = {0};
    size_t bytes;
    char *text = write_scene_text(f->world, &memory, &bytes, NULL);
    assert_non_null(text);
    components_o *components;
    world_o *copy = create_world(&components);
    read_scene_text(copy, text, NULL);
    assert_same_text(text_of(copy), text);
    text_of(NULL);
    assert_int_equal(world_entities(copy)->alive_count, world_entities(f->world)->alive_count);
    for (uint32_t id = 1; id <= world_manager_count(copy); ++id)
      assert_int_equal(world_manager(copy, id)->count, world_manager(f->world, id)->count);
    destroy_world(copy, components);
    alloc_resize(&memory, text, bytes + 1, 0);
    assert_int_equal(memory.bytes, 0);
    for (uint32_t i = 0; i < count; ++i)
      world_destroy_entity(f->world, all[i]);
  }
}

TEST_IN(invalid_scene_is_rejected_with_its_line, fixture_t, f) {
  assert_rejected(f, "", 1, "invalid JSON");
  assert_rejected(f, "{\n\"entities\": [\n{ \"assemblage\": \"rock\", }\n]}", 3, "invalid JSON");
  assert_rejected(f, "[]", 1, "an object");
  assert_rejected(f, "{}", 1, "entities must be a list");
  assert_rejected(f, "{\"entities\":[],\n\"other\":1}", 2, "“other”");
  assert_rejected(f, "{\n\"format\":2,\"entities\":[]}", 2, "format must be 1");
  assert_rejected(f, "{\"entities\":[\n{},\n7]}", 3, "entity 2: an entity must be an object");
  assert_rejected(f, "{\"entities\":[\n{\"assemblage\":\"rok\"}]}", 2, "unknown assemblage \"rok\"");
  assert_rejected(f, "{\"entities\":[\n{\"assemblage\":[]}]}", 2, "assemblage must be a name, got a list of 0");
  assert_rejected(f, "{\"entities\":[{\"assemblage\":\"tank\",\n\"state\":\"asleep\"}]}", 2, "(tank): unknown state");
  assert_rejected(f, "{\"entities\":[{\"state\":\"dying\"}]}", 1, "unknown state");
  assert_rejected(f, "{\"entities\":[{\"components\":{\n\n\"thinks\":{}}}]}", 3, "unknown component “thinks”");
  assert_rejected(f, "{\"entities\":[{\"components\":{\"score\":{}}}]}", 1, "single");
  assert_rejected(f, "{\"entities\":[{\"components\":{\"name\":{}}}]}", 1, "next to \"components\"");
  assert_rejected(f, "{\"entities\":[{\"components\":[]}]}", 1, "an object");
  assert_rejected(f, "{\"entities\":[{\"components\":{\"things\":3}}]}", 1, "object of fields");
  assert_rejected(f, "{\"entities\":[{\"components\":{\"things\":{\n\"b\":3}}}]}", 2, "no field b");
  assert_rejected(f, "{\"entities\":[{\"components\":{\"things\":{\n\"hidden\":3}}}]}", 2, "no field hidden");
  assert_rejected(f, "{\"entities\":[{\"components\":{\"things\":{\"kept\":3}}}]}", 1, "is read-only");
  assert_rejected(f, "{\"entities\":[{\"components\":{\"things\":{\"a\":\"x\"}}}]}", 1,
                  "a must be a number, got text \"x\"");
  assert_rejected(f, "{\"entities\":[{\"components\":{\"things\":{\"a\":1e300}}}]}", 1, "does not fit in f32");
  assert_rejected(f, "{\"entities\":[{\"components\":{\"things\":{\"small\":300}}}]}", 1, "300 does not fit in i8");
  assert_rejected(f, "{\"entities\":[{\"components\":{\"things\":{\"small\":0.5}}}]}", 1, "an integer");
  assert_rejected(f, "{\"entities\":[{\"components\":{\"things\":{\"small\":\"nan\"}}}]}", 1, "an integer");
  assert_rejected(f, "{\"entities\":[{\"components\":{\"things\":{\"mood\":\"odd\"}}}]}", 1, "calm, angry");
  assert_rejected(f, "{\"entities\":[{\"components\":{\"things\":{\"on\":1}}}]}", 1, "true or false");
  assert_rejected(f, "{\"entities\":[{\"components\":{\"things\":{\"text\":1}}}]}", 1, "a string");
  assert_rejected(f, "{\"entities\":[{\"components\":{\"things\":{\"facing\":[1,2]}}}]}", 1, "list of 3");
  assert_rejected(f, "{\"entities\":[{\"components\":{\"things\":{\"facing\":[1,2,\"x\"]}}}]}", 1, "a number");
  assert_rejected(f, "{\"entities\":[{\"components\":{\"things\":{\"target\":3}}}]}", 1, "id or name");
  assert_rejected(f, "{\"entities\":[{\"components\":{\"things\":{\"target\":\"you\"}}}]}", 1,
                  "unknown entity \"you\"");
  assert_rejected(f, "{\"entities\":[{\"components\":{\"transform\":{\"parent\":\"x\"}}}]}", 1, "\"parent\"");
  assert_rejected(f, "{\"entities\":[{\"components\":{\"gun\":{\"heat\":1}}}]}", 1, "named instances");
  assert_rejected(f, "{\"entities\":[{\"components\":{\"gun\":[]}}]}", 1, "instances");
  assert_rejected(f, "{\"entities\":[{\"name\":3}]}", 1, "a name must be a string");
  assert_rejected(f, "{\"entities\":[{\"id\":\"\"}]}", 1, "an id must be a non-empty string");
  assert_rejected(f, "{\"entities\":[{\"id\":\"a\"},\n{\"id\":\"a\"}]}", 2, "two entities have the id");
  assert_rejected(f, "{\"entities\":[{\"id\":\"a\",\"id\":\"b\"}]}", 1, "duplicate");
  assert_rejected(f, "{\"entities\":[{\"assemblage\":\"rock\",\"children\":{\"wheel\":{}}}]}", 1, "no child “wheel”");
  assert_rejected(f, "{\"entities\":[{\"assemblage\":\"tank\",\"children\":{\"wheel\":{\n\"parent\":null}}}]}", 2,
                  "“parent”");
  assert_rejected(
      f, "{\"entities\":[{\"assemblage\":\"tank\",\"children\":{\"wheel\":{\n\"components\":{\"thinks\":{}}}}}]}", 2,
      "unknown component “thinks”");
  assert_rejected(
      f, "{\"entities\":[{\"name\":\"a\"},{\"name\":\"a\"},{\"components\":{\"things\":{\n\"target\":\"a\"}}}]}", 2,
      "several entities");
  assert_rejected(f, "{\"entities\":[{\"name\":\"a\",\"parent\":\"b\"},{\"name\":\"b\"}]}", 1, "must have a transform");
  assert_rejected(f,
                  "{\"entities\":[{\"assemblage\":\"rock\",\"name\":\"a\",\n\"parent\":\"b\"},"
                  "{\"assemblage\":\"rock\",\"name\":\"b\",\"parent\":\"a\"}]}",
                  2, "is its own ancestor");
  assert_rejected(f, "{\"entities\":[{\"assemblage\":\"rock\",\"name\":\"a\",\"parent\":\"a\"}]}", 1,
                  "is its own ancestor");
}

TEST_IN(oversized_scenes_and_invalid_utf8_are_rejected, fixture_t, f) {
  enum { DEEP = 100000, MANY = 2000001 };
  char *text = malloc(2 * MANY + 64);
  memset(text, '[', DEEP);
  assert_bytes_rejected(f, text, DEEP, 1, "invalid JSON");
  memset(text, '[', MANY);
  assert_bytes_rejected(f, text, MANY, 0, "at most");
  int bytes = sprintf(text, "{\"entities\":[{\"name\":\"a");
  text[bytes++] = '\xff';
  bytes += sprintf(text + bytes, "\"}]}");
  assert_bytes_rejected(f, text, (size_t)bytes, 1, "invalid JSON");
  free(text);
}

// Builds a scene with `part` repeated `count` times; %u in `part` is replaced by the index.
static char *repeat_text(const char *begin, const char *part, uint32_t count, const char *end) {
  size_t capacity = strlen(begin) + count * (strlen(part) + 12) + strlen(end) + 1, used = strlen(begin);
  char *text = malloc(capacity);
  memcpy(text, begin, used);
  for (uint32_t i = 0; i < count; ++i) {
    text[used] = ',';
    used += i > 0;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    used += (size_t)snprintf(text + used, capacity - used, part, i);
#pragma GCC diagnostic pop
  }
  strcpy(text + used, end);
  return text;
}

TEST_IN(scene_entity_has_at_most_1024_instances_of_a_component, fixture_t, f) {
  static const char begin[] = "{\"entities\":[{\"components\":{\"gun\":{", end[] = "}}}]}";
  manager_o *gun = manager_of(f, "gun");
  error_info_t error = {0};
  shoal_entity e = 0;
  char *text = repeat_text(begin, "\"g%u\":{}", 1025, end);
  assert_rejected(f, text, 1, "1024");
  free(text);
  text = repeat_text(begin, "\"g%u\":{}", 1024, end);
  read_scene_text(f->world, text, &e);
  free(text);
  assert_int_equal(gun->count, 1024);
  assert_false(world_add_component(f->world, e, gun->id, id_of(f->world, "more"), &error));
  assert_non_null(strstr(error.text, "too many instances of gun (at most 1024 per entity)"));
  // no effect: this instance already exists
  assert_true(world_add_component(f->world, e, gun->id, id_of(f->world, "g7"), &error));
  world_defer_begin(f->world, 0);
  world_add_component(f->world, e, gun->id, id_of(f->world, "more"), &error);
  world_defer_end(f->world, false); // the command is dropped with a log line
  assert_int_equal(gun->count, 1024);
  world_remove_component(f->world, e, gun->id, id_of(f->world, "g7"));
  assert_true(world_add_component(f->world, e, gun->id, id_of(f->world, "more"), &error));
}

TEST_IN(scene_has_at_most_a_million_objects, fixture_t, f) {
  char *text = repeat_text("{\"entities\":[", "{}", 999999, "]}");
  assert_bytes_rejected(f, text, strlen(text), 0, "the scene is too large (at most 64 MB and 1000000 objects)");
  free(text);
  text = repeat_text("{\"entities\":[", "{}", 999997, "],\"odd\":[]}"); // the maximum number of objects
  assert_bytes_rejected(f, text, strlen(text), 1, "unknown key “odd”");
  free(text);
}

TEST_IN(components_of_a_scene_spawned_in_a_system_wait_for_the_command_queue, fixture_t, f) {
  shoal_entity e = 0;
  const char *text =
      "{\"entities\":[{\"assemblage\":\"tank\",\"state\":\"dying\",\"components\":{\"things\":{\"a\":9}}}]}";
  world_defer_begin(f->world, 0);
  read_scene_text(f->world, text, &e);
  assert_true(world_is_alive(f->world, e));
  assert_false(world_has_component(f->world, e, manager_of(f, "things")->id));
  world_defer_end(f->world, false);
  assert_near(get(f, e, "things", "a"), 9, 0);
  uint64_t before = world_entities(f->world)->alive_count;
  world_defer_begin(f->world, 0);
  read_scene_text(f->world, text, &e);
  world_defer_end(f->world, true);
  assert_int_equal(world_entities(f->world)->alive_count, before);
}

TEST_IN(partial_scene_identifies_referenced_entities_outside_of_it, fixture_t, f) {
  shoal_entity rock = spawn(f, "rock"), other = spawn(f, "rock");
  set(f, rock, "things", "target", other);
  set(f, rock, "transform", "parent", other);
  allocator_t memory = {0};
  size_t bytes;
  error_info_t error = {0};
  char *text = scene_write(f->world, &rock, 1, &memory, &bytes, &error);
  assert_non_null(text);
  assert_non_null(strstr(text, "\"rock\""));
  assert_non_null(strstr(text, "\"parent\": { \"entity\": 2, \"assemblage\": \"rock\" }"));
  assert_non_null(strstr(text, "\"target\": { \"entity\": 2, \"assemblage\": \"rock\" }"));
  assert_null(strstr(text, "#"));
  alloc_resize(&memory, text, bytes + 1, 0);
}

TEST_IN(string_with_invalid_utf8_cannot_be_written_to_a_scene, fixture_t, f) {
  allocator_t memory = {0};
  size_t bytes;
  error_info_t error = {0};
  shoal_entity rock = spawn(f, "rock");
  set(f, rock, "things", "text", id_of(f->world, "\xff\xfe"));
  assert_null(scene_write(f->world, &rock, 1, &memory, &bytes, &error));
  assert_non_null(strstr(error.text, "entity(1:0 rock)"));
  assert_int_equal(memory.bytes, 0);
}
