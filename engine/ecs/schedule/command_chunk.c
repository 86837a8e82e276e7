// Lists of commands that worker threads queue and the main thread applies.
#include "schedule/command_chunk.h"

#include "base/assert.h"
#include "base/hash.h"

#include <stdlib.h>

#define INITIAL_CAPACITY 64u

void chunk_begin(chunk_t *chunk, world_o *w, const char *system, uint32_t index) {
  uint64_t tick = world_tick(w), seed = hash_text(system);
  seed = hash_bytes(&tick, sizeof tick, seed);
  seed = hash_bytes(world_random(w), sizeof(random_t), seed);
  chunk->count = 0;
  random_seed(&chunk->random, hash_bytes(&index, sizeof index, seed));
}

void chunk_free(chunk_t *chunk) {
  free(chunk->commands);
  *chunk = (chunk_t){.commands = NULL};
}

void chunk_push(chunk_t *chunk, uint32_t kind, shoal_entity e, uint32_t a, uint32_t b, uint32_t column, double value) {
  shoal_assert(kind > CHUNK_NONE && kind <= CHUNK_EMIT_SET, "unknown chunk command %u", kind);
  if (chunk->count == chunk->capacity) {
    uint32_t capacity = chunk->capacity ? chunk->capacity * 2 : INITIAL_CAPACITY;
    chunk_command_t *new_commands = realloc(chunk->commands, capacity * sizeof *new_commands);
    if (!new_commands)
      abort();
    chunk->commands = new_commands;
    chunk->capacity = capacity;
  }
  chunk->commands[chunk->count++] =
      (chunk_command_t){.kind = kind, .e = e, .a = a, .b = b, .column = column, .value = value};
}

random_t *chunk_random(chunk_t *chunk) {
  return &chunk->random;
}

static void apply_removal(world_o *w, const chunk_command_t *command, error_info_t *refusal) {
  error_info_t error;
  if (world_check_removal(w, command->e, command->a, &error))
    world_remove_component(w, command->e, command->a, command->b);
  else if (!refusal->text[0])
    *refusal = error;
}

static void apply_command(world_o *w, const chunk_command_t *command, uint32_t *ticket, error_info_t *refusal) {
  error_info_t error;
  switch (command->kind) {
  case CHUNK_DESTROY: world_destroy_entity(w, command->e); break;
  case CHUNK_ADD: world_add_component(w, command->e, command->a, command->b, &error); break;
  case CHUNK_REMOVE: apply_removal(w, command, refusal); break;
  case CHUNK_SET:
    world_set_field(w, command->e, command->a, command->b, command->column, command->value, &error);
    break;
  case CHUNK_EMIT: *ticket = world_emit_event(w, command->a); break;
  case CHUNK_EMIT_SET: world_set_event_field(w, *ticket, command->column, command->value); break;
  default: shoal_assert(false, "unknown chunk command %u", command->kind); break;
  }
}

uint32_t chunk_apply_until_emit(const chunk_t *chunk, world_o *w, uint32_t first_command, error_info_t *refusal) {
  uint32_t ticket = 0, i = first_command;
  for (; i < chunk->count && chunk->commands[i].kind != CHUNK_EMIT; ++i)
    apply_command(w, &chunk->commands[i], &ticket, refusal);
  return i;
}
