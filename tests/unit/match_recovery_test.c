// Matches that a store keeps: crashes at random ticks, recoveries, and malformed rows. See match_fixture.h.
// slow: takes seconds under the sanitizers
#include "match_fixture.h"

#include "match/match_message.h"
#include "match/match_state.h"

#define MAX_BLOCKS 1024u
#define COMMIT_TICKS 15u // ticks between two commits

// A store in memory: a snapshot, the committed blocks after it, and the records that wait for the next commit.
typedef struct store_t {
  match_snapshot_t snapshot;
  uint8_t *state; // copy of the snapshot's state
  struct {
    uint8_t *bytes;
    size_t size;
  } blocks[MAX_BLOCKS];
  uint32_t block_count;
  uint8_t open[1 << 20]; // the block that is not yet committed
  size_t open_bytes;
  record_coder_t coder;
  uint64_t next;         // number of the next record to store
  uint64_t acknowledged; // tick of the last committed record
  uint64_t tick;         // tick of the last stored record
} store_t;

static void drop_blocks(store_t *s) {
  for (uint32_t i = 0; i < s->block_count; ++i)
    free(s->blocks[i].bytes);
  s->block_count = 0;
}

static void free_store(store_t *s) {
  drop_blocks(s);
  free(s->state);
  free(s);
}

static void drop_open_records(store_t *s, uint64_t next) {
  s->open_bytes = 0;
  s->coder = (record_coder_t){0};
  s->next = next;
}

static void commit(store_t *s) {
  if (s->open_bytes == 0)
    return;
  assert_true(s->block_count < MAX_BLOCKS);
  s->blocks[s->block_count].bytes = malloc(s->open_bytes);
  memcpy(s->blocks[s->block_count].bytes, s->open, s->open_bytes);
  s->blocks[s->block_count++].size = s->open_bytes;
  s->acknowledged = s->tick;
  drop_open_records(s, s->next);
}

static void store_records(store_t *s, const match_o *m) {
  record_t record;
  for (; match_get_record(m, s->next, &record); ++s->next) {
    size_t size = record_write(&s->coder, &record, s->open + s->open_bytes, sizeof s->open - s->open_bytes);
    assert_true(size > 0);
    s->open_bytes += size;
    s->tick = record.kind == RECORD_TICK ? record.tick : s->tick;
  }
}

static void store_snapshot(store_t *s, match_o *m) {
  match_take_snapshot(m, &s->snapshot);
  s->state = realloc(s->state, s->snapshot.state_bytes);
  memcpy(s->state, s->snapshot.state, s->snapshot.state_bytes);
  s->acknowledged = s->tick = s->snapshot.tick;
  drop_blocks(s);
  drop_open_records(s, s->snapshot.next);
}

// Starts a host without players and `peers` peers with a player each.
static fixture_t *start(uint64_t seed, const char *conditions, uint32_t peers, store_t **store) {
  fixture_t *f = fixture_create(seed, conditions);
  machine_start(f, MATCH_HOST, 0);
  *store = calloc(1, sizeof **store);
  for (uint32_t i = 1; i <= peers; ++i) {
    machine_start(f, MATCH_PEER, 1);
    machine_join(&f->machines[i]);
  }
  store_snapshot(*store, f->machines[0].match);
  return f;
}

static void run(fixture_t *f, store_t *s, uint32_t ticks) {
  for (uint32_t i = 0; i < ticks; ++i) {
    fixture_step(f);
    store_records(s, f->machines[0].match);
    if (f->ticks % COMMIT_TICKS == 0)
      commit(s);
  }
}

// Replaces the host's match with a peer that recovers from the store. Returns false with a message on failure.
static bool recover(fixture_t *f, store_t *s, error_info_t *error) {
  machine_t *host = &f->machines[0];
  match_destroy(host->match);
  host->state = (model_state_t){0};
  host->is_counting = false;
  host->match = machine_create_match(host, MATCH_PEER, 0);
  bool ok = match_recover_begin(host->match, f->now_us, s->snapshot.head, s->snapshot.head_bytes, s->state,
                                s->snapshot.state_bytes, error);
  for (uint32_t i = 0; i < s->block_count && ok; ++i)
    ok = match_recover_block(host->match, f->now_us, s->blocks[i].bytes, s->blocks[i].size, error);
  return ok;
}

