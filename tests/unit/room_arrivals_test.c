// Claims of a room whose code changes: all sequences of claims, answers, reloads and joins, with a model of the
// database that grants a claim as owned_rows_check_code does. A player must join only with rows that the running code
// can read.
#include "room/room_arrivals.h"

#include "test.h"

#define STEPS 8u
#define MAX_CODE 4u

typedef enum step_t { CLAIM, ANSWER, RELOAD, JOIN, STEP_COUNT } step_t;

typedef struct model_t {
  room_arrivals_t arrivals;
  uint32_t code;      // running code of the room
  uint32_t row_code;  // code that has written the rows
  uint32_t reversing; // mask of the codes that reverse a rename of the previous code
  uint64_t ticket;    // unanswered claim; 0: none
  uint32_t claim_code;
  bool is_arriving; // the machine was admitted, and its players join next
  uint32_t joins, repeated;
} model_t;

static const match_visit_t VISIT = {7, 1};

static bool can_read(const model_t *m, uint32_t code) {
  return m->row_code == code || (m->row_code + 1 == code && !(m->reversing >> code & 1));
}

static void answer(model_t *m) {
  uint32_t peer = 0;
  bool is_outdated = false, is_granted = can_read(m, m->claim_code);
  if (m->ticket == 0)
    return;
  assert_true(room_arrivals_take_claim(&m->arrivals, m->ticket, &peer, &is_outdated));
  assert_int_equal(peer, 3);
  m->ticket = 0;
  m->repeated += is_granted && is_outdated;
  m->is_arriving = is_granted && !is_outdated && room_arrivals_add(&m->arrivals, &VISIT, true);
}

static void reload(model_t *m) {
  match_visit_t visits[MATCH_MAX_CONNECTIONS];
  if (m->code == MAX_CODE)
    return;
  ++m->code;
  uint32_t count = room_arrivals_note_reload(&m->arrivals, visits);
  assert_int_equal(count, m->is_arriving);
  m->repeated += count;
  m->is_arriving = false; // the room closes the connection
}

static void join(model_t *m) {
  if (!m->is_arriving)
    return;
  if (!can_read(m, m->code))
    fail_msg("code %u imports rows of code %u", m->code, m->row_code);
  room_arrivals_remove(&m->arrivals, &VISIT);
  m->is_arriving = false;
  ++m->joins;
}

static void claim(model_t *m) {
  if (m->ticket != 0 || m->is_arriving)
    return;
  m->ticket = room_arrivals_add_claim(&m->arrivals, 3);
  m->claim_code = m->code;
  assert_true(room_arrivals_is_claimed(&m->arrivals, 3));
}

static void run(model_t *m, uint32_t order) {
  static void (*const FUNCTIONS[])(model_t *) = {[CLAIM] = claim, [ANSWER] = answer, [RELOAD] = reload, [JOIN] = join};
  for (uint32_t i = 0; i < STEPS; ++i, order /= STEP_COUNT)
    FUNCTIONS[order % STEP_COUNT](m);
}

TEST(no_order_of_claims_and_reloads_imports_rows_that_the_code_cannot_read) {
  uint32_t joins = 0, repeated = 0;
  for (uint32_t order = 0; order < 1u << 2 * STEPS; ++order) {
    for (uint32_t reversing = 0; reversing <= 1u << 2; reversing += 1u << 2) {
      model_t m = {.code = 1, .row_code = 1, .reversing = reversing};
      run(&m, order);
      joins += m.joins;
      repeated += m.repeated;
      m.row_code = m.code; // the rows are rewritten
      answer(&m);          // ends an open claim
      join(&m);
      uint32_t before = m.joins;
      claim(&m);
      answer(&m);
      join(&m);
      assert_int_equal(m.joins, before + 1); // no order keeps a player out
      assert_int_equal(m.arrivals.count + m.arrivals.claim_count, 0);
    }
  }
  assert_true(joins > 10000 && repeated > 10000);
}

TEST(players_without_rows_join_despite_a_reload) {
  room_arrivals_t a = {0};
  match_visit_t visits[MATCH_MAX_CONNECTIONS];
  assert_true(room_arrivals_add(&a, &VISIT, false));
  assert_int_equal(room_arrivals_note_reload(&a, visits), 0);
  assert_int_equal(a.count, 1);
}

TEST(further_arrivals_are_rejected_once_all_connections_are_used) {
  room_arrivals_t a = {0};
  for (int64_t i = 0; i < MATCH_MAX_CONNECTIONS; ++i)
    assert_true(room_arrivals_add(&a, &(match_visit_t){i + 1, 1}, true));
  assert_false(room_arrivals_add(&a, &(match_visit_t){99, 1}, true));
  assert_true(room_arrivals_add(&a, &(match_visit_t){5, 1}, false)); // replaces the visit
  assert_int_equal(a.count, MATCH_MAX_CONNECTIONS);
}
