// Inputs of a peer at the host: early, late, lost, repeated and conflicting ones.
#include "match/input_queue.h"
#include "test.h"

#include <stdint.h>
#include <string.h>

typedef struct fixture_t {
  allocator_t memory;
  input_queue_t queue;
  uint64_t tick;    // last tick that has run
  uint64_t started; // argument of input_queue_take
  record_t out;
} fixture_t;

SETUP(fixture_t, f) {
  f->tick = 10;
  input_queue_init(&f->queue, &f->memory, 2);
}

TEARDOWN(fixture_t, f) {
  input_queue_fini(&f->queue);
  assert_int_equal(f->memory.bytes, 0);
}

static record_t make(uint64_t number, uint64_t tick, int8_t value, uint64_t pressed) {
  record_t record = {.number = number, .kind = RECORD_TICK, .tick = tick, .inputs.present = 2};
  record.inputs.players[1].values[0] = value;
  record.inputs.players[1].pressed = pressed;
  return record;
}

static void add(fixture_t *f, uint64_t number, uint64_t tick, int8_t value, uint64_t pressed) {
  record_t record = make(number, tick, value, pressed);
  assert_true(input_queue_add(&f->queue, &record, f->tick));
}

// Runs the next tick. Returns the player's input.
static const player_input_t *take(fixture_t *f) {
  f->out = (record_t){.number = 1, .kind = RECORD_TICK, .tick = ++f->tick, .inputs.present = 3};
  item_limits_t end = {RECORD_MAX_ITEMS, RECORD_MAX_ITEM_BYTES};
  input_queue_take(&f->queue, 15, f->started, end, &f->out);
  return &f->out.inputs.players[1];
}

TEST_IN(early_inputs_wait_for_their_tick, fixture_t, f) {
  add(f, 1, 12, 5, 1);
  add(f, 2, 13, 6, 0);
  assert_int_equal(take(f)->values[0], 0);
  assert_int_equal(take(f)->values[0], 5);
  assert_int_equal(f->out.inputs.players[1].pressed, 1);
  assert_int_equal(take(f)->values[0], 6);
  assert_int_equal(take(f)->pressed, 0);
}

TEST_IN(late_edges_are_applied_once_in_the_next_tick, fixture_t, f) {
  add(f, 1, 5, 7, 1);
  add(f, 1, 5, 7, 1);
  add(f, 2, 6, 8, 2);
  assert_int_equal(take(f)->pressed, 3);
  assert_int_equal(f->out.inputs.players[1].values[0], 8);
  add(f, 1, 5, 7, 1);
  assert_int_equal(take(f)->pressed, 0);
  assert_int_equal(f->queue.late, 2);
}

TEST_IN(repeated_press_waits_for_the_following_tick, fixture_t, f) {
  add(f, 1, 5, 7, 1);
  add(f, 2, 6, 7, 1 | 4);
  add(f, 3, 7, 7, 2);
  assert_int_equal(take(f)->pressed, 1);
  assert_int_equal(take(f)->pressed, 1 | 2 | 4);
  assert_int_equal(take(f)->pressed, 0);
}

TEST_IN(edges_wait_for_lost_earlier_edges_but_values_do_not, fixture_t, f) {
  add(f, 2, 11, 9, 2);
  assert_int_equal(take(f)->pressed, 0);
  assert_int_equal(f->out.inputs.players[1].values[0], 9);
  add(f, 1, 10, 3, 1);
  assert_int_equal(take(f)->pressed, 3);
  assert_int_equal(f->out.inputs.players[1].values[0], 9);
}

static void add_movement(fixture_t *f, uint64_t number, uint64_t tick, int32_t sum) {
  record_t record = make(number, tick, 0, 0);
  record.inputs.players[1].motion_x = sum;
  record.inputs.players[1].motion_y = (int32_t)(0u - (uint32_t)sum);
  assert_true(input_queue_add(&f->queue, &record, f->tick));
}

static void expect_movement(fixture_t *f, int32_t x) {
  const player_input_t *input = take(f);
  assert_int_equal(input->motion_x, x);
  assert_int_equal(input->motion_y, (int32_t) - (uint32_t)x);
}

TEST_IN(movement_of_lost_inputs_is_taken_from_the_next_one, fixture_t, f) {
  add_movement(f, 1, 11, 5);
  add_movement(f, 4, 13, 50);
  expect_movement(f, 5);
  expect_movement(f, 0);
  expect_movement(f, 45);
  add_movement(f, 2, 12, 20); // arrives after its successors
  add_movement(f, 3, 12, 30);
  add_movement(f, 4, 13, 50); // the movement arrives again
  expect_movement(f, 0);
  add_movement(f, 5, 15, 49);
  expect_movement(f, -1);
}

TEST_IN(movement_is_taken_once_although_values_become_neutral, fixture_t, f) {
  add_movement(f, 1, 11, 7);
  expect_movement(f, 7);
  for (uint32_t i = 0; i < 30; ++i)
    expect_movement(f, 0);
  add_movement(f, 2, 12, 9);
  expect_movement(f, 2);
}

TEST_IN(sums_of_movements_wrap_around, fixture_t, f) {
  static const int32_t sums[] = {INT32_MAX, INT32_MIN, 0, INT32_MIN, -1, INT32_MAX};
  uint32_t before = 0;
  for (uint32_t i = 0; i < sizeof sums / sizeof *sums; ++i) {
    add_movement(f, 1 + i, 11 + i, sums[i]);
    expect_movement(f, (int32_t)((uint32_t)sums[i] - before));
    before = (uint32_t)sums[i];
  }
}

