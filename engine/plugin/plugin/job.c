// Background jobs of plugins: one slot per name, with a copy of the input and a thread. The host starts the threads
// between ticks and stops them before forking the process. The contents of a slot depend only on the most recent
// request, so a slot can be discarded at any time.
#include "plugin/job.h"

#include "base/assert.h"
#include "base/now.h"
#include "crash/code_location.h"
#include "process/child.h"
#include "process/foreign_call.h"
#include "process/threads.h"
#include "process/wake_up.h"
#include "crash/signal_handler.h"
#include "plugin/guarded_call.h"
#include "plugin/plugin.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define CHECK_INTERVAL_MS 50 // interval at which a tick that waits for a job checks its time limit
#define STOP_TIMEOUT_S 10    // time limit for stopping a job, in seconds
// Limits for the detection of a job that waits instead of computing. Its thread has used less than 1/IDLE_RATIO of a
// processor over a period as long as the CPU limit of a call (at least MIN_IDLE_MS). A tick stops waiting for such a
// job.
#define MIN_IDLE_MS 1000u
#define IDLE_RATIO 20
#define MAX_JOBS 16u
// Maximum number of threads with outdated requests. Further jobs wait until one of them has stopped.
#define MAX_RETIRED_JOBS 16u

struct plugin_job_t {
  plugin_t *plugin;
  char name[64];
  shoal_job_fn *work;
  void *input, *output;
  size_t input_size, output_capacity, output_size;
  shoal_stop_token stop;
  pthread_t thread;
  long process;
  bool running;    // true if the job has a thread
  bool stuck;      // true if the thread did not stop in time
  bool done;       // true if the job has a result, or has thrown an exception
  bool has_thrown; // true if the function threw an exception
  bool abandoned;  // true if a tick has stopped waiting: the job is requested to stop, and its result is discarded
  _Atomic bool returned;
  char message[640]; // message of the exception, or of an abandoned job
};

static void call_job_work(void *data) {
  plugin_job_t *job = data;
  job->output_size = job->work(job->input, job->input_size, job->output, job->output_capacity, &job->stop);
}

static void run_job_work(plugin_job_t *job) {
  const plugin_t *plugin = job->plugin;
  job->has_thrown = plugin->guard && !plugin->guard(call_job_work, job, job->message, sizeof job->message);
  if (!plugin->guard)
    call_job_work(job);
}

static void *run_thread(void *data) {
  plugin_job_t *job = data;
  void *stack = crash_stack_add();
  foreign_call_t foreign = {.owner = job->plugin->name, .kind = "job", .name = job->name};
  foreign_set_current(&foreign);
  run_job_work(job);
  foreign_set_current(NULL);
  crash_stack_remove(stack);
  atomic_store(&job->returned, true);
  return NULL;
}

// Returns true if the job has a thread in this process: a forked process has copies of the jobs, but not their threads.
static bool has_thread(const plugin_job_t *job) {
  return job->running && job->process == process_id();
}

static void start_thread(plugin_job_t *job) {
  job->running = false;
  job->stop.requested = 0;
  job->stop.wake_fd = (int)wake_up_create();
  job->process = process_id();
  atomic_store(&job->returned, false);
  job->running = job->stop.wake_fd >= 0 && pthread_create(&job->thread, NULL, run_thread, job) == 0;
  if (!job->running)
    wake_up_destroy(job->stop.wake_fd);
}

static void end_thread(plugin_job_t *job, bool is_valid) {
  job->running = false;
  job->done = is_valid;
  wake_up_destroy(job->stop.wake_fd);
}

static void join_ended_thread(plugin_job_t *job) {
  pthread_join(job->thread, NULL);
  end_thread(job, true);
}

static uint64_t now_ms(void) {
  return (uint64_t)(now_ns() / NS_PER_MS);
}

// Formats the job and the function that computes it: "path (search at path.c:12)".
static const char *format_job(const plugin_job_t *job, char *out, size_t bytes) {
  code_location_t location;
  char location_text[400];
  if (code_location_find((const void *)(uintptr_t)job->work, &location))
    snprintf(out, bytes, "%s (%s)", job->name, code_location_format(&location, location_text, sizeof location_text));
  else
    snprintf(out, bytes, "%s", job->name);
  return out;
}

// Terminates the program with a report that names the job and the function that computes it.
static void report_endless_job(const plugin_job_t *job, foreign_call_t *call) {
  char name[500];
  call->name = format_job(job, name, sizeof name);
  foreign_report_lost_call(FOREIGN_TIME);
}

static void request_stop(plugin_job_t *job) {
  __atomic_store_n(&job->stop.requested, 1, __ATOMIC_RELEASE);
  wake_up_set(job->stop.wake_fd);
}

