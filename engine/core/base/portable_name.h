// Names of files that every system can store. Windows reserves some names and characters, and does not distinguish
// upper case from lower case. A game with different names works only on Linux, so packages contain none.
#ifndef SHOAL_BASE_PORTABLE_NAME_H
#define SHOAL_BASE_PORTABLE_NAME_H

#include <stddef.h>

// Finds the first file or folder name in a relative path that Windows cannot store. Returns the reason, such as
// "Windows reserves names such as CON", and writes the name to `out` (truncated to `out_bytes`). Returns NULL if
// Windows can store all names.
const char *portable_name_find_fault(const char *path, char *out, size_t out_bytes);

// Compares two relative paths without their case: letters of the Latin, Greek and Cyrillic alphabets. A folder precedes
// its content. Returns a negative number, 0 or a positive number, as strcmp does.
int portable_name_compare(const char *a, const char *b);
// Finds a file or folder in `a` whose name differs only in case from a name in the same folder in `b`. Returns the
// length of the path to it, which is the same in both, or 0 if no names differ only in case. If a list is sorted with
// portable_name_compare, a comparison of neighbours is sufficient.
size_t portable_name_find_twin(const char *a, const char *b);

#endif
