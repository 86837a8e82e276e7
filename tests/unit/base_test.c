// Tests of base/: allocators, arrays, errors, parked lists, hash tables, hashes, random numbers, files and logs.
#include "base/array.h"
#include "base/confined_folder.h"
#include "base/file_system.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/hash_table.h"
#include "base/parked.h"
#include "base/pages.h"
#include "base/random.h"
#include "base/text_search.h"
#include "base/text_stream.h"
#include "temporary_folder.h"
#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TEST(allocator_counts_bytes_blocks_and_calls) {
  allocator_t a = {0};
  char *p = alloc_resize(&a, NULL, 0, 10);
  memcpy(p, "123456789", 10);
  p = alloc_resize(&a, p, 10, 1000);
  assert_string_equal(p, "123456789");
  assert_int_equal(a.bytes, 1000);
  assert_int_equal(a.blocks, 1);
  assert_null(alloc_resize(&a, p, 1000, 0));
  assert_int_equal(a.bytes, 0);
  assert_int_equal(a.blocks, 0);
  assert_int_equal(a.calls, 3);
  assert_null(alloc_resize(&a, NULL, 0, 0));
  assert_int_equal(a.calls, 3);
}

// The naive search of a pattern, for comparison.
static const char *find_slowly(const char *bytes, size_t count, const char *pattern, size_t pattern_count) {
  for (size_t i = 0; i + pattern_count <= count; ++i)
    if (memcmp(bytes + i, pattern, pattern_count) == 0)
      return bytes + i;
  return NULL;
}

// Few different letters make periodic patterns, for which the algorithm has special cases.
TEST(text_search_equals_a_naive_search_for_random_and_periodic_patterns) {
  enum { BYTES = 400, PATTERN_BYTES = 120 };
  char bytes[BYTES], pattern[PATTERN_BYTES];
  uint32_t found = 0, long_found = 0;
  random_t random;
  random_seed(&random, 1);
  for (uint32_t run = 0; run < 20000; ++run) {
    size_t count = random_u32(&random) % BYTES, pattern_count = random_u32(&random) % PATTERN_BYTES,
           period = 1 + random_u32(&random) % 50;
    for (size_t i = 0; i < count; ++i)
      bytes[i] = i < period ? (char)('a' + random_u32(&random) % 2) : bytes[i - period];
    if (count > 0 && random_u32(&random) % 2)
      bytes[random_u32(&random) % count] = 'c';
    size_t start = count > pattern_count ? random_u32(&random) % (count - pattern_count) : 0;
    for (size_t i = 0; i < pattern_count; ++i)
      pattern[i] = start + i < count ? bytes[start + i] : 'a';
    if (pattern_count > 0 && random_u32(&random) % 4 == 0)
      pattern[random_u32(&random) % pattern_count] = 'b';
    const char *expected = find_slowly(bytes, count, pattern, pattern_count);
    assert_ptr_equal(text_search_bytes(bytes, count, pattern, pattern_count), expected);
    found += expected != NULL;
    long_found += expected && pattern_count > 60;
  }
  assert_in_range(found, 5000, 19000); // both results occur
  assert_true(long_found > 1000);
}

TEST(text_search_ignores_the_case_of_ascii_letters) {
  assert_string_equal(text_search_ignoring_case("Select Mean_MS from", "mean_ms"), "Mean_MS from");
  assert_string_equal(text_search_ignoring_case("text", ""), "text");
  assert_string_equal(text_search_ignoring_case("end", "END"), "end");
  assert_null(text_search_ignoring_case("en", "end"));
  assert_null(text_search_ignoring_case("", "end"));
}

TEST(text_stream_collects_printed_text) {
  text_stream_t stream;
  assert_non_null(text_stream_open(&stream));
  for (int i = 0; i < 10000; ++i)
    fprintf(stream.stream, "%d\n", i % 10);
  char *text = text_stream_close(&stream);
  assert_non_null(text);
  assert_int_equal(strlen(text), 20000);
  assert_string_equal(text + 19996, "8\n9\n");
  free(text);
}

