// A polyphase resampler. The positions of output samples relative to input samples repeat: from 22050 to 44100 Hz there
// are two such phases, from 48000 to 44100 Hz there are 147. The integer weights of each phase are computed once, so
// that compilers can vectorize the sums. If the rates require more than PHASES_MAX phases, positions are rounded to one
// of PHASES_MAX phases.
#include "platform/resample.h"

#include "base/assert.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HALF_WIDTH 16u // number of samples on each side of the position, at the lower of the two rates
#define TAPS_MAX 160u  // capacity for taps; the highest supported rate, 192 kHz, needs 140
#define PHASES_MAX 1024u
// Sum of the weights of a phase. It is small enough for the largest weighted sums to fit into 32 bits.
#define WEIGHT_SUM 16384
#define PASSBAND 0.95 // cut-off relative to the lower Nyquist frequency; the rest is the filter's transition band

typedef struct filter_t {
  uint32_t upsampling, downsampling; // rates, divided by their greatest common divisor
  uint32_t phases, taps;
  int16_t *weights; // weights, `taps` per phase
} filter_t;

static uint32_t common_factor(uint32_t a, uint32_t b) {
  while (b) {
    uint32_t remainder = a % b;
    a = b;
    b = remainder;
  }
  return a;
}

static double sinc(double x) {
  return fabs(x) < 1e-9 ? 1.0 : sin(3.14159265358979323846 * x) / (3.14159265358979323846 * x);
}

// Returns the Blackman window at x: 1 at 0, falling to 0 at -1 and 1.
static double blackman_window(double x) {
  const double angle = 3.14159265358979323846 * x;
  return fabs(x) >= 1.0 ? 0.0 : 0.42 + 0.5 * cos(angle) + 0.08 * cos(2.0 * angle);
}

// Computes the weights for a position that is a fraction `fraction` of a sample (0 to 1) after an input sample. The
// weights add up to WEIGHT_SUM, which preserves silence and constant levels.
static void compute_weights(int16_t *out, uint32_t taps, double fraction, double cutoff) {
  double exact[TAPS_MAX], sum = 0.0, half_width = (double)(taps / 2);
  shoal_assert(taps <= TAPS_MAX, "%u filter taps exceed the maximum %u", taps, TAPS_MAX);
  for (uint32_t k = 0; k < taps; ++k) {
    double x = (double)k - (half_width - 1.0) - fraction;
    exact[k] = sinc(x * cutoff) * blackman_window(x / half_width);
    sum += exact[k];
  }
  int32_t remainder = WEIGHT_SUM;
  for (uint32_t k = 0; k < taps; ++k) {
    out[k] = (int16_t)lround(exact[k] / sum * WEIGHT_SUM);
    remainder -= out[k];
  }
  uint32_t nearest = taps / 2 - (fraction < 0.5 ? 1 : 0);
  out[nearest] = (int16_t)(out[nearest] + remainder);
}

static bool filter_init(filter_t *filter, const resample_desc_t *desc) {
  uint32_t factor = common_factor(desc->from_hz, desc->to_hz);
  *filter = (filter_t){.upsampling = desc->to_hz / factor, .downsampling = desc->from_hz / factor};
  filter->phases = filter->upsampling < PHASES_MAX ? filter->upsampling : PHASES_MAX;
  double rate_ratio = desc->to_hz < desc->from_hz ? (double)desc->to_hz / desc->from_hz : 1.0;
  filter->taps = 2 * (uint32_t)ceil(HALF_WIDTH / rate_ratio);
  filter->weights = calloc((size_t)filter->phases * filter->taps, sizeof *filter->weights);
  for (uint32_t phase = 0; filter->weights && phase < filter->phases; ++phase)
    compute_weights(filter->weights + (size_t)phase * filter->taps, filter->taps, (double)phase / filter->phases,
                    rate_ratio * PASSBAND);
  return filter->weights != NULL;
}

static int32_t weighted_sum(const int16_t *restrict samples, const int16_t *restrict weights, uint32_t taps) {
  int32_t sum = 0;
  for (uint32_t k = 0; k < taps; ++k)
    sum += samples[k] * weights[k];
  return sum;
}

static int16_t clamp_to_16_bit(int32_t x) {
  return (int16_t)(x > INT16_MAX ? INT16_MAX : x < INT16_MIN ? INT16_MIN : x);
}

// Resamples one channel. `samples` contains its samples, padded with silence at both ends.
static void resample_channel(const filter_t *filter, const int16_t *samples, size_t frames, int16_t *out,
                             uint32_t stride) {
  uint64_t position = 0; // position in samples, multiplied by `upsampling`
  for (size_t i = 0; i < frames; ++i, position += filter->downsampling) {
    uint64_t sample = position / filter->upsampling, fraction = position % filter->upsampling;
    uint64_t phase = filter->phases == filter->upsampling ? fraction : fraction * filter->phases / filter->upsampling;
    int32_t sum = weighted_sum(samples + sample, filter->weights + phase * filter->taps, filter->taps);
    out[i * stride] = clamp_to_16_bit((sum + WEIGHT_SUM / 2) >> 14);
  }
}

size_t resample_count_output_frames(const resample_desc_t *d) {
  shoal_assert(d->from_hz > 0 && d->to_hz > 0, "sample rates must be positive, got %u Hz to %u Hz", d->from_hz,
               d->to_hz);
  return (size_t)(((uint64_t)d->frames * d->to_hz + d->from_hz - 1) / d->from_hz);
}

bool resample(const resample_desc_t *desc, int16_t *out) {
  shoal_assert(desc->channels > 0 && desc->channels <= RESAMPLE_MAX_CHANNELS,
               "the channel count must be from 1 to %u, got %u", RESAMPLE_MAX_CHANNELS, desc->channels);
  filter_t filter;
  size_t frames = resample_count_output_frames(desc);
  bool succeeded = filter_init(&filter, desc);
  int16_t *padded = succeeded ? calloc(desc->frames + filter.taps, sizeof *padded) : NULL;
  for (uint32_t channel = 0; padded && channel < desc->channels; ++channel) {
    for (size_t i = 0; i < desc->frames; ++i)
      padded[filter.taps / 2 - 1 + i] = desc->source[i * desc->channels + channel];
    resample_channel(&filter, padded, frames, out + channel, desc->channels);
  }
  succeeded = padded != NULL;
  free(padded);
  free(filter.weights);
  return succeeded;
}
