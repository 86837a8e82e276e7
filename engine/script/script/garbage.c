// Counts the memory that the Lua code of each system allocates.
#include "script/garbage.h"

#include "base/assert.h"
#include "script/vm.h"

#include <lua.h>
#include <stdlib.h>

#define MIN_RUNS                                                                                                       \
  256u // minimum number of runs for an estimate: in the first runs, LuaJIT also allocates while compiling

static vm_garbage_t *get_or_add_counters(vm_o *vm, uint32_t system) {
  shoal_assert(system > 0, "system number must not be 0");
  if (system >= vm->garbage.capacity) {
    uint32_t capacity = (system + 1) * 2;
    vm->garbage.items = realloc(vm->garbage.items, capacity * sizeof *vm->garbage.items);
    if (!vm->garbage.items)
      abort();
    while (vm->garbage.capacity < capacity)
      vm->garbage.items[vm->garbage.capacity++] = (vm_garbage_t){0};
  }
  return &vm->garbage.items[system];
}

void vm_record_garbage(vm_o *vm, uint32_t system, size_t bytes_before) {
  vm_garbage_t *g = get_or_add_counters(vm, system);
  size_t bytes_after = arena_bytes(vm->arena);
  if (g->runs >= 2 * g->previous_runs + 1)
    *g = (vm_garbage_t){.previous_runs = g->runs, .previous_bytes = g->bytes};
  g->runs++;
  g->bytes += bytes_after > bytes_before ? (double)(bytes_after - bytes_before) : 0;
}

double vm_garbage_per_run(const vm_o *vm, uint32_t system) {
  const vm_garbage_t *g = system < vm->garbage.capacity ? &vm->garbage.items[system] : NULL;
  if (!g || g->runs + g->previous_runs < MIN_RUNS)
    return 0;
  double previous = g->previous_bytes / (double)g->previous_runs;
  if (4 * g->runs < g->previous_runs)
    return previous;
  // LuaJIT may compile a rare path at any time, which adds a few kilobytes to one of the two windows.
  double current = g->bytes / (double)g->runs;
  return current < previous ? current : previous;
}

void vm_garbage_fini(vm_o *vm) {
  free(vm->garbage.items);
}

void vm_print_garbage(vm_o *vm, const char *system, FILE *out) {
  if (!vm->L)
    return;
  lua_pushstring(vm->L, system);
  if (vm_call(vm, "explain_garbage", 1, 1))
    fputs(lua_tostring(vm->L, -1), out);
  lua_settop(vm->L, VM_BASE_TOP);
}
