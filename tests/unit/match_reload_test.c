// Shared reloads of real games: four games in one process, over a simulated network. Edits change code, components and
// data; some have errors.
// slow: takes seconds under the sanitizers
#include "match_folder.h"

#include "ecs/world_hash.h"
#include "host/game_switch.h"
#include "host/match_reload.h"
#include "match/source_bundle.h"

#define GAMES 4u

typedef struct case_t {
  match_folder_t folder;
  host_o *hosts[GAMES + 1];
  match_reload_o *reloads[GAMES + 1];
  match_game_o *games[GAMES + 1];
  match_code_t code[GAMES + 1];
  fixture_t *f;
  random_t random;
  uint32_t version, field, extra;
} case_t;

static uint32_t choose(case_t *c, uint32_t count) {
  return random_u32(&c->random) % count;
}

// --- edits

static void write_components(const case_t *c) {
  static const char *const FIELDS[] = {"x = 0.0", "x = 0.0, y = 1.5", "x = 0, label = t.string 'new'",
                                       "x = 0.0, kind = t.enum { 'red', 'green' }", "x = t.vec2 and 0.0, y = 2"};
  char text[512];
  snprintf(
      text, sizeof text,
      "local t = shoal.types\nreturn { score = t.single { shots = 0, %s },\n  ball = { speed = %u.5, %s },\n  %s\n}\n",
      FIELDS[c->field % 5], c->version % 7, FIELDS[c->field % 3], c->extra % 2 ? "extra = { n = 3 }," : "");
  match_folder_write(&c->folder, "components.lua", text);
}

// Writes the systems that move and spawn balls.
static void write_system(const case_t *c) {
  char text[1024];
  snprintf(text, sizeof text,
           "return {\n  query = { 'ball', 'transform' },\n"
           "  each = function(e, dt) e.transform.x = e.transform.x + e.ball.speed * dt * %u end,\n}\n",
           c->version);
  match_folder_write(&c->folder, "systems/play.lua", text);
  snprintf(text, sizeof text,
           "return {\n  update = function()\n    local s = world.single.score\n    for n = 1, 5 do\n"
           "      if input.pressed('fire', n) then\n        s.shots = s.shots + %u\n"
           "        world.spawn('ball', { transform = { x = world.random() * 100 } })\n      end\n    end\n  end,\n}\n",
           1 + c->version % 3);
  match_folder_write(&c->folder, "systems/fire.lua", text);
}

static void write_assemblages(const case_t *c) {
  char text[256];
  snprintf(text, sizeof text,
           "return { ball = { components = { ball = { speed = %u }, transform = {}, lifetime = { seconds = 3 } } } }\n",
           c->version % 5);
  match_folder_write(&c->folder, "assemblages.lua", text);
}

static void write_game(case_t *c) {
  match_folder_write(&c->folder, "game.lua", "return { title = 'Edits', multiplayer = { players = { 1, 5 } } }\n");
  match_folder_write(&c->folder, "input.lua", "return { fire = { 'key:space' } }\n");
  write_components(c);
  write_assemblages(c);
  write_system(c);
}

static void write_extra_system(const case_t *c) {
  char text[256], path[256];
  path_join(path, sizeof path, c->folder.path, "systems/extra.lua");
  snprintf(text, sizeof text,
           "return { update = function() world.single.score.shots = world.single.score.shots + %u end }\n",
           c->version % 2);
  if (c->version % 3 == 0)
    unlink(path);
  else
    match_folder_write(&c->folder, "systems/extra.lua", text);
}

// Makes a random edit of the folder. Returns true if the edit has an error.
static bool edit(case_t *c) {
  ++c->version;
  switch (choose(c, 6)) {
  case 0:
    ++c->field;
    write_components(c);
    return false;
  case 1:
    ++c->extra;
    write_components(c);
    return false;
  case 2: write_assemblages(c); return false;
  case 3:
    write_extra_system(c);
    write_system(c);
    return false;
  case 4:
    match_folder_write(&c->folder, "systems/play.lua",
                       c->version % 2 ? "return { query = { 'ball' }, each = 5 }" : "return {");
    return true;
  default: write_system(c); return false;
  }
}

