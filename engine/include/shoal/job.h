// Background jobs: work that takes longer than a tick, written as a function from bytes to bytes that runs on a thread
// of the host.
//
//   static size_t search(const void *input, size_t size, void *output, size_t capacity, const shoal_stop_token *stop) {
//     …
//   }
//
//   const shoal_job job = {.name = "path", .work = search, .input = map, .input_size = bytes, .output_capacity = 4096,
//                          .due_tick = due[0]};
//   size_t size;
//   const void *path = shoal_poll_job(c, &job, &size); // every tick until the result is available
//   if (path) …
//
// A job is not an object with a lifetime: a system requests the same work every tick and gets the result once it is
// available. Requests depend only on the world, so nothing is lost by a reload, a rewind or loading a save: missing
// results are computed again. `work` must depend on its input alone. Jobs with the same name and input are the same
// job.
//
// With `due_tick`, the result becomes available in exactly that tick, on every machine. The tick waits for the job if
// necessary, and starts it immediately if it was not started (in a replay, after a rewind). While a tick waits, a job
// may use as much CPU time as one call to a plugin, at most 10 s (<shoal/plugin.h>). Then the program ends with a
// report that names the job. If the job blocks for about the same time without using CPU time, the request fails in
// that tick and every time it is repeated. The failure is recorded. Without `due_tick`, the result is available as soon
// as it is computed. In this case the answer to each request is recorded, as for shoal_read_external, so stop
// requesting the job once you have its result.
//
// Part of the public plugin headers: C11, usable from C++.
#ifndef SHOAL_JOB_H
#define SHOAL_JOB_H

#include "shoal/external_resources.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SHOAL_MAX_JOB_BYTES ((size_t)15 << 20) // maximum size of an input and of a result: 15 MB

// Writes the result to `output`, at most `capacity` bytes, and returns its size. Runs on a thread of the host: it must
// not call any function of these headers except shoal_stop_requested, which it must call at least every 10 s. When
// shoal_stop_requested returns true, the result is no longer needed or the process is about to be forked: return
// immediately. The result is then discarded, and the job runs again if a system still requests it.
typedef size_t shoal_job_fn(const void *input, size_t size, void *output, size_t capacity,
                            const shoal_stop_token *stop);

typedef struct shoal_job {
  // Name of the job: one line of up to 60 bytes, unique in the plugin. New input under the same name replaces the job.
  const char *name SHOAL_ZERO;
  shoal_job_fn *work SHOAL_ZERO;
  const void *input SHOAL_ZERO; // bytes that are passed to `work`; copied
  size_t input_size SHOAL_ZERO;
  size_t output_capacity SHOAL_ZERO; // maximum size of the result in bytes
  uint64_t due_tick SHOAL_ZERO;      // tick from which the result is available; 0: as soon as it is computed
} shoal_job;

// Requests a job and returns its result, or NULL while the result is not available. Writes the size of the result to
// `size`. The result is 16-byte aligned and valid until the tick ends, or until this name is requested with a different
// input. Fails the current call if the job is invalid, if `work` threw an exception or returned more than
// `output_capacity`, if a tick stopped waiting for the job (see above), or if the plugin has 16 different jobs. Allowed
// in systems that run alone, except in the render phase, and in functions that are not pure.
static inline const void *shoal_poll_job(shoal_context *c, const shoal_job *job, size_t *size) {
  *size = 0;
  return c->api->poll_job(c, job, size);
}

#ifdef __cplusplus
}
#endif

#endif
