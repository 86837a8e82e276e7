// File names that every system can store. Windows reserves some names and characters, and does not distinguish upper
// case from lower case. Packages contain only portable names, because a game with other names works only on Linux.
#ifndef SHOAL_BASE_PORTABLE_NAME_H
#define SHOAL_BASE_PORTABLE_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Finds the first file or folder name in a relative path that Windows cannot store. Returns the reason, such as
// "Windows reserves names such as CON", and writes the name to `out` (truncated to `out_bytes`). Returns NULL if
// Windows can store all names.
const char *portable_name_find_fault(const char *path, char *out, size_t out_bytes);

// Compares two relative paths. Ignores case in all scripts (base/case_folding.h). A folder precedes its content.
// Returns a negative number, 0 or a positive number, as strcmp does.
int portable_name_compare(const char *a, const char *b);
// Finds the first file or folder name in `a` that differs only in case from the name at the same position in `b`.
// Returns the length of `a` up to the end of this name, and stores the length of `b`. Returns 0 if an earlier name
// differs otherwise, or if no name differs. In a list sorted with portable_name_compare, compare only neighbours.
size_t portable_name_find_twin(const char *a, const char *b, size_t *b_length);

#define PORTABLE_NAME_TWINS "Windows does not distinguish upper case from lower case" // for messages

// Two paths that contain names that differ only in case, and the lengths of the paths up to the end of these names.
typedef struct portable_twins_t {
  const char *a, *b;
  size_t a_length, b_length;
} portable_twins_t;
// Sorts the relative paths with portable_name_compare, and finds two paths with names that differ only in case. Returns
// true if found, or false if all names differ.
bool portable_name_find_twins(const char **paths, uint32_t count, portable_twins_t *out);

#endif
