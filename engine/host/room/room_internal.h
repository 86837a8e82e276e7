// State of a room process. Private to engine/host/room.
#ifndef SHOAL_ROOM_ROOM_INTERNAL_H
#define SHOAL_ROOM_ROOM_INTERNAL_H

#include "host/host_internal.h"
#include "host/match_reload.h"
#include "link/link_udp.h"
#include "link/rate_limit.h"
#include "match/match_game.h"
#include "match/match_link.h"
#include "owned/owned.h"
#include "process/child.h"
#include "room/room.h"
#include "room/room_arrivals.h"
#include "room/room_trial.h"
#include "served/accounts.h"
#include "served/code_rows.h"
#include "served/commands.h"
#include "served/room_writer.h"
#include "store/item_rows.h"

#define ROOM_HASHES 2048u      // number of recent ticks whose hashes are kept; a power of two
#define ROOM_MAX_TICKS 256u    // maximum number of ticks measured per beat
#define ROOM_MAX_LATE_US 20000 // a tick that starts later than this after its due time counts as late

// An operator's command that the room has received.
typedef struct room_command_t {
  command_offer_t offer;
  bool is_taken; // the database has confirmed that this process executes the command
  // If not NULL, the command has succeeded, and this text is stored with the first later record after which neither
  // `has_result` nor `leaving` is set.
  const char *result;
  uint64_t first;        // number of the first record that may contain effects of the command
  bool has_result;       // a later record will contain the command's event or name
  player_mask_t leaving; // players whom the command has removed, and who leave with later records
} room_command_t;

#define ROOM_MAX_COMMANDS 16u // maximum number of unfinished commands; additional commands wait in the database

// An account whose chat lines are dropped.
typedef struct room_mute_t {
  int64_t account, until_us;
} room_mute_t;

#define ROOM_MAX_MUTES 64u // maximum number of mutes in a room; an additional mute replaces the oldest mute

typedef struct room_commands_t {
  room_command_t items[ROOM_MAX_COMMANDS]; // commands in the order of their numbers
  uint32_t count;
  int64_t last; // number of the newest command that the room has received
  room_mute_t mutes[ROOM_MAX_MUTES];
  uint32_t mute_count;
  uint8_t done[sizeof(command_done_t) + 64]; // payload of the latest change from room_commands_list_changes
} room_commands_t;

// Measurements of ticks: since the last beat, unless stated otherwise. A tick's delay is the time from its due time, or
// in an idle room from the planned time of its frame, to its start.
typedef struct room_ticks_t {
  uint32_t durations_us[ROOM_MAX_TICKS];
  uint32_t cpu_durations_us[ROOM_MAX_TICKS]; // CPU times of these ticks, sorted separately; for busy machines
  uint32_t count;
  uint32_t late; // number of late ticks since the start of the process
  int64_t max_delay_us;
  int64_t frame_us;   // planned time of the current frame; later than the due time of its first tick in an idle room
  int64_t average_us; // CPU time of a tick, averaged over the latest ticks of the process
  int64_t start_us;   // start of the running tick
  int64_t cpu_start_ns;
} room_ticks_t;

// A visit that has ended, until its LEAVE item and its rows are stored together.
typedef struct room_departure_t {
  account_leave_t leave;
  player_mask_t players;
  char name[PLAYER_NAME_BYTES]; // name of the first player
  json_t *rows;                 // entities that the players own (store/item_rows.h); owned
  account_item_t *items;        // remaining items of the room, with their owners: `leave.item_count` elements; owned
} room_departure_t;

#define ROOM_MAX_DEPARTURES (8u * PLAYER_MAX)

// Payload of a ROOM_CHANGE_LEAVE.
typedef struct room_stored_t {
  uint8_t *bytes; // encoded departure; NULL if unused
  size_t size;
} room_stored_t;

// A visit that continues in a different room once its departure is stored.
typedef struct room_move_t {
  match_visit_t visit;
  char place[ROOM_NAME_BYTES];
  uint32_t peer; // the seal's number of the machine to notify; 0: no machine
} room_move_t;

// A move of a recovered tick, whose departure may not have been committed before the crash.
typedef struct room_lost_move_t {
  uint64_t tick; // tick in which the move was requested; 0: no move
  match_visit_t visit;
  char place[ROOM_NAME_BYTES];
} room_lost_move_t;

#define ROOM_LOST_MOVE_TICKS 8u // a departure is committed at most this many ticks after the request to move

