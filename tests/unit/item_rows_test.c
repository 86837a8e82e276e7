// Rows of the entities that players own: random groups that move between two worlds, compared with a naive model, and
// invalid rows. slow: takes seconds under the sanitizers
#include "components_fixture.h"

#include "ecs/ranges.h"
#include "ecs/world_hash.h"
#include "owned/owned.h"
#include "store/item_rows.h"
#include "store/scene.h"

#include <stdio.h>

#define ROOM_ITEM(room, n) ((int64_t)(room)*4294967296 + (n))
#define MAX_MODEL 64u
#define INSTANCES 3u

static const char *const NAMES[INSTANCES] = {"", "left", "right"};

typedef struct rooms_t {
  fixture_t *rooms[2];
  owned_o *owned[2];
  uint32_t seed;
  char reports[4096]; // lines of the last import
} rooms_t;

// --- the worlds

static void declare_schema_in(world_o *w, schema_buffer_t *s) {
  error_info_t error;
  if (world_declare_schema(w, &s->schema, &error) == 0)
    fail_msg("%s", error.text);
}

static void declare_components(world_o *w) {
  static const char *const moods[] = {"calm", "angry"};
  static allocator_t memory;
  schema_buffer_t s;
  schema_init(&s, "shoal.room", SCHEMA_SINGLE, "test");
  schema_add_field(&s.schema, "items", FIELD_F64, 0);
  declare_schema_in(w, &s);
  schema_init(&s, "owned", SCHEMA_COMPONENT, "test");
  schema_add_field(&s.schema, "player", FIELD_U8, 0);
  schema_add_field(&s.schema, "item", FIELD_F64, 0)->flags = FIELD_READ_ONLY;
  declare_schema_in(w, &s);
  schema_init(&s, "blade", SCHEMA_COMPONENT, "test");
  schema_add_field(&s.schema, "damage", FIELD_F32, 0.1);
  schema_add_field(&s.schema, "uses", FIELD_I32, 7);
  schema_add_field(&s.schema, "label", FIELD_STRING, 0);
  schema_add_field(&s.schema, "link", FIELD_ENTITY, 0);
  for (uint32_t i = 0; i < 2; ++i)
    schema_add_field(&s.schema, i == 0 ? "look.tip.x" : "look.tip.y", FIELD_F32, i)->flags = FIELD_IS_AXIS;
  field_t *mood = schema_add_field(&s.schema, "mood", FIELD_ENUM, 0);
  field_set_choices(mood, &memory, moods, 2);
  declare_schema_in(w, &s);
  field_set_choices(mood, &memory, NULL, 0); // frees them: the world has a copy
  schema_init(&s, "gun", SCHEMA_MANY, "test");
  schema_add_field(&s.schema, "heat", FIELD_F32, 0);
  declare_schema_in(w, &s);
  schema_init(&s, "frozen", SCHEMA_COMPONENT, "test");
  declare_schema_in(w, &s);
}

static uint32_t intern(world_o *w, const char *text) {
  return strings_intern(world_strings(w), text);
}

static void add_part(world_o *w, uint32_t number, const char *component, const char *instance) {
  world_assemblage_add_component(w, number, 0, world_find_manager(w, component)->id, intern(w, instance));
}

static void set_part(world_o *w, uint32_t number, const char *component, const char *instance, const char *field,
                     double value) {
  manager_o *m = world_find_manager(w, component);
  world_assemblage_set_field(w, number, 0, m->id, intern(w, instance), (uint32_t)manager_find_column(m, field), value);
}

// Declares the assemblages. `damage`: damage of a sword.
static void declare_assemblages(world_o *w, double damage) {
  uint32_t sword = world_assemblage_declare(w, intern(w, "sword"));
  add_part(w, sword, "transform", "");
  add_part(w, sword, "blade", "");
  set_part(w, sword, "blade", "", "damage", damage);
  uint32_t turret = world_assemblage_declare(w, intern(w, "tank/turret"));
  add_part(w, turret, "transform", "");
  add_part(w, turret, "gun", "left");
  uint32_t wheel = world_assemblage_declare(w, intern(w, "tank/wheel"));
  add_part(w, wheel, "transform", "");
  uint32_t tank = world_assemblage_declare(w, intern(w, "tank"));
  add_part(w, tank, "transform", "");
  add_part(w, tank, "gun", "left");
  set_part(w, tank, "gun", "left", "heat", 1);
  world_assemblage_add_child(w, tank, intern(w, "turret"), turret);
  world_assemblage_add_child(w, tank, intern(w, "wheel"), wheel);
}

SETUP(rooms_t, r) {
  for (uint32_t i = 0; i < 2; ++i) {
    r->rooms[i] = fixture_open();
    declare_components(r->rooms[i]->world);
    declare_assemblages(r->rooms[i]->world, 2.5);
    owned_set_room(r->rooms[i]->world, i + 1);
    r->owned[i] = owned_create(r->rooms[i]->world);
    assert_non_null(r->owned[i]);
  }
  r->seed = 78;
}

TEARDOWN(rooms_t, r) {
  for (uint32_t i = 0; i < 2; ++i) {
    owned_destroy(r->owned[i]);
    fixture_close(r->rooms[i]);
  }
}

// --- helpers

static uint32_t below(rooms_t *r, uint32_t limit) {
  r->seed = r->seed * 1664525 + 1013904223;
  return (r->seed >> 8) % limit;
}

static shoal_entity spawn(fixture_t *f, const char *assemblage) {
  error_info_t error = {0};
  uint32_t number = assemblage ? world_find_assemblage_named(f->world, assemblage) : 0;
  shoal_entity e = world_spawn(f->world, number, &error);
  if (!e)
    fail_msg("%s", error.text);
  return e;
}

static void set_value(fixture_t *f, shoal_entity e, const char *component, const char *instance, const char *field,
                      double value) {
  error_info_t error = {0};
  if (!world_set_field(f->world, e, manager_of(f, component)->id, intern(f->world, instance),
                       column_of(f, component, field), value, &error))
    fail_msg("%s", error.text);
}

static void own(fixture_t *f, shoal_entity e, uint32_t player) {
  add(f, e, "owned");
  set_value(f, e, "owned", "", "player", player);
}

