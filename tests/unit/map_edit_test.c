// Edits of Tiled maps as text (tiles/map_edit.h): random edits are compared byte for byte with a model that is printed
// as a map, and read by the map reader.
#include "tiles/map_edit.h"

#include "base/random.h"
#include "tiles/map_reader.h"
#include "test.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TILES 20u
#define MAX_CHUNKS 64u
#define MAX_THINGS 24u
#define MAX_PROPERTIES 4u
#define SIDE 4 // cells along a side of a chunk

static allocator_t memory;
static error_info_t error;

// --- a model of a map

typedef struct chunk_t {
  int32_t left, top, columns, rows;
  uint32_t cells[256];
} chunk_t;

typedef struct property_t {
  int name, value;
} property_t;

typedef struct thing_t {
  uint32_t id;
  int x, y, name;
  property_t properties[MAX_PROPERTIES];
  uint32_t property_count;
} thing_t;

typedef struct model_t {
  random_t random;
  bool infinite, lines; // lines: each member is on its own line
  const char *how;      // compression of base64 cells; NULL if cells are lists of numbers
  chunk_t chunks[MAX_CHUNKS];
  uint32_t chunk_count; // always 1 for a finite map
  thing_t things[MAX_THINGS];
  uint32_t thing_count, next_id;
} model_t;

typedef struct text_t {
  char bytes[1 << 18];
  size_t count;
} text_t;

static uint32_t random_below(model_t *m, uint32_t limit) {
  return random_u32(&m->random) % limit;
}

__attribute__((format(printf, 2, 3))) static void put(text_t *t, const char *format, ...) {
  va_list values;
  va_start(values, format);
  t->count += (size_t)vsnprintf(t->bytes + t->count, sizeof t->bytes - t->count, format, values);
  va_end(values);
  assert_true(t->count < sizeof t->bytes);
}

static void put_data(const model_t *m, text_t *t, const chunk_t *c) {
  uint32_t count = (uint32_t)(c->columns * c->rows);
  if (m->how) {
    json_writer_t packed;
    json_writer_init(&packed, &memory);
    assert_true(map_pack_cells(&memory, c->cells, count, m->how, -1, &packed));
    put(t, "\"%s\"", json_writer_text(&packed));
    json_writer_fini(&packed);
    return;
  }
  put(t, "[");
  for (uint32_t i = 0; i < count; ++i)
    put(t, "%s%s%u", i ? "," : "", i % (uint32_t)c->columns ? " " : "\n   ", c->cells[i]);
  put(t, " ]");
}

static void put_chunks(const model_t *m, text_t *t) {
  put(t, "\"chunks\": [");
  for (uint32_t i = 0; i < m->chunk_count; ++i) {
    const chunk_t *c = &m->chunks[i];
    put(t, "%s\n   { \"unknown\": [1, {\"a]\": \"}\"}], \"data\": ", i ? "," : "");
    put_data(m, t, c);
    put(t, ", \"height\": %d, \"width\": %d, \"x\": %d, \"y\": %d }", c->rows, c->columns, c->left, c->top);
  }
  put(t, "]");
}

static void put_thing(const model_t *m, text_t *t, const thing_t *o) {
  const char *gap = m->lines ? ",\n      " : ",";
  put(t, m->lines ? "{\n      " : "{");
  put(t, "\"id\": %u%s\"name\": \"thing %d\"%s\"x\": %d.5%s\"y\": %d", o->id, gap, o->name, gap, o->x, gap, o->y);
  for (uint32_t i = 0; i < o->property_count; ++i)
    put(t, "%s%s\"name\": \"p%d\"%s\"type\": \"int\"%s\"value\": %d%s%s",
        i == 0 ? (m->lines ? ",\n      \"properties\": [\n        " : ",\"properties\": [")
               : (m->lines ? ",\n        " : ","),
        m->lines ? "{\n          " : "{", o->properties[i].name, m->lines ? ",\n          " : ",",
        m->lines ? ",\n          " : ",", o->properties[i].value, m->lines ? "\n        " : "", "}");
  put(t, o->property_count == 0 ? "" : m->lines ? "\n      ]" : "]");
  put(t, m->lines ? "\n    }" : "}");
}

