// Restarts the program once after a plugin has crashed. The crashed process cannot continue, because its heap may be
// damaged. The window and sockets of the crashed process are lost.
#include "crash_report/supervisor.h"

#include "base/assert.h"
#include "process/supervised_program.h"
#include "start/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void replace_process(char **arguments) {
  supervised_replace_process(arguments);
  fprintf(stderr, "shoal: cannot run %s: %s\n", arguments[0], strerror(errno));
  exit(127);
}

// Runs the program again with --resume and the report that the first run has sent. Exits with the status of the new run
// or, if the new run cannot be started, of the first run.
static _Noreturn void run_again(int argc, char **arguments, supervised_end_t *first) {
  supervised_end_t end;
  char **again = calloc((size_t)argc + 3, sizeof *again), option[] = "--resume";
  if (!again)
    supervised_end_like(first);
  memcpy(again, arguments, (size_t)argc * sizeof *again);
  again[argc] = option;
  again[argc + 1] = first->message;
  fprintf(stderr, "shoal: starting the game again after the crash; another crash ends it\n");
  supervised_end_like(supervised_run(again, false, &end) ? &end : first);
}

void supervisor_run(int argc, char **argv) {
  shoal_assert(argc >= 2, "the command supervise is missing");
  options_t options;
  error_info_t error;
  supervised_end_t end;
  char **arguments = argv + 1; // arguments after the command `supervise`
  arguments[0] = argv[0];
  --argc;
  if (!options_parse(argc, (const char *const *)arguments, &options, &error) ||
      !options_restart_after_crash(&options) || !supervised_run(arguments, true, &end))
    replace_process(arguments); // the new process reports unknown options
  if (end.message[0])
    run_again(argc, arguments, &end);
  supervised_end_like(&end);
}
