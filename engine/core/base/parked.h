// Failures of a game's pieces, such as systems and event handlers. A piece that has failed is parked: it does not run
// until it is retried or reloaded. A game has one list of failures. The game's scripts and plugins add to the list;
// recordings, reloads, --stats and --check-rollback read it. The world stores the tick at which a parked piece is
// retried (content/parked_pieces.h). A new kind of piece requires a value of parked_kind_t and a row in the table of
// parked.c.
#ifndef SHOAL_BASE_PARKED_H
#define SHOAL_BASE_PARKED_H

#include "base/array.h"
#include "base/error.h"

typedef enum parked_kind_t {
  PARKED_NONE,
  PARKED_SYSTEM,        // a system of a script: its body, `start`, `reload`, `enter` or `leave`
  PARKED_HANDLER,       // an event handler of a script's system
  PARKED_BEHAVIOUR,     // a function of a behaviour
  PARKED_SCENE,         // `start` of a scene
  PARKED_SCRIPTS,       // all scripts, because they were stopped and could not be rebuilt
  PARKED_PLUGIN_SYSTEM, // a system of a plugin
  PARKED_PLUGIN,        // all systems of a plugin
  PARKED_KINDS
} parked_kind_t;

typedef struct parked_t {
  parked_kind_t kind;
  bool stopped;       // true if the watchdog stopped the piece; in a different run, it might not be stopped
  bool undone;        // true if the tick was rerun without the piece, which undid the piece's changes
  bool drawing;       // true if the piece belongs to the render phase
  bool is_recurring;  // true if the list already contained a failure of this piece; set by parked_list_add
  char name[128];     // name such as "movement/body", "weapons/on hit" or "guard/update"; the same in every run
  error_info_t error; // failure, with the piece's title, the problem and its position
  uint64_t tick;
  // One-based numbers of the system and its piece in the VM; 0: not parked by the VM.
  uint32_t system, part;
} parked_t;

typedef struct parked_list_t {
  allocator_t memory;
  ARRAY(parked_t) items; // failures, oldest first; items are never removed
} parked_list_t;

void parked_list_fini(parked_list_t *list);
void parked_list_add(parked_list_t *list, const parked_t *failure);
// Return the most recent failure of a piece, found by its name in recordings or by its title in reports; NULL if the
// piece has never failed.
const parked_t *parked_find(const parked_list_t *list, const char *name);
const parked_t *parked_find_piece(const parked_list_t *list, const char *piece);

// Returns true if the piece has already failed with the same message.
bool parked_is_repeated(const parked_list_t *list, const char *name, const char *message);
// Returns true if pieces of this kind are retried.
bool parked_is_retried(parked_kind_t kind);

// Convert a kind to its name ("system", "handler", …) and back; unknown names give PARKED_SYSTEM.
const char *parked_kind_name(parked_kind_t kind);
parked_kind_t parked_kind_parse(const char *text);
// Returns true if recordings must contain this failure, so that a replay parks the piece before the tick: if the game
// undoes the changes of failed pieces (`undo_enabled`), if the changes of this piece were undone, or if the watchdog
// stopped the piece. All other pieces fail again in the replay. Always returns false for kinds that vm_park_piece
// cannot find by name.
bool parked_is_recorded(const parked_t *failure, bool undo_enabled);

#endif
