// Accounts in a room: claims them for machines that join, and releases them in the transaction of the record in which
// their players leave. The queue of the room's writer keeps the order, so a claim follows all earlier departures.
#include "room/room_internal.h"

#include "base/assert.h"
#include "game/players.h"
#include "game/served_rooms.h"
#include "match/match_account.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define CHECK_US 10000000 // time between two checks of the spectators' accounts
#define END_US 1000000    // maximum time in which all players leave when the room ends

// --- claims

// Claims the account of a machine with players, or checks the account of a spectator.
static void claim(room_o *r, uint32_t peer, const uint8_t *account, bool watches) {
  served_room_t room;
  account_claim_t c = {.ticket = room_arrivals_add_claim(&r->arrivals, peer),
                       .watches = watches,
                       .base = r->identity.sources,
                       .code = r->code.number,
                       .refused = r->code.refused,
                       .is_exact = r->code.may_reverse};
  match_account_digest(account, c.digest);
  if (served_rooms_find(&r->host->session.game->config, r->name, &room)) {
    c.is_open = room.kind->enter;
    (void)snprintf(c.kind, sizeof c.kind, "%s", room.kind->name);
  }
  room_writer_add_change(r->writer, ROOM_CHANGE_CLAIM, &c, sizeof c);
}

// Claims the accounts of all waiting machines. While a RELOAD waits for a snapshot, r->code is still the former code,
// so claims wait, too.
static void claim_waiting(room_o *r) {
  match_request_t request;
  if (r->held_us != 0)
    return;
  for (uint32_t i = 0; r->arrivals.claim_count < ROOM_MAX_CLAIMS && match_link_get_request_at(r->link, i, &request);
       ++i)
    if (!room_arrivals_is_claimed(&r->arrivals, request.peer))
      claim(r, request.peer, request.applicant.account, request.applicant.players == 0);
}

// Checks again whether the spectators may be in the room: an operator can ban or delete an account at any time.
static void check_spectators(room_o *r, int64_t now_us) {
  match_link_machine_t machines[MATCH_MAX_CONNECTIONS];
  if (now_us - r->checked_us < CHECK_US)
    return;
  r->checked_us = now_us;
  for (uint32_t i = 0, count = match_link_list_machines(r->link, machines); i < count; ++i) {
    const match_connection_t *c = &machines[i].connection;
    if (c->is_spectator && r->arrivals.claim_count < ROOM_MAX_CLAIMS &&
        !room_arrivals_is_claimed(&r->arrivals, c->peer))
      claim(r, c->peer, c->account, true);
  }
}

static bool is_same_visit(const match_visit_t *a, const match_visit_t *b) {
  return a->account == b->account && a->session == b->session;
}

// Returns true if the departure of the visit is not stored yet, for example because a record after a RELOAD waits for a
// snapshot.
static bool has_departure(const room_o *r, const match_visit_t *visit) {
  for (uint32_t i = 0; i < r->departure_count; ++i)
    if (is_same_visit(&(match_visit_t){r->departures[i].leave.account, r->departures[i].leave.session}, visit))
      return true;
  return false;
}

// Releases an account without storing anything else. Does nothing if a departure that stores what the account owns
// follows.
static void release(room_o *r, const match_visit_t *visit) {
  if (has_departure(r, visit))
    return;
  account_leave_t leave = {.account = visit->account, .session = visit->session, .is_release = true};
  room_writer_add_change(r->writer, ROOM_CHANGE_LEAVE, &leave, sizeof leave);
}

