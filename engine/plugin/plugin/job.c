// Background jobs of plugins: one slot per name, with a copy of the input and a thread. The host starts the threads
// between ticks and stops them before forking the process. The contents of a slot depend only on the most recent
// request, so a slot can be discarded at any time.
#include "plugin/job.h"

#include "base/assert.h"
#include "base/now.h"
#include "crash/code_location.h"
#include "process/foreign_call.h"
#include "crash/signal_handler.h"
#include "plugin/guarded_call.h"
#include "plugin/plugin.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#define CHECK_MS 50 // interval at which a tick that waits for a job checks its time limit
#define STOP_S 10   // time limit for stopping a job, in seconds
// A job's thread counts as waiting if it used less than 1/IDLE_RATIO of a processor over a period as long as the CPU
// limit of a call (at least MIN_IDLE_MS). A tick stops waiting for such a job.
#define MIN_IDLE_MS 1000u
#define IDLE_RATIO 20
#define MAX_JOBS 16u
#define MAX_RETIRED 16u // maximum number of threads of outdated requests; further jobs wait until one has stopped

struct plugin_job_t {
  plugin_t *plugin;
  char name[64];
  shoal_job_fn *work;
  void *input, *output;
  size_t size, output_capacity, wrote;
  shoal_stop_token stop;
  pthread_t id;
  long process;
  bool runs, lost, done, threw; // runs: has a thread; lost: did not stop in time; done: has a result, or `threw`
  bool late;                    // a tick gave up waiting: the job is requested to stop, and its result is discarded
  _Atomic bool over;
  char what[640];
};

static void call_job_work(void *data) {
  plugin_job_t *j = data;
  j->wrote = j->work(j->input, j->size, j->output, j->output_capacity, &j->stop);
}

static void run_job_work(plugin_job_t *j) {
  const plugin_t *x = j->plugin;
  j->threw = x->guard && !x->guard(call_job_work, j, j->what, sizeof j->what);
  if (!x->guard)
    call_job_work(j);
}

static void *run_thread(void *data) {
  plugin_job_t *j = data;
  void *stack = crash_stack_add();
  foreign_call_t foreign = {.owner = j->plugin->name, .kind = "job", .name = j->name};
  foreign_set_current(&foreign);
  run_job_work(j);
  foreign_set_current(NULL);
  crash_stack_remove(stack);
  atomic_store(&j->over, true);
  return NULL;
}

// Returns true if the job has a thread in this process: a forked process has copies of the jobs, but not their threads.
static bool has_thread(const plugin_job_t *j) {
  return j->runs && j->process == (long)getpid();
}

static void start_thread(plugin_job_t *j) {
  j->runs = false;
  j->stop.requested = 0;
  j->stop.wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  j->process = (long)getpid();
  atomic_store(&j->over, false);
  j->runs = j->stop.wake_fd >= 0 && pthread_create(&j->id, NULL, run_thread, j) == 0;
  if (!j->runs && j->stop.wake_fd >= 0)
    close(j->stop.wake_fd);
}

static void end_thread(plugin_job_t *j, bool is_valid) {
  j->runs = false;
  j->done = is_valid;
  close(j->stop.wake_fd);
}

// Joins a thread whose function has returned.
static void join_ended_thread(plugin_job_t *j) {
  pthread_join(j->id, NULL);
  end_thread(j, true);
}

static uint64_t now_ms(void) {
  return (uint64_t)(now_ns() / NS_PER_MS);
}

// Returns the CPU time of the job's thread, or 0 if the thread has ended.
static int64_t thread_cpu_ns(const plugin_job_t *j) {
  clockid_t clock;
  struct timespec used;
  if (pthread_getcpuclockid(j->id, &clock) != 0 || clock_gettime(clock, &used) != 0)
    return 0;
  return (int64_t)used.tv_sec * 1000000000 + used.tv_nsec;
}

// Formats the job and the function that computes it: "path (search at path.c:12)".
static const char *format_job(const plugin_job_t *j, char *out, size_t bytes) {
  code_location_t place;
  char where[400];
  if (code_location_find((const void *)(uintptr_t)j->work, &place))
    snprintf(out, bytes, "%s (%s)", j->name, code_location_format(&place, where, sizeof where));
  else
    snprintf(out, bytes, "%s", j->name);
  return out;
}

// Terminates the program with a report that names the job and the function that computes it.
static void report_endless_job(const plugin_job_t *j, foreign_call_t *call) {
  char name[500];
  call->name = format_job(j, name, sizeof name);
  foreign_report_lost_call(FOREIGN_TIME);
}

static void request_stop(plugin_job_t *j) {
  const uint64_t one = 1;
  __atomic_store_n(&j->stop.requested, 1, __ATOMIC_RELEASE);
  if (write(j->stop.wake_fd, &one, sizeof one) < 0)
    shoal_assert(errno == EAGAIN, "cannot wake job %s: %s", j->name, strerror(errno));
}

