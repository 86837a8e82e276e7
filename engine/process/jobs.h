// A small pool of threads for work that falls into parts. jobs_run hands the parts out and comes back when all of them
// are done; the caller works too and is worker 0. Between runs the threads sleep. A NULL pool is one worker: the caller
// alone.
//
// Which worker gets which part, and when, is not repeatable. Results are, if a part writes nothing that another part
// reads or writes, and if the parts are cut without asking how many workers there are wherever the cut can be seen in
// the result.
#ifndef SHOAL_PROCESS_JOBS_H
#define SHOAL_PROCESS_JOBS_H

#include "base/alloc.h"
#include "base/limits.h"

#include <stdint.h>

typedef struct jobs_o jobs_o;

// `worker` is 0 … jobs_workers - 1; no two parts run with the same one at the same time, so that it can index scratch
// memory.
typedef void (*jobs_part_t)(void *context, uint32_t part, uint32_t worker);

// `workers` counts the caller: 1 … JOBS_MAX_WORKERS, anything else is brought into that range. Where the system refuses
// a thread the pool has fewer. `a` is borrowed, and asked only here and in jobs_destroy.
jobs_o *jobs_create(allocator_t *a, uint32_t workers);
void jobs_destroy(jobs_o *j); // NULL is fine; nothing may be running

uint32_t jobs_workers(const jobs_o *j);
// In the child of a fork, where the other threads are not: the caller does all parts from now on. NULL is fine.
void jobs_after_fork(jobs_o *j);

// Calls part(context, 0 … parts - 1, worker), each once, and returns when all have returned: what they wrote is there
// then. With one worker or one part it is a loop, in order. Allocates nothing. Only by the thread that created the
// pool, and not from inside a part.
void jobs_run(jobs_o *j, jobs_part_t part, void *context, uint32_t parts);

// Returns the number of parts of the largest run that several workers shared since the previous call; 1 if there was
// none.
uint32_t jobs_take_parts(jobs_o *j);

// Threads that the machine offers to this process, at least 1.
uint32_t jobs_cores(void);

#endif
