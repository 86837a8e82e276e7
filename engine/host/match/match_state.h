// State of a match, shared by the files of this module.
#ifndef SHOAL_MATCH_MATCH_STATE_H
#define SHOAL_MATCH_MATCH_STATE_H

#include "base/alloc.h"
#include "base/varint.h"
#include "link/rate_limit.h"
#include "match/input_queue.h"
#include "match/local_input.h"
#include "match/match.h"
#include "match/match_clock.h"
#include "store/item_rows.h"

#define MATCH_EVENTS 64u       // capacity of the event queue; a power of two
#define MATCH_LINES 16u        // number of desync lines that are kept; a power of two
#define MATCH_CHAT_LINES 16u   // maximum number of unread chat lines; a power of two
#define MATCH_BLOCK_BYTES 740u // maximum size of a block in a datagram
// Maximum number of records in a block. A peer's log has space for a block after the records that wait for
// confirmation.
#define MATCH_BLOCK_RECORDS 64u
#define MATCH_LARGE_RECORD (MATCH_BLOCK_BYTES / 2) // records above this size are sent by the stream
#define MATCH_PART_BYTES 8192u  // size of the parts in which the stream carries snapshots, code and records
#define MATCH_REASON_BYTES 800u // maximum size of a refusal's reason
// Maximum number of accounts whose snapshots a room limits; a new account replaces the account whose limit ends first.
#define MATCH_ACCOUNT_LIMITS 128u

typedef enum connection_state_t {
  CONNECTION_NONE,
  CONNECTION_ACCEPTED, // host: the seal has not connected the peer yet
  CONNECTION_BEHIND,   // host: the peer receives the snapshot, and records by the stream
  CONNECTION_LIVE
} connection_state_t;

// Bytes that are sent or received in parts. Several transfers may share the bytes that they send.
typedef struct transfer_t {
  uint8_t *bytes;  // content of the transfer; NULL: no transfer is in progress
  size_t size, at; // size of `bytes`, and number of bytes sent or received so far
} transfer_t;

typedef enum code_answer_t { CODE_ANSWER_NONE, CODE_ANSWER_ACCEPTED, CODE_ANSWER_REFUSED } code_answer_t;

// A connection to a peer. A peer has only the connection to its host.
typedef struct connection_t {
  uint32_t peer; // the seal's number of the machine
  connection_state_t state;
  stream_o *stream;
  match_close_t failure; // reason for closing the connection, or MATCH_CLOSE_NONE
  int64_t close_us;      // time at which a connection with a `failure` is closed; until then, nothing is sent
  int64_t heard_us;      // time of the last datagram
  transfer_t snapshot, code_out, code_in;
  // Fields of the host
  uint64_t proposal_order; // number of the complete proposal in `code_in`; 0: no proposal
  uint64_t tried;          // number of the latest proposal that was sent to the peer
  code_answer_t answer;    // the peer's answer to the proposal
  uint64_t answer_hash;
  int64_t trial_us;     // time at which sending the proposal last progressed
  uint64_t trial_bytes; // stream bytes that were acknowledged at that time
  player_mask_t players;
  bool is_spectator; // room: the machine has joined without players, or its players have left with MATCH_MESSAGE_LEAVE
  uint8_t digest[MATCH_TOKEN_BYTES];
  uint8_t account[MATCH_ACCOUNT_BYTES];
  bool needs_key; // the machine does not know the match's current secret
  char name[PLAYER_NAME_BYTES];
  uint64_t acked;          // first record that the peer lacks
  uint64_t first;          // first record after the latest snapshot; the peer lacks earlier records
  uint64_t streamed;       // end of the records that were put into the stream
  bool has_state;          // the peer has acknowledged the snapshot
  uint64_t streamed_bytes; // number of bytes of the stream that the peer has acknowledged
  int64_t progress_us, repaired_us;
  uint32_t repairs;
  uint64_t traced, traced_hash; // tick of the last sent report, and the peer's hash after it; 0: no report
  int64_t snapshot_us;          // time at which the host began to send the latest snapshot
  uint64_t snapshot_bytes;      // stream bytes that were acknowledged at that time
  uint32_t snapshots;           // number of snapshots sent since the peer was last live
  // Number of the first record after the latest restart of the world. Once the peer has acknowledged all records below
  // this number, it receives the state of the restarted world. 0: the peer needs no state.
  uint64_t restarted;
  input_queue_t queue;
  uint64_t measured; // number of the newest input
  int64_t early_us;  // time from the arrival of input `measured` until the host needs it; negative: it arrived late
  rate_limit_t chat_limit;
  player_mask_t told_silent, told_lost; // masks that were last sent to the peer
} connection_t;

typedef struct prediction_t {
  player_inputs_t inputs;
  uint64_t item_hash, hash;
} prediction_t;

