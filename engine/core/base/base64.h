// Base64 (RFC 4648), with padding.
#ifndef SHOAL_BASE_BASE64_H
#define SHOAL_BASE_BASE64_H

#include <stddef.h>
#include <stdint.h>

#define BASE64_TEXT_BYTES(size) (((size) + 2) / 3 * 4)                  // number of characters that encode `size` bytes
#define BASE64_MAX_DECODED_BYTES(length) ((length) / 4 * 3 + (size_t)3) // maximum size of the decoded data in bytes

// Writes BASE64_TEXT_BYTES(size) characters to `out`, without a '\0'. Returns the number of characters.
size_t base64_encode(const uint8_t *bytes, size_t size, char *out);
// Writes at most BASE64_MAX_DECODED_BYTES(strlen(text)) bytes to `out`; ignores spaces, tabs, line breaks and padding.
// Returns the number of bytes, or SIZE_MAX if the text contains a different character.
size_t base64_decode(const char *text, uint8_t *out);

#endif
