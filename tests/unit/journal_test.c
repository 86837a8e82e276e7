// Input of past ticks: journal/journal.h, journal/input_log.h, and samples: journal/block.h.
#include "base/hash.h"
#include "base/random.h"
#include "base/varint.h"
#include "journal/input_log.h"
#include "journal/journal.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TICKS 500

typedef struct log_fixture_t {
  allocator_t memory;
  journal_o *journal;
  input_log_o *log;
  random_t random;
  input_state_t samples[TICKS + 1]; // indexed by tick
} log_fixture_t;

SETUP(log_fixture_t, e) {
  e->journal = journal_create(&e->memory);
  e->log = input_log_create(&e->memory);
  journal_attach(e->journal, e->log);
  random_seed(&e->random, 8);
  for (uint32_t i = 1; i <= TICKS; ++i) {
    e->samples[i] = e->samples[i - 1];
    if (random_u32(&e->random) % 3 == 0)
      e->samples[i].keys[random_u32(&e->random) % INPUT_KEYS] ^= 1;
    if (random_u32(&e->random) % 2 == 0)
      e->samples[i].mouse_x += 1.5f;
  }
}

TEARDOWN(log_fixture_t, e) {
  journal_destroy(e->journal);
  input_log_destroy(e->log);
  assert_int_equal(e->memory.blocks, 0);
}

static void log_ticks(log_fixture_t *e, uint32_t from, uint32_t to) {
  if (input_log_last_tick(e->log) >= from)
    input_log_discard_from(e->log, from);
  for (uint32_t i = from; i <= to; ++i)
    journal_add_tick(e->journal, i, &e->samples[i - 1], &e->samples[i], 0);
}

// Finds the i-th input that leads to a tick. Returns false if there is no such input.
static bool get_input(const input_log_o *log, uint64_t tick, uint32_t i, logged_input_t *out) {
  input_log_reader_t reader;
  input_log_begin(&reader, log, tick);
  for (uint32_t k = 0; k <= i; ++k)
    if (!input_log_next(&reader, out))
      return false;
  return true;
}

static void assert_logged_tick(log_fixture_t *e, const input_log_o *log, uint32_t tick) {
  logged_input_t x;
  assert_true(get_input(log, tick, 0, &x));
  assert_false(x.paused);
  assert_memory_equal(&x.previous_input, &e->samples[tick - 1], sizeof x.previous_input);
  assert_memory_equal(&x.input, &e->samples[tick], sizeof x.input);
  assert_false(get_input(log, tick, 1, &x));
}

TEST_IN(log_returns_the_input_of_any_tick, log_fixture_t, e) {
  logged_input_t x;
  log_ticks(e, 1, TICKS);
  for (uint32_t i = TICKS; i > 0; --i)
    assert_logged_tick(e, e->log, i);
  assert_int_equal(input_log_last_tick(e->log), TICKS);
  assert_false(get_input(e->log, 0, 0, &x));
  assert_false(get_input(e->log, TICKS + 1, 0, &x));
}

TEST_IN(paused_frames_precede_their_tick, log_fixture_t, e) {
  logged_input_t x;
  input_state_t pressed = e->samples[100];
  pressed.keys[9] ^= 1;
  log_ticks(e, 1, 100);
  for (uint32_t i = 0; i < 200; ++i) // frames without input are skipped
    journal_add_frame(e->journal, 101, &e->samples[100], &e->samples[100]);
  journal_add_frame(e->journal, 101, &e->samples[100], &pressed);
  journal_add_tick(e->journal, 101, &pressed, &e->samples[101], 0);
  assert_true(get_input(e->log, 101, 0, &x));
  assert_true(x.paused);
  assert_memory_equal(&x.input, &pressed, sizeof pressed);
  assert_true(get_input(e->log, 101, 1, &x));
  assert_false(x.paused);
  assert_memory_equal(&x.previous_input, &pressed, sizeof pressed);
  assert_false(get_input(e->log, 101, 2, &x));
  assert_logged_tick(e, e->log, 100);
}

