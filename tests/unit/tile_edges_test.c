// Edges of tiles: pictures of scaled maps must not contain colours of the tiles that are next to them in the tileset.
#include "components_fixture.h"
#include "render_stage.h"
#include "temporary_folder.h"
#include "tilemap/tilemap.h"

typedef struct tileset_t {
  int side, margin, spacing; // distances in pixels
} tileset_t;

typedef struct scene_t {
  stage_t *stage;
  fixture_t *f;
  maps_o *maps;
  shoal_entity camera, map;
} scene_t;

// Returns the side of an image with 3 × 3 tiles.
static int image_side(const tileset_t *tileset) {
  return 2 * tileset->margin + 3 * tileset->side + 2 * tileset->spacing;
}

// Writes a tileset whose middle tile is green. All other tiles, the margin and the gaps are red.
static void write_tileset(const char *folder, const tileset_t *tileset) {
  static uint8_t tga[18 + 256 * 256 * 4];
  char path[128];
  int side = image_side(tileset), first = tileset->margin + tileset->side + tileset->spacing;
  memset(tga, 0, 18);
  tga[2] = 2, tga[12] = tga[14] = (uint8_t)side, tga[16] = 32, tga[17] = 0x28;
  for (int i = 0; i < side * side; ++i) {
    bool is_green =
        i % side >= first && i % side < first + tileset->side && i / side >= first && i / side < first + tileset->side;
    const uint8_t blue_green_red_alpha[4] = {0, is_green ? 255 : 0, is_green ? 0 : 255, 255};
    memcpy(&tga[18 + 4 * i], blue_green_red_alpha, 4);
  }
  assert_true(file_write(path_join(path, sizeof path, folder, "t.tga"), tga, (size_t)(18 + side * side * 4), NULL));
}

// Writes a map of 48 × 48 green tiles, flipped in all eight ways.
static void write_map(const char *folder, const tileset_t *tileset) {
  static char text[48 * 48 * 11 + 600];
  char path[128];
  int side = tileset->side;
  size_t used = (size_t)snprintf(
      text, sizeof text,
      "{\"width\":48,\"height\":48,\"tilewidth\":%d,\"tileheight\":%d,\"tilesets\":[{\"firstgid\":1,\"image\":\"t."
      "tga\","
      "\"imagewidth\":%d,\"imageheight\":%d,\"tilewidth\":%d,\"tileheight\":%d,\"columns\":3,\"tilecount\":9,"
      "\"margin\":%d,\"spacing\":%d}],\"layers\":[{\"type\":\"tilelayer\",\"name\":\"ground\",\"width\":48,"
      "\"height\":48,\"data\":[",
      side, side, image_side(tileset), image_side(tileset), side, side, tileset->margin, tileset->spacing);
  for (uint32_t i = 0; i < 48 * 48; ++i)
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%u", i > 0 ? "," : "", 5 | (i * 7 + i / 48) % 8 << 29);
  used += (size_t)snprintf(text + used, sizeof text - used, "]}]}");
  assert_true(file_write(path_join(path, sizeof path, folder, "a.tmj"), text, used, NULL));
}

static void remove_files(const char *folder) {
  char path[128];
  remove(path_join(path, sizeof path, folder, "a.tmj"));
  remove(path_join(path, sizeof path, folder, "t.tga"));
  remove(folder);
}

static void scene_open(scene_t *scene, stage_t *s, const tileset_t *tileset) {
  *scene = (scene_t){.stage = s, .f = fixture_open()};
  temporary_folder_create(s->assets.game, sizeof s->assets.game, "edges");
  write_tileset(s->assets.game, tileset);
  write_map(s->assets.game, tileset);
  scene->maps = maps_create(&s->assets, scene->f->log);
  tilemaps_set_maps(scene->f->world, scene->maps);
  scene->camera = place(scene->f, 0, 0);
  add(scene->f, scene->camera, "camera");
  scene->map = place(scene->f, -24 * tileset->side, -24 * tileset->side);
  add(scene->f, scene->map, "tilemap");
  set(scene->f, scene->map, "tilemap", "map", strings_intern(world_strings(scene->f->world), "a.tmj"));
}

