// Input of one player in one tick of a game that declares players: the values of the game's actions, after the machine
// has applied its bindings and dead zones. Machines exchange these values. Device samples (input.h) stay local.
//
// Actions are numbered by name, in byte order, so all machines with the same input.lua agree on the numbers.
#ifndef SHOAL_PLATFORM_PLAYER_INPUT_H
#define SHOAL_PLATFORM_PLAYER_INPUT_H

#include <stdbool.h>
#include <stdint.h>

#define PLAYER_MAX 32u         // maximum number of players in a match, numbered from 1; index 0 is player 1
#define PLAYER_MAX_LOBBY 8u    // maximum number of players that a game can declare: a lobby and a menu show them all
#define PLAYER_COLOURS 8u      // number of colours in the palette of players
#define PLAYER_MAX_ACTIONS 64u // maximum number of actions in a game that declares players
#define PLAYER_VALUE_MAX 127   // stored number for an action's value of 1
#define PLAYER_DOWN 64         // minimum stored number at which an action counts as down
#define PLAYER_MOTION_UNITS 64 // number of units of a movement in a logical pixel

// A set of players: bit i is set if player i + 1 belongs to it.
typedef uint32_t player_mask_t;

// Returns the set of the players 1 to `count`, which is at most PLAYER_MAX.
static inline player_mask_t player_mask_first(uint32_t count) {
  return (player_mask_t)((UINT64_C(1) << count) - 1);
}

// Returns the set that contains only the player with this index.
static inline player_mask_t player_mask_of(uint32_t index) {
  return (player_mask_t)1 << index;
}

typedef struct player_input_t {
  int8_t values[PLAYER_MAX_ACTIONS]; // values of the actions: -127 to 127 for -1 to 1
  // Edges, as bits: action i was pressed or released since the player's previous tick. A late input replaces `values`
  // with the last known values. Edges are delivered exactly once instead, so that a short press is not lost.
  uint64_t pressed, released;
  // Position of the pointer in the world; 0 for players without a mouse, and in games that do not read it.
  float pointer_x, pointer_y;
  // Movement of the player's mouse in this tick, in 1/PLAYER_MOTION_UNITS of a logical pixel. Delivered exactly once,
  // like edges. 0 for players without a mouse, and in games that do not read it. The inputs that a peer sends to its
  // host contain the sum since the connection began, modulo 2^32, so that a late or lost input loses no movement.
  int32_t motion_x, motion_y;
} player_input_t;

// Clears the data of a single tick: presses, releases and the movement.
static inline void player_input_clear_edges(player_input_t *input) {
  input->pressed = input->released = 0;
  input->motion_x = input->motion_y = 0;
}

// Adds a movement to the movement of `input`. Movements wrap around.
static inline void player_input_add_motion(player_input_t *input, int32_t x, int32_t y) {
  input->motion_x = (int32_t)((uint32_t)input->motion_x + (uint32_t)x);
  input->motion_y = (int32_t)((uint32_t)input->motion_y + (uint32_t)y);
}

// Sets the movement to the difference of the sums in two inputs.
static inline void player_input_set_motion(player_input_t *input, const player_input_t *from,
                                           const player_input_t *to) {
  input->motion_x = (int32_t)((uint32_t)to->motion_x - (uint32_t)from->motion_x);
  input->motion_y = (int32_t)((uint32_t)to->motion_y - (uint32_t)from->motion_y);
}

#define PLAYER_NAME_BYTES 28

// Name and colour of a player, set when the player joins a match and in its lobby.
typedef struct player_info_t {
  char name[PLAYER_NAME_BYTES]; // UTF-8 name, '\0'-terminated; "" is shown as "Player 1"
  uint32_t colour;              // colour as 0xRRGGBB; 0: the colour in player_colours
} player_info_t;

// The palette of players: 0xRRGGBB.
extern const uint32_t player_colours[PLAYER_COLOURS];

// Returns the default colour of the player with this index. Players share colours if there are more players than
// colours.
static inline uint32_t player_default_colour(uint32_t index) {
  return player_colours[index % PLAYER_COLOURS];
}

// Connection of a player, which differs between machines and is not part of the simulation.
typedef struct player_status_t {
  uint32_t ping_ms;  // round trip to the host; 0 for local players
  uint8_t connected; // 1 if input arrives from the player's machine
  uint8_t muted;     // 1 if this machine hides the player's chat lines
  uint8_t local;     // position among the players of this machine, from 1; 0 if the player is on a different machine
} player_status_t;

#define PLAYER_ACTION_BYTES 255u

// Widget actions of a player since the previous tick, encoded (ui/widget_action.h), in order.
typedef struct player_actions_t {
  uint8_t size;
  uint8_t bytes[PLAYER_ACTION_BYTES];
} player_actions_t;

// Inputs of a tick, indexed by player number - 1. Inputs of absent players are zero.
typedef struct player_inputs_t {
  player_mask_t present; // players that take part in the match
  player_input_t players[PLAYER_MAX];
} player_inputs_t;

#endif
