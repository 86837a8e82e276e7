// The functions of <shoal/plugin.h> for the managers of the standalone ECS. Functions that need a game fail.
#include "library/ecs_manager.h"

#include "access/last_error.h"
#include "base/assert.h"
#include "base/sized_block.h"

#include <stdio.h>
#include <stdlib.h>

static ecs_manager_t *manager_of(shoal_context *c) {
  return (ecs_manager_t *)(void *)c;
}

static uint64_t context_tick(shoal_context *c) {
  return world_tick(manager_of(c)->ecs->access.world);
}

static void *context_realloc(shoal_context *c, void *old, size_t old_bytes, size_t new_bytes) {
  ecs_manager_t *m = manager_of(c);
  allocator_t unused = {0}; // its counts are never read, so several threads need no lock
  void *memory;
  size_t actual_bytes;
  if (!sized_block_resize(&unused, old, new_bytes, &memory, &actual_bytes)) {
    ecs_fail_manager(m, "shoal_realloc: `old` must be memory of shoal_realloc that has not been freed");
    sized_block_resize(&unused, NULL, new_bytes, &memory, &actual_bytes);
  } else if (old && old_bytes != actual_bytes) {
    ecs_fail_manager(
        m, "shoal_realloc: `old_bytes` is %zu, but the block has %zu bytes: pass the `new_bytes` of the previous call",
        old_bytes, actual_bytes);
  }
  atomic_fetch_add(&m->allocated, new_bytes);
  atomic_fetch_sub(&m->allocated, actual_bytes);
  return memory;
}

static void context_log(shoal_context *c, shoal_log_level level, const char *text) {
  static const char *const names[] = {[SHOAL_LOG_ERROR] = "error", [SHOAL_LOG_WARN] = "warn"};
  if (level == SHOAL_LOG_ERROR || level == SHOAL_LOG_WARN)
    fprintf(stderr, "%s: manager of %s: %s\n", names[level], manager_of(c)->custom_manager.component->name, text);
}

static void context_fail_call(shoal_context *c, const char *text) {
  ecs_fail_manager(manager_of(c), "%s", text);
}

static void *context_manager_data(shoal_context *c, const shoal_component *component) {
  const ecs_manager_t *m = ecs_find_manager(manager_of(c)->ecs, component);
  return m ? m->custom_manager.self : NULL;
}

// --- parallel work

static _Thread_local bool is_in_part;
static _Thread_local uint32_t part_worker;

typedef struct part_call_t {
  void (*part)(void *data, uint32_t part, uint32_t worker);
  void *data;
} part_call_t;

static void run_part(void *context, uint32_t part, uint32_t worker) {
  const part_call_t *call = context;
  is_in_part = true;
  part_worker = worker;
  call->part(call->data, part, worker);
  is_in_part = false;
}

static uint32_t context_worker_count(shoal_context *c) {
  return is_in_part ? JOBS_MAX_WORKERS : jobs_worker_count(ecs_get_jobs(manager_of(c)->ecs));
}

static void context_parallel_for(shoal_context *c, void (*part)(void *data, uint32_t part, uint32_t worker), void *data,
                                 uint32_t parts) {
  if (!is_in_part)
    jobs_run_parts(ecs_get_jobs(manager_of(c)->ecs), run_part, &(part_call_t){part, data}, parts);
  else
    for (uint32_t i = 0; i < parts; ++i) // the pool cannot start parts inside a part
      part(data, i, part_worker);
}

// --- the table

// Fails the manager's function, which has called a function that needs a game.
static void fail_unavailable(shoal_context *c, const char *function) {
  ecs_fail_manager(manager_of(c), "%s is not available in libshoal-ecs: call it in a plugin", function);
}

// clang-format off
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define REJECTED(name_, result_, fallback_, where_, parameters_, arguments_, description_)                             \
  static result_ reject_##name_ parameters_ {                                                                          \
    fail_unavailable(c, "shoal_" #name_);                                                                              \
    return fallback_;                                                                                                  \
  }
SHOAL_HOST_FUNCTIONS(REJECTED)

// The functions defined above override entries of the list.
#pragma GCC diagnostic ignored "-Woverride-init"
#define ENTRY(name_, ...) .name_ = reject_##name_,
const shoal_api ecs_context_api = {
  .size = sizeof(shoal_api),
  .version = SHOAL_API_VERSION,
  SHOAL_HOST_FUNCTIONS(ENTRY)
  .tick = context_tick,
  .realloc = context_realloc,
  .log = context_log,
  .fail = context_fail_call,
  .manager_data = context_manager_data,
  .worker_count = context_worker_count,
  .parallel_for = context_parallel_for,
};
// clang-format on
