// The thread pool. The parts of a run are divided into lanes, one per worker. A worker first takes the parts in its own
// lane, because its cache may still contain the rows that it processed in the previous run; then it helps with other
// lanes.
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
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

// How long an idle thread spins before it sleeps. Systems follow each other within microseconds, but waking a thread
// takes 8 µs of the caller's time and another 16 to 25 µs until the thread runs. This is a time and not a number of
// iterations, because a pause instruction takes 40 cycles on some processors and 140 on others.
#define SPIN_NS 50000
#define ROUNDS_PER_CLOCK 32u
#define LINE_BYTES 64

typedef struct worker_t {
  jobs_o *pool;
  uint32_t number;
  pthread_t thread;
} worker_t;

typedef struct lane_t {
  _Alignas(LINE_BYTES) _Atomic uint64_t open; // run number << 32 | number of parts not yet taken
} lane_t;

struct jobs_o {
  lane_t lanes[JOBS_MAX_WORKERS];
  // Contended data, each on its own cache line.
  _Alignas(LINE_BYTES) _Atomic uint32_t published;  // number of the most recent run whose lanes are filled
  _Alignas(LINE_BYTES) _Atomic uint32_t unfinished; // number of parts of this run that have not returned
  _Alignas(LINE_BYTES) _Atomic uint32_t sleepers;
  _Atomic bool waiting; // the caller is sleeping until `unfinished` is 0
  _Atomic bool ending;
  jobs_part_t part;
  void *context;
  uint32_t parts;
  // Number of parts of the largest run shared by several workers since the most recent jobs_pop_max_parts; 0: no such
  // run.
  uint32_t max_parts;
  uint32_t run;
  bool running;
  uint32_t lane_count; // requested number of workers; constant once threads exist
  uint32_t workers;
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

// Returns the index of the first part in a lane. A lane ends where the next one begins. If there are fewer parts than
// lanes, the first lanes contain one part each.
static uint32_t find_first_part(const jobs_o *j, uint32_t lane) {
  uint32_t lanes = j->parts < j->lane_count ? j->parts : j->lane_count;
  return lane < lanes ? (uint32_t)((uint64_t)j->parts * lane / lanes) : j->parts;
}

// Takes a part from a lane and runs it. Returns false if the lane is empty.
static bool run_next_part(jobs_o *j, uint32_t lane, uint32_t worker) {
  shoal_assert(lane < j->lane_count, "lane %u is out of range (count %u)", lane, j->lane_count);
  _Atomic uint64_t *open = &j->lanes[lane].open;
  uint64_t word = atomic_load_explicit(open, memory_order_acquire);
  do {
    if ((uint32_t)word == 0)
      return false;
  } while (!atomic_compare_exchange_weak_explicit(open, &word, word - 1, memory_order_acq_rel, memory_order_acquire));
  j->part(j->context, find_first_part(j, lane + 1) - (uint32_t)word, worker);
  if (atomic_fetch_sub(&j->unfinished, 1) == 1 && atomic_load(&j->waiting)) {
    pthread_mutex_lock(&j->lock);
    pthread_cond_signal(&j->finished);
    pthread_mutex_unlock(&j->lock);
  }
  return true;
}

static void run_parts(jobs_o *j, uint32_t worker) {
  for (uint32_t i = 0; i < j->lane_count; ++i)
    while (run_next_part(j, (worker + i) % j->lane_count, worker))
      ;
}

static bool has_new_run(jobs_o *j, uint32_t seen) {
  return atomic_load(&j->published) != seen;
}

static bool is_run_finished(jobs_o *j, uint32_t unused) {
  (void)unused;
  return atomic_load(&j->unfinished) == 0;
}

// Spins until the condition is true, at most for SPIN_NS. Returns true if it is true.
static bool spin_until(bool (*is_true)(jobs_o *j, uint32_t seen), jobs_o *j, uint32_t seen) {
  int64_t end_ns = 0;
  for (uint32_t i = 1; !is_true(j, seen); ++i) {
    cpu_relax();
    if (i % ROUNDS_PER_CLOCK != 0)
      continue;
    int64_t at_ns = now_ns();
    if (end_ns == 0)
      end_ns = at_ns + SPIN_NS;
    else if (at_ns >= end_ns)
      return is_true(j, seen);
  }
  return true;
}

// Sleeps until a new run is published. The caller publishes a run and then checks for sleepers; a thread counts itself
// as a sleeper and then checks for a run. At least one of them therefore notices the other.
static void sleep_until_new_run(jobs_o *j, uint32_t seen) {
  pthread_mutex_lock(&j->lock);
  atomic_fetch_add(&j->sleepers, 1);
  while (!has_new_run(j, seen) && !atomic_load(&j->ending))
    pthread_cond_wait(&j->work, &j->lock);
  atomic_fetch_sub(&j->sleepers, 1);
  pthread_mutex_unlock(&j->lock);
}

// Signal handlers need a separate stack to report stack overflows. Sanitizers set up their own.
static void set_signal_stack(char *stack, size_t bytes) {
#if !defined(__SANITIZE_ADDRESS__)
  signals_use_stack(stack, bytes);
#else
  (void)stack, (void)bytes;
#endif
}

static void *run_worker(void *argument) {
  worker_t *me = argument;
  jobs_o *j = me->pool;
  uint32_t seen = 0;
  // This buffer is at the base of the thread's stack; overflows happen at the other end.
  char stack[SIGNALS_STACK_BYTES];
  set_signal_stack(stack, sizeof stack);
  while (!atomic_load(&j->ending)) {
    if (!spin_until(has_new_run, j, seen))
      sleep_until_new_run(j, seen);
    seen = atomic_load(&j->published);
    run_parts(j, me->number);
  }
  set_signal_stack(NULL, 0);
  return NULL;
}

uint32_t jobs_core_count(void) {
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
#ifdef CPU_COUNT
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
    cores = CPU_COUNT(&allowed);
#endif
  return cores > 1 ? (uint32_t)cores : 1;
}

jobs_o *jobs_create(allocator_t *a, uint32_t workers) {
  jobs_o *j = alloc_aligned(a, (sizeof *j + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES);
  j->allocator = a;
  j->lane_count = workers < 1 ? 1 : workers > JOBS_MAX_WORKERS ? JOBS_MAX_WORKERS : workers;
  j->workers = 1;
  pthread_mutex_init(&j->lock, NULL);
  pthread_cond_init(&j->work, NULL);
  pthread_cond_init(&j->finished, NULL);
  for (; j->workers < j->lane_count; ++j->workers) {
    worker_t *x = &j->threads[j->workers];
    *x = (worker_t){.pool = j, .number = j->workers};
    if (pthread_create(&x->thread, NULL, run_worker, x) != 0)
      break;
  }
  return j;
}

void jobs_destroy(jobs_o *j) {
  if (!j)
    return;
  pthread_mutex_lock(&j->lock);
  atomic_store(&j->ending, true);
  pthread_cond_broadcast(&j->work);
  pthread_mutex_unlock(&j->lock);
  for (uint32_t i = 1; i < j->workers; ++i)
    pthread_join(j->threads[i].thread, NULL);
  pthread_cond_destroy(&j->finished);
  pthread_cond_destroy(&j->work);
  pthread_mutex_destroy(&j->lock);
  alloc_free_aligned(j->allocator, j, (sizeof *j + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES);
}

uint32_t jobs_worker_count(const jobs_o *j) {
  return j ? j->workers : 1;
}

void jobs_reset_after_fork(jobs_o *j) {
  if (j)
    j->workers = 1;
}

uint32_t jobs_pop_max_parts(jobs_o *j) {
  uint32_t parts = j && j->max_parts > 0 ? j->max_parts : 1;
  if (j)
    j->max_parts = 0;
  return parts;
}

static void wait_until_finished(jobs_o *j) {
  if (spin_until(is_run_finished, j, 0))
    return;
  pthread_mutex_lock(&j->lock);
  atomic_store(&j->waiting, true);
  while (atomic_load(&j->unfinished) != 0)
    pthread_cond_wait(&j->finished, &j->lock);
  atomic_store(&j->waiting, false);
  pthread_mutex_unlock(&j->lock);
}

void jobs_run_parts(jobs_o *j, jobs_part_t part, void *context, uint32_t parts) {
  shoal_assert(part, "part must not be NULL");
  if (jobs_worker_count(j) == 1 || parts < 2) {
    for (uint32_t i = 0; i < parts; ++i)
      part(context, i, 0);
    return;
  }
  shoal_assert(!j->running, "jobs_run_parts must not be called inside a part");
  j->running = true;
  j->part = part;
  j->context = context;
  j->parts = parts;
  atomic_store(&j->unfinished, parts);
  j->max_parts = parts > j->max_parts ? parts : j->max_parts;
  j->run++;
  for (uint32_t i = 0; i < j->lane_count; ++i)
    atomic_store(&j->lanes[i].open, (uint64_t)j->run << 32 | (find_first_part(j, i + 1) - find_first_part(j, i)));
  atomic_store(&j->published, j->run);
  if (atomic_load(&j->sleepers) > 0) {
    pthread_mutex_lock(&j->lock); // once this thread holds the lock, all sleepers are waiting on `work`
    pthread_mutex_unlock(&j->lock);
    pthread_cond_broadcast(&j->work); // broadcast after unlocking, because woken threads must take the lock
  }
  run_parts(j, 0);
  wait_until_finished(j);
  j->running = false;
}
