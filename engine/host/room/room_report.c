// Lines of a trial for its parent process, and the check of the release.
#include "room/room_internal.h"
#include "room/room_trial.h"

#include <stdarg.h>
#include <stdio.h>

#define CHILD_PIPE 3 // the child's end of the pipe (process/child.h)

void room_trial_report(room_trial_kind_t kind, const char *format, ...) {
  room_trial_line_t line = {.kind = kind};
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(line.text, sizeof line.text, format, arguments);
  va_end(arguments);
  child_write(CHILD_PIPE, &line, sizeof line);
}

bool room_trial_check_release(const room_o *r, error_info_t *error) {
  world_status_t world;
  if (world_store_get_world(r->store, &world, error) != STORE_DONE)
    return false;
  return world.base == r->identity.sources ||
         error_set(error, "%s has changed since it was served: restore this folder, and change a copy of it",
                   r->host->session.folder);
}
