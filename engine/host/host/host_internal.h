// State of the host: the session, window and clock. Private to engine/host.
#ifndef SHOAL_HOST_HOST_INTERNAL_H
#define SHOAL_HOST_HOST_INTERNAL_H

#include "base/log_once.h"
#include "process/jobs.h"
#include "game/stats.h"
#include "overlay/debug_draw.h"
#include "overlay/error_card.h"
#include "overlay/overlay.h"
#include "host/clock.h"
#include "host/file_retry.h"
#include "host/leave_game.h"
#include "host/refused_changes.h"
#include "link/lan_list.h"
#include "platform/file_watch.h"
#include "platform/ignored_input.h"
#include "render/render.h"
#include "reload/background_trial.h"
#include "session/session.h"
#include "sound/sound_sync.h"

struct match_play_o; // defined in host/match_play_internal.h

typedef struct host_o host_o; // host; its functions are declared in host/host.h

// State of the keys that rewind (rewind_keys.h).
typedef struct rewind_keys_t {
  int direction;       // direction of the held key: -1 back, 1 forward; 0: no key is held
  double held_s;       // time for which the key has been held, in seconds
  double speed;        // multiple of normal speed; 0 before the movement starts
  input_state_t input; // most recent sample while the session is paused
  bool has_input;
  ignored_input_t ignored;     // controls that resumed play: the game ignores them until they are released
  bool mouse_pressed;          // true if the left button was pressed in the most recent sample
  bool drags;                  // true while the mouse drags the scrub bar
  uint64_t dragged_to;         // tick at the mouse in the previous frame of the drag
  bool has_bar, is_bar_at_top; // state of the scrub bar in the previous frame
} rewind_keys_t;

struct host_o {
  session_t session; // running game, its history and recording

  asset_requests_t asset_requests;
  asset_checks_t asset_checks;
  asset_addons_t asset_addons;
  maps_o *maps; // maps that were made in map editors (Tiled, LDtk)
  audio_o *audio;
  file_watch_o *watch; // watch of the game's files; NULL if no files are watched
  jobs_o *jobs;        // worker threads shared by all worlds
  sound_sync_o *sounds;
  preload_o *preload;

  bool has_presented;    // true once a frame has been shown
  uint64_t pad_mappings; // hash of the controller mapping file; 0 if the platform has no mapping file
  char menu_message[512];
  struct {             // match that was requested or begun by the menu (play_together.h)
    bool is_requested; // true if `requested_game` is to be played as a match
    bool is_host;      // true if this machine is the host; false if it joins the host at `address`
    char address[256];
    char password[129], key[32]; // password of the match, and code of the key that the host must have; "": not given
    bool is_world;               // true if `address` is the address of a served world
    char room[40];               // name of the room to join; "": any room
    char code[129];              // code of an invitation or of a reset; "": no code
    bool is_active;              // true while the session has the options of the match
    options_t options;           // options of the command line, while `is_active`
    char target[64];             // name of the game, for the match's options
  } together;
  lan_list_o *lan_list;        // matches in the local network, shown by the menu; NULL without a window
  const script_lobby_t *lobby; // content of the lobby; NULL unless the next game to create is the lobby of a match
  bool started_from_menu;      // true if the game was started from the menu, so that quitting returns to the menu

  rewind_keys_t rewind;
  leave_game_t leave;

  frame_clock_t clock;
  double speed;   // playback speed; 0 means 1
  double clock_s; // time set by the owner; see host_set_clock
  stats_t stats;
  log_once_t slow_systems; // names of the reported systems (slow_systems.h)
  double frame_start_s;
  uint32_t paused_frames;

  // A failed reload whose cause may be a file that was being saved.
  struct {
    script_report_t report; // report of the failure, shown if reading the files again fails, too
    file_retry_t retry;
    // True if the result of the running reload is final: a failure is reported, and missing files are removed.
    bool is_last_try;
  } unfinished_reload;

  refused_changes_t refused; // changes of files that reloads have refused

  background_trial_t trial; // trial of changed files that runs while the game continues
  double trial_start_s;     // time at which the reload was requested
  bool waits_for_reload;    // true while a caller waits for the result of a requested reload

  error_card_t card;
  toasts_t toasts;           // notices of the session and of the host
  bool has_toasts_at_top;    // true if the toasts were at the top edge in the previous frame
  bool had_toasts;           // true if a toast was shown in the previous frame
  uint32_t debug_level;      // level of the debug drawing, a debug_level_t
  struct {                   // failures in packaged games (player_reports.c)
    uint32_t failure_count;  // number of failures so far
    uint32_t report_count;   // number of reports written
    double note_shown_s;     // time at which the note about a failure was last shown
    double last_recording_s; // time of the last recording; 0: never
  } player;

  struct {                  // continuation after a crash with --resume (after_crash.c)
    bool is_done;           // true once the state was restored, or cannot be restored
    script_report_t report; // report shown on the card
  } after_crash;

  bool restart_requested, screenshot_requested, tools_requested;
  bool tools_open;                     // true while the developer overlay is open
  char requested_game[PATH_MAX_BYTES]; // path or name of the requested game; "" without a request
  char requested_message[512];         // message that the requested menu shows; "": no message
  uint64_t ticks_before_restart;       // number of ticks in the runs before the last restart
  bool held;                           // true while no tick runs because the window has lost the focus (window.h)
  bool has_focus, had_focus; // true while the window has the focus, and true once the window has had the focus
  script_pointer_t pointer;  // pointer requested by the game's scripts
  bool is_edited;            // true once a file has been reloaded or a tool has been opened during this run
  bool fullscreen_settled;   // true once --fullscreen no longer overrides the stored setting (window.h)
  bool close_requested;      // true if the player has requested to close the window, and the game may still refuse
  double last_close_s;       // time of the player's last close request; 0: never

  struct match_play_o *match; // state of the match (host/match_play.h); NULL unless a match is played
  const struct match_limits_t
      *match_limits;     // limits of the host that this machine has joined (match/match.h); NULL: it has joined no host
  bool has_restart_seed; // true if the next game starts with `restart_seed`
  uint64_t restart_seed;
  bool reverses_renames; // argument of game_switch_start_code

  bool screenshot_saved; // true once the screenshot of --screenshot was taken
  bool done;
};

#endif
