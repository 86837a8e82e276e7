// Tilemaps: tilemap/tilemap.h, store/map_objects.h, render/tile_layers.h.
#include "movement/mover.h"
#include "tilemap/tile_ray.h"
#include "tilemap/tilemap.h"

#include "base/files.h"
#include "components_fixture.h"
#include "temporary_folder.h"
#include "render/frame.h"
#include "snapshot/snapshot.h"
#include "snapshot/state.h"
#include "ecs/world_hash.h"
#include "store/map_objects.h"

#include <stdio.h>

typedef struct level_t {
  fixture_t *f;
  char folder[64];
  assets_t assets;
  maps_o *maps;
} level_t;

#define MAP(data, objects)                                                                                             \
  "{\"width\":40,\"height\":2,\"tilewidth\":16,\"tileheight\":16,\"tilesets\":[{\"firstgid\":1,\"image\":\"t.png\","   \
  "\"tilewidth\":16,\"tileheight\":16,\"columns\":2,\"tilecount\":4}],\"layers\":[{\"type\":\"tilelayer\","            \
  "\"name\":\"ground\",\"width\":3,\"height\":2,\"data\":" data "},{\"type\":\"objectgroup\",\"name\":\"o\","          \
  "\"objects\":[" objects "]}]}"

static void write_asset(level_t *l, const char *name, const char *text) {
  char path[128];
  error_info_t error = {0};
  if (!file_write(path_join(path, sizeof path, l->folder, name), text, strlen(text), &error))
    fail_msg("%s", error.text);
}

static void write_map(level_t *l, const char *text) {
  write_asset(l, "a.tmj", text);
}

SETUP(level_t, l) {
  l->f = fixture_open();
  temporary_folder_create(l->folder, sizeof l->folder, "tilemap");
  snprintf(l->assets.game, sizeof l->assets.game, "%s", l->folder);
  l->maps = maps_create(&l->assets, l->f->log);
  tilemaps_set_maps(l->f->world, l->maps);
  write_map(l, MAP("[1,1,1,2,2,2]", ""));
}

