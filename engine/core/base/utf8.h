// UTF-8 characters. Each byte that is not part of a valid sequence (RFC 3629: stray continuation, truncated, overlong,
// surrogate, above U+10FFFF) counts as one character, which utf8_decode returns as U+FFFD.
#ifndef SHOAL_BASE_UTF8_H
#define SHOAL_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UTF8_NO_CHARACTER 0xFFFDu // U+FFFD, the replacement for invalid bytes

// Returns true for a control character: DEL, or a character of the blocks C0 and C1.
bool utf8_is_control(uint32_t character);
// Returns the first character of a text (`bytes` > 0), and stores the character's length in bytes in *length.
uint32_t utf8_decode(const char *text, size_t bytes, uint32_t *length);
// Returns the length of the first character in bytes, or 0 for an empty text or an invalid sequence.
size_t utf8_character_length_n(const char *text, size_t bytes);
// Like utf8_character_length_n, for a zero-terminated string.
size_t utf8_character_length(const char *text);
uint32_t utf8_count_characters(const char *text);
// Returns the byte offset of character `index` (from 0), or the length of the text if the text has fewer characters.
size_t utf8_offset(const char *text, uint32_t index);
// Returns the start of the character that contains the byte at `offset`, where the text can be cut. Requires valid
// UTF-8.
size_t utf8_character_start(const char *text, size_t offset);

#endif
