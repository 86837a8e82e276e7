// Sound output through the software mixer and an audio device of SDL. Voices are numbered in increasing order, so that
// a late audio_stop never affects a different sound. A channel corresponds to a mixer voice and stores the number of
// the voice that it plays.
//
// The audio thread only runs the mixer. All other code that accesses the mixer must hold the lock.
#include "platform/audio.h"

#include "base/alloc.h"
#include "base/assert.h"
#include "base/hash.h"
#include "base/now.h"
#include "platform/repeated_sounds.h"
#include "platform/sdl.h"
#include "platform/sound_bank.h"
#include "platform/sound_server.h"

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHANNELS 32
#define LAYER_CHANNEL CHANNELS
#define LAYER_FADE_S 0.12f // fade duration when the volume of a layer changes
// Maximum deviation of a layer in seconds. A larger deviation is treated as a rewind, a smaller one as slow frames.
#define JUMP_S 1.0
#define BUFFER_FRAMES 512
#define POLL_S 0.5        // interval, in seconds, between two searches for a missing device
#define STALL_S 1.0       // seconds without a requested buffer after which a device may have lost its server
#define MAX_UNHEARD_S 0.5 // maximum duration, in seconds, of the sound that is mixed in one frame without a device
// Maximum number of attempts to open a device after the loss of a device, or after a change of the sound servers or
// cards. A single attempt may fail, because a server creates its socket before it accepts connections.
#define MAX_TRIES 6u
#define MISSING_FADE_S 0.05f // fade-out duration of a sound that a repeated tick no longer starts
#define SIDE_MAX 0.9f        // maximum pan that results from a sound's position, so that both channels stay audible

static_assert(LAYER_CHANNEL + AUDIO_LAYERS == MIXER_VOICES, "every channel needs a mixer voice");

typedef struct channel_t {
  uint32_t voice;    // voice number; 0 if the channel is unused or its sound can no longer be controlled
  uint64_t sequence; // sequence number, to find the oldest sound
  audio_sound_t params;
} channel_t;

typedef struct effects_t {
  float lowpass_hz, reverb; // settings of the effects; 0 if disabled
} effects_t;

typedef struct bus_t {
  audio_bus_t desc;
  bool declared; // true if declared by the game or built in; false if used only by scripts
  float player_volume, script_volume;
  // Effects set by scripts (`script_effects`) and by the current piece of music (`music_effects`).
  effects_t script_effects, music_effects;
  float glide_s;
} bus_t;

// A layer of a piece of music, played on channel LAYER_CHANNEL + index.
typedef struct layer_t {
  char file[AUDIO_LAYER_NAME]; // name of the layer's file; "" if the slot is unused
  double piece_start;
  int64_t origin; // mixer frame at which the piece started
  bool declared_this_frame;
} layer_t;

struct audio_o {
  bool silent, muted;
  SDL_AudioDeviceID device;         // sound device; 0 while it is closed
  bool open_pending;                // true until audio_open is called
  _Atomic(uint32_t) callback_count; // number of buffers that the device has requested
  uint32_t seen_callbacks;          // callback_count at `callback_s`
  double callback_s;                // time of the last observed change of callback_count, or of opening the device
  struct {                          // search for a missing device
    uint64_t server_hash; // sound_server_hash at the most recent poll or, before the first poll, in audio_open
    uint32_t tries;       // remaining attempts to open a device
    double poll_s;        // time of the most recent poll
    double mixed_s;       // time up to which sound has been mixed
  } missing;
  sound_bank_o *bank;
  log_o *log;
  uint32_t last_voice;
  uint64_t play_count;
  channel_t channels[CHANNELS];
  bus_t buses[MIXER_BUSES];
  uint32_t bus_count;
  float listener_x, listener_y, listener_angle;
  layer_t layers[AUDIO_LAYERS];
  uint64_t last_resync_frame; // mixer frame of the most recent resynchronization
  bool layers_declared, layers_silent;
  bool repeating;
  repeated_sounds_t repeated;
  pthread_mutex_t lock; // lock of the mixer
  mixer_t mixer;
};

static float clamp(float x, float low, float high) {
  return x >= low ? (x <= high ? x : high) : low; // NaN becomes `low`
}

static void lock_mixer(const audio_o *a) {
  pthread_mutex_lock((pthread_mutex_t *)&a->lock);
}

static void unlock_mixer(const audio_o *a) {
  pthread_mutex_unlock((pthread_mutex_t *)&a->lock);
}

