// Matches of real games: several games in one process, over a simulated network.
#include "match_fixture.h"

#include "ecs/world_hash.h"
#include "host/host.h"
#include "host/host_internal.h"
#include "match/match_game.h"

#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#define GAMES 3u

typedef struct case_t {
  char folder[64];
  options_t options;
  host_o *hosts[GAMES];
  match_game_o *games[GAMES];
  fixture_t *f;
} case_t;

static void write_game_file(const case_t *c, const char *name, const char *text) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/%s", c->folder, name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

// Counts the presses of each player, and moves, spawns and destroys entities at random.
static const char PLAY[] = "return {\n"
                           "  update = function()\n"
                           "    local s = world.single.score\n"
                           "    for n = 1, 3 do\n"
                           "      if input.pressed('fire', n) then\n"
                           "        if n == 1 then s.one = s.one + 1 elseif n == 2 then s.two = s.two + 1\n"
                           "        else s.three = s.three + 1 end\n"
                           "        world.spawn(nil, { transform = { x = world.random() * 100 }, lifetime = { seconds "
                           "= 1 } })\n"
                           "      end\n"
                           "      s.x = s.x + input.axis('move', n) * world.random()\n"
                           "    end\n"
                           "  end,\n"
                           "}\n";

static int setup(void **state) {
  case_t *c = calloc(1, sizeof *c);
  char systems[128];
  snprintf(c->folder, sizeof c->folder, "/tmp/shoal-match-XXXXXX");
  assert_non_null(mkdtemp(c->folder));
  snprintf(systems, sizeof systems, "%s/systems", c->folder);
  mkdir(systems, 0755);
  write_game_file(c, "game.lua", "return { title = 'Duel', multiplayer = { players = { 1, 4 } } }\n");
  write_game_file(
      c, "input.lua",
      "return { fire = { 'key:space' }, move = { negative = { 'key:left' }, positive = { 'key:right' } } }\n");
  write_game_file(c, "components.lua",
                  "local t = shoal.types\nreturn { score = t.single { one = 0, two = 0, three = 0, x = 0.0 } }\n");
  write_game_file(c, "systems/play.lua", PLAY);
  c->options =
      (options_t){.command = OPTIONS_RUN, .program = "", .target = c->folder, .headless = true, .log_level = LOG_NONE};
  *state = c;
  return 0;
}

static int teardown(void **state) {
  case_t *c = *state;
  char command[128];
  if (c->f)
    fixture_free(c->f);
  for (uint32_t i = 0; i < GAMES; ++i) {
    match_game_destroy(c->games[i]);
    host_destroy(c->hosts[i]);
  }
  snprintf(command, sizeof command, "rm -rf '%s'", c->folder);
  int failed = system(command);
  free(c);
  return failed;
}

static game_o *get_game(const case_t *c, uint32_t i) {
  return c->hosts[i]->session.game;
}

static void start_games(case_t *c, const char *conditions) {
  error_info_t error = {0};
  c->f = fixture_create(1, conditions);
  for (uint32_t i = 0; i < GAMES; ++i) {
    c->hosts[i] = host_create(&c->options, &error);
    if (!c->hosts[i] || !get_game(c, i))
      fail_msg("%s", error.text);
    c->games[i] = match_game_create(get_game(c, i));
    match_world_t world = match_game_get_world(c->games[i]);
    machine_start_world(c->f, i == 0 ? MATCH_HOST : MATCH_PEER, 1, &world);
    if (i > 0)
      machine_join(&c->f->machines[i]);
  }
}

static uint32_t read_score(const case_t *c, const char *field) {
  manager_o *m = world_find_manager(get_game(c, 0)->world, "score");
  assert_non_null(m);
  return (uint32_t)columns_get(&m->columns, 0, (uint32_t)manager_find_column(m, field));
}

static void three_games_agree_after_rollbacks(void **state) {
  case_t *c = *state;
  start_games(c, "120ms,40ms,5%");
  fixture_t *f = c->f;
  f->machines[0].incarnation = 1;
  fixture_run(f, 500);
  assert_int_equal(fixture_status(f, 0).present, 7);
  f->is_quiet = true;
  fixture_run(f, 60);
  match_add_record(f->machines[0].match, f->now_us, RECORD_PAUSE, 0);
  fixture_run(f, 60);
  for (uint32_t i = 0; i < GAMES; ++i) {
    match_status_t status = fixture_status(f, i);
    assert_int_equal(f->machines[i].desyncs, 0);
    assert_int_equal(status.predicted_tick, fixture_status(f, 0).tick);
    assert_true(i == 0 || status.rollbacks > 10);
    assert_int_equal(world_hash(get_game(c, i)->world), world_hash(get_game(c, 0)->world));
  }
  static const char *const fields[] = {"one", "two", "three"};
  for (uint32_t i = 1; i < GAMES; ++i) { // the fixture counts the host's presses from each connection on
    uint8_t players = fixture_status(f, i).players;
    uint32_t player = (uint32_t)__builtin_ctz(players);
    assert_true(f->machines[i].presses[player][0] > 0);
    assert_int_equal(read_score(c, fields[player]), f->machines[i].presses[player][0]);
  }
}

int match_game_tests(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(three_games_agree_after_rollbacks, setup, teardown),
  };
  return cmocka_run_group_tests_name("match_game", tests, NULL, NULL);
}
