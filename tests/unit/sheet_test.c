// Sprite sheets from JSON and the animations that play them: animation/sheet.h, sheets.h, animation.h. Drawn frames are
// tested in tests/unit/frame_test.c, the Lua API in tests/lua/cases/sprites.lua.
#include "components_fixture.h"
#include "temporary_folder.h"

#include "animation/animation.h"
#include "base/files.h"

#include <stdio.h>
#include <unistd.h>

static const char GRID[] = "{ \"grid\": { \"width\": 16, \"height\": 8, \"margin\": 1, \"spacing\": 2, \"count\": 6 },"
                           " \"fps\": 10, \"pivot\": [0.5, 1], \"border\": [1, 2, 3, 4], \"filter\": \"pixels\","
                           " \"clips\": { \"walk\": { \"from\": 2, \"to\": 4, \"direction\": \"pingpong\" },"
                           " \"hit\": { \"frames\": [5, 6, 5], \"fps\": 20, \"times\": 2 },"
                           " \"back\": { \"from\": 1, \"to\": 3, \"direction\": \"reverse\" } } }";

static const char ASEPRITE[] =
    "{ \"frames\": { \"hero 0.aseprite\": { \"frame\": { \"x\": 0, \"y\": 0, \"w\": 10, \"h\": 12 }, "
    " \"rotated\": false, \"trimmed\": true, \"spriteSourceSize\": { \"x\": 3, \"y\": 4, \"w\": 10, \"h\": 12 },"
    " \"sourceSize\": { \"w\": 16, \"h\": 16 }, \"duration\": 100 },"
    " \"hero 1.aseprite\": { \"frame\": { \"x\": 10, \"y\": 0, \"w\": 16, \"h\": 16 }, \"rotated\": false,"
    " \"trimmed\": false, \"duration\": 300 } },"
    " \"meta\": { \"app\": \"https://www.aseprite.org/\", \"image\": \"hero.png\", \"frameTags\": ["
    " { \"name\": \"idle\", \"from\": 0, \"to\": 1, \"direction\": \"forward\", \"color\": \"#000000ff\" },"
    " { \"name\": \"hit\", \"from\": 1, \"to\": 1, \"direction\": \"forward\", \"repeat\": \"1\" } ],"
    " \"slices\": [ { \"name\": \"body\", \"keys\": [ { \"frame\": 0, \"bounds\": { \"x\": 0, \"y\": 0, \"w\": 16,"
    " \"h\": 16 }, \"pivot\": { \"x\": 8, \"y\": 12 }, \"center\": { \"x\": 4, \"y\": 5, \"w\": 6,"
    " \"h\": 7 } } ] } ] } }";

static sheet_t *read_sheet(allocator_t *a, const char *text) {
  bool is_none;
  error_info_t error = {0};
  sheet_t *s = sheet_read(a, text, strlen(text), &is_none, &error);
  if (!s)
    fail_msg("%s", error.text);
  return s;
}

static const sheet_clip_t *find_clip(const sheet_t *s, const char *name) {
  const sheet_clip_t *c = sheet_find_clip(s, name, NULL, 0);
  assert_non_null(c);
  return c;
}

static void assert_frames(const sheet_t *s, const char *name, uint32_t count, const uint32_t *frames) {
  const sheet_clip_t *c = find_clip(s, name);
  assert_int_equal(c->count, count);
  for (uint32_t i = 0; i < count; ++i)
    assert_int_equal(s->steps.items[c->first + i].frame, frames[i]);
}

TEST(sheet_grid_is_numbered_by_row) {
  allocator_t a = {0};
  sheet_t *s = read_sheet(&a, GRID);
  sheet_frame_t f = sheet_frame(s, 1, 56, 20); // the sheet has three columns and two rows
  assert_near(f.x, 1, 0);
  assert_near(f.y, 1, 0);
  assert_near(f.width, 16, 0);
  f = sheet_frame(s, 5, 56, 20);
  assert_near(f.x, 19, 0);
  assert_near(f.y, 11, 0);
  f = sheet_frame(s, 8, 56, 20); // frame numbers wrap around
  assert_near(f.x, 19, 0);
  assert_near(f.y, 1, 0);
  f = sheet_frame(s, 0, 56, 20);
  assert_near(f.x, 37, 0);
  assert_near(f.y, 11, 0);
  assert_int_equal(s->filter, SHEET_FILTER_PIXELS);
  assert_near(s->pivot[1], 1, 0);
  assert_near(s->border[3], 4, 0);
  sheet_destroy(s);
  assert_int_equal(a.bytes, 0);
}