// Returns the model as the text of a map. Edits must keep text that is not part of the model, such as unknown members.
static const text_t *print_model(const model_t *m) {
  static text_t texts[2];
  static int turn;
  text_t *t = &texts[turn ^= 1];
  t->count = 0;
  put(t,
      "{ \"orientation\": \"orthogonal\", \"tilewidth\": 16, \"tileheight\": 16, \"custom\": { \"é\": null },\n"
      "  \"nextobjectid\": %u, \"tilesets\": [ { \"firstgid\": 1, \"name\": \"t\", \"tilewidth\": 16, "
      "\"tileheight\": 16, \"tilecount\": %u } ],\n  \"layers\": [\n"
      "  { \"type\": \"group\", \"layers\": [ { \"type\": \"tilelayer\", \"name\": \"\\u00e4 \\\"\", ",
      m->next_id, TILES);
  if (m->how)
    put(t, "\"encoding\": \"base64\", \"compression\": \"%s\", ", m->how);
  if (m->infinite) {
    put_chunks(m, t);
  } else {
    put(t, "\"width\": %d, \"height\": %d, \"data\": ", m->chunks[0].columns, m->chunks[0].rows);
    put_data(m, t, &m->chunks[0]);
  }
  put(t, " } ] },\n  { \"type\": \"objectgroup\", \"name\": \"things\", \"objects\": [");
  for (uint32_t i = 0; i < m->thing_count; ++i) {
    put(t, i ? ",\n    " : "\n    ");
    put_thing(m, t, &m->things[i]);
  }
  put(t, m->thing_count ? "\n  ], \"end\":1 } ] }\n" : "], \"end\":1 } ] }\n");
  return t;
}

static void make_model(model_t *m, uint64_t seed) {
  static const char *const compressions[] = {NULL, "", "zlib", "gzip", "zstd"};
  memset(m, 0, sizeof *m);
  random_seed(&m->random, seed);
  m->infinite = random_below(m, 2);
  m->lines = random_below(m, 2);
  m->how = compressions[random_below(m, 5)];
  m->chunk_count = m->infinite ? 1 + random_below(m, 3) : 1;
  for (uint32_t i = 0; i < m->chunk_count; ++i) {
    chunk_t *c = &m->chunks[i];
    *c = (chunk_t){
        .columns = m->infinite ? SIDE : 1 + (int32_t)random_below(m, 16), .rows = SIDE, .left = (int32_t)i * SIDE};
    c->left -= m->infinite ? SIDE : 0;
    for (int32_t k = 0; k < c->columns * c->rows; ++k)
      c->cells[k] = random_below(m, 3) ? random_below(m, TILES) : 0;
  }
  m->thing_count = 2 + random_below(m, 3);
  for (uint32_t i = 0; i < m->thing_count; ++i)
    m->things[i] = (thing_t){.id = ++m->next_id, .x = (int)random_below(m, 100), .y = (int)random_below(m, 100)};
  m->things[1].properties[0] = (property_t){0, 7};
  m->things[1].property_count = 1;
  ++m->next_id;
}

// --- random edits, of the text and of the model

static chunk_t *find_chunk(model_t *m, int32_t column, int32_t row) {
  for (uint32_t i = 0; i < m->chunk_count; ++i) {
    chunk_t *c = &m->chunks[i];
    if (column >= c->left && column < c->left + c->columns && row >= c->top && row < c->top + c->rows)
      return c;
  }
  return NULL;
}

static int32_t floor_to_side(int32_t v) {
  while (v % SIDE != 0)
    --v;
  return v;
}

static void paint_model(model_t *m, const map_paint_t *p) {
  chunk_t *c = find_chunk(m, p->column, p->row);
  if (!c && p->cell == 0)
    return;
  if (!c) {
    c = &m->chunks[m->chunk_count++];
    *c = (chunk_t){.left = floor_to_side(p->column), .top = floor_to_side(p->row), .columns = SIDE, .rows = SIDE};
  }
  c->cells[(p->row - c->top) * c->columns + p->column - c->left] = p->cell;
}

