// Runs systems that consist of a single native loop, and enters Lua only when a run needs it.
#include "script/native_system.h"

#include "base/assert.h"
#include "native/loop.h"
#include "script/system_faults.h"
#include "script/script.h"
#include "script/vm.h"

#include <lua.h>
#include <stdlib.h>

static vm_native_code_t *get_or_add_code(vm_o *vm, uint32_t system) {
  shoal_assert(system > 0, "system number must not be 0");
  if (system >= vm->native_loops.capacity) {
    uint32_t capacity = (system + 1) * 2;
    vm->native_loops.items = realloc(vm->native_loops.items, capacity * sizeof *vm->native_loops.items);
    if (!vm->native_loops.items)
      abort();
    while (vm->native_loops.capacity < capacity)
      vm->native_loops.items[vm->native_loops.capacity++] = (vm_native_code_t){0};
  }
  vm->native_loops.epoch = strings_epoch(world_strings(vm->desc.world));
  return &vm->native_loops.items[system];
}

static void reset_code(vm_native_code_t *code) {
  *code = (vm_native_code_t){.run_count = code->run_count, .declared_loop_id = code->declared_loop_id};
}

uint32_t vm_pop_native_runs(vm_o *vm, uint32_t system) {
  vm_native_code_t *code = get_or_add_code(vm, system);
  uint32_t run_count = code->run_count;
  code->run_count = 0;
  return run_count;
}

void vm_clear_native_loops(vm_o *vm) {
  for (uint32_t i = 0; i < vm->native_loops.capacity; ++i)
    reset_code(&vm->native_loops.items[i]);
}

static bool try_run_loop(vm_native_code_t *code, float dt_s) {
  if (code->runs_left == 0 || !native_loop_needs_no_watchdog(code->loop)) {
    reset_code(code);
    return false;
  }
  code->runs_left--;
  code->run_count++;
  native_loop_run_all(code->loop, code->dt_parameter, dt_s);
  return true;
}

// --- loops that run in parallel with other systems

struct concurrent_loop_t {
  vm_o *vm;
  uint32_t system;
  native_loop_o *loop;
  float dt_s;
};

// Returns true if the system must run alone this time, for one of these reasons:
// - The system has no native loop for this run.
// - The columns of the loop are not declared to the schedule.
// - The loop is guarded (--native guard).
// - A snapshot was restored.
// - Lua could not prepare the loop.
// - No Lua state is open, or the attempt has failed. The system then does nothing.
static bool must_run_alone(void *context, world_o *world) {
  const struct concurrent_loop_t *concurrent = context;
  vm_o *vm = concurrent->vm;
  const vm_native_code_t *code =
      concurrent->system < vm->native_loops.capacity ? &vm->native_loops.items[concurrent->system] : NULL;
  if (!vm->L || vm->attempt_failed || !code || !code->loop || code->runs_left == 0 ||
      code->declared_loop_id != native_loop_id(code->loop) || native_loop_is_guarded(code->loop) ||
      vm->native_loops.epoch != strings_epoch(world_strings(world)))
    return true;
  if (!code->needs_lua)
    return false;
  lua_pushinteger(vm->L, (lua_Integer)concurrent->system);
  bool is_ready = vm_call(vm, "prepare_loop", 1, 1) && lua_toboolean(vm->L, -1);
  lua_settop(vm->L, VM_BASE_TOP);
  return !is_ready;
}

static uint32_t begin_loop(void *context, world_o *world, uint32_t number, float dt_s) {
  struct concurrent_loop_t *concurrent = context;
  vm_native_code_t *code = &concurrent->vm->native_loops.items[number];
  (void)world;
  code->runs_left--;
  code->run_count++;
  concurrent->loop = code->loop;
  concurrent->dt_s = dt_s;
  return native_loop_begin_parallel(code->loop, code->dt_parameter, dt_s);
}

static void run_part(void *context, uint32_t part, uint32_t worker) {
  const struct concurrent_loop_t *concurrent = context;
  native_loop_run_part(concurrent->loop, part, worker);
}

static void end_loop(void *context, world_o *world) {
  const struct concurrent_loop_t *concurrent = context;
  (void)world;
  if (native_loop_end_parallel(concurrent->loop) > 0)
    vm_run_exits(concurrent->vm, concurrent->system, concurrent->dt_s);
}

