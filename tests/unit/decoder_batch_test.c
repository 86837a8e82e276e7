// Many files in one decoder process, some of which crash it, never end, are refused, report wrong sizes or need more
// room. decode/decoder_batch.h.
#include "decode/decoder_batch.h"

#include "base/files.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define ROOM 4096u
#define FILES 200u
#define LIMIT_MS 4000 // a busy machine may not schedule a child for some hundreds

static bool poisoned; // in a child

// A file's text says what happens to it; after "poison" every file crashes the same child.
static bool decode(decode_job_t *w) {
  const char *in = w->in;
  if (strcmp(in, "crash") == 0 || poisoned)
    raise(SIGKILL);
  for (volatile bool on = strcmp(in, "loop") == 0; on;) {
  }
  if (strcmp(in, "poison") == 0)
    poisoned = true;
  if (strcmp(in, "leave") == 0)
    _exit(3);
  if (strcmp(in, "refuse") == 0)
    return error_set(w->why, "it is upside down");
  if (strcmp(in, "lie") == 0) {
    w->out_bytes = ROOM + 1;
    return true;
  }
  size_t bytes = strcmp(in, "large") == 0 ? ROOM / 2 : strcmp(in, "huge") == 0 ? ROOM + 1 : strlen(in);
  w->needs_room = bytes > w->out_bytes;
  if (w->needs_room)
    return false;
  memcpy(w->out, in, strlen(in));
  w->out_bytes = bytes;
  return true;
}

static char folder[] = "/tmp/shoal-decoder-XXXXXX";

static int make_folder(void **state) {
  (void)state;
  return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
  char command[128];
  (void)state;
  snprintf(command, sizeof command, "rm -rf %s", folder);
  return system(command);
}

// Files that are called "own…", "refuse" or "huge" are trusted where `trusts`.
static void add_file(decoder_batch_o *b, uint64_t id, const char *text, bool trusts) {
  char path[128];
  error_t error = {0};
  snprintf(path, sizeof path, "%s/%s", folder, text);
  if (!file_write(path, text, strlen(text), &error))
    fail_msg("%s", error.text);
  bool is_own = strncmp(text, "own", 3) == 0 || strcmp(text, "refuse") == 0 || strcmp(text, "huge") == 0;
  decoder_batch_add(b, id, path, trusts && is_own);
}

static decoder_batch_o *open_batch(const char *const *names, uint32_t count, bool trusts) {
  decoder_batch_o *b =
      decoder_batch_create(&(decoder_batch_desc_t){.decode = decode, .room_bytes = ROOM, .limit_ms = LIMIT_MS});
  for (uint32_t i = 0; i < count; ++i)
    add_file(b, i + 1, names[i], trusts);
  return b;
}

static void check_good(decoder_batch_o *b, uint64_t id, const char *name) {
  decoder_result_t result;
  assert_true(decoder_batch_next(b, true, &result));
  assert_int_equal(result.id, id);
  assert_non_null(result.out);
  assert_memory_equal(result.out, name, strlen(name));
}

static void check_bad(decoder_batch_o *b, uint64_t id, bool refused, const char *words) {
  decoder_result_t result;
  assert_true(decoder_batch_next(b, true, &result));
  assert_int_equal(result.id, id);
  assert_null(result.out);
  assert_int_equal(result.refused, refused);
  assert_non_null(strstr(result.why.text, words));
}

static void batch_decodes_many_files_in_one_child_in_their_order(void **state) {
  (void)state;
  decoder_result_t result;
  decoder_batch_o *b = open_batch(NULL, 0, false);
  assert_false(decoder_batch_next(b, true, &result));
  for (uint32_t i = 0; i < FILES; ++i)
    add_file(b, i, "abc", false);
  assert_int_equal(decoder_batch_left(b), FILES);
  for (uint32_t round = 0; round < 2; ++round) { // the room of one child holds 64 of them
    for (uint32_t i = 0; i < (round ? 10 : FILES); ++i)
      check_good(b, i, "abc");
    assert_false(decoder_batch_next(b, true, &result));
    assert_int_equal(decoder_batch_children(b), round ? 5 : 4);
    for (uint32_t i = 0; i < 10; ++i)
      add_file(b, i, "abc", false);
  }
  decoder_batch_destroy(b);
}