TEST(aligned_allocation_is_aligned_and_zeroed_at_every_size) {
  allocator_t a = {0};
  size_t sizes[] = {1, 64, 1000, (2u << 20) - 1, 2u << 20, (5u << 20) + 1};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
    unsigned char *p = alloc_aligned(&a, sizes[i]);
    assert_int_equal((uintptr_t)p % ALLOC_COLUMN_ALIGNMENT, 0);
    for (size_t k = 0; k < sizes[i]; k += i < 3 ? 1 : 4095)
      assert_int_equal(p[k], 0);
    memset(p, 255, sizes[i]); // every byte must be writable
    alloc_free_aligned(&a, p, sizes[i]);
  }
  assert_int_equal(a.bytes, 0);
  assert_int_equal(a.blocks, 0);
}

TEST(populated_memory_keeps_its_contents_and_neighbours) {
  enum { BYTES = 100000, SIZE = 40000 };
  static unsigned char memory[BYTES];
  for (size_t offset = 0; offset < 9000; offset += 2999) {
    for (size_t i = 0; i < BYTES; ++i)
      memory[i] = (unsigned char)(i * 7 + offset);
    pages_populate(memory + offset, SIZE);
    for (size_t i = 0; i < BYTES; ++i)
      assert_int_equal(memory[i], (unsigned char)(i * 7 + offset));
  }
  pages_populate(memory, 0);
}

TEST(array_doubles_its_capacity_and_keeps_its_items) {
  allocator_t a = {0};
  ARRAY(int) list = {0};
  for (int i = 0; i < 1000; ++i)
    array_push(&a, &list, i);
  assert_int_equal(list.count, 1000);
  assert_int_equal(list.capacity, 1024);
  assert_int_equal(a.calls, 8);
  for (int i = 0; i < 1000; ++i)
    assert_int_equal(list.items[i], i);
  array_free(&a, &list);
  assert_int_equal(list.count, 0);
  assert_int_equal(a.bytes, 0);
}

TEST(array_of_large_items_starts_with_few_items) {
  typedef struct item_t {
    char bytes[56];
  } item_t;
  allocator_t a = {0};
  ARRAY(item_t) list = {0};
  array_push(&a, &list, (item_t){{0}});
  assert_int_equal(list.capacity, 2);
  array_free(&a, &list);
}

TEST(long_error_text_is_truncated_and_terminated) {
  error_info_t error;
  char text[3000];
  memset(text, 'x', sizeof text);
  text[sizeof text - 1] = '\0';
  assert_false(error_set(&error, "%s", text));
  assert_int_equal(strlen(error.text), sizeof error.text - 1);
  assert_false(error_set(NULL, "nobody wants the words of %d", 1));
}

TEST(parked_kind_names_round_trip) {
  for (parked_kind_t kind = PARKED_SYSTEM; kind < PARKED_KINDS; ++kind) {
    assert_non_null(parked_kind_name(kind));
    assert_int_equal(parked_kind_parse(parked_kind_name(kind)), kind);
  }
  assert_int_equal(parked_kind_parse("unheard of"), PARKED_SYSTEM);
}

TEST(parked_failures_are_recorded_only_if_their_changes_are_undone) {
  parked_t x = {.kind = PARKED_HANDLER, .name = "a/on hit"};
  error_set_at(&x.error, "systems/a.lua", 3, "on purpose");
  error_set_piece(&x.error, "system a, on hit");
  assert_false(parked_is_recorded(&x, false));
  assert_true(parked_is_recorded(&x, true));
  parked_list_t list = {.items = {0}};
  parked_list_add(&list, &x);
  assert_ptr_equal(parked_find(&list, "a/on hit"), parked_find_piece(&list, "system a, on hit"));
  assert_string_equal(parked_find(&list, "a/on hit")->error.text, "systems/a.lua:3: on purpose");
  assert_null(parked_find(&list, "a/body"));
  list.items.items[0].undone = true;
  assert_true(parked_is_recorded(&list.items.items[0], false));
  x.kind = PARKED_PLUGIN_SYSTEM; // plugin systems cannot be recorded by name
  assert_false(parked_is_recorded(&x, true));
  parked_list_fini(&list);
  assert_int_equal(list.memory.blocks, 0);
}