TEST(clips_can_play_ping_pong_backwards_or_a_list_of_frames) {
  allocator_t a = {0};
  sheet_t *s = read_sheet(&a, GRID);
  assert_frames(s, "walk", 4, (uint32_t[]){2, 3, 4, 3});
  assert_frames(s, "hit", 3, (uint32_t[]){5, 6, 5});
  assert_frames(s, "back", 3, (uint32_t[]){3, 2, 1});
  assert_frames(s, "", 6, (uint32_t[]){1, 2, 3, 4, 5, 6});
  assert_int_equal(find_clip(s, "hit")->times, 2);
  assert_near(sheet_clip_seconds(s, find_clip(s, "hit")), 0.15, 1e-9);
  assert_int_equal(sheet_frame_at(s, find_clip(s, "walk"), 0), 2);
  assert_int_equal(sheet_frame_at(s, find_clip(s, "walk"), 0.25), 4);
  assert_int_equal(sheet_frame_at(s, find_clip(s, "walk"), 99), 3);
  assert_int_equal(sheet_frame_at(s, find_clip(s, "walk"), -1), 2);
  sheet_destroy(s);
  assert_int_equal(a.bytes, 0);
}

TEST(aseprite_export_keeps_durations_tags_and_trimming) {
  allocator_t a = {0};
  sheet_t *s = read_sheet(&a, ASEPRITE);
  assert_int_equal(s->frames.count, 2);
  sheet_frame_t f = sheet_frame(s, 1, 64, 64);
  assert_near(f.left, 3, 0);
  assert_near(f.top, 4, 0);
  assert_near(f.full_width, 16, 0);
  assert_near(sheet_frame(s, 4, 64, 64).x, 10, 0);
  assert_near(sheet_clip_seconds(s, find_clip(s, "idle")), 0.4, 1e-9);
  assert_int_equal(sheet_frame_at(s, find_clip(s, "idle"), 0.05), 1);
  assert_int_equal(sheet_frame_at(s, find_clip(s, "idle"), 0.15), 2);
  assert_int_equal(find_clip(s, "idle")->times, 0);
  assert_int_equal(find_clip(s, "hit")->times, 1);
  assert_near(s->pivot[0], 0.5, 1e-6);
  assert_near(s->pivot[1], 0.75, 1e-6);
  static const float BORDER[4] = {4, 5, 6, 4};
  for (int i = 0; i < 4; ++i)
    assert_near(s->border[i], BORDER[i], 1e-6);
  sheet_destroy(s);
  assert_int_equal(a.bytes, 0);
}

typedef struct rejected_t {
  const char *text, *says;
} rejected_t;

