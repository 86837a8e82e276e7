// Random sessions (match_sessions.h) of the game Asteroids: each machine runs a game, which plays along with the model.
// slow: takes seconds under the sanitizers
#include "match_folder.h"
#include "match_sessions.h"

#include "ecs/world_hash.h"
#include "game/players.h"

#define GAMES 8u
#define ASTEROIDS_ACTIONS 9u // number of actions in input.lua
#define INPUT_INTERVAL 20u   // ticks between two inputs; more inputs cause more rollbacks, which take most of the time
#define AGREE_TICKS 600u     // ticks after the last input in which all machines must receive the pause

// Indexed by player: sums of the numbers (from 1) of pressed actions and of released actions, and the sum of mouse
// movements, all modulo 2^32.
typedef struct edges_t {
  uint32_t pressed[PLAYER_MAX_LOBBY], released[PLAYER_MAX_LOBBY], moved[PLAYER_MAX_LOBBY];
} edges_t;

// The games of all sessions. Starting a game takes longer than a second of a match, so sessions use the same games,
// and begin with the same state.
typedef struct case_t {
  match_folder_t folder;
  host_o *hosts[GAMES];
  match_game_o *games[GAMES]; // games of the current session
  allocator_t memory;
  snapshot_o *start; // state of all games at the start of a session
  players_state_t start_players;
  fixture_t *f;
  script_report_t report; // the latest failure of code
  uint32_t report_count;
  uint64_t ships, rollbacks; // sums over the sessions: ships at the end, and rollbacks of all machines
  // Inputs of each tick of the host, and the sums of the edges up to it
  player_inputs_t inputs[MAX_TICKS];
  edges_t edges[MAX_TICKS];
} case_t;

static game_o *get_game(const case_t *c, uint32_t i) {
  return c->hosts[i]->session.game;
}

// Starts the game as its menu would, also after the game-over screen.
static const char BEGIN[] = "return { update = function()\n"
                            "  if world.single.game.phase == 'title' and world.tick % 10 == 0 then\n"
                            "    world.emit('play')\n"
                            "  end\n"
                            "end }\n";

// Counts the edges of all players, and adds up their movements, as the game's scripts receive them.
static const char COMPONENTS[] =
    "local all, fields = require 'asteroids_components', {}\n"
    "for player = 1, 8 do fields['pressed_' .. player], fields['released_' .. player] = 0, 0\n"
    "  fields['moved_' .. player] = shoal.types.u32(0) end\n"
    "all.edges = shoal.types.single(fields)\n"
    "return all\n";
static const char EDGES[] = "local actions = input.actions()\n"
                            "return { phase = 'input', update = function()\n"
                            "  local edges = world.single.edges\n"
                            "  for _, player in ipairs(players.list()) do\n"
                            "    local n = player.number\n"
                            "    local pressed, released = 'pressed_' .. n, 'released_' .. n\n"
                            "    local moved, mouse = 'moved_' .. n, input.mouse[n]\n"
                            "    edges[moved] = (edges[moved] + (mouse.dx + mouse.dy * 3) * 64) % 2 ^ 32\n"
                            "    for i, name in ipairs(actions) do\n"
                            "      if input.pressed(name, n) then edges[pressed] = edges[pressed] + i end\n"
                            "      if input.released(name, n) then edges[released] = edges[released] + i end\n"
                            "    end\n"
                            "  end\n"
                            "end }\n";

