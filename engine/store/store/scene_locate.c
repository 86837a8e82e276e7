// Finds the line of a path in a text known to be valid JSON. Scans only strings and brackets; keeping every value's
// position while parsing would slow down all scenes for the sake of error messages.
#include "store/scene_internal.h"

#include "base/assert.h"

#include <string.h>

static const char *skip_space(const char *at, const char *end) {
  while (at < end && strchr(" \t\r\n", *at))
    at++;
  return at;
}

static const char *skip_string(const char *at, const char *end) {
  for (at++; at < end && *at != '"'; ++at)
    at += *at == '\\';
  return at < end ? at + 1 : end;
}

static const char *skip_value(const char *at, const char *end) {
  int depth = 0;
  do {
    if (*at == '"') {
      at = skip_string(at, end);
      continue;
    }
    depth += (*at == '{' || *at == '[') - (*at == '}' || *at == ']');
    at++;
  } while (at < end && (depth > 0 || (*at != ',' && *at != '}' && *at != ']')));
  return at;
}

// Returns the start of the element or, in an object, of the element's key; NULL if not found. Keys with escapes are
// never found.
static const char *find_element(const char *at, const char *end, const scene_place_t *p, const char **value) {
  size_t index = 0;
  if (at >= end || (*at != '{' && *at != '['))
    return NULL;
  bool object = *at == '{';
  for (at = skip_space(at + 1, end); at < end && *at != '}' && *at != ']'; ++index) {
    const char *begin = at;
    bool found = p->key ? false : index == p->index;
    if (object) {
      at = skip_string(at, end);
      size_t bytes = (size_t)(at - begin) - 2;
      found = p->key && strlen(p->key) == bytes && memcmp(begin + 1, p->key, bytes) == 0;
      at = skip_space(skip_space(at, end) + 1, end);
    }
    *value = at;
    if (found)
      return begin;
    at = skip_space(skip_value(at, end), end);
    if (at < end && *at == ',')
      at = skip_space(at + 1, end);
  }
  return NULL;
}

uint32_t scene_find_line(const char *text, size_t bytes, const scene_place_t *way, uint32_t steps) {
  const char *end = text + bytes, *value = skip_space(text, end), *found = value;
  for (uint32_t i = 0; i < steps; ++i) {
    const char *next = find_element(value, end, &way[i], &value);
    if (!next)
      break;
    found = next;
    shoal_assert(found <= value && value <= end, "position is past the end (is the text JSON?)");
  }
  uint32_t line = 1;
  for (const char *at = text; at < found; ++at)
    line += *at == '\n';
  return line;
}
