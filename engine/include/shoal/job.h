// Work that takes longer than a tick: a function of bytes that gives bytes, on a thread of the host's.
//
//   static size_t search(const void *input, size_t size, void *output, size_t room, const shoal_stop *stop) { … }
//
//   const shoal_job job = {.name = "way", .work = search, .input = map, .size = bytes, .room = 4096, .due = due[0]};
//   size_t size;
//   const void *way = shoal_job_result(c, &job, &size); // in every tick, until it is there
//   if (way) …
//
// A job is not started and kept as an object: a system says in every tick which work it wants, and is given the result
// when it is there. What it wants follows from the world, so nothing is lost by a reload, a step back or a load: what
// has not been computed is computed again. `work` depends on its input alone; the same input is the same job.
//
// With `due` the result is there in that tick, and in no tick before it, whatever the machine: the tick waits for it
// where it must, and where nobody has begun (a replay, a step back) it is computed at once. Without, it is there as
// soon as it is done: the answer of each tick is part of the recording, as those of shoal_external are, so ask no
// longer than until it is there.
//
// Part of the public plugin headers: C11, usable from C++.
#ifndef SHOAL_JOB_H
#define SHOAL_JOB_H

#include "shoal/outside.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SHOAL_MAX_JOB_BYTES ((size_t)15 << 20) // of an input, and of a result

// Writes the result to `output`, which has `room`, and returns how many bytes it is. Uses nothing of shoal_… but
// shoal_stops, which it looks at now and then, within 10 s: it is true when nobody wants the result any more, or the
// process is to be copied; then what is returned does not count, and it is called again when it is wanted.
typedef size_t shoal_work(const void *input, size_t size, void *output, size_t room, const shoal_stop *stop);

typedef struct shoal_job {
  const char *name; // of this plugin's jobs; one line, up to 60 bytes. One that is wanted with another input is another
  shoal_work *work;
  const void *input; // copied
  size_t size;
  size_t room;  // bytes of the result at most
  uint64_t due; // 0: as soon as it is done
} shoal_job;

// The result, valid until the tick ends; NULL: not yet. A plugin has 16 jobs at a time. An exception in `work`, or a
// result of more than `room`, fails the call, with a sentence. In systems that are not parallel or beside others and
// not of the render phase, and in functions that are not pure.
static inline const void *shoal_job_result(shoal_context *c, const shoal_job *job, size_t *size) {
  *size = 0;
  return c->api->job_result(c, job, size);
}

#ifdef __cplusplus
}
#endif

#endif
