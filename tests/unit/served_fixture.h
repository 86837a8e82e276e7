// Test fixture: a world's database with two connections, and contents for the rooms. Record N belongs to tick N. With
// the environment variable SHOAL_TEST_POSTGRES, the database is on a PostgreSQL server instead of in a file.
#ifndef SHOAL_TESTS_SERVED_FIXTURE_H
#define SHOAL_TESTS_SERVED_FIXTURE_H

#include "postgres_server.h"

#include "journal/record.h"
#include "served/room_writer.h"
#include "served/world_store_internal.h"
#include "temporary_folder.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

typedef struct fixture_t {
  char folder[64], path[160]; // path of the file, or the address of the server
  world_store_o *a, *b;
  int64_t owner; // number of the world's owner, which is the connection `a`
  error_info_t error;
} fixture_t;

static inline world_store_o *open_world(fixture_t *f) {
  world_store_desc_t desc = {
      .path = f->path, .game = "hamlet", .engine = "engine 1", .base = 77, .may_create = true, .busy_ms = 20};
  world_store_o *s;
  if (world_store_open(&desc, &s, &f->error) != STORE_DONE)
    fail_msg("%s", f->error.text);
  return s;
}

#define assert_result(f, call, expected)                                                                               \
  do {                                                                                                                 \
    store_result_t result_ = (call);                                                                                   \
    if (result_ != (expected))                                                                                         \
      fail_msg("%s: got result %d: %s", #call, (int)result_, (f)->error.text);                                         \
  } while (0)
#define assert_done(f, call) assert_result(f, call, STORE_DONE)

static inline void open_worlds(fixture_t *f) {
  f->a = open_world(f);
  f->b = open_world(f);
  assert_done(f, world_store_claim_world(f->a, false, &f->owner, &f->error));
}

static inline int setup(void **state) {
  static fixture_t f;
  f = (fixture_t){.folder = ""};
  temporary_folder_create_in_memory(f.folder, sizeof f.folder, "world");
  if (getenv("SHOAL_TEST_POSTGRES"))
    snprintf(f.path, sizeof f.path, "%s", postgres_server_start());
  else
    snprintf(f.path, sizeof f.path, "%s/world.db", f.folder);
  open_worlds(&f);
  *state = &f;
  return 0;
}

static inline int teardown(void **state) {
  fixture_t *f = *state;
  world_store_close(f->a);
  if (world_store_is_address(f->path))
    store_execute_script(f->b, "ROLLBACK; SET lock_timeout = 5000; DROP SCHEMA public CASCADE; CREATE SCHEMA public",
                         NULL);
  world_store_close(f->b);
  temporary_folder_remove(f->folder);
  return 0;
}

// Skips a test that only files of SQLite can pass.
static inline void require_file(const fixture_t *f) {
  if (world_store_is_address(f->path))
    skip();
}

static inline void make_record(uint64_t number, record_t *out) {
  *out = (record_t){.number = number, .kind = RECORD_TICK, .tick = number, .hash = number * 7 + 1};
  out->inputs.present = 1;
  out->inputs.players[0].values[0] = (int8_t)(number % 100);
}

// Encodes the records from `first` to `last` into `bytes`.
static inline room_block_t make_block(uint64_t first, uint64_t last, uint8_t *bytes, size_t capacity) {
  record_coder_t coder = {0};
  record_t record;
  room_block_t block = {first, last, bytes, 0};
  for (uint64_t number = first; number <= last; ++number) {
    make_record(number, &record);
    size_t size = record_write(&coder, &record, bytes + block.size, capacity - block.size);
    assert_true(size > 0);
    block.size += size;
  }
  return block;
}

// A snapshot whose state is a text that names the record.
typedef struct test_snapshot_t {
  room_snapshot_t row;
  uint8_t head[32], state[128];
} test_snapshot_t;

static inline void make_snapshot(uint64_t number, test_snapshot_t *out) {
  char text[64];
  int length = snprintf(text, sizeof text, "state after record %llu", (unsigned long long)number);
  snprintf((char *)out->head, sizeof out->head, "head %llu", (unsigned long long)number);
  size_t size = ZSTD_compress(out->state, sizeof out->state, text, (size_t)length, 1);
  assert_false(ZSTD_isError(size));
  out->row = (room_snapshot_t){.number = number,
                               .tick = number,
                               .hash = number * 7 + 1,
                               .head = out->head,
                               .head_size = strlen((char *)out->head),
                               .state = out->state,
                               .state_size = size};
}

static inline room_claim_t start_room(fixture_t *f, const char *name) {
  room_claim_t claim;
  assert_done(f, world_store_start_room(f->a, f->owner, name, &claim, &f->error));
  return claim;
}

// Commits the next `count` records with the connection `s`, and a snapshot after them if `has_snapshot` is true.
static inline store_result_t commit_records(fixture_t *f, world_store_o *s, room_claim_t *claim, uint32_t count,
                                            bool has_snapshot) {
  static uint8_t bytes[1 << 16];
  test_snapshot_t snapshot;
  uint64_t last = claim->last + count;
  room_block_t block = count ? make_block(claim->last + 1, last, bytes, sizeof bytes) : (room_block_t){0};
  make_snapshot(last, &snapshot);
  return world_store_commit(s, claim,
                            &(room_commit_t){.blocks = &block,
                                             .block_count = count > 0,
                                             .tick = last,
                                             .players = 3,
                                             .state = ROOM_STATE_RUNNING,
                                             .snapshot = has_snapshot ? &snapshot.row : NULL},
                            &f->error);
}

// Asserts that the image begins with the snapshot `number`, and contains all records until `last`.
static inline void assert_image(const room_image_t *image, uint64_t number, uint64_t last) {
  uint8_t bytes[1 << 12];
  char text[64];
  test_snapshot_t snapshot;
  make_snapshot(number, &snapshot);
  assert_true(image->has_snapshot);
  assert_int_equal(image->snapshot.number, number);
  assert_int_equal(image->snapshot.hash, snapshot.row.hash);
  assert_int_equal(image->snapshot.head_size, snapshot.row.head_size);
  assert_memory_equal(image->snapshot.head, snapshot.head, snapshot.row.head_size);
  size_t size = ZSTD_decompress(text, sizeof text, image->snapshot.state, image->snapshot.state_size);
  assert_false(ZSTD_isError(size));
  char expected[64];
  snprintf(expected, sizeof expected, "state after record %llu", (unsigned long long)number);
  assert_int_equal(size, strlen(expected));
  assert_memory_equal(text, expected, size);
  uint64_t next = number + 1;
  for (uint32_t i = 0; i < image->block_count; ++i) {
    const room_block_t *got = &image->blocks[i];
    assert_int_equal(got->first, next);
    room_block_t want = make_block(got->first, got->last, bytes, sizeof bytes);
    assert_int_equal(got->size, want.size);
    assert_memory_equal(got->bytes, want.bytes, want.size);
    next = got->last + 1;
  }
  assert_int_equal(next, last + 1);
  assert_int_equal(image->last, last);
  assert_int_equal(image->tick, last);
}

static inline void assert_loads(fixture_t *f, world_store_o *s, const char *room, uint64_t number, uint64_t last) {
  room_image_t image = {0};
  assert_done(f, world_store_load_room(s, &(room_load_desc_t){.name = room}, &image, &f->error));
  assert_image(&image, number, last);
  room_image_free(&image);
  assert_int_equal(image.memory.blocks, 0);
}

// Executes SQL with the connection `b`, to simulate a damaged disk or a foreign program. For PostgreSQL, translates
// byte literals (x'…') and BEGIN IMMEDIATE (to LOCK TABLE).
static inline void run_sql(fixture_t *f, const char *sql) {
  char text[1024], *out = text;
  bool is_server = world_store_is_address(f->path);
  assert_true(strlen(sql) < sizeof text / 2);
  if (is_server && strcmp(sql, "BEGIN IMMEDIATE") == 0)
    sql = "BEGIN; LOCK TABLE room IN EXCLUSIVE MODE";
  for (const char *in = sql; *in; ++in) {
    if (is_server && strncmp(in, "x'", 2) == 0 && in > sql && strchr(" (,", in[-1])) {
      memcpy(out, "'\\x", 3);
      out += 3;
      ++in;
    } else {
      *out++ = *in;
    }
  }
  *out = '\0';
  assert_done(f, store_execute_script(f->b, text, &f->error));
}

static inline void assert_says(const fixture_t *f, const char *words) {
  if (!strstr(f->error.text, words))
    fail_msg("'%s' does not contain '%s'", f->error.text, words);
}

#endif
