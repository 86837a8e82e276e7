// Visits of accounts in rooms. All statements run in transactions of the room, after the UPDATE that checks its claim.
#include "served/accounts.h"
#include "served/owned_rows.h"
#include "served/world_store_internal.h"

#include "base/assert.h"

#include <stdio.h>
#include <string.h>

// --- claims

typedef struct account_row_t {
  bool is_free; // true if the account is in no room, and no operator has taken it
  int64_t room; // number of the account's room; 0: no room
  char place[ROOM_NAME_BYTES], origin[ROOM_NAME_BYTES];
  account_answer_t answer;
} account_row_t;

static int64_t get_positive(uint64_t bits) {
  return (int64_t)bits > 0 ? (int64_t)bits : 0;
}

// Reads the account with this digest. Sets the outcome ACCOUNT_UNKNOWN or ACCOUNT_DAMAGED, or otherwise GRANTED.
static store_result_t read_account(world_store_o *s, const uint8_t *digest, account_row_t *out, error_info_t *error) {
  store_query_t query = {0};
  uint64_t id = 0, room = 0, is_free = 0, session = 0, banned_s = 0, muted_s = 0;
  account_answer_t *answer = &out->answer;
  store_query_begin(
      s, &query,
      "SELECT id, name, COALESCE(room, 0), CASE WHEN room IS NULL THEN 1 ELSE 0 END, session, banned_until - " STORE_NOW
      ", muted_until - " STORE_NOW ", reason, place, origin FROM account WHERE digest = $1",
      STORE_VALUES(STORE_BLOB(digest, ACCOUNT_DIGEST_BYTES)), error);
  bool exists = store_next(s, &query, error);
  bool ok =
      !exists ||
      (store_read_number(&query, 0, INT64_MAX, &id) && store_read_text(&query, 1, answer->name, sizeof answer->name) &&
       store_read_number(&query, 2, INT64_MAX, &room) && store_read_number(&query, 3, 1, &is_free) &&
       store_read_number(&query, 4, INT64_MAX, &session) && store_read_bits(&query, 5, &banned_s) &&
       store_read_bits(&query, 6, &muted_s) && store_read_text(&query, 7, answer->reason, sizeof answer->reason) &&
       store_read_text(&query, 8, out->place, sizeof out->place) &&
       store_read_text(&query, 9, out->origin, sizeof out->origin));
  answer->account = (int64_t)id;
  answer->session = (int64_t)session;
  answer->banned_s = get_positive(banned_s);
  answer->muted_s = get_positive(muted_s);
  out->room = (int64_t)room;
  out->is_free = is_free != 0;
  answer->outcome = !exists ? ACCOUNT_UNKNOWN : ok ? ACCOUNT_GRANTED : ACCOUNT_DAMAGED;
  return store_query_end(&query);
}

// Returns true if the account may be in the room.
static bool may_enter(const room_claim_t *claim, const account_claim_t *c, const account_row_t *row) {
  return c->is_open || strcmp(row->place, claim->name) == 0 || strcmp(row->place, c->kind) == 0 ||
         strcmp(row->origin, claim->name) == 0;
}

static account_outcome_t decide(const room_claim_t *claim, const account_claim_t *c, const account_row_t *row) {
  if (row->answer.outcome != ACCOUNT_GRANTED)
    return row->answer.outcome;
  if (row->answer.banned_s > 0)
    return ACCOUNT_BANNED;
  if (c->watches)
    return row->room == claim->number || may_enter(claim, c, row) ? ACCOUNT_WATCHES : ACCOUNT_OUTSIDE;
  if (row->room == claim->number)
    return ACCOUNT_HERE;
  if (!may_enter(claim, c, row))
    return ACCOUNT_OUTSIDE;
  return row->is_free ? ACCOUNT_GRANTED : ACCOUNT_ELSEWHERE;
}

