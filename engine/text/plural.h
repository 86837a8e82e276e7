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

// Returns true if there are rules for the language, such as "pl", "pt_BR" or "zh-Hant". A region or script is ignored
// if there are rules only for the base language.
bool plural_knows(const char *language);
// Returns the form for a number as displayed: "1.0" differs from "1" in many languages. Languages without rules use
// those of English. Returns PLURAL_OTHER if `number` is not a number.
plural_t plural_of(const char *language, const char *number);

#endif
