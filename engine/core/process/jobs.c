// The thread pool. The parts of a run are divided into lanes, one per worker. A worker first takes the parts in its own
// lane, because the worker's cache may still contain the rows that it processed in the previous run. Then it takes
// parts from the remaining lanes.
//
// A lane is a single atomic word: the upper half is the number of the run, the lower half is the number of parts not
// yet taken. A thread takes a part by decrementing the word with compare-and-swap, which fails if either half has
// changed. A late thread with a word of an earlier run therefore cannot take a part of this run. A thread that has
// taken a part may read the run's data, because the run cannot end before the part has returned.
#include "process/jobs.h"

#include "base/assert.h"
#include "base/now.h"
#include "process/signals.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

// Time for which an idle thread spins before it sleeps. Systems follow each other within microseconds, but waking a
// thread takes 8 µs of the caller's time and another 16 to 25 µs until the thread runs. Measured in time, not in
// iterations, because a pause instruction takes 40 cycles on some processors and 140 on others.
#define SPIN_NS 50000
#define ROUNDS_PER_CLOCK 32u
#define LINE_BYTES 64

typedef struct worker_t {
  jobs_o *pool;
  uint32_t index;
  pthread_t thread;
} worker_t;

typedef struct lane_t {
  _Alignas(LINE_BYTES) _Atomic uint64_t state; // run number << 32 | number of parts not yet taken
} lane_t;

struct jobs_o {
  lane_t lanes[JOBS_MAX_WORKERS];
  // Contended data, each on its own cache line.
  _Alignas(LINE_BYTES) _Atomic uint32_t published_run;    // number of the most recent run whose lanes are filled
  _Alignas(LINE_BYTES) _Atomic uint32_t unfinished_parts; // number of parts of this run that have not returned
  _Alignas(LINE_BYTES) _Atomic uint32_t sleeper_count;
  _Atomic bool waiting; // true while the caller sleeps until `unfinished_parts` is 0
  _Atomic bool ending;
  jobs_part_t part;
  void *context;
  uint32_t part_count;
  // Number of parts of the largest run shared by several workers since the most recent jobs_pop_max_parts; 0: no such
  // run.
  uint32_t max_parts;
  uint32_t run_number;
  bool running;
  uint32_t lane_count; // requested number of workers; constant once threads exist
  uint32_t worker_count;
  pthread_mutex_t lock;
  pthread_cond_t work, finished;
  allocator_t *allocator;
  worker_t threads[JOBS_MAX_WORKERS]; // element 0 is the caller and has no thread
};

