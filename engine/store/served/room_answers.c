// Implements lists of answers.
#include "served/room_answers.h"

#include "base/assert.h"

#include <string.h>

typedef struct head_t {
  room_answer_kind_t kind;
  uint32_t size;
} head_t;

static void append(room_answers_t *a, const void *bytes, size_t size) {
  if (a->size + size > a->capacity) {
    size_t capacity = a->size + size > 2 * a->capacity ? a->size + size : 2 * a->capacity;
    a->bytes = alloc_resize(&a->memory, a->bytes, a->capacity, capacity);
    a->capacity = capacity;
  }
  if (size > 0)
    memcpy(a->bytes + a->size, bytes, size);
  a->size += size;
}

void room_answers_add(room_answers_t *a, room_answer_kind_t kind, const void *bytes, size_t size) {
  shoal_assert(size <= ROOM_CHANGE_MAX_BYTES, "an answer of %zu bytes", size);
  head_t head = {kind, (uint32_t)size};
  append(a, &head, sizeof head);
  append(a, bytes, size);
}

void room_answers_append(room_answers_t *a, const room_answers_t *from) {
  append(a, from->bytes, from->size);
}

bool room_answers_read(const room_answers_t *a, size_t *at, room_answer_t *out) {
  head_t head;
  if (*at >= a->size)
    return false;
  memcpy(&head, a->bytes + *at, sizeof head);
  *out = (room_answer_t){head.kind, a->bytes + *at + sizeof head, head.size};
  *at += sizeof head + head.size;
  return true;
}

void room_answers_clear(room_answers_t *a) {
  a->size = 0;
}

void room_answers_free(room_answers_t *a) {
  alloc_resize(&a->memory, a->bytes, a->capacity, 0);
  *a = (room_answers_t){.memory = a->memory};
}
