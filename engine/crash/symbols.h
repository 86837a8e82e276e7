// Which function and which line of source an address of a shared library is, read from the library's own bytes: its
// table of symbols, and the table of lines that compilers write with -g (DWARF 2 to 5; one that is compressed, or lies
// in a file of its own, is not read).
//
// It is read where a process dies: no memory is asked for, no lock is taken, no file is opened, and bytes that make no
// sense give no answer. Little-endian ELF of 64 bits; anything else has no symbols. Any thread.
#ifndef SHOAL_CRASH_SYMBOLS_H
#define SHOAL_CRASH_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct symbols_place_t {
  char function[128]; // "grow", of C++ "stove::grow" without what it takes; "" where the library does not say
  char file[256];     // as the compiler was told it; "" where there are no lines
  uint32_t line;      // 0: unknown
} symbols_place_t;

// `address` as the library counts: 0 is its first byte. False when neither is known.
bool symbols_find(const uint8_t *bytes, size_t size, uint64_t address, symbols_place_t *out);

// How far what lies at `offset` of the file is moved from there to its address; false when nothing of it is loaded.
bool symbols_shift(const uint8_t *bytes, size_t size, uint64_t offset, uint64_t *out);

#endif
