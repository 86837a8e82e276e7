// Searches in bytes and text.
#ifndef SHOAL_BASE_TEXT_SEARCH_H
#define SHOAL_BASE_TEXT_SEARCH_H

#include <stddef.h>

// Returns the first occurrence of `pattern` in `bytes`, or NULL if it does not occur. An empty pattern occurs at the
// start. Takes time proportional to the number of bytes.
const void *text_search_bytes(const void *bytes, size_t count, const void *pattern, size_t pattern_count);
// Returns the first occurrence of `pattern` in `text`, regardless of the case of ASCII letters, or NULL if it does not
// occur.
const char *text_search_ignoring_case(const char *text, const char *pattern);

#endif
