// The service "job" (shoal/job.h): what a plugin wants computed, and when it is told. With a tick in which it is due
// the result follows from the input alone; without, the answer of each tick is one from outside, and recorded.
#include "service/services_internal.h"

#include "base/assert.h"
#include "shoal/job.h"

#include <stdio.h>
#include <string.h>

static bool refuse(context_t *x, const char *words) {
  service_refuse(x, words);
  return false;
}

static bool check(context_t *x, const shoal_job *job) {
  if (!job || !job->work || !job->name || !job->name[0] || strlen(job->name) > 60 || strchr(job->name, '\n'))
    return refuse(x, "shoal_job_result takes a job with .work, and a .name of one line of up to 60 bytes");
  if (job->size > SHOAL_MAX_JOB_BYTES || job->room > SHOAL_MAX_JOB_BYTES)
    return refuse(x, "shoal_job_result: the input and the result of a job have 15 MB at most");
  return (job->size == 0 || job->input) || refuse(x, "shoal_job_result: the input of the job is nowhere");
}

typedef struct looking_t {
  plugin_t *plugin;
  const shoal_job *job;
  error_t error;
} looking_t;

enum { NOT_YET, DONE, FAILED };

// Called where the tick is lived for the first time: a byte that says how far it is, and what there is to say.
static size_t look(void *data, void *bytes, size_t room) {
  looking_t *l = data;
  uint8_t *out = bytes;
  size_t size = 0;
  plugin_job_t *j = plugin_want_job(l->plugin, l->job, &l->error);
  out[0] = NOT_YET;
  if (j && !plugin_job_is_done(j))
    return 1;
  const void *result = j ? plugin_job_bytes(j, &size, &l->error) : NULL;
  out[0] = result ? DONE : FAILED;
  if (!result)
    size = (size_t)snprintf((char *)out + 1, room - 1, "%.300s", l->error.text);
  else if (size > 0)
    memcpy(out + 1, result, size);
  return size + 1;
}

#define ROOM_FOR_WORDS 400u

static const void *heard(context_t *x, const shoal_job *job, size_t *size) {
  looking_t l = {.plugin = x->plugin, .job = job};
  char channel[80];
  size_t count = 0;
  snprintf(channel, sizeof channel, "job %s", job->name);
  const uint8_t *bytes = plugin_api.external(&x->shared, channel, look, &l, job->room + ROOM_FOR_WORDS, &count);
  if (count == 0 || bytes[0] == NOT_YET)
    return NULL;
  *size = count - 1;
  if (bytes[0] == DONE && *size <= job->room)
    return bytes + 1;
  char words[ROOM_FOR_WORDS];
  snprintf(words, sizeof words, "%.*s", bytes[0] == FAILED ? (int)*size : 0, (const char *)bytes + 1);
  *size = 0;
  service_refuse(x, words[0] ? words : "the recording says something else of this job");
  return NULL;
}

static const void *due(context_t *x, const shoal_job *job, size_t *size) {
  error_t error = {0};
  plugin_job_t *j = plugin_want_job(x->plugin, job, &error);
  if (j && world_tick(x->all->world) < job->due)
    return NULL;
  if (j)
    plugin_finish_job(j);
  const void *bytes = j ? plugin_job_bytes(j, size, &error) : NULL;
  if (!bytes)
    service_refuse(x, error.text);
  return bytes;
}

static const void *result(shoal_context *c, const shoal_job *job, size_t *size) {
  context_t *x = context_of(c);
  shoal_assert(size, "a result has a size");
  *size = 0;
  if (!service_may(c, 1u << WHERE_SYSTEM | 1u << WHERE_FUNCTION, "shoal_job_result") || !check(x, job))
    return NULL;
  if (service_is_pure(x)) {
    service_refuse(x, "it calls shoal_job_result in a pure function");
    return NULL;
  }
  return job->due > 0 ? due(x, job, size) : heard(x, job, size);
}

const shoal_job_1 service_job = {.result = result};
