// Cleans and numbers player names.
#include "platform/player_name.h"

#include "base/utf8.h"

#include <stdio.h>
#include <string.h>

void player_name_clean(const char *text, size_t size, char out[PLAYER_NAME_BYTES]) {
  size_t at = 0, end = 0;
  memset(out, 0, PLAYER_NAME_BYTES);
  for (; size > 0 && text[0] == ' '; ++text)
    --size;
  for (uint32_t i = 0; i < PLAYER_NAME_CHARACTERS && at < size; ++i) {
    uint32_t length;
    if (utf8_character_length_n(text + at, size - at) == 0 ||
        utf8_is_control(utf8_decode(text + at, size - at, &length)))
      return;
    if (at + length >= PLAYER_NAME_BYTES)
      break;
    at += length;
    end = text[at - 1] == ' ' ? end : at;
  }
  memcpy(out, text, end);
}

size_t player_name_number(const char *first, uint32_t player, char out[PLAYER_NAME_BYTES]) {
  char suffix[8] = "";
  memset(out, 0, PLAYER_NAME_BYTES);
  if (first[0] == '\0')
    return 0;
  if (player > 0)
    (void)snprintf(suffix, sizeof suffix, " %u", player + 1);
  size_t length = strlen(first), max = PLAYER_NAME_BYTES - 1 - strlen(suffix);
  length = length <= max ? length : utf8_character_start(first, max);
  (void)snprintf(out, PLAYER_NAME_BYTES, "%.*s%s", (int)length, first, suffix);
  return strlen(out);
}
