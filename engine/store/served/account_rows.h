// Rows of `account` and `invite`, for the owner of the world, which creates accounts, and for its operators. Rooms
// change accounts only by the changes of accounts.h.
#ifndef SHOAL_SERVED_ACCOUNT_ROWS_H
#define SHOAL_SERVED_ACCOUNT_ROWS_H

#include "served/accounts.h"

typedef struct account_info_t {
  bool exists; // true if the account exists; otherwise, all other members are 0
  int64_t id;
  char name[PLAYER_NAME_BYTES];
  bool is_in_room; // true if the account is in `room`, which may have been removed from the game
  bool is_taken;   // true if an operator has the account (account_changes.h)
  char room[ROOM_NAME_BYTES];
  char place[ROOM_NAME_BYTES], origin[ROOM_NAME_BYTES]; // room of the player, and previous room of the player
  int64_t banned_s;                                     // seconds until the ban ends; 0: not banned
  char reason[ACCOUNT_REASON_BYTES];                    // reason for the ban
  uint64_t code; // newest live code of the served release that has written rows of the account; 0: no code
} account_info_t;

// Finds the account with this digest (ACCOUNT_DIGEST_BYTES). Returns STORE_DAMAGED if its row is malformed.
store_result_t world_store_find_account(world_store_o *s, const uint8_t *digest, account_info_t *out,
                                        error_info_t *error);

typedef struct account_desc_t {
  const uint8_t *digest;
  const uint8_t *code; // digest of the code that the user has sent; NULL: no code
  const char *name;    // name that the user has chosen (player_name.h); "": no name
  bool needs_invite;   // true if the code must belong to an invitation, which is then used up
} account_desc_t;

// Finds the account with the digest. If no account has it, gives the digest to the account for which an operator has
// created the code (world_store_reset_account). If this account does not exist either, creates an account. If a
// different account has the name, regardless of case, the new account's name gets a number: "Ada 2". Stores the account
// in `out`; `exists` is false if an invitation is required, and the code is missing or wrong. Returns STORE_LOST if the
// world has a different owner.
store_result_t world_store_open_account(world_store_o *s, int64_t owner, const account_desc_t *desc,
                                        account_info_t *out, error_info_t *error);
// Requests that the account's room releases the account, because the user joins a different room.
store_result_t world_store_want_account(world_store_o *s, int64_t account, error_info_t *error);

// Adds the digest of an invitation's code.
store_result_t world_store_add_invite(world_store_o *s, const uint8_t *code, error_info_t *error);
// Sets the one-time code with which a user who has a new secret can claim the account with this name. Names are
// compared without regard to case. `is_found` receives false if no account has this name.
store_result_t world_store_reset_account(world_store_o *s, const char *name, const uint8_t *code, bool *is_found,
                                         error_info_t *error);

// Writes the key that names are compared by: the name in lower case. `out`: array of PLAYER_NAME_BYTES + 1.
void account_name_fold(const char *name, char *out);

#endif
