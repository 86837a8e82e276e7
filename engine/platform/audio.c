// A voice is a number that counts up, so that a late audio_stop never hits another sound; a channel knows which voice it plays.
// Files are read whole: nothing that plays depends on a file that somebody is about to change.
#include "platform/audio.h"

#include "base/files.h"
#include "platform/sound_file.h"

#include <SDL2/SDL.h>
#include <SDL2/SDL_mixer.h>
#include <stdlib.h>
#include <string.h>

#define CHANNELS 32
#define RATE_HZ 44100
#define BUFFER_FRAMES 512

typedef struct clip_t {
  char *name;       // NULL: replaced by a newer one, and freed once no channel plays it
  Mix_Chunk *chunk; // NULL: could not be loaded, and that was said
} clip_t;

typedef struct channel_t {
  uint32_t voice;
  bool loop;
  float volume, pan;
} channel_t;

typedef struct music_t {
  Mix_Music *stream; // NULL for none
  char *bytes;       // that it streams from
  size_t size_bytes;
} music_t;

struct audio_o {
  bool silent, device, muted;
  const assets_t *assets;
  log_o *log;
  float master;
  uint32_t last_voice;
  channel_t channels[CHANNELS];
  clip_t *clips;
  size_t clip_count, clip_capacity;
  char *music_name;
  music_t music;
  float music_volume;
  allocator_t memory; // of the music's bytes
  uint32_t *marked;   // voices that were given since audio_mark
  size_t marked_count, marked_capacity, repeated;
  bool marking, repeating;
};

static float clamp(float x, float low, float high) {
  return x >= low ? (x <= high ? x : high) : low; // NaN becomes `low`
}

static bool open_device(audio_o *a) {
  if (SDL_InitSubSystem(SDL_INIT_AUDIO) != 0)
    return false;
  if (Mix_OpenAudio(RATE_HZ, AUDIO_S16SYS, 2, BUFFER_FRAMES) != 0) {
    SDL_QuitSubSystem(SDL_INIT_AUDIO);
    return false;
  }
  Mix_Init(MIX_INIT_OGG);
  Mix_AllocateChannels(CHANNELS);
  a->device = true;
  return true;
}

audio_o *audio_create(bool silent, const assets_t *assets, log_o *log) {
  audio_o *a = calloc(1, sizeof *a);
  if (!a)
    abort();
  a->assets = assets;
  a->log = log;
  a->master = 1.0f;
  a->silent = silent || !open_device(a);
  if (a->silent && !silent)
    log_warn(log, "audio: silent, no sound device: %s", SDL_GetError());
  return a;
}

void audio_destroy(audio_o *a) {
  if (!a)
    return;
  audio_forget(a);
  if (a->device) {
    Mix_CloseAudio();
    Mix_Quit();
    SDL_QuitSubSystem(SDL_INIT_AUDIO);
  }
  free(a->marked);
  free(a);
}

// A sound's whole file. `whole`: also refuse what can be seen to be only a part of one.
static char *read_sound(audio_o *a, const char *name, bool whole, size_t *size_bytes, error_t *error) {
  char path[1280];
  if (!assets_find(a->assets, name, path, sizeof path)) {
    error_set(error, "%s", path);
    return NULL;
  }
  char *bytes = file_read(&a->memory, path, size_bytes, error);
  if (bytes && whole && !sound_file_is_whole(bytes, *size_bytes)) {
    error_set(error, "%s: cannot be played: the file ends too early", path);
    file_free(&a->memory, bytes, *size_bytes);
    return NULL;
  }
  return bytes;
}

static Mix_Chunk *decode_chunk(audio_o *a, const char *name, bool whole, error_t *error) {
  size_t size_bytes = 0;
  char *bytes = read_sound(a, name, whole, &size_bytes, error);
  if (!bytes)
    return NULL;
  Mix_Chunk *chunk = NULL;
  if (size_bytes < INT32_MAX)
    chunk = Mix_LoadWAV_RW(SDL_RWFromConstMem(bytes, (int)size_bytes), 1);
  file_free(&a->memory, bytes, size_bytes);
  if (!chunk)
    error_set(error, "%s: cannot be played: %s", name, size_bytes ? Mix_GetError() : "the file is empty");
  return chunk;
}

static Mix_Chunk *load_chunk(audio_o *a, const char *name) {
  char path[1280];
  error_t error = {{0}};
  if (a->silent) {
    if (!assets_find(a->assets, name, path, sizeof path))
      log_warn(a->log, "audio: %s", path);
    return NULL;
  }
  Mix_Chunk *chunk = decode_chunk(a, name, false, &error);
  if (!chunk)
    log_warn(a->log, "audio: %s", error.text);
  return chunk;
}

