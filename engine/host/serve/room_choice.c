// Choice of the room for a player.
#include "serve/room_choice.h"

#include "base/nearest_name.h"

#include <stdio.h>
#include <string.h>

// A player's request, with the name of the requested room.
typedef struct question_t {
  int64_t now_us;
  const char *room; // requested room; "": any room that players may join directly
  bool returns, watches;
  const account_info_t *account;
} question_t;

static bool is_named(const world_room_t *r, const char *name) {
  return strcmp(r->room.name, name) == 0 || strcmp(r->room.kind->name, name) == 0;
}

static bool is_in(const world_room_t *r, const account_info_t *account) {
  return account->is_in_room && strcmp(account->room, r->room.name) == 0;
}

static bool is_full(const world_room_t *r, const question_t *q) {
  return !q->returns && !q->watches && !is_in(r, q->account) &&
         room_process_count_places(&r->process, q->now_us, q->account->id) >= r->room.players;
}

// Returns true if the user of the account may be in the room.
static bool may_enter(const world_room_t *r, const account_info_t *account) {
  return r->room.kind->enter || is_in(r, account) || is_named(r, account->place) ||
         strcmp(r->room.name, account->origin) == 0;
}

// Returns true if the player cannot join because the room has refused the code that has written what the account owns.
static bool has_refused(const world_room_t *r, const question_t *q) {
  return !q->watches && !is_in(r, q->account) && room_process_has_refused(&r->process, q->account->code);
}

// Returns the first matching room that is neither full nor damaged, and has not refused the code of the account. If
// there is no such room, returns the first matching room; if no room matches, returns NULL.
static world_room_t *find_room(world_rooms_t *rooms, const question_t *q) {
  world_room_t *first = NULL;
  for (uint32_t i = 0; i < rooms->count; ++i) {
    world_room_t *r = &rooms->items[i];
    if (q->room[0] ? !is_named(r, q->room) : !r->room.kind->enter)
      continue;
    first = first ? first : r;
    if (r->process.phase != ROOM_DAMAGED && !is_full(r, q) && !has_refused(r, q))
      return r;
  }
  return first;
}

world_room_t *room_choice_find(world_rooms_t *rooms, const char *name) {
  for (uint32_t i = 0; i < rooms->count; ++i)
    if (strcmp(rooms->items[i].room.name, name) == 0)
      return &rooms->items[i];
  return NULL;
}

// Returns the name of the requested room. If the request names no room, returns the account's current room or, if it
// has no room or the game lacks the room, the room where the account belongs. Returns "" if the game has neither room.
static const char *get_room_name(world_rooms_t *rooms, const world_request_t *request, const account_info_t *account) {
  if (request->room[0])
    return request->room;
  const char *names[] = {account->room, account->place};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    for (uint32_t k = 0; names[i][0] && k < rooms->count; ++k)
      if (is_named(&rooms->items[k], names[i]))
        return names[i];
  return "";
}

static void answer_unknown(const world_rooms_t *rooms, const char *name, match_refusal_t *out) {
  nearest_name_t nearest;
  nearest_name_init(&nearest, name);
  for (uint32_t i = 0; i < rooms->count; ++i) {
    nearest_name_offer(&nearest, rooms->items[i].room.kind->name);
    nearest_name_offer(&nearest, rooms->items[i].room.name);
  }
  match_refusal_set(out, MATCH_REFUSAL_NO_ROOM, 0);
  (void)snprintf(out->texts[0], sizeof out->texts[0], "%s", name);
  (void)snprintf(out->texts[1], sizeof out->texts[1], "%s", nearest.best);
}

static world_room_t *answer(world_rooms_t *rooms, int64_t now_us, const world_request_t *request,
                            const account_info_t *account, match_refusal_t *out) {
  question_t q = {now_us, get_room_name(rooms, request, account), request->returns, request->watches, account};
  world_room_t *r = find_room(rooms, &q);
  if (r && !request->room[0] && has_refused(r, &q)) { // the request names no room, so a different room may be chosen
    q.room = "";
    world_room_t *other = find_room(rooms, &q);
    r = other ? other : r;
  }
  if (!r) {
    answer_unknown(rooms, request->room, out);
    return NULL;
  }
  bool is_open = r->process.phase == ROOM_OPEN;
  if (!may_enter(r, account))
    match_refusal_set(out, MATCH_REFUSAL_ROOM_CLOSED, 0);
  else if (r->process.phase == ROOM_DAMAGED)
    match_refusal_set(out, MATCH_REFUSAL_ROOM_FAILED, 0);
  else if (has_refused(r, &q))
    match_refusal_set_old_room(out, r->room.name, r->process.code, account->code);
  else if (is_open && is_full(r, &q))
    match_refusal_set(out, MATCH_REFUSAL_FULL, r->room.players);
  else if (is_open)
    world_answer_set_room(out, r->room.name, r->port, rooms->first_process + r->process.starts);
  else
    match_refusal_set(out, MATCH_REFUSAL_ROOM_STARTS, ROOM_ASK_AGAIN_MS);
  (void)snprintf(out->texts[0], sizeof out->texts[0], "%s", r->room.name);
  if (out->number == MATCH_REFUSAL_ROOM && !request->returns && !request->watches && !account->is_in_room)
    room_process_expect(&r->process, now_us, account->id);
  return out->number == MATCH_REFUSAL_ROOM || out->number == MATCH_REFUSAL_ROOM_STARTS ? r : NULL;
}

// Returns true if the player has left the requested room through a door after the machine lost its connection. Such a
// machine has not received the move, and requests the former room.
static bool has_moved(world_rooms_t *rooms, const world_request_t *request, const account_info_t *account) {
  const world_room_t *origin = room_choice_find(rooms, account->origin);
  return request->returns && !account->is_in_room && origin && is_named(origin, request->room);
}

world_room_t *room_choice_answer(world_rooms_t *rooms, int64_t now_us, const world_request_t *request,
                                 const account_info_t *account, match_refusal_t *out) {
  world_request_t moved = *request;
  moved.returns = false;
  moved.room[0] = '\0'; // selects the room to which the account belongs
  world_room_t *r = has_moved(rooms, request, account) ? answer(rooms, now_us, &moved, account, out) : NULL;
  // A player whom the new room refuses returns to the former room.
  return r ? r : answer(rooms, now_us, request, account, out);
}
