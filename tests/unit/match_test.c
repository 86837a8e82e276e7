// Matches over sealed sessions on a simulated network: see match_fixture.h.
// slow: takes seconds under the sanitizers
#include "match_sessions.h"

#include "serve/echo_world.h"
#include "match/match_host.h"
#include "match/match_message.h"
#include "match/match_state.h"

// Starts a host and `peers` peers with a player each, and waits until all have joined.
static fixture_t *start(uint64_t seed, const char *conditions, uint32_t peers) {
  fixture_t *f = fixture_create(seed, conditions);
  machine_start(f, MATCH_HOST, 1);
  f->machines[0].incarnation = 1;
  for (uint32_t i = 0; i < peers; ++i) {
    machine_start(f, MATCH_PEER, 1);
    machine_join(&f->machines[i + 1]);
  }
  for (uint32_t i = 0; i < 600; ++i) {
    fixture_step(f);
    if (fixture_status(f, 0).present == (1u << (peers + 1)) - 1)
      return f;
  }
  FIXTURE_FAIL(f, "players %x have joined", fixture_status(f, 0).present);
  return f;
}

static void finish(fixture_t *f) {
  f->is_quiet = true;
  fixture_run(f, 240);
  for (uint32_t i = 0; i < f->count; ++i)
    if (f->machines[i].is_on)
      machine_check_counts(&f->machines[i]);
  fixture_free(f);
}

TEST(two_machines_play_without_waiting_on_a_good_network) {
  fixture_t *f = start(1, "40ms,10ms,1%", 1);
  uint64_t waits = fixture_status(f, 1).waits;
  fixture_run(f, 600);
  match_status_t status = fixture_status(f, 1);
  assert_int_equal(status.waits, waits);
  assert_true(status.rollbacks > 0);
  assert_true(status.predicted_tick > status.tick);
  finish(f);
}

TEST(machine_with_two_players_joins_a_host) {
  fixture_t *f = fixture_create(1, "60ms,10ms,5%");
  machine_start(f, MATCH_HOST, 0); // a host without a player
  machine_start(f, MATCH_PEER, 2);
  machine_start(f, MATCH_PEER, 3);
  machine_join(&f->machines[1]);
  machine_join(&f->machines[2]);
  fixture_run(f, 300);
  assert_int_equal(fixture_status(f, 0).present, 31);
  assert_int_equal(fixture_status(f, 1).players | fixture_status(f, 2).players, 31);
  finish(f);
}

// Starts a host without players, and `machines` machines with 32 players together.
static fixture_t *start_32_players(uint64_t seed, const char *conditions, uint32_t machines) {
  fixture_t *f = fixture_create(seed, conditions);
  f->max_players = PLAYER_MAX;
  machine_start(f, MATCH_HOST, 0);
  for (uint32_t i = 1; i <= machines; ++i) {
    machine_start(f, MATCH_PEER, PLAYER_MAX / machines);
    machine_join(&f->machines[i]);
  }
  for (uint32_t i = 0; i < 900 && fixture_status(f, 0).present != UINT32_MAX; ++i)
    fixture_step(f);
  assert_int_equal(fixture_status(f, 0).present, UINT32_MAX);
  return f;
}

TEST(thirty_two_players_play_and_a_machine_that_returns_has_the_same_players) {
  fixture_t *f = start_32_players(1, "60ms,10ms,5%", 8);
  player_mask_t players = fixture_status(f, 8).players, all = 0;
  for (uint32_t i = 1; i <= 8; ++i)
    all |= fixture_status(f, i).players;
  assert_int_equal(all, UINT32_MAX);
  fixture_run(f, 300);
  link_sim_disconnect(f->sim, &f->machines[8].address, true);
  fixture_run(f, 60 * 15);
  assert_int_equal(fixture_status(f, 0).connected, ~players);
  assert_int_equal(fixture_status(f, 1).connected, ~players);
  link_sim_disconnect(f->sim, &f->machines[8].address, false);
  machine_join(&f->machines[8]);
  fixture_run(f, 300);
  assert_int_equal(fixture_status(f, 8).players, players);
  assert_int_equal(fixture_status(f, 0).connected, UINT32_MAX);
  finish(f);
}

TEST(machine_with_an_echo_world_plays_and_returns_without_a_desync) {
  echo_world_t hashes = {0};
  match_world_t echo = echo_world_get(&hashes);
  fixture_t *f = fixture_create(1, "120ms,40ms,5%");
  machine_start(f, MATCH_HOST, 0);
  machine_start_world(f, MATCH_PEER, 1, &echo);
  machine_t *peer = &f->machines[1];
  machine_join(peer);
  fixture_run(f, 600);
  seal_close(peer->seal, f->now_us, peer->host_peer, 0);
  machine_drop(peer, peer->host_peer, true);
  machine_join(peer);
  fixture_run(f, 600);
  uint32_t presses = 0;
  for (uint32_t i = 0; i < MAX_ACTIONS; ++i)
    presses += f->machines[0].state.presses[0][i];
  assert_true(presses > 10 && fixture_status(f, 1).tick + 60 > fixture_status(f, 0).tick);
  assert_int_equal(f->machines[0].rejoined, 1);
  assert_int_equal(f->machines[0].desyncs + peer->desyncs + peer->failed, 0);
  finish(f);
}

TEST(player_33_is_refused) {
  fixture_t *f = start_32_players(1, "10ms,0ms,0%", 8);
  machine_start(f, MATCH_PEER, 1);
  machine_join(&f->machines[9]);
  fixture_run(f, 60);
  assert_int_equal(f->machines[9].refused, 1);
  f->machines[9].is_on = false;
  finish(f);
}

// Returns the bytes that a machine has sent to a peer, with the heads of IPv4 and UDP.
static uint64_t count_sent_bytes(const machine_t *machine, uint32_t peer) {
  seal_session_counts_t counts;
  assert_true(seal_get_session_counts(machine->seal, peer, &counts));
  return counts.sent_bytes + counts.sent * 28;
}

// Stores the bytes that have been sent in each direction of each link of a match with four players.
static void count_link_bytes(fixture_t *f, uint64_t *out) {
  for (uint32_t i = 0; i < 3; ++i) {
    out[i] = count_sent_bytes(&f->machines[0], f->machines[0].peers[i]);
    out[3 + i] = count_sent_bytes(&f->machines[1 + i], f->machines[1 + i].host_peer);
  }
}

// Four players play for 20 seconds. Each link must carry at most `max_bytes` per second in each direction, and at most
// one of 1,000 frames may wait for the host.
static void expect_traffic(const char *conditions, uint64_t max_bytes) {
  fixture_t *f = start(1, conditions, 3);
  uint64_t before[6], after[6], max[2] = {0}, waits = 0;
  uint32_t ticks = 1200;
  f->motion_interval = 30;
  count_link_bytes(f, before);
  for (uint32_t i = 1; i <= 3; ++i)
    waits -= fixture_status(f, i).waits;
  fixture_run(f, ticks);
  count_link_bytes(f, after);
  for (uint32_t i = 1; i <= 3; ++i)
    waits += fixture_status(f, i).waits;
  for (uint32_t i = 0; i < 6; ++i) {
    uint64_t per_second = (after[i] - before[i]) * 60 / ticks;
    max[i / 3] = per_second > max[i / 3] ? per_second : max[i / 3];
  }
  print_message("%s: at most %llu and %llu bytes per second from and to the host, %llu waits\n", conditions,
                (unsigned long long)max[0], (unsigned long long)max[1], (unsigned long long)waits);
  assert_in_range(max[0], 1, max_bytes);
  assert_in_range(max[1], 1, max_bytes);
  assert_in_range(waits, 0, 3 * ticks / 1000);
  finish(f);
}

TEST(traffic_and_waits_of_four_players_are_limited) {
  expect_traffic("40ms,20ms,0%", 7500);
  expect_traffic("40ms,20ms,3%", 7500);
}

TEST(ticks_allocate_nothing) {
  fixture_t *f = start(1, "100ms,40ms,10%", 3);
  uint64_t calls[4], bytes[4];
  fixture_run(f, 90); // the host keeps a snapshot for a second
  for (uint32_t i = 0; i < 4; ++i) {
    calls[i] = f->machines[i].match->memory.calls;
    bytes[i] = f->machines[i].match->memory.bytes;
    assert_in_range(bytes[i], 1, 8u << 20);
  }
  fixture_run(f, 600);
  for (uint32_t i = 0; i < 4; ++i)
    if (f->machines[i].match->memory.calls != calls[i])
      fail_msg("machine %u allocated", i);
  finish(f);
}