// Live code of the room (served/code_rows.h).
typedef struct room_code_t {
  match_reload_o *reload;
  match_code_t callbacks;         // callbacks for the match
  uint64_t number;                // running code; 0: the release
  uint64_t proposed;              // code that the match tries; 0: no code
  uint64_t refused;               // newest code that the room has refused; 0: no code
  char reason[ROOM_REASON_BYTES]; // reason for the refusal
  bool needs_snapshot;            // true until a snapshot with `number` is committed
  bool reverses_renames;          // argument of game_switch_start_code
  // True if the code may reverse a rename of the code before it: the latest RELOAD of this process has reversed one, or
  // the process has started with the code, recovered it, or refused the code before it.
  bool may_reverse;
  store_result_t failure; // result of the last load or trial of code; STORE_DONE if the code itself was refused
} room_code_t;

#define ROOM_MAX_FAILURES 64u

// A trial of a reload (room_trial.c).
typedef struct room_trial_t {
  bool is_changed;                      // true once the room runs the changed code
  char failures[ROOM_MAX_FAILURES][96]; // pieces of code that have failed
  uint32_t failure_count;
} room_trial_t;

typedef struct room_chronicle_t room_chronicle_t; // type defined in room_chronicle.c

typedef struct room_o {
  host_o *host;
  const options_t *options;
  const char *name;
  char first_name[ROOM_NAME_BYTES]; // name of the first declared room, if a child process uses it
  int64_t tick_us;
  uint32_t max_players;
  char world_path[PATH_MAX_BYTES + 80]; // base path of the world's files (game/world_files.h)
  char scene[128];                      // first scene of a new room; "": the game's first scene
  bool sleeps;                          // the room ends after a time without players
  bool is_ending;                       // true once the room must end, with the exit status `status`
  int status;
  match_identity_t identity;
  file_hashes_o *files; // hashes of the game's files
  char engine[ROOM_ENGINE_BYTES];
  uint64_t base; // hash of the game's files and plugins
  // Database
  world_store_o *store; // connection to the database; NULL while the writer owns it
  room_claim_t claim;
  int lock_file;               // descriptor of the file with the locks of the room and its proofs
  room_writer_o *writer;       // writer of the database; NULL until the room is loaded
  bool begins_anew;            // true if the first snapshot replaces all rows, as after a start from a save
  uint64_t next;               // number of the next record to pass to the writer
  int64_t held_us;             // time since which a RELOAD waits for the previous snapshot; 0: no RELOAD waits
  bool has_reported_size;      // true once the log says that the state is too large
  bool is_paused;              // true if the room has paused the match because a record waits too long for its commit
  room_chronicle_t *chronicle; // kept events and questions; NULL until the room is loaded
  // Match
  match_game_o *game;
  match_o *match;
  match_link_o *link;
  link_udp_o *udp;
  match_guard_t guard;
  uint64_t tick, hash; // last tick, and the hash of the state after it
  struct {
    uint64_t tick, hash;
  } hashes[ROOM_HASHES];                // recent ticks; index: the tick modulo ROOM_HASHES
  uint64_t printed_tick;                // last committed tick that room_beat_print_hashes has checked
  rate_limit_t event_lines[PLAYER_MAX]; // limits of the log lines about each player's joins and departures
  uint32_t omitted_lines;               // number of lines omitted since the latest report about them
  int64_t omitted_us;                   // time of the latest report about omitted lines
  // Accounts
  room_arrivals_t arrivals;
  int64_t outdated;                                 // account in the latest log line about rows with a different code
  int64_t checked_us;                               // time at which the spectators' accounts were last checked
  room_departure_t departures[ROOM_MAX_DEPARTURES]; // players whose LEAVE items are not stored yet
  uint32_t departure_count;
  struct {
    match_visit_t visit;
    int64_t code;                   // code of the room when the visit's players brought their rows (code_rows_get_key)
  } imports[MATCH_MAX_CONNECTIONS]; // visits since the start of this process
  room_stored_t stored[PLAYER_MAX]; // payloads of the latest changes from room_accounts_list_changes
  allocator_t memory;               // memory of `stored`
  room_move_t moves[MATCH_MAX_CONNECTIONS]; // players who move to a different room
  uint32_t move_count;
  room_lost_move_t lost_moves[PLAYER_MAX]; // moves to repeat when the players' machines reconnect; index: the player
  // Since the last snapshot
  int64_t snapshot_us;
  int64_t snapshot_cpu_ns; // CPU time of ticks
  uint64_t snapshot_bytes; // value of the writer's `bytes` at the last snapshot
  uint64_t snapshot_next;  // number of the first record after the snapshot
  // Ticks recovered since the last snapshot. They count towards the next snapshot: without them, each recovery of a
  // room that crashes often would take longer than the previous recovery.
  uint64_t recovered_ticks;
  size_t recovered_bytes; // size of the recovered records
  // Proofs of snapshots
  uint64_t proof_number;  // number of the newest snapshot that needs no further proof
  int64_t proof_retry_us; // earliest time for the next attempt to begin a proof
  child_t proof_child;    // process of the running proof; valid while `is_proving`
  bool is_proving;
  room_code_t code;
  room_trial_t trial;
  uint64_t differences;                         // number of recovered ticks whose hash differs from their record
  bool stops_at_reload;                         // true if a recovery must end before the first record RELOAD
  bool has_stopped;                             // true once a recovery has ended before a record RELOAD
  uint64_t proof_tick;                          // child: tick of the snapshot to prove
  uint8_t proof_hashes[MATCH_MAX_HASHES_BYTES]; // child: hashes of the components after that tick
  size_t proof_hashes_size;
  room_commands_t commands;
  // Players and beats
  int64_t empty_us; // time at which the last player left; 0: the room has players
  int64_t beat_us;  // time of the last beat
  room_ticks_t ticks;
} room_o;

