// Mixes voices into what the loudspeakers get: samples at any pitch, with fades and loops, through buses that have a
// volume and effects (effects.h), and lower one another. Arithmetic on the caller's memory: no device, no files, no
// locks, no clock.
//
// Whoever mixes on a thread of its own keeps others out meanwhile; nothing here waits.
#ifndef SHOAL_PLATFORM_MIXER_H
#define SHOAL_PLATFORM_MIXER_H

#include "platform/effects.h"
#include "platform/sound_file.h"

#define MIXER_VOICES 48u
#define MIXER_BUSES 24u
#define MIXER_BLOCK 128u // frames: volumes change evenly from the beginning of a block to its end
#define MIXER_MIN_PITCH 0.05f
#define MIXER_MAX_PITCH 20.0f

enum { MIXER_MASTER = 0 }; // the bus that all others go through

// A decoded sound, SOUND_RATE_HZ and SOUND_FRAME_BYTES.
typedef struct mixer_sound_t {
  const int16_t *samples; // borrowed while a voice plays it
  uint32_t frames;
  uint32_t loop_from, loop_to; // what is repeated when it loops; loop_to 0: all of it
} mixer_sound_t;

typedef struct mixer_voice_t {
  mixer_sound_t sound; // samples NULL: it is silent, and free
  uint64_t at;         // 32.32 fixed point: the frame that is next
  bool loop, ending;   // ending: it is free when `level` is 0
  uint32_t bus;
  float pitch, left, right; // as they shall be
  float level, level_to;    // the volume, and where a fade leads it
  float level_step;         // each frame
  float was_left, was_right;
} mixer_voice_t;

typedef struct mixer_bus_t {
  float volume; // 0…1
  float duck;   // the volume while a bus of `under` is heard; 1: it never ducks
  float attack_s, release_s;
  uint32_t under; // bits of the buses that lower it
  float ducked;   // 1 down to `duck`: where it is
  float was;      // the volume at the end of the last block
  lowpass_t lowpass;
  float reverb; // 0…1: what share of it goes into the reverb
} mixer_bus_t;

typedef struct mixer_t {
  mixer_voice_t voices[MIXER_VOICES];
  mixer_bus_t buses[MIXER_BUSES];
  reverb_t reverb;
  uint64_t now; // frames that were mixed so far
} mixer_t;

// How a voice is heard, beside its volume.
typedef struct mixer_gain_t {
  float left, right, pitch;
} mixer_gain_t;

typedef struct mixer_play_t {
  mixer_sound_t sound;
  mixer_gain_t gain;
  float level, fade_s; // the volume, and the seconds in which it comes there from silence
  uint32_t bus;
  bool loop;
} mixer_play_t;

void mixer_init(mixer_t *m);                                           // silent, all buses at their full volume
void mixer_play(mixer_t *m, uint32_t voice, const mixer_play_t *play); // whatever the voice has played before
void mixer_steer(mixer_t *m, uint32_t voice, mixer_gain_t gain);       // takes effect evenly over the next block
void mixer_fade(mixer_t *m, uint32_t voice, float level, float fade_s);
void mixer_stop(mixer_t *m, uint32_t voice, float fade_s); // 0 seconds: at once
// Goes on at a frame, counted from the beginning as if it had played on and on: in a loop wherever that leads to.
void mixer_seek(mixer_t *m, uint32_t voice, uint64_t frame);
bool mixer_is_playing(const mixer_t *m, uint32_t voice); // also while it fades out
bool mixer_uses(const mixer_t *m, const int16_t *samples);
// The next frames, both channels of each.
void mixer_mix(mixer_t *m, int16_t *out, uint32_t frames);

#endif
