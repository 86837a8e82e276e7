// Column storage of rows: schema/columns.h.
#include "ecs_fixture.h"

#include "shoal/number.h"

#include <math.h>
#include <string.h>

static allocator_t memory;
static schema_buffer_t buffer;
static columns_t c;

// Creates one column of each type: column i has type i + 1.
static void columns_setup(void) {
  double initial[FIELD_TYPE_COUNT];
  memory = (allocator_t){0};
  schema_init(&buffer, "all", SCHEMA_COMPONENT, "test");
  for (int t = FIELD_NONE + 1; t < FIELD_TYPE_COUNT; ++t) {
    field_t *f = schema_add_field(&buffer.schema, field_type_name((field_type_t)t), (field_type_t)t, 0);
    if (t == FIELD_ENUM)
      field_set_choices(f, &memory, (const char *const[]){"a", "b", "c"}, 3);
    initial[t - 1] = 1;
  }
  columns_init(&c, &buffer.schema, initial, &memory);
}

static void columns_teardown(void) {
  columns_fini(&c);
  schema_fini(&buffer.schema, &memory);
  assert_int_equal(memory.bytes, 0);
  assert_int_equal(memory.blocks, 0);
}
STATIC_FIXTURE(fixture, columns_setup, columns_teardown)

TEST_WITH(columns_are_64_byte_aligned_for_any_row_count, fixture) {
  for (uint32_t rows = 1; rows < 200; ++rows) {
    columns_append_defaults(&c, 1);
    for (uint32_t i = 0; i < c.column_count; ++i)
      assert_int_equal((uintptr_t)c.data[i] % 64, 0);
  }
}

// Returns the value that a column with the range [low, high] and the default 1 should store (naive implementation).
static double clamp_naively(double v, double low, double high) {
  return v != v ? 1 : v < low ? low : v > high ? high : v;
}

TEST_WITH(column_clamping_matches_a_naive_model, fixture) {
  static const double values[] = {-1e300, -70000, -300, -2, -0.5, 0, 0.5, 1, 2.5, 3, 4, 127, 255, 70000, 1e300};
  enum { ROWS = 3000 };
  for (uint32_t type = FIELD_F32; type <= FIELD_U32; ++type) {
    field_t *f = &buffer.schema.fields[type - 1];
    bool is_float = type <= FIELD_F64;
    columns_clear(&c);
    columns_append_defaults(&c, ROWS);
    f->flags = 0;
    for (uint32_t i = 0; i < ROWS; ++i) // only a few values in the second half are out of range
      columns_set(&c, i, type - 1, i < ROWS / 2 || i % 97 == 0 ? values[i % 15] : 1);
    if (is_float)
      columns_set(&c, 7, type - 1, NAN);
    double before[ROWS];
    for (uint32_t i = 0; i < ROWS; ++i)
      before[i] = columns_get(&c, i, type - 1);
    *f = (field_t){.renamed_from = "",
                   .type = (field_type_t)type,
                   .flags = FIELD_HAS_MIN | FIELD_HAS_MAX,
                   .low = is_float ? 0.25 : 0};
    f->high = 3;
    uint32_t changed = 0;
    for (uint32_t i = 5; i < ROWS - 5; ++i)
      changed += !(before[i] >= f->low && before[i] <= f->high);
    assert_int_equal(columns_clamp(&c, type - 1, 5, ROWS - 10, NULL, NULL), changed);
    for (uint32_t i = 5; i < ROWS - 5; ++i)
      assert_true(columns_get(&c, i, type - 1) == clamp_naively(before[i], f->low, f->high));
    for (uint32_t i = 0; i < 5; ++i) // rows outside the range are unchanged
      assert_true(columns_get(&c, i, type - 1) == before[i]);
    columns_set(&c, 0, type - 1, 1e300);
    assert_true(columns_get(&c, 0, type - 1) == 3);
    f->flags = 0;
  }
}

TEST_WITH(clamping_sets_unused_values_of_lists_to_zero, fixture) {
  enum { ROWS = 200, CAPACITY = 3 };
  schema_buffer_t s;
  columns_t list;
  double initial[1 + CAPACITY] = {0};
  schema_init(&s, "bag", SCHEMA_COMPONENT, "test");
  schema_add_field(&s.schema, "items.count", FIELD_U8, 0)->flags = FIELD_HAS_MIN | FIELD_HAS_MAX;
  s.schema.fields[0].low = 0;
  s.schema.fields[0].high = CAPACITY;
  for (uint32_t k = 1; k <= CAPACITY; ++k) {
    char name[16];
    snprintf(name, sizeof name, "items.%u", k);
    field_t *f = schema_add_field(&s.schema, name, FIELD_I32, 0);
    f->flags = FIELD_HAS_MIN;
    f->low = 1;
  }
  schema_flag_list_columns(&s.schema);
  columns_init(&list, &s.schema, initial, &memory);
  columns_append_defaults(&list, ROWS);
  for (uint32_t row = 0; row < ROWS; ++row) { // written in place, as plugins do
    ((uint8_t *)list.data[0])[row] = (uint8_t)(row % 6);
    for (uint32_t k = 1; k <= CAPACITY; ++k)
      ((int32_t *)list.data[k])[row] = (int32_t)(row * k % 5) - 1;
  }
  columns_clamp_rows(&list, 0, ROWS);
  for (uint32_t row = 0; row < ROWS; ++row) {
    uint32_t count = row % 6 < CAPACITY ? row % 6 : CAPACITY;
    assert_true(columns_get(&list, row, 0) == count);
    for (uint32_t k = 1; k <= CAPACITY; ++k) {
      int32_t was = (int32_t)(row * k % 5) - 1;
      assert_true(columns_get(&list, row, k) == (k > count ? 0 : was < 1 ? 1 : was));
    }
  }
  columns_fini(&list);
  schema_fini(&s.schema, &memory);
}