// Stores the outcome in the account's row.
static store_result_t claim_account(world_store_o *s, const room_claim_t *claim, account_answer_t *answer,
                                    error_info_t *error) {
  if (answer->outcome == ACCOUNT_ELSEWHERE)
    return store_execute(s, "UPDATE account SET wanted = 1 WHERE id = $1", STORE_VALUES(STORE_NUMBER(answer->account)),
                         NULL, error);
  if (answer->outcome != ACCOUNT_GRANTED)
    return STORE_DONE;
  ++answer->session;
  return store_execute(
      s,
      "UPDATE account SET room = $1, session = $2, wanted = 0, place = $3, origin = '', seen = " STORE_NOW
      " WHERE id = $4",
      STORE_VALUES(STORE_NUMBER(claim->number), STORE_NUMBER(answer->session), STORE_TEXT(claim->name),
                   STORE_NUMBER(answer->account)),
      NULL, error);
}

// Reads the rows of an account that may enter (GRANTED or HERE). Replaces the outcome with OLD_ROOM or OUTDATED if the
// room cannot read the rows' code, LOADED if they are too large, or DAMAGED if they are malformed.
static store_result_t read_rows(world_store_o *s, const account_claim_t *c, account_answer_t *answer,
                                owned_rows_t *rows, error_info_t *error) {
  owned_code_t code = {.fits = true};
  store_result_t result = STORE_DONE;
  if (answer->outcome != ACCOUNT_GRANTED && answer->outcome != ACCOUNT_HERE)
    return STORE_DONE;
  if (c->base != 0 && answer->outcome == ACCOUNT_GRANTED)
    result = owned_rows_check_code(s, answer->account, c->base, c->code, c->is_exact, &code, error);
  if (result == STORE_DONE && code.fits)
    result = owned_rows_read(s, answer->account, rows, error);
  if (!code.fits)
    answer->outcome = code.newest > c->code && code.newest <= c->refused ? ACCOUNT_OLD_ROOM : ACCOUNT_OUTDATED;
  answer->code = code.newest;
  if (result == STORE_DONE && rows->state != OWNED_ROWS_SOUND) {
    answer->outcome = rows->state == OWNED_ROWS_TOO_LARGE ? ACCOUNT_LOADED : ACCOUNT_DAMAGED;
    (void)snprintf(answer->reason, sizeof answer->reason, "%.120s", rows->problem);
  }
  return result;
}

// Adds the answer to a claim, followed by the rows.
static void add_claim_answer(room_answers_t *answers, const account_answer_t *answer, const owned_rows_t *rows) {
  allocator_t memory = {0};
  size_t size = sizeof *answer + rows->size;
  uint8_t *bytes = alloc_resize(&memory, NULL, 0, size);
  memcpy(bytes, answer, sizeof *answer);
  if (rows->size > 0)
    memcpy(bytes + sizeof *answer, rows->bytes, rows->size);
  room_answers_add(answers, ROOM_ANSWER_CLAIM, bytes, size);
  alloc_resize(&memory, bytes, size, 0);
}

store_result_t account_claim_apply(world_store_o *s, const room_claim_t *claim, const uint8_t *bytes, size_t size,
                                   room_answers_t *answers, error_info_t *error) {
  account_claim_t c;
  account_row_t row = {0};
  (void)size;
  shoal_assert(size == sizeof c, "a claim of %zu bytes", size);
  memcpy(&c, bytes, sizeof c);
  store_result_t result = read_account(s, c.digest, &row, error);
  row.answer.ticket = c.ticket;
  row.answer.outcome = decide(claim, &c, &row);
  owned_rows_t rows = {0};
  if (result == STORE_DONE)
    result = read_rows(s, &c, &row.answer, &rows, error);
  if (result == STORE_DONE)
    result = claim_account(s, claim, &row.answer, error);
  if (result == STORE_DONE)
    add_claim_answer(answers, &row.answer, &rows);
  owned_rows_free(&rows);
  return result;
}

// --- leaving

