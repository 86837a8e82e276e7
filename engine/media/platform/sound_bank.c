// Implements the cache of decoded sounds. Uses two decoders: one for sounds that are needed immediately, and one for
// background decoding.
#include "platform/sound_bank.h"

#include "base/array.h"
#include "base/assert.h"
#include "base/files.h"
#include "base/hash.h"
#include "decode/decoder.h"
#include "platform/sound_decode.h"

#include <stdlib.h>
#include <string.h>

#define SYNC_LIMIT_MS 5000u      // CPU time limit for decoding a file that is needed immediately
#define PREFETCH_LIMIT_MS 20000u // CPU time limit for decoding a file in the background
#define MAX_PREFETCH_RESULTS 16  // maximum number of results collected per frame
#define MAX_VARIANTS 64u
#define MUSIC_FRAMES 600u // number of frames after which unused music is released

typedef struct clip_t {
  char *name; // name of the clip; NULL if a newer clip has replaced this clip: it is released once no voice plays it
  uint64_t prefetch_job;    // id of the clip's background job; 0 if the clip has no job
  decoder_memory_t *memory; // memory that contains the samples
  // Sound of the clip. Has no samples while the clip is being decoded, or if loading failed, which was logged.
  mixer_sound_t sound;
  bool is_music;
  uint32_t idle_frames; // music only: frames since the last request
} clip_t;

// The files that match a name without extension, such as step_1.wav and step_2.wav for "step".
typedef struct variants_t {
  char *name;
  uint32_t count;       // number of variants NAME_1 to NAME_count; 0: no numbered variants
  uint32_t last_played; // most recently played variant
} variants_t;

struct sound_bank_o {
  const assets_t *assets;
  log_o *log;
  bool silent;
  allocator_t memory;
  ARRAY(clip_t) clips;
  ARRAY(variants_t) variant_sets;
  decoder_o *sync_decoder, *prefetch_decoder;
  uint64_t last_prefetch_job;
};

// --- decoding

// Header of a decoder's result. The samples follow.
typedef struct decoded_header_t {
  uint32_t loop_from, loop_to, lost_loop, unused;
} decoded_header_t;

static bool run_decode_job(decode_job_t *job) {
  sound_head_t head;
  error_info_t error = {0};
  decoded_header_t *out = (decoded_header_t *)(void *)job->out;
  if (!sound_head_read(job->in, job->in_bytes, false, &head, &error))
    return error_set(job->error, "%s", error.text);
  size_t max_frames = job->out_bytes > sizeof *out ? (job->out_bytes - sizeof *out) / SOUND_FRAME_BYTES : 0;
  size_t frames = sound_decode(job->in, job->in_bytes, &head, (int16_t *)(void *)(out + 1), max_frames, &error);
  if (frames == 0)
    return error_set(job->error, "%s", error.text);
  job->needs_capacity = frames > max_frames && frames <= SOUND_MAX_BYTES / SOUND_FRAME_BYTES;
  if (frames > max_frames)
    return error_set(job->error, "the sound is too long (at most 25 minutes)");
  *out = (decoded_header_t){0};
  out->lost_loop = !sound_get_loop(&head, (uint32_t)frames, &out->loop_from, &out->loop_to);
  job->out_bytes = sizeof *out + frames * SOUND_FRAME_BYTES;
  return true;
}

const decoder_type_t SOUND_DECODER = {DECODER_TASK("decode-sound"), .decode = run_decode_job,
                                      .prepare = sound_decode_prepare};

// Adopts a decoder's result: retains its memory and validates all fields. Returns true on success, or false if the
// result has no samples.
static bool receive_result(sound_bank_o *bank, decoder_o *decoder, const decoder_result_t *result, clip_t *clip) {
  const decoded_header_t *head = (const decoded_header_t *)(const void *)result->out;
  char requester[160];
  size_t frames = head && result->out_bytes > sizeof *head ? (result->out_bytes - sizeof *head) / SOUND_FRAME_BYTES : 0;
  if (frames == 0)
    return false;
  bool loops = head->loop_from < head->loop_to && head->loop_to <= frames;
  clip->memory = decoder_retain(decoder);
  clip->sound = (mixer_sound_t){.samples = (const int16_t *)(const void *)(head + 1),
                                .frames = (uint32_t)frames,
                                .loop_from = loops ? head->loop_from : 0,
                                .loop_to = loops ? head->loop_to : 0};
  if (head->lost_loop)
    log_warn(bank->log, "audio: %s: the loop points are outside the file: looping the whole sound%s", clip->name,
             assets_format_requester(bank->assets, clip->name, requester, sizeof requester));
  return true;
}

