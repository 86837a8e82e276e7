// The thread that commits a room's records: served/room_writer.h.
#include "served_fixture.h"

#include "base/now.h"
#include "base/random.h"

#include <time.h>

FIXTURE(fixture_t, setup, teardown)

#define TIMEOUT_MS 30000 // reached only by a hang: waits take less, even on a busy machine

static room_writer_o *start_writer(fixture_t *f, const char *room) {
  room_claim_t claim = start_room(f, room);
  room_writer_o *w = room_writer_create(open_world(f), &claim, &f->error);
  assert_non_null(w);
  return w;
}

static void add_records(room_writer_o *w, uint64_t first, uint64_t last) {
  record_t record;
  for (uint64_t number = first; number <= last; ++number) {
    make_record(number, &record);
    room_writer_add(w, &record);
  }
}

static bool add_snapshot(room_writer_o *w, uint64_t number) {
  char state[64], head[32];
  int state_size = snprintf(state, sizeof state, "state after record %llu", (unsigned long long)number);
  int head_size = snprintf(head, sizeof head, "head %llu", (unsigned long long)number);
  return room_writer_add_snapshot(w, &(room_writer_snapshot_t){.tick = number,
                                                               .hash = number * 7 + 1,
                                                               .head = head,
                                                               .head_size = (size_t)head_size,
                                                               .state = state,
                                                               .state_size = (size_t)state_size});
}

static void sleep_ms(int ms) {
  struct timespec time = {ms / 1000, ms % 1000 * 1000000L};
  nanosleep(&time, NULL);
}

// Waits until the writer has committed the record `number`.
static void wait_for(room_writer_o *w, uint64_t number) {
  int64_t end = now_ns() + (int64_t)TIMEOUT_MS * NS_PER_MS;
  while (room_writer_get_status(w).acked_number < number) {
    assert_true(now_ns() < end);
    sleep_ms(5);
  }
}

static void wait_for_state(room_writer_o *w, room_writer_state_t state) {
  int64_t end = now_ns() + (int64_t)TIMEOUT_MS * NS_PER_MS;
  while (room_writer_get_status(w).state != state) {
    assert_true(now_ns() < end);
    sleep_ms(5);
  }
}

TEST_IN(records_are_committed_after_a_while, fixture_t, f) {
  room_writer_o *w = start_writer(f, "town");
  assert_true(add_snapshot(w, 0));
  add_records(w, 1, 8);
  wait_for(w, 8);
  room_writer_status_t status = room_writer_get_status(w);
  assert_int_equal(status.acked_tick, 8);
  assert_int_equal(status.acked_hash, 8 * 7 + 1);
  assert_int_equal(status.waiting_bytes, 0);
  assert_int_equal(status.waiting_us, 0);
  assert_int_equal(status.snapshot_number, 0);
  assert_false(status.is_snapshot_pending);
  assert_loads(f, f->b, "town", 0, 8);
  room_writer_destroy(w);
}

TEST_IN(many_records_are_committed_in_blocks_that_are_readable_alone, fixture_t, f) {
  room_writer_o *w = start_writer(f, "town");
  assert_true(add_snapshot(w, 0));
  for (uint64_t i = 0; i < 40; ++i) {
    add_records(w, i * 500 + 1, i * 500 + 500);
    if (i % 8 == 7)
      assert_done(f, room_writer_flush(w, TIMEOUT_MS));
  }
  assert_done(f, room_writer_flush(w, TIMEOUT_MS));
  room_image_t image = {0};
  assert_done(f, world_store_load_room(f->b, &(room_load_desc_t){.name = "town"}, &image, &f->error));
  assert_in_range(image.block_count, 5, 40);
  assert_int_equal(image.last, 20000);
  room_image_free(&image);
  room_writer_destroy(w);
}

TEST_IN(records_wait_for_the_first_snapshot, fixture_t, f) {
  room_writer_o *w = start_writer(f, "town");
  add_records(w, 1, 4);
  assert_result(f, room_writer_flush(w, 400), STORE_FAILED);
  assert_int_equal(room_writer_get_status(w).commits, 0);
  assert_true(add_snapshot(w, 4));
  assert_done(f, room_writer_flush(w, TIMEOUT_MS));
  assert_loads(f, f->b, "town", 4, 4);
  room_writer_destroy(w);
}

