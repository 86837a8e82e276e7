// Localized strings by key: text/game_strings.h and its plural rules.
#include "text/game_strings.h"

#include "render_fixture.h"

typedef struct game_strings_fixture_t {
  log_capture_t logged;
  game_strings_o *phrases;
  const char *language;
} game_strings_fixture_t;

static const char *language_of(void *context) {
  return ((game_strings_fixture_t *)context)->language;
}

SETUP(game_strings_fixture_t, f) {
  log_capture_init(&f->logged);
  f->language = "en";
  f->phrases = game_strings_create(f->logged.log, language_of, f);
  game_strings_add(f->phrases, "en", "start", PLURAL_OTHER, "Start");
  game_strings_add(f->phrases, "en", "lives", PLURAL_ONE, "{n} life");
  game_strings_add(f->phrases, "en", "lives", PLURAL_OTHER, "{n} lives");
  game_strings_add(f->phrases, "en", "found", PLURAL_OTHER, "You found {item}.");
  game_strings_add(f->phrases, "en", "braces", PLURAL_OTHER, "{{n} { {} {n");
  game_strings_add(f->phrases, "ja", "start", PLURAL_OTHER, "はじめる");
  game_strings_add(f->phrases, "ja", "lives", PLURAL_OTHER, "残り{n}");
}

TEARDOWN(game_strings_fixture_t, f) {
  game_strings_destroy(f->phrases);
  log_destroy(f->logged.log);
}

static void assert_shown(game_strings_fixture_t *f, const char *reference, const char *wanted) {
  assert_string_equal(game_strings_resolve(f->phrases, reference), wanted);
}

TEST_IN(string_reference_is_shown_in_the_current_language, game_strings_fixture_t, f) {
  uint64_t before = game_strings_version(f->phrases);
  assert_shown(f, "@start", "Start");
  f->language = "ja";
  assert_shown(f, "@start", "はじめる");
  assert_true(game_strings_version(f->phrases) != before);
  assert_shown(f, "@found {\"item\":\"x\"}", "You found x."); // falls back to the first language
  f->language = "xx";
  assert_shown(f, "@start", "Start");
  assert_true(game_strings_version(f->phrases) == before);
}

TEST_IN(string_reference_substitutes_values_and_selects_the_plural_form, game_strings_fixture_t, f) {
  assert_shown(f, "@lives {\"n\":1}", "1 life");
  assert_shown(f, "@lives {\"n\":3}", "3 lives");
  assert_shown(f, "@lives {\"n\":\"1.5\"}", "1.5 lives");
  assert_shown(f, "@lives {\"n\":0.25}", "0.25 lives");
  assert_shown(f, "@found {\"item\":\"@start\"}", "You found Start.");
  assert_shown(f, "@found {\"item\":\"@lives {\\\"n\\\":1}\"}", "You found 1 life.");
  assert_shown(f, "@braces", "{n} { {} {n");
  f->language = "ja";
  assert_shown(f, "@lives {\"n\":1}", "残り1");
}

TEST_IN(each_line_can_be_a_string_reference, game_strings_fixture_t, f) {
  assert_shown(f, "@start\nno\n@lives {\"n\":2}", "Start\nno\n2 lives");
  assert_shown(f, "a\n@start\n", "a\nStart\n");
}

TEST_IN(text_without_a_valid_string_reference_is_unchanged, game_strings_fixture_t, f) {
  static const char *const TEXTS[] = {"",        "@",           "start",        "me@start",    "@@start",
                                      "@start!", "@start more", "@start {",     "@start {]}",  "@start {\"n\":1",
                                      "@ start", "@nobody",     "@start [1,2]", "@start {}{}", "@start\r"};
  for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; ++i)
    assert_shown(f, TEXTS[i], TEXTS[i]);
  assert_ptr_equal(game_strings_resolve(NULL, TEXTS[2]), TEXTS[2]);
}

TEST_IN(missing_value_of_a_string_reference_is_logged_once, game_strings_fixture_t, f) {
  assert_shown(f, "@found", "You found {item}.");
  assert_shown(f, "@found {}", "You found {item}.");
  assert_shown(f, "@found {\"item\":null}", "You found {item}.");
  assert_int_equal(f->logged.lines, 1);
}

