// A voice is a number that counts up, so that a late audio_stop never hits another sound; a channel knows which voice
// it plays. Files are read whole: nothing that plays depends on a file that somebody is about to change.
//
// A WAV is decoded here. Every other format is decoded by a library, in a copy of the process (base/apart.h), and so is
// music: what plays in this process are samples, which can do no harm. Music begins when its copy has come to its end.
#include "platform/audio.h"

#include "base/apart_batch.h"
#include "base/assert.h"
#include "base/files.h"
#include "platform/sound_file.h"

#include <SDL2/SDL.h>
#include <SDL2/SDL_mixer.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define CHANNELS 32
#define BUFFER_FRAMES 512
#define SOUND_MS 5000u  // of processor time, to decode one
#define MUSIC_MS 20000u // nothing waits for it
#define AHEAD_MOST 16   // sounds that were decoded ahead, which a frame takes

typedef struct clip_t {
  uint64_t ahead;   // its number among those that are decoded ahead; 0 for none
  char *name;       // NULL: replaced by a newer one, and freed once no channel plays it
  Mix_Chunk *chunk; // NULL: could not be loaded, and that was said
} clip_t;

typedef struct channel_t {
  uint32_t voice; // 0: no voice plays it any more
  uint64_t began; // which of all that were played it is
  bool loop;
  float volume, pan;
} channel_t;

// Music from its file to its samples.
typedef struct tune_t {
  apart_t apart; // decodes it, and then keeps its samples
  char *bytes;   // of the file, while it is decoded; NULL: no tune
  size_t size_bytes;
  const int16_t *samples;
  size_t frames;
} tune_t;

// What the thread of the loudspeakers reads. Samples and their count change only while it is not hooked in.
typedef struct player_t {
  const int16_t *samples;
  size_t frames, at;
  _Atomic float level; // 0 to 1: of the fade
  _Atomic float step;  // of the level, each frame
  _Atomic float volume;
} player_t;

struct audio_o {
  bool silent, device, muted;
  const assets_t *assets;
  log_o *log;
  float master;
  uint32_t last_voice;
  uint64_t plays;
  channel_t channels[CHANNELS];
  clip_t *clips;
  size_t clip_count, clip_capacity;
  char *music_name;
  tune_t music, next; // what plays, and what is decoded to play then
  int next_fade_ms;
  player_t player;
  float music_volume;
  allocator_t memory; // of files
  apart_batch_o *ahead;
  uint64_t last_ahead;
  bool repeating;
};

static float clamp(float x, float low, float high) {
  return x >= low ? (x <= high ? x : high) : low; // NaN becomes `low`
}

static bool open_device(audio_o *a) {
  if (SDL_InitSubSystem(SDL_INIT_AUDIO) != 0)
    return false;
  if (Mix_OpenAudio(SOUND_RATE_HZ, AUDIO_S16SYS, 2, BUFFER_FRAMES) != 0) {
    SDL_QuitSubSystem(SDL_INIT_AUDIO);
    return false;
  }
  Mix_Init(MIX_INIT_OGG);
  Mix_AllocateChannels(CHANNELS);
  a->device = true;
  return true;
}

static bool decode_file(apart_work_t *work);

audio_o *audio_create(bool silent, const assets_t *assets, log_o *log) {
  audio_o *a = calloc(1, sizeof *a);
  if (!a)
    abort();
  a->assets = assets;
  a->log = log;
  a->master = 1.0f;
  a->silent = silent || !open_device(a);
  a->ahead = apart_batch_create(
      &(apart_batch_desc_t){.work = decode_file, .room_bytes = SOUND_MOST_BYTES, .limit_ms = SOUND_MS});
  if (a->silent && !silent)
    log_warn(log, "audio: silent, no sound device: %s", SDL_GetError());
  return a;
}

