// Parses and evaluates curves. A number is parsed as an integer and divided once by a power of ten, so that every
// processor computes the same result.
#include "particles/curve.h"

#include "base/assert.h"

#include <string.h>

#define MAX_DIGITS 15 // maximum number of digits; integers with this many digits are exact in a double

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n';
}

// Parses a number. Returns a pointer to the character after it, or NULL if the text does not start with a number or its
// integer part has more than MAX_DIGITS digits.
static const char *read_number(const char *text, float *out) {
  double value = 0, divisor = 1;
  int digits = 0;
  bool is_negative = *text == '-', has_point = false, has_digits = false;
  for (text += is_negative; (*text >= '0' && *text <= '9') || (*text == '.' && !has_point); ++text) {
    if (*text == '.') {
      has_point = true;
      continue;
    }
    has_digits = true;
    if (digits < MAX_DIGITS) {
      value = value * 10 + (*text - '0');
      divisor *= has_point ? 10 : 1;
      digits += value > 0 || has_point;
    } else if (!has_point) {
      return NULL;
    }
  }
  *out = (float)((is_negative ? -value : value) / divisor);
  return has_digits ? text : NULL;
}

static int hex_digit_value(char c) {
  return c >= '0' && c <= '9'   ? c - '0'
         : c >= 'a' && c <= 'f' ? c - 'a' + 10
         : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                : -1;
}

static const char *read_hex(const char *text, float out[4]) {
  int digits[9];
  uint32_t count = 0;
  while (count < 9 && hex_digit_value(text[count]) >= 0) {
    digits[count] = hex_digit_value(text[count]);
    ++count;
  }
  if (count != 3 && count != 4 && count != 6 && count != 8)
    return NULL;
  uint32_t digits_per_channel = count < 6 ? 1 : 2;
  for (uint32_t i = 0; i < 4; ++i) {
    if (i * digits_per_channel >= count)
      out[i] = 1.0f;
    else
      out[i] = (float)(digits_per_channel == 1 ? digits[i] * 17 : digits[2 * i] * 16 + digits[2 * i + 1]) / 255.0f;
  }
  return text + count;
}

static const char *read_colour(const char *text, float out[4]) {
  if (*text == '#')
    return read_hex(text + 1, out);
  out[3] = 1.0f;
  for (uint32_t i = 0; i < 4; ++i) {
    text = read_number(text, &out[i]);
    if (!text)
      return NULL;
    if (*text != ',')
      return i >= 2 ? text : NULL;
    ++text;
  }
  return NULL;
}

bool curve_read(const char *text, curve_t *out) {
  *out = (curve_t){0};
  for (;;) {
    while (is_blank(*text))
      ++text;
    if (!*text)
      return true;
    text = out->count < CURVE_MAX_KEYS ? read_number(text, &out->keys[out->count]) : NULL;
    if (!text || (*text && !is_blank(*text))) {
      *out = (curve_t){0};
      return false;
    }
    out->count++;
  }
}

bool colour_curve_read(const char *text, colour_curve_t *out) {
  *out = (colour_curve_t){0};
  for (;;) {
    while (is_blank(*text))
      ++text;
    if (!*text)
      return true;
    text = out->count < CURVE_MAX_KEYS ? read_colour(text, out->keys[out->count]) : NULL;
    if (!text || (*text && !is_blank(*text))) {
      *out = (colour_curve_t){0};
      return false;
    }
    out->count++;
  }
}

// Returns the index of the key before `t`. Stores the position between that key and the next key, 0 to 1, in
// `fraction`.
static uint32_t find_key_before(uint32_t count, float t, float *fraction) {
  shoal_assert(count > 1, "interpolation requires at least 2 keys, got %u", count);
  float position = (t > 0.0f ? t < 1.0f ? t : 1.0f : 0.0f) * (float)(count - 1);
  uint32_t key = (uint32_t)position;
  key = key < count - 2 ? key : count - 2;
  *fraction = position - (float)key;
  return key;
}

float curve_at(const curve_t *c, float t) {
  float fraction;
  if (c->count < 2)
    return c->count == 1 ? c->keys[0] : 1.0f;
  uint32_t key = find_key_before(c->count, t, &fraction);
  return c->keys[key] + (c->keys[key + 1] - c->keys[key]) * fraction;
}

float curve_area(const curve_t *c, float t) {
  float fraction, area = 0.0f;
  shoal_assert(c->count <= CURVE_MAX_KEYS, "%u curve keys exceed the maximum %u", c->count, CURVE_MAX_KEYS);
  if (c->count < 2)
    return (c->count == 1 ? c->keys[0] : 1.0f) * t;
  uint32_t key = find_key_before(c->count, t, &fraction);
  for (uint32_t i = 0; i < key; ++i)
    area += (c->keys[i] + c->keys[i + 1]) * 0.5f;
  area += (c->keys[key] + (c->keys[key + 1] - c->keys[key]) * fraction * 0.5f) * fraction;
  return area / (float)(c->count - 1);
}

void colour_curve_at(const colour_curve_t *c, float t, float out[4]) {
  float fraction;
  if (c->count < 2) {
    for (uint32_t i = 0; i < 4; ++i)
      out[i] = c->count == 1 ? c->keys[0][i] : 1.0f;
    return;
  }
  uint32_t key = find_key_before(c->count, t, &fraction);
  const float *start = c->keys[key], *end = c->keys[key + 1];
  for (uint32_t i = 0; i < 4; ++i)
    out[i] = start[i] + (end[i] - start[i]) * fraction;
}
