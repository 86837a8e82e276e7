// Sounds at another rate: each sample of the result is a weighted sum of those around its place, by a windowed sinc
// that lets through what both rates can hold. Arithmetic on the caller's memory.
#ifndef SHOAL_PLATFORM_RESAMPLE_H
#define SHOAL_PLATFORM_RESAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RESAMPLE_MAX_CHANNELS 2u

typedef struct resample_desc_t {
  const int16_t *from; // `frames` frames; borrowed
  size_t frames;
  uint32_t channels; // 1 or 2, the samples of a frame side by side
  uint32_t from_hz, to_hz;
} resample_desc_t;

// How many frames it becomes: those whose place is not behind the last one.
size_t resample_frames(const resample_desc_t *desc);
// Into `to`, which has room for them. False when there is no memory for the work.
bool resample(const resample_desc_t *desc, int16_t *to);

#endif
