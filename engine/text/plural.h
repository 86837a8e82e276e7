// Which form of a text belongs to a number, by language: the cardinal rules of Unicode's CLDR.
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

// Does a language have rules of its own here? `language`: "pl", "pt_BR", "zh-Hant"; what stands behind the first part
// is left out where only that is known.
bool plural_knows(const char *language);
// The form for a number as it is shown: "1.0" is another number than "1" in many languages. Without rules of its own a
// language has those of English. PLURAL_OTHER for what is no number.
plural_t plural_of(const char *language, const char *number);

#endif
