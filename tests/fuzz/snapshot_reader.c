// Fuzzer for snapshots, restored into a world with the same declarations.
static const char *const reader_words[] = {"rock", "tank", "SHOALSNP", 0};
#include "reader.h"
#include "snapshot/compare.h"

static reader_world_t *r;
static snapshot_o *input;

static void reader_setup(void) {
  size_t size;
  error_info_t error;
  r = reader_world(12);
  input = snapshot_create(&r->memory);
  const void *bytes = snapshot_bytes(r->base, &size);
  reader_seed(bytes, size);
  // Adds a second seed, which is taken while a system runs: with queued commands, an event and a pending spawn block.
  world_defer_begin(r->world, 0);
  world_spawn(r->world, 1, NULL);
  world_destroy_entity(r->world, 3);
  world_spawn_block_commit(r->world, world_spawn_block_begin(r->world, 1, 5, NULL));
  snapshot_take(input, r->world, &error);
  world_defer_end(r->world, true);
  bytes = snapshot_bytes(input, &size);
  reader_seed(bytes, size);
  if (!snapshot_restore(r->base, r->world, &error))
    reader_fail("%s", error.text);
}

// Compares the input with the initial state in both directions, which must agree, even if a world rejects the input.
// Returns false if the input cannot be opened.
static bool compare_snapshots(void) {
  static compare_item_t items[64];
  error_info_t error = {0};
  state_view_t *then = state_open(r->base, &r->memory, &error), *now = state_open(input, &r->memory, &error);
  bool opened = now != NULL;
  if (now &&
      (state_compare(then, now, r->world, items, 64) == 0) != (state_compare(now, then, r->world, items, 64) == 0))
    reader_fail("the comparison of two states is not symmetric");
  state_close(then);
  state_close(now);
  return opened;
}

static bool reader_try(const uint8_t *data, size_t size) {
  error_info_t error = {0};
  snapshot_set_bytes(input, data, size);
  bool opened = compare_snapshots(), possible = snapshot_check(input, r->world, &error);
  bool taken = snapshot_restore(input, r->world, &error);
  if (possible && !opened)
    reader_fail("it can be restored, but not opened");
  if (possible != taken)
    reader_fail("snapshot_check returned %d, but restoring returned %d", possible, taken);
  if (taken)
    reader_check_runs(r);
  else
    reader_check_unchanged(r);
  return taken;
}

static size_t reader_fix_checksums(uint8_t *data, size_t size, size_t room) {
  (void)room;
  uint64_t said = size; // the header contains the size
  if (size >= SNAPSHOT_SIZE_OFFSET + sizeof said)
    memcpy(data + SNAPSHOT_SIZE_OFFSET, &said, sizeof said);
  return size;
}

static void reader_teardown(void) {
  snapshot_release(input);
  reader_world_free(r);
}
