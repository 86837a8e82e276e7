// Loads games into the host: first load, reload, restart, switch to a different game, changed assets.
#ifndef SHOAL_HOST_GAME_SWITCH_H
#define SHOAL_HOST_GAME_SWITCH_H

#include "base/error.h"
#include "overlay/error_card.h"
#include "reload/reload_verdict.h"
#include "script/sources.h"

typedef struct host_o host_o;

// Selects the game named by the options, or the menu if the options name no game or the game is not found. Returns true
// if a game or the menu was selected. Returns false with an error if the menu is missing or, in a headless run, if the
// game is not found.
bool game_switch_choose_game(host_o *h, error_info_t *error);
// Creates the game, opens the window and starts the game. The window is opened after the game is created, because
// game.lua sets its size. Returns true even if the game cannot start. Returns false with an error if no window can be
// opened.
bool game_switch_load_first_game(host_o *h, error_info_t *error);
// Handles changed files: reloads assets in place (in a match: warns), and requests a reload for code.
void game_switch_poll_files(host_o *h);
// Returns true if files are watched and may still be written: game_switch_poll_files will handle them later.
bool game_switch_has_unsettled_files(const host_o *h);
// Applies one pending request between two ticks, and drops the other requests. A change of game takes precedence over a
// restart, and a restart over a reload. Does nothing in a match: see match_play_apply_requests.
void game_switch_apply(host_o *h);

// Restarts the game with this seed, in the tick in which all machines of a match restart. Returns the running game: the
// new game, or the old game if the new game cannot start.
struct game_o *game_switch_restart_in_match(host_o *h, uint64_t seed);

// Starts the game in `folder`, which is the lobby or the game after it, with this seed. All machines of a match do so
// in the same tick.
// `sources`: sources of the folder; NULL: reads its files. `assets`: folder of the game's assets; NULL: the assets
// folder in `folder`. Returns the running game: the new game, or the old game if the new game cannot start.
struct game_o *game_switch_enter_in_match(host_o *h, const char *folder, sources_o *sources, const char *assets,
                                          uint64_t seed);

// Starts the game again with the code of `sources`, before the match of a room begins. The code has the restrictions of
// shared code (host/match_reload.h). `reverses_renames`: the names of the running game's components and fields count as
// former names, unless the new code declares them (migrate/reverse_renames.h). Returns true on success. Otherwise,
// returns false after the failure was reported, and the running game continues.
bool game_switch_start_code(host_o *h, sources_o *sources, bool reverses_renames);

// Replaces the code of the game with `loaded`, which has passed a trial (background_trial.h), in the tick in which all
// machines of a match replace it. Takes ownership of `loaded`. Returns true on success. Returns false with the report
// if the world cannot be migrated.
bool game_switch_reload_in_match(host_o *h, struct game_o *loaded, const reload_verdict_t *verdict,
                                 script_report_t *report);

// Reports a failed reload that still waits for its files to be read again. Call at the end of a run.
void game_switch_report_unfinished(host_o *h);

#define GAME_SWITCH_ENGINE_ASSETS "shoal/assets/" // prefix of the engine's assets in paths of the file watch
// Reloads a changed asset in place, and reports the result in the log and in a notice (game_switch_assets.c). Returns
// true if the path is inside an assets folder of the game or the engine.
bool game_switch_reload_asset(host_o *h, const char *path);

#endif
