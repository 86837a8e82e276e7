// Formatting numbers with as few digits as possible, and quoting strings: base/number_text.h, base/json_writer.h.
#include "base/number_text.h"

#include "base/json_writer.h"
#include "base/random.h"
#include "test.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Reference implementation, which tries printf with increasing precision.
static void write_reference(double v, bool is_float, char out[NUMBER_TEXT_BYTES]) {
  for (int digits = is_float ? 6 : 15; digits <= 17; ++digits) {
    snprintf(out, NUMBER_TEXT_BYTES, "%.*g", digits, v);
    if (is_float ? (float)strtod(out, NULL) == (float)v : strtod(out, NULL) == v)
      return;
  }
}

static void check_number(double v, bool is_float) {
  char wanted[NUMBER_TEXT_BYTES], got[NUMBER_TEXT_BYTES];
  size_t length = number_to_text(v, is_float, got);
  assert_int_equal(length, strlen(got));
  write_reference(v, is_float, wanted);
  assert_string_equal(got, wanted);
}

static uint32_t random_bits(random_t *r) {
  return (uint32_t)(random_unit(r) * 4294967296.0);
}

TEST(random_floats_are_written_as_the_shortest_round_trip_text) {
  random_t r;
  random_seed(&r, 7);
  for (int i = 0; i < 200000; ++i) {
    uint32_t bits = random_bits(&r);
    float v;
    memcpy(&v, &bits, sizeof v);
    if (v == v && v - v == 0 && v != 0)
      check_number((double)v, true);
  }
}

TEST(typical_numbers_are_written_as_the_shortest_round_trip_text) {
  static const double scales[] = {1e-4, 1e-3, 0.01, 1, 10, 1000, 1e5, 1e6, 1e7};
  random_t r;
  random_seed(&r, 8);
  for (int i = 0; i < 200000; ++i) {
    double scale = scales[(size_t)i % (sizeof scales / sizeof *scales)], v = (random_unit(&r) - 0.5) * scale;
    check_number((double)(float)v, true);
    check_number((double)(float)((double)(int)(v * 100) / 100 + 1), true);
    check_number(v, false);
    check_number((double)(int)(v * 1000) + 1, i % 2 == 0);
  }
}

TEST(edge_case_numbers_are_written_as_the_shortest_exact_text) {
  static const float edges[] = {1e-4f,        9.9999997e-5f, 9.9999999e-5f, 999999.94f, 1e6f,     1234567.0f,
                                0.99999994f,  1.0f,          9.9999990f,    99999.992f, 0.1f,     0.099999994f,
                                16777216.0f,  0.5f,          2.5e-4f,       1.0000001f, 65504.0f, 3.4e38f,
                                1.17549e-38f, 1.4e-45f,      123456.5f,     999999.5f};
  for (size_t i = 0; i < sizeof edges / sizeof *edges; ++i) {
    check_number((double)edges[i], true);
    check_number(-(double)edges[i], true);
    check_number((double)edges[i], false);
  }
  check_number(999999999999999.0, false);
  check_number(1e15, false);
  check_number(-4294967295.0, false);
}

TEST(zero_nan_and_infinity_have_fixed_texts) {
  static const struct {
    double v;
    const char *text;
  } known[] = {
      {0.0, "0"}, {-0.0, "-0.0"}, {(double)NAN, "nan"}, {(double)INFINITY, "inf"}, {-(double)INFINITY, "-inf"}};
  for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
    char got[NUMBER_TEXT_BYTES];
    number_to_text(known[i].v, true, got);
    assert_string_equal(got, known[i].text);
  }
}

TEST(strings_are_escaped_like_jansson) {
  allocator_t memory = {0};
  for (int c = 0; c < 128; ++c) {
    json_writer_t t;
    char text[] = {'a', (char)c, 'b'};
    json_t *value = json_stringn(text, sizeof text);
    char *expected = json_dumps(value, JSON_ENCODE_ANY);
    json_writer_init(&t, &memory);
    assert_true(json_write_quoted(&t, text, sizeof text));
    char *got = json_writer_detach_text(&t);
    assert_string_equal(got, expected);
    alloc_resize(&memory, got, strlen(got) + 1, 0);
    free(expected);
    json_decref(value);
  }
  assert_int_equal(memory.bytes, 0);
}

TEST(invalid_utf8_is_replaced_and_reported) {
  allocator_t memory = {0};
  json_writer_t t;
  json_writer_init(&t, &memory);
  assert_true(json_write_quoted(&t, "é€", 5));
  assert_false(json_write_quoted(&t, "\xff\xe2\x82", 3));
  char *text = json_writer_detach_text(&t);
  assert_string_equal(text, "\"é€\"\"\\ufffd\\ufffd\\ufffd\"");
  alloc_resize(&memory, text, strlen(text) + 1, 0);
}

// New memory is filled with 'x' in debug builds.
TEST(text_of_a_writer_is_terminated_after_every_write) {
  allocator_t memory = {0};
  json_writer_t t;
  json_writer_init(&t, &memory);
  assert_string_equal(json_writer_text(&t), "");
  json_write_text(&t, "");
  assert_string_equal(json_writer_text(&t), "");
  for (uint32_t i = 1; i <= 100; ++i) {
    json_write_text(&t, i % 3 ? "a" : "bc");
    assert_int_equal(strlen(t.text.items), t.text.count);
  }
  json_writer_clear(&t);
  assert_string_equal(json_writer_text(&t), "");
  json_write_begin(&t, '{');
  json_write_pair(&t, "key", "value");
  json_write_integer_pair(&t, "n", 5);
  json_write_end(&t, '}');
  assert_string_equal(json_writer_text(&t), "{\"key\":\"value\",\"n\":5}");
  json_writer_fini(&t);
  assert_int_equal(memory.bytes, 0);
}
