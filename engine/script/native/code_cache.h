// Disk cache of compiled objects: files in $XDG_CACHE_HOME/shoal/native (default: ~/.cache). The name of a file is a
// hash of the source; its header contains a hash of the object. Files that are truncated, modified, of a different
// version, owned by a different user or writable by other users are ignored, because their contents are executed. If
// the folder cannot be created or written, the cache is disabled.
//
// Packages (base/archive.h) contain files of the same format, named native/KEY.object. Like scripts, they are trusted
// as part of the program.
#ifndef SHOAL_NATIVE_CODE_CACHE_H
#define SHOAL_NATIVE_CODE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct code_key_t {
  uint64_t high, low;
} code_key_t;

code_key_t code_key(const char *text, size_t length, const char *features);

// Returns the cached object, which must be released with free; NULL if the cache contains no valid file for the key.
void *code_cache_read(code_key_t key, size_t *size_bytes);
// Writes an object to the cache; failures are ignored. If the total size of the files exceeds `max_bytes`, or if there
// are 4,096 files, deletes the older half of the files, and then more files until at most half of `max_bytes` remains.
void code_cache_write(code_key_t key, const void *object, size_t size_bytes, uint64_t max_bytes);

// Like code_cache_read, but reads from the mounted package.
void *code_package_read(code_key_t key, size_t *size_bytes);
// code_file_build returns the contents of an object's file for a package (release them with free), or NULL if out of
// memory. code_file_format_name writes the file's name in the archive.
#define CODE_NAME_BYTES 64
uint8_t *code_file_build(code_key_t key, const void *object, size_t size_bytes, size_t *file_bytes);
void code_file_format_name(code_key_t key, char name[CODE_NAME_BYTES]);

#endif