// Inputs of this peer that the host may lack.
typedef struct own_input_t {
  record_log_o *log;
  uint64_t next, acked, reported;   // next input, first unacknowledged input, newest input whose arrival was reported
  player_input_t moved[PLAYER_MAX]; // sums of the movements in all inputs
  uint64_t ticks[INPUT_QUEUE_RECORDS];
  int64_t made_us[INPUT_QUEUE_RECORDS];
} own_input_t;

// Snapshot limit of an account in a room, for all visits together.
typedef struct account_limit_t {
  uint8_t account[MATCH_ACCOUNT_BYTES];
  rate_limit_t limit;
} account_limit_t;

// The current desync of a peer.
typedef struct desync_state_t {
  uint64_t tick, host_hash, own_hash;
  uint8_t own[MATCH_MAX_REPORT_BYTES], host[MATCH_MAX_REPORT_BYTES]; // reports of both machines
  size_t own_size, host_size;
} desync_state_t;

// Changes that a peer receives, possibly before the record of earlier changes.
typedef struct match_incoming_t {
  bool is_complete; // the changes are complete and precede a snapshot
  uint64_t number;
  uint32_t proposer;
  uint64_t hash; // hash of the code that the changes apply to or, if `is_complete`, hash of the changed code
} match_incoming_t;

// Changes of the code that machines share. A machine tries one proposal at a time.
typedef struct match_share_t {
  bool is_proposing; // a proposal of this machine is undecided
  uint64_t number;   // number of the current proposal
  uint32_t proposer; // player who made the current proposal; PLAYER_MAX: a machine without players
  bool is_own;       // this machine has made the current proposal
  bool is_trying, has_passed;
  uint64_t hash; // hash of the changed code if the trial has passed
  int64_t began_us;
  bool is_late;                    // value for `is_late` of the next event REFUSED
  char reason[MATCH_REASON_BYTES]; // reason of the most recent refusal
  // Host
  bool is_active; // true while the machines try the current proposal
  uint64_t order; // number of the latest proposal that has arrived
  transfer_t own;
  uint64_t own_order;
  int64_t wait_until_us; // time until which a proposal waits for joining machines; 0: no proposal waits
  // Peer
  bool is_complete;  // the trial covers the complete changes that precede a snapshot
  uint64_t expected; // expected hash of the changed code
  bool has_incoming;
  match_incoming_t incoming;
} match_share_t;

struct match_o {
  allocator_t memory;
  match_desc_t desc;
  char name[PLAYER_NAME_BYTES]; // name of this machine's first player
  match_role_t role;
  record_log_o *log;
  local_input_t local;
  player_mask_t players; // players of this machine
  uint64_t next_number, tick;
  uint32_t max_ticks;     // host: maximum number of ticks per update; 0: MATCH_MAX_TICKS_PER_UPDATE
  player_inputs_t inputs; // inputs of the last confirmed tick, without edges and movements
  uint64_t hash;          // hash of the state after the last confirmed tick
  uint64_t started;       // first record after the world's latest restart; 0: never restarted
  uint8_t digests[PLAYER_MAX][MATCH_TOKEN_BYTES];
  uint8_t key[MATCH_KEY_BYTES];
  bool has_key;
  match_limits_t limits;
  bool is_paused, has_ended, is_lost, is_leaving, has_left;
  // Masks of players whose machine has sent nothing for MATCH_SILENT_US, and of players whose connection is lost. The
  // host sends both masks to the peers.
  player_mask_t silent, lost;
  connection_t connections[MATCH_MAX_CONNECTIONS];
  record_t record; // scratch buffer
  match_event_t events[MATCH_EVENTS];
  uint32_t events_begin, events_end;
  char lines[MATCH_LINES][MATCH_LINE_BYTES];
  uint32_t line_count;
  match_chat_t chat[MATCH_CHAT_LINES];
  uint32_t chat_begin, chat_end;
  rate_limit_t chat_limit; // limits the chat lines of this machine
  player_mask_t muted;     // host: players whose chat lines are dropped
  match_share_t share;
  match_status_t counts;
  int64_t waiting_since_us; // peer: time of the latest update that did not wait, or that created a tick's inputs
  int64_t updated_us;
  // Members that only the host uses
  uint8_t secret[SEAL_KEY_BYTES];
  uint64_t token_count;
  uint32_t key_count;
  player_mask_t joining, leaving;
  player_mask_t removed; // players in `leaving` who cannot come back, and whose places are free
  uint8_t join_items[PLAYER_MAX][MATCH_TOKEN_BYTES + PLAYER_NAME_BYTES]; // join items of the current record
  // Packed rows of the entities that players bring, until their JOIN; NULL if a player brings nothing. Records contain
  // the first `sent` bytes.
  struct {
    uint8_t *bytes;
    size_t size, sent;
  } arrivals[PLAYER_MAX];
  uint8_t arrival_item[ITEM_ROWS_MAX_BYTES]; // part of an arrival in the current record
  int64_t absent_until_us[PLAYER_MAX];       // time until which a lost player is kept; 0: connected
  int64_t due_us;
  record_coder_t coder;
  uint16_t *sizes; // sizes of the records, coded as differences
  uint64_t large;  // number of the latest large record
  rate_limit_t trace_limit;
  // Limits the snapshots for each machine. Index: the machine's first player. The last element limits all machines
  // without players together. A room uses `account_limits` instead, because a player of a room may be a different user
  // every second.
  rate_limit_t snapshot_limits[PLAYER_MAX + 1];
  account_limit_t account_limits[MATCH_ACCOUNT_LIMITS];
  // The latest snapshot of the current state. All peers that need a snapshot within a second share it.
  transfer_t kept;
  uint8_t kept_head[MATCH_HEAD_BYTES];
  size_t kept_head_bytes;
  uint64_t kept_next; // number of the first record after the snapshot
  int64_t kept_us;    // time at which the snapshot was written
  // Peer
  uint8_t token[MATCH_TOKEN_BYTES];
  bool has_token, has_state, has_dropped, is_playing, is_repairing;
  bool is_starting; // peer: the world has started with settings of this machine; the host's state follows
  record_t snapshot_record;
  bool snapshot_is_paused;
  uint8_t snapshot_digests[PLAYER_MAX][MATCH_TOKEN_BYTES];
  uint64_t received, newest; // numbers of the first missing record, and of the host's latest record
  desync_state_t desync;     // desync that is being repaired; valid while `is_repairing`
  uint64_t predicted;        // tick of the world's current state
  uint64_t blocked_tick;     // tick that cannot be predicted; 0: no such tick
  uint64_t frontier;         // latest tick for which this machine has created an input
  prediction_t predictions[MATCH_SLOTS];
  own_input_t own;
  match_clock_t clock;
  uint32_t delay;
  uint64_t delay_checked; // tick of the most recent check of the delay
  int64_t lead;           // smoothed lead of the inputs over the confirmed tick, in 1/16 ticks
};

