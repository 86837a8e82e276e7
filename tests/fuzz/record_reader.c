// Fuzzer for journal records: each input is a block. Accepted records must be canonical, so they are written again and
// compared.
static const char *const reader_words[] = {"\xff\xff\xff\x7f", "\x81\x01\x01", "\x80\x80\x80\x01", 0};
#include "reader.h"

#include "journal/record.h"

static void check_record(record_coder_t *writer, const record_t *record, const uint8_t *data, size_t size) {
  uint8_t out[RECORD_MAX_BYTES];
  if (record->item_count > RECORD_MAX_ITEMS || record_get_item_bytes(record) > RECORD_MAX_ITEM_BYTES)
    reader_fail("a record of %u items", record->item_count);
  if (record_write(writer, record, out, sizeof out) != size || memcmp(out, data, size) != 0)
    reader_fail("accepted bytes are not canonical");
}

static bool reader_try(const uint8_t *data, size_t size) {
  record_coder_t reader = {0}, writer = {0};
  record_t record;
  for (size_t at = 0, read; at < size; at += read) {
    read = record_read(&reader, data + at, size - at, &record);
    if (read == 0)
      return false;
    check_record(&writer, &record, data + at, read);
  }
  return size > 0;
}

static size_t write_record(record_coder_t *coder, record_t *record, uint8_t *out) {
  ++record->number;
  return record_write(coder, record, out, RECORD_MAX_BYTES);
}

static void reader_setup(void) {
  static uint8_t seed[16 * RECORD_MAX_BYTES];
  record_coder_t coder = {0};
  record_t record = {.number = 41, .kind = RECORD_TICK, .hash = 12345};
  size_t at = 0;
  for (uint32_t i = 0; i < 8; ++i) {
    player_input_t *input = &record.inputs.players[i < 4 ? i : i * 4];
    record.kind = i == 4 ? RECORD_RELOAD : i == 5 ? RECORD_PAUSE : RECORD_TICK;
    record.tick = 100 + i * i;
    record.inputs.present |= player_mask_of(i < 4 ? i : i * 4);
    input->values[i * 3] = 100;
    input->pressed = UINT64_C(1) << i * 9;
    input->pointer_x = (float)i;
    input->motion_x = INT32_MAX - (int32_t)(i * i);
    input->motion_y = -(int32_t)i;
    record.items[0] = (record_item_t){RECORD_ITEM_COMMAND, (uint8_t)(i < 4 ? i : i * 4), 5, (const uint8_t *)"build"};
    record.items[1] = (record_item_t){RECORD_ITEM_RESULT, 0, 9, (const uint8_t *)"{\"a\": 1}\n"};
    record.item_count = i % 3;
    at += write_record(&coder, &record, seed + at);
    reader_seed(seed, at);
  }
  record.item_count = 1;
  for (record.kind = RECORD_FRAME; record.kind < RECORD_KIND_COUNT; ++record.kind) {
    record.tick = record.kind == RECORD_FRAME ? 151 : 3;
    at += write_record(&coder, &record, seed + at);
  }
  reader_seed(seed, at);
}

static size_t reader_fix_checksums(uint8_t *data, size_t size, size_t room) {
  (void)data;
  (void)room;
  return size;
}

static void reader_teardown(void) {
}