static void refuse(room_o *r, int64_t now_us, uint32_t peer, const account_answer_t *answer) {
  static const match_refusal_kind_t REFUSALS[] = {
      [ACCOUNT_ELSEWHERE] = MATCH_REFUSAL_ELSEWHERE,   [ACCOUNT_OUTSIDE] = MATCH_REFUSAL_ROOM_CLOSED,
      [ACCOUNT_BANNED] = MATCH_REFUSAL_ACCOUNT_BANNED, [ACCOUNT_UNKNOWN] = MATCH_REFUSAL_NO_ACCOUNT,
      [ACCOUNT_DAMAGED] = MATCH_REFUSAL_NO_ACCOUNT,    [ACCOUNT_LOADED] = MATCH_REFUSAL_OWNS_TOO_MUCH,
      [ACCOUNT_OLD_ROOM] = MATCH_REFUSAL_OLD_ROOM};
  match_refusal_t refusal;
  if (answer->outcome == ACCOUNT_DAMAGED || answer->outcome == ACCOUNT_LOADED)
    log_error(r->host->session.log, "room %s: account %lld cannot join: %s", r->name, (long long)answer->account,
              answer->reason);
  if (answer->outcome == ACCOUNT_OLD_ROOM)
    log_warn(r->host->session.log,
             "room %s: account %lld cannot join, because code %llu has written what it owns, and the room has refused "
             "this code and runs code %llu: reload the world with code that the room accepts",
             r->name, (long long)answer->account, (unsigned long long)answer->code, (unsigned long long)r->code.number);
  int64_t banned_s = answer->banned_s < UINT32_MAX ? answer->banned_s : UINT32_MAX;
  match_refusal_set(&refusal, REFUSALS[answer->outcome], (uint32_t)banned_s);
  (void)snprintf(refusal.texts[0], sizeof refusal.texts[0], "%.63s", answer->reason);
  if (answer->outcome == ACCOUNT_OLD_ROOM)
    match_refusal_set_old_room(&refusal, r->name, r->code.number, answer->code);
  match_link_refuse(r->link, now_us, peer, &refusal);
  match_link_close_peer(r->link, now_us, peer, // a spectator who is already connected
                        answer->outcome == ACCOUNT_BANNED ? MATCH_CLOSE_BANNED : MATCH_CLOSE_NONE);
}

// Returns true if the visit has players in the world, who may be about to leave.
static bool is_present(const room_o *r, const match_visit_t *visit) {
  return match_find_visitors(r->match, visit) != 0;
}

// Handles the answer to a claim whose account is now in this room.
static void admit(room_o *r, int64_t now_us, uint32_t peer, const account_answer_t *answer, const uint8_t *rows,
                  size_t rows_size) {
  match_visit_t visit = {answer->account, answer->session};
  bool is_known = match_is_visited_by(r->match, &visit);
  if (answer->outcome == ACCOUNT_HERE && !is_known) {
    // The visit is over: its players are about to leave, or it has never begun. The next frame claims the account
    // again.
    if (!is_present(r, &visit))
      release(r, &visit);
    return;
  }
  if (!is_present(r, &visit) && !room_arrivals_add(&r->arrivals, &visit, rows_size > 0)) {
    release(r, &visit); // many machines have withdrawn their requests
    return;
  }
  match_link_admit(r->link, now_us, peer, &visit, answer->name);
  if (is_present(r, &visit))
    return;
  // If the players do not join, room_accounts_update releases the account.
  room_owned_arrive(r, &visit, rows, rows_size);
}

// Logs that an account waits until its rows and the room have the same code, or two consecutive codes.
static void note_outdated(room_o *r, const account_answer_t *answer) {
  if (r->outdated == answer->account)
    return;
  r->outdated = answer->account;
  log_warn(r->host->session.log,
           "room %s: account %lld cannot join yet, because a different code has written what it owns, and the room has "
           "code %llu: waiting until its rows are rewritten, or the room is reloaded",
           r->name, (long long)answer->account, (unsigned long long)r->code.number);
}

// Returns true if the room must claim the account again, because its rows were checked for the former code. Releases
// the account if it was granted.
static bool repeats_claim(room_o *r, const account_answer_t *answer, size_t rows_size) {
  match_visit_t visit = {answer->account, answer->session};
  if (answer->outcome == ACCOUNT_OUTDATED || answer->outcome == ACCOUNT_OLD_ROOM)
    return true;
  bool is_granted = answer->outcome == ACCOUNT_GRANTED || answer->outcome == ACCOUNT_HERE;
  if (!is_granted || rows_size == 0 || is_present(r, &visit))
    return false;
  release(r, &visit);
  return true;
}

static void take_claim(room_o *r, int64_t now_us, const account_answer_t *answer, const uint8_t *rows,
                       size_t rows_size) {
  uint32_t peer = 0;
  bool is_outdated = false;
  if (!room_arrivals_take_claim(&r->arrivals, answer->ticket, &peer, &is_outdated) ||
      (is_outdated && repeats_claim(r, answer, rows_size)))
    return; // the next frame claims the account again if the machine still waits
  if (answer->outcome == ACCOUNT_OUTDATED)
    note_outdated(r, answer);
  else if (answer->outcome == ACCOUNT_GRANTED || answer->outcome == ACCOUNT_HERE)
    admit(r, now_us, peer, answer, rows, rows_size);
  else if (answer->outcome == ACCOUNT_WATCHES)
    match_link_admit(r->link, now_us, peer, NULL, NULL); // does nothing if it was admitted before
  else
    refuse(r, now_us, peer, answer);
}

