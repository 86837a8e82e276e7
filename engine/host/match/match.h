// A match: one world that several machines play together. One machine is the host, whose record of each tick contains
// the inputs that had arrived when the host ran the tick. The host never waits and never rolls back. The remaining
// machines are peers, which run ahead of the host: they predict the inputs of the other players, and roll back when a
// record of the host differs from the prediction.
//
// If a held value arrives late, the tick uses the latest value or, after MATCH_NEUTRAL_US, a neutral value. Edges
// (presses and releases) and commands are never replaced, and never predicted for other players. Each peer repeats them
// until the host has received them, and the host takes them into its next tick, in order. A second press of the same
// action waits for the next tick.
//
// A match has no socket, clock or thread, and accesses the world only through callbacks. The caller owns the seal
// (link/seal.h), which encrypts the datagrams, and passes the datagrams and the time in microseconds to the match.
// Memory is allocated when peers join and snapshots are sent, never per tick, and is bounded whatever peers send.
#ifndef SHOAL_MATCH_MATCH_H
#define SHOAL_MATCH_MATCH_H

#include "base/error.h"
#include "base/varint.h"
#include "journal/record.h"
#include "link/stream.h"
#include "match/match_refusal.h"

#define MATCH_MAX_CONNECTIONS 40u    // maximum number of peers and spectators of a host
#define MATCH_MAX_PREDICTED 12u      // maximum number of ticks that a peer runs ahead of the latest record
#define MATCH_MAX_DELAY 8u           // maximum number of ticks between an input and its target tick
#define MATCH_SLOTS 16u              // number of states that the world must keep
#define MATCH_MAX_TICKS_PER_UPDATE 8 // maximum number of ticks that a host runs in one update by default
#define MATCH_NEUTRAL_US 250000
#define MATCH_SILENT_US 700000   // time without datagrams after which the players of a machine are shown as silent
#define MATCH_LOST_US 10000000   // time without datagrams after which the host counts as lost
#define MATCH_REJOIN_US 60000000 // time for which a lost peer's players are kept
#define MATCH_MAX_COMMAND_BYTES 240u
#define MATCH_TOKEN_BYTES 16u
#define MATCH_ACCOUNT_BYTES 32u
#define MATCH_PASSWORD_HASH_BYTES 32u
#define MATCH_REQUEST_BYTES (91u + PLAYER_NAME_BYTES)
#define MATCH_KEY_BYTES 16u
#define MATCH_LIMITS_BYTES 9u
#define MATCH_MAX_MEMORY_MB 1048576u // maximum of match_limits_t.memory_mb
#define MATCH_MAX_BUDGET_MS 3600000u
#define MATCH_REPLY_BYTES (37u + MATCH_LIMITS_BYTES)
// Maximum size of a snapshot's head: numbers, the digests of the players' tokens, and a record without items.
#define MATCH_HEAD_BYTES (2 * VARINT_BYTES + 1 + PLAYER_MAX * MATCH_TOKEN_BYTES + RECORD_HEAD_BYTES)
#define MATCH_MAX_HASHES_BYTES 8192u  // maximum size of a tick's component hashes
#define MATCH_MAX_REPORT_BYTES 10752u // maximum size of a report about a tick that ran again
#define MATCH_MAX_FINDING_BYTES 512u
#define MATCH_LINE_BYTES 1024u // maximum size of a desync's description
#define MATCH_MAX_CODE_BYTES ((1u << 20) + 16u)
#define MATCH_CHAT_BYTES 200u          // maximum size of a chat line
#define MATCH_MAX_LOADING_US 120000000 // maximum time for receiving the game's state
// Time in microseconds after which the host closes a transfer whose rate is too low for MATCH_MAX_LOADING_US.
#define MATCH_JUDGING_US 10000000
#define MATCH_CODE_US 10000000  // time for which a host that owns the code waits for its peers
#define MATCH_TRIAL_US 20000000 // maximum time for a trial of changed code, even on a busy machine
// Maximum time for a trial of changed code on a host that owns the code. The trial also has a limit of CPU time, so it
// takes longer than this only on a busy machine.
#define MATCH_OWNED_TRIAL_US 120000000

