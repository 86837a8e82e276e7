// A small thread pool for work that is divided into parts. jobs_run_parts distributes the parts, and returns when all
// parts are done. The caller is worker 0. Between runs, threads spin briefly and then sleep. A NULL pool has one
// worker, the caller.
//
// The assignment of parts to workers and the order of parts are not deterministic. Results are deterministic if no part
// writes data that a different part reads or writes. In addition, if the division into parts affects the result, it
// must not depend on the number of workers.
#ifndef SHOAL_PROCESS_JOBS_H
#define SHOAL_PROCESS_JOBS_H

#include "base/alloc.h"
#include "base/limits.h"

#include <stdint.h>

typedef struct jobs_o jobs_o;

// Runs one part. `worker` is less than jobs_worker_count. No two parts run with the same worker at the same time, so
// `worker` can be used as an index into scratch memory.
typedef void (*jobs_part_t)(void *context, uint32_t part, uint32_t worker);

// Creates a pool. `worker_count` includes the caller and is clamped to [1, JOBS_MAX_WORKERS]. If the system cannot
// create all threads, the pool has fewer workers. `a` is borrowed, and is used only here and in jobs_destroy.
jobs_o *jobs_create(allocator_t *a, uint32_t worker_count);
void jobs_destroy(jobs_o *jobs); // must not be called during a run; accepts NULL

uint32_t jobs_worker_count(const jobs_o *jobs);
// Call in a forked child, whose only thread then runs all parts. Accepts NULL.
void jobs_reset_after_fork(jobs_o *jobs);

// Calls part(context, i, worker) once for each i in [0, parts) and returns when all calls have returned; their writes
// are then visible. If there is only one worker or one part, the parts run in order on the caller. Does not allocate.
// Call only on the thread that created the pool, and not inside a part.
void jobs_run_parts(jobs_o *jobs, jobs_part_t part, void *context, uint32_t part_count);

// Returns the part count of the largest run shared by several workers since the previous call, or 1 if no run was
// shared.
uint32_t jobs_pop_max_parts(jobs_o *jobs);

#endif
