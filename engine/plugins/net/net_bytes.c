// Serializes and reads received items (net_bytes.h). The text of an item comes from a peer or a recording. When an item
// is read, its text is converted to valid UTF-8 of limited length without zero bytes.
#include "net_bytes.h"

#include <string.h>

bool wire_append(wire_log_t *log, wire_kind_t kind, uint32_t peer, const void *text, size_t length) {
  const uint32_t header[3] = {(uint32_t)kind, peer, (uint32_t)length};
  if (length > WIRE_MAX_TEXT || log->capacity - log->used < sizeof header + length)
    return false;
  memcpy(log->bytes + log->used, header, sizeof header);
  if (length > 0)
    memcpy(log->bytes + log->used + sizeof header, text, length);
  log->used += sizeof header + length;
  return true;
}

// Returns the length in bytes of the UTF-8 character at `s`, or 0 for '\0' and for invalid UTF-8.
static size_t get_character_length(const uint8_t *s, size_t remaining) {
  size_t length = s[0] < 0x80             ? 1
                  : (s[0] & 0xe0) == 0xc0 ? 2
                  : (s[0] & 0xf0) == 0xe0 ? 3
                  : (s[0] & 0xf8) == 0xf0 ? 4
                                          : 0;
  if (length == 0 || length > remaining || (length == 1 && s[0] == 0) || (length == 2 && s[0] < 0xc2) ||
      (length == 4 && s[0] > 0xf4))
    return 0;
  for (size_t i = 1; i < length; ++i)
    if ((s[i] & 0xc0) != 0x80)
      return 0;
  if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90) ||
      (s[0] == 0xf4 && s[1] > 0x8f))
    return 0;
  return length;
}

static void sanitize_text(const uint8_t *source, size_t length, char *out) {
  size_t out_length = 0;
  for (size_t i = 0; i < length;) {
    size_t character_bytes = get_character_length(source + i, length - i);
    if (character_bytes > 0)
      memcpy(out + out_length, source + i, character_bytes);
    else
      out[out_length] = '?';
    out_length += character_bytes > 0 ? character_bytes : 1;
    i += character_bytes > 0 ? character_bytes : 1;
  }
  out[out_length] = '\0';
}

bool wire_read(const void *bytes, size_t size, size_t *offset, wire_item_t *out) {
  uint32_t header[3];
  if (*offset > size || size - *offset < sizeof header)
    return false;
  memcpy(header, (const uint8_t *)bytes + *offset, sizeof header);
  if (header[0] > WIRE_TROUBLE || header[2] > WIRE_MAX_TEXT || header[2] > size - *offset - sizeof header)
    return false;
  *offset += sizeof header;
  out->kind = (wire_kind_t)header[0];
  out->peer = header[1];
  sanitize_text((const uint8_t *)bytes + *offset, header[2], out->text);
  *offset += header[2];
  return true;
}
