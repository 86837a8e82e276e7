// Records in the input log which pieces of a game's code (systems, handlers) the watchdog has stopped, so that a replay
// of a timeline parks these pieces without waiting for their budgets.
#ifndef SHOAL_HOST_LOGGED_STOPS_H
#define SHOAL_HOST_LOGGED_STOPS_H

#include <stdint.h>

typedef struct host_o host_o;

// Adds the stops since the last call to the input log of the current timeline. Call after each tick.
void logged_stops_add(host_o *h);
// Parks the pieces that were stopped in this tick of the abandoned timeline, if the code is still the same. Call before
// the tick runs.
void logged_stops_park(host_o *h, uint64_t tick);

#endif
