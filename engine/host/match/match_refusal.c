// Encodes and decodes refusals.
#include "match/match_refusal.h"

#include "base/error.h"
#include "base/utf8.h"
#include "base/varint.h"

#include <stdio.h>
#include <string.h>

static const char *const DETAILS[] = {
    [MATCH_REFUSAL_NONE] = "no reason",
    [MATCH_REFUSAL_VERSION] = "different version of Shoal",
    [MATCH_REFUSAL_ARITHMETIC] = "different arithmetic",
    [MATCH_REFUSAL_PLUGINS] = "different plugins",
    [MATCH_REFUSAL_FILES] = "different files of the game",
    [MATCH_REFUSAL_CHANGED] = "the game has changed during the match, and the joiner runs without --share-code",
    [MATCH_REFUSAL_FULL] = "the match is full",
    [MATCH_REFUSAL_OVER] = "the match is over",
    [MATCH_REFUSAL_DECLINED] = "the host's user has refused the request",
    [MATCH_REFUSAL_REMOVED] = "the player was removed from the match",
    [MATCH_REFUSAL_BANNED] = "the player is banned",
    [MATCH_REFUSAL_PASSWORD] = "the password is missing or wrong",
    [MATCH_REFUSAL_TOO_MANY_TRIES] = "too many wrong passwords or requests",
    [MATCH_REFUSAL_RESERVED] = "the free seats are reserved for players who lost their connection",
    [MATCH_REFUSAL_ROOM] = "the room has a different port",
    [MATCH_REFUSAL_ROOM_STARTS] = "the room starts",
    [MATCH_REFUSAL_NO_ROOM] = "the world has no such room",
    [MATCH_REFUSAL_ROOM_CLOSED] = "players cannot join the room directly",
    [MATCH_REFUSAL_ROOM_FAILED] = "the room cannot start: its operator must repair it",
    [MATCH_REFUSAL_WORLD] = "this is the port of a served world: join it with --world instead of --join",
    [MATCH_REFUSAL_NO_ACCOUNT] = "the account is missing or unknown",
    [MATCH_REFUSAL_CODE] = "a new account requires an invitation code, and the code is missing or wrong",
    [MATCH_REFUSAL_MANY_ACCOUNTS] = "too many new accounts from this address",
    [MATCH_REFUSAL_ACCOUNT_BANNED] = "the account is banned",
    [MATCH_REFUSAL_ELSEWHERE] = "the account is still in a different room",
    [MATCH_REFUSAL_OWNS_TOO_MUCH] = "the account owns more than a player can bring into a room",
    [MATCH_REFUSAL_TAKEN] = "an operator edits what the account owns",
    [MATCH_REFUSAL_OLD_ROOM] = "the room runs earlier code than the code that has written what the account owns",
};
_Static_assert(sizeof DETAILS / sizeof *DETAILS == MATCH_REFUSAL_COUNT, "a reason has no description");

const char *match_refusal_get_details(match_refusal_kind_t number) {
  return DETAILS[number];
}

bool match_refusal_set(match_refusal_t *out, match_refusal_kind_t number, uint32_t value) {
  *out = (match_refusal_t){.number = (uint32_t)number, .value = value};
  return false;
}

void match_refusal_set_old_room(match_refusal_t *out, const char *room, uint64_t code, uint64_t rows) {
  match_refusal_set(out, MATCH_REFUSAL_OLD_ROOM, 0);
  (void)snprintf(out->texts[0], sizeof out->texts[0], "%.63s", room);
  (void)snprintf(out->texts[1], sizeof out->texts[1], "code %llu, not %llu", (unsigned long long)rows,
                 (unsigned long long)code);
}

// Returns the size of `text` in bytes, at most MATCH_REFUSAL_TEXT_BYTES - 1 and without an incomplete character at the
// end.
static size_t measure_text(const char *text) {
  size_t length = strnlen(text, MATCH_REFUSAL_TEXT_BYTES);
  return length < MATCH_REFUSAL_TEXT_BYTES ? length : utf8_character_start(text, MATCH_REFUSAL_TEXT_BYTES - 1);
}

size_t match_refusal_write(const match_refusal_t *refusal, uint8_t *out) {
  size_t at = 0;
  out[at++] = 0;
  at += varint_write(refusal->number, out + at);
  at += varint_write(refusal->value, out + at);
  for (uint32_t i = 0; i < MATCH_REFUSAL_TEXTS; ++i) {
    size_t length = measure_text(refusal->texts[i]);
    out[at++] = (uint8_t)length;
    memcpy(out + at, refusal->texts[i], length);
    at += length;
  }
  size_t files = refusal->file_bytes <= MATCH_REFUSAL_BYTES - at ? refusal->file_bytes : 0;
  memcpy(out + at, refusal->files, files);
  return at + files;
}

static bool read_number(const uint8_t *bytes, size_t size, size_t *at, uint32_t *out) {
  uint64_t value;
  size_t read = varint_read(bytes + *at, size - *at, &value);
  *at += read;
  *out = (uint32_t)value;
  return read > 0 && value <= UINT32_MAX;
}

static bool read_text(const uint8_t *bytes, size_t size, size_t *at, char *out) {
  size_t length = *at < size ? bytes[*at] : MATCH_REFUSAL_TEXT_BYTES;
  if (length >= MATCH_REFUSAL_TEXT_BYTES || length > size - *at - 1)
    return false;
  memcpy(out, bytes + *at + 1, length);
  out[length] = '\0';
  error_strip_controls(out);
  *at += length + 1;
  return true;
}

bool match_refusal_read(const uint8_t *bytes, size_t size, match_refusal_t *out) {
  size_t at = 1;
  *out = (match_refusal_t){0};
  if (size < 2 || size > MATCH_REFUSAL_BYTES || bytes[0] != 0 || !read_number(bytes, size, &at, &out->number) ||
      out->number == MATCH_REFUSAL_NONE)
    return false;
  if (out->number >= MATCH_REFUSAL_COUNT)
    return true;
  if (!read_number(bytes, size, &at, &out->value))
    return false;
  for (uint32_t i = 0; i < MATCH_REFUSAL_TEXTS; ++i)
    if (!read_text(bytes, size, &at, out->texts[i]))
      return false;
  out->file_bytes = size - at;
  memcpy(out->files, bytes + at, out->file_bytes);
  return true;
}
