// Functions available in a world's SQL. This is an allowlist, because later SQLite versions may add functions that
// reveal the time or the machine.
//
// Shoal replaces two kinds of functions. A single call of the first kind can take very long, but SQLite counts it as
// one step. Results of the second kind depend on the processor or the C library: SQLite's conversions use long double,
// and its mathematical functions call the C library.
#include "base/array.h"
#include "base/assert.h"
#include "base/exact_math.h"
#include "base/text_search.h"
#include "sql/sql_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_TRIM_SET_BYTES 64u // maximum number of bytes in trim's set of characters
#define MAX_DIGITS 30          // maximum number of digits after the decimal point

static sql_o *get_sql(sqlite3_context *c) {
  return sqlite3_user_data(c);
}

// Charges work on `bytes` bytes. Returns true on success, or false with the call's error set.
static bool charge_bytes(sqlite3_context *context, uint64_t bytes) {
  if (sql_charge_steps(get_sql(context), bytes / SQL_BYTES_PER_STEP))
    return true;
  sqlite3_result_error_code(context, SQLITE_INTERRUPT);
  return false;
}

typedef struct span_t {
  const unsigned char *data;
  size_t bytes;
} span_t;

static span_t get_text(sqlite3_value *value) {
  // sqlite3_value_text must precede sqlite3_value_bytes, because it may convert the value.
  const unsigned char *text = sqlite3_value_text(value);
  return (span_t){text ? text : (const unsigned char *)"", text ? (size_t)sqlite3_value_bytes(value) : 0};
}

static span_t get_blob(sqlite3_value *value) {
  const void *blob = sqlite3_value_blob(value);
  return (span_t){blob ? blob : "", blob ? (size_t)sqlite3_value_bytes(value) : 0};
}

static bool has_null_argument(int argc, sqlite3_value **argv) {
  for (int i = 0; i < argc; ++i)
    if (sqlite3_value_type(argv[i]) == SQLITE_NULL)
      return true;
  return false;
}

// --- instr, replace

// Returns the first occurrence of `needle`, or NULL if it does not occur.
static const unsigned char *find_bytes(span_t haystack, span_t needle) {
  return text_search_bytes(haystack.data, haystack.bytes, needle.data, needle.bytes);
}

static size_t count_characters(const unsigned char *start, const unsigned char *end) {
  size_t count = 0;
  for (; start < end; ++start)
    count += (*start & 0xc0) != 0x80;
  return count;
}

static void sql_instr(sqlite3_context *context, int argc, sqlite3_value **argv) {
  if (has_null_argument(argc, argv))
    return;
  bool are_blobs = sqlite3_value_type(argv[0]) == SQLITE_BLOB && sqlite3_value_type(argv[1]) == SQLITE_BLOB;
  span_t haystack = are_blobs ? get_blob(argv[0]) : get_text(argv[0]),
         needle = are_blobs ? get_blob(argv[1]) : get_text(argv[1]);
  if (!charge_bytes(context, haystack.bytes + needle.bytes))
    return;
  const unsigned char *match = find_bytes(haystack, needle);
  sqlite3_result_int64(context, !match ? 0
                                       : (sqlite3_int64)(are_blobs ? (size_t)(match - haystack.data)
                                                                   : count_characters(haystack.data, match)) +
                                             1);
}

static void sql_replace(sqlite3_context *context, int argc, sqlite3_value **argv) {
  if (has_null_argument(argc, argv))
    return;
  span_t rest = get_text(argv[0]), needle = get_text(argv[1]), replacement = get_text(argv[2]);
  if (needle.bytes == 0) {
    sqlite3_result_value(context, argv[0]);
    return;
  }
  // The size of the string is limited by the connection's maximum value size.
  sqlite3_str *out = sqlite3_str_new(sqlite3_context_db_handle(context));
  for (const unsigned char *match; (match = find_bytes(rest, needle)) && sqlite3_str_errcode(out) == SQLITE_OK;) {
    sqlite3_str_append(out, (const char *)rest.data, (int)(match - rest.data));
    sqlite3_str_append(out, (const char *)replacement.data, (int)replacement.bytes);
    size_t consumed = (size_t)(match - rest.data) + needle.bytes;
    if (!charge_bytes(context, consumed + needle.bytes + replacement.bytes + SQL_BYTES_PER_STEP))
      break;
    rest = (span_t){rest.data + consumed, rest.bytes - consumed};
  }
  sqlite3_str_append(out, (const char *)rest.data, (int)rest.bytes);
  int code = sqlite3_str_errcode(out), bytes = sqlite3_str_length(out);
  char *text = sqlite3_str_finish(out);
  if (get_sql(context)->stop_reason)
    sqlite3_free(text);
  else if (code != SQLITE_OK)
    code == SQLITE_TOOBIG ? sqlite3_result_error_toobig(context) : sqlite3_result_error_nomem(context);
  else
    sqlite3_result_text(context, text ? text : "", bytes, text ? sqlite3_free : SQLITE_STATIC);
}

