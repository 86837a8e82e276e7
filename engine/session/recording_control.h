// Recordings of the running game: --record, the ring of recent seconds for F12 and crash reports, and the comparison
// of a --replay with what was recorded. The file format is in time/recording.h; host/playback.h feeds a replay's items
// to the game.
#ifndef SHOAL_SESSION_RECORDING_CONTROL_H
#define SHOAL_SESSION_RECORDING_CONTROL_H

#include "base/error.h"
#include "time/recording.h"

typedef struct session_t session_t;

typedef struct recording_control_t {
  recorder_o *recorder;   // NULL when nothing is recorded
  history_o *states;      // only for the recording, where no history is kept
  bool records_states;    // in a file
  bool recorded;          // --record has its file
  recording_o *replay;    // NULL unless a recording is played
  recording_item_t heard; // of the replay: the item that is played now
  uint64_t played;        // ticks of it
  uint32_t not_parked;    // pieces that the replay parks and this game lacks
} recording_control_t;

bool recording_control_open(session_t *s, error_t *error);  // --replay: before there is a game
bool recording_control_begin(session_t *s, error_t *error); // of the game that has just started
void recording_control_end(session_t *s);
void recording_control_heard(session_t *s, bool idle); // after a tick, or after a frame of a paused game
// Hands what was read from outside since the last call to the recording, the input log and --check-rollback. `start`:
// while code was loaded.
void recording_control_outside(session_t *s, bool start);
void recording_control_reload(session_t *s);
void recording_control_state(session_t *s);   // records the world as it is now
void recording_control_excerpt(session_t *s); // F12
// Writes the last seconds into a file. False with a message.
bool recording_control_write(session_t *s, const char *path, error_t *error);
// What was stopped by the watchdog, and what saves with edits are accepted, follows the replay.
bool recording_control_decides_stops(const session_t *s);
bool recording_control_accepts_edits(const session_t *s);

#endif