// Holds records as a room does for a RELOAD, after which records need different code.
TEST_IN(held_records_are_committed_together_with_the_next_snapshot, fixture_t, f) {
  room_image_t image = {0};
  room_writer_o *w = start_writer(f, "town");
  assert_true(add_snapshot(w, 0));
  add_records(w, 1, 4);
  assert_done(f, room_writer_flush(w, TIMEOUT_MS));
  room_writer_set_code(w, 3);
  room_writer_hold_records(w);
  add_records(w, 5, 6);
  assert_result(f, room_writer_flush(w, 400), STORE_FAILED);
  assert_loads(f, f->b, "town", 0, 4);
  assert_true(add_snapshot(w, 6));
  add_records(w, 7, 8);
  assert_done(f, room_writer_flush(w, TIMEOUT_MS));
  assert_done(f, world_store_load_room(f->b, &(room_load_desc_t){.name = "town"}, &image, &f->error));
  assert_int_equal(image.snapshot.number, 6);
  assert_int_equal(image.snapshot.code, 3);
  assert_int_equal(image.last, 8);
  assert_done(f, world_store_load_room(f->b, &(room_load_desc_t){.name = "town", .previous = true}, &image, &f->error));
  assert_int_equal(image.snapshot.code, 0);
  assert_true(image.block_count >= 2 && image.blocks[1].first == 5); // the held records begin a block
  room_image_free(&image);
  room_writer_destroy(w);
}

TEST_IN(snapshot_follows_the_records_before_it, fixture_t, f) {
  room_writer_o *w = start_writer(f, "town");
  for (uint64_t i = 0; i < 5; ++i) {
    if (i > 0)
      add_records(w, i * 10 - 9, i * 10);
    while (!add_snapshot(w, i * 10)) // the previous snapshot is pending
      sleep_ms(1);
    add_records(w, i * 10 + 1, i * 10); // an empty range
  }
  add_records(w, 41, 43);
  assert_done(f, room_writer_flush(w, TIMEOUT_MS));
  assert_int_equal(room_writer_get_status(w).snapshot_number, 40);
  assert_loads(f, f->b, "town", 40, 43);
  room_writer_destroy(w);
}

TEST_IN(large_snapshot_does_not_delay_commits, fixture_t, f) {
  size_t size = 48u << 20;
  uint8_t *state = malloc(size);
  random_t random;
  random_seed(&random, 3);
  for (size_t i = 0; i < size; i += 4)
    memcpy(state + i, &(uint32_t){random_u32(&random) & 0x0f0f0f0f}, 4);
  room_writer_o *w = start_writer(f, "town");
  assert_true(add_snapshot(w, 0));
  assert_done(f, room_writer_flush(w, TIMEOUT_MS));
  add_records(w, 1, 3);
  room_writer_snapshot_t snapshot = {.tick = 3, .hash = 9, .state = state, .state_size = size};
  assert_true(room_writer_add_snapshot(w, &snapshot));
  assert_false(room_writer_add_snapshot(w, &snapshot)); // the first snapshot is pending
  memset(state, 0, size);                               // the writer has a copy
  add_records(w, 4, 6);
  assert_done(f, room_writer_flush(w, 4 * TIMEOUT_MS));
  room_writer_status_t status = room_writer_get_status(w);
  assert_in_range(status.commits, 3, 100); // the records did not wait for the snapshot
  assert_int_equal(status.snapshot_number, 3);
  room_image_t image = {0};
  assert_done(f, world_store_load_room(f->b, &(room_load_desc_t){.name = "town"}, &image, &f->error));
  assert_int_equal(ZSTD_decompress(state, size, image.snapshot.state, image.snapshot.state_size), size);
  random_seed(&random, 3);
  for (size_t i = 0; i < size; i += 4)
    assert_memory_equal(state + i, &(uint32_t){random_u32(&random) & 0x0f0f0f0f}, 4);
  room_image_free(&image);
  room_writer_destroy(w);
  free(state);
}

