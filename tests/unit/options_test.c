// Command-line parsing: commands, options and their values, and rejected input.
#include "start/options.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Returns the parsed arguments. Fails the test, with the arguments, if they are refused.
static options_t parse(const char *const *argv) {
  options_t o;
  error_info_t error = {0};
  int argc = 0;
  while (argv[argc])
    ++argc;
  if (!options_parse(argc, argv, &o, &error))
    fail_msg("%s … %s is refused: %s", argv[1], argv[argc - 1], error.text);
  return o;
}

// Checks that the arguments are refused with a line that contains the words.
static void check_refused(const char *words, const char *const *argv) {
  options_t o;
  error_info_t error = {0};
  int argc = 0;
  while (argv[argc])
    ++argc;
  if (options_parse(argc, argv, &o, &error))
    fail_msg("%s … %s is accepted", argv[1], argv[argc - 1]);
  if (!strstr(error.text, words) || strchr(error.text, '\n'))
    fail_msg("%s … %s: “%s” is not one line that contains “%s”", argv[1], argv[argc - 1], error.text, words);
}

#define PARSE(...) parse((const char *const[]){"shoal", __VA_ARGS__, NULL})
#define assert_refused(words, ...) check_refused(words, (const char *const[]){"shoal", __VA_ARGS__, NULL})

TEST(play_without_a_game_opens_the_menu) {
  options_t o = PARSE("play");
  assert_int_equal(o.command, OPTIONS_PLAY);
  assert_string_equal(o.target, "");
  assert_int_equal(o.log_level, LOG_INFO);
}

TEST(command_line_without_arguments_opens_the_menu) {
  const char *const argv[] = {"shoal"};
  options_t o;
  error_info_t error = {0};
  assert_true(options_parse(1, argv, &o, &error));
  assert_int_equal(o.command, OPTIONS_PLAY);
  assert_string_equal(o.target, "");
}

TEST(options_can_precede_and_follow_the_game) {
  options_t o = PARSE("play", "--headless", "asteroids", "--ticks", "3600", "--seed=0x10", "--strict", "--no-jit");
  assert_string_equal(o.target, "asteroids");
  assert_true(o.headless && o.strict && o.no_jit && o.has_ticks && o.has_seed);
  assert_int_equal(o.ticks, 3600);
  assert_int_equal(o.seed, 16);
}

TEST(hash_option_takes_an_optional_interval) {
  {
    options_t o = PARSE("run", "x", "--hash", "every=600", "--headless");
    assert_true(o.hash && o.headless);
    assert_int_equal(o.hash_every, 600);
  }
  {
    options_t o = PARSE("run", "--hash", "x");
    assert_true(o.hash);
    assert_int_equal(o.hash_every, 0);
    assert_string_equal(o.target, "x");
  }
  assert_refused("from 1 to", "run", "x", "--hash", "every=0");
  assert_refused("often", "run", "x", "--hash=often");
}

TEST(workers_option_must_be_from_1_to_64) {
  assert_int_equal(PARSE("run", "x", "--workers", "8").workers, 8);
  // 0 means one worker per processor core, up to WORKERS_DEFAULT
  assert_int_equal(PARSE("run", "x").workers, 0);
  assert_refused("--workers", "run", "x", "--workers", "0");
  assert_refused("--workers", "run", "x", "--workers", "65");
}

TEST(check_rollback_option_takes_at_least_1_tick) {
  assert_int_equal(PARSE("run", "x", "--check-rollback", "8").check_rollback, 8);
  assert_refused("from 1 to", "run", "x", "--check-rollback=0");
  assert_refused("--check-rollback", "run", "x", "--check-rollback", "1000000");
}

TEST(exec_option_can_be_repeated_and_keeps_its_order) {
  options_t o = PARSE("run", "x", "--exec", "a = 1", "--exec", "return a");
  assert_int_equal(o.exec_count, 2);
  assert_string_equal(o.exec[1], "return a");
}

