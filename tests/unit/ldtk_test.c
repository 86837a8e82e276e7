// LDtk projects: each row of the table in docs/levels.md, supported or skipped with a warning.
#include "tiles/map.h"
#include "test.h"

#include "../cpu_time.h"
#include "../slowdown.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct fixture_t {
  allocator_t memory;
  const char *text;
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
  (void)name, (void)error;
  *bytes = strlen(f->text);
  return memcpy(alloc_resize(a, NULL, 0, *bytes + 1), f->text, *bytes + 1);
}

// Loads a project with double quotes instead of single ones.
static const map_t *load(fixture_t *f, const char *text) {
  static char quoted[1 << 16];
  map_source_t source = {.context = f, .read = read_file};
  snprintf(quoted, sizeof quoted, "%s", text);
  for (char *c = quoted; *c; ++c)
    *c = *c == '\'' ? '"' : *c;
  f->text = quoted;
  map_destroy(f->map);
  f->map = map_read(&f->memory, &source, "maps/w.ldtk", "", &f->error);
  if (!f->map)
    fail_msg("%s", f->error.text);
  return f->map;
}

static void assert_warning(const fixture_t *f, const char *text) {
  for (uint32_t i = 0; i < f->map->warning_count; ++i)
    if (strstr(f->map->warnings[i], text))
      return;
  fail_msg("no warning contains \"%s\"; the first of %u: %s", text, f->map->warning_count,
           f->map->warning_count ? f->map->warnings[0] : "");
}

static const map_property_t *find_field(const map_t *m, const char *name) {
  for (uint32_t i = 0; m->object_count > 0 && i < m->objects[0].properties.count; ++i)
    if (strcmp(m->objects[0].properties.items[i].name, name) == 0)
      return &m->objects[0].properties.items[i];
  return NULL;
}

#define TILESET(more)                                                                                                  \
  "{'uid':5,'identifier':'T','relPath':'t.png','pxWid':32,'pxHei':32,'tileGridSize':16,'spacing':0,'padding':0,"       \
  "'customData':[],'enumTags':[]" more "}"
#define VALUES "'intGridValues':[{'value':1,'identifier':'solid'}]"
#define LAYER_DEFINITION(more) "{'uid':1" more "}"
#define PROJECT(tilesets, definitions, level, layers)                                                                  \
  "{'defs':{'tilesets':[" tilesets "],'layers':[" definitions "],'entities':[{'fieldDefs':[{'uid':7,"                  \
  "'editorDisplayMode':'PointPathLoop'}]}]},'levels':[{'identifier':'One','iid':'one','pxWid':32,'pxHei':64" level     \
  ",'layerInstances':[" layers "]}]}"
#define LAYER(name, type, side, more)                                                                                  \
  "{'__identifier':'" name "','__type':'" type "','layerDefUid':1,'__cWid':2,'__cHei':2,'__gridSize':" side            \
  ",'__tilesetDefUid':5" more "}"
#define TILES(tiles) LAYER("Walls", "Tiles", "16", ",'gridTiles':[" tiles "]")
#define INTGRID(name, side, cells) LAYER(name, "IntGrid", side, ",'intGridCsv':[" cells "],'autoLayerTiles':[]")
#define ENTITY(fields)                                                                                                 \
  LAYER("Things", "Entities", "16",                                                                                    \
        ",'entityInstances':[{'__identifier':'crab','iid':'abc','px':[8,8],'__pivot':[0.5,0.5],'width':16,"            \
        "'height':16,'fieldInstances':[" fields "]}]")
#define FIELD(name, type, value) "{'__identifier':'" name "','__type':'" type "','defUid':7,'__value':" value "}"
#define ONE_TILE "{'px':[16,0],'t':3,'f':0}"