typedef struct match_o match_o;

typedef enum match_role_t { MATCH_ROLE_NONE, MATCH_HOST, MATCH_PEER, MATCH_SPECTATOR } match_role_t;

// Reasons for closing a connection. The number is sent to the other machine, so add new reasons at the end.
typedef enum match_close_t {
  MATCH_CLOSE_NONE, // the machine leaves, or its program ends
  MATCH_CLOSE_MALFORMED,
  MATCH_CLOSE_SNAPSHOT,
  MATCH_CLOSE_RECORDS,
  MATCH_CLOSE_CODE,
  MATCH_CLOSE_STALLED,
  MATCH_CLOSE_SLOW,
  MATCH_CLOSE_DESYNCS,
  MATCH_CLOSE_UNABLE,    // the closing machine cannot run the match's code
  MATCH_CLOSE_REMOVED,   // the host has removed the machine's players from the match
  MATCH_CLOSE_BANNED,    // the host has also banned the machine's user
  MATCH_CLOSE_MOVED,     // room: the players have moved to a different room; ask the world for it
  MATCH_CLOSE_ELSEWHERE, // room: the user has joined the world from a different machine
  MATCH_CLOSE_COUNT
} match_close_t;

// Returns true if the connection was closed because the host's user has removed or banned the players.
static inline bool match_close_is_removal(match_close_t reason) {
  return reason == MATCH_CLOSE_REMOVED || reason == MATCH_CLOSE_BANNED;
}

// Returns a static description of the reason for developers.
const char *match_close_get_details(match_close_t reason);

typedef enum match_run_t {
  MATCH_RUN_HOST,      // tick on the host: `run` may add items of the kinds RESULT and PARK to the record
  MATCH_RUN_CONFIRMED, // tick of a confirmed record: `run` must use only the results in the record
  MATCH_RUN_PREDICTED  // predicted tick: `run` returns false if the tick needs a result; the peer then waits
} match_run_t;

typedef enum match_trial_t { MATCH_TRIAL_RUNNING, MATCH_TRIAL_PASSED, MATCH_TRIAL_FAILED } match_trial_t;

// The game's code, which all machines replace in the same tick. Changes are opaque bytes. `context` is passed to each
// function. A `reason` contains a line for players and, after '\n', a line for developers.
typedef struct match_code_t {
  void *context;
  uint64_t (*get_hash)(void *context); // returns the hash of the running code; NULL: the world has no code
  // Starts a trial of changes to the running code or, if `is_complete`, to the code with which this machine has
  // started. `proposer`: player whose machine has made the changes; PLAYER_MAX: a machine without players. Returns true
  // on success, or false with the reason if the bytes are malformed, or the changes were made to an older version of a
  // file. NULL: this machine does not accept shared code.
  bool (*begin_trial)(void *context, const uint8_t *bytes, size_t size, bool is_complete, uint32_t proposer,
                      error_info_t *reason);
  // Returns the state of the trial. Stores the hash of the changed code if it has passed, or the reason if it failed.
  // On entry, `*hash` is the host's hash of the changed code, or 0 if it is unknown.
  match_trial_t (*poll_trial)(void *context, uint64_t *hash, error_info_t *reason);
  void (*end_trial)(void *context); // drops the changed code; does nothing without a trial
  // Replaces the running code with the code of the passed trial, and converts the current state. Returns true on
  // success. Returns false with the reason, and leaves the state unchanged, if the state cannot be converted.
  bool (*replace)(void *context, error_info_t *reason);
  // Stores all changes since this machine started. The bytes stay valid until the next call. Returns their size, at
  // most MATCH_MAX_CODE_BYTES.
  size_t (*write_changes)(void *context, const uint8_t **bytes);
} match_code_t;

