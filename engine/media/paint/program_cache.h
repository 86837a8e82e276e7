// Disk cache of linked program binaries. A hit avoids starting the driver's compiler, which takes 20 ms in Mesa even if
// Mesa has cached the shaders. Each program is a file in shoal/shaders in the user's cache directory. Damaged files,
// and files that were written with a different driver, are ignored. A GL context must be current.
#ifndef SHOAL_PAINT_PROGRAM_CACHE_H
#define SHOAL_PAINT_PROGRAM_CACHE_H

#include <epoxy/gl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Returns the key of a program with these sources on this driver, or 0 if the driver does not support program binaries.
uint64_t program_cache_key(const char *const *strings, size_t count);
// Returns the cached program, or 0 if `key` is 0, or if the program is missing, damaged or rejected by the driver.
GLuint program_cache_read(uint64_t key);
// program_cache_prepare requests that the driver keeps a binary, and must be called before `program` is linked.
// program_cache_write stores the binary of the linked program. Failures are ignored.
void program_cache_prepare(uint64_t key, GLuint program);
void program_cache_write(uint64_t key, GLuint program);

#endif