// --- machines

// Waits for the end of the trial, because the virtual clock must not run while processes try the code.
static match_trial_t wait_for_trial(void *context, uint64_t *hash, error_info_t *reason) {
  match_code_t *code = context;
  for (;;) {
    match_trial_t result = code->poll_trial(code->context, hash, reason);
    if (result != MATCH_TRIAL_RUNNING)
      return result;
    usleep(500);
  }
}

static uint64_t get_hash(void *context) {
  const match_code_t *code = context;
  return code->get_hash(code->context);
}
static bool begin_trial(void *context, const uint8_t *bytes, size_t size, bool is_complete, uint32_t proposer,
                        error_info_t *reason) {
  const match_code_t *code = context;
  return code->begin_trial(code->context, bytes, size, is_complete, proposer, reason);
}
static void end_trial(void *context) {
  const match_code_t *code = context;
  code->end_trial(code->context);
}
static bool replace(void *context, error_info_t *reason) {
  const match_code_t *code = context;
  return code->replace(code->context, reason);
}
static size_t write_changes(void *context, const uint8_t **bytes) {
  const match_code_t *code = context;
  return code->write_changes(code->context, bytes);
}

static void start_game(case_t *c, uint32_t i) {
  c->hosts[i] = match_folder_start(&c->folder);
  c->reloads[i] = match_reload_create(c->hosts[i]);
  c->code[i] = match_reload_get_code(c->reloads[i], true);
  match_code_t code = {&c->code[i], get_hash, begin_trial, wait_for_trial, end_trial, replace, write_changes};
  c->games[i] = match_game_create(&(match_game_desc_t){.game = c->hosts[i]->session.game, .code = code});
  match_reload_set_game(c->reloads[i], c->games[i]);
  match_world_t world = match_game_get_world(c->games[i]);
  machine_start_world(c->f, i == 0 ? MATCH_HOST : MATCH_PEER, 1, &world);
  if (i > 0)
    machine_join(&c->f->machines[i]);
}

SETUP(case_t, c) {
  match_folder_create(&c->folder);
  random_seed(&c->random, 1);
  write_game(c);
  c->folder.options.share_code = true;
  c->folder.options.watch = FILE_WATCH_ON; // tracks overridden values, as matches do
}

TEARDOWN(case_t, c) {
  if (c->f)
    fixture_free(c->f);
  for (uint32_t i = 0; i <= GAMES; ++i) {
    match_game_destroy(c->games[i]);
    match_reload_destroy(c->reloads[i]);
    host_destroy(c->hosts[i]);
  }
  match_folder_remove(&c->folder);
}

static void start_games(case_t *c) {
  c->f = fixture_create(1, "80ms,20ms,5%");
  for (uint32_t i = 0; i < GAMES; ++i)
    start_game(c, i);
  c->f->machines[0].incarnation = 1;
  fixture_run(c->f, 120);
  assert_int_equal(fixture_status(c->f, 0).present, 15);
}

// Polls the machine's file watch until it has seen all changes, as the program's frames do.
static void settle_files(const host_o *h) {
  while (game_switch_has_unsettled_files(h)) {
    usleep(1000);
    file_watch_poll(h->watch, platform_seconds(h->session.platform));
  }
}

