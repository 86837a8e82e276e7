// Applying an edited scene to the entities spawned from it: updated values, kept values, and reports.
#include "components_fixture.h"

#include "ecs/world_hash.h"
#include "store/scene.h"

#include <stdio.h>

static void declare_all(world_o *w) {
  static const char *const moods[] = {"calm", "angry"};
  allocator_t memory = {0};
  schema_buffer_t s;
  schema_init(&s, "things", SCHEMA_COMPONENT, "test");
  schema_add_field(&s.schema, "a", FIELD_F32, 0.1);
  schema_add_field(&s.schema, "b", FIELD_F32, 0);
  schema_add_field(&s.schema, "hidden", FIELD_I32, 0)->flags = FIELD_HIDDEN;
  field_set_choices(schema_add_field(&s.schema, "mood", FIELD_ENUM, 0), &memory, moods, 2);
  schema_add_field(&s.schema, "on", FIELD_BOOL, 0);
  schema_add_field(&s.schema, "target", FIELD_ENTITY, 0);
  schema_add_field(&s.schema, "text", FIELD_STRING, 0);
  schema_add_field(&s.schema, "items.count", FIELD_U8, 0);
  schema_add_field(&s.schema, "items.1", FIELD_I32, 0);
  schema_add_field(&s.schema, "items.2", FIELD_I32, 0);
  schema_flag_list_columns(&s.schema);
  declare_schema(w, &s.schema);
  schema_init(&s, "gun", SCHEMA_MANY, "test");
  schema_add_field(&s.schema, "heat", FIELD_F32, 0);
  declare_schema(w, &s.schema);
  schema_init(&s, "frozen", SCHEMA_COMPONENT, "test");
  declare_schema(w, &s.schema);
  uint32_t rock = world_assemblage_declare(w, id_of(w, "rock"));
  world_assemblage_add_component(w, rock, 0, world_find_manager(w, "transform")->id, 0);
  world_assemblage_add_component(w, rock, 0, world_find_manager(w, "things")->id, 0);
  world_assemblage_declare(w, id_of(w, "other"));
}

static int setup(void **state) {
  if (fixture_setup(state) != 0)
    return -1;
  declare_all(((fixture_t *)*state)->world);
  return 0;
}
FIXTURE(fixture_t, setup, fixture_teardown)

// --- helpers: texts of entities, written with ' for ", are wrapped in { "entities": [ … ] }

static char lines[4000];

static void append_line(void *context, const char *line) {
  (void)context;
  size_t used = strlen(lines);
  snprintf(lines + used, sizeof lines - used, "%s\n", line);
}

static scene_desc_t make_scene_desc(char *out, size_t bytes, const char *entities) {
  snprintf(out, bytes, "{ \"entities\": [\n%s\n] }", entities);
  for (char *at = out; *at; ++at)
    *at = *at == '\'' ? '"' : *at;
  return (scene_desc_t){.text = out, .text_bytes = strlen(out)};
}

static void spawn_scene(fixture_t *f, const char *entities) {
  char text[8000];
  scene_desc_t ask = make_scene_desc(text, sizeof text, entities);
  scene_spawned_t made = {0};
  scene_fault_t fault;
  allocator_t memory = {0};
  if (!scene_read(f->world, &ask, &memory, &made, &fault))
    fail_msg("%s", fault.error.text);
  scene_spawned_fini(&made, &memory);
}

static bool apply_scene_edit(fixture_t *f, const char *before, const char *now, scene_update_t *out) {
  char former[8000], edited[8000];
  allocator_t memory = {0};
  scene_update_t own;
  out = out ? out : &own;
  *out = (scene_update_t){.file = "scenes/hill.json",
                          .scene = "hill",
                          .old_version = make_scene_desc(former, sizeof former, before),
                          .new_version = make_scene_desc(edited, sizeof edited, now),
                          .listener = {.log_line = append_line}};
  lines[0] = '\0';
  bool ok = scene_update(f->world, out, &memory);
  assert_int_equal(memory.bytes, 0);
  return ok;
}