void audio_mix(audio_o *a, int16_t *out, uint32_t frames) {
  lock_mixer(a);
  mixer_mix(&a->mixer, out, frames);
  unlock_mixer(a);
}

// Mixes samples for SDL, which calls this function on the audio thread.
static void fill_buffer(void *context, Uint8 *stream, int bytes) {
  audio_o *audio = context;
  atomic_fetch_add(&audio->callback_count, 1);
  audio_mix(audio, (int16_t *)(void *)stream, (uint32_t)bytes / SOUND_FRAME_BYTES);
}

static bool open_device(audio_o *audio, error_info_t *error) {
  if (!sdl_load(error))
    return false;
  sound_server_mute_errors();
  if (sdl()->InitSubSystem(SDL_INIT_AUDIO) != 0)
    return error_set(error, "%s", sdl()->GetError());
  SDL_AudioSpec desc = {.freq = SOUND_RATE_HZ,
                        .format = AUDIO_S16SYS,
                        .channels = 2,
                        .samples = BUFFER_FRAMES,
                        .callback = fill_buffer,
                        .userdata = audio};
  audio->device = sdl()->OpenAudioDevice(NULL, 0, &desc, NULL, 0);
  if (audio->device == 0) {
    error_set(error, "%s", sdl()->GetError());
    sdl()->QuitSubSystem(SDL_INIT_AUDIO);
    return false;
  }
  audio->callback_s = now_s();
  sdl()->PauseAudioDevice(audio->device, 0);
  return true;
}

static void reset_buses(audio_o *audio);

audio_o *audio_create(bool silent, const assets_t *assets, log_o *log) {
  audio_o *audio = alloc_object(sizeof *audio);
  audio->log = log;
  pthread_mutex_init(&audio->lock, NULL);
  audio->bank = sound_bank_create(assets, log);
  sound_bank_set_silent(audio->bank, silent);
  mixer_init(&audio->mixer);
  reset_buses(audio);
  audio->silent = silent;
  audio->open_pending = !silent;
  return audio;
}

void audio_open(audio_o *audio) {
  bool pending = audio->open_pending;
  error_info_t error = {0};
  audio->open_pending = false;
  if (!pending)
    return;
  audio->missing.server_hash = sound_server_hash();
  audio->missing.poll_s = audio->missing.mixed_s = now_s();
  if (!open_device(audio, &error))
    log_warn(audio->log, "audio: no sound device, playing silently: %s", error.text);
}

static void close_device(audio_o *audio) {
  if (!audio->device)
    return;
  sdl()->CloseAudioDevice(audio->device); // waits until the audio thread has ended
  sdl()->QuitSubSystem(SDL_INIT_AUDIO);
  audio->device = 0;
}

// Tries to open a device if attempts remain. A change of the sound servers or cards resets the number of attempts to
// MAX_TRIES.
static void poll_devices(audio_o *audio) {
  error_info_t error = {0};
  uint64_t hash = sound_server_hash();
  audio->missing.tries = hash != audio->missing.server_hash ? MAX_TRIES : audio->missing.tries;
  audio->missing.server_hash = hash;
  if (audio->missing.tries == 0)
    return;
  --audio->missing.tries;
  if (open_device(audio, &error))
    log_info(audio->log, "audio: found a sound device");
  else
    log_debug(audio->log, "audio: still no sound device: %s", error.text);
}

// Mixes sound that is not heard, so that sounds and music are at the right position when a device appears.
static void mix_without_device(audio_o *audio, double time_s) {
  int16_t unheard[2 * BUFFER_FRAMES];
  double due_s = fmin(time_s - audio->missing.mixed_s, MAX_UNHEARD_S);
  for (int64_t frames = (int64_t)(due_s * SOUND_RATE_HZ); frames >= BUFFER_FRAMES; frames -= BUFFER_FRAMES) {
    audio_mix(audio, unheard, BUFFER_FRAMES);
    due_s -= (double)BUFFER_FRAMES / SOUND_RATE_HZ;
  }
  audio->missing.mixed_s = time_s - due_s;
}

// Returns true if the device has requested no buffer for STALL_S seconds, and the sound servers or cards have changed
// since it was opened. SDL reports when PulseAudio ends. With SDL's driver for PipeWire, the device only stops
// requesting buffers.
static bool has_stalled(audio_o *audio, double time_s) {
  uint32_t count = atomic_load(&audio->callback_count);
  if (count != audio->seen_callbacks) {
    audio->seen_callbacks = count;
    audio->callback_s = time_s;
  }
  return time_s - audio->callback_s > STALL_S && sound_server_hash() != audio->missing.server_hash;
}

