// Plural forms by language: the cardinal rules of the Unicode CLDR.
#ifndef SHOAL_TEXT_PLURAL_H
#define SHOAL_TEXT_PLURAL_H

#include <stdbool.h>
#include <stdint.h>

typedef enum plural_t {
  PLURAL_OTHER,
  PLURAL_ZERO,
  PLURAL_ONE,
  PLURAL_TWO,
  PLURAL_FEW,
  PLURAL_MANY,
  PLURAL_FORMS
} plural_t;

// Returns true if there are rules for the language, such as "pl", "pt_BR" or "zh-Hant". If there are rules only for the
// base language, its region or script is ignored.
bool plural_has_rules(const char *language);
// Returns the plural form for a number as displayed: in many languages, "1.0" has a different form than "1". Languages
// without rules use the English rules. Returns PLURAL_OTHER if `number` is not a number.
plural_t plural_choose(const char *language, const char *number);

#endif
