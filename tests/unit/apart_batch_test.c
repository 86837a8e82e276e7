// Many pieces of work in one copy of the process, with some among them that crash, never end, refuse, lie or want more
// room. base/apart_batch.h.
#include "base/apart_batch.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ROOM 4096u
#define PIECES 200u
#define LIMIT_MS 4000 // a busy machine may leave a copy alone for some hundreds

// The letter says what it does; "poison" makes every piece behind it in the same copy crash.
static bool work(apart_work_t *w) {
  const char *in = w->in;
  volatile bool poisoned = getenv("APART_POISON") != NULL;
  if (strcmp(in, "crash") == 0 || poisoned)
    raise(SIGKILL);
  for (volatile bool on = strcmp(in, "loop") == 0; on;) {
  }
  if (strcmp(in, "poison") == 0)
    setenv("APART_POISON", "1", 1);
  if (strcmp(in, "leave") == 0)
    exit(3);
  if (strcmp(in, "refuse") == 0)
    return error_set(w->why, "it is upside down");
  if (strcmp(in, "lie") == 0) {
    w->out_bytes = ROOM + 1;
    return true;
  }
  size_t bytes = strcmp(in, "large") == 0 ? ROOM / 2 : strcmp(in, "huge") == 0 ? ROOM + 1 : strlen(in);
  w->wants_room = bytes > w->out_bytes;
  if (w->wants_room)
    return false;
  memcpy(w->out, in, strlen(in));
  w->out_bytes = bytes;
  return true;
}

static apart_batch_o *open_batch(const char *const *names, uint32_t count) {
  apart_batch_o *b = apart_batch_create(&(apart_batch_desc_t){.work = work, .room_bytes = ROOM, .limit_ms = LIMIT_MS});
  for (uint32_t i = 0; i < count; ++i)
    apart_batch_add(b, i + 1, names[i], strlen(names[i]));
  return b;
}

static void check_good(apart_batch_o *b, uint64_t id, const char *name) {
  apart_piece_t piece;
  assert_true(apart_batch_next(b, true, &piece));
  assert_int_equal(piece.id, id);
  assert_non_null(piece.out);
  assert_memory_equal(piece.out, name, strlen(name));
}

static void check_bad(apart_batch_o *b, uint64_t id, bool refused, const char *words) {
  apart_piece_t piece;
  assert_true(apart_batch_next(b, true, &piece));
  assert_int_equal(piece.id, id);
  assert_null(piece.out);
  assert_int_equal(piece.refused, refused);
  assert_non_null(strstr(piece.why.text, words));
}

static void many_pieces_cost_one_copy_and_come_out_in_order(void **state) {
  (void)state;
  apart_piece_t piece;
  apart_batch_o *b = open_batch(NULL, 0);
  assert_false(apart_batch_next(b, true, &piece));
  for (uint32_t i = 0; i < PIECES; ++i)
    apart_batch_add(b, i, "abc", 3);
  assert_int_equal(apart_batch_left(b), PIECES);
  for (uint32_t round = 0; round < 2; ++round) { // the room of one copy holds 64 of them
    for (uint32_t i = 0; i < (round ? 10 : PIECES); ++i)
      check_good(b, i, "abc");
    assert_false(apart_batch_next(b, true, &piece));
    assert_int_equal(apart_batch_copies(b), round ? 5 : 4);
    for (uint32_t i = 0; i < 10; ++i)
      apart_batch_add(b, i, "abc", 3);
  }
  apart_batch_destroy(b);
}

