// Archives: reading entries by path, byte-identical output, and rejection of damaged files.
#include "base/archive.h"
#include "base/files.h"
#include "base/hash.h"
#include "temporary_folder.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64], path[96];

static void setup(void) {
  temporary_folder_create(folder, sizeof folder, "archive");
  snprintf(path, sizeof path, "%s/game.data", folder);
  error_info_t error;
  archive_writer_o *w = archive_writer_create(path, &error);
  assert_non_null(w);
  char long_text[5000];
  memset(long_text, 'x', sizeof long_text);
  assert_true(archive_writer_add_entry(w, "a/b/long.txt", long_text, sizeof long_text, false, &error));
  assert_true(archive_writer_add_entry(w, "a/empty", "", 0, false, &error));
  assert_true(archive_writer_add_entry(w, "a/stored.png", "as it is", 8, true, &error));
  assert_true(archive_writer_add_entry(w, "a/.hidden", "h", 1, false, &error));
  assert_true(archive_writer_add_entry(w, "ab", "beside", 6, false, &error));
  assert_true(archive_writer_finish(w, &error));
}

static void teardown(void) {
  archive_unmount();
  temporary_folder_remove(folder);
}
STATIC_FIXTURE(fixture, setup, teardown)

static void mount_archive(void) {
  bool is_there;
  error_info_t error = {0};
  assert_true(archive_mount(path, &is_there, &error));
}

static char *archived_path(const char *name) {
  static char out[256];
  return path_join(out, sizeof out, path, name);
}

TEST_WITH(archive_entries_are_read_by_path, fixture) {
  allocator_t a = {0};
  error_info_t error = {0};
  size_t size = 0;
  mount_archive();
  char *text = file_read(&a, archived_path("a/b/long.txt"), &size, &error);
  assert_non_null(text);
  assert_int_equal(size, 5000);
  assert_int_equal(strspn(text, "x"), 5000);
  file_free(&a, text, size);
  text = file_read(&a, archived_path("a/stored.png"), &size, &error);
  assert_string_equal(text, "as it is");
  file_free(&a, text, size);
  text = file_read(&a, archived_path("a/empty"), &size, &error);
  assert_int_equal(size, 0);
  file_free(&a, text, size);
  assert_null(file_read(&a, archived_path("a/c"), &size, &error));
  assert_null(file_read_limited(&a, archived_path("a/b/long.txt"), 4999, &size, &error));
  assert_int_equal(a.bytes, 0);
}

TEST_WITH(archive_folders_are_inferred_from_entry_names, fixture) {
  mount_archive();
  assert_true(file_is_folder(path));
  assert_true(file_is_folder(archived_path("a")));
  assert_true(file_is_folder(archived_path("a/b/")));
  assert_false(file_is_folder(archived_path("ab")));
  assert_false(file_is_folder(archived_path("a/b/long.txt")));
  assert_true(file_exists(archived_path("ab")));
  assert_false(file_exists(archived_path("a")));
  assert_false(path_exists(archived_path("a/b/l")));
  char bytes[8];
  assert_int_equal(file_read_start(archived_path("a/b/long.txt"), bytes, 4), 4);
  assert_memory_equal(bytes, "xxxx", 4);
}

TEST_WITH(archive_folder_is_listed_recursively_without_hidden_files, fixture) {
  allocator_t a = {0};
  file_list_t list;
  mount_archive();
  assert_true(file_list(&a, archived_path("a"), "", &list, NULL));
  assert_int_equal(list.count, 3);
  assert_string_equal(list.paths[0], "b/long.txt");
  assert_string_equal(list.paths[1], "empty");
  assert_string_equal(list.paths[2], "stored.png");
  file_list_free(&a, &list);
  assert_false(file_list(&a, archived_path("c"), "", &list, NULL));
  assert_int_equal(a.bytes, 0);
}

TEST_WITH(archive_is_read_only, fixture) {
  error_info_t error = {0};
  mount_archive();
  assert_false(file_write(archived_path("a/new"), "x", 1, &error));
  assert_false(file_write(archived_path("ab"), "x", 1, &error));
}

TEST_WITH(archives_of_the_same_entries_are_byte_identical, fixture) {
  allocator_t a = {0};
  size_t first_size, second_size;
  char *first = file_read(&a, path, &first_size, NULL);
  unlink(path);
  sleep(1); // the archive's bytes must not depend on the time
  rmdir(folder);
  setup();
  char *second = file_read(&a, path, &second_size, NULL);
  assert_int_equal(first_size, second_size);
  assert_memory_equal(first, second, first_size);
  file_free(&a, first, first_size);
  file_free(&a, second, second_size);
}

TEST_WITH(corrupted_or_truncated_archive_is_rejected, fixture) {
  allocator_t a = {0};
  error_info_t error = {0};
  size_t size;
  bool is_there;
  char *bytes = file_read(&a, path, &size, NULL);
  for (size_t i = 0; i < size; i += 7) {
    bytes[i] = (char)(bytes[i] ^ 4);
    assert_true(file_write(path, bytes, size, &error));
    assert_false(archive_mount(path, &is_there, &error));
    assert_true(is_there);
    bytes[i] = (char)(bytes[i] ^ 4);
  }
  for (size_t cut = 0; cut < size; cut += 13) {
    assert_true(file_write(path, bytes, cut, &error));
    assert_false(archive_mount(path, &is_there, &error));
  }
  assert_true(file_write(path, bytes, size, &error));
  mount_archive();
  archive_unmount();
  assert_null(archive_path());
  unlink(path);
  assert_false(archive_mount(path, &is_there, &error));
  assert_false(is_there);
  file_free(&a, bytes, size);
}

// An attacker can compute a valid checksum, so all bytes that precede it are untrusted.
TEST_WITH(corrupt_index_with_a_valid_checksum_is_read_safely, fixture) {
  allocator_t a = {0};
  error_info_t error = {0};
  size_t size;
  bool is_there;
  char *bytes = file_read(&a, path, &size, NULL), digits[17], out[64];
  for (size_t i = 0; i < size - 16; i += 3)
    for (int flip = 3; flip < 256; flip += 252) {
      bytes[i] = (char)(bytes[i] ^ flip);
      snprintf(digits, sizeof digits, "%016llx", (unsigned long long)hash_bytes(bytes, size - 16, 0));
      memcpy(bytes + size - 16, digits, 16);
      assert_true(file_write(path, bytes, size, &error));
      const archive_entry_t *items = NULL;
      uint32_t count = archive_mount(path, &is_there, &error) ? archive_list_folder(path, &items) : 0;
      assert_true(is_there && count <= 5);
      for (uint32_t k = 0; k < count; ++k)
        archive_read_entry(&items[k], out, sizeof out, &error);
      archive_unmount();
      bytes[i] = (char)(bytes[i] ^ flip);
    }
  file_free(&a, bytes, size);
}
