// Claims, departures, commits, starts, pauses and losses of two rooms in random order, with one account and the real
// store. When a room that holds a visit commits, the account's row must name this visit, and no order may leave the
// account in a room that never releases it.
#include "served_fixture.h"

#include "base/random.h"
#include "served/accounts.h"

#include <sqlite3.h>

FIXTURE(fixture_t, setup, teardown)

#define ORDERS 60u // number of orders per test; 1,000 with LONG=1
#define STEPS 14u
#define PROCESSES 2u // processes of each room: the current process, and a former process that was paused
#define KEPT 2u      // number of acknowledged transactions that a failover may lose

static const char *const ROOMS[] = {"mine", "town"};
enum { MINE, TOWN, ROOM_COUNT };

// A record that is not committed: a JOIN or a LEAVE of the visit `session`.
typedef struct waiting_t {
  record_item_kind_t kind;
  int64_t session;
} waiting_t;

typedef struct process_t {
  bool exists;
  room_claim_t claim;
  int64_t session; // number of the account's visit in this process; 0: none
  waiting_t waiting[STEPS + 2];
  uint32_t waiting_count;
} process_t;

typedef struct model_t {
  fixture_t *f;
  sqlite3 *database;
  random_t random;
  process_t processes[ROOM_COUNT][PROCESSES];
  sqlite3 *former[KEPT]; // copies of the database before the latest transactions
  uint32_t former_count;
  uint32_t commits, losses, refusals;
} model_t;

static uint32_t pick(model_t *m, uint32_t count) {
  return random_u32(&m->random) % count;
}

// --- copies of the database

static void copy_database(sqlite3 *from, sqlite3 *to) {
  sqlite3_backup *backup = sqlite3_backup_init(to, "main", from, "main");
  assert_non_null(backup);
  assert_int_equal(sqlite3_backup_step(backup, -1), SQLITE_DONE);
  assert_int_equal(sqlite3_backup_finish(backup), SQLITE_OK);
}

static void keep_copy(model_t *m) {
  if (m->former_count == KEPT) {
    sqlite3_close(m->former[0]);
    memmove(m->former, m->former + 1, (KEPT - 1) * sizeof *m->former);
    --m->former_count;
  }
  sqlite3 **copy = &m->former[m->former_count++];
  assert_int_equal(sqlite3_open(":memory:", copy), SQLITE_OK);
  copy_database(m->database, *copy);
}

static void drop_copies(model_t *m) {
  while (m->former_count > 0)
    sqlite3_close(m->former[--m->former_count]);
}

// Replaces the database with a standby that lacks the latest transactions.
static void fail_over(model_t *m) {
  if (m->former_count == 0)
    return;
  copy_database(m->former[m->former_count - 1], m->database);
  drop_copies(m);
  ++m->losses;
}

// --- processes

// Returns the session of the visit that the account's row confirms in this room; 0: no visit.
static int64_t get_visit(model_t *m, const process_t *p) {
  fixture_t *f = m->f;
  int64_t session = 0;
  const store_value_t value = STORE_NUMBER(p->claim.number);
  assert_done(f, store_query_number(f->b, "SELECT COALESCE(SUM(session), 0) FROM account WHERE room = $1", &value, 1,
                                    &session, &f->error));
  return session;
}

static void write_records(process_t *p, uint8_t *bytes, size_t capacity, room_block_t *out) {
  record_coder_t coder = {0};
  *out = (room_block_t){p->claim.last + 1, p->claim.last + 1 + p->waiting_count, bytes, 0};
  for (uint32_t i = 0; i <= p->waiting_count; ++i) { // the first record has no item
    record_t record;
    int64_t visit[2] = {1, i > 0 ? p->waiting[i - 1].session : 0};
    make_record(out->first + i, &record);
    if (i > 0) {
      bool joins = p->waiting[i - 1].kind == RECORD_ITEM_JOIN;
      record.items[record.item_count++] =
          (record_item_t){p->waiting[i - 1].kind, 0, joins ? sizeof visit : 0, (const uint8_t *)visit};
      record.inputs.present = joins;
    }
    size_t size = record_write(&coder, &record, bytes + out->size, capacity - out->size);
    assert_true(size > 0);
    out->size += size;
  }
}

