// The inputs of this machine's players in a match: from its devices or, with --replay, from a recording.
#ifndef SHOAL_HOST_MATCH_INPUT_H
#define SHOAL_HOST_MATCH_INPUT_H

#include "platform/platform.h"
#include "snapshot/snapshot.h"
#include "time/recording.h"

typedef struct game_o game_o;

typedef struct match_input_t {
  recording_o *recording; // source of the inputs; NULL: the devices
  bool has_ended;         // true if the recording has no further samples
  int64_t due_us;         // time of the next recorded sample; 0 before the first sample
  input_state_t previous, sample;
} match_input_t;

// Opens the source of the inputs. `path`: path of a recording, of which only the input is used; NULL: the devices.
// Returns true on success, or false with a message if the recording cannot be read.
bool match_input_open(match_input_t *in, allocator_t *a, const char *path, error_info_t *error);
void match_input_close(match_input_t *in);

// Reads the next sample: from the devices once per frame, from a recording once per tick. Returns true if a sample was
// read, or false if no sample is due. `platform`: NULL if `in` has a recording.
bool match_input_read(match_input_t *in, platform_o *platform, int64_t now_us, int64_t tick_us);
// Computes the inputs of the local players of `g` from the last sample. A recording of a game with players contains
// inputs by player number, which are copied. `confirmed`: as in ui_set_confirmed.
void match_input_compute(const match_input_t *in, const game_o *g, const snapshot_o *confirmed, player_inputs_t *out);
// Copies the encoded widget actions of a local player to `out`. `local`: index of the local player, from 0. Call for
// each local player after match_input_compute. Returns the size in bytes, at most MATCH_MAX_COMMAND_BYTES.
size_t match_input_take_actions(const match_input_t *in, game_o *g, uint32_t local, uint8_t *out);

#endif