// Stops waiting for a job. Later ticks do not wait for the job either, because the simulation would then depend on the
// time at which the job's thread ends. Always returns false.
static bool abandon_job(plugin_job_t *job, uint64_t waited_ms) {
  char name[400];
  request_stop(job);
  job->abandoned = true;
  snprintf(
      job->message, sizeof job->message,
      "job %s did not return within the %llu ms that a tick waited for its result (.due_tick), and used little CPU "
      "time: make .work return, or request the job without .due_tick",
      format_job(job, name, sizeof name), (unsigned long long)waited_ms);
  return false;
}

// Waits until the job is done. During this time, the job's thread may use the CPU budget of `call`. A job that uses
// more terminates the program with a report. Returns true once the job is done, or false if its thread waits instead of
// computing, for example for a lock or the network. Waits without a limit if `call` has no budget.
static bool wait_for_job(plugin_job_t *job, foreign_call_t *call) {
  int64_t start_cpu_ns = thread_cpu_ns(job->thread), budget_ns = (int64_t)call->budget_ms * NS_PER_MS,
          period_cpu_ns = start_cpu_ns;
  uint64_t start_ms = now_ms(), period_start_ms = start_ms;
  uint64_t idle_ms = call->budget_ms > MIN_IDLE_MS ? call->budget_ms : MIN_IDLE_MS;
  for (;;) {
    if (thread_join_within(job->thread, CHECK_INTERVAL_MS))
      break;
    int64_t cpu_ns = thread_cpu_ns(job->thread);
    uint64_t time_ms = now_ms();
    if (budget_ns > 0 && cpu_ns - start_cpu_ns > budget_ns)
      report_endless_job(job, call);
    if (time_ms - period_start_ms < idle_ms)
      continue;
    if (budget_ns > 0 && (cpu_ns - period_cpu_ns) * IDLE_RATIO < (int64_t)(time_ms - period_start_ms) * NS_PER_MS)
      return abandon_job(job, time_ms - start_ms);
    period_start_ms = time_ms;
    period_cpu_ns = cpu_ns;
  }
  end_thread(job, true);
  return true;
}

// Stops the job's thread. Keeps the result only if the job was already done. Returns true on success, or false if the
// thread does not stop within STOP_TIMEOUT_S seconds.
static bool stop_job(plugin_job_t *job) {
  if (!has_thread(job) || job->stuck) {
    job->running = job->stuck;
    return !job->stuck;
  }
  bool has_result = atomic_load(&job->returned);
  if (!has_result)
    request_stop(job);
  job->stuck = !thread_join_within(job->thread, STOP_TIMEOUT_S * 1000);
  if (!job->stuck)
    end_thread(job, has_result);
  return !job->stuck;
}

static bool stop_job_or_fail(plugin_job_t *job, error_info_t *error) {
  return stop_job(job) ||
         error_set(
             error,
             "plugin %s: job %s did not stop within %d s: return from .work when shoal_stop_requested returns true",
             job->plugin->name, job->name, STOP_TIMEOUT_S);
}

static void clear_job(plugin_job_t *job) {
  allocator_t *allocator = &job->plugin->plugins->memory;
  alloc_resize(allocator, job->input, job->input_size, 0);
  alloc_resize(allocator, job->output, job->output_capacity, 0);
  job->input = job->output = NULL;
  job->input_size = job->output_capacity = 0;
  job->done = job->has_thrown = job->abandoned = false;
}

static void free_job(plugin_job_t *job) {
  allocator_t *allocator = &job->plugin->plugins->memory;
  shoal_assert(!has_thread(job), "job %s is still running", job->name);
  clear_job(job);
  alloc_resize(allocator, job, sizeof *job, 0);
}

bool plugin_stop_jobs(plugin_t *plugin, error_info_t *error) {
  bool ok = true;
  for (uint32_t i = 0; i < plugin->jobs.count; ++i)
    ok = stop_job_or_fail(plugin->jobs.items[i], error) && ok;
  for (uint32_t i = 0; i < plugin->retired_jobs.count; ++i)
    ok = stop_job_or_fail(plugin->retired_jobs.items[i], error) && ok;
  return ok;
}

// Frees the retired jobs whose threads have ended, except stuck jobs.
static void free_ended_jobs(plugin_t *plugin) {
  for (uint32_t i = plugin->retired_jobs.count; i-- > 0;) {
    plugin_job_t *job = plugin->retired_jobs.items[i];
    if (job->stuck || (has_thread(job) && !atomic_load(&job->returned)))
      continue;
    stop_job(job);
    free_job(job);
    plugin->retired_jobs.items[i] = plugin->retired_jobs.items[--plugin->retired_jobs.count];
  }
}

void plugin_start_jobs(plugin_t *plugin) {
  free_ended_jobs(plugin);
  for (uint32_t i = 0;
       i < plugin->jobs.count && !plugin->plugins->desc.forked && plugin->retired_jobs.count < MAX_RETIRED_JOBS; ++i) {
    plugin_job_t *job = plugin->jobs.items[i];
    if (!job->done && !job->abandoned && !has_thread(job))
      start_thread(job);
  }
}

