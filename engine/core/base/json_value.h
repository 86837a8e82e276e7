// Describes parsed JSON values in error messages.
#ifndef SHOAL_BASE_JSON_VALUE_H
#define SHOAL_BASE_JSON_VALUE_H

#include <jansson.h>

enum { JSON_VALUE_BYTES = 80 }; // size of a description, including '\0'

// Writes a short description to `out` (JSON_VALUE_BYTES bytes) and returns it: 3, true, text "abc", a list of 3, an
// object, or "nothing" if `value` is NULL. For messages that end with "got …".
const char *json_value_describe(const json_t *value, char *out);

// Like json_value_describe, but writes a string as "abc" instead of text "abc". For messages such as "unknown
// assemblage "tnak"".
const char *json_value_name(const json_t *value, char *out);

#endif
