// Changes of accounts by operators. One transaction contains the change and its row in the log of commands.
#ifndef SHOAL_SERVED_ACCOUNT_CHANGES_H
#define SHOAL_SERVED_ACCOUNT_CHANGES_H

#include "served/accounts.h"
#include "served/commands.h"

#define ACCOUNT_FOREVER_S INT64_C(3153600000) // duration of a ban without an end: 100 years

typedef struct account_t {
  int64_t id;
  char name[PLAYER_NAME_BYTES];
  char room[ROOM_NAME_BYTES]; // name of the account's room; "": none
  int64_t away_s;             // seconds since the account joined or left a room, by the store's clock
  int64_t banned_s, muted_s;  // time until the end of a ban or of a mute in seconds; 0: none
  char reason[ACCOUNT_REASON_BYTES];
} account_t;

// Reads the account with this name, regardless of case. `is_found` receives false if there is no such account.
store_result_t account_read_by_name(world_store_o *s, const char *name, account_t *out, bool *is_found,
                                    error_info_t *error);
// Calls `visit` for all accounts or, if `is_in_room`, for the accounts that are in a room, sorted by room and name.
store_result_t account_list(world_store_o *s, bool is_in_room, void (*visit)(void *context, const account_t *account),
                            void *context, error_info_t *error);

// The following functions add `log` as an executed command. They store `log->is_ok` as false, and change nothing else,
// if the account has changed since it was read.

// Bans or mutes an account for a time from now; 0 ends the ban or the mute.
store_result_t account_ban(world_store_o *s, const account_t *account, int64_t seconds, const char *reason,
                           command_t *log, error_info_t *error);
store_result_t account_mute(world_store_o *s, const account_t *account, int64_t seconds, command_t *log,
                            error_info_t *error);
// Renames an account, unless a different account has the name, regardless of case.
store_result_t account_rename(world_store_o *s, const account_t *account, const char *name, command_t *log,
                              error_info_t *error);
// Deletes an account that is in no room, the rows of its entities, and its number in the chronicle.
store_result_t account_delete(world_store_o *s, const account_t *account, command_t *log, error_info_t *error);
// Releases an account from a room that does not run. When the room starts again, the player leaves it.
store_result_t account_release(world_store_o *s, const account_t *account, command_t *log, error_info_t *error);

#endif