// Reads a sound file and parses its header. If `require_complete` is true, rejects truncated files. Returns the
// contents of the file, or NULL with a message.
static char *read_sound(sound_bank_o *bank, const char *name, bool require_complete, sound_head_t *head,
                        size_t *size_bytes, error_info_t *error) {
  char path[1280];
  error_info_t header_error = {0};
  if (!assets_find(bank->assets, name, path, sizeof path)) {
    error_set(error, "%s", path);
    return NULL;
  }
  char *bytes = file_read(&bank->memory, path, size_bytes, error);
  if (!bytes)
    return NULL;
  bool ok = sound_head_read((const uint8_t *)bytes, *size_bytes, require_complete, head, &header_error);
  if (ok && *size_bytes < INT32_MAX)
    return bytes;
  error_set(error, "cannot play %s: %s", path, ok ? "the file is too large" : header_error.text);
  file_free(&bank->memory, bytes, *size_bytes);
  return NULL;
}

// Loads a clip that has a name but no samples yet. While the bank is silent, only validates the file. Returns true on
// success, or false with an error.
static bool load_clip(sound_bank_o *bank, clip_t *clip, bool require_complete, error_info_t *error) {
  sound_head_t head;
  decoder_result_t result;
  size_t size_bytes = 0;
  char *bytes = read_sound(bank, clip->name, require_complete, &head, &size_bytes, error);
  if (!bytes)
    return false;
  bool ok = bank->silent;
  if (!ok) {
    decoder_add_file_bytes(bank->sync_decoder, 0, bytes, size_bytes, head.format == FORMAT_WAV);
    decoder_next_result(bank->sync_decoder, true, &result);
    ok = receive_result(bank, bank->sync_decoder, &result, clip);
    decoder_clear(bank->sync_decoder);
  }
  file_free(&bank->memory, bytes, size_bytes);
  return ok || error_set(error, "cannot play %s: %s", clip->name,
                         result.error.text[0] ? result.error.text : "the decoder returned no samples");
}

// --- clips

sound_bank_o *sound_bank_create(const assets_t *assets, log_o *log) {
  sound_bank_o *bank = alloc_object(sizeof *bank);
  decoder_desc_t desc = {.type = &SOUND_DECODER, .capacity_bytes = SOUND_MAX_BYTES + 64, .limit_ms = SYNC_LIMIT_MS};
  bank->assets = assets;
  bank->log = log;
  bank->sync_decoder = decoder_create(&desc);
  desc.limit_ms = PREFETCH_LIMIT_MS;
  bank->prefetch_decoder = decoder_create(&desc);
  return bank;
}

static void release_clip(sound_bank_o *b, clip_t *clip) {
  decoder_release(clip->memory);
  alloc_free_text(&b->memory, clip->name);
}

static void clear_variants(sound_bank_o *b) {
  for (uint32_t i = 0; i < b->variant_sets.count; ++i)
    alloc_free_text(&b->memory, b->variant_sets.items[i].name);
  array_free(&b->memory, &b->variant_sets);
}

void sound_bank_clear(sound_bank_o *b) {
  decoder_clear(b->prefetch_decoder);
  for (uint32_t i = 0; i < b->clips.count; ++i)
    release_clip(b, &b->clips.items[i]);
  array_free(&b->memory, &b->clips);
  clear_variants(b);
}

void sound_bank_destroy(sound_bank_o *b) {
  sound_bank_clear(b);
  decoder_destroy(b->sync_decoder);
  decoder_destroy(b->prefetch_decoder);
  shoal_assert(b->memory.bytes == 0, "the sound bank leaked %zu bytes", b->memory.bytes);
  free(b);
}

void sound_bank_set_silent(sound_bank_o *b, bool silent) {
  b->silent = silent;
}

static clip_t *find_clip(sound_bank_o *b, const char *name) {
  for (uint32_t i = 0; i < b->clips.count; ++i)
    if (b->clips.items[i].name && strcmp(b->clips.items[i].name, name) == 0)
      return &b->clips.items[i];
  return NULL;
}

static clip_t *add_clip(sound_bank_o *b, const char *name) {
  clip_t clip = {.name = alloc_copy_text(&b->memory, name)};
  array_push(&b->memory, &b->clips, clip);
  return &b->clips.items[b->clips.count - 1];
}

// Logs the message with the location of the request. Does nothing if a missing file has already been reported.
static void warn_unplayable(sound_bank_o *b, const char *name, const char *message) {
  char requester[160];
  if (!assets_has_reported(b->assets, name))
    log_warn(b->log, "audio: %s%s", message, assets_format_requester(b->assets, name, requester, sizeof requester));
}

mixer_sound_t sound_bank_find_or_load(sound_bank_o *bank, const char *name) {
  error_info_t error = {0};
  clip_t *clip = find_clip(bank, name);
  if (clip && !clip->prefetch_job)
    return clip->sound;
  clip = clip ? clip : add_clip(bank, name);
  clip->prefetch_job = 0; // ignores the background decoder's result, because the sound is played now
  if (!load_clip(bank, clip, false, &error))
    warn_unplayable(bank, name, error.text);
  return clip->sound;
}

bool sound_bank_preload(sound_bank_o *bank, const char *name) {
  char path[1280];
  clip_t *clip = find_clip(bank, name);
  if (clip)
    return clip->prefetch_job != 0;
  if (bank->silent || !assets_find(bank->assets, name, path, sizeof path)) {
    sound_bank_find_or_load(bank, name); // logs why the file cannot be loaded
    return false;
  }
  add_clip(bank, name)->prefetch_job = ++bank->last_prefetch_job;
  decoder_add_file(bank->prefetch_decoder, bank->last_prefetch_job, path, false);
  return true;
}

