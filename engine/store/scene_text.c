// Most of a scene are numbers. What printf finds by trial, and slowly, is found here with exact arithmetic for the
// numbers that scenes have: integers, and floats from 0.0001 to a million.
#include "store/scene_text.h"

#include "base/assert.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// --------------------------------------------------------------------------------------------------------- the buffer

char *scene_text_room(scene_text_t *t, size_t bytes) {
  size_t needed = t->count + bytes;
  if (needed > t->capacity) {
    size_t capacity = t->capacity ? t->capacity * 2 : 4096;
    capacity = capacity > needed ? capacity : needed;
    t->items = alloc_resize(t->memory, t->items, t->capacity, capacity);
    t->capacity = capacity;
  }
  return t->items + t->count;
}

void scene_text_free(scene_text_t *t) {
  alloc_resize(t->memory, t->items, t->capacity, 0);
  t->items = NULL;
  t->count = t->capacity = 0;
}

char *scene_text_take(scene_text_t *t) {
  char *text = alloc_resize(t->memory, t->items, t->capacity, t->count + 1);
  text[t->count] = '\0';
  *t = (scene_text_t){.memory = t->memory};
  return text;
}

void scene_text_line(scene_text_t *t, uint32_t depth) {
  size_t bytes = 1 + 2 * (size_t)depth;
  char *at = scene_text_room(t, bytes);
  memset(at, ' ', bytes);
  at[0] = '\n';
  t->count += bytes;
}

static bool is_plain(const char *text, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i)
    if (text[i] < ' ' || text[i] > '~' || text[i] == '"' || text[i] == '\\')
      return false;
  return true;
}

bool scene_text_quoted(scene_text_t *t, const char *text, size_t bytes) {
  if (is_plain(text, bytes)) {
    char *at = scene_text_room(t, bytes + 2);
    at[0] = at[bytes + 1] = '"';
    memcpy(at + 1, text, bytes);
    t->count += bytes + 2;
    return true;
  }
  json_t *value = json_stringn(text, bytes);
  char *quoted = value ? json_dumps(value, JSON_ENCODE_ANY) : NULL;
  if (quoted)
    scene_text_put(t, quoted);
  free(quoted);
  json_decref(value);
  return quoted != NULL;
}

// ------------------------------------------------------------------------------------------------------------- numbers

static size_t put_integer(uint64_t n, char *out) {
  char digits[20];
  size_t count = 0;
  do
    digits[count++] = (char)('0' + n % 10);
  while (n /= 10);
  for (size_t i = 0; i < count; ++i)
    out[i] = digits[count - 1 - i];
  return count;
}

// n / 10^decimals, without zeros at its end.
static size_t put_fixed(uint64_t n, uint32_t decimals, uint64_t scale, char *out) {
  size_t length = put_integer(n / scale, out);
  uint64_t rest = n % scale;
  if (rest == 0)
    return length;
  for (; rest % 10 == 0; rest /= 10)
    decimals--;
  out[length] = '.';
  for (uint32_t i = decimals; i > 0; --i, rest /= 10)
    out[length + i] = (char)('0' + rest % 10);
  return length + 1 + decimals;
}

#define FEWEST_DIGITS 6 // of a float; what needs fewer ends in zeros, which are left out
#define MOST_DIGITS 9

// A float has 24 bits and 5^12 has 28, so a product with 10^12 is exact as a double, and so is its rounding. A quotient
// of two exact doubles is what reading the text gives. 0 for what is not done here.
static size_t put_float(double v, char *out) {
  static const double powers[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12};
  static const double least[] = {1e-4, 1e-3, 1e-2, 1e-1, 1, 1e1, 1e2, 1e3, 1e4, 1e5}; // by exponent + 4
  if (v < least[0] || v >= 1e6)
    return 0;
  uint32_t exponent = 0;
  while (exponent + 1 < sizeof least / sizeof *least && v >= least[exponent + 1])
    exponent++;
  for (uint32_t digits = FEWEST_DIGITS; digits <= MOST_DIGITS; ++digits) {
    uint32_t decimals = digits + 3 - exponent;
    double scaled = v * powers[decimals];
    uint64_t n = (uint64_t)scaled;
    double rest = scaled - (double)n;
    n += rest > 0.5 || (rest == 0.5 && n % 2 == 1);
    if ((double)n >= powers[digits]) // it has become a digit longer
      return 0;
    if ((float)((double)n / powers[decimals]) == (float)v)
      return put_fixed(n, decimals, (uint64_t)powers[decimals], out);
  }
  return 0;
}

static size_t put_by_trial(double v, bool is_float, char *out) {
  for (int digits = is_float ? FEWEST_DIGITS : 15; digits <= 17; ++digits) {
    snprintf(out, SCENE_NUMBER_BYTES, "%.*g", digits, v);
    double again = strtod(out, NULL);
    if (is_float ? (float)again == (float)v : again == v)
      break;
  }
  return strlen(out);
}

size_t scene_number(double v, bool is_float, char out[SCENE_NUMBER_BYTES]) {
  if (v != v || v - v != 0)
    return (size_t)snprintf(out, SCENE_NUMBER_BYTES, "%s", v != v ? "\"nan\"" : v > 0 ? "\"inf\"" : "\"-inf\"");
  if (v == 0)
    return (size_t)snprintf(out, SCENE_NUMBER_BYTES, "%s", signbit(v) ? "-0.0" : "0");
  double size = fabs(v);
  size_t sign = v < 0, length = 0;
  out[0] = '-';
  if (size < (is_float ? 1e6 : 1e15) && size == (double)(uint64_t)size)
    length = put_integer((uint64_t)size, out + sign);
  else if (is_float && v == (double)(float)v)
    length = put_float(size, out + sign);
  shoal_assert(sign + length < SCENE_NUMBER_BYTES, "a number of %zu digits", length);
  return length ? sign + length : put_by_trial(v, is_float, out);
}