static int64_t item_of(fixture_t *f, shoal_entity e) {
  return (int64_t)get(f, e, "owned", "item");
}

static void collect_report(void *context, const char *line) {
  rooms_t *r = context;
  size_t length = strlen(r->reports);
  snprintf(r->reports + length, sizeof r->reports - length, "%s\n", line);
}

static uint32_t import(rooms_t *r, uint32_t room, json_t *rows, uint32_t player) {
  r->reports[0] = '\0';
  return item_rows_import(r->rooms[room]->world, rows,
                          &(item_rows_import_t){.player = player, .report = collect_report, .context = r});
}

static json_t *export_rows(fixture_t *f, uint32_t player) {
  error_info_t error = {0};
  json_t *rows = item_rows_export(f->world, player, NULL, &error);
  if (!rows)
    fail_msg("%s", error.text);
  return rows;
}

// Packs the rows and unpacks them. Consumes `rows`.
static json_t *pack_and_unpack(json_t *rows) {
  allocator_t memory = {0};
  error_info_t error = {0};
  size_t size = 0;
  uint8_t *bytes = item_rows_pack(rows, &memory, &size, &error);
  json_t *out = bytes ? item_rows_unpack(bytes, size, &error) : NULL;
  if (!out)
    fail_msg("%s", error.text);
  assert_true(json_equal(rows, out));
  alloc_resize(&memory, bytes, size, 0);
  json_decref(rows);
  return out;
}

static json_t *find_row(const json_t *rows, int64_t item) {
  size_t i;
  json_t *row;
  json_array_foreach(rows, i, row) {
    if (json_integer_value(json_object_get(row, "item")) == item)
      return row;
  }
  return NULL;
}

static void assert_equal_rows(const json_t *a, const json_t *b) {
  size_t i;
  json_t *row;
  assert_int_equal(json_array_size(a), json_array_size(b));
  json_array_foreach(a, i, row) {
    json_t *other = find_row(b, json_integer_value(json_object_get(row, "item")));
    if (!json_equal(row, other))
      fail_msg("rows differ:\n%s\n%s", json_dumps(row, JSON_COMPACT), json_dumps(other, JSON_COMPACT));
  }
}

static json_t *parse(const char *text) {
  json_error_t error;
  json_t *rows = json_loads(text, 0, &error);
  if (!rows)
    fail_msg("%s: %s", error.text, text);
  return rows;
}

// --- the model

typedef struct model_entity_t {
  shoal_entity entity; // entity in the first world
  int64_t item, parent, link;
  uint32_t player; // value of owned.player
  bool has_blade, is_frozen, guns[INSTANCES];
  char assemblage[16], name[16], label[16];
  float damage, tip_y, heat[INSTANCES];
  int32_t uses;
  uint32_t mood;
} model_entity_t;

typedef struct model_t {
  model_entity_t items[MAX_MODEL];
  uint32_t count;
} model_t;

// Gives an entity random contents, and records them in the model.
static model_entity_t *add_random_entity(rooms_t *r, model_t *m, shoal_entity e, const char *assemblage) {
  fixture_t *f = r->rooms[0];
  model_entity_t *x = &m->items[m->count++];
  *x = (model_entity_t){.entity = e};
  snprintf(x->assemblage, sizeof x->assemblage, "%s", assemblage);
  for (uint32_t i = 0; i < INSTANCES; ++i) {
    uint32_t row = manager_find_instance_row(manager_of(f, "gun"), e, intern(f->world, NAMES[i]));
    x->guns[i] = row != ROW_NONE;
    x->heat[i] = x->guns[i] ? ((float *)manager_of(f, "gun")->data[0])[row] : 0;
  }
  x->has_blade = world_has_component(f->world, e, manager_of(f, "blade")->id);
  if (x->has_blade && below(r, 6) == 0) {
    world_remove_component(f->world, e, manager_of(f, "blade")->id, 0);
    x->has_blade = false;
  } else if (!x->has_blade && below(r, 3) == 0) {
    add(f, e, "blade");
    x->has_blade = true;
  }
  if (x->has_blade) {
    if (below(r, 2))
      set_value(f, e, "blade", "", "damage", (double)below(r, 1000) / 7);
    if (below(r, 2))
      set_value(f, e, "blade", "", "uses", (double)below(r, 1000) - 500);
    if (below(r, 2))
      set_value(f, e, "blade", "", "look.tip.y", below(r, 9));
    set_value(f, e, "blade", "", "mood", x->mood = below(r, 2));
    snprintf(x->label, sizeof x->label, "%s", below(r, 2) ? "" : below(r, 2) ? "blunt" : "\"=\n√");
    set_value(f, e, "blade", "", "label", intern(f->world, x->label));
    x->damage = (float)get(f, e, "blade", "damage");
    x->uses = (int32_t)get(f, e, "blade", "uses");
    x->tip_y = (float)get(f, e, "blade", "look.tip.y");
  }
  uint32_t gun = below(r, INSTANCES + 3);
  if (gun < INSTANCES) {
    error_info_t error = {0};
    world_add_component(f->world, e, manager_of(f, "gun")->id, intern(f->world, NAMES[gun]), &error);
    set_value(f, e, "gun", NAMES[gun], "heat", x->heat[gun] = (float)below(r, 50));
    x->guns[gun] = true;
  }
  if ((x->is_frozen = below(r, 4) == 0))
    add(f, e, "frozen");
  if (below(r, 3) == 0) {
    snprintf(x->name, sizeof x->name, "n%u", below(r, 5)); // several entities may have the same name
    add(f, e, "name");
    set_value(f, e, "name", "", "value", intern(f->world, x->name));
  }
  return x;
}

static void note_owner(rooms_t *r, model_entity_t *x, uint32_t player) {
  own(r->rooms[0], x->entity, player);
  x->player = player;
  x->item = item_of(r->rooms[0], x->entity);
}

