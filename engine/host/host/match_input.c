// Reads samples from devices or from a recording.
#include "host/match_input.h"

#include "game/game.h"
#include "game/players.h"
#include "match/match.h"
#include "journal/external_result.h"

#include <string.h>

bool match_input_open(match_input_t *in, allocator_t *a, const char *path, error_info_t *error) {
  *in = (match_input_t){0};
  if (path)
    in->recording = recording_open(a, path, error);
  return !path || in->recording;
}

void match_input_close(match_input_t *in) {
  recording_close(in->recording);
  in->recording = NULL;
}

// Reads up to the next tick of the recording. After its end, no control is pressed.
static void read_recorded(match_input_t *in) {
  recording_item_t item = {0};
  error_info_t error = {0};
  while (!in->has_ended && item.kind != RECORD_TICK) {
    recording_read_item(in->recording, &item, &error);
    external_result_release(item.result);
    in->has_ended = item.kind == RECORD_END || item.kind == RECORD_NONE;
  }
  in->previous = in->has_ended ? in->sample : item.previous_input;
  if (in->has_ended)
    memset(&in->sample, 0, sizeof in->sample);
  else
    in->sample = item.input;
  input_sanitize(&in->sample);
}

bool match_input_read(match_input_t *in, platform_o *platform, int64_t now_us, int64_t tick_us) {
  if (!in->recording) {
    in->previous = in->sample;
    platform_sample_input(platform, &in->sample);
    return true;
  }
  in->due_us = in->due_us ? in->due_us : now_us;
  if (now_us < in->due_us)
    return false;
  in->due_us += tick_us;
  read_recorded(in);
  return true;
}

void match_input_compute(const match_input_t *in, const game_o *g, const snapshot_o *confirmed, player_inputs_t *out) {
  if (in->sample.has_players) {
    input_get_players(&in->sample, out);
    return;
  }
  ui_set_confirmed(g->ui, confirmed);
  players_compute_inputs(g, &in->previous, &in->sample, out);
  ui_set_confirmed(g->ui, NULL);
}

size_t match_input_take_actions(const match_input_t *in, game_o *g, uint32_t local, uint8_t *out) {
  if (!in->sample.has_players)
    return players_take_actions(g, local, out, MATCH_MAX_COMMAND_BYTES);
  const player_actions_t *actions = &in->sample.actions[g->local_players[local] - 1];
  if (actions->size > MATCH_MAX_COMMAND_BYTES) // a recording may contain more bytes than fit into a command of a match
    return 0;
  memcpy(out, actions->bytes, actions->size);
  return actions->size;
}
