// Matches over sealed sessions on a simulated network: see match_fixture.h.
#include "match_fixture.h"

// A host and `peers` peers with a player each, all of which have joined.
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

static void two_machines_play_without_waiting_on_a_good_network(void **state) {
  (void)state;
  fixture_t *f = start(1, "40ms,10ms,1%", 1);
  uint64_t waits = fixture_status(f, 1).waits;
  fixture_run(f, 600);
  match_status_t status = fixture_status(f, 1);
  assert_int_equal(status.waits, waits);
  assert_true(status.rollbacks > 0);
  assert_true(status.predicted_tick > status.tick);
  finish(f);
}

// --- random sessions

// What happens in a session besides playing.
typedef struct plan_t {
  uint32_t peers;
  char conditions[64];
  uint32_t join_tick[MAX_MACHINES], leave_tick[MAX_MACHINES], cut_tick[MAX_MACHINES]; // 0: never
  uint32_t host_loss_tick;
} plan_t;

static void make_plan(fixture_t *f, plan_t *p) {
  *p = (plan_t){.peers = 1 + below(f, 7)};
  for (uint32_t i = 1; i <= p->peers; ++i) {
    p->join_tick[i] = below(f, 2) ? 1 : 1 + below(f, 300);
    p->leave_tick[i] = below(f, 8) ? 0 : 150 + below(f, 400);
    p->cut_tick[i] = below(f, 8) ? 0 : 150 + below(f, 300);
  }
  p->host_loss_tick = below(f, 8) ? 0 : 200 + below(f, 300);
}

// Conditions from a perfect network to 150 ± 60 ms in each direction with 20 % loss.
static void make_conditions(uint64_t seed, char *out, size_t size) {
  random_t random;
  random_seed(&random, seed ^ 0x5eed);
  uint32_t round_trip_ms = random_u32(&random) % 301, loss = random_u32(&random) % 21;
  snprintf(out, size, "%ums,%ums,%u%%,%u%%,%u%%", round_trip_ms, round_trip_ms * 2 / 5, loss, random_u32(&random) % 3,
           random_u32(&random) % 3);
}

static void run_plan_of(fixture_t *f, const plan_t *p, uint32_t i, uint32_t tick) {
  machine_t *machine = &f->machines[i];
  if (!machine->is_on || i == f->host)
    return;
  if (tick == p->join_tick[i])
    machine_join(machine);
  if (tick == p->leave_tick[i])
    match_leave(machine->match);
  if (tick == p->cut_tick[i] && machine->host_peer != 0 && !p->leave_tick[i]) { // a crash: the host is not notified
    link_sim_disconnect(f->sim, &machine->address, true);
    seal_close(machine->seal, f->now_us, machine->host_peer);
    machine_drop(machine, machine->host_peer, true);
    link_sim_disconnect(f->sim, &machine->address, false);
    machine_join(machine);
  }
  if (fixture_status(f, i).has_left) {
    seal_close(machine->seal, f->now_us, machine->host_peer);
    machine_drop(machine, machine->host_peer, false);
    machine->is_on = false;
  }
}

// The host vanishes. Its peers notice it, the one with the latest tick continues, and the others join it.
static void lose_host(fixture_t *f) {
  uint8_t secret[SEAL_KEY_BYTES] = {7};
  uint32_t best = 0;
  f->machines[f->host].is_on = false;
  fixture_run(f, (uint32_t)(MATCH_LOST_US / TICK_US) + 30);
  for (uint32_t i = 0; i < f->count; ++i) {
    machine_t *machine = &f->machines[i];
    if (!machine->is_on)
      continue;
    if (machine->host_peer != 0 && !fixture_status(f, i).is_lost)
      FIXTURE_FAIL(f, "machine %u has not lost the host", i);
    if (fixture_status(f, i).players & fixture_status(f, i).present)
      best = best == 0 || fixture_status(f, i).tick > fixture_status(f, best).tick ? i : best;
  }
  if (best == 0) {
    f->machines[f->host].is_on = true;
    return;
  }
  f->host = best;
  match_continue_as_host(f->machines[best].match, f->now_us, secret);
  machine_drop(&f->machines[best], f->machines[best].host_peer, true);
  for (uint32_t i = 0; i < f->count; ++i) {
    machine_t *machine = &f->machines[i];
    ++machine->incarnation;
    machine->sequence = 0;
    memset(machine->presses, 0, sizeof machine->presses);
    if (i == best || !machine->is_on)
      continue;
    seal_close(machine->seal, f->now_us, machine->host_peer);
    machine_drop(machine, machine->host_peer, true);
    machine_join(machine);
  }
}

