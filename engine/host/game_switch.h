// Brings other code or another game into the host: the first load, a reload, a restart, a switch to another folder,
// assets that changed.
#ifndef SHOAL_HOST_GAME_SWITCH_H
#define SHOAL_HOST_GAME_SWITCH_H

#include "base/error.h"
#include "overlay/error_card.h"

typedef struct host_o host_o;

// Which game the options ask for. False with a message when there is nothing to run.
bool game_switch_choose(host_o *h, error_t *error);
// Opens the window between creating the game and starting it, since its size comes from game.lua. False when no window
// can be opened; a game that cannot start is no reason.
bool game_switch_first_load(host_o *h, error_t *error);
// Reads the files that have changed: loads assets in place, and requests a reload for code.
void game_switch_poll_files(host_o *h);
// Between two ticks: does what was requested, at most one of: another game, a restart, a reload.
void game_switch_apply(host_o *h);

#define GAME_SWITCH_ENGINE_ASSETS "shoal/assets/" // the watch's prefix for the engine's assets
// Loads a changed asset again in place, which is logged and shown (game_switch_assets.c). False if the path is not an
// asset's.
bool game_switch_asset(host_o *h, const char *path);

#endif