void audio_destroy(audio_o *a) {
  if (!a)
    return;
  audio_forget(a);
  shoal_assert(a->memory.bytes == 0, "audio kept %zu bytes of files", a->memory.bytes);
  apart_batch_destroy(a->ahead);
  if (a->device) {
    Mix_CloseAudio();
    Mix_Quit();
    SDL_QuitSubSystem(SDL_INIT_AUDIO);
  }
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

// As it is played, in SDL's memory; NULL when it cannot be decoded.
static void *decode(const void *bytes, size_t size_bytes, const sound_head_t *head, size_t *out_bytes) {
  if (head->format == FORMAT_WAV)
    return sound_wav_decode(bytes, head, out_bytes);
  Mix_Chunk *chunk = Mix_LoadWAV_RW(SDL_RWFromConstMem(bytes, (int)size_bytes), 1);
  if (!chunk)
    return NULL;
  void *samples = chunk->abuf;
  *out_bytes = chunk->alen / SOUND_FRAME_BYTES * SOUND_FRAME_BYTES;
  chunk->allocated = 0;
  Mix_FreeChunk(chunk);
  return samples;
}

// In a copy of the process.
static bool decode_work(apart_work_t *work) {
  sound_head_t head;
  size_t bytes = 0;
  error_t error = {0};
  if (!sound_head_read(work->in, work->in_bytes, false, &head, &error))
    return error_set(work->why, "%s", error.text);
  void *samples = decode(work->in, work->in_bytes, &head, &bytes);
  work->wants_room = samples && bytes > work->out_bytes && bytes <= SOUND_MOST_BYTES;
  if (!samples || bytes == 0 || bytes > work->out_bytes)
    return error_set(work->why, "%s",
                     !samples     ? Mix_GetError()
                     : bytes == 0 ? "it has no samples"
                                  : "it is longer than 25 minutes");
  memcpy(work->out, samples, bytes);
  SDL_free(samples);
  work->out_bytes = bytes;
  return true;
}

// The same of a file that is decoded ahead; it is given a path.
static bool decode_file(apart_work_t *work) {
  allocator_t memory = {0};
  apart_work_t inner = *work;
  char *bytes = file_read(&memory, work->in, &inner.in_bytes, work->why);
  inner.in = bytes;
  bool good = bytes && decode_work(&inner);
  if (bytes)
    file_free(&memory, bytes, inner.in_bytes);
  work->out_bytes = inner.out_bytes;
  work->wants_room = inner.wants_room;
  return good;
}

static bool begin_decode(apart_t *apart, const char *bytes, size_t size_bytes, uint32_t limit_ms, error_t *error) {
  return apart_begin(apart,
                     &(apart_desc_t){.work = decode_work,
                                     .in = bytes,
                                     .in_bytes = size_bytes,
                                     .out_bytes = SOUND_MOST_BYTES,
                                     .limit_ms = limit_ms},
                     error);
}

static void *copy_samples(const uint8_t *samples, size_t bytes) {
  void *copy = samples ? SDL_malloc(bytes) : NULL;
  if (copy)
    memcpy(copy, samples, bytes);
  return copy;
}

// Decodes it in a copy of the process, and waits for it. SDL's memory.
static void *decode_apart(const char *bytes, size_t size_bytes, size_t *out_bytes, error_t *error) {
  apart_t apart;
  if (!begin_decode(&apart, bytes, size_bytes, SOUND_MS, error))
    return NULL;
  const uint8_t *samples = apart_end(&apart, out_bytes, error);
  void *copy = copy_samples(samples, *out_bytes);
  apart_free(&apart);
  return copy;
}

// Takes the samples over, also where it fails; NULL for NULL.
static Mix_Chunk *chunk_of(void *samples, size_t bytes) {
  Mix_Chunk *chunk = samples ? Mix_QuickLoad_RAW(samples, (Uint32)bytes) : NULL;
  if (!chunk) {
    SDL_free(samples);
    return NULL;
  }
  chunk->abuf = samples; // where it has them already; said here for who looks for leaks
  chunk->allocated = 1;  // it frees them
  return chunk;
}

static Mix_Chunk *decode_chunk(audio_o *a, const char *name, bool whole, error_t *error) {
  sound_head_t head;
  error_t why = {.text = "there is no memory for it"};
  size_t size_bytes = 0, out_bytes = 0;
  char *bytes = read_sound(a, name, whole, &head, &size_bytes, error);
  if (!bytes)
    return NULL;
  void *samples = head.format == FORMAT_WAV ? decode(bytes, size_bytes, &head, &out_bytes)
                                            : decode_apart(bytes, size_bytes, &out_bytes, &why);
  file_free(&a->memory, bytes, size_bytes);
  Mix_Chunk *chunk = chunk_of(samples, out_bytes);
  if (!chunk)
    error_set(error, "%s: cannot be played: %s", name, why.text);
  return chunk;
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

static Mix_Chunk *load_chunk(audio_o *a, const char *name) {
  error_t error = {0};
  Mix_Chunk *chunk = a->silent ? NULL : decode_chunk(a, name, false, &error);
  if (!chunk && !(a->silent && is_readable(a, name, false, &error)))
    say_unheard(a, name, error.text);
  return chunk;
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

static Mix_Chunk *find_chunk(audio_o *a, const char *name) {
  clip_t *known = find_clip(a, name);
  if (known && known->ahead) { // what is to be heard now is not waited for in line
    known->ahead = 0;
    known->chunk = load_chunk(a, name);
  }
  if (known)
    return known->chunk;
  clip_t clip = {.name = strdup(name), .chunk = load_chunk(a, name)};
  if (!clip.name)
    abort();
  return add_clip(a, clip)->chunk;
}

// --- ahead

bool audio_preload(audio_o *a, const char *name) {
  char path[1280];
  clip_t *known = find_clip(a, name);
  if (known)
    return known->ahead != 0;
  if (a->silent || !assets_find(a->assets, name, path, sizeof path)) {
    find_chunk(a, name); // which says what is wrong with it
    return false;
  }
  clip_t clip = {.name = strdup(name), .ahead = ++a->last_ahead};
  if (!clip.name)
    abort();
  add_clip(a, clip);
  apart_batch_add(a->ahead, clip.ahead, path, strlen(path));
  return true;
}

static void take_ahead(audio_o *a, clip_t *clip, const apart_piece_t *piece) {
  size_t bytes = piece->out_bytes / SOUND_FRAME_BYTES * SOUND_FRAME_BYTES;
  char path[1280], words[2400];
  shoal_assert(!clip->chunk, "%s is there, and was decoded ahead all the same", clip->name);
  clip->ahead = 0;
  clip->chunk = chunk_of(copy_samples(piece->out, bytes), bytes);
  if (clip->chunk)
    return;
  const char *why = piece->out ? "there is no memory for it" : piece->why.text;
  assets_find(a->assets, clip->name, path, sizeof path);
  bool named = strncmp(why, path, strlen(path)) == 0; // the file could not be read
  snprintf(words, sizeof words, "%s%s%s", named ? "" : path, named ? "" : ": cannot be played: ", why);
  say_unheard(a, clip->name, words);
}

static void advance_ahead(audio_o *a) {
  apart_piece_t piece;
  for (uint32_t i = 0; i < AHEAD_MOST && apart_batch_next(a->ahead, false, &piece); ++i)
    for (size_t k = 0; k < a->clip_count; ++k)
      if (a->clips[k].ahead == piece.id)
        take_ahead(a, &a->clips[k], &piece);
}

static int find_channel(const audio_o *a, uint32_t voice) {
  for (int i = 0; voice != 0 && i < CHANNELS; ++i)
    if (a->channels[i].voice == voice)
      return Mix_Playing(i) ? i : -1;
  return -1;
}

// A free channel, or that of the oldest sound that does not loop; -1 when everything loops.
static int take_channel(audio_o *a) {
  int oldest = -1;
  for (int i = 0; i < CHANNELS; ++i) {
    if (!Mix_Playing(i))
      return i;
    if (!a->channels[i].loop && (oldest < 0 || a->channels[i].began < a->channels[oldest].began))
      oldest = i;
  }
  if (oldest >= 0)
    Mix_HaltChannel(oldest);
  return oldest;
}

static void apply(int channel, float volume, float pan) {
  shoal_assert(channel >= 0 && channel < CHANNELS, "channel %d of %d", channel, CHANNELS);
  volume = clamp(volume, 0.0f, 1.0f);
  pan = clamp(pan, -1.0f, 1.0f);
  Mix_Volume(channel, (int)(volume * MIX_MAX_VOLUME + 0.5f));
  float left = pan > 0.0f ? 1.0f - pan : 1.0f, right = pan < 0.0f ? 1.0f + pan : 1.0f;
  Mix_SetPanning(channel, (Uint8)(left * 255.0f), (Uint8)(right * 255.0f));
}

// False when it could not be played.
static bool play(audio_o *a, uint32_t voice, const char *file, float volume, float pan, bool loop) {
  shoal_assert(voice != 0, "%s is played as voice 0, which is none", file);
  Mix_Chunk *chunk = find_chunk(a, file);
  if (!chunk || a->silent)
    return false;
  int channel = take_channel(a);
  if (channel < 0)
    return false;
  apply(channel, volume, pan);
  if (Mix_PlayChannel(channel, chunk, loop ? -1 : 0) < 0)
    return false;
  for (int i = 0; i < CHANNELS; ++i) // of a tick that is lived again
    if (a->channels[i].voice == voice)
      a->channels[i].voice = 0;
  a->channels[channel] = (channel_t){.voice = voice, .began = ++a->plays, .loop = loop, .volume = volume, .pan = pan};
  return true;
}

void audio_mute(audio_o *a, bool muted) {
  a->muted = muted;
}

static bool is_deaf(const audio_o *a) {
  return a->muted || a->repeating;
}

uint32_t audio_play(audio_o *a, const char *file, float volume, float pan, bool loop) {
  uint32_t voice = AUDIO_FIRST_OWN_VOICE + a->last_voice % AUDIO_FIRST_OWN_VOICE;
  if (is_deaf(a) || !file || file[0] == '\0' || !play(a, voice, file, volume, pan, loop))
    return 0;
  a->last_voice++;
  return voice;
}

void audio_play_as(audio_o *a, uint32_t voice, const char *file, float volume, float pan, bool loop) {
  shoal_assert(voice > 0 && voice < AUDIO_FIRST_OWN_VOICE, "voice %u is one that audio_play gives", voice);
  if (!is_deaf(a) && file && file[0] != '\0')
    play(a, voice, file, volume, pan, loop);
}

void audio_repeat(audio_o *a, bool on) {
  a->repeating = on;
}

void audio_stop(audio_o *a, uint32_t voice) {
  int channel = a->silent || is_deaf(a) ? -1 : find_channel(a, voice);
  if (channel >= 0)
    Mix_HaltChannel(channel);
}

void audio_set(audio_o *a, uint32_t voice, float volume, float pan) {
  int channel = a->silent || is_deaf(a) ? -1 : find_channel(a, voice);
  if (channel < 0)
    return;
  apply(channel, volume, pan);
  a->channels[channel].volume = volume;
  a->channels[channel].pan = pan;
}

bool audio_playing(const audio_o *a, uint32_t voice) {
  return !a->silent && !a->muted && find_channel(a, voice) >= 0;
}

// --- music

// The thread of the loudspeakers: the music's next frames, over silence. Music is heard again from its beginning.
static void mix_music(void *context, Uint8 *stream, int bytes) {
  player_t *p = context;
  int16_t *out = (int16_t *)stream;
  float level = p->level, step = p->step, volume = p->volume;
  shoal_assert(p->at < p->frames, "frame %zu of %zu of the music", p->at, p->frames);
  for (size_t i = 0; i < (size_t)bytes / SOUND_FRAME_BYTES; ++i) {
    level = clamp(level + step, 0.0f, 1.0f);
    out[2 * i] = (int16_t)((float)p->samples[2 * p->at] * level * volume);
    out[2 * i + 1] = (int16_t)((float)p->samples[2 * p->at + 1] * level * volume);
    p->at = p->at + 1 < p->frames ? p->at + 1 : 0;
  }
  p->level = level;
}

static void apply_music_volume(audio_o *a) {
  a->player.volume = clamp(a->music_volume, 0.0f, 1.0f) * a->master;
}

static float step_of(int fade_ms) {
  return fade_ms > 0 ? 1000.0f / ((float)fade_ms * (float)SOUND_RATE_HZ) : 1.0f;
}

static void free_tune(audio_o *a, tune_t *t) {
  apart_free(&t->apart);
  if (t->bytes)
    file_free(&a->memory, t->bytes, t->size_bytes);
  *t = (tune_t){0};
}

// What plays and what was to play.
static void drop_music(audio_o *a) {
  if (a->music.samples)
    Mix_HookMusic(NULL, NULL); // waits for the other thread
  free_tune(a, &a->music);
  free_tune(a, &a->next);
}

static bool begin_tune(audio_o *a, const char *file, bool whole, tune_t *out, error_t *error) {
  sound_head_t head;
  error_t why = {0};
  *out = (tune_t){0};
  out->bytes = read_sound(a, file, whole, &head, &out->size_bytes, error);
  if (!out->bytes)
    return false;
  if (begin_decode(&out->apart, out->bytes, out->size_bytes, MUSIC_MS, &why))
    return true;
  free_tune(a, out);
  return error_set(error, "%s: cannot be played: %s", file, why.text);
}

// Waits for it.
static bool end_tune(audio_o *a, const char *file, tune_t *t, error_t *error) {
  error_t why = {0};
  size_t bytes = 0;
  shoal_assert(t->bytes, "%s is not being decoded", file);
  t->samples = (const int16_t *)(const void *)apart_end(&t->apart, &bytes, &why);
  t->frames = bytes / SOUND_FRAME_BYTES;
  file_free(&a->memory, t->bytes, t->size_bytes);
  t->bytes = NULL;
  if (t->samples && t->frames > 0)
    return true;
  free_tune(a, t);
  return error_set(error, "%s: cannot be played: %s", file, why.text);
}

static void play_tune(audio_o *a, tune_t *t, int fade_ms) {
  tune_t fresh = *t;
  shoal_assert(fresh.samples && fresh.frames > 0, "music without samples");
  *t = (tune_t){0};
  drop_music(a);
  a->music = fresh;
  a->player.samples = fresh.samples;
  a->player.frames = fresh.frames;
  a->player.at = 0;
  a->player.level = 0.0f;
  a->player.step = step_of(fade_ms);
  apply_music_volume(a);
  Mix_HookMusic(mix_music, &a->player);
}

// The name is kept when nothing can be played, so that the same words again do not try again.
static void start_music(audio_o *a, const char *file, int fade_ms) {
  error_t error = {0};
  drop_music(a);
  free(a->music_name);
  a->music_name = strdup(file);
  a->next_fade_ms = fade_ms;
  if (!(a->silent ? is_readable(a, file, false, &error) : begin_tune(a, file, false, &a->next, &error)))
    say_unheard(a, file, error.text);
}

static void end_music(audio_o *a, int fade_ms) {
  free_tune(a, &a->next);
  a->player.step = -step_of(fade_ms);
  free(a->music_name);
  a->music_name = NULL;
}

void audio_music(audio_o *a, const char *file, float volume, float fade_s) {
  int fade_ms = (int)(clamp(fade_s, 0.0f, 60.0f) * 1000.0f);
  if (is_deaf(a))
    return;
  a->music_volume = volume;
  if (!file || file[0] == '\0')
    end_music(a, fade_ms);
  else if (!a->music_name || strcmp(a->music_name, file) != 0)
    start_music(a, file, fade_ms);
  apply_music_volume(a);
}

void audio_frame(audio_o *a) {
  error_t error = {0};
  advance_ahead(a);
  shoal_assert(a->music_name || !a->next.bytes, "music is decoded that has no name");
  if (a->next.bytes && apart_is_done(&a->next.apart)) {
    if (end_tune(a, a->music_name, &a->next, &error))
      play_tune(a, &a->next, a->next_fade_ms);
    else
      say_unheard(a, a->music_name, error.text);
  }
  if (a->music.samples && !a->music_name && a->player.level <= 0.0f)
    drop_music(a);
}

void audio_set_volume(audio_o *a, float master) {
  if (is_deaf(a))
    return;
  a->master = clamp(master, 0.0f, 1.0f);
  if (!a->silent)
    Mix_MasterVolume((int)(a->master * MIX_MAX_VOLUME + 0.5f));
  apply_music_volume(a);
}

// --- files that change

// Frees the replaced sounds that no voice plays any more.
static void sweep_clips(audio_o *a) {
  size_t kept = 0;
  for (size_t i = 0; i < a->clip_count; ++i) {
    clip_t clip = a->clips[i];
    bool used = clip.name != NULL;
    for (int c = 0; !used && c < CHANNELS; ++c)
      used = Mix_Playing(c) && Mix_GetChunk(c) == clip.chunk;
    if (used)
      a->clips[kept++] = clip;
    else
      Mix_FreeChunk(clip.chunk);
  }
  a->clip_count = kept;
}

// What loops goes on with `next` under its voice.
static void replace_loops(audio_o *a, const Mix_Chunk *before, Mix_Chunk *next) {
  for (int c = 0; before && c < CHANNELS; ++c) {
    const channel_t *channel = &a->channels[c];
    if (!channel->loop || !Mix_Playing(c) || Mix_GetChunk(c) != before)
      continue;
    Mix_HaltChannel(c); // takes volume and panning with it
    apply(c, channel->volume, channel->pan);
    Mix_PlayChannel(c, next, -1);
  }
}

static bool clip_changed(audio_o *a, clip_t *clip, error_t *why) {
  Mix_Chunk *fresh = decode_chunk(a, clip->name, true, why), *before = clip->chunk;
  if (!fresh)
    return false;
  clip->chunk = fresh;
  clip->ahead = 0;
  replace_loops(a, before, fresh);
  if (before)
    add_clip(a, (clip_t){.chunk = before});
  sweep_clips(a);
  return true;
}

static bool music_changed(audio_o *a, error_t *why) {
  tune_t fresh;
  if (!begin_tune(a, a->music_name, true, &fresh, why) || !end_tune(a, a->music_name, &fresh, why))
    return false;
  play_tune(a, &fresh, 0);
  return true;
}

asset_fate_t audio_asset_changed(audio_o *a, const char *name, error_t *why) {
  clip_t *clip = find_clip(a, name);
  bool music = a->music_name && strcmp(a->music_name, name) == 0;
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
  if (!a->silent)
    Mix_HaltChannel(-1);
  drop_music(a);
  apart_batch_clear(a->ahead);
  free(a->music_name);
  a->music_name = NULL;
  for (size_t i = 0; i < a->clip_count; ++i) {
    if (a->clips[i].chunk)
      Mix_FreeChunk(a->clips[i].chunk);
    free(a->clips[i].name);
  }
  free(a->clips);
  a->clips = NULL;
  a->clip_count = a->clip_capacity = 0;
  memset(a->channels, 0, sizeof a->channels);
}