// Adds a frame of a pause before tick 101 in which a key is pressed, and returns its input.
static input_state_t press_in_pause(log_fixture_t *e, uint32_t key) {
  input_state_t pressed = e->samples[100];
  pressed.keys[key] ^= 1;
  journal_add_frame(e->journal, 101, &e->samples[100], &pressed);
  return pressed;
}

static void assert_logged_frame(const input_log_o *log, uint64_t tick, uint32_t i, const input_state_t *input) {
  logged_input_t x;
  assert_true(get_input(log, tick, i, &x));
  assert_true(x.paused);
  assert_memory_equal(&x.input, input, sizeof *input);
}

TEST_IN(moved_frames_lead_to_the_tick_before_them, log_fixture_t, e) {
  logged_input_t x;
  log_ticks(e, 1, 100);
  input_log_move_frames(e->log, 100, journal_last_number(e->journal));
  assert_false(input_log_has_moved_frames(e->log, 100)); // the game is not paused
  input_state_t first = press_in_pause(e, 7);
  input_log_move_frames(e->log, 100, journal_last_number(e->journal));
  input_state_t second = press_in_pause(e, 8);
  input_log_move_frames(e->log, 100, journal_last_number(e->journal));
  input_state_t third = press_in_pause(e, 9);
  log_ticks(e, 101, 102);
  assert_true(get_input(e->log, 100, 0, &x));
  assert_false(x.paused);
  assert_logged_frame(e->log, 100, 1, &first);
  assert_logged_frame(e->log, 100, 2, &second);
  assert_false(get_input(e->log, 100, 3, &x));
  assert_logged_frame(e->log, 101, 0, &third);
  assert_true(get_input(e->log, 101, 1, &x));
  assert_false(x.paused);
  assert_logged_tick(e, e->log, 102);
  assert_true(input_log_has_moved_frames(e->log, 100));
  assert_false(input_log_has_moved_frames(e->log, 101));
}

TEST_IN(moved_frames_are_copied_and_discarded_with_their_tick, log_fixture_t, e) {
  logged_input_t x;
  log_ticks(e, 1, 100);
  journal_end_block(e->journal);
  input_state_t moved = press_in_pause(e, 7);
  input_log_move_frames(e->log, 100, journal_last_number(e->journal));
  press_in_pause(e, 8);
  log_ticks(e, 101, 200);
  input_log_o *copy = input_log_copy(e->log);
  input_log_discard_from(e->log, 101);
  assert_logged_frame(e->log, 100, 1, &moved);
  assert_false(get_input(e->log, 100, 2, &x));
  assert_false(get_input(e->log, 101, 0, &x));
  input_log_discard_from(e->log, 100);
  assert_false(input_log_has_moved_frames(e->log, 100));
  assert_false(get_input(e->log, 100, 0, &x));
  assert_logged_frame(copy, 100, 1, &moved);
  input_log_discard_before(copy, 101); // a block with these frames remains
  assert_true(get_input(copy, 101, 1, &x));
  assert_false(x.paused);
  input_log_discard_before(copy, 150);
  assert_false(input_log_has_moved_frames(copy, 100));
  input_log_destroy(copy);
}

TEST_IN(only_the_first_frames_of_a_long_pause_run_again, log_fixture_t, e) {
  input_log_reader_t reader;
  logged_input_t x;
  uint32_t count = 0;
  input_state_t pressed = e->samples[100];
  pressed.keys[9] ^= 1;
  log_ticks(e, 1, 100);
  for (uint32_t i = 0; i < INPUT_LOG_MAX_FRAMES; ++i) {
    journal_add_frame(e->journal, 101, &e->samples[100], &pressed);
    journal_add_frame(e->journal, 101, &pressed, &e->samples[100]);
  }
  log_ticks(e, 101, 101);
  input_log_begin(&reader, e->log, 101);
  while (input_log_next(&reader, &x))
    count += x.paused;
  assert_int_equal(count, INPUT_LOG_MAX_FRAMES);
  assert_false(x.paused);
  assert_memory_equal(&x.input, &e->samples[101], sizeof x.input);
}

