// Assets that scripts ask for ahead (assets.preload): what was asked for, what is under way in the renderer and in the
// sound, and how many of them are there. Main thread.
#ifndef SHOAL_GAME_PRELOAD_H
#define SHOAL_GAME_PRELOAD_H

#include "base/log.h"
#include "platform/assets.h"
#include "platform/audio.h"
#include "render/render.h"

typedef struct preload_o preload_o;

// `instant`: what is asked for counts as there at once, for nothing is decoded (headless), so that such runs do not
// depend on how fast files are read.
preload_o *preload_create(bool instant);
void preload_destroy(preload_o *p); // NULL is fine
// Notes the name; preload_frame begins with it. `first` of a list: when all before it are there, counting begins anew.
void preload_ask(preload_o *p, const char *name, bool first);
// How many are there, or have failed, of those that were asked for since all were there.
void preload_progress(const preload_o *p, uint32_t *there, uint32_t *asked);

typedef struct preload_desc_t { // all borrowed
  render_o *render;
  audio_o *audio;
  const assets_t *assets;
  log_o *log;
} preload_desc_t;
void preload_frame(preload_o *p, const preload_desc_t *desc); // once a frame
void preload_clear(preload_o *p);                             // another game

#endif
