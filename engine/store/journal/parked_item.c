// Encodes and decodes parked functions and systems.
#include "journal/parked_item.h"

#include <string.h>

#define STOPPED 0x80u

size_t parked_item_write_head(const parked_t *parked, uint64_t code, uint8_t *out) {
  size_t length = strlen(parked->name);
  out[0] = (uint8_t)(length | (parked->stopped ? STOPPED : 0));
  memcpy(out + 1, parked->name, length);
  memcpy(out + 1 + length, &code, sizeof code);
  return 1 + length + sizeof code;
}

bool parked_item_read(const record_item_t *item, parked_item_t *out) {
  size_t length = item->size > 0 ? item->bytes[0] & ~STOPPED : 0, head = 1 + length + sizeof out->code;
  if (length == 0 || length >= sizeof out->name || head > item->size || memchr(item->bytes + 1, '\0', length))
    return false;
  *out = (parked_item_t){.stopped = item->bytes[0] & STOPPED};
  memcpy(out->name, item->bytes + 1, length);
  memcpy(&out->code, item->bytes + 1 + length, sizeof out->code);
  out->message = (const char *)item->bytes + head;
  out->message_bytes = item->size - (uint32_t)head;
  return true;
}
