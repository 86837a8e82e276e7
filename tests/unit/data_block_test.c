// Blocks in which the data plugin stores values.
#include "plugins/data/data_block.h"

#include "base/random.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static data_value_t make_number(double n) {
  return (data_value_t){.type = DATA_NUMBER, .number = n};
}

static data_value_t make_text(const char *t) {
  return (data_value_t){.type = DATA_TEXT, .bytes = t, .size = (uint32_t)strlen(t)};
}

static void set_value(data_block_t **b, const char *path, data_value_t value) {
  assert_true(data_set(b, path, &value));
}

TEST(data_values_are_read_by_path) {
  data_block_t *b = NULL;
  data_value_t v;
  const double list[] = {1, 2.5, -3};
  assert_false(data_get(b, "inventory.gold", &v));
  set_value(&b, "inventory.gold", make_number(12));
  set_value(&b, "name", make_text("Ada"));
  set_value(&b, "inventory.list", (data_value_t){.type = DATA_NUMBERS, .bytes = list, .size = sizeof list});
  set_value(&b, "friend", (data_value_t){.type = DATA_ENTITY, .entity = 77});
  set_value(&b, "brave", (data_value_t){.type = DATA_BOOL, .number = 1});
  assert_true(data_get(b, "inventory.gold", &v) && v.type == DATA_NUMBER && v.number == 12);
  assert_true(data_get(b, "name", &v) && v.type == DATA_TEXT && strcmp(v.bytes, "Ada") == 0);
  assert_true(data_get(b, "inventory.list", &v) && v.size == sizeof list);
  assert_memory_equal(v.bytes, list, sizeof list);
  assert_true(data_get(b, "friend", &v) && v.entity == 77);
  set_value(&b, "name", make_text("Ada, Countess of Lovelace"));
  assert_true(data_get(b, "name", &v) && strcmp(v.bytes, "Ada, Countess of Lovelace") == 0);
  set_value(&b, "copy", v); // `v` points into the block itself
  assert_true(data_get(b, "copy", &v) && strcmp(v.bytes, "Ada, Countess of Lovelace") == 0);
  assert_int_equal(data_remove(&b, "inventory"), 2);
  assert_false(data_get(b, "inventory.gold", &v));
  assert_int_equal(data_count(b), 4);
  data_free(b);
}

TEST(empty_and_overlong_data_paths_are_rejected) {
  data_block_t *b = NULL;
  data_value_t v = make_number(1);
  char path[DATA_MAX_PATH + 2];
  memset(path, 'a', sizeof path);
  path[DATA_MAX_PATH + 1] = '\0';
  assert_false(data_set(&b, "", &v));
  assert_false(data_set(&b, path, &v));
  path[DATA_MAX_PATH] = '\0';
  assert_true(data_set(&b, path, &v));
  data_free(b);
}

TEST(data_block_rejects_values_over_its_size_limit) {
  data_block_t *b = NULL;
  char *large = malloc(DATA_MAX_BYTES / 3);
  memset(large, 'x', DATA_MAX_BYTES / 3);
  large[DATA_MAX_BYTES / 3 - 1] = '\0';
  data_value_t v = make_text(large);
  assert_true(data_set(&b, "a", &v));
  assert_true(data_set(&b, "b", &v));
  assert_false(data_set(&b, "c", &v));
  for (int i = 0; i < 20; ++i) // freed space is reused
    assert_true(data_set(&b, "b", &v));
  assert_int_equal(data_count(b), 2);
  free(large);
  data_free(b);
}

// Compares the block with an array of strings.
TEST(data_block_matches_a_naive_model) {
  enum { NAMES = 40 };
  static char model[NAMES][64];
  random_t random;
  random_seed(&random, 11);
  data_block_t *b = NULL;
  data_value_t v;
  for (int round = 0; round < 20000; ++round) {
    uint32_t n = random_u32(&random) % NAMES, size = random_u32(&random) % 60;
    char path[32];
    snprintf(path, sizeof path, "p%u.q%u", n % 7, n);
    if (random_u32(&random) % 4 == 0) {
      data_value_t none = {.type = DATA_NONE};
      assert_true(data_set(&b, path, &none));
      model[n][0] = '\0';
    } else {
      memset(model[n], 'a' + round % 26, size + 1);
      model[n][size + 1] = '\0';
      set_value(&b, path, make_text(model[n]));
    }
    uint32_t other = random_u32(&random) % NAMES;
    snprintf(path, sizeof path, "p%u.q%u", other % 7, other);
    assert_int_equal(data_get(b, path, &v), model[other][0] != '\0');
    if (model[other][0])
      assert_string_equal(v.bytes, model[other]);
    if (round % 500 == 0) {
      uint32_t bytes = data_save_bytes(b);
      void *saved = malloc(bytes), *again = malloc(bytes);
      data_save(b, saved);
      assert_true(data_load(&b, saved, bytes));
      assert_int_equal(data_save_bytes(b), bytes);
      data_save(b, again);
      assert_memory_equal(saved, again, bytes);
      free(saved);
      free(again);
    }
  }
  data_free(b);
}

TEST(damaged_data_block_is_rejected_or_read_safely) {
  data_block_t *b = NULL, *other = NULL;
  for (int i = 0; i < 12; ++i) {
    char path[32];
    snprintf(path, sizeof path, "value%d", i);
    set_value(&b, path, i % 2 ? make_number(i) : make_text("some text"));
  }
  uint32_t size = data_save_bytes(b);
  uint8_t *bytes = malloc(size);
  data_save(b, bytes);
  for (uint32_t cut = 1; cut < size; ++cut)
    assert_false(data_load(&other, bytes, size - cut));
  for (uint32_t at = 0; at < size; ++at)
    for (int bit = 0; bit < 8; ++bit) {
      bytes[at] ^= (uint8_t)(1 << bit);
      // damaged bytes may form other valid numbers, but every value must be readable
      if (data_load(&other, bytes, size)) {
        data_value_t v;
        for (uint32_t i = 0; i < data_count(other); ++i)
          assert_true(data_get(other, data_path(other, i, &v), &v));
      }
      bytes[at] ^= (uint8_t)(1 << bit);
    }
  assert_true(data_load(&other, bytes, size));
  free(bytes);
  data_free(b);
  data_free(other);
}
