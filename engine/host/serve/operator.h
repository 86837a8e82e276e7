// Commands of operators (`./shoal world DB COMMAND`). Private to engine/host/serve. Each command returns the exit
// status: 0, or 1 with an error. Commands for rooms are rows that running rooms execute (served/commands.h); all other
// commands change the database themselves and add a row for the log.
#ifndef SHOAL_SERVE_OPERATOR_H
#define SHOAL_SERVE_OPERATOR_H

#include "served/account_changes.h"
#include "served/commands.h"

#include <jansson.h>

typedef struct operator_t {
  world_store_o *store;
  const char *program; // argv[0]
  const char *database;
  const char *const *arguments; // arguments after the command's name
  uint32_t count;
  bool waits; // true unless --no-wait was given
  error_info_t error;
} operator_t;

// --- world_status.c

int operator_print_status(operator_t *o);
int operator_print_log(operator_t *o);
// Writes a duration, such as "5 min", to `out`. Returns `out`.
const char *operator_format_age(int64_t seconds, char out[24]);
// Stores whether a process serves the world. Returns true on success, or false with an error if the database fails.
bool operator_is_served(operator_t *o, bool *out);

typedef enum room_activity_t { ROOM_IS_NEW, ROOM_RUNS, ROOM_SLEEPS, ROOM_HAS_STOPPED, ROOM_IS_DAMAGED } room_activity_t;
room_activity_t operator_get_activity(const room_status_t *room, bool is_served);

// --- operator_rooms.c

int operator_say(operator_t *o);
int operator_emit(operator_t *o);
int operator_ask(operator_t *o);
int operator_stop(operator_t *o);
int operator_back_up(operator_t *o);

// Sends a command to a room and, unless --no-wait was given, waits for its result. Returns the exit status.
int operator_send_to_room(operator_t *o, const char *room, const char *kind, const json_t *data);
// Returns true if the world has the room, or false with an error.
bool operator_has_room(operator_t *o, const char *room);
// Returns true if the room runs. Returns false if it does not run or, with an error, if the database cannot be read.
bool operator_is_running(operator_t *o, const char *room);

// --- operator_accounts.c

int operator_print_players(operator_t *o);
int operator_kick(operator_t *o);
int operator_ban(operator_t *o);
int operator_unban(operator_t *o);
int operator_mute(operator_t *o);
int operator_unmute(operator_t *o);
int operator_rename(operator_t *o);
int operator_reset(operator_t *o);
int operator_invite(operator_t *o);
int operator_delete(operator_t *o);
int operator_release(operator_t *o);

// Finds the account that the first argument names. Returns true on success, or false with an error.
bool operator_find_account(operator_t *o, account_t *out);
// Creates the log entry of a command. Releases `data`. The caller frees the entry.
command_t *operator_create_log(const char *kind, json_t *data);

// --- operator_items.c

int operator_take(operator_t *o);
int operator_give(operator_t *o);

// Writes the name of the user who runs this program to `out` (COMMAND_AUTHOR_BYTES).
void operator_get_author(char *out);

#endif
