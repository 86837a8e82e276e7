// Allocation and reference counts of external results.
#include "time/external_result.h"

#include "base/assert.h"

#include <stdlib.h>
#include <string.h>

// Allocates the struct, the bytes and the key as a single block.
external_result_t *external_result_create(external_kind_t kind, const char *key, bool found, const void *bytes,
                                          size_t size) {
  shoal_assert(key, "key must not be NULL");
  shoal_assert(bytes || size == 0, "bytes must not be NULL (size %zu, %s)", size, key);
  size_t header_bytes = (sizeof(external_result_t) + 15) & ~(size_t)15, length = strlen(key);
  uint8_t *block = malloc(header_bytes + size + 1 + length + 1);
  if (!block)
    abort();
  if (size)
    memcpy(block + header_bytes, bytes, size);
  block[header_bytes + size] = '\0';
  memcpy(block + header_bytes + size + 1, key, length + 1);
  external_result_t *result = (external_result_t *)(void *)block;
  *result = (external_result_t){.kind = kind,
                                .found = found,
                                .references = 1,
                                .key = (const char *)block + header_bytes + size + 1,
                                .bytes = block + header_bytes,
                                .size = size};
  return result;
}

external_result_t *external_result_retain(external_result_t *result) {
  shoal_assert(result->references > 0, "cannot retain a released result: %s", result->key);
  ++result->references;
  return result;
}

void external_result_release(external_result_t *result) {
  shoal_assert(!result || result->references > 0, "result released more often than it was retained: %s",
               result ? result->key : "");
  if (result && --result->references == 0)
    free(result);
}
