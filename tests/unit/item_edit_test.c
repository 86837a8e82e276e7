// Items that an operator has edited: served/item_edit.h.
#include "test.h"

#include "served/item_edit.h"

#include <stdio.h>
#include <string.h>

// A sack with a coin, which its assemblage defines, and a sword.
static const char STORED[] =
    "[{\"item\":5,\"parent\":0,\"name\":\"\",\"assemblage\":\"sack\","
    "\"components\":{\"purse\":{\"gold\":10,\"look\":{\"r\":1,\"g\":2},\"=\":[\"gold\",\"look.r\"]},"
    "\"gun\":{\"left\":{\"heat\":1,\"=\":true}},\"=\":{\"owned\":true}}},"
    "{\"item\":6,\"parent\":5,\"name\":\"\",\"assemblage\":\"coin\","
    "\"components\":{\"=\":{\"slot\":\"coin\"}}},"
    "{\"item\":7,\"parent\":0,\"name\":\"\",\"assemblage\":\"sword\","
    "\"components\":{\"blade\":{\"edge\":1,\"tip\":2,\"=\":true},\"=\":{\"owned\":true}}}]";

static json_t *parse(const char *text) {
  error_info_t error = {0};
  json_t *rows = item_edit_parse(text, strlen(text), &error);
  if (!rows)
    fail_msg("%s: %s", text, error.text);
  return rows;
}

static void assert_refused(const char *text, const char *message) {
  error_info_t error = {0};
  item_edit_counts_t counts;
  json_t *stored = parse(STORED), *rows = item_edit_parse(text, strlen(text), &error);
  if (rows && item_edit_complete(rows, stored, &counts, &error))
    fail_msg("accepted: %s", text);
  if (!strstr(error.text, message))
    fail_msg("%s: got “%s” instead of “%s”", text, error.text, message);
  json_decref(rows);
  json_decref(stored);
}

// Completes the rows, and compares them with the expected rows.
static void assert_completed(json_t *rows, const char *expected, const char *counts_text) {
  error_info_t error = {0};
  item_edit_counts_t counts;
  char text[64];
  json_t *stored = parse(STORED), *wanted = parse(expected);
  if (!item_edit_complete(rows, stored, &counts, &error))
    fail_msg("%s", error.text);
  if (!json_equal(rows, wanted)) {
    char *dump = json_dumps(rows, JSON_COMPACT);
    fail_msg("got %s\ninstead of %s", dump, expected);
  }
  snprintf(text, sizeof text, "%u %u %u", counts.added, counts.changed, counts.removed);
  assert_string_equal(text, counts_text);
  json_decref(wanted);
  json_decref(stored);
  json_decref(rows);
}

TEST(unchanged_items_keep_their_marks) {
  assert_completed(parse(STORED), STORED, "0 0 0");
}

TEST(printed_rows_with_kept_values_are_accepted_unchanged) {
  json_t *rows = parse(STORED), *stored = parse(STORED);
  error_info_t error = {0};
  item_edit_counts_t counts;
  for (size_t i = 0; i < 2; ++i) {
    json_t *facts = json_object_get(json_object_get(json_array_get(i == 0 ? rows : stored, 0), "components"), "=");
    json_object_set_new(facts, "parked",
                        json_pack("{s:{}, s:{s:{s:i}}}", "components", "fields", "purse", "silver", 5));
    json_object_set_new(facts, "visit", json_integer(3));
    facts = json_object_get(json_object_get(json_array_get(i == 0 ? rows : stored, 2), "components"), "=");
    json_object_set_new(facts, "parked", json_true());
  }
  if (!item_edit_complete(rows, stored, &counts, &error))
    fail_msg("%s", error.text);
  assert_true(json_equal(rows, stored));
  assert_int_equal(counts.added + counts.changed + counts.removed, 0);
  json_decref(rows);
  json_decref(stored);
}

