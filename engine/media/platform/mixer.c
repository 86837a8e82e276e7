// The software mixer. A voice advances through its samples at the speed given by its pitch. Cubic interpolation of four
// samples reduces aliasing. Voices are summed as floats, and peaks of the sum are soft-clipped.
#include "platform/mixer.h"

#include "base/assert.h"

#include <string.h>

#define AUDIBLE 0.001f // level above which a voice ducks other buses
#define KNEE 0.85f     // level, relative to full scale, up to which samples are unchanged
#define REVERB_TAIL (4u * SOUND_RATE_HZ)

void mixer_init(mixer_t *m) {
  memset(m, 0, sizeof *m);
  for (uint32_t i = 0; i < MIXER_BUSES; ++i)
    m->buses[i] = (mixer_bus_t){.volume = 1.0f, .duck = 1.0f, .ducked = 1.0f, .previous_volume = 1.0f};
}

// --- voices

static mixer_voice_t *get_voice(mixer_t *m, uint32_t voice) {
  shoal_assert(voice < MIXER_VOICES, "voice %u is out of range (count %u)", voice, MIXER_VOICES);
  return &m->voices[voice];
}

// Loops the whole sound if the loop points, which come from a file, are invalid.
static void replace_invalid_loop(mixer_sound_t *s) {
  if (s->loop_to > s->frames || s->loop_from >= s->loop_to) {
    s->loop_from = 0;
    s->loop_to = s->frames;
  }
}

static float clamp_pitch(float pitch) {
  return pitch >= MIXER_MIN_PITCH ? (pitch <= MIXER_MAX_PITCH ? pitch : MIXER_MAX_PITCH) : MIXER_MIN_PITCH;
}

void mixer_play(mixer_t *mixer, uint32_t voice, const mixer_play_t *play) {
  const mixer_sound_t *sound = &play->sound;
  shoal_assert(sound->samples && sound->frames > 0 && play->bus < MIXER_BUSES, "invalid sound (%u frames) or bus %u",
               sound->frames, play->bus);
  mixer_voice_t *state = get_voice(mixer, voice);
  *state = (mixer_voice_t){.sound = *sound, .loop = play->loop, .bus = play->bus};
  replace_invalid_loop(&state->sound);
  mixer_set_gain(mixer, voice, play->gain);
  mixer_fade(mixer, voice, play->level, play->fade_s);
  state->previous_left = state->left * state->level;
  state->previous_right = state->right * state->level;
}

void mixer_set_gain(mixer_t *m, uint32_t voice, mixer_gain_t gain) {
  mixer_voice_t *v = get_voice(m, voice);
  v->left = gain.left;
  v->right = gain.right;
  v->pitch = clamp_pitch(gain.pitch);
}

void mixer_fade(mixer_t *m, uint32_t voice, float level, float fade_s) {
  mixer_voice_t *v = get_voice(m, voice);
  float frames = fade_s * (float)SOUND_RATE_HZ, difference = level - v->level;
  v->target_level = level;
  v->level_step = frames >= 1.0f ? difference / frames : 0.0f;
  if (!(frames >= 1.0f))
    v->level = level;
}

void mixer_stop(mixer_t *m, uint32_t voice, float fade_s) {
  mixer_voice_t *v = get_voice(m, voice);
  mixer_fade(m, voice, 0.0f, fade_s);
  v->ending = true;
  if (v->level <= 0.0f)
    *v = (mixer_voice_t){0};
}

void mixer_seek(mixer_t *mixer, uint32_t voice, uint64_t frame) {
  mixer_voice_t *state = get_voice(mixer, voice);
  const mixer_sound_t *sound = &state->sound;
  shoal_assert(sound->samples, "voice %u is not playing", voice);
  if (state->loop && frame >= sound->loop_to)
    frame = sound->loop_from + (frame - sound->loop_to) % (sound->loop_to - sound->loop_from);
  if (frame >= sound->frames)
    *state = (mixer_voice_t){0};
  else
    state->position = frame << 32;
}

bool mixer_is_playing(const mixer_t *m, uint32_t voice) {
  return voice < MIXER_VOICES && m->voices[voice].sound.samples != NULL;
}

bool mixer_uses_samples(const mixer_t *m, const int16_t *samples) {
  for (uint32_t i = 0; samples && i < MIXER_VOICES; ++i)
    if (m->voices[i].sound.samples == samples)
      return true;
  return false;
}

// --- one voice

// Returns a sample of a frame. Frames before the start are silent. Frames after the end are silent, or wrap around in a
// loop.
static float sample_at(const mixer_voice_t *v, int64_t frame, uint32_t channel) {
  const mixer_sound_t *s = &v->sound;
  if (v->loop && frame >= s->loop_to)
    frame = s->loop_from + (frame - s->loop_to) % (s->loop_to - s->loop_from);
  return frame < 0 || frame >= s->frames ? 0.0f : (float)s->samples[2 * frame + channel];
}

