// Tile map files: tiles/map.h, tiles/maps.h.
#include "tiles/maps.h"

#include "base/files.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct file_t {
  const char *name, *text;
} file_t;

typedef struct fixture_t {
  allocator_t memory;
  file_t files[8];
  error_info_t error;
  map_t *map;
} fixture_t;

SETUP(fixture_t, f) {
}

TEARDOWN(fixture_t, f) {
  map_destroy(f->map);
  assert_int_equal(f->memory.bytes, 0);
}

static char *read_file(void *context, allocator_t *a, const char *name, size_t *bytes, error_info_t *error) {
  const fixture_t *f = context;
  for (size_t i = 0; i < sizeof f->files / sizeof *f->files; ++i) {
    if (!f->files[i].name || strcmp(f->files[i].name, name) != 0)
      continue;
    *bytes = strlen(f->files[i].text);
    return memcpy(alloc_resize(a, NULL, 0, *bytes + 1), f->files[i].text, *bytes + 1);
  }
  error_set(error, "%s: not found", name);
  return NULL;
}

static const map_t *load_map(fixture_t *f, const char *level) {
  map_source_t source = {.context = f, .read = read_file};
  map_destroy(f->map);
  f->map = map_read(&f->memory, &source, f->files[0].name, level, &f->error);
  return f->map;
}

static const map_t *load_valid_map(fixture_t *f, const char *level) {
  const map_t *m = load_map(f, level);
  if (!m)
    fail_msg("%s", f->error.text);
  return m;
}

static double find_number(const map_properties_t *p, const char *name) {
  for (uint32_t i = 0; i < p->count; ++i)
    if (strcmp(p->items[i].name, name) == 0)
      return p->items[i].number;
  fail_msg("there is no %s", name);
  return 0;
}

static void add_file(fixture_t *f, uint32_t i, const char *name, const char *text) {
  f->files[i] = (file_t){name, text};
}

static void assert_map_rejected(fixture_t *f, const char *name, const char *text, const char *why) {
  add_file(f, 0, name, text);
  if (load_map(f, ""))
    fail_msg("%s was taken: %s", name, text);
  if (!strstr(f->error.text, why))
    fail_msg("\"%s\" does not say \"%s\"", f->error.text, why);
}

#define HEAD "\"orientation\":\"orthogonal\",\"width\":2,\"height\":2,\"tilewidth\":16,\"tileheight\":16,"
#define TILESET                                                                                                        \
  "{\"firstgid\":1,\"name\":\"t\",\"image\":\"t.png\",\"tilewidth\":16,\"tileheight\":16,\"columns\":2,"               \
  "\"tilecount\":4,\"margin\":1,\"spacing\":2,\"tiles\":["                                                             \
  "{\"id\":1,\"properties\":[{\"name\":\"solid\",\"type\":\"bool\",\"value\":true}]},"                                 \
  "{\"id\":2,\"animation\":[{\"tileid\":2,\"duration\":100},{\"tileid\":3,\"duration\":50}]}]}"
#define XML_TILESET                                                                                                    \
  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- comment --><tileset version=\"1.10\" name=\"t\" tilewidth=\"16\" " \
  "tileheight=\"16\" tilecount=\"4\" columns=\"2\" margin=\"1\" spacing=\"2\">\n<editorsettings><export "              \
  "target=\".\"/></editorsettings><tileoffset x=\"3\" y=\"-4\"/>"                                                      \
  "<image source=\"t.png\" width=\"37\" height=\"37\"/>\n"                                                             \
  "<tile id=\"1\"><properties><property name=\"solid\" type=\"bool\" value=\"true\"/></properties>"                    \
  "<objectgroup><object id=\"1\" x=\"2\"/></objectgroup></tile>\n"                                                     \
  "<tile id=\"2\"><animation><frame tileid=\"2\" duration=\"100\"/><frame tileid=\"3\" duration=\"50\"/></animation>"  \
  "</tile></tileset>"
#define LAYER(data) "{\"type\":\"tilelayer\",\"name\":\"ground\",\"width\":2,\"height\":2," data "}"
#define MAP(data) "{" HEAD "\"tilesets\":[" TILESET "],\"layers\":[" LAYER(data) "]}"