static void paint_randomly(model_t *m, map_edit_t *x) {
  map_paint_t cells[12];
  uint32_t count = 1 + random_below(m, 12);
  int32_t spread = m->infinite && m->chunk_count < MAX_CHUNKS - 12 ? 20 : 0;
  for (uint32_t i = 0; i < count; ++i) {
    const chunk_t *c = &m->chunks[0];
    cells[i] =
        (map_paint_t){.column = c->left + (int32_t)random_below(m, (uint32_t)c->columns),
                      .row = c->top + (int32_t)random_below(m, (uint32_t)c->rows),
                      .cell = random_below(m, 4) ? random_below(m, TILES) | (random_below(m, 2) ? MAP_FLIP_X : 0) : 0};
    if (spread && random_below(m, 4) == 0) {
      cells[i].column = (int32_t)random_below(m, 40) - 20;
      cells[i].row = (int32_t)random_below(m, 40) - 20;
    }
    paint_model(m, &cells[i]);
  }
  if (!map_edit_paint(x, &(map_edit_layer_t){0, "ä \""}, cells, count, &error))
    fail_msg("%s", error.text);
}

static json_t *parse_members(const char *format, ...) {
  char text[256];
  va_list values;
  va_start(values, format);
  vsnprintf(text, sizeof text, format, values);
  va_end(values);
  json_t *v = json_loads(text, 0, NULL);
  assert_non_null(v);
  return v;
}

static void add_randomly(model_t *m, map_edit_t *x) {
  uint32_t id = 0;
  if (m->thing_count == MAX_THINGS)
    return;
  thing_t *o = &m->things[m->thing_count++];
  *o = (thing_t){.id = m->next_id++,
                 .x = (int)random_below(m, 100),
                 .y = (int)random_below(m, 100),
                 .name = (int)random_below(m, 9)};
  json_t *v = parse_members("{ \"name\": \"thing %d\", \"x\": %d.5, \"y\": %d }", o->name, o->x, o->y);
  if (!map_edit_add_object(x, &(map_edit_layer_t){1, "things"}, v, &id, &error))
    fail_msg("%s", error.text);
  json_decref(v);
  assert_int_equal(id, o->id);
}

static void remove_randomly(model_t *m, map_edit_t *x) {
  if (m->thing_count < 3)
    return; // later objects follow the layout of the remaining ones
  uint32_t i = random_below(m, m->thing_count);
  if (!map_edit_remove_object(x, m->things[i].id, &error))
    fail_msg("%s", error.text);
  memmove(&m->things[i], &m->things[i + 1], (--m->thing_count - i) * sizeof m->things[0]);
}

static void set_randomly(model_t *m, map_edit_t *x) {
  thing_t *o = &m->things[random_below(m, m->thing_count)];
  o->x = random_below(m, 2) ? o->x : (int)random_below(m, 100);
  o->name = (int)random_below(m, 9);
  json_t *v = parse_members("{ \"x\": %d.5, \"name\": \"thing %d\" }", o->x, o->name);
  assert_true(map_edit_set_object(x, o->id, v, &error));
  json_decref(v);
}

static void set_property_randomly(model_t *m, map_edit_t *x) {
  thing_t *o = &m->things[random_below(m, m->thing_count)];
  property_t p = {(int)random_below(m, MAX_PROPERTIES), (int)random_below(m, 50)};
  uint32_t i = 0;
  bool removes = random_below(m, 3) == 0;
  while (i < o->property_count && o->properties[i].name != p.name)
    ++i;
  json_t *v =
      removes ? parse_members("{ \"properties\": { \"p%d\": null } }", p.name)
              : parse_members("{ \"properties\": { \"p%d\": { \"type\": \"int\", \"value\": %d } } }", p.name, p.value);
  if (!removes)
    o->properties[i] = p;
  if (removes && i < o->property_count)
    memmove(&o->properties[i], &o->properties[i + 1], (--o->property_count - i) * sizeof p);
  o->property_count += !removes && i == o->property_count;
  if (!map_edit_set_object(x, o->id, v, &error))
    fail_msg("%s", error.text);
  json_decref(v);
}

static void edit_randomly(model_t *m, map_edit_t *x) {
  switch (random_below(m, 6)) {
  case 0: add_randomly(m, x); break;
  case 1: remove_randomly(m, x); break;
  case 2: set_randomly(m, x); break;
  case 3: set_property_randomly(m, x); break;
  default: paint_randomly(m, x); break;
  }
}

// --- reading

static char *read_text(void *context, allocator_t *a, const char *name, size_t *bytes, error_info_t *e) {
  const map_edit_t *x = context;
  (void)name, (void)e;
  *bytes = x->json.bytes;
  return memcpy(alloc_resize(a, NULL, 0, *bytes + 1), x->json.text, *bytes + 1);
}