void room_accounts_note_reload(room_o *r, int64_t now_us) {
  match_visit_t visits[MATCH_MAX_CONNECTIONS];
  uint32_t count = room_arrivals_note_reload(&r->arrivals, visits);
  for (uint32_t i = 0; i < count; ++i) {
    player_mask_t players = match_find_arriving(r->match, &visits[i]);
    if (players != 0)
      match_link_remove_player(r->link, now_us, (uint32_t)__builtin_ctz(players), MATCH_CLOSE_NONE);
    release(r, &visits[i]);
  }
}

// --- departures

// Returns the rows of all players of a visit, or NULL if rows are missing.
static json_t *join_rows(json_t *const rows[PLAYER_MAX], player_mask_t players) {
  json_t *joined = json_array();
  for (uint32_t i = 0; i < PLAYER_MAX && joined; ++i) {
    if (!(players >> i & 1) || (rows[i] && json_array_extend(joined, rows[i]) == 0))
      continue;
    json_decref(joined);
    joined = NULL;
  }
  return joined;
}

void room_accounts_note_leaving(void *context, player_mask_t players) {
  room_o *r = context;
  json_t *rows[PLAYER_MAX];
  owned_items_t items = {0};
  room_owned_export(r, players, rows);
  owned_list_items(r->host->session.game->world, &r->memory, &items);
  for (uint32_t i = 0; i < PLAYER_MAX; ++i) {
    match_visit_t visit = match_get_visit(r->match, i);
    if (!(players >> i & 1) || visit.account == 0)
      continue;
    shoal_assert(r->departure_count < ROOM_MAX_DEPARTURES, "room %s: too many players leave in one reload", r->name);
    room_departure_t *d = &r->departures[r->departure_count++];
    *d = (room_departure_t){.leave = {.account = visit.account, .session = visit.session},
                            .players = match_find_visitors(r->match, &visit)};
    players &= ~d->players;
    (void)snprintf(d->name, sizeof d->name, "%s", players_get_info(r->host->session.game, i + 1).name);
    d->rows = join_rows(rows, d->players);
    room_owned_list_items(r, &items, d);
    for (uint32_t k = 0; k < r->move_count; ++k)
      if (is_same_visit(&r->moves[k].visit, &visit))
        memcpy(d->leave.place, r->moves[k].place, sizeof d->leave.place);
  }
  for (uint32_t i = 0; i < PLAYER_MAX; ++i)
    json_decref(rows[i]);
  array_free(&r->memory, &items);
}

// Moves the departure of a player to r->stored. Does nothing if it was moved with a different player of the same visit.
static void store_departure(room_o *r, uint32_t player, room_change_t *out, uint32_t *count) {
  for (uint32_t i = 0; i < r->departure_count; ++i) {
    room_departure_t *d = &r->departures[i];
    if (!(d->players >> player & 1))
      continue;
    room_stored_t *stored = &r->stored[*count];
    room_owned_write_departure(r, d, stored);
    room_owned_free_departure(r, d);
    out[(*count)++] = (room_change_t){ROOM_CHANGE_LEAVE, stored->bytes, stored->size};
    memmove(d, d + 1, (--r->departure_count - i) * sizeof *d);
    return;
  }
}

uint32_t room_accounts_list_changes(room_o *r, const record_t *record, room_change_t out[PLAYER_MAX]) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < record->item_count; ++i) {
    const record_item_t *item = &record->items[i];
    match_visit_t visit;
    if (item->kind == RECORD_ITEM_JOIN && item->size >= sizeof visit) {
      memcpy(&visit, item->bytes, sizeof visit);
      room_arrivals_remove(&r->arrivals, &visit);
    } else if (item->kind == RECORD_ITEM_LEAVE) {
      store_departure(r, item->player, out, &count);
    }
  }
  return count;
}