static const rejected_t BAD[] = {
    {"{ \"grid\": { \"width\": 16, }", "line 1, column "},
    {"", "line 1, column "},
    {"{ \"grid\": 3 }", "grid must be an object"},
    {"{ \"grid\": { \"width\": 16 }, \"clip\": {} }", "unknown key \"clip\": did you mean clips?"},
    {"{ \"grid\": { \"width\": 16, \"heigth\": 8 } }", "grid: unknown key \"heigth\": did you mean height?"},
    {"{ \"grid\": { \"width\": 16 }, \"clips\": { \"walk\": { \"form\": 3, \"to\": 6 } } }",
     "clips.walk: unknown key \"form\": did you mean from?"},
    {"{ \"grid\": { \"height\": 16 } }", "grid.width is missing: set it to the width of a frame in texels"},
    {"{ \"grid\": { \"width\": 0 } }", "grid.width must be an integer from 1"},
    {"{ \"grid\": { \"width\": 1.5 } }", "grid.width must be an integer"},
    {"{ \"grid\": { \"width\": 4, \"count\": 99999999 } }", "grid.count must be an integer from 1 to 16384"},
    {"{ \"fps\": -3, \"grid\": { \"width\": 4 } }", "fps must be a number from"},
    {"{ \"clips\": [] }", "clips must be an object"},
    {"{ \"clips\": { \"a\": 3 } }", "clips.a must be an object"},
    {"{ \"clips\": { \"a\": { \"from\": 2 } } }", "clips.a.from must be an integer from 1 to 1"},
    {"{ \"grid\": { \"width\": 4 }, \"clips\": { \"a\": { \"from\": 3, \"to\": 2 } } }",
     "from (3) is greater than to (2)"},
    {"{ \"grid\": { \"width\": 4 }, \"clips\": { \"a\": { \"direction\": \"revers\" } } }", "did you mean reverse"},
    {"{ \"grid\": { \"width\": 4 }, \"clips\": { \"a\": { \"frames\": [] } } }", "clips.a has no frames"},
    {"{ \"grid\": { \"width\": 4 }, \"clips\": { \"a\": { \"frames\": [1, 0] } } }",
     "clips.a.frames[1] must be a frame number"},
    {"{ \"pivot\": [1] }", "pivot must be a list of 2 numbers"},
    {"{ \"pivot\": [1, \"2\"] }", "pivot[1] must be a number"},
    {"{ \"border\": [1, 2, 3, -4] }", "border[3] must be a number"},
    {"{ \"filter\": \"nearest\" }", "filter must be \"pixels\" or \"smooth\""},
    {"{ \"frames\": [] }", "frames must contain at least one frame"},
    {"{ \"frames\": 7 }", "frames must be a list"},
    {"{ \"frames\": [ 3 ] }", "frames[0] must be an object"},
    {"{ \"frames\": [ {} ] }",
     "frames[0].frame must be an object like { \"x\": 0, \"y\": 0, \"w\": 16, \"h\": 16 }, in texels"},
    {"{ \"frames\": [ { \"frame\": { \"x\": 1e9 } } ] }", "frames[0].frame.x must be a number"},
    {"{ \"frames\": [ { \"rotated\": true, \"frame\": {} } ] }", "frames[0]: rotated frames are not supported"},
    {"{ \"frames\": [ { \"frame\": {}, \"duration\": 0 } ] }", "frames[0].duration must be a number from 1"},
    {"{ \"frames\": [ { \"frame\": {} } ], \"meta\": { \"frameTags\": [ { \"from\": 0 } ] } }",
     "meta.frameTags[0].name must be a non-empty string"},
    {"{ \"frames\": [ { \"frame\": {} } ], \"meta\": { \"frameTags\": [ { \"name\": \"a\", \"to\": 3 } ] } }",
     "frameTags[0].to must be an integer from 0 to 0"},
    {"{ \"frames\": [ { \"frame\": {} } ], \"meta\": { \"frameTags\": [ { \"name\": \"a\" }, { \"name\": \"a\" } ] } }",
     "two clips are named a"},
};

TEST(invalid_sheet_error_names_its_location) {
  allocator_t a = {0};
  for (size_t i = 0; i < sizeof BAD / sizeof *BAD; ++i) {
    error_info_t error = {0};
    bool is_none = true;
    assert_null(sheet_read(&a, BAD[i].text, strlen(BAD[i].text), &is_none, &error));
    assert_false(is_none);
    if (!strstr(error.text, BAD[i].says))
      fail_msg("%s: \"%s\" does not say \"%s\"", BAD[i].text, error.text, BAD[i].says);
    assert_int_equal(a.bytes, 0);
  }
}

TEST(json_without_frames_is_not_reported_as_a_broken_sheet) {
  allocator_t a = {0};
  error_info_t error = {0};
  bool is_none = false;
  const char *items = "{ \"sword\": { \"price\": 10 } }";
  assert_null(sheet_read(&a, items, strlen(items), &is_none, &error));
  assert_true(is_none);
}

