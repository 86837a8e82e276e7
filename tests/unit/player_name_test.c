// Names of players: limits, and names that other machines may send.
#include "platform/player_name.h"
#include "test.h"

#include <stdint.h>
#include <string.h>

static void expect_clean(const char *text, const char *expected) {
  char out[PLAYER_NAME_BYTES];
  memset(out, 1, sizeof out);
  player_name_clean(text, strlen(text), out);
  assert_string_equal(out, expected);
  for (size_t i = strlen(out); i < sizeof out; ++i)
    assert_int_equal(out[i], 0);
}

TEST(names_lose_spaces_at_both_ends) {
  expect_clean("  Ada Lovelace ", "Ada Lovelace");
  expect_clean("   ", "");
  expect_clean("", "");
}

TEST(long_names_are_cut_between_characters) {
  expect_clean("abcdefghijklmnopqrstuvwxyz", "abcdefghijklmnopqrstuvwx");
  expect_clean("äöüäöüäöüäöüäöüäöü", "äöüäöüäöüäöüä"); // 26 of 36 bytes
  expect_clean("abcdefghijklmnopqrstuvw xyz", "abcdefghijklmnopqrstuvw");
}

TEST(invalid_names_are_empty) {
  expect_clean("a\nb", "");
  expect_clean("a\x7f", "");
  expect_clean("a\xc2\x85", ""); // NEL, of the block C1
  expect_clean("a\xc2\xa0z", "a\xc2\xa0z");
  expect_clean("\xff\xfe", "");
  expect_clean("Ada\xc3", ""); // a truncated character
}

TEST(size_ends_a_name_without_terminator) {
  char out[PLAYER_NAME_BYTES];
  player_name_clean("Ada\xc3\xa4", 4, out);
  assert_string_equal(out, "");
  player_name_clean("Ada\xc3\xa4", 3, out);
  assert_string_equal(out, "Ada");
}

TEST(additional_players_of_a_machine_are_numbered) {
  char out[PLAYER_NAME_BYTES];
  assert_int_equal(player_name_number("Ada", 0, out), 3);
  assert_string_equal(out, "Ada");
  assert_int_equal(player_name_number("Ada", 1, out), 5);
  assert_string_equal(out, "Ada 2");
  assert_int_equal(player_name_number("", 1, out), 0);
  assert_string_equal(out, "");
  player_name_number("äöüäöüäöüäöüä", 2, out); // 26 bytes: the last character does not fit
  assert_string_equal(out, "äöüäöüäöüäöü 3");
}