// --- like, glob

// State of a LIKE or GLOB match. The match backtracks only to the last wildcard, so the cost is at most the product of
// the two lengths.
typedef struct match_t {
  const unsigned char *pattern, *pattern_end, *text, *text_end;
  bool glob;
  int escape; // escape character; -1: no escape character
} match_t;

// Reads the character at *cursor, which must be below `end`, and advances *cursor. An invalid UTF-8 byte is read as one
// character.
static uint32_t read_character(const unsigned char **cursor, const unsigned char *end) {
  shoal_assert(*cursor < end, "read past the end of the text");
  uint32_t character = *(*cursor)++;
  if (character < 0xc0)
    return character;
  for (character = character < 0xe0   ? character & 31
                   : character < 0xf0 ? character & 15
                                      : character & 7;
       *cursor < end && (**cursor & 0xc0) == 0x80; ++*cursor)
    character = character << 6 | (**cursor & 0x3f);
  return character;
}

static uint32_t to_lower(uint32_t c) {
  return c >= 'A' && c <= 'Z' ? c + 32 : c;
}

// Matches a set: [abc], [a-z], [^…]. `cursor` points after the opening bracket. Returns the end of the set if it
// matches the character, or NULL if it does not match or is unterminated.
static const unsigned char *match_set(const unsigned char *cursor, const unsigned char *end, uint32_t character) {
  bool is_positive = true, contains = false;
  uint32_t range_start = 0;
  if (cursor < end && *cursor == '^') {
    is_positive = false;
    ++cursor;
  }
  for (bool is_first = true; cursor < end && (*cursor != ']' || is_first); is_first = false) {
    uint32_t set_character = read_character(&cursor, end);
    if (set_character == '-' && range_start && cursor < end && *cursor != ']') {
      set_character = read_character(&cursor, end);
      contains |= character >= range_start && character <= set_character;
      range_start = 0;
    } else {
      contains |= character == set_character;
      range_start = set_character;
    }
  }
  return cursor < end && contains == is_positive ? cursor + 1 : NULL;
}

// Matches one non-wildcard character of the pattern and advances both positions. Returns true on success, or false,
// with undefined positions, if the character does not match.
static bool match_character(match_t *match) {
  uint32_t character = read_character(&match->text, match->text_end),
           pattern_character = read_character(&match->pattern, match->pattern_end);
  if (match->glob) {
    if (pattern_character == '[')
      return (match->pattern = match_set(match->pattern, match->pattern_end, character)) != NULL;
    return pattern_character == '?' || pattern_character == character;
  }
  if ((int)pattern_character == match->escape)
    return match->pattern < match->pattern_end &&
           to_lower(read_character(&match->pattern, match->pattern_end)) == to_lower(character);
  return pattern_character == '_' || to_lower(pattern_character) == to_lower(character);
}

static bool matches_pattern(sqlite3_context *context, match_t match) {
  const unsigned char *retry_pattern = NULL, *retry_text = NULL, wildcard = match.glob ? '*' : '%';
  uint64_t work = 0;
  for (;;) {
    if ((++work & 1023) == 0 && !charge_bytes(context, 1024 * SQL_BYTES_PER_STEP / 8))
      return false;
    if (match.pattern < match.pattern_end && *match.pattern == wildcard && (int)wildcard != match.escape) {
      retry_pattern = ++match.pattern;
      retry_text = match.text;
    } else if (match.pattern == match.pattern_end && match.text == match.text_end) {
      return true;
    } else if (match.pattern == match.pattern_end || match.text == match.text_end || !match_character(&match)) {
      if (!retry_pattern || retry_text == match.text_end)
        return false;
      read_character(&retry_text, match.text_end);
      match.pattern = retry_pattern;
      match.text = retry_text;
    }
  }
}

