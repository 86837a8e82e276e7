// A sort whose result is the same everywhere: equal items keep their order. What libc's qsort makes of equal items
// depends on the library, its version, and on how much memory is free; the program's qsort is this one
// (exact_libm.c).
#ifndef SHOAL_BASE_SORT_H
#define SHOAL_BASE_SORT_H

#include <stddef.h>

// Negative, 0 or positive, as for qsort; must be consistent.
typedef int sort_compare_t(const void *a, const void *b);

// Sorts `count` items of `size_bytes` in place. Merges (n log n comparisons), with as much memory again for a while;
// where there is none it inserts, which is slow and gives the same order. Any thread.
void sort_stable(void *items, size_t count, size_t size_bytes, sort_compare_t *compare);

#endif