// Closes a lost device, for example after its server has ended. While there is no device, advances the mixer and polls
// for a new device.
static void update_device(audio_o *audio) {
  double time_s = now_s();
  if (audio->device &&
      (sdl()->GetAudioDeviceStatus(audio->device) == SDL_AUDIO_STOPPED || has_stalled(audio, time_s))) {
    log_info(audio->log, "audio: the sound device has disappeared: playing silently until one appears");
    close_device(audio);
    audio->missing.tries = MAX_TRIES;
    audio->missing.poll_s = audio->missing.mixed_s = time_s;
  }
  if (audio->device)
    return;
  mix_without_device(audio, time_s);
  if (time_s - audio->missing.poll_s < POLL_S)
    return;
  audio->missing.poll_s = time_s;
  poll_devices(audio);
}

void audio_destroy(audio_o *audio) {
  if (!audio)
    return;
  audio_reset(audio);
  close_device(audio);
  sound_bank_destroy(audio->bank);
  pthread_mutex_destroy(&audio->lock);
  free(audio);
}

bool audio_preload(audio_o *a, const char *name) {
  return sound_bank_preload(a->bank, name);
}

// --- buses

static const audio_bus_t BUILTIN_BUSES[] = {
    {.name = "master", .volume = 1.0f, .duck = 1.0f},
    {.name = "music", .volume = 1.0f, .duck = 0.4f, .attack_s = 0.1f, .release_s = 0.6f, .ducked_by = "voice"},
    {.name = "effects", .volume = 1.0f, .duck = 1.0f},
    {.name = "voice", .volume = 1.0f, .duck = 1.0f},
    {.name = "ui", .volume = 1.0f, .duck = 1.0f},
};

static int32_t find_bus(const audio_o *a, const char *name) {
  for (uint32_t i = 0; i < a->bus_count; ++i)
    if (strcmp(a->buses[i].desc.name, name) == 0)
      return (int32_t)i;
  return -1;
}

// Returns the bus with this name. NULL and "" select "effects". Creates a missing bus with full volume. If no bus is
// free, returns "effects".
static uint32_t find_or_add_bus(audio_o *audio, const char *name) {
  int32_t index = find_bus(audio, name && name[0] ? name : "effects");
  if (index >= 0)
    return (uint32_t)index;
  if (audio->bus_count == MIXER_BUSES)
    return find_or_add_bus(audio, "effects");
  bus_t bus = {.desc = {.volume = 1.0f, .duck = 1.0f}, .player_volume = 1.0f, .script_volume = 1.0f};
  snprintf(bus.desc.name, sizeof bus.desc.name, "%s", name);
  audio->buses[audio->bus_count] = bus;
  return audio->bus_count++;
}

static bool contains_name(const char *names, const char *key) {
  size_t length = strlen(key);
  for (const char *match = names; (match = strstr(match, key)); match += length)
    if ((match == names || match[-1] == ' ') && (match[length] == ' ' || match[length] == '\0'))
      return true;
  return false;
}

static float min_cutoff(float a, float b) { // returns the lower frequency; 0 means no filter
  return a > 0.0f && (a < b || !(b > 0.0f)) ? a : b;
}

static void compute_bus_effects(const bus_t *bus, mixer_bus_t *out) {
  float share = fmaxf(bus->desc.reverb, fmaxf(bus->script_effects.reverb, bus->music_effects.reverb));
  out->lowpass.target_hz =
      min_cutoff(bus->desc.lowpass_hz, min_cutoff(bus->script_effects.lowpass_hz, bus->music_effects.lowpass_hz));
  out->lowpass.glide_s = bus->glide_s;
  out->reverb = clamp(share, 0.0f, 1.0f);
}

static void apply_buses(audio_o *audio) {
  lock_mixer(audio);
  for (uint32_t i = 0; i < audio->bus_count; ++i) {
    const bus_t *bus = &audio->buses[i];
    mixer_bus_t *out = &audio->mixer.buses[i];
    out->volume = clamp(bus->desc.volume, 0.0f, 1.0f) * bus->player_volume * bus->script_volume;
    out->duck = clamp(bus->desc.duck, 0.0f, 1.0f);
    out->attack_s = bus->desc.attack_s;
    out->release_s = bus->desc.release_s;
    compute_bus_effects(bus, out);
    out->ducked_by = 0;
    for (uint32_t k = 0; k < audio->bus_count; ++k)
      out->ducked_by |= contains_name(bus->desc.ducked_by, audio->buses[k].desc.name) ? 1u << k : 0;
  }
  unlock_mixer(audio);
}

