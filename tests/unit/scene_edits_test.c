// Random edits of scenes and maps, applied to living entities: compares the resulting worlds, counts and messages with
// recorded results.
#include "components_fixture.h"

#include "base/hash.h"
#include "ecs/world_hash.h"
#include "merge_edits_expected.h"
#include "store/map_objects.h"
#include "store/scene.h"
#include "tilemap/tilemap.h"

#include <stdarg.h>

enum { ENTITIES = 7, CHOICES = 32, TEXT_BYTES = 16000 };

// One version of a file: each entity's choices select its name, components and values.
typedef struct version_t {
  uint8_t choices[ENTITIES][CHOICES];
} version_t;

typedef struct text_t {
  char bytes[TEXT_BYTES];
  size_t length;
} text_t;

static uint64_t edit_hash;

static uint32_t get_random(uint32_t *seed, uint32_t limit) {
  *seed = *seed * 1664525 + 1013904223;
  return (*seed >> 8) % limit;
}

static void add_hash(const void *bytes, size_t size) {
  edit_hash = hash_bytes(bytes, size, edit_hash);
}

static void add_log_line(void *context, const char *line) {
  (void)context;
  add_hash(line, strlen(line));
}

static void declare_components(world_o *w) {
  static const char *const moods[] = {"calm", "angry"};
  allocator_t memory = {0};
  schema_buffer_t s;
  schema_init(&s, "things", SCHEMA_COMPONENT, "test");
  schema_add_field(&s.schema, "a", FIELD_F32, 0.1);
  schema_add_field(&s.schema, "b", FIELD_F64, 0);
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
  schema_add_field(&s.schema, "load", FIELD_U8, 3);
  declare_schema(w, &s.schema);
  schema_init(&s, "frozen", SCHEMA_COMPONENT, "test");
  declare_schema(w, &s.schema);
}

static void declare_assemblages(world_o *w) {
  uint32_t things = world_find_manager(w, "things")->id, gun = world_find_manager(w, "gun")->id;
  uint32_t rock = world_assemblage_declare(w, id_of(w, "rock"));
  world_assemblage_add_component(w, rock, 0, world_find_manager(w, "transform")->id, 0);
  world_assemblage_add_component(w, rock, 0, things, 0);
  world_assemblage_add_component(w, rock, 0, gun, id_of(w, "left"));
  world_assemblage_set_field(w, rock, 0, gun, id_of(w, "left"), 0, 2);
  uint32_t boat = world_assemblage_declare(w, id_of(w, "boat"));
  world_assemblage_add_component(w, boat, 0, world_find_manager(w, "transform")->id, 0);
  uint32_t calm = world_assemblage_add_state(w, boat, id_of(w, "calm"));
  world_assemblage_add_component(w, boat, calm, things, 0);
  world_assemblage_set_field(w, boat, calm, things, 0, 0, 4);
  uint32_t sinking = world_assemblage_add_state(w, boat, id_of(w, "sinking"));
  world_assemblage_add_component(w, boat, sinking, world_find_manager(w, "frozen")->id, 0);
  world_assemblage_declare(w, id_of(w, "other"));
}

static int setup(void **state) {
  if (fixture_setup(state) != 0)
    return -1;
  world_o *w = ((fixture_t *)*state)->world;
  declare_components(w);
  declare_assemblages(w);
  return 0;
}
FIXTURE(fixture_t, setup, fixture_teardown)

// --- texts: ' stands for "

__attribute__((format(printf, 2, 3))) static void append(text_t *t, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int bytes = vsnprintf(t->bytes + t->length, sizeof t->bytes - t->length, format, arguments);
  va_end(arguments);
  assert_true(bytes >= 0 && t->length + (size_t)bytes < sizeof t->bytes);
  for (; bytes > 0; --bytes, ++t->length)
    if (t->bytes[t->length] == '\'')
      t->bytes[t->length] = '"';
}

static void mutate(version_t *v, uint32_t *seed, uint32_t rarity) {
  for (uint32_t i = 0; i < ENTITIES; ++i)
    for (uint32_t k = 0; k < CHOICES; ++k)
      if (get_random(seed, rarity) == 0)
        v->choices[i][k] = (uint8_t)get_random(seed, 256);
}

static const char *const NUMBERS[] = {"0", "1", "2.5", "-0.0", "-3", "0.1", "'nan'", "'inf'"};