TEST_IN(held_values_become_neutral_after_their_maximum_age, fixture_t, f) {
  add(f, 1, 11, 9, 0);
  for (uint32_t i = 0; i <= 15; ++i)
    assert_int_equal(take(f)->values[0], 9);
  assert_int_equal(take(f)->values[0], 0);
  add(f, 2, 12, 8, 0);
  assert_int_equal(take(f)->values[0], 8);
}

TEST_IN(inputs_far_ahead_are_not_received, fixture_t, f) {
  add(f, 1, 11 + INPUT_QUEUE_RECORDS, 9, 1);
  assert_int_equal(f->queue.received, 1);
  add(f, INPUT_QUEUE_RECORDS + 1, 11, 9, 1);
  assert_int_equal(f->queue.newest, 0);
  assert_int_equal(take(f)->pressed, 0);
}

TEST_IN(flooded_commands_are_spread_over_ticks_in_order, fixture_t, f) {
  uint8_t next = 0, bytes[20];
  for (uint8_t i = 0; i < 20; ++i) {
    record_t record = make(1 + i, 5 + i / 4, 0, 0);
    bytes[i] = i;
    for (record.item_count = 0; record.item_count < INPUT_QUEUE_MAX_ITEMS; ++record.item_count)
      record.items[record.item_count] = (record_item_t){RECORD_ITEM_COMMAND, 1, 1, &bytes[i]};
    record.tick = 5 + i;
    assert_true(input_queue_add(&f->queue, &record, f->tick + 20));
  }
  for (f->tick = 30; next < 20; ++next) {
    take(f);
    assert_int_equal(f->out.item_count, INPUT_QUEUE_MAX_ITEMS);
    assert_int_equal(f->out.items[0].bytes[0], next);
    assert_int_equal(f->out.items[3].bytes[0], next);
  }
  take(f);
  assert_int_equal(f->out.item_count, 0);
}

TEST_IN(commands_that_exceed_a_players_action_space_wait_for_the_next_tick, fixture_t, f) {
  uint8_t bytes[PLAYER_ACTION_BYTES + 1] = {0};
  record_t record = make(1, 11, 0, 0);
  record.items[record.item_count++] = (record_item_t){RECORD_ITEM_COMMAND, 1, sizeof bytes, bytes};
  assert_false(input_queue_add(&f->queue, &record, f->tick));
  record.items[0].size = sizeof bytes / 2;
  record.items[record.item_count++] = record.items[0];
  assert_false(input_queue_add(&f->queue, &record, f->tick));
  for (uint32_t i = 1; i <= 4; ++i) {
    record = make(i, 10 + i, 0, 0);
    record.items[record.item_count++] = (record_item_t){RECORD_ITEM_COMMAND, 1, sizeof bytes / 2 - 1, bytes};
    assert_true(input_queue_add(&f->queue, &record, f->tick));
  }
  f->tick = 30;
  for (uint32_t i = 0; i < 3; ++i) {
    take(f);
    assert_int_equal(f->out.item_count, i < 2 ? 2 : 0);
  }
}

TEST_IN(commands_from_before_the_world_started_are_dropped_but_their_edges_are_applied, fixture_t, f) {
  for (uint32_t i = 1; i <= 2; ++i) {
    record_t record = make(i, 10 + i, 7, i);
    record.hash = 99 + i;
    record.items[record.item_count++] = (record_item_t){RECORD_ITEM_COMMAND, 1, 0, NULL};
    assert_true(input_queue_add(&f->queue, &record, f->tick));
  }
  f->started = 101;
  assert_int_equal(take(f)->pressed, 1);
  assert_int_equal(f->out.item_count, 0);
  assert_int_equal(take(f)->pressed, 2);
  assert_int_equal(f->out.item_count, 1);
}

TEST_IN(records_other_than_inputs_of_the_peer_are_rejected, fixture_t, f) {
  uint8_t bytes[INPUT_QUEUE_MAX_ITEM_BYTES + 1] = {0};
  record_t record = make(1, 11, 0, 0);
  record.inputs.present = 1;
  assert_false(input_queue_add(&f->queue, &record, f->tick));
  record = make(1, 11, 0, 0);
  record.kind = RECORD_PAUSE;
  assert_false(input_queue_add(&f->queue, &record, f->tick));
  record = make(1, 11, 0, 0);
  record.hash = 1;
  assert_false(input_queue_add(&f->queue, &record, f->tick));
  record = make(1, 11, 0, 0);
  record.items[record.item_count++] =
      (record_item_t){RECORD_ITEM_COMMAND, 0, 0, bytes}; // command of a different player
  assert_false(input_queue_add(&f->queue, &record, f->tick));
  record.items[0] = (record_item_t){RECORD_ITEM_JOIN, 1, 0, bytes};
  assert_false(input_queue_add(&f->queue, &record, f->tick));
  record.items[0] = (record_item_t){RECORD_ITEM_COMMAND, 1, sizeof bytes, bytes};
  assert_false(input_queue_add(&f->queue, &record, f->tick));
  assert_int_equal(f->queue.newest, 0);
}