static void run_match(sqlite3_context *context, sqlite3_value *pattern, sqlite3_value *text, bool glob, int escape) {
  span_t pattern_span = get_text(pattern), text_span = get_text(text);
  int max_bytes = sqlite3_limit(sqlite3_context_db_handle(context), SQLITE_LIMIT_LIKE_PATTERN_LENGTH, -1);
  char message[96];
  if (pattern_span.bytes > (size_t)max_bytes) {
    snprintf(message, sizeof message, "LIKE or GLOB: the pattern is too long: %zu bytes (at most %d)",
             pattern_span.bytes, max_bytes);
    sqlite3_result_error(context, message, -1);
    return;
  }
  match_t match = {pattern_span.data,
                   pattern_span.data + pattern_span.bytes,
                   text_span.data,
                   text_span.data + text_span.bytes,
                   glob,
                   escape};
  bool matches = matches_pattern(context, match);
  if (!get_sql(context)->stop_reason)
    sqlite3_result_int(context, matches);
}

static bool are_texts(int argc, sqlite3_value **argv) {
  return !has_null_argument(argc, argv) && sqlite3_value_type(argv[0]) != SQLITE_BLOB &&
         sqlite3_value_type(argv[1]) != SQLITE_BLOB;
}

static void sql_like(sqlite3_context *context, int argc, sqlite3_value **argv) {
  int escape = -1;
  if (has_null_argument(argc, argv))
    return;
  if (!are_texts(argc, argv)) {
    sqlite3_result_int(context, 0);
    return;
  }
  if (argc == 3) {
    span_t escape_span = get_text(argv[2]);
    const unsigned char *end = escape_span.data;
    escape = escape_span.bytes ? (int)read_character(&end, escape_span.data + escape_span.bytes) : -1;
    if (escape_span.bytes == 0 || end != escape_span.data + escape_span.bytes) {
      sqlite3_result_error(context, "ESCAPE expression must be a single character", -1);
      return;
    }
  }
  run_match(context, argv[0], argv[1], false, escape);
}

static void sql_glob(sqlite3_context *context, int argc, sqlite3_value **argv) {
  if (has_null_argument(argc, argv))
    return;
  if (are_texts(argc, argv))
    run_match(context, argv[0], argv[1], true, -1);
  else
    sqlite3_result_int(context, 0);
}

// --- trim

enum { TRIM_LEFT = 1, TRIM_RIGHT = 2 };

// Returns true if the set contains the character between `character` and `end`.
static bool has_character(span_t set, const unsigned char *character, const unsigned char *end) {
  for (const unsigned char *cursor = set.data, *next; cursor < set.data + set.bytes; cursor = next) {
    next = cursor;
    read_character(&next, set.data + set.bytes);
    if (next - cursor == end - character && memcmp(cursor, character, (size_t)(end - character)) == 0)
      return true;
  }
  return false;
}

static const unsigned char *trim_left(span_t set, const unsigned char *start, const unsigned char *end) {
  for (const unsigned char *next = start; start < end; start = next) {
    read_character(&next, end);
    if (!has_character(set, start, next))
      break;
  }
  return start;
}

static const unsigned char *trim_right(span_t set, const unsigned char *start, const unsigned char *end) {
  while (end > start) {
    const unsigned char *last = end - 1;
    while (last > start && (*last & 0xc0) == 0x80)
      --last;
    if (!has_character(set, last, end))
      break;
    end = last;
  }
  return end;
}

static void trim_argument(sqlite3_context *context, int argc, sqlite3_value **argv, int sides) {
  if (has_null_argument(argc, argv))
    return;
  span_t text = get_text(argv[0]), set = argc == 2 ? get_text(argv[1]) : (span_t){(const unsigned char *)" ", 1};
  if (set.bytes > MAX_TRIM_SET_BYTES) {
    sqlite3_result_error(context, "trim: the list of characters is too long (at most 64 bytes)", -1);
    return;
  }
  const unsigned char *start = text.data, *end = text.data + text.bytes;
  if (!charge_bytes(context, text.bytes * (set.bytes + 1) / 8))
    return;
  start = sides & TRIM_LEFT ? trim_left(set, start, end) : start;
  end = sides & TRIM_RIGHT ? trim_right(set, start, end) : end;
  sqlite3_result_text(context, (const char *)start, (int)(end - start), SQLITE_TRANSIENT);
}