static void a_hostile_piece_loses_itself_alone(void **state) {
  (void)state;
  static const char *const names[] = {"one", "crash", "two", "loop", "refuse", "three", "leave", "lie", "four"};
  apart_piece_t piece;
  apart_batch_o *b = open_batch(names, 9);
  check_good(b, 1, "one");
  check_bad(b, 2, false, "crashed (signal 9)");
  check_good(b, 3, "two");
  check_bad(b, 4, false, "did not come to an end within 4000 ms");
  check_bad(b, 5, true, "it is upside down");
  check_good(b, 6, "three");
  check_bad(b, 7, false, "ended the program (status 3)");
  check_bad(b, 8, false, "it is broken");
  check_good(b, 9, "four");
  assert_false(apart_batch_next(b, true, &piece));
  apart_batch_destroy(b);
}

static void a_piece_that_an_earlier_one_has_harmed_is_tried_once_more(void **state) {
  (void)state;
  static const char *const names[] = {"poison", "one", "two"};
  apart_batch_o *b = open_batch(names, 3);
  check_good(b, 1, "poison");
  check_good(b, 2, "one");
  check_good(b, 3, "two");
  assert_int_equal(apart_batch_copies(b), 2);
  apart_batch_destroy(b);
}

static void what_does_not_fit_behind_others_has_a_copy_of_its_own(void **state) {
  (void)state;
  static const char *const names[] = {"large", "one", "large", "huge", "two"};
  apart_batch_o *b = open_batch(names, 5);
  check_good(b, 1, "large");
  check_good(b, 2, "one");
  check_good(b, 3, "large");
  check_bad(b, 4, false, "it is too large");
  check_good(b, 5, "two");
  apart_batch_destroy(b);
}

static bool is_trusted(const void *in, size_t in_bytes) {
  assert_int_equal(in_bytes, strlen(in));
  return strncmp(in, "own", 3) == 0 || strcmp(in, "refuse") == 0 || strcmp(in, "huge") == 0;
}

static void what_is_trusted_is_done_here_in_its_turn(void **state) {
  (void)state;
  static const char *const names[] = {"own one", "crash", "own two", "refuse", "one", "huge", "own three"};
  apart_batch_o *b = apart_batch_create(
      &(apart_batch_desc_t){.work = work, .is_trusted = is_trusted, .room_bytes = ROOM, .limit_ms = LIMIT_MS});
  for (uint32_t i = 0; i < 7; ++i)
    apart_batch_add(b, i + 1, names[i], strlen(names[i]));
  check_good(b, 1, "own one");
  assert_int_equal(apart_batch_copies(b), 0);
  check_bad(b, 2, false, "crashed (signal 9)");
  assert_int_equal(apart_batch_copies(b), 1);
  check_good(b, 3, "own two");
  check_bad(b, 4, true, "it is upside down");
  assert_int_equal(apart_batch_copies(b), 1);
  check_good(b, 5, "one");
  check_bad(b, 6, false, "it is too large");
  check_good(b, 7, "own three");
  apart_batch_destroy(b);
}

static void nobody_waits_for_what_is_looked_at_only_and_what_runs_can_be_dropped(void **state) {
  (void)state;
  static const char *const names[] = {"loop", "one"};
  apart_piece_t piece;
  apart_batch_o *b = open_batch(names, 2);
  assert_false(apart_batch_next(b, false, &piece));
  assert_int_equal(apart_batch_copies(b), 1);
  apart_batch_clear(b);
  assert_int_equal(apart_batch_left(b), 0);
  assert_false(apart_batch_next(b, true, &piece));
  apart_batch_add(b, 7, "one", 3);
  check_good(b, 7, "one");
  apart_batch_destroy(b);
}

int apart_batch_tests(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(many_pieces_cost_one_copy_and_come_out_in_order),
      cmocka_unit_test(a_hostile_piece_loses_itself_alone),
      cmocka_unit_test(a_piece_that_an_earlier_one_has_harmed_is_tried_once_more),
      cmocka_unit_test(what_does_not_fit_behind_others_has_a_copy_of_its_own),
      cmocka_unit_test(what_is_trusted_is_done_here_in_its_turn),
      cmocka_unit_test(nobody_waits_for_what_is_looked_at_only_and_what_runs_can_be_dropped),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