// --- animations: a folder with hero.png's sheet

typedef struct stage_t {
  fixture_t *f;
  assets_t assets;
  sheets_o *sheets;
  char folder[64];
} stage_t;

static void write_file(const stage_t *s, const char *name, const char *text) {
  char path[128];
  error_info_t error = {0};
  snprintf(path, sizeof path, "%s/%s", s->folder, name);
  if (!file_write(path, text, strlen(text), &error))
    fail_msg("%s", error.text);
}

SETUP(stage_t, s) {
  s->f = fixture_open();
  temporary_folder_create(s->folder, sizeof s->folder, "sheet");
  snprintf(s->assets.game, sizeof s->assets.game, "%s", s->folder);
  s->sheets = sheets_create(&s->assets, s->f->log);
  write_file(s, "hero.json", GRID);
}

TEARDOWN(stage_t, s) {
  char path[128];
  sheets_destroy(s->sheets);
  snprintf(path, sizeof path, "%s/hero.json", s->folder);
  unlink(path);
  rmdir(s->folder);
  fixture_close(s->f);
}

static uint32_t string_id(const stage_t *s, const char *text) {
  return strings_intern(world_strings(s->f->world), text);
}

static shoal_entity spawn_animated(const stage_t *s, const char *image, const char *name) {
  shoal_entity e = place(s->f, 0, 0);
  add(s->f, e, "sprite");
  set(s->f, e, "sprite", "image", string_id(s, image));
  add(s->f, e, "animation");
  set(s->f, e, "animation", "clip", string_id(s, name));
  return e;
}

static void update_animation(const stage_t *s, double dt_s) {
  animation_update(s->f->world, s->sheets, dt_s);
}

static event_o *declare_ended(const stage_t *s) {
  schema_buffer_t buffer;
  error_info_t error = {0};
  schema_init(&buffer, "animation_ended", SCHEMA_EVENT, "[shoal]");
  schema_add_field(&buffer.schema, "entity", FIELD_ENTITY, 0);
  schema_add_field(&buffer.schema, "clip", FIELD_STRING, 0);
  if (world_declare_schema(s->f->world, &buffer.schema, &error) == 0)
    fail_msg("%s", error.text);
  schema_fini(&buffer.schema, world_allocator(s->f->world));
  return world_find_event(s->f->world, "animation_ended");
}

TEST_IN(looping_clip_wraps_around, stage_t, s) {
  shoal_entity e = spawn_animated(s, "hero.png", "walk");
  static const double SEEN[] = {2, 3, 4, 3, 2, 3};
  for (size_t i = 0; i < sizeof SEEN / sizeof *SEEN; ++i) {
    update_animation(s, i == 0 ? 0.05 : 0.1); // the first tick shows the first frame
    if (i == 0)
      update_animation(s, 0.05);
    assert_near(get(s->f, e, "sprite", "frame"), SEEN[i], 0);
  }
  set(s->f, e, "animation", "speed", -1);
  update_animation(s, 0.1);
  assert_near(get(s->f, e, "sprite", "frame"), 2, 0);
  set(s->f, e, "animation", "playing", 0);
  update_animation(s, 0.1);
  assert_near(get(s->f, e, "sprite", "frame"), 2, 0);
  assert_int_equal(s->f->line_count, 0);
}

TEST_IN(finite_clip_stops_and_emits_its_event, stage_t, s) {
  const event_o *ended = declare_ended(s);
  shoal_entity e = spawn_animated(s, "hero.png", "hit");
  update_animation(s, 0.1);
  for (int i = 0; i < 2; ++i)
    update_animation(s, 0.125);
  assert_int_equal(ended->columns.count, 0);
  update_animation(s, 0.125); // 0.375 s into a 0.3 s clip
  assert_int_equal(ended->columns.count, 1);
  assert_true((shoal_entity)columns_get(&ended->columns, 0, 0) == e);
  assert_near(get(s->f, e, "animation", "playing"), 0, 0);
  assert_near(get(s->f, e, "sprite", "frame"), 5, 0);
  update_animation(s, 0.125);
  assert_int_equal(ended->columns.count, 1);
  set(s->f, e, "animation", "clip", string_id(s, "walk")); // setting another clip plays it
  update_animation(s, 0.125);
  assert_near(get(s->f, e, "sprite", "frame"), 2, 0);
}

