// Plural rules by language as text, in a notation close to CLDR's. A form is named by its first letter (Zero, One, Two,
// Few, Many). "|" means "or", and "&" means "and". Values and ranges follow "=" (equal to one of them) or "!" (equal to
// none of them). Operands: n is the number, i its integer part, v the number of visible fraction digits, f the visible
// fraction digits as an integer, and t these digits without trailing zeros.
#include "text/plural.h"

#include "base/assert.h"

#include <stdlib.h>
#include <string.h>

#define MILLIONS "M:i!0&i%1000000=0&v=0"

static const struct {
  const char *languages, *rules;
} RULES[] = {
    {" ja zh ko vi th id ms my lo km jv yue bo dz ", ""},
    {" en de nl sv fi et yi fy ia io gl sc sw ur lij ", "O:i=1&v=0"},
    {" it ca scn ", "O:i=1&v=0;" MILLIONS},
    {" es ", "O:n=1;" MILLIONS},
    {" fr ", "O:i=0,1;" MILLIONS},
    {" pt ", "O:i=0..1;" MILLIONS},
    {" pt-pt ", "O:i=1&v=0;" MILLIONS},
    {" af sq az eu bg ka el hu kk ky mn ml mr ne nb nn no tr ta te uz so ku lb eo fo ha ", "O:n=1"},
    {" da ", "O:n=1|t!0&i=0,1"},
    {" is ", "O:t=0&i%10=1&i%100!11|t%10=1&t%100!11"},
    {" hi bn gu kn fa zu am as ", "O:i=0|n=1"},
    {" hy ff kab ", "O:i=0,1"},
    {" pa ak ln mg nso ti wa bho ", "O:n=0..1"},
    {" si ", "O:n=0,1|i=0&f=1"},
    {" lv prg ", "Z:n%10=0|n%100=11..19|v=2&f%100=11..19;O:n%10=1&n%100!11|v=2&f%10=1&f%100!11|v!2&f%10=1"},
    {" lt ", "O:n%10=1&n%100!11..19;F:n%10=2..9&n%100!11..19;M:f!0"},
    {" pl ", "O:i=1&v=0;F:v=0&i%10=2..4&i%100!12..14;M:v=0&i!1&i%10=0..1|v=0&i%10=5..9|v=0&i%100=12..14"},
    {" cs sk ", "O:i=1&v=0;F:i=2..4&v=0;M:v!0"},
    {" ru uk ", "O:v=0&i%10=1&i%100!11;F:v=0&i%10=2..4&i%100!12..14;M:v=0&i%10=0|v=0&i%10=5..9|v=0&i%100=11..14"},
    {" be ", "O:n%10=1&n%100!11;F:n%10=2..4&n%100!12..14;M:n%10=0|n%10=5..9|n%100=11..14"},
    {" hr sr bs sh ", "O:v=0&i%10=1&i%100!11|f%10=1&f%100!11;F:v=0&i%10=2..4&i%100!12..14|f%10=2..4&f%100!12..14"},
    {" mk ", "O:v=0&i%10=1&i%100!11|f%10=1&f%100!11"},
    {" sl ", "O:v=0&i%100=1;T:v=0&i%100=2;F:v=0&i%100=3..4|v!0"},
    {" ro mo ", "O:i=1&v=0;F:v!0|n=0|n!1&n%100=1..19"},
    {" ar ", "Z:n=0;O:n=1;T:n=2;F:n%100=3..10;M:n%100=11..99"},
    {" he iw ", "O:i=1&v=0|i=0&v!0;T:i=2&v=0"},
    {" ga ", "O:n=1;T:n=2;F:n=3..6;M:n=7..10"},
    {" gd ", "O:n=1,11;T:n=2,12;F:n=3..10,13..19"},
    {" cy ", "Z:n=0;O:n=1;T:n=2;F:n=3;M:n=6"},
    {" mt ", "O:n=1;T:n=2;F:n=0|n%100=3..10;M:n%100=11..19"},
    {" fil tl ceb ", "O:v=0&i=1,2,3|v=0&i%10!4,6,9|v!0&f%10!4,6,9"},
};