// Appends `format` with the value that the choice selects, or nothing for half of the choices.
static void append_choice(text_t *t, uint8_t choice, const char *key, const char *const *values, uint32_t count) {
  if (choice % 2 == 0)
    append(t, "%s'%s': %s", t->bytes[t->length - 1] == '{' ? "" : ", ", key, values[choice / 2 % count]);
}

static void append_separator(text_t *t) {
  if (t->bytes[t->length - 1] != '{')
    append(t, ", ");
}

static void append_components(text_t *t, const uint8_t *c) {
  static const char *const moods[] = {"'calm'", "'angry'"}, *const bools[] = {"true", "false"};
  static const char *const targets[] = {"'e1'", "'e2'", "null"}, *const texts[] = {"''", "'steep'", "'flat'"};
  static const char *const lists[] = {"[]", "[1]", "[1, 2]", "[3, 2]"}, *const loads[] = {"0", "3", "5"};
  static const char *const instances[] = {"left", "right", ""};
  append(t, "{");
  if (c[0] % 6 == 0)
    append(t, "'things': null");
  else if (c[0] % 6 < 5) {
    append(t, "'things': {");
    append_choice(t, c[1], "a", NUMBERS, 8);
    append_choice(t, c[2], "b", NUMBERS, 8);
    append_choice(t, c[3], "mood", moods, 2);
    append_choice(t, c[4], "on", bools, 2);
    append_choice(t, c[5], "target", targets, 3);
    append_choice(t, c[6], "text", texts, 3);
    append_choice(t, c[7], "items", lists, 4);
    append(t, "}");
  }
  if (c[8] % 5 == 0) {
    append_separator(t);
    append(t, "'gun': null");
  } else if (c[8] % 5 < 4) {
    append_separator(t);
    append(t, "'gun': {");
    for (uint32_t i = 0; i < 3; ++i) {
      const uint8_t *gun = c + 9 + 3 * i;
      if (gun[0] % 3 == 0)
        continue;
      append_separator(t);
      append(t, gun[0] % 9 == 1 ? "'%s': null" : "'%s': {", instances[i]);
      if (gun[0] % 9 == 1)
        continue;
      append_choice(t, gun[1], "heat", NUMBERS, 8);
      append_choice(t, gun[2], "load", loads, 3);
      append(t, "}");
    }
    append(t, "}");
  }
  if (c[18] % 3 != 0) {
    append_separator(t);
    append(t, c[18] % 3 == 1 ? "'frozen': {}" : "'frozen': null");
  }
  if (c[19] % 3 != 0) {
    append_separator(t);
    append(t, "'transform': {");
    append_choice(t, c[20], "x", NUMBERS, 6);
    append_choice(t, c[21], "y", NUMBERS, 6);
    append(t, "}");
  }
  append(t, "}");
}

static void write_scene(text_t *t, const version_t *v) {
  static const char *const assemblages[] = {"'rock'", "'boat'", "'other'"};
  t->length = 0;
  append(t, "{ 'entities': [ { 'name': 'e1', 'id': 'e1' }, { 'name': 'e2', 'id': 'e2' }");
  for (uint32_t i = 0; i < ENTITIES; ++i) {
    const uint8_t *c = v->choices[i] + 22;
    if (c[0] % 12 == 0)
      continue;
    append(t, ", {");
    if (c[2] % 8 != 0)
      append(t, "'name': 'n%u'", c[2] % 40 == 1 ? 0 : i);
    if (c[1] % 8 != 0) {
      append_separator(t);
      append(t, "'assemblage': %s", assemblages[c[1] % 32 == 1 ? 2 : i % 3]);
      if (c[1] % 32 != 1 && i % 3 == 1 && c[3] % 16 < 4)
        append(t, ", 'state': '%s'", c[3] % 16 ? "sinking" : "calm");
    }
    append_separator(t);
    append(t, "'components': ");
    append_components(t, v->choices[i]);
    append(t, "}");
  }
  append(t, " ] }");
}

// --- the game

static void destroy_all(world_o *w, shoal_entity kept) {
  const entities_t *entities = world_entities(w);
  for (uint32_t i = 1; i < entities->used; ++i)
    if (entities->alive[i] && i != shoal_entity_index(kept))
      world_destroy_entity(w, i | (shoal_entity)entities->generation[i] << SHOAL_ENTITY_INDEX_BITS);
}