// --- room_load.c: the start of the room

// Creates the match: recovers it from the database, or begins a new one. Returns true on success. Returns false after
// room_fail, or if an exit request arrived.
bool room_load(room_o *r);

// Begins the match of a new room, in the room's scene, with the world's current code. Returns true on success, or false
// after room_fail.
bool room_begin_match(room_o *r);
// Decompresses the state of a snapshot. Returns the state, allocated with `memory`, or NULL if it is malformed.
uint8_t *room_read_state(const room_snapshot_t *s, allocator_t *memory, size_t *size);
// Recovers the match from an image, as a peer, until the block of the tick `end`. Returns true on success, or false
// with a message.
bool room_recover_until(room_o *r, const room_image_t *image, uint64_t end, error_info_t *error);

// --- room_code.c: live code

// Creates the state of live code. Call after the game is loaded, and before the match is created.
void room_code_begin(room_o *r);
void room_code_end(room_o *r);
// Starts the game again with the code of a row. Number 0 means the release. Returns true on success, or false with a
// message.
bool room_code_start(room_o *r, const code_row_t *row, error_info_t *error);
// Starts the game again with the code `number`, unless it runs already, before a match is created or recovered. Returns
// true on success, or false with a message if the code is not in the database or cannot start.
bool room_code_load(room_o *r, uint64_t number, error_info_t *error);
// Ends the room after a load or a recovery has failed. The room starts again unless its code or rows are damaged.
// Returns false.
bool room_code_fail(room_o *r, const error_info_t *error);
// Like room_code_load, with the world's current code.
bool room_code_load_current(room_o *r, error_info_t *error);
// Like room_code_load, but keeps the release if this code belongs to a different release.
bool room_code_load_known(room_o *r, uint64_t number, error_info_t *error);
// Applies all codes after the running code, in order, with a record RELOAD for each. A code that the room refuses is
// skipped. Call before the first tick of the host. Returns true on success, or false after room_fail.
bool room_code_catch_up(room_o *r);
// Recovery: if the block begins with a record RELOAD, prepares the match for it. Returns true on success, or without a
// RELOAD. Returns false with a message if the database lacks the code or cannot be read.
bool room_code_prepare(room_o *r, const room_block_t *block, error_info_t *error);
// Returns true if the block begins with a record RELOAD. Only the first record of a block can be a RELOAD.
bool room_code_is_reload(const room_block_t *block);
// Tries changes to the release in a child process, and waits for the result. Returns true with the hash of the code, or
// false with a message. If this machine was too slow, `code.failure` is STORE_FAILED. Afterwards call replace or
// end_trial of `code.callbacks`.
bool room_code_try(room_o *r, const uint8_t *bundle, size_t size, uint64_t *hash, error_info_t *error);
// Passes the running code, and the code that room_code_catch_up has refused, if any, to the writer. Call once the
// writer exists.
void room_code_watch(room_o *r);
// Proposes new code of the world to all machines of the match. `bytes`: an answer ROOM_ANSWER_CODE.
void room_code_take(room_o *r, const void *bytes, size_t size);
// Makes the proposed code the running code. Call for each record RELOAD before it is added to the writer.
void room_code_note_reload(room_o *r);
// Notes that this machine was too slow to try the proposed code. The next answer ROOM_ANSWER_CODE proposes it again.
void room_code_note_late(room_o *r);
// Stores the reason for which the match has refused the proposed code.
void room_code_note_refusal(room_o *r, const char *reason);

