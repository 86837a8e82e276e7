// Actions of a machine's user on a player of the match: the host can remove and ban players, and give away the seats of
// lost players. Each machine can hide the chat lines of a player. Main thread only.
#ifndef SHOAL_HOST_MATCH_MODERATION_H
#define SHOAL_HOST_MATCH_MODERATION_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct host_o host_o;

typedef enum match_moderation_t {
  MATCH_MODERATION_NONE,
  MATCH_MODERATION_REMOVE,    // removes the player until the match ends
  MATCH_MODERATION_BAN,       // removes the player from this match and from all later matches of this user
  MATCH_MODERATION_GIVE_AWAY, // removes a lost player before the time for rejoining is over
  MATCH_MODERATION_MUTE,      // hides the player's chat lines on this machine
  MATCH_MODERATION_UNMUTE,
  MATCH_MODERATION_LIFT_BANS, // empties the list of banned users; needs no player
  MATCH_MODERATION_COUNT
} match_moderation_t;

// Finds an action by its name: "remove", "ban", "give_away", "mute", "unmute" or "lift_bans". Returns
// MATCH_MODERATION_NONE with a message that suggests the nearest name if the name is unknown.
match_moderation_t match_moderation_find(const char *name, error_info_t *error);
// Applies an action to the player with this number, from 1. LIFT_BANS ignores the number. Returns true on success, or
// false with a message if no match is played, the action is not possible, or the bans cannot be stored.
bool match_moderation_apply(host_o *h, match_moderation_t action, uint32_t number, error_info_t *error);

#endif
