// Assets requested ahead by scripts (assets.preload), and their progress in the renderer and the mixer. Main thread.
#ifndef SHOAL_GAME_PRELOAD_H
#define SHOAL_GAME_PRELOAD_H

#include "base/log.h"
#include "platform/assets.h"
#include "platform/audio.h"
#include "render/render.h"

typedef struct preload_o preload_o;

// `instant`: requests count as loaded at once, because headless runs decode nothing; their results then do not depend
// on the speed of files.
preload_o *preload_create(bool instant);
void preload_destroy(preload_o *p); // accepts NULL
// Requests an asset; preload_frame starts loading it. `first`: the name is the first of a list; if all earlier requests
// are done, counting restarts.
void preload_request(preload_o *p, const char *name, bool first);
// Returns how many assets have loaded or failed, and how many were requested since counting restarted.
void preload_progress(const preload_o *p, uint32_t *loaded, uint32_t *requested);

typedef struct preload_desc_t { // all borrowed
  render_o *render;
  audio_o *audio;
  const assets_t *assets;
  log_o *log;
} preload_desc_t;
void preload_frame(preload_o *p, const preload_desc_t *desc); // call once a frame
void preload_clear(preload_o *p);                             // call when another game is loaded

#endif
