// Work in a copy of the process that crashes, never ends, takes all memory or lies about what it leaves. base/apart.h.
#include "base/apart.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <cmocka.h>

#define LIMIT_MS 4000 // a busy machine may leave a copy alone for some hundreds

static bool turn_round(apart_work_t *work) {
  const uint8_t *in = work->in;
  for (size_t i = 0; i < work->in_bytes; ++i)
    work->out[i] = in[work->in_bytes - 1 - i];
  work->out_bytes = work->in_bytes;
  return true;
}

static bool refuse(apart_work_t *work) {
  return error_set(work->why, "it is upside down");
}

static bool crash(apart_work_t *work) {
  (void)work;
  raise(SIGKILL);
  return true;
}

static bool loop(apart_work_t *work) {
  volatile bool on = work != NULL;
  while (on) {
  }
  return true;
}

static bool leave(apart_work_t *work) {
  (void)work;
  exit(3);
}

static bool lie(apart_work_t *work) {
  ++work->out_bytes;
  return true;
}

static bool take_memory(apart_work_t *work) {
  size_t bytes = ((size_t)APART_MEMORY_MB << 20) + 1;
  error_set(work->why, "there is no memory");
  return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) != MAP_FAILED;
}

static bool run(apart_t *a, bool (*work)(apart_work_t *work), error_t *error) {
  size_t bytes = 0;
  assert_true(apart_begin(
      a, &(apart_desc_t){.work = work, .in = "abc", .in_bytes = 3, .out_bytes = 16, .limit_ms = LIMIT_MS}, error));
  const uint8_t *out = apart_end(a, &bytes, error);
  return out && bytes == 3 && memcmp(out, "cba", 3) == 0;
}

static void what_it_leaves_is_there_until_it_is_freed(void **state) {
  (void)state;
  apart_t a;
  error_t error = {0};
  assert_true(run(&a, turn_round, &error));
  apart_free(&a);
  apart_free(&a);
}

static void every_other_end_is_a_failure_with_its_words(void **state) {
  (void)state;
  const struct {
    bool (*work)(apart_work_t *work);
    const char *words;
  } all[] = {{refuse, "it is upside down"},
             {crash, "crashed (signal 9)"},
             {loop, "did not come to an end within 4000 ms"},
             {leave, "ended the program (status 3)"},
             {lie, "it is broken"}};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
    apart_t a;
    error_t error = {0};
    assert_false(run(&a, all[i].work, &error));
    if (!strstr(error.text, all[i].words))
      fail_msg("it says “%s”, not “%s”", error.text, all[i].words);
    apart_free(&a);
  }
}

// An emulator takes limits of memory and keeps none, for they would be its own.
static bool system_limits_memory(void) {
  struct rlimit before, after = {0};
  if (getrlimit(RLIMIT_AS, &before) != 0)
    return false;
  rlim_t wanted = (rlim_t)1 << 46 < before.rlim_max ? (rlim_t)1 << 46 : before.rlim_max;
  return setrlimit(RLIMIT_AS, &(struct rlimit){wanted, before.rlim_max}) == 0 && getrlimit(RLIMIT_AS, &after) == 0 &&
         setrlimit(RLIMIT_AS, &before) == 0 && after.rlim_cur == wanted;
}

static void who_takes_all_memory_fails_with_its_own_words(void **state) {
  (void)state;
  if (!system_limits_memory())
    skip();
  apart_t a;
  error_t error = {0};
  assert_false(run(&a, take_memory, &error));
  assert_non_null(strstr(error.text, "there is no memory"));
  apart_free(&a);
}

static void what_runs_is_ended_when_it_is_freed(void **state) {
  (void)state;
  apart_t a;
  error_t error = {0};
  assert_true(apart_begin(&a, &(apart_desc_t){.work = loop, .limit_ms = 100000}, &error));
  assert_false(apart_is_done(&a));
  apart_free(&a);
  assert_false(a.runs);
}

int apart_tests(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_it_leaves_is_there_until_it_is_freed),
      cmocka_unit_test(every_other_end_is_a_failure_with_its_words),
      cmocka_unit_test(who_takes_all_memory_fails_with_its_own_words),
      cmocka_unit_test(what_runs_is_ended_when_it_is_freed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