static void play(world_o *w, uint32_t *seed, shoal_entity map) {
  static const char *const names[] = {"things", "gun", "frozen", "transform", "things", "name", "lifetime", "follow"};
  error_info_t error;
  for (uint32_t i = 0; i < 6; ++i) {
    uint32_t number = get_random(seed, 1000), action = get_random(seed, 9);
    const manager_o *m = world_find_manager(w, names[get_random(seed, 8)]);
    const manager_o *owners = action == 1 ? world_find_manager(w, "name") : m;
    uint32_t instance = m->schema.kind == SCHEMA_MANY ? id_of(w, get_random(seed, 2) ? "left" : "right") : 0;
    uint32_t column = get_random(seed, 10), value = get_random(seed, 3);
    shoal_entity e = owners->count > 0 ? owners->owner[number % owners->count] : map;
    if (e == map)
      continue;
    if (action == 0)
      world_remove_component(w, e, m->id, instance);
    else if (action == 1)
      world_add_component(w, e, m->id, instance, &error);
    else if (action == 2 && map)
      world_destroy_entity(w, e);
    else if (column < m->schema.field_count && m->schema.fields[column].type != FIELD_ENTITY)
      world_set_field(w, e, m->id, instance, column,
                      m->schema.fields[column].type == FIELD_STRING ? id_of(w, value ? "steep" : "n1") : value, &error);
  }
}

// --- scenes

static void spawn_scene(fixture_t *f, const text_t *t) {
  scene_desc_t desc = {.text = t->bytes, .text_bytes = t->length};
  scene_spawned_t spawned = {0};
  scene_fault_t fault;
  allocator_t memory = {0};
  if (!scene_read(f->world, &desc, &memory, &spawned, &fault))
    fail_msg("%s in %s", fault.error.text, t->bytes);
  scene_spawned_fini(&spawned, &memory);
}

static void edit_scene(fixture_t *f, const text_t *before, const text_t *now) {
  allocator_t memory = {0};
  scene_update_t update = {.file = "scenes/hill.json",
                           .scene = "hill",
                           .old_version = {.text = before->bytes, .text_bytes = before->length},
                           .new_version = {.text = now->bytes, .text_bytes = now->length},
                           .listener = {.log_line = add_log_line}};
  assert_true(scene_update(f->world, &update, &memory));
  assert_int_equal(memory.bytes, 0);
  uint32_t counts[] = {update.changed_entities, update.set_values, update.kept_values, update.delayed_changes};
  add_hash(counts, sizeof counts);
}

TEST_IN(random_edits_of_scenes_have_the_recorded_results, fixture_t, f) {
  static text_t texts[2];
  version_t v = {0};
  for (uint32_t i = 0, seed = 76; i < count_merge_edit_blocks(); ++i) {
    edit_hash = 0;
    for (uint32_t k = 0; k < MERGE_EDITS_PER_BLOCK; ++k) {
      text_t *before = &texts[k % 2], *now = &texts[1 - k % 2];
      if (k % 4 == 0) {
        mutate(&v, &seed, 1);
        destroy_all(f->world, 0);
        write_scene(before, &v);
        spawn_scene(f, before);
      }
      mutate(&v, &seed, 10);
      write_scene(now, &v);
      play(f->world, &seed, 0);
      edit_scene(f, before, now);
      uint64_t hash = world_hash(f->world);
      add_hash(&hash, sizeof hash);
    }
    check_merge_edits("scenes", i, edit_hash, EXPECTED_SCENES[i]);
  }
}

// --- maps

static const char *map_text;

static char *read_map_text(void *context, allocator_t *a, const char *name, size_t *bytes, error_info_t *error) {
  (void)context, (void)error;
  assert_string_equal(name, "a.tmj");
  *bytes = strlen(map_text);
  char *out = alloc_resize(a, NULL, 0, *bytes + 1);
  memcpy(out, map_text, *bytes + 1);
  return out;
}

static map_t *read_map(fixture_t *f, allocator_t *a, const char *text) {
  error_info_t error = {0};
  map_text = text;
  map_t *map = map_read(a, &(map_source_t){.context = f, .read = read_map_text}, "a.tmj", "", &error);
  if (!map)
    fail_msg("%s in %s", error.text, text);
  return map;
}

static void append_property(text_t *t, uint8_t choice, const char *name, const char *type, const char *const *values,
                            uint32_t count) {
  if (choice % 3 == 0)
    append(t, "%s{'name': '%s', 'type': '%s', 'value': %s}", t->bytes[t->length - 1] == '[' ? "" : ", ", name, type,
           values[choice / 3 % count]);
}

