// Collects replacements of bytes, and applies them to the text.
#include "base/splices.h"

#include "base/assert.h"

void splices_init(splices_t *splices, allocator_t *a) {
  *splices = (splices_t){0};
  json_writer_init(&splices->replacements, a);
}

void splices_fini(splices_t *splices) {
  array_free(splices->replacements.allocator, &splices->items);
  json_writer_fini(&splices->replacements);
}

void splices_add(splices_t *splices, const void *owner, uint32_t at, uint32_t end, uint32_t text_begin) {
  shoal_assert(at <= end && text_begin <= splices->replacements.text.count, "invalid replacement of bytes %u to %u", at,
               end);
  splice_t splice = {owner, at, end, text_begin, splices->replacements.text.count - text_begin};
  uint32_t i = splices->items.count;
  array_push(splices->replacements.allocator, &splices->items, splice);
  for (; i > 0 && splices->items.items[i - 1].at > at; --i)
    splices->items.items[i] = splices->items.items[i - 1];
  splices->items.items[i] = splice;
}

void splices_replace(splices_t *splices, const void *owner, uint32_t at, uint32_t end, const char *text) {
  uint32_t text_begin = splices->replacements.text.count;
  json_write_text(&splices->replacements, text);
  splices_add(splices, owner, at, end, text_begin);
}

bool splices_has(const splices_t *splices, const void *owner) {
  for (uint32_t i = 0; i < splices->items.count; ++i)
    if (splices->items.items[i].owner == owner)
      return true;
  return false;
}

void splices_write(const splices_t *splices, const void *owner, const char *text, size_t bytes, json_writer_t *out) {
  uint32_t at = 0;
  for (uint32_t i = 0; i < splices->items.count; ++i) {
    const splice_t *splice = &splices->items.items[i];
    if (splice->owner != owner)
      continue;
    shoal_assert(splice->at >= at && splice->end <= bytes, "bytes %u to %u overlap or are out of range (size %zu)",
                 splice->at, splice->end, bytes);
    json_write_bytes(out, text + at, splice->at - at);
    json_write_bytes(out, splices->replacements.text.items + splice->text_begin, splice->bytes);
    at = splice->end;
  }
  json_write_bytes(out, text + at, bytes - at);
}
