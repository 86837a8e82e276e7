// UTF-8 by characters. Bytes that make no sense count as a character each, and stay what they are.
#ifndef SHOAL_UI_UTF8_H
#define SHOAL_UI_UTF8_H

#include <stddef.h>
#include <stdint.h>

uint32_t utf8_count(const char *text);
// Where character number `at` (from 0) begins; the end when there are fewer.
size_t utf8_offset(const char *text, uint32_t at);
// How long the character at `text` is that makes sense, 0 for bytes that make none, and at the end.
size_t utf8_length(const char *text);
// Where the character begins that byte `at` is part of: where a text may be cut. Of well-formed text.
size_t utf8_begin(const char *text, size_t at);

#endif
