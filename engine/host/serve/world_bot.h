// A bot: a connection to a served world that presses random actions, for load tests. A bot asks the world for its room,
// joins the room, follows doors, and joins again after a crash, as a player's machine does (host/match_world.c). The
// bot's world repeats the hashes of the room (serve/echo_world.h) instead of simulating the game.
#ifndef SHOAL_SERVE_WORLD_BOT_H
#define SHOAL_SERVE_WORLD_BOT_H

#include "link/link_sim.h"
#include "link/link_udp.h"
#include "link/seal.h"
#include "match/match_identity.h"

typedef struct world_bot_o world_bot_o;
typedef struct log_o log_o;

typedef struct world_bot_desc_t {
  uint32_t number;                      // number of the bot, from 1: determines its presses, name and account
  link_address_t world;                 // address of the world
  const char *address;                  // own address, as in link_udp_desc_t; borrowed
  const char *room;                     // name of its room; borrowed
  const match_identity_t *identity;     // identity of the game; borrowed
  int64_t tick_us;                      // duration of a tick
  uint32_t max_players;                 // maximum number of players in any room of the world
  uint32_t action_count;                // number of the game's actions
  uint32_t stick_actions;               // number of axes of sticks: the first actions, which change in each tick
  bool watches;                         // true if the bot has no player, and only watches
  bool is_hostile;                      // true if the bot attacks its room (serve/hostile_bot.h) instead of playing
  const link_sim_conditions_t *network; // simulated network between the bot and the world; borrowed; may be NULL
  int64_t begin_us;                     // time at which the bot begins to join
  log_o *log;                           // log of the bot; borrowed
} world_bot_desc_t;

// Returns the new bot, or NULL with a message if the system provides no socket or no random numbers.
world_bot_o *world_bot_create(const world_bot_desc_t *desc, int64_t now_us, error_info_t *error);
void world_bot_destroy(world_bot_o *b); // accepts NULL
// Runs a frame of the bot. Call this at least once per tick. `has_datagrams`: a socket of link_udp_list_sockets is
// readable.
void world_bot_update(world_bot_o *b, int64_t now_us, bool has_datagrams);
// Returns the bot's sockets, for link_udp_list_sockets.
const link_udp_o *world_bot_get_udp(const world_bot_o *b);
// Stores the datagram counts of the current session and returns true. Returns false if the bot is not connected to its
// room.
bool world_bot_get_counts(const world_bot_o *b, seal_session_counts_t *out);
// Returns true while the bot is a player of its room or, if it only watches, has the state of the room.
bool world_bot_is_playing(const world_bot_o *b);
// Returns the time since the room's last datagram in microseconds, or 0 if the bot is not connected.
int64_t world_bot_get_silence_us(const world_bot_o *b, int64_t now_us);

#endif
