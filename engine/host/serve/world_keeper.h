// The thread that keeps the ownership of a world: it reports to the database that the supervisor is active, and stores
// the reasons why rooms cannot start. The supervisor never waits for the database, so it answers players while a
// different program holds the database.
//
// The main thread calls all functions.
#ifndef SHOAL_SERVE_WORLD_KEEPER_H
#define SHOAL_SERVE_WORLD_KEEPER_H

#include "served/world_store.h"

typedef struct world_keeper_o world_keeper_o;

typedef struct world_keeper_status_t {
  bool is_lost;       // true if a different process owns the world; the thread then stores nothing
  bool is_failing;    // true if the latest beat has failed
  error_info_t error; // reason for `is_lost` or `is_failing`
} world_keeper_status_t;

// Starts the thread for the owner with this number, with a separate connection to the database. Returns the keeper, or
// NULL with a message if the database cannot be opened, or the thread cannot start.
world_keeper_o *world_keeper_create(const world_store_desc_t *desc, int64_t owner, error_info_t *error);
// Ends the thread after its current transaction, and stores the remaining reasons unless the world is lost. Accepts
// NULL.
void world_keeper_destroy(world_keeper_o *k);

// Stores the reason why a room cannot start, for `shoal world DB status`. Copies both strings.
void world_keeper_add_reason(world_keeper_o *k, const char *room, const char *reason);
world_keeper_status_t world_keeper_get_status(world_keeper_o *k);

#endif
