// Fuzzer for the rows of a room: each input lists rows of the tables `room`, `snapshot` and `journal`, which are loaded
// as a room. A loaded image must consist of consecutive, well-formed records. After accepting a loss, the room must
// load without one.
//
// Input: for each row its table (1: 'R', 'S' or 'J') and its columns. Numbers are 8 bytes each, little-endian. Texts
// and blobs follow their size (2).
static const char *const reader_words[] = {"J\1\0\0\0\0\0\0\0\13", "S\1\0\0\0\0\0\0\0\12", "\x28\xb5\x2f\xfd", 0};
#include "reader.h"

#include "journal/record.h"
#include "served/room_rows.h"
#include "served/world_store_internal.h"

#include <unistd.h>

static char folder[64];
static world_store_o *store;
static error_info_t error;
static uint64_t row_count; // number of rows of all inputs

// --- inputs

typedef struct cursor_t {
  const uint8_t *bytes;
  size_t at, size;
  bool failed;
} cursor_t;

static const uint8_t *take(cursor_t *c, size_t size) {
  c->failed |= size > c->size - c->at;
  const uint8_t *bytes = c->bytes + c->at;
  c->at += c->failed ? 0 : size;
  return bytes;
}

static uint64_t take_number(cursor_t *c) {
  uint64_t number = 0;
  const uint8_t *bytes = take(c, 8);
  for (uint32_t i = 0; !c->failed && i < 8; ++i)
    number |= (uint64_t)bytes[i] << 8 * i;
  return number;
}

static const uint8_t *take_bytes(cursor_t *c, size_t *size) {
  const uint8_t *bytes = take(c, 2);
  *size = c->failed ? 0 : bytes[0] | (size_t)bytes[1] << 8;
  return take(c, *size);
}

// A row of any table. `checksum_at`: position of the checksum in the input.
typedef struct row_t {
  uint8_t table;
  uint64_t room;
  room_block_t block;
  room_snapshot_t snapshot;
  char engine[ROOM_ENGINE_BYTES];
  uint64_t base, checksum;
  size_t checksum_at;
} row_t;

static bool take_row(cursor_t *c, row_t *row) {
  size_t engine_size = 0;
  const uint8_t *table = take(c, 1);
  *row = (row_t){.table = c->failed ? 0 : *table};
  row->room = take_number(c);
  if (row->table == 'S') {
    room_snapshot_t *s = &row->snapshot;
    s->number = take_number(c);
    s->tick = take_number(c);
    s->hash = take_number(c);
    row->base = take_number(c);
    const uint8_t *engine = take_bytes(c, &engine_size);
    engine_size = engine_size < sizeof row->engine ? engine_size : sizeof row->engine - 1;
    if (!c->failed)
      memcpy(row->engine, engine, engine_size);
    s->head = take_bytes(c, &s->head_size);
    s->state = take_bytes(c, &s->state_size);
  } else {
    row->block.first = take_number(c); // row R: number of the room's last record, followed by its tick
    row->block.last = take_number(c);
    row->block.bytes = row->table == 'J' ? take_bytes(c, &row->block.size) : NULL;
  }
  row->checksum_at = c->at;
  row->checksum = take_number(c);
  return !c->failed && strchr("RSJ", row->table);
}

static uint64_t compute_checksum(const row_t *row) {
  if (row->table == 'S')
    return room_snapshot_hash((int64_t)row->room, &row->snapshot, row->engine, row->base);
  return row->table == 'J' ? room_block_hash((int64_t)row->room, &row->block) : 0;
}

static size_t reader_fix_checksums(uint8_t *data, size_t size, size_t room) {
  cursor_t c = {.bytes = data, .size = size};
  row_t row;
  (void)room;
  while (take_row(&c, &row)) {
    uint64_t checksum = compute_checksum(&row);
    for (uint32_t i = 0; i < 8; ++i)
      data[row.checksum_at + i] = (uint8_t)(checksum >> 8 * i);
  }
  return size;
}

// --- the database

