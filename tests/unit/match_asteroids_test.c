// Random sessions (match_sessions.h) of the game Asteroids: each machine runs a game, which plays along with the model.
#include "match_sessions.h"

#include "ecs/world_hash.h"
#include "game/game.h"
#include "game/players.h"
#include "host/host.h"
#include "host/host_internal.h"
#include "match/match_game.h"

#include <unistd.h>

#define GAMES 8u
#define ASTEROIDS_ACTIONS 9u // in input.lua
#define INPUT_INTERVAL 20u   // ticks; more inputs cause more rollbacks, which take most of the time
#define AGREE_TICKS 600u     // after the last input, in which all machines must receive the pause

// The games of all sessions. Starting a game takes longer than a second of a match, so sessions use the same games,
// and begin with the same state.
typedef struct case_t {
  char folder[64];
  options_t options;
  host_o *hosts[GAMES];
  match_game_o *games[GAMES]; // of the current session
  allocator_t memory;
  snapshot_o *start; // state of all games at the start of a session
  players_state_t start_players;
  fixture_t *f;
  script_report_t report; // the latest failure of code
  uint32_t report_count;
  uint64_t ships, rollbacks; // sums over the sessions: ships at the end, and rollbacks of all machines
} case_t;

static game_o *get_game(const case_t *c, uint32_t i) {
  return c->hosts[i]->session.game;
}

static void run_command(const char *format, const char *folder) {
  char command[256];
  snprintf(command, sizeof command, format, folder);
  assert_int_equal(system(command), 0);
}

static int setup(void **state) {
  case_t *c = calloc(1, sizeof *c);
  snprintf(c->folder, sizeof c->folder, "/tmp/shoal-asteroids-XXXXXX");
  assert_non_null(mkdtemp(c->folder));
  run_command("cp -r scripts/games/asteroids/. '%s'", c->folder);
  // starts the game as its menu would, also after the game-over screen
  run_command("echo 'return { update = function()\n"
              "  if world.single.game.phase == \"title\" and world.tick %% 10 == 0 then world.emit(\"play\") end\n"
              "end }' > '%s/systems/zz_begin.lua'",
              c->folder);
  c->options =
      (options_t){.command = OPTIONS_RUN, .program = "", .target = c->folder, .headless = true, .log_level = LOG_INFO};
  *state = c;
  return 0;
}

static void end_session(case_t *c) {
  if (c->f)
    fixture_free(c->f);
  c->f = NULL;
  for (uint32_t i = 0; i < GAMES; ++i) {
    match_game_destroy(c->games[i]);
    c->games[i] = NULL;
  }
}

static int teardown(void **state) {
  case_t *c = *state;
  end_session(c);
  for (uint32_t i = 0; i < GAMES; ++i)
    host_destroy(c->hosts[i]);
  snapshot_release(c->start);
  run_command("rm -rf '%s'", c->folder);
  free(c);
  return 0;
}

static void start_game(case_t *c, uint32_t i) {
  error_info_t error = {0};
  c->hosts[i] = host_create(&c->options, &error);
  if (!c->hosts[i] || !get_game(c, i))
    fail_msg("%s", error.text);
  log_set_terminal(get_game(c, i)->desc.log, false);
  if (c->start)
    return;
  c->start = snapshot_create(&c->memory);
  assert_true(snapshot_take(c->start, get_game(c, i)->world, NULL));
  players_get_state(get_game(c, i), &c->start_players);
}

static void keep_report(void *context, const script_report_t *report) {
  case_t *c = context;
  c->report = *report;
  ++c->report_count;
}

static match_world_t create_game(void *context, uint32_t machine) {
  case_t *c = context;
  if (!c->hosts[machine])
    start_game(c, machine);
  game_o *g = get_game(c, machine);
  assert_true(snapshot_restore(c->start, g->world, NULL));
  players_set_state(g, &c->start_players);
  g->requests = (script_requests_t){0};
  c->games[machine] = match_game_create(&(match_game_desc_t){.game = g, .report = keep_report, .context = c});
  return match_game_get_world(c->games[machine]);
}

// Pauses the match, and waits until all machines have confirmed all ticks: their games must then be equal.
static void check_games(case_t *c) {
  fixture_t *f = c->f;
  bool is_done = false;
  match_add_record(f->machines[f->host].match, f->now_us, RECORD_PAUSE);
  for (uint32_t step = 0; step < AGREE_TICKS && !is_done; ++step) {
    fixture_step(f);
    is_done = true;
    for (uint32_t i = 0; i < f->count; ++i)
      is_done &= !f->machines[i].is_on ||
                 (fixture_status(f, i).is_paused && fixture_status(f, i).tick == fixture_status(f, f->host).tick);
  }
  for (uint32_t i = 0; i < f->count; ++i) {
    if (f->machines[i].is_on &&
        (!is_done || world_hash(get_game(c, i)->world) != world_hash(get_game(c, f->host)->world)))
      FIXTURE_FAIL(f, "machine %u: the game differs from the host's after tick %llu of %llu", i,
                   (unsigned long long)fixture_status(f, i).tick, (unsigned long long)fixture_status(f, f->host).tick);
    c->rollbacks += fixture_status(f, i).rollbacks;
  }
  c->ships += world_find_manager(get_game(c, f->host)->world, "ship")->count;
}

static void check_reports(case_t *c) {
  script_report_t report;
  char line[1600];
  for (uint32_t i = 0; i < c->f->count; ++i)
    while (game_pop_reports(get_game(c, i), &report, 1) > 0)
      keep_report(c, &report);
  script_report_format_line(&c->report, line, sizeof line);
  if (c->report_count > 0)
    FIXTURE_FAIL(c->f, "%u errors of scripts, the latest: %s", c->report_count, line);
}

// SHOAL_ASTEROIDS_SESSIONS=COUNT[,FIRST] runs other sessions, for long campaigns.
static void random_sessions_of_asteroids_agree_and_lose_nothing(void **state) {
  case_t *c = *state;
  uint64_t count = 2, first = 1;
  sessions_read_range("SHOAL_ASTEROIDS_SESSIONS", &count, &first);
  for (uint64_t seed = first; seed < first + count; ++seed) {
    c->f = session_create(seed);
    c->f->actions = ASTEROIDS_ACTIONS;
    c->f->input_interval = INPUT_INTERVAL;
    c->f->create_game = create_game;
    c->f->game_context = c;
    session_run(c->f);
    check_games(c);
    check_reports(c);
    end_session(c);
  }
  assert_true(c->rollbacks > 0);
  assert_true(c->ships > 0);
}

int match_asteroids_tests(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(random_sessions_of_asteroids_agree_and_lose_nothing, setup, teardown),
  };
  return cmocka_run_group_tests_name("match_asteroids", tests, NULL, NULL);
}