static struct concurrent_loop_t *get_or_add_concurrent_loop(vm_o *vm, uint32_t system) {
  for (uint32_t i = 0; i < vm->concurrent_loop_count; ++i)
    if (vm->concurrent_loops[i]->system == system)
      return vm->concurrent_loops[i];
  struct concurrent_loop_t **grown = realloc(vm->concurrent_loops, (vm->concurrent_loop_count + 1) * sizeof *grown);
  struct concurrent_loop_t *added = malloc(sizeof *added);
  if (!grown || !added)
    abort();
  *added = (struct concurrent_loop_t){.vm = vm, .system = system};
  vm->concurrent_loops = grown;
  return vm->concurrent_loops[vm->concurrent_loop_count++] = added;
}

static bool declare_loop(vm_o *vm, uint32_t system, const char *name, const native_loop_o *loop) {
  system_access_t access[NATIVE_MAX_ACCESSES];
  uint32_t count = native_loop_list_access(loop, access);
  return vm->stages && schedule_allow_parallel(vm->stages, name,
                                               &(system_parallel_t){.alone = must_run_alone,
                                                                    .begin = begin_loop,
                                                                    .part = run_part,
                                                                    .end = end_loop,
                                                                    .context = get_or_add_concurrent_loop(vm, system),
                                                                    .access = access,
                                                                    .access_count = count,
                                                                    .changes = native_loop_changes_structure(loop)});
}

void vm_set_native_loop(vm_o *vm, uint32_t system, const char *name, native_loop_o *loop, int32_t dt_parameter,
                        uint32_t runs_left, bool needs_lua) {
  vm_native_code_t *code = get_or_add_code(vm, system);
  *code = (vm_native_code_t){.loop = loop,
                             .dt_parameter = dt_parameter,
                             .runs_left = runs_left,
                             .run_count = code->run_count,
                             .needs_lua = needs_lua,
                             .declared_loop_id = code->declared_loop_id};
  if (code->declared_loop_id != native_loop_id(loop) && declare_loop(vm, system, name, loop))
    code->declared_loop_id = native_loop_id(loop);
}

void vm_declare_loop(vm_o *vm, uint32_t system, const char *name, const native_loop_o *loop) {
  vm_native_code_t *code = get_or_add_code(vm, system);
  if (declare_loop(vm, system, name, loop))
    code->declared_loop_id = native_loop_id(loop);
}

void vm_declare_query(vm_o *vm, const char *system, const query_o *query) {
  shoal_assert(query->id > 0, "system %s: the query is not registered in the world", system);
  if (vm->schedule)
    schedule_add_query(vm->schedule, system, query->id);
}

void vm_set_alone_reason(vm_o *vm, const char *name, const char *reason) {
  if (vm->stages)
    schedule_set_alone_reason(vm->stages, name, reason);
}

// --- running compiled systems without entering Lua

// Runs the system without entering Lua. Returns false if Lua must be entered instead:
// - The system has no native loop, or the declared runs of the loop are used up (vm_set_native_loop).
// - Lua must compute the loop's parameters.
// - The run may take long or take a side exit, or the loop is not ready (native_loop_needs_no_watchdog). Lua runs such
//   loops under the watchdog.
// - A snapshot was restored (the strings epoch has changed). Lua must first check whether the system is enabled.
bool vm_run_native(vm_o *vm, uint32_t system, float dt_s) {
  vm_native_code_t *code = system < vm->native_loops.capacity ? &vm->native_loops.items[system] : NULL;
  if (!code || !code->loop || code->needs_lua || vm->native_loops.epoch != strings_epoch(world_strings(vm->desc.world)))
    return false;
  return try_run_loop(code, dt_s);
}

native_set_o *vm_native_set(const vm_o *vm) {
  return vm->native;
}

// Creates and returns the set of native loops for a new Lua state, and destroys the set of the previous state
// afterwards: without any set, the compiler thread would stop.
native_set_o *vm_begin_native(vm_o *vm) {
  native_set_o *previous = vm->native;
  vm_clear_native_loops(vm);
  vm->native = native_set_create(vm->desc.no_jit ? "off" : vm->desc.native);
  native_set_destroy(previous);
  return vm->native;
}

void vm_native_fini(vm_o *vm) {
  native_set_destroy(vm->native);
  for (uint32_t i = 0; i < vm->concurrent_loop_count; ++i)
    free(vm->concurrent_loops[i]);
  free(vm->concurrent_loops);
  free(vm->native_loops.items);
}