static void sql_trim(sqlite3_context *c, int argc, sqlite3_value **argv) {
  trim_argument(c, argc, argv, TRIM_LEFT | TRIM_RIGHT);
}

static void sql_ltrim(sqlite3_context *c, int argc, sqlite3_value **argv) {
  trim_argument(c, argc, argv, TRIM_LEFT);
}

static void sql_rtrim(sqlite3_context *c, int argc, sqlite3_value **argv) {
  trim_argument(c, argc, argv, TRIM_RIGHT);
}

// --- numbers
// The C library's conversions round correctly on every processor.

static void sql_round(sqlite3_context *context, int argc, sqlite3_value **argv) {
  char text[400];
  if (has_null_argument(argc, argv))
    return;
  sqlite3_int64 digits = argc == 2 ? sqlite3_value_int64(argv[1]) : 0;
  double number = sqlite3_value_double(argv[0]);
  digits = digits < 0 ? 0 : digits > MAX_DIGITS ? MAX_DIGITS : digits;
  if (!isfinite(number) || fabs(number) >= 4503599627370496.0) { // such large numbers have no fractional digits
    sqlite3_result_double(context, number);
  } else if (digits == 0) {
    sqlite3_result_double(context, trunc(number < 0 ? number - 0.5 : number + 0.5));
  } else {
    snprintf(text, sizeof text, "%.*f", (int)digits, number);
    sqlite3_result_double(context, strtod(text, NULL));
  }
}

// A printf conversion such as `%-8.2f`.
typedef struct conversion_t {
  char flags[8];
  int width, precision; // `width`: minimum; `precision`: -1 if not given
  char letter;
} conversion_t;

typedef struct arguments_t {
  sqlite3_value **items;
  int count, next;
} arguments_t;

static sqlite3_value *next_argument(arguments_t *arguments) {
  return arguments->next < arguments->count ? arguments->items[arguments->next++] : NULL;
}

static int read_length(const char **cursor, arguments_t *arguments) {
  int length = 0;
  if (**cursor == '*') {
    sqlite3_value *argument = next_argument(arguments);
    sqlite3_int64 number = argument ? sqlite3_value_int64(argument) : 0;
    ++*cursor;
    return number > (sqlite3_int64)SQL_VALUE_BYTES    ? (int)SQL_VALUE_BYTES
           : number < -(sqlite3_int64)SQL_VALUE_BYTES ? 0
                                                      : (int)number;
  }
  for (; **cursor >= '0' && **cursor <= '9'; ++*cursor)
    length = length < (int)SQL_VALUE_BYTES ? length * 10 + (**cursor - '0') : length;
  return length < (int)SQL_VALUE_BYTES ? length : (int)SQL_VALUE_BYTES;
}

// Parses a conversion. `cursor` points after the `%`. Returns true on success, or false if the format ends within the
// conversion.
static bool read_conversion(const char **cursor, arguments_t *arguments, conversion_t *out) {
  size_t flag_count = 0;
  *out = (conversion_t){.precision = -1};
  for (; **cursor && strchr("-+ #0!,", **cursor); ++*cursor)
    if (!strchr(out->flags, **cursor) && flag_count + 1 < sizeof out->flags)
      out->flags[flag_count++] = **cursor;
  out->width = read_length(cursor, arguments);
  if (out->width < 0) {
    out->width = -out->width;
    if (!strchr(out->flags, '-') && flag_count + 1 < sizeof out->flags)
      out->flags[flag_count] = '-';
  }
  if (**cursor == '.') {
    ++*cursor;
    out->precision = read_length(cursor, arguments);
    out->precision = out->precision < 0 ? -out->precision : out->precision;
  }
  while (**cursor == 'l')
    ++*cursor;
  out->letter = **cursor;
  *cursor += **cursor != '\0';
  return out->letter != '\0';
}

