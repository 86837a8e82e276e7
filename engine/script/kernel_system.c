// Kernels that run beside other systems: the script begins the kernel's run and ends, and the rows are gone through
// without it, on any threads.
#include "script/kernel_system.h"

#include "base/assert.h"
#include "native/loop.h"
#include "native/kernel.h"
#include "script/system_faults.h"
#include "script/vm.h"

#include <stdlib.h>

struct kernel_beside_t {
  vm_o *vm;
  kernel_o *kernel; // that was begun: VMs that are built anew have new ones
};

void vm_explain_kernel(vm_o *vm, const char *system, const char *at, const kernel_o *k) {
  if (vm->native)
    native_set_kernel(vm->native, system, at, kernel_lanes(k));
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
