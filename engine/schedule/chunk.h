// What one chunk of a parallel run wants to change besides its own rows: a list of commands, recorded by the thread
// that runs the chunk and carried out on the main thread when all chunks have run, in their order. So the world cannot
// tell how many workers there were. A chunk has a random stream of its own: the same for the same world, tick, system
// and chunk, while the world's stream stays where it is.
//
// Written by one thread at a time; read by the main thread when no chunk runs. Kept from run to run.
#ifndef SHOAL_SCHEDULE_CHUNK_H
#define SHOAL_SCHEDULE_CHUNK_H

#include "ecs/world.h"

typedef enum chunk_command_kind_t {
  CHUNK_NONE,
  CHUNK_DESTROY,  // e
  CHUNK_ADD,      // e; a: manager, b: instance
  CHUNK_REMOVE,   // e; a: manager, b: instance
  CHUNK_SET,      // e; a: manager, b: instance, column; value
  CHUNK_EMIT,     // a: event; the rest belongs to the caller of chunk_apply_until_emit
  CHUNK_EMIT_SET, // column; value: of the chunk's last emit
} chunk_command_kind_t;

typedef struct chunk_command_t {
  uint32_t kind;
  shoal_entity e;
  uint32_t a, b, column;
  double value;
} chunk_command_t;

typedef struct chunk_t {
  random_t random;
  chunk_command_t *commands; // by malloc, since chunks are recorded on several threads and allocators are for one
  uint32_t count, capacity;
} chunk_t;

// Empties chunk `index` of a run of `system` in this tick and gives it its random stream. `c` is zero-initialised
// before its first run. Main thread.
void chunk_begin(chunk_t *c, world_o *w, const char *system, uint32_t index);
void chunk_free(chunk_t *c);

void chunk_push(chunk_t *c, uint32_t kind, shoal_entity e, uint32_t a, uint32_t b, uint32_t column, double value);
random_t *chunk_random(chunk_t *c);

// Applies the commands in their order; those of entities that are gone by then do nothing. CHUNK_EMIT emits one row of
// the event, which the following CHUNK_EMIT_SETs fill. Main thread.
void chunk_apply(const chunk_t *c, world_o *w);
// The same from command `first` up to the next CHUNK_EMIT, which is left to the caller. Returns its index, or `count`.
uint32_t chunk_apply_until_emit(const chunk_t *c, world_o *w, uint32_t first);

#endif