// The world of the game. `context` is passed to each function.
typedef struct match_world_t {
  void *context;
  // Runs a tick with the inputs and items of a record, and stores the hash of the state, which must not be 0. Returns
  // true on success. After false, the state is undefined until the next `restore` or `read_snapshot`.
  bool (*run)(void *context, record_t *record, match_run_t mode, uint64_t *hash);
  // Copies the state to or from one of MATCH_SLOTS slots.
  void (*save)(void *context, uint32_t slot);
  void (*restore)(void *context, uint32_t slot);
  // Applies a record of the kind RESTART or SWITCH: restarts the game, or switches between the lobby and the game.
  void (*apply)(void *context, const record_t *record);
  // Stores the state as bytes, which stay valid until the next call. Returns their size.
  size_t (*write_snapshot)(void *context, const uint8_t **bytes);
  // Like write_snapshot, but fast and without compression, for match_take_snapshot. `read_snapshot` reads both forms.
  // NULL: match_take_snapshot uses write_snapshot.
  size_t (*copy_snapshot)(void *context, const uint8_t **bytes);
  // Replaces the state, and stores its hash. On entry, `*hash` is the host's folded hash of the state, or 0 if it is
  // unknown. Returns true on success, or false with a message if the bytes are malformed.
  bool (*read_snapshot)(void *context, const uint8_t *bytes, size_t size, uint64_t *hash, error_info_t *error);
  // Called once for each tick that is confirmed, in order, with the hash of the state after it. After a desync, called
  // again for the ticks since the host's snapshot. A snapshot confirms its tick and skips earlier ticks. Optional.
  void (*confirm)(void *context, uint64_t tick, uint64_t hash);
  // Callbacks that name desyncs (match/desync.h). Set all of them, or leave all NULL.
  //
  // Runs a recent tick again, from the records of `m`, and writes a report about it to `out` (MATCH_MAX_REPORT_BYTES).
  // `hash`: hash of the state after the first run of the tick. `other`: the other machine's report. `other_size` is 0
  // until it arrives. Keeps the current state. Returns the size, or 0 if the tick is too old.
  size_t (*trace)(void *context, const match_o *m, uint64_t tick, uint64_t hash, const uint8_t *other,
                  size_t other_size, uint8_t *out);
  // Host: like write_snapshot, but stores the state after a recently traced tick. Returns the size, or 0 if that state
  // is not kept.
  size_t (*write_traced)(void *context, uint64_t tick, const uint8_t **bytes);
  // Peer: compares the traced tick with the host's report, and with the host's snapshot of the tick unless
  // `snapshot_size` is 0. Writes a finding to `out` (MATCH_MAX_FINDING_BYTES). The current state is undefined
  // afterwards. Returns the size, or 0 if the tick was not traced or the report is malformed.
  size_t (*find)(void *context, const match_o *m, uint64_t tick, const uint8_t *report, size_t report_size,
                 const uint8_t *snapshot, size_t snapshot_size, uint8_t *out);
  // Writes the description of a finding to `out` (MATCH_LINE_BYTES), or "" if the tick's trace is no longer kept.
  // Returns true on success, or false if the finding is malformed.
  bool (*describe)(void *context, uint64_t tick, const uint8_t *finding, size_t size, char *out);
  match_code_t code;
} match_world_t;

// Script limits that can change the result of a tick. The host's limits therefore apply to all machines.
typedef struct match_limits_t {
  uint32_t memory_mb; // memory limit of the scripts in MiB; 0: the default
  uint32_t budget_ms; // budget of a system in ms, if `has_budget` is true
  bool has_budget;
  bool is_strict; // true if invalid values are errors
} match_limits_t;