static void declare_bus(audio_o *a, const audio_bus_t *desc) {
  bus_t *bus = &a->buses[find_or_add_bus(a, desc->name)];
  bus->desc = *desc;
  bus->declared = true;
}

void audio_set_buses(audio_o *audio, const audio_buses_t *buses) {
  for (uint32_t i = 0; i < audio->bus_count; ++i) {
    bus_t *bus = &audio->buses[i];
    bus->declared = false;
    bus->desc.volume = bus->desc.duck = 1.0f;
    bus->desc.ducked_by[0] = '\0';
    bus->desc.lowpass_hz = bus->desc.reverb = 0.0f;
  }
  for (size_t i = 0; i < sizeof BUILTIN_BUSES / sizeof BUILTIN_BUSES[0]; ++i)
    declare_bus(audio, &BUILTIN_BUSES[i]);
  for (uint32_t i = 0; i < buses->count; ++i)
    declare_bus(audio, &buses->items[i]);
  shoal_assert(find_bus(audio, "master") == MIXER_MASTER, "master must be the first bus");
  apply_buses(audio);
}

static void reset_buses(audio_o *a) {
  a->bus_count = 0;
  audio_set_buses(a, &(audio_buses_t){0});
}

uint32_t audio_bus_count(const audio_o *a) {
  return a->bus_count;
}

const char *audio_bus_name(const audio_o *a, uint32_t bus) {
  shoal_assert(bus < a->bus_count, "bus %u is out of range (count %u)", bus, a->bus_count);
  return a->buses[bus].desc.name;
}

bool audio_has_bus(const audio_o *a, const char *name) {
  int32_t bus = find_bus(a, name);
  return bus >= 0 && a->buses[bus].declared;
}

void audio_set_player_volume(audio_o *a, uint32_t bus, float volume) {
  volume = clamp(volume, 0.0f, 1.0f);
  if (bus >= a->bus_count || a->buses[bus].player_volume == volume)
    return;
  a->buses[bus].player_volume = volume;
  apply_buses(a);
}

void audio_set_mono(audio_o *a, bool mono) {
  lock_mixer(a);
  a->mixer.mono = mono;
  unlock_mixer(a);
}

float audio_get_player_volume(const audio_o *a, uint32_t bus) {
  shoal_assert(bus < a->bus_count, "bus %u is out of range (count %u)", bus, a->bus_count);
  return a->buses[bus].player_volume;
}

static bool ignores_calls(const audio_o *a) {
  return a->muted || a->repeating;
}

void audio_set_volume(audio_o *a, const char *bus, float volume) {
  if (ignores_calls(a))
    return;
  a->buses[find_or_add_bus(a, bus)].script_volume = clamp(volume, 0.0f, 1.0f);
  apply_buses(a);
}

static bool set_effects(effects_t *effects, float lowpass_hz, float reverb) {
  effects_t new_effects = {.lowpass_hz = clamp(lowpass_hz, 0.0f, EFFECTS_OPEN_HZ), .reverb = clamp(reverb, 0.0f, 1.0f)};
  bool same = new_effects.lowpass_hz == effects->lowpass_hz && new_effects.reverb == effects->reverb;
  *effects = new_effects;
  return !same;
}

void audio_set_effects(audio_o *a, const char *bus, float lowpass_hz, float reverb, float fade_s) {
  if (ignores_calls(a))
    return;
  bus_t *target = &a->buses[find_or_add_bus(a, bus)];
  target->glide_s = clamp(fade_s, 0.0f, 60.0f);
  set_effects(&target->script_effects, lowpass_hz, reverb);
  apply_buses(a);
}

// --- positional sound

// Returns the gain and pitch of a sound. The gain depends on the pan and, if the sound is positional, on its position.
static mixer_gain_t compute_gain(const audio_o *audio, const audio_sound_t *params) {
  float pan = clamp(params->pan, -1.0f, 1.0f), attenuation = 1.0f;
  if (params->placed) {
    float x = params->x - audio->listener_x, y = params->y - audio->listener_y, distance = sqrtf(x * x + y * y);
    float range = params->range > 1.0f ? params->range : 1.0f, within = clamp(params->within, 0.0f, range - 0.5f);
    float lateral = x * cosf(audio->listener_angle) + y * sinf(audio->listener_angle);
    attenuation = distance <= within ? 1.0f : clamp((range - distance) / (range - within), 0.0f, 1.0f);
    attenuation *= attenuation;
    pan = clamp(pan + clamp(lateral / (0.5f * range), -SIDE_MAX, SIDE_MAX), -1.0f, 1.0f);
  }
  return (mixer_gain_t){.left = (pan > 0.0f ? 1.0f - pan : 1.0f) * attenuation,
                        .right = (pan < 0.0f ? 1.0f + pan : 1.0f) * attenuation,
                        .pitch = params->pitch};
}

