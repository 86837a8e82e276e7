// Converts integers with up to 15 digits (6 for floats), and floats from 0.0001 to a million, with exact arithmetic.
// All other numbers use printf with increasing precision until the text parses back to the same number, which is
// slower.
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

// Writes n / scale, where `scale` is 10^decimals, without trailing zeros. Returns the length.
static size_t write_fixed(uint64_t n, uint32_t decimals, uint64_t scale, char *out) {
  size_t length = write_integer(n / scale, out);
  uint64_t fraction = n % scale;
  if (fraction == 0)
    return length;
  for (; fraction % 10 == 0; fraction /= 10)
    decimals--;
  out[length] = '.';
  for (uint32_t i = decimals; i > 0; --i, fraction /= 10)
    out[length + i] = (char)('0' + fraction % 10);
  return length + 1 + decimals;
}

#define MIN_DIGITS 6 // initial number of significant digits of a float; trailing zeros are removed
#define MAX_DIGITS 9

// Writes a float from 0.0001 to a million and returns the length; returns 0 for other numbers, if rounding adds a
// digit, and if 9 digits do not suffice. A float has 24 significant bits and 5^12 has 28, so a product with 10^12 is
// exact in a double, and so is its rounding. The quotient of two exact doubles equals the result of parsing the text.
static size_t write_float(double value, char *out) {
  static const double powers[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12};
  // Lowest value of each decimal exponent, indexed by the exponent + 4.
  static const double lower_bounds[] = {1e-4, 1e-3, 1e-2, 1e-1, 1, 1e1, 1e2, 1e3, 1e4, 1e5};
  if (value < lower_bounds[0] || value >= 1e6)
    return 0;
  uint32_t exponent = 0;
  while (exponent + 1 < sizeof lower_bounds / sizeof *lower_bounds && value >= lower_bounds[exponent + 1])
    exponent++;
  for (uint32_t digits = MIN_DIGITS; digits <= MAX_DIGITS; ++digits) {
    uint32_t decimals = digits + 3 - exponent;
    double scaled = value * powers[decimals];
    uint64_t n = (uint64_t)scaled;
    double fraction = scaled - (double)n;
    n += fraction > 0.5 || (fraction == 0.5 && n % 2 == 1);
    if ((double)n >= powers[digits]) // rounding added a digit
      return 0;
    if ((float)((double)n / powers[decimals]) == (float)value)
      return write_fixed(n, decimals, (uint64_t)powers[decimals], out);
  }
  return 0;
}

static size_t write_with_printf(double value, bool is_float, char *out) {
  for (int digits = is_float ? MIN_DIGITS : 15; digits <= 17; ++digits) {
    snprintf(out, NUMBER_TEXT_BYTES, "%.*g", digits, value);
    double parsed = strtod(out, NULL);
    if (is_float ? (float)parsed == (float)value : parsed == value)
      break;
  }
  return strlen(out);
}

size_t number_to_text(double value, bool is_float, char out[NUMBER_TEXT_BYTES]) {
  if (!isfinite(value))
    return (size_t)snprintf(out, NUMBER_TEXT_BYTES, "%s", value != value ? "nan" : value > 0 ? "inf" : "-inf");
  if (value == 0)
    return (size_t)snprintf(out, NUMBER_TEXT_BYTES, "%s", signbit(value) ? "-0.0" : "0");
  double magnitude = fabs(value);
  size_t sign_length = value < 0, length = 0;
  out[0] = '-';
  if (magnitude < (is_float ? 1e6 : 1e15) && magnitude == (double)(uint64_t)magnitude)
    length = write_integer((uint64_t)magnitude, out + sign_length);
  else if (is_float && value == (double)(float)value)
    length = write_float(magnitude, out + sign_length);
  shoal_assert(sign_length + length < NUMBER_TEXT_BYTES, "number text of %zu characters overflows its buffer", length);
  if (length == 0)
    return write_with_printf(value, is_float, out);
  out[sign_length + length] = '\0';
  return sign_length + length;
}
