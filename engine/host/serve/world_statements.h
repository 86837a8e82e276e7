// A thread that executes the statements of the supervisor's loop. The loop never waits for the database longer than it
// chooses to, so it answers players and restarts rooms while the database does not answer.
//
// The main thread calls all functions.
#ifndef SHOAL_SERVE_WORLD_STATEMENTS_H
#define SHOAL_SERVE_WORLD_STATEMENTS_H

#include "base/log.h"
#include "served/world_store.h"

typedef struct world_statements_o world_statements_o;
typedef struct world_statement_t world_statement_t;

// A statement, or several statements in sequence: the first member of a struct with their parameters and results. The
// struct belongs to the thread while `is_busy` is true. Zero-initialize all other members.
struct world_statement_t {
  void (*execute)(world_statement_t *s, world_store_o *store); // called on the thread
  // Called on the main thread once `execute` has returned, and `is_busy` is false again; may be NULL.
  void (*finish)(world_statement_t *s);
  bool is_busy;
  world_statement_t *next;
  log_deferred_t lines; // lines that `execute` has logged; written before `finish`
};

// Starts the thread, which alone uses the connection `store` until world_statements_destroy. Returns NULL with a
// message if the thread cannot start.
world_statements_o *world_statements_create(world_store_o *store, log_o *log, error_info_t *error);
// Ends the thread after its current statement. Waiting statements are not executed, and no `finish` is called. Accepts
// NULL.
void world_statements_destroy(world_statements_o *o);

// Executes a statement, which is not busy, after all earlier statements.
void world_statements_add(world_statements_o *o, world_statement_t *s);
// Finishes all statements that have been executed.
void world_statements_update(world_statements_o *o);
// Waits until the statement has been executed, at most until the time `end_ns` (base/now.h). Then finishes all
// statements that have been executed.
void world_statements_wait(world_statements_o *o, const world_statement_t *s, int64_t end_ns);

#endif
