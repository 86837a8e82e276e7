// Outputs of ticks that a peer predicts. Lines that a tick logs or prints appear once the tick is confirmed, so that
// those of wrong predictions never appear. Sounds cannot wait: they start at once, and are faded out if the tick does
// not start them when it runs again (audio_begin_tick).
#ifndef SHOAL_MATCH_MATCH_OUTPUT_H
#define SHOAL_MATCH_MATCH_OUTPUT_H

#include "base/log.h"
#include "match/match.h"

typedef struct audio_o audio_o;

// Empty when `log` and `audio` are set and the rest is zero. Main thread only.
typedef struct match_output_t {
  log_o *log;     // borrowed
  audio_o *audio; // borrowed
  struct {
    uint64_t tick;
    log_deferred_t lines;
  } ticks[MATCH_SLOTS];
} match_output_t;

// Call before and after a tick runs, whether it ran before or not. Drops the lines of its previous run.
void match_output_begin(match_output_t *o, uint64_t tick);
void match_output_end(match_output_t *o);
// Writes the lines of a tick, unless that has happened.
void match_output_confirm(match_output_t *o, uint64_t tick);
// Drops all lines that wait.
void match_output_drop(match_output_t *o);

#endif
