// Changes of accounts by operators. One transaction contains the change and its row in the log of commands.
//
// An operator can take an account that is in no room. This is a claim like a room's: the account gets the room
// ACCOUNT_OPERATOR_ROOM and a new session, so no room can claim it, and only this operator's rows are stored.
#ifndef SHOAL_SERVED_ACCOUNT_CHANGES_H
#define SHOAL_SERVED_ACCOUNT_CHANGES_H

#include "served/accounts.h"
#include "served/commands.h"

#include <jansson.h>

#define ACCOUNT_FOREVER_S INT64_C(3153600000) // duration of a ban without an end: 100 years

typedef struct account_t {
  int64_t id;
  char name[PLAYER_NAME_BYTES];
  int64_t session;
  char room[ROOM_NAME_BYTES]; // name of the account's room; "": the account is in no room
  bool is_taken;              // true if an operator has taken the account (account_take)
  int64_t away_s;             // seconds since the account joined or left a room, or was taken, by the store's clock
  int64_t banned_s, muted_s;  // seconds until the ban or mute ends; 0: no ban or mute
  char reason[ACCOUNT_REASON_BYTES];
} account_t;

// Reads the account with this name, regardless of case. `is_found` receives false if no account has this name.
store_result_t account_read_by_name(world_store_o *s, const char *name, account_t *out, bool *is_found,
                                    error_info_t *error);
typedef enum account_filter_t { ACCOUNTS_ALL, ACCOUNTS_IN_ROOMS, ACCOUNTS_TAKEN } account_filter_t;
// Calls `visit` for the accounts that `filter` selects. Accounts in rooms are sorted by room and name, all other lists
// by name.
store_result_t account_list(world_store_o *s, account_filter_t filter,
                            void (*visit)(void *context, const account_t *account), void *context, error_info_t *error);

// The following functions, except account_give, add `log` as an executed command. If they can change no account, for
// example because it has been deleted since it was read, they store `log->is_ok` as false, and change nothing else.

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
// Releases an account that a stopped room or an operator has claimed. The player leaves the room when it starts again.
store_result_t account_release(world_store_o *s, const account_t *account, command_t *log, error_info_t *error);
// Releases all accounts of a room that has not committed since its status was read. `count` receives their number,
// which the command's result also contains.
store_result_t account_release_room(world_store_o *s, const room_status_t *room, int64_t *count, command_t *log,
                                    error_info_t *error);
// Takes an account that is in no room: no room can claim it until account_release or account_give. Increments its
// session. `rows` receives the rows of its entities (store/item_rows.h), which the caller releases with json_decref.
// Returns STORE_DAMAGED with an error if a row is malformed.
store_result_t account_take(world_store_o *s, const account_t *account, json_t **rows, command_t *log,
                            error_info_t *error);

// Rows that replace the rows of a taken account.
typedef struct account_gift_t {
  const account_t *account;
  const json_t *rows;
  uint64_t base; // hash of the release with whose code the rows were checked
  uint64_t code; // number of the live code with which the rows were checked
} account_gift_t;

// Replaces the rows of a taken account, and releases the account. Replaces the result of the command `log`, which the
// caller has added to the log as done. Returns STORE_LOST with an error, and changes nothing, if the account is not
// taken any more or was taken again, if the world's code has changed since, or if a different account has an item.
store_result_t account_give(world_store_o *s, const account_gift_t *gift, const command_t *log, error_info_t *error);

#endif