static void malicious_file_fails_alone(void **state) {
  (void)state;
  static const char *const names[] = {"one", "crash", "two", "loop", "refuse", "three", "leave", "lie", "four"};
  decoder_result_t result;
  decoder_batch_o *b = open_batch(names, 9, false);
  check_good(b, 1, "one");
  check_bad(b, 2, false, "crashed (signal 9)");
  check_good(b, 3, "two");
  check_bad(b, 4, false, "took more than 4000 ms");
  check_bad(b, 5, true, "it is upside down");
  check_good(b, 6, "three");
  check_bad(b, 7, false, "exited with status 3");
  check_bad(b, 8, false, "it is broken");
  check_good(b, 9, "four");
  assert_false(decoder_batch_next(b, true, &result));
  decoder_batch_destroy(b);
}

static void file_after_one_that_damaged_the_child_is_tried_again(void **state) {
  (void)state;
  static const char *const names[] = {"poison", "one", "two"};
  decoder_batch_o *b = open_batch(names, 3, false);
  check_good(b, 1, "poison");
  check_good(b, 2, "one");
  check_good(b, 3, "two");
  assert_int_equal(decoder_batch_children(b), 2);
  decoder_batch_destroy(b);
}

static void file_that_does_not_fit_gets_a_child_of_its_own(void **state) {
  (void)state;
  static const char *const names[] = {"large", "one", "large", "huge", "two"};
  decoder_batch_o *b = open_batch(names, 5, false);
  check_good(b, 1, "large");
  check_good(b, 2, "one");
  check_good(b, 3, "large");
  check_bad(b, 4, false, "it is too large");
  check_good(b, 5, "two");
  decoder_batch_destroy(b);
}

static void trusted_files_are_decoded_in_this_process_in_their_order(void **state) {
  (void)state;
  static const char *const names[] = {"own one", "crash", "own two", "refuse", "one", "huge", "own three"};
  decoder_batch_o *b = open_batch(names, 7, true);
  check_good(b, 1, "own one");
  assert_int_equal(decoder_batch_children(b), 0);
  check_bad(b, 2, false, "crashed (signal 9)");
  assert_int_equal(decoder_batch_children(b), 1);
  check_good(b, 3, "own two");
  check_bad(b, 4, true, "it is upside down");
  assert_int_equal(decoder_batch_children(b), 1);
  check_good(b, 5, "one");
  check_bad(b, 6, false, "it is too large");
  check_good(b, 7, "own three");
  decoder_batch_destroy(b);
}

static void missing_file_is_refused_with_its_reason(void **state) {
  (void)state;
  static const char *const names[] = {"one", "two"};
  char path[128];
  decoder_batch_o *b = open_batch(names, 2, false);
  snprintf(path, sizeof path, "%s/one", folder);
  unlink(path);
  check_bad(b, 1, true, "no such file");
  check_good(b, 2, "two");
  decoder_batch_destroy(b);
}

static void batch_can_be_polled_and_cleared_while_its_child_runs(void **state) {
  (void)state;
  static const char *const names[] = {"loop", "one"};
  decoder_result_t result;
  decoder_batch_o *b = open_batch(names, 2, false);
  assert_false(decoder_batch_next(b, false, &result));
  assert_int_equal(decoder_batch_children(b), 1);
  decoder_batch_clear(b);
  assert_int_equal(decoder_batch_left(b), 0);
  assert_false(decoder_batch_next(b, true, &result));
  add_file(b, 7, "one", false);
  check_good(b, 7, "one");
  decoder_batch_destroy(b);
}

int decoder_batch_tests(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(batch_decodes_many_files_in_one_child_in_their_order),
      cmocka_unit_test(malicious_file_fails_alone),
      cmocka_unit_test(file_after_one_that_damaged_the_child_is_tried_again),
      cmocka_unit_test(file_that_does_not_fit_gets_a_child_of_its_own),
      cmocka_unit_test(trusted_files_are_decoded_in_this_process_in_their_order),
      cmocka_unit_test(missing_file_is_refused_with_its_reason),
      cmocka_unit_test(batch_can_be_polled_and_cleared_while_its_child_runs),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