static map_t *read_edited(map_edit_t *x) {
  map_source_t source = {.context = x, .read = read_text};
  map_t *map = map_read(&memory, &source, "a.tmj", "", &error);
  if (!map)
    fail_msg("%s\n%s", error.text, x->json.text);
  return map;
}

static void check_cells(model_t *m, const map_t *map) {
  for (int32_t row = -24; row < 24; ++row)
    for (int32_t column = -24; column < 24; ++column) {
      const chunk_t *c = find_chunk(m, column, row);
      uint32_t expected = c ? c->cells[(row - c->top) * c->columns + column - c->left] : 0;
      assert_int_equal(map_cell(&map->layers[0], column, row), expected);
    }
}

TEST(random_map_edits_change_only_the_edited_bytes) {
  static model_t m;
  const char *is_long = getenv("LONG");
  uint64_t maps = is_long && is_long[0] ? 3000 : 30;
  for (uint64_t seed = 1; seed <= maps; ++seed) {
    make_model(&m, seed);
    const text_t *text = print_model(&m);
    map_edit_t x;
    map_edit_init(&x, &memory, "a.tmj", text->bytes, text->count);
    for (int i = 0; i < 25; ++i) {
      edit_randomly(&m, &x);
      text = print_model(&m);
      if (strcmp(x.json.text, text->bytes) != 0)
        fail_msg("seed %llu, edit %d: expected\n%s\ngot\n%s", (unsigned long long)seed, i, text->bytes, x.json.text);
      map_t *map = read_edited(&x);
      check_cells(&m, map);
      assert_int_equal(map->object_count, m.thing_count);
      map_destroy(map);
    }
    map_edit_fini(&x);
    assert_int_equal(memory.bytes, 0);
  }
}

// --- damaged maps

// Replaces random bytes with characters of JSON syntax.
static void damage_text(model_t *m, text_t *t) {
  static const char bytes[] = "[]{}\",:0123456789-.e tn\\";
  for (uint32_t i = 1 + random_below(m, 3); i > 0; --i)
    t->bytes[random_below(m, (uint32_t)t->count)] = bytes[random_below(m, sizeof bytes - 1)];
}

static bool is_readable_map(map_edit_t *x) {
  map_source_t source = {.context = x, .read = read_text};
  map_t *map = map_read(&memory, &source, "a.tmj", "", &error);
  map_destroy(map);
  return map != NULL;
}

// Runs a random edit, which may fail.
static void edit_damaged(model_t *m, map_edit_t *x) {
  map_edit_layer_t layer = {random_below(m, 3), NULL};
  map_paint_t cell = {(int32_t)random_below(m, 12) - 4, (int32_t)random_below(m, 8) - 4, random_below(m, TILES)};
  json_t *v =
      parse_members("{ \"x\": 5, \"properties\": { \"p%u\": { \"value\": 1 }, \"p0\": null } }", random_below(m, 3));
  uint32_t id;
  switch (random_below(m, 4)) {
  case 0: map_edit_paint(x, &layer, &cell, 1, &error); break;
  case 1: map_edit_add_object(x, &layer, v, &id, &error); break;
  case 2: map_edit_set_object(x, 1 + random_below(m, 3), v, &error); break;
  default: map_edit_remove_object(x, 1 + random_below(m, 3), &error); break;
  }
  json_decref(v);
}

TEST(edited_damaged_maps_stay_valid_json_if_they_were_readable) {
  static model_t m;
  static text_t text;
  const char *is_long = getenv("LONG");
  uint32_t maps = is_long && is_long[0] ? 10000 : 800, readable = 0;
  for (uint64_t seed = 1; seed <= maps; ++seed) {
    make_model(&m, seed);
    text = *print_model(&m);
    damage_text(&m, &text);
    map_edit_t x;
    map_edit_init(&x, &memory, "a.tmj", text.bytes, text.count);
    bool accepted = is_readable_map(&x);
    readable += accepted;
    for (int i = 0; accepted && i < 6; ++i) {
      edit_damaged(&m, &x);
      json_t *v = json_loadb(x.json.text, x.json.bytes, 0, NULL);
      if (!v)
        fail_msg("seed %llu: %s\n%s", (unsigned long long)seed, text.bytes, x.json.text);
      json_decref(v);
    }
    map_edit_fini(&x);
    assert_int_equal(memory.bytes, 0);
  }
  assert_in_range(readable, maps / 10, maps);
}

