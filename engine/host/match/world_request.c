// Encodes and decodes requests for rooms, and their answers.
#include "match/world_request.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC "SHOALWORLD"
#define MAGIC_BYTES (sizeof MAGIC - 1)
#define HEAD_BYTES (MAGIC_BYTES + 3)
#define VERSION 1u

size_t world_request_write(const world_request_t *request, uint8_t *out) {
  size_t length = strnlen(request->room, WORLD_ROOM_BYTES - 1);
  memcpy(out, MAGIC, MAGIC_BYTES);
  out[MAGIC_BYTES] = VERSION;
  out[MAGIC_BYTES + 1] = request->returns;
  out[MAGIC_BYTES + 2] = (uint8_t)length;
  memcpy(out + HEAD_BYTES, request->room, length);
  return HEAD_BYTES + length;
}

bool world_request_read(const uint8_t *bytes, size_t size, world_request_t *out) {
  if (size < HEAD_BYTES || memcmp(bytes, MAGIC, MAGIC_BYTES) != 0 || bytes[MAGIC_BYTES] != VERSION)
    return false;
  size_t length = bytes[MAGIC_BYTES + 2];
  const uint8_t *name = bytes + HEAD_BYTES;
  if (bytes[MAGIC_BYTES + 1] > 1 || length >= WORLD_ROOM_BYTES || size != HEAD_BYTES + length)
    return false;
  for (size_t i = 0; i < length; ++i)
    if (name[i] < ' ' || name[i] > '~')
      return false;
  *out = (world_request_t){.returns = bytes[MAGIC_BYTES + 1] == 1};
  memcpy(out->room, name, length);
  return true;
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
