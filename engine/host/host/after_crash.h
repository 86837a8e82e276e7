// Starts the first game of a run that continues after a plugin's crash (--resume).
#ifndef SHOAL_HOST_AFTER_CRASH_H
#define SHOAL_HOST_AFTER_CRASH_H

#include <stdbool.h>

typedef struct game_o game_o;
typedef struct host_o host_o;

// Returns true if the next game that starts continues the game of the crash report. The caller must then create the
// next game as in a reload.
bool after_crash_is_pending(const host_o *h);
// Restores the state of the crash report in the game `fresh` (saves/resume.h), and logs the crash. Returns true if the
// game then runs without a call to `start`. Returns false if the game must start, because no crash is pending or
// nothing can be restored.
bool after_crash_resume(host_o *h, game_o *fresh);
// Shows the card about the crash, unless the game could not start. Call once the first game is running.
void after_crash_show_card(host_o *h);

#endif