// --- the clock

TEST(inputs_arrive_before_their_tick_on_a_steady_network) {
  fixture_t *f = start(1, "80ms,10ms,0%", 1);
  fixture_run(f, 300);
  uint64_t late = fixture_status(f, 0).late_inputs;
  fixture_run(f, 600);
  match_status_t status = fixture_status(f, 1);
  assert_int_equal(fixture_status(f, 0).late_inputs, late);
  assert_in_range(status.early_us, TICK_US, 4 * TICK_US);
  finish(f);
}

TEST(input_delay_grows_with_the_latency_and_shrinks_again) {
  fixture_t *f = start(1, "40ms,0ms,0%", 1);
  fixture_run(f, 300);
  assert_int_equal(fixture_status(f, 1).delay, 0);
  link_sim_set_conditions(f->sim, &(link_sim_conditions_t){.round_trip_us = 250000});
  fixture_run(f, 1200);
  assert_in_range(fixture_status(f, 1).delay, 6, MATCH_MAX_DELAY);
  link_sim_set_conditions(f->sim, &(link_sim_conditions_t){.round_trip_us = 20000});
  fixture_run(f, 1500);
  assert_int_equal(fixture_status(f, 1).delay, 0);
  finish(f);
}

TEST(connections_have_a_round_trip_and_the_players_of_the_machine) {
  fixture_t *f = start(1, "80ms,20ms,5%", 2);
  match_connection_t c;
  player_mask_t players = 0;
  fixture_run(f, 300);
  assert_true(match_get_connection(f->machines[1].match, f->machines[1].host_peer, &c));
  assert_int_equal(c.players, 0);
  assert_true(c.is_live);
  assert_in_range(c.round_trip_us, 75000, 125000); // includes the ticks in which datagrams wait to be read
  assert_in_range(c.jitter_us, 500, 30000);
  assert_int_equal(c.round_trip_us, match_get_round_trip_us(f->machines[1].match, 0));
  for (uint32_t i = 0; i < MATCH_MAX_CONNECTIONS; ++i)
    if (f->machines[0].peers[i] != 0 && match_get_connection(f->machines[0].match, f->machines[0].peers[i], &c))
      players |= c.players;
  assert_int_equal(players, 6);
  assert_false(match_get_connection(f->machines[0].match, 12345, &c));
  finish(f);
}

// --- movements of mice

// Adds inputs of a machine's first player, which only move the mouse.
static void move(fixture_t *f, uint32_t machine, int32_t dx, uint32_t ticks) {
  player_input_t input = {.motion_x = dx};
  for (uint32_t i = 0; i < ticks; ++i) {
    match_add_input(f->machines[machine].match, 0, &input);
    fixture_step(f);
  }
}

// Returns the sum of the horizontal movements of a machine's first player in a world.
static int32_t get_moved(fixture_t *f, uint32_t world, uint32_t machine) {
  uint32_t player = (uint32_t)__builtin_ctz(fixture_status(f, machine).players);
  return (int32_t)f->machines[world].state.moved[player][0];
}

TEST(own_movements_are_predicted_and_remote_players_do_not_move) {
  fixture_t *f = start(1, "80ms,0ms,0%", 2);
  f->is_quiet = true;
  fixture_run(f, 60);
  uint64_t rollbacks = fixture_status(f, 1).rollbacks;
  int32_t before = get_moved(f, 1, 1), host_before = get_moved(f, 0, 1), remote_before = get_moved(f, 2, 1);
  move(f, 1, 3, 100);
  uint64_t predicted = fixture_status(f, 1).predicted_tick - fixture_status(f, 1).tick;
  assert_true(predicted > 3);
  assert_in_range(get_moved(f, 1, 1) - before, 3 * 96, 3 * 100);       // movement that the player's machine predicts
  assert_in_range(get_moved(f, 0, 1) - host_before, 3 * 90, 3 * 98);   // movement that has arrived at the host
  assert_in_range(get_moved(f, 2, 1) - remote_before, 3 * 80, 3 * 96); // movement that the third machine has confirmed
  assert_int_equal(fixture_status(f, 1).rollbacks, rollbacks);
  fixture_run(f, 60);
  for (uint32_t i = 0; i < 3; ++i)
    assert_int_equal(get_moved(f, i, 1) - before, 3 * 100);
  fixture_free(f);
}

TEST(movements_of_a_paused_match_are_ignored) {
  fixture_t *f = start(1, "80ms,20ms,5%", 1);
  f->is_quiet = true;
  fixture_run(f, 60);
  match_add_record(f->machines[0].match, f->now_us, RECORD_PAUSE);
  fixture_run(f, 30);
  int32_t before[2] = {get_moved(f, 0, 0), get_moved(f, 0, 1)};
  for (uint32_t i = 0; i < 2; ++i)
    move(f, i, 100, 30);
  match_add_record(f->machines[0].match, f->now_us, RECORD_RESUME);
  fixture_run(f, 60);
  for (uint32_t i = 0; i < 2; ++i)
    assert_int_equal(get_moved(f, 0, i), before[i]);
  for (uint32_t i = 0; i < 2; ++i)
    move(f, i, 5, 10);
  fixture_run(f, 60);
  for (uint32_t i = 0; i < 2; ++i)
    assert_int_equal(get_moved(f, 0, i) - before[i], 5 * 10);
  fixture_free(f);
}

TEST(movements_before_the_connection_was_lost_are_not_repeated) {
  fixture_t *f = start(1, "40ms,0ms,0%", 1);
  f->is_quiet = true;
  fixture_run(f, 60);
  int32_t before = get_moved(f, 0, 1);
  move(f, 1, 7, 20);
  fixture_run(f, 30);
  assert_int_equal(get_moved(f, 0, 1) - before, 7 * 20);
  link_sim_disconnect(f->sim, &f->machines[1].address, true);
  fixture_run(f, 60 * 12);
  link_sim_disconnect(f->sim, &f->machines[1].address, false);
  machine_join(&f->machines[1]);
  fixture_run(f, 120);
  assert_int_equal(f->machines[0].rejoined, 1);
  uint64_t rollbacks = fixture_status(f, 1).rollbacks;
  move(f, 1, -7, 20);
  fixture_run(f, 30);
  for (uint32_t i = 0; i < 2; ++i)
    assert_int_equal(get_moved(f, i, 1) - before, 0);
  assert_int_equal(fixture_status(f, 1).rollbacks, rollbacks);
  fixture_free(f);
}

// --- loss of the host

TEST(peer_far_from_the_host_waits_but_does_not_stall) {
  fixture_t *f = start(1, "800ms,0ms,0%", 1);
  fixture_run(f, 300);
  for (uint32_t i = 0; i < 60; ++i) {
    fixture_run(f, 1);
    assert_true(fixture_status(f, 1).is_waiting);
    assert_true(fixture_status(f, 1).waiting_us < 100000);
  }
  fixture_free(f);
}

TEST(peer_waits_for_a_silent_host_and_counts_until_it_is_lost) {
  fixture_t *f = start(1, "40ms,0ms,0%", 1);
  link_sim_disconnect(f->sim, &f->machines[0].address, true);
  fixture_run(f, 60);
  match_status_t status = fixture_status(f, 1);
  assert_true(status.is_waiting);
  assert_in_range(status.waiting_us, 650000, 950000);
  assert_int_equal(status.predicted_tick - status.tick, MATCH_MAX_PREDICTED);
  assert_in_range(status.silent_us, 900000, 1100000);
  assert_in_range(status.waits, 40, 55); // all of the last 60 frames except the frames of up to 12 predicted ticks
  assert_in_range(status.frames, status.waits + 3, fixture_status(f, 0).tick + 60);
  link_sim_disconnect(f->sim, &f->machines[0].address, false); // the connection returns after a second
  fixture_run(f, 120);
  assert_false(fixture_status(f, 1).is_waiting);
  assert_int_equal(fixture_status(f, 1).waiting_us, 0);
  link_sim_disconnect(f->sim, &f->machines[0].address, true);
  fixture_run(f, (uint32_t)(MATCH_LOST_US / TICK_US) + 60);
  assert_true(fixture_status(f, 1).is_lost);
  assert_int_equal(f->machines[1].lost, 1);
  fixture_free(f);
}

