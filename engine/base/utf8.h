// UTF-8 by characters. Bytes that make no sense (RFC 3629: no character's first byte, cut short, too long a form, a
// surrogate, above U+10FFFF) count as a character each, and stay what they are.
#ifndef SHOAL_BASE_UTF8_H
#define SHOAL_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

#define UTF8_NO_CHARACTER 0xFFFDu // U+FFFD, which stands for bytes that make no sense

// The character that the text begins with, of `bytes` > 0, and how many of them it has.
uint32_t utf8_decode(const char *text, size_t bytes, uint32_t *length);
// How long the character is that the text of `bytes` begins with; 0 for none, and for bytes that make no sense.
size_t utf8_length_n(const char *text, size_t bytes);
// The same of a text that ends with a zero, where it is 0 too.
size_t utf8_length(const char *text);
uint32_t utf8_count(const char *text);
// Where character number `at` (from 0) begins; the end when there are fewer.
size_t utf8_offset(const char *text, uint32_t at);
// Where the character begins that byte `at` is part of: where a text may be cut. Of well-formed text.
size_t utf8_begin(const char *text, size_t at);

#endif
