// Edits JSON as text: replaces, adds and removes values, and keeps all other bytes. New members and elements follow the
// layout of their siblings: line breaks, indentation, and spaces around commas and colons.
//
// The text must be valid JSON (parse it first). Each edit changes the text, so positions are valid until the next edit,
// except for json_edit_splice, whose replacements are applied together by json_edit_apply.
#ifndef SHOAL_BASE_JSON_EDIT_H
#define SHOAL_BASE_JSON_EDIT_H

#include "base/splices.h"

#include <jansson.h>

typedef struct json_edit_t {
  allocator_t *memory;
  char *text; // current text, terminated by '\0'
  uint32_t bytes;
  splices_t splices; // queued replacements
} json_edit_t;

// Bytes [at, end) of a value. `end` is 0 if the value is missing.
typedef struct json_span_t {
  uint32_t at, end;
} json_span_t;

// An element of a list or a member of an object.
typedef struct json_item_t {
  json_span_t key; // key with its quotes; missing in lists
  json_span_t value;
} json_item_t;

// Initializes `edit` with a copy of the text.
void json_edit_init(json_edit_t *edit, allocator_t *memory, const char *text, size_t bytes);
void json_edit_fini(json_edit_t *edit);

json_span_t json_edit_root(const json_edit_t *edit);
bool json_edit_is_list(const json_edit_t *edit, json_span_t span);
// Stores the item that begins at *at in a list or object, and advances *at to the next item. Set *at to 0 for the first
// item. Returns true on success, or false at the end, or if the value is missing or neither a list nor an object.
bool json_edit_next(const json_edit_t *edit, json_span_t container, uint32_t *at, json_item_t *out);
uint32_t json_edit_count(const json_edit_t *edit, json_span_t container);
// Returns the value of a key, which is missing if the object lacks the key. Of a repeated key, returns the last value.
json_span_t json_edit_find(const json_edit_t *edit, json_span_t object, const char *key);
// Returns the parsed value, or NULL if the value is missing. The caller releases the value with json_decref.
json_t *json_edit_value(const json_edit_t *edit, json_span_t span);
// Returns true if the value is this string.
bool json_edit_equals(const json_edit_t *edit, json_span_t span, const char *text);
// Returns the value of a number, or `fallback` if the value is missing or not a number.
double json_edit_number(const json_edit_t *edit, json_span_t span, double fallback);

// Sets a member of an object. A member that has an equal value is not changed.
void json_edit_set(json_edit_t *edit, json_span_t object, const char *key, const json_t *value);
void json_edit_append(json_edit_t *edit, json_span_t list, const json_t *value);
// Appends an element, whose JSON text is written unchanged.
void json_edit_append_text(json_edit_t *edit, json_span_t list, const char *text, size_t bytes);
// Removes an item of a list or object.
void json_edit_remove(json_edit_t *edit, json_span_t container, uint32_t index);
// Removes the last member with this key. Returns true, or false if the key is missing.
bool json_edit_remove_key(json_edit_t *edit, json_span_t object, const char *key);

// Queues the replacement of a value with `text`, for json_edit_apply.
void json_edit_splice(json_edit_t *edit, json_span_t span, const char *text, size_t bytes);
// Applies the queued replacements.
void json_edit_apply(json_edit_t *edit);

#endif
