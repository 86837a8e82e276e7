// Implements the effects. Low-pass: two one-pole filters in series, y += a(x - y), 12 dB per octave, no resonance.
// Reverb: Schroeder 1962 ("Natural sounding artificial reverberation"), with four parallel combs, damped as in Moorer
// 1979 ("About this reverberation business"), then two allpasses in series. The delays are mutually prime and differ
// slightly between left and right for stereo width.
#include "platform/audio_effects.h"

#include "base/assert.h"
#include "platform/sound_file.h"

#include <math.h>

#define TURN 6.2831853f
#define NEARLY_OPEN_HZ 18000.0f
#define DECAY_S 1.6f  // time for a comb to decay by 60 dB
#define DAMPING 0.35f // damping of high frequencies per pass through a comb, 0 to 1
#define ALLPASS 0.7f
#define STEREO_OFFSET 23u // additional delay of the right channel, in samples
#define WET 0.3f

static const uint32_t COMB_DELAYS[REVERB_COMBS] = {1559, 1621, 1741, 1877};
static const uint32_t ALLPASS_DELAYS[REVERB_ALLPASSES] = {557, 229};

static float clamp_target_hz(const lowpass_t *l) {
  float hz = l->target_hz > 0.0f ? l->target_hz : EFFECTS_OPEN_HZ;
  return hz < EFFECTS_MIN_HZ ? EFFECTS_MIN_HZ : hz < EFFECTS_OPEN_HZ ? hz : EFFECTS_OPEN_HZ;
}

bool lowpass_is_active(const lowpass_t *l) {
  return clamp_target_hz(l) < NEARLY_OPEN_HZ || (l->hz > 0.0f && l->hz < NEARLY_OPEN_HZ);
}

void lowpass_run(lowpass_t *lowpass, float *samples, uint32_t frames) {
  float start_hz = lowpass->hz > 0.0f ? lowpass->hz : EFFECTS_OPEN_HZ,
        glide_s = lowpass->glide_s > 0.03f ? lowpass->glide_s : 0.03f;
  float fraction = 1.0f - expf(-3.0f * (float)frames / (glide_s * (float)SOUND_RATE_HZ));
  shoal_assert(frames > 0, "the low-pass filter requires at least one frame, got %u", frames);
  // Interpolates exponentially, because the perception of pitch is logarithmic.
  lowpass->hz = start_hz * powf(clamp_target_hz(lowpass) / start_hz, fraction);
  float coefficient = 1.0f - expf(-TURN * lowpass->hz / (float)SOUND_RATE_HZ);
  for (uint32_t channel = 0; channel < 2; ++channel) {
    float first = lowpass->state[channel][0], second = lowpass->state[channel][1];
    for (uint32_t i = channel; i < 2 * frames; i += 2) {
      first += coefficient * (samples[i] - first);
      second += coefficient * (first - second);
      samples[i] = second;
    }
    lowpass->state[channel][0] = first;
    lowpass->state[channel][1] = second;
  }
}

static float run_comb(reverb_t *r, uint32_t i, uint32_t channel, float input, float feedback) {
  uint32_t delay = COMB_DELAYS[i] + channel * STEREO_OFFSET;
  float *line = r->combs[i][channel], out = line[(r->position - delay) % REVERB_MAX_DELAY];
  r->damped[i][channel] += (1.0f - DAMPING) * (out - r->damped[i][channel]);
  line[r->position] = input + feedback * r->damped[i][channel];
  return out;
}

static float run_allpass(reverb_t *r, uint32_t i, uint32_t channel, float input) {
  float *line = r->allpasses[i][channel],
        delayed = line[(r->position - ALLPASS_DELAYS[i] - channel * STEREO_OFFSET) % REVERB_MAX_DELAY];
  float inner = input + ALLPASS * delayed;
  line[r->position] = inner;
  return delayed - ALLPASS * inner;
}

void reverb_run(reverb_t *reverb, const float *send, float *sum, uint32_t frames) {
  float feedback[REVERB_COMBS];
  shoal_assert(reverb->position < REVERB_MAX_DELAY, "reverb position %u is out of range (%d)", reverb->position,
               REVERB_MAX_DELAY);
  for (uint32_t i = 0; i < REVERB_COMBS; ++i)
    feedback[i] = powf(0.001f, (float)COMB_DELAYS[i] / (DECAY_S * (float)SOUND_RATE_HZ));
  for (uint32_t frame = 0; frame < frames; ++frame) {
    for (uint32_t channel = 0; channel < 2; ++channel) {
      float sample = 0.0f;
      for (uint32_t i = 0; i < REVERB_COMBS; ++i)
        sample += run_comb(reverb, i, channel, send[2 * frame + channel], feedback[i]);
      for (uint32_t i = 0; i < REVERB_ALLPASSES; ++i)
        sample = run_allpass(reverb, i, channel, sample);
      sum[2 * frame + channel] += WET * sample;
    }
    reverb->position = (reverb->position + 1) % REVERB_MAX_DELAY;
  }
}
