// Collects replacements of bytes, and applies them to a text.
#include "base/splices.h"

#include "base/assert.h"

void splices_init(splices_t *x, allocator_t *a) {
  *x = (splices_t){0};
  json_writer_init(&x->replacements, a);
}

void splices_fini(splices_t *x) {
  array_free(x->replacements.allocator, &x->items);
  json_writer_fini(&x->replacements);
}

void splices_add(splices_t *x, const void *owner, uint32_t at, uint32_t end, uint32_t from) {
  shoal_assert(at <= end && from <= x->replacements.text.count, "invalid replacement of bytes %u to %u", at, end);
  splice_t s = {owner, at, end, from, x->replacements.text.count - from};
  uint32_t i = x->items.count;
  array_push(x->replacements.allocator, &x->items, s);
  for (; i > 0 && x->items.items[i - 1].at > at; --i)
    x->items.items[i] = x->items.items[i - 1];
  x->items.items[i] = s;
}

void splices_replace(splices_t *x, const void *owner, uint32_t at, uint32_t end, const char *text) {
  uint32_t from = x->replacements.text.count;
  json_write_text(&x->replacements, text);
  splices_add(x, owner, at, end, from);
}

bool splices_has(const splices_t *x, const void *owner) {
  for (uint32_t i = 0; i < x->items.count; ++i)
    if (x->items.items[i].owner == owner)
      return true;
  return false;
}

void splices_write(const splices_t *x, const void *owner, const char *text, size_t bytes, json_writer_t *out) {
  uint32_t at = 0;
  for (uint32_t i = 0; i < x->items.count; ++i) {
    const splice_t *s = &x->items.items[i];
    if (s->owner != owner)
      continue;
    shoal_assert(s->at >= at && s->end <= bytes, "bytes %u to %u overlap or are out of range (size %zu)", s->at, s->end,
                 bytes);
    json_write_bytes(out, text + at, s->at - at);
    json_write_bytes(out, x->replacements.text.items + s->from, s->bytes);
    at = s->end;
  }
  json_write_bytes(out, text + at, bytes - at);
}
