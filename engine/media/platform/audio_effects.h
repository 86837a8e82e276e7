// Effects of a bus: a low-pass filter, and a send to the mixer's reverb. The functions process blocks of interleaved
// floats in memory owned by the caller. The effects do not affect the simulation.
#ifndef SHOAL_PLATFORM_AUDIO_EFFECTS_H
#define SHOAL_PLATFORM_AUDIO_EFFECTS_H

#include <stdbool.h>
#include <stdint.h>

#define EFFECTS_OPEN_HZ 20000.0f // cut-off frequency of a disabled low-pass
#define EFFECTS_MIN_HZ 20.0f
#define REVERB_COMBS 4
#define REVERB_ALLPASSES 2
#define REVERB_MAX_DELAY 2048 // length of a delay line in samples; a power of two

typedef struct lowpass_t {
  float hz, target_hz; // current and target cut-off; 0 means EFFECTS_OPEN_HZ
  float glide_s;       // approximate duration of the transition, in seconds
  float state[2][2];   // state of both poles, per channel
} lowpass_t;

// Returns true if the current or the target cut-off is audible (below 18 kHz).
bool lowpass_is_active(const lowpass_t *l);
void lowpass_run(lowpass_t *l, float *samples, uint32_t frames);

typedef struct reverb_t {
  float combs[REVERB_COMBS][2][REVERB_MAX_DELAY], damped[REVERB_COMBS][2];
  float allpasses[REVERB_ALLPASSES][2][REVERB_MAX_DELAY];
  uint32_t position; // position in the delay lines
  uint32_t frames;   // number of frames until the tail has decayed
} reverb_t;

// Feeds `send` into the reverb and adds its output to `sum`.
void reverb_run(reverb_t *r, const float *send, float *sum, uint32_t frames);

#endif