TEST_IN(tiled_file_is_loaded_with_cells_tiles_and_animations, fixture_t, f) {
  add_file(f, 0, "caves/a.tmj", MAP("\"data\":[1,2147483650,0,3]"));
  const map_t *m = load_valid_map(f, "");
  assert_int_equal(m->columns, 2);
  assert_int_equal(m->rows, 2);
  assert_int_equal(m->tile_width, 16);
  assert_int_equal(m->tile_count, 5);
  assert_string_equal(m->images[0], "caves/t.png"); // relative to the map
  int32_t layer = map_find_layer(m, "ground");
  assert_int_equal(layer, 0);
  const map_layer_t *l = &m->layers[0];
  assert_int_equal(map_cell(l, 0, 0), 1);
  assert_int_equal(map_cell(l, 1, 0), 2 | MAP_FLIP_X);
  assert_int_equal(map_cell(l, 5, 0), 0);
  assert_int_equal(map_cell(l, -1, 0), 0);
  assert_true(map_tile(m, map_cell(l, 1, 0))->solid);
  assert_false(map_tile(m, 1)->solid);
  const map_tile_t *last = map_tile(m, 4); // the tile in the second row and column, after margin and spacing
  assert_int_equal(last->x, 1 + 16 + 2);
  assert_int_equal(last->y, 1 + 16 + 2);
  assert_int_equal(last->width, 16);
  assert_int_equal(map_tile_at(m, 3, 0), 3);
  assert_int_equal(map_tile_at(m, 3, 120), 4);
  assert_int_equal(map_tile_at(m, 3, 150), 3);
  assert_int_equal(map_tile_at(m, 1, 120), 1);
}

TEST_IN(encoded_and_compressed_cells_are_decoded, fixture_t, f) {
  static const char *const ways[] = {
      "\"encoding\":\"base64\",\"data\":\"AQAAAAIAAAADAAAABAAAAA==\"",
      "\"encoding\":\"base64\",\"compression\":\"zlib\",\"data\":\"eJxjZGBgYAJiZiBmAWIAAGAACw==\"",
      "\"encoding\":\"base64\",\"compression\":\"gzip\",\"data\":"
      "\"H4sIAAAAAAAC/2NkYGBgAmJmIGYBYgDv1AWvEAAAAA==\"",
  };
  static const char *const ends[] = {MAP("%s")};
  for (size_t i = 0; i < sizeof ways / sizeof *ways; ++i) {
    char text[2048];
    const char *at = strstr(ends[0], "%s");
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - ends[0]), ends[0], ways[i], at + 2);
    add_file(f, 0, "a.tmj", text);
    const map_t *m = load_valid_map(f, "");
    for (int32_t c = 0; c < 4; ++c)
      assert_int_equal(map_cell(&m->layers[0], c % 2, c / 2), c + 1);
  }
}

TEST_IN(infinite_map_covers_its_chunks, fixture_t, f) {
  add_file(f, 0, "a.tmj",
           MAP("\"chunks\":[{\"x\":-2,\"y\":0,\"width\":2,\"height\":1,\"data\":[1,2]},"
               "{\"x\":0,\"y\":1,\"width\":2,\"height\":1,\"data\":[3,4]}]"));
  const map_t *m = load_valid_map(f, "");
  assert_int_equal(m->left, -2);
  assert_int_equal(m->columns, 4);
  assert_int_equal(m->rows, 2);
  assert_int_equal(map_cell(&m->layers[0], -2, 0), 1);
  assert_int_equal(map_cell(&m->layers[0], 1, 1), 4);
  assert_int_equal(map_cell(&m->layers[0], 0, 0), 0);
}

// A chunk with a tile in its last cell.
#define CHUNK(x, y) "{\"x\":" x ",\"y\":" y ",\"width\":2,\"height\":1,\"data\":[0,1]}"