store_result_t account_leave_apply(world_store_o *s, const room_claim_t *claim, const uint8_t *bytes, size_t size,
                                   room_answers_t *answers, error_info_t *error) {
  account_leave_t leave;
  int64_t changed = 0;
  shoal_assert(size >= sizeof leave, "a leave of %zu bytes", size);
  memcpy(&leave, bytes, sizeof leave);
  size_t items = leave.item_count * sizeof(account_item_t);
  shoal_assert(size >= sizeof leave + items, "a leave of %zu bytes with %u items", size, leave.item_count);
  bool moves = leave.place[0] != '\0';
  store_result_t result =
      store_execute(s,
                    "UPDATE account SET room = NULL, wanted = 0, place = $1, origin = $2, seen = " STORE_NOW
                    " WHERE id = $3 AND room = $4 AND session = $5",
                    STORE_VALUES(STORE_TEXT(moves ? leave.place : claim->name), STORE_TEXT(moves ? claim->name : ""),
                                 STORE_NUMBER(leave.account), STORE_NUMBER(claim->number), STORE_NUMBER(leave.session)),
                    &changed, error);
  account_left_t left = {
      .account = leave.account, .session = leave.session, .is_done = changed > 0, .is_release = leave.is_release};
  if (result == STORE_DONE && changed > 0 && !leave.is_release && size > sizeof leave + items)
    result = owned_rows_replace(s, claim->number, &leave, bytes + sizeof leave, size - sizeof leave, &left.dropped,
                                &left.item, error);
  if (result == STORE_DONE)
    room_answers_add(answers, ROOM_ANSWER_LEAVE, &left, sizeof left);
  return result;
}

store_result_t account_poll_wanted(world_store_o *s, const room_claim_t *claim, room_answers_t *answers,
                                   error_info_t *error) {
  store_query_t query = {0};
  uint64_t account = 0, session = 0;
  store_query_begin(s, &query, "SELECT id, session FROM account WHERE room = $1 AND wanted <> 0",
                    STORE_VALUES(STORE_NUMBER(claim->number)), error);
  while (store_next(s, &query, error)) {
    if (!store_read_number(&query, 0, INT64_MAX, &account) || !store_read_number(&query, 1, INT64_MAX, &session))
      continue; // the next claim of the account reports the malformed row
    account_visit_t visit = {(int64_t)account, (int64_t)session};
    room_answers_add(answers, ROOM_ANSWER_WANTED, &visit, sizeof visit);
  }
  return store_query_end(&query);
}

// --- after a recovery

// Stores in `is_lost` whether each visit has ended: its account is missing, or has a different room or session.
static store_result_t find_visits(world_store_o *s, const room_claim_t *claim, const account_visit_t *visits,
                                  uint32_t count, bool *is_lost, error_info_t *error) {
  store_result_t result = STORE_DONE;
  for (uint32_t i = 0; result == STORE_DONE && i < count; ++i) {
    int64_t rows = 0;
    result = store_query_number(
        s, "SELECT count(*) FROM account WHERE id = $1 AND room = $2 AND session = $3",
        STORE_VALUES(STORE_NUMBER(visits[i].account), STORE_NUMBER(claim->number), STORE_NUMBER(visits[i].session)),
        &rows, error);
    is_lost[i] = rows == 0;
  }
  return result;
}

static store_result_t settle(world_store_o *s, const room_claim_t *claim, const account_visit_t *visits, uint32_t count,
                             bool *is_lost, error_info_t *error) {
  bool is_done = false;
  store_result_t result = store_advance_room(s, claim, claim->last, claim->tick, claim->state, count, &is_done, error);
  if (result == STORE_DONE)
    result = find_visits(s, claim, visits, count, is_lost, error);
  // A negative room marks the rows that are kept.
  for (uint32_t i = 0; result == STORE_DONE && i < count; ++i)
    if (!is_lost[i])
      result = store_execute(s, "UPDATE account SET room = -room WHERE id = $1",
                             STORE_VALUES(STORE_NUMBER(visits[i].account)), NULL, error);
  if (result == STORE_DONE)
    result = store_execute(s, "UPDATE account SET room = NULL, wanted = 0 WHERE room = $1",
                           STORE_VALUES(STORE_NUMBER(claim->number)), NULL, error);
  if (result == STORE_DONE)
    result = store_execute(s, "UPDATE account SET room = -room WHERE room = $1",
                           STORE_VALUES(STORE_NUMBER(-claim->number)), NULL, error);
  return result;
}

store_result_t world_store_settle_accounts(world_store_o *s, room_claim_t *claim, const account_visit_t *visits,
                                           uint32_t count, bool *is_lost, error_info_t *error) {
  store_result_t result = store_begin_write(s, error);
  if (result != STORE_DONE)
    return result;
  result = settle(s, claim, visits, count, is_lost, error);
  return store_end_room(s, claim, result, claim->last, claim->tick, claim->state, error);
}
