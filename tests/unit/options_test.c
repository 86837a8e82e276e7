// Command-line parsing: commands, options and their values, and rejected input.
#include "start/options.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARGUMENTS(...)                                                                                                 \
  const char *const argv[] = {"shoal", __VA_ARGS__};                                                                   \
  const int argc = (int)(sizeof argv / sizeof *argv);                                                                  \
  options_t o;                                                                                                         \
  error_info_t error = {0}

#define assert_refused(words)                                                                                          \
  do {                                                                                                                 \
    assert_false(options_parse(argc, argv, &o, &error));                                                               \
    if (!strstr(error.text, words))                                                                                    \
      fail_msg("“%s” does not contain “%s”", error.text, words);                                                       \
    assert_null(strchr(error.text, '\n'));                                                                             \
  } while (0)

TEST(play_without_a_game_opens_the_menu) {
  ARGUMENTS("play");
  assert_true(options_parse(argc, argv, &o, &error));
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
  ARGUMENTS("play", "--headless", "asteroids", "--ticks", "3600", "--seed=0x10", "--strict", "--no-jit");
  assert_true(options_parse(argc, argv, &o, &error));
  assert_string_equal(o.target, "asteroids");
  assert_true(o.headless && o.strict && o.no_jit && o.has_ticks && o.has_seed);
  assert_int_equal(o.ticks, 3600);
  assert_int_equal(o.seed, 16);
}

TEST(hash_option_takes_an_optional_interval) {
  {
    ARGUMENTS("run", "x", "--hash", "every=600", "--headless");
    assert_true(options_parse(argc, argv, &o, &error));
    assert_true(o.hash && o.headless);
    assert_int_equal(o.hash_every, 600);
  }
  {
    ARGUMENTS("run", "--hash", "x");
    assert_true(options_parse(argc, argv, &o, &error));
    assert_true(o.hash);
    assert_int_equal(o.hash_every, 0);
    assert_string_equal(o.target, "x");
  }
  {
    ARGUMENTS("run", "x", "--hash", "every=0");
    assert_refused("from 1 to");
  }
  {
    ARGUMENTS("run", "x", "--hash=often");
    assert_refused("often");
  }
}

TEST(workers_option_must_be_from_1_to_64) {
  {
    ARGUMENTS("run", "x", "--workers", "8");
    assert_true(options_parse(argc, argv, &o, &error));
    assert_int_equal(o.workers, 8);
  }
  {
    ARGUMENTS("run", "x");
    assert_true(options_parse(argc, argv, &o, &error));
    assert_int_equal(o.workers, 0); // 0 means one worker per processor core, up to WORKERS_DEFAULT
  }
  {
    ARGUMENTS("run", "x", "--workers", "0");
    assert_refused("--workers");
  }
  {
    ARGUMENTS("run", "x", "--workers", "65");
    assert_refused("--workers");
  }
}

TEST(check_rollback_option_takes_at_least_1_tick) {
  {
    ARGUMENTS("run", "x", "--check-rollback", "8");
    assert_true(options_parse(argc, argv, &o, &error));
    assert_int_equal(o.check_rollback, 8);
  }
  {
    ARGUMENTS("run", "x", "--check-rollback=0");
    assert_refused("from 1 to");
  }
  {
    ARGUMENTS("run", "x", "--check-rollback", "1000000");
    assert_refused("--check-rollback");
  }
}

TEST(exec_option_can_be_repeated_and_keeps_its_order) {
  ARGUMENTS("run", "x", "--exec", "a = 1", "--exec", "return a");
  assert_true(options_parse(argc, argv, &o, &error));
  assert_int_equal(o.exec_count, 2);
  assert_string_equal(o.exec[1], "return a");
}

TEST(largest_seed_is_accepted_and_a_larger_one_is_rejected) {
  {
    ARGUMENTS("run", "x", "--seed", "18446744073709551615");
    assert_true(options_parse(argc, argv, &o, &error));
    assert_true(o.seed == UINT64_MAX);
  }
  {
    ARGUMENTS("run", "x", "--seed", "18446744073709551616");
    assert_refused("--seed");
  }
}

TEST(invalid_numbers_are_rejected) {
  {
    ARGUMENTS("run", "x", "--ticks", "-5");
    assert_refused("-5");
  }
  {
    ARGUMENTS("run", "x", "--ticks", "10s");
    assert_refused("10s");
  }
  {
    ARGUMENTS("run", "x", "--ticks=");
    assert_refused("an integer");
  }
  {
    ARGUMENTS("run", "x", "--width", "99999");
    assert_refused("--width");
  }
}

TEST(unknown_word_or_option_is_reported_by_name) {
  {
    ARGUMENTS("fly");
    assert_refused("fly");
  }
  {
    ARGUMENTS("play", "--fast");
    assert_refused("--fast");
  }
  {
    ARGUMENTS("play", "asteroids", "pong");
    assert_refused("pong");
  }
  {
    ARGUMENTS("play", "--ticksy", "3");
    assert_refused("--ticksy");
  }
}

