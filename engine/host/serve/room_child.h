// Child processes that load the release with the options of the rooms, and write lines to a pipe (room/room_trial.h).
#ifndef SHOAL_SERVE_ROOM_CHILD_H
#define SHOAL_SERVE_ROOM_CHILD_H

#include "process/child.h"
#include "served/code_rows.h"

typedef struct room_child_desc_t {
  const char *program, *database;
  const code_release_t *release;
  const char *room;   // name of the room; "-": the first room that the game declares
  const char *option; // option that selects the task of the process, such as "--try"
  const char *path;   // file for this option
  bool rows;          // true if the process works on the rows of players in no room
  uint32_t limit_ms;  // maximum CPU time
} room_child_desc_t;

// Starts the process. Returns true on success, or false if the system cannot create a process.
bool room_child_begin(child_t *out, const room_child_desc_t *desc);

#endif