// --- rules by language

static const char *find_rules(const char *language, size_t bytes) {
  char pattern[16] = " ";
  if (bytes == 0 || bytes > sizeof pattern - 3)
    return NULL;
  for (size_t i = 0; i < bytes; ++i) {
    char c = language[i];
    pattern[i + 1] = (char)(c == '_' ? '-' : c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  }
  pattern[bytes + 1] = ' ';
  for (size_t i = 0; i < sizeof RULES / sizeof *RULES; ++i)
    if (strstr(RULES[i].languages, pattern))
      return RULES[i].rules;
  return NULL;
}

static const char *find_language_rules(const char *language) {
  const char *rules = find_rules(language, strlen(language));
  return rules ? rules : find_rules(language, strcspn(language, "_-"));
}

bool plural_has_rules(const char *language) {
  return find_language_rules(language) != NULL;
}

// --- numbers

typedef struct operands_t {
  uint64_t i, v, f, t;
} operands_t;

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static bool read_number(const char *text, operands_t *out) {
  *out = (operands_t){0};
  text += *text == '-' || *text == '+';
  if (!is_digit(*text))
    return false;
  for (; is_digit(*text); ++text) // keeps only the last digits of longer numbers: the rules use no further digits
    out->i = out->i % 100000000000000000u * 10 + (uint64_t)(*text - '0');
  if (*text != '.')
    return *text == '\0';
  for (++text; is_digit(*text) && out->v < 15; ++text, ++out->v)
    out->f = out->f * 10 + (uint64_t)(*text - '0');
  for (out->t = out->f; out->t != 0 && out->t % 10 == 0;)
    out->t /= 10;
  return *text == '\0' || is_digit(*text);
}

// --- rules

static uint64_t read_value(const char **cursor) {
  char *end;
  uint64_t value = strtoull(*cursor, &end, 10);
  shoal_assert(end != *cursor, "expected a number in the plural rule at %s", *cursor);
  *cursor = end;
  return value;
}

// Returns the value of a condition such as "i%10=2..4,7" and advances `*cursor` past the condition.
static bool evaluate_condition(const operands_t *operands, const char **cursor) {
  char operand = *(*cursor)++;
  uint64_t value = operand == 'v'   ? operands->v
                   : operand == 'f' ? operands->f
                   : operand == 't' ? operands->t
                                    : operands->i;
  bool is_whole = operand != 'n' || operands->t == 0, found = false;
  if (**cursor == '%') {
    ++*cursor;
    value %= read_value(cursor);
  }
  bool expects_match = *(*cursor)++ == '=';
  do {
    *cursor += **cursor == ',';
    uint64_t low = read_value(cursor), high = low;
    if (strncmp(*cursor, "..", 2) == 0) {
      *cursor += 2;
      high = read_value(cursor);
    }
    found |= is_whole && value >= low && value <= high;
  } while (**cursor == ',');
  return found == expects_match;
}

// Returns true if the number matches the conditions of a rule such as "i=1&v=0|n=2;", and advances `*cursor` to the end
// of the conditions.
static bool matches_rule(const operands_t *o, const char **cursor) {
  bool matched = false, term_matched = true;
  for (;; ++*cursor) {
    term_matched = evaluate_condition(o, cursor) && term_matched;
    if (**cursor != '&') {
      matched |= term_matched;
      term_matched = true;
    }
    if (**cursor != '&' && **cursor != '|')
      return matched;
  }
}

plural_t plural_choose(const char *language, const char *number) {
  static const char FORM_LETTERS[] = "-ZOTFM";
  const char *cursor = find_language_rules(language);
  operands_t operands;
  if (!read_number(number, &operands))
    return PLURAL_OTHER;
  for (cursor = cursor ? cursor : "O:i=1&v=0"; *cursor; cursor += *cursor == ';') {
    plural_t form = (plural_t)(strchr(FORM_LETTERS, *cursor) - FORM_LETTERS);
    cursor += 2;
    if (matches_rule(&operands, &cursor))
      return form;
  }
  return PLURAL_OTHER;
}
