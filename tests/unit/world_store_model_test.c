// Compares world stores with a naive model: three processes claim the world, start rooms, commit and end in random
// orders, with commits whose outcome they do not learn.
#include "served_fixture.h"

#include "base/random.h"

FIXTURE(fixture_t, setup, teardown)

#define PROCESSES 3u
#define ROOMS 2u

static const char *const NAMES[ROOMS] = {"mine", "town"};

typedef struct model_room_t {
  int64_t fence, serial;
  uint64_t last, snapshot;
  bool exists, has_snapshot;
} model_room_t;

typedef struct model_claim_t {
  room_claim_t claim;
  uint64_t unknown_count; // 1 + the number of records in a commit whose outcome is unknown; 0: no such commit
  bool unknown_has_snapshot;
  bool exists;
} model_claim_t;

typedef struct model_process_t {
  world_store_o *store;
  int64_t owner; // number with which it owns or has owned the world; 0: never
  model_claim_t claims[ROOMS];
} model_process_t;

typedef struct model_t {
  fixture_t *f;
  random_t random;
  int64_t owner;
  bool is_owned;
  model_room_t rooms[ROOMS];
  model_process_t processes[PROCESSES];
  uint32_t lost, done, unknown; // number of commits with each result
} model_t;

static uint32_t random_below(model_t *m, uint32_t sides) {
  return random_u32(&m->random) % sides;
}

static void claim_world(model_t *m, model_process_t *p) {
  int64_t owner = 0;
  bool takes_over = random_below(m, 2);
  bool wins = takes_over || !m->is_owned;
  assert_result(m->f, world_store_claim_world(p->store, takes_over, &owner, &m->f->error),
                wins ? STORE_DONE : STORE_LOST);
  if (!wins)
    return;
  assert_true(owner > m->owner);
  m->owner = p->owner = owner;
  m->is_owned = true;
}

static void beat(model_t *m, model_process_t *p) {
  bool owns = m->is_owned && p->owner == m->owner;
  bool releases = random_below(m, 4) == 0;
  store_result_t expected = owns ? STORE_DONE : STORE_LOST;
  if (releases)
    assert_result(m->f, world_store_release_world(p->store, p->owner, &m->f->error), expected);
  else
    assert_result(m->f, world_store_beat(p->store, p->owner, &m->f->error), expected);
  m->is_owned &= !(owns && releases);
}

static void start(model_t *m, model_process_t *p, uint32_t number) {
  model_room_t *room = &m->rooms[number];
  model_claim_t *c = &p->claims[number];
  bool owns = p->owner == m->owner;
  if (!owns && random_below(m, 8) != 0) // otherwise, few processes would still have rooms that they have lost
    return;
  assert_result(m->f, world_store_start_room(p->store, p->owner, NAMES[number], &c->claim, &m->f->error),
                owns ? STORE_DONE : STORE_LOST);
  *c = (model_claim_t){.claim = c->claim, .exists = owns};
  if (!owns)
    return;
  assert_true(c->claim.fence > room->fence);
  room->fence = c->claim.fence;
  ++room->serial;
  room->exists = true;
  assert_int_equal(c->claim.serial, room->serial);
  assert_int_equal(c->claim.last, room->last);
  assert_int_equal(c->claim.has_snapshot, room->has_snapshot);
}

// Commits a random number of records, and compares the result with the model. If the process did not
// learn the outcome of the previous commit, repeats that commit, which the model already contains.
static void commit(model_t *m, model_process_t *p, uint32_t number) {
  model_room_t *room = &m->rooms[number];
  model_claim_t *c = &p->claims[number];
  bool is_repeated = c->unknown_count > 0;
  uint32_t count = is_repeated ? (uint32_t)c->unknown_count - 1 : random_below(m, 5);
  bool has_snapshot = is_repeated ? c->unknown_has_snapshot : !c->claim.has_snapshot || random_below(m, 4) == 0;
  bool is_current = c->claim.fence == room->fence && c->claim.serial == room->serial;
  bool was_done = is_repeated && c->claim.fence == room->fence && c->claim.serial + 1 == room->serial;
  room_claim_t before = c->claim;
  assert_result(m->f, commit_records(m->f, p->store, &c->claim, count, has_snapshot),
                is_current || was_done ? STORE_DONE : STORE_LOST);
  ++*(is_current || was_done ? &m->done : &m->lost);
  if (is_current) {
    ++room->serial;
    room->last += count;
    room->snapshot = has_snapshot ? room->last : room->snapshot;
    room->has_snapshot |= has_snapshot;
  }
  c->exists = is_current || was_done; // a process that has lost its room ends
  c->unknown_count = 0;
  if (is_current && random_below(m, 3) == 0) { // the process does not learn the result
    c->claim = before;
    c->claim.is_uncertain = true;
    c->unknown_count = count + 1;
    c->unknown_has_snapshot = has_snapshot;
    ++m->unknown;
  }
  if (c->exists && c->unknown_count == 0) {
    assert_int_equal(c->claim.last, room->last);
    assert_int_equal(c->claim.serial, room->serial);
  }
}

static void load(model_t *m, model_process_t *p, uint32_t number) {
  const model_room_t *room = &m->rooms[number];
  room_image_t image = {0};
  assert_done(m->f, world_store_load_room(p->store, &(room_load_desc_t){.name = NAMES[number]}, &image, &m->f->error));
  assert_int_equal(image.has_snapshot, room->has_snapshot);
  if (room->has_snapshot)
    assert_image(&image, room->snapshot, room->last);
  room_image_free(&image);
}

// Replaces a process that has ended with a new process.
static void restart(model_t *m, model_process_t *p) {
  world_store_close(p->store);
  *p = (model_process_t){.store = open_world(m->f)};
  store_execute_script(p->store, "PRAGMA synchronous = OFF", NULL); // the orders do not depend on the disk
}

static void step(model_t *m) {
  model_process_t *p = &m->processes[random_below(m, PROCESSES)];
  uint32_t number = random_below(m, ROOMS);
  switch (random_below(m, 64)) {
  case 0:
  case 1:
  case 2: claim_world(m, p); break;
  case 3: beat(m, p); break;
  case 4: restart(m, p); break;
  case 5:
  case 6:
  case 7:
  case 8: start(m, p, number); break;
  case 9:
  case 10: load(m, p, number); break;
  default:
    if (p->claims[number].exists)
      commit(m, p, number);
  }
}

TEST_IN(stores_match_the_model_in_random_orders, fixture_t, f) {
  static model_t m;
  m = (model_t){.f = f, .owner = f->owner, .is_owned = true};
  random_seed(&m.random, 11);
  for (uint32_t i = 0; i < PROCESSES; ++i)
    restart(&m, &m.processes[i]);
  for (uint32_t i = 0; i < 20000; ++i)
    step(&m);
  assert_in_range(m.done, 1000, 20000);
  assert_in_range(m.lost, 50, 20000);
  assert_in_range(m.unknown, 100, 20000);
  for (uint32_t i = 0; i < PROCESSES; ++i)
    world_store_close(m.processes[i].store);
}
