// Finds the line of a path in a text known to be valid JSON, for error messages. Scans only strings and brackets.
// Keeping every value's position while parsing would slow down all scenes.
#include "store/scene_internal.h"

#include "base/assert.h"

#include <string.h>

static const char *skip_space(const char *cursor, const char *end) {
  while (cursor < end && strchr(" \t\r\n", *cursor))
    cursor++;
  return cursor;
}

static const char *skip_string(const char *cursor, const char *end) {
  for (cursor++; cursor < end && *cursor != '"'; ++cursor)
    cursor += *cursor == '\\';
  return cursor < end ? cursor + 1 : end;
}

static const char *skip_value(const char *cursor, const char *end) {
  int depth = 0;
  do {
    if (*cursor == '"') {
      cursor = skip_string(cursor, end);
      continue;
    }
    depth += (*cursor == '{' || *cursor == '[') - (*cursor == '}' || *cursor == ']');
    cursor++;
  } while (cursor < end && (depth > 0 || (*cursor != ',' && *cursor != '}' && *cursor != ']')));
  return cursor;
}

// Returns the start of the element or, in an object, of its key, or NULL if the element is missing. Stores the start of
// its value in `value`. Does not find keys with escapes.
static const char *find_element(const char *cursor, const char *end, const scene_path_key_t *target,
                                const char **value) {
  size_t index = 0;
  if (cursor >= end || (*cursor != '{' && *cursor != '['))
    return NULL;
  bool is_object = *cursor == '{';
  for (cursor = skip_space(cursor + 1, end); cursor < end && *cursor != '}' && *cursor != ']'; ++index) {
    const char *start = cursor;
    bool found = target->key ? false : index == target->index;
    if (is_object) {
      cursor = skip_string(cursor, end);
      size_t bytes = (size_t)(cursor - start) - 2;
      found = target->key && strlen(target->key) == bytes && memcmp(start + 1, target->key, bytes) == 0;
      cursor = skip_space(skip_space(cursor, end) + 1, end);
    }
    *value = cursor;
    if (found)
      return start;
    cursor = skip_space(skip_value(cursor, end), end);
    if (cursor < end && *cursor == ',')
      cursor = skip_space(cursor + 1, end);
  }
  return NULL;
}

uint32_t scene_find_line(const char *text, size_t bytes, const scene_path_key_t *path, uint32_t depth) {
  const char *end = text + bytes, *value = skip_space(text, end), *target = value;
  for (uint32_t i = 0; i < depth; ++i) {
    const char *next = find_element(value, end, &path[i], &value);
    if (!next)
      break;
    target = next;
    shoal_assert(target <= value && value <= end, "position is past the end (is the text JSON?)");
  }
  uint32_t line = 1;
  for (const char *cursor = text; cursor < target; ++cursor)
    line += *cursor == '\n';
  return line;
}