// Details that the reader skips, with their warnings.
static const struct {
  const char *text, *warning;
} skipped_rows[] = {
    {PROJECT("{'uid':5,'identifier':'T','relPath':null,'embedAtlas':'LdtkIcons','pxWid':32,'pxHei':32,"
             "'tileGridSize':16}",
             LAYER_DEFINITION(), "", TILES(ONE_TILE)),
     "maps/w.ldtk: tileset \"T\": its tiles are not drawn: LdtkIcons is an image inside LDtk"},
    {PROJECT("{'uid':5,'identifier':'T','relPath':'/t.png','pxWid':32,'pxHei':32,'tileGridSize':16}",
             LAYER_DEFINITION(), "", TILES(ONE_TILE)),
     "tileset \"T\": skipped the image: invalid file name \"/t.png\""},
    {PROJECT("{'uid':5,'identifier':'T','relPath':'../../t.png','pxWid':32,'pxHei':32,'tileGridSize':16}",
             LAYER_DEFINITION(), "", TILES(ONE_TILE)),
     "outside assets/"},
    {PROJECT("{'uid':5,'identifier':'T','relPath':'t.png','pxWid':32000,'pxHei':32000,'tileGridSize':16}",
             LAYER_DEFINITION(), "", TILES(ONE_TILE)),
     "tileset \"T\": the tileset is skipped: it has 4000000 tiles"},
    {PROJECT("{'uid':5,'relPath':'t.png','pxWid':32,'pxHei':32,'tileGridSize':16,'enumTags':[{'enumValueId':'solid',"
             "'tileIds':[9]}]}",
             LAYER_DEFINITION(), "", TILES(ONE_TILE)),
     "enum tags of tile 9 are skipped: the tileset has 4 tiles"},
    {PROJECT("{'uid':5,'relPath':'t.png','pxWid':32,'pxHei':32,'tileGridSize':16,'customData':[{'tileId':1,"
             "'data':'{solid'}]}",
             LAYER_DEFINITION(), "", TILES(ONE_TILE)),
     "custom data of tile 1 are skipped: invalid JSON"},
    {PROJECT("", LAYER_DEFINITION(), "", TILES(ONE_TILE)), "layer \"Walls\": its tiles are skipped: the layer has no"},
    {PROJECT(TILESET(), LAYER_DEFINITION(), "", TILES("{'px':[0,0],'t':4,'f':0}," ONE_TILE)),
     "layer \"Walls\": tile 4 is skipped: the tileset has 4 tiles"},
    {PROJECT(TILESET(), LAYER_DEFINITION(), "", TILES("{'px':[0,-16],'t':1,'f':0}," ONE_TILE)),
     "the tile at 0, -16 px is skipped: it is outside the layer"},
    {PROJECT(TILESET(), LAYER_DEFINITION(), "", TILES("{'px':[3,0],'t':1,'f':0}," ONE_TILE)),
     "the tile at 3, 0 px is drawn in its cell"},
    {PROJECT(TILESET(), LAYER_DEFINITION(), "", TILES("{'px':[0,0],'t':1,'f':0,'a':0.5}," ONE_TILE)),
     "tile 1 is drawn opaque"},
    {PROJECT(TILESET(), LAYER_DEFINITION(), "",
             TILES(ONE_TILE "," ONE_TILE "," ONE_TILE "," ONE_TILE "," ONE_TILE "," ONE_TILE "," ONE_TILE "," ONE_TILE
                            "," ONE_TILE "," ONE_TILE "," ONE_TILE "," ONE_TILE "," ONE_TILE "," ONE_TILE "," ONE_TILE
                            "," ONE_TILE "," ONE_TILE)),
     "a tile is skipped: its cell already has 16 tiles"},
    {PROJECT(TILESET(), LAYER_DEFINITION("," VALUES), "", INTGRID("Walls", "16", "1,0,0,7")),
     "layer \"Walls\": cell 4 is empty: its value 7 is not declared by the layer"},
    {PROJECT(TILESET(), LAYER_DEFINITION(), "", LAYER("Sun", "Light", "16", "") "," TILES(ONE_TILE)),
     "layer \"Sun\": the layer is skipped: unknown type \"Light\""},
    {PROJECT(TILESET(), LAYER_DEFINITION(",'parallaxFactorX':0.25"), "", TILES(ONE_TILE)),
     "layer \"Walls\": scaling by parallax is skipped"},
    {PROJECT(TILESET(), LAYER_DEFINITION(",'parallaxFactorX':0.25,'parallaxScaling':false"), "", ENTITY("")),
     "layer \"Things\": the parallax of an entity layer is skipped"},
    {PROJECT(TILESET(), LAYER_DEFINITION(),
             ",'bgRelPath':'/sky.png','__bgPos':{'cropRect':[0,0,8,8],'scale':[1,1],"
             "'topLeftPx':[0,0]}",
             TILES(ONE_TILE)),
     "level \"One\": skipped the background image: invalid file name \"/sky.png\""},
    {PROJECT(TILESET(), LAYER_DEFINITION(),
             ",'bgRelPath':'sky.png','bgPos':'Repeat','__bgPos':{'cropRect':[0,0,8,8],"
             "'scale':[1,1],'topLeftPx':[0,0]}",
             TILES(ONE_TILE)),
     "level \"One\": the background image is drawn once"},
    {PROJECT("", LAYER_DEFINITION(), "",
             ENTITY(FIELD("foe", "EntityRef", "{'entityIid':'x','levelIid':'two','layerIid':'l','worldIid':'w'}"))),
     "layer \"Things\": entity crab: field \"foe\" is empty: it refers to an entity in a different level"},
    {PROJECT("", LAYER_DEFINITION(), "", ENTITY(FIELD("icons", "Array<Tile>", "[{'tilesetUid':5,'x':0,'y':0}]"))),
     "entity crab: field \"icons\" of type Array<Tile> is skipped: tiles of fields are not supported"},
    {PROJECT("", LAYER_DEFINITION(), "", ENTITY(FIELD("icon", "Tile", "{'tilesetUid':5,'x':0,'y':0,'w':8,'h':8}"))),
     "entity crab: field \"icon\" of type Tile is skipped"},
    {PROJECT("", LAYER_DEFINITION(), "", ENTITY(FIELD("image", "FilePath", "'C:/a.png'"))), "invalid file name \"C:/a"},
    {PROJECT(
         "", LAYER_DEFINITION(), "",
         ENTITY(FIELD("a", "Array<Point>", "[{'cx':1,'cy':0}]") "," FIELD("b", "Array<Point>", "[{'cx':1,'cy':0}]"))),
     "field \"b\" of type Array<Point> is skipped: an entity can have only one list of points"},
    {PROJECT("", LAYER_DEFINITION(), ",'fieldInstances':[" FIELD("spot", "Point", "{'cx':1,'cy':0}") "]", ENTITY("")),
     "field \"spot\" of type Point is skipped: points of a level have no grid"},
};