// --- room_trial.c: trials of a reload, in separate processes

// Tries the code of --try in a copy of the room, and writes the result to the pipe. Writes nothing to the database.
// Returns the exit status.
int room_try(room_o *r);
void room_trial_note_failure(room_o *r, const script_report_t *report);

// --- room_items.c: checks of edited items, in separate processes

// Checks the items of --check-items, and replaces the file with the result. Returns the exit status.
int room_check_items(room_o *r);

// --- room_report.c: lines of trials

// Writes a line of a trial to the pipe.
__attribute__((format(printf, 2, 3))) void room_trial_report(room_trial_kind_t kind, const char *format, ...);
// Returns true if this process has loaded the release that the world serves, or false with a message.
bool room_trial_check_release(const room_o *r, error_info_t *error);

// --- room_rows.c: rows of players who are in no room, with changed code

// Loads all rows of `owned` with changed code, and reports dropped and changed values to the pipe of a trial.
void room_rows_try(room_o *r, const uint8_t *bundle, size_t size);
// Rewrites the rows of players in no room with the world's current code, in small transactions. Returns the exit
// status.
int room_rows_rewrite(room_o *r);

// --- room_lock.c: one process per room

// Locks the room until this process ends. Call after the room was claimed in the database: a former process of the room
// on this machine is killed if it does not end. Returns true on success, or false after room_fail.
bool room_lock(room_o *r);

// --- room_owned.c: entities that players own

// Exports the entities of the players who leave with the next record. `out` receives the rows of each of these players,
// which the caller releases with json_decref, or NULL if the player leaves without rows.
void room_owned_export(room_o *r, player_mask_t players, json_t *out[PLAYER_MAX]);
// Sets the packed rows that the players of a visit bring into the room.
void room_owned_arrive(room_o *r, const match_visit_t *visit, const uint8_t *rows, size_t size);
// Encodes a departure into `out`, allocated with r->memory.
void room_owned_write_departure(room_o *r, const room_departure_t *d, room_stored_t *out);
// Stores in `d` the items that the departing players do not own, because these players may have given them away or put
// them down. `items`: all items of the room (owned_list_items).
void room_owned_list_items(room_o *r, const owned_items_t *items, room_departure_t *d);
void room_owned_free_departure(room_o *r, room_departure_t *d);
void room_owned_free(room_o *r); // frees the departures

// --- room_journal.c: records, snapshots and saves for the database

// Passes new records to the writer, adds a snapshot if one is due, and pauses or resumes the match.
void room_update_journal(room_o *r, int64_t now_us);
// Begins to store the match, with a snapshot unless the database has one.
void room_begin_journal(room_o *r);
// Commits the last records, a snapshot and a save. The room then sleeps.
void room_sleep(room_o *r);

// --- room_accounts.c: accounts of the players

// After a recovery: releases the accounts of the room that have no player in the match, and removes the players whose
// visit has ended elsewhere. Returns true on success, or false after room_fail.
bool room_accounts_begin(room_o *r);
// Claims the accounts of machines that wait, checks the spectators' accounts, and releases the accounts of machines
// that have left before their players joined.
void room_accounts_update(room_o *r, int64_t now_us);
// Closes the connections of machines whose players are about to join with rows, because the rows were granted for the
// former code. The machines then ask again. Call for each RELOAD record, and again while it waits for a snapshot.
void room_accounts_note_reload(room_o *r, int64_t now_us);
// Handles an answer of the kinds CLAIM, LEAVE and WANTED.
void room_accounts_take_answer(room_o *r, int64_t now_us, const room_answer_t *answer);
// Keeps the moves that the scripts have requested in a recovered tick.
void room_accounts_note_recovered_tick(room_o *r, uint64_t tick);
// Drops the kept moves that were completed before the crash. Call at the end of the recovery.
void room_accounts_end_recovery(room_o *r);
// Repeats the kept move of a player whose machine is back. Does nothing if no move of the player's visit is kept.
void room_accounts_repeat_move(room_o *r, int64_t now_us, uint32_t player);
// Implements match_desc_t.leaves: notes the departures, which are stored with the LEAVE items.
void room_accounts_note_leaving(void *context, player_mask_t players);
// Writes the changes that belong to a record to `out`, valid until the next call. Call once per record. Returns their
// number.
uint32_t room_accounts_list_changes(room_o *r, const record_t *record, room_change_t out[PLAYER_MAX]);
// Removes the players of an account from the room, and closes the connection with the reason. `leaving` receives the
// players who leave with later records. Returns true on success, or false if the account has no player in the room.
bool room_accounts_remove(room_o *r, int64_t now_us, int64_t account, match_close_t reason, player_mask_t *leaving);
// Makes a player (index in player_inputs_t) and all players of the same machine leave for a different room.
void room_accounts_move(room_o *r, int64_t now_us, uint32_t player, const char *room);
// Returns true while players join or move to a different room. The room must not sleep then.
bool room_accounts_are_busy(const room_o *r);
// Releases the accounts of machines whose players have not joined. Call when the room ends, once all claims are
// committed, and before the last commit.
void room_accounts_release_claims(room_o *r);
// Makes all players leave, so that their rows are complete when the room ends.
void room_accounts_end(room_o *r);

