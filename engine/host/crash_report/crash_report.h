// Reports of fatal signals and of plugin functions that do not return: a recording of the last seconds
// (time/recording.h), and a text file. The text names the system, the position in its file, the entity and its metadata
// (t.metadata), and contains the command that replays the recording.
//
// Each part is written by a forked child (crash/report_stage.h). Metadata is read by a new process that runs this
// program.
//
// In development, a report of a plugin's crash also contains the data that a new run needs to continue the game without
// the plugin (start/crash_summary.h), and the supervisor is notified to start this run (crash_report/supervisor.h).
#ifndef SHOAL_CRASH_REPORT_CRASH_REPORT_H
#define SHOAL_CRASH_REPORT_CRASH_REPORT_H

#include "start/options.h"

typedef struct crash_desc_t {
  const options_t *options;
  struct session_t *session; // session of the host; NULL before the session exists
  int signal;                // number of the fatal signal; 0: a function did not return, see `reason`
  const void *address;       // memory address that caused the signal; NULL if unknown
  const void *code;          // address of the instruction; NULL if unknown
  const char *reason;
  bool brief; // writes only the summary, the plugin function and the stack, because the program must exit soon
  // Output folder. NULL: the working directory or, for a package, its report folder.
  const char *folder;
  bool embedded; // true if a program embeds the host
} crash_desc_t;

// Writes the report, which takes at most a few seconds. Call from a signal handler, or while the process exits.
void crash_write_report(const crash_desc_t *desc);

// Option of a packaged program that shows its argument in a dialog. crash_write_report starts the program with it.
#define CRASH_DIALOG_OPTION "--tell"

// Implements `shoal crash-report FILE`, started by crash_write_report: adds metadata to the report. Returns true and
// stores the exit code, or false if the options select a different command.
bool crash_run_command(const options_t *o, int *exit_code);

#endif
