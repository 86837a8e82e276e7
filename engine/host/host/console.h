// Runs Lua chunks from outside the game between two ticks: --exec and the console of the tools. Chunks are external
// input: they are recorded, and a replay runs them again.
#ifndef SHOAL_HOST_CONSOLE_H
#define SHOAL_HOST_CONSOLE_H

#include "script/script.h"

typedef struct host_o host_o;

void console_run_options(host_o *h); // runs the --exec chunks of the recording, then of the command line

// Runs a chunk immediately and writes its result to `out` as text. Returns true on success. Returns false with a report
// if the chunk fails, if a recording is replayed, or if the game could not start. Changes that a chunk made before its
// error are kept, as with --exec, unless the watchdog stopped the chunk.
bool console_run(host_o *h, const char *text, char *out, size_t out_bytes, script_report_t *report);
// Record changes that an embedding program makes through access/ between two ticks. Call console_store_state before any
// read or change, console_begin_change before the first change, and console_end_change after the last change. `changes`
// is the text of the changes (access/changes.h), or NULL if only columns were written in place.
void console_store_state(host_o *h);
void console_begin_change(host_o *h);
void console_end_change(host_o *h, const char *changes);

void console_replay(host_o *h);       // runs the next console chunk of the recording
void console_replay_input(host_o *h); // runs the console chunks recorded after the tick that was just replayed

#endif
