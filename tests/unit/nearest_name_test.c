// The name that somebody meant.
#include "base/nearest_name.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const NAMES[] = {"body", "camera", "health",    "lifetime", "motion",
                                    "name", "sprite", "transform", "volume"};

static const char *meant(const char *wanted) {
  static nearest_name_t s;
  nearest_name_begin(&s, wanted);
  for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; ++i)
    nearest_name_offer(&s, NAMES[i]);
  return s.best;
}

static void the_nearest_name_is_found(void **state) {
  (void)state;
  assert_string_equal(meant("helth"), "health");
  assert_string_equal(meant("tarnsform"), "transform");
  assert_string_equal(meant("Sprite"), "sprite");
  assert_string_equal(meant("motions"), "motion");
  assert_string_equal(meant("boyd"), "body");
}

static void a_beginning_stands_for_the_name(void **state) {
  (void)state;
  assert_string_equal(meant("vol"), "volume");
  assert_string_equal(meant("trans"), "transform");
}

static void what_is_like_nothing_has_no_hint(void **state) {
  (void)state;
  char longest[300];
  memset(longest, 'a', sizeof longest - 1);
  longest[sizeof longest - 1] = '\0';
  assert_string_equal(meant("inventory"), "");
  assert_string_equal(meant(""), "");
  assert_string_equal(meant("x"), "");
  assert_string_equal(meant(longest), "");
}

static void an_extension_makes_no_file_like_another(void **state) {
  (void)state;
  nearest_name_t s;
  nearest_name_begin(&s, "bang.wav");
  nearest_name_offer(&s, "beep.wav");
  assert_string_equal(s.best, "");
  nearest_name_offer(&s, "bnag.wav");
  assert_string_equal(s.best, "bnag.wav");
}

static void edits_are_counted(void **state) {
  (void)state;
  assert_int_equal(nearest_name_distance("", ""), 0);
  assert_int_equal(nearest_name_distance("abc", ""), 3);
  assert_int_equal(nearest_name_distance("abc", "acb"), 1);
  assert_int_equal(nearest_name_distance("kitten", "sitting"), 3);
  assert_int_equal(nearest_name_distance("ABC", "abc"), 0);
}

static void a_hint_is_a_question(void **state) {
  (void)state;
  char text[80];
  nearest_name_t s;
  nearest_name_begin(&s, "helth");
  assert_string_equal(nearest_name_hint(&s, text, sizeof text), "");
  nearest_name_offer(&s, "health");
  assert_string_equal(nearest_name_hint(&s, text, sizeof text), ": did you mean health?");
}

int nearest_name_tests(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_nearest_name_is_found),
      cmocka_unit_test(a_beginning_stands_for_the_name),
      cmocka_unit_test(what_is_like_nothing_has_no_hint),
      cmocka_unit_test(an_extension_makes_no_file_like_another),
      cmocka_unit_test(edits_are_counted),
      cmocka_unit_test(a_hint_is_a_question),
  };
  return cmocka_run_group_tests_name("similar", tests, NULL, NULL);
}