typedef struct match_desc_t {
  match_role_t role;
  match_limits_t limits; // limits for all machines; host, or peer that recovers a match from a store
  match_world_t world;
  int64_t tick_us;
  uint64_t game_hash;    // machines with a different hash are refused
  const uint8_t *secret; // host: SEAL_KEY_BYTES of random bytes; copied
  // Name of the first player of this machine (player_name.h); copied. NULL or "": the player has no name.
  const char *name;
  uint32_t local_players; // number of players on this machine; 0 for a spectator or a host without players
  uint32_t max_players;   // maximum number of players in the match; 0: PLAYER_MAX
  // Host: a room of a served world. Machines with players join by match_accept_visit, and tokens are not used.
  bool has_accounts;
  // Host: called before the record with which these players leave, in the state of the world after the previous record.
  void (*leaves)(void *context, player_mask_t players);
  void *leave_context;
  // Host: only this machine changes the code. Connections of peers that propose code are closed. Peers that do not
  // accept a proposal of this machine within MATCH_CODE_US cannot refuse it: they receive the code and the state again.
  bool owns_code;
  uint64_t first_number; // host: number of the first record; 0 means 1
  uint64_t last_tick;    // host: the tick after which the match ends; 0: no limit
  uint32_t log_records;  // number of records kept for peers that are behind, a power of two, at least 1024; 0: 8192
  uint32_t stream_bytes; // buffer size of each stream; see stream_desc_t
  uint32_t max_snapshot_bytes; // maximum size of a received snapshot; 0: 64 MiB
  // Peer: called between confirmed ticks of an update. If it returns false, the remaining ticks wait for the next
  // update, so that a slow machine continues reading and acknowledging records. NULL: 32 ticks per update.
  bool (*has_time)(void *context);
  void *time_context;
} match_desc_t;

// Creates a match. A host's match begins with the state of the world after `tick`, a peer's match with a snapshot.
match_o *match_create(const match_desc_t *desc, uint64_t tick, int64_t now_us);
void match_destroy(match_o *m); // accepts NULL

// --- joining

// Peer: writes the request for seal_join (MATCH_REQUEST_BYTES). If the connection was lost, the request contains the
// token by which the host recognizes this machine. The account and the password hash are zero until match_link.h writes
// them, once the host's key is known.
void match_write_request(const match_o *m, uint8_t *out);
// Sets the token (MATCH_TOKEN_BYTES, copied) from an earlier connection, for the first request.
void match_set_token(match_o *m, const uint8_t *token);
// Copies the current token to `out` (MATCH_TOKEN_BYTES). A peer gets its token from the host. A host has its own token
// for its players. Returns true on success, or false if the peer has never been connected as a player, or the host has
// no players.
bool match_get_token(const match_o *m, uint8_t *out);
// Returns the secret of the match (MATCH_KEY_BYTES), which all members know, or NULL if this machine has never been
// connected. A peer that continues as the host keeps the secret. A removed machine knows only the previous secret.
const uint8_t *match_get_key(const match_o *m);
// Returns the host's limits, or zero limits until a peer is connected.
const match_limits_t *match_get_limits(const match_o *m);
// Properties of the machine that has sent a request.
typedef struct match_applicant_t {
  char name[PLAYER_NAME_BYTES]; // name of the first player; "" if the machine has no players
  uint32_t players;
  uint8_t account[MATCH_ACCOUNT_BYTES];        // account of the user (match_account.h); zero: unknown
  uint8_t password[MATCH_PASSWORD_HASH_BYTES]; // hash; zero: the machine has sent no password
  bool watches;                                // the machine has no players, and only watches
  bool is_known;                               // the token belongs to players of this match
  bool fits; // enough player places and connections are free; if false, match_accept refuses the machine
  // Lost players whose places the machine needs. 0 if the machine fits without these places, or does not fit even with
  // them.
  player_mask_t reserved;
} match_applicant_t;

// Host: reads a request without answering it. Returns true on success, or false if the request is malformed.
bool match_read_request(const match_o *m, const uint8_t *request, size_t size, match_applicant_t *out);
// Host: answers a request of `peer`, the seal's number for the machine, with a reply for seal_accept
// (MATCH_REPLY_BYTES). Returns true on success. Returns false with the reason if the request is malformed, the game or
// Shoal's version differs, or the match is over or full.
bool match_accept(match_o *m, int64_t now_us, uint32_t peer, const uint8_t *request, size_t size, uint8_t *reply,
                  match_refusal_t *refusal);

// A visit of an account in a room of a served world (served/accounts.h). JOIN items and snapshots of a room contain the
// visit instead of the digest of the player's token.
typedef struct match_visit_t {
  int64_t account; // number of the account; 0: no account
  int64_t session;
} match_visit_t;
// Host of a room: like match_accept, for a machine whose user visits the room. If the visit already has players, the
// machine continues as these players, and the previous machine's connection is closed. `name`: name of the account.
// `visit` is NULL for a spectator: spectators get at most the connections that the room's players cannot use.
bool match_accept_visit(match_o *m, int64_t now_us, uint32_t peer, const uint8_t *request, size_t size,
                        const match_visit_t *visit, const char *name, uint8_t *reply, match_refusal_t *refusal);