TEST_WITH(new_rows_have_defaults_and_old_rows_survive_growth, fixture) {
  assert_int_equal(columns_append_defaults(&c, 10), 0);
  for (uint32_t i = 0; i < 10; ++i)
    columns_set(&c, i, FIELD_I32 - 1, i * 7);
  assert_int_equal(columns_append_defaults(&c, 1000), 10);
  for (uint32_t i = 0; i < 10; ++i)
    assert_true(columns_get(&c, i, FIELD_I32 - 1) == i * 7);
  for (uint32_t column = 0; column < c.column_count; ++column)
    assert_true(columns_get(&c, 1009, column) == (column == FIELD_MAT4 - 1 ? 0 : 1));
  const float *m = (const float *)c.data[FIELD_MAT4 - 1] + 16 * 1009;
  for (int i = 0; i < 16; ++i)
    assert_true(m[i] == (i % 5 == 0 ? 1.0f : 0.0f));
}

TEST_WITH(adding_rows_within_capacity_allocates_nothing, fixture) {
  columns_reserve(&c, 1000);
  uint64_t calls = memory.calls;
  for (int i = 0; i < 100; ++i) {
    columns_append_defaults(&c, 1000);
    while (c.count > 500)
      columns_swap_erase_row(&c, 0);
    columns_erase_first_rows(&c, 100);
    columns_clear(&c);
  }
  assert_int_equal(memory.calls, calls);
}

static double store_and_read(field_type_t type, double value) {
  columns_set(&c, 0, (uint32_t)type - 1, value);
  return columns_get(&c, 0, (uint32_t)type - 1);
}

TEST_WITH(out_of_range_numbers_are_clamped, fixture) {
  columns_append_defaults(&c, 1);
  assert_true(store_and_read(FIELD_I8, -1000) == -128);
  assert_true(store_and_read(FIELD_I8, 127) == 127);
  assert_true(store_and_read(FIELD_I16, 1e9) == 32767);
  assert_true(store_and_read(FIELD_I32, -1e300) == -2147483648.0);
  assert_true(store_and_read(FIELD_U8, -1) == 0);
  assert_true(store_and_read(FIELD_U16, 70000) == 65535);
  assert_true(store_and_read(FIELD_U32, INFINITY) == 4294967295.0);
  assert_true(store_and_read(FIELD_I32, (double)NAN) == 0);
  assert_true(store_and_read(FIELD_BOOL, 0.25) == 1);
  assert_true(store_and_read(FIELD_BOOL, 0) == 0);
  assert_true(store_and_read(FIELD_ENUM, 7) == 2);
  assert_true(store_and_read(FIELD_ENTITY, 1073741823.0) == 1073741823.0);
  assert_true(store_and_read(FIELD_F64, 0.1) == 0.1);
  assert_true(store_and_read(FIELD_F32, 0.1) == (double)0.1f);
  assert_true(store_and_read(FIELD_MAT4, 3) == 0);
}

TEST_WITH(erased_row_is_replaced_by_the_last_row, fixture) {
  columns_append_defaults(&c, 3);
  for (uint32_t i = 0; i < 3; ++i)
    columns_set(&c, i, 0, i);
  columns_swap_erase_row(&c, 0);
  assert_int_equal(c.count, 2);
  assert_true(columns_get(&c, 0, 0) == 2 && columns_get(&c, 1, 0) == 1);
  columns_swap_erase_row(&c, 1);
  assert_true(columns_get(&c, 0, 0) == 2);
  columns_append_defaults(&c, 3);
  for (uint32_t i = 0; i < 4; ++i)
    columns_set(&c, i, 0, i);
  columns_erase_first_rows(&c, 3);
  assert_int_equal(c.count, 1);
  assert_true(columns_get(&c, 0, 0) == 3);
}

