// Entities that players own in matches of real games: all machines import them with the record of the JOIN, destroy
// them with the record of the LEAVE, and agree after rollbacks. slow: takes seconds under the sanitizers
#include "match_folder.h"

#include "ecs/world_hash.h"
#include "match/match_host.h"
#include "match/match_state.h"
#include "owned/owned.h"
#include "store/item_rows.h"

#define GAMES 4u

typedef struct case_t {
  match_folder_t folder;
  host_o *hosts[GAMES];
  match_game_o *games[GAMES];
  fixture_t *f;
  uint32_t arrivals;         // number of groups that were brought
  int64_t next_item;         // number of the next item, from a room that does not exist here
  uint32_t left[PLAYER_MAX]; // number of entities with which each player has left
  bool is_large;             // arrivals are larger than an item of a record
  bool is_brought[PLAYER_MAX];
} case_t;

// Counts gold on random swords, gives swords to other players, and spawns a sword for each player who joins.
static const char PLAY[] = "local function count(n)\n"
                           "  local found = 0\n"
                           "  for e in world.each { 'owned' } do found = found + (e.owned.player == n and 1 or 0) end\n"
                           "  return found\n"
                           "end\n"
                           "return {\n"
                           "  query = { 'owned', 'purse' },\n"
                           "  on = { player_joined = function(ev)\n"
                           "    for i = 1, ev.count do\n"
                           "      world.single.log.found = world.single.log.found + count(ev.player[i])\n"
                           "      world.spawn('sword', { owned = { player = ev.player[i] } })\n"
                           "    end\n"
                           "  end },\n"
                           "  each = function(e)\n"
                           "    e.purse.gold = e.purse.gold + world.random(3)\n"
                           "    if world.random(400) == 1 then e.owned.player = world.random(4) end\n"
                           "  end,\n"
                           "}\n";

SETUP(case_t, c) {
  match_folder_create(&c->folder);
  match_folder_write(&c->folder, "game.lua",
                     "return { title = 'Hamlet', multiplayer = { players = { 1, 4 } }, serve = { rooms = { town = {} } "
                     "} }\n");
  match_folder_write(&c->folder, "input.lua", "return { fire = { 'key:space' } }\n");
  match_folder_write(&c->folder, "components.lua",
                     "local t = shoal.types\n"
                     "return { purse = { gold = 5, best = t.entity, note = t.string '' }, log = t.single { found = 0 } "
                     "}\n");
  match_folder_write(&c->folder, "assemblages.lua",
                     "return { sword = { components = { transform = {}, purse = {} },\n"
                     "  children = { gem = { components = { transform = {}, purse = { gold = 1 } } } } } }\n");
  match_folder_write(&c->folder, "systems/play.lua", PLAY);
  c->next_item = 9 * (int64_t)OWNED_ROOM_ITEMS;
}

TEARDOWN(case_t, c) {
  if (c->f)
    fixture_free(c->f);
  for (uint32_t i = 0; i < GAMES; ++i) {
    match_game_destroy(c->games[i]);
    host_destroy(c->hosts[i]);
  }
  match_folder_remove(&c->folder);
}

static world_o *get_world(const case_t *c, uint32_t i) {
  return c->hosts[i]->session.game->world;
}

static void note_leaving(void *context, player_mask_t players) {
  case_t *c = context;
  owned_entity_t group[OWNED_MAX_ENTITIES];
  for (uint32_t i = 0; i < PLAYER_MAX; ++i)
    if (players >> i & 1)
      c->left[i] += owned_list_group(get_world(c, 0), i + 1, NULL, group);
}

static void start_games(case_t *c, const char *conditions) {
  c->f = fixture_create(1, conditions);
  for (uint32_t i = 0; i < GAMES; ++i) {
    c->hosts[i] = match_folder_start(&c->folder);
    log_set_listener(c->hosts[i]->session.game->desc.log, NULL, NULL);
    c->games[i] = match_game_create(&(match_game_desc_t){.game = c->hosts[i]->session.game});
    match_world_t world = match_game_get_world(c->games[i]);
    machine_start_world(c->f, i == 0 ? MATCH_HOST : MATCH_PEER, 1, &world);
  }
  c->f->machines[0].match->desc.leaves = note_leaving;
  c->f->machines[0].match->desc.leave_context = c;
}

