// Encodes and decodes requests for rooms, and their answers.
#include "match/world_request.h"

#include "platform/player_name.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC "SHOALWORLD"
#define MAGIC_BYTES (sizeof MAGIC - 1)
#define VERSION 2u
#define NAMES WORLD_REQUEST_CODE + MATCH_PASSWORD_HASH_BYTES // position of the names

enum { FLAG_RETURNS = 1, FLAG_WATCHES = 2 };

_Static_assert(WORLD_REQUEST_ACCOUNT == MAGIC_BYTES + 2, "the account follows the flags");
_Static_assert(WORLD_REQUEST_BYTES == NAMES + 2 + PLAYER_NAME_BYTES + WORLD_ROOM_BYTES, "the size of a request");

static size_t write_text(const char *text, size_t capacity, uint8_t *out) {
  size_t length = strnlen(text, capacity - 1);
  out[0] = (uint8_t)length;
  memcpy(out + 1, text, length);
  return length + 1;
}

size_t world_request_write(const world_request_t *request, uint8_t *out) {
  memcpy(out, MAGIC, MAGIC_BYTES);
  out[MAGIC_BYTES] = VERSION;
  out[MAGIC_BYTES + 1] = (uint8_t)((request->returns ? FLAG_RETURNS : 0) | (request->watches ? FLAG_WATCHES : 0));
  memcpy(out + WORLD_REQUEST_ACCOUNT, request->account, MATCH_ACCOUNT_BYTES);
  memcpy(out + WORLD_REQUEST_CODE, request->code, MATCH_PASSWORD_HASH_BYTES);
  size_t at = NAMES;
  at += write_text(request->name, PLAYER_NAME_BYTES, out + at);
  return at + write_text(request->room, WORLD_ROOM_BYTES, out + at);
}

// Reads a string at *at, and advances *at. Returns true on success, or false if the string is too long.
static bool read_text(const uint8_t *bytes, size_t size, size_t *at, char *out, size_t capacity) {
  size_t length = *at < size ? bytes[*at] : capacity;
  if (length >= capacity || length > size - *at - 1)
    return false;
  memcpy(out, bytes + *at + 1, length);
  out[length] = '\0';
  *at += length + 1;
  return strlen(out) == length;
}

static bool is_printable(const char *text) {
  for (; *text; ++text)
    if (*text < ' ' || *text > '~')
      return false;
  return true;
}

bool world_request_read(const uint8_t *bytes, size_t size, world_request_t *out) {
  char name[PLAYER_NAME_BYTES];
  size_t at = NAMES;
  *out = (world_request_t){0};
  if (size < NAMES + 2 || memcmp(bytes, MAGIC, MAGIC_BYTES) != 0 || bytes[MAGIC_BYTES] != VERSION ||
      bytes[MAGIC_BYTES + 1] > (FLAG_RETURNS | FLAG_WATCHES))
    return false;
  out->returns = bytes[MAGIC_BYTES + 1] & FLAG_RETURNS;
  out->watches = bytes[MAGIC_BYTES + 1] & FLAG_WATCHES;
  memcpy(out->account, bytes + WORLD_REQUEST_ACCOUNT, MATCH_ACCOUNT_BYTES);
  memcpy(out->code, bytes + WORLD_REQUEST_CODE, MATCH_PASSWORD_HASH_BYTES);
  if (!read_text(bytes, size, &at, name, sizeof name) || !read_text(bytes, size, &at, out->room, sizeof out->room))
    return false;
  player_name_clean(name, strlen(name), out->name);
  return at == size && is_printable(out->room);
}

void world_answer_set_room(match_refusal_t *out, const char *room, uint16_t port, uint64_t process) {
  match_refusal_set(out, MATCH_REFUSAL_ROOM, port);
  (void)snprintf(out->texts[0], sizeof out->texts[0], "%s", room);
  (void)snprintf(out->texts[1], sizeof out->texts[1], "%016" PRIx64, process);
}

bool world_answer_get_room(const match_refusal_t *answer, uint16_t *port, uint64_t *process) {
  char *end;
  if (answer->number != MATCH_REFUSAL_ROOM || answer->value == 0 || answer->value > UINT16_MAX)
    return false;
  *port = (uint16_t)answer->value;
  *process = strtoull(answer->texts[1], &end, 16);
  return end == answer->texts[1] + 16 && *end == '\0';
}