SETUP(case_t, c) {
  match_folder_create(&c->folder);
  match_folder_copy_asteroids(&c->folder);
  match_folder_run("mv '%1$s/components.lua' '%1$s/asteroids_components.lua'", c->folder.path);
  match_folder_write(&c->folder, "components.lua", COMPONENTS);
  match_folder_write(&c->folder, "systems/zz_begin.lua", BEGIN);
  match_folder_write(&c->folder, "systems/zz_edges.lua", EDGES);
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

TEARDOWN(case_t, c) {
  end_session(c);
  for (uint32_t i = 0; i < GAMES; ++i)
    host_destroy(c->hosts[i]);
  snapshot_release(c->start);
  match_folder_remove(&c->folder);
}

static void start_game(case_t *c, uint32_t i) {
  c->hosts[i] = match_folder_start(&c->folder);
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

// Adds the edges of a tick to the sums up to the previous tick.
static void count_edges(case_t *c, const record_t *record) {
  edges_t *edges = &c->edges[record->tick];
  *edges = c->edges[record->tick - 1];
  for (uint32_t i = 0; i < PLAYER_MAX_LOBBY; ++i) {
    const player_input_t *input = &record->inputs.players[i];
    for (uint32_t action = 0; action < ASTEROIDS_ACTIONS; ++action) {
      edges->pressed[i] += (uint32_t)(input->pressed >> action & 1) * (action + 1);
      edges->released[i] += (uint32_t)(input->released >> action & 1) * (action + 1);
    }
    edges->moved[i] += (uint32_t)input->motion_x + (uint32_t)input->motion_y * 3;
  }
}

static uint32_t read_sum(const manager_o *m, const char *sum, uint32_t player) {
  char name[16];
  snprintf(name, sizeof name, "%s_%u", sum, player + 1);
  return (uint32_t)columns_get(&m->columns, 0, (uint32_t)manager_find_column(m, name));
}

// Compares what the scripts of a machine have counted with the host's records.
static void check_edges(const case_t *c, uint32_t machine, uint64_t tick) {
  const manager_o *m = world_find_manager(get_game(c, machine)->world, "edges");
  const edges_t *edges = &c->edges[tick];
  for (uint32_t i = 0; i < PLAYER_MAX_LOBBY; ++i) {
    uint32_t pressed = read_sum(m, "pressed", i), released = read_sum(m, "released", i);
    if (pressed != edges->pressed[i] || released != edges->released[i])
      FIXTURE_FAIL(c->f, "machine %u, tick %llu: player %u has pressed %u of %u and released %u of %u", machine,
                   (unsigned long long)tick, i + 1, pressed, edges->pressed[i], released, edges->released[i]);
    if (read_sum(m, "moved", i) != edges->moved[i])
      FIXTURE_FAIL(c->f, "machine %u, tick %llu: player %u has moved by %u of %u", machine, (unsigned long long)tick,
                   i + 1, read_sum(m, "moved", i), edges->moved[i]);
  }
}

// Compares the game's previous values, which plugins can read, with the host's previous record.
static void check_previous_values(const case_t *c, uint32_t machine, uint64_t tick) {
  const sampled_players_t *before = &get_game(c, machine)->input_before.players;
  const player_inputs_t *expected = &c->inputs[tick - 1];
  for (uint32_t i = 0; i < PLAYER_MAX_LOBBY; ++i)
    if ((expected->present >> i & 1) &&
        memcmp(before->players[i].values, expected->players[i].values, sizeof before->players[i].values) != 0)
      FIXTURE_FAIL(c->f, "machine %u, tick %llu: the previous values of player %u are not those of the tick before",
                   machine, (unsigned long long)tick, i + 1);
}

static void check_tick(void *context, uint32_t machine, const record_t *record, match_run_t mode) {
  case_t *c = context;
  if (mode == MATCH_RUN_PREDICTED || record->tick >= MAX_TICKS)
    return;
  if (mode == MATCH_RUN_HOST) {
    c->inputs[record->tick] = record->inputs;
    count_edges(c, record);
  }
  check_previous_values(c, machine, record->tick);
  check_edges(c, machine, record->tick);
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

// SHOAL_ASTEROIDS_SESSIONS=COUNT[,FIRST] sets the number of sessions and their first seed, for long campaigns.
TEST_IN(random_sessions_of_asteroids_agree_and_lose_nothing, case_t, c) {
  uint64_t count = 1, first = 1;
  sessions_read_range("SHOAL_ASTEROIDS_SESSIONS", &count, &first);
  for (uint64_t seed = first; seed < first + count; ++seed) {
    c->f = session_create(seed);
    c->f->actions = ASTEROIDS_ACTIONS;
    c->f->input_interval = INPUT_INTERVAL;
    c->f->create_game = create_game;
    c->f->check_tick = check_tick;
    c->f->game_context = c;
    session_run(c->f);
    check_games(c);
    check_reports(c);
    end_session(c);
  }
  assert_true(c->rollbacks > 0);
  assert_true(c->ships > 0);
}
