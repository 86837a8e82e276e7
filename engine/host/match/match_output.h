// Outputs of ticks that a peer predicts. Lines that a tick logs or prints, requests of its scripts and reports of its
// failures wait until the tick is confirmed, so that wrong predictions have no effect. Sounds and rumble start
// immediately, because they cannot wait. If the tick no longer starts a sound or rumble when it runs again, the sound
// or rumble continues until the host confirms the tick 16 ticks later. Until then, a tick at most 16 ticks away can
// take it over (audio_begin_tick).
#ifndef SHOAL_MATCH_MATCH_OUTPUT_H
#define SHOAL_MATCH_MATCH_OUTPUT_H

#include "base/array.h"
#include "base/log.h"
#include "base/script_report.h"
#include "match/match.h"
#include "platform/repeated_sounds.h"
#include "script/vm_desc.h"

typedef struct game_o game_o;

// A rumble that a tick has started.
typedef struct playing_rumble_t {
  uint64_t tick;    // tick that requested the rumble; 0: no rumble
  float request[2]; // strength in [0, 1], and duration in seconds
  bool waits;       // true if the tick no longer requests the rumble, which a near tick can take over
} playing_rumble_t;

// Empty when `memory`, `log` and `audio` are set and all other fields are zero. Main thread only.
typedef struct match_output_t {
  allocator_t *memory; // allocator of the pending outputs; borrowed
  log_o *log;          // log that receives the lines of confirmed ticks; borrowed
  audio_o *audio;      // audio output with the sounds of predicted ticks; borrowed
  struct {
    uint64_t tick; // tick that has produced the outputs; 0: the slot is empty
    log_deferred_t lines;
    script_requests_t requests;
    ARRAY(script_report_t) reports;
  } ticks[MATCH_SLOTS];
  playing_rumble_t rumbles[INPUT_PADS];
  script_requests_t pending; // requests to apply after the running tick
} match_output_t;

// Call before and after each run of a tick. match_output_begin drops the outputs of the tick's previous run.
// match_output_end sets the game's requests to the requests from before the tick, plus rumble that the tick starts.
void match_output_begin(match_output_t *o, uint64_t tick, game_o *g);
void match_output_end(match_output_t *o, uint64_t tick, game_o *g);
// Call when the tick will not run again. Writes its lines, and adds its remaining requests to the game's requests.
// Returns the reports of its failures, valid until the next call. Later calls for the tick add and return nothing.
const script_report_t *match_output_confirm(match_output_t *o, uint64_t tick, game_o *g, uint32_t *report_count);
// Drops all pending outputs, and fades out the pending sounds.
void match_output_drop(match_output_t *o);
// Drops all pending outputs, and frees the memory.
void match_output_fini(match_output_t *o);

#endif
