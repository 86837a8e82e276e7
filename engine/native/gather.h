// Rows that lie elsewhere, copied to one place and back.
#ifndef SHOAL_NATIVE_GATHER_H
#define SHOAL_NATIVE_GATHER_H

#include <stdint.h>

// `count` elements of 1, 2, 4 or 8 bytes: those of `rows`, one behind the other; and back.
void rows_gather(void *to, const void *from, const uint32_t *rows, uint32_t bytes, uint32_t count);
void rows_scatter(void *to, const void *from, const uint32_t *rows, uint32_t bytes, uint32_t count);

#endif
