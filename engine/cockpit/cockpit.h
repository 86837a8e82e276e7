// The cockpit: a game that runs can be asked, followed, held, gone back in and changed from outside: by a page in the
// browser, by ./shoal ask and attach, by editors. One protocol (docs/cockpit.md), spoken over a WebSocket of this
// machine (server.h); requests are answered here, on the main thread, between two frames.
//
// Reading never changes the world. What changes it is a chunk of Lua that runs between two ticks and is recorded
// (host/host_tools.h). With nobody connected a frame costs one look at a number.
#ifndef SHOAL_COCKPIT_COCKPIT_H
#define SHOAL_COCKPIT_COCKPIT_H

#include "base/limits.h"
#include "host/host.h"

#include <stddef.h>

#define COCKPIT_PORT 7700u // the first that is tried where nobody has said one
#define COCKPIT_PORTS 32u  // that are tried

typedef struct cockpit_o cockpit_o;

// NULL when this run has none. An explicit --cockpit that cannot be had is a message in `error` ("" otherwise).
cockpit_o *cockpit_create(host_o *h, error_t *error);
void cockpit_destroy(cockpit_o *c); // NULL is fine
void cockpit_draw(cockpit_o *c);    // between host_begin_frame and host_end_frame: the overlay; NULL is fine
void cockpit_frame(cockpit_o *c);   // after each frame of the host; NULL is fine

#endif