static void expect_shown(fixture_t *f, uint32_t machines, player_mask_t silent, player_mask_t connected) {
  for (uint32_t i = 0; i < machines; ++i) {
    assert_int_equal(fixture_status(f, i).silent, silent);
    assert_int_equal(fixture_status(f, i).connected, connected);
  }
}

// The host and each peer show a machine that sends nothing within a second, long before its connection times out.
TEST(all_machines_show_a_silent_machine_within_a_second) {
  fixture_t *f = start(1, "60ms,10ms,5%", 2);
  player_mask_t players = fixture_status(f, 2).players;
  link_sim_disconnect(f->sim, &f->machines[2].address, true);
  fixture_run(f, 60);
  expect_shown(f, 2, players, 7);
  fixture_run(f, 11 * 60);
  expect_shown(f, 2, 0, 7 & ~players);
  link_sim_disconnect(f->sim, &f->machines[2].address, false);
  machine_join(&f->machines[2]);
  fixture_run(f, 180);
  expect_shown(f, 3, 0, 7);
  fixture_free(f);
}

// A machine sends nothing while it loads the restarted game.
TEST(machine_that_loads_a_restarted_game_is_not_shown_as_silent) {
  fixture_t *f = start(1, "60ms,10ms,5%", 2);
  f->is_quiet = true; // a restart drops commands that are under way
  fixture_run(f, 60);
  match_add_record(f->machines[0].match, f->now_us, RECORD_RESTART);
  link_sim_disconnect(f->sim, &f->machines[2].address, true);
  for (uint32_t i = 0; i < 120; ++i) {
    fixture_run(f, 1);
    expect_shown(f, 2, 0, 7);
  }
  link_sim_disconnect(f->sim, &f->machines[2].address, false);
  fixture_run(f, 120);
  link_sim_disconnect(f->sim, &f->machines[2].address, true);
  fixture_run(f, 60);
  expect_shown(f, 2, fixture_status(f, 2).players, 7);
  fixture_free(f);
}

TEST(lost_machine_rejoins_as_the_same_player_until_its_time_limit) {
  fixture_t *f = start(1, "40ms,0ms,0%", 2);
  player_mask_t players = fixture_status(f, 1).players;
  link_sim_disconnect(f->sim, &f->machines[1].address, true);
  fixture_run(f, 60 * 12);
  assert_int_equal(fixture_status(f, 0).present, 7);
  assert_int_equal(fixture_status(f, 0).connected, 7 & ~players);
  uint32_t lost = (uint32_t)__builtin_ctz(players);
  assert_in_range(match_get_absent_us(f->machines[0].match, lost, f->now_us), MATCH_REJOIN_US - 2500000,
                  MATCH_REJOIN_US);
  link_sim_disconnect(f->sim, &f->machines[1].address, false);
  machine_join(&f->machines[1]);
  fixture_run(f, 120);
  assert_int_equal(fixture_status(f, 0).connected, 7);
  assert_int_equal(match_get_absent_us(f->machines[0].match, lost, f->now_us), 0);
  assert_int_equal(fixture_status(f, 1).players, players);
  assert_int_equal(f->machines[0].rejoined, 1);
  link_sim_disconnect(f->sim, &f->machines[1].address, true);
  fixture_run(f, 60 * 72);
  assert_int_equal(fixture_status(f, 0).present, 7 & ~players);
  fixture_free(f);
}

// Makes a machine the host after it has lost the former host.
static void continue_as_host(fixture_t *f, uint32_t index) {
  machine_t *machine = &f->machines[index];
  uint8_t secret[SEAL_KEY_BYTES] = {(uint8_t)index};
  match_continue_as_host(machine->match, f->now_us, secret);
  machine_drop(machine, machine->host_peer, true);
  ++machine->incarnation;
  machine->sequence = 0;
  memset(machine->presses, 0, sizeof machine->presses);
}

// Two machines continue as hosts, and each runs ticks with its own inputs.
TEST(host_that_gives_way_joins_the_other_host_as_the_same_player) {
  fixture_t *f = start(1, "40ms,0ms,0%", 2);
  player_mask_t players = fixture_status(f, 2).players;
  f->machines[0].is_on = false;
  while (!fixture_status(f, 1).is_lost || !fixture_status(f, 2).is_lost)
    fixture_step(f);
  uint64_t lost_tick = fixture_status(f, 2).tick;
  continue_as_host(f, 1);
  continue_as_host(f, 2);
  f->host = 1;
  fixture_run(f, 60);
  assert_true(fixture_status(f, 2).tick > lost_tick + 50);
  assert_true(f->machines[2].state.mix != f->machines[1].state.mix);
  match_give_way(f->machines[2].match);
  match_status_t status = fixture_status(f, 2);
  assert_true(status.role == MATCH_PEER && status.is_lost);
  assert_int_equal(status.connected, status.present);
  machine_join(&f->machines[2]);
  fixture_run(f, 120);
  status = fixture_status(f, 2);
  assert_true(status.is_playing && !status.is_lost);
  assert_int_equal(status.players, players);
  assert_int_equal(fixture_status(f, 1).connected, players | fixture_status(f, 1).players);
  assert_int_equal(f->machines[1].rejoined, 1);
  finish(f);
}

// --- records without a tick

TEST(pause_restart_and_end_reach_all_machines) {
  fixture_t *f = start(1, "80ms,20ms,5%", 2);
  f->is_quiet = true; // a restart drops commands that are under way
  fixture_run(f, 60);
  match_add_record(f->machines[0].match, f->now_us, RECORD_PAUSE);
  fixture_run(f, 60);
  uint64_t tick = fixture_status(f, 0).tick;
  for (uint32_t i = 0; i < 3; ++i) {
    assert_true(fixture_status(f, i).is_paused);
    assert_int_equal(fixture_status(f, i).predicted_tick, tick);
  }
  match_add_record(f->machines[0].match, f->now_us, RECORD_RESTART);
  machine_start(f, MATCH_PEER, 1); // joins a paused match whose state has no known hash
  machine_join(&f->machines[3]);
  fixture_run(f, 60);
  match_add_record(f->machines[0].match, f->now_us, RECORD_RESUME);
  f->is_quiet = false;
  fixture_run(f, 120);
  assert_true(fixture_status(f, 0).tick > tick + 100);
  assert_int_equal(fixture_status(f, 0).present, 15);
  match_add_record(f->machines[0].match, f->now_us, RECORD_END);
  fixture_run(f, 60);
  for (uint32_t i = 0; i < 4; ++i) {
    assert_true(fixture_status(f, i).has_ended);
    assert_int_equal(f->machines[i].state.restarts, 1);
    assert_int_equal(f->machines[i].state.mix, f->machines[0].state.mix);
    assert_int_equal(f->machines[i].desyncs, 0);
  }
  fixture_free(f);
}

// The host sends its state after the first tick of a restarted game, and stops once its peers have confirmed the end.
static void expect_end_after_restart(uint64_t seed) {
  fixture_t *f = start(seed, "80ms,20ms,20%", 1);
  fixture_run(f, 60);
  match_add_record(f->machines[0].match, f->now_us, RECORD_RESTART);
  for (uint64_t i = 0; i < 1 + seed % 8; ++i)
    fixture_run(f, 1);
  match_add_record(f->machines[0].match, f->now_us, RECORD_END);
  for (uint32_t i = 0; i < 600 && !fixture_status(f, 0).is_acknowledged; ++i)
    fixture_run(f, 1);
  assert_true(fixture_status(f, 0).is_acknowledged);
  assert_true(fixture_status(f, 1).has_ended);
  assert_int_equal(f->machines[1].confirmed, fixture_status(f, 0).tick);
  fixture_free(f);
}

TEST(match_that_ends_after_a_restart_ends_on_all_machines) {
  for (uint64_t seed = 1; seed <= 100; ++seed)
    expect_end_after_restart(seed);
}

static void add_command(fixture_t *f, uint32_t machine, uint32_t sequence) {
  model_command_t command = {f->machines[machine].incarnation, sequence};
  assert_true(match_add_command(f->machines[machine].match, 0, &command, sizeof command));
}