TEST_WITH(copy_row_copies_every_column, fixture) {
  columns_t other;
  columns_init(&other, &buffer.schema, c.initial, &memory);
  columns_append_defaults(&other, 2);
  columns_append_defaults(&c, 1);
  for (uint32_t i = 0; i < c.column_count; ++i)
    columns_set(&other, 1, i, 2);
  columns_copy_row(&c, 0, &other, 1);
  for (uint32_t i = 0; i < c.column_count; ++i)
    assert_true(columns_get(&c, 0, i) == columns_get(&other, 1, i));
  assert_int_equal(columns_append_rows(&c, &other, 0, 2), 1);
  assert_true(columns_get(&c, 1, 0) == 1 && columns_get(&c, 2, 0) == 2);
  columns_fini(&other);
}

TEST_WITH(column_hash_covers_rows_and_count_but_not_hidden_columns, fixture) {
  columns_append_defaults(&c, 2);
  uint64_t hash = columns_hash(&c, 0);
  columns_append_defaults(&c, 1);
  assert_true(columns_hash(&c, 0) != hash);
  columns_swap_erase_row(&c, 2);
  assert_true(columns_hash(&c, 0) == hash); // data past the row count is not hashed
  buffer.schema.fields[0].flags = FIELD_HIDDEN;
  hash = columns_hash(&c, 0);
  columns_set(&c, 0, 0, 99);
  assert_true(columns_hash(&c, 0) == hash);
  columns_set(&c, 0, 1, 99);
  assert_true(columns_hash(&c, 0) != hash);
}

TEST_WITH(tag_component_has_rows_without_columns, fixture) {
  schema_buffer_t tag;
  columns_t t;
  schema_init(&tag, "frozen", SCHEMA_COMPONENT, "test");
  columns_init(&t, &tag.schema, NULL, &memory);
  assert_int_equal(columns_append_defaults(&t, 5), 0);
  columns_swap_erase_row(&t, 1);
  columns_erase_first_rows(&t, 1);
  assert_int_equal(t.count, 3);
  columns_fini(&t);
}

static uint32_t read_bits(uint32_t row) {
  uint32_t bits;
  memcpy(&bits, (const float *)c.data[FIELD_F32 - 1] + row, sizeof bits);
  return bits;
}

static void write_bits(uint32_t row, uint32_t bits) {
  memcpy((float *)c.data[FIELD_F32 - 1] + row, &bits, sizeof bits);
}

static void load_copy_of_rows(void) {
  const void *copies[64];
  uint32_t count = c.count;
  for (uint32_t i = 0; i < c.column_count; ++i)
    copies[i] = memcpy(test_malloc(c.element_bytes[i] * count), c.data[i], c.element_bytes[i] * count);
  columns_load(&c, copies, count);
  for (uint32_t i = 0; i < c.column_count; ++i)
    test_free((void *)(uintptr_t)copies[i]);
}

TEST_WITH(nans_are_stored_and_hashed_canonically, fixture) {
  columns_append_defaults(&c, 600); // more rows than one block of the hash
  columns_set(&c, 0, FIELD_F32 - 1, -(double)NAN);
  assert_int_equal(read_bits(0), SHOAL_NAN_F32);
  columns_set(&c, 599, FIELD_F32 - 1, (double)NAN);
  uint64_t hash = columns_hash(&c, 1);
  write_bits(0, 0xffec0000u);
  write_bits(599, 0xffc00000u);
  assert_true(columns_hash(&c, 1) == hash);
  assert_true(isnan(columns_read_f32((const float *)c.data[FIELD_F32 - 1])));
  load_copy_of_rows();
  assert_int_equal(read_bits(0), SHOAL_NAN_F32);
  assert_int_equal(read_bits(599), SHOAL_NAN_F32);
  assert_true(columns_hash(&c, 1) == hash);
  columns_set(&c, 300, FIELD_F32 - 1, 5);
  assert_true(columns_hash(&c, 1) != hash);
}

TEST_WITH(plugin_conversions_clamp_like_columns_set, fixture) {
  const double given[] = {-1e300, -129, -0.9, 0.9, 127.5, 255.5, 65536, 2147483647.5, 4294967296.0, 1e300, (double)NAN};
  columns_append_defaults(&c, 1);
  for (size_t i = 0; i < sizeof given / sizeof *given; ++i) {
    for (uint32_t column = FIELD_I8 - 1; column < FIELD_U32; ++column)
      columns_set(&c, 0, column, given[i]);
    assert_true(columns_get(&c, 0, FIELD_I8 - 1) == shoal_to_i8(given[i]));
    assert_true(columns_get(&c, 0, FIELD_I16 - 1) == shoal_to_i16(given[i]));
    assert_true(columns_get(&c, 0, FIELD_I32 - 1) == shoal_to_i32(given[i]));
    assert_true(columns_get(&c, 0, FIELD_U8 - 1) == shoal_to_u8(given[i]));
    assert_true(columns_get(&c, 0, FIELD_U16 - 1) == shoal_to_u16(given[i]));
    assert_true(columns_get(&c, 0, FIELD_U32 - 1) == shoal_to_u32(given[i]));
  }
  assert_true(shoal_i64(1e300) == 9223372036854774784 && shoal_i64(-1e300) == INT64_MIN && shoal_u64(-1) == 0);
}
