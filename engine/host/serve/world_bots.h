// The bots of a served world (world_bot.h): one process with one thread for all of them.
#ifndef SHOAL_SERVE_WORLD_BOTS_H
#define SHOAL_SERVE_WORLD_BOTS_H

#include "base/log.h"
#include "game/served_rooms.h"
#include "link/link_sim.h"
#include "match/match_identity.h"
#include "process/child.h"

#define WORLD_MAX_BOTS 512u // maximum number of bots; each bot has two sockets

typedef struct world_bots_desc_t {
  uint32_t count;
  uint16_t port;                        // port of the world, on this machine
  const vm_game_t *config;              // settings of the game, with its rooms; borrowed
  const match_identity_t *identity;     // identity of the game; borrowed
  uint32_t action_count;                // number of the game's actions
  uint32_t stick_actions;               // number of axes of sticks, as in world_bot_desc_t
  uint32_t hostile_count;               // number of hostile bots, which follow all remaining bots
  uint32_t watcher_count;               // number of bots that only watch; the hostile bots follow them
  const link_sim_conditions_t *network; // simulated network between the bots and the world; borrowed; may be NULL
  log_level_t log_level;                // LOG_DEBUG: the bots also log their traffic
} world_bots_desc_t;

// Returns the maximum number of players in all rooms that players may join directly.
uint32_t world_bots_count_places(const vm_game_t *config);
// Stores the room of the bot with this index, which must be less than world_bots_count_places. Bots are distributed
// evenly over the rooms.
void world_bots_find_room(const vm_game_t *config, uint32_t bot, served_room_t *out);
// Starts the process, which ends with this process. Returns true on success, or false with a message.
bool world_bots_start(const world_bots_desc_t *desc, child_service_t *out, error_info_t *error);

#endif
