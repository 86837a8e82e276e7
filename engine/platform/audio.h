// Sound output: voices routed through buses (mixer.h); files are decoded with SDL2_mixer. Silent, with one log line,
// if there is no device. The simulation never reads anything back.
#ifndef SHOAL_PLATFORM_AUDIO_H
#define SHOAL_PLATFORM_AUDIO_H

#include "base/error.h"
#include "base/log.h"
#include "platform/assets.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct audio_o audio_o;

// Creates the audio system. Never fails: with `silent`, or without a device, all calls do nothing. `assets` is
// borrowed; its contents may change between games.
audio_o *audio_create(bool silent, const assets_t *assets, log_o *log);
// Opens the device. Call after the first frame, because opening takes a tenth of a second if there is no device.
// Sounds played earlier start now. Only the first call has an effect; none if silent.
void audio_open(audio_o *a);
void audio_destroy(audio_o *a);

// --- buses

#define AUDIO_MAX_BUSES 16 // declared by a game
#define AUDIO_BUS_NAME 32

// A bus multiplies its volume with that of "master". While anything is audible on one of the buses in `under`, its
// volume is reduced to `duck`.
typedef struct audio_bus_t {
  char name[AUDIO_BUS_NAME];
  char under[256];           // names separated by spaces
  float volume;              // 0 to 1
  float duck;                // 0 to 1
  float attack_s, release_s; // duration of ducking and of the return
  float lowpass_hz;          // cut-off frequency; 0: no filter
  float reverb;              // share sent to the reverb, 0 to 1
} audio_bus_t;

typedef struct audio_buses_t {
  audio_bus_t items[AUDIO_MAX_BUSES];
  uint32_t count;
} audio_buses_t;

// Sets the buses declared by a game, in addition to the built-in ones: master, music (ducked under voice), effects,
// voice and ui. Playing sounds and volumes are kept.
void audio_buses(audio_o *a, const audio_buses_t *buses);
uint32_t audio_bus_count(const audio_o *a);
const char *audio_bus_name(const audio_o *a, uint32_t bus);
bool audio_has_bus(const audio_o *a, const char *name); // true for declared and built-in buses
// Volumes chosen by the player and set by scripts; both are multiplied with the declared volume.
void audio_set_choice(audio_o *a, uint32_t bus, float volume);
void audio_set_volume(audio_o *a, const char *bus, float volume);
// Sets effects that a script adds to the declared ones: the lower low-pass frequency and the stronger reverb apply.
// `fade_s`: approximate time for the low-pass to take effect. An unknown bus is created.
void audio_set_effects(audio_o *a, const char *bus, float lowpass_hz, float reverb, float fade_s);

// --- voices

// Parameters of a voice. In audio_set, NaN keeps the current value.
typedef struct audio_sound_t {
  float volume;    // 0 to 1
  float pan;       // -1 to 1
  float pitch;     // 1: original; 2: an octave higher and twice as fast
  float fade_s;    // duration of the fade-in
  float x, y;      // world position if `placed`
  float range;     // distance at which the sound becomes silent
  float within;    // distance up to which it has full volume
  const char *bus; // NULL: "effects"
  bool loop, placed;
} audio_sound_t;

// Starts decoding a file in the background. Returns true while it is being decoded. If the sound is played before
// that, it is decoded immediately.
bool audio_preload(audio_o *a, const char *name);
// Plays an asset. A name without extension selects that file, or one of NAME_1, NAME_2, …: the choice depends on the
// voice number and never repeats twice in a row. Returns the voice, or 0 if it cannot be played; a missing file is
// logged once. Decoded files are kept.
uint32_t audio_play(audio_o *a, const char *file, const audio_sound_t *how);
// Plays under a voice number chosen by the caller, 1 to AUDIO_FIRST_OWN_VOICE - 1, so that numbers do not depend on
// the device. A sound already playing under that number continues but can no longer be controlled.
#define AUDIO_FIRST_OWN_VOICE 0x80000000u // first number that audio_play returns
void audio_play_as(audio_o *a, uint32_t voice, const char *file, const audio_sound_t *how);
void audio_stop(audio_o *a, uint32_t voice, float fade_s); // ignores unknown voices
// Changes a voice; its bus and loop flag cannot change. `fade_s`: duration of the change of volume.
void audio_set(audio_o *a, uint32_t voice, const audio_sound_t *how);
bool audio_playing(const audio_o *a, uint32_t voice);
// Sets the listener for placed sounds: the position and rotation of the view.
void audio_listen(audio_o *a, float x, float y, float angle);

// --- music: pieces of one or more files played together, each file a layer

#define AUDIO_LAYERS 16
#define AUDIO_LAYER_NAME 256 // size of a file name including '\0'

// Position of a piece.
typedef struct audio_place_t {
  double began;   // identifies the piece
  double at_s;    // seconds since the piece started
  double drift_s; // tolerated deviation, in seconds; corrected beyond that
} audio_place_t;

// Layers are declared once per frame, between begin and end. Layers of one piece play sample-synchronously; one that
// is added later, because it had to be decoded, joins at the current position. A piece that starts less than
// `drift_s` late plays from its start. Layers that are no longer declared fade out. Layers advance by themselves and
// are repositioned if they deviate too far from `at_s`, after a rewind or a stall.
void audio_layers_begin(audio_o *a);
void audio_layer(audio_o *a, const char *file, const audio_place_t *place, float volume); // volume 0: only decodes
void audio_layers_end(audio_o *a, float lowpass_hz,
                      float reverb); // effects on the bus `music`, as in audio_set_effects
// While held (the game is stopped), all layers are silent.
void audio_layers_hold(audio_o *a, bool held);

// Call once per frame: collects sounds decoded in the background and releases unused music.
void audio_frame(audio_o *a);
// Reloads an asset that was changed, added or deleted. Looping voices continue with the new version (same voice
// number, from the start), music at its position; one-shot sounds finish with the old version. If the old version is
// kept, stores the reason in `why`. Without a device, only checks that need no decoding are made.
asset_fate_t audio_asset_changed(audio_o *a, const char *name, error_t *why);
// While muted, calls do nothing, so that trial runs make no sound. Playing sounds continue.
void audio_mute(audio_o *a, bool muted);
// While repeating (a tick is simulated again), calls do nothing, so that each sound is heard once.
void audio_repeat(audio_o *a, bool on);
void audio_forget(audio_o *a); // stops and unloads everything and resets volumes, for another game or a restart

#endif
