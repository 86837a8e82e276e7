// Manages the game's window: size, settings, and close requests, which a game may refuse.
#ifndef SHOAL_HOST_WINDOW_H
#define SHOAL_HOST_WINDOW_H

#include "platform/platform.h"

typedef struct host_o host_o;
typedef struct vm_game_t vm_game_t; // defined in script/game_config.h

// Returns the settings of game.lua with the command line's options applied.
platform_window_t window_settings(const host_o *h, const vm_game_t *config);
void window_apply_settings(host_o *h);
// Reserves the strip below the game's image for the time bar of the tools while they are open.
void window_dock_tools(host_o *h);

// Updates h->held. A package or a fullscreen game that loses the focus is held: it runs no tick until it regains the
// focus. Exceptions are games that run in the background (game.lua), edited games outside packages, matches, replays,
// headless runs, and runs with one tick per frame. Call once per frame, after the window's events.
void window_update_hold(host_o *h, const platform_events_t *events);
// Announces that the game is being edited: from then on, the game runs even without the focus.
void window_announce_edit(host_o *h);
// Applies a script's request: 1 for fullscreen, -1 for a window, 0 for no request. Must be called after every tick and
// paused frame. With --fullscreen, ignores requests until the first call without a request, because a stored setting
// that differs from the window causes a request in each tick.
void window_request_fullscreen(host_o *h, int request);

// Passes a close request to the game, or ends the run if the player has repeated the request. `count`: number of close
// requests since the last frame.
void window_request_close(host_o *h, uint32_t count);
bool window_can_refuse_close(const host_o *h); // returns true if the game can answer a close request
// Closes the window, or keeps it open if the game `refused`. Must be called after the tick or paused frame in which the
// game received the request.
void window_finish_close(host_o *h, bool refused);

#endif