static void assert_reported(const char *words) {
  if (!strstr(lines, words))
    fail_msg("'%s' is not in the report: %s", words, lines);
}

static shoal_entity find_entity(fixture_t *f, const char *name) {
  const manager_o *m = manager_of(f, "name");
  for (uint32_t row = 0; row < m->count; ++row)
    if (((const uint32_t *)m->data[0])[row] == id_of(f->world, name))
      return m->owner[row];
  fail_msg("no entity is named %s", name);
  return 0;
}

static bool has_component(fixture_t *f, const char *name, const char *component, const char *instance) {
  return manager_find_instance_row(manager_of(f, component), find_entity(f, name), id_of(f->world, instance)) !=
         ROW_NONE;
}

static double get_value(fixture_t *f, const char *name, const char *field) {
  return get(f, find_entity(f, name), "things", field);
}

// --- tests

#define HILL "{ 'assemblage': 'rock', 'name': 'hill', 'components': { 'things': { 'a': 1, 'b': 2 } } }"
#define HILL_HIGHER "{ 'assemblage': 'rock', 'name': 'hill', 'components': { 'things': { 'a': 5, 'b': 2 } } }"

TEST_IN(scene_edit_updates_unchanged_values, fixture_t, f) {
  scene_update_t x;
  spawn_scene(f, HILL);
  assert_true(apply_scene_edit(f, HILL, HILL_HIGHER, &x));
  assert_near(get_value(f, "hill", "a"), 5, 0);
  assert_near(get_value(f, "hill", "b"), 2, 0);
  assert_int_equal(x.changed_entities, 1);
  assert_int_equal(x.set_values, 1);
  assert_int_equal(x.kept_values, 0);
}

TEST_IN(scene_edit_keeps_and_reports_values_changed_by_the_game, fixture_t, f) {
  scene_update_t x;
  spawn_scene(f, HILL);
  set(f, find_entity(f, "hill"), "things", "a", 3);
  assert_true(apply_scene_edit(f, HILL, HILL_HIGHER, &x));
  assert_near(get_value(f, "hill", "a"), 3, 0);
  assert_int_equal(x.set_values, 0);
  assert_int_equal(x.kept_values, 1);
  assert_reported("scenes/hill.json: hill: things.a stays 3 instead of 5: the game has changed it");
}

TEST_IN(scene_edit_equal_to_the_current_value_is_reported_as_a_match, fixture_t, f) {
  spawn_scene(f, HILL);
  set(f, find_entity(f, "hill"), "things", "a", 5);
  assert_true(apply_scene_edit(f, HILL, HILL_HIGHER, NULL));
  assert_reported("the entities in the world already match the file");
}

TEST_IN(removed_scene_value_reverts_to_the_assemblage, fixture_t, f) {
  spawn_scene(f, HILL);
  assert_true(apply_scene_edit(f, HILL, "{ 'assemblage': 'rock', 'name': 'hill' }", NULL));
  assert_near(get_value(f, "hill", "a"), 0.1f, 0);
  assert_near(get_value(f, "hill", "b"), 0, 0);
}

TEST_IN(scene_edit_updates_values_of_every_type, fixture_t, f) {
  const char *before = "{ 'assemblage': 'rock', 'name': 'hill' }, { 'name': 'tree' }";
  const char *now = "{ 'assemblage': 'rock', 'name': 'hill', 'components': { 'things': { 'mood': 'angry', 'on': true,"
                    " 'target': 'tree', 'text': 'steep' } } }, { 'name': 'tree' }";
  spawn_scene(f, before);
  assert_true(apply_scene_edit(f, before, now, NULL));
  assert_near(get_value(f, "hill", "mood"), 1, 0);
  assert_near(get_value(f, "hill", "on"), 1, 0);
  assert_near(get_value(f, "hill", "target"), find_entity(f, "tree"), 0);
  assert_near(get_value(f, "hill", "text"), id_of(f->world, "steep"), 0);
  assert_true(apply_scene_edit(f, now, before, NULL)); // reverts the edit
  assert_near(get_value(f, "hill", "mood"), 0, 0);
  assert_near(get_value(f, "hill", "target"), 0, 0);
  assert_near(get_value(f, "hill", "text"), 0, 0);
}