TEST_IN(strip_without_a_sheet_plays_as_an_unnamed_clip, stage_t, s) {
  shoal_entity e = spawn_animated(s, "strip.png", "");
  set(s->f, e, "sprite", "frames", 3);
  update_animation(s, 0.1);
  update_animation(s, 0.1);
  assert_near(get(s->f, e, "sprite", "frame"), 2, 0);
  update_animation(s, 0.1);
  update_animation(s, 0.1);
  assert_near(get(s->f, e, "sprite", "frame"), 1, 0);
  assert_int_equal(s->f->line_count, 0);
}

TEST_IN(unknown_clip_in_a_muted_tick_is_logged_later, stage_t, s) {
  spawn_animated(s, "hero.png", "wlak");
  log_mute(world_log(s->f->world), true);
  update_animation(s, 0.1);
  log_mute(world_log(s->f->world), false);
  assert_int_equal(s->f->line_count, 0);
  update_animation(s, 0.1);
  assert_int_equal(s->f->line_count, 1);
}

TEST_IN(unknown_clip_is_logged_once_with_a_suggestion, stage_t, s) {
  spawn_animated(s, "hero.png", "wlak");
  spawn_animated(s, "hero.png", "wlak");
  update_animation(s, 0.1);
  update_animation(s, 0.1);
  assert_int_equal(s->f->line_count, 1);
  assert_non_null(
      strstr(s->f->line, "the sheet of hero.png (clips: walk, hit, back) has no clip wlak: did you mean walk?"));
  spawn_animated(s, "strip.png", "walk");
  update_animation(s, 0.1);
  assert_int_equal(s->f->line_count, 2);
  assert_non_null(strstr(s->f->line, "because strip.png has no valid sheet"));
}

TEST_IN(sheet_reload_takes_effect_and_ignores_a_broken_file, stage_t, s) {
  error_info_t why = {0};
  shoal_entity e = spawn_animated(s, "hero.png", "walk");
  update_animation(s, 0.1);
  write_file(s, "hero.json", "{ \"grid\": ");
  assert_int_equal(sheets_reload(s->sheets, "hero.json", &why), ASSET_KEPT);
  assert_non_null(strstr(why.text, "line 1"));
  update_animation(s, 0.1);
  assert_near(get(s->f, e, "sprite", "frame"), 3, 0);
  write_file(s, "hero.json", "{ \"grid\": { \"width\": 4 }, \"clips\": { \"walk\": { \"frames\": [7, 8] } } }");
  assert_int_equal(sheets_reload(s->sheets, "hero.json", &why), ASSET_RELOADED);
  update_animation(s, 0.1);
  assert_near(get(s->f, e, "sprite", "frame"), 7, 0);
  assert_int_equal(sheets_reload(s->sheets, "other.json", &why), ASSET_UNUSED);
}

TEST_IN(broken_sheet_is_logged_once_and_not_used, stage_t, s) {
  write_file(s, "hero.json", "{ \"grid\": 3 }");
  static asset_requests_t requests; // too large for the stack
  s->assets.requests = &requests;
  assets_record_request(&s->assets, "hero.png", "assemblages.lua:3: sprite.image", false);
  spawn_animated(s, "hero.png", "walk");
  update_animation(s, 0.1); // a clip of the broken sheet causes no second message
  assert_null(sheets_find_or_load(s->sheets, "hero.png"));
  assert_int_equal(s->f->line_count, 1);
  assert_non_null(strstr(s->f->line, "cannot load hero.json, the sheet of hero.png: grid must be an object"));
  assert_non_null(strstr(s->f->line, " (requested by assemblages.lua:3: sprite.image)"));
}
