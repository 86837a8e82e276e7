// The singleton shoal.room of a game with served rooms (world/room.lua): the room's name, and the time for which it
// slept.
#ifndef SHOAL_GAME_ROOM_STATE_H
#define SHOAL_GAME_ROOM_STATE_H

typedef struct game_o game_o;

// Makes the world the room `name`. Unless `away_s` is 0, the next tick emits the event `woken` with this number of
// seconds. Call between two ticks. Does nothing if the game declares no rooms.
void room_state_set(game_o *g, const char *name, double away_s);
// Emits `woken` if the room has been woken since the last tick. Call at the start of a tick.
void room_state_emit_woken(game_o *g);

#endif
