// Sounds started by recent ticks, for ticks that run again with different inputs. A sound that the new run of a tick
// starts again continues. A sound that the new run no longer starts waits. If a tick at most REPEATED_SOUNDS_WAIT ticks
// away starts the same file, that tick takes the sound over. Otherwise, the caller must fade it out.
#ifndef SHOAL_PLATFORM_REPEATED_SOUNDS_H
#define SHOAL_PLATFORM_REPEATED_SOUNDS_H

#include <stdbool.h>
#include <stdint.h>

#define REPEATED_SOUNDS_WAIT 16u  // maximum number of ticks by which a correction moves a sound
#define REPEATED_SOUNDS_TICKS 32u // number of ticks that are remembered: predicted ticks and ticks with waiting sounds
#define REPEATED_SOUNDS_MAX 32u   // maximum number of sounds per tick; additional sounds are started by each run

typedef struct started_sound_t {
  uint64_t key;      // key that identifies the file
  uint64_t sequence; // number from the caller, which increases with each started sound; 0 if the sound was not played
  bool is_current;   // true if the tick's latest run has started the sound; false while it waits to be taken over
} started_sound_t;

typedef struct started_sounds_t {
  uint64_t tick;
  uint32_t count;
  started_sound_t sounds[REPEATED_SOUNDS_MAX];
} started_sounds_t;

// Sounds of recent ticks. Empty when zero-initialized.
typedef struct repeated_sounds_t {
  started_sounds_t ticks[REPEATED_SOUNDS_TICKS];
  started_sounds_t *open; // list of the running tick; NULL outside ticks
} repeated_sounds_t;

// Removes a sound whose wait is over, because tick `confirmed` will not run again, and stores the sound in `out`.
// Returns true on success, or false if no such sound is left. Call between ticks.
bool repeated_sounds_pop_expired(repeated_sounds_t *r, uint64_t confirmed, started_sound_t *out);
// Begins a run of tick `tick` (at least 1).
void repeated_sounds_begin(repeated_sounds_t *r, uint64_t tick);
// Adds a sound that the running tick starts. Returns its entry, and sets `is_new` to false if the sound already plays.
// The n-th sound of a key is matched with the n-th sound of the previous run, then with a waiting sound of a different
// tick. Outside ticks and beyond REPEATED_SOUNDS_MAX, sets `is_new` to true and returns NULL. The entry is valid until
// the next call.
started_sound_t *repeated_sounds_add(repeated_sounds_t *r, uint64_t key, bool *is_new);
// Finds a sound that a correction has moved to an earlier tick: the running tick no longer starts it, and an earlier
// tick has started the same file. The earlier tick's entry takes over the old sound. Stores the new sound, which must
// be stopped, in `stopped`. Returns the entry, or NULL if no such sound is left. Call before repeated_sounds_end, until
// it returns NULL.
const started_sound_t *repeated_sounds_move_earlier(repeated_sounds_t *r, started_sound_t *stopped);
// Ends the run that repeated_sounds_begin began.
void repeated_sounds_end(repeated_sounds_t *r);

#endif