// The commands refer to entities of the world before the restart.
TEST(commands_from_before_a_restart_are_dropped) {
  fixture_t *f = start(1, "120ms,0ms,0%", 2);
  f->is_quiet = true;
  fixture_run(f, 120);
  uint32_t player = (uint32_t)__builtin_ctz(fixture_status(f, 1).players);
  uint32_t before = f->machines[0].state.commands[player];
  add_command(f, 1, before);
  fixture_run(f, 2); // the command is under way
  assert_int_equal(f->machines[0].state.commands[player], before);
  match_add_record(f->machines[0].match, f->now_us, RECORD_RESTART);
  for (uint32_t i = 0; f->machines[1].state.restarts == 0; ++i) {
    if (i % 2 == 0)
      add_command(f, 1, before);
    fixture_run(f, 1);
  }
  fixture_run(f, 60);
  assert_int_equal(f->machines[0].state.commands[player], before);
  add_command(f, 1, before);
  fixture_run(f, 60);
  for (uint32_t i = 0; i < 3; ++i) {
    assert_int_equal(f->machines[i].state.commands[player], before + 1);
    assert_int_equal(f->machines[i].desyncs, 0);
  }
  fixture_free(f);
}

// --- the state of a peer

TEST(peer_predicts_its_commands_after_an_earlier_match_with_more_records) {
  fixture_t *f = fixture_create(1, "120ms,0ms,0%");
  machine_start(f, MATCH_HOST, 1);
  machine_start(f, MATCH_PEER, 1);
  f->machines[1].match->started = 1000; // record 999 of the earlier match restarted the game
  f->is_quiet = true;
  machine_join(&f->machines[1]);
  fixture_run(f, 120);
  uint32_t player = (uint32_t)__builtin_ctz(fixture_status(f, 1).players);
  const uint32_t *of_host = &f->machines[0].state.commands[player], *of_peer = &f->machines[1].state.commands[player];
  uint32_t before = *of_host;
  add_command(f, 1, before);
  while (*of_host == before && *of_peer == before)
    fixture_run(f, 1);
  assert_int_equal(*of_host, before);
  assert_int_equal(*of_peer, before + 1);
  fixture_free(f);
}

static size_t write_wrong_snapshot(void *context, const uint8_t **bytes) {
  machine_t *machine = context;
  size_t size = model_write_snapshot(context, bytes);
  model_state_t *s = (model_state_t *)(void *)machine->snapshot;
  s->mix ^= 1; // the record then has the hash of a different state
  s->restarts = 99;
  return size;
}

static void expect_confirmed_state_after_wrong_snapshot(uint32_t players) {
  fixture_t *f = fixture_create(1, "40ms,0ms,0%");
  machine_start(f, MATCH_HOST, 1);
  machine_start(f, MATCH_PEER, players);
  machine_join(&f->machines[1]);
  f->is_quiet = true;
  fixture_run(f, 120);
  f->has_bad_peer = true;
  f->machines[0].match->desc.world.write_snapshot = write_wrong_snapshot;
  match_add_record(f->machines[0].match, f->now_us, RECORD_RESTART); // the host sends a snapshot after the next tick
  fixture_run(f, 60);
  match_status_t status = fixture_status(f, 1);
  assert_int_equal(f->machines[1].failed, 1);
  assert_int_equal(f->machines[1].state.tick, status.tick);
  assert_int_equal(f->machines[1].state.restarts, 1);
  assert_int_equal(status.predicted_tick, status.tick);
  fixture_free(f);
}

// A peer without a valid snapshot keeps its confirmed state, which the program saves.
TEST(peer_has_its_confirmed_state_after_a_snapshot_with_a_wrong_hash) {
  expect_confirmed_state_after_wrong_snapshot(0); // the peer does not predict
  expect_confirmed_state_after_wrong_snapshot(1);
}

// --- shared reloads

static bool propose(fixture_t *f, uint32_t machine, model_code_t code) {
  return match_propose_code(f->machines[machine].match, (const uint8_t *)&code, sizeof code);
}

static void assert_results(const fixture_t *f, uint32_t reloads, uint32_t refusals) {
  for (uint32_t i = 0; i < f->count; ++i) {
    assert_int_equal(f->machines[i].reloads, reloads);
    assert_int_equal(f->machines[i].refusals, refusals);
    assert_int_equal(f->machines[i].code.value, f->machines[0].code.value);
    assert_int_equal(f->machines[i].desyncs, 0);
  }
}

TEST(shared_reloads_of_all_machines_are_ordered_by_the_host) {
  fixture_t *f = start(1, "120ms,40ms,5%", 3);
  for (uint32_t round = 0; round < 20; ++round) {
    for (uint32_t i = 0; i < 4; ++i) // all machines propose at the same time
      assert_true(propose(f, i, (model_code_t){.value = round * 4 + i + 1, .trial_steps = i * 3}));
    assert_false(propose(f, 1, (model_code_t){.value = 1}));
    fixture_run(f, 240);
    for (uint32_t i = 0; i < 4; ++i)
      assert_false(fixture_status(f, i).is_proposing);
  }
  assert_results(f, 80, 0);
  finish(f);
}

TEST(reload_that_one_machine_refuses_is_refused_by_all) {
  fixture_t *f = start(1, "120ms,40ms,5%", 3);
  uint32_t refuser = (uint32_t)__builtin_ctz(fixture_status(f, 3).players);
  propose(f, 1, (model_code_t){.value = 5, .refuser = 4});
  fixture_run(f, 120);
  assert_results(f, 0, 1);
  for (uint32_t i = 0; i < 4; ++i) {
    const match_event_t *event = &f->machines[i].result;
    assert_int_equal(event->player, __builtin_ctz(fixture_status(f, 1).players));
    assert_int_equal(event->refuser, refuser);
    assert_int_equal(event->is_own, i == 1);
    assert_string_equal(match_get_refusal(f->machines[i].match),
                        "The change has an error.\nsystems/a.lua:3: unknown name");
  }
  assert_true(propose(f, 1, (model_code_t){.value = 6})); // a corrected change
  propose(f, 0, (model_code_t){.value = 7, .refuser = 1});
  fixture_run(f, 120);
  assert_results(f, 1, 2);
  assert_int_equal(f->machines[2].code.value, 6);
  finish(f);
}

TEST(trial_that_takes_too_long_is_refused) {
  fixture_t *f = start(1, "40ms,10ms,1%", 2);
  propose(f, 1, (model_code_t){.value = 5, .trial_steps = 1300});
  fixture_run(f, 1190);
  assert_results(f, 0, 0);
  fixture_run(f, 60);
  assert_results(f, 0, 1);
  assert_non_null(strstr(match_get_refusal(f->machines[2].match), "longer than 20 s"));
  finish(f);
}

TEST(machine_that_does_not_answer_a_proposal_refuses_it) {
  fixture_t *f = start(1, "40ms,10ms,1%", 2);
  propose(f, 1, (model_code_t){.value = 5, .slow = 3});
  for (uint32_t step = 0; step < 1400; ++step) {
    f->machines[2].match->share.began_us = f->now_us; // ignores its own limit
    fixture_step(f);
    assert_true(step > 1300 || f->machines[0].refusals == 0);
  }
  assert_results(f, 0, 1);
  assert_non_null(strstr(match_get_refusal(f->machines[1].match), "does not answer"));
  finish(f);
}

TEST(machine_that_does_not_share_code_prevents_reloads) {
  fixture_t *f = start(1, "40ms,10ms,1%", 1);
  machine_start(f, MATCH_PEER, 1);
  f->machines[2].has_no_code = true;
  match_destroy(f->machines[2].match);
  f->machines[2].match = machine_create_match(&f->machines[2], MATCH_PEER, 1);
  machine_join(&f->machines[2]);
  fixture_run(f, 120);
  propose(f, 1, (model_code_t){.value = 5});
  fixture_run(f, 60);
  assert_results(f, 0, 1);
  assert_non_null(strstr(match_get_refusal(f->machines[0].match), "start it with --share-code"));
  finish(f);
}

// The machine that refuses the code receives all changes with the state, and tries them again.
TEST(peers_cannot_refuse_the_code_of_a_host_that_owns_it) {
  fixture_t *f = start(1, "120ms,40ms,5%", 3);
  f->machines[0].match->desc.owns_code = true;
  propose(f, 0, (model_code_t){.value = 5, .refuser = 4});
  fixture_run(f, 240);
  for (uint32_t i = 0; i < 4; ++i) {
    assert_int_equal(f->machines[i].code.value, 5);
    assert_int_equal(f->machines[i].reloads, i < 3);
    assert_int_equal(f->machines[i].refusals, 0);
  }
  propose(f, 0, (model_code_t){.value = 6, .refuser = 1}); // the host's own trial decides
  fixture_run(f, 240);
  assert_int_equal(f->machines[0].refusals, 1);
  for (uint32_t i = 0; i < 4; ++i)
    assert_int_equal(f->machines[i].code.value, 5);
  finish(f);
}

