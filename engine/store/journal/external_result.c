// Implements external results: allocation, reference counts and encoding.
#include "journal/external_result.h"

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

// --- items of records

#define FOUND 0x80u

size_t external_result_write_head(const external_result_t *result, uint8_t *out) {
  size_t length = strlen(result->key);
  shoal_assert(result->kind > EXTERNAL_NONE && result->kind < EXTERNAL_KIND_COUNT && length < EXTERNAL_KEY_BYTES,
               "a result of kind %d with a key of %zu bytes cannot be recorded", (int)result->kind, length);
  out[0] = (uint8_t)((uint32_t)result->kind | (result->found ? FOUND : 0));
  out[1] = (uint8_t)length;
  memcpy(out + 2, result->key, length);
  return 2 + length;
}

static bool is_valid(const record_item_t *item) {
  if (item->kind != RECORD_ITEM_RESULT || item->size < 2)
    return false;
  uint32_t kind = item->bytes[0] & ~FOUND, length = item->bytes[1];
  return kind > EXTERNAL_NONE && kind < EXTERNAL_KIND_COUNT && length <= item->size - 2 &&
         !memchr(item->bytes + 2, '\0', length) && item->size - 2 - length <= EXTERNAL_RESULT_MAX_BYTES;
}

bool external_result_read_kind(const record_item_t *item, external_kind_t *out) {
  bool ok = is_valid(item);
  *out = ok ? (external_kind_t)(item->bytes[0] & ~FOUND) : EXTERNAL_NONE;
  return ok;
}

external_result_t *external_result_read(const record_item_t *item) {
  char key[EXTERNAL_KEY_BYTES] = "";
  if (!is_valid(item))
    return NULL;
  size_t length = item->bytes[1];
  memcpy(key, item->bytes + 2, length);
  return external_result_create((external_kind_t)(item->bytes[0] & ~FOUND), key, item->bytes[0] & FOUND,
                                item->bytes + 2 + length, item->size - 2 - length);
}