// Returns packed rows of `count` swords; every third sword is a child of the previous sword.
static uint8_t *make_rows(case_t *c, uint32_t count, allocator_t *a, size_t *size) {
  json_t *rows = json_array();
  error_info_t error = {0};
  for (uint32_t i = 0; i < count; ++i) {
    int64_t item = ++c->next_item;
    char best[24], note[100];
    snprintf(best, sizeof best, "%lld", (long long)item - i % 5);
    for (uint32_t k = 0; k + 1 < sizeof note; ++k)
      note[k] = (char)('a' + random_u32(&c->f->random) % 26);
    note[sizeof note - 1] = '\0';
    bool has_best = i % 5 <= i;
    json_t *purse = json_pack("{s:i, s:s}", "gold", (int)i, "note", note);
    json_object_set_new(purse, "best", has_best ? json_string(best) : json_null());
    json_array_append_new(rows, json_pack("{s:I, s:I, s:s, s:s, s:{s:o, s:{s:b}}}", "item", (json_int_t)item, "parent",
                                          (json_int_t)(i % 3 == 2 ? item - 1 : 0), "name", "", "assemblage", "sword",
                                          "components", "purse", purse, "=", "owned", i % 3 != 2));
  }
  uint8_t *bytes = item_rows_pack(rows, a, size, &error);
  json_decref(rows);
  return bytes;
}

// Sets the rows of each accepted player who has not joined yet.
static void bring(case_t *c, uint32_t count) {
  match_o *m = c->f->machines[0].match;
  for (uint32_t k = 0; k < MATCH_MAX_CONNECTIONS; ++k) {
    player_mask_t players = m->connections[k].state ? m->connections[k].players & ~m->inputs.present : 0;
    for (uint32_t i = 0; i < PLAYER_MAX; ++i) {
      allocator_t memory = {0};
      size_t size = 0;
      if (!(players >> i & 1) || m->arrivals[i].bytes)
        continue;
      uint8_t *bytes = make_rows(c, count, &memory, &size);
      assert_in_range(size, c->is_large ? ITEM_ROWS_MAX_BYTES + 1 : 1,
                      c->is_large ? 4 * ITEM_ROWS_MAX_BYTES : ITEM_ROWS_MAX_BYTES);
      match_set_arrival(m, i, bytes, size);
      alloc_resize(&memory, bytes, size, 0);
      ++c->arrivals;
    }
  }
}

static void run(case_t *c, uint32_t ticks, uint32_t count) {
  for (uint32_t i = 0; i < ticks; ++i) {
    bring(c, count);
    fixture_run(c->f, 1);
  }
}

static void assert_equal_worlds(case_t *c) {
  fixture_t *f = c->f;
  f->is_quiet = true;
  fixture_run(f, 60);
  match_add_record(f->machines[0].match, f->now_us, RECORD_PAUSE);
  fixture_run(f, 60);
  for (uint32_t i = 1; i < GAMES; ++i) {
    assert_int_equal(f->machines[i].desyncs, 0);
    if (f->machines[i].is_on)
      assert_int_equal(world_hash(get_world(c, i)), world_hash(get_world(c, 0)));
  }
}

TEST_IN(machines_agree_on_entities_that_players_bring_and_take_away, case_t, c) {
  start_games(c, "120ms,40ms,5%");
  fixture_t *f = c->f;
  f->machines[0].incarnation = 1;
  run(c, 20, 40);
  for (uint32_t i = 1; i < GAMES; ++i)
    machine_join(&f->machines[i]);
  run(c, 300, 60);
  assert_int_equal(fixture_status(f, 0).present, 15);
  assert_int_equal(c->arrivals, 3);
  manager_o *log = world_find_manager(get_world(c, 0), "log");
  // During the event player_joined, the systems find the entities of the player, except the children and the first
  // sword.
  assert_true(columns_get(&log->columns, 0, 0) >= 3 * 40);
  match_leave(f->machines[2].match);
  run(c, 200, 60);
  assert_int_equal(__builtin_popcount(fixture_status(f, 0).present), 3);
  uint32_t player = 0;
  while (player < PLAYER_MAX && c->left[player] == 0)
    ++player;
  assert_true(player < PLAYER_MAX && c->left[player] > 30);
  owned_entity_t group[OWNED_MAX_ENTITIES];
  for (uint32_t n = 5; n <= PLAYER_MAX; ++n)
    assert_int_equal(owned_list_group(get_world(c, 0), n, NULL, group), 0);
  f->machines[2].is_on = false;
  assert_true(fixture_status(f, 1).rollbacks > 10);
  assert_equal_worlds(c);
}