TEST(host_that_owns_the_code_waits_10_s_for_its_peers) {
  fixture_t *f = start(1, "40ms,10ms,1%", 2);
  f->machines[0].match->desc.owns_code = true;
  propose(f, 0, (model_code_t){.value = 5, .slow = 3});
  fixture_run(f, 590);
  assert_int_equal(f->machines[0].reloads, 0);
  fixture_run(f, 120);
  for (uint32_t i = 0; i < 3; ++i) {
    assert_int_equal(f->machines[i].code.value, 5);
    assert_int_equal(f->machines[i].reloads, i < 2);
  }
  finish(f);
}

// A host that owns its code may be slow for minutes: its next proposal tries the same code again.
TEST(slow_host_that_owns_the_code_has_not_tried_it) {
  fixture_t *f = start(1, "40ms,10ms,1%", 1);
  f->machines[0].match->desc.owns_code = true;
  propose(f, 0, (model_code_t){.value = 5, .slow = 1});
  fixture_run(f, 7100);
  assert_int_equal(f->machines[0].refusals, 0);
  fixture_run(f, 200);
  assert_int_equal(f->machines[0].refusals, 1);
  assert_int_equal(f->machines[0].late_trials, 1);
  propose(f, 0, (model_code_t){.value = 5});
  fixture_run(f, 120);
  for (uint32_t i = 0; i < 2; ++i)
    assert_int_equal(f->machines[i].code.value, 5);
  assert_int_equal(f->machines[0].late_trials, 1);
  finish(f);
}

// Joins a match whose code has changed, while further changes are tried, and without sharing code.
TEST(joining_machines_get_the_changed_code) {
  fixture_t *f = start(1, "80ms,20ms,2%", 1);
  propose(f, 0, (model_code_t){.value = 5});
  fixture_run(f, 60);
  machine_start(f, MATCH_PEER, 1);
  machine_join(&f->machines[2]);
  fixture_run(f, 120);
  assert_int_equal(f->machines[2].code.value, 5);
  assert_int_equal(f->machines[2].reloads, 0);
  for (uint32_t steps = 0; steps < 40; steps += 4) { // a trial runs while the machine joins
    link_sim_disconnect(f->sim, &f->machines[2].address, true);
    fixture_run(f, 650);
    link_sim_disconnect(f->sim, &f->machines[2].address, false);
    propose(f, 1, (model_code_t){.value = 100 + steps, .trial_steps = 20});
    fixture_run(f, steps);
    machine_join(&f->machines[2]);
    fixture_run(f, 240);
    assert_true(fixture_status(f, 2).is_playing);
    assert_int_equal(f->machines[0].code.value, 100 + steps);
    assert_int_equal(f->machines[2].code.value, 100 + steps);
  }
  machine_start(f, MATCH_PEER, 1);
  f->machines[3].has_no_code = f->has_bad_peer = true;
  match_destroy(f->machines[3].match);
  f->machines[3].match = machine_create_match(&f->machines[3], MATCH_PEER, 1);
  machine_join(&f->machines[3]);
  fixture_run(f, 60);
  assert_non_null(strstr(f->machines[3].problem, "start this machine with --share-code"));
  f->machines[3].is_on = false;
  finish(f);
}

// Runs until the host has closed the bad peer's connection. The other players must not notice.
static void expect_only_it_is_closed(fixture_t *f, uint32_t bad, uint32_t steps, const char *problem) {
  f->has_bad_peer = true;
  for (uint32_t i = 0; i < steps && f->machines[0].failed == 0; ++i)
    fixture_step(f);
  if (!strstr(f->machines[0].problem, problem))
    FIXTURE_FAIL(f, "the host: %s", f->machines[0].problem);
  assert_in_range(f->machines[0].match->memory.bytes, 1, 6u << 20);
  f->machines[0].failed = 0;
  f->machines[bad].is_on = false;
  fixture_run(f, 120);
  assert_true(fixture_status(f, 1).is_playing);
  assert_false(fixture_status(f, 1).is_waiting);
  finish(f);
}

static void expect_host_is_left(const char *problem, uint8_t type, const void *bytes, size_t size) {
  fixture_t *f = start(1, "40ms,10ms,1%", 1);
  f->has_bad_peer = true;
  match_push(&f->machines[0].match->connections[0], type, bytes, size);
  fixture_run(f, 30);
  if (!strstr(f->machines[1].problem, problem))
    FIXTURE_FAIL(f, "the peer: %s", f->machines[1].problem);
  fixture_free(f);
}

TEST(malformed_shared_code_messages_end_the_connection) {
  static const uint8_t TRY[] = {9, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0x7f}; // a size of 256 MB
  static const struct {
    uint8_t type, bytes[4];
    size_t size;
  } of_peer[] = {{MATCH_MESSAGE_PROPOSE, {0}, 1},    {MATCH_MESSAGE_PROPOSE, {0xff, 0xff, 0xff, 0x7f}, 4},
                 {MATCH_MESSAGE_PROPOSE, {5, 5}, 2}, {MATCH_MESSAGE_CODE_PART, {1}, 1},
                 {MATCH_MESSAGE_ACCEPT, {1, 2}, 2},  {MATCH_MESSAGE_REFUSE, {0x80}, 1}};
  for (size_t i = 0; i < sizeof of_peer / sizeof *of_peer; ++i) {
    fixture_t *f = start(1, "40ms,10ms,1%", 2);
    match_push(&f->machines[2].match->connections[0], of_peer[i].type, of_peer[i].bytes, of_peer[i].size);
    expect_only_it_is_closed(f, 2, 120, "malformed code");
  }
  expect_host_is_left("malformed code", MATCH_MESSAGE_TRY, TRY, sizeof TRY);
  expect_host_is_left("malformed code", MATCH_MESSAGE_TRY, TRY, 5);
  expect_host_is_left("malformed code", MATCH_MESSAGE_REFUSED, TRY, 2);
  expect_host_is_left("malformed code", MATCH_MESSAGE_CODE, TRY, 3);
}

// The logs of records have space for the inputs of as many players as the match allows.
TEST(snapshots_and_records_of_too_many_players_end_the_connection) {
  uint8_t head[MATCH_HEAD_BYTES], block[RECORD_HEAD_BYTES];
  record_coder_t coder = {0};
  record_t record = {.number = 1, .kind = RECORD_TICK, .tick = 1, .inputs.present = player_mask_of(PLAYER_MAX_LOBBY)};
  size_t size = record_write(&coder, &record, block, sizeof block);
  size_t at = varint_write(2, head);
  at += varint_write(100, head + at);
  head[at++] = 0;
  memset(head + at, 0, PLAYER_MAX * MATCH_TOKEN_BYTES);
  at += PLAYER_MAX * MATCH_TOKEN_BYTES;
  memcpy(head + at, block, size);
  expect_host_is_left("malformed message", MATCH_MESSAGE_SNAPSHOT, head, at + size);
  expect_host_is_left("malformed message", MATCH_MESSAGE_RECORDS, block, size);
}

TEST(reload_without_a_trial_ends_the_connection) {
  fixture_t *f = start(1, "40ms,10ms,1%", 1);
  f->has_bad_peer = true;
  match_host_add_record(f->machines[0].match, f->now_us, RECORD_RELOAD, 12345);
  fixture_run(f, 30);
  assert_non_null(strstr(f->machines[1].problem, "without a trial"));
  fixture_free(f);
}

TEST(spectator_shows_confirmed_ticks_only) {
  fixture_t *f = start(1, "80ms,20ms,5%", 1);
  machine_start(f, MATCH_SPECTATOR, 0);
  machine_join(&f->machines[2]);
  fixture_run(f, 200);
  match_status_t status = fixture_status(f, 2);
  assert_true(status.is_playing);
  assert_int_equal(status.predicted_tick, status.tick);
  assert_in_range(fixture_status(f, 0).tick - status.tick, 1, 15);
  assert_int_equal(fixture_status(f, 0).present, 3);
  finish(f);
}

// --- chat