static void write_float(sqlite3_str *out, const conversion_t *conversion, double value) {
  char format[24], text[512], flags[8];
  size_t flag_count = 0;
  for (const char *flag = conversion->flags; *flag; ++flag)
    if (*flag != '!' && *flag != ',')
      flags[flag_count++] = *flag;
  flags[flag_count] = '\0';
  snprintf(format, sizeof format, "%%%s*.*%c", flags, conversion->letter);
  int width = conversion->width > 100 ? 100 : conversion->width,
      precision = conversion->precision < 0 ? 6 : conversion->precision;
  snprintf(text, sizeof text, format, width, precision > MAX_DIGITS ? MAX_DIGITS : precision, value);
  shoal_assert(strlen(text) + 1 < sizeof text, "a number formatted with %%%c was truncated", conversion->letter);
  sqlite3_str_appendall(out, text);
}

// Formats all conversions except floats and characters with SQLite's own code, whose results do not depend on the
// processor.
static void write_sqlite_conversion(sqlite3_str *out, const conversion_t *conversion, sqlite3_value *argument) {
  char format[32];
  bool is_integer = strchr("dixXou", conversion->letter) != NULL;
  snprintf(format, sizeof format, conversion->precision < 0 ? "%%%s*%s%c" : "%%%s*.*%s%c", conversion->flags,
           is_integer ? "ll" : "", conversion->letter);
  if (is_integer && conversion->precision < 0)
    sqlite3_str_appendf(out, format, conversion->width, argument ? sqlite3_value_int64(argument) : (sqlite3_int64)0);
  else if (is_integer)
    sqlite3_str_appendf(out, format, conversion->width, conversion->precision,
                        argument ? sqlite3_value_int64(argument) : (sqlite3_int64)0);
  else if (conversion->precision < 0)
    sqlite3_str_appendf(out, format, conversion->width, argument ? (const char *)sqlite3_value_text(argument) : NULL);
  else
    sqlite3_str_appendf(out, format, conversion->width, conversion->precision,
                        argument ? (const char *)sqlite3_value_text(argument) : NULL);
}

// Implements %c: writes the argument's first character `precision` times, at least once, padded to the width.
static void write_character(sqlite3_str *out, const conversion_t *conversion, sqlite3_value *argument) {
  span_t text = argument ? get_text(argument) : (span_t){(const unsigned char *)"", 0};
  const unsigned char *end = text.data;
  if (text.bytes)
    read_character(&end, text.data + text.bytes);
  int bytes = (int)(end - text.data), times = conversion->precision > 1 ? conversion->precision : 1,
      padding = conversion->width - times;
  bool left_aligned = strchr(conversion->flags, '-') != NULL;
  if (padding > 0 && !left_aligned)
    sqlite3_str_appendchar(out, padding, ' ');
  for (int i = 0; i < times && sqlite3_str_errcode(out) == SQLITE_OK; ++i)
    sqlite3_str_append(out, (const char *)text.data, bytes);
  if (padding > 0 && left_aligned)
    sqlite3_str_appendchar(out, padding, ' ');
}

static void write_conversion(sqlite3_str *out, const conversion_t *conversion, arguments_t *arguments) {
  if (conversion->letter == '%')
    sqlite3_str_appendchar(out, 1, '%');
  else if (conversion->letter == 'n')
    return;
  else if (strchr("feEgG", conversion->letter)) {
    sqlite3_value *argument = next_argument(arguments);
    write_float(out, conversion, argument ? sqlite3_value_double(argument) : 0);
  } else if (conversion->letter == 'c')
    write_character(out, conversion, next_argument(arguments));
  else if (strchr("dixXousqQw", conversion->letter))
    write_sqlite_conversion(out, conversion, next_argument(arguments));
}

static void sql_printf(sqlite3_context *context, int argc, sqlite3_value **argv) {
  if (argc == 0 || sqlite3_value_type(argv[0]) == SQLITE_NULL)
    return;
  sqlite3_str *out = sqlite3_str_new(sqlite3_context_db_handle(context));
  const char *cursor = (const char *)sqlite3_value_text(argv[0]);
  arguments_t arguments = {argv + 1, argc - 1, 0};
  conversion_t conversion;
  while (cursor && *cursor && sqlite3_str_errcode(out) == SQLITE_OK) {
    size_t literal_bytes = strcspn(cursor, "%");
    sqlite3_str_append(out, cursor, (int)literal_bytes);
    cursor += literal_bytes;
    if (*cursor != '%')
      break;
    ++cursor;
    if (!read_conversion(&cursor, &arguments, &conversion))
      break;
    write_conversion(out, &conversion, &arguments);
  }
  int code = sqlite3_str_errcode(out), bytes = sqlite3_str_length(out);
  char *text = sqlite3_str_finish(out);
  if (code != SQLITE_OK)
    code == SQLITE_TOOBIG ? sqlite3_result_error_toobig(context) : sqlite3_result_error_nomem(context);
  else if (charge_bytes(context, (uint64_t)bytes))
    sqlite3_result_text(context, text ? text : "", bytes, text ? sqlite3_free : SQLITE_STATIC);
  else
    sqlite3_free(text);
}