// Spawns a group of player 1, and some entities that do not belong to it.
static void make_group(rooms_t *r, model_t *m) {
  static const char *const ASSEMBLAGES[] = {"sword", "tank", NULL};
  fixture_t *f = r->rooms[0];
  m->count = 0;
  uint32_t roots = 1 + below(r, 5);
  for (uint32_t i = 0; i < roots; ++i) {
    uint32_t kind = below(r, 3);
    shoal_entity e = spawn(f, ASSEMBLAGES[kind]), children[2];
    if (kind == 2)
      add(f, e, "transform");
    uint32_t index = m->count;
    note_owner(r, add_random_entity(r, m, e, kind == 2 ? "" : ASSEMBLAGES[kind]), 1);
    uint32_t child_count = kind == 1 ? transform_list_children(f->world, e, children, 2) : 0;
    for (uint32_t c = 0; c < child_count; ++c) {
      uint32_t fate = below(r, 5);
      if (fate == 0) {
        world_destroy_entity(f->world, children[c]);
        continue;
      }
      if (fate == 1) { // belongs to a different player, so it stays
        own(f, children[c], 2);
        continue;
      }
      model_entity_t *x = add_random_entity(r, m, children[c], c == 0 ? "tank/turret" : "tank/wheel");
      x->parent = m->items[index].item;
      if (fate > 2)
        note_owner(r, x, fate == 3);
    }
    if (index > 0 && below(r, 2)) {
      uint32_t parent = below(r, index);
      m->items[index].parent = m->items[parent].item ? m->items[parent].item : -(int64_t)parent - 1;
      set_value(f, e, "transform", "", "parent", m->items[parent].entity);
    }
  }
}

// Sets the item numbers that the group's children without `owned` get, and the references.
static void complete_model(rooms_t *r, model_t *m) {
  fixture_t *f = r->rooms[0];
  owned_entity_t group[OWNED_MAX_ENTITIES];
  uint32_t count = owned_list_group(f->world, 1, NULL, group);
  if (count != m->count)
    fail_msg("the group has %u entities instead of %u", count, m->count);
  for (uint32_t i = 0; i < m->count; ++i)
    for (uint32_t k = 0; k < count; ++k)
      if (group[k].entity == m->items[i].entity && (m->items[i].item == 0 || m->items[i].item == group[k].item))
        m->items[i].item = group[k].item;
  for (uint32_t i = 0; i < m->count; ++i) {
    model_entity_t *x = &m->items[i];
    x->parent = x->parent < 0 ? m->items[-x->parent - 1].item : x->parent;
    uint32_t target = below(r, m->count + 2);
    if (!x->has_blade || target == m->count)
      continue;
    x->link = target < m->count ? m->items[target].item : 0;
    set_value(f, x->entity, "blade", "", "link", target < m->count ? m->items[target].entity : spawn(f, "sword"));
  }
}

static void assert_model(rooms_t *r, uint32_t room, const model_t *m, uint32_t player) {
  fixture_t *f = r->rooms[room];
  for (uint32_t i = 0; i < m->count; ++i) {
    const model_entity_t *x = &m->items[i];
    shoal_entity e = owned_find_item(f->world, x->item);
    assert_int_not_equal(e, 0);
    assert_int_equal((uint32_t)get(f, e, "owned", "player"), x->player ? player : 0);
    const entities_t *entities = world_entities(f->world);
    assert_string_equal(strings_text(world_strings(f->world), entities->assemblage[shoal_entity_index(e)]),
                        x->assemblage);
    shoal_entity parent = transform_find_parent(f->world, e);
    assert_int_equal(parent ? item_of(f, parent) : 0, x->parent);
    assert_int_equal(world_has_component(f->world, e, manager_of(f, "frozen")->id), x->is_frozen);
    assert_int_equal(world_has_component(f->world, e, manager_of(f, "blade")->id), x->has_blade);
    uint32_t name = manager_row(manager_of(f, "name"), e);
    assert_int_equal(name != ROW_NONE, x->name[0] != 0 || strchr(x->assemblage, '/') != NULL);
    if (x->name[0])
      assert_string_equal(strings_text(world_strings(f->world), (uint32_t)get(f, e, "name", "value")), x->name);
    for (uint32_t k = 0; k < INSTANCES; ++k) {
      uint32_t row = manager_find_instance_row(manager_of(f, "gun"), e, intern(f->world, NAMES[k]));
      assert_int_equal(row != ROW_NONE, x->guns[k]);
      if (row != ROW_NONE)
        assert_true(((float *)manager_of(f, "gun")->data[0])[row] == x->heat[k]);
    }
    if (!x->has_blade)
      continue;
    assert_true((float)get(f, e, "blade", "damage") == x->damage &&
                (float)get(f, e, "blade", "look.tip.y") == x->tip_y);
    assert_int_equal((int32_t)get(f, e, "blade", "uses"), x->uses);
    assert_int_equal((uint32_t)get(f, e, "blade", "mood"), x->mood);
    assert_string_equal(strings_text(world_strings(f->world), (uint32_t)get(f, e, "blade", "label")), x->label);
    shoal_entity link = (shoal_entity)get(f, e, "blade", "link");
    assert_int_equal(link ? item_of(f, link) : 0, x->link);
  }
}

static uint32_t count_entities(fixture_t *f) {
  const entities_t *s = world_entities(f->world);
  uint32_t count = 0;
  for (uint32_t i = 1; i < s->used; ++i)
    count += s->alive[i];
  return count;
}

static void destroy_all(fixture_t *f) {
  const entities_t *s = world_entities(f->world);
  for (uint32_t i = 1; i < s->used; ++i)
    if (s->alive[i])
      world_destroy_entity(f->world, i | (shoal_entity)s->generation[i] << SHOAL_ENTITY_INDEX_BITS);
}

