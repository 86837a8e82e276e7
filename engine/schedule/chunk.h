// Structural changes queued by one chunk of a parallel run: a list of commands, recorded by the thread that runs the
// chunk and applied on the main thread in chunk order after all chunks have run. The result is therefore independent of
// the number of workers. Each chunk has its own random stream, determined by world, tick, system and chunk; the world's
// stream does not advance.
//
// Written by one thread at a time; the main thread reads it when no chunk runs. Reused from run to run.
#ifndef SHOAL_SCHEDULE_CHUNK_H
#define SHOAL_SCHEDULE_CHUNK_H

#include "ecs/world.h"

typedef enum chunk_command_kind_t {
  CHUNK_NONE,
  CHUNK_DESTROY,  // e: entity to destroy
  CHUNK_ADD,      // e; a: manager, b: instance
  CHUNK_REMOVE,   // e; a: manager, b: instance
  CHUNK_SET,      // e; a: manager, b: instance, column; value
  CHUNK_EMIT,     // a: event; chunk_apply_until_emit leaves its emission to the caller
  CHUNK_EMIT_SET, // column, value; sets that column of the chunk's last event
} chunk_command_kind_t;

typedef struct chunk_command_t {
  uint32_t kind;
  shoal_entity e;
  uint32_t a, b, column;
  double value;
} chunk_command_t;

typedef struct chunk_t {
  random_t random;
  // Allocated with malloc: several threads record chunks, and allocators are single-threaded.
  chunk_command_t *commands;
  uint32_t count, capacity;
} chunk_t;

// Empties chunk `index` for a run of `system` in this tick and seeds its random stream. Zero-initialise `c` before its
// first run. Main thread.
void chunk_begin(chunk_t *c, world_o *w, const char *system, uint32_t index);
void chunk_free(chunk_t *c);

void chunk_push(chunk_t *c, uint32_t kind, shoal_entity e, uint32_t a, uint32_t b, uint32_t column, double value);
random_t *chunk_random(chunk_t *c);

// Applies the commands in order, ignoring those for entities that no longer exist. CHUNK_EMIT emits an event, whose
// columns the following CHUNK_EMIT_SETs fill. Main thread.
void chunk_apply(const chunk_t *c, world_o *w);
// Applies the commands from `first` up to the next CHUNK_EMIT, which is left to the caller. Returns its index, or
// `count`.
uint32_t chunk_apply_until_emit(const chunk_t *c, world_o *w, uint32_t first);

#endif
