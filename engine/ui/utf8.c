// Counts characters.
#include "ui/utf8.h"

size_t utf8_length(const char *text) {
  const unsigned char *c = (const unsigned char *)text;
  size_t length = c[0] == 0      ? 0
                  : c[0] < 0x80  ? 1
                  : c[0] < 0xc2  ? 0
                  : c[0] < 0xe0  ? 2
                  : c[0] < 0xf0  ? 3
                  : c[0] <= 0xf4 ? 4
                                 : 0;
  for (size_t i = 1; i < length; ++i)
    if ((c[i] & 0xc0) != 0x80)
      return 0;
  if ((c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] > 0x9f) || (c[0] == 0xf0 && c[1] < 0x90) ||
      (c[0] == 0xf4 && c[1] > 0x8f))
    return 0;
  return length;
}

uint32_t utf8_count(const char *text) {
  uint32_t count = 0;
  for (; *text; ++count) {
    size_t length = utf8_length(text);
    text += length > 0 ? length : 1;
  }
  return count;
}

size_t utf8_offset(const char *text, uint32_t at) {
  const char *from = text;
  for (; *text && at > 0; --at) {
    size_t length = utf8_length(text);
    text += length > 0 ? length : 1;
  }
  return (size_t)(text - from);
}

size_t utf8_begin(const char *text, size_t at) {
  while (at > 0 && ((unsigned char)text[at] & 0xc0) == 0x80)
    --at;
  return at;
}
