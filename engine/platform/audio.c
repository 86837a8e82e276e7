// A voice is a number that counts up, so that a late audio_stop never hits another sound; a channel knows which voice it plays.
#include "platform/audio.h"

#include <SDL2/SDL.h>
#include <SDL2/SDL_mixer.h>
#include <stdlib.h>
#include <string.h>

#define CHANNELS 32
#define RATE_HZ 44100
#define BUFFER_FRAMES 512

typedef struct clip_t {
  char *name;
  Mix_Chunk *chunk; // NULL: could not be loaded, and that was said
} clip_t;

typedef struct channel_t {
  uint32_t voice;
  bool loop;
} channel_t;

struct audio_o {
  bool silent, device;
  const assets_t *assets;
  log_o *log;
  float master;
  uint32_t last_voice;
  channel_t channels[CHANNELS];
  clip_t *clips;
  size_t clip_count, clip_capacity;
  char *music_name;
  Mix_Music *music;
  float music_volume;
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
  free(a);
}

static Mix_Chunk *load_chunk(audio_o *a, const char *name) {
  char path[1280];
  if (!assets_find(a->assets, name, path, sizeof path)) {
    log_warn(a->log, "audio: %s", path);
    return NULL;
  }
  if (a->silent)
    return NULL;
  Mix_Chunk *chunk = Mix_LoadWAV(path);
  if (!chunk)
    log_warn(a->log, "audio: %s: cannot be played: %s", path, Mix_GetError());
  return chunk;
}

// Looks in the silent case too: a missing file is worth a line without loudspeakers as well.
static Mix_Chunk *find_chunk(audio_o *a, const char *name) {
  for (size_t i = 0; i < a->clip_count; i++)
    if (strcmp(a->clips[i].name, name) == 0)
      return a->clips[i].chunk;
  if (a->clip_count == a->clip_capacity) {
    a->clip_capacity = a->clip_capacity ? a->clip_capacity * 2 : 16;
    a->clips = realloc(a->clips, a->clip_capacity * sizeof *a->clips);
    if (!a->clips)
      abort();
  }
  clip_t clip = {.name = strdup(name), .chunk = load_chunk(a, name)};
  if (!clip.name)
    abort();
  a->clips[a->clip_count++] = clip;
  return clip.chunk;
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

uint32_t audio_play(audio_o *a, const char *file, float volume, float pan, bool loop) {
  if (!file || file[0] == '\0')
    return 0;
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
  a->channels[channel] = (channel_t){.voice = a->last_voice, .loop = loop};
  return a->last_voice;
}

void audio_stop(audio_o *a, uint32_t voice) {
  int channel = a->silent ? -1 : find_channel(a, voice);
  if (channel >= 0)
    Mix_HaltChannel(channel);
}

void audio_set(audio_o *a, uint32_t voice, float volume, float pan) {
  int channel = a->silent ? -1 : find_channel(a, voice);
  if (channel >= 0)
    apply(channel, volume, pan);
}

bool audio_playing(const audio_o *a, uint32_t voice) {
  return !a->silent && find_channel(a, voice) >= 0;
}

static void apply_music_volume(const audio_o *a) {
  Mix_VolumeMusic((int)(clamp(a->music_volume, 0.0f, 1.0f) * a->master * MIX_MAX_VOLUME + 0.5f));
}

// Halted first: SDL_mixer would wait for a fade to end before it frees the music or starts another.
static void drop_music(audio_o *a) {
  if (a->music) {
    Mix_HaltMusic();
    Mix_FreeMusic(a->music);
  }
  a->music = NULL;
  free(a->music_name);
  a->music_name = NULL;
}

static void start_music(audio_o *a, const char *file, int fade_ms) {
  drop_music(a);
  a->music_name = strdup(file);
  char path[1280];
  if (!assets_find(a->assets, file, path, sizeof path)) {
    log_warn(a->log, "audio: %s", path);
    return;
  }
  if (a->silent)
    return;
  a->music = Mix_LoadMUS(path);
  if (!a->music || Mix_FadeInMusic(a->music, -1, fade_ms) != 0)
    log_warn(a->log, "audio: %s: cannot be played: %s", path, Mix_GetError());
}

void audio_music(audio_o *a, const char *file, float volume, float fade_s) {
  int fade_ms = (int)(clamp(fade_s, 0.0f, 60.0f) * 1000.0f);
  a->music_volume = volume;
  if (!file || file[0] == '\0') {
    if (a->music)
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
  a->master = clamp(master, 0.0f, 1.0f);
  if (!a->silent) {
    Mix_MasterVolume((int)(a->master * MIX_MAX_VOLUME + 0.5f));
    apply_music_volume(a);
  }
}

void audio_forget(audio_o *a) {
  if (!a->silent)
    Mix_HaltChannel(-1);
  drop_music(a);
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
