// Inputs of the local players that no tick has taken yet. The latest values replace earlier values, and movements are
// added up. Commands, and edges of the same action, are queued in order, so that a machine that waits for its host
// loses none of them. Each player's commands stay in order, but do not delay the commands of other players.
#ifndef SHOAL_MATCH_LOCAL_INPUT_H
#define SHOAL_MATCH_LOCAL_INPUT_H

#include "journal/record.h"

#define LOCAL_INPUT_EDGES 32u           // capacity of each player's queue of edges; a power of two
#define LOCAL_INPUT_COMMANDS 256u       // capacity of the command queue; a power of two
#define LOCAL_INPUT_PLAYER_COMMANDS 64u // maximum number of waiting commands per player
#define LOCAL_INPUT_COMMAND_BYTES 240u

typedef struct local_edges_t {
  uint64_t pressed, released;
} local_edges_t;

typedef struct local_command_t {
  uint8_t player, size; // index of the player in player_inputs_t, and size of `bytes`
  bool is_taken;        // true once a record contains the command; it stays queued while an earlier command waits
  uint8_t bytes[LOCAL_INPUT_COMMAND_BYTES];
} local_command_t;

// Empty when zero-initialized.
typedef struct local_input_t {
  player_input_t held[PLAYER_MAX]; // latest values and the sums of the movements, without edges
  local_edges_t edges[PLAYER_MAX][LOCAL_INPUT_EDGES];
  uint32_t edges_begin[PLAYER_MAX], edges_end[PLAYER_MAX];
  local_command_t commands[LOCAL_INPUT_COMMANDS];
  uint32_t commands_begin, commands_end;
} local_input_t;

// Add inputs or a command (copied). `player`: index in player_inputs_t. Return true on success, or false if the queue
// is full, the player has LOCAL_INPUT_PLAYER_COMMANDS waiting commands, or the command is too large.
bool local_input_add(local_input_t *l, uint32_t player, const player_input_t *input);
bool local_input_add_command(local_input_t *l, uint32_t player, const void *bytes, size_t size);
// Drops the commands that no tick has taken.
void local_input_drop_commands(local_input_t *l);
// Moves the next inputs of these players to a record, with up to `max_items` commands. `max_bytes`: maximum size of
// these commands together. One item is reserved for each player whose commands are waiting. The commands in the record
// are valid until the next command is added.
void local_input_take(local_input_t *l, player_mask_t players, uint32_t max_items, uint32_t max_bytes, record_t *out);

#endif