TEST_IN(scene_edit_updates_a_list_as_a_whole_unless_the_game_has_changed_it, fixture_t, f) {
  const char *before = "{ 'assemblage': 'rock', 'name': 'hill', 'components': { 'things': { 'items': [1, 2] } } }";
  const char *now = "{ 'assemblage': 'rock', 'name': 'hill', 'components': { 'things': { 'items': [3] } } }";
  spawn_scene(f, before);
  assert_near(get_value(f, "hill", "items.count"), 2, 0);
  assert_true(apply_scene_edit(f, before, now, NULL));
  assert_near(get_value(f, "hill", "items.count"), 1, 0);
  assert_near(get_value(f, "hill", "items.1"), 3, 0);
  assert_near(get_value(f, "hill", "items.2"), 0, 0);
  set(f, find_entity(f, "hill"), "things", "items.1", 7);
  assert_true(apply_scene_edit(f, now, before, NULL));
  assert_reported("things.items keeps its values: the game has changed them");
  assert_near(get_value(f, "hill", "items.count"), 1, 0);
  assert_near(get_value(f, "hill", "items.1"), 7, 0);
}

TEST_IN(kept_scene_values_are_reported_in_scene_syntax, fixture_t, f) {
  const char *before = "{ 'assemblage': 'rock', 'name': 'hill' }";
  const char *now = "{ 'assemblage': 'rock', 'name': 'hill', 'components': { 'things': { 'mood': 'angry', 'on': true,"
                    " 'text': 'steep' } } }";
  spawn_scene(f, now);
  set(f, find_entity(f, "hill"), "things", "text", id_of(f->world, "flat"));
  assert_true(apply_scene_edit(f, now, before, NULL));
  assert_reported("things.text stays \"flat\" instead of \"\"");
  assert_near(get_value(f, "hill", "mood"), 0, 0);
}

TEST_IN(scene_edit_adds_and_removes_components, fixture_t, f) {
  const char *now = "{ 'assemblage': 'rock', 'name': 'hill', 'components': { 'frozen': {}, 'things': null,"
                    " 'gun': { 'left': { 'heat': 4 }, 'right': {} } } }";
  const char *later = "{ 'assemblage': 'rock', 'name': 'hill', 'components': { 'gun': { 'right': { 'heat': 7 } } } }";
  spawn_scene(f, HILL);
  assert_true(apply_scene_edit(f, HILL, now, NULL));
  assert_true(has_component(f, "hill", "frozen", ""));
  assert_false(has_component(f, "hill", "things", ""));
  assert_true(has_component(f, "hill", "gun", "left"));
  assert_true(apply_scene_edit(f, now, later, NULL));
  assert_false(has_component(f, "hill", "frozen", ""));
  assert_true(has_component(f, "hill", "things", ""));
  assert_near(get_value(f, "hill", "a"), 0.1f, 0);
  assert_false(has_component(f, "hill", "gun", "left"));
  manager_o *gun = manager_of(f, "gun");
  uint32_t row = manager_find_instance_row(gun, find_entity(f, "hill"), id_of(f->world, "right"));
  assert_near(columns_get(&gun->columns, row, 0), 7, 0);
}

TEST_IN(scene_edit_keeps_a_component_changed_by_the_game, fixture_t, f) {
  scene_update_t x;
  spawn_scene(f, HILL);
  set(f, find_entity(f, "hill"), "things", "b", 9);
  assert_true(
      apply_scene_edit(f, HILL, "{ 'assemblage': 'rock', 'name': 'hill', 'components': { 'things': null } }", &x));
  assert_true(has_component(f, "hill", "things", ""));
  assert_int_equal(x.kept_values, 1);
  assert_reported("hill keeps its things: the game has changed b");
}

