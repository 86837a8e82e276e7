// Functions available in a world's SQL. This is an allowlist, because later SQLite versions may add functions that
// reveal the time or the machine.
//
// Shoal replaces functions if one call can take very long (SQLite counts it as one step), or if their results depend on
// the processor or the C library: SQLite's conversions use long double, and its mathematical functions those of C.
#include "base/array.h"
#include "base/assert.h"
#include "base/exact_math.h"
#include "sql/sql_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_TRIMMED 64u // maximum number of bytes in trim's set of characters
#define MAX_DIGITS 30   // maximum number of digits after the decimal point

static sql_o *get_sql(sqlite3_context *c) {
  return sqlite3_user_data(c);
}

// Charges work on `bytes` bytes. Returns false with the call's error set.
static bool charge_bytes(sqlite3_context *c, uint64_t bytes) {
  if (sql_charge_steps(get_sql(c), bytes / SQL_BYTES_PER_STEP))
    return true;
  sqlite3_result_error_code(c, SQLITE_INTERRUPT);
  return false;
}

typedef struct part_t {
  const unsigned char *at;
  size_t bytes;
} part_t;

static part_t get_text(sqlite3_value *v) {
  const unsigned char *text = sqlite3_value_text(v); // must precede sqlite3_value_bytes, because it may convert the
                                                     // value
  return (part_t){text ? text : (const unsigned char *)"", text ? (size_t)sqlite3_value_bytes(v) : 0};
}

static part_t get_blob(sqlite3_value *v) {
  const void *blob = sqlite3_value_blob(v);
  return (part_t){blob ? blob : "", blob ? (size_t)sqlite3_value_bytes(v) : 0};
}

static bool has_null_argument(int argc, sqlite3_value **argv) {
  for (int i = 0; i < argc; ++i)
    if (sqlite3_value_type(argv[i]) == SQLITE_NULL)
      return true;
  return false;
}

// --- instr, replace

// Returns the first occurrence of `what`, or NULL. The time of memmem is linear in both lengths.
static const unsigned char *find_bytes(part_t in, part_t what) {
  return memmem(in.at, in.bytes, what.at, what.bytes);
}

static size_t count_characters(const unsigned char *from, const unsigned char *to) {
  size_t n = 0;
  for (; from < to; ++from)
    n += (*from & 0xc0) != 0x80;
  return n;
}

static void sql_instr(sqlite3_context *c, int argc, sqlite3_value **argv) {
  if (has_null_argument(argc, argv))
    return;
  bool blobs = sqlite3_value_type(argv[0]) == SQLITE_BLOB && sqlite3_value_type(argv[1]) == SQLITE_BLOB;
  part_t in = blobs ? get_blob(argv[0]) : get_text(argv[0]), what = blobs ? get_blob(argv[1]) : get_text(argv[1]);
  if (!charge_bytes(c, in.bytes + what.bytes))
    return;
  const unsigned char *at = find_bytes(in, what);
  sqlite3_result_int64(c, !at ? 0 : (sqlite3_int64)(blobs ? (size_t)(at - in.at) : count_characters(in.at, at)) + 1);
}

static void sql_replace(sqlite3_context *c, int argc, sqlite3_value **argv) {
  if (has_null_argument(argc, argv))
    return;
  part_t in = get_text(argv[0]), what = get_text(argv[1]), with = get_text(argv[2]);
  if (what.bytes == 0) {
    sqlite3_result_value(c, argv[0]);
    return;
  }
  // The connection limits the string to the maximum value size.
  sqlite3_str *out = sqlite3_str_new(sqlite3_context_db_handle(c));
  for (const unsigned char *at; (at = find_bytes(in, what)) && sqlite3_str_errcode(out) == SQLITE_OK;) {
    sqlite3_str_append(out, (const char *)in.at, (int)(at - in.at));
    sqlite3_str_append(out, (const char *)with.at, (int)with.bytes);
    size_t used = (size_t)(at - in.at) + what.bytes;
    if (!charge_bytes(c, used + what.bytes + with.bytes + SQL_BYTES_PER_STEP))
      break;
    in = (part_t){in.at + used, in.bytes - used};
  }
  sqlite3_str_append(out, (const char *)in.at, (int)in.bytes);
  int code = sqlite3_str_errcode(out), bytes = sqlite3_str_length(out);
  char *text = sqlite3_str_finish(out);
  if (get_sql(c)->stopped)
    sqlite3_free(text);
  else if (code != SQLITE_OK)
    code == SQLITE_TOOBIG ? sqlite3_result_error_toobig(c) : sqlite3_result_error_nomem(c);
  else
    sqlite3_result_text(c, text ? text : "", bytes, text ? sqlite3_free : SQLITE_STATIC);
}