static void scene_close(scene_t *scene) {
  render_reset(scene->stage->render); // the next tileset has the same name
  remove_files(scene->stage->assets.game);
  fixture_close(scene->f);
  maps_destroy(scene->maps);
}

static void assert_only_green(const stage_t *s, const char *name, double zoom, double shift) {
  for (int i = 0; i < s->width * s->height; ++i) {
    const uint8_t *p = &s->pixels[3 * i];
    if (p[0] > 1 || p[1] < 254 || p[2] > 1)
      fail_msg("%s, zoom %g, camera at %g: pixel %d, %d is %d %d %d and not green", name, zoom, shift, i % s->width,
               i / s->width, p[0], p[1], p[2]);
  }
}

static void assert_map_is_green(scene_t *scene, const char *name, const double *zooms, size_t zoom_count) {
  static const double SHIFTS[] = {0, 0.25, 0.37, 7.5};
  for (size_t i = 0; i < zoom_count; ++i)
    for (size_t k = 0; k < sizeof SHIFTS / sizeof *SHIFTS; ++k) {
      set(scene->f, scene->camera, "camera", "zoom", zooms[i]);
      set(scene->f, scene->camera, "transform", "x", SHIFTS[k]);
      set(scene->f, scene->camera, "transform", "y", -SHIFTS[k] * 0.7);
      transform_update_child_lists(scene->f->world);
      stage_capture(scene->stage, scene->f->world);
      assert_only_green(scene->stage, name, zooms[i], SHIFTS[k]);
    }
}

FIXTURE(stage_t, stage_setup, stage_teardown)

TEST_IN(tiles_show_no_colours_of_adjacent_tiles, stage_t, s) {
  static const tileset_t TILESETS[] = {{16, 0, 0}, {18, 1, 1}, {20, 0, 0}};
  static const double ZOOMS[] = {0.5, 0.55, 0.7, 0.83, 0.97, 1, 1.3, 1.5, 2, 2.6, 3};
  NEEDS_GL(s);
  for (size_t i = 0; i < sizeof TILESETS / sizeof *TILESETS; ++i)
    for (int sharp = 0; sharp < 2; ++sharp) {
      scene_t scene;
      char name[64];
      snprintf(name, sizeof name, "tiles of %d pixels, %s", TILESETS[i].side, sharp ? "nearest" : "linear");
      render_set_screen(s->render, 320, 180, LETTERBOX_FIT, sharp);
      scene_open(&scene, s, &TILESETS[i]);
      assert_map_is_green(&scene, name, ZOOMS, sizeof ZOOMS / sizeof *ZOOMS);
      assert_int_equal(s->logged.lines + scene.f->line_count, 0);
      scene_close(&scene);
    }
}

TEST_IN(tiles_of_a_rotated_map_show_no_colours_of_adjacent_tiles, stage_t, s) {
  static const double ZOOMS[] = {0.5, 0.7, 1.5};
  scene_t scene;
  NEEDS_GL(s);
  scene_open(&scene, s, &(tileset_t){18, 1, 1});
  for (int i = 0; i < 3; ++i) {
    set(scene.f, scene.camera, "camera", "zoom", ZOOMS[i]);
    set(scene.f, scene.camera, "transform", "angle", 0.3);
    transform_update_child_lists(scene.f->world);
    stage_capture(s, scene.f->world);
    for (int k = 0; k < s->width * s->height; ++k)
      if (s->pixels[3 * k] > 10) // where the background shines through an edge, red is at most 5
        fail_msg("zoom %g: pixel %d, %d is reddish", ZOOMS[i], k % s->width, k / s->width);
  }
  scene_close(&scene);
}