// This thread holds the database while it adds records, so that it would wait forever if the writer made it wait.
TEST_IN(records_wait_while_the_database_does_not_answer, fixture_t, f) {
  error_info_t error;
  room_writer_o *w = start_writer(f, "town");
  assert_true(add_snapshot(w, 0));
  assert_done(f, room_writer_flush(w, TIMEOUT_MS));
  run_sql(f, "BEGIN IMMEDIATE");
  add_records(w, 1, 3);
  wait_for_state(w, ROOM_WRITER_RETRYING);
  add_records(w, 4, 5000);
  room_writer_status_t status = room_writer_get_status(w);
  room_writer_get_error(w, &error);
  assert_int_equal(status.acked_number, 0);
  assert_in_range(status.waiting_us, 1, INT64_MAX);
  assert_in_range(status.waiting_bytes, 5000, 500000);
  assert_non_null(strstr(error.text, "a different program holds the database"));
  assert_result(f, room_writer_flush(w, 50), STORE_FAILED);
  run_sql(f, "ROLLBACK");
  assert_done(f, room_writer_flush(w, TIMEOUT_MS));
  status = room_writer_get_status(w);
  room_writer_get_error(w, &error);
  assert_int_equal(status.state, ROOM_WRITER_READY);
  assert_int_equal(status.acked_number, 5000);
  assert_in_range(status.failures, 1, 1000);
  assert_in_range(status.max_commit_us, 10000, INT64_MAX);
  assert_string_equal(error.text, "");
  room_image_t image = {0};
  assert_done(f, world_store_load_room(f->b, &(room_load_desc_t){.name = "town"}, &image, &f->error));
  assert_int_equal(image.last, 5000);
  room_image_free(&image);
  room_writer_destroy(w);
}

TEST_IN(writer_of_a_room_that_was_started_again_stops, fixture_t, f) {
  error_info_t error;
  room_writer_o *w = start_writer(f, "town");
  assert_true(add_snapshot(w, 0));
  add_records(w, 1, 3);
  assert_done(f, room_writer_flush(w, TIMEOUT_MS));
  start_room(f, "town");
  add_records(w, 4, 6);
  assert_result(f, room_writer_flush(w, TIMEOUT_MS), STORE_LOST);
  room_writer_get_error(w, &error);
  assert_non_null(strstr(error.text, "a different process has started it"));
  assert_int_equal(room_writer_get_status(w).state, ROOM_WRITER_LOST);
  add_records(w, 7, 9); // the stopped writer ignores these records
  assert_false(add_snapshot(w, 9));
  assert_loads(f, f->b, "town", 0, 3);
  room_writer_destroy(w);
}

TEST_IN(writer_of_a_damaged_database_stops, fixture_t, f) {
  room_writer_o *w = start_writer(f, "town");
  assert_true(add_snapshot(w, 0));
  assert_done(f, room_writer_flush(w, TIMEOUT_MS));
  run_sql(f, "DROP TABLE journal");
  add_records(w, 1, 3);
  assert_result(f, room_writer_flush(w, TIMEOUT_MS), STORE_DAMAGED);
  assert_int_equal(room_writer_get_status(w).state, ROOM_WRITER_DAMAGED);
  room_writer_destroy(w);
}