TEST_WITH(random_groups_arrive_in_a_different_room_as_they_have_left, rooms_t) {
  rooms_t *r = *state;
  fixture_t *a = r->rooms[0], *b = r->rooms[1];
  model_t *m = calloc(1, sizeof *m);
  const char *is_long = getenv("LONG");
  uint32_t groups = is_long && is_long[0] == '1' ? 10000 : 1000;
  uint64_t entities = 0;
  for (uint32_t i = 0; i < groups; ++i) {
    make_group(r, m);
    complete_model(r, m);
    uint32_t before = count_entities(a);
    json_t *rows = pack_and_unpack(export_rows(a, 1)), *copy = json_deep_copy(rows);
    assert_int_equal(json_array_size(rows), m->count);
    assert_int_equal(owned_destroy_group(a->world, 1), m->count);
    assert_int_equal(count_entities(a), before - m->count);
    assert_int_equal(import(r, 1, rows, 5), m->count);
    assert_string_equal(r->reports, "");
    assert_int_equal(count_entities(b), m->count);
    assert_model(r, 1, m, 5);
    json_t *again = export_rows(b, 5);
    assert_equal_rows(copy, again);
    assert_int_equal(owned_destroy_group(b->world, 5), m->count);
    assert_int_equal(count_entities(b), 0);
    json_decref(rows);
    json_decref(copy);
    json_decref(again);
    destroy_all(a);
    entities += m->count;
  }
  assert_true(entities > 3 * groups);
  free(m);
}

// --- numbers

TEST_WITH(items_are_numbered_with_their_room_in_the_order_of_their_spawns, rooms_t) {
  rooms_t *r = *state;
  for (uint32_t room = 0; room < 2; ++room) {
    fixture_t *f = r->rooms[room];
    for (uint32_t i = 1; i <= 3; ++i) {
      shoal_entity e = spawn(f, "sword");
      own(f, e, i);
      assert_int_equal(item_of(f, e), ROOM_ITEM(room + 1, i));
    }
    owned_skip_lost_items(f->world);
    owned_set_room(f->world, room + 1); // a later start of the room does not repeat numbers
    shoal_entity e = spawn(f, "sword");
    own(f, e, 1);
    assert_int_equal(item_of(f, e), ROOM_ITEM(room + 1, 3 + (1 << 24) + 1));
  }
}

// The game's first scene is spawned before the room is known.
TEST_WITH(items_of_the_first_scene_are_numbered_with_their_room, rooms_t) {
  rooms_t *r = *state;
  fixture_t *f = r->rooms[0];
  int32_t column = manager_find_column(world_find_manager(f->world, "owned"), "item");
  shoal_entity early = spawn(f, "sword"), visitor = spawn(f, "sword");
  own(f, early, 0);
  own(f, visitor, 1);
  manager_o *m = world_find_manager(f->world, "owned");
  columns_set(&m->columns, manager_row(m, early), (uint32_t)column, 1);
  columns_set(&m->columns, manager_row(m, visitor), (uint32_t)column, (double)ROOM_ITEM(9, 4));
  owned_set_room(f->world, 2);
  assert_int_equal(item_of(f, early), ROOM_ITEM(2, 1));
  assert_int_equal(item_of(f, visitor), ROOM_ITEM(9, 4)); // an item from a different room keeps its number
  owned_set_room(f->world, 2);
  assert_int_equal(item_of(f, early), ROOM_ITEM(2, 1));
}

TEST_WITH(largest_room_number_gives_exact_items, rooms_t) {
  rooms_t *r = *state;
  fixture_t *f = r->rooms[0];
  owned_set_room(f->world, OWNED_MAX_ROOM);
  for (int64_t i = 1; i <= 3; ++i) {
    shoal_entity e = spawn(f, "sword");
    own(f, e, 1);
    assert_int_equal(item_of(f, e), ROOM_ITEM(OWNED_MAX_ROOM, i));
  }
}

TEST_WITH(children_keep_the_number_with_which_they_have_left, rooms_t) {
  rooms_t *r = *state;
  fixture_t *a = r->rooms[0];
  shoal_entity tank = spawn(a, "tank");
  own(a, tank, 1);
  json_t *rows = export_rows(a, 1);
  assert_int_equal(json_array_size(rows), 3);
  for (int64_t i = 1; i <= 3; ++i)
    assert_non_null(find_row(rows, ROOM_ITEM(1, i)));
  owned_destroy_group(a->world, 1);
  shoal_entity sword = spawn(a, "sword"); // the numbers 1 to 3 are not used again
  own(a, sword, 1);
  assert_int_equal(item_of(a, sword), ROOM_ITEM(1, 4));
  json_t *copy = json_deep_copy(rows);
  assert_int_equal(import(r, 1, copy, 1), 3);
  json_decref(copy);
  json_t *again = export_rows(r->rooms[1], 1);
  assert_equal_rows(rows, again);
  json_decref(rows);
  json_decref(again);
}

// --- groups

TEST_WITH(group_ends_at_children_of_a_different_player, rooms_t) {
  rooms_t *r = *state;
  fixture_t *f = r->rooms[0];
  shoal_entity sack = spawn(f, "sword"), coin = spawn(f, "sword"), guest = spawn(f, "sword"), under = spawn(f, "sword");
  own(f, sack, 1);
  own(f, guest, 2);
  set_value(f, coin, "transform", "", "parent", sack);
  set_value(f, guest, "transform", "", "parent", coin);
  set_value(f, under, "transform", "", "parent", guest);
  owned_entity_t group[OWNED_MAX_ENTITIES];
  assert_int_equal(owned_list_group(f->world, 1, NULL, group), 2);
  assert_int_equal(owned_list_group(f->world, 2, NULL, group), 2);
  assert_int_equal(owned_destroy_group(f->world, 1), 2);
  assert_true(world_is_alive(f->world, guest) && world_is_alive(f->world, under));
  assert_int_equal(transform_find_parent(f->world, guest), 0);
  assert_int_equal(transform_find_parent(f->world, under), guest);
}

// Returns the player to whom a list of all items assigns this item, or 99 if the list lacks it.
static uint32_t find_listed_player(const owned_items_t *items, int64_t item) {
  for (uint32_t i = 0; i < items->count; ++i)
    if (items->items[i].item == item)
      return items->items[i].player;
  return 99;
}

