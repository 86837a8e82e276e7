// The running game's past: history for rewinding and stepping back, replaying a stretch with its recorded input, and
// predicted trails. The kept states are in time/timelines.h; host/playback.h chooses the next input.
#ifndef SHOAL_SESSION_TIME_TRAVEL_H
#define SHOAL_SESSION_TIME_TRAVEL_H

#include "ghosts/ghosts.h"
#include "time/timelines.h"

typedef struct session_t session_t;

typedef struct time_travel_t {
  timelines_t past;
  ghosts_o *ghosts; // NULL until trails are requested
  bool held;        // no tick runs, and the game gets no input
  int want_steps;   // ticks to step while held; negative: back
  // Messages about the history that have been logged already.
  uint32_t logged_every; // logged: one tick in this many is kept
  bool logged_reach, logged_late, logged_too_large;
} time_travel_t;

void time_travel_begin(session_t *s); // starts the history of the current game
void time_travel_end(session_t *s);
// s->game was replaced by one with the same world (a reload): the history stays usable.
void time_travel_reloaded(session_t *s);
uint32_t time_travel_history_mb(const session_t *s);

void time_travel_copy(session_t *s); // before each tick or idle frame: one copy of the world for history and undo
void time_travel_keep(session_t *s); // before the world is replaced: forces a copy
void time_travel_rest(session_t *s); // before the process forks
void time_travel_tick(session_t *s); // after each tick
void time_travel_idle(session_t *s); // after each frame of a paused game

// Goes back by `ticks`, or as far as the history reaches. `branch`: keeps the timeline being left. Returns false, with
// a log line, if nothing is kept.
bool time_travel_back(session_t *s, uint64_t ticks, bool branch);
void time_travel_set_again(session_t *s,
                           bool on);          // replays the previous timeline's input, or takes live input
bool time_travel_plays(const session_t *s);   // returns whether the next input comes from the previous timeline
void time_travel_hold(session_t *s, bool on); // shown on the screen

void time_travel_draw(session_t *s); // trails, in a window
const ghosts_o *time_travel_ghosts(session_t *s);
void time_travel_print(session_t *s); // --stats

#endif