// Simulates the end of the host's process: a new process recovers the match, and the peers join it again.
static void crash(fixture_t *f, store_t *s) {
  uint8_t secret[SEAL_KEY_BYTES] = {(uint8_t)f->ticks, 9};
  error_info_t error = {0};
  machine_t *host = &f->machines[0];
  seal_destroy(host->seal);
  memset(host->peers, 0, sizeof host->peers);
  if (!recover(f, s, &error))
    fail_msg("%s", error.text);
  assert_int_equal(host->desyncs, 0);
  assert_int_equal(fixture_status(f, 0).tick, s->acknowledged);
  assert_int_equal(model_hash(&host->state), f->models[s->acknowledged]);
  match_continue_as_host(host->match, f->now_us, secret);
  drop_open_records(s, fixture_status(f, 0).next_number);
  host->seal = seal_create(
      &(seal_desc_t){.link = host->link, .is_host = true, .max_peers = MATCH_MAX_CONNECTIONS + SEAL_MAX_WAITING}, NULL);
  for (uint32_t i = 1; i < f->count; ++i) {
    machine_t *peer = &f->machines[i];
    peer->plant_tick = UINT64_MAX; // not checked, because the state may contain ticks that the crash has undone
    peer->confirmed = 0;
    seal_close(peer->seal, f->now_us, peer->host_peer, 0);
    machine_drop(peer, peer->host_peer, true);
    machine_join(peer);
  }
}

// Runs until all peers play again, and checks their states from then on.
static void wait_for_peers(fixture_t *f, store_t *s, player_mask_t players) {
  for (uint32_t ticks = 0; ticks < 600; ++ticks) {
    uint32_t playing = 0;
    run(f, s, 1);
    for (uint32_t i = 1; i < f->count; ++i)
      playing += fixture_status(f, i).is_playing && fixture_status(f, i).has_state;
    if (playing == f->count - 1 && fixture_status(f, 0).connected == players)
      break;
  }
  assert_int_equal(fixture_status(f, 0).connected, players);
  for (uint32_t i = 1; i < f->count; ++i)
    f->machines[i].plant_tick = 0;
}

TEST(match_survives_crashes_at_random_ticks_with_its_players) {
  store_t *s;
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    fixture_t *f = start(seed, "60ms,20ms,3%", 3, &s);
    uint64_t undone = 0;
    wait_for_peers(f, s, 7);
    for (uint32_t round = 0; round < 4; ++round) {
      player_mask_t players[4];
      for (uint32_t i = 1; i < f->count; ++i)
        players[i] = fixture_status(f, i).players;
      run(f, s, 20 + below(f, 200));
      if (below(f, 2))
        store_snapshot(s, f->machines[0].match);
      run(f, s, below(f, 100));
      uint64_t crashed = fixture_status(f, 0).tick;
      crash(f, s);
      assert_int_equal(fixture_status(f, 0).present, 7);
      undone += crashed - s->acknowledged;
      wait_for_peers(f, s, 7);
      for (uint32_t i = 1; i < f->count; ++i)
        assert_int_equal(fixture_status(f, i).players, players[i]);
    }
    assert_in_range(undone, 1, 4 * COMMIT_TICKS);
    f->is_quiet = true;
    run(f, s, 120);
    fixture_free(f);
    free_store(s);
  }
}

TEST(paused_match_is_recovered_as_paused) {
  store_t *s;
  fixture_t *f = start(1, "40ms,0ms,0%", 1, &s);
  wait_for_peers(f, s, 1);
  match_add_record(f->machines[0].match, f->now_us, RECORD_PAUSE);
  run(f, s, COMMIT_TICKS);
  uint64_t tick = fixture_status(f, 0).tick;
  crash(f, s);
  assert_true(fixture_status(f, 0).is_paused);
  run(f, s, 60);
  assert_int_equal(fixture_status(f, 0).tick, tick);
  match_add_record(f->machines[0].match, f->now_us, RECORD_RESUME);
  wait_for_peers(f, s, 1);
  store_snapshot(s, f->machines[0].match);
  fixture_free(f);
  free_store(s);
}

