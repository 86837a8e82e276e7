// Linked programs, kept from one start to the next as the driver gives them out: for who finds his there, the driver's
// compiler is not even begun, which costs 20 ms in Mesa, also where that has the shaders in a cache of its own. They
// lie in the user's cache, shoal/shaders, a file each. One that another driver made, or that is damaged, is not taken.
// A GL context is current in every call.
#ifndef SHOAL_PAINT_PROGRAM_CACHE_H
#define SHOAL_PAINT_PROGRAM_CACHE_H

#include <epoxy/gl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The key of a program from these texts and this driver. 0: the driver gives no programs out, and nothing is kept.
uint64_t program_cache_key(const char *const *texts, size_t count);
// Returns a program that was kept; 0 if there is none.
GLuint program_cache_read(uint64_t key);
// Before `program` is linked, and when it is.
void program_cache_ask(uint64_t key, GLuint program);
void program_cache_write(uint64_t key, GLuint program);

#endif
