// The host owns all subsystems and runs the frame. Used by main.c and by engine/library, which wraps it for programs
// that embed Shoal (<shoal/host.h>). Several hosts may exist, all on one thread.
#ifndef SHOAL_HOST_HOST_H
#define SHOAL_HOST_HOST_H

#include "base/error.h"
#include "start/options.h"

#include <stdbool.h>

typedef struct host_o host_o;
typedef struct world_o world_o; // ecs/world.h

// Creates a host; copies `options`. Returns NULL with an error if there is nothing to run headless (unknown game) or no
// window can be opened.
host_o *host_create(const options_t *options, error_t *error);
void host_destroy(host_o *h);

// Runs one frame. Returns false if it was the last.
bool host_frame(host_o *h);
// The two halves of host_frame: events, ticks and draw lists; then rendering. In between, the caller may draw over the
// game (host_get_canvas in host/host_tools.h).
void host_begin_frame(host_o *h);
bool host_end_frame(host_o *h); // returns false if it was the last frame
// With options.own_clock: sets the time of the next frames, in seconds since any origin. Must not decrease.
void host_set_clock(host_o *h, double now_s);
// With options.window, an SDL_Window owned by the tool: the tool creates an OpenGL 3.3 core context for it before
// host_create, and keeps it current in every call. host_frame draws into the part of the bound framebuffer set by
// host_set_viewport, changes OpenGL state, and does not swap buffers. The tool polls SDL events and passes on those
// meant for the game. Mouse and window coordinates are in window units, y from the top. `event` is a const SDL_Event *,
// copied.
void host_handle_event(host_o *h, const void *event);
void host_set_viewport(host_o *h, int x, int y, int width, int height); // default: the whole window
// Returns the world, valid between two frames. NULL if the game could not start. A reload replaces it.
world_o *host_world(host_o *h);
// Makes the next frame the last. Output due at the end (hash, screenshot, stats) is still written.
void host_stop(host_o *h);
// Returns 0 on success, 1 if a script failed in a headless or strict run, 2 on wrong usage (unknown game).
int host_exit_code(const host_o *h);

#endif
