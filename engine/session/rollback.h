// --check-rollback N: after every tick the world goes back N ticks, and they are lived again with what was heard in
// them. What comes out another way depended on something that is not in the world. Nothing of it is heard, seen or
// written; the world is afterwards what it was. For development: a tick costs N + 1 ticks, and as many copies of the
// world are kept.
#ifndef SHOAL_SESSION_ROLLBACK_H
#define SHOAL_SESSION_ROLLBACK_H

#include "game/game.h"
#include "time/external_input.h"

typedef struct rollback_o rollback_o;

// Both borrowed.
rollback_o *rollback_create(allocator_t *a, log_o *log, uint32_t ticks);
void rollback_destroy(rollback_o *r); // NULL is fine
// What was lived so far is not gone back to: another game, or other code, lives on from here.
void rollback_forget(rollback_o *r); // NULL is fine

// Around each game_tick, its input being in the game.
void rollback_begin(rollback_o *r, game_o *g);
void rollback_end(rollback_o *r, game_o *g);
// What the tick has read from outside. Retained.
void rollback_read(rollback_o *r, uint64_t tick, external_answer_t *a);
// When what follows a tick is done too. False when a tick came out another way, which has been logged: tick, entity,
// component, field and the first system after which the world was another one; or when a table that was made while
// files were loaded has changed.
bool rollback_check(rollback_o *r, game_o *g);

#endif
