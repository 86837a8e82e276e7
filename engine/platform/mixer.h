// Mixes voices into the output: resampling to any pitch, fades, loops, and buses with volumes, effects (effects.h)
// and ducking. Works on the caller's memory: no device, files, locks or clock.
//
// Not thread-safe: a caller that mixes on its own thread must exclude other users meanwhile.
#ifndef SHOAL_PLATFORM_MIXER_H
#define SHOAL_PLATFORM_MIXER_H

#include "platform/effects.h"
#include "platform/sound_file.h"

#define MIXER_VOICES 48u
#define MIXER_BUSES 24u
#define MIXER_BLOCK 128u // frames: volumes are interpolated linearly within a block
#define MIXER_MIN_PITCH 0.05f
#define MIXER_MAX_PITCH 20.0f

enum { MIXER_MASTER = 0 }; // the bus that all others feed into

// A decoded sound with SOUND_RATE_HZ and SOUND_FRAME_BYTES.
typedef struct mixer_sound_t {
  const int16_t *samples; // borrowed while a voice plays it
  uint32_t frames;
  uint32_t loop_from, loop_to; // range repeated by a looping voice; loop_to 0: the whole sound
} mixer_sound_t;

typedef struct mixer_voice_t {
  mixer_sound_t sound; // samples NULL: the voice is free
  uint64_t at;         // next frame, in 32.32 fixed point
  bool loop, ending;   // ending: the voice is freed when `level` reaches 0
  uint32_t bus;
  float pitch, left, right; // target values
  float level, level_to;    // current volume, and target of a fade
  float level_step;         // per frame
  float was_left, was_right;
} mixer_voice_t;

typedef struct mixer_bus_t {
  float volume; // 0…1
  float duck;   // volume factor while a bus in `under` is audible; 1: never ducks
  float attack_s, release_s;
  uint32_t under; // bit set of the buses that duck this one
  float ducked;   // current factor, between 1 and `duck`
  float was;      // volume at the end of the last block
  lowpass_t lowpass;
  float reverb; // share sent to the reverb, 0 to 1
} mixer_bus_t;

typedef struct mixer_t {
  mixer_voice_t voices[MIXER_VOICES];
  mixer_bus_t buses[MIXER_BUSES];
  reverb_t reverb;
  uint64_t now; // frames mixed so far
} mixer_t;

// Gain and pitch of a voice.
typedef struct mixer_gain_t {
  float left, right, pitch;
} mixer_gain_t;

typedef struct mixer_play_t {
  mixer_sound_t sound;
  mixer_gain_t gain;
  float level, fade_s; // target volume, and duration of the fade-in
  uint32_t bus;
  bool loop;
} mixer_play_t;

void mixer_init(mixer_t *m);                                           // silent, all buses at full volume
void mixer_play(mixer_t *m, uint32_t voice, const mixer_play_t *play); // replaces what the voice was playing
void mixer_set_gain(mixer_t *m, uint32_t voice, mixer_gain_t gain);    // interpolated over the next block
void mixer_fade(mixer_t *m, uint32_t voice, float level, float fade_s);
void mixer_stop(mixer_t *m, uint32_t voice, float fade_s); // 0 seconds: immediately
// Continues at a frame, counted from the start of the sound as if it had played without looping; wrapped into the
// loop.
void mixer_seek(mixer_t *m, uint32_t voice, uint64_t frame);
bool mixer_is_playing(const mixer_t *m, uint32_t voice); // also true while fading out
bool mixer_uses(const mixer_t *m, const int16_t *samples);
// Mixes the next frames, as interleaved stereo.
void mixer_mix(mixer_t *m, int16_t *out, uint32_t frames);

#endif