static float interpolate(float a, float b, float c, float d, float t) {
  float linear = 0.5f * (c - a), quadratic = a - 2.5f * b + 2.0f * c - 0.5f * d;
  float cubic = 0.5f * (d - a) + 1.5f * (b - c);
  return ((cubic * t + quadratic) * t + linear) * t + b;
}

static float interpolated_sample(const mixer_voice_t *state, uint32_t channel) {
  int64_t frame = (int64_t)(state->position >> 32);
  float t = (float)(uint32_t)state->position * (1.0f / 4294967296.0f);
  if (t <= 0.0f)
    return sample_at(state, frame, channel);
  if (frame >= 1 && frame + 2 < (state->loop ? state->sound.loop_to : state->sound.frames)) {
    const int16_t *s = state->sound.samples + 2 * frame + channel;
    return interpolate((float)s[-2], (float)s[0], (float)s[2], (float)s[4], t);
  }
  return interpolate(sample_at(state, frame - 1, channel), sample_at(state, frame, channel),
                     sample_at(state, frame + 1, channel), sample_at(state, frame + 2, channel), t);
}

// Advances the voice. Returns true while the sound plays, or false at its end.
static bool advance_voice(mixer_voice_t *state, uint64_t step) {
  state->position += step;
  uint32_t end = state->loop ? state->sound.loop_to : state->sound.frames;
  if (state->position >> 32 < end)
    return true;
  uint64_t length = (uint64_t)(state->sound.loop_to - state->sound.loop_from) << 32;
  if (state->loop)
    state->position = ((uint64_t)state->sound.loop_from << 32) + (state->position - ((uint64_t)end << 32)) % length;
  return state->loop;
}

// Returns the fade level at the end of a block of `frames`, limited to the target level.
static float compute_fade_level(mixer_voice_t *v, uint32_t frames) {
  float level = v->level + v->level_step * (float)frames;
  bool reached = v->level_step >= 0.0f ? level >= v->target_level : level <= v->target_level;
  return reached ? v->target_level : level;
}

// Adds a block of a voice to `sum`. `start_volume` and `end_volume` are the volumes of its bus at the start and the end
// of the block.
static void mix_voice(mixer_voice_t *state, float *sum, uint32_t frames, float start_volume, float end_volume) {
  float level = compute_fade_level(state, frames), inverse_frames = 1.0f / (float)frames;
  float left = state->previous_left * start_volume, right = state->previous_right * start_volume;
  float left_step = (state->left * level * end_volume - left) * inverse_frames,
        right_step = (state->right * level * end_volume - right) * inverse_frames;
  uint64_t step = (uint64_t)((double)state->pitch * 4294967296.0);
  bool finished = false;
  shoal_assert(state->position >> 32 < state->sound.frames, "frame %u is out of range (count %u)",
               (uint32_t)(state->position >> 32), state->sound.frames);
  for (uint32_t i = 0; i < frames && !finished; ++i) {
    sum[2 * i] += interpolated_sample(state, 0) * left;
    sum[2 * i + 1] += interpolated_sample(state, 1) * right;
    left += left_step;
    right += right_step;
    finished = !advance_voice(state, step);
  }
  state->level = level;
  state->previous_left = state->left * level;
  state->previous_right = state->right * level;
  if (finished || (state->ending && level <= 0.0f))
    *state = (mixer_voice_t){0};
}

// --- buses

static uint32_t find_audible_buses(const mixer_t *mixer) {
  uint32_t audible = 0;
  for (uint32_t i = 0; i < MIXER_VOICES; ++i) {
    const mixer_voice_t *state = &mixer->voices[i];
    float gain = state->left > state->right ? state->left : state->right;
    if (state->sound.samples && !state->ending && state->target_level > 0.0f &&
        gain * mixer->buses[state->bus].volume > AUDIBLE)
      audible |= 1u << state->bus;
  }
  return audible;
}

static void update_ducking(mixer_bus_t *bus, bool ducked_by, float seconds) {
  float target = ducked_by ? bus->duck : 1.0f, ramp_s = ducked_by ? bus->attack_s : bus->release_s;
  float step = ramp_s > seconds ? (1.0f - bus->duck) * seconds / ramp_s : 1.0f;
  if (bus->ducked > target)
    bus->ducked = bus->ducked - step > target ? bus->ducked - step : target;
  else
    bus->ducked = bus->ducked + step < target ? bus->ducked + step : target;
}

static bool has_effects(const mixer_bus_t *b) {
  return b->reverb > 0.0f || lowpass_is_active(&b->lowpass);
}

