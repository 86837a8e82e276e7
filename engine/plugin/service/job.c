// API functions for parallel work: parts that workers share, and background jobs. The result of a job with `due_tick`
// depends only on its input. Without `due_tick`, the state of the job in each tick is external input and recorded.
#include "service/api.h"

#include "base/assert.h"
#include "process/jobs.h"
#include "plugin/call.h"
#include "plugin/guarded_call.h"
#include "plugin/job.h"
#include "plugin/plugin.h"
#include "plugin/report.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

// --- parts

uint32_t api_worker_count(shoal_context *c) {
  context_t *context = context_of(c);
  return context->plugins->quiet ? 1 : jobs_worker_count(world_jobs(context->plugins->world));
}

typedef struct parallel_for_t {
  plugin_parts_t parts;
  atomic_flag failed; // flag, set by the first part that fails
  error_info_t problem;
  bool has_problem;
} parallel_for_t;

static void run_shared_part(void *context, uint32_t part, uint32_t worker) {
  parallel_for_t *loop = context;
  error_info_t error;
  if (plugin_call_part(&loop->parts, part, worker, &error) || atomic_flag_test_and_set(&loop->failed))
    return;
  loop->problem = error;
  loop->has_problem = true;
}

static void finish_shared_parts(context_t *context) {
  context->plugins->in_parallel_for = false;
  if (context->plugins->changed_in_part)
    plugin_warn_once(
        context->plugin,
        "the world cannot be changed in parts of shoal_parallel_for: change it after shoal_parallel_for returns");
  context->plugins->changed_in_part = false;
  plugin_report_float_mode(context->plugin);
}

void api_parallel_for(shoal_context *c, void (*part)(void *data, uint32_t part, uint32_t worker), void *data,
                      uint32_t parts) {
  context_t *context = context_of(c);
  if (!part)
    return;
  // A part that calls shoal_parallel_for runs its parts sequentially.
  bool nested = context->call_kind == PLUGIN_CALL_PART || context->plugins->in_parallel_for;
  parallel_for_t loop = {.parts = {.plugin = context->plugin, .part = part, .data = data}, .failed = ATOMIC_FLAG_INIT};
  if (!nested)
    context->plugins->in_parallel_for = true;
  jobs_run_parts(nested || context->plugins->quiet ? NULL : world_jobs(context->plugins->world), run_shared_part, &loop,
                 parts);
  if (!nested)
    finish_shared_parts(context);
  if (loop.has_problem)
    context_fail(context, "%s", loop.problem.text);
}

// --- jobs

static bool check_job(context_t *context, const shoal_job *job) {
  if (!job || !job->work)
    return context_fail(context, "shoal_poll_job: %s must not be NULL", job ? ".work" : "`job`");
  if (!job->name || !job->name[0] || strlen(job->name) > 60 || strchr(job->name, '\n'))
    return context_fail(context, "shoal_poll_job: .name must be one line of 1 to 60 bytes, got “%.80s”",
                        job->name ? job->name : "NULL");
  if (job->input_size > SHOAL_MAX_JOB_BYTES || job->output_capacity > SHOAL_MAX_JOB_BYTES)
    return context_fail(context, "shoal_poll_job: .%s must be at most %u bytes, got %zu",
                        job->input_size > SHOAL_MAX_JOB_BYTES ? "input_size" : "output_capacity",
                        (unsigned)SHOAL_MAX_JOB_BYTES,
                        job->input_size > SHOAL_MAX_JOB_BYTES ? job->input_size : job->output_capacity);
  return (job->input_size == 0 || job->input) ||
         context_fail(context, "shoal_poll_job: .input must not be NULL (.input_size is %zu)", job->input_size);
}

typedef struct job_query_t {
  plugin_t *plugin;
  const shoal_job *job;
  error_info_t error;
} job_query_t;

enum { JOB_PENDING, JOB_DONE, JOB_FAILED };

