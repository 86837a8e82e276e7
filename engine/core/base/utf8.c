// Decodes and counts UTF-8 characters.
#include "base/utf8.h"

#include "base/assert.h"

#include <stdbool.h>

static bool is_continuation(char byte) {
  return ((unsigned char)byte & 0xc0) == 0x80;
}

size_t utf8_character_length_n(const char *text, size_t bytes) {
  if (bytes == 0)
    return 0;
  unsigned first = (unsigned char)text[0];
  size_t length = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first <= 0xf4 ? 4 : 0;
  if (length > bytes)
    return 0;
  for (size_t i = 1; i < length; ++i)
    if (!is_continuation(text[i]))
      return 0;
  if (length < 3)
    return length;
  unsigned second = (unsigned char)text[1];
  bool is_overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  bool is_invalid_code = (first == 0xed && second > 0x9f) || (first == 0xf4 && second > 0x8f);
  return is_overlong || is_invalid_code ? 0 : length;
}

bool utf8_is_control(uint32_t character) {
  return character < 0x20 || (character >= 0x7f && character < 0xa0);
}

uint32_t utf8_decode(const char *text, size_t bytes, uint32_t *length) {
  shoal_assert(bytes > 0, "text must not be empty");
  size_t count = utf8_character_length_n(text, bytes);
  *length = count > 0 ? (uint32_t)count : 1;
  if (count == 0)
    return UTF8_NO_CHARACTER;
  uint32_t code_point = (unsigned char)text[0];
  code_point = count == 1 ? code_point : code_point & (0x7fu >> count);
  for (size_t i = 1; i < count; ++i)
    code_point = code_point << 6 | ((unsigned char)text[i] & 0x3fu);
  return code_point;
}

// A zero byte is not a continuation byte, so bytes past the end are never read.
size_t utf8_character_length(const char *text) {
  return *text ? utf8_character_length_n(text, 4) : 0;
}

uint32_t utf8_count_characters(const char *text) {
  uint32_t count = 0;
  for (; *text; ++count) {
    size_t length = utf8_character_length(text);
    text += length > 0 ? length : 1;
  }
  return count;
}

size_t utf8_offset(const char *text, uint32_t index) {
  const char *start = text;
  for (; *text && index > 0; --index) {
    size_t length = utf8_character_length(text);
    text += length > 0 ? length : 1;
  }
  return (size_t)(text - start);
}

size_t utf8_character_start(const char *text, size_t offset) {
  while (offset > 0 && is_continuation(text[offset]))
    --offset;
  return offset;
}