TEST(error_location_is_cleared_by_the_next_error) {
  error_info_t error;
  assert_false(error_set_at(&error, "systems/a.lua", 12, "%d legs", 3));
  assert_string_equal(error.text, "systems/a.lua:12: 3 legs");
  assert_string_equal(error.file, "systems/a.lua");
  assert_int_equal(error.line, 12);
  assert_string_equal(error.text + error.message_at, "3 legs");
  assert_false(error_set_at(&error, "", 0, "no file"));
  assert_string_equal(error.text, "no file");
  assert_string_equal(error.file, "");
  error_set_at(&error, "systems/a.lua", 12, "again");
  error_set(&error, "plain");
  assert_string_equal(error.text + error.message_at, "plain");
  assert_true(error.file[0] == '\0' && error.line == 0);
}

TEST(hash_table_finds_all_entries_with_the_same_hash) {
  allocator_t a = {0};
  hash_table_t t = {0};
  uint32_t at = 0, found;
  assert_int_equal(hash_table_find_next(&t, 1, &at), 0);
  for (uint32_t i = 0; i < 1000; ++i)
    hash_table_insert(&t, &a, (uint64_t)(i / 4) * 64, i + 1);
  for (uint32_t hash = 0; hash < 250; ++hash) {
    bool seen[4] = {false};
    for (at = 0; (found = hash_table_find_next(&t, hash * 64, &at)) != 0;) {
      assert_true(found > hash * 4 && found <= hash * 4 + 4 && !seen[found - 1 - hash * 4]);
      seen[found - 1 - hash * 4] = true;
    }
    assert_true(seen[0] && seen[1] && seen[2] && seen[3]);
  }
  at = 0;
  assert_int_equal(hash_table_find_next(&t, 1, &at), 0);
  hash_table_free(&t, &a);
  at = 0;
  assert_int_equal(hash_table_find_next(&t, 0, &at), 0);
  assert_int_equal(a.blocks, 0);
}

TEST(hash_depends_on_bytes_and_seed) {
  assert_true(hash_text("motion") == hash_bytes("motion", 6, 0));
  assert_true(hash_text("motion") != hash_text("motioN"));
  assert_true(hash_bytes("a", 1, 1) != hash_bytes("a", 1, 2));
  // XXH3 of the empty string: stored hashes depend on this value
  assert_true(hash_text("") == UINT64_C(0x2d06800538d394c2));
}

TEST(random_sequence_depends_only_on_its_seed) {
  random_t a, b, c;
  random_seed(&a, 5);
  random_seed(&b, 5);
  random_seed(&c, 6);
  int same = 0;
  for (int i = 0; i < 100; ++i) {
    uint32_t n = random_u32(&a);
    assert_int_equal(n, random_u32(&b));
    same += n == random_u32(&c);
  }
  assert_true(same < 3);
}

TEST(random_unit_is_at_least_0_and_below_1) {
  random_t r;
  random_seed(&r, 0);
  double sum = 0, low = 1, high = 0;
  for (int i = 0; i < 100000; ++i) {
    double x = random_unit(&r);
    assert_true(x >= 0 && x < 1);
    sum += x;
    low = x < low ? x : low;
    high = x > high ? x : high;
  }
  assert_true(sum > 49500 && sum < 50500);
  assert_true(low < 0.001 && high > 0.999);
}

// --- files

static char folder[64];

static void folder_setup(void) {
  temporary_folder_create(folder, sizeof folder, "base-test");
}

static void folder_teardown(void) {
  temporary_folder_remove(folder);
}
STATIC_FIXTURE(fixture, folder_setup, folder_teardown)

static void write_text(const char *name, const char *text) {
  char path[256];
  error_info_t error;
  if (!file_write(path_join(path, sizeof path, folder, name), text, strlen(text), &error))
    fail_msg("%s", error.text);
}

static void make_folder(const char *name) {
  char path[256];
  assert_true(file_system_create_folder(path_join(path, sizeof path, folder, name), false));
}

TEST_WITH(written_file_reads_back_and_leaves_no_temporary_file, fixture) {
  allocator_t a = {0};
  char path[256];
  write_text("a.txt", "old");
  write_text("a.txt", "new content");
  path_join(path, sizeof path, folder, "a.txt");
  assert_true(file_exists(path));
  assert_false(file_is_folder(path));
  size_t size;
  char *text = file_read(&a, path, &size, NULL);
  assert_string_equal(text, "new content");
  assert_int_equal(size, 11);
  file_free(&a, text, size);
  file_list_t list;
  assert_true(file_list(&a, folder, "", &list, NULL));
  assert_int_equal(list.count, 1);
  file_list_free(&a, &list);
  assert_int_equal(a.bytes, 0);
}

