// The host owns all subsystems and runs the frame. Used by main.c and by engine/host/library, which wraps the host for
// programs that embed Shoal (<shoal/host.h>). Several hosts may exist, all on the same thread.
#ifndef SHOAL_HOST_HOST_H
#define SHOAL_HOST_HOST_H

#include "base/error.h"
#include "start/options.h"

#include <stdbool.h>

typedef struct host_o host_o;
typedef struct world_o world_o; // defined in ecs/world.h

// Creates a host; copies `options`. Returns the host, or NULL with an error if
// - no window can be opened,
// - a file that an option names (such as a save, recording or log) cannot be opened or is invalid,
// - Shoal's own scripts are missing, or
// - the game does not exist and the run is headless.
host_o *host_create(const options_t *options, error_info_t *error);
void host_destroy(host_o *h);

// Runs one frame. Returns true if another frame must run, or false after the last frame.
bool host_frame(host_o *h);
// The two halves of host_frame: host_begin_frame processes events, runs ticks and builds draw lists; host_end_frame
// renders. Between the two calls, the caller may draw over the game (host_get_canvas in host/host_tools.h).
void host_begin_frame(host_o *h);
bool host_end_frame(host_o *h); // returns true if another frame must run, or false after the last frame
// With options.own_clock: sets the time of the following frames, in seconds since an arbitrary origin. Must not
// decrease.
void host_set_clock(host_o *h, double now_s);
// The following functions need options.window, an SDL_Window that the embedding tool owns. The tool creates an OpenGL
// 3.3 core context for the window before host_create, and keeps the context current in every call. host_frame draws
// into the part of the bound framebuffer set by host_set_viewport, changes OpenGL state, and does not swap buffers. The
// tool polls SDL events and passes the game's events to host_handle_event. Mouse and window coordinates are in window
// units, y from the top. `event` is a const SDL_Event *, copied.
void host_handle_event(host_o *h, const void *event);
// Sets the part of the window to draw into; default: the whole window.
void host_set_viewport(host_o *h, int x, int y, int width, int height);
// Returns the world, or NULL if the game could not start. Valid until the next frame, because a reload replaces the
// world.
world_o *host_world(host_o *h);
// Ends the run after the current frame or, between two frames, after the next frame. Final output (hash, screenshot,
// stats) is still written.
void host_stop(host_o *h);
// Returns the exit code: 0 on success; 1 if the run failed, for example because of a failed script in a headless or
// strict run; 2 after a usage error (such as an unknown game) or an error in a statement of `sql`.
int host_exit_code(const host_o *h);

#endif