TEST_IN(arrivals_of_the_maximum_size_join_sequentially, case_t, c) {
  start_games(c, "20ms,5ms,0%");
  fixture_t *f = c->f;
  f->machines[0].incarnation = 1;
  run(c, 20, 100);
  for (uint32_t i = 1; i < GAMES; ++i)
    machine_join(&f->machines[i]);
  run(c, 240, 100);
  assert_int_equal(fixture_status(f, 0).present, 15);
  uint32_t arrivals = 0, joins = 0;
  record_t record;
  for (uint64_t number = 1; number < f->machines[0].match->next_number; ++number) {
    if (!match_get_record(f->machines[0].match, number, &record))
      continue;
    uint32_t here = 0;
    for (uint32_t i = 0; i < record.item_count; ++i) {
      here += record.items[i].kind == RECORD_ITEM_ARRIVAL;
      joins += record.items[i].kind == RECORD_ITEM_JOIN;
      if (record.items[i].kind != RECORD_ITEM_ARRIVAL)
        continue;
      assert_in_range(record.items[i].size, ITEM_ROWS_MAX_BYTES / 2, ITEM_ROWS_MAX_BYTES);
      assert_int_equal(record.items[i + 1].kind, RECORD_ITEM_JOIN); // the JOIN of the same player
      assert_int_equal(record.items[i + 1].player, record.items[i].player);
    }
    assert_true(here <= 1);
    arrivals += here;
  }
  assert_int_equal(arrivals, 3);
  assert_equal_worlds(c);
}

// A machine may be accepted for the place of a player who leaves in the next record.
TEST_IN(rows_for_the_place_of_a_removed_player_are_kept, case_t, c) {
  start_games(c, "20ms,5ms,0%");
  fixture_t *f = c->f;
  match_o *m = f->machines[0].match;
  f->machines[0].incarnation = 1;
  run(c, 20, 40);
  machine_join(&f->machines[1]);
  run(c, 100, 40);
  uint32_t player = (uint32_t)__builtin_ctz(m->inputs.present & ~m->players), peer, k = 0;
  assert_true(match_remove_player(m, f->now_us, player, &peer) != 0);
  uint8_t request[MATCH_REQUEST_BYTES], reply[MATCH_REPLY_BYTES];
  match_refusal_t refusal;
  match_write_request(f->machines[2].match, request);
  assert_true(match_accept(m, f->now_us, 77, request, sizeof request, reply, &refusal));
  while (m->connections[k].peer != 77)
    ++k;
  match_visit_t visit;
  memcpy(&visit, m->connections[k].digest, sizeof visit);
  assert_true(m->connections[k].players == player_mask_of(player));
  assert_true(match_find_arriving(m, &visit) == player_mask_of(player));
  match_set_arrival(m, player, request, sizeof request);
  f->machines[1].is_on = false;
  fixture_run(f, 5);
  assert_false(m->inputs.present >> player & 1);
  assert_int_equal(m->arrivals[player].size, sizeof request);
}