TEST_IN(string_references_are_resolved_at_most_five_levels_deep, game_strings_fixture_t, f) {
  game_strings_add(f->phrases, "en", "loop", PLURAL_OTHER, "<{item}>");
  char text[4096] = "@loop", inner[4096];
  for (int i = 0; i < 5; ++i) {
    size_t used = (size_t)snprintf(inner, sizeof inner, "@loop {\"item\":\"");
    for (const char *c = text; *c; ++c)
      used += (size_t)snprintf(inner + used, sizeof inner - used, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
    snprintf(inner + used, sizeof inner - used, "\"}");
    memcpy(text, inner, sizeof text);
  }
  assert_true(strncmp(game_strings_resolve(f->phrases, text), "<<<<<@loop", 10) == 0);
}

TEST_IN(strings_are_shown_correctly_while_the_cache_evicts, game_strings_fixture_t, f) {
  char key[32], reference[64], wanted[64];
  for (int i = 0; i < 3000; ++i) {
    snprintf(key, sizeof key, "key%d", i);
    game_strings_add(f->phrases, "en", key, PLURAL_OTHER, key);
  }
  for (int i = 0; i < 60000; ++i) {
    snprintf(reference, sizeof reference, "@key%d\n%d", i % 3000, i);
    snprintf(wanted, sizeof wanted, "key%d\n%d", i % 3000, i);
    assert_shown(f, reference, wanted);
  }
}

// Tests each CLDR plural rule with some numbers.
TEST(plural_form_depends_on_the_language_and_the_number) {
  static const struct {
    const char *language, *number, *form;
  } CASES[] = {
      {"en", "1", "one"},        {"en", "0", "other"},      {"en", "1.0", "other"},
      {"en", "-1", "one"},       {"de", "1", "one"},        {"ja", "1", "other"},
      {"zh-Hant", "1", "other"}, {"fr", "0", "one"},        {"fr", "1.5", "one"},
      {"fr", "2", "other"},      {"fr", "1000000", "many"}, {"es", "1.0", "one"},
      {"pt_BR", "0", "one"},     {"pt_PT", "0", "other"},   {"pl", "1", "one"},
      {"pl", "22", "few"},       {"pl", "12", "many"},      {"pl", "5", "many"},
      {"pl", "1.5", "other"},    {"ru", "21", "one"},       {"ru", "11", "many"},
      {"ru", "3", "few"},        {"ru", "0", "many"},       {"cs", "3", "few"},
      {"cs", "1.5", "many"},     {"ar", "0", "zero"},       {"ar", "2", "two"},
      {"ar", "103", "few"},      {"ar", "11", "many"},      {"ar", "100", "other"},
      {"lt", "21", "one"},       {"lt", "9", "few"},        {"lt", "11", "other"},
      {"lv", "10", "zero"},      {"lv", "21", "one"},       {"sl", "102", "two"},
      {"sl", "1.5", "few"},      {"he", "2", "two"},        {"cy", "6", "many"},
      {"ga", "7", "many"},       {"ro", "19", "few"},       {"ro", "20", "other"},
      {"da", "0.1", "one"},      {"is", "21", "one"},       {"hi", "0", "one"},
      {"fil", "4", "other"},     {"mt", "0", "few"},        {"gd", "12", "two"},
      {"xx", "1", "one"},        {"xx", "2", "other"},      {"en", "one", "other"},
      {"en", "", "other"},       {"en", "1e9", "other"},    {"en", "123456789012345678901", "other"},
  };
  static const char *const FORMS[PLURAL_FORMS] = {"other", "zero", "one", "two", "few", "many"};
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; ++i) {
    const char *form = FORMS[plural_choose(CASES[i].language, CASES[i].number)];
    if (strcmp(form, CASES[i].form) != 0)
      fail_msg("%s in %s is %s, not %s", CASES[i].number, CASES[i].language, form, CASES[i].form);
  }
  assert_true(plural_has_rules("pt_BR") && plural_has_rules("zh-Hant") && !plural_has_rules("xx") &&
              !plural_has_rules(""));
}