TEST_WITH(mapped_file_keeps_its_content_after_a_replacement, fixture) {
  error_info_t error;
  size_t size = 1;
  char path[256];
  write_text("a.txt", "old");
  const void *bytes = file_map(path_join(path, sizeof path, folder, "a.txt"), &size, &error);
  assert_non_null(bytes);
  write_text("a.txt", "new content");
  assert_int_equal(size, 3);
  assert_memory_equal(bytes, "old", 3);
  file_unmap(bytes, size);
  write_text("empty.txt", "");
  assert_null(file_map(path_join(path, sizeof path, folder, "empty.txt"), &size, &error));
  assert_int_equal(size, 0);
  assert_non_null(strstr(error.text, "cannot read "));
  assert_null(file_map(folder, &size, &error));
  assert_non_null(strstr(error.text, "expected a file, got"));
  assert_null(file_map(path_join(path, sizeof path, folder, "missing.lua"), &size, &error));
  assert_non_null(strstr(error.text, "missing.lua: file not found"));
  file_unmap(NULL, 0);
}

TEST_WITH(file_error_names_the_path_and_the_reason, fixture) {
  allocator_t a = {0};
  error_info_t error;
  size_t size;
  char path[256];
  assert_null(file_read(&a, path_join(path, sizeof path, folder, "missing.lua"), &size, &error));
  assert_non_null(strstr(error.text, "missing.lua: file not found"));
  assert_null(strstr(error.text, "did you mean"));
  assert_int_equal(errno, ENOENT);
  assert_true(file_write(path_join(path, sizeof path, folder, "meant.lua"), "x", 1, NULL));
  assert_null(file_read(&a, path_join(path, sizeof path, folder, "maent.lua"), &size, &error));
  assert_non_null(strstr(error.text, "maent.lua: file not found: did you mean meant.lua?"));
  assert_null(file_read(&a, folder, &size, &error));
  assert_non_null(strstr(error.text, "expected a file, got"));
  assert_false(file_write("/nowhere/at/all", "x", 1, &error));
  assert_non_null(strstr(error.text, "/nowhere/at/all: folder /nowhere/at not found"));
  assert_int_equal(a.bytes, 0);
}

TEST_WITH(reading_a_large_file_stops_on_shutdown, fixture) {
  enum { LARGE = 9 << 20 };
  allocator_t a = {0};
  error_info_t error = {0};
  size_t size = 0;
  char path[256], *zeros = alloc_resize(&a, NULL, 0, LARGE);
  memset(zeros, 0, LARGE);
  assert_true(file_write(path_join(path, sizeof path, folder, "large"), zeros, LARGE, &error));
  alloc_resize(&a, zeros, LARGE, 0);
  write_text("small", "text");
  const volatile int stopped = 1;
  interrupt_script_flag = &stopped;
  char *large = file_read(&a, path, &size, &error);
  char *small = file_read(&a, path_join(path, sizeof path, folder, "small"), &size, &error);
  interrupt_script_flag = NULL;
  assert_null(large);
  assert_non_null(strstr(error.text, "large: reading was interrupted"));
  assert_string_equal(small, "text");
  file_free(&a, small, size);
  large = file_read(&a, path_join(path, sizeof path, folder, "large"), &size, &error);
  assert_int_equal(size, LARGE);
  file_free(&a, large, size);
  assert_int_equal(a.bytes, 0);
}

TEST_WITH(file_list_is_recursive_sorted_and_skips_hidden_files, fixture) {
  allocator_t a = {0};
  make_folder("systems");
  make_folder("systems/deep");
  make_folder(".git");
  write_text("systems/a.lua", "");
  write_text("systems/B.lua", "");
  write_text("systems/deep/a.lua", "");
  write_text("systems/notes.txt", "");
  write_text("systems/.hidden.lua", "");
  write_text(".git/x.lua", "");
  write_text("game.lua", "");
  file_list_t list;
  assert_true(file_list(&a, folder, ".lua", &list, NULL));
  static const char *const wanted[] = {"game.lua", "systems/B.lua", "systems/a.lua", "systems/deep/a.lua"};
  assert_int_equal(list.count, 4);
  for (uint32_t i = 0; i < 4; ++i)
    assert_string_equal(list.paths[i], wanted[i]);
  file_list_free(&a, &list);
  error_info_t error;
  assert_false(file_list(&a, "/nowhere", "", &list, &error));
  assert_non_null(strstr(error.text, "/nowhere"));
  assert_int_equal(a.bytes, 0);
}