// Adds frames of a pause before tick 101 until the log has begun another block. Returns false if it does not.
static bool pause_for_a_block(log_fixture_t *e) {
  uint32_t count = input_log_block_count(e->log);
  for (uint32_t i = 0; i < JOURNAL_BLOCK_BYTES / 2; ++i) {
    journal_add_frame(e->journal, 101, &e->samples[100], &e->samples[100]);
    if (input_log_block_count(e->log) > count)
      return true;
  }
  return false;
}

TEST_IN(log_of_a_long_pause_keeps_only_blocks_with_input, log_fixture_t, e) {
  logged_input_t x;
  input_state_t pressed = e->samples[100];
  pressed.keys[9] ^= 1;
  log_ticks(e, 1, 100);
  uint32_t count = input_log_block_count(e->log);
  for (uint32_t i = 0; i < 4; ++i) {
    assert_true(pause_for_a_block(e));
    input_log_discard_idle_block(e->log);
    assert_int_equal(input_log_block_count(e->log), count + 1);
  }
  journal_add_frame(e->journal, 101, &e->samples[100], &pressed);
  journal_add_frame(e->journal, 101, &pressed, &e->samples[100]);
  for (uint32_t i = 0; i < 2; ++i) {
    assert_true(pause_for_a_block(e));
    input_log_discard_idle_block(e->log);
    assert_int_equal(input_log_block_count(e->log), count + 2);
  }
  journal_add_tick(e->journal, 101, &e->samples[100], &e->samples[101], 0);
  assert_true(get_input(e->log, 101, 0, &x));
  assert_memory_equal(&x.input, &pressed, sizeof pressed);
  assert_true(get_input(e->log, 101, 1, &x));
  assert_true(x.paused);
  assert_true(get_input(e->log, 101, 2, &x));
  assert_false(x.paused);
  assert_false(get_input(e->log, 101, 3, &x));
  assert_logged_tick(e, e->log, 100);
}

TEST_IN(discarding_later_ticks_does_not_change_a_copy, log_fixture_t, e) {
  log_ticks(e, 1, 310); // the newest block is open
  input_log_o *kept = input_log_copy(e->log);
  e->samples[150].keys[3] ^= 1;
  log_ticks(e, 150, 200);
  for (uint32_t i = 1; i <= 200; ++i)
    assert_logged_tick(e, e->log, i);
  assert_int_equal(input_log_last_tick(e->log), 200);
  assert_int_equal(input_log_last_tick(kept), 310);
  for (uint32_t i = 152; i <= 310; ++i)
    assert_logged_tick(e, kept, i);
  input_log_destroy(kept);
}

TEST_IN(oldest_ticks_can_be_discarded, log_fixture_t, e) {
  logged_input_t x;
  log_ticks(e, 1, TICKS);
  size_t bytes = e->memory.bytes;
  input_log_discard_before(e->log, 400);
  assert_true(e->memory.bytes < bytes);
  assert_false(get_input(e->log, 100, 0, &x));
  for (uint32_t i = 400; i <= TICKS; ++i)
    assert_logged_tick(e, e->log, i);
}

// A recording keeps the steps of the host, which the log of the history ignores: they belong to no tick.
TEST_IN(host_steps_do_not_change_the_input_of_ticks, log_fixture_t, e) {
  input_log_o *all = input_log_create(&e->memory);
  logged_input_t x;
  uint32_t kinds[RECORD_KIND_COUNT] = {0};
  journal_attach(e->journal, all);
  log_ticks(e, 1, JOURNAL_BLOCK_RECORDS); // the first block is full
  for (uint32_t from = JOURNAL_BLOCK_RECORDS; from < 400; from += 130) {
    journal_add_action(e->journal, RECORD_BACK, 20);
    journal_add_action(e->journal, RECORD_FORWARD, 0);
    log_ticks(e, from - 10, from + 100);
    journal_add_action(e->journal, RECORD_BACK, 30); // within a block
    input_log_discard_from(e->log, from + 71);
    journal_add_frame(e->journal, from + 71, &e->samples[0], &e->samples[1]);
    log_ticks(e, from + 71, from + 130);
  }
  log_ticks(e, 451, TICKS);
  for (uint32_t i = 2; i <= TICKS; ++i)
    if (i % 130 != 1 || i > 400)
      assert_logged_tick(e, e->log, i);
    else
      assert_true(get_input(e->log, i, 0, &x) && x.paused && get_input(e->log, i, 1, &x) && !x.paused);
  for (uint32_t i = 0; i < input_log_block_count(all); ++i) {
    block_reader_t reader;
    block_reader_begin(&reader, input_log_get_block(all, i)->bytes, input_log_get_block(all, i)->size);
    while (block_reader_next(&reader))
      ++kinds[reader.record.kind];
    assert_int_equal(reader.position, reader.size);
  }
  assert_int_equal(kinds[RECORD_BACK], 6);
  assert_int_equal(kinds[RECORD_FORWARD], 3);
  assert_int_equal(kinds[RECORD_FRAME], 3);
  assert_int_equal(kinds[RECORD_TICK], 60 + 3 * (111 + 60) + 50);
  journal_detach(e->journal, all);
  input_log_destroy(all);
}