static void append_object(text_t *t, const uint8_t *c, uint32_t id) {
  static const char *const numbers[] = {"1", "2.5", "0", "-3"}, *const bools[] = {"true", "false"};
  static const char *const moods[] = {"'calm'", "'angry'", "'angy'"}, *const ids[] = {"1", "2", "3", "9"};
  static const char *const texts[] = {"'steep'", "'flat'"};
  append(t, "{'id': %u, 'x': %u, 'y': 1, 'width': %u, 'height': 2, 'name': '%s'", id, c[0] % 3, c[1] % 2,
         c[2] % 5 ? "n" : "");
  if (c[3] % 8 != 0)
    append(t, ", 'type': '%s'", c[3] % 8 == 1 ? "rok" : c[3] % 8 < 6 ? "rock" : "boat");
  append(t, ", 'properties': [");
  append_property(t, c[4], "a", "float", numbers, 4);
  append_property(t, c[5], "things.b", "float", numbers, 4);
  append_property(t, c[6], "things.mood", "string", moods, 3);
  append_property(t, c[7], "things.target", "object", ids, 4);
  append_property(t, c[8], "follow.target", "object", ids, 4);
  append_property(t, c[9], "frozen", "bool", bools, 2);
  append_property(t, c[10], "gun.left.heat", "float", numbers, 4);
  append_property(t, c[11], "gun.right.load", "int", numbers, 1);
  append_property(t, c[12], c[13] % 2 ? "lifetime.secnds" : "lifetime", "float", numbers, 4);
  append_property(t, c[14], "things.text", c[15] % 8 ? "string" : "bool", c[15] % 8 ? texts : bools, 2);
  append_property(t, c[16], "things.on", "bool", bools, 2);
  append(t, "]}");
}

static void write_map(text_t *t, const version_t *v) {
  t->length = 0;
  append(t, "{'width': 4, 'height': 2, 'tilewidth': 16, 'tileheight': 16, 'tilesets': [], 'layers': "
            "[{'type': 'objectgroup', 'name': 'o', 'objects': [");
  for (uint32_t i = 0; i < ENTITIES; ++i)
    if (v->choices[i][20] % 6 != 0) {
      if (t->bytes[t->length - 1] != '[')
        append(t, ", ");
      append_object(t, v->choices[i], v->choices[i][21] % 32 == 0 ? 1 : i + 1);
    }
  append(t, "]}]}");
}

static void edit_map(world_o *w, const map_t *before, const map_t *now) {
  map_objects_update(w, &(map_objects_update_t){.name = "a.tmj",
                                                .level = "",
                                                .old_map = before,
                                                .new_map = now,
                                                .listener = {.log_line = add_log_line},
                                                .log_problem = add_log_line});
  uint64_t hash = world_hash(w);
  add_hash(&hash, sizeof hash);
}

static shoal_entity spawn_tilemap(fixture_t *f) {
  shoal_entity e = place(f, 0, 0);
  add(f, e, "tilemap");
  set(f, e, "tilemap", "map", id_of(f->world, "a.tmj"));
  set(f, e, "tilemap", "filled", 1);
  return e;
}

TEST_IN(random_edits_of_maps_have_the_recorded_results, fixture_t, f) {
  static const char NO_OBJECTS[] = "{\"width\":4,\"height\":2,\"tilewidth\":16,\"tileheight\":16,\"tilesets\":[],"
                                   "\"layers\":[]}";
  static text_t text;
  allocator_t memory = {0};
  version_t v = {0};
  map_t *before = NULL;
  shoal_entity tilemap = 0;
  for (uint32_t i = 0, seed = 76; i < count_merge_edit_blocks(); ++i) {
    edit_hash = 0;
    for (uint32_t k = 0; k < MERGE_EDITS_PER_BLOCK; ++k) {
      if (k % 8 == 0) {
        map_destroy(before);
        destroy_all(f->world, 0);
        tilemap = spawn_tilemap(f);
        before = read_map(f, &memory, NO_OBJECTS);
      }
      mutate(&v, &seed, k % 8 == 0 ? 1 : 12);
      write_map(&text, &v);
      map_t *now = read_map(f, &memory, text.bytes);
      play(f->world, &seed, tilemap);
      edit_map(f->world, before, now);
      map_destroy(before);
      before = now;
    }
    check_merge_edits("maps", i, edit_hash, EXPECTED_MAPS[i]);
  }
  map_destroy(before);
}
