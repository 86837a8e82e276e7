// Systems that run on several threads: their VMs, and a run of one of them.
#include "script/parallel.h"

#include "base/assert.h"
#include "process/jobs.h"
#include "ecs/world.h"
#include "script/guarded_call.h"
#include "script/lua_state.h"
#include "script/vm.h"

#include <stdlib.h>
#include <string.h>

typedef struct worker_vm_t {
  vm_o *vm;
  uint32_t failed; // the first of its chunks that failed, UINT32_MAX for none
  script_report_t report;
} worker_vm_t;

struct parallel_o {
  world_o *world;
  worker_vm_t *workers;
  uint32_t worker_count;
  chunk_t *chunks;
  uint32_t chunk_capacity;
  // the run
  uint32_t number, rows;
  float dt_s;
};

// --- life

static void *zeroed(size_t count, size_t bytes) {
  void *memory = calloc(count, bytes);
  if (!memory)
    abort();
  return memory;
}

parallel_o *parallel_create(const vm_desc_t *desc, script_report_t *report) {
  uint32_t count = jobs_workers(world_jobs(desc->world));
  parallel_o *p = zeroed(1, sizeof *p);
  p->world = desc->world;
  p->workers = zeroed(count, sizeof *p->workers);
  while (p->worker_count < count) {
    vm_o *vm = vm_open(desc, true, report);
    if (!vm) {
      parallel_destroy(p);
      return NULL;
    }
    p->workers[p->worker_count++].vm = vm;
  }
  return p;
}

void parallel_destroy(parallel_o *p) {
  if (!p)
    return;
  for (uint32_t i = 0; i < p->worker_count; ++i)
    vm_close(p->workers[i].vm);
  for (uint32_t i = 0; i < p->chunk_capacity; ++i)
    chunk_free(&p->chunks[i]);
  free(p->chunks);
  free(p->workers);
  free(p);
}

bool parallel_join(parallel_o *p, script_report_t *report) {
  for (uint32_t i = 0; i < p->worker_count; ++i)
    if (!vm_call(p->workers[i].vm, "join", 0, 0)) {
      *report = p->workers[i].vm->caught;
      return false;
    }
  return true;
}

bool parallel_is_stopped(const parallel_o *p) {
  for (uint32_t i = 0; p && i < p->worker_count; ++i)
    if (p->workers[i].vm->stopped)
      return true;
  return false;
}

bool parallel_mend(parallel_o *p, script_report_t *report) {
  for (uint32_t i = 0; p && i < p->worker_count; ++i)
    if (p->workers[i].vm->stopped && !vm_rebuild(p->workers[i].vm)) {
      *report = p->workers[i].vm->caught;
      return false;
    }
  return true;
}

void parallel_collect(parallel_o *p) {
  for (uint32_t i = 0; p && i < p->worker_count; ++i)
    vm_collect_step(p->workers[i].vm);
}

size_t parallel_memory_bytes(const parallel_o *p) {
  size_t bytes = 0;
  for (uint32_t i = 0; p && i < p->worker_count; ++i)
    bytes += vm_arena_bytes(p->workers[i].vm);
  return bytes;
}

// --- chunks

void chunk_views(column_view_t *to, column_view_t *const *from, const uint32_t *bytes, uint32_t count_views,
                 uint32_t first, uint32_t count) {
  for (uint32_t i = 0; i < count_views; ++i) {
    const column_view_t *v = from[i];
    to[i] = *v;
    if (v->count == 0)
      continue;
    shoal_assert(first + count <= v->count, "rows %u … %u of %u", first, first + count, v->count);
    to[i].count = count;
    if (v->rows) {
      to[i].rows = v->rows + first;
      continue;
    }
    to[i].data = (char *)v->data + (size_t)first * bytes[i];
    to[i].first = v->first + first;
    if (v->marks)
      to[i].marks = v->marks + first;
  }
}

static void begin_chunks(parallel_o *p, const char *system, uint32_t count) {
  if (count > p->chunk_capacity) {
    chunk_t *grown = realloc(p->chunks, count * sizeof *grown);
    if (!grown)
      abort();
    memset(grown + p->chunk_capacity, 0, (count - p->chunk_capacity) * sizeof *grown);
    p->chunks = grown;
    p->chunk_capacity = count;
  }
  for (uint32_t i = 0; i < count; ++i)
    chunk_begin(&p->chunks[i], p->world, system, i);
}

static void run_chunk(void *context, uint32_t part, uint32_t worker) {
  parallel_o *p = context;
  worker_vm_t *x = &p->workers[worker];
  shoal_assert(worker < p->worker_count && part < p->chunk_capacity, "chunk %u of %u, worker %u of %u", part,
               p->chunk_capacity, worker, p->worker_count);
  lua_State *L = x->vm->L;
  if (!L || x->vm->stopped)
    return; // the run has failed
  uint32_t first = part * PARALLEL_CHUNK_ROWS, left = p->rows - first;
  lua_pushinteger(L, (lua_Integer)p->number);
  lua_pushnumber(L, (lua_Number)(uintptr_t)&p->chunks[part]);
  lua_pushnumber(L, first);
  lua_pushnumber(L, left < PARALLEL_CHUNK_ROWS ? left : PARALLEL_CHUNK_ROWS);
  lua_pushnumber(L, (lua_Number)p->dt_s);
  if (vm_run(x->vm, "run_chunk", 5, 0, SCRIPT_BUDGET_SYSTEM) || part > x->failed)
    return;
  x->failed = part;
  x->report = x->vm->caught;
}

bool parallel_run(parallel_o *p, const char *system, uint32_t number, uint32_t rows, float dt_s,
                  script_report_t *report) {
  shoal_assert(p->worker_count > 0, "no worker runs %s", system);
  shoal_assert(world_is_deferring(p->world), "%s runs on several threads, and what it does would apply at once",
               system);
  for (uint32_t i = 0; i < p->worker_count; ++i)
    if (p->workers[i].vm->stopped) { // it could not be built anew
      *report = p->workers[i].vm->caught;
      return false;
    }
  uint32_t chunks = (rows + PARALLEL_CHUNK_ROWS - 1) / PARALLEL_CHUNK_ROWS;
  worker_vm_t *first = NULL;
  p->number = number;
  p->rows = rows;
  p->dt_s = dt_s;
  begin_chunks(p, system, chunks);
  for (uint32_t i = 0; i < p->worker_count; ++i)
    p->workers[i].failed = UINT32_MAX;
  jobs_run(world_jobs(p->world), run_chunk, p, chunks);
  for (uint32_t i = 0; i < p->worker_count; ++i)
    if (p->workers[i].failed != UINT32_MAX && (!first || p->workers[i].failed < first->failed))
      first = &p->workers[i];
  for (uint32_t i = 0; i < chunks && !first; ++i)
    chunk_apply(&p->chunks[i], p->world);
  if (first)
    *report = first->report;
  return !first;
}