void audio_set_listener(audio_o *audio, float x, float y, float angle) {
  bool same = x == audio->listener_x && y == audio->listener_y && angle == audio->listener_angle;
  if (audio->silent || ignores_calls(audio) || same || !(x - x == 0.0f) || !(y - y == 0.0f) || !(angle - angle == 0.0f))
    return;
  audio->listener_x = x;
  audio->listener_y = y;
  audio->listener_angle = angle;
  lock_mixer(audio);
  for (uint32_t i = 0; i < CHANNELS; ++i)
    if (audio->channels[i].params.placed && mixer_is_playing(&audio->mixer, i))
      mixer_set_gain(&audio->mixer, i, compute_gain(audio, &audio->channels[i].params));
  unlock_mixer(audio);
}

// --- voices

// Returns the channel that plays the voice, or -1 if no channel plays it. The lock must be held.
static int find_channel(const audio_o *a, uint32_t voice) {
  for (uint32_t i = 0; voice != 0 && i < CHANNELS; ++i)
    if (a->channels[i].voice == voice)
      return mixer_is_playing(&a->mixer, i) ? (int)i : -1;
  return -1;
}

// Returns a free channel. If all channels are in use, returns the channel with the oldest sound that does not loop, or
// -1 if all sounds loop. The lock must be held.
static int choose_channel(const audio_o *audio) {
  int oldest = -1;
  for (int i = 0; i < CHANNELS; ++i) {
    if (!mixer_is_playing(&audio->mixer, (uint32_t)i))
      return i;
    if (!audio->channels[i].params.loop &&
        (oldest < 0 || audio->channels[i].sequence < audio->channels[oldest].sequence))
      oldest = i;
  }
  return oldest;
}

// Starts a sound on a channel. The lock must be held.
static void start_voice(audio_o *audio, int channel, mixer_sound_t sound, const audio_sound_t *params) {
  mixer_play_t play = {.sound = sound,
                       .gain = compute_gain(audio, params),
                       .level = clamp(params->volume, 0.0f, 1.0f),
                       .fade_s = clamp(params->fade_s, 0.0f, 60.0f),
                       .bus = find_or_add_bus(audio, params->bus),
                       .loop = params->loop};
  shoal_assert(channel >= 0 && channel < CHANNELS, "channel %d is out of range (count %d)", channel, CHANNELS);
  mixer_play(&audio->mixer, (uint32_t)channel, &play);
}

// Plays a sound under the given voice number. Returns true on success, or false if the sound cannot be played, the
// system is silent, or looping sounds use all channels.
static bool play_voice(audio_o *audio, uint32_t voice, const char *name, const audio_sound_t *params) {
  char file[ASSETS_SOUND_NAME_BYTES];
  shoal_assert(voice != 0, "%s: voice must not be 0", name);
  mixer_sound_t sound = sound_bank_find_or_load(audio->bank, sound_bank_choose_variant(audio->bank, name, voice, file));
  if (!sound.samples || audio->silent)
    return false;
  lock_mixer(audio);
  int channel = choose_channel(audio);
  for (int i = 0; channel >= 0 && i < CHANNELS; ++i) // if a tick is simulated again, the voice number may be in use
    if (audio->channels[i].voice == voice)
      audio->channels[i].voice = 0;
  if (channel >= 0) {
    audio->channels[channel] = (channel_t){.voice = voice, .sequence = ++audio->play_count, .params = *params};
    start_voice(audio, channel, sound, params);
    audio->channels[channel].params.bus = NULL; // the string is owned by the caller
  }
  unlock_mixer(audio);
  return channel >= 0;
}

void audio_mute(audio_o *a, bool muted) {
  a->muted = muted;
}

uint32_t audio_play(audio_o *a, const char *file, const audio_sound_t *params) {
  uint32_t voice = AUDIO_FIRST_AUTO_VOICE + a->last_voice % AUDIO_FIRST_AUTO_VOICE;
  if (ignores_calls(a) || !file || file[0] == '\0' || !play_voice(a, voice, file, params))
    return 0;
  a->last_voice++;
  return voice;
}