// Proposes the changes of the folder, and runs until all machines know the result. Returns true if the changes were
// accepted, or if there are none to propose.
static bool propose(case_t *c, uint32_t machine) {
  fixture_t *f = c->f;
  error_info_t error = {0};
  uint32_t reloads = f->machines[0].reloads, refusals = f->machines[0].refusals;
  settle_files(c->hosts[machine]);
  match_reload_note_changes(c->reloads[machine]);
  for (uint32_t step = 0; step < 300; ++step) {
    if (!match_reload_propose(c->reloads[machine], f->machines[machine].match, f->now_us, &error))
      return true; // the running code is the same
    fixture_step(f);
    bool known = true;
    for (uint32_t i = 0; i < f->count; ++i)
      known &= f->machines[i].reloads + f->machines[i].refusals == reloads + refusals + 1;
    if (!known)
      continue;
    match_reload_note_result(c->reloads[machine],
                             f->machines[0].reloads > reloads ? NULL : match_get_refusal(f->machines[machine].match));
    return f->machines[0].reloads > reloads;
  }
  fail_msg("the proposal of machine %u is undecided", machine);
  return false;
}

static void assert_games_agree(case_t *c, uint32_t count) {
  fixture_run(c->f, 60);
  match_add_record(c->f->machines[0].match, c->f->now_us, RECORD_PAUSE);
  fixture_run(c->f, 60);
  for (uint32_t i = 0; i < count; ++i) {
    assert_int_equal(c->f->machines[i].desyncs, 0);
    assert_int_equal(c->f->machines[i].failed, 0);
    assert_int_equal(world_hash(c->hosts[i]->session.game->world), world_hash(c->hosts[0]->session.game->world));
    assert_int_equal(c->code[i].get_hash(c->code[i].context), c->code[0].get_hash(c->code[0].context));
  }
  match_add_record(c->f->machines[0].match, c->f->now_us, RECORD_RESUME);
}

// SHOAL_MATCH_EDITS=COUNT sets the number of edits, for long campaigns.
TEST_IN(edits_of_four_players_reach_all_games, case_t, c) {
  const char *text = getenv("SHOAL_MATCH_EDITS");
  uint32_t count = text ? (uint32_t)strtoul(text, NULL, 10) : 3, refused = 0;
  start_games(c);
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t machine = choose(c, GAMES);
    bool has_error = edit(c);
    bool accepted = propose(c, machine);
    if (accepted == has_error)
      fail_msg("edit %u: accepted %d: %s", i, accepted, match_get_refusal(c->f->machines[0].match));
    refused += has_error;
    if (has_error) { // corrects the error
      write_system(c);
      propose(c, machine);
    }
    fixture_run(c->f, choose(c, 30));
  }
  assert_true(refused < count && (refused > 0 || count < 20));
  c->f->is_quiet = true;
  assert_games_agree(c, GAMES);
  start_game(c, GAMES); // the machine's files differ from the files with which the first machines have started
  fixture_run(c->f, 200);
  assert_int_equal(fixture_status(c->f, 0).present, 31);
  assert_games_agree(c, GAMES + 1);
}

static void expect_refusal(case_t *c, const char *name, const char *text, const char *reason) {
  char path[256];
  match_folder_write(&c->folder, name, text);
  assert_false(propose(c, 1));
  for (uint32_t i = 0; i < GAMES; ++i)
    if (!strstr(match_get_refusal(c->f->machines[i].match), reason))
      fail_msg("expected %s, got %s", reason, match_get_refusal(c->f->machines[i].match));
  unlink(path_join(path, sizeof path, c->folder.path, name));
}

TEST_IN(hostile_code_is_refused_with_file_and_line, case_t, c) {
  c->folder.options.trust = c->folder.options.has_budget = true;
  c->folder.options.budget_ms = 30;
  start_games(c);
  c->f->is_quiet = true;
  match_folder_write(&c->folder, "game.lua",
                     "return { title = 'Edits', native = true, multiplayer = { players = { 1, 5 } } }\n");
  expect_refusal(c, "systems/evil.lua", "\nlocal ffi = require 'ffi'\nreturn {}",
                 "systems/evil.lua:2: require \"ffi\": code that remote machines can change cannot use FFI");
  expect_refusal(c, "systems/evil.lua", "while true do end", "systems/evil.lua:1: ");
  expect_refusal(c, "systems/evil.lua", "return { update = function() while true do end end }", "systems/evil.lua:1: ");
  assert_games_agree(c, GAMES);
}
