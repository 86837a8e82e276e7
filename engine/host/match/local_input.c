// Queues of local edges and commands.
#include "match/local_input.h"

#include <string.h>

static float get_finite(float value) {
  return value - value == 0 ? value : 0;
}

static void hold(player_input_t *held, const player_input_t *input) {
  for (uint32_t i = 0; i < PLAYER_MAX_ACTIONS; ++i)
    held->values[i] = input->values[i] == INT8_MIN ? -PLAYER_VALUE_MAX : input->values[i];
  held->pointer_x = get_finite(input->pointer_x);
  held->pointer_y = get_finite(input->pointer_y);
  player_input_add_motion(held, input->motion_x, input->motion_y);
}

bool local_input_add(local_input_t *l, uint32_t player, const player_input_t *input) {
  uint32_t *begin = &l->edges_begin[player], *end = &l->edges_end[player];
  local_edges_t *last = &l->edges[player][(*end - 1) % LOCAL_INPUT_EDGES];
  hold(&l->held[player], input);
  if ((input->pressed | input->released) == 0)
    return true;
  if (*begin != *end && !(last->pressed & input->pressed) && !(last->released & input->released)) {
    last->pressed |= input->pressed;
    last->released |= input->released;
    return true;
  }
  if (*end - *begin == LOCAL_INPUT_EDGES)
    return false;
  l->edges[player][(*end)++ % LOCAL_INPUT_EDGES] = (local_edges_t){input->pressed, input->released};
  return true;
}

static local_command_t *get_command(local_input_t *l, uint32_t at) {
  return &l->commands[at % LOCAL_INPUT_COMMANDS];
}

static uint32_t count_commands(local_input_t *l, uint32_t player) {
  uint32_t count = 0;
  for (uint32_t at = l->commands_begin; at != l->commands_end; ++at)
    count += get_command(l, at)->player == player && !get_command(l, at)->is_taken;
  return count;
}

bool local_input_add_command(local_input_t *l, uint32_t player, const void *bytes, size_t size) {
  if (l->commands_end - l->commands_begin == LOCAL_INPUT_COMMANDS || size > LOCAL_INPUT_COMMAND_BYTES ||
      count_commands(l, player) == LOCAL_INPUT_PLAYER_COMMANDS)
    return false;
  local_command_t *command = get_command(l, l->commands_end++);
  command->is_taken = false;
  command->player = (uint8_t)player;
  command->size = (uint8_t)size;
  if (size > 0)
    memcpy(command->bytes, bytes, size);
  return true;
}

void local_input_drop_commands(local_input_t *l) {
  l->commands_begin = l->commands_end;
}

// Returns the players with waiting commands.
static player_mask_t find_waiting_players(local_input_t *l) {
  player_mask_t players = 0;
  for (uint32_t at = l->commands_begin; at != l->commands_end; ++at)
    if (!get_command(l, at)->is_taken)
      players |= player_mask_of(get_command(l, at)->player);
  return players;
}

// Moves commands to the record in order. A command that does not fit delays only the later commands of its player.
static void take_commands(local_input_t *l, uint32_t max_items, uint32_t max_bytes, record_t *out) {
  // unserved: players with waiting commands but no command in the record
  player_mask_t unserved = find_waiting_players(l), delayed = 0;
  for (uint32_t at = l->commands_begin, bytes = 0; at != l->commands_end && max_items > 0; ++at) {
    local_command_t *command = get_command(l, at);
    player_mask_t player = player_mask_of(command->player), others = unserved & ~player;
    if (command->is_taken || (delayed & player))
      continue;
    // Further commands of a player leave one item for each unserved player.
    bool has_item = (unserved & player) || (uint32_t)__builtin_popcount(others) < max_items;
    if (!has_item || bytes + command->size > max_bytes ||
        record_get_command_bytes(out, command->player) + command->size > PLAYER_ACTION_BYTES) {
      delayed |= player;
      continue;
    }
    out->items[out->item_count++] =
        (record_item_t){RECORD_ITEM_COMMAND, command->player, command->size, command->bytes};
    command->is_taken = true;
    unserved = others;
    bytes += command->size;
    --max_items;
  }
  while (l->commands_begin != l->commands_end && get_command(l, l->commands_begin)->is_taken)
    ++l->commands_begin;
}

void local_input_take(local_input_t *l, player_mask_t players, uint32_t max_items, uint32_t max_bytes, record_t *out) {
  for (uint32_t i = 0; i < PLAYER_MAX; ++i) {
    if (!(players >> i & 1))
      continue;
    out->inputs.players[i] = l->held[i];
    l->held[i].motion_x = l->held[i].motion_y = 0;
    if (l->edges_begin[i] == l->edges_end[i])
      continue;
    local_edges_t edges = l->edges[i][l->edges_begin[i]++ % LOCAL_INPUT_EDGES];
    out->inputs.players[i].pressed = edges.pressed;
    out->inputs.players[i].released = edges.released;
  }
  take_commands(l, max_items, max_bytes, out);
}