static char get_player(fixture_t *f, uint32_t machine) {
  return (char)__builtin_ctz(fixture_status(f, machine).players);
}

// Appends "PLAYER: TEXT" and a newline for each line that has arrived. Returns the number of lines.
static uint32_t pop_chat(fixture_t *f, uint32_t machine, char *out, size_t size) {
  match_chat_t line;
  uint32_t count = 0;
  for (out[0] = '\0'; match_pop_chat(f->machines[machine].match, &line); ++count)
    snprintf(out + strlen(out), size - strlen(out), "%u: %s\n", line.player, line.text);
  return count;
}

TEST(chat_lines_reach_all_machines_in_the_same_order) {
  char lines[3][1024], expected[3][32];
  fixture_t *f = start(1, "80ms,40ms,10%", 2);
  for (uint32_t i = 0; i < 3; ++i) {
    assert_int_equal(match_say(f->machines[i].match, f->now_us, 0, "hé"), MATCH_CHAT_SENT);
    assert_int_equal(match_say(f->machines[i].match, f->now_us, 0, "again"), MATCH_CHAT_SENT);
    snprintf(expected[i], sizeof expected[i], "%d: hé\n", get_player(f, i));
  }
  fixture_run(f, 90);
  for (uint32_t i = 0; i < 3; ++i) {
    assert_int_equal(pop_chat(f, i, lines[i], sizeof lines[i]), 6);
    assert_string_equal(lines[i], lines[0]);
    assert_non_null(strstr(lines[0], expected[i]));
  }
  finish(f);
}

TEST(line_of_the_server_reaches_all_machines) {
  char text[202], lines[1024];
  fixture_t *f = start(1, "80ms,40ms,10%", 2);
  match_o *host = f->machines[0].match;
  for (uint32_t i = 0; i < 8; ++i) // a server's lines have no rate limit
    assert_int_equal(match_announce(host, "restart at 20:00"), MATCH_CHAT_SENT);
  assert_int_equal(match_announce(host, ""), MATCH_CHAT_INVALID);
  assert_int_equal(match_announce(host, "two\nlines"), MATCH_CHAT_INVALID);
  memset(text, 'x', sizeof text);
  text[201] = '\0';
  assert_int_equal(match_announce(host, text), MATCH_CHAT_TOO_LONG);
  fixture_run(f, 90);
  for (uint32_t i = 0; i < 3; ++i) {
    assert_int_equal(pop_chat(f, i, lines, sizeof lines), 8);
    assert_int_equal(strncmp(lines, "32: restart at 20:00\n", 21), 0);
  }
  finish(f);
}

TEST(chat_lines_of_muted_players_are_dropped) {
  char lines[1024];
  fixture_t *f = start(1, "80ms,40ms,10%", 2);
  match_mute(f->machines[0].match, player_mask_of((uint32_t)get_player(f, 1)));
  assert_int_equal(match_say(f->machines[1].match, f->now_us, 0, "muted"), MATCH_CHAT_SENT);
  assert_int_equal(match_say(f->machines[2].match, f->now_us, 0, "heard"), MATCH_CHAT_SENT);
  fixture_run(f, 90);
  for (uint32_t i = 0; i < 3; ++i) {
    assert_int_equal(pop_chat(f, i, lines, sizeof lines), 1);
    assert_non_null(strstr(lines, "heard"));
  }
  match_mute(f->machines[0].match, 0);
  assert_int_equal(match_say(f->machines[1].match, f->now_us, 0, "again"), MATCH_CHAT_SENT);
  fixture_run(f, 90);
  assert_int_equal(pop_chat(f, 2, lines, sizeof lines), 1);
  finish(f);
}

TEST(own_chat_lines_are_limited) {
  char text[203], lines[2048];
  fixture_t *f = start(1, "40ms,10ms,1%", 1);
  match_o *m = f->machines[1].match;
  memset(text, 'x', sizeof text);
  text[201] = '\0';
  assert_int_equal(match_say(m, f->now_us, 0, text), MATCH_CHAT_TOO_LONG);
  text[200] = '\0';
  assert_int_equal(match_say(m, f->now_us, 0, text), MATCH_CHAT_SENT);
  static const char *const INVALID[] = {"", "a\nb", "\x1b[31m", "\xc2\x85", "\xff", "\xe2\x82", "\xc0\xaf"};
  for (size_t i = 0; i < sizeof INVALID / sizeof *INVALID; ++i)
    assert_int_equal(match_say(m, f->now_us, 0, INVALID[i]), MATCH_CHAT_INVALID);
  for (uint32_t i = 0; i < 6; ++i)
    assert_int_equal(match_say(m, f->now_us, 0, "hi"), i < 4 ? MATCH_CHAT_SENT : MATCH_CHAT_TOO_FAST);
  fixture_run(f, 13); // 0.2 s, after which the rate limit allows one more line
  assert_int_equal(match_say(m, f->now_us, 0, "hi"), MATCH_CHAT_SENT);
  fixture_run(f, 60);
  assert_int_equal(pop_chat(f, 0, lines, sizeof lines), 6);
  finish(f);
}

TEST(peer_that_floods_the_chat_is_limited_but_stays_connected) {
  char flood[] = "_flood", lines[4096];
  fixture_t *f = start(1, "40ms,10ms,1%", 2);
  flood[0] = get_player(f, 2);
  uint32_t count = 0, honest = 0;
  for (uint32_t second = 0; second < 4; ++second) {
    for (uint32_t i = 0; i < 100; ++i)
      match_push(&f->machines[2].match->connections[0], MATCH_MESSAGE_CHAT, flood, sizeof flood - 1);
    assert_int_equal(match_say(f->machines[1].match, f->now_us, 0, "honest"), MATCH_CHAT_SENT);
    for (uint32_t step = 0; step < 60; ++step) {
      fixture_step(f);
      count += pop_chat(f, 0, lines, sizeof lines);
      honest += strstr(lines, "honest") != NULL;
    }
  }
  assert_int_equal(f->machines[0].failed, 0);
  assert_int_equal(honest, 4);
  assert_in_range(count - honest, 20, 10 + 4 * 5 + 1);
  finish(f);
}

TEST(malformed_chat_lines_end_the_connection) {
  static const struct {
    const char *bytes;
    size_t size;
  } BAD[] = {{"", 0}, {"_", 1}, {"_a\x07", 3}, {"_\xff", 2}, {"_a\0b", 4}, {"\x21hello", 6}};
  char bytes[300];
  for (size_t i = 0; i <= sizeof BAD / sizeof *BAD; ++i) {
    size_t size = i < sizeof BAD / sizeof *BAD ? BAD[i].size : 202;
    fixture_t *f = start(1, "40ms,10ms,1%", 2);
    memset(bytes, 'x', sizeof bytes);
    if (i < sizeof BAD / sizeof *BAD)
      memcpy(bytes, BAD[i].bytes, size);
    bytes[0] = bytes[0] == '\x21' ? bytes[0] : get_player(f, 2);
    match_push(&f->machines[2].match->connections[0], MATCH_MESSAGE_CHAT, bytes, size);
    expect_only_it_is_closed(f, 2, 120, "malformed message");
    bytes[0] = bytes[0] == '\x21' ? bytes[0] : 0;
    expect_host_is_left("malformed message", MATCH_MESSAGE_CHAT, bytes, size);
  }
  for (uint32_t i = 0; i < 2; ++i) {
    fixture_t *f = start(1, "40ms,10ms,1%", 2);
    bytes[0] = i == 0 ? get_player(f, 1) : (char)MATCH_CHAT_SERVER; // a player of a different machine, or the server
    match_push(&f->machines[2].match->connections[0], MATCH_MESSAGE_CHAT, bytes, 20);
    expect_only_it_is_closed(f, 2, 120, "malformed message");
  }
}

// --- desyncs

