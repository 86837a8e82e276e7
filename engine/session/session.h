// The state of one run that does not depend on the frame: the running game, its past, its recording. Owned by the host
// (host/host_internal.h), which fills in the borrowed parts before it opens a recording or loads a game.
#ifndef SHOAL_SESSION_SESSION_H
#define SHOAL_SESSION_SESSION_H

#include "game/game.h"
#include "overlay/toast.h"
#include "platform/assets.h"
#include "platform/paths.h"
#include "session/recording_control.h"
#include "session/rollback.h"
#include "session/time_travel.h"
#include "start/options.h"
#include "store/background_save.h"

struct session_t {
  options_t options;
  paths_t places;
  assets_t assets;
  log_o *log;
  draw_o *draw;
  platform_o *platform; // NULL until the window is open
  render_o *render;     // the same
  external_o *outside;  // what is read from outside the world
  allocator_t memory;

  char folder[PATH_MAX_BYTES]; // of the game that runs, or that could not start
  game_o *game;                // NULL while it could not start
  toasts_t toasts;

  time_travel_t time;
  recording_control_t recording;
  rollback_o *rollback;        // --check-rollback; NULL without
  background_save_o *autosave; // that is being written; NULL when none is

  bool want_reload;      // between two ticks
  bool reload_by_script; // not recorded: a replay repeats it by itself
  bool stopping;         // the current frame is the last
  int exit_code;         // of the program
};

#endif
