// Finds the function and source line of an address in a shared library. Reads the library's symbol table, and the line
// table that compilers write with -g (DWARF 2 to 5, neither compressed nor in a separate file).
//
// Used while a process crashes: does not allocate memory, take locks or open files. Malformed input gives no result.
// Supports only 64-bit little-endian ELF; finds no symbols in other files. Any thread.
#ifndef SHOAL_CRASH_SYMBOLS_H
#define SHOAL_CRASH_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct symbols_location_t {
  // name of the function: "grow", or "stove::grow" without parameters in C++; "" if unknown
  char function[128];
  char file[256]; // source file as passed to the compiler; "" if unknown
  uint32_t line;  // line number; 0 if unknown
} symbols_location_t;

// A writable variable with static storage: neither const nor thread-local.
typedef struct symbols_static_t {
  char name[128];
  char file[128]; // name of the source file without folders; "" if unknown
  uint64_t size_bytes;
} symbols_static_t;

// Finds the writable variables of a library, except variables of the compiler and of Shoal's headers. Writes the first
// `capacity` variables to `out`. Returns the total number of variables; 0 if the library has no symbol table (strip).
uint32_t symbols_find_statics(const uint8_t *bytes, size_t size, symbols_static_t *out, uint32_t capacity);

// Finds the function and line of `address`, a virtual address of the ELF file. Returns true on success, or false if
// both are unknown.
bool symbols_find_location(const uint8_t *bytes, size_t size, uint64_t address, symbols_location_t *out);

// Sets `out` to the difference between address and file offset of the segment that contains `offset`. Returns true on
// success, or false if no loadable segment contains the offset.
bool symbols_find_shift(const uint8_t *bytes, size_t size, uint64_t offset, uint64_t *out);

#endif