static void mix_voices(mixer_t *m, uint32_t bus, float *sum, uint32_t frames, float start_volume, float end_volume) {
  for (uint32_t i = 0; i < MIXER_VOICES; ++i) {
    mixer_voice_t *v = &m->voices[i];
    if (v->sound.samples && v->bus == bus)
      mix_voice(v, sum, frames, start_volume, end_volume);
  }
}

// Applies the bus's low-pass to `signal`, then adds the bus's share of the signal to `send`, the reverb's input.
static void run_effects(mixer_t *mixer, uint32_t bus, float *signal, float *send, uint32_t frames) {
  mixer_bus_t *settings = &mixer->buses[bus];
  shoal_assert(bus < MIXER_BUSES && frames <= MIXER_BLOCK,
               "%u frames (at most %u) or bus %u (count %u) are out of range", frames, MIXER_BLOCK, bus, MIXER_BUSES);
  if (lowpass_is_active(&settings->lowpass))
    lowpass_run(&settings->lowpass, signal, frames);
  for (uint32_t i = 0; settings->reverb > 0.0f && i < 2 * frames; ++i)
    send[i] += settings->reverb * signal[i];
  if (settings->reverb > 0.0f)
    mixer->reverb.frames = REVERB_TAIL;
}

static void mix_bus(mixer_t *mixer, uint32_t bus, float *sum, float *send, uint32_t frames, const float gain[2]) {
  float signal[2 * MIXER_BLOCK] = {0};
  if (!has_effects(&mixer->buses[bus]) || bus == MIXER_MASTER) {
    mix_voices(mixer, bus, sum, frames, gain[0], gain[1]);
    return;
  }
  mix_voices(mixer, bus, signal, frames, gain[0], gain[1]);
  run_effects(mixer, bus, signal, send, frames);
  for (uint32_t i = 0; i < 2 * frames; ++i)
    sum[i] += signal[i];
}

static void mix_block(mixer_t *mixer, float *sum, uint32_t frames) {
  uint32_t audible = find_audible_buses(mixer), active = 1u << MIXER_MASTER;
  float gain[MIXER_BUSES][2], send[2 * MIXER_BLOCK] = {0};
  for (uint32_t i = 0; i < MIXER_BUSES; ++i) {
    mixer_bus_t *b = &mixer->buses[i];
    update_ducking(b, (audible & b->ducked_by) != 0, (float)frames / (float)SOUND_RATE_HZ);
    gain[i][0] = b->previous_volume;
    b->previous_volume = gain[i][1] =
        b->volume * b->ducked * (i == MIXER_MASTER ? 1.0f : mixer->buses[MIXER_MASTER].volume);
    active |= has_effects(b) ? 1u << i : 0;
  }
  for (uint32_t i = 0; i < MIXER_VOICES; ++i)
    active |= mixer->voices[i].sound.samples ? 1u << mixer->voices[i].bus : 0;
  for (uint32_t i = 0; i < MIXER_BUSES; ++i)
    if (active & 1u << i)
      mix_bus(mixer, i, sum, send, frames, gain[i]);
  if (has_effects(&mixer->buses[MIXER_MASTER]))
    run_effects(mixer, MIXER_MASTER, sum, send, frames);
  if (mixer->reverb.frames > 0)
    reverb_run(&mixer->reverb, send, sum, frames);
  mixer->reverb.frames -= mixer->reverb.frames < frames ? mixer->reverb.frames : frames;
  mixer->mixed_frames += frames;
}

// Soft-clips a sample: loud sums approach full scale without reaching it.
static int16_t soft_clip_sample(float x) {
  float magnitude = (x < 0.0f ? -x : x) * (1.0f / 32768.0f);
  if (magnitude > KNEE) {
    float excess = (magnitude - KNEE) / (1.0f - KNEE);
    magnitude = KNEE + (1.0f - KNEE) * excess / (1.0f + excess);
  }
  return (int16_t)(x < 0.0f ? -magnitude * 32767.0f - 0.5f : magnitude * 32767.0f + 0.5f);
}

void mixer_mix(mixer_t *mixer, int16_t *out, uint32_t frames) {
  float sum[2 * MIXER_BLOCK];
  for (uint32_t mixed = 0, block_frames; mixed < frames; mixed += block_frames) {
    block_frames = frames - mixed < MIXER_BLOCK ? frames - mixed : MIXER_BLOCK;
    memset(sum, 0, sizeof sum);
    mix_block(mixer, sum, block_frames);
    for (uint32_t i = 0; mixer->mono && i < block_frames; ++i)
      sum[2 * i] = sum[2 * i + 1] = 0.5f * (sum[2 * i] + sum[2 * i + 1]);
    for (uint32_t i = 0; i < 2 * block_frames; ++i)
      out[2 * mixed + i] = soft_clip_sample(sum[i]);
  }
}
