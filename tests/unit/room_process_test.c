// Processes of rooms: starts, beats, restarts after crashes, and hung processes. The rooms are shell scripts; the time
// that the supervisor sees is the test's.
#include "serve/room_process.h"

#include "base/log.h"
#include "test.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct case_t {
  const char *arguments[4];
  room_process_t room;
  log_o *log;
} case_t;

SETUP(case_t, c) {
  c->log = log_create(LOG_NONE);
  c->room = (room_process_t){.name = "town", .arguments = c->arguments, .sleeps = true, .service = {.pipe = -1}};
}

TEARDOWN(case_t, c) {
  int code, signal_number;
  child_stop_service(&c->room.service, true);
  for (int i = 0; i < 1000 && room_process_is_running(&c->room); ++i) {
    child_service_has_ended(&c->room.service, &code, &signal_number);
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
  child_close_service(&c->room.service);
  log_destroy(c->log);
}

static void set_script(case_t *c, const char *script) {
  c->arguments[0] = "/bin/sh";
  c->arguments[1] = "-c";
  c->arguments[2] = script;
}

// Updates the room at the time `now_us` until it is in this phase. Fails after 30 s.
static void wait_for(case_t *c, int64_t now_us, room_phase_t phase) {
  for (int i = 0; i < 6000 && c->room.phase != phase; ++i) {
    room_process_update(&c->room, now_us, c->log);
    if (c->room.phase != phase)
      nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
  }
  assert_string_equal(room_process_name_phase(c->room.phase), room_process_name_phase(phase));
}

static void start(case_t *c, const char *script, room_phase_t phase) {
  set_script(c, script);
  room_process_need(&c->room, 1, c->log);
  assert_int_equal(c->room.phase, ROOM_STARTING);
  wait_for(c, 1, phase);
}

TEST_IN(room_is_open_once_its_process_says_so, case_t, c) {
  start(c, "echo 'beat 7 0 0 0 0 0 0 0 0 0' >&3; echo open >&3; exec sleep 100", ROOM_OPEN);
  assert_int_equal(c->room.starts, 1);
  assert_int_equal(c->room.beat.tick, 7);
  room_process_need(&c->room, 2, c->log); // a second request starts no second process
  assert_int_equal(c->room.starts, 1);
}

TEST_IN(beats_are_read_completely_and_malformed_beats_are_ignored, case_t, c) {
  start(c,
        "echo 'beat 300 5 210 900 2 1800 4 250 290 00ff00ff00ff00ff' >&3; echo 'beat 301 6 1' >&3;"
        "echo 'beat 1 2 3 4 5 6 7 8 9 10 11' >&3; printf open >&3; sleep 0.1; echo >&3; exec sleep 100",
        ROOM_OPEN);
  const room_beat_t *b = &c->room.beat;
  assert_int_equal(b->tick, 300);
  assert_int_equal(b->players, 5);
  assert_int_equal(b->tick_p50_us, 210);
  assert_int_equal(b->tick_p99_us, 900);
  assert_int_equal(b->max_delay_us, 1800);
  assert_int_equal(b->late, 2);
  assert_int_equal(b->commit_ms, 4);
  assert_int_equal(b->waiting_ms, 250);
  assert_int_equal(b->acked_tick, 290);
  assert_true(b->acked_hash == UINT64_C(0x00ff00ff00ff00ff));
}

TEST_IN(player_who_has_joined_is_not_expected_any_more, case_t, c) {
  room_process_expect(&c->room, 1, 71);
  room_process_expect(&c->room, 1, 72);
  assert_int_equal(room_process_count_places(&c->room, 1, 0), 2);
  assert_int_equal(room_process_count_places(&c->room, 1, 72), 1);
  start(c, "echo 'players 1 71' >&3; echo 'players 9 7x' >&3; echo open >&3; exec sleep 100", ROOM_OPEN);
  assert_int_equal(c->room.beat.players, 1);
  assert_int_equal(room_process_count_places(&c->room, 1, 0), 2);
  assert_int_equal(room_process_count_places(&c->room, 1 + ROOM_ARRIVAL_US, 0), 1);
}

TEST_IN(player_who_has_left_frees_the_place_without_a_beat, case_t, c) {
  start(c, "echo 'beat 7 2 0 0 0 0 0 0 0' >&3; echo 'players 1 0' >&3; echo open >&3; exec sleep 100", ROOM_OPEN);
  assert_int_equal(room_process_count_places(&c->room, 1, 0), 1);
}

TEST_IN(too_long_lines_are_dropped, case_t, c) {
  start(c, "head -c 5000 /dev/zero | tr '\\0' x >&3; echo >&3; echo open >&3; exec sleep 100", ROOM_OPEN);
}

TEST_IN(room_sleeps_after_its_process_has_ended_with_0, case_t, c) {
  start(c, "echo open >&3", ROOM_ASLEEP);
  assert_int_equal(c->room.crashes, 0);
  room_process_update(&c->room, INT64_MAX / 2, c->log);
  assert_int_equal(c->room.starts, 1);
  room_process_need(&c->room, 2, c->log);
  assert_int_equal(c->room.starts, 2);
}

TEST_IN(room_that_never_sleeps_starts_again_after_0, case_t, c) {
  c->room.sleeps = false;
  set_script(c, "echo open >&3");
  room_process_need(&c->room, 1, c->log);
  for (int i = 0; i < 6000 && c->room.starts < 2; ++i) {
    room_process_update(&c->room, 1, c->log);
    nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
  }
  assert_int_equal(c->room.starts, 2);
}

TEST_IN(crashed_room_starts_again_after_growing_delays, case_t, c) {
  static const int DELAYS_S[] = {0, 1, 2, 4, 8, 16, 32, 60, 60};
  int64_t now_us = 1;
  set_script(c, "kill -9 $$");
  room_process_need(&c->room, now_us, c->log);
  for (uint32_t i = 0; i < sizeof DELAYS_S / sizeof *DELAYS_S; ++i) {
    uint32_t starts = c->room.starts;
    for (int k = 0; k < 6000 && c->room.crashes == i; ++k) {
      room_process_update(&c->room, now_us, c->log);
      nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    assert_int_equal(c->room.crashes, i + 1);
    assert_string_equal(c->room.reason, "ended by SIGKILL");
    if (DELAYS_S[i] > 0) {
      room_process_update(&c->room, now_us + DELAYS_S[i] * INT64_C(1000000) - 1, c->log);
      assert_int_equal(c->room.starts, starts);
    }
    now_us += DELAYS_S[i] * INT64_C(1000000);
    room_process_update(&c->room, now_us, c->log);
    assert_int_equal(c->room.starts, starts + 1);
  }
}

TEST_IN(stable_room_starts_again_without_a_delay, case_t, c) {
  c->room.failures = 5;
  start(c, "echo open >&3; exec sleep 100", ROOM_OPEN);
  c->room.heard_us = 1 + ROOM_STABLE_US;
  kill(c->room.service.process, SIGKILL);
  for (int i = 0; i < 6000 && c->room.starts < 2; ++i) {
    room_process_update(&c->room, 1 + ROOM_STABLE_US, c->log);
    nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
  }
  assert_int_equal(c->room.starts, 2);
  assert_int_equal(c->room.failures, 1);
}

TEST_IN(damaged_room_is_not_started_again, case_t, c) {
  start(c, "echo 'damaged room town: record 5 is missing' >&3; exit 3", ROOM_DAMAGED);
  assert_string_equal(c->room.reason, "room town: record 5 is missing");
  room_process_update(&c->room, INT64_MAX / 2, c->log);
  room_process_need(&c->room, INT64_MAX / 2, c->log);
  assert_int_equal(c->room.starts, 1);
  assert_int_equal(c->room.phase, ROOM_DAMAGED);
}

TEST_IN(silent_process_is_killed_after_10_s, case_t, c) {
  start(c, "echo open >&3; exec sleep 100", ROOM_OPEN);
  room_process_update(&c->room, ROOM_SILENT_US, c->log);
  int process = c->room.service.process;
  assert_true(process_exists(process));
  for (int i = 0; i < 6000 && c->room.crashes == 0; ++i) {
    room_process_update(&c->room, 1 + ROOM_SILENT_US, c->log);
    nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
  }
  assert_int_equal(c->room.crashes, 1);
  assert_false(process_exists(process));
}

TEST_IN(process_may_load_the_game_for_60_s, case_t, c) {
  set_script(c, "exec sleep 100");
  room_process_need(&c->room, 1, c->log);
  room_process_update(&c->room, ROOM_FIRST_BEAT_US, c->log);
  nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
  room_process_update(&c->room, ROOM_FIRST_BEAT_US, c->log);
  assert_int_equal(c->room.phase, ROOM_STARTING);
  for (int i = 0; i < 6000 && c->room.crashes == 0; ++i) {
    room_process_update(&c->room, 1 + ROOM_FIRST_BEAT_US, c->log);
    nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
  }
  assert_int_equal(c->room.crashes, 1);
}

TEST_IN(stopped_room_ends_by_sigterm_and_sleeps, case_t, c) {
  start(c, "trap 'exit 0' TERM; echo open >&3; while :; do sleep 0.05; done", ROOM_OPEN);
  room_process_stop(&c->room, 2);
  wait_for(c, 2, ROOM_ASLEEP);
  assert_int_equal(c->room.crashes, 0);
}

TEST_IN(process_that_ignores_sigterm_is_killed_after_20_s, case_t, c) {
  start(c, "trap '' TERM; echo open >&3; while :; do sleep 0.05; echo x >&3; done", ROOM_OPEN);
  room_process_stop(&c->room, 2);
  room_process_update(&c->room, 1 + ROOM_STOP_US, c->log);
  assert_int_equal(c->room.phase, ROOM_STOPPING);
  wait_for(c, 2 + ROOM_STOP_US, ROOM_ASLEEP);
}

TEST_IN(room_that_is_needed_while_it_ends_starts_again, case_t, c) {
  start(c, "trap 'exit 0' TERM; echo open >&3; while :; do sleep 0.05; done", ROOM_OPEN);
  room_process_stop(&c->room, 2);
  room_process_need(&c->room, 2, c->log);
  wait_for(c, 2, ROOM_STARTING);
  assert_int_equal(c->room.starts, 2);
}

TEST_IN(missing_program_counts_as_a_crash, case_t, c) {
  c->arguments[0] = "/nonexistent/shoal";
  room_process_need(&c->room, 1, c->log);
  for (int i = 0; i < 6000 && c->room.crashes == 0; ++i) {
    room_process_update(&c->room, 1, c->log);
    nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
  }
  assert_string_equal(c->room.reason, "ended with exit status 127");
}