// --- single cases

static map_edit_t begin_edit(const char *layers) {
  static char text[4096];
  map_edit_t x;
  snprintf(text, sizeof text, "{\"tilewidth\":16, \"tileheight\":16, \"layers\":[%s]}", layers);
  map_edit_init(&x, &memory, "a.tmj", text, strlen(text));
  return x;
}

static void end_edit(map_edit_t *x, const char *layers) {
  char text[4096];
  snprintf(text, sizeof text, "{\"tilewidth\":16, \"tileheight\":16, \"layers\":[%s]}", layers);
  assert_string_equal(x->json.text, text);
  map_edit_fini(x);
  assert_int_equal(memory.bytes, 0);
}

static void assert_paint_fails(map_edit_t *x, uint32_t layer, const char *name, map_paint_t cell, const char *message) {
  assert_false(map_edit_paint(x, &(map_edit_layer_t){layer, name}, &cell, 1, &error));
  assert_string_equal(error.text, message);
}

TEST(painting_outside_a_finite_map_is_refused_with_its_bounds) {
  static const char layers[] = "{\"type\":\"tilelayer\",\"name\":\"ground\",\"width\":2,\"height\":1,\"data\":[0,0]},"
                               "{\"type\":\"objectgroup\",\"name\":\"things\",\"objects\":[]}";
  map_edit_t x = begin_edit(layers);
  assert_paint_fails(&x, 0, "ground", (map_paint_t){2, 0, 1},
                     "a.tmj: layer 1 \"ground\": cell 2, 0 is outside the layer (columns 0 to 1, rows 0 to 0): enlarge "
                     "the map in Tiled");
  assert_paint_fails(&x, 0, "sky", (map_paint_t){0, 0, 1},
                     "layer 1 of a.tmj is not named \"sky\" any more: choose the layer again");
  assert_paint_fails(&x, 1, NULL, (map_paint_t){0, 0, 1}, "layer 2 of a.tmj is not a tile layer");
  assert_paint_fails(&x, 2, NULL, (map_paint_t){0, 0, 1}, "a.tmj has no layer 3");
  const map_paint_t both[] = {{0, 0, 1}, {0, 1, 1}};
  assert_false(map_edit_paint(&x, &(map_edit_layer_t){0, NULL}, both, 2, &error));
  end_edit(&x, layers);
}

TEST(first_chunk_of_an_infinite_layer_is_created) {
  map_edit_t x =
      begin_edit("{\"type\":\"tilelayer\",\"chunks\":[],\"encoding\":\"base64\",\"compression\":\"\",\"startx\":0,"
                 "\"starty\":0,\"width\":0,\"height\":0}");
  const map_paint_t erased = {5, 5, 0}, painted = {-1, 16, 3};
  assert_true(map_edit_paint(&x, &(map_edit_layer_t){0, NULL}, &erased, 1, &error));
  assert_non_null(strstr(x.json.text, "\"chunks\":[],"));
  assert_true(map_edit_paint(&x, &(map_edit_layer_t){0, NULL}, &painted, 1, &error));
  assert_non_null(strstr(x.json.text, "\"height\": 16, \"width\": 16, \"x\": -16, \"y\": 16 }]"));
  assert_non_null(strstr(x.json.text, "\"startx\":-16,\"starty\":16,\"width\":16,\"height\":16}"));
  map_edit_fini(&x);
}

TEST(new_chunk_keeps_the_cells_of_overlapping_chunks) {
  map_edit_t x =
      begin_edit("{\"type\":\"tilelayer\",\"chunks\":[{\"data\":[1,2,3,4],\"height\":2,\"width\":2,\"x\":1,\"y\":0}]}");
  const map_paint_t cell = {0, 0, 9};
  assert_true(map_edit_paint(&x, &(map_edit_layer_t){0, NULL}, &cell, 1, &error));
  end_edit(&x, "{\"type\":\"tilelayer\",\"chunks\":[{\"data\":[1,2,3,4],\"height\":2,\"width\":2,\"x\":1,\"y\":0},"
               "{\"data\":[9,1,0,3],\"height\":2,\"width\":2,\"x\":0,\"y\":0}]}");
}