static uint64_t hash_of_completed_blocks;

static void hash_block(void *context, const uint8_t *bytes, uint32_t size) {
  (void)context;
  hash_of_completed_blocks = hash_bytes(bytes, size, hash_of_completed_blocks);
}

// A recording in a file receives each block when it is complete.
TEST_IN(each_block_is_completed_once, log_fixture_t, e) {
  uint64_t hash = 0;
  hash_of_completed_blocks = 0;
  journal_set_on_block(e->journal, hash_block, NULL);
  for (uint32_t i = 1; i <= 100; ++i) {
    journal_add_item(e->journal, RECORD_ITEM_RESULT, "x", 1);
    if (i % 7 == 0)
      journal_add_action(e->journal, RECORD_CONSOLE, 0);
    log_ticks(e, i, i);
  }
  journal_add_frame(e->journal, 50, &e->samples[0],
                    &e->samples[1]); // frame of a world that a script has loaded in a pause
  journal_end_block(e->journal);
  for (uint32_t i = 0; i < input_log_block_count(e->log); ++i)
    hash = hash_bytes(input_log_get_block(e->log, i)->bytes, input_log_get_block(e->log, i)->size, hash);
  assert_int_equal(input_log_block_count(e->log), 4);
  assert_true(hash == hash_of_completed_blocks);
}

// External input is stored with the tick in which it was requested.
TEST_IN(external_input_is_found_by_tick_kind_and_key, log_fixture_t, e) {
  for (uint32_t i = 1; i <= 10; ++i) {
    log_ticks(e, i, i);
    external_result_t *a = external_result_create(EXTERNAL_SCENE, i % 2 ? "odd" : "even", true, &i, sizeof i);
    input_log_add_result(e->log, i, a);
    external_result_release(a);
  }
  input_log_o *copy = input_log_copy(e->log);
  external_result_t *a = input_log_find_result(copy, 7, EXTERNAL_SCENE, "odd");
  assert_int_equal(a->bytes[0], 7);
  external_result_release(a);
  assert_null(input_log_find_result(copy, 7, EXTERNAL_SCENE, "even"));
  assert_null(input_log_find_result(copy, 7, EXTERNAL_SAVE, "odd"));
  log_ticks(e, 5, 6); // replaces ticks 5 and 6
  assert_null(input_log_find_result(e->log, 7, EXTERNAL_SCENE, "odd"));
  assert_null(input_log_find_result(e->log, 5, EXTERNAL_SCENE, "odd"));
  assert_non_null(a = input_log_find_result(e->log, 4, EXTERNAL_SCENE, "even"));
  external_result_release(a);
  log_ticks(e, 7, TICKS);
  input_log_discard_before(e->log, 400);
  assert_null(input_log_find_result(e->log, 4, EXTERNAL_SCENE, "even"));
  input_log_destroy(copy);
}