TEST_WITH(paths_with_two_dots_cannot_leave_a_confined_folder, fixture) {
  static const char *const OUTSIDE[] = {"../secret.txt", "deep/../../secret.txt", ".."};
  char game[256], path[512];
  file_status_t status;
  make_folder("game");
  make_folder("game/deep");
  write_text("secret.txt", "secret");
  write_text("game/a.txt", "a");
  confine_folder(path_join(game, sizeof game, folder, "game"));
  for (size_t i = 0; i < sizeof OUTSIDE / sizeof *OUTSIDE; ++i) {
    errno = 0;
    assert_false(confined_status(path_join(path, sizeof path, game, OUTSIDE[i]), &status));
    assert_int_equal(errno, EXDEV);
  }
  assert_true(confined_status(path_join(path, sizeof path, game, "deep/../a.txt"), &status));
  assert_int_equal(status.size_bytes, 1);
}

TEST(path_join_inserts_one_slash_and_truncates_long_paths) {
  char path[10];
  assert_string_equal(path_join(path, sizeof path, "a", "b"), "a/b");
  assert_string_equal(path_join(path, sizeof path, "a//", "b"), "a/b");
  assert_string_equal(path_join(path, sizeof path, "/", "b"), "/b");
  assert_string_equal(path_join(path, sizeof path, "", "b"), "b");
  assert_string_equal(path_join(path, sizeof path, "folder", "name"), "folder/na");
}

// --- log

static char logged[256];

static void store_line(void *context, log_level_t level, const char *line) {
  snprintf(logged, sizeof logged, "%s%d %s", (const char *)context, (int)level, line);
}

TEST(log_listener_receives_lines_at_or_above_the_level) {
  log_o *log = log_create(LOG_ERROR);
  log_set_listener(log, store_line, "to me: ");
  logged[0] = '\0';
  log_warn(log, "too quiet");
  assert_string_equal(logged, "");
  log_error(log, "%d eggs\n", 3);
  assert_string_equal(logged, "to me: 1 3 eggs");
  log_set_listener(log, NULL, NULL);
  log_destroy(log);
}

static void append_line(void *context, log_level_t level, const char *line) {
  char *text = context;
  (void)level;
  snprintf(text + strlen(text), 100 - strlen(text), "%s|", line);
}

TEST(deferred_lines_are_written_later_in_order_at_or_above_the_level) {
  char text[100] = "";
  log_o *log = log_create(LOG_WARN);
  log_deferred_t lines = {0};
  log_set_listener(log, append_line, text);
  log_set_terminal(log, false);
  log_defer(&lines);
  log_warn(log, "first");
  log_info(log, "below the level");
  log_error(log, "second");
  assert_true(log_is_new_notice(log, "file", "one"));
  assert_true(log_is_new_notice(log, "file", "one")); // the notice is not stored yet
  log_defer(NULL);
  assert_string_equal(text, "");
  log_warn(log, "third");
  log_write_deferred(log, &lines);
  assert_string_equal(text, "third|first|second|");
  assert_false(log_is_new_notice(log, "file", "one"));
  log_write_deferred(log, &lines);
  assert_string_equal(text, "third|first|second|");
  log_defer(&lines);
  log_warn(log, "dropped");
  log_defer(NULL);
  log_free_deferred(&lines);
  assert_string_equal(text, "third|first|second|");
  log_destroy(log);
}

TEST(log_level_is_parsed_by_name) {
  log_level_t level = LOG_NONE;
  assert_true(log_level_parse("debug", &level));
  assert_int_equal(level, LOG_DEBUG);
  assert_false(log_level_parse("loud", &level));
  assert_int_equal(level, LOG_DEBUG);
}