TEST(escaped_slashes_in_base64_stay_escaped) {
  // three cells with all bits set are encoded as "////////////////"
  map_edit_t x = begin_edit("{\"type\":\"tilelayer\",\"width\":3,\"height\":1,\"encoding\":\"base64\",\"data\":"
                            "\"\\/\\/\\/\\/\\/\\/\\/\\/\\/\\/\\/\\/\\/\\/\\/\\/\"}");
  const map_paint_t cell = {2, 0, 0};
  assert_true(map_edit_paint(&x, &(map_edit_layer_t){0, NULL}, &cell, 1, &error));
  end_edit(&x, "{\"type\":\"tilelayer\",\"width\":3,\"height\":1,\"encoding\":\"base64\",\"data\":"
               "\"\\/\\/\\/\\/\\/\\/\\/\\/\\/\\/8AAAAA\"}");
}

TEST(painting_a_cell_with_its_current_tile_changes_nothing) {
  // compressed by a different zlib implementation, whose output differs from the engine's output
  static const char layers[] =
      "{\"type\":\"tilelayer\",\"width\":1,\"height\":1,\"encoding\":\"base64\",\"compression\":"
      "\"zlib\",\"data\":\"eAEBBAD7/wEAAAAACAAC\"}";
  map_edit_t x = begin_edit(layers);
  const map_paint_t cells[] = {{0, 0, 7}, {0, 0, 1}};
  if (!map_edit_paint(&x, &(map_edit_layer_t){0, NULL}, cells, 2, &error))
    fail_msg("%s", error.text);
  end_edit(&x, layers);
}

static void assert_object_refused(map_edit_t *x, uint32_t id, const char *members, const char *message) {
  json_t *v = json_loads(members, 0, NULL);
  assert_non_null(v);
  assert_false(map_edit_set_object(x, id, v, &error));
  assert_string_equal(error.text, message);
  json_decref(v);
}

TEST(edits_of_missing_or_ambiguous_map_objects_are_refused) {
  static const char layers[] = "{\"type\":\"objectgroup\",\"objects\":[{\"id\":1,\"x\":1},{\"id\":2},{\"id\":2}]}";
  map_edit_t x = begin_edit(layers);
  assert_object_refused(&x, 3, "{}", "a.tmj has no object 3");
  assert_object_refused(&x, 2, "{}", "2 objects of a.tmj have the id 2: save the map in Tiled, which renumbers them");
  assert_object_refused(&x, 1, "{\"x\":5,\"properties\":{\"a\":{\"type\":\"int\"}}}",
                        "object 1 of a.tmj: property a must have a value other than null or a list");
  assert_false(map_edit_remove_object(&x, 0, &error));
  end_edit(&x, layers);
}

// The reader of maps ignores these members, so the edits must not rely on their types.
TEST(map_edit_with_members_of_wrong_types_is_refused) {
  static const char layers[] = "{\"type\":\"objectgroup\",\"objects\":{}},"
                               "{\"type\":\"objectgroup\",\"objects\":[{\"id\":1,\"properties\":5}, 7, null]},"
                               "{\"type\":\"tilelayer\",\"chunks\":{},\"width\":1,\"height\":1,\"data\":[0]}";
  uint32_t id;
  map_edit_t x = begin_edit(layers);
  json_t *v = json_object();
  assert_false(map_edit_add_object(&x, &(map_edit_layer_t){0, NULL}, v, &id, &error));
  assert_string_equal(error.text, "a.tmj: \"objects\" must be a list: save the map in Tiled");
  json_decref(v);
  assert_object_refused(&x, 1, "{\"properties\":{\"a\":{\"value\":1}}}",
                        "a.tmj: \"properties\" must be a list: save the map in Tiled");
  assert_object_refused(&x, 1, "{\"properties\":{\"a\":{\"type\":1,\"value\":1}}}",
                        "object 1 of a.tmj: the type of property a must be a string");
  const map_paint_t cell = {0, 0, 1};
  assert_true(map_edit_paint(&x, &(map_edit_layer_t){2, NULL}, &cell, 1, &error));
  assert_non_null(strstr(x.json.text, "\"chunks\":{},\"width\":1,\"height\":1,\"data\":[1]}"));
  map_edit_fini(&x);
}
