// The script sources that Lua VMs load: script/sources.h.
#include "base/file_system.h"
#include "base/files.h"
#include "script/sources.h"
#include "temporary_folder.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64];

static void write_file(const char *name, const char *text) {
  char path[256];
  assert_true(file_write(path_join(path, sizeof path, folder, name), text, strlen(text), NULL));
}

static void remove_file(const char *name) {
  char path[256];
  unlink(path_join(path, sizeof path, folder, name));
}

static void make_folder(const char *name) {
  char path[256];
  assert_true(file_system_create_folder(path_join(path, sizeof path, folder, name), false));
}

static const char *const FILES[] = {"game.lua",          "systems/a.lua",   "systems/b.lua",
                                    "systems/notes.txt", "assets/make.lua", "engine/boot.lua"};

static void setup(void) {
  temporary_folder_create(folder, sizeof folder, "sources");
  make_folder("systems");
  make_folder("assets");
  make_folder("engine");
  for (size_t i = 0; i < sizeof FILES / sizeof *FILES; ++i)
    write_file(FILES[i], FILES[i]);
}

static void teardown(void) {
  temporary_folder_remove(folder);
}
STATIC_FIXTURE(fixture, setup, teardown)

static sources_o *create_sources(void) {
  char engine[128];
  return sources_create(folder, path_join(engine, sizeof engine, folder, "engine"), NULL);
}

static const char *text_of(sources_o *s, const char *name) {
  size_t bytes = 0;
  const char *text = sources_read_text(s, name, &bytes, NULL);
  assert_true(!text || strlen(text) == bytes);
  return text;
}

TEST_WITH(source_file_is_read_once, fixture) {
  sources_o *s = create_sources();
  const char *first = text_of(s, "systems/a.lua");
  assert_string_equal(first, "systems/a.lua");
  assert_string_equal(text_of(s, "[shoal]/boot.lua"), "engine/boot.lua");
  write_file("systems/a.lua", "another text");
  assert_ptr_equal(text_of(s, "systems/a.lua"), first);
  sources_release(s);
}

TEST_WITH(source_names_are_sorted_and_exclude_assets, fixture) {
  sources_o *s = create_sources();
  static const char *const NAMES[] = {"engine/boot.lua", "game.lua", "systems/a.lua", "systems/b.lua"};
  for (uint32_t i = 0; i < 4; ++i)
    assert_string_equal(sources_file_name(s, i), NAMES[i]);
  assert_null(sources_file_name(s, 4));
  assert_null(text_of(s, "assets/make.lua"));
  assert_null(text_of(s, "systems/notes.txt"));
  sources_release(s);
}

TEST_WITH(missing_source_is_reported_by_name, fixture) {
  error_info_t error = {0};
  size_t bytes = 0;
  sources_o *s = create_sources();
  assert_null(sources_read_text(s, "systems/none.lua", &bytes, &error));
  assert_non_null(strstr(error.text, "systems/none.lua"));
  write_file("systems/none.lua", "later");
  assert_null(text_of(s, "systems/none.lua"));
  assert_null(text_of(s, "[shoal]/none.lua"));
  remove_file("systems/b.lua");
  assert_null(text_of(s, "systems/b.lua"));
  sources_release(s);
}

TEST_WITH(sealed_sources_contain_every_file_and_read_no_more_files, fixture) {
  sources_o *s = create_sources();
  text_of(s, "game.lua");
  assert_false(sources_is_sealed(s));
  assert_true(sources_seal(s, NULL));
  assert_true(sources_is_sealed(s));
  remove_file("systems/b.lua");
  assert_string_equal(text_of(s, "systems/b.lua"), "systems/b.lua");
  assert_null(text_of(s, "[shoal]/boot.lua"));
  sources_release(s);
}

static uint64_t get_hash(const char *name) {
  sources_o *s = create_sources();
  text_of(s, "game.lua");
  text_of(s, name);
  text_of(s, "[shoal]/boot.lua");
  assert_true(sources_seal(s, NULL));
  uint64_t hash = sources_hash(s);
  sources_release(s);
  return hash;
}

TEST_WITH(sources_hash_covers_names_and_texts_that_were_read, fixture) {
  uint64_t first = get_hash("systems/a.lua");
  assert_true(get_hash("systems/b.lua") != first);
  write_file("systems/b.lua", "of no interest");
  write_file("engine/boot.lua", "of no interest either");
  assert_true(get_hash("systems/a.lua") == first);
  write_file("systems/a.lua", "changed");
  assert_true(get_hash("systems/a.lua") != first);
}

