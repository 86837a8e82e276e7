// A task: a function that runs in a child process, because its input may make it crash, hang or allocate too much
// memory. The task receives memory that it shares with this process, and answers through a pipe (child_write).
//
// On Linux, the child is a fork of this process. On Windows, which cannot copy a process, it is this program, started
// with the hidden option --task. A task must therefore use only its input, files, and the package that this program has
// mounted. The child is silent, and is killed when this process ends or its limits are exceeded (process/child.h).
//
// Main thread only.
#ifndef SHOAL_PROCESS_TASK_H
#define SHOAL_PROCESS_TASK_H

#include "process/child.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct task_call_t {
  const void *input; // copy of task_desc_t.input; NULL: no input
  size_t input_bytes;
  void *output; // memory of task_desc_t.output; NULL: no output
  size_t output_bytes;
  int pipe; // write end of the pipe to the parent
} task_call_t;

typedef struct task_type_t task_type_t;
struct task_type_t {
  const char *name; // name of the task: unique in the table of the program (task_run_command)
  // The body of the task, called in the child with its own type. The child exits with status 0 when the call returns.
  void (*run)(const task_type_t *type, const task_call_t *call);
};

typedef struct task_desc_t {
  const task_type_t *type;
  // Memory of pages_map_shared, or NULL, and its size. The memory must exist until the child has ended. The task only
  // reads `input`. A malicious input may have taken control of the task: do not trust the contents of `output`.
  const void *input;
  size_t input_bytes;
  void *output;
  size_t output_bytes;
  uint32_t limit_ms;  // limit of the child (process/child.h), in ms
  uint32_t memory_mb; // memory that the task may allocate (process/sandbox.h), in MiB
} task_desc_t;

// Starts a task. Use the same functions as for a child that child_begin has started, such as child_read and child_end.
// Returns true on success, or false if the system cannot create a pipe or a process.
bool task_begin(child_t *child, const task_desc_t *desc);

// Runs a task if the arguments of this program begin with --task, which only task_begin passes. `types`: table of all
// tasks of the program, which ends with NULL. Returns true if the arguments request a task, and stores the exit code of
// the program; otherwise false.
bool task_run_command(const task_type_t *const *types, int argc, const char *const *argv, int *exit_code);

#endif