// --- like, glob

// State of a LIKE or GLOB match. The match backtracks only to the last wildcard, so the cost is at most the product of
// the two lengths.
typedef struct match_t {
  const unsigned char *pattern, *pattern_end, *text, *text_end;
  bool glob;
  int escape; // escape character; -1: none
} match_t;

// Reads the character at *at, which must be below `end`, and advances *at. An invalid UTF-8 byte is read as one
// character.
static uint32_t read_character(const unsigned char **at, const unsigned char *end) {
  shoal_assert(*at < end, "read past the end of the text");
  uint32_t c = *(*at)++;
  if (c < 0xc0)
    return c;
  for (c = c < 0xe0 ? c & 31 : c < 0xf0 ? c & 15 : c & 7; *at < end && (**at & 0xc0) == 0x80; ++*at)
    c = c << 6 | (**at & 0x3f);
  return c;
}

static uint32_t to_lower(uint32_t c) {
  return c >= 'A' && c <= 'Z' ? c + 32 : c;
}

// Matches a set: [abc], [a-z], [^…]. `at` points after the opening bracket. Returns the end of the set; NULL if the set
// is unterminated or does not match the character.
static const unsigned char *match_set(const unsigned char *at, const unsigned char *end, uint32_t c) {
  bool is_positive = true, found = false;
  uint32_t before = 0;
  if (at < end && *at == '^') {
    is_positive = false;
    ++at;
  }
  for (bool first = true; at < end && (*at != ']' || first); first = false) {
    uint32_t x = read_character(&at, end);
    if (x == '-' && before && at < end && *at != ']') {
      x = read_character(&at, end);
      found |= c >= before && c <= x;
      before = 0;
    } else {
      found |= c == x;
      before = x;
    }
  }
  return at < end && found == is_positive ? at + 1 : NULL;
}

// Matches one non-wildcard character of the pattern and advances both positions, which are undefined if the character
// does not match (false).
static bool match_character(match_t *m) {
  uint32_t c = read_character(&m->text, m->text_end), p = read_character(&m->pattern, m->pattern_end);
  if (m->glob) {
    if (p == '[')
      return (m->pattern = match_set(m->pattern, m->pattern_end, c)) != NULL;
    return p == '?' || p == c;
  }
  if ((int)p == m->escape)
    return m->pattern < m->pattern_end && to_lower(read_character(&m->pattern, m->pattern_end)) == to_lower(c);
  return p == '_' || to_lower(p) == to_lower(c);
}

static bool matches_pattern(sqlite3_context *c, match_t m) {
  const unsigned char *retry_pattern = NULL, *retry_text = NULL, many = m.glob ? '*' : '%';
  uint64_t work = 0;
  for (;;) {
    if ((++work & 1023) == 0 && !charge_bytes(c, 1024 * SQL_BYTES_PER_STEP / 8))
      return false;
    if (m.pattern < m.pattern_end && *m.pattern == many && (int)many != m.escape) {
      retry_pattern = ++m.pattern;
      retry_text = m.text;
    } else if (m.pattern == m.pattern_end && m.text == m.text_end) {
      return true;
    } else if (m.pattern == m.pattern_end || m.text == m.text_end || !match_character(&m)) {
      if (!retry_pattern || retry_text == m.text_end)
        return false;
      read_character(&retry_text, m.text_end);
      m.pattern = retry_pattern;
      m.text = retry_text;
    }
  }
}

static void run_match(sqlite3_context *c, sqlite3_value *pattern, sqlite3_value *text, bool glob, int escape) {
  part_t p = get_text(pattern), t = get_text(text);
  int max = sqlite3_limit(sqlite3_context_db_handle(c), SQLITE_LIMIT_LIKE_PATTERN_LENGTH, -1);
  char message[96];
  if (p.bytes > (size_t)max) {
    snprintf(message, sizeof message, "LIKE or GLOB: the pattern is too long: %zu bytes (at most %d)", p.bytes, max);
    sqlite3_result_error(c, message, -1);
    return;
  }
  match_t m = {p.at, p.at + p.bytes, t.at, t.at + t.bytes, glob, escape};
  bool is = matches_pattern(c, m);
  if (!get_sql(c)->stopped)
    sqlite3_result_int(c, is);
}