TEST(missing_and_unexpected_option_values_are_reported) {
  {
    ARGUMENTS("play", "--ticks");
    assert_refused("--ticks requires a value");
  }
  {
    ARGUMENTS("run");
    assert_refused("run DIR");
  }
  {
    ARGUMENTS("play", "--strict=yes");
    assert_refused("does not accept a value");
  }
}

TEST(budget_must_be_a_number_and_memory_at_least_16_mb) {
  {
    ARGUMENTS("play", "--budget", "0", "--memory=256");
    assert_true(options_parse(argc, argv, &o, &error));
    assert_true(o.has_budget);
    assert_int_equal(o.budget_ms, 0);
    assert_int_equal(o.memory_mb, 256);
  }
  {
    ARGUMENTS("play", "--budget", "soon");
    assert_refused("--budget");
  }
  {
    ARGUMENTS("play", "--memory", "8");
    assert_refused("from 16 to");
  }
}

TEST(screenshot_requires_a_window_and_a_reachable_tick) {
  {
    ARGUMENTS("play", "asteroids", "--screenshot", "a.png", "--headless");
    assert_refused("draws nothing");
  }
  {
    ARGUMENTS("play", "asteroids", "--at", "3");
    assert_refused("--screenshot");
  }
  {
    ARGUMENTS("play", "asteroids", "--screenshot", "a.png", "--at", "30", "--ticks", "20");
    assert_refused("the last tick");
  }
}

TEST(screenshot_tick_ends_the_run_unless_ticks_is_given) {
  {
    ARGUMENTS("play", "asteroids", "--screenshot", "a.png", "--at", "30");
    assert_true(options_parse(argc, argv, &o, &error));
    assert_true(o.has_ticks);
    assert_int_equal(o.ticks, 30);
  }
  {
    ARGUMENTS("play", "asteroids", "--screenshot", "a.png", "--at", "30", "--ticks", "50");
    assert_true(options_parse(argc, argv, &o, &error));
    assert_int_equal(o.ticks, 50);
  }
}

TEST(last_of_watch_and_no_watch_takes_effect) {
  ARGUMENTS("play", "--watch", "--no-watch");
  assert_true(options_parse(argc, argv, &o, &error));
  assert_int_equal(o.watch, FILE_WATCH_OFF);
}

TEST(log_option_takes_a_level_name) {
  {
    ARGUMENTS("play", "--log", "debug");
    assert_true(options_parse(argc, argv, &o, &error));
    assert_int_equal(o.log_level, LOG_DEBUG);
  }
  {
    ARGUMENTS("play", "--log", "loud");
    assert_refused("loud");
  }
}

TEST(sql_command_takes_a_game_or_save_and_a_query) {
  {
    ARGUMENTS("sql", "asteroids", "SELECT 1", "--ticks", "5");
    assert_true(options_parse(argc, argv, &o, &error));
    assert_int_equal(o.command, OPTIONS_SQL);
    assert_string_equal(o.target, "asteroids");
    assert_string_equal(o.sql, "SELECT 1");
    assert_int_equal(o.ticks, 5);
    assert_true(o.headless);
  }
  {
    ARGUMENTS("sql", "asteroids", "SELECT 1");
    assert_true(options_parse(argc, argv, &o, &error));
    assert_true(o.has_ticks);
    assert_int_equal(o.ticks, 0);
  }
  {
    ARGUMENTS("sql", "asteroids");
    assert_refused("a query");
  }
  {
    ARGUMENTS("sql", "asteroids", "SELECT", "1");
    assert_refused("1");
  }
}

TEST(save_and_load_options_take_file_names) {
  {
    ARGUMENTS("play", "asteroids", "--save", "a", "--load=b");
    assert_true(options_parse(argc, argv, &o, &error));
    assert_string_equal(o.save, "a");
    assert_string_equal(o.load, "b");
  }
  {
    ARGUMENTS("sql", "a.sqlite", "--accept-edits", "--write");
    assert_true(options_parse(argc, argv, &o, &error));
    assert_true(o.accept_edits && o.write);
  }
  {
    ARGUMENTS("run", "game", "--load=b", "--accept-edits");
    assert_refused("--accept-edits requires a save: run ./shoal sql FILE --accept-edits --write");
  }
  {
    ARGUMENTS("play", "asteroids", "--save=");
    assert_refused("--save requires a file name");
  }
  {
    ARGUMENTS("play", "asteroids", "--write");
    assert_refused("--write requires a save");
  }
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
    ARGUMENTS("run", "game", "--resume", "shoal-1.crash.txt");
    assert_true(options_parse(argc, argv, &o, &error));
    assert_string_equal(o.resume, "shoal-1.crash.txt");
  }
  {
    ARGUMENTS("run", "game", "--resume=");
    assert_refused("--resume requires a crash report, such as shoal-90.crash.txt");
  }
  {
    ARGUMENTS("run", "game", "--resume", "shoal-1.crash.txt", "--replay", "a.replay");
    assert_refused("--resume cannot be used with --replay");
  }
}

TEST(help_overrides_other_arguments) {
  ARGUMENTS("play", "asteroids", "--help");
  assert_true(options_parse(argc, argv, &o, &error));
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
