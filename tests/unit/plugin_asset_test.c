// Asset types declared by plugins: loaded on first use, reloaded when the file changes, and unloaded when unused.
#include "plugin_fixture.h"
#include "temporary_folder.h"

#include "base/files.h"
#include "shoal/asset.h"

static uint32_t loaded, unloaded; // loaded: calls to `load`; unloaded: calls to `unload`
static bool asks;
static char seen[32];

static void *load(shoal_context *c, const char *name, const void *bytes, size_t size) {
  if (strncmp(bytes, "note ", 5) != 0) {
    shoal_report_asset_error(c, 1, "a note begins with note");
    return NULL;
  }
  ++loaded;
  (void)name;
  return memcpy(shoal_realloc(c, NULL, 0, 32), bytes, size < 31 ? size + 1 : 32);
}

static void unload(shoal_context *c, void *data) {
  ++unloaded;
  shoal_realloc(c, data, 32, 0);
}

static void read_note(shoal_context *c, const shoal_view *v, float dt_s) {
  (void)v, (void)dt_s;
  const char *note = asks ? shoal_get_asset(c, "a.note", NULL) : NULL;
  snprintf(seen, sizeof seen, "%s", note ? note : "");
}

static const shoal_system SYSTEMS[] = {{.name = "look", .run = read_note}, {0}};
static const shoal_asset_type TYPES[] = {{.extension = ".note", .load = load, .unload = unload}, {0}};
static const shoal_plugin NOTES = {.name = "notes", .version = 1, .systems = SYSTEMS, .assets = TYPES};

static void write_note(const plugged_t *t, const char *text) {
  char path[600];
  snprintf(path, sizeof path, "%s/a.note", t->assets.game);
  if (text)
    assert_true(file_write(path, text, strlen(text), NULL));
  else
    assert_int_equal(remove(path), 0);
}

static int setup(void **state) {
  plugged_t *t = plugged_create(1);
  *state = t;
  loaded = unloaded = 0;
  asks = true;
  temporary_folder_create(t->assets.game, sizeof t->assets.game, "notes");
  return 0;
}

static int teardown(void **state) {
  plugged_t *t = *state;
  temporary_folder_remove(t->assets.game);
  plugged_destroy(t);
  assert_int_equal(loaded, unloaded); // closing the plugin unloads every asset
  return 0;
}
FIXTURE(plugged_t, setup, teardown)

TEST_IN(plugin_asset_is_loaded_once_and_reloaded_on_change, plugged_t, t) {
  error_info_t why = {0};
  write_note(t, "note one");
  plugged_open_and_bind(t, &NOTES);
  assert_int_equal(plugins_reload_asset(t->p, "a.note", &why), ASSET_UNUSED); // no system has used it yet
  plugged_tick(t);
  plugged_tick(t);
  assert_string_equal(seen, "note one");
  assert_int_equal(loaded, 1);
  write_note(t, "note two");
  assert_int_equal(plugins_reload_asset(t->p, "b.note", &why), ASSET_UNUSED);
  assert_int_equal(plugins_reload_asset(t->p, "a.note", &why), ASSET_RELOADED);
  plugged_tick(t);
  assert_string_equal(seen, "note two");
  assert_int_equal(unloaded, 1);
}

TEST_IN(invalid_or_missing_plugin_asset_keeps_the_previous_one, plugged_t, t) {
  error_info_t why = {0};
  write_note(t, "note one");
  plugged_open_and_bind(t, &NOTES);
  plugged_tick(t);
  write_note(t, "nothing");
  assert_int_equal(plugins_reload_asset(t->p, "a.note", &why), ASSET_KEPT);
  assert_string_equal(why.text, "assets/a.note:1: a note begins with note");
  write_note(t, NULL);
  assert_int_equal(plugins_reload_asset(t->p, "a.note", &why), ASSET_KEPT);
  plugged_tick(t);
  assert_string_equal(seen, "note one");
}

TEST_IN(invalid_plugin_asset_is_logged_once_until_it_changes, plugged_t, t) {
  error_info_t why = {0};
  write_note(t, "nothing");
  plugged_open_and_bind(t, &NOTES);
  plugged_tick(t);
  t->logged[0] = '\0';
  plugged_tick(t);
  assert_null(strstr(t->logged, "a note begins"));
  write_note(t, "note two");
  assert_int_equal(plugins_reload_asset(t->p, "a.note", &why), ASSET_RELOADED);
  plugged_tick(t);
  assert_string_equal(seen, "note two");
}

TEST_IN(unused_plugin_asset_is_unloaded, plugged_t, t) {
  write_note(t, "note one");
  plugged_open_and_bind(t, &NOTES);
  plugged_tick(t);
  asks = false;
  for (int i = 0; i < 600; ++i)
    plugged_tick(t);
  assert_int_equal(unloaded, 0);
  for (int i = 0; i < 2; ++i)
    plugged_tick(t);
  assert_int_equal(unloaded, 1);
  asks = true;
  plugged_tick(t);
  assert_string_equal(seen, "note one");
  assert_int_equal(loaded, 2);
}