// Returns true if no player has a number above the match's maximum. The record logs require this.
static inline bool match_allows_players(const match_o *m, player_mask_t players) {
  return (players & ~player_mask_first(m->desc.max_players)) == 0;
}

void match_add_event(match_o *m, match_event_t event);
// Adds an event NAMED with the line of a finding or, without a finding, with the hashes of the event. Returns true on
// success, or false if the finding is malformed.
bool match_add_named(match_o *m, match_event_t event, const uint8_t *finding, size_t size);
// Makes `record` the last confirmed record: stores its inputs, and adds events for players who join or leave.
void match_note_record(match_o *m, const record_t *record);
// Returns the number of unconfirmed records at which a peer is late. The late peer stops reading the stream and, 128
// records later, continues from the host's current state.
static inline uint64_t match_get_late_records(const match_o *m) {
  return m->desc.log_records / 16;
}

// Folds a hash to 21 bits, which take 3 bytes in a record. Never returns 0.
static inline uint64_t match_fold_hash(uint64_t hash) {
  uint64_t folded = (hash ^ hash >> 21 ^ hash >> 42) & 0x1fffff;
  return folded ? folded : 1;
}
// Returns the index of player `n` (from 0) of this machine, or PLAYER_MAX if the machine has fewer players.
uint32_t match_find_local_player(const match_o *m, uint32_t n);
connection_t *match_find_connection(match_o *m, uint32_t peer);
void match_open_connection(match_o *m, connection_t *c, int64_t now_us);
void match_close_connection(match_o *m, connection_t *c);
// Begins to send a copy of `bytes` or, if `bytes` is NULL, to receive `size` bytes. Replaces the previous transfer.
void match_begin_transfer(match_o *m, transfer_t *t, const uint8_t *bytes, size_t size);
// Begins to send the bytes of the transfer `source`, without copying them.
void match_share_transfer(match_o *m, transfer_t *t, const transfer_t *source);
void match_free_transfer(match_o *m, transfer_t *t);
// Puts the next parts into the stream, as many as fit, as messages of this type. Frees the transfer after the last
// part.
void match_push_transfer(match_o *m, connection_t *c, transfer_t *t, uint8_t type);
// Stores the next part of an incoming transfer. Returns true on success, or false if no transfer is in progress or the
// part exceeds the transfer's size.
bool match_read_part(transfer_t *t, const uint8_t *bytes, size_t size);
static inline bool match_is_transferred(const transfer_t *t) {
  return t->bytes && t->at == t->size;
}
// Puts a message into the stream. Returns true on success, or false if it does not fit.
bool match_push(connection_t *c, uint8_t type, const void *bytes, size_t size);

#endif