TEST(largest_seed_is_accepted_and_a_larger_one_is_rejected) {
  assert_true(PARSE("run", "x", "--seed", "18446744073709551615").seed == UINT64_MAX);
  assert_refused("--seed", "run", "x", "--seed", "18446744073709551616");
}

TEST(invalid_numbers_are_rejected) {
  assert_refused("-5", "run", "x", "--ticks", "-5");
  assert_refused("10s", "run", "x", "--ticks", "10s");
  assert_refused("an integer", "run", "x", "--ticks=");
  assert_refused("--width", "run", "x", "--width", "99999");
}

TEST(unknown_word_or_option_is_reported_by_name) {
  assert_refused("fly", "fly");
  assert_refused("--fast", "play", "--fast");
  assert_refused("pong", "play", "asteroids", "pong");
  assert_refused("--ticksy", "play", "--ticksy", "3");
}

TEST(missing_and_unexpected_option_values_are_reported) {
  assert_refused("--ticks requires a value", "play", "--ticks");
  assert_refused("run DIR", "run");
  assert_refused("does not accept a value", "play", "--strict=yes");
}

TEST(budget_must_be_a_number_and_memory_at_least_16_mb) {
  {
    options_t o = PARSE("play", "--budget", "0", "--memory=256");
    assert_true(o.has_budget);
    assert_int_equal(o.budget_ms, 0);
    assert_int_equal(o.memory_mb, 256);
  }
  assert_refused("--budget", "play", "--budget", "soon");
  assert_refused("from 16 to", "play", "--memory", "8");
}

TEST(screenshot_requires_a_window_and_a_reachable_tick) {
  assert_refused("draws nothing", "play", "asteroids", "--screenshot", "a.png", "--headless");
  assert_refused("--screenshot", "play", "asteroids", "--at", "3");
  assert_refused("the last tick", "play", "asteroids", "--screenshot", "a.png", "--at", "30", "--ticks", "20");
}

TEST(screenshot_tick_ends_the_run_unless_ticks_is_given) {
  {
    options_t o = PARSE("play", "asteroids", "--screenshot", "a.png", "--at", "30");
    assert_true(o.has_ticks);
    assert_int_equal(o.ticks, 30);
  }
  assert_int_equal(PARSE("play", "asteroids", "--screenshot", "a.png", "--at", "30", "--ticks", "50").ticks, 50);
}

TEST(last_of_watch_and_no_watch_takes_effect) {
  options_t o = PARSE("play", "--watch", "--no-watch");
  assert_int_equal(o.watch, FILE_WATCH_OFF);
}

TEST(log_option_takes_a_level_name) {
  assert_int_equal(PARSE("play", "--log", "debug").log_level, LOG_DEBUG);
  assert_refused("loud", "play", "--log", "loud");
}

TEST(sql_command_takes_a_game_or_save_and_a_query) {
  {
    options_t o = PARSE("sql", "asteroids", "SELECT 1", "--ticks", "5");
    assert_int_equal(o.command, OPTIONS_SQL);
    assert_string_equal(o.target, "asteroids");
    assert_string_equal(o.sql, "SELECT 1");
    assert_int_equal(o.ticks, 5);
    assert_true(o.headless);
  }
  {
    options_t o = PARSE("sql", "asteroids", "SELECT 1");
    assert_true(o.has_ticks);
    assert_int_equal(o.ticks, 0);
  }
  assert_refused("a query", "sql", "asteroids");
  assert_refused("1", "sql", "asteroids", "SELECT", "1");
}

TEST(save_and_load_options_take_file_names) {
  {
    options_t o = PARSE("play", "asteroids", "--save", "a", "--load=b");
    assert_string_equal(o.save, "a");
    assert_string_equal(o.load, "b");
  }
  {
    options_t o = PARSE("sql", "a.sqlite", "--accept-edits", "--write");
    assert_true(o.accept_edits && o.write);
  }
  assert_refused("--accept-edits requires a save: run ./shoal sql FILE --accept-edits --write", "run", "game",
                 "--load=b", "--accept-edits");
  assert_refused("--save requires a file name", "play", "asteroids", "--save=");
  assert_refused("--write requires a save", "play", "asteroids", "--write");
}

