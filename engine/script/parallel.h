// Systems with `parallel = true`: their rows are cut into chunks of a fixed size, whatever the number of workers, and
// the chunks are shared among them. Every worker has a VM of its own with the same game loaded; the body runs in those
// and never in the main VM, which asks for the run and waits. What a chunk wants to change besides its own rows is kept
// in a list of the chunk's own; the lists are carried out in the order of the chunks when all have run, so that the
// world cannot tell how many workers there were. (scripts/shoal/systems/parallel.lua is the Lua half.)
//
// The VMs of the workers are built by vm_create when the game has such a system, and not otherwise; they come and go
// with the main VM. LuaJIT's profiler has one state per process, so the watchdog stops a worker's loop by its second
// stage alone.
#ifndef SHOAL_SCRIPT_PARALLEL_H
#define SHOAL_SCRIPT_PARALLEL_H

#include "schedule/chunk.h"
#include "ecs/query.h"
#include "script/script.h"

#define PARALLEL_CHUNK_ROWS 4096u // part of what a game computes: world.random has a stream for each chunk

typedef struct parallel_o parallel_o;

// --- by the main VM

// One VM for each of the world's workers, from the main VM's sources. NULL with the report filled when one cannot be
// made.
parallel_o *parallel_create(const vm_desc_t *desc, script_report_t *report);
void parallel_destroy(parallel_o *p);
// After the world has taken the main VM's declarations. False with the report filled.
bool parallel_join(parallel_o *p, script_report_t *report);
// The body of system `number` over rows [0, rows) of its query, which is open. Called while the world defers. False
// with the report of the first chunk that failed: every chunk has run then, and nothing is queued.
bool parallel_run(parallel_o *p, const char *system, uint32_t number, uint32_t rows, float dt_s,
                  script_report_t *report);
// A worker's VM that was stopped by the watchdog is of no use until it was built anew: is there one, and do it. False
// with the report filled when that cannot be done. NULL is fine.
bool parallel_is_stopped(const parallel_o *p);
bool parallel_mend(parallel_o *p, script_report_t *report);
void parallel_collect(parallel_o *p); // a step of each VM's garbage collector
size_t parallel_memory_bytes(const parallel_o *p);

// --- by the workers' Lua, through the FFI; so are chunk_push and chunk_random

// Rows [first, first + count) of `count_views` open views, as views that begin with row 0. A view that is empty stays
// empty.
void chunk_views(column_view_t *to, column_view_t *const *from, const uint32_t *bytes, uint32_t count_views,
                 uint32_t first, uint32_t count);

#endif