TEST_IN(chunks_far_apart_take_memory_only_for_their_blocks, fixture_t, f) {
  add_file(f, 0, "a.tmj", MAP("\"chunks\":[" CHUNK("-4000", "-4000") "," CHUNK("3999", "4000") "]"));
  const map_t *m = load_valid_map(f, "");
  assert_true(m->left == -4000 && m->top == -4000 && m->columns == 8001 && m->rows == 8001);
  assert_int_equal(map_cell(&m->layers[0], -3999, -4000), 1);
  assert_int_equal(map_cell(&m->layers[0], 4000, 4000), 1);
  assert_int_equal(map_cell(&m->layers[0], 0, 0), 0);
  assert_int_equal(map_cell(&m->layers[0], 4001, 4000), 0);
  assert_true(f->memory.bytes < 512u << 10); // 64 million cells
  add_file(f, 0, "a.tmj", MAP("\"chunks\":[" CHUNK("-32768", "-32768") "," CHUNK("32766", "32767") "]"));
  m = load_valid_map(f, "");
  assert_int_equal(map_cell(&m->layers[0], 32767, 32767), 1);
  assert_map_rejected(f, "a.tmj", MAP("\"chunks\":[" CHUNK("32767", "0") "]"),
                      "layer 1 \"ground\": columns 32767 to 32768 and rows 0 to 0 are out of range [-32768, 32767]");
}

// Each block of 64 × 64 cells contains a single tile.
TEST_IN(cells_of_all_blocks_are_limited, fixture_t, f) {
  static char text[1 << 19];
  size_t used =
      (size_t)snprintf(text, sizeof text,
                       "{" HEAD "\"tilesets\":[" TILESET "],\"layers\":[{\"type\":\"tilelayer\",\"name\":\"ground\","
                       "\"chunks\":[");
  for (int i = 0; i < 4096; ++i)
    used +=
        (size_t)snprintf(text + used, sizeof text - used, "%s{\"x\":%d,\"y\":%d,\"width\":1,\"height\":1,\"data\":[1]}",
                         i ? "," : "", i % 64 * 64, i / 64 * 64);
  snprintf(text + used, sizeof text - used, "]}]}");
  assert_map_rejected(f, "a.tmj", text, "layer 1 \"ground\": too many cells: at most 16777216 in all blocks");
}

TEST_IN(xml_tileset_gives_the_same_tiles_as_json, fixture_t, f) {
  add_file(f, 0, "a.tmj",
           "{" HEAD
           "\"tilesets\":[{\"firstgid\":1,\"source\":\"sets/t.tsx\"}],\"layers\":[" LAYER("\"data\":[1,2,3,4]") "]}");
  add_file(f, 1, "sets/t.tsx", XML_TILESET);
  const map_t *m = load_valid_map(f, "");
  assert_int_equal(m->tile_count, 5);
  assert_string_equal(m->images[0], "sets/t.png");
  assert_true(map_tile(m, 2)->solid);
  assert_false(map_tile(m, 1)->solid);
  assert_int_equal(map_tile(m, 3)->frame_count, 2);
  const map_tile_t *last = map_tile(m, 4);
  assert_int_equal(last->x, 1 + 16 + 2);
  assert_int_equal(last->y, 1 + 16 + 2);
  assert_true(last->offset_x == 3 && last->offset_y == -4);
}

#define A16 "<a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a>"

TEST_IN(invalid_xml_tilesets_are_rejected_with_their_line, fixture_t, f) {
  static const char *const files[][2] = {
      {"<tileset\n", "t.tsx:1: invalid tileset: unclosed token"},
      {"<map/>", "t.tsx:1: invalid tileset: expected the root element <tileset>, got <map>"},
      {"<!DOCTYPE tileset [<!ENTITY a \"aaaa\">]>\n<tileset/>",
       "declarations in a DOCTYPE are not supported: remove [ … ] from the DOCTYPE"},
      {"<tileset tilewidth=\"wide\" tileheight=\"1\"/>", "tilewidth"},
      {"<tileset tilewidth=\"1\" tileheight=\"1\" tilecount=\"999999\"/>", "tilecount"},
      {"<tileset>" A16 A16 A16 A16, "nested too deeply (at most 64 levels)"},
      {"", "no element found"},
  };
  for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
    add_file(f, 1, "t.tsx", files[i][0]);
    assert_map_rejected(f, "a.tmj", "{" HEAD "\"layers\":[],\"tilesets\":[{\"firstgid\":1,\"source\":\"t.tsx\"}]}",
                        files[i][1]);
  }
}

