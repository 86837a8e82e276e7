// Searches for bytes. Short patterns are compared at each occurrence of their first byte. Long patterns are found with
// the two-way algorithm: Crochemore and Perrin, Two-way string-matching, Journal of the ACM 38 (1991).
#include "base/text_search.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#define MAX_SHORT_PATTERN 32 // limits the number of comparisons per byte

// Returns the start of the pattern's maximal suffix, and stores its period. `is_reversed`: bytes are compared in
// descending order.
static size_t find_maximal_suffix(const unsigned char *pattern, size_t count, bool is_reversed, size_t *period) {
  size_t suffix = 0, candidate = 1, equal = 0;
  *period = 1;
  while (candidate + equal < count) {
    unsigned char a = pattern[candidate + equal], b = pattern[suffix + equal];
    if (a == b) {
      if (++equal == *period) {
        candidate += equal;
        equal = 0;
      }
    } else if ((a < b) != is_reversed) {
      candidate += equal + 1;
      equal = 0;
      *period = candidate - suffix;
    } else {
      suffix = candidate++;
      equal = 0;
      *period = 1;
    }
  }
  return suffix;
}

// The pattern is split at `middle`. Its right part is compared first, from left to right: each equal byte excludes a
// position. In a periodic pattern, the bytes that the previous position has compared (`known`) are not compared again.
static const unsigned char *find_long(const unsigned char *bytes, size_t count, const unsigned char *pattern,
                                      size_t pattern_count) {
  size_t period, reversed_period;
  size_t middle = find_maximal_suffix(pattern, pattern_count, false, &period);
  size_t reversed_middle = find_maximal_suffix(pattern, pattern_count, true, &reversed_period);
  if (reversed_middle > middle) {
    middle = reversed_middle;
    period = reversed_period;
  }
  bool is_periodic = period + middle <= pattern_count && memcmp(pattern, pattern + period, middle) == 0;
  if (!is_periodic)
    period = (middle > pattern_count - middle ? middle : pattern_count - middle) + 1;
  for (size_t start = 0, known = 0; start <= count - pattern_count;) {
    size_t i = known > middle ? known : middle;
    while (i < pattern_count && pattern[i] == bytes[start + i])
      ++i;
    if (i < pattern_count) {
      start += i - middle + 1;
      known = 0;
      continue;
    }
    i = middle;
    while (i > known && pattern[i - 1] == bytes[start + i - 1])
      --i;
    if (i <= known)
      return bytes + start;
    start += period;
    known = is_periodic ? pattern_count - period : 0;
  }
  return NULL;
}

const void *text_search_bytes(const void *bytes, size_t count, const void *pattern, size_t pattern_count) {
  if (pattern_count == 0)
    return bytes;
  if (count < pattern_count)
    return NULL;
  if (pattern_count > MAX_SHORT_PATTERN)
    return find_long(bytes, count, pattern, pattern_count);
  const unsigned char *next = bytes, *end = next + (count - pattern_count) + 1;
  for (; (next = memchr(next, *(const unsigned char *)pattern, (size_t)(end - next))); ++next)
    if (memcmp(next, pattern, pattern_count) == 0)
      return next;
  return NULL;
}

const char *text_search_ignoring_case(const char *text, const char *pattern) {
  for (size_t count = strlen(pattern);; ++text)
    if (strncasecmp(text, pattern, count) == 0)
      return text;
    else if (*text == '\0')
      return NULL;
}
