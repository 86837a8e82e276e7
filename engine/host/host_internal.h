// What the host owns: the session, and the window and the clock around it. Private to engine/host.
#ifndef SHOAL_HOST_HOST_INTERNAL_H
#define SHOAL_HOST_HOST_INTERNAL_H

#include "process/jobs.h"
#include "game/stats.h"
#include "host/host.h"
#include "overlay/debug_draw.h"
#include "overlay/error_card.h"
#include "overlay/overlay.h"
#include "platform/clock.h"
#include "platform/file_watch.h"
#include "render/render.h"
#include "session/session.h"
#include "sound/sound_sync.h"

struct host_o {
  session_t session; // the running game, its past, its recording

  asset_requests_t asset_requests;
  maps_o *maps; // levels of map editors
  audio_o *audio;
  file_watch_o *watch; // NULL when nothing is watched
  jobs_o *jobs;        // the threads that worlds share their work with
  sound_sync_o *sounds;
  preload_o *preload;

  char message[512]; // for the menu
  bool from_menu;    // quitting goes back there

  frame_clock_t clock;
  double speed;   // of it; 0: 1
  double clock_s; // what its owner says; see host_set_clock
  stats_t stats;
  double frame_began_s;
  uint32_t paused_frames; // in a row

  error_card_t card;
  uint32_t shapes;              // how much of them is drawn: debug_level_t
  struct {                      // of a package (player.c)
    uint32_t told, reports;     // failures; of these, written down
    double shown_s, recorded_s; // when the note was shown, and the last recording written
  } player;

  bool want_restart, want_picture, want_tools;
  char want_game[PATH_MAX_BYTES]; // "" for none
  uint64_t ticks_before;          // of lives that ended with a restart
  bool closing;                   // the window is to be closed, and the game has not answered yet
  double closed_s;                // when the player last asked for that; 0: never

  bool picture_taken; // --screenshot
  bool done;
};

#endif