// Adds more items than a record can contain, so that a block grows far beyond its limit.
TEST_IN(tick_can_have_many_large_items, log_fixture_t, e) {
  const size_t size = 3 << 20;
  char key[16], *large = calloc(1, size);
  block_reader_t reader;
  uint32_t found = 0;
  memset(large, 'x', size);
  log_ticks(e, 1, 5);
  for (uint32_t i = 0; i < 300; ++i) {
    snprintf(key, sizeof key, "%u", i);
    external_result_t *a = external_result_create(EXTERNAL_ASSET, key, i % 2, large, i == 200 ? size : i);
    journal_add_result(e->journal, a);
    external_result_release(a);
  }
  log_ticks(e, 6, 200);
  const block_t *block = input_log_get_block(e->log, 0);
  block_reader_begin(&reader, block->bytes, block->size);
  while (block_reader_next(&reader))
    for (uint32_t i = 0; i < reader.record.item_count; ++i) {
      external_result_t *a = external_result_read(&reader.record.items[i]);
      if (!a)
        continue;
      snprintf(key, sizeof key, "%u", found);
      assert_string_equal(a->key, key);
      assert_int_equal(a->size, found == 200 ? size : found);
      assert_int_equal(a->found, found % 2);
      assert_int_equal(reader.record.tick, 6);
      external_result_release(a);
      ++found;
    }
  assert_int_equal(found, 300);
  for (uint32_t i = 1; i <= 200; ++i)
    assert_logged_tick(e, e->log, i);
  free(large);
}

TEST_IN(parked_pieces_are_found_by_tick, log_fixture_t, e) {
  parked_item_t piece;
  log_ticks(e, 1, 9);
  parked_t stopped = {.name = "a/body", .stopped = true, .error.text = "systems/a.lua:3: stopped"};
  journal_add_park(e->journal, &stopped, 77);
  journal_add_park(e->journal, &(parked_t){.name = "b/body"}, 78);
  log_ticks(e, 10, 100);
  assert_true(input_log_get_parked(e->log, 10, 0, &piece));
  assert_string_equal(piece.name, "a/body");
  assert_true(piece.stopped && piece.code == 77);
  assert_int_equal(piece.message_bytes, strlen(stopped.error.text));
  assert_memory_equal(piece.message, stopped.error.text, piece.message_bytes);
  assert_true(input_log_get_parked(e->log, 10, 1, &piece));
  assert_string_equal(piece.name, "b/body");
  assert_true(!piece.stopped && piece.code == 78 && piece.message_bytes == 0);
  assert_false(input_log_get_parked(e->log, 10, 2, &piece));
  assert_false(input_log_get_parked(e->log, 9, 0, &piece));
}

TEST_WITH(malformed_items_are_rejected, log_fixture_t) {
  static const uint8_t results[][7] = {{0x80, 1, 'k'}, {0x80 | 77, 1, 'k'}, {0x84, 2, 'k', 0}, {0x84, 200, 'k'}};
  static const uint8_t parks[][12] = {{0}, {0x85, 'a', 0, 'b'}, {0x8c, 'a'}};
  for (size_t i = 0; i < sizeof results / sizeof *results; ++i)
    assert_null(external_result_read(&(record_item_t){RECORD_ITEM_RESULT, 0, sizeof *results, results[i]}));
  for (size_t i = 0; i < sizeof parks / sizeof *parks; ++i)
    assert_false(parked_item_read(&(record_item_t){RECORD_ITEM_PARK, 0, sizeof *parks, parks[i]}, &(parked_item_t){0}));
  assert_null(external_result_read(&(record_item_t){RECORD_ITEM_RESULT, 0, 1, results[0]}));
  assert_false(parked_item_read(&(record_item_t){RECORD_ITEM_PARK, 0, 0, NULL}, &(parked_item_t){0}));
}

// Sample of the releases that had at most 8 players. Recordings contain its bytes in this order.
typedef struct former_players_t {
  uint8_t present;
  sampled_player_t players[8];
} former_players_t;

typedef struct former_sample_t {
  uint8_t devices[offsetof(input_state_t, has_players)];
  _Alignas(8) uint8_t has_players;
  former_players_t players;
  player_info_t player_infos[8];
  player_actions_t actions[8];
  uint8_t has_notches;
  int8_t notches;
  uint8_t toggled[INPUT_PADS], unused[2];
  float mouse_dx, mouse_dy;
  int32_t motion_x[8], motion_y[8];
} former_sample_t;

