// Assets that scripts request ahead of time (assets.preload), and their loading progress in the renderer and the mixer.
// Main thread.
#ifndef SHOAL_GAME_PRELOAD_H
#define SHOAL_GAME_PRELOAD_H

#include "base/log.h"
#include "platform/assets.h"
#include "platform/audio.h"
#include "plugin/plugins.h"
#include "render/render.h"
#include "text/typesetter.h"

typedef struct preload_o preload_o;

// Creates an empty list of requests. With `instant`, requests are reported as loaded immediately. Use this for headless
// runs, which do not decode assets, and whose results must not depend on the speed of file access.
preload_o *preload_create(bool instant);
void preload_destroy(preload_o *p); // accepts NULL
// Requests an asset. preload_run_frame then starts to load it. `is_first`: true if the name is the first of a list.
// Counting then restarts if all earlier requests are done. At most 10,000 names are kept. Additional names are ignored
// with a warning.
void preload_request(preload_o *p, const char *name, bool is_first);
// Writes the number of assets loaded or failed, and the number of assets requested, since counting restarted.
void preload_progress(const preload_o *p, uint32_t *loaded, uint32_t *requested);

// Objects that preload_run_frame uses; all are borrowed.
typedef struct preload_desc_t {
  render_o *render;
  typesetter_o *typesetter; // opens fonts; may be NULL while no game runs
  plugins_o *plugins;       // plugins that load files such as models; may be NULL while no game runs
  audio_o *audio;
  const assets_t *assets;
  log_o *log;
} preload_desc_t;
void preload_run_frame(preload_o *p, const preload_desc_t *desc); // continues loading; must be called once per frame
void preload_clear(preload_o *p); // drops all requests; call before a different game starts

#endif