static channel_t *find_sequence(audio_o *a, uint64_t sequence) {
  for (uint32_t i = 0; sequence != 0 && i < CHANNELS; ++i)
    if (a->channels[i].sequence == sequence)
      return &a->channels[i];
  return NULL;
}

void audio_play_with_voice(audio_o *a, uint32_t voice, const char *file, const audio_sound_t *params) {
  shoal_assert(voice > 0 && voice < AUDIO_FIRST_AUTO_VOICE, "voice %u is out of range [1, %u]", voice,
               AUDIO_FIRST_AUTO_VOICE - 1u);
  if (ignores_calls(a) || !file || file[0] == '\0')
    return;
  bool is_new;
  started_sound_t *started = repeated_sounds_add(&a->repeated, hash_text(file), &is_new);
  if (is_new) {
    bool plays = play_voice(a, voice, file, params);
    if (started)
      started->sequence = plays ? a->play_count : 0;
    return;
  }
  channel_t *channel = find_sequence(a, started->sequence);
  if (channel)
    channel->voice = voice; // the tick's other sounds may have changed the voice numbers
}

void audio_set_repeating(audio_o *a, bool repeating) {
  a->repeating = repeating;
}

static void stop_channel(audio_o *audio, uint32_t channel, float fade_s) {
  lock_mixer(audio);
  mixer_stop(&audio->mixer, channel, clamp(fade_s, 0.0f, 60.0f));
  audio->channels[channel].voice = 0;
  audio->channels[channel].params.loop = false; // other sounds may reuse the channel while this sound fades out
  unlock_mixer(audio);
}

void audio_stop(audio_o *audio, uint32_t voice, float fade_s) {
  if (audio->silent || ignores_calls(audio))
    return;
  lock_mixer(audio);
  int channel = find_channel(audio, voice);
  unlock_mixer(audio);
  if (channel >= 0)
    stop_channel(audio, (uint32_t)channel, fade_s);
}

static void stop_sequence(audio_o *a, uint64_t sequence, float fade_s) {
  channel_t *channel = find_sequence(a, sequence);
  if (channel)
    stop_channel(a, (uint32_t)(channel - a->channels), fade_s);
}

void audio_begin_tick(audio_o *a, uint64_t tick) {
  repeated_sounds_begin(&a->repeated, tick);
}

void audio_end_tick(audio_o *a) {
  started_sound_t stopped;
  const started_sound_t *moved;
  while ((moved = repeated_sounds_move_earlier(&a->repeated, &stopped)) != NULL) {
    const channel_t *stopped_channel = find_sequence(a, stopped.sequence);
    channel_t *channel = find_sequence(a, moved->sequence);
    if (stopped_channel && channel)
      channel->voice = stopped_channel->voice; // the voice number belongs to the earlier tick's entity
    stop_sequence(a, stopped.sequence, 0);
  }
  repeated_sounds_end(&a->repeated);
}

void audio_confirm_tick(audio_o *a, uint64_t tick) {
  started_sound_t expired;
  while (repeated_sounds_pop_expired(&a->repeated, tick, &expired))
    stop_sequence(a, expired.sequence, MISSING_FADE_S);
}

static void set_if_finite(float *target, float value) {
  *target = value - value == 0.0f ? value : *target;
}

void audio_update_voice(audio_o *audio, uint32_t voice, const audio_sound_t *params) {
  if (audio->silent || ignores_calls(audio))
    return;
  lock_mixer(audio);
  int channel = find_channel(audio, voice);
  if (channel >= 0) {
    audio_sound_t *current = &audio->channels[channel].params;
    float volume = current->volume;
    set_if_finite(&current->volume, params->volume);
    set_if_finite(&current->pan, params->pan);
    set_if_finite(&current->pitch, params->pitch);
    set_if_finite(&current->x, params->x);
    set_if_finite(&current->y, params->y);
    set_if_finite(&current->range, params->range);
    set_if_finite(&current->within, params->within);
    current->placed |= params->placed;
    mixer_set_gain(&audio->mixer, (uint32_t)channel, compute_gain(audio, current));
    if (current->volume != volume) // an unchanged volume must not interrupt a fade
      mixer_fade(&audio->mixer, (uint32_t)channel, clamp(current->volume, 0.0f, 1.0f),
                 clamp(params->fade_s, 0.0f, 60.0f));
  }
  unlock_mixer(audio);
}

bool audio_is_playing(const audio_o *a, uint32_t voice) {
  if (a->silent || a->muted)
    return false;
  lock_mixer(a);
  bool playing = find_channel(a, voice) >= 0;
  unlock_mixer(a);
  return playing;
}

// --- layers

