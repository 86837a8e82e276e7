// Optimal string alignment distance, and the rules for similar names: a maximum distance, and the same first letter if
// there are two edits or more. A name that begins with the name to match (MIN_PREFIX letters or more) is also similar,
// regardless of its length.
#include "base/nearest_name.h"

#include "base/assert.h"

#include <stdio.h>
#include <string.h>

#define MIN_PREFIX 3 // minimum number of letters of a prefix that matches a longer name

static char to_lower(char c) {
  return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static uint32_t min_u32(uint32_t a, uint32_t b) {
  return a < b ? a : b;
}

uint32_t nearest_name_distance(const char *a, const char *b) {
  uint32_t rows[3][SIMILAR_MAX + 1], *before = rows[0], *above = rows[1], *now = rows[2];
  size_t n = strlen(a), m = strlen(b);
  if (n > SIMILAR_MAX || m > SIMILAR_MAX)
    return UINT32_MAX;
  for (uint32_t k = 0; k <= m; ++k)
    before[k] = above[k] = k;
  for (uint32_t i = 1; i <= n; ++i) {
    now[0] = i;
    for (uint32_t k = 1; k <= m; ++k) {
      bool same = to_lower(a[i - 1]) == to_lower(b[k - 1]);
      now[k] = min_u32(above[k - 1] + !same, min_u32(above[k], now[k - 1]) + 1);
      if (i > 1 && k > 1 && to_lower(a[i - 1]) == to_lower(b[k - 2]) && to_lower(a[i - 2]) == to_lower(b[k - 1]))
        now[k] = min_u32(now[k], before[k - 2] + 1);
    }
    uint32_t *spare = before;
    before = above, above = now, now = spare;
  }
  return above[m];
}

// One edit in names of up to 5 letters, otherwise about one per three letters: "enemy" is not similar to "every", but
// "clor" is to "colour".
static uint32_t max_distance(size_t length) {
  return length < 6 ? 1 : (uint32_t)(length + 1) / 3;
}

// Returns true if the names begin with the same letter, or with the same two letters swapped. Typing errors rarely
// change the first letter, so names with another first letter and another error are usually unrelated: "angry" and
// "entry".
static bool has_same_start(const char *a, const char *b) {
  char first = to_lower(a[0]), other = to_lower(b[0]);
  return first == other || (first != '\0' && first == to_lower(b[1]) && other == to_lower(a[1]));
}

// Returns true if `name_to_match` is a prefix of `name`, such as "vol" of volume or "trans" of transform. Such names
// rank below names within a few edits.
static bool is_prefix(const char *name_to_match, const char *name) {
  size_t n = strlen(name_to_match);
  if (n < MIN_PREFIX || n >= strlen(name))
    return false;
  for (size_t i = 0; i < n; ++i)
    if (to_lower(name_to_match[i]) != to_lower(name[i]))
      return false;
  return true;
}

void nearest_name_init(nearest_name_t *s, const char *name_to_match) {
  shoal_assert(name_to_match, "name_to_match must not be NULL");
  *s = (nearest_name_t){.name_to_match = name_to_match, .distance = UINT32_MAX};
}

// Returns the length of the extension that both names share, such as ".png", which must not make file names similar; 0
// if their extensions differ.
static size_t shared_extension_length(const char *a, const char *b) {
  const char *from = strrchr(a, '.'), *other = strrchr(b, '.');
  return from && other && strcmp(from, other) == 0 ? strlen(from) : 0;
}

void nearest_name_offer(nearest_name_t *s, const char *name) {
  shoal_assert(name, "name must not be NULL");
  size_t length = strlen(name), longest = strlen(s->name_to_match) > length ? strlen(s->name_to_match) : length;
  if (longest >= SIMILAR_MAX || length == 0 || strcmp(s->name_to_match, name) == 0)
    return;
  longest -= shared_extension_length(s->name_to_match, name);
  uint32_t distance = nearest_name_distance(s->name_to_match, name);
  if (distance > max_distance(longest) || distance >= longest ||
      (distance > 1 && !has_same_start(s->name_to_match, name))) {
    if (!is_prefix(s->name_to_match, name))
      return;
    distance = SIMILAR_MAX + (uint32_t)length;
  }
  if (distance < s->distance) {
    s->distance = distance;
    memcpy(s->best, name, length + 1);
  }
}

const char *nearest_name_hint(const nearest_name_t *s, char *out, uint32_t out_bytes) {
  shoal_assert(out_bytes > 0, "out_bytes must not be 0");
  snprintf(out, out_bytes, "%s%s%s", s->best[0] ? ": did you mean " : "", s->best, s->best[0] ? "?" : "");
  return out;
}
