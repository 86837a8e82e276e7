// Hashes the world after each system of a tick. Comparing the hashes of two runs of a tick finds the system after which
// the runs differ. Used by --check-rollback (session/rollback_check.h) and for desyncs between machines
// (match/desync.h).
#ifndef SHOAL_GAME_SYSTEM_WATCH_H
#define SHOAL_GAME_SYSTEM_WATCH_H

#include "base/array.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct game_o game_o;
typedef struct world_o world_o; // defined in ecs/world.h

typedef ARRAY(uint64_t) system_hashes_t;

// Hashes of a run in progress. Zero-initialize, then set the caller's members.
typedef struct system_watch_t {
  // Set by the caller
  allocator_t *allocator;
  system_hashes_t *stored;         // list to which the hash after each system is appended; NULL: hashes are not stored
  const system_hashes_t *expected; // hashes of a previous run, to compare with; NULL: no comparison
  uint64_t mask;                   // bits of the hashes to compare; 0: all bits
  // Called after each system, once its hash has been compared. Optional.
  void (*after_system)(void *context, world_o *w, const char *system);
  void *context;
  // Results
  uint32_t count;            // number of systems that have run
  bool differs;              // true if a system's hash differs from its hash in `expected`, or if `expected` lacks it
  uint32_t differing_index;  // index of that system
  char differing_system[96]; // name of that system; "" if no hash differs
} system_watch_t;

// Watches the systems of a game until system_watch_end. Meanwhile, the systems run sequentially. Resets only `count`:
// if several ticks are watched, the remaining results describe the first difference in any of them.
void system_watch_begin(system_watch_t *watch, game_o *g);
void system_watch_end(game_o *g);

#endif