TEST(edited_values_do_not_follow_the_assemblage) {
  json_t *rows = parse(STORED);
  json_t *sack = json_object_get(json_array_get(rows, 0), "components");
  json_t *sword = json_object_get(json_array_get(rows, 2), "components");
  json_object_set_new(json_object_get(sack, "purse"), "gold", json_integer(70));
  json_object_set_new(json_object_get(json_object_get(sack, "gun"), "left"), "heat", json_integer(2));
  json_object_set_new(json_object_get(sword, "blade"), "edge", json_integer(9));
  assert_completed(rows,
                   "[{\"item\":5,\"parent\":0,\"name\":\"\",\"assemblage\":\"sack\","
                   "\"components\":{\"purse\":{\"gold\":70,\"look\":{\"r\":1,\"g\":2},\"=\":[\"look.r\"]},"
                   "\"gun\":{\"left\":{\"heat\":2,\"=\":[]}},\"=\":{\"owned\":true}}},"
                   "{\"item\":6,\"parent\":5,\"name\":\"\",\"assemblage\":\"coin\","
                   "\"components\":{\"=\":{\"slot\":\"coin\"}}},"
                   "{\"item\":7,\"parent\":0,\"name\":\"\",\"assemblage\":\"sword\","
                   "\"components\":{\"blade\":{\"edge\":9,\"tip\":2,\"=\":[\"tip\"]},\"=\":{\"owned\":true}}}]",
                   "0 2 0");
}

TEST(removed_child_is_noted_in_its_parent) {
  json_t *rows = parse(STORED);
  json_array_remove(rows, 1);
  json_array_remove(rows, 1);
  assert_completed(rows,
                   "[{\"item\":5,\"parent\":0,\"name\":\"\",\"assemblage\":\"sack\","
                   "\"components\":{\"purse\":{\"gold\":10,\"look\":{\"r\":1,\"g\":2},"
                   "\"=\":[\"gold\",\"look.r\"]},\"gun\":{\"left\":{\"heat\":1,\"=\":true}},"
                   "\"=\":{\"owned\":true,\"gone\":[\"coin\"]}}}]",
                   "0 0 2");
}

TEST(new_items_get_numbers_and_the_player) {
  assert_completed(parse("[{\"assemblage\":\"sword\",\"components\":{\"blade\":{\"edge\":1,\"=\":true}}},"
                         "{\"item\":-1,\"parent\":-2},{}]"),
                   "[{\"item\":-2,\"parent\":0,\"name\":\"\",\"assemblage\":\"sword\","
                   "\"components\":{\"blade\":{\"edge\":1},\"=\":{\"owned\":true}}},"
                   "{\"item\":-1,\"parent\":-2,\"name\":\"\",\"assemblage\":\"\",\"components\":{}},"
                   "{\"item\":-3,\"parent\":0,\"name\":\"\",\"assemblage\":\"\","
                   "\"components\":{\"=\":{\"owned\":true}}}]",
                   "3 0 3");
}

TEST(malformed_items_are_refused_with_the_entry) {
  assert_refused("[{\"item\":5},\n {\"item\" 6}]", "JSON, line 2, column 10: ");
  assert_refused("[{\"item\":5,\"item\":5}]", "duplicate object key");
  assert_refused("7", "JSON, line 1, column 1: ");
  assert_refused("{}", "JSON: expected a list of items, as take prints it");
  assert_refused("[{}, 4]", "entry 2 must be an object");
  assert_refused("[{\"parnet\":0}]", "entry 1: unknown key “parnet”: did you mean parent?");
  assert_refused("[{\"item\":\"5\"}]", "entry 1: `item` must be a number of an item");
  assert_refused("[{\"components\":{\"purse\":5}}]", "entry 1: components.purse must be an object");
  assert_refused("[{\"components\":{\"=\":{\"owned\":1}}}]", "entry 1: `owned` must be true");
  assert_refused("[{\"components\":{\"=\":{\"slto\":\"a\"}}}]", "unknown key “slto”: did you mean slot?");
  assert_refused("[{\"item\":5,\"components\":{\"=\":{\"parked\":[]}}}]",
                 "`parked` must be an object of kept values, or true");
  assert_refused("[{\"components\":{\"=\":{\"parked\":true}}}]", "entry 1: a new item cannot have `parked` values");
  assert_refused("[{\"item\":8}]", "entry 1: the account does not own the item 8");
  assert_refused("[{\"item\":5},{},{\"item\":5}]", "entries 1 and 3 have the same number, 5");
  assert_refused("[{\"item\":5,\"parent\":8}]", "entry 1: the parent 8 is not in the list");
  assert_refused("[{\"item\":5,\"parent\":5}]", "entry 1: the item 5 is its own ancestor");
  assert_refused("[{},{\"item\":5,\"parent\":6},{\"item\":6,\"parent\":7},{\"item\":7,\"parent\":6}]",
                 "its own ancestor");
  char many[257 * 3 + 2] = "[{}";
  for (int i = 0; i < 256; ++i)
    strcat(many, ",{}");
  assert_refused(strcat(many, "]"), "too many items: 257 (at most 256)");
}