TEST_WITH(list_of_all_items_names_the_player_of_each_group, rooms_t) {
  rooms_t *r = *state;
  fixture_t *f = r->rooms[0];
  allocator_t memory = {0};
  owned_items_t items = {0};
  owned_entity_t group[OWNED_MAX_ENTITIES];
  shoal_entity all[300];
  for (uint32_t i = 0; i < 300; ++i) {
    all[i] = spawn(f, i % 7 == 0 ? "tank" : "sword");
    if (below(r, 4) > 0)
      own(f, all[i], below(r, 4)); // 0: nobody
    if (i > 0 && below(r, 2) == 0)
      set_value(f, all[i], "transform", "", "parent", all[below(r, i)]);
  }
  transform_update_child_lists(f->world);
  owned_list_items(f->world, &memory, &items);
  assert_int_equal(items.count, manager_of(f, "owned")->count);
  uint32_t listed = 0, grouped = 0;
  for (uint32_t player = 1; player <= 3; ++player) {
    uint32_t count = owned_list_group(f->world, player, NULL, group);
    for (uint32_t i = 0; i < count; ++i) {
      if (manager_row(manager_of(f, "owned"), group[i].entity) == ROW_NONE)
        continue; // its number is not given yet
      assert_int_equal(find_listed_player(&items, group[i].item), player);
      ++grouped;
    }
  }
  for (uint32_t i = 0; i < items.count; ++i)
    listed += items.items[i].player != 0;
  assert_int_equal(listed, grouped);
  assert_true(grouped > 100 && items.count > grouped);
  array_free(&memory, &items);
  assert_int_equal(memory.bytes, 0);
}

TEST_WITH(what_a_former_player_left_is_nobodys, rooms_t) {
  rooms_t *r = *state;
  fixture_t *f = r->rooms[0];
  shoal_entity e = spawn(f, "sword");
  own(f, e, 17);
  owned_release(f->world, 17);
  assert_true(world_is_alive(f->world, e));
  assert_int_equal((uint32_t)get(f, e, "owned", "player"), 0);
  assert_int_equal(item_of(f, e), ROOM_ITEM(1, 1));
}

TEST_WITH(player_cannot_own_more_than_256_entities, rooms_t) {
  rooms_t *r = *state;
  fixture_t *f = r->rooms[0];
  error_info_t error = {0};
  manager_o *m = manager_of(f, "owned");
  shoal_entity tank = spawn(f, "tank"); // the tank has two children
  own(f, tank, 1);
  for (uint32_t i = 0; i < 200; ++i)
    own(f, spawn(f, NULL), 1);
  world_defer_begin(f->world, 0); // changes that are not applied yet count, too
  for (uint32_t i = 0; i < 54; ++i) {
    shoal_entity e = spawn(f, NULL);
    assert_true(world_add_component(f->world, e, m->id, 0, &error));
    bool ok = world_set_field(f->world, e, m->id, 0, column_of(f, "owned", "player"), 1, &error);
    assert_int_equal(ok, i < 53);
  }
  assert_non_null(strstr(error.text, "player 1 owns 256 entities"));
  world_defer_end(f->world, false);
  owned_entity_t group[OWNED_MAX_ENTITIES];
  assert_int_equal(owned_list_group(f->world, 1, NULL, group), 256);
  // Entities above the group's limit stay in the room.
  for (uint32_t i = 0; i < 10; ++i) {
    shoal_entity e = spawn(f, NULL);
    add(f, e, "owned");
    columns_set(&m->columns, row_of(f, e, "owned"), column_of(f, "owned", "player"), 1);
  }
  assert_int_equal(owned_destroy_group(f->world, 1), 256);
  assert_int_equal(owned_list_group(f->world, 1, NULL, group), 0);
  assert_int_equal(m->count, 9);
}

typedef struct written_report_t {
  char where[64], message[160];
  uint32_t count;
} written_report_t;

static void note_written_report(void *context, const char *where, const char *message) {
  written_report_t *report = context;
  snprintf(report->where, sizeof report->where, "%s", where);
  snprintf(report->message, sizeof report->message, "%s", message);
  ++report->count;
}

// Returns the number of rows with this owner.
static uint32_t count_owned(fixture_t *f, uint32_t player) {
  const manager_o *m = manager_of(f, "owned");
  uint32_t count = 0;
  for (uint32_t row = 0; row < m->count; ++row)
    count += columns_get(&m->columns, row, column_of(f, "owned", "player")) == player;
  return count;
}

TEST_WITH(entities_above_the_limit_that_are_written_in_place_return_to_their_owners, rooms_t) {
  rooms_t *r = *state;
  fixture_t *f = r->rooms[0];
  written_report_t report = {0};
  manager_o *m = manager_of(f, "owned");
  uint32_t player = column_of(f, "owned", "player");
  world_set_range_report(f->world, note_written_report, &report);
  for (uint32_t i = 0; i < 600; ++i) {
    shoal_entity e = spawn(f, NULL);
    add(f, e, "owned");
    if (i < 250)
      set_value(f, e, "owned", "", "player", i < 50 ? 2 : 1);
  }
  world_clamp_written_columns(f->world);
  assert_int_equal(report.count, 0);
  world_defer_begin(f->world, 0);
  for (uint32_t row = 0; row < m->count; ++row) // 600 rows, of which 56 can be added
    columns_set(&m->columns, row, player, 1);
  world_record_write(f->world, m->id, player, ROW_NONE, "systems/shop.lua", 7);
  world_defer_end(f->world, false);
  assert_string_equal(report.where, "systems/shop.lua:7");
  assert_string_equal(report.message,
                      "player 1 owns 256 entities, which is the maximum: destroy some of them, or let one "
                      "entity stand for several things");
  assert_int_equal(report.count, 1);
  assert_int_equal(count_owned(f, 1), 256);
  assert_int_equal(count_owned(f, 2), 0); // player 2's 50 entities are the oldest of the 400 claims
  assert_int_equal(count_owned(f, 0), 344);
  // Values that the engine sets between two ticks are accepted, and rows that move keep their checked owners.
  owned_release(f->world, 1);
  world_clamp_written_columns(f->world);
  assert_int_equal(count_owned(f, 0), 600);
  world_destroy_entity(f->world, m->owner[3]);
  columns_set(&m->columns, 0, player, 1);
  world_clamp_written_columns(f->world);
  assert_int_equal(count_owned(f, 1), 1);
  assert_int_equal(report.count, 1);
  world_set_range_report(f->world, NULL, &report);
}

