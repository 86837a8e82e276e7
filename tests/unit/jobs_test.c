// Work distributed over threads: process/jobs.h.
#include "process/jobs.h"

#include "process/main_calls.h"
#include "process/threads.h"
#include "../slowdown.h"
#include "test.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PARTS 1000u

typedef struct tally_t {
  uint32_t times[PARTS]; // number of times each part has run, counted without a lock by the thread that runs the part
  _Atomic uint32_t in_worker[JOBS_MAX_WORKERS];
  _Atomic bool overlapped;
  uint32_t workers;
} tally_t;

static void count_part(void *context, uint32_t part, uint32_t worker) {
  tally_t *t = context;
  if (worker >= t->workers || atomic_fetch_add(&t->in_worker[worker], 1) != 0)
    atomic_store(&t->overlapped, true);
  t->times[part]++;
  atomic_fetch_sub(&t->in_worker[worker], 1);
}

TEST(each_job_part_runs_once_and_each_worker_runs_one_part_at_a_time) {
  for (uint32_t workers = 1; workers <= 8; workers *= 2) {
    allocator_t a = {0};
    jobs_o *j = jobs_create(&a, workers);
    assert_int_equal(jobs_worker_count(j), workers);
    for (uint32_t parts = 0; parts <= PARTS; parts = parts * 3 + 1) {
      tally_t t = {.workers = workers};
      jobs_run_parts(j, count_part, &t, parts);
      for (uint32_t i = 0; i < PARTS; ++i)
        assert_int_equal(t.times[i], i < parts);
      assert_false(t.overlapped);
    }
    jobs_destroy(j);
    assert_int_equal(a.bytes, 0);
  }
}

typedef struct chain_t {
  uint32_t numbers[64];
  uint32_t next[64];
} chain_t;

static void compute_next_number(void *context, uint32_t part, uint32_t worker) {
  chain_t *c = context;
  (void)worker;
  c->next[part] = c->numbers[(part * 7 + 1) % 64] * 3 + part;
}

// Each run reads, without atomics, the values that all parts of the previous run have written. The runs are so short
// that threads join late.
TEST(job_run_sees_all_writes_of_the_previous_run) {
  allocator_t a = {0};
  jobs_o *j = jobs_create(&a, 4);
  chain_t one = {{0}, {0}}, many = {{0}, {0}};
  uint64_t calls = a.calls;
  for (uint32_t i = 0; i < 20000; ++i) {
    uint32_t parts = 2 + i % 63;
    jobs_run_parts(NULL, compute_next_number, &one, parts);
    jobs_run_parts(j, compute_next_number, &many, parts);
    memcpy(one.numbers, one.next, sizeof one.numbers);
    memcpy(many.numbers, many.next, sizeof many.numbers);
  }
  assert_memory_equal(one.numbers, many.numbers, sizeof one.numbers);
  assert_int_equal(a.calls, calls); // a run allocates nothing
  jobs_destroy(j);
}

static void run_slow_part(void *context, uint32_t part, uint32_t worker) {
  (void)worker;
  usleep(part == 0 ? 20000 : 2000);
  ((uint32_t *)context)[part] = part + 1;
}

TEST(sleeping_job_threads_wake_for_the_next_run) {
  allocator_t a = {0};
  jobs_o *j = jobs_create(&a, 3);
  for (uint32_t i = 0; i < 5; ++i) {
    uint32_t done[6] = {0};
    usleep(5000); // longer than idle threads spin before they sleep
    jobs_run_parts(j, run_slow_part, done, 6);
    for (uint32_t part = 0; part < 6; ++part)
      assert_int_equal(done[part], part + 1);
  }
  jobs_destroy(j);
}

static void check_part_order(void *context, uint32_t part, uint32_t worker) {
  uint32_t *next = context;
  assert_int_equal(worker, 0);
  assert_int_equal(part, *next);
  (*next)++;
}

TEST(single_worker_runs_job_parts_in_order) {
  allocator_t a = {0};
  jobs_o *j = jobs_create(&a, 0);
  uint32_t next = 0;
  assert_int_equal(jobs_worker_count(j), 1);
  jobs_run_parts(j, check_part_order, &next, 100);
  assert_int_equal(next, 100);
  jobs_destroy(j);
  next = 0;
  jobs_run_parts(NULL, check_part_order, &next, 100);
  assert_int_equal(next, 100);
  jobs_destroy(NULL);
  assert_true(threads_count_cores() >= 1);
}

// The child process has none of the parent's worker threads.
TEST(calling_thread_runs_all_job_parts_in_a_forked_child) {
  allocator_t a = {0};
  jobs_o *j = jobs_create(&a, 4);
  tally_t t = {.workers = 4};
  jobs_run_parts(j, count_part, &t, 100);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    tally_t inside = {.workers = 1};
    alarm((unsigned)(200 * wall_slowdown()));
    jobs_reset_after_fork(j);
    jobs_reset_after_fork(NULL);
    jobs_run_parts(j, count_part, &inside, 100);
    for (uint32_t i = 0; i < 100; ++i)
      if (inside.times[i] != 1)
        _exit(1);
    _exit(inside.overlapped ? 2 : 0);
  }
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  jobs_run_parts(j, count_part, &t, 100);
  assert_int_equal(t.times[99], 2);
  jobs_destroy(j);
}

typedef struct caller_t {
  main_calls_t calls;
  pthread_t main, called_on;
  bool first, second;
  atomic_bool has_called, is_closed;
} caller_t;

static void note_thread(void *context) {
  caller_t *c = context;
  c->called_on = pthread_self();
}

static void *call_main_twice(void *context) {
  caller_t *c = context;
  main_calls_use(&c->calls);
  c->first = main_calls_invoke(note_thread, c);
  atomic_store(&c->has_called, true);
  while (!atomic_load(&c->is_closed))
    sched_yield();
  c->second = main_calls_invoke(note_thread, c);
  return NULL;
}

TEST(main_call_runs_on_the_main_thread_until_calls_are_closed) {
  pthread_t thread;
  caller_t c = {.main = pthread_self()};
  assert_true(main_calls_invoke(note_thread, &c)); // called on the main thread itself
  assert_true(pthread_equal(c.called_on, c.main));
  memset(&c.called_on, 0, sizeof c.called_on);
  main_calls_init(&c.calls);
  assert_true(thread_start(&thread, call_main_twice, &c));
  while (!atomic_load(&c.has_called))
    main_calls_run(&c.calls);
  main_calls_close(&c.calls);
  atomic_store(&c.is_closed, true);
  pthread_join(thread, NULL);
  main_calls_fini(&c.calls);
  assert_true(c.first && pthread_equal(c.called_on, c.main));
  assert_false(c.second);
}
