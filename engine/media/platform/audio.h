// Sound output: voices routed through buses (mixer.h). SDL2_mixer opens the device and decodes files (sound_bank.h).
// Without a sound device, one message is logged, and sound is mixed but not heard until a device appears. The
// simulation reads nothing from this system.
#ifndef SHOAL_PLATFORM_AUDIO_H
#define SHOAL_PLATFORM_AUDIO_H

#include "base/error.h"
#include "base/log.h"
#include "platform/assets.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct audio_o audio_o;

// Creates the audio system; never fails. If `silent` is true, no sound is played. `assets` is borrowed. Its contents
// may change between games.
audio_o *audio_create(bool silent, const assets_t *assets, log_o *log);
// Opens the device and starts the sounds that have been requested so far. Call after the first frame, because opening
// takes a tenth of a second if there is no device. Does nothing if the system is silent or the function was called
// before.
void audio_open(audio_o *a);
// Mixes the next `frames` frames at SOUND_RATE_HZ, two samples each, into `out`. Used by callers that do not open a
// device.
void audio_mix(audio_o *a, int16_t *out, uint32_t frames);
void audio_destroy(audio_o *audio);

// --- buses

#define AUDIO_MAX_BUSES 16 // maximum number of buses that a game may declare
#define AUDIO_BUS_NAME 32

// A mixer bus. The volume of a bus is multiplied by the volume of "master" and, while any of the buses in `ducked_by`
// is audible, by `duck`.
typedef struct audio_bus_t {
  char name[AUDIO_BUS_NAME];
  char ducked_by[256];       // names of buses, separated by spaces
  float volume;              // volume of the bus, 0 to 1
  float duck;                // factor on the volume while ducked, 0 to 1
  float attack_s, release_s; // duration of the fade to `duck` and of the fade back
  float lowpass_hz;          // cut-off frequency; 0: no filter
  float reverb;              // share of the signal that is sent to the reverb, 0 to 1
} audio_bus_t;

typedef struct audio_buses_t {
  audio_bus_t items[AUDIO_MAX_BUSES];
  uint32_t count;
} audio_buses_t;

// Sets the buses declared by a game. The built-in buses always exist: master, music (ducked under voice), effects,
// voice and ui. Keeps the sounds that are playing, and the volumes set by the player and by scripts.
void audio_set_buses(audio_o *a, const audio_buses_t *buses);
uint32_t audio_bus_count(const audio_o *a);
const char *audio_bus_name(const audio_o *a, uint32_t bus);
bool audio_has_bus(const audio_o *a, const char *name); // returns true if the bus is declared or built in
// audio_set_player_volume sets the volume chosen by the player. audio_set_volume sets the volume chosen by scripts, and
// creates the bus if it is unknown. Both volumes are clamped to [0, 1], and multiplied with the declared volume.
void audio_set_player_volume(audio_o *a, uint32_t bus, float volume);
float audio_get_player_volume(const audio_o *a, uint32_t bus); // returns 1 unless set
void audio_set_volume(audio_o *a, const char *bus, float volume);
// Makes both channels play their mean, for players who hear with one ear.
void audio_set_mono(audio_o *a, bool mono);
// Sets a script's effects on a bus, in addition to the declared effects. Of the two, the lower low-pass frequency and
// the stronger reverb take effect. `fade_s`: approximate duration of the low-pass transition. Creates the bus if it is
// unknown.
void audio_set_effects(audio_o *audio, const char *bus, float lowpass_hz, float reverb, float fade_s);

// --- voices

// Parameters of a voice. In audio_update_voice, NaN keeps the current value.
typedef struct audio_sound_t {
  float volume; // volume of the sound, 0 to 1
  float pan;    // position from left to right, -1 to 1
  float pitch;  // pitch factor: 1 is the original, 2 an octave higher and twice as fast
  float fade_s;
  float x, y;      // world position if `placed`
  float range;     // distance at which the sound becomes silent
  float within;    // distance up to which the sound has full volume
  const char *bus; // name of the bus; NULL: "effects"
  bool loop, placed;
} audio_sound_t;