TEST_WITH(new_copies_and_children_count_when_the_commands_of_a_system_are_applied, rooms_t) {
  rooms_t *r = *state;
  fixture_t *f = r->rooms[0];
  written_report_t report = {0};
  world_set_range_report(f->world, note_written_report, &report);
  for (uint32_t i = 0; i < 255; ++i)
    own(f, spawn(f, NULL), 1);
  world_clamp_written_columns(f->world);
  shoal_entity tank = spawn(f, "tank"); // the tank has two children
  add(f, tank, "owned");
  world_defer_begin(f->world, 0);
  set_value(f, tank, "owned", "", "player", 1);
  world_defer_end(f->world, false);
  assert_int_equal(count_owned(f, 1), 255);
  assert_int_equal(report.count, 1);
  assert_string_equal(report.where, "program");
  world_set_range_report(f->world, NULL, &report);
}

TEST_WITH(kept_entities_lose_parents_that_are_not_kept, rooms_t) {
  rooms_t *r = *state;
  fixture_t *f = r->rooms[0];
  shoal_entity hill = spawn(f, "sword"), sack = spawn(f, "sword"), coin = spawn(f, "sword"), rock = spawn(f, "sword");
  set_value(f, sack, "transform", "", "parent", hill);
  set_value(f, coin, "transform", "", "parent", sack);
  set_value(f, rock, "transform", "", "parent", hill);
  own(f, sack, 3);
  uint8_t *kept = calloc(world_entities(f->world)->used, 1);
  owned_keep(f->world, kept);
  assert_true(kept[shoal_entity_index(sack)] && kept[shoal_entity_index(coin)]);
  assert_false(kept[shoal_entity_index(hill)] || kept[shoal_entity_index(rock)]);
  assert_int_equal(transform_find_parent(f->world, sack), 0);
  assert_int_equal(transform_find_parent(f->world, coin), sack);
  free(kept);
}

// --- assemblages that change

TEST_WITH(values_that_equalled_the_assemblage_follow_it_and_all_values_are_stored, rooms_t) {
  rooms_t *r = *state;
  fixture_t *a = r->rooms[0], *b = r->rooms[1];
  shoal_entity plain = spawn(a, "sword"), sharp = spawn(a, "sword");
  own(a, plain, 1);
  own(a, sharp, 1);
  set_value(a, sharp, "blade", "", "damage", 9);
  json_t *rows = export_rows(a, 1);
  json_t *blade = json_object_get(json_object_get(find_row(rows, item_of(a, plain)), "components"), "blade");
  assert_true(json_number_value(json_object_get(blade, "damage")) == 2.5 && json_is_true(json_object_get(blade, "=")));
  int64_t items[] = {item_of(a, plain), item_of(a, sharp)};
  world_assemblages_clear(b->world);
  declare_assemblages(b->world, 4);
  assert_int_equal(import(r, 1, rows, 1), 2);
  assert_true(get(b, owned_find_item(b->world, items[0]), "blade", "damage") == 4);
  assert_true(get(b, owned_find_item(b->world, items[1]), "blade", "damage") == 9);
  json_decref(rows);
}

TEST_WITH(component_that_the_assemblage_has_lost_keeps_its_values, rooms_t) {
  rooms_t *r = *state;
  fixture_t *a = r->rooms[0], *b = r->rooms[1];
  shoal_entity e = spawn(a, "sword");
  own(a, e, 1);
  int64_t item = item_of(a, e);
  json_t *rows = export_rows(a, 1);
  world_assemblages_clear(b->world);
  uint32_t sword = world_assemblage_declare(b->world, intern(b->world, "sword"));
  add_part(b->world, sword, "transform", "");
  assert_int_equal(import(r, 1, rows, 1), 1);
  assert_true(get(b, owned_find_item(b->world, item), "blade", "damage") == 2.5);
  json_decref(rows);
}

TEST_WITH(former_names_of_components_are_followed, rooms_t) {
  rooms_t *r = *state;
  fixture_t *b = r->rooms[1];
  manager_o *blade = manager_of(b, "blade");
  world_declare_renamed_field(b->world, "edge", blade->id, column_of(b, "blade", "damage"), "harm");
  json_t *rows = parse("[{\"item\": 5, \"parent\": 0, \"name\": \"\", \"assemblage\": \"\","
                       "  \"components\": {\"edge\": {\"harm\": 3}, \"=\": {\"owned\": true}}}]");
  assert_int_equal(import(r, 1, rows, 2), 1);
  assert_true(get(b, owned_find_item(b->world, 5), "blade", "damage") == 3);
  json_decref(rows);
}

// --- malformed rows

#define ROW(item, parent, assemblage, components)                                                                      \
  "{\"item\":" item ",\"parent\":" parent ",\"name\":\"\",\"assemblage\":\"" assemblage                                \
  "\",\"components\":{" components "}}"

// Imports rows into the second room. Asserts the number of entities, and that the report contains `words`.
static void assert_import(rooms_t *r, const char *text, uint32_t count, const char *words) {
  json_t *rows = parse(text);
  error_info_t error = {0};
  assert_true(item_rows_check(rows, &error));
  uint32_t imported = import(r, 1, rows, 1);
  if (imported != count || !strstr(r->reports, words))
    fail_msg("%u entities instead of %u from %s:\n%s", imported, count, text, r->reports);
  json_decref(rows);
  destroy_all(r->rooms[1]);
}

