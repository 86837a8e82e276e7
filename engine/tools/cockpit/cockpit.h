// The cockpit: inspects, controls and edits a running game from a browser page, from `./shoal ask` and `attach`, or
// from an editor. All clients use one protocol (docs/cockpit.md) over a local WebSocket (server.h). Requests are
// answered on the main thread, between two frames.
//
// Queries do not change the world. Every change to the world is a Lua chunk that runs between two ticks and is recorded
// (host/host_tools.h). Without clients, the server costs one load of a counter per frame.
#ifndef SHOAL_COCKPIT_COCKPIT_H
#define SHOAL_COCKPIT_COCKPIT_H

#include "base/limits.h"
#include "host/host.h"

#include <stddef.h>

#define COCKPIT_PORT 7700u // first port tried by default
#define COCKPIT_PORTS 32u  // number of consecutive ports tried

typedef struct cockpit_o cockpit_o;

// Creates the cockpit of a host. Returns the cockpit, NULL if this run has no cockpit, or NULL with an error if
// --cockpit was given explicitly and the cockpit cannot start. In the first two cases, `error` is "".
cockpit_o *cockpit_create(host_o *h, error_info_t *error);
void cockpit_destroy(cockpit_o *cockpit); // accepts NULL
// Draws the overlay. Call between host_begin_frame and host_end_frame. Accepts NULL.
void cockpit_draw(cockpit_o *cockpit);
// Updates the overlay and answers requests. Call after each frame of the host. Accepts NULL.
void cockpit_frame(cockpit_o *cockpit);

#endif