mixer_sound_t sound_bank_get_music(sound_bank_o *bank, const char *name) {
  clip_t *clip = find_clip(bank, name);
  if (!clip) {
    sound_bank_preload(bank, name);
    clip = find_clip(bank, name);
    clip->is_music = true;
  }
  clip->idle_frames = 0;
  return clip->sound;
}

static void receive_background_result(sound_bank_o *bank, clip_t *clip, const decoder_result_t *result) {
  char path[1280], message[2400];
  shoal_assert(!clip->sound.samples, "%s is already decoded", clip->name);
  clip->prefetch_job = 0;
  if (receive_result(bank, bank->prefetch_decoder, result, clip))
    return;
  assets_find(bank->assets, clip->name, path, sizeof path);
  snprintf(message, sizeof message, "cannot play %s: %s", path,
           result->out ? "the file is damaged" : result->error.text);
  warn_unplayable(bank, clip->name, message);
}

void sound_bank_advance(sound_bank_o *b, bool wait) {
  decoder_result_t result;
  uint32_t max_results = wait ? UINT32_MAX : MAX_PREFETCH_RESULTS;
  for (uint32_t i = 0; i < max_results && decoder_next_result(b->prefetch_decoder, wait, &result); ++i)
    for (uint32_t k = 0; k < b->clips.count; ++k)
      if (b->clips.items[k].prefetch_job == result.id)
        receive_background_result(b, &b->clips.items[k], &result);
}

void sound_bank_release_unused(sound_bank_o *bank, const mixer_t *mixer) {
  uint32_t kept_count = 0;
  for (uint32_t i = 0; i < bank->clips.count; ++i) {
    clip_t clip = bank->clips.items[i];
    bool unused = !clip.name || (clip.is_music && !clip.prefetch_job && ++clip.idle_frames > MUSIC_FRAMES);
    if (unused && !mixer_uses_samples(mixer, clip.sound.samples))
      release_clip(bank, &clip);
    else
      bank->clips.items[kept_count++] = clip;
  }
  bank->clips.count = kept_count;
}

asset_fate_t sound_bank_asset_changed(sound_bank_o *bank, const char *name, mixer_sound_t *old_sound,
                                      mixer_sound_t *new_sound, error_info_t *error) {
  clip_t *clip = find_clip(bank, name);
  *old_sound = *new_sound = (mixer_sound_t){0};
  clear_variants(bank); // the file may be a new variant
  if (!clip)
    return ASSET_UNUSED;
  clip_t reloaded = {.name = clip->name, .is_music = clip->is_music}, old = *clip;
  if (!load_clip(bank, &reloaded, true, error))
    return ASSET_KEPT;
  if (bank->silent)
    return ASSET_RELOADED;
  *old_sound = old.sound;
  *new_sound = reloaded.sound;
  *clip = reloaded;
  old.name = NULL;
  if (old.sound.samples)
    array_push(&bank->memory, &bank->clips, old);
  return ASSET_RELOADED;
}

// --- variants

static variants_t *find_or_add_variants(sound_bank_o *bank, const char *name) {
  for (uint32_t i = 0; i < bank->variant_sets.count; ++i)
    if (strcmp(bank->variant_sets.items[i].name, name) == 0)
      return &bank->variant_sets.items[i];
  char file[ASSETS_SOUND_NAME_BYTES], path[1280];
  variants_t variants = {.name = alloc_copy_text(&bank->memory, name)};
  // True if an asset has exactly this name, without an extension
  bool is_file = assets_find(bank->assets, name, path, sizeof path);
  while (!is_file && variants.count < MAX_VARIANTS &&
         assets_find_sound(bank->assets, name, variants.count + 1, file, sizeof file))
    ++variants.count;
  array_push(&bank->memory, &bank->variant_sets, variants);
  return &bank->variant_sets.items[bank->variant_sets.count - 1];
}

const char *sound_bank_choose_variant(sound_bank_o *bank, const char *name, uint32_t voice, char *out) {
  char path[1280];
  if (assets_has_extension(name))
    return name;
  variants_t *variants = find_or_add_variants(bank, name);
  if (variants->count == 0)
    return !assets_find(bank->assets, name, path, sizeof path) &&
                   assets_find_sound(bank->assets, name, 0, out, ASSETS_SOUND_NAME_BYTES)
               ? out
               : name;
  uint64_t hash = hash_bytes(&voice, sizeof voice, hash_text(name));
  bool excludes_last = variants->last_played > 0 && variants->count > 1;
  uint32_t chosen = 1 + (uint32_t)(hash % (variants->count - excludes_last));
  chosen += excludes_last && chosen >= variants->last_played;
  shoal_assert(chosen >= 1 && chosen <= variants->count, "variant %u is out of range (count %u)", chosen,
               variants->count);
  variants->last_played = chosen;
  return assets_find_sound(bank->assets, name, chosen, out, ASSETS_SOUND_NAME_BYTES) ? out : name;
}
