// A voice is a number that counts up, so that a late audio_stop never hits another sound; a channel knows which voice
// it plays, and is a voice of the mixer. Files are read whole: nothing that plays depends on a file that somebody is
// about to change.
//
// A WAV is decoded here. Every other format is decoded by a library, in a decoder process (decode/decoder.h), and so is
// music: what plays in this process are samples, which can do no harm. Music begins when its copy has come to its end.
//
// The thread of the loudspeakers runs the mixer and nothing else; whoever else touches the mixer holds the lock.
#include "platform/audio.h"

#include "decode/decoder_batch.h"
#include "base/assert.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/rebind.h"
#include "platform/mixer.h"
#include "platform/sdl_mixer.h"
#include "platform/sound_file.h"

#include <SDL2/SDL.h>
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CHANNELS 32
#define MUSIC_CHANNEL CHANNELS // and the next one, by turns
#define LAYER_CHANNEL (MUSIC_CHANNEL + 2)
#define LAYER_FADE_S 0.12f // of its volume, which is told anew each frame
#define DRIFT_MOST_S 0.1   // from where a layer ought to be
#define JUMP_S 1.0         // that is a rewind, and not a slow frame
#define BUFFER_FRAMES 512
#define SOUND_MS 5000u  // of processor time, to decode one
#define MUSIC_MS 20000u // nothing waits for it
#define AHEAD_MOST 16   // sounds that were decoded ahead, which a frame takes
#define VARIANTS_MOST 64u
#define SIDE_MOST 0.9f // of a sound far to one side: the other ear hears the rest

static_assert(LAYER_CHANNEL + AUDIO_LAYERS == MIXER_VOICES, "each channel is a voice of the mixer");

typedef struct clip_t {
  uint64_t ahead;      // its number among those that are decoded ahead; 0 for none
  char *name;          // NULL: replaced by a newer one, and freed once no channel plays it
  mixer_sound_t sound; // in SDL's memory. No samples: could not be loaded, and that was said
} clip_t;

// What a name without an ending stands for.
typedef struct family_t {
  char *name;
  uint32_t count; // of NAME_1 to NAME_count; 0: it is one file
  uint32_t last;  // that was heard
} family_t;

typedef struct channel_t {
  uint32_t voice; // 0: no voice plays it any more
  uint64_t began; // which of all that were played it is
  audio_sound_t how;
} channel_t;

// Music from its file to its samples.
typedef struct tune_t {
  decoder_t decoder; // then keeps its samples
  char *bytes;       // of the file, while it is decoded; NULL: no tune
  size_t size_bytes;
  bool decodes; // `decoder` is running
  mixer_sound_t sound;
} tune_t;

typedef struct effects_t {
  float lowpass_hz, reverb; // 0: none
} effects_t;

typedef struct bus_t {
  audio_bus_t declared;
  bool known; // it is among the declared ones; else a script was earlier than the declaration
  float choice, asked;
  effects_t script, score; // that a script asks for, and the piece that plays
  float glide_s;
} bus_t;

// A layer of a piece, on the channel of its number.
typedef struct layer_t {
  char file[AUDIO_LAYER_NAME]; // "": none
  double began;
  int64_t origin; // the frame of the mixer at which its piece began
  bool told;
} layer_t;

struct audio_o {
  bool silent, muted;
  const sdl_mixer_t *device; // NULL: none is open
  bool waits;                // for audio_open
  const assets_t *assets;
  log_o *log;
  uint32_t last_voice;
  uint64_t plays;
  channel_t channels[CHANNELS];
  clip_t *clips;
  size_t clip_count, clip_capacity;
  family_t *families;
  size_t family_count;
  bus_t buses[MIXER_BUSES];
  uint32_t bus_count;
  float listener_x, listener_y, listener_angle;
  char *music_name;
  tune_t music[2], next; // what plays on each of the channels, and what is decoded to play then
  uint32_t music_turn;   // which of the channels the newest plays on
  float next_fade_s, music_volume;
  layer_t layers[AUDIO_LAYERS];
  uint64_t layers_mended; // the frame of the mixer
  bool layers_told, layers_held;
  bool shown;         // there has been a frame
  bool music_is_due;  // it was asked for before that, and is not read yet
  allocator_t memory; // of files
  decoder_batch_o *ahead;
  uint64_t last_ahead;
  bool repeating;
  SDL_mutex *lock;
  mixer_t mixer;
};

static float clamp(float x, float low, float high) {
  return x >= low ? (x <= high ? x : high) : low; // NaN becomes `low`
}

static void lock(const audio_o *a) {
  SDL_LockMutex(a->lock);
}

static void unlock(const audio_o *a) {
  SDL_UnlockMutex(a->lock);
}

// The thread of the loudspeakers.
static void fill(void *context, Uint8 *stream, int bytes) {
  audio_o *a = context;
  lock(a);
  mixer_mix(&a->mixer, (int16_t *)(void *)stream, (uint32_t)bytes / SOUND_FRAME_BYTES);
  unlock(a);
}

static bool open_device(audio_o *a) {
  if (SDL_InitSubSystem(SDL_INIT_AUDIO) != 0)
    return false;
  const sdl_mixer_t *mixer = sdl_mixer_load();
  if (!mixer || mixer->OpenAudio(SOUND_RATE_HZ, AUDIO_S16SYS, 2, BUFFER_FRAMES) != 0) {
    SDL_QuitSubSystem(SDL_INIT_AUDIO);
    return false;
  }
  mixer->Init(MIX_INIT_OGG);
  mixer->AllocateChannels(0);
  a->device = mixer;
  mixer->HookMusic(fill, a);
  return true;
}

static bool decode_job(decode_job_t *job);
static void prepare_decoding(void);
static void reset_buses(audio_o *a);

audio_o *audio_create(bool silent, const assets_t *assets, log_o *log) {
  audio_o *a = calloc(1, sizeof *a);
  if (!a)
    abort();
  a->assets = assets;
  a->log = log;
  a->lock = SDL_CreateMutex();
  mixer_init(&a->mixer);
  reset_buses(a);
  a->silent = silent;
  a->waits = !silent;
  a->ahead = decoder_batch_create(&(decoder_batch_desc_t){
      .decode = decode_job, .prepare = prepare_decoding, .room_bytes = SOUND_MOST_BYTES + 64, .limit_ms = SOUND_MS});
  return a;
}

