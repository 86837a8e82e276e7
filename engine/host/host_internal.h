// What the host owns. Private to engine/host: host.c runs the frame over it, game_switch.c brings other code or another
// game into it.
#ifndef SHOAL_HOST_HOST_INTERNAL_H
#define SHOAL_HOST_HOST_INTERNAL_H

#include "base/jobs.h"
#include "platform/clock.h"
#include "platform/file_watch.h"
#include "host/game.h"
#include "host/ghosts.h"
#include "host/host_tools.h"
#include "platform/paths.h"
#include "host/rollback.h"
#include "sound/sound_sync.h"
#include "host/stats.h"
#include "overlay/overlay.h"
#include "render/render.h"
#include "store/save_later.h"
#include "time/outside.h"
#include "time/recording.h"
#include "time/timelines.h"

// Seconds of a game that is paused headless, where no key can wake it and no cockpit.
#define HOST_PAUSED_HEADLESS_S 10u
#define HOST_WIDTH 1280 // of the screen while there is no game
#define HOST_HEIGHT 720

struct host_o {
  options_t options;
  paths_t places;
  assets_t assets;
  assets_asked_t assets_asked;
  maps_o *maps; // levels of map editors
  log_o *log;
  draw_o *draw;
  audio_o *audio;
  platform_o *platform;
  render_o *render;
  file_watch_o *watch; // NULL when nothing is watched
  jobs_o *jobs;        // the threads that worlds share their work with
  sound_sync_o *sounds;
  preload_o *preload;

  char folder[PATH_MAX_BYTES]; // of the game that runs, or that could not start
  char message[512];           // for the menu
  game_o *game;                // NULL while it could not start
  bool from_menu;              // quitting goes back there

  frame_clock_t clock;
  double speed;   // of it; 0: 1
  double clock_s; // what its owner says; see host_set_clock
  stats_t stats;
  error_card_t card;
  toasts_t toasts;
  overlay_o *overlay; // shows both
  host_face_t face;   // above them
  double frame_began_s;
  uint32_t paused_frames; // in a row

  timelines_t past;              // what is kept of it
  timeline_port_t timeline_port; // for scripts
  ghosts_o *ghosts;              // NULL until somebody wants some
  save_later_o *autosave;        // that is being written; NULL when none is
  bool held;                     // by the host: no tick passes and the game hears of nothing
  int want_steps;                // while it is held: back when negative
  history_o *states;             // only for the recording, where no history is kept
  bool records_states;           // in a file
  uint32_t told_every;           // of the history: one tick in so many is kept
  bool told_reach, told_late, told_too_large;
  bool recorded;          // --record has its file
  outside_o *outside;     // what is read from outside the world
  recorder_o *recorder;   // NULL when nothing is recorded
  recording_o *replay;    // NULL when it is played for the first time
  recording_item_t heard; // of the replay: what is played now
  uint64_t played;        // ticks of it
  uint32_t not_parked;    // in the replay: pieces that are not there
  bool reload_by_script;  // a replay comes to it by itself

  rollback_o *rollback;         // --check-rollback; NULL without
  struct {                      // of a package (player.c)
    uint32_t told, reports;     // failures; of these, written down
    double shown_s, recorded_s; // when the note was shown, and the last recording written
  } player;

  uint32_t shapes; // how much of them is drawn: debug_level_t
  bool want_reload, want_restart, want_picture, want_tools;
  bool closing;                   // the window is to be closed, and the game has not answered yet
  double closed_s;                // when somebody last wanted that; 0: nobody has
  uint64_t ticks_before;          // of lives that ended with a restart
  char want_game[PATH_MAX_BYTES]; // "" for none

  bool picture_taken; // --screenshot
  bool stopping, done;
  int exit_code;
  allocator_t memory;
};

// --- failures (host.c)
// Log line, card, exit code.
void host_report(host_o *h, error_card_kind_t kind, const script_report_t *report);
bool host_accepts_edits(const host_o *h); // of saves