// Returns the visit of a player of a room; account 0: the player does not take part.
match_visit_t match_get_visit(const match_o *m, uint32_t player);
// Returns a mask of the players of a visit who take part, including players who leave with the next record.
player_mask_t match_find_visitors(const match_o *m, const match_visit_t *visit);
// Host of a room: returns the seal's number of the machine of a visit, or 0 if no machine is connected or accepted.
uint32_t match_find_visiting_peer(const match_o *m, const match_visit_t *visit);
// Host of a room: gives the machine of a visit, if it is connected, a different name for its JOIN and for log lines.
void match_rename_visitor(match_o *m, const match_visit_t *visit, const char *name);
// Host of a room: returns the seal's number of a spectator's machine, or 0 if no such machine is connected or accepted.
// `account` (MATCH_ACCOUNT_BYTES): account of its user; NULL: any spectator.
uint32_t match_find_spectator(const match_o *m, const uint8_t *account);
// Host: returns true if a connection is free for an additional machine.
bool match_has_free_connection(const match_o *m);
// Host of a room: returns a mask of the players of a visit whose machine is connected or accepted, and who do not take
// part yet.
player_mask_t match_find_arriving(const match_o *m, const match_visit_t *visit);
// Host of a room: returns true if the visit has players who stay, or a connected or accepted machine that has not
// joined yet.
bool match_is_visited_by(const match_o *m, const match_visit_t *visit);

// Opens the connection to `peer`. Call when the seal has connected it. Peer: `reply` is the host's reply. Returns true
// on success. Returns false with a message if the reply is malformed or, on the host, if `peer` has not been accepted.
bool match_connect(match_o *m, int64_t now_us, uint32_t peer, const uint8_t *reply, size_t size, error_info_t *error);
// Returns the reason for which the connection to `peer` must be closed, after match_read has returned false. Returns
// MATCH_CLOSE_NONE if the connection can stay open.
match_close_t match_get_close_reason(const match_o *m, uint32_t peer);
// Host: removes a player and all players of the same machine, connected or lost. They leave with the next record, their
// token becomes invalid, and the remaining machines get a new secret of the match. Closes the connection, and stores
// its number in `peer`, for which the caller must call seal_close; 0: the machine was not connected. Returns a mask of
// the removed players, or 0 if the player is a player of the host, or does not take part.
player_mask_t match_remove_player(match_o *m, int64_t now_us, uint32_t player, uint32_t *peer);
// Host: like match_remove_player, but the connection stays open without players, so that the caller can close it once
// the departure is stored. The secret of the match stays the same.
player_mask_t match_dismiss_player(match_o *m, int64_t now_us, uint32_t player, uint32_t *peer);
// Handles the end of the connection to `peer`. `keep`: true if the host keeps the peer's players for MATCH_REJOIN_US;
// otherwise, they leave.
void match_disconnect(match_o *m, int64_t now_us, uint32_t peer, bool keep);
// Peer: leaves the match. Call match_disconnect and seal_close when match_get_status reports `has_left`.
void match_leave(match_o *m);
// Peer that has lost the host, or has recovered the match from a store: continues the match as the host, from the last
// confirmed tick. `secret`: SEAL_KEY_BYTES random bytes, copied.
void match_continue_as_host(match_o *m, int64_t now_us, const uint8_t *secret);
// Host that was a peer before: closes all connections, and becomes a peer without a host again.
void match_give_way(match_o *m);

// --- storing a match
//
// A store keeps snapshots and the records after them, so that the match survives its process. A new process creates the
// match as a peer and calls match_recover_begin, match_recover_block for each block, and match_continue_as_host. The
// players of the match can rejoin with their tokens.

// Copies the record with this number to `out`. The items are valid until the next match_update. Returns true on
// success, or false if the log does not contain the record (match_desc_t.log_records).
bool match_get_record(const match_o *m, uint64_t number, record_t *out);

