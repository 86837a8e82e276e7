// Runs this program in a child process, and passes a message from the child to its supervisor through a pipe.
#include "process/supervised_program.h"

#include "base/assert.h"
#include "base/program_path.h"
#include "process/fault_code.h"
#include "process/signals.h"
#include "process/spawn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#define PIPE_VARIABLE "SHOAL_SUPERVISOR" // environment variable with the handle of the pipe's write end

static HANDLE supervisor_pipe;

static bool run_program(char *const *arguments, HANDLE pipe_end, supervised_end_t *out) {
  HANDLE process = spawn_program(&(spawn_t){.path = program_path_to_execute(arguments[0]),
                                            .arguments = (const char *const *)arguments,
                                            .handles = {pipe_end},
                                            .ends_with_parent = true});
  if (!process)
    return false;
  signals_forward_termination((int)GetProcessId(process));
  uint32_t code = spawn_await_end(process);
  out->signal = fault_signal_of_exit(code);
  out->exit_code = out->signal != 0 ? 0 : (int)code;
  return true;
}

// Windows cannot replace the program of a process: this process waits for the program and ends like it.
void supervised_replace_process(char *const *arguments) {
  supervised_end_t end = {.signal = 0};
  fflush(NULL);
  if (run_program(arguments, NULL, &end))
    supervised_end_like(&end);
}

// Reads the message that the program has sent. The program has ended, so everything it sent is in the pipe.
static void read_message(HANDLE pipe_end, char *out, size_t bytes) {
  DWORD available = 0, count = 0;
  if (PeekNamedPipe(pipe_end, NULL, 0, NULL, &available, NULL) && available > 0 &&
      !ReadFile(pipe_end, out, (DWORD)bytes - 1, &count, NULL))
    count = 0;
  out[count] = '\0';
}

bool supervised_run(char *const *arguments, bool accepts_message, supervised_end_t *out) {
  shoal_assert(arguments[0], "the list of arguments must not be empty");
  HANDLE read_end = NULL, write_end = NULL;
  char number[32];
  *out = (supervised_end_t){.signal = 0};
  if (!accepts_message)
    return run_program(arguments, NULL, out);
  if (!spawn_create_pipe(&read_end, &write_end))
    return false;
  snprintf(number, sizeof number, "%llu", (unsigned long long)(uintptr_t)write_end);
  SetEnvironmentVariableA(PIPE_VARIABLE, number);
  bool has_run = run_program(arguments, write_end, out);
  SetEnvironmentVariableA(PIPE_VARIABLE, NULL);
  CloseHandle(write_end);
  read_message(read_end, out->message, sizeof out->message);
  CloseHandle(read_end);
  return has_run;
}

void supervised_end_like(const supervised_end_t *end) {
  fflush(NULL);
  if (end->signal != 0)
    signals_raise_default(end->signal);
  exit(end->exit_code);
}

void supervised_connect(void) {
  char text[32];
  DWORD length = GetEnvironmentVariableA(PIPE_VARIABLE, text, sizeof text);
  HANDLE handle = (HANDLE)(uintptr_t)(length > 0 && length < sizeof text ? strtoull(text, NULL, 10) : 0);
  if (handle && GetFileType(handle) == FILE_TYPE_PIPE && SetHandleInformation(handle, HANDLE_FLAG_INHERIT, 0))
    supervisor_pipe = handle;
  SetEnvironmentVariableA(PIPE_VARIABLE, NULL);
}

// A pipe holds at least 4,096 bytes, so writing does not block.
bool supervised_send(const char *message) {
  size_t bytes = strlen(message);
  DWORD written;
  return supervisor_pipe && bytes < SUPERVISED_MESSAGE_BYTES &&
         WriteFile(supervisor_pipe, message, (DWORD)bytes, &written, NULL) && written == bytes;
}