TEST_WITH(unknown_and_invalid_parts_are_dropped_with_a_report, rooms_t) {
  rooms_t *r = *state;
  assert_import(r, "[" ROW("1", "0", "axe", "") "," ROW("2", "1", "sword", "") "]", 1, "unknown assemblage \"axe\"");
  assert_import(r, "[" ROW("1", "0", "sword", "\"purse\":{\"gold\":3},\"blade\":{\"uses\":4}") "]", 1, "purse");
  assert_import(r, "[" ROW("1", "0", "sword", "\"blade\":{\"uses\":4,\"weight\":1}") "]", 1, "weight");
  assert_import(r, "[" ROW("1", "0", "sword", "\"blade\":{\"uses\":\"many\",\"damage\":4}") "]", 1, "uses must be an");
  assert_import(r, "[" ROW("1", "0", "sword", "\"blade\":3") "]", 1, "blade must be an object");
  assert_import(r, "[" ROW("1", "0", "sword", "\"blade\":{\"link\":\"77\"}") "]", 1, "unknown entity \"77\"");
  assert_import(r, "[" ROW("1", "0", "sword", "\"blade\":{\"look\":{\"tip\":[1]}}") "]", 1, "list of 2 numbers");
  assert_import(r, "[" ROW("1", "0", "sword", "\"=\":{\"state\":\"dead\"}") "]", 1, "unknown state \"dead\"");
  assert_import(r, "[" ROW("1", "0", "sword", "\"=\":7,\"blade\":{\"=\":7}") "]", 1, "");
  assert_import(r, "[" ROW("1", "0", "tank", "\"=\":{\"gone\":[1,\"x\",\"wheel\"]}") "]", 1, "");
  assert_import(r, "[" ROW("1", "0", "tank", "") "," ROW("2", "1", "tank/gone", "\"=\":{\"slot\":\"gone\"}") "]", 1,
                "tank/gone");
  assert_import(
      r, "[" ROW("1", "0", "tank", "") "," ROW("2", "1", "tank/wheel", "\"gun\":4,\"=\":{\"slot\":\"wheel\"}") "]", 2,
      "gun");
}

TEST_WITH(doubled_missing_and_cyclic_rows_are_repaired_with_a_report, rooms_t) {
  rooms_t *r = *state;
  assert_import(r, "[" ROW("1", "0", "sword", "") "," ROW("1", "0", "tank", "") "]", 1, "second row has the number 1");
  assert_import(r, "[" ROW("1", "9", "sword", "") "]", 1, "the parent 9 of 1 is missing");
  assert_import(r, "[" ROW("1", "1", "sword", "") "]", 1, "1 is its own ancestor");
  assert_import(r, "[" ROW("1", "3", "sword", "") "," ROW("2", "1", "sword", "") "," ROW("3", "2", "sword", "") "]", 3,
                "1 is its own ancestor");
  assert_import(r, "[" ROW("1", "2", "sword", "") "," ROW("2", "3", "sword", "") "," ROW("3", "2", "sword", "") "]", 3,
                "2 is its own ancestor");
  assert_import(r, "[" ROW("1", "2", "", "") "," ROW("2", "0", "", "") "]", 2, "must have a transform");
}

TEST_WITH(equal_field_with_a_path_of_any_length_is_ignored, rooms_t) {
  enum { KEYS = 1000000 };
  rooms_t *r = *state;
  char *path = calloc(2 * KEYS + 2, 1);
  for (uint32_t i = 0; i < KEYS; ++i)
    memcpy(path + 2 * (size_t)i, "a.", 2);
  path[2 * (size_t)KEYS] = 'a';
  json_t *rows = json_pack("[{s:i, s:i, s:s, s:s, s:{s:{s:{}, s:[s]}}}]", "item", 1, "parent", 0, "name", "",
                           "assemblage", "tank", "components", "transform", "a", "=", path);
  assert_non_null(rows);
  import(r, 1, rows, 1);
  json_decref(rows);
  free(path);
}

static bool import_edited(rooms_t *r, const char *text) {
  json_t *rows = parse(text);
  r->reports[0] = '\0';
  bool ok = item_rows_import_edited(r->rooms[0]->world, rows,
                                    &(item_rows_import_t){.player = 1, .report = collect_report, .context = r});
  json_decref(rows);
  return ok;
}

TEST_WITH(edited_rows_with_a_fault_spawn_nothing, rooms_t) {
  rooms_t *r = *state;
  uint64_t before = world_hash(r->rooms[0]->world);
  assert_false(import_edited(r, "[{\"item\":-1,\"parent\":-2,\"name\":\"\",\"assemblage\":\"sword\",\"components\":{}},"
                                "{\"item\":-2,\"parent\":0,\"name\":\"\",\"assemblage\":\"tank\","
                                "\"components\":{\"blade\":{\"uses\":\"many\"}}},"
                                "{\"item\":-3,\"parent\":0,\"name\":\"\",\"assemblage\":\"\","
                                "\"components\":{\"blaed\":{}}}]"));
  assert_non_null(strstr(r->reports, "entry 2 (tank): "));
  assert_non_null(strstr(r->reports, "entry 3: unknown component “blaed”: did you mean blade?"));
  assert_null(strstr(r->reports, "entry 1"));
  assert_true(world_hash(r->rooms[0]->world) == before);
}

TEST_WITH(edited_rows_get_numbers_and_references, rooms_t) {
  rooms_t *r = *state;
  world_o *w = r->rooms[0]->world;
  owned_set_next_item(w, OWNED_FIRST_GIVEN);
  bool ok = import_edited(
      r, "[{\"item\":-5,\"parent\":-2,\"name\":\"\",\"assemblage\":\"sword\","
         "\"components\":{\"blade\":{\"link\":\"-2\"},\"=\":{\"owned\":true}}},"
         "{\"item\":-2,\"parent\":0,\"name\":\"\",\"assemblage\":\"tank\",\"components\":{\"=\":{\"owned\":true}}},"
         "{\"item\":9,\"parent\":0,\"name\":\"\",\"assemblage\":\"\",\"components\":{\"=\":{\"owned\":true}}}]");
  if (!ok)
    fail_msg("%s", r->reports);
  json_t *rows = export_rows(r->rooms[0], 1);
  assert_int_equal(json_array_size(rows), 5); // includes the tank's children
  assert_non_null(find_row(rows, 9));
  json_t *sword = NULL, *tank = NULL, *row;
  size_t i;
  json_array_foreach(rows, i, row) {
    const char *assemblage = json_string_value(json_object_get(row, "assemblage"));
    sword = strcmp(assemblage, "sword") == 0 ? row : sword;
    tank = strcmp(assemblage, "tank") == 0 ? row : tank;
    json_int_t item = json_integer_value(json_object_get(row, "item"));
    assert_true(item == 9 || item >= OWNED_FIRST_GIVEN);
  }
  char link[32];
  json_int_t item = json_integer_value(json_object_get(tank, "item"));
  snprintf(link, sizeof link, "%lld", (long long)item);
  assert_true(json_integer_value(json_object_get(sword, "parent")) == item);
  json_t *blade = json_object_get(json_object_get(sword, "components"), "blade");
  assert_string_equal(json_string_value(json_object_get(blade, "link")), link);
  json_decref(rows);
}

