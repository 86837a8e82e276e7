// Compiled objects as files: $XDG_CACHE_HOME/shoal/native, or below ~/.cache. A file is named by the hash of what it
// was made from, and has the hash of what it holds: one that was cut, changed, written by another version, or that
// others than the user may write, counts as not there. A folder that cannot be written or made is fine: nothing is
// kept then. Only the user's own files are believed, for whoever writes them decides what runs.
#ifndef SHOAL_NATIVE_CODE_CACHE_H
#define SHOAL_NATIVE_CODE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct code_key_t {
  uint64_t a, b;
} code_key_t;

code_key_t code_key(const char *text, size_t length, const char *features);

// The object, to be freed with free; NULL for none.
void *code_cache_read(code_key_t key, size_t *size_bytes);
// Goes on quietly where it cannot. Past `most_bytes` of all files the oldest go, down to half of it.
void code_cache_write(code_key_t key, const void *object, size_t size_bytes, uint64_t most_bytes);

#endif
