// Fuzzer for widget actions: each input is a list of actions. Accepted actions must be canonical, so they are written
// again and compared.
static const char *const reader_words[] = {"\xff\xff\xff\xff\x0f", "\x80\x80\x80\x01", "\xc3\xa4", "\xed\xa0\x80", 0};
#include "reader.h"

#include "ui/widget_action.h"

static bool reader_try(const uint8_t *data, size_t size) {
  uint8_t out[WIDGET_ACTION_MAX_BYTES];
  widget_action_t action;
  for (size_t at = 0, read; at < size; at += read) {
    read = widget_action_read(data + at, size - at, &action);
    if (read == 0)
      return false;
    if (widget_action_write(&action, out) != read || memcmp(out, data + at, read) != 0)
      reader_fail("accepted bytes are not canonical");
  }
  return size > 0;
}

static void reader_setup(void) {
  static uint8_t seed[WIDGET_ACTION_KIND_COUNT * WIDGET_ACTION_MAX_BYTES];
  size_t at = 0;
  for (uint32_t i = 1; i < WIDGET_ACTION_KIND_COUNT; ++i) {
    widget_action_t action = {.kind = (widget_action_kind_t)i, .entity = 1000 + i, .value = 0.25f, .number = 300};
    action.line = i;
    action.start = 5;
    action.erased = 200;
    memcpy(action.text, "Zoë", sizeof "Zoë");
    at += widget_action_write(&action, seed + at);
    reader_seed(seed, at);
  }
}

static size_t reader_fix_checksums(uint8_t *data, size_t size, size_t room) {
  (void)data;
  (void)room;
  return size;
}

static void reader_teardown(void) {
}
