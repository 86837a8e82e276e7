// Unanswered claims of accounts, and granted visits whose players have not joined yet. The database grants a claim only
// if the room's code can read the rows of the account (owned_rows_check_code). This is true for the code with which the
// room has made the claim, not for later code: after a RELOAD, visits with rows are claimed again.
#ifndef SHOAL_ROOM_ROOM_ARRIVALS_H
#define SHOAL_ROOM_ROOM_ARRIVALS_H

#include "match/match.h"

#define ROOM_MAX_CLAIMS 64u

// An unanswered claim of an account, for a machine that waits to join.
typedef struct room_account_claim_t {
  uint64_t ticket;
  uint32_t peer;    // the seal's number of the machine
  uint64_t reloads; // value of `reloads` in room_arrivals_t when the claim was made
} room_account_claim_t;

// A granted visit whose players have not joined yet.
typedef struct room_arrival_t {
  match_visit_t visit;
  bool has_rows; // true if the players bring rows into the room
} room_arrival_t;

// Empty when zero-initialized.
typedef struct room_arrivals_t {
  uint64_t ticket;  // number of the latest claim
  uint64_t reloads; // increased by room_arrivals_note_reload
  room_account_claim_t claims[ROOM_MAX_CLAIMS];
  uint32_t claim_count;
  room_arrival_t items[MATCH_MAX_CONNECTIONS];
  uint32_t count;
} room_arrivals_t;

// Returns true while a claim for the machine is unanswered.
bool room_arrivals_is_claimed(const room_arrivals_t *a, uint32_t peer);
// Adds a claim, and returns its ticket. The caller must check that there are fewer than ROOM_MAX_CLAIMS claims.
uint64_t room_arrivals_add_claim(room_arrivals_t *a, uint32_t peer);
// Removes the claim with this ticket. Returns true on success, or false if there is no such claim. `is_outdated`
// receives true if the code has changed since the claim, so that its rows must not be used.
bool room_arrivals_take_claim(room_arrivals_t *a, uint64_t ticket, uint32_t *peer, bool *is_outdated);

// Adds a granted visit, or replaces it. Returns true on success, or false if there are MATCH_MAX_CONNECTIONS visits.
bool room_arrivals_add(room_arrivals_t *a, const match_visit_t *visit, bool has_rows);
void room_arrivals_remove(room_arrivals_t *a, const match_visit_t *visit); // does nothing if the visit is missing
// Notes a change of the room's code. Removes the visits with rows, and writes them to `out`. Returns their number.
uint32_t room_arrivals_note_reload(room_arrivals_t *a, match_visit_t out[MATCH_MAX_CONNECTIONS]);

#endif
