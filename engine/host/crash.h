// What a fatal signal leaves behind: the last seconds as a recording (host/replay.h), and beside it a report for people, as text:
// which system, where in its file, which entity, what the game's files say of it (t.metadata), and how to play it again.
//
// In the process that dies nothing can be trusted, and little is allowed. So each part is made by a forked copy of it, one after the
// other; one that hangs or dies as well takes nothing else down. Metadata is read by a fresh process of this program.
#ifndef SHOAL_HOST_CRASH_H
#define SHOAL_HOST_CRASH_H

#include "host/host.h"

// From the handler of a fatal signal; `address` is what it concerns, where it says so. Returns, after some seconds at most.
void crash_leave(host_o *h, int number, const void *address);

// `shoal crash-report FILE`, started by the above: adds to the report what the game's files say. True when the options ask for it.
bool crash_answers(const options_t *o, int *exit_code);

#endif