// Starts decoding a file in the background. Returns true while the file is being decoded. A file that is played before
// it is decoded is decoded immediately.
bool audio_preload(audio_o *a, const char *name);
// Plays an asset. A name without extension selects the file of that name, or one of NAME_1, NAME_2, …. The voice number
// determines the variant, but no variant is played twice in a row. Returns the voice, or 0 if the asset cannot be
// played, if looping sounds use all channels, or if the system is silent, muted or repeating. A missing file is logged
// once. Decoded files stay in memory.
uint32_t audio_play(audio_o *a, const char *file, const audio_sound_t *params);
#define AUDIO_FIRST_AUTO_VOICE 0x80000000u // first of the voice numbers that audio_play returns
// Plays a sound with a voice number chosen by the caller, 1 to AUDIO_FIRST_AUTO_VOICE - 1, so that voice numbers do not
// depend on the device. If a sound with this number is already playing, it continues but can no longer be controlled.
void audio_play_with_voice(audio_o *a, uint32_t voice, const char *file, const audio_sound_t *params);
// Fades out and stops a voice; `fade_s`: duration of the fade, at most 60 s. Does nothing if the voice is unknown.
void audio_stop(audio_o *a, uint32_t voice, float fade_s);
// Changes the parameters of a voice, except its bus and loop flag. `fade_s`: duration of the volume change.
void audio_update_voice(audio_o *a, uint32_t voice, const audio_sound_t *params);
bool audio_is_playing(const audio_o *a, uint32_t voice);
// Sets the listener of positional sounds to the position and rotation of the view.
void audio_set_listener(audio_o *audio, float x, float y, float angle);

// --- music: a piece consists of one or more files played together, each of which is a layer

#define AUDIO_LAYERS 16
#define AUDIO_LAYER_NAME 256 // size of a file name including '\0'

// Playback position of a piece.
typedef struct audio_position_t {
  double began;   // number that identifies the piece
  double at_s;    // seconds since the piece started
  double drift_s; // maximum deviation, in seconds, before the position is corrected
} audio_position_t;

// Begins the declaration of layers; call once per frame. Layers that are no longer declared fade out. All layers of a
// piece play in sync, to the sample. A layer that is added later, for example because its file had to be decoded first,
// starts at the current position. A piece that starts less than `drift_s` late plays from its start. Layers are
// repositioned if they deviate too far from `at_s`, for example after a rewind or a stall.
void audio_layers_begin(audio_o *a);
// Declares a layer. With volume 0 its file is only decoded, and the layer fades out if it is playing.
void audio_declare_layer(audio_o *a, const char *file, const audio_position_t *position, float volume);
// Ends the declaration of layers. `lowpass_hz` and `reverb`: effects on the bus `music`, as in audio_set_effects.
void audio_layers_end(audio_o *a, float lowpass_hz, float reverb);
// While `silent` is true, declared layers fade out and are not played. Used while the game is paused.
void audio_layers_set_silent(audio_o *a, bool silent);

// Collects sounds decoded in the background, releases unused music, replaces a lost device, and fades out the layers if
// audio_layers_begin was not called since the last call. Call once per frame. `wait`: waits for the sounds being
// decoded, so that frames are reproducible.
void audio_frame(audio_o *a, bool wait);
// Reloads an asset that was changed, added or deleted. Looping voices continue with the new version, with the same
// voice number and from its start. Music continues at its position, and one-shot sounds finish with the old version. If
// the old version is kept, stores the reason in `error`. Without a device, the file is not decoded, and errors that
// only a decoder finds are not reported.
asset_fate_t audio_asset_changed(audio_o *a, const char *name, error_info_t *error);
// While muted, the calls made by games (sounds, volumes, effects, layers) do nothing, so that trial runs make no sound.
// Sounds that are already playing continue.
void audio_mute(audio_o *a, bool muted);
// While repeating (a tick is simulated again), the calls listed at audio_mute do nothing, so that each sound is played
// only once.
void audio_set_repeating(audio_o *a, bool repeating);
// Begin and end a tick that may run several times with different inputs. If the tick ran before, the sounds that both
// runs start with audio_play_with_voice continue, and new sounds are played. A sound that this run no longer starts
// also continues. If a tick within 16 ticks starts the same file, even in a later frame, the sound becomes that tick's
// sound. Otherwise, it is faded out when the tick 16 ticks later is confirmed.
void audio_begin_tick(audio_o *a, uint64_t tick);
void audio_end_tick(audio_o *a);
// Announces that tick `tick` will not run again; UINT64_MAX: no tick will run again.
void audio_confirm_tick(audio_o *a, uint64_t tick);
// Stops and unloads all sounds and resets volumes, before a different game starts or this game restarts.
void audio_reset(audio_o *a);

#endif
