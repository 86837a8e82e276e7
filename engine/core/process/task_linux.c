// Runs tasks in forks of this process, which cost less than new programs and inherit the memory of their input.
#include "process/task.h"

#include "base/assert.h"
#include "process/sandbox.h"

static void run_in_child(void *context, int pipe) {
  const task_desc_t *desc = context;
  sandbox_limit_memory(desc->memory_mb);
  desc->type->run(desc->type, &(task_call_t){.input = desc->input,
                                             .input_bytes = desc->input_bytes,
                                             .output = desc->output,
                                             .output_bytes = desc->output_bytes,
                                             .pipe = pipe});
}

bool task_begin(child_t *child, const task_desc_t *desc) {
  shoal_assert(desc->type && desc->memory_mb > 0, "a task must have a type and a memory limit");
  return child_begin(child, desc->limit_ms, run_in_child, (void *)(uintptr_t)desc);
}

// Forked tasks need no arguments.
bool task_run_command(const task_type_t *const *types, int argc, const char *const *argv, int *exit_code) {
  (void)types, (void)argc, (void)argv, (void)exit_code;
  return false;
}
