// The queue of structural changes; world.h describes when changes are queued. Private to ecs and snapshot.
#ifndef SHOAL_ECS_COMMAND_QUEUE_H
#define SHOAL_ECS_COMMAND_QUEUE_H

#include "base/array.h"
#include "ecs/world.h"

// Kinds of commands, with the members of command_t that each kind uses.
typedef enum command_kind_t {
  COMMAND_NONE,
  COMMAND_SPAWN,   // `e`; a: assemblage, b: parent entity or 0, c: name of the child
  COMMAND_BLOCK,   // a: block number
  COMMAND_DESTROY, // `e`; a: destroyer (string id of the system)
  COMMAND_ADD,     // `e`; a: manager, b: instance
  COMMAND_REMOVE,  // `e`; a: manager, b: instance
  COMMAND_SET,     // `e` (0: a is a singleton); a: manager, b: instance, c: column; value
  COMMAND_ENTER,   // `e`; a: state (string id)
  COMMAND_EMIT,    // a: event, b: first row in the event's staged columns, c: row count
  // The following commands apply to `c` entries of the world's lists, starting at index `b`.
  COMMAND_DESTROY_MANY, // a: destroyer (string id of the system)
  COMMAND_ADD_MANY,     // a: manager, d: index of the first of `value` list values
  COMMAND_REMOVE_MANY,  // a: manager
  // One command per entity: kind `e` & 0xff on manager a. If d is not 0, every other command is of kind `e` >> 8 on
  // manager d instead.
  COMMAND_ALTERNATE,
  // entries are triples: entity, instance in manager a, target for column d
  COMMAND_PAIRS
} command_kind_t;

// Has no padding, because queued commands are hashed as bytes.
typedef struct command_t {
  uint32_t kind;
  shoal_entity e;
  uint32_t a, b, c, d;
  double value;
} command_t;

// Value of one field for COMMAND_ADD_MANY.
typedef struct list_value_t {
  uint64_t column;
  double value;
} list_value_t;

typedef ARRAY(command_t) commands_t;

typedef struct defer_frame_t {
  uint32_t by;
  uint32_t first_command;
} defer_frame_t;

command_t *command_push(world_o *w); // appends an uninitialized command; the caller must write all fields
void command_push_values(world_o *w, command_kind_t kind, shoal_entity e, uint32_t a, uint32_t b);
uint32_t command_actor(const world_o *w); // string id of the system to record as destroyer; 0 for the host
// Creates the descendants of e and appends their spawns to `list`.
void command_spawn_children(world_o *w, shoal_entity e, uint32_t assemblage, commands_t *list);

// Return the kind and the manager of the command for entity `i` in the list of a COMMAND_ALTERNATE.
static inline command_kind_t alternate_kind(const command_t *c, uint32_t i) {
  return (command_kind_t)(c->d != 0 && i % 2 == 1 ? c->e >> 8 : c->e & 0xff);
}
static inline uint32_t alternate_manager(const command_t *c, uint32_t i) {
  return c->d != 0 && i % 2 == 1 ? c->d : c->a;
}

#endif