// Gives up waiting for a job. Later ticks do not wait for it either, even if its thread ends, because the simulation
// would depend on when it ends. Always returns false.
static bool abandon_job(plugin_job_t *j, uint64_t waited_ms) {
  char name[400];
  request_stop(j);
  j->late = true;
  snprintf(
      j->what, sizeof j->what,
      "job %s did not return within the %llu ms that a tick waited for its result (.due_tick), and used little CPU "
      "time: make .work return, or request the job without .due_tick",
      format_job(j, name, sizeof name), (unsigned long long)waited_ms);
  return false;
}

// Waits until the job is done. From now on, the job's thread may use as much CPU time as a call on this thread: the
// budget of `call`. Returns false if the thread waits instead of computing, for example for a lock or the network.
static bool wait_for_job(plugin_job_t *j, foreign_call_t *call) {
  int64_t began = thread_cpu_ns(j), budget_ns = (int64_t)call->budget_ms * NS_PER_MS, used = began;
  uint64_t start_ms = now_ms(), period_ms = start_ms;
  uint64_t idle_ms = call->budget_ms > MIN_IDLE_MS ? call->budget_ms : MIN_IDLE_MS;
  for (;;) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += CHECK_MS * NS_PER_MS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    if (pthread_clockjoin_np(j->id, NULL, CLOCK_MONOTONIC, &until) == 0)
      break;
    int64_t now = thread_cpu_ns(j);
    uint64_t time_ms = now_ms();
    if (budget_ns > 0 && now - began > budget_ns)
      report_endless_job(j, call);
    if (time_ms - period_ms < idle_ms)
      continue;
    if (budget_ns > 0 && (now - used) * IDLE_RATIO < (int64_t)(time_ms - period_ms) * NS_PER_MS)
      return abandon_job(j, time_ms - start_ms);
    period_ms = time_ms;
    used = now;
  }
  end_thread(j, true);
  return true;
}

// Joins the job's thread. Returns false if it does not end within STOP_S seconds. The monotonic clock is not affected
// by changes to the system time.
static bool join_with_timeout(const plugin_job_t *j) {
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_sec += STOP_S;
  return pthread_clockjoin_np(j->id, NULL, CLOCK_MONOTONIC, &until) == 0;
}

// Stops the job's thread. Keeps the result only if the job was already done. Returns false if the thread does not stop
// within STOP_S seconds.
static bool stop_job(plugin_job_t *j) {
  if (!has_thread(j) || j->lost) {
    j->runs = j->lost;
    return !j->lost;
  }
  bool was_complete = atomic_load(&j->over);
  if (!was_complete)
    request_stop(j);
  j->lost = !join_with_timeout(j);
  if (!j->lost)
    end_thread(j, was_complete);
  return !j->lost;
}

static bool stop_job_or_fail(plugin_job_t *j, error_info_t *error) {
  return stop_job(j) ||
         error_set(
             error,
             "plugin %s: job %s did not stop within %d s: return from .work when shoal_stop_requested returns true",
             j->plugin->name, j->name, STOP_S);
}

static void clear_job(plugin_job_t *j) {
  allocator_t *a = &j->plugin->plugins->memory;
  alloc_resize(a, j->input, j->size, 0);
  alloc_resize(a, j->output, j->output_capacity, 0);
  j->input = j->output = NULL;
  j->size = j->output_capacity = 0;
  j->done = j->threw = j->late = false;
}

static void free_job(plugin_job_t *j) {
  allocator_t *a = &j->plugin->plugins->memory;
  shoal_assert(!has_thread(j), "job %s is still running", j->name);
  clear_job(j);
  alloc_resize(a, j, sizeof *j, 0);
}

bool plugin_stop_jobs(plugin_t *x, error_info_t *error) {
  bool ok = true;
  for (uint32_t i = 0; i < x->jobs.count; ++i)
    ok = stop_job_or_fail(x->jobs.items[i], error) && ok;
  for (uint32_t i = 0; i < x->retired.count; ++i)
    ok = stop_job_or_fail(x->retired.items[i], error) && ok;
  return ok;
}

// Frees the retired jobs whose threads have ended.
static void free_ended_jobs(plugin_t *x) {
  for (uint32_t i = x->retired.count; i-- > 0;) {
    plugin_job_t *j = x->retired.items[i];
    if (j->lost || (has_thread(j) && !atomic_load(&j->over)))
      continue;
    stop_job(j);
    free_job(j);
    x->retired.items[i] = x->retired.items[--x->retired.count];
  }
}

void plugin_start_jobs(plugin_t *x) {
  free_ended_jobs(x);
  for (uint32_t i = 0; i < x->jobs.count && !x->plugins->desc.copied && x->retired.count < MAX_RETIRED; ++i) {
    plugin_job_t *j = x->jobs.items[i];
    if (!j->done && !j->late && !has_thread(j))
      start_thread(j);
  }
}