// Waits until all machines have joined, or are in the state that they should have at the end.
static void wait_for_all(fixture_t *f, const plan_t *p) {
  for (uint32_t tick = 0; tick < 60 * 40; ++tick) {
    uint32_t missing = 0;
    for (uint32_t i = 1; i <= p->peers; ++i) {
      match_status_t status = fixture_status(f, i);
      missing += f->machines[i].is_on && i != f->host &&
                 (!status.is_playing || status.players == 0 || (status.present & status.players) != status.players);
      if (f->machines[i].is_on && i != f->host && f->machines[i].host_peer == 0)
        machine_join(&f->machines[i]);
      run_plan_of(f, p, i, UINT32_MAX);
    }
    if (missing == 0)
      return;
    fixture_step(f);
  }
  for (uint32_t i = 1; i <= p->peers; ++i) {
    match_status_t status = fixture_status(f, i);
    if (f->machines[i].is_on && i != f->host && !status.is_playing)
      FIXTURE_FAIL(f, "machine %u hangs at tick %llu (host: %llu), lost %u", i, (unsigned long long)status.tick,
                   (unsigned long long)fixture_status(f, f->host).tick, status.is_lost);
  }
  for (uint32_t i = 0; i <= p->peers; ++i) {
    match_status_t status = fixture_status(f, i);
    print_message("machine %u: on %u, peer %u, playing %u, lost %u, players %x, present %x, refused %u: %s\n", i,
                  f->machines[i].is_on, f->machines[i].host_peer, status.is_playing, status.is_lost, status.players,
                  status.present, f->machines[i].refused, f->machines[i].problem);
  }
  FIXTURE_FAIL(f, "a player of %u peers has not joined", p->peers);
}

static void run_session(uint64_t seed) {
  plan_t p;
  char conditions[64];
  make_conditions(seed, conditions, sizeof conditions);
  fixture_t *f = fixture_create(seed, conditions);
  make_plan(f, &p);
  f->snapshot_bytes += below(f, 4) ? 0 : below(f, 60000);
  machine_start(f, MATCH_HOST, 1 + below(f, 8 - p.peers));
  f->machines[0].incarnation = 1;
  for (uint32_t i = 1; i <= p.peers; ++i) {
    machine_start(f, MATCH_PEER, 1);
    f->machines[i].phase = below(f, 4);
    f->machines[i].frame_ticks = below(f, 10) ? 1 : 2 + below(f, 6); // a slow machine
  }
  for (uint32_t tick = 1; tick <= 600; ++tick) {
    for (uint32_t i = 1; i <= p.peers; ++i)
      run_plan_of(f, &p, i, tick);
    if (tick == p.host_loss_tick)
      lose_host(f);
    fixture_step(f);
  }
  wait_for_all(f, &p);
  f->is_quiet = true;
  fixture_run(f, 240);
  for (uint32_t i = 0; i < f->count; ++i)
    if (f->machines[i].is_on)
      machine_check_counts(&f->machines[i]);
  fixture_free(f);
}

// SHOAL_MATCH_SESSIONS=COUNT[,FIRST] runs other sessions, for long campaigns.
static void random_sessions_agree_and_lose_nothing(void **state) {
  (void)state;
  const char *text = getenv("SHOAL_MATCH_SESSIONS");
  uint64_t count = 100, first = 1;
  if (text) {
    char *end;
    count = strtoull(text, &end, 10);
    first = *end == ',' ? strtoull(end + 1, NULL, 10) : 1;
  }
  for (uint64_t seed = first; seed < first + count; ++seed)
    run_session(seed);
}

int match_tests(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(two_machines_play_without_waiting_on_a_good_network),
      cmocka_unit_test(random_sessions_agree_and_lose_nothing),
  };
  return cmocka_run_group_tests_name("match", tests, NULL, NULL);
}