static void run(const char *sql) {
  if (store_execute_script(store, sql, &error) != STORE_DONE)
    reader_fail("%s: %s", sql, error.text);
}

// Adds the row. Rows whose key exists already are ignored, as the database itself refuses them.
static void add_row(const row_t *row) {
  const room_snapshot_t *s = &row->snapshot;
  if (row->table == 'R')
    store_execute(store, "INSERT OR IGNORE INTO room VALUES ($1, 'town', 1, 1, $2, $3, 0, 1, 0, '')",
                  STORE_VALUES(STORE_NUMBER(row->room), STORE_NUMBER(row->block.first), STORE_NUMBER(row->block.last)),
                  NULL, NULL);
  else if (row->table == 'S')
    store_execute(store, "INSERT OR IGNORE INTO snapshot VALUES ($1, $2, $3, $4, $5, $6, 0, 0, $7, $8, $9)",
                  STORE_VALUES(STORE_NUMBER(row->room), STORE_NUMBER(s->number), STORE_NUMBER(s->tick),
                               STORE_NUMBER(s->hash), STORE_TEXT(row->engine), STORE_NUMBER(row->base),
                               STORE_BLOB(s->head, s->head_size), STORE_BLOB(s->state, s->state_size),
                               STORE_NUMBER(row->checksum)),
                  NULL, NULL);
  else
    store_execute(store, "INSERT OR IGNORE INTO journal VALUES ($1, $2, $3, $4, $5)",
                  STORE_VALUES(STORE_NUMBER(row->room), STORE_NUMBER(row->block.first), STORE_NUMBER(row->block.last),
                               STORE_BLOB(row->block.bytes, row->block.size), STORE_NUMBER(row->checksum)),
                  NULL, NULL);
}

static void check_image(const room_image_t *image) {
  static record_t record;
  uint64_t next = image->snapshot.number + 1;
  for (uint32_t i = 0; i < image->block_count; ++i) {
    const room_block_t *block = &image->blocks[i];
    record_coder_t coder = {0};
    for (size_t at = 0, read; at < block->size; at += read) {
      read = record_read(&coder, block->bytes + at, block->size - at, &record);
      if (read == 0 || record.number != next++)
        reader_fail("an accepted image lacks a record");
    }
  }
  if (next != image->last + 1)
    reader_fail("an accepted image ends at record %llu", (unsigned long long)next - 1);
}

static store_result_t load(bool accept_loss, room_image_t *image) {
  room_load_desc_t desc = {.name = "town", .accept_loss = accept_loss};
  store_result_t result = world_store_load_room(store, &desc, image, &error);
  if (result == STORE_DONE && image->has_snapshot)
    check_image(image);
  else if (result != STORE_DONE && result != STORE_DAMAGED)
    reader_fail("%s", error.text);
  return result;
}

// If the room can be loaded by accepting a loss, accepts it, and checks that the room then loads without a loss.
static void check_loss(void) {
  room_image_t image = {0}, again = {0};
  room_claim_t claim;
  if (load(true, &image) == STORE_DONE && image.has_snapshot) {
    if (!image.has_loss)
      reader_fail("an image without a loss was refused: %s", error.text);
    if (world_store_start_room(store, 0, "town", &claim, &error) != STORE_DONE ||
        world_store_cut_room(store, &claim, &image, &error) != STORE_DONE || load(false, &again) != STORE_DONE)
      reader_fail("a room whose loss was accepted is refused: %s", error.text);
    if (again.last != image.last || again.block_count != image.block_count)
      reader_fail("a room whose loss was accepted differs");
  }
  room_image_free(&image);
  room_image_free(&again);
}

static bool reader_try(const uint8_t *data, size_t size) {
  cursor_t c = {.bytes = data, .size = size};
  row_t row;
  room_image_t image = {0};
  run("DELETE FROM room; DELETE FROM snapshot; DELETE FROM journal");
  run("BEGIN");
  for (; take_row(&c, &row); ++row_count)
    add_row(&row);
  run("COMMIT");
  store_result_t result = load(false, &image);
  bool is_accepted = result == STORE_DONE && image.has_snapshot;
  room_image_free(&image);
  if (image.memory.blocks != 0)
    reader_fail("an image leaks");
  if (result == STORE_DAMAGED)
    check_loss();
  return is_accepted;
}