TEST_IN(larger_arrivals_come_in_parts_before_their_join, case_t, c) {
  start_games(c, "120ms,40ms,5%");
  fixture_t *f = c->f;
  c->is_large = true;
  f->machines[0].incarnation = 1;
  run(c, 20, 230);
  for (uint32_t i = 1; i + 1 < GAMES; ++i)
    machine_join(&f->machines[i]);
  run(c, 100, 230);
  machine_join(&f->machines[GAMES - 1]); // receives a snapshot, possibly between two parts
  run(c, 300, 230);
  assert_int_equal(fixture_status(f, 0).present, 15);
  uint32_t parts = 0, joins = 0;
  record_t record;
  for (uint64_t number = 1; number < f->machines[0].match->next_number; ++number) {
    if (!match_get_record(f->machines[0].match, number, &record))
      continue;
    for (uint32_t i = 0; i < record.item_count; ++i) {
      joins += record.items[i].kind == RECORD_ITEM_JOIN;
      if (record.items[i].kind != RECORD_ITEM_ARRIVAL)
        continue;
      ++parts;
      assert_in_range(record.items[i].size, 2, ITEM_ROWS_MAX_BYTES);
    }
  }
  assert_int_equal(joins, 4);
  assert_in_range(parts, 6, 12);
  manager_o *log = world_find_manager(get_world(c, 0), "log");
  assert_true(columns_get(&log->columns, 0, 0) >= 3 * 150); // player_joined finds the entities of all parts
  assert_equal_worlds(c);
}

// Runs the match, and returns the largest number of ticks by which the peer lagged behind the host.
static uint64_t get_largest_delay(case_t *c, uint32_t ticks, uint32_t entities) {
  uint64_t largest = 0;
  for (uint32_t i = 0; i < ticks; ++i) {
    run(c, 1, entities);
    uint64_t delay = fixture_status(c->f, 0).tick - fixture_status(c->f, 1).tick;
    largest = delay > largest ? delay : largest;
  }
  return largest;
}

TEST_IN(arrival_of_200_entities_delays_other_machines_by_100_ms_at_most, case_t, c) {
  start_games(c, "120ms,40ms,5%");
  fixture_t *f = c->f;
  f->machines[0].incarnation = 1;
  c->is_large = true;
  run(c, 20, 200);
  machine_join(&f->machines[1]);
  run(c, 200, 200);
  uint64_t before = get_largest_delay(c, 200, 200);
  uint32_t arrivals = c->arrivals;
  for (uint32_t i = 2; i < GAMES; ++i)
    machine_join(&f->machines[i]);
  uint64_t during = get_largest_delay(c, 200, 200);
  assert_int_equal(c->arrivals, arrivals + 2);
  assert_int_equal(fixture_status(f, 0).present, 15);
  if (during > before + 100000 / TICK_US)
    fail_msg("the peer was %llu ticks behind, and %llu while others arrived", (unsigned long long)before,
             (unsigned long long)during);
  assert_equal_worlds(c);
}

// A machine that is disconnected between two parts starts again with its first part.
TEST_IN(arrival_that_was_interrupted_starts_again, case_t, c) {
  start_games(c, "20ms,5ms,0%");
  fixture_t *f = c->f;
  match_o *m = f->machines[0].match;
  c->is_large = true;
  f->machines[0].incarnation = 1;
  run(c, 20, 230);
  machine_join(&f->machines[1]);
  uint32_t player = PLAYER_MAX, sent = 0;
  for (uint32_t tick = 0; tick < 200 && sent == 0; ++tick) {
    run(c, 1, 230);
    for (uint32_t i = 0; i < PLAYER_MAX; ++i)
      if (m->arrivals[i].sent > 0)
        player = i, sent = (uint32_t)m->arrivals[i].sent;
  }
  assert_in_range(sent, 1, ITEM_ROWS_MAX_BYTES);
  allocator_t memory = {0};
  size_t size = 0;
  uint8_t *bytes = make_rows(c, 200, &memory, &size);
  match_set_arrival(m, player, bytes, size);
  alloc_resize(&memory, bytes, size, 0);
  run(c, 100, 230);
  assert_int_equal(fixture_status(f, 0).present, 3);
  manager_o *log = world_find_manager(get_world(c, 0), "log");
  assert_in_range(columns_get(&log->columns, 0, 0), 130, 140); // the swords that are not children
  for (uint32_t i = 2; i < GAMES; ++i)
    f->machines[i].is_on = false;
  assert_equal_worlds(c);
}