// The map is loaded, and one warning names the detail.
TEST_IN(skipped_details_cause_one_warning, fixture_t, f) {
  for (size_t i = 0; i < sizeof skipped_rows / sizeof *skipped_rows; ++i) {
    const map_t *m = load(f, skipped_rows[i].text);
    assert_warning(f, skipped_rows[i].warning);
    assert_int_equal(m->warning_count, 1);
    assert_true(m->layer_count > 0 && (m->object_count > 0 || m->tile_count > 1 || m->layers[0].columns == 2));
  }
}

TEST_IN(equal_problems_in_a_layer_cause_one_warning, fixture_t, f) {
  const map_t *m =
      load(f, PROJECT(TILESET(), LAYER_DEFINITION(), "",
                      TILES("{'px':[0,0],'t':4,'f':0},{'px':[0,0],'t':5,'f':0},{'px':[0,16],'t':1,'f':0}")));
  assert_int_equal(m->warning_count, 1);
  assert_non_null(strstr(m->warnings[0], "(and 1 more)"));
  assert_true(map_cell(&m->layers[0], 0, 1) == 2); // tile 1 of the tileset, which begins at tile 1 of the map
}

#define ALL_FIELDS                                                                                                     \
  "{'__identifier':'health__hp','__type':'Int','__value':4},"                                                          \
  "{'__identifier':'open','__type':'Bool','__value':true},"                                                            \
  "{'__identifier':'tint','__type':'Color','__value':'#FF0000'},"                                                      \
  "{'__identifier':'mood','__type':'LocalEnum.Mood','__value':'Angry'},"                                               \
  "{'__identifier':'image','__type':'FilePath','__value':'../hero.png'},"                                              \
  "{'__identifier':'spot','__type':'Point','__value':{'cx':2,'cy':1}},"                                                \
  "{'__identifier':'foe','__type':'EntityRef','__value':{'entityIid':'x','levelIid':'one'}},"                          \
  "{'__identifier':'empty','__type':'Float','__value':null},"                                                          \
  "{'__identifier':'none','__type':'EntityRef','__value':null},"                                                       \
  "{'__identifier':'list','__type':'Array<Int>','__value':[]},"                                                        \
  "{'__identifier':'note','__type':'Multilines','__value':'a'}"

