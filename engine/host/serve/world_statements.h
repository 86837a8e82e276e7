// A thread that executes the SQL statements of the supervisor's loop. The running loop waits for the database only in
// world_statements_wait, which has a time limit, so it answers players and restarts rooms while the database is silent.
//
// All functions must be called on the main thread.
#ifndef SHOAL_SERVE_WORLD_STATEMENTS_H
#define SHOAL_SERVE_WORLD_STATEMENTS_H

#include "base/log.h"
#include "served/world_store.h"

typedef struct world_statements_o world_statements_o;
typedef struct world_statement_t world_statement_t;

// One or several SQL statements: the first member of a struct that contains their parameters and results. While
// `is_busy` is true, only the thread may access the struct. Zero-initialize all members except `execute` and `finish`.
struct world_statement_t {
  void (*execute)(world_statement_t *s, world_store_o *store); // executes the statements on the thread
  // Called on the main thread after `execute` has returned; `is_busy` is then false. May be NULL.
  void (*finish)(world_statement_t *s);
  bool is_busy;
  world_statement_t *next;
  log_deferred_t lines; // lines that `execute` has logged; written before `finish`
};

// Starts the thread. Until world_statements_destroy, only this thread may use the connection `store`. Returns the
// object, or NULL with a message if the thread cannot start.
world_statements_o *world_statements_create(world_store_o *store, log_o *log, error_info_t *error);
// Waits for the current statement and ends the thread. Does not execute the waiting statements, and calls no `finish`.
// Accepts NULL.
void world_statements_destroy(world_statements_o *o);

// Queues a statement, which must not be busy (asserted). The thread executes it after all earlier statements.
void world_statements_add(world_statements_o *o, world_statement_t *s);
// Finishes all executed statements: writes their log lines and calls `finish`.
void world_statements_update(world_statements_o *o);
// Waits until the statement has been executed, at most until the time `end_ns` (now_ns). Then calls
// world_statements_update.
void world_statements_wait(world_statements_o *o, const world_statement_t *s, int64_t end_ns);

#endif
