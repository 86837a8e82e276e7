// Attacks of a hostile bot, which acts like a modified client that exceeds all message limits. A bot runs the attacks
// in the order of the table in hostile_bot.c, each for 60 frames, or for three sessions if the attack ends sessions.
#ifndef SHOAL_SERVE_HOSTILE_BOT_H
#define SHOAL_SERVE_HOSTILE_BOT_H

#include "base/random.h"
#include "match/match_link.h"
#include "match/world_finder.h"

#define HOSTILE_MAX_QUESTIONS 8u

// Empty when zero-initialized.
typedef struct hostile_bot_t {
  random_t random;
  uint32_t attack;                                  // number of attacks so far
  uint32_t frames, sessions;                        // numbers of frames and additional sessions in the current attack
  uint32_t peer;                                    // number of the session in the bot's seal; 0: not connected
  world_finder_o *questions[HOSTILE_MAX_QUESTIONS]; // pending questions to the world
} hostile_bot_t;

// The bot's connection; all pointers are borrowed.
typedef struct hostile_target_t {
  match_o *match;
  match_link_o *link;
  const match_identity_t *identity;
  const world_finder_desc_t *question; // the bot's question to the world
  link_address_t room;
  uint32_t number;       // the bot's number, which determines its first attack
  uint32_t action_count; // number of the game's actions
  int64_t now_us;
} hostile_target_t;

// Runs a frame of the current attack. Call it only while the bot is connected. Returns true if the bot must leave its
// room and immediately join again, or false if it stays.
bool hostile_bot_update(hostile_bot_t *b, const hostile_target_t *target);
// Ends the pending questions.
void hostile_bot_fini(hostile_bot_t *b);

#endif
