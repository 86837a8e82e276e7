// Comparison of entries of game.lua between two versions: reload/changed_entry.h.
#include "reload/changed_entry.h"
#include "test.h"

#include <stdint.h>
#include <string.h>

static bool has_start_changed(const char *was, const char *is) {
  allocator_t memory = {0};
  bool changed = has_entry_changed(&memory, was, strlen(was), is, strlen(is), "start");
  assert_int_equal(memory.blocks, 0);
  return changed;
}

TEST(changed_start_function_is_detected_in_inline_and_local_declarations) {
  assert_true(has_start_changed("return { start = f }", "return { start = g }"));
  assert_true(has_start_changed("return { start=function() a() end }", "return { start=function() b() end }"));
  assert_true(has_start_changed("return { title = 'a' }", "return { title = 'a', start = f }"));
  assert_true(has_start_changed("local function f() a() end return { start = f }",
                                "local function f() b() end return { start = f }"));
  assert_true(has_start_changed("local game = { start = f } return game", "local game = { start = g } return game"));
}

TEST(other_edits_and_a_removed_start_function_are_ignored) {
  assert_false(has_start_changed("return { start = f, title = 'a' }", "return { start = f, title = 'b' }"));
  assert_false(has_start_changed("return { start = f } -- one", "return { start = f } -- two"));
  assert_false(has_start_changed("return { title = 'a' }", "-- start = f\nreturn { title = 'start = b' }"));
  assert_false(
      has_start_changed("return { start = function() a() end }", "return {\n  start = function()\n a() end }"));
  assert_false(has_start_changed("return { start = f }", "return { title = 'a' }"));
}

TEST(unreadable_file_version_counts_as_a_changed_start_function) {
  allocator_t memory = {0};
  assert_true(has_start_changed("return { start = f }", "return { start = 'f"));
  assert_true(has_entry_changed(&memory, NULL, 0, "return {}", 9, "start"));
}