static bool ignores_layers(const audio_o *a) {
  return a->silent || ignores_calls(a);
}

void audio_layers_begin(audio_o *a) {
  if (ignores_layers(a))
    return;
  a->layers_declared = true;
  for (uint32_t i = 0; i < AUDIO_LAYERS; ++i)
    a->layers[i].declared_this_frame = false;
}

// Returns the layer with this file and piece, or else a free layer. Returns NULL if all layers are in use.
static layer_t *find_layer(audio_o *audio, const char *file, double piece_start) {
  layer_t *free_layer = NULL;
  for (uint32_t i = 0; i < AUDIO_LAYERS; ++i) {
    layer_t *layer = &audio->layers[i];
    if (layer->file[0] && layer->piece_start == piece_start && strcmp(layer->file, file) == 0)
      return layer;
    free_layer = !layer->file[0] && !free_layer ? layer : free_layer;
  }
  return free_layer;
}

// Returns the mixer frame at which the piece of a layer started. A new piece starts now. If it is late by more than
// `drift_s` seconds, it starts at `origin` instead.
static int64_t find_layer_origin(const audio_o *a, double piece_start, int64_t origin, double drift_s) {
  int64_t current_frame = (int64_t)a->mixer.mixed_frames;
  for (uint32_t i = 0; i < AUDIO_LAYERS; ++i)
    if (a->layers[i].file[0] && a->layers[i].piece_start == piece_start)
      return a->layers[i].origin;
  return (double)(current_frame - origin) <= drift_s * SOUND_RATE_HZ ? current_frame : origin;
}

static uint64_t get_layer_position(const audio_o *a, const layer_t *layer) {
  int64_t position = (int64_t)a->mixer.mixed_frames - layer->origin;
  return position > 0 ? (uint64_t)position : 0;
}

// Starts a layer at the current position of its piece. The lock must be held.
static void start_layer(audio_o *audio, layer_t *layer, mixer_sound_t sound, float volume) {
  uint32_t channel = LAYER_CHANNEL + (uint32_t)(layer - audio->layers);
  mixer_play_t play = {.sound = sound,
                       .gain = {.left = 1.0f, .right = 1.0f, .pitch = 1.0f},
                       .level = volume,
                       .fade_s = LAYER_FADE_S,
                       .bus = find_or_add_bus(audio, "music"),
                       .loop = true};
  shoal_assert(channel < MIXER_VOICES, "layer %td is out of range (count %d)", layer - audio->layers, AUDIO_LAYERS);
  mixer_play(&audio->mixer, channel, &play);
  mixer_seek(&audio->mixer, channel, get_layer_position(audio, layer));
}

// Repositions all layers of the piece together, to keep them synchronous. The lock must be held.
static void resync_layers(audio_o *audio, double piece_start, int64_t origin) {
  for (uint32_t i = 0; i < AUDIO_LAYERS; ++i) {
    layer_t *layer = &audio->layers[i];
    if (!layer->file[0] || layer->piece_start != piece_start)
      continue;
    layer->origin = origin;
    if (mixer_is_playing(&audio->mixer, LAYER_CHANNEL + i))
      mixer_seek(&audio->mixer, LAYER_CHANNEL + i, get_layer_position(audio, layer));
  }
  audio->last_resync_frame = audio->mixer.mixed_frames;
}

static bool is_out_of_sync(const audio_o *a, const layer_t *layer, int64_t origin, double drift_s) {
  double deviation_s = fabs((double)(layer->origin - origin)) / SOUND_RATE_HZ;
  return deviation_s > drift_s &&
         (deviation_s > JUMP_S || a->mixer.mixed_frames - a->last_resync_frame > SOUND_RATE_HZ);
}

// Starts the layer if it is not playing, and fades it to `volume`. The lock must be held.
static void update_layer(audio_o *a, layer_t *layer, mixer_sound_t sound, float volume) {
  uint32_t channel = LAYER_CHANNEL + (uint32_t)(layer - a->layers);
  const mixer_voice_t *v = &a->mixer.voices[channel];
  if (v->sound.samples != sound.samples || v->ending)
    start_layer(a, layer, sound, volume);
  else if (v->target_level != volume)
    mixer_fade(&a->mixer, channel, volume, LAYER_FADE_S);
}

