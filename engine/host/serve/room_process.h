// The process of a room: started when it is needed, restarted after a crash, killed when it hangs.
//
// The process reports to the supervisor with lines on the descriptor CHILD_SERVICE_PIPE:
//   beat TICK PLAYERS TICK_P50_US TICK_P99_US LATE COMMIT_MS WAITING_MS ACKED_TICK ACKED_HASH
//                 once per second, also while the room recovers; the hash is hexadecimal
//   players COUNT ACCOUNT
//                 number of players after a player has joined or left; ACCOUNT is the account that has joined, or 0
//   code NUMBER REFUSED
//                 live code that the room runs (0: the release), and the newest code that it has refused (0: no code)
//   open          players can join from now on
//   damaged TEXT  why the room ends with ROOM_EXIT_DAMAGED
#ifndef SHOAL_SERVE_ROOM_PROCESS_H
#define SHOAL_SERVE_ROOM_PROCESS_H

#include "platform/player_input.h"
#include "process/child.h"
#include "room/room.h"

#define ROOM_SILENT_US 10000000      // time without a line after which a process is killed, unless it is stopping
#define ROOM_FIRST_BEAT_US 60000000  // maximum time until the first line of a process: it may be loading the game
#define ROOM_STABLE_US 60000000      // time after which an open room counts as stable: earlier crashes are forgotten
#define ROOM_MAX_RESTART_US 60000000 // maximum delay of a restart
#define ROOM_STOP_US 30000000        // maximum time between SIGTERM and the end of a process
#define ROOM_END_BYTES 256u
// Time for which a machine that was sent to a room counts as a player of this room if it does not join.
#define ROOM_ARRIVAL_US 3000000

typedef struct log_o log_o;

typedef enum room_phase_t {
  ROOM_ASLEEP,   // the room has no process until a player joins
  ROOM_STARTING, // the process loads the game or recovers the room
  ROOM_OPEN,     // players can join
  ROOM_STOPPING, // the process has received SIGTERM
  ROOM_CRASHED,  // the process has crashed, and will be restarted
  ROOM_DAMAGED,  // the process has ended with ROOM_EXIT_DAMAGED, and is not restarted
  ROOM_PHASE_COUNT
} room_phase_t;

typedef struct room_beat_t {
  uint64_t tick;
  uint32_t players;
  uint32_t tick_p50_us, tick_p99_us; // durations of the ticks since the previous beat
  uint64_t late;                     // number of ticks that were late since the start of the process
  uint32_t max_delay_us;             // longest delay of a tick since the previous beat
  uint32_t commit_ms;                // duration of the latest commit
  uint32_t waiting_ms;               // time for which the oldest record waits for its commit
  uint64_t acked_tick, acked_hash;   // last committed tick and its hash
} room_beat_t;

// A player who was sent to the room, and has not joined yet.
typedef struct room_arrival_t {
  int64_t account;
  int64_t since_us;
} room_arrival_t;

typedef struct room_process_t {
  const char *name;             // name of the room; borrowed
  const char *const *arguments; // program and its arguments; the list ends with NULL. Borrowed
  bool sleeps;                  // true if the process may end by itself; otherwise, it is restarted when it ends
  room_phase_t phase;
  child_service_t service;
  room_beat_t beat; // the latest beat, with the number of players from a later line
  uint64_t code;    // live code that the process runs; 0: the release
  uint64_t refused; // newest live code that the process has refused; 0: no code
  room_arrival_t arrivals[PLAYER_MAX];
  uint32_t arrival_count;
  uint32_t starts;             // number of starts so far
  uint32_t crashes;            // number of crashes so far
  uint32_t failures;           // number of consecutive crashes
  int64_t heard_us;            // time of the latest line or, before the first line, of the start
  bool has_spoken;             // true once the process has written a line
  int64_t opened_us;           // time of the line `open`
  int64_t restart_us;          // ROOM_CRASHED: time of the restart
  int64_t stopping_us;         // ROOM_STOPPING: time of SIGTERM
  bool starts_again;           // ROOM_STOPPING: a player has requested the room since then
  char reason[ROOM_END_BYTES]; // reason for which the latest process has failed; "" if it has not failed
  char line[512];              // the incomplete last line
  size_t line_bytes;
} room_process_t;

// Reads lines, detects the end of the process, kills a silent process, and restarts a crashed room. Call it at least
// every 100 ms. `log` receives a line for each start, crash and end.
void room_process_update(room_process_t *r, int64_t now_us, log_o *log);
// Starts the room's process if the room is asleep. While the process ends, notes that the room must start again.
void room_process_need(room_process_t *r, int64_t now_us, log_o *log);
// Asks the process to end. The room is asleep once the process has ended.
void room_process_stop(room_process_t *r, int64_t now_us);
// Counts the account as a player until it has joined, for at most ROOM_ARRIVAL_US.
void room_process_expect(room_process_t *r, int64_t now_us, int64_t account);
// Returns the number of players in the latest line plus the number of expected players, without the player who has this
// account.
uint32_t room_process_count_places(const room_process_t *r, int64_t now_us, int64_t account);
// Returns true if the room has refused the code `rows`, which has written what an account owns, and runs earlier code.
bool room_process_has_refused(const room_process_t *r, uint64_t rows);
// Returns true if the room has a process.
bool room_process_is_running(const room_process_t *r);
// Returns the name of a phase, such as "asleep".
const char *room_process_name_phase(room_phase_t phase);

#endif
