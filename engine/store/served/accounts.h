// Accounts of players: rows of `account`. An account is in at most one room. Its number `session` identifies a visit:
//
// - A room claims an account that is in no room, in a transaction of the room, which increments `session`.
// - When the player leaves, a transaction of the room releases the account if it still has the same room and session.
// - An operator claims an account in the same way (account_changes.h), which then has the room ACCOUNT_OPERATOR_ROOM.
//
// Only the owner of the world creates accounts.
#ifndef SHOAL_SERVED_ACCOUNTS_H
#define SHOAL_SERVED_ACCOUNTS_H

#include "platform/player_input.h"
#include "served/world_store.h"

#define ACCOUNT_DIGEST_BYTES 32u  // size of the digest of a user's secret at this world, or of a code
#define ACCOUNT_OPERATOR_ROOM 0   // value of `room` while an operator has the account; rooms have numbers from 1
#define ACCOUNT_REASON_BYTES 128u // maximum size of the reason for a ban, with the '\0'

// --- changes that rooms write (room_answers.h)

// Payload of ROOM_CHANGE_CLAIM.
typedef struct account_claim_t {
  uint64_t ticket; // number that identifies the answer
  uint8_t digest[ACCOUNT_DIGEST_BYTES];
  bool is_open;               // true if all players may join the room directly
  bool watches;               // true if the machine has no players: only checks whether the account may enter
  char kind[ROOM_NAME_BYTES]; // name of the room without its number
  uint64_t base, code;        // the room's release and live code; `base` 0: rows of any code are granted
  uint64_t refused;           // newest live code that the room has refused; 0: no code
  bool is_exact;              // true if the room reads only rows with its own code (owned_rows_check_code)
} account_claim_t;

typedef enum account_outcome_t {
  ACCOUNT_GRANTED,   // the account is now in this room
  ACCOUNT_WATCHES,   // the account may watch, and is not changed
  ACCOUNT_HERE,      // the account was in this room before, with this session
  ACCOUNT_ELSEWHERE, // a different room or an operator has the account, and must release it first
  ACCOUNT_OUTSIDE,   // the room is not open, and the account does not belong there
  ACCOUNT_BANNED,    // the account is banned; see `reason` and `banned_s`
  ACCOUNT_UNKNOWN,   // no account has the digest
  ACCOUNT_DAMAGED,   // a row of the account, or of an entity that it owns, is malformed; see `reason`
  ACCOUNT_LOADED,    // the account owns more than a player can bring; see `reason`
  ACCOUNT_OUTDATED,  // the account's rows must be rewritten first, or the room is about to receive their code
  ACCOUNT_OLD_ROOM   // the room has refused the code that has written the rows, and runs earlier code; see `code`
} account_outcome_t;

// Payload of ROOM_ANSWER_CLAIM. If the outcome is GRANTED or HERE, the packed rows of the account's entities follow
// (owned_rows.h).
typedef struct account_answer_t {
  uint64_t ticket;
  account_outcome_t outcome;
  int64_t account, session;
  char name[PLAYER_NAME_BYTES];
  int64_t banned_s, muted_s; // seconds until the ban or mute ends; 0: no ban or mute
  char reason[ACCOUNT_REASON_BYTES];
  uint64_t code; // newest live code that has written rows of the account, if the outcome is OLD_ROOM
} account_answer_t;

// Payload of ROOM_CHANGE_LEAVE. Unless `is_release` is true, it may be followed by the items that the player does not
// own, and then by the packed rows of the player's entities, which replace the account's rows.
typedef struct account_leave_t {
  int64_t account, session;
  // Room to which the player moves, with or without its number; "": the player belongs to this room.
  char place[ROOM_NAME_BYTES];
  // True if the player has never joined, or its state is not to be stored: only releases the account.
  bool is_release;
  int64_t code;     // key of the code that has written the rows (code_rows_get_key)
  int64_t imported; // code of the room when the player arrived; 0: unknown
  // Number of account_item_t between this struct and the packed rows: the remaining items of the room.
  uint32_t item_count;
  bool has_items; // true if the list contains all remaining items; false if it was omitted
} account_leave_t;

// An item, and the account that owns it in the room; 0: no owner.
typedef struct account_item_t {
  int64_t item, account;
} account_item_t;

// Payload of ROOM_ANSWER_LEAVE.
typedef struct account_left_t {
  int64_t account, session;
  bool is_done;     // false: the account had a different room or session, so nothing has changed
  bool is_release;  // value of `is_release` in account_leave_t
  uint32_t dropped; // number of items that accounts elsewhere own: the copies of this room are dropped
  int64_t item;     // one of the dropped items
} account_left_t;

// Payload of ROOM_ANSWER_WANTED: a visit that must end.
typedef struct account_visit_t {
  int64_t account, session;
} account_visit_t;

store_result_t account_claim_apply(world_store_o *s, const room_claim_t *claim, const uint8_t *bytes, size_t size,
                                   room_answers_t *answers, error_info_t *error);
store_result_t account_leave_apply(world_store_o *s, const room_claim_t *claim, const uint8_t *bytes, size_t size,
                                   room_answers_t *answers, error_info_t *error);
store_result_t account_poll_wanted(world_store_o *s, const room_claim_t *claim, room_answers_t *answers,
                                   error_info_t *error);

// Settles the accounts of a room that has been loaded, before its first commit: releases all accounts of the room whose
// visit is not in `visits`. `is_lost` receives true for each visit that has ended elsewhere: its player must leave
// without being stored. Returns the same results as world_store_commit.
store_result_t world_store_settle_accounts(world_store_o *s, room_claim_t *claim, const account_visit_t *visits,
                                           uint32_t count, bool *is_lost, error_info_t *error);

#endif