void plugin_free_jobs(plugins_o *plugins, plugin_t *plugin) {
  for (uint32_t i = 0; i < plugin->jobs.count; ++i)
    free_job(plugin->jobs.items[i]);
  for (uint32_t i = 0; i < plugin->retired_jobs.count; ++i)
    free_job(plugin->retired_jobs.items[i]);
  array_free(&plugins->memory, &plugin->jobs);
  array_free(&plugins->memory, &plugin->retired_jobs);
}

// --- requests

static plugin_job_t *create_job(plugin_t *plugin, const char *name) {
  plugin_job_t *job = alloc_resize(&plugin->plugins->memory, NULL, 0, sizeof *job);
  memset(job, 0, sizeof *job);
  job->plugin = plugin;
  snprintf(job->name, sizeof job->name, "%s", name);
  return job;
}

// Returns the slot of the job with this name, and creates the slot if necessary. Returns NULL if all slots are in use.
static plugin_job_t **find_or_create_slot(plugin_t *plugin, const char *name) {
  for (uint32_t i = 0; i < plugin->jobs.count; ++i)
    if (strcmp(plugin->jobs.items[i]->name, name) == 0)
      return &plugin->jobs.items[i];
  if (plugin->jobs.count == MAX_JOBS)
    return NULL;
  plugin_job_t *job = create_job(plugin, name);
  array_push(&plugin->plugins->memory, &plugin->jobs, job);
  return &plugin->jobs.items[plugin->jobs.count - 1];
}

// Replaces a job whose thread still works on an outdated request, and returns the new job. Requests the thread to stop,
// but does not wait for it, because a tick is running. free_ended_jobs frees the old job between ticks.
static plugin_job_t *retire_job(plugin_job_t *job) {
  plugin_t *plugin = job->plugin;
  if (!job->stuck)
    request_stop(job);
  array_push(&plugin->plugins->memory, &plugin->retired_jobs, job);
  return create_job(plugin, job->name);
}

static void init_job(plugin_job_t *job, const shoal_job *desc) {
  allocator_t *allocator = &job->plugin->plugins->memory;
  clear_job(job);
  job->running = false; // may still be true in a forked process, which does not have the thread
  job->work = desc->work;
  job->input_size = desc->input_size;
  job->output_capacity = desc->output_capacity;
  job->input = alloc_resize(allocator, NULL, 0, job->input_size);
  job->output = alloc_resize(allocator, NULL, 0, job->output_capacity);
  if (job->input_size > 0)
    memcpy(job->input, desc->input, job->input_size);
}

plugin_job_t *plugin_request_job(plugin_t *plugin, const shoal_job *desc, error_info_t *error) {
  plugin_job_t **slot = find_or_create_slot(plugin, desc->name), *job = slot ? *slot : NULL;
  if (!job) {
    error_set(error, "too many job names (at most %u per plugin): use constant names", MAX_JOBS);
    return NULL;
  }
  if (job->work == desc->work && job->input_size == desc->input_size && job->output_capacity == desc->output_capacity &&
      (job->input_size == 0 || memcmp(job->input, desc->input, job->input_size) == 0))
    return job;
  if (has_thread(job))
    *slot = job = retire_job(job);
  init_job(job, desc);
  return job;
}

bool plugin_job_is_done(plugin_job_t *job) {
  if (has_thread(job) && atomic_load(&job->returned))
    join_ended_thread(job);
  return job->done;
}

bool plugin_finish_job(plugin_job_t *job, error_info_t *error) {
  if (!job->abandoned && plugin_job_is_done(job))
    return true;
  foreign_call_t call = {.owner = job->plugin->name,
                         .kind = "job",
                         .name = job->name,
                         .budget_ms = plugin_call_budget_ms(job->plugin, PLUGIN_CALL_SYSTEM)};
  foreign_begin_call(&call);
  bool is_child = job->plugin->plugins->desc.forked || job->plugin->plugins->quiet;
  if (!job->abandoned && !has_thread(job) && !is_child)
    start_thread(job);
  if (job->abandoned || has_thread(job)) {
    job->abandoned = job->abandoned || !wait_for_job(job, &call);
  } else {
    job->stop = (shoal_stop_token){.wake_fd = -1};
    run_job_work(job);
    job->running = false;
    job->done = true;
  }
  foreign_end_call(&call);
  return !job->abandoned || error_set(error, "%s", job->message);
}

const void *plugin_job_bytes(const plugin_job_t *job, size_t *size, error_info_t *error) {
  static const max_align_t empty;
  shoal_assert(job->done, "job %s is not done", job->name);
  *size = 0;
  if (job->has_thrown)
    error_set(error, "job %s: an exception was thrown: %.500s", job->name, job->message);
  else if (job->output_size > job->output_capacity)
    error_set(error, "job %s returned %zu bytes, but the buffer has %zu", job->name, job->output_size,
              job->output_capacity);
  else
    *size = job->output_size;
  return job->has_thrown || job->output_size > job->output_capacity ? NULL : job->output ? job->output : &empty;
}
