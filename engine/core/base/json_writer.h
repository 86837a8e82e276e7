// Appends JSON to a growing string. Commas between values are added automatically; the caller closes the lists and
// objects that it opens. This module only writes JSON; jansson parses it.
#ifndef SHOAL_BASE_JSON_WRITER_H
#define SHOAL_BASE_JSON_WRITER_H

#include "base/array.h"

#include <stdbool.h>

typedef struct json_writer_t {
  ARRAY(char) text; // written text, followed by a '\0' that `count` excludes; `items` is NULL before the first write
  allocator_t *allocator;
} json_writer_t;

void json_writer_init(json_writer_t *writer, allocator_t *a);
void json_writer_fini(json_writer_t *writer);
void json_writer_clear(json_writer_t *writer);
// Returns the text, "" before the first write. Valid until `writer` changes.
const char *json_writer_text(const json_writer_t *writer);
// Returns the text with a '\0' appended and empties `writer`. The caller frees the text (alloc_resize, its length + 1).
char *json_writer_detach_text(json_writer_t *writer);

// Begins an object ('{') or a list ('[').
void json_write_begin(json_writer_t *writer, char bracket);
// Ends an object ('}') or a list (']').
void json_write_end(json_writer_t *writer, char bracket);
void json_write_key(json_writer_t *writer, const char *key);

// Append a string. json_write_string appends null if `text` is NULL.
void json_write_string(json_writer_t *writer, const char *text);
void json_write_string_n(json_writer_t *writer, const char *text, size_t bytes);
// These functions append a number; NaN and infinities are written as null.
void json_write_number(json_writer_t *writer, double number);
void json_write_float(json_writer_t *writer, float number);
// Appends a list of numbers.
void json_write_floats(json_writer_t *writer, const float *numbers, size_t count);
void json_write_integer(json_writer_t *writer, long long number);
void json_write_bool(json_writer_t *writer, bool value);
void json_write_null(json_writer_t *writer);
// These functions append raw text without a comma.
void json_write_bytes(json_writer_t *writer, const char *bytes, size_t count);
void json_write_text(json_writer_t *writer, const char *text);
// Appends a quoted string without a comma, with U+FFFD in place of invalid bytes. Returns true if the string is valid
// UTF-8.
bool json_write_quoted(json_writer_t *writer, const char *text, size_t bytes);
// Appends a value that is already JSON text.
void json_write_raw(json_writer_t *writer, const char *json, size_t bytes);

// These functions append a key and its value.
void json_write_pair(json_writer_t *writer, const char *key, const char *text);
void json_write_integer_pair(json_writer_t *writer, const char *key, long long number);
void json_write_bool_pair(json_writer_t *writer, const char *key, bool value);

#endif
