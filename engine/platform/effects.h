// What a bus may do to its sound: a low-pass, and a share that goes into the one reverb of the mixer. Arithmetic on the
// caller's memory, in blocks of interleaved floats; nothing of it reaches the simulation.
#ifndef SHOAL_PLATFORM_EFFECTS_H
#define SHOAL_PLATFORM_EFFECTS_H

#include <stdbool.h>
#include <stdint.h>

#define EFFECTS_OPEN_HZ 20000.0f // a low-pass that lets everything through
#define EFFECTS_MIN_HZ 20.0f
#define REVERB_COMBS 4
#define REVERB_ALLPASSES 2
#define REVERB_LONGEST 2048 // samples of the longest delay, a power of two

typedef struct lowpass_t {
  float hz, to_hz;   // where it is, and where it goes; 0 stands for EFFECTS_OPEN_HZ
  float glide_s;     // in about which it is there
  float state[2][2]; // of both poles, for each channel
} lowpass_t;

// Is it anything but open, or on its way?
bool lowpass_is_on(const lowpass_t *l);
void lowpass_run(lowpass_t *l, float *samples, uint32_t frames);

typedef struct reverb_t {
  float combs[REVERB_COMBS][2][REVERB_LONGEST], damped[REVERB_COMBS][2];
  float allpasses[REVERB_ALLPASSES][2][REVERB_LONGEST];
  uint32_t at;     // of all delays
  uint32_t frames; // for which something is heard yet
} reverb_t;

// Adds to `sum` what comes back of `send`.
void reverb_run(reverb_t *r, const float *send, float *sum, uint32_t frames);

#endif
