// Lua chunks from outside the game, run between two ticks: --exec and the tools' console. They are external input:
// recorded, and run again by a replay.
#ifndef SHOAL_HOST_CONSOLE_H
#define SHOAL_HOST_CONSOLE_H

#include "script/script.h"

typedef struct host_o host_o;

void console_run_options(host_o *h); // runs --exec: the recording's chunks, then the command line's

// Runs a chunk now and writes its result to `out` as text. Returns false with a report on error. What a failing chunk
// did before its error stays, as with --exec, unless the watchdog stopped it.
bool console_run(host_o *h, const char *text, char *out, size_t out_bytes, script_report_t *report);
// Changes made by an embedding program through access/ between two ticks. Call console_keep_state before anything is
// read or changed, console_begin_change before the first change, and console_end_change after the last with the changes
// as text (access/changes.h), or NULL if only columns were written in place.
void console_keep_state(host_o *h);
void console_begin_change(host_o *h);
void console_end_change(host_o *h, const char *changes);

void console_replay(host_o *h);       // runs the next console chunk of the recording
void console_replay_input(host_o *h); // runs the console chunks that followed the tick that was just replayed

#endif
