// State of one run that does not depend on frames: the running game, its history and its recording. Owned by the host
// (host/host_internal.h), which sets the borrowed fields before it opens a recording or loads a game.
#ifndef SHOAL_SESSION_SESSION_H
#define SHOAL_SESSION_SESSION_H

#include "game/game.h"
#include "platform/assets.h"
#include "platform/paths.h"
#include "session/excerpts.h"
#include "session/notices.h"
#include "session/recording_control.h"
#include "session/rollback_check.h"
#include "session/time_travel.h"
#include "start/crash_summary.h"
#include "start/options.h"
#include "store/background_save.h"

struct session_t {
  options_t options;
  paths_t paths;
  assets_t assets;
  log_o *log;
  draw_o *draw;
  platform_o *platform; // platform; NULL until the window is open
  render_o *render;     // renderer; NULL until the window is open
  external_o *external;
  allocator_t memory;

  char folder[PATH_MAX_BYTES]; // folder of the game, even if the game could not start
  game_o *game;                // running game; NULL if the game could not start
  journal_o *journal;          // input of the running game; NULL if the game could not start
  notices_t notices;

  crash_summary_t crash;  // --resume: the crash of the previous run; otherwise its `report` is ""
  char crash_reason[768]; // reason why the crashed plugin is not loaded

  time_travel_t time;
  recording_control_t recording;
  excerpts_t excerpts;
  rollback_check_o *rollback;  // state of --check-rollback; NULL if the option is not given
  background_save_o *autosave; // running autosave; NULL if no autosave is running
  // Copies of saves and settings; NULL: the run writes the user's saves and settings.
  temporary_saves_o *temporary_saves;

  bool reload_requested; // true if a reload was requested; the reload runs between two ticks
  // True if a key, a tool or a changed engine script has requested the reload, which is then reported even if no file
  // of the game has changed.
  bool reload_is_explicit;
  // True if the requested reload must not be recorded: because a script requested it and will request it again in a
  // replay, or because it comes from the replayed recording.
  bool reload_by_script;
  bool stopping; // true if the current frame is the last
  int exit_code;
};

#endif