void plugin_free_jobs(plugins_o *p, plugin_t *x) {
  for (uint32_t i = 0; i < x->jobs.count; ++i)
    free_job(x->jobs.items[i]);
  for (uint32_t i = 0; i < x->retired.count; ++i)
    free_job(x->retired.items[i]);
  array_free(&p->memory, &x->jobs);
  array_free(&p->memory, &x->retired);
}

// --- requests

static plugin_job_t *create_job(plugin_t *x, const char *name) {
  plugin_job_t *made = alloc_resize(&x->plugins->memory, NULL, 0, sizeof *made);
  memset(made, 0, sizeof *made);
  made->plugin = x;
  snprintf(made->name, sizeof made->name, "%s", name);
  return made;
}

// Returns the slot of the job with this name, and creates the slot if necessary. Returns NULL if all slots are in use.
static plugin_job_t **find_or_create_slot(plugin_t *x, const char *name) {
  for (uint32_t i = 0; i < x->jobs.count; ++i)
    if (strcmp(x->jobs.items[i]->name, name) == 0)
      return &x->jobs.items[i];
  if (x->jobs.count == MAX_JOBS)
    return NULL;
  plugin_job_t *made = create_job(x, name);
  array_push(&x->plugins->memory, &x->jobs, made);
  return &x->jobs.items[x->jobs.count - 1];
}

// Replaces a job whose thread still works on an outdated request, and returns the new job. Requests the thread to stop,
// but does not wait for it, because a tick is running; free_ended_jobs frees the old job between ticks.
static plugin_job_t *retire_job(plugin_job_t *j) {
  plugin_t *x = j->plugin;
  if (!j->lost)
    request_stop(j);
  array_push(&x->plugins->memory, &x->retired, j);
  return create_job(x, j->name);
}

static void init_job(plugin_job_t *j, const shoal_job *desc) {
  allocator_t *a = &j->plugin->plugins->memory;
  clear_job(j);
  j->runs = false; // in a forked process, the thread does not exist
  j->work = desc->work;
  j->size = desc->input_size;
  j->output_capacity = desc->output_capacity;
  j->input = alloc_resize(a, NULL, 0, j->size);
  j->output = alloc_resize(a, NULL, 0, j->output_capacity);
  if (j->size > 0)
    memcpy(j->input, desc->input, j->size);
}

plugin_job_t *plugin_request_job(plugin_t *x, const shoal_job *desc, error_info_t *error) {
  plugin_job_t **slot = find_or_create_slot(x, desc->name), *j = slot ? *slot : NULL;
  if (!j) {
    error_set(error, "too many job names (at most %u per plugin): use constant names", MAX_JOBS);
    return NULL;
  }
  if (j->work == desc->work && j->size == desc->input_size && j->output_capacity == desc->output_capacity &&
      (j->size == 0 || memcmp(j->input, desc->input, j->size) == 0))
    return j;
  if (has_thread(j))
    *slot = j = retire_job(j);
  init_job(j, desc);
  return j;
}

bool plugin_job_is_done(plugin_job_t *j) {
  if (has_thread(j) && atomic_load(&j->over))
    join_ended_thread(j);
  return j->done;
}

bool plugin_finish_job(plugin_job_t *j, error_info_t *error) {
  if (!j->late && plugin_job_is_done(j))
    return true;
  foreign_call_t call = {.owner = j->plugin->name,
                         .kind = "job",
                         .name = j->name,
                         .budget_ms = plugin_call_budget_ms(j->plugin, WHERE_SYSTEM)};
  foreign_begin_call(&call);
  bool is_child = j->plugin->plugins->desc.copied || j->plugin->plugins->quiet;
  if (!j->late && !has_thread(j) && !is_child)
    start_thread(j);
  if (j->late || has_thread(j)) {
    j->late = j->late || !wait_for_job(j, &call);
  } else {
    j->stop = (shoal_stop_token){.wake_fd = -1};
    run_job_work(j);
    j->runs = false;
    j->done = true;
  }
  foreign_end_call(&call);
  return !j->late || error_set(error, "%s", j->what);
}

const void *plugin_job_bytes(const plugin_job_t *j, size_t *size, error_info_t *error) {
  static const max_align_t nothing;
  shoal_assert(j->done, "job %s is not done", j->name);
  *size = 0;
  if (j->threw)
    error_set(error, "job %s: an exception was thrown: %.500s", j->name, j->what);
  else if (j->wrote > j->output_capacity)
    error_set(error, "job %s returned %zu bytes, but the buffer has %zu", j->name, j->wrote, j->output_capacity);
  else
    *size = j->wrote;
  return j->threw || j->wrote > j->output_capacity ? NULL : j->output ? j->output : &nothing;
}
