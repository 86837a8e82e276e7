// Players of a game that declares players (multiplayer in game.lua). The simulation reads the actions of players from
// the tick's player_inputs_t. In local play, the machine computes the inputs of its local players and applies them
// immediately. In a match, machines exchange them, and players_set_inputs sets the inputs of a tick.
//
// In a match, players are numbered across all machines, but their devices depend only on their order on this machine:
// the first local player uses pad 1 and the bindings without a number, the second local player uses pad 2 and bindings
// such as "key2:w", and so on. A single local player uses all pads and bindings.
#ifndef SHOAL_GAME_PLAYERS_H
#define SHOAL_GAME_PLAYERS_H

#include "base/error.h"
#include "platform/input.h"

#include <stddef.h>

typedef struct game_o game_o;

// Returns true if the game declares players.
bool players_are_declared(const game_o *g);
// Sets the number of local players at the start; 0 selects the minimum of game.lua. Returns true on success, or false
// with a message if `count` is out of range or, except in the menu, not 0 in a game that declares no players.
bool players_begin(game_o *g, uint32_t count, error_info_t *error);
// Applies players.set_local: players 1 to `count` play on this machine from the next tick on. Ignored in a match, or if
// `count` is 0.
void players_request_count(game_o *g, uint32_t count);
// Copies the local players of the game that `g` replaces, and the rules of a match. Removes players beyond the maximum
// of `g`. Outside a match, adds local players up to the minimum of `g`. Call after the input has been copied.
void players_take_over(game_o *g, const game_o *old);
// Sets the numbers of the local players, each from 1 to PLAYER_MAX, in the order of their devices.
void players_set_local(game_o *g, const uint8_t *numbers, uint32_t count);
// Computes the inputs of the local players from two consecutive device samples, with the current bindings and cameras
// of this machine. Does not change the world, but lays out the widgets, and handles input to them. `out` contains only
// the local players.
void players_compute_inputs(const game_o *g, const input_state_t *previous, const input_state_t *sample,
                            player_inputs_t *out);
// Moves the widget actions of a local player since the last call to `out`, encoded (ui/widget_action.h). Actions that
// do not fit remain queued. `local`: index of the local player, from 0. Call after players_compute_inputs. Returns the
// size in bytes.
size_t players_take_actions(game_o *g, uint32_t local, uint8_t *out, size_t capacity);
// Adds widget actions of a player to the sample that players_set_inputs creates next. `player`: index in
// player_inputs_t. The bytes may come from any machine: the tick ignores malformed actions. Returns true on success. If
// the bytes do not fit, adds nothing and returns false.
bool players_add_actions(game_o *g, uint32_t player, const void *bytes, size_t size);
// Clears presses, releases, mouse movements and widget actions, so that a sample can be repeated. Controls that are
// down remain down.
void players_hold(input_state_t *sample);
// Adds the inputs of the local players to the current sample, unless the sample already contains inputs of players, as
// recorded samples do. Does nothing in a game without players.
void players_complete_sample(game_o *g);
// Sets the name and colour of a player who joins a match. Players are numbered from 1. Both apply from the next sample
// on. The name has `size` bytes, and is shortened as by players_rename. The colour is the player's default colour or,
// if a different player of `present` has it, the next free colour of player_colours.
void players_add(game_o *g, uint32_t player, const char *name, size_t size, player_mask_t present);
// Sets the name of a player (numbered from 1). The name applies from the next sample on. "" means the default name.
// Returns the name as shortened by player_name_clean, borrowed until the name changes.
const char *players_rename(game_o *g, uint32_t player, const char *name, size_t size);
// Sets the colour of a player (numbered from 1) to the next colour of player_colours that no other player of the
// current sample has. The colour applies from the next sample on. Keeps the colour if no colour is free.
void players_choose_next_colour(game_o *g, uint32_t player);
// Returns the name and colour of a player (numbered from 1) in the latest sample. Defaults replace missing values.
player_info_t players_get_info(const game_o *g, uint32_t player);

// The state of the players that is not in the world. It consists of the inputs of the last tick, which the next tick
// needs as previous inputs, and of the names and colours from the next tick on.
typedef struct players_state_t {
  player_inputs_t inputs;
  player_info_t infos[PLAYER_MAX];
} players_state_t;
void players_get_state(const game_o *g, players_state_t *out);
// Sets the state, which may come from a different machine: invalid values are replaced.
void players_set_state(game_o *g, const players_state_t *state);
// Sets the state of a player's connection, which players.list() returns in the render phase.
void players_set_status(game_o *g, uint32_t player, uint32_t ping_ms, bool connected, bool muted);
// Compares the players of the current sample with the players in the world's singleton shoal.players, and emits
// player_joined and player_left. Called at the start of each tick.
void players_emit_changes(game_o *g);
// Refuses the functions that scripts cannot call in a match (scripts/shoal/base/phases.lua), or allows them again.
void players_set_match(game_o *g, bool in_match);
// Sets the inputs of the next tick. The current sample becomes the previous sample. The new sample contains no state of
// devices, so that the tick does not depend on this machine. `infos`: PLAYER_MAX names and colours, which must be the
// same on all machines; NULL: the names and colours that players_add, players_rename and players_choose_next_colour
// have set on this machine.
void players_set_inputs(game_o *g, const player_inputs_t *inputs, const player_info_t *infos);

#endif
