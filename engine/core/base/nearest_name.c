// Optimal string alignment distance, and the rules for similar names: a maximum distance, and, for two edits or more,
// the same first letter or the same first two letters swapped. A name that begins with the name to match (MIN_PREFIX
// letters or more) is also similar, regardless of its length.
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
  uint32_t rows[3][NEAREST_NAME_MAX_BYTES + 1], *second_previous = rows[0], *previous = rows[1], *current = rows[2];
  size_t length_a = strlen(a), length_b = strlen(b);
  if (length_a > NEAREST_NAME_MAX_BYTES || length_b > NEAREST_NAME_MAX_BYTES)
    return UINT32_MAX;
  for (uint32_t k = 0; k <= length_b; ++k)
    second_previous[k] = previous[k] = k;
  for (uint32_t i = 1; i <= length_a; ++i) {
    current[0] = i;
    for (uint32_t k = 1; k <= length_b; ++k) {
      bool same = to_lower(a[i - 1]) == to_lower(b[k - 1]);
      current[k] = min_u32(previous[k - 1] + !same, min_u32(previous[k], current[k - 1]) + 1);
      if (i > 1 && k > 1 && to_lower(a[i - 1]) == to_lower(b[k - 2]) && to_lower(a[i - 2]) == to_lower(b[k - 1]))
        current[k] = min_u32(current[k], second_previous[k - 2] + 1);
    }
    uint32_t *recycled = second_previous;
    second_previous = previous, previous = current, current = recycled;
  }
  return previous[length_b];
}

// Returns the maximum number of edits for a name of `length` letters: one up to 5 letters, otherwise about one per
// three letters. "enemy" is not similar to "every", but "clor" is similar to "colour".
static uint32_t max_distance(size_t length) {
  return length < 6 ? 1 : (uint32_t)(length + 1) / 3;
}

// Returns true if the names begin with the same letter, or with the same two letters swapped. Typing errors rarely
// change the first letter, so names with a different first letter and a second error are usually unrelated: "angry" and
// "entry".
static bool has_same_start(const char *a, const char *b) {
  char first_a = to_lower(a[0]), first_b = to_lower(b[0]);
  return first_a == first_b || (first_a != '\0' && first_a == to_lower(b[1]) && first_b == to_lower(a[1]));
}

// Returns true if `name_to_match` is a prefix of `name`, such as "vol" of volume or "trans" of transform. Such names
// rank below names within a few edits.
static bool is_prefix(const char *name_to_match, const char *name) {
  size_t length = strlen(name_to_match);
  if (length < MIN_PREFIX || length >= strlen(name))
    return false;
  for (size_t i = 0; i < length; ++i)
    if (to_lower(name_to_match[i]) != to_lower(name[i]))
      return false;
  return true;
}

void nearest_name_init(nearest_name_t *search, const char *name_to_match) {
  shoal_assert(name_to_match, "name_to_match must not be NULL");
  *search = (nearest_name_t){.name_to_match = name_to_match, .distance = UINT32_MAX};
}

// Returns the length of the extension that both names share, such as ".png", which must not make file names similar; 0
// if their extensions differ.
static size_t get_shared_extension_length(const char *a, const char *b) {
  const char *extension_a = strrchr(a, '.'), *extension_b = strrchr(b, '.');
  return extension_a && extension_b && strcmp(extension_a, extension_b) == 0 ? strlen(extension_a) : 0;
}

void nearest_name_offer(nearest_name_t *search, const char *name) {
  shoal_assert(name, "name must not be NULL");
  size_t length = strlen(name),
         longest = strlen(search->name_to_match) > length ? strlen(search->name_to_match) : length;
  if (longest >= NEAREST_NAME_MAX_BYTES || length == 0 || strcmp(search->name_to_match, name) == 0)
    return;
  longest -= get_shared_extension_length(search->name_to_match, name);
  uint32_t distance = nearest_name_distance(search->name_to_match, name);
  if (distance > max_distance(longest) || distance >= longest ||
      (distance > 1 && !has_same_start(search->name_to_match, name))) {
    if (!is_prefix(search->name_to_match, name))
      return;
    distance = NEAREST_NAME_MAX_BYTES + (uint32_t)length;
  }
  if (distance < search->distance) {
    search->distance = distance;
    memcpy(search->best, name, length + 1);
  }
}

const char *nearest_name_hint(const nearest_name_t *search, char *out, uint32_t out_bytes) {
  shoal_assert(out_bytes > 0, "out_bytes must not be 0");
  snprintf(out, out_bytes, "%s%s%s", search->best[0] ? ": did you mean " : "", search->best,
           search->best[0] ? "?" : "");
  return out;
}
