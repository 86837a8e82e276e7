// Reports of fatal signals and of plugin functions that do not return: a recording of the last seconds
// (time/recording.h), and a text with the system, the position in its file, the entity, its metadata (t.metadata), and
// the command that replays the recording.
//
// Each part is written by a forked child (crash/report_stage.h). Metadata is read by a new process of this program.
#ifndef SHOAL_CRASH_REPORT_CRASH_REPORT_H
#define SHOAL_CRASH_REPORT_CRASH_REPORT_H

#include "start/options.h"

typedef struct crash_desc_t {
  const options_t *options;  // the program's
  struct session_t *session; // of the host; NULL before it exists
  int signal;                // 0: a function did not return, see `reason`
  const void *address;       // memory that the signal concerns; NULL if unknown
  const void *code;          // the instruction; NULL if unknown
  const char *reason;
  bool brief;         // write only the location: the program must exit soon
  const char *folder; // output folder; NULL: the working directory, or a package's report folder
  bool embedded;      // the host is embedded in another program
} crash_desc_t;

// Writes the report. Call from a signal handler. Takes a few seconds at most.
void crash_write_report(const crash_desc_t *desc);

#define CRASH_DIALOG_OPTION                                                                                            \
  "--tell" // option of a package's program that shows its argument in a dialog; used by crash_write_report

// Implements `shoal crash-report FILE`, started by crash_write_report: adds metadata to the report. Returns true if the
// options request it.
bool crash_run_command(const options_t *o, int *exit_code);

#endif
