// UTF-8 decoding, compared with a reference encoder.
#include "base/utf8.h"
#include "test.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// Encodes a code point in its shortest form, according to the table of RFC 3629.
static uint32_t encode_character(uint32_t code, char out[4]) {
  if (code < 0x80)
    return out[0] = (char)code, 1;
  uint32_t length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  static const uint32_t MARKS[] = {0, 0, 0xc0, 0xe0, 0xf0};
  for (uint32_t i = length; i-- > 1; code >>= 6)
    out[i] = (char)(0x80 | (code & 0x3f));
  out[0] = (char)(MARKS[length] | code);
  return length;
}

TEST(every_code_point_round_trips) {
  for (uint32_t code = 0; code <= 0x110fff; ++code) {
    char text[5] = {0};
    uint32_t bytes = encode_character(code, text), length = 0, read = utf8_decode(text, bytes, &length);
    bool is_one = code < 0xd800 || (code > 0xdfff && code <= 0x10ffff);
    if (read != (is_one ? code : UTF8_NO_CHARACTER) || length != (is_one ? bytes : 1))
      fail_msg("U+%04X is read as U+%04X of %u bytes", code, read, length);
    if (code > 0 && utf8_character_length(text) != (is_one ? bytes : 0))
      fail_msg("U+%04X has a length of %zu", code, utf8_character_length(text));
    for (uint32_t cut = 1; cut < bytes; ++cut)
      if (utf8_character_length_n(text, cut) != 0)
        fail_msg("U+%04X cut after %u bytes is a character", code, cut);
  }
}

// Tries all pairs of bytes, each followed by bytes from the edges of UTF-8's ranges.
TEST(only_the_shortest_encoding_is_decoded) {
  static const unsigned char EDGES[] = {0x00, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xff};
  const uint32_t edges = sizeof EDGES;
  for (uint32_t first = 0; first < 256; ++first)
    for (uint32_t second = 0; second < 256; ++second)
      for (uint32_t rest = 0; rest < edges * edges; ++rest) {
        char text[5] = {(char)first, (char)second, (char)EDGES[rest / edges], (char)EDGES[rest % edges], 0}, same[4];
        uint32_t length = 0, code = utf8_decode(text, 4, &length), bytes = encode_character(code, same);
        bool is_broken = code == UTF8_NO_CHARACTER && length == 1;
        if (!is_broken && (bytes != length || memcmp(text, same, bytes) != 0))
          fail_msg("%02x %02x is read as U+%04X", first, second, code);
        if (first != 0 && utf8_character_length(text) != (is_broken ? 0 : length))
          fail_msg("%02x %02x has a length of %zu", first, second, utf8_character_length(text));
      }
}

TEST(characters_are_counted_and_found_by_index) {
  // contains a, ö, €, a fish, invalid bytes and z
  const char *text = "a\xC3\xB6\xE2\x82\xAC\xF0\x9F\x90\x9F\xFF\xED\xA0\x80z";
  assert_int_equal(utf8_count_characters(text), 9);
  assert_int_equal(utf8_offset(text, 3), 6);
  assert_int_equal(utf8_offset(text, 4), 10);
  assert_int_equal(utf8_offset(text, 100), strlen(text));
  assert_int_equal(utf8_character_start(text, 9), 6);
  assert_int_equal(utf8_character_start(text, 6), 6);
  assert_int_equal(utf8_count_characters(""), 0);
  assert_int_equal(utf8_character_length(""), 0);
  assert_int_equal(utf8_character_length_n("a", 0), 0);
}
