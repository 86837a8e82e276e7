// Texts of matches in the languages of games, and the texts for refusals and closed connections.
#include "match_folder.h"

#include "host/match_text.h"

typedef struct case_t {
  match_folder_t folder;
  host_o *host;
} case_t;

SETUP(case_t, c) {
  match_folder_create(&c->folder);
  match_folder_write(&c->folder, "game.lua", "return { title = 'Race', multiplayer = { players = { 2, 4 } } }\n");
}

TEARDOWN(case_t, c) {
  host_destroy(c->host);
  match_folder_remove(&c->folder);
}

// Starts a game that has only this language; NULL: a game without strings.
static void start_game(case_t *c, const char *language) {
  char name[64];
  host_destroy(c->host);
  match_folder_run("rm -rf '%1$s/strings' && mkdir '%1$s/strings'", c->folder.path);
  (void)snprintf(name, sizeof name, "strings/%s.lua", language);
  if (language)
    match_folder_write(&c->folder, name, "return { hello = 'hello' }\n");
  c->host = match_folder_start(&c->folder);
}

static const char *describe(const case_t *c, match_refusal_kind_t number, uint32_t value, char *out) {
  match_failure_t failure;
  match_identity_t own = {.engine = 5};
  match_end_t end = {0};
  file_hashes_o *files = file_hashes_create();
  match_refusal_set(&end.refusal, number, value);
  match_text_describe_refusal(&end, &own, files, false, &failure);
  file_hashes_destroy(files);
  return match_text_format(c->host, &failure.text, out);
}

// A missing string would be shown as its key.
static void expect_text(const char *text, const char *language) {
  if (strchr(text, '_') || strchr(text, '{') || strchr(text, '@') || strlen(text) < 3)
    fail_msg("%s: %s", language, text);
  if (strstr(text, "--") || strstr(text, "./") || strstr(text, "nil"))
    fail_msg("%s: words of the command line: %s", language, text);
}

TEST_IN(each_refusal_has_a_text_in_each_language, case_t, c) {
  static const char *const LANGUAGES[] = {"en", "de", "fr", "es", "ja"};
  char text[MATCH_TEXT_BYTES], english[MATCH_REFUSAL_COUNT + MATCH_CLOSE_COUNT][MATCH_TEXT_BYTES];
  for (uint32_t i = 0; i < 5; ++i) {
    start_game(c, LANGUAGES[i]);
    for (uint32_t number = 1; number < MATCH_REFUSAL_COUNT + MATCH_CLOSE_COUNT; ++number) {
      match_failure_t failure;
      match_end_t end = {.close = number - MATCH_REFUSAL_COUNT, .is_by_host = number % 2};
      if (number < MATCH_REFUSAL_COUNT) {
        describe(c, number, 8, text);
      } else {
        match_text_describe_close(&end, &failure);
        match_text_format(c->host, &failure.text, text);
      }
      expect_text(text, LANGUAGES[i]);
      if (i == 0)
        memcpy(english[number], text, sizeof text);
      else if (strcmp(text, english[number]) == 0)
        fail_msg("%s: not translated: %s", LANGUAGES[i], text);
    }
  }
}

TEST_IN(refusal_is_shown_in_the_language_of_the_joining_machine, case_t, c) {
  char text[MATCH_TEXT_BYTES];
  start_game(c, NULL);
  assert_string_equal(describe(c, MATCH_REFUSAL_FULL, 4, text), "The match is full. It has at most 4 players.");
  start_game(c, "de");
  assert_string_equal(describe(c, MATCH_REFUSAL_FULL, 4, text), "Das Match ist voll. Es hat höchstens 4 Spieler.");
  match_text_t full = {"refused_full", {{"n", "4"}}};
  assert_string_equal(match_text_format_english(c->host, &full, text), "The match is full. It has at most 4 players.");
}

TEST_IN(unknown_refusal_of_a_newer_host_shows_its_number, case_t, c) {
  char text[MATCH_TEXT_BYTES];
  start_game(c, NULL);
  assert_non_null(strstr(describe(c, 200, 7, text), "for a reason that this version does not know: number 200."));
}

TEST_IN(closed_connection_names_the_reason, case_t, c) {
  char text[MATCH_TEXT_BYTES];
  match_failure_t failure;
  match_end_t end = {.close = MATCH_CLOSE_SNAPSHOT};
  match_text_describe_close(&end, &failure);
  start_game(c, NULL);
  assert_string_equal(match_text_format(c->host, &failure.text, text),
                      "This machine has left the match: damaged state of the game");
  start_game(c, "de");
  assert_string_equal(match_text_format(c->host, &failure.text, text),
                      "Dieser Rechner hat das Match verlassen: beschädigter Spielzustand");
}

