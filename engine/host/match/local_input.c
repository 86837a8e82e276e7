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

bool local_input_add_command(local_input_t *l, uint32_t player, const void *bytes, size_t size) {
  if (l->commands_end - l->commands_begin == LOCAL_INPUT_COMMANDS || size > LOCAL_INPUT_COMMAND_BYTES)
    return false;
  local_command_t *command = &l->commands[l->commands_end++ % LOCAL_INPUT_COMMANDS];
  command->player = (uint8_t)player;
  command->size = (uint8_t)size;
  if (size > 0)
    memcpy(command->bytes, bytes, size);
  return true;
}

void local_input_drop_commands(local_input_t *l) {
  l->commands_begin = l->commands_end;
}

static void take_commands(local_input_t *l, uint32_t max_items, uint32_t max_bytes, record_t *out) {
  for (uint32_t count = 0, bytes = 0; l->commands_begin != l->commands_end && count < max_items; ++count) {
    local_command_t *command = &l->commands[l->commands_begin % LOCAL_INPUT_COMMANDS];
    bool fits = record_get_command_bytes(out, command->player) + command->size <= PLAYER_ACTION_BYTES;
    if (!fits || (bytes += command->size) > max_bytes)
      return;
    out->items[out->item_count++] =
        (record_item_t){RECORD_ITEM_COMMAND, command->player, command->size, command->bytes};
    ++l->commands_begin;
  }
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