TEST(lost_players_leave_a_minute_after_the_recovery) {
  store_t *s;
  fixture_t *f = start(1, "40ms,0ms,0%", 2, &s);
  wait_for_peers(f, s, 3);
  run(f, s, COMMIT_TICKS); // commits the joins
  crash(f, s);
  f->machines[1].is_on = false;
  run(f, s, (uint32_t)(MATCH_REJOIN_US / TICK_US) - 60);
  assert_int_equal(__builtin_popcount(fixture_status(f, 0).present), 2);
  run(f, s, 120);
  assert_int_equal(__builtin_popcount(fixture_status(f, 0).present), 1);
  fixture_free(f);
  free_store(s);
}

TEST(recovery_continues_with_its_own_state_after_a_different_hash) {
  store_t *s;
  uint8_t secret[SEAL_KEY_BYTES] = {3};
  error_info_t error = {0};
  fixture_t *f = start(1, "40ms,0ms,0%", 1, &s);
  wait_for_peers(f, s, 1);
  run(f, s, 60);
  f->has_bad_peer = true;
  f->machines[0].plant_tick = s->acknowledged - 10;
  assert_true(recover(f, s, &error));
  machine_count_events(&f->machines[0]);
  assert_int_equal(f->machines[0].desyncs, 1);
  assert_int_equal(fixture_status(f, 0).tick, s->acknowledged);
  assert_true(model_hash(&f->machines[0].state) != f->models[s->acknowledged]);
  match_continue_as_host(f->machines[0].match, f->now_us, secret);
  assert_false(fixture_status(f, 0).is_repairing);
  // A snapshot of this state has no hash, so that peers accept it.
  error = (error_info_t){0};
  store_snapshot(s, f->machines[0].match);
  if (!recover(f, s, &error))
    fail_msg("%s", error.text);
  fixture_free(f);
  free_store(s);
}

// --- malformed rows

static void expect_failure(fixture_t *f, store_t *s, const char *problem) {
  error_info_t error = {0};
  assert_false(recover(f, s, &error));
  if (!strstr(error.text, problem))
    fail_msg("expected “%s”, got “%s”", problem, error.text);
}

static void swap_blocks(store_t *s, uint32_t a, uint32_t b) {
  uint8_t *bytes = s->blocks[a].bytes;
  size_t size = s->blocks[a].size;
  s->blocks[a] = s->blocks[b];
  s->blocks[b].bytes = bytes;
  s->blocks[b].size = size;
}

TEST(recovery_names_the_first_malformed_or_missing_record) {
  store_t *s;
  fixture_t *f = start(1, "40ms,0ms,0%", 1, &s);
  wait_for_peers(f, s, 1);
  run(f, s, 100);
  assert_true(s->block_count > 4);
  s->blocks[2].size -= 1;
  expect_failure(f, s, " is malformed");
  s->blocks[2].size += 1;
  swap_blocks(s, 1, 2);
  expect_failure(f, s, "expected record ");
  swap_blocks(s, 1, 2);
  s->snapshot.head_bytes -= 1;
  expect_failure(f, s, "the head of the snapshot is malformed");
  s->snapshot.head_bytes += 1;
  s->snapshot.state_bytes -= 1;
  expect_failure(f, s, "but its head requires");
  s->snapshot.state_bytes += 1;
  error_info_t error = {0};
  if (!recover(f, s, &error))
    fail_msg("%s", error.text);
  fixture_free(f);
  free_store(s);
}

TEST(state_with_a_different_hash_is_rejected) {
  store_t *s;
  fixture_t *f = start(1, "40ms,0ms,0%", 1, &s);
  wait_for_peers(f, s, 1);
  store_snapshot(s, f->machines[0].match);
  s->state[offsetof(model_state_t, mix)] ^= 1;
  expect_failure(f, s, "has the hash ");
  fixture_free(f);
  free_store(s);
}

// --- records and snapshots

TEST(records_are_found_by_number_until_the_log_drops_them) {
  store_t *s;
  record_t record;
  fixture_t *f = start(1, "40ms,0ms,0%", 1, &s);
  wait_for_peers(f, s, 1);
  const match_o *m = f->machines[0].match;
  uint64_t next = fixture_status(f, 0).next_number;
  assert_true(match_get_record(m, next - 1, &record));
  assert_int_equal(record.number, next - 1);
  assert_int_equal(record.tick, fixture_status(f, 0).tick);
  assert_true(match_get_record(m, 1, &record));
  assert_false(match_get_record(m, 0, &record));
  assert_false(match_get_record(m, next, &record));
  run(f, s, 4096);
  assert_false(match_get_record(m, 1, &record));
  fixture_free(f);
  free_store(s);
}

