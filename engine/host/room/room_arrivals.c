// Lists of claims and arrivals.
#include "room/room_arrivals.h"

bool room_arrivals_is_claimed(const room_arrivals_t *a, uint32_t peer) {
  for (uint32_t i = 0; i < a->claim_count; ++i)
    if (a->claims[i].peer == peer)
      return true;
  return false;
}

uint64_t room_arrivals_add_claim(room_arrivals_t *a, uint32_t peer) {
  ++a->ticket;
  if (a->claim_count < ROOM_MAX_CLAIMS)
    a->claims[a->claim_count++] = (room_account_claim_t){a->ticket, peer, a->reloads};
  return a->ticket;
}

bool room_arrivals_take_claim(room_arrivals_t *a, uint64_t ticket, uint32_t *peer, bool *is_outdated) {
  for (uint32_t i = 0; i < a->claim_count; ++i) {
    if (a->claims[i].ticket != ticket)
      continue;
    *peer = a->claims[i].peer;
    *is_outdated = a->claims[i].reloads != a->reloads;
    a->claims[i] = a->claims[--a->claim_count];
    return true;
  }
  return false;
}

void room_arrivals_remove(room_arrivals_t *a, const match_visit_t *visit) {
  for (uint32_t i = 0; i < a->count; ++i)
    if (a->items[i].visit.account == visit->account && a->items[i].visit.session == visit->session)
      a->items[i--] = a->items[--a->count];
}

bool room_arrivals_add(room_arrivals_t *a, const match_visit_t *visit, bool has_rows) {
  room_arrivals_remove(a, visit);
  if (a->count == MATCH_MAX_CONNECTIONS)
    return false;
  a->items[a->count++] = (room_arrival_t){*visit, has_rows};
  return true;
}

uint32_t room_arrivals_note_reload(room_arrivals_t *a, match_visit_t out[MATCH_MAX_CONNECTIONS]) {
  uint32_t count = 0;
  ++a->reloads;
  for (uint32_t i = 0; i < a->count; ++i) {
    if (!a->items[i].has_rows)
      continue;
    out[count++] = a->items[i].visit;
    a->items[i--] = a->items[--a->count];
  }
  return count;
}
