// Changes of source files that machines of a match share, and hostile ones.
#include "base/file_system.h"
#include "base/files.h"
#include "base/random.h"
#include "base/varint.h"
#include "match/source_bundle.h"
#include "temporary_folder.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64];
static allocator_t memory;

static void write_file(const char *name, const char *text) {
  char path[256];
  assert_true(file_write(path_join(path, sizeof path, folder, name), text, strlen(text), NULL));
}

static void setup(void) {
  char path[128];
  temporary_folder_create(folder, sizeof folder, "bundle");
  file_system_create_folder(path_join(path, sizeof path, folder, "systems"), false);
  file_system_create_folder(path_join(path, sizeof path, folder, "assets"), false);
  write_file("game.lua", "game");
  write_file("systems/a.lua", "a");
  write_file("systems/b.lua", "b");
  memory = (allocator_t){0};
}

static void teardown(void) {
  assert_int_equal(memory.bytes, 0);
  temporary_folder_remove(folder);
}
STATIC_FIXTURE(fixture, setup, teardown)

static sources_o *read_folder(void) {
  sources_o *s = sources_create(folder, "/nowhere", NULL);
  assert_true(sources_seal(s, NULL));
  return s;
}

static void assert_text(sources_o *s, const char *name, const char *expected) {
  size_t size = 0;
  const char *text = sources_read_text(s, name, &size, NULL);
  assert_true(expected ? text && size == strlen(expected) && strcmp(text, expected) == 0 : !text);
}

TEST_WITH(folder_changes_are_applied_to_other_sources, fixture) {
  char path[256], names[512];
  uint32_t count;
  size_t size;
  sources_o *old = read_folder();
  write_file("components.lua", "added");
  write_file("systems/a.lua", "changed");
  write_file("assets/waves.csv", "1,2 é");
  write_file("assets/hero.dat", "not a source");
  unlink(path_join(path, sizeof path, folder, "systems/b.lua"));
  sources_o *fresh = read_folder();
  uint8_t *bytes = source_bundle_write(&memory, old, fresh, &size, &count, NULL);
  assert_non_null(bytes);
  assert_int_equal(count, 4);
  assert_string_equal(source_bundle_list(bytes, size, names, sizeof names),
                      "assets/waves.csv, components.lua, systems/a.lua, systems/b.lua");
  sources_o *result = source_bundle_apply(old, bytes, size, NULL);
  assert_non_null(result);
  assert_text(result, "game.lua", "game");
  assert_text(result, "components.lua", "added");
  assert_text(result, "systems/a.lua", "changed");
  assert_text(result, "systems/b.lua", NULL);
  assert_text(result, "assets/waves.csv", "1,2 é");
  for (size_t shorter = 0; shorter < size; ++shorter)
    assert_null(source_bundle_apply(old, bytes, shorter, NULL));
  source_bundle_free(&memory, bytes, size);
  bytes = source_bundle_write(&memory, fresh, fresh, &size, &count, NULL);
  assert_int_equal(count, 0);
  source_bundle_free(&memory, bytes, size);
  sources_release(result);
  sources_release(fresh);
  sources_release(old);
}

static void assert_not_written(const char *reason) {
  error_info_t error = {0};
  uint32_t count;
  size_t size;
  char path[256];
  snprintf(path, sizeof path, "%s/other", folder);
  file_system_create_folder(path, false);
  sources_o *empty = sources_create(path, "/nowhere", NULL), *fresh = read_folder();
  assert_true(sources_seal(empty, NULL));
  assert_null(source_bundle_write(&memory, empty, fresh, &size, &count, &error));
  if (!strstr(error.text, reason))
    fail_msg("expected %s, got %s", reason, error.text);
  sources_release(empty);
  sources_release(fresh);
}

TEST_WITH(changes_that_remote_machines_would_refuse_are_not_written, fixture) {
  char *large = malloc(SOURCE_BUNDLE_MAX_BYTES);
  memset(large, ' ', SOURCE_BUNDLE_MAX_BYTES);
  large[SOURCE_BUNDLE_MAX_BYTES - 1] = '\0';
  write_file("systems/a.lua", large);
  assert_not_written("change at most 256 files with at most 1 MB in total");
  free(large);
  write_file("systems/a.lua", "\033LJ");
  assert_not_written("systems/a.lua: contains bytecode");
  write_file("systems/a.lua", "return '\xff'");
  assert_not_written("systems/a.lua: must be a text in UTF-8");
}

static size_t add_file(uint8_t *out, size_t at, const char *name, size_t length, const char *text, size_t size) {
  at += varint_write(length, out + at);
  memcpy(out + at, name, length);
  at += length;
  memset(out + at, 0, 8); // the file did not exist
  at += 8;
  out[at++] = 1;
  at += varint_write(size, out + at);
  memcpy(out + at, text, size);
  return at + size;
}

static void assert_refused(const uint8_t *bytes, size_t size, const char *reason) {
  error_info_t error = {0};
  sources_o *base = read_folder();
  assert_null(source_bundle_apply(base, bytes, size, &error));
  if (strncmp(error.text, "The changes cannot be shared with the other machines.\n", 54) != 0 ||
      !strstr(error.text, reason))
    fail_msg("expected %s, got %s", reason, error.text);
  sources_release(base);
}

static void assert_file_refused(const char *name, size_t length, const char *text, size_t size, const char *reason) {
  uint8_t bytes[1024] = {1};
  assert_refused(bytes, add_file(bytes, 1, name, length, text, size), reason);
}