TEST_IN(external_tileset_is_loaded_relative_to_the_map, fixture_t, f) {
  add_file(f, 0, "maps/a.tmj",
           "{" HEAD "\"tilesets\":[{\"firstgid\":1,\"source\":\"../sets/t.tsj\"}],\"layers\":[" LAYER(
               "\"data\":[1,2,3,4]") "]}");
  add_file(f, 1, "sets/t.tsj", TILESET);
  const map_t *m = load_valid_map(f, "");
  assert_string_equal(m->images[0], "sets/t.png"); // relative to the tileset
  assert_int_equal(m->file_count, 2);
  assert_string_equal(m->files[1], "sets/t.tsj");
  f->files[1] = (file_t){0};
  m = load_map(f, "");
  assert_true(m && m->warning_count == 2); // the tileset, and the cells
  assert_string_equal(m->warnings[0], "maps/a.tmj: tileset 1: skipped the tileset: sets/t.tsj: not found");
}

TEST_IN(map_objects_have_position_class_and_properties, fixture_t, f) {
  add_file(
      f, 0, "a.tmj",
      "{" HEAD "\"tilesets\":[" TILESET "],\"layers\":[" LAYER(
          "\"data\":[0,0,0,0]") ",{\"type\":\"objectgroup\",\"name\":\"things\",\"offsetx\":100,\"objects\":["
                                "{\"id\":7,\"name\":\"boss\",\"type\":\"tank\",\"x\":10,\"y\":20,\"width\":8,"
                                "\"height\":4,\"rotation\":0,"
                                "\"properties\":[{\"name\":\"health\",\"type\":\"class\",\"value\":{\"hp\":3}},"
                                "{\"name\":\"gun.heat\",\"type\":\"float\",\"value\":0.5},{\"name\":\"foe\",\"type\":"
                                "\"object\",\"value\":8}]},"
                                "{\"id\":8,\"class\":\"crab\",\"gid\":2,\"x\":0,\"y\":16,\"width\":16,\"height\":16},"
                                "{\"id\":9,\"polygon\":[{\"x\":0,\"y\":0},{\"x\":5,\"y\":1.5}],\"x\":1,\"y\":2}]},"
                                "{\"type\":\"tilelayer\",\"name\":\"roof\",\"width\":2,\"height\":2,\"data\":[0,0,0,0]}"
                                "]}");
  const map_t *m = load_valid_map(f, "");
  assert_int_equal(m->object_count, 3);
  const map_object_t *o = m->objects;
  assert_string_equal(o[0].class_name, "tank");
  assert_true(o[0].x == 114 && o[0].y == 22); // the object's centre, moved by its layer's offset
  assert_true(find_number(&o[0].properties, "health.hp") == 3);
  assert_true(find_number(&o[0].properties, "gun.heat") == 0.5);
  assert_true(find_number(&o[0].properties, "foe") == 8);
  assert_true(o[1].x == 108 && o[1].y == 8); // a tile object is anchored at its bottom
  assert_string_equal(o[2].points, "0,0 5,1.5");
  assert_int_equal(m->layers[0].order, -1); // drawn before the objects
  assert_int_equal(m->layers[2].order, 1);  // drawn after the objects
}