static void cpu_relax(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

// Returns the index of the first part in a lane. A lane ends where the next lane begins. If there are fewer parts than
// lanes, the first lanes contain one part each.
static uint32_t find_first_part(const jobs_o *jobs, uint32_t lane) {
  uint32_t lane_count = jobs->part_count < jobs->lane_count ? jobs->part_count : jobs->lane_count;
  return lane < lane_count ? (uint32_t)((uint64_t)jobs->part_count * lane / lane_count) : jobs->part_count;
}

// Takes a part from a lane and runs it. Returns true, or false if the lane is empty.
static bool run_next_part(jobs_o *jobs, uint32_t lane, uint32_t worker) {
  shoal_assert(lane < jobs->lane_count, "lane %u is out of range (count %u)", lane, jobs->lane_count);
  _Atomic uint64_t *state = &jobs->lanes[lane].state;
  uint64_t word = atomic_load_explicit(state, memory_order_acquire);
  do {
    if ((uint32_t)word == 0)
      return false;
  } while (!atomic_compare_exchange_weak_explicit(state, &word, word - 1, memory_order_acq_rel, memory_order_acquire));
  jobs->part(jobs->context, find_first_part(jobs, lane + 1) - (uint32_t)word, worker);
  if (atomic_fetch_sub(&jobs->unfinished_parts, 1) == 1 && atomic_load(&jobs->waiting)) {
    pthread_mutex_lock(&jobs->lock);
    pthread_cond_signal(&jobs->finished);
    pthread_mutex_unlock(&jobs->lock);
  }
  return true;
}

static void run_parts(jobs_o *jobs, uint32_t worker) {
  for (uint32_t i = 0; i < jobs->lane_count; ++i)
    while (run_next_part(jobs, (worker + i) % jobs->lane_count, worker))
      ;
}

static bool has_new_run(jobs_o *jobs, uint32_t last_run) {
  return atomic_load(&jobs->published_run) != last_run;
}

static bool is_run_finished(jobs_o *jobs, uint32_t unused) {
  (void)unused;
  return atomic_load(&jobs->unfinished_parts) == 0;
}

// Spins until the condition is true, at most for SPIN_NS. Returns true if the condition became true.
static bool spin_until(bool (*condition)(jobs_o *jobs, uint32_t last_run), jobs_o *jobs, uint32_t last_run) {
  int64_t end_ns = 0;
  for (uint32_t i = 1; !condition(jobs, last_run); ++i) {
    cpu_relax();
    if (i % ROUNDS_PER_CLOCK != 0)
      continue;
    int64_t time_ns = now_ns();
    if (end_ns == 0)
      end_ns = time_ns + SPIN_NS;
    else if (time_ns >= end_ns)
      return condition(jobs, last_run);
  }
  return true;
}

// Sleeps until a new run is published. The caller publishes a run and then checks for sleepers; a thread counts itself
// as a sleeper and then checks for a run. Therefore, the caller finds the sleeper or the thread finds the run.
static void sleep_until_new_run(jobs_o *jobs, uint32_t last_run) {
  pthread_mutex_lock(&jobs->lock);
  atomic_fetch_add(&jobs->sleeper_count, 1);
  while (!has_new_run(jobs, last_run) && !atomic_load(&jobs->ending))
    pthread_cond_wait(&jobs->work, &jobs->lock);
  atomic_fetch_sub(&jobs->sleeper_count, 1);
  pthread_mutex_unlock(&jobs->lock);
}

// Sets this thread's signal stack, without which handlers cannot report stack overflows. Sanitizers set up their own
// stacks.
static void set_signal_stack(char *stack, size_t bytes) {
#if !defined(__SANITIZE_ADDRESS__)
  signals_use_stack(stack, bytes);
#else
  (void)stack, (void)bytes;
#endif
}

static void *run_worker(void *argument) {
  worker_t *worker = argument;
  jobs_o *jobs = worker->pool;
  uint32_t last_run = 0;
  // This buffer is at the base of the thread's stack; overflows happen at the other end.
  char stack[SIGNALS_STACK_BYTES];
  set_signal_stack(stack, sizeof stack);
  while (!atomic_load(&jobs->ending)) {
    if (!spin_until(has_new_run, jobs, last_run))
      sleep_until_new_run(jobs, last_run);
    last_run = atomic_load(&jobs->published_run);
    run_parts(jobs, worker->index);
  }
  set_signal_stack(NULL, 0);
  return NULL;
}

jobs_o *jobs_create(allocator_t *a, uint32_t worker_count) {
  jobs_o *jobs = alloc_aligned(a, (sizeof *jobs + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES);
  jobs->allocator = a;
  jobs->lane_count = worker_count < 1 ? 1 : worker_count > JOBS_MAX_WORKERS ? JOBS_MAX_WORKERS : worker_count;
  jobs->worker_count = 1;
  pthread_mutex_init(&jobs->lock, NULL);
  pthread_cond_init(&jobs->work, NULL);
  pthread_cond_init(&jobs->finished, NULL);
  for (; jobs->worker_count < jobs->lane_count; ++jobs->worker_count) {
    worker_t *worker = &jobs->threads[jobs->worker_count];
    *worker = (worker_t){.pool = jobs, .index = jobs->worker_count};
    if (pthread_create(&worker->thread, NULL, run_worker, worker) != 0)
      break;
  }
  return jobs;
}

void jobs_destroy(jobs_o *jobs) {
  if (!jobs)
    return;
  pthread_mutex_lock(&jobs->lock);
  atomic_store(&jobs->ending, true);
  pthread_cond_broadcast(&jobs->work);
  pthread_mutex_unlock(&jobs->lock);
  for (uint32_t i = 1; i < jobs->worker_count; ++i)
    pthread_join(jobs->threads[i].thread, NULL);
  pthread_cond_destroy(&jobs->finished);
  pthread_cond_destroy(&jobs->work);
  pthread_mutex_destroy(&jobs->lock);
  alloc_free_aligned(jobs->allocator, jobs, (sizeof *jobs + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES);
}

uint32_t jobs_worker_count(const jobs_o *jobs) {
  return jobs ? jobs->worker_count : 1;
}

void jobs_reset_after_fork(jobs_o *jobs) {
  if (jobs)
    jobs->worker_count = 1;
}

uint32_t jobs_pop_max_parts(jobs_o *jobs) {
  uint32_t part_count = jobs && jobs->max_parts > 0 ? jobs->max_parts : 1;
  if (jobs)
    jobs->max_parts = 0;
  return part_count;
}

static void wait_until_finished(jobs_o *jobs) {
  if (spin_until(is_run_finished, jobs, 0))
    return;
  pthread_mutex_lock(&jobs->lock);
  atomic_store(&jobs->waiting, true);
  while (atomic_load(&jobs->unfinished_parts) != 0)
    pthread_cond_wait(&jobs->finished, &jobs->lock);
  atomic_store(&jobs->waiting, false);
  pthread_mutex_unlock(&jobs->lock);
}

void jobs_run_parts(jobs_o *jobs, jobs_part_t part, void *context, uint32_t part_count) {
  shoal_assert(part, "part must not be NULL");
  if (jobs_worker_count(jobs) == 1 || part_count < 2) {
    for (uint32_t i = 0; i < part_count; ++i)
      part(context, i, 0);
    return;
  }
  shoal_assert(!jobs->running, "jobs_run_parts must not be called inside a part");
  jobs->running = true;
  jobs->part = part;
  jobs->context = context;
  jobs->part_count = part_count;
  atomic_store(&jobs->unfinished_parts, part_count);
  jobs->max_parts = part_count > jobs->max_parts ? part_count : jobs->max_parts;
  jobs->run_number++;
  for (uint32_t i = 0; i < jobs->lane_count; ++i)
    atomic_store(&jobs->lanes[i].state,
                 (uint64_t)jobs->run_number << 32 | (find_first_part(jobs, i + 1) - find_first_part(jobs, i)));
  atomic_store(&jobs->published_run, jobs->run_number);
  if (atomic_load(&jobs->sleeper_count) > 0) {
    pthread_mutex_lock(&jobs->lock); // once this thread holds the lock, all sleepers are waiting on `work`
    pthread_mutex_unlock(&jobs->lock);
    pthread_cond_broadcast(&jobs->work); // broadcasts after unlocking, because woken threads must take the lock
  }
  run_parts(jobs, 0);
  wait_until_finished(jobs);
  jobs->running = false;
}
