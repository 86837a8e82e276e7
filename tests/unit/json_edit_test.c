// Edits of JSON as text: base/json_edit.h.
#include "base/json_edit.h"
#include "test.h"

#include <stdint.h>
#include <string.h>

static allocator_t memory;

// Parses JSON in which ' stands for ".
static json_t *parse_json(const char *text) {
  char copy[256];
  size_t bytes = strlen(text);
  assert_true(bytes < sizeof copy);
  for (size_t i = 0; i <= bytes; ++i)
    copy[i] = text[i] == '\'' ? '"' : text[i];
  json_t *value = json_loads(copy, JSON_DECODE_ANY, NULL);
  assert_non_null(value);
  return value;
}

static json_edit_t begin_edit(const char *text) {
  json_edit_t x;
  json_edit_init(&x, &memory, text, strlen(text));
  return x;
}

static void end_edit(json_edit_t *x, const char *expected) {
  assert_string_equal(x->text, expected);
  assert_int_equal(x->bytes, strlen(expected));
  json_edit_fini(x);
  assert_int_equal(memory.bytes, 0);
}

static void check_set(const char *text, const char *key, const char *value, const char *expected) {
  json_edit_t x = begin_edit(text);
  json_t *v = parse_json(value);
  json_edit_set(&x, json_edit_root(&x), key, v);
  json_decref(v);
  end_edit(&x, expected);
}

static void check_append(const char *text, const char *value, const char *expected) {
  json_edit_t x = begin_edit(text);
  json_t *v = parse_json(value);
  json_edit_append(&x, json_edit_find(&x, json_edit_root(&x), "a"), v);
  json_decref(v);
  end_edit(&x, expected);
}

static void check_remove(const char *text, uint32_t index, const char *expected) {
  json_edit_t x = begin_edit(text);
  json_edit_remove(&x, json_edit_root(&x), index);
  end_edit(&x, expected);
}

TEST(replaced_json_member_keeps_its_position) {
  check_set("{\"a\": 1,\n \"b\":2}", "b", "3", "{\"a\": 1,\n \"b\":3}");
  check_set("{\"a\": 1.0}", "a", "1", "{\"a\": 1.0}");
  check_set("{\"a\": \"\\u0062\"}", "a", "'b'", "{\"a\": \"\\u0062\"}");
  check_set("{\"\\u0061\": 1}", "a", "2", "{\"\\u0061\": 2}");
  check_set("{\"a\": 1, \"a\": 2}", "a", "3", "{\"a\": 1, \"a\": 3}");
  check_set("{\"a\": [ ], \"b\": 1}", "a", "[1, 2]", "{\"a\": [1, 2], \"b\": 1}");
}

TEST(new_json_member_uses_the_layout_of_its_object) {
  check_set("{}", "a", "1", "{\"a\":1}");
  check_set("{ \"a\": 1 }", "b", "'x'", "{ \"a\": 1, \"b\": \"x\" }");
  check_set("{\"a\":1,\"b\":2}", "c", "3.5", "{\"a\":1,\"b\":2,\"c\":3.5}");
  check_set("{\n  \"a\" : 1\n}", "b", "true", "{\n  \"a\" : 1,\n  \"b\" : true\n}");
  check_set("{\r\n\t\"a\": 1,\r\n\t\"b\": 2\r\n}", "c", "null",
            "{\r\n\t\"a\": 1,\r\n\t\"b\": 2,\r\n\t\"c\": null\r\n}");
}

TEST(new_json_element_uses_the_layout_of_its_siblings) {
  check_append("{\"a\":[]}", "{ 'x': 1 }", "{\"a\":[{\"x\":1}]}");
  check_append("{ \"a\": [] }", "{ 'x': 1, 'y': [{ 'z': 2 }] }", "{ \"a\": [{ \"x\": 1, \"y\": [ { \"z\": 2 } ] }] }");
  check_append("{\"a\":[{\"x\": 1,\"y\": 2},\n{\"x\": 3,\"y\": 4}]}", "{ 'x': 5, 'y': 6 }",
               "{\"a\":[{\"x\": 1,\"y\": 2},\n{\"x\": 3,\"y\": 4},\n{\"x\": 5,\"y\": 6}]}");
  check_append("{\n \"a\":[\n  {\n   \"x\":1\n  }]\n}", "{ 'x': 2, 'y': 'é' }",
               "{\n \"a\":[\n  {\n   \"x\":1\n  },\n  {\n   \"x\":2,\n   \"y\":\"é\"\n  }]\n}");
  check_append("{ \"a\": [\n    { \"x\": 1 },\n    { \"x\": 2 }\n] }", "{ 'x': 3 }",
               "{ \"a\": [\n    { \"x\": 1 },\n    { \"x\": 2 },\n    { \"x\": 3 }\n] }");
}

TEST(json_item_is_removed_with_its_comma) {
  check_remove("[ 1, 2, 3 ]", 0, "[ 2, 3 ]");
  check_remove("[ 1, 2, 3 ]", 1, "[ 1, 3 ]");
  check_remove("[ 1, 2, 3 ]", 2, "[ 1, 2 ]");
  check_remove("[ {} ]", 0, "[]");
  check_remove("{\n  \"a\": 1,\n  \"b\": [\",\", \"]\"]\n}", 1, "{\n  \"a\": 1\n}");
  check_remove("{\n  \"a\": 1,\n  \"b\": 2\n}", 0, "{\n  \"b\": 2\n}");
}
