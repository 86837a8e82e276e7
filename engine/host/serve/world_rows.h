// Starts the process that creates the item views for the current code, and rewrites the rows of players in no room
// (room/room_rows.c). The process is needed while views or rows have an earlier code than the world. It starts once all
// running rooms have the current code, because a room cannot read rows of a later code.
#ifndef SHOAL_SERVE_WORLD_ROWS_H
#define SHOAL_SERVE_WORLD_ROWS_H

#include "process/child.h"
#include "serve/world_statements.h"

// State of the process that rewrites rows. Zero-initialize all fields except `arguments` and `base`.
typedef struct world_rows_t {
  world_statement_t check; // must be the first member; sets `is_needed`
  uint64_t base;           // hash of the release
  bool is_needed;          // true if the check has found a reason to start the process
  child_service_t service;
  const char *const *arguments; // command line of the process; the list ends with NULL. Borrowed
  int64_t due_us;               // time of the next check
  int64_t start_us;             // start of the running process
  uint64_t target;              // current code when the process was started
  uint64_t views;               // code for which the views were created; 0: the release
  uint32_t failures;            // number of consecutive processes that have failed or have found no rows
} world_rows_t;

// Checks on the thread of `statements` whether the process is needed; if so, a later call starts it. Ends a hung
// process. Call it at least every second while the database answers.
void world_rows_update(world_rows_t *r, int64_t now_us, world_statements_o *statements, log_o *log);
// Ends the process immediately.
void world_rows_stop(world_rows_t *r);

// Returns the first running room that has an earlier code than `number` and has not refused this code, so that it will
// change to the code soon. Returns NULL if there is no such room.
const room_status_t *world_rows_find_former_room(const room_list_t *rooms, uint64_t number);

#endif
