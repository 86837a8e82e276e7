// Manages the game's window: size, settings, and close requests, which a game may refuse.
#ifndef SHOAL_HOST_WINDOW_H
#define SHOAL_HOST_WINDOW_H

#include "platform/platform.h"

typedef struct host_o host_o;
typedef struct vm_game_t vm_game_t; // defined in script/game_config.h

// Returns the settings of game.lua with the command line's options applied.
platform_window_t window_settings(const host_o *h, const vm_game_t *config);
void window_apply_settings(host_o *h);

// Handles the player's close requests since the last frame; `count` is their number.
void window_request_close(host_o *h, uint32_t count);
bool window_can_refuse_close(const host_o *h); // returns true if the game can answer a close request
// Closes the window, or keeps it open if the game `refused`. Must be called after the tick or paused frame in which the
// game received the request.
void window_finish_close(host_o *h, bool refused);

#endif