// --- chunks of Lua that come from outside between two ticks. One that the watchdog stops is undone, so that whoever
// plays the recording passes it over. False with the report. (host.c)
typedef struct host_chunk_t {
  outside_kind_t kind;
  const char *text, *name, *key;
} host_chunk_t;
bool host_chunk(host_o *h, const host_chunk_t *chunk, char *out, size_t out_bytes, script_report_t *report);
// The next one of the console that the recording holds; and those that were heard after the tick that has just been
// lived again. (host_tools.c)
void host_console_recorded(host_o *h);
void host_console_again(host_o *h);

// --- the past (time_travel.c)
void time_travel_begin(host_o *h); // of the game that runs now
void time_travel_end(host_o *h);
// h->game is another one now that goes on with the same world (a reload): what is kept of the past stays and can be
// gone back to.
void time_travel_reloaded(host_o *h);
uint32_t time_travel_history_mb(const host_o *h);
void time_travel_copy(host_o *h); // before each, and before each frame of a paused game: one copy for past and undo
void time_travel_keep(host_o *h); // the same before the world becomes another one: it is not left out
void time_travel_rest(host_o *h); // before the process makes a copy of itself
void time_travel_tick(host_o *h); // after each
void time_travel_idle(host_o *h); // after each frame of a paused game
bool time_travel_rewind(host_o *h, uint64_t ticks);
bool time_travel_step_back(
    host_o *h,
    uint64_t ticks); // the same by the host: the way that the world went is kept beside the new one
void time_travel_rewind_again(host_o *h, uint64_t ticks); // and what was heard in it is heard again
void time_travel_set_again(host_o *h, bool on);
bool time_travel_plays(
    const host_o *h); // does what was heard in the timeline that was left come next, and not what a recording says?
void time_travel_play(host_o *h); // then: the next tick of it
void time_travel_open_port(host_o *h);
void time_travel_draw(host_o *h); // ghosts, in a window
void time_travel_keys(host_o *h, const platform_events_t *events);
void time_travel_frame(host_o *h); // of a game that is held
void time_travel_print(host_o *h);

// --- recordings (recording_control.c)
bool recording_control_open(host_o *h, error_t *error);  // --replay: before there is a game
bool recording_control_begin(host_o *h, error_t *error); // of the game that has just started
void recording_control_end(host_o *h);
void recording_control_heard(host_o *h, bool idle); // the tick, or the frame of a paused game, that has just been
void recording_control_outside(host_o *h, bool start);
bool recording_control_decides_stops(const host_o *h);
void recording_control_reload(host_o *h);
void recording_control_state(host_o *h);   // the world as it is
void recording_control_excerpt(host_o *h); // F12
// The same into a file of that name. False with a message.
bool recording_control_write(host_o *h, const char *path, error_t *error);
void recording_control_play(host_o *h); // the next of what was recorded

// One tick, or one frame of a paused game, and what belongs to it. `input`: NULL for what the platform says. (host.c)
void host_tick(host_o *h, const input_state_t *input);
void host_idle(host_o *h, const input_state_t *input);

// --- other code, other games (game_switch.c)
// Which game the options ask for. False with a message when there is nothing to run.
bool game_switch_choose(host_o *h, error_t *error);
// A fresh world and fresh code for h->folder. On failure whatever ran runs on, and the report is on the card.
bool game_switch_load(host_o *h, error_card_kind_t on_failure);
// The same, and opens the window in between, for its size comes from game.lua. False when no window can be opened;
// that the game could not start is no reason.
bool game_switch_first_load(host_o *h, error_t *error);
#define GAME_SWITCH_ENGINE_ASSETS "shoal/assets/" // what the watch puts before the engine's assets
// Loads a changed asset again in place, and says so on the terminal and on the screen (game_switch_assets.c). False
// when the path is not an asset's.
bool game_switch_asset(host_o *h, const char *path);
// Takes a settled batch of changed files as a wish to reload.
void game_switch_poll_files(host_o *h);
// Between two ticks: does what was asked for, at most one of: another game, a restart, a reload.
void game_switch_apply(host_o *h);
void game_switch_look(host_o *h); // the window, as the facts of the game say

#endif