// --- rooms

TEST(host_that_owns_the_code_closes_the_connection_of_a_proposer) {
  store_t *s;
  model_code_t code = {.value = 7};
  fixture_t *f = start(1, "40ms,0ms,0%", 2, &s);
  f->machines[0].match->desc.owns_code = true;
  wait_for_peers(f, s, 3);
  f->has_bad_peer = true;
  assert_true(match_propose_code(f->machines[1].match, (const uint8_t *)&code, sizeof code));
  run(f, s, 60);
  assert_int_equal(f->machines[0].failed, 1);
  assert_int_equal(__builtin_popcount(fixture_status(f, 0).connected), 1);
  assert_int_equal(f->machines[2].refusals + f->machines[2].reloads, 0);
  fixture_free(f);
  free_store(s);
}

TEST(recovery_passes_a_reload_only_with_its_code) {
  store_t *s;
  error_info_t error = {0};
  model_code_t code = {.value = 5};
  fixture_t *f = start(1, "40ms,0ms,0%", 1, &s);
  machine_t *host = &f->machines[0];
  host->match->desc.owns_code = true;
  wait_for_peers(f, s, 1);
  assert_true(match_propose_code(host->match, (const uint8_t *)&code, sizeof code));
  run(f, s, 60 + COMMIT_TICKS);
  assert_int_equal(host->code.value, 5);
  uint64_t tick = s->acknowledged;
  f->has_bad_peer = true;
  host->code.value = 0;
  expect_failure(f, s, " cannot run");
  match_destroy(host->match);
  host->state = (model_state_t){0};
  host->is_counting = false;
  host->match = machine_create_match(host, MATCH_PEER, 0);
  assert_true(match_recover_begin(host->match, f->now_us, s->snapshot.head, s->snapshot.head_bytes, s->state,
                                  s->snapshot.state_bytes, &error));
  host->trial = code;
  match_recover_code(host->match, code.value + 1);
  for (uint32_t i = 0; i < s->block_count; ++i)
    if (!match_recover_block(host->match, f->now_us, s->blocks[i].bytes, s->blocks[i].size, &error))
      fail_msg("%s", error.text);
  assert_int_equal(host->code.value, 5);
  assert_int_equal(fixture_status(f, 0).tick, tick);
  fixture_free(f);
  free_store(s);
}

TEST(match_with_a_first_number_is_recovered) {
  store_t *s = calloc(1, sizeof *s);
  fixture_t *f = fixture_create(1, "40ms,0ms,0%");
  machine_start(f, MATCH_HOST, 0);
  machine_t *host = &f->machines[0];
  match_desc_t desc = host->match->desc;
  uint8_t secret[SEAL_KEY_BYTES] = {1};
  desc.secret = secret;
  desc.name = NULL;
  desc.first_number = 1000;
  match_destroy(host->match);
  host->match = match_create(&desc, 0, f->now_us);
  machine_start(f, MATCH_PEER, 1);
  machine_join(&f->machines[1]);
  store_snapshot(s, host->match);
  assert_int_equal(s->snapshot.next, 1000);
  wait_for_peers(f, s, 1);
  run(f, s, 60);
  crash(f, s);
  assert_true(fixture_status(f, 0).next_number > 1060);
  wait_for_peers(f, s, 1);
  fixture_free(f);
  free_store(s);
}

// The world of a room changes when the room wakes.
TEST(peers_accept_a_world_that_was_changed_between_two_ticks) {
  store_t *s;
  fixture_t *f = start(1, "40ms,0ms,0%", 1, &s);
  machine_t *host = &f->machines[0];
  uint8_t secret[SEAL_KEY_BYTES] = {4};
  error_info_t error = {0};
  wait_for_peers(f, s, 1);
  run(f, s, 60);
  if (!recover(f, s, &error))
    fail_msg("%s", error.text);
  match_continue_as_host(host->match, f->now_us, secret);
  host->state.mix ^= 5;
  match_note_changed_world(host->match);
  store_snapshot(s, host->match);
  if (!recover(f, s, &error))
    fail_msg("%s", error.text);
  assert_int_equal(fixture_status(f, 0).tick, s->acknowledged);
  fixture_free(f);
  free_store(s);
}
