// Encodes and decodes base64.
#include "base/base64.h"

size_t base64_encode(const uint8_t *bytes, size_t size, char *out) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  size_t length = 0;
  for (size_t i = 0; i < size; i += 3) {
    size_t remaining = size - i;
    uint32_t bits = (uint32_t)bytes[i] << 16;
    bits |= (remaining > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) | (remaining > 2 ? (uint32_t)bytes[i + 2] : 0);
    out[length++] = digits[bits >> 18];
    out[length++] = digits[bits >> 12 & 63];
    out[length++] = remaining > 1 ? digits[bits >> 6 & 63] : '=';
    out[length++] = remaining > 2 ? digits[bits & 63] : '=';
  }
  return length;
}

static int get_digit_value(char c) {
  if (c >= 'A' && c <= 'Z')
    return c - 'A';
  if (c >= 'a' && c <= 'z')
    return c - 'a' + 26;
  if (c >= '0' && c <= '9')
    return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

size_t base64_decode(const char *text, uint8_t *out) {
  uint32_t bits = 0, bit_count = 0;
  size_t count = 0;
  for (; *text; ++text) {
    if (*text == '=' || *text == '\n' || *text == '\r' || *text == '\t' || *text == ' ')
      continue;
    int digit = get_digit_value(*text);
    if (digit < 0)
      return SIZE_MAX;
    bits = bits << 6 | (uint32_t)digit;
    bit_count += 6;
    if (bit_count >= 8) {
      bit_count -= 8;
      out[count++] = (uint8_t)(bits >> bit_count);
    }
  }
  return count;
}
