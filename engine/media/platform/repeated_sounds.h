// Sounds that recent ticks have started, for ticks that run again with other inputs: a sound that the previous run of
// the tick has started continues, and one that the latest run does not start any more is faded out.
#ifndef SHOAL_PLATFORM_REPEATED_SOUNDS_H
#define SHOAL_PLATFORM_REPEATED_SOUNDS_H

#include <stdbool.h>
#include <stdint.h>

#define REPEATED_SOUNDS_TICKS 16u // ticks that are remembered; older ones count as new
#define REPEATED_SOUNDS_MAX 32u   // sounds of a tick; further ones are started by each run

typedef struct started_sound_t {
  uint64_t key;      // identifies the file
  uint64_t sequence; // set by the caller: identifies the sound while it plays; 0: it does not
  bool is_current;   // the latest run has started it, too
} started_sound_t;

typedef struct started_sounds_t {
  uint64_t tick;
  uint32_t count;
  started_sound_t sounds[REPEATED_SOUNDS_MAX];
} started_sounds_t;

// Empty when zero-initialized.
typedef struct repeated_sounds_t {
  started_sounds_t ticks[REPEATED_SOUNDS_TICKS];
  started_sounds_t *open; // of the tick that is running; NULL: none
} repeated_sounds_t;

// A run of tick `tick` (at least 1) begins.
void repeated_sounds_begin(repeated_sounds_t *r, uint64_t tick);
// The running tick starts a sound. Returns its entry, and sets `is_new` to false if the previous run has started it:
// the n-th sound of a key is the n-th of the previous run. Returns NULL outside ticks and beyond REPEATED_SOUNDS_MAX;
// the sound is new then. Valid until the next call.
started_sound_t *repeated_sounds_add(repeated_sounds_t *r, uint64_t key, bool *is_new);
// Removes a sound that only the previous run started, and stores it in `out`. Returns false if no such sound is left.
bool repeated_sounds_pop_missing(repeated_sounds_t *r, started_sound_t *out);
// The run ends.
void repeated_sounds_end(repeated_sounds_t *r);

#endif