typedef struct match_snapshot_t {
  uint64_t next; // number of the first record after the snapshot
  uint64_t tick;
  uint8_t head[MATCH_HEAD_BYTES];
  size_t head_bytes;
  const uint8_t *state; // state, borrowed from the world; valid until the world's next snapshot
  size_t state_bytes;
} match_snapshot_t;
// Host: copies the current state, uncompressed if the world supports this (copy_snapshot).
void match_take_snapshot(match_o *m, match_snapshot_t *out);

// Host: marks the hash of the state as unknown until the next tick, and drops the shared snapshot. Call after changing
// the world between two ticks, before any machine has joined.
void match_note_changed_world(match_o *m);

// Peer that has never been connected: begins a recovery with the head and the state of a snapshot. Returns true on
// success, or false with a message if they are malformed or do not belong together.
bool match_recover_begin(match_o *m, int64_t now_us, const uint8_t *head, size_t head_bytes, const uint8_t *state,
                         size_t state_bytes, error_info_t *error);
// Notes that the changed code for the next record, a RELOAD with this hash, has passed its trial.
void match_recover_code(match_o *m, uint64_t hash);
// Runs the records of a block, whose first record is complete and follows the last record so far. Returns true on
// success, or false with a message if a record is malformed or missing or cannot run. The records before it have then
// run. If the hash of a tick differs from its record, adds an event DESYNC for the first such tick, and continues with
// this machine's state.
bool match_recover_block(match_o *m, int64_t now_us, const uint8_t *block, size_t size, error_info_t *error);

// --- datagrams

// Reads a datagram's decrypted payload. `number`: its number in the seal. Returns true on success. Returns false with a
// message for developers if the peer violates the protocol: the caller must then close the session
// (match_get_close_reason) and call match_disconnect. If this machine cannot run the match's code, a line for players
// and '\n' precede the message.
bool match_read(match_o *m, int64_t now_us, uint32_t peer, uint64_t number, const uint8_t *bytes, size_t size,
                error_info_t *error);
// Writes the next datagram for `peer`, which the seal sends as `number`, to `out` (SEAL_PAYLOAD_BYTES). Call it once
// per tick, and while match_has_work returns true. Returns the size, or 0 if the peer is not connected.
size_t match_write(match_o *m, int64_t now_us, uint32_t peer, uint64_t number, uint8_t *out);
bool match_has_work(match_o *m, int64_t now_us, uint32_t peer);

// --- playing

// Sets the held values and the pointer of a local player (index from 0), and adds edges and the movement. Replaces -128
// with -127, and non-finite coordinates with 0. Ignores the movement while the match is paused, and before the player
// takes part. Returns true on success. Returns false, and drops the edges, if too many edges are waiting or the player
// does not exist.
bool match_add_input(match_o *m, uint32_t local_player, const player_input_t *input);
// Copies a command of a local player (index from 0), at most MATCH_MAX_COMMAND_BYTES. Returns true on success, or false
// if the command is too large, too many commands are waiting, or the player does not exist.
bool match_add_command(match_o *m, uint32_t local_player, const void *bytes, size_t size);
// Host: sets the maximum number of ticks per update, for a caller that updates the match rarely and then runs many
// ticks. 0: MATCH_MAX_TICKS_PER_UPDATE.
void match_set_max_ticks(match_o *m, uint32_t ticks);
// Makes the confirmed state the world's current state. The next match_update predicts again.
void match_drop_predictions(match_o *m);
// Runs the ticks that are due, predicts, and rolls back wrong predictions. Call once per frame.
void match_update(match_o *m, int64_t now_us);

