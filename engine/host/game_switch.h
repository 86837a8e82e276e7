// Loads games into the host: first load, reload, restart, switch to another game, changed assets.
#ifndef SHOAL_HOST_GAME_SWITCH_H
#define SHOAL_HOST_GAME_SWITCH_H

#include "base/error.h"
#include "overlay/error_card.h"

typedef struct host_o host_o;

// Selects the game that the options name; the menu if they name none or the game is not found. Returns false with an
// error if the menu is missing or, headless, if the game is not found.
bool game_switch_choose_game(host_o *h, error_t *error);
// Creates the game, opens the window and starts the game, in this order, because game.lua sets the window's size.
// Returns false if no window can be opened, but true if the game cannot start.
bool game_switch_load_first_game(host_o *h, error_t *error);
// Handles changed files: reloads assets in place, and requests a reload for code.
void game_switch_poll_files(host_o *h);
// Applies one pending request, between two ticks: another game, otherwise a restart, otherwise a reload. Drops the
// other requests.
void game_switch_apply(host_o *h);

#define GAME_SWITCH_ENGINE_ASSETS "shoal/assets/" // prefix of the engine's assets in paths of the file watch
// Reloads a changed asset in place, with a log line and a toast (game_switch_assets.c). Returns false if the path is
// outside the assets folders of the game and the engine.
bool game_switch_reload_asset(host_o *h, const char *path);

#endif