TEST_IN(fields_become_properties, fixture_t, f) {
  const map_t *m = load(f, PROJECT("", LAYER_DEFINITION(), "", ENTITY(ALL_FIELDS)));
  assert_int_equal(m->warning_count, 0);
  assert_true(find_field(m, "health.hp")->number == 4);
  assert_int_equal(find_field(m, "open")->type, MAP_BOOL);
  assert_int_equal(find_field(m, "tint")->type, MAP_COLOUR);
  assert_string_equal(find_field(m, "mood")->text, "Angry");
  assert_string_equal(find_field(m, "image")->text, "hero.png"); // relative to assets/
  assert_int_equal(find_field(m, "spot")->type, MAP_POSITION);
  assert_string_equal(find_field(m, "spot")->text, "40,24"); // the cell's centre
  assert_true(find_field(m, "foe")->number != 0);
  assert_string_equal(find_field(m, "note")->text, "a");
  assert_true(!find_field(m, "empty") && !find_field(m, "none") && !find_field(m, "list"));
}

TEST_IN(arrays_become_lists, fixture_t, f) {
  const map_t *m = load(
      f, PROJECT("", LAYER_DEFINITION(), "",
                 ENTITY(FIELD("loot", "Array<Int>", "[3,null,5]") "," FIELD(
                     "moods", "Array<LocalEnum.Mood>",
                     "['Calm']") "," FIELD("pals", "Array<EntityRef>", "[null,{'entityIid':'x','levelIid':'one'}]"))));
  assert_int_equal(m->warning_count, 0);
  const map_property_t *loot = find_field(m, "loot"), *moods = find_field(m, "moods"), *pals = find_field(m, "pals");
  assert_true(loot->type == MAP_LIST && moods->type == MAP_LIST && pals->type == MAP_LIST);
  assert_int_equal(loot->elements.count, 2); // empty values are left out
  assert_true(loot->elements.items[0].number == 3 && loot->elements.items[1].number == 5);
  assert_string_equal(moods->elements.items[0].text, "Calm");
  assert_int_equal(pals->elements.count, 2);
  assert_true(pals->elements.items[0].type == MAP_OBJECT && pals->elements.items[0].number == 0);
  assert_true(pals->elements.items[1].type == MAP_OBJECT && pals->elements.items[1].number != 0);
}

TEST_IN(references_into_other_levels_are_empty, fixture_t, f) {
  const map_t *m = load(f, PROJECT("", LAYER_DEFINITION(), "",
                                   ENTITY(FIELD("foe", "EntityRef", "{'entityIid':'x','levelIid':'two'}") "," FIELD(
                                       "pal", "EntityRef", "{'entityIid':'y','levelIid':'two'}"))));
  assert_int_equal(m->warning_count, 1);
  assert_non_null(strstr(m->warnings[0], "field \"foe\" is empty"));
  assert_int_equal(find_field(m, "foe")->type, MAP_OBJECT);
  assert_true(find_field(m, "foe")->number == 0 && find_field(m, "pal")->number == 0);
}

