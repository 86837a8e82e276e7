// Converts integers, and floats from 0.0001 to a million, with exact arithmetic. Other numbers use printf with
// increasing precision until the text parses back to the same number, which is slower.
#include "base/number_text.h"

#include "base/assert.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t write_integer(uint64_t n, char *out) {
  char digits[20];
  size_t count = 0;
  do
    digits[count++] = (char)('0' + n % 10);
  while (n /= 10);
  for (size_t i = 0; i < count; ++i)
    out[i] = digits[count - 1 - i];
  return count;
}

// Writes n / 10^decimals without trailing zeros.
static size_t write_fixed(uint64_t n, uint32_t decimals, uint64_t scale, char *out) {
  size_t length = write_integer(n / scale, out);
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

#define MIN_DIGITS 6 // initial number of significant digits of a float; trailing zeros are removed
#define MAX_DIGITS 9

// Writes a float from 0.0001 to a million and returns the length; returns 0 for other numbers, if rounding adds a
// digit, and if 9 digits do not suffice. A float has 24 significant bits and 5^12 has 28, so a product with 10^12 is
// exact in a double, and so is its rounding. The quotient of two exact doubles equals the result of parsing the text.
static size_t write_float(double v, char *out) {
  static const double powers[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12};
  // Indexed by the decimal exponent + 4.
  static const double lower_bounds[] = {1e-4, 1e-3, 1e-2, 1e-1, 1, 1e1, 1e2, 1e3, 1e4, 1e5};
  if (v < lower_bounds[0] || v >= 1e6)
    return 0;
  uint32_t exponent = 0;
  while (exponent + 1 < sizeof lower_bounds / sizeof *lower_bounds && v >= lower_bounds[exponent + 1])
    exponent++;
  for (uint32_t digits = MIN_DIGITS; digits <= MAX_DIGITS; ++digits) {
    uint32_t decimals = digits + 3 - exponent;
    double scaled = v * powers[decimals];
    uint64_t n = (uint64_t)scaled;
    double rest = scaled - (double)n;
    n += rest > 0.5 || (rest == 0.5 && n % 2 == 1);
    if ((double)n >= powers[digits]) // rounding added a digit
      return 0;
    if ((float)((double)n / powers[decimals]) == (float)v)
      return write_fixed(n, decimals, (uint64_t)powers[decimals], out);
  }
  return 0;
}

static size_t write_with_printf(double v, bool is_float, char *out) {
  for (int digits = is_float ? MIN_DIGITS : 15; digits <= 17; ++digits) {
    snprintf(out, NUMBER_TEXT_BYTES, "%.*g", digits, v);
    double again = strtod(out, NULL);
    if (is_float ? (float)again == (float)v : again == v)
      break;
  }
  return strlen(out);
}

size_t number_to_text(double v, bool is_float, char out[NUMBER_TEXT_BYTES]) {
  if (!isfinite(v))
    return (size_t)snprintf(out, NUMBER_TEXT_BYTES, "%s", v != v ? "nan" : v > 0 ? "inf" : "-inf");
  if (v == 0)
    return (size_t)snprintf(out, NUMBER_TEXT_BYTES, "%s", signbit(v) ? "-0.0" : "0");
  double size = fabs(v);
  size_t sign = v < 0, length = 0;
  out[0] = '-';
  if (size < (is_float ? 1e6 : 1e15) && size == (double)(uint64_t)size)
    length = write_integer((uint64_t)size, out + sign);
  else if (is_float && v == (double)(float)v)
    length = write_float(size, out + sign);
  shoal_assert(sign + length < NUMBER_TEXT_BYTES, "number text of %zu characters overflows its buffer", length);
  if (length == 0)
    return write_with_printf(v, is_float, out);
  out[sign + length] = '\0';
  return sign + length;
}