static void take_left(room_o *r, int64_t now_us, const account_left_t *left) {
  match_visit_t visit = {left->account, left->session};
  if (!left->is_done && !left->is_release)
    log_error(r->host->session.log,
              "room %s: account %lld has left, but it was in a different room or visit (%lld): what it had here is "
              "dropped",
              r->name, (long long)left->account, (long long)left->session);
  if (left->dropped > 0)
    log_error(
        r->host->session.log,
        "room %s: account %lld has left with %u copies of items of accounts elsewhere, such as %lld: the copies are "
        "dropped",
        r->name, (long long)left->account, left->dropped, (long long)left->item);
  for (uint32_t i = 0; i < r->move_count; ++i) {
    if (!is_same_visit(&r->moves[i].visit, &visit))
      continue;
    match_link_close_peer(r->link, now_us, r->moves[i].peer, MATCH_CLOSE_MOVED);
    r->moves[i--] = r->moves[--r->move_count];
  }
}

static bool remove_visit(room_o *r, int64_t now_us, const match_visit_t *visit, match_close_t reason) {
  for (uint32_t i = 0; i < PLAYER_MAX; ++i) {
    match_visit_t other = match_get_visit(r->match, i);
    if (is_same_visit(&other, visit))
      return match_link_remove_player(r->link, now_us, i, reason) != 0;
  }
  return false;
}

bool room_accounts_remove(room_o *r, int64_t now_us, int64_t account, match_close_t reason, player_mask_t *leaving) {
  for (uint32_t i = 0; i < PLAYER_MAX; ++i) {
    match_visit_t visit = match_get_visit(r->match, i);
    if (account == 0 || visit.account != account)
      continue;
    *leaving = match_find_visitors(r->match, &visit);
    return remove_visit(r, now_us, &visit, reason);
  }
  return false;
}

// Ends a visit whose user joins a different room.
static void end_visit(room_o *r, int64_t now_us, const match_visit_t *visit) {
  if (is_present(r, visit))
    remove_visit(r, now_us, visit, MATCH_CLOSE_ELSEWHERE);
  else if (!match_is_visited_by(r->match, visit)) // keeps the account if a machine is about to join
    release(r, visit);
}

void room_accounts_move(room_o *r, int64_t now_us, uint32_t player, const char *room) {
  room_move_t move = {.visit = match_get_visit(r->match, player)};
  if (move.visit.account == 0 || r->move_count == MATCH_MAX_CONNECTIONS ||
      match_dismiss_player(r->match, now_us, player, &move.peer) == 0)
    return;
  (void)snprintf(move.place, sizeof move.place, "%s", room);
  r->moves[r->move_count++] = move;
}

// --- moves before a crash

// Completes the moves of players who have joined in the tick of their request: their visits are known only afterwards.
static void complete_lost_moves(room_o *r) {
  for (uint32_t i = 0; i < PLAYER_MAX; ++i)
    if (r->lost_moves[i].tick != 0 && r->lost_moves[i].visit.account == 0)
      r->lost_moves[i].visit = match_get_visit(r->match, i);
}

void room_accounts_note_recovered_tick(room_o *r, uint64_t tick) {
  complete_lost_moves(r);
  script_requests_t *requests = &r->host->session.game->requests;
  for (uint32_t i = 0; i < requests->move_count; ++i) {
    uint32_t player = requests->moves[i].player - 1;
    if (player >= PLAYER_MAX)
      continue;
    room_lost_move_t *move = &r->lost_moves[player];
    *move = (room_lost_move_t){.tick = tick, .visit = match_get_visit(r->match, player)};
    (void)snprintf(move->place, sizeof move->place, "%s", requests->moves[i].room);
  }
  requests->move_count = 0;
}

void room_accounts_end_recovery(room_o *r) {
  complete_lost_moves(r);
  for (uint32_t i = 0; i < PLAYER_MAX; ++i) {
    match_visit_t visit = match_get_visit(r->match, i);
    room_lost_move_t *move = &r->lost_moves[i];
    if (move->tick + ROOM_LOST_MOVE_TICKS <= r->tick || visit.account == 0 || !is_same_visit(&move->visit, &visit))
      *move = (room_lost_move_t){0};
  }
}