TEST_IN(point_lists_become_lines_and_polygons, fixture_t, f) {
  const map_t *m = load(f, PROJECT("", LAYER_DEFINITION(), "",
                                   ENTITY(FIELD("route", "Array<Point>", "[{'cx':1,'cy':0},{'cx':1,'cy':1}]"))));
  assert_int_equal(m->warning_count, 0);
  assert_int_equal(m->objects[0].shape, MAP_POLYGON); // displayed as a loop
  assert_string_equal(m->objects[0].points, "0,0 16,0 16,16");
}

TEST_IN(entities_without_iid_have_different_ids, fixture_t, f) {
  const map_t *m = load(f, PROJECT("", LAYER_DEFINITION(), "",
                                   LAYER("Things", "Entities", "16",
                                         ",'entityInstances':[{'__identifier':'crab','px':[8,8]},"
                                         "{'__identifier':'crab','px':[24,8]}]")));
  assert_int_equal(m->object_count, 2);
  assert_int_not_equal(m->objects[0].id, m->objects[1].id);
}

TEST_IN(one_grid_is_solid_and_all_other_grids_are_only_drawn, fixture_t, f) {
  const map_t *m =
      load(f, PROJECT(TILESET(), LAYER_DEFINITION() ",{'uid':2," VALUES "}", "",
                      LAYER("Fine", "Tiles", "8",
                            ",'gridTiles':[{'px':[8,8],'t':0,'f':0}]") ",{'__identifier':'Walls','__type':'IntGrid','"
                                                                       "layerDefUid':2,'__cWid':2,'__cHei':2,"
                                                                       "'__gridSize':16,'intGridCsv':[1,0,0,0],'"
                                                                       "autoLayerTiles':[]}"));
  const map_layer_t *fine = &m->layers[map_find_layer(m, "Fine")], *walls = &m->layers[map_find_layer(m, "Walls")];
  assert_int_equal(m->warning_count, 0);
  assert_int_equal(m->tile_width, 16);
  assert_true(walls->physical && !fine->physical);
  assert_true(fine->cell_width == 8 && walls->cell_width == 16);
  assert_true(m->columns == 2 && m->rows == 2);
  assert_true(map_cell(fine, 1, 1) != 0);
  // without solid cells, the first layer in the editor is physical
  m = load(f, PROJECT(TILESET(), LAYER_DEFINITION(), "",
                      LAYER("Fine", "Tiles", "8", ",'gridTiles':[]") "," TILES(ONE_TILE)));
  assert_true(m->tile_width == 8 && m->layers[map_find_layer(m, "Fine")].physical);
  // solid tiles decide before the order, and solid values before solid tiles
  m = load(f,
           PROJECT(TILESET(",'customData':[{'tileId':3,'data':'{\\'one_way\\':true}'}]"), LAYER_DEFINITION(), "",
                   LAYER("Fine", "AutoLayer", "8", ",'__tilesetDefUid':null,'autoLayerTiles':[]") "," TILES(ONE_TILE)));
  assert_int_equal(m->tile_width, 16);
}

TEST_IN(solid_cells_of_a_different_grid_are_reported, fixture_t, f) {
  const map_t *m = load(f, PROJECT("", LAYER_DEFINITION("," VALUES), "",
                                   INTGRID("Walls", "16", "1,0,0,0") "," INTGRID("Fine", "8", "0,0,0,1")));
  assert_int_equal(m->tile_width, 16);
  assert_int_equal(m->warning_count, 1);
  assert_warning(f, "layer \"Fine\": its cells of 8 px are drawn, but not solid: solid cells of this level have 16 px");
}

// A tile whose size differs from its cell's begins at the cell's top left corner in LDtk, and at its bottom left in
// Shoal.
TEST_IN(tiles_larger_than_cells_are_aligned_by_the_pivot, fixture_t, f) {
  const map_t *m = load(f, PROJECT("{'uid':5,'relPath':'t.png','pxWid':32,'pxHei':32,'tileGridSize':32}",
                                   LAYER_DEFINITION(), "", TILES("{'px':[0,0],'t':0,'f':0}")));
  assert_true(m->tiles[1].offset_x == 0 && m->tiles[1].offset_y == 16);
  m = load(f, PROJECT("{'uid':5,'relPath':'t.png','pxWid':32,'pxHei':32,'tileGridSize':32}",
                      LAYER_DEFINITION(",'tilePivotX':0.5,'tilePivotY':1"), "", TILES("{'px':[0,0],'t':0,'f':0}")));
  assert_true(m->tiles[1].offset_x == -8 && m->tiles[1].offset_y == 0);
}