TEST_IN(room_that_sleeps_leaves_its_snapshot_and_save, fixture_t, f) {
  room_save_image_t save = {0};
  room_list_t list = {0};
  room_writer_o *w = start_writer(f, "town");
  assert_true(add_snapshot(w, 0));
  room_writer_set_state(w, ROOM_STATE_RUNNING, 2);
  add_records(w, 1, 3);
  assert_done(f, room_writer_flush(w, TIMEOUT_MS));
  assert_done(f, world_store_list_rooms(f->b, &list, &f->error));
  assert_int_equal(list.items[0].players, 2);
  assert_int_equal(list.items[0].state, ROOM_STATE_RUNNING);
  assert_true(add_snapshot(w, 3));
  room_writer_add_save(w, 3, "a former save", 13);
  room_writer_add_save(w, 3, "a save", 6);
  room_writer_set_state(w, ROOM_STATE_SLEEPING, 0);
  assert_done(f, room_writer_flush(w, TIMEOUT_MS));
  room_writer_destroy(w);
  assert_done(f, world_store_list_rooms(f->b, &list, &f->error));
  assert_int_equal(list.items[0].state, ROOM_STATE_SLEEPING);
  assert_int_equal(list.items[0].players, 0);
  assert_true(list.items[0].has_save);
  assert_int_equal(list.items[0].save_number, 3);
  assert_done(f, world_store_load_save(f->b, "town", &save, &f->error));
  assert_int_equal(save.save.size, 6);
  assert_memory_equal(save.save.bytes, "a save", 6);
  assert_loads(f, f->b, "town", 3, 3);
  room_save_image_free(&save);
  room_list_free(&list);
}

TEST_IN(state_alone_is_committed_by_a_flush, fixture_t, f) {
  room_list_t list = {0};
  room_writer_o *w = start_writer(f, "town");
  assert_true(add_snapshot(w, 0));
  assert_done(f, room_writer_flush(w, TIMEOUT_MS));
  room_writer_set_state(w, ROOM_STATE_SLEEPING, 0);
  assert_done(f, room_writer_flush(w, TIMEOUT_MS));
  assert_done(f, world_store_list_rooms(f->b, &list, &f->error));
  assert_int_equal(list.items[0].state, ROOM_STATE_SLEEPING);
  room_list_free(&list);
  room_writer_destroy(w);
}

TEST_IN(result_of_a_proof_is_committed, fixture_t, f) {
  room_list_t list = {0};
  room_writer_o *w = start_writer(f, "town");
  assert_true(add_snapshot(w, 0));
  room_writer_add_proof(w, 0, ROOM_PROOF_PASSED);
  assert_done(f, room_writer_flush(w, TIMEOUT_MS));
  assert_done(f, world_store_list_rooms(f->b, &list, &f->error));
  assert_int_equal(list.items[0].proof, ROOM_PROOF_PASSED);
  room_list_free(&list);
  room_writer_destroy(w);
}

TEST_IN(room_that_begins_anew_commits_its_snapshot_first, fixture_t, f) {
  room_writer_o *w = start_writer(f, "town");
  assert_true(add_snapshot(w, 0));
  add_records(w, 1, 6);
  assert_done(f, room_writer_flush(w, TIMEOUT_MS));
  room_writer_destroy(w);
  w = start_writer(f, "town");
  char state[] = "state after record 10";
  assert_true(room_writer_add_snapshot(w, &(room_writer_snapshot_t){.tick = 10,
                                                                    .hash = 71,
                                                                    .head = "head 10",
                                                                    .head_size = 7,
                                                                    .state = state,
                                                                    .state_size = sizeof state - 1,
                                                                    .begins_anew = true,
                                                                    .number = 10}));
  add_records(w, 11, 12);
  assert_done(f, room_writer_flush(w, TIMEOUT_MS));
  assert_loads(f, f->b, "town", 10, 12);
  room_writer_destroy(w);
}

TEST_IN(writer_can_be_destroyed_while_the_database_does_not_answer, fixture_t, f) {
  room_writer_o *w = start_writer(f, "town");
  assert_true(add_snapshot(w, 0));
  add_records(w, 1, 3);
  assert_done(f, room_writer_flush(w, TIMEOUT_MS));
  run_sql(f, "BEGIN IMMEDIATE");
  add_records(w, 4, 6);
  wait_for_state(w, ROOM_WRITER_RETRYING);
  add_records(w, 7, 9);
  assert_true(add_snapshot(w, 9));
  room_writer_add_save(w, 9, "a save", 6);
  room_writer_destroy(w);
  run_sql(f, "ROLLBACK");
  assert_loads(f, f->b, "town", 0, 3);
}
