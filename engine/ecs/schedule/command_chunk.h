// Structural changes queued by one chunk of a parallel run, as a list of commands. The thread that runs the chunk
// appends the commands; the main thread applies all lists in the order of the chunks after all chunks have run. The
// result is therefore independent of the number of workers. Each chunk has a separate random stream, which is
// determined by world, tick, system and chunk; the world's stream does not advance.
//
// Only one thread at a time writes a list; the main thread reads it when no chunk runs. Lists are reused in later runs.
#ifndef SHOAL_SCHEDULE_COMMAND_CHUNK_H
#define SHOAL_SCHEDULE_COMMAND_CHUNK_H

#include "ecs/world.h"

// Kinds of commands. The comments list the members of chunk_command_t that a command uses.
typedef enum chunk_command_kind_t {
  CHUNK_NONE,
  CHUNK_DESTROY,  // e: entity
  CHUNK_ADD,      // e: entity; a: manager; b: instance
  CHUNK_REMOVE,   // e: entity; a: manager; b: instance
  CHUNK_SET,      // e: entity; a: manager; b: instance; column and value of the field
  CHUNK_EMIT,     // a: event. chunk_apply_until_emit leaves this command to the caller
  CHUNK_EMIT_SET, // column and value; sets a column of the event that this chunk emitted last
} chunk_command_kind_t;

typedef struct chunk_command_t {
  uint32_t kind;
  shoal_entity e;
  uint32_t a, b, column;
  double value;
} chunk_command_t;

typedef struct chunk_t {
  random_t random;
  // Allocated with malloc, because several threads append commands and an allocator_t is single-threaded.
  chunk_command_t *commands;
  uint32_t count, capacity;
} chunk_t;

// Empties the list of chunk `index` for a run of `system` in this tick, and seeds its random stream. Zero-initialize
// `chunk` before its first run. Main thread only.
void chunk_begin(chunk_t *chunk, world_o *w, const char *system, uint32_t index);
void chunk_free(chunk_t *chunk);

void chunk_push(chunk_t *chunk, uint32_t kind, shoal_entity e, uint32_t a, uint32_t b, uint32_t column, double value);
random_t *chunk_random(chunk_t *chunk);

// Applies the commands in order, from index `first_command` up to the next CHUNK_EMIT, which is left to the caller.
// Returns the index of that command; chunk->count if no CHUNK_EMIT follows. Ignores commands for destroyed entities.
// Skips the removal of a component that the entity's components require, and stores the reason in `refusal` if
// `refusal` is empty. Main thread only.
uint32_t chunk_apply_until_emit(const chunk_t *chunk, world_o *w, uint32_t first_command, error_info_t *refusal);

#endif
