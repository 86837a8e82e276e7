// Recordings of the running game: --record, the buffer of recent seconds for F12 and crash reports, and the comparison
// of a --replay with its recording. The file format is in time/recording.h. host/playback.h feeds a replay's items to
// the game.
#ifndef SHOAL_SESSION_RECORDING_CONTROL_H
#define SHOAL_SESSION_RECORDING_CONTROL_H

#include "base/error.h"
#include "time/recording.h"

typedef struct session_t session_t;

typedef struct recording_control_t {
  recorder_o *recorder;     // recorder; NULL while not recording
  history_o *snapshots;     // recent snapshots for the recording; NULL if the history provides them
  bool records_snapshots;   // true while snapshots are written to the file of --record
  bool opened_file;         // true once the file of --record has been opened; a file can hold only one game
  recording_o *replay;      // recording that is replayed; NULL unless replaying
  recording_item_t item;    // replay: item being played
  uint64_t played_ticks;    // replay: number of ticks played
  uint32_t parked_count;    // number of the game's failures that have been passed to the journal
  uint32_t missing_systems; // number of systems that the recording parks and this game lacks
} recording_control_t;

// Creates an in-memory recorder for a match that is already running. The ticks are read from `journal`, which is
// separate from the session's journal. Returns the recorder, which the caller destroys, or NULL on failure.
recorder_o *recording_control_create_recorder(session_t *s, journal_o *journal);
// Opens the recording for --replay. Call before the game is loaded. Returns true on success, or false with an error.
bool recording_control_open(session_t *s, error_info_t *error);
// Starts the replay and the recording of a game that has just been loaded. Returns true on success, or false with an
// error.
bool recording_control_begin(session_t *s, error_info_t *error);
void recording_control_end(session_t *s);
// Adds a tick or, if `paused` is true, a frame of a paused game to the journal. In a replay, compares the tick with the
// recording.
void recording_control_after_tick(session_t *s, bool paused);
// Passes external input read since the last call to the journal, the input log and --check-rollback. `start`: true if
// the input was read while code was loaded or in the game's `start` function.
void recording_control_add_results(session_t *s, bool start);
void recording_control_add_reload(session_t *s);
void recording_control_add_snapshot(session_t *s); // records the world's snapshot if a file with snapshots is written
// Writes the last seconds as a recording to the file `path`. Returns true on success, or false with an error.
bool recording_control_write(session_t *s, const char *path, error_info_t *error);
// Returns true if the watchdog's stops come from a replayed recording instead of measurements.
bool recording_control_has_recorded_stops(const session_t *s);

#endif
