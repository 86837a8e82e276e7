// Interface for tools (engine/tools/cockpit) to inspect and control a host between two frames. Main thread.
//
// Changes to the world go through console_run (host/console.h) as Lua chunks between two ticks, so that they are
// recorded and replayed. host_announce_edit announces other changes.
#ifndef SHOAL_HOST_HOST_TOOLS_H
#define SHOAL_HOST_HOST_TOOLS_H

#include "host/host.h"
#include "overlay/error_card.h"
#include "session/session.h"

typedef struct host_state_t {
  bool session_paused;  // true if paused by a key, a tool or an embedding program: the host runs only single steps
  bool game_paused;     // true if paused by the game's scripts, or by a watched query that returned a row
  bool replaying;       // true while a recording is replayed, so that changes are rejected
  bool replaying_input; // true while the input of the abandoned timeline is replayed
  bool has_history;
  // Current tick, and first and last tick of the history (if `has_history`). `last_tick` exceeds `tick` after a rewind.
  uint64_t tick, first_tick, last_tick;
  size_t history_bytes; // memory used by the history
  double speed;         // playback speed; 1 is normal
  const char *folder;
  const error_card_t *card;
} host_state_t;

void host_get_state(host_o *h, host_state_t *out);

// Objects for drawing over the frame, between host_begin_frame and host_end_frame.
typedef struct host_canvas_t {
  platform_o *platform;
  render_o *render;
  draw_o *draw;
  float width, height; // screen size in logical pixels
} host_canvas_t;

bool host_get_canvas(host_o *h, host_canvas_t *out); // returns false in headless runs
session_t *host_session(host_o *h);
platform_o *host_platform(host_o *h);
audio_o *host_audio(host_o *h);
const render_o *host_render(const host_o *h);
// Returns the current game, or NULL if the game could not start. A reload replaces the game.
game_o *host_game(host_o *h);
log_o *host_log(host_o *h);
const options_t *host_options(const host_o *h);
const paths_t *host_get_paths(const host_o *h);
bool host_pop_tools_request(host_o *h); // returns true if F1 was pressed since the last call
// While the tools are open, docks their time bar below the game's image, and hides the scrub bar.
void host_set_tools_open(host_o *h, bool is_open);

void host_set_paused(host_o *h, bool paused); // pauses or resumes the session (F6)
void host_replay_input(host_o *h);            // replays the input of the abandoned timeline (F7); ignored in a replay
// Pauses the session and seeks to a tick of the history, which may be later than the current tick after a rewind.
// Returns true on success, or false with an error, for example if the history does not contain the tick.
bool host_seek(host_o *h, uint64_t tick, error_info_t *error);
// Sets the playback speed: 1 is normal. Each load and reload resets it. Ignored if it would round to less than one tick
// per second.
void host_set_speed(host_o *h, double speed);
// Pauses the session and runs `ticks` ticks, or fewer if the run ends earlier.
void host_step(host_o *h, uint32_t ticks);
// Applies pending requests of tools and scripts, such as a reload or restart, immediately instead of in the next frame.
// Waits until a reload has taken effect or was refused.
void host_apply_game_switch(host_o *h);
bool host_is_recording(const host_o *h); // returns true if --record was given, even if its recording has ended
// Announces a change to the world that is not recorded and therefore missing in a replay of this tick. Must be called
// before the change (`before_edit` is true) and after the change (false).
void host_announce_edit(host_o *h, bool before_edit);
void host_request_reload(host_o *h);
// Reloads an asset in place: "assets/cellar.tmj". Returns true if the path is in an assets folder. Call between frames.
bool host_reload_asset(host_o *h, const char *path);
void host_request_restart(host_o *h);

#endif
