// Sound: voices through buses (mixer.h), files decoded by SDL2_mixer. Runs silently when there is no device (one log
// line). The simulation never reads anything back from it.
#ifndef SHOAL_PLATFORM_AUDIO_H
#define SHOAL_PLATFORM_AUDIO_H

#include "base/error.h"
#include "base/log.h"
#include "platform/assets.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct audio_o audio_o;

// Never fails: without a device, or with `silent`, every call does nothing. `assets` is borrowed and may change
// between games.
audio_o *audio_create(bool silent, const assets_t *assets, log_o *log);
// Opens the device, behind the first picture, which would come later by it (a tenth of a second where there is none).
// What was played before begins now. Once; nothing when it is silent.
void audio_open(audio_o *a);
void audio_destroy(audio_o *a);

// --- buses

#define AUDIO_MAX_BUSES 16 // that a game declares
#define AUDIO_BUS_NAME 32

// A bus: what goes through it is as loud as its volume times that of "master". While something is heard on one of the
// buses `under`, it is lowered to `duck`.
typedef struct audio_bus_t {
  char name[AUDIO_BUS_NAME];
  char under[256];           // their names, spaces between them
  float volume;              // 0…1
  float duck;                // 0…1
  float attack_s, release_s; // in which it goes down and comes back
  float lowpass_hz;          // what is higher is softer; 0: none
  float reverb;              // 0…1: the share of it that a room gives back
} audio_bus_t;

typedef struct audio_buses_t {
  audio_bus_t items[AUDIO_MAX_BUSES];
  uint32_t count;
} audio_buses_t;

// What a game declares, over those that are always there: master, music (under voice), effects, voice and ui. What
// plays goes on, and so do volumes that were set.
void audio_buses(audio_o *a, const audio_buses_t *buses);
uint32_t audio_bus_count(const audio_o *a);
const char *audio_bus_name(const audio_o *a, uint32_t bus);
bool audio_has_bus(const audio_o *a, const char *name); // among those that are declared
// What a player has chosen, and what a script asks for: both, and what is declared, are multiplied.
void audio_set_choice(audio_o *a, uint32_t bus, float volume);
void audio_set_volume(audio_o *a, const char *bus, float volume);
// Effects of a bus beside those that are declared: of both low-passes the lower, of both reverbs the stronger one.
// `fade_s`: in about how many seconds the low-pass is there. An unknown bus is made.
void audio_set_effects(audio_o *a, const char *bus, float lowpass_hz, float reverb, float fade_s);

// --- voices

// How a sound is heard. Of audio_set, a NaN leaves what it was.
typedef struct audio_sound_t {
  float volume;    // 0…1
  float pan;       // -1…1
  float pitch;     // 1: as in its file; 2: an octave higher, and twice as fast
  float fade_s;    // in which it comes to its volume
  float x, y;      // of the world: where it is, if `placed`
  float range;     // from where on it is silent
  float within;    // up to where it is as loud as `volume`
  const char *bus; // NULL: "effects"
  bool loop, placed;
} audio_sound_t;

// Begins to decode a file that is not known yet, off the frame. Is it under way? A sound that is to be heard before it
// is there is decoded at once.
bool audio_preload(audio_o *a, const char *name);
// Plays a file of the assets. A name without its ending stands for that file, or for one of NAME_1, NAME_2, …: which,
// follows from the voice's number, and never the same twice in a row. → a voice, 0 when it could not be played. A
// missing file is logged once and plays nothing. Loaded files are kept.
uint32_t audio_play(audio_o *a, const char *file, const audio_sound_t *how);
// The same under a number that the caller gives, from 1 and below AUDIO_FIRST_OWN_VOICE, so that it does not depend
// on whether there are loudspeakers. What plays under it already goes on, and can be reached no more.
#define AUDIO_FIRST_OWN_VOICE 0x80000000u // that audio_play gives
void audio_play_as(audio_o *a, uint32_t voice, const char *file, const audio_sound_t *how);
void audio_stop(audio_o *a, uint32_t voice, float fade_s); // any number is fine
// Bus and loop stay; `fade_s` is in how many seconds the volume changes.
void audio_set(audio_o *a, uint32_t voice, const audio_sound_t *how);
bool audio_playing(const audio_o *a, uint32_t voice);
// From where sounds with a place are heard: a view's middle, and how it is turned.
void audio_listen(audio_o *a, float x, float y, float angle);

// --- music: pieces of one or more files that are played together, each a layer

#define AUDIO_LAYERS 16
#define AUDIO_LAYER_NAME 256 // bytes of a file's name with its '\0'

// Where a piece is.
typedef struct audio_place_t {
  double began;   // tells pieces apart
  double at_s;    // seconds since the piece began
  double drift_s; // by which it may be off: it is then put right
} audio_place_t;

// Layers are told once a frame. Those of one piece are heard in step, to the sample; one that comes later, because it
// was decoded, joins at its place, and a piece that is late by less than `drift_s` begins at its beginning. What is not
// told any more fades out. Layers run on by themselves, and are put right where they are too far from `at_s`: after a
// rewind, or when the game came to a halt.
void audio_layers_begin(audio_o *a);
void audio_layer(audio_o *a, const char *file, const audio_place_t *place, float volume); // 0: it is only decoded
void audio_layers_end(audio_o *a, float lowpass_hz, float reverb); // effects of the bus `music`, as audio_set_effects
// The game stands still: no layer is heard, however often it is told.
void audio_layers_hold(audio_o *a, bool held);

// Once a frame: takes sounds that were decoded ahead, and releases music that is not played any more.
void audio_frame(audio_o *a);
// A file `name` below the assets has changed, appeared or gone: it is loaded again. Voices that loop go on with the new
// one (under the same number, from its beginning), music at its place; sounds that play once end as they began. `why`
// is filled when the old one is kept. Without a device only what can be seen without decoding is checked.
asset_fate_t audio_asset_changed(audio_o *a, const char *name, error_t *why);
// While it is muted, calls do nothing and ask nothing of the device: what is run on trial makes no sound. What plays
// goes on.
void audio_mute(audio_o *a, bool muted);
// A tick that runs a second time is heard once: while it repeats, calls do nothing.
void audio_repeat(audio_o *a, bool on);
void audio_forget(audio_o *a); // stops everything, unloads, and forgets volumes (another game, a restart)

#endif
