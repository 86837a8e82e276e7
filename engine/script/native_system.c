// Systems that run as a kernel or as the code of a loop, without a call into Lua while nothing needs Lua.
#include "script/native_system.h"

#include "base/assert.h"
#include "native/kernel.h"
#include "native/loop.h"
#include "script/vm.h"

#include <stdlib.h>

void vm_run_kernel(vm_o *vm, kernel_o *k, float dt_s) {
  if (!vm->begins) {
    kernel_run(k, dt_s);
    return;
  }
  vm->begun_parts = kernel_run_begin(k, dt_s);
  vm->begun = vm->begun_parts > 0 ? k : NULL;
}

static vm_code_t *code_of(vm_o *vm, uint32_t system) {
  shoal_assert(system > 0, "system 0 is none");
  if (system >= vm->by_itself.capacity) {
    uint32_t capacity = (system + 1) * 2;
    vm->by_itself.items = realloc(vm->by_itself.items, capacity * sizeof *vm->by_itself.items);
    if (!vm->by_itself.items)
      abort();
    while (vm->by_itself.capacity < capacity)
      vm->by_itself.items[vm->by_itself.capacity++] = (vm_code_t){0};
  }
  vm->by_itself.epoch = strings_epoch(world_strings(vm->desc.world));
  return &vm->by_itself.items[system];
}

static void forget_code(vm_code_t *c) {
  *c = (vm_code_t){.ran = c->ran};
}

void vm_run_by_itself(vm_o *vm, uint32_t system, kernel_o *k) {
  code_of(vm, system)->kernel = k;
}

void vm_loop_by_itself(vm_o *vm, uint32_t system, native_loop_o *l, int32_t dt, uint32_t runs) {
  vm_code_t *c = code_of(vm, system);
  *c = (vm_code_t){.loop = l, .dt = dt, .runs = runs, .ran = c->ran};
}

uint32_t vm_take_runs_by_itself(vm_o *vm, uint32_t system) {
  vm_code_t *c = code_of(vm, system);
  uint32_t ran = c->ran;
  c->ran = 0;
  return ran;
}

void vm_none_by_itself(vm_o *vm) {
  for (uint32_t i = 0; i < vm->by_itself.capacity; ++i)
    forget_code(&vm->by_itself.items[i]);
}

static bool ran_loop(vm_code_t *c, float dt_s) {
  if (c->runs == 0 || !native_loop_is_brief(c->loop)) {
    forget_code(c);
    return false;
  }
  c->runs--;
  c->ran++;
  native_loop_run_all(c->loop, c->dt, dt_s);
  return true;
}

// What takes long is run under the watchdog. Behind a snapshot that was restored Lua looks first whether the system is
// on, as text.lua finds out.
bool vm_ran_by_itself(vm_o *vm, uint32_t system, float dt_s) {
  vm_code_t *c = system < vm->by_itself.capacity ? &vm->by_itself.items[system] : NULL;
  if (!c || (!c->kernel && !c->loop) || vm->by_itself.epoch != strings_epoch(world_strings(vm->desc.world)))
    return false;
  if (c->loop)
    return ran_loop(c, dt_s);
  kernel_o *k = c->kernel;
  if (!vm->begins && kernel_ran_straight(k, dt_s))
    return true;
  if (!kernel_is_brief(k))
    return false;
  query_open(kernel_query(k));
  vm_run_kernel(vm, k, dt_s);
  query_close(kernel_query(k));
  return true;
}

native_set_o *vm_native(const vm_o *vm) {
  return vm->native;
}

// Of the Lua that is being built now: what an earlier one had is dropped.
native_set_o *vm_begin_native(vm_o *vm) {
  vm_none_by_itself(vm);
  native_set_destroy(vm->native);
  vm->native = native_set_create(vm->desc.no_jit ? "off" : vm->desc.native);
  return vm->native;
}

void vm_kernels_fini(vm_o *vm) {
  native_set_destroy(vm->native);
  for (uint32_t i = 0; i < vm->beside_count; ++i)
    free(vm->beside[i]);
  free(vm->beside);
  free(vm->by_itself.items);
}