void audio_open(audio_o *a) {
  bool due = a->waits;
  a->waits = false;
  if (!due || open_device(a))
    return;
  log_warn(a->log, "audio: silent, no sound device: %s", SDL_GetError());
  a->silent = true; // what plays already is heard by nobody
}

void audio_destroy(audio_o *a) {
  if (!a)
    return;
  audio_forget(a);
  shoal_assert(a->memory.bytes == 0, "audio kept %zu bytes of files", a->memory.bytes);
  decoder_batch_destroy(a->ahead);
  if (a->device) {
    a->device->HookMusic(NULL, NULL); // waits for the other thread
    a->device->CloseAudio();
    a->device->Quit();
    SDL_QuitSubSystem(SDL_INIT_AUDIO);
  }
  SDL_DestroyMutex(a->lock);
  free(a);
}

// --- files

// A sound's whole file, and its head. `whole`: also refuse what can be seen to be only a part of one.
static char *read_sound(audio_o *a, const char *name, bool whole, sound_head_t *head, size_t *size_bytes,
                        error_t *error) {
  char path[1280];
  error_t why = {0};
  if (!assets_find(a->assets, name, path, sizeof path)) {
    error_set(error, "%s", path);
    return NULL;
  }
  char *bytes = file_read(&a->memory, path, size_bytes, error);
  if (!bytes)
    return NULL;
  bool good = sound_head_read((const uint8_t *)bytes, *size_bytes, whole, head, &why);
  if (good && *size_bytes < INT32_MAX)
    return bytes;
  error_set(error, "%s: cannot be played: %s", path, good ? "the file is too large" : why.text);
  file_free(&a->memory, bytes, *size_bytes);
  return NULL;
}

static void do_nothing(SDL_AudioDeviceID device) {
  (void)device;
}

// In the decoder process, before it is restricted. The audio thread does not exist there: had it held the device's lock
// when the process was forked, nothing would release it.
static void prepare_decoding(void) {
  static const rebind_t locks[] = {{"SDL_LockAudioDevice", (void *)(uintptr_t)do_nothing},
                                   {"SDL_UnlockAudioDevice", (void *)(uintptr_t)do_nothing}};
  const sdl_mixer_t *mixer = sdl_mixer_load();
  if (!mixer)
    return;
  rebind((const void *)(uintptr_t)mixer->LoadWAV_RW, locks, sizeof locks / sizeof *locks);
  mixer->Init(MIX_INIT_OGG | MIX_INIT_OPUS | MIX_INIT_FLAC | MIX_INIT_MP3); // may load their libraries
}

// As it is played, in SDL's memory; NULL when it cannot be decoded. In the decoder process.
static void *decode(const void *bytes, size_t size_bytes, const sound_head_t *head, size_t *out_bytes) {
  if (head->format == FORMAT_WAV)
    return sound_wav_decode(bytes, head, out_bytes);
  const sdl_mixer_t *mixer = sdl_mixer_load();
  Mix_Chunk *chunk = mixer ? mixer->LoadWAV_RW(SDL_RWFromConstMem(bytes, (int)size_bytes), 1) : NULL;
  if (!chunk)
    return NULL;
  void *samples = chunk->abuf;
  *out_bytes = chunk->alen / SOUND_FRAME_BYTES * SOUND_FRAME_BYTES;
  chunk->allocated = 0;
  mixer->FreeChunk(chunk);
  return samples;
}

// What the decoder process returns: this, then the samples.
typedef struct decoded_t {
  uint32_t loop_from, loop_to, lost_loop, unused;
} decoded_t;

static bool decode_job(decode_job_t *job) {
  sound_head_t head;
  size_t bytes = 0;
  error_t error = {0};
  if (!sound_head_read(job->in, job->in_bytes, false, &head, &error))
    return error_set(job->why, "%s", error.text);
  void *samples = decode(job->in, job->in_bytes, &head, &bytes);
  size_t all = bytes + sizeof(decoded_t);
  job->needs_room = samples && all > job->out_bytes && bytes <= SOUND_MOST_BYTES;
  if (!samples || bytes == 0 || all > job->out_bytes)
    return error_set(job->why, "%s",
                     !samples     ? SDL_GetError()
                     : bytes == 0 ? "it has no samples"
                                  : "it is longer than 25 minutes");
  decoded_t *out = (decoded_t *)job->out;
  *out = (decoded_t){0};
  out->lost_loop = !sound_loop(&head, (uint32_t)(bytes / SOUND_FRAME_BYTES), &out->loop_from, &out->loop_to);
  memcpy(out + 1, samples, bytes);
  SDL_free(samples);
  job->out_bytes = all;
  return true;
}

// Its result, in the memory that it shares; without samples if there are none. No number in it is trusted.
static mixer_sound_t decoded(const uint8_t *out, size_t out_bytes, bool *lost_loop) {
  const decoded_t *head = (const decoded_t *)(const void *)out;
  size_t frames = out && out_bytes > sizeof *head ? (out_bytes - sizeof *head) / SOUND_FRAME_BYTES : 0;
  *lost_loop = frames > 0 && head->lost_loop;
  if (frames == 0)
    return (mixer_sound_t){0};
  bool good = head->loop_from < head->loop_to && head->loop_to <= frames;
  return (mixer_sound_t){.samples = (const int16_t *)(const void *)(head + 1),
                         .frames = (uint32_t)frames,
                         .loop_from = good ? head->loop_from : 0,
                         .loop_to = good ? head->loop_to : 0};
}

static void say_lost_loop(audio_o *a, const char *name, bool lost) {
  char who[160];
  if (lost)
    log_warn(a->log, "audio: %s: its loop points lie outside of the file: all of it is repeated%s", name,
             assets_who_asked(a->assets, name, who, sizeof who));
}

static bool begin_decode(decoder_t *decoder, const char *bytes, size_t size_bytes, uint32_t limit_ms, error_t *error) {
  return decoder_begin(decoder,
                       &(decoder_desc_t){.decode = decode_job,
                                         .prepare = prepare_decoding,
                                         .in = bytes,
                                         .in_bytes = size_bytes,
                                         .out_bytes = SOUND_MOST_BYTES + sizeof(decoded_t),
                                         .limit_ms = limit_ms},
                       error);
}

