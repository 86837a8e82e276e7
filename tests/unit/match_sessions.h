// Random sessions of 2 to 8 machines over 600 ticks: joins, leaves, crashes, slow machines and the loss of the host, on
// networks from a perfect one to 150 ± 60 ms in each direction with 20 % loss. A seed determines the session. The
// fixture checks each tick; the end of a session checks that no press or command was lost.
#ifndef SHOAL_TESTS_MATCH_SESSIONS_H
#define SHOAL_TESTS_MATCH_SESSIONS_H

#include "match_fixture.h"

// Events of a session: joins, leaves and crashes.
typedef struct session_plan_t {
  uint32_t peers;
  char conditions[64];
  uint32_t join_tick[MAX_MACHINES], leave_tick[MAX_MACHINES], cut_tick[MAX_MACHINES]; // ticks of events; 0: never
  uint32_t host_loss_tick;
} session_plan_t;

// Returns the number of peers. Games take much more time than the model, so most sessions of games have few machines.
// Of 20 sessions in a row, two have 8 machines.
static inline uint32_t session_choose_peers(fixture_t *f) {
  static const uint8_t of_games[] = {2, 1, 3, 1, 7, 2, 1, 4, 1, 5, 2, 1, 3, 1, 7, 1, 2, 6, 1, 4};
  return f->create_game ? of_games[(f->seed - 1) % sizeof of_games] : 1 + below(f, 7);
}

static inline void session_make_plan(fixture_t *f, session_plan_t *p) {
  uint32_t rarity = f->create_game ? 4 : 8; // sessions of real games are fewer, so their events are more frequent
  *p = (session_plan_t){.peers = session_choose_peers(f)};
  for (uint32_t i = 1; i <= p->peers; ++i) {
    p->join_tick[i] = below(f, 2) ? 1 : 1 + below(f, 300);
    p->leave_tick[i] = below(f, rarity) ? 0 : 150 + below(f, 400);
    p->cut_tick[i] = below(f, rarity) ? 0 : 150 + below(f, 300);
  }
  p->host_loss_tick = below(f, 8) ? 0 : 200 + below(f, 300);
}

// Writes conditions from a perfect network to 150 ± 60 ms in each direction with 20 % loss.
static inline void session_make_conditions(uint64_t seed, char *out, size_t size) {
  random_t random;
  random_seed(&random, seed ^ 0x5eed);
  uint32_t round_trip_ms = random_u32(&random) % 301, loss = random_u32(&random) % 21;
  snprintf(out, size, "%ums,%ums,%u%%,%u%%,%u%%", round_trip_ms, round_trip_ms * 2 / 5, loss, random_u32(&random) % 3,
           random_u32(&random) % 3);
}

static inline void session_follow_plan(fixture_t *f, const session_plan_t *p, uint32_t i, uint32_t tick) {
  machine_t *machine = &f->machines[i];
  if (!machine->is_on || i == f->host)
    return;
  if (tick == p->join_tick[i])
    machine_join(machine);
  if (tick == p->leave_tick[i])
    match_leave(machine->match);
  if (tick == p->cut_tick[i] && machine->host_peer != 0 && !p->leave_tick[i]) { // a crash: the host is not notified
    link_sim_disconnect(f->sim, &machine->address, true);
    seal_close(machine->seal, f->now_us, machine->host_peer, 0);
    machine_drop(machine, machine->host_peer, true);
    link_sim_disconnect(f->sim, &machine->address, false);
    machine_join(machine);
  }
  if (fixture_status(f, i).has_left) {
    seal_close(machine->seal, f->now_us, machine->host_peer, 0);
    machine_drop(machine, machine->host_peer, false);
    machine->is_on = false;
  }
}

// The host vanishes. Once its peers notice this, the peer with the latest tick continues as the host, and the remaining
// peers join it. If no peer has joined yet, the host returns.
static inline void session_lose_host(fixture_t *f) {
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
    seal_close(machine->seal, f->now_us, machine->host_peer, 0);
    machine_drop(machine, machine->host_peer, true);
    machine_join(machine);
  }
}

// Waits until all machines have joined, or are in the state that they should have at the end.
static inline void session_wait_for_all(fixture_t *f, const session_plan_t *p) {
  for (uint32_t tick = 0; tick < 60 * 40; ++tick) {
    uint32_t missing = 0;
    for (uint32_t i = 1; i <= p->peers; ++i) {
      match_status_t status = fixture_status(f, i);
      missing += f->machines[i].is_on && i != f->host &&
                 (!status.is_playing || status.players == 0 || (status.present & status.players) != status.players);
      if (f->machines[i].is_on && i != f->host && f->machines[i].host_peer == 0)
        machine_join(&f->machines[i]);
      session_follow_plan(f, p, i, UINT32_MAX);
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

// Creates the fixture of a session without machines; free it with fixture_free.
static inline fixture_t *session_create(uint64_t seed) {
  char conditions[64];
  session_make_conditions(seed, conditions, sizeof conditions);
  return fixture_create(seed, conditions);
}

static inline void session_start_machines(fixture_t *f, uint32_t peers) {
  machine_start(f, MATCH_HOST, 1 + below(f, 8 - peers));
  f->machines[0].incarnation = 1;
  for (uint32_t i = 1; i <= peers; ++i) {
    machine_start(f, MATCH_PEER, 1);
    f->machines[i].phase = below(f, 4);
    f->machines[i].frame_ticks = below(f, 10) ? 1 : 2 + below(f, 6); // one in ten machines is slow
    f->machines[i].is_slow = f->machines[i].frame_ticks > 2 && below(f, 2);
  }
}

// Runs a session. Afterwards, each machine that takes part is the host or is connected to it, and players make no
// inputs.
static inline void session_run(fixture_t *f) {
  session_plan_t p;
  session_make_plan(f, &p);
  f->snapshot_bytes += below(f, 4) ? 0 : below(f, 60000);
  f->is_sharing = below(f, 3) == 0;
  session_start_machines(f, p.peers);
  for (uint32_t tick = 1; tick <= 600; ++tick) {
    for (uint32_t i = 1; i <= p.peers; ++i)
      session_follow_plan(f, &p, i, tick);
    if (tick == p.host_loss_tick)
      session_lose_host(f);
    fixture_step(f);
  }
  for (uint32_t i = 1; i <= p.peers; ++i)
    f->machines[i].is_slow = false;
  session_wait_for_all(f, &p);
  f->is_quiet = true;
  fixture_run(f, 240);
  for (uint32_t i = 0; i < f->count; ++i)
    if (f->machines[i].is_on)
      machine_check_counts(&f->machines[i]);
}

// Reads "COUNT" or "COUNT,FIRST", the number of sessions and their first seed, from an environment variable. Keeps the
// values if it is not set.
static inline void sessions_read_range(const char *variable, uint64_t *count, uint64_t *first) {
  const char *text = getenv(variable);
  if (!text)
    return;
  char *end;
  *count = strtoull(text, &end, 10);
  *first = *end == ',' ? strtoull(end + 1, NULL, 10) : 1;
}

#endif