static bool are_texts(int argc, sqlite3_value **argv) {
  return !has_null_argument(argc, argv) && sqlite3_value_type(argv[0]) != SQLITE_BLOB &&
         sqlite3_value_type(argv[1]) != SQLITE_BLOB;
}

static void sql_like(sqlite3_context *c, int argc, sqlite3_value **argv) {
  int escape = -1;
  if (has_null_argument(argc, argv))
    return;
  if (!are_texts(argc, argv)) {
    sqlite3_result_int(c, 0);
    return;
  }
  if (argc == 3) {
    part_t e = get_text(argv[2]);
    const unsigned char *at = e.at;
    escape = e.bytes ? (int)read_character(&at, e.at + e.bytes) : -1;
    if (e.bytes == 0 || at != e.at + e.bytes) {
      sqlite3_result_error(c, "ESCAPE expression must be a single character", -1);
      return;
    }
  }
  run_match(c, argv[0], argv[1], false, escape);
}

static void sql_glob(sqlite3_context *c, int argc, sqlite3_value **argv) {
  if (has_null_argument(argc, argv))
    return;
  if (are_texts(argc, argv))
    run_match(c, argv[0], argv[1], true, -1);
  else
    sqlite3_result_int(c, 0);
}

// --- trim

enum { TRIM_LEFT = 1, TRIM_RIGHT = 2 };

// Returns true if the set contains the character between `at` and `end`.
static bool has_character(part_t set, const unsigned char *at, const unsigned char *end) {
  for (const unsigned char *s = set.at, *next; s < set.at + set.bytes; s = next) {
    next = s;
    read_character(&next, set.at + set.bytes);
    if (next - s == end - at && memcmp(s, at, (size_t)(end - at)) == 0)
      return true;
  }
  return false;
}

static const unsigned char *trim_left(part_t set, const unsigned char *from, const unsigned char *to) {
  for (const unsigned char *next = from; from < to; from = next) {
    read_character(&next, to);
    if (!has_character(set, from, next))
      break;
  }
  return from;
}

static const unsigned char *trim_right(part_t set, const unsigned char *from, const unsigned char *to) {
  while (to > from) {
    const unsigned char *last = to - 1;
    while (last > from && (*last & 0xc0) == 0x80)
      --last;
    if (!has_character(set, last, to))
      break;
    to = last;
  }
  return to;
}

