// Player names: UTF-8 without control characters, at most 24 characters and PLAYER_NAME_BYTES - 1 bytes. Names from
// other machines are untrusted.
#ifndef SHOAL_PLATFORM_PLAYER_NAME_H
#define SHOAL_PLATFORM_PLAYER_NAME_H

#include "platform/player_input.h"

#include <stddef.h>

#define PLAYER_NAME_CHARACTERS 24u

// Copies a name of `size` bytes to `out`, zero-padded. Removes spaces at both ends, and shortens the name to the
// limits. `out` is "" if the name is not UTF-8, or contains a control character.
void player_name_clean(const char *text, size_t size, char out[PLAYER_NAME_BYTES]);
// Writes the name of a machine's player number `player` (from 0), derived from the first player's name: "Ada", "Ada 2".
// Returns the length, or 0 if the first player has no name.
size_t player_name_number(const char *first, uint32_t player, char out[PLAYER_NAME_BYTES]);

#endif
