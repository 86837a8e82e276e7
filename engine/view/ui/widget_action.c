// Encoding of widget actions.
#include "ui/widget_action.h"

#include "base/assert.h"
#include "base/utf8.h"
#include "base/varint.h"

#include <math.h>
#include <string.h>

enum { HAS_VALUE = 1, HAS_NUMBER = 2, HAS_LINE = 4, HAS_RANGE = 8, HAS_TEXT = 16 };

static const uint8_t PARTS[WIDGET_ACTION_KIND_COUNT] = {
    [WIDGET_ACTION_SET] = HAS_VALUE,
    [WIDGET_ACTION_CHOOSE] = HAS_NUMBER,
    [WIDGET_ACTION_ANSWER] = HAS_NUMBER | HAS_LINE,
    [WIDGET_ACTION_EDIT] = HAS_RANGE | HAS_TEXT,
    [WIDGET_ACTION_KEYBOARD] = HAS_TEXT,
};

static size_t write_text(const char *text, uint8_t *out) {
  size_t bytes = strlen(text);
  shoal_assert(bytes <= WIDGET_ACTION_TEXT_BYTES, "text of %zu bytes is too long (at most %u)", bytes,
               WIDGET_ACTION_TEXT_BYTES);
  out[0] = (uint8_t)bytes;
  memcpy(out + 1, text, bytes);
  return bytes + 1;
}

size_t widget_action_write(const widget_action_t *action, uint8_t *out) {
  shoal_assert(action->kind > WIDGET_ACTION_NONE && action->kind < WIDGET_ACTION_KIND_COUNT,
               "widget action %d is out of range", (int)action->kind);
  uint8_t parts = PARTS[action->kind];
  size_t at = 0;
  out[at++] = (uint8_t)action->kind;
  memcpy(out + at, &action->entity, 4);
  at += 4;
  if (parts & HAS_VALUE) {
    memcpy(out + at, &action->value, 4);
    at += 4;
  }
  at += parts & HAS_NUMBER ? varint_write(action->number, out + at) : 0;
  at += parts & HAS_LINE ? varint_write(action->line, out + at) : 0;
  at += parts & HAS_RANGE ? varint_write(action->start, out + at) : 0;
  at += parts & HAS_RANGE ? varint_write(action->erased, out + at) : 0;
  return at + (parts & HAS_TEXT ? write_text(action->text, out + at) : 0);
}

// --- reading

typedef struct input_t {
  const uint8_t *bytes;
  size_t size, at;
  bool is_valid;
} input_t;

static void read_bytes(input_t *in, void *out, size_t size) {
  in->is_valid = in->is_valid && in->size - in->at >= size;
  if (!in->is_valid)
    return;
  memcpy(out, in->bytes + in->at, size);
  in->at += size;
}

// Reads a varint of at most 32 bits. An encoding that is longer than necessary makes the input invalid.
static void read_number(input_t *in, uint32_t *out) {
  uint8_t shortest[VARINT_BYTES];
  uint64_t value = 0;
  size_t size = in->is_valid ? varint_read(in->bytes + in->at, in->size - in->at, &value) : 0;
  in->is_valid = size > 0 && value <= UINT32_MAX && varint_write(value, shortest) == size;
  *out = in->is_valid ? (uint32_t)value : 0;
  in->at += in->is_valid ? size : 0;
}

static void read_text(input_t *in, char out[WIDGET_ACTION_TEXT_BYTES + 1]) {
  uint8_t bytes = 0;
  read_bytes(in, &bytes, 1);
  in->is_valid = in->is_valid && bytes <= WIDGET_ACTION_TEXT_BYTES;
  read_bytes(in, out, in->is_valid ? bytes : 0);
  for (size_t i = 0; in->is_valid && i < bytes;) {
    size_t length = utf8_character_length_n(out + i, bytes - i);
    in->is_valid = length > 0 && out[i] != '\0';
    i += length;
  }
}

size_t widget_action_read(const uint8_t *bytes, size_t size, widget_action_t *out) {
  input_t in = {.bytes = bytes, .size = size, .is_valid = true};
  uint8_t kind = 0;
  memset(out, 0, sizeof *out);
  read_bytes(&in, &kind, 1);
  if (!in.is_valid || kind == WIDGET_ACTION_NONE || kind >= WIDGET_ACTION_KIND_COUNT)
    return 0;
  out->kind = (widget_action_kind_t)kind;
  read_bytes(&in, &out->entity, 4);
  if (PARTS[kind] & HAS_VALUE) {
    read_bytes(&in, &out->value, 4);
    in.is_valid = in.is_valid && isfinite(out->value);
  }
  if (PARTS[kind] & HAS_NUMBER)
    read_number(&in, &out->number);
  if (PARTS[kind] & HAS_LINE)
    read_number(&in, &out->line);
  if (PARTS[kind] & HAS_RANGE) {
    read_number(&in, &out->start);
    read_number(&in, &out->erased);
  }
  if (PARTS[kind] & HAS_TEXT)
    read_text(&in, out->text);
  return in.is_valid ? in.at : 0;
}