void audio_declare_layer(audio_o *audio, const char *file, const audio_position_t *position, float volume) {
  if (ignores_calls(audio) || !file[0] || strlen(file) >= AUDIO_LAYER_NAME)
    return;
  mixer_sound_t sound = sound_bank_get_music(audio->bank, file);
  layer_t *layer = sound.samples ? find_layer(audio, file, position->began) : NULL;
  bool exists = layer && layer->file[0];
  volume = audio->layers_silent ? 0.0f : clamp(volume, 0.0f, 1.0f);
  if (!layer || (!exists && !(volume > 0.0f)))
    return;
  lock_mixer(audio);
  int64_t origin = (int64_t)audio->mixer.mixed_frames - (int64_t)(position->at_s * SOUND_RATE_HZ);
  if (!exists) {
    layer->origin = find_layer_origin(audio, position->began, origin, position->drift_s);
    layer->piece_start = position->began;
    snprintf(layer->file, sizeof layer->file, "%s", file);
  }
  layer->declared_this_frame = volume > 0.0f;
  if (layer->declared_this_frame && is_out_of_sync(audio, layer, origin, position->drift_s))
    resync_layers(audio, layer->piece_start, origin);
  if (layer->declared_this_frame)
    update_layer(audio, layer, sound, volume);
  unlock_mixer(audio);
}

// Fades out the layers that were not declared in this frame, and frees the layers that have faded out.
static void fade_out_undeclared_layers(audio_o *audio) {
  lock_mixer(audio);
  for (uint32_t i = 0; i < AUDIO_LAYERS; ++i) {
    layer_t *layer = &audio->layers[i];
    const mixer_voice_t *voice_state = &audio->mixer.voices[LAYER_CHANNEL + i];
    if (layer->declared_this_frame || !layer->file[0])
      continue;
    if (!voice_state->sound.samples)
      *layer = (layer_t){0};
    else if (!voice_state->ending)
      mixer_stop(&audio->mixer, LAYER_CHANNEL + i, LAYER_FADE_S);
  }
  unlock_mixer(audio);
}

void audio_layers_end(audio_o *a, float lowpass_hz, float reverb) {
  if (ignores_layers(a))
    return;
  fade_out_undeclared_layers(a);
  bus_t *music = &a->buses[find_or_add_bus(a, "music")];
  if (set_effects(&music->music_effects, lowpass_hz, reverb))
    apply_buses(a);
}

void audio_layers_set_silent(audio_o *a, bool silent) {
  a->layers_silent = silent;
}

// Fades out all layers if audio_layers_begin was not called since the last frame, for example after the game was
// replaced.
static void end_abandoned_layers(audio_o *a) {
  if (!a->layers_declared && !ignores_layers(a)) {
    audio_layers_begin(a);
    audio_layers_end(a, 0.0f, 0.0f);
  }
  a->layers_declared = false;
}

// --- frame update

void audio_frame(audio_o *a, bool wait) {
  if (!a->silent && !a->open_pending)
    update_device(a);
  sound_bank_advance(a->bank, wait);
  end_abandoned_layers(a);
  lock_mixer(a);
  sound_bank_release_unused(a->bank, &a->mixer);
  unlock_mixer(a);
}

// --- reloading files

// Switches the looping voices that play `old_sound` to `new_sound`.
static void replace_loops(audio_o *audio, const mixer_sound_t *old_sound, const mixer_sound_t *new_sound) {
  lock_mixer(audio);
  for (uint32_t channel = 0; old_sound->samples && channel < CHANNELS; ++channel) {
    const mixer_voice_t *voice_state = &audio->mixer.voices[channel];
    if (voice_state->sound.samples != old_sound->samples || !voice_state->loop || voice_state->ending)
      continue;
    mixer_play_t play = {
        .sound = *new_sound, .level = voice_state->target_level, .bus = voice_state->bus, .loop = true};
    play.gain = compute_gain(audio, &audio->channels[channel].params);
    mixer_play(&audio->mixer, channel, &play);
  }
  unlock_mixer(audio);
}

asset_fate_t audio_asset_changed(audio_o *a, const char *name, error_info_t *error) {
  mixer_sound_t old_sound, new_sound;
  asset_fate_t fate = sound_bank_asset_changed(a->bank, name, &old_sound, &new_sound, error);
  if (fate == ASSET_RELOADED)
    replace_loops(a, &old_sound, &new_sound);
  return fate;
}

void audio_reset(audio_o *audio) {
  lock_mixer(audio);
  mixer_init(&audio->mixer);
  unlock_mixer(audio);
  memset(audio->layers, 0, sizeof audio->layers);
  sound_bank_clear(audio->bank);
  memset(audio->channels, 0, sizeof audio->channels);
  audio->repeated = (repeated_sounds_t){0};
  reset_buses(audio);
}
