// Lists of commands that worker threads queue and the main thread applies.
#include "schedule/command_chunk.h"

#include "base/assert.h"
#include "base/hash.h"

#include <stdlib.h>

#define INITIAL_CAPACITY 64u

void chunk_begin(chunk_t *c, world_o *w, const char *system, uint32_t index) {
  uint64_t tick = world_tick(w), seed = hash_text(system);
  seed = hash_bytes(&tick, sizeof tick, seed);
  seed = hash_bytes(world_random(w), sizeof(random_t), seed);
  c->count = 0;
  random_seed(&c->random, hash_bytes(&index, sizeof index, seed));
}

void chunk_free(chunk_t *c) {
  free(c->commands);
  *c = (chunk_t){.commands = NULL};
}

void chunk_push(chunk_t *c, uint32_t kind, shoal_entity e, uint32_t a, uint32_t b, uint32_t column, double value) {
  shoal_assert(kind > CHUNK_NONE && kind <= CHUNK_EMIT_SET, "unknown chunk command %u", kind);
  if (c->count == c->capacity) {
    uint32_t capacity = c->capacity ? c->capacity * 2 : INITIAL_CAPACITY;
    chunk_command_t *grown = realloc(c->commands, capacity * sizeof *grown);
    if (!grown)
      abort();
    c->commands = grown;
    c->capacity = capacity;
  }
  c->commands[c->count++] = (chunk_command_t){.kind = kind, .e = e, .a = a, .b = b, .column = column, .value = value};
}

random_t *chunk_random(chunk_t *c) {
  return &c->random;
}

static void apply_removal(world_o *w, const chunk_command_t *x, error_info_t *refused) {
  error_info_t error;
  if (world_check_removal(w, x->e, x->a, &error))
    world_remove_component(w, x->e, x->a, x->b);
  else if (!refused->text[0])
    *refused = error;
}

static void apply_command(world_o *w, const chunk_command_t *x, uint32_t *ticket, error_info_t *refused) {
  error_info_t error;
  switch (x->kind) {
  case CHUNK_DESTROY: world_destroy_entity(w, x->e); break;
  case CHUNK_ADD: world_add_component(w, x->e, x->a, x->b, &error); break;
  case CHUNK_REMOVE: apply_removal(w, x, refused); break;
  case CHUNK_SET: world_set_field(w, x->e, x->a, x->b, x->column, x->value, &error); break;
  case CHUNK_EMIT: *ticket = world_emit_event(w, x->a); break;
  case CHUNK_EMIT_SET: world_set_event_field(w, *ticket, x->column, x->value); break;
  default: shoal_assert(false, "unknown chunk command %u", x->kind); break;
  }
}

uint32_t chunk_apply_until_emit(const chunk_t *c, world_o *w, uint32_t first, error_info_t *refused) {
  uint32_t ticket = 0, i = first;
  for (; i < c->count && c->commands[i].kind != CHUNK_EMIT; ++i)
    apply_command(w, &c->commands[i], &ticket, refused);
  return i;
}
