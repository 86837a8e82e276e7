// Preloads assets. An asset passes through the stages requested, loading as an image or a sound, and done. Fonts and
// the files of plugins are loaded immediately. Files of plugins are recognized by their extension, all other files by
// their first bytes.
#include "game/preload.h"

#include "base/array.h"
#include "base/assert.h"
#include "base/files.h"
#include "base/hash.h"
#include "decode/asset_format.h"

#include <stdlib.h>
#include <string.h>

#define MAX_NAMES 10000u
#define HEADER_BYTES 64u // number of bytes that asset_format examines

typedef enum stage_t { STAGE_REQUESTED, STAGE_IMAGE, STAGE_SOUND, STAGE_DONE } stage_t;

typedef struct request_t {
  uint64_t hash;
  char *name;
  stage_t stage;
  uint32_t round; // last round in which the asset was requested
} request_t;

struct preload_o {
  allocator_t memory;
  ARRAY(request_t) requests;
  // `round`: number of the current round; `loaded`, `requested`: number of assets loaded and requested in this round
  uint32_t round, loaded, requested;
  bool instant, overflowed;
};

preload_o *preload_create(bool instant) {
  preload_o *p = alloc_object(sizeof *p);
  p->instant = instant;
  return p;
}

void preload_clear(preload_o *p) {
  for (uint32_t i = 0; i < p->requests.count; ++i)
    alloc_free_text(&p->memory, p->requests.items[i].name);
  array_free(&p->memory, &p->requests);
  p->round = p->loaded = p->requested = 0;
  p->overflowed = false;
}

void preload_destroy(preload_o *p) {
  if (!p)
    return;
  preload_clear(p);
  shoal_assert(p->memory.bytes == 0, "preload leaked %zu bytes", p->memory.bytes);
  free(p);
}

static request_t *find_request(preload_o *p, const char *name) {
  uint64_t hash = hash_text(name);
  for (uint32_t i = 0; i < p->requests.count; ++i)
    if (p->requests.items[i].hash == hash && strcmp(p->requests.items[i].name, name) == 0)
      return &p->requests.items[i];
  return NULL;
}

static request_t *add_request(preload_o *p, const char *name) {
  request_t request = {.hash = hash_text(name), .name = alloc_copy_text(&p->memory, name)};
  array_push(&p->memory, &p->requests, request);
  return &p->requests.items[p->requests.count - 1];
}

void preload_request(preload_o *p, const char *name, bool is_first) {
  shoal_assert(name[0], "the asset's name must not be empty");
  request_t *existing = find_request(p, name);
  p->overflowed |= !existing && p->requests.count == MAX_NAMES;
  if (!existing && p->requests.count == MAX_NAMES)
    return;
  if (p->round == 0 || (is_first && p->loaded == p->requested)) {
    p->round++;
    p->loaded = p->requested = 0;
  }
  request_t *request = existing ? existing : add_request(p, name);
  if (request->round == p->round)
    return;
  request->round = p->round;
  p->requested++;
  p->loaded += request->stage == STAGE_DONE;
}

void preload_progress(const preload_o *p, uint32_t *loaded, uint32_t *requested) {
  *loaded = p->instant ? p->requested : p->loaded;
  *requested = p->requested;
}

// Opens a font so that drawing the first text does not wait for the file. Reports an invalid font.
static void open_font(const request_t *request, const preload_desc_t *desc) {
  float width, height;
  if (desc->typesetter)
    typesetter_measure(desc->typesetter, &(text_style_t){.font = request->name, .size = 16}, "X", &width, &height);
}

// Returns the next stage of a requested asset. Opens a font, and passes a plugin's file to the plugin. Passes all
// remaining files that are not sounds to the image loader, which reports invalid files.
static stage_t choose_stage(const request_t *request, const preload_desc_t *desc) {
  char path[1280];
  uint8_t header[HEADER_BYTES];
  if (!assets_find(desc->assets, request->name, path, sizeof path))
    return STAGE_DONE; // assets.preload has already reported the missing file
  if (desc->plugins && plugins_preload_asset(desc->plugins, request->name))
    return STAGE_DONE;
  switch (asset_format_detect(header, file_read_start(path, header, sizeof header))) {
  case FORMAT_WAV:
  case FORMAT_OGG:
  case FORMAT_FLAC:
  case FORMAT_MP3: return STAGE_SOUND;
  case FORMAT_FONT: open_font(request, desc); return STAGE_DONE;
  default: return STAGE_IMAGE;
  }
}

static void advance_request(preload_o *p, request_t *request, const preload_desc_t *desc) {
  if (request->stage == STAGE_REQUESTED)
    request->stage = choose_stage(request, desc);
  bool is_loading = (request->stage == STAGE_IMAGE && render_preload(desc->render, request->name)) ||
                    (request->stage == STAGE_SOUND && audio_preload(desc->audio, request->name));
  if (is_loading)
    return;
  request->stage = STAGE_DONE;
  p->loaded += request->round == p->round;
  shoal_assert(p->loaded <= p->requested, "%u assets are loaded, but only %u were requested", p->loaded, p->requested);
}

void preload_run_frame(preload_o *p, const preload_desc_t *desc) {
  shoal_assert(desc->render && desc->audio && desc->assets, "render, audio and assets must not be NULL");
  if (p->overflowed)
    log_warn(desc->log, "assets.preload: too many names (at most %u): further names were ignored", MAX_NAMES);
  p->overflowed = false;
  for (uint32_t i = 0; i < p->requests.count; ++i)
    if (p->requests.items[i].stage != STAGE_DONE)
      advance_request(p, &p->requests.items[i], desc);
}
