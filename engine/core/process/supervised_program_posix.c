// Runs this program in a child process, and passes a message from the child to its supervisor through a pipe.
#include "process/supervised_program.h"

#include "base/assert.h"
#include "base/program_path.h"
#include "process/child.h"
#include "process/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIPE_VARIABLE "SHOAL_SUPERVISOR" // environment variable with the descriptor of the pipe's write end

static int supervisor_pipe = -1;

void supervised_replace_process(char *const *arguments) {
  execv(program_path_to_execute(arguments[0]), arguments);
}

typedef struct program_t {
  char *const *arguments;
  int pipe_end; // write end of the pipe; -1: the program cannot send a message
} program_t;

static void run_program(void *context) {
  const program_t *program = context;
  char number[16];
  snprintf(number, sizeof number, "%d", program->pipe_end);
  signals_end_with_parent();
  if (program->pipe_end >= 0)
    setenv(PIPE_VARIABLE, number, 1);
  supervised_replace_process(program->arguments);
  fprintf(stderr, "shoal: cannot run %s: %s\n", program->arguments[0], strerror(errno));
}

// Reads the message that the program has sent. The program has ended, so everything it sent is in the pipe.
static void read_message(int pipe_end, char *out, size_t bytes) {
  ssize_t count = read(pipe_end, out, bytes - 1);
  out[count > 0 ? count : 0] = '\0';
}

bool supervised_run(char *const *arguments, bool accepts_message, supervised_end_t *out) {
  shoal_assert(arguments[0], "the list of arguments must not be empty");
  int ends[2] = {-1, -1};
  *out = (supervised_end_t){.signal = 0};
  if (accepts_message &&
      (pipe(ends) != 0 || fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0 || fcntl(ends[0], F_SETFD, FD_CLOEXEC) != 0))
    return false;
  bool has_run = child_run_program(run_program, &(program_t){arguments, ends[1]}, &out->exit_code, &out->signal);
  if (!accepts_message)
    return has_run;
  read_message(ends[0], out->message, sizeof out->message);
  close(ends[0]);
  close(ends[1]);
  return has_run;
}

void supervised_end_like(const supervised_end_t *end) {
  if (end->signal != 0) {
    setrlimit(RLIMIT_CORE, &(struct rlimit){.rlim_cur = 0});
    signals_raise_default(end->signal);
  }
  exit(end->signal != 0 ? 128 + end->signal : end->exit_code);
}

void supervised_connect(void) {
  struct stat info;
  const char *text = getenv(PIPE_VARIABLE);
  int number = text ? atoi(text) : -1;
  if (number > STDERR_FILENO && fstat(number, &info) == 0 && S_ISFIFO(info.st_mode) &&
      fcntl(number, F_SETFD, FD_CLOEXEC) == 0)
    supervisor_pipe = number;
  unsetenv(PIPE_VARIABLE);
}

bool supervised_send(const char *message) {
  size_t bytes = strlen(message);
  return supervisor_pipe >= 0 && bytes < SUPERVISED_MESSAGE_BYTES &&
         write(supervisor_pipe, message, bytes) == (ssize_t)bytes;
}