static void convert_former_sample(const former_sample_t *from, input_state_t *out) {
  memset(out, 0, sizeof *out);
  memcpy(out, from->devices, sizeof from->devices);
  out->has_players = from->has_players;
  out->players.present = from->players.present;
  memcpy(out->players.players, from->players.players, sizeof from->players.players);
  memcpy(out->player_infos, from->player_infos, sizeof from->player_infos);
  memcpy(out->actions, from->actions, sizeof from->actions);
  memcpy(&out->has_notches, &from->has_notches,
         offsetof(former_sample_t, motion_x) - offsetof(former_sample_t, has_notches));
  memcpy(out->motion_x, from->motion_x, sizeof from->motion_x);
  memcpy(out->motion_y, from->motion_y, sizeof from->motion_y);
}

// Fills in a part of a former sample. The bytes between its members stay 0.
static void make_former_sample(random_t *random, former_sample_t *out) {
  memset(out, 0, sizeof *out);
  for (uint32_t i = 0; i < 200; ++i)
    ((uint8_t *)out)[random_u32(random) % sizeof *out] = (uint8_t)random_u32(random);
  memset(&out->has_players, 0, offsetof(former_sample_t, players) - offsetof(former_sample_t, has_players));
  memset(&out->players, 0, offsetof(former_players_t, players));
  out->has_players = 1;
  out->players.present = (uint8_t)random_u32(random);
}

static size_t write_former_difference(const former_sample_t *from, const former_sample_t *to, uint8_t *out) {
  size_t end = 0, size = 0;
  for (size_t i = 0; i < sizeof *to; ++i) {
    if (((const uint8_t *)from)[i] == ((const uint8_t *)to)[i])
      continue;
    size += varint_write(i - end, out + size);
    out[size++] = ((const uint8_t *)to)[i];
    end = i + 1;
  }
  return size;
}

TEST_IN(samples_of_players_1_to_8_have_the_bytes_of_earlier_releases, log_fixture_t, e) {
  uint8_t former_bytes[SAMPLE_MAX_BYTES], bytes[SAMPLE_MAX_BYTES];
  former_sample_t former[2];
  input_state_t samples[2], got;
  for (uint32_t i = 0; i < 200; ++i) {
    for (uint32_t k = 0; k < 2; ++k) {
      make_former_sample(&e->random, &former[k]);
      convert_former_sample(&former[k], &samples[k]);
    }
    size_t size = write_former_difference(&former[0], &former[1], former_bytes);
    assert_int_equal(sample_write_difference(&samples[0], &samples[1], bytes), size);
    assert_memory_equal(bytes, former_bytes, size);
    got = samples[0];
    assert_true(sample_apply_difference(&got, former_bytes, size));
    assert_memory_equal(&got, &samples[1], sizeof got);
  }
}

TEST_IN(input_samples_round_trip_and_random_bytes_are_read_safely, log_fixture_t, e) {
  uint8_t bytes[SAMPLE_MAX_BYTES], again[SAMPLE_MAX_BYTES];
  input_state_t zeros = {.wheel = 0}, wild, got;
  uint32_t accepted = 0;
  memset(&zeros, 0, sizeof zeros);
  for (size_t i = 0; i < sizeof wild; ++i)
    ((uint8_t *)&wild)[i] = (uint8_t)(random_u32(&e->random) | 1);
  size_t size = sample_write_difference(&zeros, &wild, bytes);
  assert_true(size <= sizeof bytes);
  got = zeros;
  assert_true(sample_apply_difference(&got, bytes, size));
  assert_memory_equal(&got, &wild, sizeof got);
  assert_int_equal(sample_write_difference(&wild, &wild, bytes), 0);
  for (uint32_t i = 0; i < 20000; ++i) {
    size = 1 + random_u32(&e->random) % 8;
    for (size_t k = 0; k < size; ++k)
      bytes[k] = (uint8_t)(random_u32(&e->random) >> random_u32(&e->random) % 8);
    got = zeros;
    got.has_players = 1; // all bytes count
    input_state_t before = got;
    if (!sample_apply_difference(&got, bytes, size))
      continue;
    ++accepted;
    assert_int_equal(sample_write_difference(&before, &got, again), size); // the encoding is canonical
    assert_memory_equal(again, bytes, size);
  }
  assert_in_range(accepted, 100, 19900);
}
