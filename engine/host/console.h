// Chunks of Lua from outside the game, run between two ticks: --exec and the console of tools. They are external input:
// recorded, and run again by a replay.
#ifndef SHOAL_HOST_CONSOLE_H
#define SHOAL_HOST_CONSOLE_H

#include "script/script.h"

typedef struct host_o host_o;

void console_run_options(host_o *h); // --exec: those of the recording, then those of the command line

// Runs a chunk now. `out` gets what it returns, as text. False with the report: what the chunk did before it failed
// stays, as with --exec, unless the watchdog stopped it.
bool console_run(host_o *h, const char *text, char *out, size_t out_bytes, script_report_t *report);
// Changes of a program that embeds the host, made with access/ between two ticks: console_keep before anything is read
// or changed, console_change before the first change, console_changed after the last one, with the changes as text
// (access/changes.h) or NULL if only columns were written in place.
void console_keep(host_o *h);
void console_change(host_o *h);
void console_changed(host_o *h, const char *changes);

void console_replay(host_o *h); // runs the next chunk of the recording
void console_again(host_o *h);  // runs the chunks that followed the tick that has just been replayed from history

#endif