// Into SDL's memory, for a clip; without samples where there is none.
static mixer_sound_t copy_sound(mixer_sound_t sound) {
  size_t bytes = (size_t)sound.frames * SOUND_FRAME_BYTES;
  void *copy = sound.samples ? SDL_malloc(bytes) : NULL;
  if (copy)
    memcpy(copy, sound.samples, bytes);
  sound.samples = copy;
  return sound;
}

static void free_sound(mixer_sound_t *sound) {
  SDL_free((void *)(uintptr_t)sound->samples);
  *sound = (mixer_sound_t){0};
}

static mixer_sound_t decode_wav(const char *bytes, const sound_head_t *head, bool *lost_loop) {
  size_t out_bytes = 0;
  void *samples = sound_wav_decode((const uint8_t *)bytes, head, &out_bytes);
  mixer_sound_t sound = {.samples = samples, .frames = (uint32_t)(out_bytes / SOUND_FRAME_BYTES)};
  if (samples && sound.frames == 0)
    free_sound(&sound);
  *lost_loop = sound.samples && !sound_loop(head, sound.frames, &sound.loop_from, &sound.loop_to);
  return sound;
}

// Decodes it in a decoder process, and waits for it.
static mixer_sound_t decode_compressed(const char *bytes, size_t size_bytes, bool *lost_loop, error_t *error) {
  decoder_t decoder;
  size_t out_bytes = 0;
  if (!begin_decode(&decoder, bytes, size_bytes, SOUND_MS, error))
    return (mixer_sound_t){0};
  const uint8_t *out = decoder_end(&decoder, &out_bytes, error);
  mixer_sound_t sound = copy_sound(decoded(out, out_bytes, lost_loop));
  decoder_free(&decoder);
  return sound;
}

// Of a clip; without samples, and with words, when it cannot be played.
static mixer_sound_t decode_clip(audio_o *a, const char *name, bool whole, error_t *error) {
  sound_head_t head;
  error_t why = {.text = "there is no memory for it"};
  size_t size_bytes = 0;
  bool lost_loop = false;
  char *bytes = read_sound(a, name, whole, &head, &size_bytes, error);
  if (!bytes)
    return (mixer_sound_t){0};
  mixer_sound_t sound = head.format == FORMAT_WAV ? decode_wav(bytes, &head, &lost_loop)
                                                  : decode_compressed(bytes, size_bytes, &lost_loop, &why);
  file_free(&a->memory, bytes, size_bytes);
  if (!sound.samples)
    error_set(error, "%s: cannot be played: %s", name, why.text);
  say_lost_loop(a, name, lost_loop);
  return sound;
}

// Unless whoever asked for it has been told.
static void say_unheard(audio_o *a, const char *name, const char *words) {
  char who[160];
  if (!assets_is_told(a->assets, name))
    log_warn(a->log, "audio: %s%s", words, assets_who_asked(a->assets, name, who, sizeof who));
}

// Without loudspeakers too: a file that is missing or of another kind is worth a line.
static bool is_readable(audio_o *a, const char *name, bool whole, error_t *why) {
  sound_head_t head;
  size_t size_bytes = 0;
  char *bytes = read_sound(a, name, whole, &head, &size_bytes, why);
  if (bytes)
    file_free(&a->memory, bytes, size_bytes);
  return bytes != NULL;
}

static mixer_sound_t load_clip(audio_o *a, const char *name) {
  error_t error = {0};
  mixer_sound_t sound = {0};
  if (!a->silent)
    sound = decode_clip(a, name, false, &error);
  if (!sound.samples && !(a->silent && is_readable(a, name, false, &error)))
    say_unheard(a, name, error.text);
  return sound;
}

// --- voices

static clip_t *find_clip(audio_o *a, const char *name) {
  for (size_t i = 0; i < a->clip_count; ++i)
    if (a->clips[i].name && strcmp(a->clips[i].name, name) == 0)
      return &a->clips[i];
  return NULL;
}

static clip_t *add_clip(audio_o *a, clip_t clip) {
  if (a->clip_count == a->clip_capacity) {
    a->clip_capacity = a->clip_capacity ? a->clip_capacity * 2 : 16;
    a->clips = realloc(a->clips, a->clip_capacity * sizeof *a->clips);
    if (!a->clips)
      abort();
  }
  a->clips[a->clip_count++] = clip;
  return &a->clips[a->clip_count - 1];
}

static mixer_sound_t find_sound(audio_o *a, const char *name) {
  clip_t *known = find_clip(a, name);
  if (known && known->ahead) { // what is to be heard now is not waited for in line
    known->ahead = 0;
    known->sound = load_clip(a, name);
  }
  if (known)
    return known->sound;
  clip_t clip = {.name = strdup(name), .sound = load_clip(a, name)};
  if (!clip.name)
    abort();
  return add_clip(a, clip)->sound;
}

// --- names that stand for several files

static family_t *find_family(audio_o *a, const char *name) {
  for (size_t i = 0; i < a->family_count; ++i)
    if (strcmp(a->families[i].name, name) == 0)
      return &a->families[i];
  char file[ASSETS_SOUND_NAME], path[1280];
  family_t family = {.name = strdup(name)};
  bool whole = assets_find(a->assets, name, path, sizeof path); // a file without an ending
  while (!whole && family.count < VARIANTS_MOST &&
         assets_find_sound(a->assets, name, family.count + 1, file, sizeof file))
    ++family.count;
  a->families = realloc(a->families, (a->family_count + 1) * sizeof family);
  if (!a->families || !family.name)
    abort();
  a->families[a->family_count] = family;
  return &a->families[a->family_count++];
}

static void forget_families(audio_o *a) {
  for (size_t i = 0; i < a->family_count; ++i)
    free(a->families[i].name);
  free(a->families);
  a->families = NULL;
  a->family_count = 0;
}