TEST_WITH(hostile_files_are_refused, fixture) {
  static const char *const OUTSIDE[] = {"../x.lua",         "/etc/x.lua",      "systems/../../x.lua", "./x.lua",
                                        "systems//x.lua",   ".hidden/x.lua",   "systems\\x.lua",      "C:x.lua",
                                        "[shoal]/boot.lua", "systems/\nx.lua", "systems/\xff.lua"};
  static const char *const OTHER[] = {"assets/make.lua", "plugins/evil.so", "systems/notes.txt", "assets/hero.png",
                                      "evil.sh"};
  for (size_t i = 0; i < sizeof OUTSIDE / sizeof *OUTSIDE; ++i)
    assert_file_refused(OUTSIDE[i], strlen(OUTSIDE[i]), "", 0, "leads out of the game's folder");
  for (size_t i = 0; i < sizeof OTHER / sizeof *OTHER; ++i)
    assert_file_refused(OTHER[i], strlen(OTHER[i]), "", 0, "only Lua files, scenes and data files");
  assert_file_refused("addons/menu/init.lua", 20, "", 0, "files of add-ons");
  assert_file_refused("systems/a\0.lua", 14, "", 0, "malformed");
  assert_file_refused("", 0, "", 0, "malformed");
  assert_file_refused("systems/a.lua", 13, "\033LJ\2", 4, "contains bytecode");
  assert_file_refused("systems/a.lua", 13, "a\0b", 3, "must be a text in UTF-8");
  assert_file_refused("systems/a.lua", 13, "\xc0\xaf", 2, "must be a text in UTF-8");
}

TEST_WITH(malformed_bundles_are_refused, fixture) {
  uint8_t bytes[1024] = {2};
  size_t size = add_file(bytes, 1, "b.lua", 5, "", 0);
  assert_refused(bytes, add_file(bytes, size, "a.lua", 5, "", 0), "malformed"); // names are not sorted
  assert_refused(bytes, add_file(bytes, size, "b.lua", 5, "", 0), "malformed"); // a name occurs twice
  bytes[0] = 1;
  assert_refused(bytes, size + 1, "malformed");            // trailing byte
  assert_refused((uint8_t[]){0x81, 0x02}, 2, "malformed"); // a count of 257 files
  assert_refused((uint8_t[]){1, 1, 'a', 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xff, 0xff, 0xff, 0x7f}, 16,
                 "malformed"); // a text that is cut off
  assert_refused((uint8_t[]){1, 5, 'a', '.', 'l', 'u', 'a', 0, 0, 0, 0, 0, 0, 0, 0, 2}, 16,
                 "malformed"); // unknown kind
  assert_refused((uint8_t[]){1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}, 11, "malformed");
}

static void expect_conflict(sources_o *running, const uint8_t *bytes, size_t size, const char *expected) {
  char name[SOURCE_BUNDLE_MAX_NAME + 1] = "none";
  assert_int_equal(source_bundle_find_conflict(running, bytes, size, name), strcmp(expected, "none") != 0);
  assert_string_equal(name, expected);
}

TEST_WITH(change_of_an_older_version_is_a_conflict, fixture) {
  char path[256];
  uint32_t count;
  size_t size;
  sources_o *old = read_folder();
  write_file("systems/a.lua", "mine");
  unlink(path_join(path, sizeof path, folder, "systems/b.lua"));
  write_file("new.lua", "mine");
  sources_o *own = read_folder();
  uint8_t *bytes = source_bundle_write(&memory, old, own, &size, &count, NULL);
  expect_conflict(old, bytes, size, "none");
  expect_conflict(own, bytes, size, "none"); // these texts are already running
  write_file("game.lua", "a different file");
  write_file("systems/b.lua", "b");
  write_file("systems/a.lua", "a");
  unlink(path_join(path, sizeof path, folder, "new.lua"));
  sources_o *different = read_folder();
  expect_conflict(different, bytes, size, "none");
  write_file("systems/a.lua", "theirs");
  sources_o *changed = read_folder();
  expect_conflict(changed, bytes, size, "systems/a.lua");
  write_file("systems/a.lua", "a");
  write_file("new.lua", "theirs");
  sources_o *added = read_folder();
  expect_conflict(added, bytes, size, "new.lua");
  // After the conflict, the same change is made to the running version.
  sources_o *rebased = source_bundle_rebase(old, own, changed);
  assert_text(rebased, "systems/a.lua", "theirs");
  assert_text(rebased, "game.lua", "game");
  source_bundle_free(&memory, bytes, size);
  bytes = source_bundle_write(&memory, rebased, own, &size, &count, NULL);
  expect_conflict(changed, bytes, size, "none");
  expect_conflict(old, bytes, size, "systems/a.lua");
  assert_null(source_bundle_rebase(old, own, old));
  source_bundle_free(&memory, bytes, size);
  sources_release(rebased);
  sources_release(added);
  sources_release(changed);
  sources_release(different);
  sources_release(own);
  sources_release(old);
}

TEST_WITH(random_bytes_are_refused_or_harmless, fixture) {
  random_t random;
  random_seed(&random, 1);
  sources_o *base = read_folder();
  for (uint32_t i = 0; i < 3000; ++i) {
    uint8_t bytes[256] = {2};
    size_t size = add_file(bytes, 1, "a.lua", 5, "return 1", 8);
    size = add_file(bytes, size, "b.lua", 5, "return 2", 8);
    for (uint32_t k = 0; k < 1 + i % 3; ++k)
      bytes[random_u32(&random) % size] = (uint8_t)random_u32(&random);
    sources_o *result = source_bundle_apply(base, bytes, size, NULL);
    for (uint32_t k = 0; result && sources_file_name(result, k); ++k)
      assert_true(sources_is_source_file(sources_file_name(result, k)));
    sources_release(result);
  }
  sources_release(base);
}
