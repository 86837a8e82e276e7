// Serializes and reads received items (net_bytes.h). The text of an item comes from a peer or a recording; when it is
// read, it is converted to valid UTF-8 of limited length without zero bytes.
#include "net_bytes.h"

#include <string.h>

bool wire_append(wire_log_t *log, wire_kind_t kind, uint32_t peer, const void *text, size_t length) {
  const uint32_t head[3] = {(uint32_t)kind, peer, (uint32_t)length};
  if (length > WIRE_MAX_TEXT || log->room - log->used < sizeof head + length)
    return false;
  memcpy(log->bytes + log->used, head, sizeof head);
  if (length > 0)
    memcpy(log->bytes + log->used + sizeof head, text, length);
  log->used += sizeof head + length;
  return true;
}

// Returns the length in bytes of the UTF-8 character at `s`. Returns 0 if it is invalid or '\0'.
static size_t character_length(const uint8_t *s, size_t left) {
  size_t n = s[0] < 0x80 ? 1 : (s[0] & 0xe0) == 0xc0 ? 2 : (s[0] & 0xf0) == 0xe0 ? 3 : (s[0] & 0xf8) == 0xf0 ? 4 : 0;
  if (n == 0 || n > left || (n == 1 && s[0] == 0) || (n == 2 && s[0] < 0xc2) || (n == 4 && s[0] > 0xf4))
    return 0;
  for (size_t i = 1; i < n; ++i)
    if ((s[i] & 0xc0) != 0x80)
      return 0;
  if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90) ||
      (s[0] == 0xf4 && s[1] > 0x8f))
    return 0;
  return n;
}

static void sanitize_text(const uint8_t *from, size_t length, char *to) {
  size_t used = 0;
  for (size_t i = 0; i < length;) {
    size_t n = character_length(from + i, length - i);
    if (n > 0)
      memcpy(to + used, from + i, n);
    else
      to[used] = '?';
    used += n > 0 ? n : 1;
    i += n > 0 ? n : 1;
  }
  to[used] = '\0';
}

bool wire_read(const void *bytes, size_t size, size_t *at, wire_item_t *out) {
  uint32_t head[3];
  if (*at > size || size - *at < sizeof head)
    return false;
  memcpy(head, (const uint8_t *)bytes + *at, sizeof head);
  if (head[0] > WIRE_TROUBLE || head[2] > WIRE_MAX_TEXT || head[2] > size - *at - sizeof head)
    return false;
  *at += sizeof head;
  out->kind = (wire_kind_t)head[0];
  out->peer = head[1];
  sanitize_text((const uint8_t *)bytes + *at, head[2], out->text);
  *at += head[2];
  return true;
}