// The file that `name` stands for this time.
static const char *choose_file(audio_o *a, const char *name, uint32_t voice, char *out, size_t out_bytes) {
  if (assets_has_ending(name))
    return name;
  family_t *family = find_family(a, name);
  if (family->count == 0)
    return !assets_find(a->assets, name, out, out_bytes) && assets_find_sound(a->assets, name, 0, out, out_bytes)
               ? out
               : name;
  uint64_t draw = hash_bytes(&voice, sizeof voice, hash_text(name));
  bool again = family->last > 0 && family->count > 1;
  uint32_t chosen = 1 + (uint32_t)(draw % (family->count - again));
  chosen += again && chosen >= family->last;
  shoal_assert(chosen >= 1 && chosen <= family->count, "the file %u of %u", chosen, family->count);
  family->last = chosen;
  return assets_find_sound(a->assets, name, chosen, out, out_bytes) ? out : name;
}

// --- ahead

bool audio_preload(audio_o *a, const char *name) {
  char path[1280];
  clip_t *known = find_clip(a, name);
  if (known)
    return known->ahead != 0;
  if (a->silent || !assets_find(a->assets, name, path, sizeof path)) {
    find_sound(a, name); // which says what is wrong with it
    return false;
  }
  clip_t clip = {.name = strdup(name), .ahead = ++a->last_ahead};
  if (!clip.name)
    abort();
  add_clip(a, clip);
  decoder_batch_add(a->ahead, clip.ahead, path, false);
  return true;
}

static void take_ahead(audio_o *a, clip_t *clip, const decoder_result_t *result) {
  char path[1280], words[2400];
  bool lost_loop = false;
  shoal_assert(!clip->sound.samples, "%s is there, and was decoded ahead all the same", clip->name);
  clip->ahead = 0;
  clip->sound = copy_sound(decoded(result->out, result->out_bytes, &lost_loop));
  say_lost_loop(a, clip->name, lost_loop);
  if (clip->sound.samples)
    return;
  assets_find(a->assets, clip->name, path, sizeof path);
  snprintf(words, sizeof words, "%s: cannot be played: %s", path, result->out ? "out of memory" : result->why.text);
  say_unheard(a, clip->name, words);
}

static void advance_ahead(audio_o *a) {
  decoder_result_t result;
  for (uint32_t i = 0; i < AHEAD_MOST && decoder_batch_next(a->ahead, false, &result); ++i)
    for (size_t k = 0; k < a->clip_count; ++k)
      if (a->clips[k].ahead == result.id)
        take_ahead(a, &a->clips[k], &result);
}

// --- buses

static const audio_bus_t ALWAYS[] = {
    {.name = "master", .volume = 1.0f, .duck = 1.0f},
    {.name = "music", .volume = 1.0f, .duck = 0.4f, .attack_s = 0.1f, .release_s = 0.6f, .under = "voice"},
    {.name = "effects", .volume = 1.0f, .duck = 1.0f},
    {.name = "voice", .volume = 1.0f, .duck = 1.0f},
    {.name = "ui", .volume = 1.0f, .duck = 1.0f},
};

static int32_t find_bus(const audio_o *a, const char *name) {
  for (uint32_t i = 0; i < a->bus_count; ++i)
    if (strcmp(a->buses[i].declared.name, name) == 0)
      return (int32_t)i;
  return -1;
}

// The bus of that name; a new one, as loud as can be, when there is none yet.
static uint32_t bus_of(audio_o *a, const char *name) {
  int32_t known = find_bus(a, name && name[0] ? name : "effects");
  if (known >= 0)
    return (uint32_t)known;
  if (a->bus_count == MIXER_BUSES)
    return bus_of(a, "effects");
  bus_t fresh = {.declared = {.volume = 1.0f, .duck = 1.0f}, .choice = 1.0f, .asked = 1.0f};
  snprintf(fresh.declared.name, sizeof fresh.declared.name, "%s", name);
  a->buses[a->bus_count] = fresh;
  return a->bus_count++;
}

