// Versions, requirements and paths of add-ons (addons/addon_info.h, addons/addon_files.h).
#include "addons/addon_info.h"
#include "test.h"

#include <stdio.h>
#include <stdint.h>
#include <string.h>

TEST(addon_version_consists_of_two_or_three_numbers) {
  static const char *const GOOD[] = {"1.0", "0.0.0", "1.2.30", "999999999.0"};
  static const char *const BAD[] = {"",        "1",   "1.",   ".1",   "1..2", "1.2.",
                                    "1.2.3.4", "1.x", "v1.0", "-1.0", "1.0 ", " 1.0"};
  for (size_t i = 0; i < sizeof GOOD / sizeof *GOOD; ++i)
    assert_true(addon_version_is_valid(GOOD[i]));
  for (size_t i = 0; i < sizeof BAD / sizeof *BAD; ++i)
    assert_false(addon_version_is_valid(BAD[i]));
}

TEST(addon_versions_are_compared_numerically) {
  static const char *const RISING[] = {"0.9", "0.10", "1.0", "1.0.1", "1.0.10", "1.1", "2.0", "10.0"};
  for (size_t i = 0; i < sizeof RISING / sizeof *RISING; ++i)
    for (size_t k = 0; k < sizeof RISING / sizeof *RISING; ++k)
      assert_int_equal(addon_version_compare(RISING[i], RISING[k]), i < k ? -1 : i > k);
  assert_int_equal(addon_version_compare("1.2", "1.2.0"), 0);
}

TEST(addon_requirement_has_an_operator_and_a_version) {
  assert_true(addon_version_meets("1.2", ">=1.2") && addon_version_meets("1.10", ">= 1.9"));
  assert_false(addon_version_meets("1.2", ">=1.2.1"));
  assert_true(addon_version_meets("1.2.1", ">1.2"));
  assert_false(addon_version_meets("1.2", ">1.2.0"));
  assert_true(addon_version_meets("1.2", "=1.2.0") && addon_version_meets("1.2", "1.2"));
  assert_false(addon_version_meets("1.2", "1.3"));
}

TEST(addon_info_contains_the_values_of_addon_lua) {
  static const char TEXT[] =
      "local t = 1 -- a comment\n"
      "return { name = 'glow', version = \"1.2\", licence = 'CC0', requires = { menu = '>=1.0' } }";
  allocator_t memory = {0};
  error_info_t error = {0};
  addon_info_t info;
  assert_true(addon_info_parse(&memory, TEXT, sizeof TEXT - 1, &info, &error));
  assert_string_equal(info.name, "glow");
  assert_string_equal(info.version, "1.2");
  assert_string_equal(info.licence, "CC0");
  assert_int_equal(info.requires_count, 1);
  assert_string_equal(info.requires[0].name, "menu");
  assert_string_equal(info.requires[0].version, ">=1.0");
  assert_int_equal(memory.bytes, 0);
}

TEST(addon_lua_that_does_more_than_return_data_is_rejected_with_the_line) {
  static const char *const BAD[] = {
      "while true do end",
      "for i = 1, 2 do end",
      "print('x')",
      "x = 1",
      "local f = function() end",
      "local t = require 'x'",
      "local t = os",
      "if true then end",
      "repeat until true",
      "do end",
      "goto a ::a::",
      "function f() end",
      "local a = f 'x'",
      "local a = {} local b = a 'x'",
      "local a = b.c",
      "local a = {}; a.b = 1",
      "local a = (1)",
      "local a = 1 + 1",
      "local a = 'x' .. 'y'",
      "local a = not true",
      "local a = ('x'):rep(9)",
      "local a = { f() }",
      "local a = { b = x }",
      "local function f() end",
      "_G.x = 1",
      "local a = #'x'",
      "local a = ...",
  };
  static const char *const GOOD[] = {
      "-- a comment",
      "local t = 1",
      "local v",
      "local t = { 1, 'a', [[long]], { b = true, ['c d'] = -2 }, nil };",
      "local a = 'x' local b = a",
  };
  char text[256];
  allocator_t memory = {0};
  addon_info_t info;
  for (size_t i = 0; i < sizeof BAD / sizeof *BAD; ++i) {
    error_info_t error = {0};
    int bytes = snprintf(text, sizeof text, "-- first\n%s\nreturn { name = 'glow', version = '1.2' }", BAD[i]);
    if (addon_info_parse(&memory, text, (size_t)bytes, &info, &error))
      fail_msg("accepted: %s", BAD[i]);
    if (strncmp(error.text, "addon.lua:2: ", 13) != 0 || (!strstr(error.text, "may only return a table") && i != 10))
      fail_msg("%s: %s", BAD[i], error.text);
  }
  for (size_t i = 0; i < sizeof GOOD / sizeof *GOOD; ++i) {
    error_info_t error = {0};
    int bytes = snprintf(text, sizeof text, "%s\nreturn { name = 'glow', version = '1.2' }", GOOD[i]);
    if (!addon_info_parse(&memory, text, (size_t)bytes, &info, &error))
      fail_msg("%s: %s", GOOD[i], error.text);
  }
  assert_int_equal(memory.bytes, 0);
}

TEST(addon_values_that_code_computes_are_rejected) {
  static const char *const BAD[] = {"doc = f()",          "doc = 'a' .. 'b'",  "layers = { g }",
                                    "native = not false", "doc = require 'x'", "doc = (function() end)()"};
  char text[256];
  allocator_t memory = {0};
  addon_info_t info;
  for (size_t i = 0; i < sizeof BAD / sizeof *BAD; ++i) {
    error_info_t error = {0};
    int bytes = snprintf(text, sizeof text, "return { name = 'glow', version = '1.2', %s }", BAD[i]);
    if (addon_info_parse(&memory, text, (size_t)bytes, &info, &error) || !strstr(error.text, "addon.lua:1: "))
      fail_msg("%s: %s", BAD[i], error.text);
  }
}

TEST(addon_paths_that_leave_the_folder_are_rejected) {
  static const char *const BAD[] = {"",   "/a",  "..",  "../a", "a/..", "a/../b", "a//b",
                                    "a/", "./a", "a/.", "a\\b", "a\nb", "a\x7f",  "\xff"};
  error_info_t error = {0};
  for (size_t i = 0; i < sizeof BAD / sizeof *BAD; ++i)
    assert_false(addon_files_check_path(BAD[i], &error));
  assert_true(addon_files_check_path("a/b..c/...", &error));
  assert_true(addon_files_check_path("\xc3\xa9/a b.lua", &error));
}

TEST(addon_checksum_equals_the_hash_of_the_sha256sum_list) {
  allocator_t memory = {0};
  addon_files_t files;
  char hash[ADDON_HASH_BYTES];
  addon_files_init(&files, &memory);
  addon_files_add(&files, "b", alloc_copy_text(&memory, "abc"), 3);
  addon_files_add(&files, "a", alloc_copy_text(&memory, ""), 0);
  addon_files_sort(&files);
  assert_string_equal(files.files.items[0].hash, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  assert_string_equal(files.files.items[1].hash, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  addon_files_hash(&files, hash);
  assert_string_equal(hash, "bf6e2103d6cbead28abb7d3fec372bc25d03a35b1647e83e090248eb08d0adae");
  addon_files_fini(&files);
  assert_int_equal(memory.bytes, 0);
}