static void trim_argument(sqlite3_context *c, int argc, sqlite3_value **argv, int sides) {
  if (has_null_argument(argc, argv))
    return;
  part_t in = get_text(argv[0]), set = argc == 2 ? get_text(argv[1]) : (part_t){(const unsigned char *)" ", 1};
  if (set.bytes > MAX_TRIMMED) {
    sqlite3_result_error(c, "trim: the list of characters is too long (at most 64 bytes)", -1);
    return;
  }
  const unsigned char *from = in.at, *to = in.at + in.bytes;
  if (!charge_bytes(c, in.bytes * (set.bytes + 1) / 8))
    return;
  from = sides & TRIM_LEFT ? trim_left(set, from, to) : from;
  to = sides & TRIM_RIGHT ? trim_right(set, from, to) : to;
  sqlite3_result_text(c, (const char *)from, (int)(to - from), SQLITE_TRANSIENT);
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

static void sql_round(sqlite3_context *c, int argc, sqlite3_value **argv) {
  char text[400];
  if (has_null_argument(argc, argv))
    return;
  sqlite3_int64 digits = argc == 2 ? sqlite3_value_int64(argv[1]) : 0;
  double x = sqlite3_value_double(argv[0]);
  digits = digits < 0 ? 0 : digits > MAX_DIGITS ? MAX_DIGITS : digits;
  if (!isfinite(x) || fabs(x) >= 4503599627370496.0) { // such large numbers have no fractional digits
    sqlite3_result_double(c, x);
  } else if (digits == 0) {
    sqlite3_result_double(c, trunc(x < 0 ? x - 0.5 : x + 0.5));
  } else {
    snprintf(text, sizeof text, "%.*f", (int)digits, x);
    sqlite3_result_double(c, strtod(text, NULL));
  }
}

// A printf conversion such as `%-8.2f`.
typedef struct conversion_t {
  char flags[8];
  int width, precision; // precision: -1 if not given
  char letter;
} conversion_t;

typedef struct arguments_t {
  sqlite3_value **items;
  int count, next;
} arguments_t;

static sqlite3_value *next_argument(arguments_t *a) {
  return a->next < a->count ? a->items[a->next++] : NULL;
}

static int read_length(const char **at, arguments_t *a) {
  int n = 0;
  if (**at == '*') {
    sqlite3_value *v = next_argument(a);
    sqlite3_int64 x = v ? sqlite3_value_int64(v) : 0;
    ++*at;
    return x > (sqlite3_int64)SQL_VALUE_BYTES ? (int)SQL_VALUE_BYTES : x < -(sqlite3_int64)SQL_VALUE_BYTES ? 0 : (int)x;
  }
  for (; **at >= '0' && **at <= '9'; ++*at)
    n = n < (int)SQL_VALUE_BYTES ? n * 10 + (**at - '0') : n;
  return n < (int)SQL_VALUE_BYTES ? n : (int)SQL_VALUE_BYTES;
}

// Parses a conversion; `at` points after the `%`. Returns false if the format ends within the conversion.
static bool read_conversion(const char **at, arguments_t *a, conversion_t *out) {
  size_t flags = 0;
  *out = (conversion_t){.precision = -1};
  for (; **at && strchr("-+ #0!,", **at); ++*at)
    if (!strchr(out->flags, **at) && flags + 1 < sizeof out->flags)
      out->flags[flags++] = **at;
  out->width = read_length(at, a);
  if (out->width < 0) {
    out->width = -out->width;
    if (!strchr(out->flags, '-') && flags + 1 < sizeof out->flags)
      out->flags[flags] = '-';
  }
  if (**at == '.') {
    ++*at;
    out->precision = read_length(at, a);
    out->precision = out->precision < 0 ? -out->precision : out->precision;
  }
  while (**at == 'l')
    ++*at;
  out->letter = **at;
  *at += **at != '\0';
  return out->letter != '\0';
}

static void write_float(sqlite3_str *out, const conversion_t *x, double value) {
  char format[24], text[512], flags[8];
  size_t n = 0;
  for (const char *f = x->flags; *f; ++f)
    if (*f != '!' && *f != ',')
      flags[n++] = *f;
  flags[n] = '\0';
  snprintf(format, sizeof format, "%%%s*.*%c", flags, x->letter);
  int width = x->width > 100 ? 100 : x->width, precision = x->precision < 0 ? 6 : x->precision;
  snprintf(text, sizeof text, format, width, precision > MAX_DIGITS ? MAX_DIGITS : precision, value);
  shoal_assert(strlen(text) + 1 < sizeof text, "a number formatted with %%%c was truncated", x->letter);
  sqlite3_str_appendall(out, text);
}

// Formats the remaining conversions with SQLite's own code, which is exact.
static void write_sqlite_conversion(sqlite3_str *out, const conversion_t *x, sqlite3_value *v) {
  char format[32];
  bool number = strchr("dixXou", x->letter) != NULL;
  snprintf(format, sizeof format, x->precision < 0 ? "%%%s*%s%c" : "%%%s*.*%s%c", x->flags, number ? "ll" : "",
           x->letter);
  if (number && x->precision < 0)
    sqlite3_str_appendf(out, format, x->width, v ? sqlite3_value_int64(v) : (sqlite3_int64)0);
  else if (number)
    sqlite3_str_appendf(out, format, x->width, x->precision, v ? sqlite3_value_int64(v) : (sqlite3_int64)0);
  else if (x->precision < 0)
    sqlite3_str_appendf(out, format, x->width, v ? (const char *)sqlite3_value_text(v) : NULL);
  else
    sqlite3_str_appendf(out, format, x->width, x->precision, v ? (const char *)sqlite3_value_text(v) : NULL);
}

// Implements %c: writes the first character, repeated `precision` times.
static void write_character(sqlite3_str *out, const conversion_t *x, sqlite3_value *v) {
  part_t t = v ? get_text(v) : (part_t){(const unsigned char *)"", 0};
  const unsigned char *end = t.at;
  if (t.bytes)
    read_character(&end, t.at + t.bytes);
  int bytes = (int)(end - t.at), times = x->precision > 1 ? x->precision : 1, pad = x->width - times;
  bool left = strchr(x->flags, '-') != NULL;
  if (pad > 0 && !left)
    sqlite3_str_appendchar(out, pad, ' ');
  for (int i = 0; i < times && sqlite3_str_errcode(out) == SQLITE_OK; ++i)
    sqlite3_str_append(out, (const char *)t.at, bytes);
  if (pad > 0 && left)
    sqlite3_str_appendchar(out, pad, ' ');
}

static void write_conversion(sqlite3_str *out, const conversion_t *x, arguments_t *a) {
  if (x->letter == '%')
    sqlite3_str_appendchar(out, 1, '%');
  else if (x->letter == 'n')
    return;
  else if (strchr("feEgG", x->letter)) {
    sqlite3_value *v = next_argument(a);
    write_float(out, x, v ? sqlite3_value_double(v) : 0);
  } else if (x->letter == 'c')
    write_character(out, x, next_argument(a));
  else if (strchr("dixXousqQw", x->letter))
    write_sqlite_conversion(out, x, next_argument(a));
}

static void sql_printf(sqlite3_context *c, int argc, sqlite3_value **argv) {
  if (argc == 0 || sqlite3_value_type(argv[0]) == SQLITE_NULL)
    return;
  sqlite3_str *out = sqlite3_str_new(sqlite3_context_db_handle(c));
  const char *at = (const char *)sqlite3_value_text(argv[0]);
  arguments_t arguments = {argv + 1, argc - 1, 0};
  conversion_t x;
  while (at && *at && sqlite3_str_errcode(out) == SQLITE_OK) {
    size_t plain = strcspn(at, "%");
    sqlite3_str_append(out, at, (int)plain);
    at += plain;
    if (*at != '%')
      break;
    ++at;
    if (!read_conversion(&at, &arguments, &x))
      break;
    write_conversion(out, &x, &arguments);
  }
  int code = sqlite3_str_errcode(out), bytes = sqlite3_str_length(out);
  char *text = sqlite3_str_finish(out);
  if (code != SQLITE_OK)
    code == SQLITE_TOOBIG ? sqlite3_result_error_toobig(c) : sqlite3_result_error_nomem(c);
  else if (charge_bytes(c, (uint64_t)bytes))
    sqlite3_result_text(c, text ? text : "", bytes, text ? sqlite3_free : SQLITE_STATIC);
  else
    sqlite3_free(text);
}

// Mathematical functions: sin, pow, and so on. Their results are bit-identical to those of scripts and systems. The
// result is NULL if an argument is not a number or the result is NaN.

static bool is_number(sqlite3_value *v) {
  int type = sqlite3_value_numeric_type(v);
  return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
}

static void set_result(sqlite3_context *c, double x) {
  if (!isnan(x)) // for NaN the result stays NULL
    sqlite3_result_double(c, x);
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

// As in SQLite, the logarithm of zero or a negative number is NULL.
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
  double b = log_or_nan(base);
  return b > 0 || b < 0 ? log_or_nan(x) / b : NAN;
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

// Allowed functions, in alphabetical order. Not allowed: functions that reveal the time, random numbers, the connection
// (changes, last_insert_rowid) or the library, and json_patch, which is quadratic in the number of keys.
static const char *const known[] = {
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
  for (size_t i = 1; i < sizeof known / sizeof *known; ++i)
    if (compare_names(&known[i - 1], &known[i]) >= 0)
      return false;
  return true;
}
#endif

bool sql_function_is_known(const char *name) {
  return bsearch(&name, known, sizeof known / sizeof *known, sizeof *known, compare_names) != NULL;
}

void sql_functions_suggest(nearest_name_t *s) {
  for (size_t i = 0; i < sizeof known / sizeof *known; ++i)
    nearest_name_offer(s, known[i]);
}

bool sql_functions_register(sql_o *s, error_info_t *error) {
  static const struct {
    const char *name;
    int arguments;
    void (*call)(sqlite3_context *c, int argc, sqlite3_value **argv);
  } ours[] = {
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
  for (size_t i = 0; i < sizeof ours / sizeof *ours && code == SQLITE_OK; ++i) {
    shoal_assert(sql_function_is_known(ours[i].name), "%s is registered but not in the list of known functions",
                 ours[i].name);
    code = sqlite3_create_function_v2(s->db, ours[i].name, ours[i].arguments, flags, s, ours[i].call, NULL, NULL, NULL);
  }
  return code == SQLITE_OK || error_set(error, "SQLite: %s", sqlite3_errmsg(s->db));
}