TEST_IN(scene_edit_does_not_restore_a_removed_component, fixture_t, f) {
  spawn_scene(f, HILL);
  world_remove_component(f->world, find_entity(f, "hill"), manager_of(f, "things")->id, 0);
  assert_true(apply_scene_edit(f, HILL, HILL_HIGHER, NULL));
  assert_false(has_component(f, "hill", "things", ""));
}

TEST_IN(at_most_four_values_kept_by_the_game_are_reported_by_name, fixture_t, f) {
  char before[2000] = "", now[2000] = "";
  for (int i = 0; i < 7; ++i) {
    size_t a = strlen(before), b = strlen(now);
    snprintf(before + a, sizeof before - a, "%s{ 'assemblage': 'rock', 'name': 'r%d' }", i ? "," : "", i);
    snprintf(now + b, sizeof now - b,
             "%s{ 'assemblage': 'rock', 'name': 'r%d', 'components': { 'things': { 'a': 8 } } }", i ? "," : "", i);
  }
  spawn_scene(f, before);
  for (int i = 0; i < 7; ++i) {
    char name[16];
    snprintf(name, sizeof name, "r%d", i);
    set(f, find_entity(f, name), "things", "a", 3);
  }
  assert_true(apply_scene_edit(f, before, now, NULL));
  assert_reported("r3: things.a stays 3");
  assert_null(strstr(lines, "r4: things.a"));
  assert_reported("3 more values are kept");
}

TEST_IN(structural_scene_edits_require_a_scene_restart, fixture_t, f) {
  static const struct {
    const char *before, *now, *words;
  } cases[] = {
      {HILL, HILL ", { 'name': 'tree' }", "world.scene(\"hill\") starts the scene again: tree (new)"},
      {HILL ", { 'name': 'tree' }", HILL, "tree (removed)"},
      {HILL, "{ 'assemblage': 'other', 'name': 'hill' }", "hill (assemblage or state differs)"},
      {HILL ", {}", HILL, "unnamed entities"},
      {HILL ", { 'components': { 'frozen': {} } }", HILL ", {}", "unnamed entities"},
      {"", "{ 'name': 'a' }, { 'name': 'b' }, { 'name': 'c' }, { 'name': 'd' }, { 'name': 'e' }, { 'name': 'f' }",
       "a (new), b (new), c (new), d (new), …"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    scene_update_t x;
    uint64_t hash = 0;
    spawn_scene(f, cases[i].before);
    hash = world_hash(f->world);
    assert_true(apply_scene_edit(f, cases[i].before, cases[i].now, &x));
    assert_reported(cases[i].words);
    assert_int_equal(x.changed_entities, 0);
    assert_true(world_hash(f->world) == hash);
    for (uint32_t e = 1; e < world_entities(f->world)->used; ++e)
      if (world_entities(f->world)->alive[e])
        world_destroy_entity(f->world,
                             e | (shoal_entity)world_entities(f->world)->generation[e] << SHOAL_ENTITY_INDEX_BITS);
  }
}

TEST_IN(missing_or_ambiguous_scene_entities_are_skipped, fixture_t, f) {
  assert_true(apply_scene_edit(f, HILL, HILL_HIGHER, NULL));
  assert_reported("hill (not found)");
  spawn_scene(f, HILL);
  spawn_scene(f, HILL);
  assert_true(apply_scene_edit(f, HILL, HILL_HIGHER, NULL));
  assert_reported("hill (name not unique)");
  assert_near(get_value(f, "hill", "a"), 1, 0);
}

// The old or the new text is malformed or uses an undeclared component, so the changes cannot be computed.
TEST_IN(invalid_scene_texts_change_nothing, fixture_t, f) {
  const char *odd = "{ 'assemblage': 'rock', 'name': 'hill', 'components': { 'wings': {} } }";
  spawn_scene(f, HILL);
  uint64_t hash = world_hash(f->world);
  assert_false(apply_scene_edit(f, odd, HILL_HIGHER, NULL));
  assert_false(apply_scene_edit(f, HILL, odd, NULL));
  assert_false(apply_scene_edit(f, HILL, "{", NULL));
  assert_string_equal(lines, "");
  assert_true(world_hash(f->world) == hash);
}