void room_accounts_repeat_move(room_o *r, int64_t now_us, uint32_t player) {
  room_lost_move_t move = r->lost_moves[player];
  match_visit_t visit = match_get_visit(r->match, player);
  r->lost_moves[player] = (room_lost_move_t){0};
  if (move.tick == 0 || !is_same_visit(&move.visit, &visit))
    return;
  log_info(r->host->session.log, "room %s: player %u moves to %s, as requested before the crash in tick %llu", r->name,
           player + 1, move.place, (unsigned long long)move.tick);
  room_accounts_move(r, now_us, player, move.place);
}

// --- life cycle

void room_accounts_take_answer(room_o *r, int64_t now_us, const room_answer_t *answer) {
  account_answer_t claimed;
  account_left_t left;
  account_visit_t wanted;
  if (answer->kind == ROOM_ANSWER_CLAIM) {
    memcpy(&claimed, answer->bytes, sizeof claimed);
    room_commands_note_claim(r, now_us, &claimed);
    take_claim(r, now_us, &claimed, (const uint8_t *)answer->bytes + sizeof claimed, answer->size - sizeof claimed);
  } else if (answer->kind == ROOM_ANSWER_LEAVE) {
    memcpy(&left, answer->bytes, sizeof left);
    take_left(r, now_us, &left);
  } else if (answer->kind == ROOM_ANSWER_WANTED) {
    memcpy(&wanted, answer->bytes, sizeof wanted);
    end_visit(r, now_us, &(match_visit_t){wanted.account, wanted.session});
  }
}

void room_accounts_update(room_o *r, int64_t now_us) {
  claim_waiting(r);
  check_spectators(r, now_us);
  for (uint32_t i = r->arrivals.count; i > 0; --i) {
    match_visit_t visit = r->arrivals.items[i - 1].visit;
    if (match_is_visited_by(r->match, &visit))
      continue;
    release(r, &visit);
    room_arrivals_remove(&r->arrivals, &visit);
  }
}

void room_accounts_release_claims(room_o *r) {
  room_answer_t answer;
  account_answer_t claimed;
  while (room_writer_take_answer(r->writer, &answer)) {
    if (answer.kind != ROOM_ANSWER_CLAIM)
      continue;
    memcpy(&claimed, answer.bytes, sizeof claimed);
    if (claimed.outcome == ACCOUNT_GRANTED || claimed.outcome == ACCOUNT_HERE)
      release(r, &(match_visit_t){claimed.account, claimed.session});
  }
  while (r->arrivals.count > 0)
    release(r, &r->arrivals.items[--r->arrivals.count].visit);
}

bool room_accounts_are_busy(const room_o *r) {
  return r->arrivals.claim_count + r->arrivals.count + r->move_count > 0;
}

bool room_accounts_begin(room_o *r) {
  account_visit_t visits[PLAYER_MAX];
  bool is_lost[PLAYER_MAX] = {false};
  uint32_t players[PLAYER_MAX], count = 0, peer;
  error_info_t error = {0};
  for (uint32_t i = 0; i < PLAYER_MAX; ++i) {
    match_visit_t visit = match_get_visit(r->match, i);
    if (visit.account == 0)
      continue;
    players[count] = i;
    visits[count++] = (account_visit_t){visit.account, visit.session};
  }
  store_result_t result = world_store_settle_accounts(r->store, &r->claim, visits, count, is_lost, &error);
  if (result != STORE_DONE)
    return room_fail_with(r, result, &error);
  for (uint32_t i = 0; i < count; ++i) {
    if (!is_lost[i])
      continue;
    log_warn(r->host->session.log, "room %s: account %lld has left the room since, so player %u leaves", r->name,
             (long long)visits[i].account, players[i] + 1);
    match_remove_player(r->match, room_now_us(), players[i], &peer);
  }
  return true;
}

static void remove_all(room_o *r, int64_t now_us) {
  for (uint32_t i = 0; i < PLAYER_MAX; ++i)
    if (match_get_visit(r->match, i).account != 0)
      match_link_remove_player(r->link, now_us, i, MATCH_CLOSE_NONE);
}

void room_accounts_end(room_o *r) {
  int64_t now_us = room_now_us(), end_us = now_us + END_US;
  remove_all(r, now_us);
  while (match_get_status(r->match, now_us).present != 0 && !r->is_paused && now_us < end_us) {
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    now_us = room_now_us();
    match_update(r->match, now_us);
    remove_all(r, now_us); // players may have joined in this tick
  }
}