static bool has_word(const char *words, const char *word) {
  size_t length = strlen(word);
  for (const char *at = words; (at = strstr(at, word)); at += length)
    if ((at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
      return true;
  return false;
}

static float lower_of(float a, float b) { // where 0 is none
  return a > 0.0f && (a < b || !(b > 0.0f)) ? a : b;
}

static void put_effects(const bus_t *bus, mixer_bus_t *out) {
  float share = fmaxf(bus->declared.reverb, fmaxf(bus->script.reverb, bus->score.reverb));
  out->lowpass.to_hz = lower_of(bus->declared.lowpass_hz, lower_of(bus->script.lowpass_hz, bus->score.lowpass_hz));
  out->lowpass.glide_s = bus->glide_s;
  out->reverb = clamp(share, 0.0f, 1.0f);
}

static void apply_buses(audio_o *a) {
  lock(a);
  for (uint32_t i = 0; i < a->bus_count; ++i) {
    const bus_t *bus = &a->buses[i];
    mixer_bus_t *out = &a->mixer.buses[i];
    out->volume = clamp(bus->declared.volume, 0.0f, 1.0f) * bus->choice * bus->asked;
    out->duck = clamp(bus->declared.duck, 0.0f, 1.0f);
    out->attack_s = bus->declared.attack_s;
    out->release_s = bus->declared.release_s;
    put_effects(bus, out);
    out->under = 0;
    for (uint32_t k = 0; k < a->bus_count; ++k)
      out->under |= has_word(bus->declared.under, a->buses[k].declared.name) ? 1u << k : 0;
  }
  unlock(a);
}

static void declare_bus(audio_o *a, const audio_bus_t *desc) {
  bus_t *bus = &a->buses[bus_of(a, desc->name)];
  bus->declared = *desc;
  bus->known = true;
}

void audio_buses(audio_o *a, const audio_buses_t *buses) {
  for (uint32_t i = 0; i < a->bus_count; ++i) {
    bus_t *bus = &a->buses[i];
    bus->known = false;
    bus->declared.volume = bus->declared.duck = 1.0f;
    bus->declared.under[0] = '\0';
    bus->declared.lowpass_hz = bus->declared.reverb = 0.0f;
  }
  for (size_t i = 0; i < sizeof ALWAYS / sizeof ALWAYS[0]; ++i)
    declare_bus(a, &ALWAYS[i]);
  for (uint32_t i = 0; i < buses->count; ++i)
    declare_bus(a, &buses->items[i]);
  shoal_assert(find_bus(a, "master") == MIXER_MASTER, "master is not the first bus");
  apply_buses(a);
}

static void reset_buses(audio_o *a) {
  a->bus_count = 0;
  audio_buses(a, &(audio_buses_t){0});
}

uint32_t audio_bus_count(const audio_o *a) {
  return a->bus_count;
}

const char *audio_bus_name(const audio_o *a, uint32_t bus) {
  shoal_assert(bus < a->bus_count, "bus %u of %u", bus, a->bus_count);
  return a->buses[bus].declared.name;
}

bool audio_has_bus(const audio_o *a, const char *name) {
  int32_t bus = find_bus(a, name);
  return bus >= 0 && a->buses[bus].known;
}

void audio_set_choice(audio_o *a, uint32_t bus, float volume) {
  volume = clamp(volume, 0.0f, 1.0f);
  if (bus >= a->bus_count || a->buses[bus].choice == volume)
    return;
  a->buses[bus].choice = volume;
  apply_buses(a);
}

static bool is_deaf(const audio_o *a) {
  return a->muted || a->repeating;
}

void audio_set_volume(audio_o *a, const char *bus, float volume) {
  if (is_deaf(a))
    return;
  a->buses[bus_of(a, bus)].asked = clamp(volume, 0.0f, 1.0f);
  apply_buses(a);
}

static bool put(effects_t *to, float lowpass_hz, float reverb) {
  effects_t wanted = {.lowpass_hz = clamp(lowpass_hz, 0.0f, EFFECTS_OPEN_HZ), .reverb = clamp(reverb, 0.0f, 1.0f)};
  bool same = wanted.lowpass_hz == to->lowpass_hz && wanted.reverb == to->reverb;
  *to = wanted;
  return !same;
}

void audio_set_effects(audio_o *a, const char *bus, float lowpass_hz, float reverb, float fade_s) {
  if (is_deaf(a))
    return;
  bus_t *b = &a->buses[bus_of(a, bus)];
  b->glide_s = clamp(fade_s, 0.0f, 60.0f);
  put(&b->script, lowpass_hz, reverb);
  apply_buses(a);
}

// --- where sounds are

// How loud and on which side something is heard, by its place if it has one.
static mixer_gain_t gain_of(const audio_o *a, const audio_sound_t *how) {
  float pan = clamp(how->pan, -1.0f, 1.0f), loud = 1.0f;
  if (how->placed) {
    float x = how->x - a->listener_x, y = how->y - a->listener_y, far = sqrtf(x * x + y * y);
    float range = how->range > 1.0f ? how->range : 1.0f, within = clamp(how->within, 0.0f, range - 0.5f);
    float side = x * cosf(a->listener_angle) + y * sinf(a->listener_angle);
    loud = far <= within ? 1.0f : clamp((range - far) / (range - within), 0.0f, 1.0f);
    loud *= loud;
    pan = clamp(pan + clamp(side / (0.5f * range), -SIDE_MOST, SIDE_MOST), -1.0f, 1.0f);
  }
  return (mixer_gain_t){.left = (pan > 0.0f ? 1.0f - pan : 1.0f) * loud,
                        .right = (pan < 0.0f ? 1.0f + pan : 1.0f) * loud,
                        .pitch = how->pitch};
}

void audio_listen(audio_o *a, float x, float y, float angle) {
  bool same = x == a->listener_x && y == a->listener_y && angle == a->listener_angle;
  if (a->silent || is_deaf(a) || same || !(x - x == 0.0f) || !(y - y == 0.0f) || !(angle - angle == 0.0f))
    return;
  a->listener_x = x;
  a->listener_y = y;
  a->listener_angle = angle;
  lock(a);
  for (uint32_t i = 0; i < CHANNELS; ++i)
    if (a->channels[i].how.placed && mixer_is_playing(&a->mixer, i))
      mixer_steer(&a->mixer, i, gain_of(a, &a->channels[i].how));
  unlock(a);
}

// --- voices

// The lock is held.
static int find_channel(const audio_o *a, uint32_t voice) {
  for (uint32_t i = 0; voice != 0 && i < CHANNELS; ++i)
    if (a->channels[i].voice == voice)
      return mixer_is_playing(&a->mixer, i) ? (int)i : -1;
  return -1;
}

// A free channel, or that of the oldest sound that does not loop; -1 when everything loops. The lock is held.
static int take_channel(const audio_o *a) {
  int oldest = -1;
  for (int i = 0; i < CHANNELS; ++i) {
    if (!mixer_is_playing(&a->mixer, (uint32_t)i))
      return i;
    if (!a->channels[i].how.loop && (oldest < 0 || a->channels[i].began < a->channels[oldest].began))
      oldest = i;
  }
  return oldest;
}

// The lock is held.
static void begin_voice(audio_o *a, int channel, mixer_sound_t sound, const audio_sound_t *how) {
  mixer_play_t play = {.sound = sound,
                       .gain = gain_of(a, how),
                       .level = clamp(how->volume, 0.0f, 1.0f),
                       .fade_s = clamp(how->fade_s, 0.0f, 60.0f),
                       .bus = bus_of(a, how->bus),
                       .loop = how->loop};
  shoal_assert(channel >= 0 && channel < CHANNELS, "channel %d of %d", channel, CHANNELS);
  mixer_play(&a->mixer, (uint32_t)channel, &play);
}

// False when it could not be played.
static bool play(audio_o *a, uint32_t voice, const char *name, const audio_sound_t *how) {
  char file[ASSETS_SOUND_NAME];
  shoal_assert(voice != 0, "%s is played as voice 0, which is none", name);
  mixer_sound_t sound = find_sound(a, choose_file(a, name, voice, file, sizeof file));
  if (!sound.samples || a->silent)
    return false;
  lock(a);
  int channel = take_channel(a);
  for (int i = 0; channel >= 0 && i < CHANNELS; ++i) // of a tick that is lived again
    if (a->channels[i].voice == voice)
      a->channels[i].voice = 0;
  if (channel >= 0) {
    a->channels[channel] = (channel_t){.voice = voice, .began = ++a->plays, .how = *how};
    begin_voice(a, channel, sound, how);
    a->channels[channel].how.bus = NULL; // the caller's
  }
  unlock(a);
  return channel >= 0;
}

void audio_mute(audio_o *a, bool muted) {
  a->muted = muted;
}

uint32_t audio_play(audio_o *a, const char *file, const audio_sound_t *how) {
  uint32_t voice = AUDIO_FIRST_OWN_VOICE + a->last_voice % AUDIO_FIRST_OWN_VOICE;
  if (is_deaf(a) || !file || file[0] == '\0' || !play(a, voice, file, how))
    return 0;
  a->last_voice++;
  return voice;
}

void audio_play_as(audio_o *a, uint32_t voice, const char *file, const audio_sound_t *how) {
  shoal_assert(voice > 0 && voice < AUDIO_FIRST_OWN_VOICE, "voice %u is one that audio_play gives", voice);
  if (!is_deaf(a) && file && file[0] != '\0')
    play(a, voice, file, how);
}

void audio_repeat(audio_o *a, bool on) {
  a->repeating = on;
}

void audio_stop(audio_o *a, uint32_t voice, float fade_s) {
  if (a->silent || is_deaf(a))
    return;
  lock(a);
  int channel = find_channel(a, voice);
  if (channel >= 0) {
    mixer_stop(&a->mixer, (uint32_t)channel, clamp(fade_s, 0.0f, 60.0f));
    a->channels[channel].voice = 0;
    a->channels[channel].how.loop = false; // it may be taken for another one
  }
  unlock(a);
}

static void change(float *at, float value) {
  *at = value - value == 0.0f ? value : *at;
}

void audio_set(audio_o *a, uint32_t voice, const audio_sound_t *how) {
  if (a->silent || is_deaf(a))
    return;
  lock(a);
  int channel = find_channel(a, voice);
  if (channel >= 0) {
    audio_sound_t *now = &a->channels[channel].how;
    float volume = now->volume;
    change(&now->volume, how->volume);
    change(&now->pan, how->pan);
    change(&now->pitch, how->pitch);
    change(&now->x, how->x);
    change(&now->y, how->y);
    change(&now->range, how->range);
    change(&now->within, how->within);
    now->placed |= how->placed;
    mixer_steer(&a->mixer, (uint32_t)channel, gain_of(a, now));
    if (now->volume != volume) // a fade goes on
      mixer_fade(&a->mixer, (uint32_t)channel, clamp(now->volume, 0.0f, 1.0f), clamp(how->fade_s, 0.0f, 60.0f));
  }
  unlock(a);
}

bool audio_playing(const audio_o *a, uint32_t voice) {
  if (a->silent || a->muted)
    return false;
  lock(a);
  bool playing = find_channel(a, voice) >= 0;
  unlock(a);
  return playing;
}

// --- music

static void free_tune(audio_o *a, tune_t *t) {
  decoder_free(&t->decoder);
  if (t->bytes)
    file_free(&a->memory, t->bytes, t->size_bytes);
  *t = (tune_t){0};
}

// Ends what plays on one of the two channels.
static void drop_tune(audio_o *a, uint32_t turn) {
  lock(a);
  if (mixer_is_playing(&a->mixer, MUSIC_CHANNEL + turn))
    mixer_stop(&a->mixer, MUSIC_CHANNEL + turn, 0.0f);
  unlock(a);
  free_tune(a, &a->music[turn]);
}

static bool read_tune(audio_o *a, const char *file, bool whole, tune_t *out, error_t *error) {
  sound_head_t head;
  *out = (tune_t){0};
  out->bytes = read_sound(a, file, whole, &head, &out->size_bytes, error);
  return out->bytes != NULL;
}

static bool begin_tune(audio_o *a, const char *file, tune_t *t, error_t *error) {
  error_t why = {0};
  shoal_assert(t->bytes && !t->decodes, "%s is decoded before it is read, or twice", file);
  t->decodes = begin_decode(&t->decoder, t->bytes, t->size_bytes, MUSIC_MS, &why);
  if (t->decodes)
    return true;
  free_tune(a, t);
  return error_set(error, "%s: cannot be played: %s", file, why.text);
}

// Waits for it.
static bool end_tune(audio_o *a, const char *file, tune_t *t, error_t *error) {
  error_t why = {0};
  size_t bytes = 0;
  bool lost_loop = false;
  shoal_assert(t->decodes, "%s is not being decoded", file);
  const uint8_t *out = decoder_end(&t->decoder, &bytes, &why);
  t->sound = decoded(out, bytes, &lost_loop);
  file_free(&a->memory, t->bytes, t->size_bytes);
  t->bytes = NULL;
  t->decodes = false;
  say_lost_loop(a, file, lost_loop);
  if (t->sound.samples)
    return true;
  free_tune(a, t);
  return error_set(error, "%s: cannot be played: %s", file, why.text);
}

static void fade_out_music(audio_o *a, float fade_s) {
  lock(a);
  if (mixer_is_playing(&a->mixer, MUSIC_CHANNEL + a->music_turn))
    mixer_stop(&a->mixer, MUSIC_CHANNEL + a->music_turn, fade_s);
  unlock(a);
}

// What has played fades out meanwhile; what was fading out already ends.
static void play_tune(audio_o *a, tune_t *t, float fade_s) {
  tune_t fresh = *t;
  shoal_assert(fresh.sound.samples && fresh.sound.frames > 0, "music without samples");
  *t = (tune_t){0};
  fade_out_music(a, fade_s);
  a->music_turn = 1 - a->music_turn;
  drop_tune(a, a->music_turn);
  a->music[a->music_turn] = fresh;
  mixer_play_t play = {.sound = fresh.sound,
                       .gain = {.left = 1.0f, .right = 1.0f, .pitch = 1.0f},
                       .level = a->music_volume,
                       .fade_s = fade_s,
                       .bus = bus_of(a, "music"),
                       .loop = true};
  lock(a);
  mixer_play(&a->mixer, MUSIC_CHANNEL + a->music_turn, &play);
  unlock(a);
}

static void read_music(audio_o *a) {
  error_t error = {0};
  a->music_is_due = false;
  if (a->silent ? is_readable(a, a->music_name, false, &error) : read_tune(a, a->music_name, false, &a->next, &error))
    return;
  say_unheard(a, a->music_name, error.text);
  fade_out_music(a, a->next_fade_s);
}

// The name is kept when nothing can be played, so that the same words again do not try again.
static void start_music(audio_o *a, const char *file, float fade_s) {
  free_tune(a, &a->next);
  free(a->music_name);
  a->music_name = strdup(file);
  a->next_fade_s = fade_s;
  a->music_is_due = !a->silent && !a->shown;
  if (!a->music_is_due)
    read_music(a);
}

static void end_music(audio_o *a, float fade_s) {
  free_tune(a, &a->next);
  a->music_is_due = false;
  fade_out_music(a, fade_s);
  free(a->music_name);
  a->music_name = NULL;
}

static void change_music(audio_o *a, float fade_s) {
  lock(a);
  const mixer_voice_t *v = &a->mixer.voices[MUSIC_CHANNEL + a->music_turn];
  if (v->sound.samples && !v->ending && v->level_to != a->music_volume)
    mixer_fade(&a->mixer, MUSIC_CHANNEL + a->music_turn, a->music_volume, fade_s);
  unlock(a);
}

void audio_music(audio_o *a, const char *file, float volume, float fade_s) {
  fade_s = clamp(fade_s, 0.0f, 60.0f);
  if (is_deaf(a))
    return;
  a->music_volume = clamp(volume, 0.0f, 1.0f);
  if (!file || file[0] == '\0')
    end_music(a, fade_s);
  else if (!a->music_name || strcmp(a->music_name, file) != 0)
    start_music(a, file, fade_s);
  else
    change_music(a, fade_s);
}

// --- layers

static bool is_quiet(const audio_o *a) {
  return a->silent || is_deaf(a);
}

void audio_layers_begin(audio_o *a) {
  if (is_quiet(a))
    return;
  a->layers_told = true;
  for (uint32_t i = 0; i < AUDIO_LAYERS; ++i)
    a->layers[i].told = false;
}

// The layer of that file and piece; a free one for one that is new; NULL when there are too many.
static layer_t *layer_of(audio_o *a, const char *file, double began) {
  layer_t *free_one = NULL;
  for (uint32_t i = 0; i < AUDIO_LAYERS; ++i) {
    layer_t *l = &a->layers[i];
    if (l->file[0] && l->began == began && strcmp(l->file, file) == 0)
      return l;
    free_one = !l->file[0] && !free_one ? l : free_one;
  }
  return free_one;
}

// When its piece began, in frames of the mixer: as those say that play it already.
static int64_t origin_of(const audio_o *a, double began, int64_t wanted) {
  for (uint32_t i = 0; i < AUDIO_LAYERS; ++i)
    if (a->layers[i].file[0] && a->layers[i].began == began)
      return a->layers[i].origin;
  return wanted;
}

static uint64_t place_in(const audio_o *a, const layer_t *l) {
  int64_t place = (int64_t)a->mixer.now - l->origin;
  return place > 0 ? (uint64_t)place : 0;
}

// The lock is held.
static void begin_layer(audio_o *a, layer_t *l, mixer_sound_t sound, float volume) {
  uint32_t channel = LAYER_CHANNEL + (uint32_t)(l - a->layers);
  mixer_play_t play = {.sound = sound,
                       .gain = {.left = 1.0f, .right = 1.0f, .pitch = 1.0f},
                       .level = volume,
                       .fade_s = LAYER_FADE_S,
                       .bus = bus_of(a, "music"),
                       .loop = true};
  shoal_assert(channel < MIXER_VOICES, "layer %td of %d", l - a->layers, AUDIO_LAYERS);
  mixer_play(&a->mixer, channel, &play);
  mixer_seek(&a->mixer, channel, place_in(a, l));
}

// All layers of the piece move: one that went on alone would be out of step. The lock is held.
static void mend_layers(audio_o *a, double began, int64_t wanted) {
  for (uint32_t i = 0; i < AUDIO_LAYERS; ++i) {
    layer_t *l = &a->layers[i];
    if (!l->file[0] || l->began != began)
      continue;
    l->origin = wanted;
    if (mixer_is_playing(&a->mixer, LAYER_CHANNEL + i))
      mixer_seek(&a->mixer, LAYER_CHANNEL + i, place_in(a, l));
  }
  a->layers_mended = a->mixer.now;
}

static bool is_astray(const audio_o *a, const layer_t *l, int64_t wanted) {
  double off_s = fabs((double)(l->origin - wanted)) / SOUND_RATE_HZ;
  return off_s > JUMP_S || (off_s > DRIFT_MOST_S && a->mixer.now - a->layers_mended > SOUND_RATE_HZ);
}

// The lock is held.
static void follow_layer(audio_o *a, layer_t *l, mixer_sound_t sound, int64_t wanted, float volume) {
  uint32_t channel = LAYER_CHANNEL + (uint32_t)(l - a->layers);
  const mixer_voice_t *v = &a->mixer.voices[channel];
  if (is_astray(a, l, wanted))
    mend_layers(a, l->began, wanted);
  if (v->sound.samples != sound.samples || v->ending)
    begin_layer(a, l, sound, volume);
  else if (v->level_to != volume)
    mixer_fade(&a->mixer, channel, volume, LAYER_FADE_S);
}

void audio_layer(audio_o *a, const char *file, double began, double at_s, float volume) {
  if (is_quiet(a) || !file[0] || strlen(file) >= AUDIO_LAYER_NAME)
    return;
  const clip_t *clip = find_clip(a, file);
  if (!clip)
    audio_preload(a, file);
  layer_t *l = clip && !clip->ahead && clip->sound.samples ? layer_of(a, file, began) : NULL;
  bool known = l && l->file[0];
  volume = a->layers_held ? 0.0f : clamp(volume, 0.0f, 1.0f);
  if (!l || (!known && !(volume > 0.0f)))
    return;
  lock(a);
  int64_t wanted = (int64_t)a->mixer.now - (int64_t)(at_s * SOUND_RATE_HZ);
  if (!known) {
    l->origin = origin_of(a, began, wanted);
    l->began = began;
    snprintf(l->file, sizeof l->file, "%s", file);
  }
  l->told = volume > 0.0f;
  if (l->told)
    follow_layer(a, l, clip->sound, wanted, volume);
  unlock(a);
}

// Those that are not told.
static void end_layers(audio_o *a) {
  lock(a);
  for (uint32_t i = 0; i < AUDIO_LAYERS; ++i) {
    layer_t *l = &a->layers[i];
    const mixer_voice_t *v = &a->mixer.voices[LAYER_CHANNEL + i];
    if (l->told || !l->file[0])
      continue;
    if (!v->sound.samples)
      *l = (layer_t){0};
    else if (!v->ending)
      mixer_stop(&a->mixer, LAYER_CHANNEL + i, LAYER_FADE_S);
  }
  unlock(a);
}

void audio_layers_end(audio_o *a, float lowpass_hz, float reverb) {
  if (is_quiet(a))
    return;
  end_layers(a);
  bus_t *music = &a->buses[bus_of(a, "music")];
  if (put(&music->score, lowpass_hz, reverb))
    apply_buses(a);
}

void audio_layers_hold(audio_o *a, bool held) {
  a->layers_held = held;
}

// A frame in which nobody has told any: the game that did is another one.
static void look_after_layers(audio_o *a) {
  if (!a->layers_told && !is_quiet(a)) {
    audio_layers_begin(a);
    audio_layers_end(a, 0.0f, 0.0f);
  }
  a->layers_told = false;
}

// --- each frame

// What is asked for before the first frame is read and decoded behind it: a picture is waited for, music fades in.
static void advance_music(audio_o *a) {
  error_t error = {0};
  tune_t *t = &a->next;
  shoal_assert(a->music_name || (!t->bytes && !a->music_is_due), "music is decoded that has no name");
  if (a->music_is_due && a->shown)
    read_music(a);
  if (!t->bytes || !a->shown || (t->decodes && !decoder_is_done(&t->decoder)))
    return;
  bool ends = t->decodes, good = ends ? end_tune(a, a->music_name, t, &error) : begin_tune(a, a->music_name, t, &error);
  if (good && ends)
    play_tune(a, t, a->next_fade_s);
  if (good)
    return;
  say_unheard(a, a->music_name, error.text);
  fade_out_music(a, a->next_fade_s);
}

void audio_frame(audio_o *a) {
  advance_ahead(a);
  advance_music(a);
  look_after_layers(a);
  a->shown = true;
  for (uint32_t turn = 0; turn < 2; ++turn) {
    lock(a);
    bool plays = mixer_is_playing(&a->mixer, MUSIC_CHANNEL + turn);
    unlock(a);
    if (a->music[turn].sound.samples && !plays)
      free_tune(a, &a->music[turn]);
  }
}

// --- files that change

// Frees the replaced sounds that no voice plays any more.
static void sweep_clips(audio_o *a) {
  size_t kept = 0;
  for (size_t i = 0; i < a->clip_count; ++i) {
    clip_t clip = a->clips[i];
    lock(a);
    bool used = clip.name != NULL || mixer_uses(&a->mixer, clip.sound.samples);
    unlock(a);
    if (used)
      a->clips[kept++] = clip;
    else
      free_sound(&clip.sound);
  }
  a->clip_count = kept;
}

// What loops goes on with `next` under its voice.
static void replace_loops(audio_o *a, const mixer_sound_t *before, const mixer_sound_t *next) {
  lock(a);
  for (uint32_t c = 0; before->samples && c < CHANNELS; ++c) {
    const mixer_voice_t *v = &a->mixer.voices[c];
    if (v->sound.samples != before->samples || !v->loop || v->ending)
      continue;
    mixer_play_t play = {.sound = *next, .level = v->level_to, .bus = v->bus, .loop = true};
    play.gain = gain_of(a, &a->channels[c].how);
    mixer_play(&a->mixer, c, &play);
  }
  unlock(a);
}

static bool clip_changed(audio_o *a, clip_t *clip, error_t *why) {
  mixer_sound_t fresh = decode_clip(a, clip->name, true, why), before = clip->sound;
  if (!fresh.samples)
    return false;
  clip->sound = fresh;
  clip->ahead = 0;
  replace_loops(a, &before, &fresh);
  if (before.samples)
    add_clip(a, (clip_t){.sound = before});
  sweep_clips(a);
  return true;
}

static bool music_changed(audio_o *a, error_t *why) {
  tune_t fresh;
  const char *name = a->music_name;
  if (!read_tune(a, name, true, &fresh, why) || !begin_tune(a, name, &fresh, why) || !end_tune(a, name, &fresh, why))
    return false;
  free_tune(a, &a->next);
  a->music_is_due = false;
  play_tune(a, &fresh, 0.0f);
  return true;
}

asset_fate_t audio_asset_changed(audio_o *a, const char *name, error_t *why) {
  clip_t *clip = find_clip(a, name);
  bool music = a->music_name && strcmp(a->music_name, name) == 0;
  forget_families(a); // it may be one more
  if (!clip && !music)
    return ASSET_UNUSED;
  bool good = true;
  if (a->silent)
    good = is_readable(a, name, true, why);
  else
    good = (!clip || clip_changed(a, clip, why)) && (!music || music_changed(a, why));
  return good ? ASSET_RELOADED : ASSET_KEPT;
}

void audio_forget(audio_o *a) {
  lock(a);
  mixer_init(&a->mixer);
  unlock(a);
  for (uint32_t turn = 0; turn < 2; ++turn)
    free_tune(a, &a->music[turn]);
  free_tune(a, &a->next);
  a->music_is_due = false;
  memset(a->layers, 0, sizeof a->layers);
  decoder_batch_clear(a->ahead);
  free(a->music_name);
  a->music_name = NULL;
  for (size_t i = 0; i < a->clip_count; ++i) {
    free_sound(&a->clips[i].sound);
    free(a->clips[i].name);
  }
  free(a->clips);
  a->clips = NULL;
  a->clip_count = a->clip_capacity = 0;
  memset(a->channels, 0, sizeof a->channels);
  forget_families(a);
  reset_buses(a);
}
