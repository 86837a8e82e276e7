// The host owns everything and runs the frame. main.c is one user of it, and engine/library another, which makes of it
// what a program sees that embeds Shoal (<shoal/host.h>). Several hosts may exist at once, all on one thread.
#ifndef SHOAL_HOST_HOST_H
#define SHOAL_HOST_HOST_H

#include "base/error.h"
#include "start/options.h"

#include <stdbool.h>

typedef struct host_o host_o;
typedef struct world_o world_o; // ecs/world.h

// NULL with a message when there is nothing to run headless (unknown game) or no window can be opened. `options` is
// copied.
host_o *host_create(const options_t *options, error_t *error);
void host_destroy(host_o *h);

// One frame; false when it was the last one.
bool host_frame(host_o *h);
// Its two halves, between which the caller may draw over the picture (host_picture of host/host_tools.h): events, ticks
// and draw lists; then the picture on the screen.
void host_begin_frame(host_o *h);
bool host_end_frame(host_o *h); // false when it was the last frame
// With options.own_clock: seconds since any beginning at which the next frames happen, never less than before.
void host_set_clock(host_o *h, double now_s);
// With options.window, an SDL_Window of the tool's own: before host_create the tool has made an OpenGL 3.3 core context
// for it, and in every call that context is current. host_frame draws into the part of the bound framebuffer that
// host_place said, changes OpenGL's state, and swaps nothing. The tool takes SDL's events and hands on those that are
// the game's; of mice and windows in the window's own units, y from the top. `event` is a const SDL_Event *, copied.
void host_event(host_o *h, const void *event);
void host_place(host_o *h, int x, int y, int width, int height); // until it is called: all of the window
// The world between two frames, for whoever wants to look at it. NULL while the game could not start; another one after
// a reload.
world_o *host_world(host_o *h);
// Makes the next frame the last one: what is due at the end (hash, picture, stats) is still done.
void host_stop(host_o *h);
// 0 fine; 1 a script failed in a headless or strict run; 2 wrong use (unknown game).
int host_exit_code(const host_o *h);

#endif