TEST_WITH(sources_are_freed_with_their_last_owner, fixture) {
  sources_o *s = create_sources();
  sources_retain(s);
  sources_release(s);
  assert_string_equal(text_of(s, "game.lua"), "game.lua");
  sources_release(s);
}

static void set_code(sources_o *s, const char *name, const char *code) {
  assert_non_null(text_of(s, name));
  sources_set_code(s, name, code, strlen(code) + 1);
}

static const char *get_code(sources_o *s, const char *name) {
  size_t bytes = 0;
  assert_non_null(text_of(s, name));
  return sources_get_code(s, name, &bytes);
}

TEST_WITH(compiled_code_is_shared_with_later_sources_of_the_same_text, fixture) {
  char engine[128];
  path_join(engine, sizeof engine, folder, "engine");
  sources_o *first = create_sources();
  assert_null(get_code(first, "systems/a.lua"));
  set_code(first, "systems/a.lua", "code of a");
  set_code(first, "systems/b.lua", "code of b");
  set_code(first, "[shoal]/boot.lua", "code of boot");
  assert_string_equal(get_code(first, "systems/a.lua"), "code of a");
  assert_true(sources_seal(first, NULL));
  sources_set_code(first, "game.lua", "too late", 9);
  assert_null(get_code(first, "game.lua"));
  write_file("systems/b.lua", "systems/B.lua");
  sources_o *second = sources_create(folder, engine, first);
  sources_release(first);
  assert_string_equal(get_code(second, "systems/a.lua"), "code of a");
  assert_string_equal(get_code(second, "[shoal]/boot.lua"), "code of boot");
  assert_null(get_code(second, "systems/b.lua"));
  assert_true(sources_seal(second, NULL));
  sources_release(second);
}

TEST_WITH(changed_sources_contain_changes_and_read_no_files, fixture) {
  static const source_change_t CHANGES[] = {
      {"components.lua", "added", 5}, {"systems/a.lua", "changed", 7}, {"systems/b.lua", NULL, 0}, {"zz.lua", NULL, 0}};
  error_info_t error = {0};
  sources_o *base = create_sources();
  text_of(base, "[shoal]/boot.lua");
  assert_true(sources_seal(base, NULL));
  write_file("game.lua", "changed on disk");
  sources_o *s = sources_create_changed(base, CHANGES, 4);
  sources_release(base);
  static const char *const NAMES[] = {"components.lua", "engine/boot.lua", "game.lua", "systems/a.lua"};
  for (uint32_t i = 0; i < 4; ++i)
    assert_string_equal(sources_file_name(s, i), NAMES[i]);
  assert_null(sources_file_name(s, 4));
  assert_string_equal(text_of(s, "components.lua"), "added");
  assert_string_equal(text_of(s, "game.lua"), "game.lua");
  assert_string_equal(text_of(s, "systems/a.lua"), "changed");
  assert_null(text_of(s, "systems/b.lua"));
  assert_string_equal(text_of(s, "[shoal]/boot.lua"), "engine/boot.lua");
  assert_false(sources_add_addon(s, "menu", folder, &error));
  assert_non_null(strstr(error.text, "the add-on menu cannot be added"));
  assert_true(sources_seal(s, NULL));
  assert_string_equal(text_of(s, "engine/boot.lua"), "engine/boot.lua");
  sources_release(s);
}

// Returns the hash of sources from `base` in which systems/a.lua has this text.
static uint64_t get_changed_hash(sources_o *base, const char *text) {
  sources_o *s = sources_create_changed(base, &(source_change_t){"systems/a.lua", text, strlen(text)}, 1);
  text_of(s, "game.lua");
  text_of(s, "systems/a.lua");
  assert_true(sources_seal(s, NULL));
  uint64_t hash = sources_hash(s);
  sources_release(s);
  return hash;
}

TEST_WITH(changed_sources_have_the_hash_of_the_same_files_on_disk, fixture) {
  uint64_t old_hash = get_hash("systems/a.lua");
  sources_o *base = create_sources();
  assert_true(sources_seal(base, NULL));
  write_file("systems/a.lua", "changed");
  assert_true(get_changed_hash(base, "changed") == get_hash("systems/a.lua"));
  assert_true(get_changed_hash(base, "systems/a.lua") == old_hash);
  sources_release(base);
}

TEST_WITH(folder_without_game_lua_has_no_sources, fixture) {
  remove_file("game.lua");
  sources_o *s = create_sources();
  assert_null(sources_file_name(s, 0));
  sources_release(s);
  sources_o *none = sources_create("/nowhere at all", "/nowhere", NULL);
  assert_null(sources_file_name(none, 0));
  assert_true(sources_seal(none, NULL));
  sources_release(none);
  sources_release(NULL);
}
