// The text of a scene while it is written: JSON whose every number and word is as short as it can be.
#ifndef SHOAL_STORE_SCENE_TEXT_H
#define SHOAL_STORE_SCENE_TEXT_H

#include "base/alloc.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Zero-initialised but for `memory` is empty; freed with scene_text_free, or taken with scene_text_take.
typedef struct scene_text_t {
  allocator_t *memory; // borrowed
  char *items;
  size_t count, capacity;
} scene_text_t;

void scene_text_free(scene_text_t *t);
// The text with a '\0' behind it, the caller's from now on (alloc_resize, count + 1 bytes).
char *scene_text_take(scene_text_t *t);

char *scene_text_room(scene_text_t *t, size_t bytes); // for so many behind what is there

static inline void scene_text_put_n(scene_text_t *t, const char *text, size_t bytes) {
  memcpy(scene_text_room(t, bytes), text, bytes);
  t->count += bytes;
}

static inline void scene_text_put(scene_text_t *t, const char *text) {
  scene_text_put_n(t, text, strlen(text));
}

void scene_text_line(scene_text_t *t, uint32_t depth); // a new line, two blanks for each step of depth
// In quotes. False, and nothing is put, when it is no UTF-8.
bool scene_text_quoted(scene_text_t *t, const char *text, size_t bytes);

#define SCENE_NUMBER_BYTES 40

// The shortest text that reads as the same number again, as a 32-bit float if it `is_float`; "nan", "inf" and "-inf" in
// quotes. Returns its length.
size_t scene_number(double v, bool is_float, char out[SCENE_NUMBER_BYTES]);

#endif