static clip_t *find_clip(audio_o *a, const char *name) {
  for (size_t i = 0; i < a->clip_count; i++)
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

// Looks in the silent case too: a missing file is worth a line without loudspeakers as well.
static Mix_Chunk *find_chunk(audio_o *a, const char *name) {
  clip_t *known = find_clip(a, name);
  if (known)
    return known->chunk;
  clip_t clip = {.name = strdup(name), .chunk = load_chunk(a, name)};
  if (!clip.name)
    abort();
  return add_clip(a, clip)->chunk;
}

static int find_channel(const audio_o *a, uint32_t voice) {
  for (int i = 0; voice != 0 && i < CHANNELS; i++)
    if (a->channels[i].voice == voice)
      return Mix_Playing(i) ? i : -1;
  return -1;
}

// A free channel, or that of the oldest sound that does not loop; -1 when everything loops.
static int take_channel(audio_o *a) {
  int oldest = -1;
  for (int i = 0; i < CHANNELS; i++) {
    if (!Mix_Playing(i))
      return i;
    if (!a->channels[i].loop && (oldest < 0 || a->channels[i].voice < a->channels[oldest].voice))
      oldest = i;
  }
  if (oldest >= 0)
    Mix_HaltChannel(oldest);
  return oldest;
}

static void apply(int channel, float volume, float pan) {
  volume = clamp(volume, 0.0f, 1.0f);
  pan = clamp(pan, -1.0f, 1.0f);
  Mix_Volume(channel, (int)(volume * MIX_MAX_VOLUME + 0.5f));
  float left = pan > 0.0f ? 1.0f - pan : 1.0f, right = pan < 0.0f ? 1.0f + pan : 1.0f;
  Mix_SetPanning(channel, (Uint8)(left * 255.0f), (Uint8)(right * 255.0f));
}

static uint32_t play(audio_o *a, const char *file, float volume, float pan, bool loop) {
  Mix_Chunk *chunk = find_chunk(a, file);
  if (!chunk || a->silent)
    return 0;
  int channel = take_channel(a);
  if (channel < 0)
    return 0;
  apply(channel, volume, pan);
  if (Mix_PlayChannel(channel, chunk, loop ? -1 : 0) < 0)
    return 0;
  a->last_voice++;
  a->channels[channel] = (channel_t){.voice = a->last_voice, .loop = loop, .volume = volume, .pan = pan};
  return a->last_voice;
}

void audio_mute(audio_o *a, bool muted) {
  a->muted = muted;
}

static uint32_t note(audio_o *a, uint32_t voice) {
  if (a->marked_count == a->marked_capacity) {
    a->marked_capacity = a->marked_capacity ? a->marked_capacity * 2 : 16;
    a->marked = realloc(a->marked, a->marked_capacity * sizeof *a->marked);
    if (!a->marked)
      abort();
  }
  a->marked[a->marked_count++] = voice;
  return voice;
}

uint32_t audio_play(audio_o *a, const char *file, float volume, float pan, bool loop) {
  if (a->muted || !file || file[0] == '\0')
    return 0;
  if (a->repeating)
    return a->repeated < a->marked_count ? a->marked[a->repeated++] : 0;
  uint32_t voice = play(a, file, volume, pan, loop);
  return a->marking ? note(a, voice) : voice;
}

void audio_mark(audio_o *a, bool on) {
  a->marking = on;
  a->repeating = false;
  a->marked_count = a->repeated = 0;
}

// What comes after a repetition follows what was repeated, should there be a third time.
void audio_repeat(audio_o *a, bool on) {
  if (!on && a->repeating)
    a->marked_count = a->repeated;
  a->repeating = on;
  a->repeated = 0;
}

static bool is_deaf(const audio_o *a) {
  return a->muted || a->repeating;
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

static void apply_music_volume(const audio_o *a) {
  Mix_VolumeMusic((int)(clamp(a->music_volume, 0.0f, 1.0f) * a->master * MIX_MAX_VOLUME + 0.5f));
}

// Halted first: SDL_mixer would wait for a fade to end before it frees the music or starts another.
static void drop_music(audio_o *a) {
  if (a->music.stream) {
    Mix_HaltMusic();
    Mix_FreeMusic(a->music.stream);
  }
  if (a->music.bytes)
    file_free(&a->memory, a->music.bytes, a->music.size_bytes);
  a->music = (music_t){0};
}

static bool open_music(audio_o *a, const char *file, bool whole, music_t *out, error_t *error) {
  music_t m = {0};
  m.bytes = read_sound(a, file, whole, &m.size_bytes, error);
  if (!m.bytes)
    return false;
  if (m.size_bytes < INT32_MAX)
    m.stream = Mix_LoadMUS_RW(SDL_RWFromConstMem(m.bytes, (int)m.size_bytes), 1);
  *out = m;
  if (m.stream)
    return true;
  error_set(error, "%s: cannot be played: %s", file, m.size_bytes ? Mix_GetError() : "the file is empty");
  file_free(&a->memory, m.bytes, m.size_bytes);
  *out = (music_t){0};
  return false;
}

// The name is kept when nothing can be played, so that the same words again do not try again.
static void start_music(audio_o *a, const char *file, int fade_ms) {
  char path[1280];
  error_t error = {{0}};
  drop_music(a);
  free(a->music_name);
  a->music_name = strdup(file);
  if (a->silent) {
    if (!assets_find(a->assets, file, path, sizeof path))
      log_warn(a->log, "audio: %s", path);
    return;
  }
  if (!open_music(a, file, false, &a->music, &error))
    log_warn(a->log, "audio: %s", error.text);
  else if (Mix_FadeInMusic(a->music.stream, -1, fade_ms) != 0)
    log_warn(a->log, "audio: %s: cannot be played: %s", file, Mix_GetError());
}

void audio_music(audio_o *a, const char *file, float volume, float fade_s) {
  int fade_ms = (int)(clamp(fade_s, 0.0f, 60.0f) * 1000.0f);
  if (is_deaf(a))
    return;
  a->music_volume = volume;
  if (!file || file[0] == '\0') {
    if (a->music.stream)
      Mix_FadeOutMusic(fade_ms);
    free(a->music_name);
    a->music_name = NULL;
    return;
  }
  if (!a->music_name || strcmp(a->music_name, file) != 0)
    start_music(a, file, fade_ms);
  if (!a->silent)
    apply_music_volume(a);
}

void audio_set_volume(audio_o *a, float master) {
  if (is_deaf(a))
    return;
  a->master = clamp(master, 0.0f, 1.0f);
  if (!a->silent) {
    Mix_MasterVolume((int)(a->master * MIX_MAX_VOLUME + 0.5f));
    apply_music_volume(a);
  }
}

// --- files that change

// Frees the replaced sounds that nobody plays any more.
static void sweep_clips(audio_o *a) {
  size_t kept = 0;
  for (size_t i = 0; i < a->clip_count; i++) {
    clip_t clip = a->clips[i];
    bool used = clip.name != NULL;
    for (int c = 0; !used && c < CHANNELS; c++)
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
  for (int c = 0; before && c < CHANNELS; c++) {
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
  replace_loops(a, before, fresh);
  if (before)
    add_clip(a, (clip_t){.chunk = before});
  sweep_clips(a);
  return true;
}

static bool music_changed(audio_o *a, error_t *why) {
  music_t fresh;
  if (!open_music(a, a->music_name, true, &fresh, why))
    return false;
  drop_music(a);
  a->music = fresh;
  if (Mix_PlayMusic(a->music.stream, -1) != 0)
    log_warn(a->log, "audio: %s: cannot be played: %s", a->music_name, Mix_GetError());
  apply_music_volume(a);
  return true;
}

static bool is_readable(audio_o *a, const char *name, error_t *why) {
  size_t size_bytes = 0;
  char *bytes = read_sound(a, name, true, &size_bytes, why);
  if (!bytes)
    return false;
  file_free(&a->memory, bytes, size_bytes);
  return size_bytes > 0 || error_set(why, "%s: cannot be played: the file is empty", name);
}

asset_fate_t audio_asset_changed(audio_o *a, const char *name, error_t *why) {
  clip_t *clip = find_clip(a, name);
  bool music = a->music_name && strcmp(a->music_name, name) == 0;
  if (!clip && !music)
    return ASSET_UNUSED;
  bool good = true;
  if (a->silent)
    good = is_readable(a, name, why);
  else
    good = (!clip || clip_changed(a, clip, why)) && (!music || music_changed(a, why));
  return good ? ASSET_RELOADED : ASSET_KEPT;
}

void audio_forget(audio_o *a) {
  if (!a->silent)
    Mix_HaltChannel(-1);
  drop_music(a);
  free(a->music_name);
  a->music_name = NULL;
  for (size_t i = 0; i < a->clip_count; i++) {
    if (a->clips[i].chunk)
      Mix_FreeChunk(a->clips[i].chunk);
    free(a->clips[i].name);
  }
  free(a->clips);
  a->clips = NULL;
  a->clip_count = a->clip_capacity = 0;
  memset(a->channels, 0, sizeof a->channels);
}
