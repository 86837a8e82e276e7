// A room of a served world: a match whose host has no players, and whose records go to the world's database. After a
// crash, a new process recovers the match from the database, and the players rejoin. See design/0072-served-worlds.md.
//
// The supervisor (./shoal serve) starts the process with `run GAME --headless --room NAME --db FILE --port P --owner N`
// and reads these lines from the file descriptor of --fd:
//
//   beat TICK PLAYERS TICK_P50_US TICK_P99_US LATE COMMIT_MS WAITING_MS ACKED_TICK ACKED_HASH    once per second
//   players COUNT ACCOUNT    after a player has joined (ACCOUNT: the account) or left (0)
//   code NUMBER REFUSED      after the room has changed to live code, or has refused it (0: no code)
//   open            the room accepts players
//   damaged REASON  the last line before exit status 3
#ifndef SHOAL_ROOM_ROOM_H
#define SHOAL_ROOM_ROOM_H

typedef struct host_o host_o;

// Exit statuses that host_exit_code does not return.
enum {
  ROOM_EXIT_UNAVAILABLE = 1, // the database does not answer, or a file or socket cannot be opened: start the room again
  ROOM_EXIT_DAMAGED = 3,     // the room cannot be recovered without a decision of an operator
  ROOM_EXIT_LOST = 4,        // a different process owns the room
  ROOM_EXIT_IDLE = 5         // with --rows: all rows already have the current code
};

// Runs the room that the options of `h` name until it sleeps, receives SIGTERM or fails, or performs a task (`prove`).
// `h` has loaded the game. Returns the exit status: 0 if the task succeeds or the room has stored its state. Prints:
//   recovered: ROOM tick N hash H   after a recovery
//   listening: ADDRESS:PORT         if the system has chosen the port (--port 0)
//   ROOM tick N hash H              with --committed-hash K, for every Kth tick once it is committed; a recovery prints
//                                   these lines again for the ticks since the snapshot
int room_run(host_o *h);

#endif
