// Rejects requests to join from blocked users and addresses, and limits wrong passwords and repeated requests.
// The caller stores bans (match_files.h). Plain data: valid when zero-initialized.
#ifndef SHOAL_MATCH_MATCH_GUARD_H
#define SHOAL_MATCH_MATCH_GUARD_H

#include "link/link_address.h"
#include "match/match.h"
#include "match/match_refusal.h"

#define MATCH_GUARD_MAX_BLOCKS 256u // maximum number of blocks; an additional block replaces the oldest block
#define MATCH_GUARD_MAX_BANS 200u
#define MATCH_GUARD_TRIES 256u // number of hash slots that count tries; several accounts or addresses may share a slot
#define MATCH_GUARD_MAX_PASSWORDS 5u
#define MATCH_GUARD_PASSWORD_US 60000000
#define MATCH_GUARD_MAX_QUESTIONS 10u
#define MATCH_GUARD_QUESTION_US 600000000

typedef enum match_block_kind_t {
  MATCH_BLOCK_NONE,
  MATCH_BLOCK_REMOVED, // the host's user removed the players: blocks the account until the match ends
  // The host's user refused them permanently: blocks the account and the address until the match ends.
  MATCH_BLOCK_UNWANTED,
  MATCH_BLOCK_BANNED // the host's user banned them: blocks the account and the address, also in later matches
} match_block_kind_t;

typedef struct match_block_t {
  match_block_kind_t kind;
  uint8_t account[MATCH_ACCOUNT_BYTES]; // blocked account; zero: unknown
  link_address_t address;               // blocked address; zero: unknown; the port is ignored
  char name[PLAYER_NAME_BYTES];         // name of the machine's first player, for the host's user
} match_block_t;

// Number of tries since the start of a period, and the time of that start.
typedef struct match_tries_t {
  int64_t since_us;
  uint32_t count;
} match_tries_t;

typedef struct match_guard_t {
  match_block_t blocks[MATCH_GUARD_MAX_BLOCKS];
  uint32_t block_count;
  match_tries_t passwords[MATCH_GUARD_TRIES], account_questions[MATCH_GUARD_TRIES],
      address_questions[MATCH_GUARD_TRIES];
} match_guard_t;

// Adds a copy of a block. Removes the oldest ban or block if a limit is reached.
void match_guard_block(match_guard_t *g, const match_block_t *block);
// Returns the reason why a machine is blocked: MATCH_REFUSAL_BANNED, MATCH_REFUSAL_REMOVED, MATCH_REFUSAL_DECLINED, or
// MATCH_REFUSAL_NONE if it is not blocked. Addresses of the same machine are never blocked, because all users of the
// machine share them. IPv6 addresses with the same first 64 bits count as the same address.
match_refusal_kind_t match_guard_find_block(const match_guard_t *g, const uint8_t *account,
                                            const link_address_t *address);
uint32_t match_guard_count_bans(const match_guard_t *g);
void match_guard_lift_bans(match_guard_t *g);

// Returns the seconds for which passwords from an address are refused without comparing them, because
// MATCH_GUARD_MAX_PASSWORDS passwords from it were wrong within a minute. Returns 0 if the password can be compared.
uint32_t match_guard_get_password_delay(const match_guard_t *g, int64_t now_us, const link_address_t *address);
void match_guard_note_wrong_password(match_guard_t *g, int64_t now_us, const link_address_t *address);

// Counts a question to the host's user about a request, and returns 0. If the account or the address has caused
// MATCH_GUARD_MAX_QUESTIONS questions within ten minutes, returns the seconds for which its requests are refused
// without a question.
uint32_t match_guard_take_question(match_guard_t *g, int64_t now_us, const uint8_t *account,
                                   const link_address_t *address);

#endif
