// Appends commands to the queue of structural changes.
#include "ecs/command_queue.h"

#include "base/assert.h"
#include "ecs/assemblage.h"
#include "ecs/structural_changes.h"
#include "ecs/world_internal.h"

command_t *command_push(world_o *w) {
  array_reserve(&w->allocator, &w->commands, w->commands.count + 1);
  close_command_lane(w);
  return &w->commands.items[w->commands.count++];
}

// Writes the command field by field: copying a struct right after writing it piecewise would stall on store forwarding.
void command_push_values(world_o *w, command_kind_t kind, shoal_entity e, uint32_t a, uint32_t b) {
  command_t *c = command_push(w);
  c->kind = kind;
  c->e = e;
  c->a = a;
  c->b = b;
  c->c = c->d = 0;
  c->value = 0;
}

uint32_t command_actor(const world_o *w) {
  return w->frames.count > 0 ? w->frames.items[w->frames.count - 1].system_id : w->applying_system_id;
}

uint32_t world_command_count(const world_o *w) {
  return w->commands.count;
}

void command_spawn_children(world_o *w, shoal_entity e, uint32_t assemblage, commands_t *list) {
  for (uint32_t i = 0; assemblage != 0 && i < assemblage_get(w, assemblage)->children.count; ++i) {
    child_t child = assemblage_get(w, assemblage)->children.items[i];
    command_t c = {.kind = COMMAND_SPAWN, .a = child.assemblage, .b = e, .c = child.name};
    c.e = structure_create_entity(w, child.assemblage);
    shoal_assert(c.e != SHOAL_ENTITY_NONE,
                 "cannot create a child entity: the caller must check the capacity for the whole tree");
    if (list == &w->commands)
      *command_push(w) = c;
    else
      array_push(&w->allocator, list, c);
    command_spawn_children(w, c.e, child.assemblage, list);
  }
}
