// Commands of several players on one machine: their order, and their shares of a record.
#include "match/local_input.h"
#include "test.h"

#include <stdint.h>
#include <string.h>

#define MAX_ITEMS 4u
#define MAX_BYTES 500u

typedef struct fixture_t {
  local_input_t local;
  record_t out;
  uint8_t next[2]; // first byte of the next added command of each player
} fixture_t;

SETUP(fixture_t, f) {
}

TEARDOWN(fixture_t, f) {
}

static bool add(fixture_t *f, uint32_t player, size_t size) {
  uint8_t bytes[LOCAL_INPUT_COMMAND_BYTES] = {f->next[player]};
  bool is_added = local_input_add_command(&f->local, player, bytes, size);
  f->next[player] += is_added;
  return is_added;
}

// Moves the next inputs and commands of both players to `out`.
static void take(fixture_t *f) {
  f->out = (record_t){.inputs.present = 3};
  local_input_take(&f->local, 3, MAX_ITEMS, MAX_BYTES, &f->out);
}

static void expect_item(const fixture_t *f, uint32_t index, uint32_t player, uint8_t number) {
  assert_in_range(index, 0, f->out.item_count - 1);
  assert_int_equal(f->out.items[index].player, player);
  assert_int_equal(f->out.items[index].bytes[0], number);
}

TEST_IN(commands_that_fit_keep_the_order_of_all_players, fixture_t, f) {
  add(f, 0, 10);
  add(f, 0, 10);
  add(f, 1, 10);
  add(f, 0, 10);
  take(f);
  assert_int_equal(f->out.item_count, 4);
  expect_item(f, 0, 0, 0);
  expect_item(f, 1, 0, 1);
  expect_item(f, 2, 1, 0);
  expect_item(f, 3, 0, 2);
  take(f);
  assert_int_equal(f->out.item_count, 0);
}

TEST_IN(large_command_that_waits_does_not_delay_a_different_player, fixture_t, f) {
  add(f, 0, LOCAL_INPUT_COMMAND_BYTES);
  add(f, 0, LOCAL_INPUT_COMMAND_BYTES);
  add(f, 0, 5);
  add(f, 1, 8);
  take(f);
  assert_int_equal(f->out.item_count, 2);
  expect_item(f, 0, 0, 0);
  expect_item(f, 1, 1, 0);
  take(f);
  assert_int_equal(f->out.item_count, 2);
  expect_item(f, 0, 0, 1);
  expect_item(f, 1, 0, 2);
}

TEST_IN(many_commands_of_one_player_leave_an_item_for_a_different_player, fixture_t, f) {
  for (uint32_t i = 0; i < 12; ++i)
    add(f, 0, 4);
  add(f, 1, 4);
  take(f);
  assert_int_equal(f->out.item_count, MAX_ITEMS);
  expect_item(f, 0, 0, 0);
  expect_item(f, 2, 0, 2);
  expect_item(f, 3, 1, 0);
  for (uint8_t i = 3; i < 12; i += 4) {
    take(f);
    expect_item(f, 0, 0, i);
  }
}

TEST_IN(full_queue_of_one_player_does_not_reject_a_different_player, fixture_t, f) {
  while (add(f, 0, LOCAL_INPUT_COMMAND_BYTES))
    ;
  assert_int_equal(f->next[0], LOCAL_INPUT_PLAYER_COMMANDS);
  assert_true(add(f, 1, LOCAL_INPUT_COMMAND_BYTES));
  take(f);
  expect_item(f, 1, 1, 0);
}

// Both players add commands of random sizes faster than records take them.
TEST_IN(commands_of_each_player_arrive_once_and_in_order, fixture_t, f) {
  uint8_t taken[2] = {0};
  for (uint32_t step = 0; step < 2000; ++step) {
    add(f, step * 7 % 3 != 0, 1 + step * 31 % LOCAL_INPUT_COMMAND_BYTES);
    take(f);
    if (step % 3 == 0)
      add(f, 0, 1);
    for (uint32_t i = 0; i < f->out.item_count; ++i)
      assert_int_equal(f->out.items[i].bytes[0], taken[f->out.items[i].player]++);
  }
  for (uint32_t i = 0; i < LOCAL_INPUT_COMMANDS; ++i) {
    take(f);
    for (uint32_t k = 0; k < f->out.item_count; ++k)
      assert_int_equal(f->out.items[k].bytes[0], taken[f->out.items[k].player]++);
  }
  assert_memory_equal(taken, f->next, sizeof taken);
}
