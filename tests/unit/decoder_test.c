// Decoding many files in one process (decode/decoder.h): some files crash the process, never finish, are rejected,
// report wrong sizes or exceed the memory limit.
// slow: takes seconds under the sanitizers
#include "decode/decoder.h"

#include "../slowdown.h"
#include "base/files.h"
#include "temporary_folder.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOM 4096u
#define FILES 200u

// Returns the time limit of a child, in milliseconds. A file that never finishes uses all of it. On a busy machine, a
// child may not be scheduled for several hundred milliseconds.
static uint32_t limit_ms(void) {
  return wall_slowdown() > 2 ? 4000 : 1500;
}

static bool poisoned; // set in a child process by the file "poison"

// The file's text selects what the decoder does; after "poison", every file crashes the child process.
static bool decode(decode_job_t *w) {
  const char *in = w->in;
  if (strcmp(in, "crash") == 0 || poisoned)
    *(volatile char *)(uintptr_t)16 = 1;
  for (volatile bool on = strcmp(in, "loop") == 0; on;) {
  }
  if (strcmp(in, "poison") == 0)
    poisoned = true;
  if (strcmp(in, "leave") == 0)
    child_exit(3);
  if (strcmp(in, "refuse") == 0)
    return error_set(w->error, "it is upside down");
  if (strcmp(in, "lie") == 0) {
    w->out_bytes = ROOM + 1;
    return true;
  }
  size_t bytes = strcmp(in, "large") == 0 ? ROOM / 2 : strcmp(in, "huge") == 0 ? ROOM + 1 : strlen(in);
  w->needs_capacity = bytes > w->out_bytes;
  if (w->needs_capacity)
    return false;
  memcpy(w->out, in, strlen(in));
  w->out_bytes = bytes;
  return true;
}

static const decoder_type_t type = {DECODER_TASK("test-decoder"), .decode = decode};
TEST_TASK(type.task)

static char folder[512];

static void make_folder(void) {
  temporary_folder_create(folder, sizeof folder, "decoder");
}

static void remove_folder(void) {
  temporary_folder_remove(folder);
}
GROUP_FIXTURE(make_folder, remove_folder)

// Adds a file. If `trusts` is true, files called "own…", "refuse" or "huge" are trusted.
static void add_file(decoder_o *d, uint64_t id, const char *text, bool trusts) {
  char path[640];
  error_info_t error = {0};
  snprintf(path, sizeof path, "%s/%s", folder, text);
  if (!file_write(path, text, strlen(text), &error))
    fail_msg("%s", error.text);
  bool is_own = strncmp(text, "own", 3) == 0 || strcmp(text, "refuse") == 0 || strcmp(text, "huge") == 0;
  decoder_add_file(d, id, path, trusts && is_own);
}

static decoder_o *open_decoder(const char *const *names, uint32_t count, bool trusts) {
  decoder_o *d = decoder_create(&(decoder_desc_t){.type = &type, .capacity_bytes = ROOM, .limit_ms = limit_ms()});
  for (uint32_t i = 0; i < count; ++i)
    add_file(d, i + 1, names[i], trusts);
  return d;
}

static void check_accepted(decoder_o *d, uint64_t id, const char *name) {
  decoder_result_t result;
  assert_true(decoder_next_result(d, true, &result));
  assert_int_equal(result.id, id);
  if (!result.out)
    fail_msg("%s", result.error.text);
  assert_memory_equal(result.out, name, strlen(name));
}

static void check_rejected(decoder_o *d, uint64_t id, bool refused, const char *words) {
  decoder_result_t result;
  assert_true(decoder_next_result(d, true, &result));
  assert_int_equal(result.id, id);
  assert_null(result.out);
  assert_int_equal(result.rejected, refused);
  assert_non_null(strstr(result.error.text, words));
}

TEST(decoder_decodes_many_files_per_child_in_order) {
  decoder_result_t result;
  decoder_o *d = open_decoder(NULL, 0, false);
  assert_false(decoder_next_result(d, true, &result));
  for (uint32_t i = 0; i < FILES; ++i)
    add_file(d, i, "abc", false);
  assert_int_equal(decoder_pending_count(d), FILES);
  for (uint32_t round = 0; round < 2; ++round) { // the result buffer of a child holds 64 results
    for (uint32_t i = 0; i < (round ? 10 : FILES); ++i)
      check_accepted(d, i, "abc");
    assert_false(decoder_next_result(d, true, &result));
    assert_int_equal(decoder_started_child_count(d), round ? 5 : 4);
    for (uint32_t i = 0; i < 10; ++i)
      add_file(d, i, "abc", false);
  }
  decoder_destroy(d);
}

