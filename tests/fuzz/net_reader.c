// Fuzzer for the net plugin: recorded items and messages from a peer. Accepted text must be UTF-8 without zero bytes
// and must survive being written and read again.
static const char *const reader_words[] = {"\xc3\xa4", "\xf0\x9f\x90\x9f", "\xed\xa0\x80", "\xf4\x90\x80\x80", 0};
#include "reader.h"

#include "base/utf8.h"
#include "plugins/net/net_bytes.h"

#define MAX_BYTES 65536

static uint8_t buffer[MAX_BYTES];

static void reader_setup(void) {
  wire_log_t log = {.bytes = buffer, .capacity = sizeof buffer};
  wire_append(&log, WIRE_BOUND, 4000, NULL, 0);
  wire_append(&log, WIRE_JOINED, 1, NULL, 0);
  wire_append(&log, WIRE_MESSAGE, 1, "a fish: \xf0\x9f\x90\x9f", 12);
  wire_append(&log, WIRE_MESSAGE, 2, "", 0);
  wire_append(&log, WIRE_TROUBLE, 0, "nobody can listen", 17);
  wire_append(&log, WIRE_LEFT, 1, NULL, 0);
  reader_seed(buffer, log.used);
}

static void check_item(const wire_item_t *item) {
  size_t length = strlen(item->text);
  if ((uint32_t)item->kind > WIRE_TROUBLE || length > WIRE_MAX_TEXT)
    reader_fail("an item of kind %d with %zu bytes", (int)item->kind, length);
  for (size_t i = 0; i < length; i += utf8_character_length_n(item->text + i, length - i))
    if (utf8_character_length_n(item->text + i, length - i) == 0)
      reader_fail("invalid UTF-8: %s", item->text);
}

// Writes an accepted item and reads it again; the result must equal the item.
static void check_round_trip(const wire_item_t *item) {
  static uint8_t bytes[WIRE_MAX_TEXT + 64];
  wire_log_t log = {.bytes = bytes, .capacity = sizeof bytes};
  wire_item_t other;
  size_t at = 0;
  if (!wire_append(&log, item->kind, item->peer, item->text, strlen(item->text)) ||
      !wire_read(bytes, log.used, &at, &other) || at != log.used || other.kind != item->kind ||
      other.peer != item->peer || strcmp(other.text, item->text) != 0)
    reader_fail("the item differs when it is read again: %s", item->text);
}

// Parses the input as a single message from a peer.
static void try_message(const uint8_t *data, size_t size) {
  wire_log_t log = {.bytes = buffer, .capacity = size % 64 + 16 + (size % 3 ? size : 0)};
  log.capacity = log.capacity < sizeof buffer ? log.capacity : sizeof buffer;
  wire_item_t item;
  size_t at = 0;
  bool fits = size <= WIRE_MAX_TEXT && log.capacity >= size + 12;
  if (wire_append(&log, WIRE_MESSAGE, 3, data, size) != fits || log.used != (fits ? size + 12 : 0))
    reader_fail("a message of %zu bytes in a buffer of %zu", size, log.capacity);
  if (fits && wire_read(buffer, log.used, &at, &item))
    check_item(&item);
  if (fits && at != log.used)
    reader_fail("an accepted message of %zu bytes cannot be read", size);
}

static bool reader_try(const uint8_t *data, size_t size) {
  wire_item_t item;
  size_t at = 0, before = 0;
  try_message(data, size);
  while (wire_read(data, size, &at, &item)) {
    if (at <= before || at > size)
      reader_fail("from byte %zu to %zu of %zu", before, at, size);
    before = at;
    check_item(&item);
    check_round_trip(&item);
  }
  if (wire_read(data, size, &at, &item) || at != before)
    reader_fail("reading continues past the end");
  return at == size;
}

static size_t reader_fix_checksums(uint8_t *data, size_t size, size_t room) {
  (void)data, (void)room;
  return size;
}

static void reader_teardown(void) {
}
