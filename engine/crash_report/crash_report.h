// What a fatal signal, or a plugin's function that does not come back, leaves behind: the last seconds as a recording
// (time/recording.h), and beside it a report for people, as text: which system, where in its file, which entity, what
// the game's files say of it (t.metadata), and how to play it again.
//
// Each part is made by a copy of the process (crash/report_stage.h). Metadata is read by a fresh process of this
// program.
#ifndef SHOAL_CRASH_REPORT_CRASH_REPORT_H
#define SHOAL_CRASH_REPORT_CRASH_REPORT_H

#include "start/options.h"

typedef struct crash_desc_t {
  const options_t *options;  // the program's
  struct session_t *session; // of the host; NULL before it exists
  int signal;                // 0: what runs did not come back, as `reason` says
  const void *address;       // what it concerns, where the signal says so
  const void *code;          // the instruction; NULL where it is not known
  const char *reason;
  bool brief;         // only who and where: the program is to end at once
  const char *folder; // where reports go; NULL: the working folder, or that of a package
  bool embedded;      // in a program of somebody else's
} crash_desc_t;

// From the handler of a signal. Returns, after some seconds at most.
void crash_leave(const crash_desc_t *desc);

#define CRASH_TELLS "--tell" // of a package's program: shows the words behind it in a box; started by the above

// `shoal crash-report FILE`, started by the above: adds to the report what the game's files say. True when the
// options ask for it.
bool crash_answers(const options_t *o, int *exit_code);

#endif
