// What stands still in a game because it failed, until its code is another: one list of a game. Its scripts and its
// plugins put in what they park; recordings, reloads, --stats and the check of rollbacks read it. A kind of piece is a
// line in parked_kind_t and one in the table of parked.c.
#ifndef SHOAL_BASE_PARKED_H
#define SHOAL_BASE_PARKED_H

#include "base/array.h"
#include "base/error.h"

typedef enum parked_kind_t {
  PARKED_NONE,
  PARKED_SYSTEM,        // of a script: its body, `start`, `reload`, `enter` and `leave`
  PARKED_HANDLER,       // of an event, of a script's system
  PARKED_BEHAVIOUR,     // a function of one
  PARKED_SCENE,         // its `start`
  PARKED_SCRIPTS,       // all of them: they were stopped and could not be built anew
  PARKED_PLUGIN_SYSTEM, // a system of a plugin
  PARKED_PLUGIN,        // all systems of a plugin
  PARKED_KINDS
} parked_kind_t;

typedef struct parked_t {
  parked_kind_t kind;
  bool stopped;   // by the watchdog, and so perhaps not in another run
  bool undone;    // what it did in the tick is undone: the tick ran again without it
  char name[128]; // "movement/body", "weapons/on hit", "guard/update": the same in every run
  error_t error;  // its piece, as people read it; what is wrong, and where
  uint64_t tick;
  uint32_t system, part; // numbers of whoever has parked it
} parked_t;

typedef struct parked_list_t {
  allocator_t memory;
  ARRAY(parked_t) items; // in the order in which they were parked; it only grows
} parked_list_t;

void parked_list_fini(parked_list_t *l);
void parked_add(parked_list_t *l, const parked_t *x);
// By the name of recordings, and by what reports call it; NULL when it is not parked.
const parked_t *parked_find(const parked_list_t *l, const char *name);
const parked_t *parked_find_piece(const parked_list_t *l, const char *piece);

// "system", "handler", …, and the way back; PARKED_SYSTEM for another word.
const char *parked_kind_words(parked_kind_t kind);
parked_kind_t parked_kind_called(const char *words);
// Does a recording have to say it? What is undone can be told before the tick; without that only what the watchdog has
// stopped is: the rest fails again by itself. `undoes`: what failing pieces did is undone in this game.
bool parked_is_recorded(const parked_t *x, bool undoes);

#endif
