// A sort whose result is the same everywhere: equal items keep their order. With libc's qsort, the order of equal items
// depends on the library, its version and free memory; the program's qsort is therefore this function (exact_libm.c).
#ifndef SHOAL_BASE_SORT_H
#define SHOAL_BASE_SORT_H

#include <stddef.h>

// Compares two items: returns a negative number, 0 or a positive number, as for qsort. The order must be consistent.
typedef int sort_compare_t(const void *a, const void *b);

// Sorts `count` items of `size_bytes` in place. Merges (n log n comparisons) with a temporary buffer of the same size;
// if this buffer cannot be allocated, sorts by insertion, which is slow but gives the same result. Any thread.
void sort_stable(void *items, size_t count, size_t size_bytes, sort_compare_t *compare);

#endif
