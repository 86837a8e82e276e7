// The sealed sessions of a match: sends and answers join requests, and moves datagrams between a link and a match.
#ifndef SHOAL_MATCH_MATCH_LINK_H
#define SHOAL_MATCH_MATCH_LINK_H

#include "link/seal.h"
#include "match/match.h"
#include "match/match_guard.h"
#include "match/match_identity.h"

typedef struct log_o log_o;

#define MATCH_DETAILS_BYTES 1024u

typedef struct match_link_o match_link_o;

typedef enum match_link_state_t {
  MATCH_LINK_IDLE,      // host, or a joiner that neither is connected nor tries to connect
  MATCH_LINK_JOINING,   // joiner: waits for the host's answer
  MATCH_LINK_CONNECTED, // joiner: the session is open
  // Joiner: the attempt to join, or the session, has ended
  MATCH_LINK_REFUSED,   // the host refused, or this machine rejected the host's key
  MATCH_LINK_NO_ANSWER, // the host has not answered for SEAL_TIMEOUT_US
  MATCH_LINK_LOST,      // the host has sent nothing for too long
  MATCH_LINK_LEFT,      // the host has closed the session without a reason: its program has ended
  MATCH_LINK_CLOSED     // the host or this machine has closed the session for a reason (match_close_t)
} match_link_state_t;

typedef struct match_link_desc_t {
  link_t link;                      // link for all datagrams; must outlive the object
  match_o *match;                   // match whose datagrams are sent and received; borrowed
  const match_identity_t *identity; // identity of this machine's game; copied
  const file_hashes_o *files;       // host: files of the game, to name files that differ; borrowed; may be NULL
  int64_t tick_us;
  bool is_host;
  bool asks;                  // host: the user decides about each join request (match_link_get_request)
  bool is_world;              // the host is a room of a served world: messages call it a room
  bool claims;                // host of a room: join requests wait until the caller has claimed or checked the account
  match_guard_t *guard;       // host: blocks and limits for join requests; borrowed
  const uint8_t *secret_seed; // seed of this machine's key; see seal_desc_t
  // Joiner: called with the key of the host that answers, before the request is sent. Returns true to continue, or
  // false if the join must end. Stores in `is_trusted` whether the key is proved or known, so that the host may get the
  // password. NULL: all keys are accepted, and no key is trusted.
  bool (*check_host)(void *context, const link_address_t *address, const uint8_t *key, bool *is_trusted);
  void *check_context;
  const char *password; // password that the host requires, or the joiner sends to trusted hosts; copied; or NULL, or ""
  const uint8_t *account_secret; // joiner: secret of the user's accounts (SEAL_KEY_BYTES), copied; NULL: no account
  log_o *log;                    // log for the reasons for refusing joiners and closing peers; borrowed
} match_link_desc_t;

// Returns the new link, or NULL with a message if the system provides no random numbers.
match_link_o *match_link_create(const match_link_desc_t *desc, error_info_t *error);
void match_link_destroy(match_link_o *l); // accepts NULL

// Joiner: starts to join the host at an address, with the token from an earlier connection, if any.
void match_link_join(match_link_o *l, int64_t now_us, const link_address_t *host);
// Receives datagrams and passes them to the match. Call before match_update, once per frame.
void match_link_receive(match_link_o *l, int64_t now_us);
// Sends the match's data. Call after match_update, once per frame.
void match_link_send(match_link_o *l, int64_t now_us);
// Ends all sessions without giving a reason, and notifies the other machines.
void match_link_close(match_link_o *l, int64_t now_us);

// Host: sets whether machines with different files may join. Call with true after a change of the game's code.
void match_link_set_shares_code(match_link_o *l, bool shares_code);

// A machine that waits for the decision of the host's user. Machines that return after a lost connection do not wait.
typedef struct match_request_t {
  uint32_t peer; // the seal's number of the machine
  match_applicant_t applicant;
  link_address_t address;
} match_request_t;

// Host: stores the oldest pending request in `out` and returns true. Returns false if no request is pending.
bool match_link_get_request(const match_link_o *l, match_request_t *out);
// Host: stores the pending request at `index`, in order of arrival, in `out` and returns true. Returns false if fewer
// requests are pending.
bool match_link_get_request_at(const match_link_o *l, uint32_t index, match_request_t *out);
// Host of a room: accepts the pending request of `peer` as a machine of `visit` (match_accept_visit), after closing the
// connection to the visit's previous machine with MATCH_CLOSE_ELSEWHERE. `visit` is NULL for a machine without players,
// which replaces the user's previous spectator. If all connections are used, a player's machine replaces a spectator.
// Returns true on success, or false if the request has been withdrawn, or is refused because the room is full.
bool match_link_admit(match_link_o *l, int64_t now_us, uint32_t peer, const match_visit_t *visit, const char *name);
// Host of a room: refuses the pending request of `peer`. Does nothing if the request has been withdrawn.
void match_link_refuse(match_link_o *l, int64_t now_us, uint32_t peer, const match_refusal_t *refusal);
// Host: accepts or refuses the request of `peer`. Does nothing if the request has been withdrawn. If the match has
// become full in the meantime, refuses the machine even if `accepts` is true. Accepting a machine that needs the places
// of lost players (`reserved` of match_applicant_t) removes these players.
void match_link_decide(match_link_o *l, int64_t now_us, uint32_t peer, bool accepts);

// Host: refuses the request of `peer`. Until the match ends, also refuses all later requests of the same account or
// address, without asking the user.
void match_link_refuse_always(match_link_o *l, int64_t now_us, uint32_t peer);
// Host: removes a player and all players of the same machine from the match (match_remove_player), and closes the
// connection with `reason`. MATCH_CLOSE_REMOVED also refuses the user until the match ends, and MATCH_CLOSE_BANNED adds
// a ban, which the caller must store. Returns a mask of the removed players; 0: the player cannot be removed.
player_mask_t match_link_remove_player(match_link_o *l, int64_t now_us, uint32_t player, match_close_t reason);

// Host: closes the connection to `peer`, if it exists.
void match_link_close_peer(match_link_o *l, int64_t now_us, uint32_t peer, match_close_t reason);

// Joiner: returns true if the host has refused this machine because this machine did not send the password. A password
// is not sent to a host whose key is neither proved nor known.
bool match_link_lacks_trust(const match_link_o *l);
match_link_state_t match_link_get_state(const match_link_o *l);
// Reason for the end of a join attempt or a session.
typedef struct match_end_t {
  match_refusal_t refusal;           // reason for the refusal, in the state MATCH_LINK_REFUSED
  match_close_t close;               // reason for closing the session, in the state MATCH_LINK_CLOSED
  bool is_by_host;                   // MATCH_LINK_CLOSED: true if the host has closed the session
  char details[MATCH_DETAILS_BYTES]; // description for developers
} match_end_t;
const match_end_t *match_link_get_end(const match_link_o *l);

// A machine that is connected.
typedef struct match_link_machine_t {
  link_address_t address;
  match_connection_t connection;
  seal_session_counts_t counts;
} match_link_machine_t;
// Writes the connected machines to `out` (MATCH_MAX_CONNECTIONS). Returns their number.
uint32_t match_link_list_machines(const match_link_o *l, match_link_machine_t *out);
uint32_t match_link_count_peers(const match_link_o *l);
const uint8_t *match_link_get_key(const match_link_o *l); // the public key of this machine (SEAL_KEY_BYTES)
seal_o *match_link_get_seal(const match_link_o *l);       // the link's seal, for serve/hostile_bot.c

#endif