TEST_WITH(stale_copy_in_the_room_is_destroyed, rooms_t) {
  rooms_t *r = *state;
  fixture_t *f = r->rooms[1];
  shoal_entity copy = spawn(f, "tank");
  own(f, copy, 2);
  int64_t item = item_of(f, copy);
  shoal_entity guest = spawn(f, "sword"); // belongs to a different player
  own(f, guest, 3);
  json_t *rows = export_rows(f, 2);
  set_value(f, guest, "transform", "", "parent", copy);
  assert_int_equal(import(r, 1, rows, 1), 3);
  assert_true(world_is_alive(f->world, guest));
  assert_false(world_is_alive(f->world, copy));
  assert_non_null(strstr(r->reports, "stale copy"));
  assert_int_equal((uint32_t)get(f, owned_find_item(f->world, item), "owned", "player"), 1);
  json_decref(rows);
}

static void expect_unstorable(json_t *rows, int64_t item, const char *words) {
  const char *reason = NULL;
  json_t *row = item_rows_take_unstorable(rows, &reason);
  assert_int_equal(json_integer_value(json_object_get(row, "item")), item);
  assert_non_null(strstr(reason, words));
  json_decref(row);
}

// A list of ten rows, of which the fourth is malformed, and the ninth has 5 MB.
TEST(rows_that_cannot_be_stored_are_dropped_one_by_one) {
  char *large = malloc(5 << 20), name[200];
  const char *reason;
  allocator_t memory = {0};
  error_info_t error = {0};
  size_t size = 0;
  json_t *rows = json_array();
  memset(large, 'x', 5 << 20);
  memset(name, 'n', sizeof name);
  for (int i = 1; i <= 10; ++i)
    json_array_append_new(rows, json_pack("{s:i, s:i, s:s, s:s%, s:{s:{s:s%}}}", "item", i, "parent", 0, "name", "",
                                          "assemblage", name, (size_t)(i == 4 ? 129 : 5), "components", "label", "text",
                                          large, (size_t)(i == 9 ? 5 << 20 : 1000 * i)));
  assert_null(item_rows_pack(rows, &memory, &size, &error));
  expect_unstorable(rows, 4, "name that is too long");
  expect_unstorable(rows, 9, "larger than 4 MB");
  assert_null(item_rows_take_unstorable(rows, &reason));
  uint8_t *bytes = item_rows_pack(rows, &memory, &size, &error);
  json_t *out = item_rows_unpack(bytes, size, &error);
  assert_int_equal(json_array_size(out), 8);
  json_decref(out);
  json_decref(rows);
  alloc_resize(&memory, bytes, size, 0);
  free(large);
}

static void assert_unpack_fails(const char *text, const char *words) {
  allocator_t memory = {0};
  error_info_t error = {0};
  size_t size = 0;
  json_t *rows = parse(text);
  uint8_t *bytes = item_rows_pack(rows, &memory, &size, &error);
  assert_non_null(bytes);
  assert_null(item_rows_unpack(bytes, size, &error));
  if (!strstr(error.text, words))
    fail_msg("%s: %s", text, error.text);
  for (size_t i = 0; i < size; ++i)
    assert_null(item_rows_unpack(bytes, i, &error));
  alloc_resize(&memory, bytes, size, 0);
  json_decref(rows);
}

TEST(malformed_rows_are_refused) {
  assert_unpack_fails("{}", "expected a list");
  assert_unpack_fails("[1]", "row 1");
  assert_unpack_fails("[" ROW("0", "0", "", "") "]", "numbers of items");
  assert_unpack_fails("[" ROW("-1", "0", "", "") "]", "numbers of items");
  assert_unpack_fails("[" ROW("1.5", "0", "", "") "]", "numbers of items");
  assert_unpack_fails("[" ROW("9007199254740992", "0", "", "") "]", "numbers of items");
  assert_unpack_fails("[{\"item\":1,\"parent\":0,\"name\":\"\",\"assemblage\":\"\",\"components\":[]}]", "object");
  assert_unpack_fails("[{\"item\":1,\"parent\":0,\"name\":7,\"assemblage\":\"\",\"components\":{}}]", "strings");
  json_t *rows = json_array(), *row = parse(ROW("1", "0", "", ""));
  error_info_t error = {0};
  for (uint32_t i = 0; i < 257; ++i)
    json_array_append(rows, row);
  assert_false(item_rows_check(rows, &error));
  assert_non_null(strstr(error.text, "257"));
  json_decref(row);
  json_decref(rows);
}

TEST_WITH(random_changes_of_packed_rows_never_crash, rooms_t) {
  rooms_t *r = *state;
  allocator_t memory = {0};
  error_info_t error = {0};
  model_t *m = calloc(1, sizeof *m);
  size_t size = 0;
  make_group(r, m);
  complete_model(r, m);
  json_t *rows = export_rows(r->rooms[0], 1);
  char *text = json_dumps(rows, JSON_COMPACT), *copy = malloc(strlen(text) + 1);
  uint32_t accepted = 0;
  for (uint32_t i = 0; i < 3000; ++i) {
    strcpy(copy, text);
    for (uint32_t k = 0; k < 1 + below(r, 3); ++k)
      copy[below(r, (uint32_t)strlen(text))] = "0123456789{}[],:\"=ntxa-"[below(r, 23)];
    json_error_t problem;
    json_t *changed = json_loads(copy, 0, &problem);
    if (changed && item_rows_check(changed, &error)) {
      import(r, 1, changed, 1);
      ++accepted;
      destroy_all(r->rooms[1]);
    }
    json_decref(changed);
  }
  assert_true(accepted > 300);
  uint8_t *bytes = item_rows_pack(rows, &memory, &size, &error), *flipped = malloc(size);
  for (uint32_t i = 0; i < 1000; ++i) {
    memcpy(flipped, bytes, size);
    flipped[below(r, (uint32_t)size)] ^= (uint8_t)(1 << below(r, 8));
    json_decref(item_rows_unpack(flipped, size, &error));
  }
  alloc_resize(&memory, bytes, size, 0);
  json_decref(rows);
  free(text);
  free(copy);
  free(flipped);
  free(m);
}
