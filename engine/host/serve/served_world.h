// A running world: the processes of its rooms, the port at which players ask for rooms, and the ownership of the
// database.
#ifndef SHOAL_SERVE_SERVED_WORLD_H
#define SHOAL_SERVE_SERVED_WORLD_H

#include "serve/kept_events.h"
#include "served/owned_views.h"
#include "serve/room_choice.h"
#include "serve/world_bots.h"
#include "served/world_store.h"

#define SERVED_MAX_OPTIONS 48u // maximum number of options that are passed on to rooms

typedef struct served_world_desc_t {
  const char *program;           // path of this program
  const char *folder;            // absolute path of the game's folder
  uint64_t base;                 // hash of the game's code and data files
  const char *database;          // path of the database file, or address of its server
  const char *files;             // base path of the world's other files (game/world_files.h)
  const vm_game_t *config;       // settings of the game, with its rooms; must outlive the world
  world_store_o *store;          // connection to the database; borrowed
  world_store_desc_t opening;    // description with which `store` was opened, for additional connections
  const chronicle_view_t *views; // views of kept events
  uint32_t view_count;
  const owned_columns_list_t *owned_columns; // columns of the item views
  const uint8_t *secret_seed;                // secret of the world (SEAL_KEY_BYTES); copied
  uint16_t port;                             // port of the world; room i uses port + 1 + i
  bool take_over;                            // true if the world is taken over from its current owner
  // Rooms that drop their first malformed or missing row, and all later rows, at their next start
  const char *const *accept_loss;
  uint32_t accept_loss_count;
  const world_bots_desc_t *bots;           // bots that join the world; NULL: no bots
  const char *options[SERVED_MAX_OPTIONS]; // additional options of the rooms; the list ends with NULL
  log_o *log;                              // log of the world; borrowed
} served_world_desc_t;

// Runs the world until the process is asked to exit or loses the world. Then ends all rooms, which commit their state.
// Returns the exit status of serve_command_run.
int served_world_run(const served_world_desc_t *desc);

#endif
