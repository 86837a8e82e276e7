// Fuzzer for recordings. Reading a recording must not change a world. The recording's snapshot is also restored into a
// world.
static const char *const reader_words[] = {"\x01", "\x07", "\x81\x02", "\x02\x84", "SHOALRPL", 0};
#include "reader.h"

#include "base/files.h"
#include "base/hash.h"
#include "time/recording.h"

#include <unistd.h>

// Offset of the header's hash, which follows the magic number, the format, padding and the hashed header.
#define HEAD_HASH_AT (16u + sizeof(recording_head_t))
#define CHUNK_HEAD 16u // size of a chunk's head: hash, size and kind

static reader_world_t *r;

static void add_external_result(journal_o *journal, recorder_o *recorder, external_kind_t kind, bool start) {
  external_result_t *a = external_result_create(kind, "key", kind % 2, "bytes from outside", 18);
  journal_add_result(journal, a);
  if (start)
    recorder_keep_start_result(recorder, a);
  external_result_release(a);
}

static void record_run(journal_o *journal, recorder_o *recorder, history_o *h) {
  input_state_t before, now;
  memset(&before, 0, sizeof before);
  memset(&now, 0, sizeof now);
  history_add_snapshot(h, r->world);
  for (uint32_t i = 0; i < 150; ++i) {
    ((uint8_t *)&now)[i % sizeof now] ^= (uint8_t)i;
    reader_tick(r);
    history_add_snapshot(h, r->world);
    recorder_add_tick(recorder, &before, &now, r->world);
    if (i % 40 == 20)
      journal_add_frame(journal, world_tick(r->world) + 1, &before, &now);
    if (i == 30)
      recorder_add_reload(recorder, 7);
    if (i % 20 == 5)
      add_external_result(journal, recorder, (external_kind_t)(1 + i / 20 % (EXTERNAL_KIND_COUNT - 1)), i % 3 == 0);
    before = now;
  }
}

static void reader_setup(void) {
  static const char text[] = "/tmp/shoal_reader_XXXXXX";
  char path[sizeof text], excerpt[sizeof text + 16];
  size_t size = 0;
  error_info_t error = {0};
  r = reader_world(12);
  memcpy(path, text, sizeof text);
  close(mkstemp(path));
  recording_head_t head;
  memset(&head, 0, sizeof head);
  strcpy(head.game, "fuzz");
  head.tick_rate = 60;
  history_o *h = history_create(&r->memory, 16u << 20);
  journal_o *journal = journal_create(&r->memory);
  recorder_o *recorder = recorder_create(journal, &head, path, &error);
  record_run(journal, recorder, h);
  snprintf(excerpt, sizeof excerpt, "%s.excerpt", path);
  if (!recorder_write_excerpt(recorder, h, NULL, excerpt, &error))
    reader_fail("%s", error.text);
  recorder_destroy(recorder);
  journal_destroy(journal);
  for (int i = 0; i < 2; ++i) {
    char *bytes = file_read(&r->memory, i ? excerpt : path, &size, &error);
    reader_seed(bytes, size);
    file_free(&r->memory, bytes, size);
    unlink(i ? excerpt : path);
  }
  history_destroy(h);
  if (!snapshot_restore(r->base, r->world, &error))
    reader_fail("%s", error.text);
}

static bool read_items(recording_o *replay) {
  recording_item_t item;
  error_info_t error = {0};
  for (uint32_t i = 0; i < 100000; ++i) {
    external_result_release(i % 3 == 0 ? recording_read_next_result(replay) : NULL);
    recording_read_item(replay, &item, &error);
    if (item.result) {
      if (item.result->kind >= EXTERNAL_KIND_COUNT || strlen(item.result->key) >= EXTERNAL_KEY_BYTES)
        reader_fail("invalid result");
      external_result_release(item.result);
    }
    if (item.kind == RECORD_END || item.kind == RECORD_NONE)
      return item.kind == RECORD_END;
  }
  reader_fail("the recording does not end");
  return false;
}

// Expands the state after `played` ticks. States in a recording are deltas, each of which must expand to a valid state
// or be rejected.
static void read_states(const recording_o *recording, uint64_t played) {
  error_info_t error = {0};
  snapshot_o *s = snapshot_create(&r->memory);
  if (recording_copy_snapshot(recording, played, 1u << 28, s, &error))
    state_close(state_open(s, &r->memory, &error));
  snapshot_release(s);
}

static bool reader_try(const uint8_t *data, size_t size) {
  error_info_t error = {0};
  recording_o *replay = recording_open_bytes(&r->memory, data, size, &error);
  reader_check_unchanged(r);
  if (!replay)
    return false;
  const snapshot_o *s = recording_snapshot(replay);
  bool taken = true;
  if (s && snapshot_restore(s, r->world, &error))
    reader_check_runs(r);
  else if (s)
    taken = false;
  reader_check_unchanged(r);
  for (uint64_t played = 0; played < 150; played += 49)
    read_states(replay, played);
  recording_has_hashes(replay);
  taken = read_items(replay) && taken;
  recording_close(replay);
  return taken;
}

// Corrects the checksums of the header and of each chunk. Reduces a chunk size that exceeds the remaining data.
static size_t reader_fix_checksums(uint8_t *data, size_t size, size_t room) {
  (void)room;
  if (size < HEAD_HASH_AT + 8)
    return size;
  uint64_t hash = hash_bytes(data + 16, sizeof(recording_head_t), 0);
  memcpy(data + HEAD_HASH_AT, &hash, sizeof hash);
  for (size_t at = HEAD_HASH_AT + 8; size - at > CHUNK_HEAD;) {
    uint32_t bytes, kind;
    memcpy(&bytes, data + at + 8, sizeof bytes);
    memcpy(&kind, data + at + 12, sizeof kind);
    if (bytes > size - at - CHUNK_HEAD) // a mutation has deleted or duplicated bytes
      bytes = (uint32_t)(size - at - CHUNK_HEAD);
    memcpy(data + at + 8, &bytes, sizeof bytes);
    hash = hash_bytes(data + at + CHUNK_HEAD, bytes, kind);
    memcpy(data + at, &hash, sizeof hash);
    at += CHUNK_HEAD + bytes;
  }
  return size;
}

static void reader_teardown(void) {
  reader_world_free(r);
}