static bool restarts(const char *option) {
  const char *const argv[] = {"shoal", "run", "game", option};
  options_t parsed;
  error_info_t reason;
  assert_true(options_parse(option ? 4 : 3, argv, &parsed, &reason));
  return options_restart_after_crash(&parsed);
}

TEST(only_watched_windows_restart_after_a_crash) {
  char *ci = getenv("CI");
  char saved[64] = "";
  snprintf(saved, sizeof saved, "%s", ci ? ci : "");
  unsetenv("CI");
  assert_true(restarts(NULL));
  assert_true(restarts("--watch"));
  assert_false(restarts("--headless"));
  assert_false(restarts("--no-watch"));
  assert_false(restarts("--strict"));
  assert_false(restarts("--replay=a.replay"));
  assert_false(restarts("--resume=shoal-1.crash.txt"));
  assert_false(restarts("--check-rollback=3"));
  setenv("CI", "true", 1);
  assert_false(restarts(NULL));
  unsetenv("CI");
  if (ci)
    setenv("CI", saved, 1);
}

TEST(resume_option_takes_a_report_and_no_replay) {
  {
    options_t o = PARSE("run", "game", "--resume", "shoal-1.crash.txt");
    assert_string_equal(o.resume, "shoal-1.crash.txt");
  }
  assert_refused("--resume requires a crash report, such as shoal-90.crash.txt", "run", "game", "--resume=");
  assert_refused("--resume cannot be used with --replay", "run", "game", "--resume", "shoal-1.crash.txt", "--replay",
                 "a.replay");
}

TEST(room_options_require_a_headless_run_with_an_owner) {
  options_t o = PARSE("run", "town", "--headless", "--room", "town", "--db", "world.db", "--owner", "3", "--port", "0",
                      "--fd", "5");
  assert_true(options_run_room(&o) && options_start_match(&o));
  assert_int_equal(o.owner, 3);
  assert_true(o.has_beat_fd && o.beat_fd == 5);
  assert_refused("--headless and --owner", "run", "town", "--room", "town", "--db", "world.db", "--owner", "3");
  assert_refused("--headless and --owner", "run", "town", "--headless", "--room", "town", "--db", "world.db");
  assert_refused("belong to a room", "run", "town", "--headless", "--db", "world.db");
  assert_refused("belong to a room", "run", "town", "--accept-loss");
}

TEST(world_option_takes_an_address_and_excludes_options_of_matches) {
  options_t o = PARSE("play", "tron", "--world", "example.org", "--room", "mine");
  assert_string_equal(o.world, "example.org");
  assert_string_equal(o.join, "example.org");
  assert_string_equal(o.room, "mine");
  assert_true(options_start_match(&o));
  assert_false(options_run_room(&o));
  assert_refused("--room requires --world", "play", "tron", "--room", "mine");
  static const char *const EXCLUDED[] = {"--host", "--continue", "--share-code"};
  char text[80];
  for (size_t i = 0; i < sizeof EXCLUDED / sizeof *EXCLUDED; ++i) {
    (void)snprintf(text, sizeof text, "%s cannot be used with --world: remove one of them", EXCLUDED[i]);
    assert_refused(text, "play", "tron", "--world", "a", EXCLUDED[i]);
  }
  assert_refused("--join cannot be used with --world: remove one of them", "play", "tron", "--world", "a", "--join",
                 "b");
  assert_refused("--password cannot be used with --world: remove one of them", "play", "tron", "--world", "a",
                 "--password", "b");
}

TEST(help_overrides_other_arguments) {
  options_t o = PARSE("play", "asteroids", "--help");
  assert_int_equal(o.command, OPTIONS_HELP);
  char *text = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  options_print_help(out);
  fclose(out);
  assert_non_null(strstr(text, "\n  --headless            run without a window"));
  assert_non_null(strstr(text, "\n  --net-sim RTT,JITTER,LOSS  simulate"));
  assert_null(strstr(text, "--portable"));
  free(text);
}
