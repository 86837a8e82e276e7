// Time travel in the running game: rewinding, stepping back and forward, replaying past input, and predicted trails of
// entities. The snapshots are kept in time/timelines.h. host/playback.h chooses the next input.
#ifndef SHOAL_SESSION_TIME_TRAVEL_H
#define SHOAL_SESSION_TIME_TRAVEL_H

#include "ghosts/ghosts.h"
#include "session/scrub.h"
#include "time/timelines.h"

typedef struct session_t session_t;

typedef struct time_travel_t {
  timelines_t timelines;
  scrub_t scrub;
  vm_settings_t settings; // settings before the first rewind since the last tick; empty if the session was not rewound
  ghosts_o *ghosts;       // predicted trails; NULL until trails are requested
  bool session_paused;    // true while the session is paused: the host runs only single steps
  int pending_steps;      // number of ticks to step while the session is paused; negative: backwards
  // State of the log messages about the history.
  uint32_t logged_interval; // value of history_stats_t.interval in the last message
  bool logged_reach, logged_late, logged_too_large;
} time_travel_t;

void time_travel_begin(session_t *s); // starts the history of the current game
void time_travel_end(session_t *s);
// Announces a change of the world between two ticks, with the same code. Call before and after the change.
void time_travel_on_edit(session_t *s);
// Continues the history after a reload has replaced s->game with a game that has the same world.
void time_travel_on_reload(session_t *s);
uint32_t time_travel_history_mb(const session_t *s);

// Keeps a snapshot for the history and for undoing the tick. Call before each tick or idle frame.
void time_travel_store_tick(session_t *s);
void time_travel_store_snapshot(session_t *s);   // forces a snapshot; call before the world is replaced
void time_travel_stop_thread(session_t *s);      // stops the packing thread; call before the process forks
void time_travel_add_tick(session_t *s);         // adds the tick to the timeline; call after each tick
void time_travel_add_paused_frame(session_t *s); // adds the frame's input; call after each frame of a paused game

// Rewinds by `ticks`, or as far as the history reaches. Rewinds further if the requested snapshot was not kept and
// cannot be recomputed. With `keep_abandoned`, keeps the ticks after the new current tick as the abandoned timeline.
// Returns true on success. Returns false, and logs the reason, if no earlier snapshot is kept or can be restored.
bool time_travel_rewind(session_t *s, uint64_t ticks, bool keep_abandoned);
// Moves the world to the next tick of the history, which must exist (timelines_has_next). Returns true on success, or
// false with an error if the tick cannot be restored.
bool time_travel_step_forward(session_t *s, error_info_t *error);
// Stores the player's settings while the session is in the past. Call before keys or tools rewind the session.
void time_travel_keep_settings(session_t *s);
// Writes the settings that time_travel_keep_settings has stored to the world. Call before a tick with live input.
void time_travel_apply_settings(session_t *s);
// Replays the abandoned timeline's input from the next tick on, or switches back to live input.
void time_travel_set_replaying(session_t *s, bool replaying);
bool time_travel_is_replaying(const session_t *s); // returns true if the next input comes from the abandoned timeline
void time_travel_set_paused(session_t *s, bool paused); // pauses or resumes the session, with a notice

void time_travel_draw_trails(session_t *s); // advances and draws the trails; does nothing in headless runs
const ghosts_o *time_travel_ghosts(session_t *s);
void time_travel_print_stats(session_t *s); // prints statistics of the history (--stats)

#endif