TEARDOWN(level_t, l) {
  char path[128];
  static const char *const names[] = {"a.tmj", "a.tmx", "t.tsx", "rat.tx"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    remove(path_join(path, sizeof path, l->folder, names[i]));
  remove(l->folder);
  maps_destroy(l->maps);
  fixture_close(l->f);
}

static shoal_entity spawn_map(level_t *l) {
  shoal_entity e = place(l->f, 0, 0);
  add(l->f, e, "tilemap");
  set(l->f, e, "tilemap", "map", strings_intern(world_strings(l->f->world), "a.tmj"));
  return e;
}

static double read_cell(level_t *l, shoal_entity e, double x, double y) {
  error_info_t error = {0};
  double c = tilemap_get(l->f->world, e, "ground", x, y, &error);
  if (c < 0)
    fail_msg("%s", error.text);
  return c;
}

static void set_cell(level_t *l, shoal_entity e, double x, double y, double c) {
  error_info_t error = {0};
  if (!tilemap_set(l->f->world, e, "ground", x, y, c, &error))
    fail_msg("%s", error.text);
}

TEST_IN(tilemap_hash_does_not_depend_on_edit_order, level_t, l) {
  shoal_entity e = spawn_map(l);
  uint64_t unset = world_hash(l->f->world);
  set_cell(l, e, 1, 1, 3);
  set_cell(l, e, 3, 2, 4);
  uint64_t hash = world_hash(l->f->world);
  set_cell(l, e, 1, 1, -1);
  set_cell(l, e, 3, 2, -1);
  assert_true(world_hash(l->f->world) == unset);
  set_cell(l, e, 3, 2, 4);
  set_cell(l, e, 1, 1, 3);
  assert_true(world_hash(l->f->world) == hash);
  world_destroy_entity(l->f->world, e);
  assert_null(tilemap_edits(l->f->world, e, "ground"));
}

TEST_IN(damaged_saved_cells_are_skipped_and_logged, level_t, l) {
  shoal_entity e = spawn_map(l);
  for (int x = 1; x <= 3; ++x)
    set_cell(l, e, x, 1, x);
  manager_o *m = manager_of(l->f, "tilemap");
  size_t bytes = m->hooks.save_bytes(m->hooks.context, m);
  uint64_t hash = world_hash(l->f->world);
  uint8_t *good = malloc(bytes), *bad = malloc(bytes);
  m->hooks.save(m->hooks.context, m, good);
  uint32_t random = 1, reports = 0;
  for (uint32_t i = 0; i < 3000; ++i) {
    memcpy(bad, good, bytes);
    for (uint32_t k = 0; k < 1 + i % 3; ++k) {
      random = random * 1664525u + 1013904223u;
      bad[(random >> 8) % bytes] = (uint8_t)(random >> 24);
    }
    random = random * 1664525u + 1013904223u;
    size_t size = i % 4 ? bytes : (random >> 8) % bytes;
    uint32_t before = l->f->line_count;
    uint8_t *exact = malloc(size + 1);
    memcpy(exact, bad, size);
    m->hooks.load(m->hooks.context, l->f->world, m, 1, exact, size);
    free(exact);
    reports += l->f->line_count > before;
    read_cell(l, e, 2, 1);
    world_hash(l->f->world);
  }
  assert_true(reports > 100);
  m->hooks.load(m->hooks.context, l->f->world, m, 1, good, bytes);
  assert_true(read_cell(l, e, 2, 1) == 2 && world_hash(l->f->world) == hash);
  free(good);
  free(bad);
}

TEST_IN(map_reload_keeps_cells_set_by_the_game, level_t, l) {
  error_info_t error = {0};
  shoal_entity e = spawn_map(l);
  set_cell(l, e, 1, 1, 4);
  assert_true(read_cell(l, e, 2, 1) == 1);
  write_map(l, MAP("[3,3,3,3,3,3]", ""));
  assert_int_equal(maps_asset_changed(l->maps, "other.tmj", &error), ASSET_UNUSED);
  assert_true(read_cell(l, e, 2, 1) == 1);
  assert_int_equal(maps_asset_changed(l->maps, "a.tmj", &error), ASSET_RELOADED);
  assert_true(read_cell(l, e, 2, 1) == 3);
  assert_true(read_cell(l, e, 1, 1) == 4);
  write_map(l, "{");
  assert_int_equal(maps_asset_changed(l->maps, "a.tmj", &error), ASSET_KEPT);
  assert_non_null(strstr(error.text, "a.tmj:1: invalid JSON"));
  assert_true(read_cell(l, e, 2, 1) == 3);
}

static void add_line(void *context, const char *line) {
  char *lines = context;
  snprintf(lines + strlen(lines), 2048 - strlen(lines), "%s\n", line);
}

typedef struct follow_t {
  world_o *world;
  char lines[2048];  // log lines about the last change
  char problem[512]; // the last reported problem
  uint32_t problems;
} follow_t;

static void copy_problem(void *context, const char *line) {
  follow_t *x = (follow_t *)(void *)((char *)context - offsetof(follow_t, lines));
  snprintf(x->problem, sizeof x->problem, "%s", line);
  x->problems++;
}

static asset_fate_t change_and_follow(level_t *l, follow_t *x, error_info_t *error) {
  const map_change_t *changes;
  x->lines[0] = '\0';
  asset_fate_t fate = maps_asset_changed(l->maps, "a.tmj", error);
  uint32_t count = maps_changes(l->maps, &changes);
  for (uint32_t i = 0; i < count; ++i)
    map_objects_update(x->world, &(map_objects_update_t){.name = changes[i].name,
                                                         .level = changes[i].level,
                                                         .old_map = changes[i].old_map,
                                                         .new_map = changes[i].new_map,
                                                         .listener = {.log_line = add_line, .context = x->lines},
                                                         .log_problem = copy_problem});
  return fate;
}

static shoal_entity find_entity(level_t *l, const char *name) {
  const manager_o *m = manager_of(l->f, "name");
  uint32_t id = strings_find(world_strings(l->f->world), name);
  for (uint32_t row = 0; row < m->count; ++row)
    if (id && ((const uint32_t *)m->data[0])[row] == id)
      return m->owner[row];
  return 0;
}

#define OBJECT(id, name, x, more) "{\"id\":" id ",\"name\":\"" name "\",\"x\":" x ",\"y\":1" more "}"
#define SECONDS(n) ",\"properties\":[{\"name\":\"lifetime\",\"type\":\"float\",\"value\":" n "}]"

TEST_IN(map_reload_updates_objects_unchanged_by_the_game, level_t, l) {
  error_info_t error = {0};
  follow_t x = {.world = l->f->world};
  allocator_t memory = {0};
  schedule_o *s = schedule_create(&memory);
  write_map(l, MAP("[1,1,1,2,2,2]", OBJECT("1", "a", "5", SECONDS("9")) "," OBJECT(
                                        "2", "b", "6", SECONDS("9")) "," OBJECT("3", "c", "7", "")));
  shoal_entity map = spawn_map(l);
  assert_true(map_objects_schedule(l->f->world, s, &error) && schedule_sort(s, &error));
  schedule_run(s, l->f->world, PHASE_INPUT, 1.0f / 60);
  schedule_run(s, l->f->world, PHASE_INPUT, 1.0f / 60); // a second tick must spawn nothing more
  assert_int_equal(manager_of(l->f, "map_object")->count, 3);
  shoal_entity a = find_entity(l, "a"), b = find_entity(l, "b");
  assert_true(get(l->f, a, "transform", "parent") == map && get(l->f, a, "lifetime", "seconds") == 9);
  set(l->f, b, "transform", "x", 100);
  write_map(l, MAP("[1,1,1,2,2,2]", OBJECT("1", "a", "50", SECONDS("4")) "," OBJECT(
                                        "2", "b", "60", SECONDS("4")) "," OBJECT("4", "d", "70", "")));
  assert_int_equal(change_and_follow(l, &x, &error), ASSET_RELOADED);
  assert_true(get(l->f, a, "transform", "x") == 50 && get(l->f, a, "lifetime", "seconds") == 4);
  assert_true(get(l->f, b, "transform", "x") == 100 && get(l->f, b, "lifetime", "seconds") == 4);
  assert_non_null(strstr(x.lines, "the game has changed it"));
  assert_int_equal(find_entity(l, "c"), 0);
  assert_true(get(l->f, find_entity(l, "d"), "transform", "x") == 70);
  write_map(l, MAP("[1,1,1,2,2,2]", OBJECT("1", "a", "50", ",\"type\":\"crb\"")));
  change_and_follow(l, &x, &error);
  assert_non_null(strstr(x.problem, "a.tmj: object 1 \"a\": unknown assemblage \"crb\""));
  assert_true(find_entity(l, "a") == a && find_entity(l, "d") == 0); // the valid part of the map was applied
  assert_non_null(strstr(x.lines, "a.tmj: objects: 0 spawned, 1 changed, 2 removed"));
  schedule_destroy(s);
}

#define MISTAKEN(seconds, target)                                                                                      \
  MAP("[1,1,1,2,2,2]", OBJECT("1", "a", "5", SECONDS("9")) "," OBJECT("2", "b", "6", LIFETIME(seconds)) "," OBJECT(    \
                           "3", "c", "7", TARGET(target)) "," OBJECT("4", "d", "8", TARGET("1")))
#define LIFETIME(property) ",\"properties\":[{\"name\":\"lifetime." property "}]"
// Object 2 has an unknown class if `type` is set.
#define UNKNOWN_CLASS LIFETIME(RIGHT) ",\"type\":\"crb\""
#define WITH_CLASS(members, target)                                                                                    \
  MAP("[1,1,1,2,2,2]", OBJECT("1", "a", "5", SECONDS("9")) "," OBJECT("2", "b", "6", members) "," OBJECT(              \
                           "3", "c", "7", TARGET(target)) "," OBJECT("4", "d", "8", TARGET("1")))
#define TARGET(id) ",\"properties\":[{\"name\":\"follow.target\",\"type\":\"object\",\"value\":" id "}]"
#define MISSPELT "secnds\",\"type\":\"float\",\"value\":9"
#define OF_WRONG_TYPE "seconds\",\"type\":\"bool\",\"value\":true"
#define RIGHT "seconds\",\"type\":\"float\",\"value\":3"

static uint32_t count_objects(level_t *l) {
  return manager_of(l->f, "map_object")->count;
}

static double get_target(level_t *l, const char *name) {
  return get(l->f, find_entity(l, name), "follow", "target");
}

// Object 2 has a property and a value that are skipped until the file is corrected. The game has destroyed object 1.
TEST_IN(invalid_properties_are_skipped_until_the_file_is_corrected, level_t, l) {
  error_info_t error = {0};
  follow_t x = {.world = l->f->world};
  write_map(l, MISTAKEN(MISSPELT, "2"));
  spawn_map(l);
  map_objects_fill(l->f->world);
  assert_int_equal(count_objects(l), 4);
  assert_non_null(strstr(l->f->line,
                         "a.tmj: object 2 \"b\": skipped lifetime.secnds: lifetime has no field secnds: did "
                         "you mean seconds?"));
  assert_true(get_target(l, "c") == find_entity(l, "b") && get_target(l, "d") == find_entity(l, "a"));
  world_destroy_entity(l->f->world, find_entity(l, "a"));
  write_map(l, MISTAKEN(OF_WRONG_TYPE, "2"));
  change_and_follow(l, &x, &error);
  assert_int_equal(count_objects(l), 3);
  assert_non_null(
      strstr(x.problem, "a.tmj: object 2 \"b\": skipped lifetime.seconds: seconds must be a number, got true"));
  write_map(l, MISTAKEN(RIGHT, "2"));
  change_and_follow(l, &x, &error);
  assert_non_null(strstr(x.lines, "a.tmj: objects: 0 spawned, 1 changed, 0 removed"));
  assert_true(count_objects(l) == 3 && find_entity(l, "a") == 0);
  assert_true(get(l->f, find_entity(l, "b"), "lifetime", "seconds") == 3);
  change_and_follow(l, &x, &error);
  assert_int_equal(count_objects(l), 3);
}

TEST_IN(pending_objects_are_part_of_the_state, level_t, l) {
  error_info_t error = {0};
  follow_t x = {.world = l->f->world};
  allocator_t memory = {0};
  schedule_o *s = schedule_create(&memory);
  snapshot_o *snapshot = snapshot_create(&memory);
  assert_true(map_objects_schedule(l->f->world, s, &error) && schedule_sort(s, &error));
  write_map(l, WITH_CLASS(UNKNOWN_CLASS, "2"));
  spawn_map(l);
  schedule_run(s, l->f->world, PHASE_INPUT, 1.0f / 60);
  assert_true(snapshot_take(snapshot, l->f->world, &error));
  uint64_t hash = world_hash(l->f->world);
  uint32_t lines = l->f->line_count;
  schedule_run(s, l->f->world, PHASE_INPUT, 1.0f / 60);
  assert_true(world_hash(l->f->world) == hash && l->f->line_count == lines);
  write_map(l, WITH_CLASS(LIFETIME(RIGHT), "2"));
  change_and_follow(l, &x, &error);
  assert_true(count_objects(l) == 4 && world_hash(l->f->world) != hash);
  assert_true(snapshot_restore(snapshot, l->f->world, &error));
  assert_true(count_objects(l) == 3 && world_hash(l->f->world) == hash);
  schedule_run(s, l->f->world, PHASE_INPUT, 1.0f / 60);
  assert_true(count_objects(l) == 4 && get_target(l, "c") == find_entity(l, "b"));
  schedule_run(s, l->f->world, PHASE_INPUT, 1.0f / 60);
  assert_int_equal(count_objects(l), 4);
  snapshot_release(snapshot);
  schedule_destroy(s);
}

// A reference that the game has set is kept.
TEST_IN(edit_with_an_invalid_value_applies_the_valid_values, level_t, l) {
  error_info_t error = {0};
  follow_t x = {.world = l->f->world};
  write_map(l, MISTAKEN(RIGHT, "2"));
  spawn_map(l);
  map_objects_fill(l->f->world);
  shoal_entity b = find_entity(l, "b"), d = find_entity(l, "d");
  write_map(l, MAP("[1,1,1,2,2,2]", OBJECT("2", "b", "60", LIFETIME(MISSPELT) ",\"type\":\"crab\"") "," OBJECT(
                                        "4", "d", "8", TARGET("9")) "," OBJECT("9", "e", "8", LIFETIME(MISSPELT))));
  change_and_follow(l, &x, &error);
  assert_true(get(l->f, b, "transform", "x") == 60);
  assert_int_equal(x.problems, 3); // two for b, one for e
  assert_true(get_target(l, "d") == find_entity(l, "e") && find_entity(l, "a") == 0);
  set(l->f, d, "follow", "target", b);
  write_map(l,
            MAP("[1,1,1,2,2,2]", OBJECT("2", "b", "60", LIFETIME(RIGHT)) "," OBJECT("4", "d", "8", TARGET("9")) "," //
                OBJECT("9", "e", "8", LIFETIME(RIGHT)) "," OBJECT("9", "f", "8", "")));
  change_and_follow(l, &x, &error);
  assert_true(get(l->f, b, "lifetime", "seconds") == 3 && get(l->f, find_entity(l, "e"), "lifetime", "seconds") == 3);
  assert_true(get_target(l, "d") == b);
  assert_true(get(l->f, find_entity(l, "f"), "map_object", "id") == 10); // two objects of the file have the id 9
}

#define XML_MAP(layers)                                                                                                \
  "<map width='3' height='1' tilewidth='16' tileheight='16'><tileset firstgid='1' source='t.tsx'/>" layers "</map>"
#define XML_SET(solid)                                                                                                 \
  "<tileset name='t' tilewidth='16' tileheight='16' tilecount='2' columns='2'><image source='t.png' width='32' "       \
  "height='16'/><tile id='0'><properties><property name='solid' type='bool' value='" solid "'/></properties></tile>"   \
  "</tileset>"
#define XML_CELLS "<layer name='ground' width='3' height='1'><data encoding='csv'>1,2,2</data></layer>"
#define XML_OBJECTS "<objectgroup><object id='1' template='rat.tx' x='4' y='4'/></objectgroup>"

static void change_asset(level_t *l, const char *name, const char *text, asset_fate_t expected) {
  error_info_t error = {0};
  write_asset(l, name, text);
  assert_int_equal(maps_asset_changed(l->maps, name, &error), expected);
}

TEST_IN(xml_maps_tilesets_and_templates_are_reloaded, level_t, l) {
  error_info_t error = {0};
  write_asset(l, "t.tsx", XML_SET("false"));
  write_asset(l, "rat.tx", "<template><object name='rat' width='8' height='8'/></template>");
  write_asset(l, "a.tmx", XML_MAP(XML_CELLS XML_OBJECTS));
  shoal_entity e = spawn_map(l);
  set(l->f, e, "tilemap", "map", strings_intern(world_strings(l->f->world), "a.tmx"));
  assert_true(read_cell(l, e, 2, 1) == 2 && tilemap_is_solid(l->f->world, e, 1, 1, &error) == 0);
  map_objects_fill(l->f->world);
  assert_true(get(l->f, find_entity(l, "rat"), "map_object", "width") == 8);
  change_asset(l, "t.tsx", XML_SET("true"), ASSET_RELOADED);
  assert_int_equal(tilemap_is_solid(l->f->world, e, 1, 1, &error), 1);
  change_asset(l, "rat.tx", "<template><object name='rat' width='9' height='8'/></template>", ASSET_RELOADED);
  assert_true(tilemap_map(l->f->world, 0)->objects[0].width == 9);
  change_asset(l, "a.tmx", XML_MAP(XML_CELLS), ASSET_RELOADED);
  assert_int_equal(tilemap_map(l->f->world, 0)->object_count, 0);
  change_asset(l, "a.tmx", "<map width='3'><layer", ASSET_KEPT); // a file that is saved only partly
  assert_int_equal(tilemap_is_solid(l->f->world, e, 1, 1, &error), 1);
}

static image_t image_for_test(void *context, const char *name) {
  (void)context;
  assert_string_equal(name, "t.png");
  return (image_t){.texture = 7, .width = 32, .height = 32};
}

TEST_IN(only_visible_cells_are_drawn_in_one_batch, level_t, l) {
  frame_t frame;
  shoal_entity e = spawn_map(l);
  glyphs_o *glyphs = glyphs_create(NULL);
  frame_init(&frame, glyphs, (image_source_t){.find = image_for_test}, NULL);
  frame_desc_t desc = {.world = l->f->world, .width = 24, .height = 100, .scale_x = 1, .scale_y = 1, .alpha = 1};
  transform_update_child_lists(l->f->world);
  frame_collect(&frame, &desc);
  assert_int_equal(frame.batches.count, 1);
  assert_int_equal(frame.instances.count, 4); // two columns of three cells are visible
  set_cell(l, e, 1, 1, 0);
  frame_collect(&frame, &desc);
  assert_int_equal(frame.instances.count, 3);
  set_cell(l, e, 2, 1, (double)(4 | MAP_FLIP_X));
  frame_collect(&frame, &desc);
  const instance_t *i = &frame.instances.items[0];
  assert_true(i->a[0] == 24 && i->a[1] == 8 && i->a[2] == -8 && i->b[1] == 8); // the centre of a mirrored tile
  assert_true(i->c[0] == 16 && i->c[1] == 16 && i->c[2] == 32 && i->c[3] == 32);
  set(l->f, e, "transform", "x", -1000);
  transform_update_child_lists(l->f->world);
  frame_collect(&frame, &desc);
  assert_int_equal(frame.instances.count, 0);
  frame_fini(&frame);
  glyphs_destroy(glyphs);
}

TEST_IN(image_layers_repeat_with_parallax_and_pictures_are_placed, level_t, l) {
  frame_t frame;
  write_map(l, "{\"tilewidth\":16,\"tileheight\":16,\"tilesets\":[{\"firstgid\":1,\"image\":\"t.png\","
               "\"tilewidth\":16,\"tileheight\":16,\"columns\":2,\"tilecount\":4}],\"layers\":["
               "{\"type\":\"imagelayer\",\"name\":\"sky\",\"image\":\"t.png\",\"repeatx\":true,"
               "\"offsety\":8,\"parallaxx\":0.5},"
               "{\"type\":\"objectgroup\",\"offsetx\":2,\"objects\":[{\"id\":1,\"gid\":2147483650,"
               "\"x\":8,\"y\":40,\"width\":32,\"height\":16}]}]}");
  spawn_map(l);
  glyphs_o *glyphs = glyphs_create(NULL);
  frame_init(&frame, glyphs, (image_source_t){.find = image_for_test}, l->f->log);
  frame_desc_t desc = {.world = l->f->world, .width = 64, .height = 48, .scale_x = 1, .scale_y = 1, .alpha = 1};
  transform_update_child_lists(l->f->world);
  frame_collect(&frame, &desc);
  const instance_t *i = frame.instances.items;
  assert_int_equal(frame.instances.count, 4);
  assert_int_equal(frame.batches.count, 1);
  for (int k = 0; k < 3; ++k) // each copy is offset by half the distance to the picture's centre
    assert_true(i[k].a[0] == (float)(32 * k) && i[k].a[1] == 24 && i[k].a[2] == 16 && i[k].b[1] == 16);
  // the picture is scaled to the size of its object
  assert_true(i[3].a[0] == 26 && i[3].a[1] == 32 && i[3].a[2] == -16 && i[3].b[1] == 8);
  assert_true(i[3].c[0] == 16 && i[3].c[1] == 0 && i[3].c[2] == 32 && i[3].c[3] == 16);
  desc.width = 96;
  desc.margin[0] = 32; // the image continues to the left of the logical screen, whose layers keep their places
  frame_collect(&frame, &desc);
  assert_int_equal(frame.instances.count, 5);
  i = frame.instances.items;
  for (int k = 0; k < 4; ++k)
    assert_true(i[k].a[0] == (float)(32 * k));
  assert_true(i[4].a[0] == 58);
  desc.width = 1000000;
  frame_collect(&frame, &desc);
  assert_int_equal(frame.instances.count, 1); // an image that would repeat too often is skipped
  assert_true(frame.copies_logged);
  frame_fini(&frame);
  glyphs_destroy(glyphs);
}

TEST_IN(background_colour_covers_the_map, level_t, l) {
  frame_t frame;
  write_map(l, "{\"width\":4,\"height\":3,\"tilewidth\":16,\"tileheight\":16,\"backgroundcolor\":\"#ff0000\","
               "\"layers\":[{\"type\":\"objectgroup\"}]}");
  spawn_map(l);
  glyphs_o *glyphs = glyphs_create(NULL);
  frame_init(&frame, glyphs, (image_source_t){.find = image_for_test}, l->f->log);
  frame_desc_t desc = {.world = l->f->world, .width = 640, .height = 480, .scale_x = 1, .scale_y = 1, .alpha = 1};
  transform_update_child_lists(l->f->world);
  frame_collect(&frame, &desc);
  const instance_t *i = frame.instances.items;
  assert_int_equal(frame.instances.count, 1);
  assert_true(i->a[0] == 32 && i->a[1] == 24); // the centre of 4 × 3 cells
  frame_fini(&frame);
  glyphs_destroy(glyphs);
}

// Tiles: 1 empty, 2 a block, 3 passable from below, 4 and 5 slopes up to the right and to the left.
#define GROUND(data)                                                                                                   \
  "{\"tilewidth\":16,\"tileheight\":16,\"tilesets\":[{\"firstgid\":1,\"image\":\"t.png\",\"tilewidth\":16,"            \
  "\"tileheight\":16,\"columns\":5,\"tilecount\":5,\"tiles\":[{\"id\":1,\"properties\":[{\"name\":\"solid\","          \
  "\"value\":"                                                                                                         \
  "true}]},{\"id\":2,\"properties\":[{\"name\":\"one_way\",\"value\":true}]},{\"id\":3,\"properties\":[{\"name\":"     \
  "\"slope_right\",\"value\":1}]},{\"id\":4,\"properties\":[{\"name\":\"slope_left\",\"value\":1}]}]}],\"layers\":"    \
  "[{\"type\":\"tilelayer\",\"name\":\"ground\",\"width\":6,\"height\":3,\"data\":[" data "]}]}"

static shoal_entity spawn_walker(level_t *l, double x, double y) {
  shoal_entity e = place(l->f, x, y);
  add(l->f, e, "body");
  set(l->f, e, "body", "kind", 1);
  set(l->f, e, "body", "width", 8);
  set(l->f, e, "body", "height", 8);
  add(l->f, e, "mover");
  return e;
}

static void move_for_ticks(level_t *l, shoal_entity e, double vx, double fall, int ticks) {
  for (int i = 0; i < ticks; ++i) {
    set(l->f, e, "mover", "vx", vx);
    set(l->f, e, "mover", "vy", get(l->f, e, "mover", "vy") + fall);
    mover_update(l->f->world, 1.0 / 60);
    transform_update_child_lists(l->f->world);
  }
}

TEST_IN(movers_fall_onto_the_floor_and_stop_at_walls, level_t, l) {
  write_map(l, GROUND("2,0,0,0,0,2, 2,0,0,0,0,2, 2,2,2,2,2,2"));
  spawn_map(l);
  shoal_entity e = spawn_walker(l, 40, 8);
  transform_update_child_lists(l->f->world);
  move_for_ticks(l, e, 0, 10, 60);
  assert_near(get(l->f, e, "transform", "y"), 28, 0.01);
  assert_true(get(l->f, e, "mover", "on_floor") == 1 && get(l->f, e, "mover", "vy") == 0);
  move_for_ticks(l, e, 300, 10, 30);
  assert_near(get(l->f, e, "transform", "x"), 76, 0.01);
  assert_true(get(l->f, e, "mover", "on_wall") == 1 && get(l->f, e, "mover", "on_floor") == 1);
  move_for_ticks(l, e, -6000, 10, 3); // a mover faster than one cell per tick must not tunnel
  assert_near(get(l->f, e, "transform", "x"), 20, 0.01);
  set(l->f, e, "mover", "vy", -6000);
  move_for_ticks(l, e, 0, 0, 1);
  assert_true(get(l->f, e, "mover", "on_floor") == 0);
}

TEST_IN(slope_placed_by_the_game_lifts_movers_on_a_map_without_slopes, level_t, l) {
  error_info_t error;
  write_map(l, GROUND("0,0,0,0,0,0, 0,0,0,0,0,0, 2,2,2,2,2,2"));
  shoal_entity map = spawn_map(l), e = spawn_walker(l, 24, 28);
  transform_update_child_lists(l->f->world);
  assert_true(tilemap_set(l->f->world, map, "ground", 4, 2, 4, &error)); // a slope from x = 48 to 64
  move_for_ticks(l, e, 60, 10, 32);
  assert_near(get(l->f, e, "transform", "x"), 56, 0.1);
  assert_near(get(l->f, e, "transform", "y"), 20, 0.2); // half the height of the slope
  assert_true(get(l->f, e, "mover", "on_floor") == 1);
}

TEST_IN(movers_walk_up_and_down_slopes, level_t, l) {
  write_map(l, GROUND("0,0,0,0,0,0, 0,0,4,2,5,0, 2,2,2,2,2,2"));
  spawn_map(l);
  shoal_entity e = spawn_walker(l, 10, 28);
  transform_update_child_lists(l->f->world);
  bool stood = true;
  double highest = 100;
  for (int way = 0; way < 2; ++way) {
    for (int i = 0; i < 90; ++i) {
      move_for_ticks(l, e, way ? -60 : 60, 10, 1);
      stood = stood && (i < 2 || get(l->f, e, "mover", "on_floor") == 1);
      highest = fmin(highest, get(l->f, e, "transform", "y"));
      if (get(l->f, e, "transform", "x") > 86)
        break;
    }
    assert_near(get(l->f, e, "transform", "y"), 28, 0.01);
    assert_true(way ? get(l->f, e, "transform", "x") < 30 : get(l->f, e, "transform", "x") > 86);
  }
  assert_true(stood);
  assert_near(highest, 12, 0.01);
}

TEST_IN(movers_pass_platforms_from_below_and_are_blocked_by_bodies, level_t, l) {
  write_map(l, GROUND("0,0,0,0,0,0, 3,3,3,3,3,3, 2,2,2,2,2,2"));
  spawn_map(l);
  shoal_entity e = spawn_walker(l, 40, 28), other = spawn_walker(l, 60, 12);
  transform_update_child_lists(l->f->world);
  move_for_ticks(l, other, 0, 10, 5);
  assert_near(get(l->f, other, "transform", "y"), 12, 0.01);
  set(l->f, e, "mover", "vy", -300);
  move_for_ticks(l, e, 0, 10, 90);
  assert_near(get(l->f, e, "transform", "y"), 12, 0.01); // passes through the platform, then lands on it
  move_for_ticks(l, e, 120, 10, 30);
  assert_near(get(l->f, e, "transform", "x"), 52, 0.01);
  assert_true(get(l->f, e, "mover", "hit") == other);
  set(l->f, other, "body", "mask", 0);
  move_for_ticks(l, e, 120, 10, 10);
  assert_true(get(l->f, e, "transform", "x") > 60);
}

// Moves the lift in each tick before the mover `e` runs; the lift's own velocity is 0.
static void move_lift(level_t *l, shoal_entity lift, shoal_entity e, double vx, double x, double y, int ticks) {
  for (int i = 0; i < ticks; ++i) {
    set(l->f, lift, "transform", "x", get(l->f, lift, "transform", "x") + x);
    set(l->f, lift, "transform", "y", get(l->f, lift, "transform", "y") + y);
    move_for_ticks(l, e, vx, 10, 1);
  }
}

TEST_IN(moving_body_carries_movers_on_it, level_t, l) {
  write_map(l, GROUND("0,0,0,0,0,2, 0,0,0,0,0,2, 0,0,0,0,0,2"));
  spawn_map(l);
  shoal_entity lift = place(l->f, 20, 40), e = spawn_walker(l, 20, 30);
  add(l->f, lift, "body");
  set(l->f, lift, "body", "kind", 1);
  set(l->f, lift, "body", "width", 20);
  set(l->f, lift, "body", "height", 4);
  transform_update_child_lists(l->f->world);
  move_for_ticks(l, e, 0, 10, 10);
  assert_true(get(l->f, e, "mover", "floor") == lift && get(l->f, e, "mover", "on_floor") == 1);
  double y = get(l->f, e, "transform", "y");
  move_lift(l, lift, e, 0, 0.7, 0, 20); // moves sideways
  assert_near(get(l->f, e, "transform", "x"), 34, 0.01);
  move_lift(l, lift, e, 0, 0, -1.3, 10); // moves up
  move_lift(l, lift, e, 0, 0, 1.5, 10);  // the lift moves down faster than the mover falls
  assert_near(get(l->f, e, "transform", "y"), y + 2, 0.01);
  assert_true(get(l->f, e, "mover", "floor") == lift && get(l->f, e, "mover", "on_floor") == 1);
  move_lift(l, lift, e, 30, 0, 0, 10); // the mover walks on the lift
  assert_near(get(l->f, e, "transform", "x"), 39, 0.01);
  move_lift(l, lift, e, 0, 4, 0, 20); // the wall stops the mover while the lift moves on
  assert_near(get(l->f, e, "transform", "x"), 76, 0.01);
  assert_true(get(l->f, e, "mover", "floor") == 0 && get(l->f, e, "mover", "floor_x") == 0);
  move_for_ticks(l, e, 0, 10, 30);
  assert_true(get(l->f, e, "transform", "y") > y + 30);
}

TEST_IN(sensor_mover_blocks_nothing_and_is_blocked_only_by_tiles, level_t, l) {
  write_map(l, GROUND("2,0,0,0,0,2, 2,0,0,0,0,2, 2,2,2,2,2,2"));
  spawn_map(l);
  shoal_entity e = spawn_walker(l, 24, 28), coin = spawn_walker(l, 50, 28);
  add(l->f, coin, "sensor");
  transform_update_child_lists(l->f->world);
  move_for_ticks(l, e, 300, 10, 30);
  assert_near(get(l->f, e, "transform", "x"), 76, 0.01); // passes through the coin and stops at the wall
  move_for_ticks(l, coin, 300, 10, 30);
  assert_near(get(l->f, coin, "transform", "x"), 76, 0.01); // the coin passes through the mover as well
  assert_true(get(l->f, coin, "mover", "on_wall") == 1 && get(l->f, coin, "mover", "on_floor") == 1);
}

static uint32_t random_below(uint32_t *random, uint32_t limit) {
  *random = *random * 1664525u + 1013904223u;
  return (*random >> 8) % limit;
}

// A sensor searches for no bodies; a mover whose mask contains the category of any body does.
TEST_IN(movers_move_alike_with_and_without_searches_for_bodies, level_t, l) {
  static const char *const fields[] = {"vx", "vy", "on_floor", "on_wall", "on_ceiling"};
  uint32_t seed = 7, grounded = 0;
  write_map(l, GROUND("2,0,3,0,0,2, 2,0,4,2,5,2, 2,2,2,0,2,2"));
  shoal_entity map = spawn_map(l), distant_body = place(l->f, 5000, 0), movers[40];
  add(l->f, distant_body, "body");
  set(l->f, distant_body, "body", "category", 4);
  for (int i = 0; i < 40; i += 2) {
    double x = 18 + random_below(&seed, 60), y = random_below(&seed, 30), width = random_below(&seed, 120) / 10.0;
    for (int k = i; k < i + 2; ++k) {
      movers[k] = spawn_walker(l, x, y);
      set(l->f, movers[k], "body", "width", width);
      set(l->f, movers[k], "transform", "angle", i % 10 == 0 ? 0.7 : 0);
      set(l->f, movers[k], "transform", "scale_x", i % 8 == 0 ? -1.25 : 1);
      set(l->f, movers[k], "body", "mask", 4);
      set(l->f, movers[k], "body", "category", 2);
    }
    add(l->f, movers[i], "sensor");
  }
  transform_update_child_lists(l->f->world);
  for (int tick = 0; tick < 200; ++tick) {
    if (tick == 100) // slightly larger cells, whose size is not a power of two
      set(l->f, map, "transform", "scale_x", 1.1);
    for (int i = 0; i < 40; i += 2) {
      double vx = random_below(&seed, 400) - 200.0, fall = random_below(&seed, 40) - 10.0;
      for (int k = i; k < i + 2; ++k) {
        set(l->f, movers[k], "mover", "vx", vx);
        set(l->f, movers[k], "mover", "vy", tick % 8 == 0 ? 0 : get(l->f, movers[k], "mover", "vy") + fall);
      }
    }
    mover_update(l->f->world, 1.0 / 60);
    for (int i = 0; i < 40; i += 2) {
      for (size_t k = 0; k < sizeof fields / sizeof *fields; ++k)
        assert_true(get(l->f, movers[i], "mover", fields[k]) == get(l->f, movers[i + 1], "mover", fields[k]));
      assert_true(get(l->f, movers[i], "transform", "x") == get(l->f, movers[i + 1], "transform", "x"));
      assert_true(get(l->f, movers[i], "transform", "y") == get(l->f, movers[i + 1], "transform", "y"));
      grounded += get(l->f, movers[i], "mover", "on_floor") == 1;
    }
  }
  assert_true(grounded > 100);
}

TEST_IN(slow_mover_does_not_creep_into_a_wall, level_t, l) {
  write_map(l, GROUND("2,0,0,0,0,2, 2,0,0,0,0,2, 2,2,2,2,2,2"));
  spawn_map(l);
  shoal_entity e = spawn_walker(l, 24, 28);
  transform_update_child_lists(l->f->world);
  for (int side = -1; side <= 1; side += 2) {
    move_for_ticks(l, e, side * 300, 0, 30);
    move_for_ticks(l, e, side * 0.5, 0.25, 200); // moves by a hundredth of a pixel per tick
    assert_near(get(l->f, e, "transform", "x"), side < 0 ? 20 : 76, 0.002);
    assert_near(get(l->f, e, "transform", "y"), 28, 0.002);
  }
}

TEST_IN(tile_ray_ends_at_the_first_solid_cell, level_t, l) {
  near_hit_t hit;
  write_map(l, GROUND("2,0,0,0,0,2, 2,0,3,2,0,2, 2,2,2,2,2,2"));
  shoal_entity map = spawn_map(l);
  transform_update_child_lists(l->f->world);
  // The ray passes through the platform tile to the block.
  assert_true(tile_ray_cast(l->f->world, 24, 24, 90, 24, &hit));
  assert_true(hit.entity == map && hit.nx == -1 && hit.ny == 0);
  assert_near(hit.x, 48, 1e-9);
  assert_true(tile_ray_cast(l->f->world, 24, 8, 24, 100, &hit) && hit.ny == -1 && hit.nx == 0);
  assert_near(hit.y, 32, 1e-9);
  assert_false(tile_ray_cast(l->f->world, 24, 8, 79, 8, &hit));
  assert_true(tile_ray_cast(l->f->world, 24, 8, 81, 8, &hit));
  assert_true(tile_ray_cast(l->f->world, 8, 8, 81, 8, &hit)); // the ray starts inside a wall and ends at the other wall
  assert_near(hit.x, 80, 1e-9);
  assert_false(tile_ray_cast(l->f->world, -100, -5, 500, -5, &hit));
  set_cell(l, map, 4, 2, 0);
  assert_true(tile_ray_cast(l->f->world, 24, 24, 90, 24, &hit)); // the edit removed the block
  assert_near(hit.x, 80, 1e-9);
  set(l->f, map, "transform", "x", 100);
  transform_update_child_lists(l->f->world);
  assert_false(tile_ray_cast(l->f->world, 24, 24, 90, 24, &hit));
}

#define TWO_GRIDS                                                                                                      \
  "{\"defs\":{\"tilesets\":[{\"uid\":5,\"relPath\":\"t.png\",\"pxWid\":16,\"pxHei\":8,\"tileGridSize\":8,"             \
  "\"customData\":[{\"tileId\":1,\"data\":\"{\\\"solid\\\":true}\"}]}],\"layers\":[{\"uid\":1,\"intGridValues\":[{"    \
  "\"value\":1,\"identifier\":\"solid\"}]}]},\"levels\":[{\"identifier\":\"One\",\"layerInstances\":[{"                \
  "\"__identifier\":\"Fine\",\"__type\":\"Tiles\",\"__cWid\":4,\"__cHei\":4,\"__gridSize\":8,\"__tilesetDefUid\":5,"   \
  "\"gridTiles\":[{\"px\":[24,8],\"t\":1,\"f\":0}]},{\"__identifier\":\"Walls\",\"__type\":\"IntGrid\","               \
  "\"layerDefUid\":1,\"__cWid\":2,\"__cHei\":2,\"__gridSize\":16,\"intGridCsv\":[1,0,0,0]}]}]}"

TEST_IN(cells_of_a_different_grid_are_drawn_but_not_solid, level_t, l) {
  char path[128];
  near_hit_t hit;
  error_info_t error = {0};
  frame_t frame;
  assert_true(file_write(path_join(path, sizeof path, l->folder, "w.ldtk"), TWO_GRIDS, strlen(TWO_GRIDS), &error));
  shoal_entity e = spawn_map(l);
  set(l->f, e, "tilemap", "map", strings_intern(world_strings(l->f->world), "w.ldtk"));
  transform_update_child_lists(l->f->world);
  assert_int_equal(tilemap_is_solid(l->f->world, e, 1, 1, &error), 1);
  assert_int_equal(tilemap_is_solid(l->f->world, e, 4, 2, &error), 0);
  assert_true(tilemap_get(l->f->world, e, "Fine", 4, 2, &error) != 0); // cells of the layer's own grid
  assert_false(tile_ray_cast(l->f->world, 56, 28, 50, 28, &hit));      // cell 4, 2 of the map's grid is free
  assert_int_equal(l->f->line_count, 1);                               // reported once, however often the map is used
  assert_non_null(strstr(l->f->line, "w.ldtk: layer \"Fine\": its cells of 8 px are drawn, but not solid"));
  assert_int_equal(maps_asset_changed(l->maps, "w.ldtk", &error), ASSET_RELOADED);
  assert_int_equal(l->f->line_count, 1); // the edit has not changed the problem
  glyphs_o *glyphs = glyphs_create(NULL);
  frame_init(&frame, glyphs, (image_source_t){.find = image_for_test}, NULL);
  frame_desc_t desc = {.world = l->f->world, .width = 100, .height = 100, .scale_x = 1, .scale_y = 1, .alpha = 1};
  frame_collect(&frame, &desc);
  assert_int_equal(frame.instances.count, 1);
  assert_true(frame.instances.items[0].a[0] == 28 && frame.instances.items[0].a[1] == 12);
  frame_fini(&frame);
  glyphs_destroy(glyphs);
  remove(path);
}

// Floors at columns -4000 to -3999 and 3999 to 4000; tile 2 is solid.
#define FAR_APART                                                                                                      \
  "{\"tilewidth\":16,\"tileheight\":16,\"infinite\":true,\"tilesets\":[{\"firstgid\":1,\"image\":\"t.png\","           \
  "\"tilewidth\":16,\"tileheight\":16,\"columns\":2,\"tilecount\":4,\"tiles\":[{\"id\":1,\"properties\":[{"            \
  "\"name\":\"solid\",\"type\":\"bool\",\"value\":true}]}]}],\"layers\":[{\"type\":\"tilelayer\",\"name\":\"ground\"," \
  "\"chunks\":[{\"x\":-4000,\"y\":0,\"width\":2,\"height\":2,\"data\":[0,0,2,2]},{\"x\":3999,\"y\":4000,\"width\":2,"  \
  "\"height\":2,\"data\":[0,0,2,2]}]}]}"

static uint32_t count_drawn(level_t *l, float x, float y) {
  frame_t frame;
  glyphs_o *glyphs = glyphs_create(NULL);
  shoal_entity map = manager_of(l->f, "tilemap")->owner[0];
  set(l->f, map, "transform", "x", (double)-x);
  set(l->f, map, "transform", "y", (double)-y);
  transform_update_child_lists(l->f->world);
  frame_init(&frame, glyphs, (image_source_t){.find = image_for_test}, NULL);
  frame_desc_t desc = {.world = l->f->world, .width = 100, .height = 100, .scale_x = 1, .scale_y = 1, .alpha = 1};
  frame_collect(&frame, &desc);
  uint32_t count = frame.instances.count;
  frame_fini(&frame);
  glyphs_destroy(glyphs);
  return count;
}

TEST_IN(cells_far_apart_are_drawn_and_solid, level_t, l) {
  error_info_t error = {0};
  near_hit_t hit;
  double size[6];
  write_map(l, FAR_APART);
  shoal_entity map = spawn_map(l);
  transform_update_child_lists(l->f->world);
  assert_true(tilemap_size(l->f->world, map, size, &error)); // the bounding box of all chunks
  assert_true(size[0] == 8001 && size[1] == 4002 && size[2] == -3999 && size[3] == 1);
  assert_int_equal(tilemap_is_solid(l->f->world, map, -3999, 2, &error), 1);
  assert_int_equal(tilemap_is_solid(l->f->world, map, 4001, 4002, &error), 1);
  assert_int_equal(tilemap_is_solid(l->f->world, map, 0, 0, &error), 0);
  assert_true(tile_ray_cast(l->f->world, 4000 * 16 - 8, 3990 * 16, 4000 * 16 - 8, 4010 * 16, &hit) && hit.ny == -1);
  assert_near(hit.y, 4001 * 16, 1e-6);
  shoal_entity mover = place(l->f, 4000 * 16, 4000 * 16);
  add(l->f, mover, "body");
  set(l->f, mover, "body", "radius", 4);
  add(l->f, mover, "mover");
  move_for_ticks(l, mover, 0, 20, 60);
  assert_near(get(l->f, mover, "transform", "y"), 4001 * 16 - 4, 1e-2);
  assert_int_equal(count_drawn(l, -4000 * 16, 0), 2);
  assert_int_equal(count_drawn(l, 3999 * 16, 4000 * 16), 2);
  assert_int_equal(count_drawn(l, 0, 0), 0);
  set_cell(l, map, 2, 2, 2); // a cell in a block without tiles
  assert_int_equal(count_drawn(l, 0, 0), 1);
  assert_int_equal(tilemap_is_solid(l->f->world, map, 2, 2, &error), 1);
  assert_false(tilemap_set(l->f->world, map, "ground", 4002, 1, 2, &error));
  assert_non_null(strstr(error.text, "cell 4002, 1 is outside the layer \"ground\", which has columns -3999 to 4001"));
}