TEST(malicious_file_does_not_affect_other_files) {
  static const char *const names[] = {"one", "crash", "two", "loop", "refuse", "three", "leave", "lie", "four"};
  decoder_result_t result;
  char late[64];
  snprintf(late, sizeof late, "took more than %u ms", limit_ms());
  decoder_o *d = open_decoder(names, 9, false);
  check_accepted(d, 1, "one");
  check_rejected(d, 2, false, "crashed (signal 11)");
  check_accepted(d, 3, "two");
  check_rejected(d, 4, false, late);
  check_rejected(d, 5, true, "it is upside down");
  check_accepted(d, 6, "three");
  check_rejected(d, 7, false, "exited with status 3");
  check_rejected(d, 8, false, "the file is damaged");
  check_accepted(d, 9, "four");
  assert_false(decoder_next_result(d, true, &result));
  decoder_destroy(d);
}

TEST(file_is_retried_in_a_new_child_if_an_earlier_file_corrupted_the_child) {
  static const char *const names[] = {"poison", "one", "two"};
  decoder_o *d = open_decoder(names, 3, false);
  check_accepted(d, 1, "poison");
  check_accepted(d, 2, "one");
  check_accepted(d, 3, "two");
  assert_int_equal(decoder_started_child_count(d), 2);
  decoder_destroy(d);
}

TEST(large_files_are_decoded_and_oversized_ones_rejected) {
  static const char *const names[] = {"large", "one", "large", "huge", "two"};
  decoder_o *d = open_decoder(names, 5, false);
  check_accepted(d, 1, "large");
  check_accepted(d, 2, "one");
  check_accepted(d, 3, "large");
  check_rejected(d, 4, false, "the decoded data is too large");
  check_accepted(d, 5, "two");
  decoder_destroy(d);
}

TEST(trusted_files_are_decoded_in_process_in_order) {
  static const char *const names[] = {"own one", "crash", "own two", "refuse", "one", "huge", "own three"};
  decoder_o *d = open_decoder(names, 7, true);
  check_accepted(d, 1, "own one");
  assert_int_equal(decoder_started_child_count(d), 0);
  check_rejected(d, 2, false, "crashed (signal 11)");
  assert_int_equal(decoder_started_child_count(d), 1);
  check_accepted(d, 3, "own two");
  check_rejected(d, 4, true, "it is upside down");
  assert_int_equal(decoder_started_child_count(d), 1);
  check_accepted(d, 5, "one");
  check_rejected(d, 6, false, "the decoded data is too large");
  check_accepted(d, 7, "own three");
  decoder_destroy(d);
}

TEST(missing_file_is_rejected_with_the_reason) {
  static const char *const names[] = {"one", "two"};
  char path[640];
  decoder_o *d = open_decoder(names, 2, false);
  snprintf(path, sizeof path, "%s/one", folder);
  assert_int_equal(remove(path), 0);
  check_rejected(d, 1, true, "file not found");
  check_accepted(d, 2, "two");
  decoder_destroy(d);
}

TEST(decoder_can_be_polled_and_cleared_while_its_child_runs) {
  static const char *const names[] = {"loop", "one"};
  decoder_result_t result;
  decoder_o *d = open_decoder(names, 2, false);
  assert_false(decoder_next_result(d, false, &result));
  assert_int_equal(decoder_started_child_count(d), 1);
  decoder_clear(d);
  assert_int_equal(decoder_pending_count(d), 0);
  assert_false(decoder_next_result(d, true, &result));
  add_file(d, 7, "one", false);
  check_accepted(d, 7, "one");
  decoder_destroy(d);
}

TEST(retained_results_outlive_the_decoder) {
  decoder_result_t result;
  decoder_o *d = open_decoder((const char *[]){"own"}, 1, true);
  decoder_add_file_bytes(d, 2, "abc", 4, false);
  assert_true(decoder_next_result(d, true, &result));
  const uint8_t *first = result.out;
  decoder_memory_t *kept = decoder_retain(d);
  check_accepted(d, 2, "abc");
  decoder_destroy(d);
  assert_memory_equal(first, "own", 3);
  decoder_release(kept);
}