// Mathematical functions: sin, pow, and so on. Their results are bit-identical to the results in scripts and systems.
// The result is NULL if an argument is not a number or the result is NaN.

static bool is_number(sqlite3_value *v) {
  int type = sqlite3_value_numeric_type(v);
  return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
}

static void set_result(sqlite3_context *context, double number) {
  if (!isnan(number)) // the result stays NULL for NaN
    sqlite3_result_double(context, number);
}

#define SQL_UNARY(name_, f_)                                                                                           \
  static void sql_##name_(sqlite3_context *c, int argc, sqlite3_value **argv) {                                        \
    (void)argc;                                                                                                        \
    if (is_number(argv[0]))                                                                                            \
      set_result(c, f_(sqlite3_value_double(argv[0])));                                                                \
  }
#define SQL_BINARY(name_, f_)                                                                                          \
  static void sql_##name_(sqlite3_context *c, int argc, sqlite3_value **argv) {                                        \
    (void)argc;                                                                                                        \
    if (is_number(argv[0]) && is_number(argv[1]))                                                                      \
      set_result(c, f_(sqlite3_value_double(argv[0]), sqlite3_value_double(argv[1])));                                 \
  }

// Returns the logarithm of a positive number, otherwise NaN, which is NULL in SQL, as in SQLite.
static double log_or_nan(double x) {
  return x > 0 ? exact_log(x) : NAN;
}

static double log10_or_nan(double x) {
  return x > 0 ? exact_log10(x) : NAN;
}

static double log2_or_nan(double x) {
  return x > 0 ? exact_log2(x) : NAN;
}

static double log_to_base(double base, double x) {
  double log_base = log_or_nan(base);
  return log_base > 0 || log_base < 0 ? log_or_nan(x) / log_base : NAN;
}

SQL_UNARY(acos, exact_acos)
SQL_UNARY(acosh, exact_acosh)
SQL_UNARY(asin, exact_asin)
SQL_UNARY(asinh, exact_asinh)
SQL_UNARY(atan, exact_atan)
SQL_UNARY(atanh, exact_atanh)
SQL_UNARY(cos, exact_cos)
SQL_UNARY(cosh, exact_cosh)
SQL_UNARY(exp, exact_exp)
SQL_UNARY(ln, log_or_nan)
SQL_UNARY(log10, log10_or_nan)
SQL_UNARY(log2, log2_or_nan)
SQL_UNARY(sin, exact_sin)
SQL_UNARY(sinh, exact_sinh)
SQL_UNARY(tan, exact_tan)
SQL_UNARY(tanh, exact_tanh)
SQL_BINARY(atan2, exact_atan2)
SQL_BINARY(log_base, log_to_base)
SQL_BINARY(pow, exact_pow)

// --- registration