TEST(planted_desyncs_are_found_named_and_repaired) {
  const char *is_long = getenv("LONG");
  uint64_t count = is_long && is_long[0] ? 50 : 16;
  for (uint64_t seed = 1; seed <= count; ++seed) {
    fixture_t *f = start(seed, seed % 2 ? "60ms,20ms,5%" : "200ms,80ms,15%", 2);
    machine_t *machine = &f->machines[1 + seed % 2];
    machine->plant_tick = fixture_status(f, 0).tick + 20 + seed;
    fixture_run(f, 20 + (uint32_t)seed + (seed % 2 ? 60 : 150));
    if (machine->desyncs != 1 || machine->named != 1)
      FIXTURE_FAIL(f, "%u desyncs, %u named", machine->desyncs, machine->named);
    assert_int_equal(machine->line_ticks[0], machine->plant_tick);
    fixture_run(f, 120);
    assert_int_equal(f->machines[0].named, 1); // only one of the machines has differed
    assert_int_equal(f->machines[0].compared, 1);
    assert_int_equal(f->machines[0].line_ticks[0], machine->plant_tick);
    assert_string_equal(f->machines[0].lines[0], machine->lines[0]);
    assert_memory_equal(machine->lines[0], "mix ", 4);
    assert_int_equal(machine->repaired, 1);
    machine->plant_tick = machine->desyncs = 0; // starts to compare the state after each tick
    fixture_run(f, 60);
    finish(f);
  }
}

// --- bad peers

static void expect_refusal(uint8_t *request, size_t size, match_refusal_kind_t reason) {
  fixture_t *f = fixture_create(1, "40ms,0ms,0%");
  uint8_t reply[MATCH_REPLY_BYTES];
  match_refusal_t refusal;
  machine_start(f, MATCH_HOST, 7);
  fixture_run(f, 2);
  assert_false(match_accept(f->machines[0].match, f->now_us, 5, request, size, reply, &refusal));
  assert_int_equal(refusal.number, reason);
  assert_int_equal(refusal.value, reason == MATCH_REFUSAL_FULL ? 8 : 0);
  fixture_free(f);
}

TEST(unsuitable_machines_are_refused_with_the_reason) {
  uint8_t request[MATCH_REQUEST_BYTES] = {MATCH_VERSION, 42};
  request[MATCH_REQUEST_PLAYERS] = 2;
  expect_refusal(request, sizeof request, MATCH_REFUSAL_FULL);
  request[MATCH_REQUEST_PLAYERS] = 200;
  expect_refusal(request, sizeof request, MATCH_REFUSAL_FULL);
  expect_refusal(request, sizeof request - 1, MATCH_REFUSAL_VERSION);
  request[1] = 43;
  expect_refusal(request, sizeof request, MATCH_REFUSAL_FILES);
  request[0] = MATCH_VERSION + 1;
  expect_refusal(request, sizeof request, MATCH_REFUSAL_VERSION);
}

TEST(peer_that_lies_about_its_state_is_disconnected) {
  fixture_t *f = start(1, "40ms,10ms,1%", 2);
  for (uint32_t i = 0; i < 100; ++i)
    match_push(&f->machines[2].match->connections[0], MATCH_MESSAGE_DESYNC, "\x05\x07", 2);
  expect_only_it_is_closed(f, 2, 120, "differs too often");
}

static void send_as_peer(uint8_t type, const char *bytes, size_t size, const char *problem) {
  fixture_t *f = start(1, "40ms,10ms,1%", 2);
  match_push(&f->machines[2].match->connections[0], type, bytes, size);
  expect_only_it_is_closed(f, 2, 120, problem);
}

TEST(peer_that_reports_a_malformed_desync_is_disconnected) {
  send_as_peer(MATCH_MESSAGE_DESYNC, "\x05", 1, "malformed message");
  send_as_peer(MATCH_MESSAGE_DESYNC, "\xff\xff\x03\x07", 4, "malformed message");         // a tick in the future
  send_as_peer(MATCH_MESSAGE_DESYNC, "\x05\xff\xff\xff\xff\x7f", 6, "malformed message"); // hash of 35 bits
  send_as_peer(MATCH_MESSAGE_FINDING, "\xff", 1, "malformed message");
}

// Sends a message about a recent tick to the host. Its other bytes are a hash or a finding.
static void send_about_tick(fixture_t *f, uint32_t peer, uint8_t type, uint64_t tick, const char *bytes) {
  uint8_t message[VARINT_BYTES + 32];
  size_t at = varint_write(tick, message), size = strlen(bytes);
  memcpy(message + at, bytes, size);
  f->machines[peer].repaired = 1; // the machine receives an earlier state again
  assert_true(match_push(&f->machines[peer].match->connections[0], type, message, at + size));
}

TEST(finding_counts_only_after_the_report_of_its_tick) {
  fixture_t *f = start(1, "40ms,10ms,0%", 2);
  fixture_run(f, 60);
  uint64_t tick = fixture_status(f, 0).tick;
  send_about_tick(f, 2, MATCH_MESSAGE_FINDING, tick - 3, "no report of this tick");
  fixture_run(f, 30);
  assert_int_equal(f->machines[0].failed, 0);
  assert_int_equal(f->machines[0].named, 0);
  send_about_tick(f, 2, MATCH_MESSAGE_DESYNC, tick, "\x07");
  send_about_tick(f, 2, MATCH_MESSAGE_FINDING, tick, ""); // an empty finding
  fixture_run(f, 70);
  assert_int_equal(f->machines[0].failed, 0);
  assert_int_equal(f->machines[0].named, 1);
  assert_non_null(strstr(f->machines[0].lines[0], "and 00000007, not compared"));
  send_about_tick(f, 2, MATCH_MESSAGE_DESYNC, tick + 50, "\x07");
  send_about_tick(f, 2, MATCH_MESSAGE_FINDING, tick + 50, "malformed");
  expect_only_it_is_closed(f, 2, 120, "malformed message");
}

TEST(many_lying_peers_make_the_host_re_simulate_few_ticks) {
  fixture_t *f = start(1, "20ms,0ms,0%", 7);
  f->has_bad_peer = true;
  fixture_run(f, 60);
  for (uint32_t second = 0; second < 8; ++second) {
    for (uint32_t i = 1; i <= 7; ++i)
      send_about_tick(f, i, MATCH_MESSAGE_DESYNC, fixture_status(f, 0).tick - i, "\x07");
    fixture_run(f, 64);
  }
  assert_int_equal(f->machines[0].failed, 0);
  assert_in_range(f->machines[0].traces, 12, 8 + 2 * 9); // fewer traces than the 56 reported desyncs
  fixture_free(f);
}

TEST(peer_that_sends_unknown_messages_is_disconnected) {
  fixture_t *f = start(1, "40ms,10ms,1%", 2);
  match_push(&f->machines[2].match->connections[0], 77, "hello", 5);
  expect_only_it_is_closed(f, 2, 120, "unknown message");
}

TEST(peer_that_acknowledges_nothing_is_disconnected) {
  fixture_t *f = start(1, "40ms,10ms,1%", 2);
  f->machines[2].match->has_state = false; // stands for a snapshot that has not arrived
  expect_only_it_is_closed(f, 2, 900, "acknowledged nothing");
}

TEST(peer_that_floods_with_commands_delays_only_itself) {
  fixture_t *f = start(1, "40ms,10ms,1%", 2);
  uint8_t bytes[MATCH_MAX_COMMAND_BYTES] = {255, 255, 255, 127};
  uint32_t accepted = 0;
  f->machines[2].is_on = false;
  for (uint32_t step = 0; step < 300; ++step) {
    machine_t *bad = &f->machines[2];
    seal_event_t event;
    for (uint32_t i = 0; i < 100; ++i) {
      memcpy(bytes + 4, &accepted, 4);
      accepted += match_add_command(bad->match, 0, bytes, sizeof bytes);
    }
    while (seal_poll(bad->seal, f->now_us, &event))
      machine_handle(bad, &event);
    match_update(bad->match, f->now_us);
    machine_send(bad);
    fixture_step(f);
  }
  assert_true(accepted > 300);
  assert_int_equal(f->machines[0].state.wrong_commands, 0);
  assert_int_equal(f->machines[0].failed, 0);
  assert_true(fixture_status(f, 1).is_playing);
  assert_in_range(f->machines[0].match->memory.bytes, 1, 6u << 20);
  fixture_run(f, 60 * 12);
  finish(f);
}

// --- slow machines and connections

// A peer joins over 45 KB per second while the host plays. Returns the number of ticks until the peer plays or is
// disconnected; 0 if neither happens within `max_ticks`.
static uint32_t join_slowly(fixture_t *f, uint32_t max_ticks) {
  machine_start(f, MATCH_HOST, 1);
  f->machines[0].incarnation = 1;
  link_sim_set_conditions(f->sim, &(link_sim_conditions_t){.round_trip_us = 40000, .bytes_per_s = 45000});
  machine_start(f, MATCH_PEER, 1);
  machine_join(&f->machines[1]);
  for (uint32_t i = 1; i <= max_ticks; ++i) {
    fixture_step(f);
    if (fixture_status(f, 1).is_playing || f->machines[0].failed > 0)
      return i;
  }
  return 0;
}

