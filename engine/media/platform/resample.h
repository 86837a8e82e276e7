// Resamples sounds with a windowed sinc filter: each output sample is a weighted sum of the surrounding input samples.
// The filter limits the band to the lower of the two rates. Works on the caller's memory.
#ifndef SHOAL_PLATFORM_RESAMPLE_H
#define SHOAL_PLATFORM_RESAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RESAMPLE_MAX_CHANNELS 2u

typedef struct resample_desc_t {
  const int16_t *source; // `frames` frames; borrowed
  size_t frames;
  uint32_t channels; // number of interleaved channels, 1 or 2
  uint32_t from_hz, to_hz;
} resample_desc_t;

// Returns the number of output frames: the duration of the input, rounded up.
size_t resample_count_output_frames(const resample_desc_t *desc);
// Writes resample_count_output_frames(desc) frames to `out`. Returns true on success, or false if out of memory.
bool resample(const resample_desc_t *desc, int16_t *out);

#endif
