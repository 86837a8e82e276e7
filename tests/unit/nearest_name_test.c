// Suggestions for misspelled names.
#include "base/nearest_name.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

static const char *const NAMES[] = {"body", "camera", "health",    "lifetime", "motion",
                                    "name", "sprite", "transform", "volume"};

static const char *suggest_name(const char *wanted) {
  static nearest_name_t s;
  nearest_name_init(&s, wanted);
  for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; ++i)
    nearest_name_offer(&s, NAMES[i]);
  return s.best;
}

TEST(nearest_name_is_suggested) {
  assert_string_equal(suggest_name("helth"), "health");
  assert_string_equal(suggest_name("tarnsform"), "transform");
  assert_string_equal(suggest_name("Sprite"), "sprite");
  assert_string_equal(suggest_name("motions"), "motion");
  assert_string_equal(suggest_name("boyd"), "body");
}

TEST(prefix_suggests_the_whole_name) {
  assert_string_equal(suggest_name("vol"), "volume");
  assert_string_equal(suggest_name("trans"), "transform");
}

TEST(dissimilar_name_has_no_suggestion) {
  char longest[300];
  memset(longest, 'a', sizeof longest - 1);
  longest[sizeof longest - 1] = '\0';
  assert_string_equal(suggest_name("inventory"), "");
  assert_string_equal(suggest_name(""), "");
  assert_string_equal(suggest_name("x"), "");
  assert_string_equal(suggest_name(longest), "");
}

static const char *suggest_one(const char *wanted, const char *known) {
  static nearest_name_t s;
  nearest_name_init(&s, wanted);
  nearest_name_offer(&s, known);
  return s.best;
}

TEST(typing_errors_are_corrected_and_unrelated_words_are_not) {
  static const char *const GOOD[][2] = {
      {"hpp", "hp"},
      {"spede", "speed"},
      {"seped", "speed"},
      {"colr", "colour"},
      {"clour", "colour"},
      {"postion", "position"},
      {"dt", "td"},
      {"nad", "and"},
      {"kspeed", "speed"},
      {"tansfrm", "transform"},
      {"heatlh", "health"},
      {"collision_begn", "collision_began"},
      {"udpate", "update"},
      {"assemblgaes", "assemblages"},
      {"sped", "speed"},
      {"wrold", "world"},
      {"streched", "stretch"},
  };
  static const char *const BAD[][2] = {
      {"angry", "entry"}, {"nothing", "tostring"}, {"door", "floor"},   {"enemy", "every"},
      {"walk", "wait"},   {"idle", "file"},        {"attack", "stack"}, {"player", "layers"},
  };
  for (size_t i = 0; i < sizeof GOOD / sizeof GOOD[0]; ++i)
    assert_string_equal(suggest_one(GOOD[i][0], GOOD[i][1]), GOOD[i][1]);
  for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; ++i)
    assert_string_equal(suggest_one(BAD[i][0], BAD[i][1]), "");
}

TEST(file_extension_is_ignored_when_comparing_names) {
  nearest_name_t s;
  nearest_name_init(&s, "bang.wav");
  nearest_name_offer(&s, "beep.wav");
  assert_string_equal(s.best, "");
  nearest_name_offer(&s, "bnag.wav");
  assert_string_equal(s.best, "bnag.wav");
}

TEST(edit_distance_counts_a_swap_as_one_edit_and_ignores_case) {
  assert_int_equal(nearest_name_distance("", ""), 0);
  assert_int_equal(nearest_name_distance("abc", ""), 3);
  assert_int_equal(nearest_name_distance("abc", "acb"), 1);
  assert_int_equal(nearest_name_distance("kitten", "sitting"), 3);
  assert_int_equal(nearest_name_distance("ABC", "abc"), 0);
}

TEST(name_suggestion_is_formatted_as_a_question) {
  char text[80];
  nearest_name_t s;
  nearest_name_init(&s, "helth");
  assert_string_equal(nearest_name_hint(&s, text, sizeof text), "");
  nearest_name_offer(&s, "health");
  assert_string_equal(nearest_name_hint(&s, text, sizeof text), ": did you mean health?");
}