// A player's name or a file name is shown unchanged, even if it looks like a reference, a placeholder or JSON.
TEST_IN(names_are_shown_literally, case_t, c) {
  static const char *const NAMES[] = {"@hello", "{name}", "\"}", "a\\b", "%1"};
  char text[MATCH_TEXT_BYTES], expected[MATCH_TEXT_BYTES];
  for (uint32_t i = 0; i < 2 * 5; ++i) {
    if (i % 5 == 0)
      start_game(c, i == 0 ? NULL : "en");
    const char *name = NAMES[i % 5];
    (void)snprintf(expected, sizeof expected, "%s%s is back", name[0] == '@' ? " " : "", name);
    assert_string_equal(match_text_format(c->host, &(match_text_t){"match_back", {{"name", name}}}, text), expected);
  }
}

static void expect_no_host(const char *text, const char *language) {
  static const char *const HOSTS[] = {"host", "Host", "Gastgeber", "hôte", "anfitrión", "ホスト"};
  expect_text(text, language);
  for (size_t i = 0; i < sizeof HOSTS / sizeof *HOSTS; ++i)
    if (strstr(text, HOSTS[i]))
      fail_msg("%s: a served world has no host: %s", language, text);
}

TEST_IN(texts_of_a_served_world_mention_no_host, case_t, c) {
  static const char *const LANGUAGES[] = {"en", "de", "fr", "es", "ja"};
  static const char *const KEYS[] = {"match_silent",
                                     "match_paused",
                                     "match_ended",
                                     "match_differs",
                                     "match_joining",
                                     "match_lookup",
                                     "match_loading",
                                     "match_disconnected",
                                     "match_failed",
                                     "join_no_answer",
                                     "join_new_key",
                                     "join_wrong_key",
                                     "join_memory",
                                     "join_budget",
                                     "refused_files",
                                     "match_only_host_pauses",
                                     "match_only_host_restarts"};
  char text[MATCH_TEXT_BYTES];
  for (size_t l = 0; l < sizeof LANGUAGES / sizeof *LANGUAGES; ++l) {
    start_game(c, LANGUAGES[l]);
    c->host->session.options.world = "localhost";
    for (size_t i = 0; i < sizeof KEYS / sizeof *KEYS; ++i)
      expect_no_host(match_text_format(c->host, &(match_text_t){KEYS[i], {{"n", "1"}, {"files", "a.lua"}}}, text),
                     LANGUAGES[l]);
    for (uint32_t i = 0; i < MATCH_REFUSAL_COUNT; ++i)
      if (i != MATCH_REFUSAL_DECLINED) // a room has no user who answers requests
        expect_no_host(describe(c, (match_refusal_kind_t)i, 3, text), LANGUAGES[l]);
    for (uint32_t i = 1; i < MATCH_CLOSE_COUNT; ++i) {
      match_failure_t failure;
      match_text_describe_close(&(match_end_t){.close = (match_close_t)i, .is_by_host = true}, &failure);
      expect_no_host(match_text_format(c->host, &failure.text, text), LANGUAGES[l]);
    }
    c->host->session.options.world = NULL;
  }
}

TEST_IN(refusal_names_the_files_that_differ_in_the_text, case_t, c) {
  char text[MATCH_TEXT_BYTES];
  match_failure_t failure;
  match_identity_t own = {0};
  match_end_t end = {0};
  file_hashes_o *host = file_hashes_create(), *joiner = file_hashes_create();
  file_hashes_add(host, "systems/a.lua", 1);
  file_hashes_add(host, "assets/hero.png", 1);
  file_hashes_add(joiner, "systems/a.lua", 2);
  file_sums_t sums = file_hashes_sum(joiner);
  match_refusal_set(&end.refusal, MATCH_REFUSAL_FILES, 0);
  end.refusal.file_bytes = file_hashes_write_list(host, &sums, end.refusal.files, sizeof end.refusal.files);
  match_text_describe_refusal(&end, &own, joiner, false, &failure);
  start_game(c, NULL);
  assert_string_equal(match_text_format(c->host, &failure.text, text),
                      "The host runs a different version of this game: copy its folder. Different files: "
                      "systems/a.lua, assets/hero.png");
  assert_string_equal(failure.details, "the host has different files: systems/a.lua, assets/hero.png");
  match_text_describe_refusal(&end, &own, joiner, true, &failure);
  assert_string_equal(failure.details, "the room has different files: systems/a.lua, assets/hero.png");
  file_hashes_destroy(host);
  file_hashes_destroy(joiner);
}