// Writes the state of a job: one byte for the state, followed by the result or the error message. Called only when a
// tick is simulated for the first time. Otherwise, the recorded bytes are used.
static size_t read_job_state(void *data, void *bytes, size_t capacity) {
  job_query_t *query = data;
  uint8_t *out = bytes;
  size_t size = 0;
  plugin_job_t *plugin_job = plugin_request_job(query->plugin, query->job, &query->error);
  out[0] = JOB_PENDING;
  if (plugin_job && !plugin_job_is_done(plugin_job))
    return 1;
  const void *result = plugin_job ? plugin_job_bytes(plugin_job, &size, &query->error) : NULL;
  out[0] = result ? JOB_DONE : JOB_FAILED;
  if (!result)
    size = (size_t)snprintf((char *)out + 1, capacity - 1, "%.300s", query->error.text);
  else if (size > 0)
    memcpy(out + 1, result, size);
  return size + 1;
}

#define MAX_MESSAGE_BYTES 400u

static const void *read_recorded_result(context_t *context, const shoal_job *job, size_t *size) {
  job_query_t query = {.plugin = context->plugin, .job = job};
  char channel[80];
  size_t count = 0;
  snprintf(channel, sizeof channel, "job %s", job->name);
  const uint8_t *bytes = api_read_external(&context->shared, channel, read_job_state, &query,
                                           job->output_capacity + MAX_MESSAGE_BYTES, &count);
  if (count == 0 || bytes[0] == JOB_PENDING)
    return NULL;
  *size = count - 1;
  if (bytes[0] == JOB_DONE && *size <= job->output_capacity)
    return bytes + 1;
  char message[MAX_MESSAGE_BYTES];
  snprintf(message, sizeof message, "%.*s", bytes[0] == JOB_FAILED ? (int)*size : 0, (const char *)bytes + 1);
  *size = 0;
  context_fail(context, "%s", message[0] ? message : "the recorded result of this job is invalid");
  return NULL;
}

// Waits for a job that is due. Whether a wait ends without a result depends on the machine, so this failure is
// recorded. When the tick runs again, in a replay or after a rewind, the request fails with the same message, and the
// job is not computed.
static bool finish_job(context_t *context, plugin_job_t *plugin_job, const char *name, error_info_t *error) {
  char key[COMPONENT_NAME_MAX + 120];
  external_o *external = context->plugins->quiet ? NULL : context->plugins->desc.external;
  // The key contains the tick, because a replay may also find the results of later ticks.
  snprintf(key, sizeof key, "%s/late job %s@%llu", context->plugin->name, name,
           (unsigned long long)world_tick(context->plugins->world));
  const external_result_t *recorded = external ? external_find(external, EXTERNAL_PLUGIN, key) : NULL;
  if (recorded)
    return error_set(error, "%s", (const char *)recorded->bytes);
  if (plugin_finish_job(plugin_job, error))
    return true;
  if (external)
    external_add_result(external, EXTERNAL_PLUGIN, key, true, error->text, strlen(error->text));
  return false;
}

static const void *finish_due_job(context_t *context, const shoal_job *job, size_t *size) {
  error_info_t error = {0};
  plugin_job_t *plugin_job = plugin_request_job(context->plugin, job, &error);
  if (plugin_job && world_tick(context->plugins->world) < job->due_tick)
    return NULL;
  const void *bytes = plugin_job && finish_job(context, plugin_job, job->name, &error)
                          ? plugin_job_bytes(plugin_job, size, &error)
                          : NULL;
  if (!bytes)
    context_fail(context, "%s", error.text);
  return bytes;
}

const void *api_poll_job(shoal_context *c, const shoal_job *job, size_t *size) {
  context_t *context = context_of(c);
  shoal_assert(size, "`size` must not be NULL");
  *size = 0;
  if (!check_job(context, job))
    return NULL;
  return job->due_tick > 0 ? finish_due_job(context, job, size) : read_recorded_result(context, job, size);
}