// Commits all waiting records with their changes, and a claim if `claims` is true. A process that has lost its room
// ends.
static void commit(model_t *m, process_t *p, bool claims) {
  static uint8_t bytes[1 << 14];
  account_leave_t leaves[STEPS + 2];
  account_claim_t claim = {.is_open = true};
  room_change_t changes[STEPS + 3];
  uint32_t count = 0;
  room_block_t block;
  test_snapshot_t snapshot;
  room_answers_t answers = {0};
  memset(claim.digest, 1, sizeof claim.digest);
  write_records(p, bytes, sizeof bytes, &block);
  make_snapshot(p->claim.last, &snapshot);
  for (uint32_t i = 0; i < p->waiting_count; ++i) {
    leaves[i] = (account_leave_t){.account = 1, .session = p->waiting[i].session};
    if (p->waiting[i].kind == RECORD_ITEM_LEAVE)
      changes[count++] = (room_change_t){ROOM_CHANGE_LEAVE, (const uint8_t *)&leaves[i], sizeof leaves[i]};
  }
  if (claims)
    changes[count++] = (room_change_t){ROOM_CHANGE_CLAIM, (const uint8_t *)&claim, sizeof claim};
  keep_copy(m);
  store_result_t result = world_store_commit(m->f->a, &p->claim,
                                             &(room_commit_t){.blocks = &block,
                                                              .block_count = 1,
                                                              .tick = block.last,
                                                              .state = ROOM_STATE_RUNNING,
                                                              .snapshot = p->claim.has_snapshot ? NULL : &snapshot.row,
                                                              .changes = changes,
                                                              .change_count = count,
                                                              .answers = &answers},
                                             &m->f->error);
  if (result != STORE_DONE) {
    assert_int_equal(result, STORE_LOST);
    ++m->refusals;
    p->exists = false;
    room_answers_free(&answers);
    return;
  }
  ++m->commits;
  p->waiting_count = 0;
  room_answer_t answer;
  for (size_t at = 0; room_answers_read(&answers, &at, &answer);) {
    account_answer_t claimed;
    if (answer.kind != ROOM_ANSWER_CLAIM)
      continue;
    memcpy(&claimed, answer.bytes, sizeof claimed);
    assert_true(claimed.outcome != ACCOUNT_UNKNOWN && claimed.outcome != ACCOUNT_HERE);
    if (claimed.outcome == ACCOUNT_GRANTED) {
      p->session = claimed.session;
      p->waiting[p->waiting_count++] = (waiting_t){RECORD_ITEM_JOIN, p->session};
    }
  }
  room_answers_free(&answers);
  if (p->session != get_visit(m, p))
    fail_msg("a process of room %s holds visit %lld, the account's row visit %lld", p->claim.name,
             (long long)p->session, (long long)get_visit(m, p));
}

// Returns the visit that the records of a room contain, as a recovery finds it.
static int64_t recover(fixture_t *f, const char *room, bool accepts_loss, room_claim_t *claim) {
  room_image_t image = {0};
  int64_t session = 0;
  assert_done(f, world_store_load_room(f->a, &(room_load_desc_t){.name = room, .accept_loss = accepts_loss}, &image,
                                       &f->error));
  for (uint32_t i = 0; i < image.block_count; ++i) {
    record_coder_t coder = {0};
    record_t record;
    for (size_t at = 0; at < image.blocks[i].size;) {
      at += record_read(&coder, image.blocks[i].bytes + at, image.blocks[i].size - at, &record);
      for (uint32_t k = 0; k < record.item_count; ++k) {
        session = 0;
        if (record.items[k].kind == RECORD_ITEM_JOIN)
          memcpy(&session, record.items[k].bytes + 8, sizeof session);
      }
    }
  }
  if (image.has_loss)
    assert_done(f, world_store_cut_room(f->a, claim, &image, &f->error));
  room_image_free(&image);
  return session;
}

