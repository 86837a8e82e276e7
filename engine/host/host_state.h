// What the host owns. Private to engine/host: host.c runs the frame over it, change.c brings other code or another game into it.
#ifndef SHOAL_HOST_HOST_STATE_H
#define SHOAL_HOST_HOST_STATE_H

#include "base/jobs.h"
#include "host/clock.h"
#include "host/game.h"
#include "host/ghosts.h"
#include "host/heard.h"
#include "host/history.h"
#include "host/host.h"
#include "host/places.h"
#include "host/replay.h"
#include "host/sound_sync.h"
#include "host/stats.h"
#include "host/watch.h"
#include "render/render.h"
#include "tools/card.h"
#include "tools/save_later.h"
#include "tools/toast.h"

// Comparing states costs about two milliseconds per megabyte and tick: nobody pays more than that without having asked. By size and
// not by time, so that a replay does the same.
#define PAST_LARGEST_UNASKED_BYTES (1u << 20)
// Seconds of a game that is paused headless with nobody there to wake it.
#define HOST_PAUSED_HEADLESS_S 10u
#define HOST_WIDTH 1280 // of the screen while there is no game
#define HOST_HEIGHT 720

struct host_o {
  options_t options;
  places_t places;
  assets_t assets;
  log_o *log;
  draw_o *draw;
  audio_o *audio;
  platform_o *platform;
  render_o *render;
  watch_o *watch; // NULL when nothing is watched
  jobs_o *jobs;   // the threads that worlds share their work with
  sound_sync_o *sounds;

  char folder[PLACES_PATH_MAX]; // of the game that runs, or that could not start
  char message[512];            // for the menu
  game_o *game;                 // NULL while it could not start
  bool from_menu;               // quitting goes back there

  frame_clock_t clock;
  stats_t stats;
  card_t card;
  toasts_t toasts;
  double frame_began_s;
  uint32_t paused_frames; // in a row

  history_o *history; // NULL when none is kept
  heard_o *inputs;    // heard at its ticks; NULL as well
  history_o
      *left; // the timeline that was left last, when the past was gone back to and went another way; NULL for none
  heard_o *left_inputs;   // heard in it
  bool again;             // ticks hear what was heard in it
  bool parted;            // the first difference from it has been told
  bool branched;          // the host has gone back: what comes after this tick is not yet left
  past_port_t past_port;  // for scripts
  ghosts_o *ghosts;       // NULL until somebody wants some
  save_later_o *autosave; // that is being written; NULL when none is
  bool held;              // by the host: no tick passes and the game hears of nothing
  int want_steps;         // while it is held: back when negative
  history_o *states;      // only for the recording, where no history is kept
  bool records_states;    // in a file
  recorder_o *recorder;   // NULL when nothing is recorded
  replay_o *replay;       // NULL when it is played for the first time
  replay_item_t heard;    // of the replay: what is played now
  uint64_t played;        // ticks of it
  const vm_o *parked_in;  // whose parked pieces have been recorded,
  uint32_t parked_seen;   // and how many of them
  bool reload_by_script;  // a replay comes to it by itself

  bool want_reload, want_restart, want_picture;
  char want_game[PLACES_PATH_MAX]; // "" for none

  bool picture_taken; // --screenshot
  bool stopping, done;
  int exit_code;
  allocator_t memory;
};

// --- failures (host.c)
// Log line, card, exit code.
void host_report(host_o *h, card_kind_t kind, const script_report_t *report);

// --- the past (past.c)
void past_begin(host_o *h); // of the game that runs now
void past_end(host_o *h);
// h->game is another one now that goes on with the same world (a reload): what is kept of the past stays and can be gone back to.
void past_reloaded(host_o *h);
uint32_t past_history_mb(const host_o *h);
void past_tick(host_o *h); // after each
void past_idle(host_o *h); // after each frame of a paused game
bool past_rewind(host_o *h, uint64_t ticks);
bool past_step_back(host_o *h,
                    uint64_t ticks); // the same by the host: the way that the world went is kept beside the new one
void past_rewind_again(host_o *h, uint64_t ticks); // and what was heard in it is heard again
void past_set_again(host_o *h, bool on);
bool past_plays(
    const host_o *h); // does what was heard in the timeline that was left come next, and not what a recording says?
void past_play(host_o *h); // then: the next tick of it
void past_open_port(host_o *h);
void past_draw(host_o *h); // ghosts, in a window
void past_keys(host_o *h, const platform_events_t *events);
void past_frame(host_o *h); // of a game that is held
void past_print(const host_o *h);

// --- recordings (record.c)
bool record_open(host_o *h, error_t *error);  // --replay: before there is a game
bool record_begin(host_o *h, error_t *error); // of the game that has just started
void record_end(host_o *h);
void record_heard(host_o *h, bool idle); // the tick, or the frame of a paused game, that has just been
void record_reload(host_o *h);
void record_state(host_o *h);   // the world as it is
void record_excerpt(host_o *h); // F12
void record_play(host_o *h);    // the next of what was recorded

// One tick, or one frame of a paused game, and what belongs to it. `input`: NULL for what the platform says. (host.c)
void host_tick(host_o *h, const input_state_t *input);
void host_idle(host_o *h, const input_state_t *input);

// --- other code, other games (change.c)
// Which game the options ask for. False with a message when there is nothing to run.
bool change_choose(host_o *h, error_t *error);
// A fresh world and fresh code for h->folder. On failure whatever ran runs on, and the report is on the card.
bool change_load(host_o *h, card_kind_t on_failure);
// The same, and opens the window in between, for its size comes from game.lua. False when no window can be opened; that the game
// could not start is no reason.
bool change_first_load(host_o *h, error_t *error);
// Watches the game's folder, the engine's scripts and the engine's assets, when the options say so.
void change_watch(host_o *h);
#define CHANGE_ENGINE_ASSETS "shoal/assets/" // what the watch puts before the engine's assets
// Loads a changed asset again in place, and says so on the terminal and on the screen (change_assets.c). False when the path is none.
bool change_asset(host_o *h, const char *path);
// Takes a settled batch of changed files as a wish to reload.
void change_poll_files(host_o *h);
// Between two ticks: does what was asked for, at most one of: another game, a restart, a reload.
void change_apply(host_o *h);

#endif