// --- seeds

static size_t put_number(uint8_t *out, uint64_t number) {
  for (uint32_t i = 0; i < 8; ++i)
    out[i] = (uint8_t)(number >> 8 * i);
  return 8;
}

static size_t put_bytes(uint8_t *out, const void *bytes, size_t size) {
  out[0] = (uint8_t)size;
  out[1] = (uint8_t)(size >> 8);
  memcpy(out + 2, bytes, size);
  return size + 2;
}

static size_t put_snapshot(uint8_t *out, uint64_t number) {
  uint8_t state[256];
  char text[100];
  memset(text, (int)number, sizeof text);
  size_t at = 0, size = ZSTD_compress(state, sizeof state, text, sizeof text, 1);
  out[at++] = 'S';
  at += put_number(out + at, 1);
  for (uint32_t i = 0; i < 3; ++i) // number, tick and hash
    at += put_number(out + at, number);
  at += put_number(out + at, 5);
  at += put_bytes(out + at, "engine", 6);
  at += put_bytes(out + at, "head", 4);
  at += put_bytes(out + at, state, size);
  return at + put_number(out + at, 0);
}

static size_t put_block(uint8_t *out, uint64_t first, uint64_t last) {
  uint8_t bytes[4096];
  record_coder_t coder = {0};
  size_t at = 0, size = 0;
  for (uint64_t number = first; number <= last; ++number) {
    record_t record = {.number = number, .kind = RECORD_TICK, .tick = number, .hash = number};
    size += record_write(&coder, &record, bytes + size, sizeof bytes - size);
  }
  out[at++] = 'J';
  at += put_number(out + at, 1);
  at += put_number(out + at, first);
  at += put_number(out + at, last);
  at += put_bytes(out + at, bytes, size);
  return at + put_number(out + at, 0);
}

static size_t put_room(uint8_t *out, uint64_t last) {
  size_t at = 0;
  out[at++] = 'R';
  at += put_number(out + at, 1);
  at += put_number(out + at, last);
  at += put_number(out + at, last);
  return at + put_number(out + at, 0);
}

static void add_seed(uint64_t snapshots, uint64_t blocks) {
  static uint8_t seed[1 << 14];
  size_t size = put_room(seed, snapshots * 10 + blocks * 4);
  for (uint64_t i = 1; i <= snapshots; ++i)
    size += put_snapshot(seed + size, i * 10);
  if (snapshots > 1)
    size += put_block(seed + size, 11, 20);
  for (uint64_t i = 0; i < blocks; ++i)
    size += put_block(seed + size, snapshots * 10 + i * 4 + 1, snapshots * 10 + i * 4 + 4);
  reader_seed(seed, reader_fix_checksums(seed, size, sizeof seed));
}

static void reader_setup(void) {
  char path[96];
  strcpy(folder, "/dev/shm/shoal_rows_XXXXXX"); // a folder in memory, if possible
  if (!mkdtemp(folder))
    strcpy(folder, "/tmp/shoal_rows_XXXXXX");
  if (!strncmp(folder, "/tmp", 4) && !mkdtemp(folder))
    reader_fail("no temporary folder");
  snprintf(path, sizeof path, "%s/world.db", folder);
  world_store_desc_t desc = {.path = path, .game = "fuzz", .may_create = true};
  if (world_store_open(&desc, &store, &error) != STORE_DONE)
    reader_fail("%s", error.text);
  run("PRAGMA synchronous = OFF");
  add_seed(1, 0);
  add_seed(1, 3);
  add_seed(2, 0);
  add_seed(2, 4);
}

static void reader_teardown(void) {
  char command[128];
  printf("%llu rows\n", (unsigned long long)row_count);
  world_store_close(store);
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  if (system(command) != 0)
    reader_fail("%s failed", command);
}
