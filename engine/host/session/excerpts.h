// F12: saves about the last 30 seconds as a recording, and renders a clip of the last 10 seconds (tools/clip). A
// low-priority thread writes the recording from a copy of the input and from the packed snapshots, which it shares with
// the history. The thread then starts `shoal clip`, which replays the recording offscreen.
#ifndef SHOAL_SESSION_EXCERPTS_H
#define SHOAL_SESSION_EXCERPTS_H

#include "base/error.h"
#include "platform/paths.h"
#include "process/child.h"
#include "start/options.h"
#include "time/recording.h"

#include <pthread.h>
#include <stdatomic.h>

#define EXCERPTS_MAX 4 // maximum number of recordings and clips that are in progress at the same time
#define EXCERPTS_MAX_ARGUMENTS (24 + 2 * OPTIONS_MAX_PLUGINS)

typedef struct session_t session_t;

typedef enum excerpt_phase_t {
  EXCERPT_NONE,
  EXCERPT_PACKING,  // waits until the history has packed the last snapshots
  EXCERPT_WRITING,  // the thread writes the recording
  EXCERPT_RENDERING // the recording is complete, and the clip is being rendered
} excerpt_phase_t;

// Arguments of `shoal clip`, copied because the game may be replaced while the recording is written.
typedef struct clip_arguments_t {
  const char *items[EXCERPTS_MAX_ARGUMENTS];
  uint32_t count;
  char folder[PATH_MAX_BYTES], size[32], memory_mb[32];
} clip_arguments_t;

typedef struct excerpt_t {
  excerpt_phase_t phase;
  recording_excerpt_o *data;                                      // excerpt to write; NULL in EXCERPT_RENDERING
  char recording[PATH_MAX_BYTES + 80], clip[PATH_MAX_BYTES + 80]; // `clip` is "" if no clip is rendered
  bool has_ticks; // true if the recording contains ticks; false if it contains only the current state
  clip_arguments_t arguments;
  // --- written by the thread until it sets `is_written`
  pthread_t thread;
  atomic_bool is_written;
  bool is_saved, is_rendering; // true if the recording is complete, and true if `child` renders the clip
  error_info_t error;
  child_t child;
} excerpt_t;

// Recordings and clips in progress. Valid when zero-initialized.
typedef struct excerpts_t {
  excerpt_t items[EXCERPTS_MAX];
} excerpts_t;

// Saves shoal-TICK.replay, and renders shoal-TICK.webp unless the program is embedded or the recording has no ticks.
// Notices report both files. Both show the game as the player saw it, including rewinds. A package keeps only the clip,
// in the folder shoal/clips/ID of the user's data.
void excerpts_add(session_t *s);
void excerpts_poll(session_t *s); // starts pending writes and reports finished files; call once per frame
// Waits for recordings that are being written. Clips that are being rendered finish on their own.
void excerpts_end(session_t *s);

#endif