// Host: adds a record of the kind PAUSE, RESUME, RESTART, END or SWITCH.
void match_add_record(match_o *m, int64_t now_us, record_kind_t kind);
// Host without connections: adds a record RELOAD, after the caller has replaced the code with code of this hash.
void match_add_reload(match_o *m, int64_t now_us, uint64_t hash);
// Host: sets the entities that the player with this index brings, as packed rows (store/item_rows.h; copied). Call
// after the player was accepted. Does nothing if the player takes part already. The record of the player's JOIN
// contains the rows. If they exceed ITEM_ROWS_MAX_BYTES, earlier records contain parts of them. A record contains at
// most one arrival, so the JOIN of a different player may wait for a later record.
void match_set_arrival(match_o *m, uint32_t player, const void *bytes, size_t size);
// Proposes code changes (at most MATCH_MAX_CODE_BYTES) to all machines. The host orders proposals, and each machine
// tries them. If all machines accept a proposal, a record of the host makes them replace their code between the same
// two ticks. The result is an event with `is_own`. Returns true on success. Returns false if `size` is 0 or too large,
// if an earlier proposal of this machine is undecided or still being sent, if the match has ended, or if this machine
// is a peer that is not connected or has no state yet.
bool match_propose_code(match_o *m, const uint8_t *bytes, size_t size);

typedef enum match_event_kind_t {
  MATCH_EVENT_NONE,
  MATCH_EVENT_JOINED,   // `player` has joined
  MATCH_EVENT_LEFT,     // `player` has left, or was lost for too long
  MATCH_EVENT_LOST,     // host: the connection of `player` was lost; peer: the connection to the host was lost
  MATCH_EVENT_REJOINED, // host: `player` is connected again
  // Peer: the state after `tick` differs from the host's state: see `host_hash` and `own_hash`. Host: the machine of
  // `player` has reported a desync.
  MATCH_EVENT_DESYNC,
  // match_get_line describes the difference after `tick` on this machine, or on the machine of `player`
  MATCH_EVENT_NAMED,
  MATCH_EVENT_REPAIRED, // peer: the host's state replaced this machine's state
  MATCH_EVENT_RELOADED, // the code was replaced after `tick`, as `player` (PLAYER_MAX: no player) had proposed
  // The machine of `refuser` has refused the changes that `player` has proposed (PLAYER_MAX: a machine without
  // players); see match_get_refusal
  MATCH_EVENT_REFUSED,
  MATCH_EVENT_ENDED
} match_event_kind_t;

typedef struct match_event_t {
  match_event_kind_t kind;
  uint32_t player; // index in player_inputs_t
  uint32_t refuser;
  match_close_t reason; // LOST on the host: reason for closing the connection
  bool is_own;          // RELOADED, REFUSED: this machine has proposed the changes
  bool is_late;         // REFUSED: the trial of a host that owns the code has not ended in time, so nothing is known
  uint64_t tick, host_hash, own_hash;
  uint32_t line; // NAMED: index of the line, for match_get_line
} match_event_t;

// Moves the oldest event to `out` and returns true. Returns false if no event is queued. A full queue drops the oldest
// events.
bool match_pop_event(match_o *m, match_event_t *out);

// Returns the line of a recent event NAMED, the same on both machines: "entity(5) motion.vx 3.5 and 3.6, after system
// wrap (systems/wrap.lua:7)". Valid until 16 more lines have been added.
const char *match_get_line(const match_o *m, const match_event_t *event);
// Copies the record of a recent tick to `out`. Its items are valid until the next call to a non-const function of `m`.
// Returns true on success, or false if the record is no longer kept.
bool match_find_record(const match_o *m, uint64_t tick, record_t *out);

// Returns the reason for the latest refusal of a proposal, as in match_code_t: a line for players and, optionally, a
// line for developers. Valid until the next call to match_read or match_update.
const char *match_get_refusal(const match_o *m);

// --- chat

#define MATCH_CHAT_SERVER PLAYER_MAX // `player` of a line that an operator of a served world has sent

// A chat line. Chat lines are not part of the world. Lines from other machines have been validated.
typedef struct match_chat_t {
  uint32_t player;                 // index in player_inputs_t, or MATCH_CHAT_SERVER
  char text[MATCH_CHAT_BYTES + 1]; // UTF-8 without control characters, not empty
} match_chat_t;

typedef enum match_chat_result_t {
  MATCH_CHAT_SENT,
  MATCH_CHAT_TOO_LONG, // longer than MATCH_CHAT_BYTES
  MATCH_CHAT_INVALID,  // empty, not UTF-8, or with control characters
  MATCH_CHAT_TOO_FAST  // above the rate limit or the connection's capacity, or not connected
} match_chat_result_t;