// --- room_chronicle.c: events that the game keeps, and questions about them

// Creates the state of the chronicle. Call once the writer exists.
void room_chronicle_begin(room_o *r);
void room_chronicle_end(room_o *r);
// Reads the kept events of a tick that has just run. Does nothing during the recovery.
void room_chronicle_note_tick(room_o *r, uint64_t tick);
// Returns true if the record's tick has rows. The change must be added to the writer with the record. `out` is valid
// until room_chronicle_forget_rows.
bool room_chronicle_get_change(const room_o *r, const record_t *record, room_change_t *out);
// Drops the rows of the record's tick. Call once the record has been added to the writer.
void room_chronicle_forget_rows(room_o *r, const record_t *record);
// Executes the questions whose records are committed, and adds the answers to records. Call after adding the records.
void room_chronicle_update(room_o *r, int64_t now_us, uint64_t acked_number);

// --- room_proof.c: proofs of snapshots

// Determines the newest snapshot that needs no proof. Call when the room's first snapshot is known, before the first
// update.
void room_proof_begin(room_o *r);
// Starts a proof of a newly committed snapshot unless a different room of the world proves one. Stores the result of a
// running proof.
void room_proof_update(room_o *r, int64_t now_us);
// Ends a running proof without a result.
void room_proof_end(room_o *r);
// In the process of a proof: proves the snapshot of --prove and writes the result to the pipe. Returns the exit status.
int room_prove(room_o *r);
// Stores the hashes of the components if a proof compares this tick. Call after each recovered tick.
void room_proof_note_tick(room_o *r, uint64_t tick);

// --- room_commands.c: commands of operators

// Handles an answer of the kind COMMAND or COMMAND_TAKEN.
void room_commands_take_answer(room_o *r, int64_t now_us, const room_answer_t *answer);
// Mutes the player of an account that joins, if the account is muted.
void room_commands_note_claim(room_o *r, int64_t now_us, const account_answer_t *answer);
// Applies the mutes to the present players.
void room_commands_update(room_o *r, int64_t now_us);
// Writes the result of a command whose effects are in this record and earlier records to `out`, valid until the next
// call. Call once per record. Returns the number of changes, 0 or 1.
uint32_t room_commands_list_changes(room_o *r, const record_t *record, room_change_t *out);
// Stores the results of completed commands. Stores the remaining commands that the room has taken as not executed. Call
// before the last commit, and once all records are committed.
void room_commands_end(room_o *r);

// --- room_beat.c: lines for the supervisor, and the end of the room

// Returns the monotonic time in microseconds, which the room passes to the match.
int64_t room_now_us(void);
// Ends the room with an exit status. Logs the message and, for ROOM_EXIT_DAMAGED, reports it to the supervisor. The
// first call determines the status. Returns false.
bool room_fail(room_o *r, int status, const char *message);
// Like room_fail, for a result that is not STORE_DONE.
bool room_fail_with(room_o *r, store_result_t result, const error_info_t *error);
// Makes the descriptor of --fd non-blocking. Returns true on success or without --fd, or false after room_fail if the
// descriptor is not open.
bool room_beat_open(room_o *r);
// Writes a beat if a second has passed. Ends the room if the supervisor has ended.
void room_beat_update(room_o *r, int64_t now_us);
// Reports the number of players after a player with this account has joined, or after a player has left (0).
void room_beat_note_players(room_o *r, int64_t now_us, int64_t account);
void room_beat_write_line(const room_o *r, const char *line);
// With --committed-hash K: prints "ROOM tick N hash H" for each multiple of K up to the committed tick `end` that was
// not printed yet.
void room_beat_print_hashes(room_o *r, uint64_t end);
// Implements match_game_desc_t.measure.
void room_beat_measure_tick(void *context, bool begins);
// Measures the delay of a tick that is due. Call this directly before a tick may run.
void room_beat_measure_delay(room_o *r);

#endif