TEST_IN(parallax_is_relative_to_the_middle_of_the_level, fixture_t, f) {
  const map_t *m = load(
      f, PROJECT(TILESET(), LAYER_DEFINITION(",'parallaxFactorX':0.25,'parallaxScaling':false"), "", TILES(ONE_TILE)));
  assert_int_equal(m->warning_count, 0);
  assert_true(m->layers[0].parallax[0] == 0.75f && m->layers[0].parallax[1] == 1);
  assert_true(m->parallax_origin[0] == 16 && m->parallax_origin[1] == 32);
}

TEST_IN(background_image_is_cropped_and_scaled_behind_all_layers, fixture_t, f) {
  const map_t *m = load(f, PROJECT(TILESET(), LAYER_DEFINITION(),
                                   ",'bgRelPath':'sky.png','bgPos':'Cover','__bgPos':{'cropRect':[4,0,8,16],"
                                   "'scale':[2,4],'topLeftPx':[0,0]}",
                                   TILES(ONE_TILE)));
  const map_layer_t *layer = &m->layers[m->layer_count - 1];
  const map_object_t *picture = &m->objects[layer->drawn[0]];
  assert_int_equal(m->warning_count, 0);
  assert_int_equal(layer->order, -1000);
  assert_int_equal(m->layers[0].order, -1); // the same order as without the image
  assert_true(picture->x == 8 && picture->y == 32 && picture->width == 16 && picture->height == 64);
  assert_string_equal(m->images[m->tiles[picture->cell].image], "maps/sky.png");
  assert_int_equal(m->tiles[picture->cell].x, 4);
}

// The tables of large layers exhaust the limit of cells, so that the layer for the second tile of a cell has no cells.
// It must not be used for the third tile. Reading 12 layers of 10^9 empty cells each takes 10 ms on an idle Zen 4 core.
TEST_IN(stacked_tiles_beyond_the_cell_limit_of_a_layer_are_skipped, fixture_t, f) {
  static char text[16384];
  snprintf(text, sizeof text, "%s",
           "{'defs':{'tilesets':[" TILESET() "],'layers':[" LAYER_DEFINITION() "]},'levels':[{"
                                                                               "'identifier':'One','iid':'one','pxWid':"
                                                                               "32,'pxHei':32,'layerInstances':[");
  for (int i = 0; i < 12; ++i)
    snprintf(text + strlen(text), sizeof text - strlen(text),
             "%s{'__identifier':'L%d','__type':'Tiles','layerDefUid':1,'__cWid':32768,'__cHei':32768,'__gridSize':16,"
             "'__tilesetDefUid':5,'gridTiles':[" ONE_TILE "," ONE_TILE "," ONE_TILE "]}",
             i ? "," : "", i);
  snprintf(text + strlen(text), sizeof text - strlen(text), "]}]}");
  double began = get_cpu_ms();
  load(f, text);
  assert_true(get_cpu_ms() - began < 1000 * cpu_slowdown());
  assert_warning(f, "skipped cells: too many cells");
}

TEST_IN(damaged_project_is_rejected, fixture_t, f) {
  map_source_t source = {.context = f, .read = read_file};
  static const char *const rows[] = {"{\"defs\":{},\"levels\":[{\"identifier\":\"One\",\"layerInstances\":[{\"__id",
                                     "{\"defs\":{},\"levels\":[{\"identifier\":\"One\",\"layerInstances\":[{"
                                     "\"__type\":\"IntGrid\",\"__cWid\":2,\"__cHei\":2,\"intGridCsv\":[0]}]}]}"};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    f->text = rows[i];
    assert_null(map_read(&f->memory, &source, "w.ldtk", "", &f->error));
  }
}
