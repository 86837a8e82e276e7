// Continues the game of a crash report without the plugin that crashed (--resume). The game continues from the last
// state in the report's recording. If there is no such state or the heap was damaged, it continues from the newest
// save, and without a save, from the start. The plugin's components are kept with their values until its library is
// rebuilt (schema_is_kept).
#ifndef SHOAL_SAVES_RESUME_H
#define SHOAL_SAVES_RESUME_H

#include "base/error.h"
#include "platform/paths.h"

#include <stdbool.h>

typedef struct session_t session_t;

typedef enum resume_source_t { RESUME_NONE, RESUME_STATE, RESUME_SAVE, RESUME_START } resume_source_t;

typedef struct resume_result_t {
  resume_source_t source;
  char save[PATH_MAX_BYTES]; // RESUME_SAVE: path of the save
  error_info_t no_state;     // reason why no state was restored; empty if the source is RESUME_STATE
} resume_result_t;

// Reads the report given by --resume into s->crash, before the game is chosen. Ignores options that belong to the run
// that crashed: --load, --exec and, with a warning, --record. Does nothing without --resume. Returns true on success,
// or false with a message if the report cannot be read.
bool resume_read_report(session_t *s, error_info_t *error);
// Restores the world of the session's game, which must be loaded (as for a reload) but not started, and stores the
// source of the world in `out`. Unless the source is RESUME_START, the game must then not be started.
void resume_run(session_t *s, resume_result_t *out);

#endif
