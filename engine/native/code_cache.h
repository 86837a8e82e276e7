// Compiled objects as files: $XDG_CACHE_HOME/shoal/native, or below ~/.cache. A file is named by the hash of what it
// was made from, and has the hash of what it holds: one that was cut, changed, written by another version, or that
// others than the user may write, counts as not there. A folder that cannot be written or made is fine: nothing is
// kept then. Only the user's own files are believed, for whoever writes them decides what runs.
//
// A package (base/archive.h) has such files as native/KEY.object. They are part of the program like its scripts.
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

// Of the package that is mounted, checked in the same way; NULL for none.
void *code_shipped_read(code_key_t key, size_t *size_bytes);
// What such a file holds, to be freed with free, and its name in the archive.
#define CODE_NAME_BYTES 64
uint8_t *code_file_make(code_key_t key, const void *object, size_t size_bytes, size_t *file_bytes);
void code_file_name(code_key_t key, char name[CODE_NAME_BYTES]);

#endif