#define LDTK                                                                                                           \
  "{\"defs\":{\"tilesets\":[{\"uid\":5,\"identifier\":\"T\",\"relPath\":\"t.png\",\"pxWid\":32,\"pxHei\":32,"          \
  "\"tileGridSize\":16,\"spacing\":0,\"padding\":0,\"customData\":[],\"enumTags\":[{\"enumValueId\":\"solid\","        \
  "\"tileIds\":[3]}]}],\"layers\":[{\"uid\":1,\"intGridValues\":[{\"value\":1,\"identifier\":\"solid\"}]}]},"          \
  "\"levels\":[{\"identifier\":\"One\",\"layerInstances\":["                                                           \
  "{\"__identifier\":\"Things\",\"__type\":\"Entities\",\"__cWid\":2,\"__cHei\":2,\"__gridSize\":16,"                  \
  "\"entityInstances\":[{\"__identifier\":\"crab\",\"iid\":\"abc\",\"px\":[16,32],\"__pivot\":[0.5,1],"                \
  "\"width\":16,\"height\":16,\"fieldInstances\":[{\"__identifier\":\"health__hp\",\"__type\":\"Int\","                \
  "\"__value\":4},{\"__identifier\":\"name\",\"__type\":\"String\",\"__value\":\"ann\"}]}]},"                          \
  "{\"__identifier\":\"Walls\",\"__type\":\"IntGrid\",\"layerDefUid\":1,\"__cWid\":2,\"__cHei\":2,"                    \
  "\"__gridSize\":16,\"__tilesetDefUid\":5,\"intGridCsv\":[0,1,0,0],\"autoLayerTiles\":["                              \
  "{\"px\":[16,0],\"t\":3,\"f\":1},{\"px\":[16,0],\"t\":1,\"f\":0}]}]}]}"

TEST_IN(ldtk_level_gives_layers_tiles_and_objects, fixture_t, f) {
  add_file(f, 0, "w.ldtk", LDTK);
  const map_t *m = load_valid_map(f, "One");
  int32_t walls = map_find_layer(m, "Walls"), drawn = map_find_layer(m, "Walls_tiles");
  // the second layer contains the upper tile of cells with two tiles
  assert_true(walls >= 0 && drawn >= 0 && map_find_layer(m, "Walls_tiles#2") >= 0);
  assert_true(map_tile(m, map_cell(&m->layers[walls], 1, 0))->solid);
  assert_int_equal(map_tile(m, map_cell(&m->layers[walls], 1, 0))->image, MAP_NO_IMAGE);
  assert_true((map_cell(&m->layers[drawn], 1, 0) & MAP_FLIP_X) != 0);
  assert_true(map_tile(m, map_cell(&m->layers[drawn], 1, 0))->solid);
  assert_string_equal(m->objects[0].name, "ann");
  assert_true(m->objects[0].x == 16 && m->objects[0].y == 24);
  assert_true(find_number(&m->objects[0].properties, "health.hp") == 4);
  assert_null(load_map(f, "Two"));
  assert_non_null(strstr(f->error.text, "w.ldtk: unknown level \"Two\""));
  assert_null(load_map(f, "Oen"));
  assert_non_null(strstr(f->error.text, "w.ldtk: unknown level \"Oen\": did you mean One?"));
}

#define SCENERY(layers)                                                                                                \
  "{" HEAD "\"parallaxoriginx\":100,\"parallaxoriginy\":-8,\"tilesets\":[" TILESET "],\"layers\":[" layers "]}"

TEST_IN(image_layers_and_parallax_are_loaded, fixture_t, f) {
  add_file(f, 0, "caves/a.tmj",
           SCENERY("{\"type\":\"group\",\"parallaxx\":0.5,\"offsetx\":4,\"layers\":["
                   "{\"type\":\"imagelayer\",\"name\":\"sky\",\"image\":\"sky.png\",\"repeatx\":true,\"offsety\":3,"
                   "\"parallaxx\":0.5,\"parallaxy\":0,\"opacity\":0.25}]},"
                   "{\"type\":\"imagelayer\",\"name\":\"empty\"}"));
  const map_t *m = load_valid_map(f, "");
  assert_int_equal(m->layer_count, 2);
  const map_layer_t *l = &m->layers[0];
  assert_int_equal(l->kind, MAP_LAYER_IMAGE);
  assert_string_equal(m->images[l->image], "caves/sky.png");
  assert_true(l->repeat[0] && !l->repeat[1]);
  assert_true(l->x == 4 && l->y == 3 && l->colour[3] == 0.25f);
  // each factor is the product of the group's and the layer's factors
  assert_true(l->parallax[0] == 0.25f && l->parallax[1] == 0);
  assert_true(m->parallax_origin[0] == 100 && m->parallax_origin[1] == -8);
  assert_int_equal(m->layers[1].image, MAP_NO_IMAGE);
  assert_true(m->layers[1].parallax[0] == 1 && m->layers[1].parallax[1] == 1);
}

