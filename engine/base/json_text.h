// Appends JSON to a growing string. Commas between values are added automatically; the caller closes the lists and
// objects that it opens. This module only writes JSON; jansson parses it.
#ifndef SHOAL_BASE_JSON_TEXT_H
#define SHOAL_BASE_JSON_TEXT_H

#include "base/array.h"

#include <stdbool.h>

typedef struct json_text_t {
  ARRAY(char) text; // not terminated by '\0'
  allocator_t *allocator;
} json_text_t;

void json_text_init(json_text_t *t, allocator_t *a);
void json_text_fini(json_text_t *t);
void json_text_clear(json_text_t *t);
// Returns the text with a '\0' appended and empties `t`. The caller frees the text (alloc_resize, its length + 1).
char *json_text_detach(json_text_t *t);

void json_text_begin(json_text_t *t, char bracket); // '{' or '['
void json_text_end(json_text_t *t, char bracket);   // '}' or ']'
void json_text_key(json_text_t *t, const char *key);

void json_text_string(json_text_t *t, const char *text); // appends a string, or null if it is NULL
void json_text_string_n(json_text_t *t, const char *text, size_t bytes);
void json_text_number(json_text_t *t, double number);                      // NaN and infinities are written as null
void json_text_float(json_text_t *t, float number);                        // NaN and infinities are written as null
void json_text_floats(json_text_t *t, const float *numbers, size_t count); // appends a list of numbers
void json_text_integer(json_text_t *t, long long number);
void json_text_bool(json_text_t *t, bool truth);
void json_text_null(json_text_t *t);
void json_text_append(json_text_t *t, const char *bytes, size_t count); // appends raw bytes, without a comma
void json_text_append_text(json_text_t *t, const char *text);           // appends a raw string, without a comma
// Appends a quoted string without a comma. Returns false if it is not valid UTF-8; invalid bytes are replaced by
// U+FFFD.
bool json_text_quote(json_text_t *t, const char *text, size_t bytes);
void json_text_raw(json_text_t *t, const char *json, size_t bytes); // appends a value that is already JSON text

// Append a key with its value.
void json_text_pair(json_text_t *t, const char *key, const char *text);
void json_text_pair_integer(json_text_t *t, const char *key, long long number);
void json_text_pair_bool(json_text_t *t, const char *key, bool truth);

#endif
