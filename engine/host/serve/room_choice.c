// Choice of the room for a player.
#include "serve/room_choice.h"

#include "base/nearest_name.h"

#include <stdio.h>
#include <string.h>

static bool is_full(const world_room_t *r, int64_t now_us, const world_request_t *request) {
  uint32_t arrivals = now_us - r->arrivals_us < ROOM_ARRIVAL_US ? r->arrivals : 0;
  return !request->returns && r->process.beat.players + arrivals >= r->room.players;
}

static void note_arrival(world_room_t *r, int64_t now_us) {
  if (now_us - r->arrivals_us >= ROOM_ARRIVAL_US)
    r->arrivals = 0;
  if (r->arrivals++ == 0)
    r->arrivals_us = now_us;
}

// Returns true if a request for `name` may lead to this room.
static bool matches(const world_room_t *r, const char *name) {
  if (name[0] == '\0')
    return r->room.kind->enter;
  return strcmp(r->room.name, name) == 0 || strcmp(r->room.kind->name, name) == 0;
}

// Finds the first room for a request that is neither full nor damaged. Otherwise, returns the first room for the
// request, or NULL if no room has this name.
static world_room_t *find_room(world_rooms_t *rooms, int64_t now_us, const world_request_t *request) {
  world_room_t *first = NULL;
  for (uint32_t i = 0; i < rooms->count; ++i) {
    world_room_t *r = &rooms->items[i];
    if (!matches(r, request->room))
      continue;
    first = first ? first : r;
    if (r->process.phase != ROOM_DAMAGED && !is_full(r, now_us, request))
      return r;
  }
  return first;
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

world_room_t *room_choice_answer(world_rooms_t *rooms, int64_t now_us, const world_request_t *request,
                                 match_refusal_t *out) {
  world_room_t *r = find_room(rooms, now_us, request);
  if (!r) {
    answer_unknown(rooms, request->room, out);
    return NULL;
  }
  bool is_open = r->process.phase == ROOM_OPEN;
  if (!r->room.kind->enter)
    match_refusal_set(out, MATCH_REFUSAL_ROOM_CLOSED, 0);
  else if (r->process.phase == ROOM_DAMAGED)
    match_refusal_set(out, MATCH_REFUSAL_ROOM_FAILED, 0);
  else if (is_open && is_full(r, now_us, request))
    match_refusal_set(out, MATCH_REFUSAL_FULL, r->room.players);
  else if (is_open)
    world_answer_set_room(out, r->room.name, r->port, rooms->first_process + r->process.starts);
  else
    match_refusal_set(out, MATCH_REFUSAL_ROOM_STARTS, ROOM_ASK_AGAIN_MS);
  (void)snprintf(out->texts[0], sizeof out->texts[0], "%s", r->room.name);
  if (out->number == MATCH_REFUSAL_ROOM && !request->returns)
    note_arrival(r, now_us);
  return out->number == MATCH_REFUSAL_ROOM || out->number == MATCH_REFUSAL_ROOM_STARTS ? r : NULL;
}
