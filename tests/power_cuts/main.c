// Writes a world's database until the power is cut (power_cut.c), and checks it afterwards. Run by the suite
// power_cuts.
//
//   power_cuts write FILE SYNCHRONOUS   commits records, and prints the number of the last one after each commit.
//                                       SYNCHRONOUS: FULL, as all stores, or NORMAL
//   power_cuts check FILE NUMBER        prints "lost N" if the database lacks records up to NUMBER, and "intact" if it
//                                       has them and all its rows are well-formed
#include "journal/record.h"
#include "served/world_store_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#define RECORDS 8u // records per commit
#define SNAPSHOT_COMMITS 25u

static int refuse(const error_info_t *error) {
  printf("damaged: %s\n", error->text);
  return 1;
}

static world_store_o *open_store(const char *path, error_info_t *error) {
  world_store_o *s;
  world_store_open(&(world_store_desc_t){.path = path, .game = "cuts", .may_create = true}, &s, error);
  return s;
}

// Commits the next records, with a snapshot in some of the commits.
static store_result_t commit(world_store_o *s, room_claim_t *claim, uint32_t count, error_info_t *error) {
  uint8_t bytes[4096], state[4096], packed[8192];
  record_coder_t coder = {0};
  room_block_t block = {claim->last + 1, claim->last + RECORDS, bytes, 0};
  for (uint64_t number = block.first; number <= block.last; ++number) {
    record_t record = {.number = number, .kind = RECORD_TICK, .tick = number, .hash = number * 31};
    block.size += record_write(&coder, &record, bytes + block.size, sizeof bytes - block.size);
  }
  for (size_t i = 0; i < sizeof state; ++i)
    state[i] = (uint8_t)(i * block.last >> 3);
  size_t size = ZSTD_compress(packed, sizeof packed, state, sizeof state, 1);
  room_snapshot_t snapshot = {.number = block.last, .tick = block.last, .hash = 1, .state = packed, .state_size = size};
  room_commit_t content = {.blocks = &block,
                           .block_count = 1,
                           .tick = block.last,
                           .state = ROOM_STATE_RUNNING,
                           .snapshot = count % SNAPSHOT_COMMITS == 0 ? &snapshot : NULL};
  return world_store_commit(s, claim, &content, error);
}

static int write_room(const char *path, const char *synchronous) {
  error_info_t error = {0};
  room_claim_t claim;
  int64_t owner;
  char pragma[64];
  world_store_o *s = open_store(path, &error);
  if (!s || world_store_claim_world(s, true, &owner, &error) != STORE_DONE ||
      world_store_start_room(s, owner, "town", &claim, &error) != STORE_DONE)
    return refuse(&error);
  snprintf(pragma, sizeof pragma, "PRAGMA synchronous = %s; PRAGMA wal_autocheckpoint = 20", synchronous);
  store_execute_script(s, pragma, NULL);
  for (uint32_t i = 0;; ++i) {
    if (commit(s, &claim, i, &error) != STORE_DONE)
      return refuse(&error);
    char line[32];
    int length = snprintf(line, sizeof line, "%" PRIu64 "\n", claim.last);
    if (write(STDOUT_FILENO, line, (size_t)length) != length)
      return 1;
  }
}

static bool passes_integrity_check(world_store_o *s) {
  store_query_t query = {0};
  char text[256] = "";
  store_query_begin(s, &query, "PRAGMA integrity_check(1)", NULL, 0, NULL);
  if (store_next(s, &query, NULL))
    store_read_text(&query, 0, text, sizeof text);
  store_query_end(&query);
  if (strcmp(text, "ok") != 0)
    printf("damaged: %s\n", text);
  return strcmp(text, "ok") == 0;
}

static int check_room(const char *path, uint64_t acked) {
  error_info_t error = {0};
  room_image_t image = {0};
  world_store_o *s = open_store(path, &error);
  if (!s)
    return refuse(&error);
  if (!passes_integrity_check(s))
    return 1;
  if (world_store_load_room(s, &(room_load_desc_t){.name = "town"}, &image, &error) != STORE_DONE)
    return refuse(&error);
  uint64_t last = image.last;
  room_image_free(&image);
  world_store_close(s);
  if (last < acked)
    printf("lost %" PRIu64 "\n", acked - last);
  else
    printf("intact\n");
  return last < acked;
}

int main(int argc, char **argv) {
  if (argc == 4 && strcmp(argv[1], "write") == 0)
    return write_room(argv[2], argv[3]);
  if (argc == 4 && strcmp(argv[1], "check") == 0)
    return check_room(argv[2], strtoull(argv[3], NULL, 10));
  fprintf(stderr, "power_cuts: write FILE SYNCHRONOUS, or check FILE NUMBER\n");
  return 2;
}
