// Answers a player's request for a room: chooses the room, and describes why it cannot be joined.
#ifndef SHOAL_SERVE_ROOM_CHOICE_H
#define SHOAL_SERVE_ROOM_CHOICE_H

#include "game/served_rooms.h"
#include "match/world_request.h"
#include "serve/room_process.h"
#include "served/account_rows.h"

#define ROOM_ASK_AGAIN_MS 300u // time after which a machine asks again for a room that starts

typedef struct world_room_t {
  served_room_t room;
  room_process_t process;
  uint16_t port;
} world_room_t;

// The rooms of a world, in their order (game/served_rooms.h).
typedef struct world_rooms_t {
  world_room_t *items;
  uint32_t count;
  uint64_t first_process; // random; the number of a room's process is this number + the number of its starts
} world_rooms_t;

// Returns the room with this name, or NULL if the world has no such room.
world_room_t *room_choice_find(world_rooms_t *rooms, const char *name);

// Writes the answer to a request of an account's user. A name without a number selects the first free room of this
// name. "" selects the account's room: the room in which the account is or, if it is in no room, the room where it
// belongs. If the account has no room, or if its room has refused the code that has written the account's rows, ""
// selects the first free room that players may join directly. Players reach the remaining rooms only through doors,
// after which the account belongs to the room. Spectators, and machines that return to places that their room has kept,
// are also sent to full rooms. Returns the room that must be running for this request, or NULL if no room must run.
world_room_t *room_choice_answer(world_rooms_t *rooms, int64_t now_us, const world_request_t *request,
                                 const account_info_t *account, match_refusal_t *out);

#endif
