// Commands: changes that are queued while they are deferred (world.h), and how one joins the queue. Private to ecs,
// snapshot and relation.
#ifndef SHOAL_ECS_COMMAND_QUEUE_H
#define SHOAL_ECS_COMMAND_QUEUE_H

#include "base/array.h"
#include "ecs/world.h"

typedef enum command_kind_t {
  COMMAND_NONE,
  COMMAND_SPAWN,   // e; a: assemblage, b: parent entity or 0, c: name of the child
  COMMAND_BLOCK,   // a: block number
  COMMAND_DESTROY, // e; a: by whom (string id)
  COMMAND_ADD,     // e; a: manager, b: instance
  COMMAND_REMOVE,  // e; a: manager, b: instance
  COMMAND_SET,     // e; a: manager, b: instance, c: column; value
  COMMAND_ENTER,   // e; a: state (string id)
  COMMAND_EMIT,    // a: event, b: first row of the event's staged columns, c: how many
  // Of `c` entities of the world's lists, from `b` on:
  COMMAND_DESTROY_MANY, // a: by whom
  COMMAND_ADD_MANY,     // a: manager, d: first of `value` list values
  COMMAND_REMOVE_MANY,  // a: manager
  COMMAND_TURNS, // a command for each, by turns: of kind `e` & 0xff and manager a, and of kind e >> 8 and manager
                 // d; d 0: of the first alone
  COMMAND_PAIRS  // by threes: an entity, the instance of manager a that it gets, and whom that names in column d
} command_kind_t;

// Without padding, because queued commands are hashed as bytes.
typedef struct command_t {
  uint32_t kind;
  shoal_entity e;
  uint32_t a, b, c, d;
  double value;
} command_t;

// One field that COMMAND_ADD_MANY gives a value.
typedef struct list_value_t {
  uint64_t column;
  double value;
} list_value_t;

typedef ARRAY(command_t) commands_t;

typedef struct defer_frame_t {
  uint32_t by;
  uint32_t first_command;
} defer_frame_t;

command_t *command_push(world_o *w); // the place for one more; all of it is to be written
void command_push_plain(world_o *w, command_kind_t kind, shoal_entity e, uint32_t a, uint32_t b);
uint32_t command_by(const world_o *w); // who is destroying things now: a system's name, 0 for the host
// Makes the children (and theirs) of e and appends their spawns to `list`.
void command_spawn_children(world_o *w, shoal_entity e, uint32_t assemblage, commands_t *list);

// COMMAND_TURNS: what it says of entity number `i` of its list.
static inline command_kind_t turn_kind(const command_t *c, uint32_t i) {
  return (command_kind_t)(c->d != 0 && i % 2 == 1 ? c->e >> 8 : c->e & 0xff);
}
static inline uint32_t turn_manager(const command_t *c, uint32_t i) {
  return c->d != 0 && i % 2 == 1 ? c->d : c->a;
}

#endif