// Allowed functions, in alphabetical order. The list omits functions that reveal the time, random numbers, the
// connection (changes, last_insert_rowid) or the library. It also omits json_patch, which is quadratic in the number of
// keys.
static const char *const ALLOWED[] = {
    "->",
    "->>",
    "abs",
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "avg",
    "ceil",
    "ceiling",
    "char",
    "coalesce",
    "concat",
    "concat_ws",
    "cos",
    "cosh",
    "count",
    "cume_dist",
    "degrees",
    "dense_rank",
    "exp",
    "first_value",
    "floor",
    "format",
    "glob",
    "group_concat",
    "hex",
    "ifnull",
    "iif",
    "instr",
    "json",
    "json_array",
    "json_array_length",
    "json_error_position",
    "json_extract",
    "json_group_array",
    "json_group_object",
    "json_insert",
    "json_object",
    "json_quote",
    "json_remove",
    "json_replace",
    "json_set",
    "json_type",
    "json_valid",
    "lag",
    "last_value",
    "lead",
    "length",
    "like",
    "likelihood",
    "likely",
    "ln",
    "log",
    "log10",
    "log2",
    "lower",
    "ltrim",
    "max",
    "min",
    "mod",
    "nth_value",
    "ntile",
    "nullif",
    "octet_length",
    "percent_rank",
    "pi",
    "pow",
    "power",
    "printf",
    "quote",
    "radians",
    "rank",
    "replace",
    "round",
    "row_number",
    "rtrim",
    "sign",
    "sin",
    "sinh",
    "sqrt",
    "string_agg",
    "substr",
    "substring",
    "sum",
    "tan",
    "tanh",
    "total",
    "trim",
    "trunc",
    "typeof",
    "unhex",
    "unicode",
    "unlikely",
    "upper",
    "zeroblob",
};

static int compare_names(const void *a, const void *b) {
  return sqlite3_stricmp(*(const char *const *)a, *(const char *const *)b);
}

#ifndef NDEBUG
static bool is_list_sorted(void) {
  for (size_t i = 1; i < sizeof ALLOWED / sizeof *ALLOWED; ++i)
    if (compare_names(&ALLOWED[i - 1], &ALLOWED[i]) >= 0)
      return false;
  return true;
}
#endif

bool sql_function_is_allowed(const char *name) {
  return bsearch(&name, ALLOWED, sizeof ALLOWED / sizeof *ALLOWED, sizeof *ALLOWED, compare_names) != NULL;
}

void sql_functions_suggest(nearest_name_t *suggestion) {
  for (size_t i = 0; i < sizeof ALLOWED / sizeof *ALLOWED; ++i)
    nearest_name_offer(suggestion, ALLOWED[i]);
}

bool sql_functions_register(sql_o *s, error_info_t *error) {
  static const struct {
    const char *name;
    int arguments;
    void (*call)(sqlite3_context *c, int argc, sqlite3_value **argv);
  } FUNCTIONS[] = {
      {"instr", 2, sql_instr}, {"replace", 3, sql_replace}, {"like", 2, sql_like},    {"like", 3, sql_like},
      {"glob", 2, sql_glob},   {"trim", 1, sql_trim},       {"trim", 2, sql_trim},    {"ltrim", 1, sql_ltrim},
      {"ltrim", 2, sql_ltrim}, {"rtrim", 1, sql_rtrim},     {"rtrim", 2, sql_rtrim},  {"round", 1, sql_round},
      {"round", 2, sql_round}, {"printf", -1, sql_printf},  {"acos", 1, sql_acos},    {"asin", 1, sql_asin},
      {"atan", 1, sql_atan},   {"atan2", 2, sql_atan2},     {"cos", 1, sql_cos},      {"cosh", 1, sql_cosh},
      {"exp", 1, sql_exp},     {"acosh", 1, sql_acosh},     {"asinh", 1, sql_asinh},  {"atanh", 1, sql_atanh},
      {"ln", 1, sql_ln},       {"log", 1, sql_log10},       {"log", 2, sql_log_base}, {"log10", 1, sql_log10},
      {"log2", 1, sql_log2},   {"pow", 2, sql_pow},         {"power", 2, sql_pow},    {"sin", 1, sql_sin},
      {"sinh", 1, sql_sinh},   {"tan", 1, sql_tan},         {"tanh", 1, sql_tanh},    {"format", -1, sql_printf},
  };
  int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, code = SQLITE_OK;
  shoal_assert(is_list_sorted(), "the table of known functions must be sorted");
  for (size_t i = 0; i < sizeof FUNCTIONS / sizeof *FUNCTIONS && code == SQLITE_OK; ++i) {
    shoal_assert(sql_function_is_allowed(FUNCTIONS[i].name), "%s is registered but not in the list of known functions",
                 FUNCTIONS[i].name);
    code = sqlite3_create_function_v2(s->db, FUNCTIONS[i].name, FUNCTIONS[i].arguments, flags, s, FUNCTIONS[i].call,
                                      NULL, NULL, NULL);
  }
  return code == SQLITE_OK || error_set(error, "SQLite: %s", sqlite3_errmsg(s->db));
}