// Starts a new process of a room. The former one was killed or is paused.
static void start(model_t *m, uint32_t room, bool is_paused, bool loses) {
  fixture_t *f = m->f;
  process_t *p = m->processes[room];
  bool is_lost = false;
  p[1] = is_paused ? p[0] : (process_t){0};
  p[0] = (process_t){.exists = true, .claim = start_room(f, ROOMS[room])};
  if (loses) { // --accept-loss drops the last block
    char sql[160];
    snprintf(sql, sizeof sql,
             "UPDATE journal SET checksum = 0 WHERE room = %lld AND first = (SELECT MAX(first) FROM journal WHERE room "
             "= %lld)",
             (long long)p->claim.number, (long long)p->claim.number);
    run_sql(f, sql);
    drop_copies(m);
  }
  int64_t session = recover(f, ROOMS[room], loses, &p->claim);
  account_visit_t visit = {1, session};
  keep_copy(m);
  assert_done(f, world_store_settle_accounts(f->a, &p->claim, &visit, session != 0, &is_lost, &f->error));
  p->session = is_lost ? 0 : session;
  if (is_lost)
    p->waiting[p->waiting_count++] = (waiting_t){RECORD_ITEM_LEAVE, session};
  assert_int_equal(p->session, get_visit(m, p));
}

static void step(model_t *m, bool has_losses) {
  uint32_t room = pick(m, ROOM_COUNT), action = pick(m, has_losses ? 9 : 7);
  process_t *p = &m->processes[room][pick(m, PROCESSES)];
  if (action == 7)
    fail_over(m);
  else if (action == 5 || action == 6)
    start(m, room, action == 5, false);
  else if (action == 8 && m->processes[room][0].claim.has_snapshot)
    start(m, room, false, true);
  else if (!p->exists)
    return;
  else if (action <= 1 && p->session == 0)
    commit(m, p, true);
  else if (action == 2 && p->session != 0) {
    p->waiting[p->waiting_count++] = (waiting_t){RECORD_ITEM_LEAVE, p->session};
    p->session = 0;
  } else if (action >= 3)
    commit(m, p, false);
}

// Starts all processes again, and asserts that the account is in at most one room, and that each room can claim it.
static void finish(model_t *m) {
  fixture_t *f = m->f;
  int64_t visits = 0;
  for (uint32_t room = 0; room < ROOM_COUNT; ++room) {
    start(m, room, false, false);
    commit(m, &m->processes[room][0], false);
    visits += m->processes[room][0].session != 0;
  }
  assert_true(visits <= 1);
  int64_t rooms = 0;
  assert_done(f, store_query_number(f->b, "SELECT count(room) FROM account", NULL, 0, &rooms, &f->error));
  assert_int_equal(rooms, visits);
  for (uint32_t room = 0; room < ROOM_COUNT; ++room) {
    process_t *p = &m->processes[room][0];
    if (p->session != 0) {
      p->waiting[p->waiting_count++] = (waiting_t){RECORD_ITEM_LEAVE, p->session};
      p->session = 0;
      commit(m, p, false);
    }
  }
  for (uint32_t room = 0; room < ROOM_COUNT; ++room) {
    process_t *p = &m->processes[room][0];
    commit(m, p, true);
    assert_true(p->session != 0);
    p->waiting[p->waiting_count++] = (waiting_t){RECORD_ITEM_LEAVE, p->session};
    p->session = 0;
    commit(m, p, false);
  }
}

static void run_orders(fixture_t *f, bool has_losses) {
  static model_t m;
  m = (model_t){.f = f};
  random_seed(&m.random, has_losses ? 5 : 4);
  assert_int_equal(sqlite3_open(f->path, &m.database), SQLITE_OK);
  run_sql(f, "INSERT INTO account VALUES (1, zeroblob(32), 'ada', 'ada', NULL, 0, 0, '', '', 1, 1, 0, 0, '', NULL)");
  run_sql(f, "UPDATE account SET digest = x'0101010101010101010101010101010101010101010101010101010101010101'");
  const char *is_long = getenv("LONG");
  const uint32_t orders = is_long && is_long[0] ? 1000 : ORDERS;
  for (uint32_t i = 0; i < orders; ++i) {
    for (uint32_t room = 0; room < ROOM_COUNT; ++room)
      start(&m, room, false, false);
    for (uint32_t k = 0; k < STEPS; ++k)
      step(&m, has_losses);
    finish(&m);
    drop_copies(&m);
  }
  sqlite3_close(m.database);
  assert_true(m.commits > orders * 4 && m.refusals > orders / 10);
  assert_true(!has_losses || m.losses > orders / 4);
}

TEST_IN(no_order_of_starts_and_pauses_strands_or_doubles_a_visit, fixture_t, f) {
  run_orders(f, false);
}

TEST_IN(no_loss_of_transactions_or_records_doubles_a_visit, fixture_t, f) {
  run_orders(f, true);
}