// At 45,000 bytes per second, the snapshot takes 11 s. A peer that acknowledges nothing for 10 s has stalled.
TEST(peer_joins_although_the_snapshot_takes_longer_than_a_stall) {
  fixture_t *f = fixture_create(1, "40ms,0ms,0%");
  f->snapshot_bytes = 500000;
  assert_in_range(join_slowly(f, 1500), 601, 1500);
  assert_true(fixture_status(f, 1).is_playing);
  finish(f);
}

TEST(peer_joins_with_a_snapshot_that_takes_a_minute) {
  fixture_t *f = fixture_create(1, "40ms,0ms,0%");
  f->snapshot_bytes = 2200000;
  assert_in_range(join_slowly(f, 4000), 2400, 4000);
  assert_true(fixture_status(f, 1).is_playing);
  finish(f);
}

TEST(peer_knows_how_much_of_the_state_has_arrived) {
  fixture_t *f = fixture_create(1, "40ms,0ms,0%");
  f->snapshot_bytes = 500000;
  assert_int_equal(join_slowly(f, 300), 0);
  size_t before = fixture_status(f, 1).loaded_bytes;
  assert_int_equal(fixture_status(f, 1).loading_bytes, f->snapshot_bytes);
  assert_in_range(before, 100000, 300000);
  fixture_run(f, 60);
  assert_in_range(fixture_status(f, 1).loaded_bytes, before + 20000, before + 60000);
  fixture_run(f, 900);
  assert_int_equal(fixture_status(f, 1).loading_bytes, 0);
  finish(f);
}

static uint32_t written_snapshots;

static size_t count_snapshot(void *context, const uint8_t **bytes) {
  ++written_snapshots;
  return model_write_snapshot(context, bytes);
}

// The peer asks for the state in each of these ways: DROPPED, a desync, and joining again.
TEST(machine_gets_at_most_eight_snapshots_per_minute) {
  fixture_t *f = start(1, "40ms,0ms,0%", 1);
  f->has_bad_peer = true;
  f->machines[1].plant_tick = 1; // the ticks are confirmed again
  f->machines[0].match->desc.world.write_snapshot = count_snapshot;
  written_snapshots = 0;
  for (uint32_t second = 0; second < 60; ++second) {
    machine_t *peer = &f->machines[1];
    if (second % 3 == 0)
      peer->match->has_dropped = true;
    else if (second % 3 == 1)
      peer->state.mix ^= 1;
    else
      machine_join(peer);
    fixture_run(f, 60);
  }
  assert_in_range(written_snapshots, 4, 8);
  assert_int_equal(f->machines[0].failed, 0);
  fixture_run(f, 60 * 20);
  assert_true(fixture_status(f, 1).is_playing);
  fixture_free(f);
}

TEST(machines_that_join_in_the_same_second_share_a_snapshot) {
  fixture_t *f = start(1, "40ms,0ms,0%", 1);
  fixture_run(f, 90);
  f->machines[0].match->desc.world.write_snapshot = count_snapshot;
  written_snapshots = 0;
  for (uint32_t i = 2; i < 5; ++i) {
    machine_start(f, MATCH_PEER, 1);
    machine_join(&f->machines[i]);
    fixture_run(f, 12);
  }
  fixture_run(f, 300);
  assert_int_equal(written_snapshots, 1);
  assert_int_equal(fixture_status(f, 0).present, 31);
  finish(f);
}

TEST(peer_whose_connection_is_too_slow_for_the_state_is_disconnected) {
  fixture_t *f = fixture_create(1, "40ms,0ms,0%");
  f->snapshot_bytes = 6500000;
  f->has_bad_peer = true;
  assert_in_range(join_slowly(f, 900), 600, 900);
  assert_string_equal(f->machines[0].problem, "the connection is too slow for the state of this game");
  fixture_free(f);
}

// A machine that confirms 20 of 60 ticks per second gets snapshots, from which it continues.
TEST(peer_that_is_too_slow_for_the_ticks_stays_in_the_match) {
  fixture_t *f = start(1, "40ms,10ms,1%", 2);
  f->machines[2].is_slow = true;
  f->machines[2].frame_ticks = 3;
  fixture_run(f, 60 * 120);
  assert_int_equal(f->machines[2].lost + f->machines[0].failed, 0);
  assert_int_equal(fixture_status(f, 0).present, 7);
  assert_in_range(f->machines[2].state.tick, fixture_status(f, 0).tick - 2048, fixture_status(f, 0).tick);
  f->machines[2].is_slow = false;
  f->machines[2].frame_ticks = 1;
  fixture_run(f, 600);
  assert_true(fixture_status(f, 2).is_playing);
  finish(f);
}

static void add_large_command(machine_t *machine) {
  uint8_t bytes[MATCH_MAX_COMMAND_BYTES] = {0};
  model_command_t command = {machine->incarnation, machine->sequence};
  memcpy(bytes, &command, sizeof command);
  machine->sequence += machine->sequence > 0 && match_add_command(machine->match, 0, bytes, sizeof bytes);
}

// A second of commands is more than the log of a peer holds. What the peer has acknowledged must stay there.
TEST(peer_that_runs_a_frame_per_second_keeps_all_large_commands) {
  fixture_t *f = fixture_create(1, "40ms,0ms,0%");
  f->stream_bytes = STREAM_MAX_BUFFER_BYTES;
  machine_start(f, MATCH_HOST, 1);
  f->machines[0].incarnation = 1;
  for (uint32_t i = 1; i < 8; ++i) {
    machine_start(f, MATCH_PEER, 1);
    machine_join(&f->machines[i]);
    fixture_run(f, 30);
  }
  f->machines[7].frame_ticks = 60;
  for (uint32_t step = 0; step < 1200; ++step) {
    for (uint32_t i = 0; i < 7; ++i)
      add_large_command(&f->machines[i]);
    fixture_step(f);
  }
  f->machines[7].frame_ticks = 1;
  assert_int_equal(f->machines[7].failed, 0);
  assert_true(f->machines[0].state.commands[1] > 600);
  fixture_run(f, 600);
  assert_true(fixture_status(f, 7).is_playing);
  finish(f);
}

// --- random sessions

// Returns the number of commands of a machine's first player in the host's world.
static uint32_t count_commands(fixture_t *f, uint32_t machine) {
  return f->machines[0].state.commands[__builtin_ctz(fixture_status(f, machine).players)];
}

// All machines send as many commands as an input may contain, more than fit into the host's records.
TEST(commands_of_32_players_wait_in_turn_for_space_in_a_record) {
  enum { MACHINES = 32 };
  fixture_t *f = start_32_players(1, "10ms,0ms,0%", MACHINES);
  uint32_t counts[MACHINES], min = UINT32_MAX, max = 0, total = 0;
  fixture_run(f, 300); // each machine has sent a command
  for (uint32_t i = 0; i < MACHINES; ++i)
    counts[i] = count_commands(f, i + 1);
  for (uint32_t step = 0; step < 240; ++step) {
    for (uint32_t i = 1; i <= MACHINES; ++i)
      for (uint32_t k = 0; k < 4; ++k)
        add_large_command(&f->machines[i]);
    fixture_step(f);
  }
  for (uint32_t i = 0; i < MACHINES; ++i) {
    counts[i] = count_commands(f, i + 1) - counts[i];
    min = counts[i] < min ? counts[i] : min;
    max = counts[i] > max ? counts[i] : max;
    total += counts[i];
  }
  assert_in_range(total, 240 * 18, 240 * 26); // the records are full: 5,800 bytes contain 24 commands
  assert_in_range(max, min, min + min / 2);
  fixture_run(f, 300);
  assert_int_equal(f->machines[0].state.wrong_commands, 0);
  finish(f);
}

// SHOAL_MATCH_SESSIONS=COUNT[,FIRST] sets the number of sessions and their first seed, for long campaigns.
TEST(random_sessions_agree_and_lose_nothing) {
  uint64_t count = 10, first = 1;
  sessions_read_range("SHOAL_MATCH_SESSIONS", &count, &first);
  for (uint64_t seed = first; seed < first + count; ++seed) {
    fixture_t *f = session_create(seed);
    session_run(f);
    fixture_free(f);
  }
}