TEST_IN(tile_objects_without_a_class_are_drawn_as_pictures, fixture_t, f) {
  const char *objects = "{\"id\":1,\"gid\":2,\"x\":0,\"y\":64,\"width\":16,\"height\":16},"
                        "{\"id\":2,\"gid\":2,\"x\":0,\"y\":32,\"width\":32,\"height\":32},"
                        "{\"id\":3,\"gid\":2,\"x\":0,\"y\":48,\"width\":16,\"height\":16,\"class\":\"coin\"},"
                        "{\"id\":4,\"gid\":2,\"x\":0,\"y\":48,\"width\":16,\"height\":16,\"visible\":false},"
                        "{\"id\":5,\"x\":0,\"y\":48,\"width\":16,\"height\":16}";
  for (int by_index = 0; by_index < 2; ++by_index) {
    char text[4096];
    snprintf(text, sizeof text,
             "{" HEAD "\"tilesets\":[" TILESET "],\"layers\":[{\"type\":\"objectgroup\",%s\"objects\":[%s]}]}",
             by_index ? "\"draworder\":\"index\"," : "", objects);
    add_file(f, 0, "a.tmj", text);
    const map_t *m = load_valid_map(f, "");
    const map_layer_t *l = &m->layers[0];
    assert_int_equal(l->drawn_count, 2);
    assert_int_equal(m->objects[l->drawn[0]].id, by_index ? 1 : 2); // ordered by index, or by ascending y
    assert_int_equal(m->objects[l->drawn[1]].id, by_index ? 2 : 1);
  }
}

TEST_IN(invalid_map_error_names_its_location, fixture_t, f) {
  assert_map_rejected(f, "a.png", "{}", "the name of a map must end with");
  assert_map_rejected(f, "a.tmj", "{", "a.tmj:1: invalid JSON");
  assert_map_rejected(f, "a.tmj", "[]", "a map must be a JSON object");
  assert_map_rejected(f, "a.tmj", "{}", "\"layers\" must be a list");
  assert_map_rejected(f, "a.tmj", "{\"orientation\":\"isometric\",\"layers\":[]}", "isometric");
  assert_map_rejected(f, "a.tmj", MAP("\"data\":[1,2,3]"), "layer 1 \"ground\": expected 4 cells, got 3");
  assert_map_rejected(f, "a.tmj", MAP("\"data\":[1,2,3,-1]"), "cell 4 must be a tile number");
  assert_map_rejected(f, "a.tmj", MAP("\"data\":\"!!\""), "damaged");
  assert_map_rejected(f, "a.tmj", MAP("\"compression\":\"lzma\",\"data\":\"AQAA\""), "unknown compression \"lzma\"");
  assert_map_rejected(f, "a.tmj",
                      MAP("\"chunks\":[{\"x\":-999999,\"y\":-999999,\"width\":1,\"height\":1,\"data\":[1]},"
                          "{\"x\":999999,\"y\":999999,\"width\":1,\"height\":1,\"data\":[1]}]"),
                      "out of range [-32768, 32767]");
  assert_map_rejected(f, "a.tmj",
                      "{" HEAD "\"layers\":[],\"tilesets\":[{\"firstgid\":1,\"tilecount\":999999,\"tilewidth\":1,"
                      "\"tileheight\":1}]}",
                      "tilecount");
  assert_map_rejected(f, "a.tmj", SCENERY("{\"type\":\"imagelayer\",\"name\":\"sky\",\"parallaxx\":\"far\"}"),
                      "parallaxx");
  assert_map_rejected(f, "a.ldtk", "{}", "not an LDtk project");
  assert_map_rejected(f, "a.ldtk", "{\"defs\":{},\"levels\":[]}", "no level");
}
