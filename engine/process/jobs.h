// A small thread pool for work that is divided into parts. jobs_run distributes the parts and returns when all are
// done; the caller is worker 0. Threads sleep between runs. A NULL pool has one worker, the caller.
//
// Which worker runs which part, and when, is not deterministic. Results are, provided that no part writes what another
// part reads or writes, and that the division into parts does not depend on the number of workers wherever it affects
// the result.
#ifndef SHOAL_PROCESS_JOBS_H
#define SHOAL_PROCESS_JOBS_H

#include "base/alloc.h"
#include "base/limits.h"

#include <stdint.h>

typedef struct jobs_o jobs_o;

// `worker` is in [0, jobs_workers - 1]. No two parts run with the same worker at the same time, so it can index scratch
// memory.
typedef void (*jobs_part_t)(void *context, uint32_t part, uint32_t worker);

// `workers` includes the caller and is clamped to [1, JOBS_MAX_WORKERS]. If the system cannot create all threads, the
// pool has fewer workers. `a` is borrowed, and used only here and in jobs_destroy.
jobs_o *jobs_create(allocator_t *a, uint32_t workers);
void jobs_destroy(jobs_o *j); // no run may be active; accepts NULL

uint32_t jobs_workers(const jobs_o *j);
// In a forked child, which has no other threads: from now on the caller runs all parts. Accepts NULL.
void jobs_after_fork(jobs_o *j);

// Calls part(context, 0 … parts - 1, worker) once for each part and returns when all have returned; their writes are
// then visible. With one worker or one part, the parts run in order on the caller. Allocates nothing. Only on the
// thread that created the pool, and not inside a part.
void jobs_run(jobs_o *j, jobs_part_t part, void *context, uint32_t parts);

// Returns the number of parts of the largest run that was shared by several workers since the previous call, or 1 if
// there was none.
uint32_t jobs_take_parts(jobs_o *j);

// Returns the number of processors available to this process, at least 1.
uint32_t jobs_cores(void);

#endif
