// Runs tasks in this program: shoal --task NAME followed by numbers in the order of argument_t. The program inherits
// the handles with these numbers. A job ends it when this process ends.
#include "process/task.h"

#include "base/assert.h"
#include "base/native_file.h"
#include "base/native_pages.h"
#include "base/program_path.h"
#include "process/sandbox.h"
#include "process/spawn.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#define OPTION "--task"
#define EXIT_CANNOT_START 2 // exit code of a task with unknown name or invalid numbers
#define NUMBER_BYTES 24

typedef enum argument_t {
  ARGUMENT_PIPE,
  ARGUMENT_INPUT, // handle of the memory; 0: none
  ARGUMENT_INPUT_BYTES,
  ARGUMENT_OUTPUT,
  ARGUMENT_OUTPUT_BYTES,
  ARGUMENT_LIMIT_MS,
  ARGUMENT_MEMORY_MB,
  ARGUMENT_COUNT
} argument_t;

#define FIRST_NUMBER 3 // index of the first number in the program's arguments

bool task_begin(child_t *child, const task_desc_t *desc) {
  shoal_assert(desc->type && desc->limit_ms > 0 && desc->memory_mb > 0, "a task must have a type and limits");
  void *read_end, *write_end;
  char texts[ARGUMENT_COUNT][NUMBER_BYTES];
  const char *arguments[FIRST_NUMBER + ARGUMENT_COUNT + 1] = {"shoal", OPTION, desc->type->name};
  if (!spawn_create_pipe(&read_end, &write_end))
    return false;
  void *input = native_pages_section(desc->input), *output = native_pages_section(desc->output);
  const uint64_t numbers[ARGUMENT_COUNT] = {
      [ARGUMENT_PIPE] = (uintptr_t)write_end,       [ARGUMENT_INPUT] = (uintptr_t)input,
      [ARGUMENT_INPUT_BYTES] = desc->input_bytes,   [ARGUMENT_OUTPUT] = (uintptr_t)output,
      [ARGUMENT_OUTPUT_BYTES] = desc->output_bytes, [ARGUMENT_LIMIT_MS] = desc->limit_ms,
      [ARGUMENT_MEMORY_MB] = desc->memory_mb,
  };
  for (int i = 0; i < ARGUMENT_COUNT; ++i) {
    snprintf(texts[i], sizeof texts[i], "%" PRIu64, numbers[i]);
    arguments[FIRST_NUMBER + i] = texts[i];
  }
  spawn_t spawn = {.path = program_path_to_execute(arguments[0]),
                   .arguments = arguments,
                   .handles = {write_end, input, output},
                   .is_silent = true,
                   .is_detached = true,
                   .ends_with_parent = true};
  return spawn_child(child, desc->limit_ms, &spawn, read_end, write_end);
}

static const task_type_t *find_type(const task_type_t *const *types, const char *name) {
  while (*types && strcmp((*types)->name, name) != 0)
    ++types;
  return *types;
}

static void *get_handle(uint64_t number) {
  return (void *)(uintptr_t)number;
}

// Ends a crashed task with the code of the exception, without a dialog or a debugger.
static LONG WINAPI end_silently(EXCEPTION_POINTERS *exception) {
  TerminateProcess(GetCurrentProcess(), exception->ExceptionRecord->ExceptionCode);
  return EXCEPTION_EXECUTE_HANDLER;
}

// Returns false if a handle is invalid or the system is out of memory.
static bool run(const task_type_t *type, const uint64_t numbers[ARGUMENT_COUNT]) {
  task_call_t call = {.input_bytes = (size_t)numbers[ARGUMENT_INPUT_BYTES],
                      .output_bytes = (size_t)numbers[ARGUMENT_OUTPUT_BYTES],
                      .pipe = (int)numbers[ARGUMENT_PIPE]};
  SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX | SEM_NOOPENFILEERRORBOX);
  SetUnhandledExceptionFilter(end_silently);
  if (!SetHandleInformation(get_handle(numbers[ARGUMENT_PIPE]), HANDLE_FLAG_INHERIT, 0))
    return false;
  if (numbers[ARGUMENT_INPUT])
    call.input = native_pages_open(get_handle(numbers[ARGUMENT_INPUT]), call.input_bytes);
  if (numbers[ARGUMENT_OUTPUT])
    call.output = native_pages_open(get_handle(numbers[ARGUMENT_OUTPUT]), call.output_bytes);
  if ((numbers[ARGUMENT_INPUT] && !call.input) || (numbers[ARGUMENT_OUTPUT] && !call.output))
    return false;
  child_extend_timeout((uint32_t)numbers[ARGUMENT_LIMIT_MS]);
  sandbox_limit_memory((uint32_t)numbers[ARGUMENT_MEMORY_MB]);
  type->run(type, &call);
  return true;
}

bool task_run_command(const task_type_t *const *types, int argc, const char *const *argv, int *exit_code) {
  uint64_t numbers[ARGUMENT_COUNT];
  if (argc < 2 || strcmp(argv[1], OPTION) != 0)
    return false;
  *exit_code = EXIT_CANNOT_START;
  const task_type_t *type = argc == FIRST_NUMBER + ARGUMENT_COUNT ? find_type(types, argv[2]) : NULL;
  for (int i = 0; type && i < ARGUMENT_COUNT; ++i)
    numbers[i] = strtoull(argv[FIRST_NUMBER + i], NULL, 10);
  if (type && run(type, numbers))
    child_exit(0); // without the destructors of the program, as on Linux
  return true;
}
