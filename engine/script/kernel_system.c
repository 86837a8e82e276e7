// Kernels as systems: in their turn, or beside other systems. Then the script begins the kernel's run and comes to its
// end, and the rows are gone through without it, on whichever threads. So are loops whose code leaves nothing to
// Lua: while there is nothing to ask, it is not called.
#include "base/assert.h"
#include "native/loop.h"
#include "script/kernel.h"
#include "script/vm.h"

#include <stdlib.h>

struct kernel_beside_t {
  vm_o *vm;
  kernel_o *kernel; // that was begun: VMs that are built anew have new ones
};

void vm_keep_kernel(vm_o *vm, kernel_o *k) {
  if (vm->kernel_count == vm->kernel_capacity) {
    vm->kernel_capacity = vm->kernel_capacity ? vm->kernel_capacity * 2 : 16;
    vm->kernels = realloc(vm->kernels, vm->kernel_capacity * sizeof(kernel_o *));
    if (!vm->kernels)
      abort();
  }
  vm->kernels[vm->kernel_count++] = k;
}

void vm_explain_kernel(vm_o *vm, const char *system, const char *at, const kernel_o *k) {
  if (vm->native)
    native_set_kernel(vm->native, system, at, kernel_lanes(k));
}

void vm_run_kernel(vm_o *vm, kernel_o *k, float dt_s) {
  if (!vm->begins) {
    kernel_run(k, dt_s);
    return;
  }
  vm->begun_parts = kernel_run_begin(k, dt_s);
  vm->begun = vm->begun_parts > 0 ? k : NULL;
}

// --- without a call into Lua

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
  bool ran = !vm->begins && kernel_ran_straight(k, dt_s);
  if (ran || !kernel_is_brief(k))
    return ran;
  query_open(kernel_query(k));
  vm_run_kernel(vm, k, dt_s);
  query_close(kernel_query(k));
  return true;
}

// --- beside other systems

// What is compared with its loop form runs all of it by itself.
static bool is_alone(void *context, world_o *w) {
  const struct kernel_beside_t *x = context;
  (void)w;
  return x->vm->desc.check_kernels;
}

// All of the system's run but for the rows.
static uint32_t begin(void *context, world_o *w, uint32_t number, float dt_s) {
  struct kernel_beside_t *x = context;
  (void)w;
  x->vm->begins = true;
  x->vm->begun = NULL;
  vm_run_system(x->vm, number, dt_s);
  x->vm->begins = false;
  x->kernel = x->vm->begun;
  return x->kernel ? x->vm->begun_parts : 0;
}

static void run_part(void *context, uint32_t part, uint32_t worker) {
  const struct kernel_beside_t *x = context;
  kernel_run_part(x->kernel, part, worker);
}

static void end(void *context, world_o *w) {
  const struct kernel_beside_t *x = context;
  (void)w;
  kernel_run_end(x->kernel);
}

void vm_declare_beside(vm_o *vm, const char *system, kernel_o *k) {
  system_access_t access[KERNEL_MAX_SLOTS];
  if (!vm->schedule)
    return;
  struct kernel_beside_t **grown = realloc(vm->beside, (vm->beside_count + 1) * sizeof *grown);
  struct kernel_beside_t *x = malloc(sizeof *x);
  if (!grown || !x)
    abort();
  *x = (struct kernel_beside_t){.vm = vm};
  vm->beside = grown;
  vm->beside[vm->beside_count++] = x;
  uint32_t count = kernel_access(k, access);
  shoal_assert(count > 0, "the kernel of %s has no columns", system);
  schedule_beside(vm->schedule, system,
                  &(system_beside_t){.alone = is_alone,
                                     .begin = begin,
                                     .part = run_part,
                                     .end = end,
                                     .context = x,
                                     .access = access,
                                     .access_count = count});
}

void vm_declare_query(vm_o *vm, const char *system, const query_o *q) {
  shoal_assert(q->id > 0, "a query of %s that the world does not know", system);
  if (vm->schedule)
    schedule_goes_over(vm->schedule, system, q->id);
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
  free(vm->kernels);
  free(vm->by_itself.items);
}