// Sends a chat line of a local player (index from 0) to all connected machines. Returns MATCH_CHAT_SENT, or the reason
// why the line was not sent.
match_chat_result_t match_say(match_o *m, int64_t now_us, uint32_t local_player, const char *text);
// Host: sets the players whose chat lines are dropped from now on.
void match_mute(match_o *m, player_mask_t players);
// Host: sends a chat line from the server to all connected machines. Returns MATCH_CHAT_SENT, MATCH_CHAT_TOO_LONG or
// MATCH_CHAT_INVALID.
match_chat_result_t match_announce(match_o *m, const char *text);
// Moves the oldest unread line, received or sent, to `out` and returns true. Returns false if no line is unread. All
// machines have the same order. Up to 16 unread lines are kept: each additional line discards the oldest line.
bool match_pop_chat(match_o *m, match_chat_t *out);

typedef struct match_status_t {
  match_role_t role;
  bool has_state;  // peer: has received the host's state
  bool is_playing; // peer: has caught up with the host
  bool is_waiting; // peer: has run ahead as far as possible, and waits for the host
  bool is_paused, has_ended, is_lost, has_left;
  bool is_proposing;                // a proposal of this machine is undecided
  size_t loading_bytes;             // peer: size of the code or the state that is arriving; 0: nothing is arriving
  size_t loaded_bytes;              // peer: number of bytes of the code or the state that have arrived
  bool is_repairing;                // peer: the state differs from the host's state, which has not arrived yet
  player_mask_t players;            // players of this machine
  player_mask_t present, connected; // players that take part, and players whose machine is connected to the host
  player_mask_t silent;             // connected players whose machine has sent nothing for MATCH_SILENT_US
  player_mask_t joining;            // host: players that join in the next tick
  bool is_acknowledged;             // host: all peers have confirmed all records, and named their desyncs
  uint64_t next_number;             // number of the next record
  uint64_t tick;                    // last confirmed tick
  uint64_t predicted_tick;          // tick of the world's current state
  uint32_t slot;                    // slot of the confirmed state, unless predicted_tick equals tick
  uint32_t delay;                   // ticks between an input and its target tick
  int64_t waiting_us;               // peer: time since its latest tick while it waits; otherwise 0
  int64_t silent_us;                // peer: time since the last datagram of the host
  int64_t due_us;                   // host: time at which the next tick is due
  int64_t early_us;                 // peer: mean time by which inputs reach the host before their tick
  // Counts since match_create
  uint64_t rollbacks, rerun_ticks, max_depth, desyncs, late_inputs;
  uint64_t frames; // peer: number of updates in which its players were in the running match
  uint64_t waits;  // peer: number of updates that stopped at the prediction limit
} match_status_t;
match_status_t match_get_status(const match_o *m, int64_t now_us);
// Returns the round trip to the machine of a player (index in player_inputs_t) in microseconds. A peer reaches all
// remote players through the host, so this is the round trip to the host. Returns 0 for players of this machine and for
// lost players.
int64_t match_get_round_trip_us(const match_o *m, uint32_t player);
// Host: returns the time in microseconds in which a lost player can still rejoin, or 0 if the player is connected or
// that time is over.
int64_t match_get_absent_us(const match_o *m, uint32_t player, int64_t now_us);

typedef struct match_connection_t {
  uint32_t peer;                        // the seal's number of the machine
  player_mask_t players;                // host: players of the machine; peer: 0
  uint8_t account[MATCH_ACCOUNT_BYTES]; // host: account of the machine's user; zero: unknown
  bool is_spectator;                    // host of a room: the machine has no players, and does not move
  // host: name of the machine's first player, or "" if it has no players; valid until the machine is disconnected
  const char *name;
  bool is_live;          // the machine has all recent records
  int64_t round_trip_us; // smoothed round-trip time; 0 until measured
  int64_t jitter_us;     // mean deviation of the round trip
  uint64_t late_inputs;  // host: number of inputs that arrived after their tick
} match_connection_t;
// Stores the connection to the seal's peer and returns true. Returns false if the peer is not connected.
bool match_get_connection(const match_o *m, uint32_t peer, match_connection_t *out);

#endif
