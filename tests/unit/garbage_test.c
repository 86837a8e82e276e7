// The estimate of the garbage of systems: script/garbage.h.
#include "script/garbage.h"

#include "script/vm.h"
#include "test.h"

#include <stdlib.h>

#define SYSTEM 1
#define HEAP_BYTES 100000u

static vm_o *create_vm(void) {
  vm_o *vm = calloc(1, sizeof *vm);
  vm->arena = arena_create(&(arena_desc_t){0});
  arena_resize(vm->arena, NULL, 0, HEAP_BYTES);
  return vm;
}

static void destroy_vm(vm_o *vm) {
  vm_garbage_fini(vm);
  arena_destroy(vm->arena);
  free(vm);
}

// Adds runs that have allocated `bytes` bytes each.
static void add_runs(vm_o *vm, uint32_t count, size_t bytes) {
  for (uint32_t i = 0; i < count; ++i)
    vm_record_garbage(vm, SYSTEM, arena_bytes(vm->arena) - bytes);
}

TEST(garbage_is_the_average_of_many_runs) {
  vm_o *vm = create_vm();
  add_runs(vm, 200, 100);
  assert_true(vm_garbage_per_run(vm, SYSTEM) == 0); // the system has run too few times
  add_runs(vm, 400, 100);
  assert_true(vm_garbage_per_run(vm, SYSTEM) == 100);
  destroy_vm(vm);
}

// LuaJIT compiles rare paths late, at a time that differs from run to run.
TEST(one_large_allocation_is_not_garbage_of_each_run) {
  for (uint32_t late = 20; late < 600; late += 10) {
    vm_o *vm = create_vm();
    add_runs(vm, late, 0);
    add_runs(vm, 1, 8000);
    add_runs(vm, 599 - late, 0);
    if (vm_garbage_per_run(vm, SYSTEM) != 0)
      fail_msg("%.0f bytes a run after an allocation in run %u", vm_garbage_per_run(vm, SYSTEM), late);
    destroy_vm(vm);
  }
}
