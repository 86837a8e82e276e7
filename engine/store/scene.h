// A scene as text: entities as JSON, for levels made by hand and for diffs. Only what differs from an entity's
// assemblage is written, in an order that stays, a component a line:
//
//   { "format": 1,
//     "entities": [
//       { "assemblage": "tank", "state": "dying", "name": "boss", "id": "tank#1", "parent": "hill",
//         "components": { "gun": { "left": { "heat": 2 }, "right": null }, "health": { "hp": 3 }, "motion": null },
//         "children": { "turret": { "components": { "transform": { "y": 9 } } }, "flag": null } } ] }
//
// `null` removes what the assemblage brings; `false` means the same, for scenes in Lua, which has no null in tables. A
// component that the assemblage lacks is added. Components of several instances are written by instance, also the one
// without a name (""). `children` are those that the assemblage brings; other children are entities of the list that
// name their `parent`. References (`parent` and fields of entities) name another entity of the text by its id, or by
// its name where no other has it; null is none. Vectors are lists, objects of axes ({ "x": 1 }, other axes keep their
// values) or colours ("#ff8800"); choices are texts; "nan", "inf" and "-inf" are numbers too. Not in a scene: singles,
// events, hidden and read-only fields, matrices, and what is referred to but not in the text (which becomes none).
#ifndef SHOAL_STORE_SCENE_H
#define SHOAL_STORE_SCENE_H

#include "base/array.h"
#include "ecs/world.h"

#define SCENE_FORMAT 1u
#define SCENE_MAX_BYTES (64u << 20)
#define SCENE_MAX_OBJECTS 1000000u

typedef struct scene_ask_t {
  const char *text;
  size_t text_bytes;
  const char *ignored; // components that are passed over, each with a '\n' behind it (those of metadata); NULL for none
  bool by_id;          // scene_follow: its entities are known by their ids, "#12", in the component map_object
} scene_ask_t;

// What entities of a text are called in it: by an id, or by a name that no other has. Zero-initialised is empty.
typedef struct scene_id_t {
  shoal_entity e;
  uint32_t at; // in `text`, with a '\0' behind it
} scene_id_t;
typedef struct scene_ids_t {
  ARRAY(scene_id_t) list;
  ARRAY(char) text;
} scene_ids_t;

// What was spawned: the entities of the list, in its order, and those that have an id or a name of their own.
// Zero-initialised is empty.
typedef struct scene_made_t {
  shoal_entity *items;
  uint32_t count, capacity;
  scene_ids_t ids;
} scene_made_t;

#define SCENE_FAULT_PLACE_BYTES 400

typedef struct scene_fault_t {
  uint32_t line;                       // of the text, 0 when it concerns all of it
  char place[SCENE_FAULT_PLACE_BYTES]; // keys and numbers from the root, a line each: "entities\n2\ncomponents\nhull"
  error_t error;
} scene_fault_t;

// These entities, and the children that their assemblages brought, in the order of their indices. Reads only; inside a
// system what is queued is not there yet. The text ends with '\0', behind *bytes; it is `a`'s (*bytes + 1). NULL with a
// message that names the entity when a text is no UTF-8.
char *scene_write(world_o *w, const shoal_entity *entities, uint32_t count, allocator_t *a, size_t *bytes,
                  error_t *error);
// The same, where every entity has an id or a name of its own, children that were brought too: they go into `ids`.
char *scene_write_named(world_o *w, const shoal_entity *entities, uint32_t count, allocator_t *a, scene_ids_t *ids,
                        size_t *bytes, error_t *error);

// Spawns what the text says, all of it or nothing; inside a system as commands. Safe for any text. False with the
// fault, and then the world is as it was. `out` NULL: only checks. Its memory is `a`'s.
bool scene_read(world_o *w, const scene_ask_t *ask, allocator_t *a, scene_made_t *out, scene_fault_t *fault);
void scene_made_fini(scene_made_t *made, allocator_t *a);
void scene_ids_fini(scene_ids_t *ids, allocator_t *a);

// Gets lines for the log about what could not be changed, and why.
typedef struct scene_listener_t {
  void (*say)(void *context, const char *line);
  void *context;
} scene_listener_t;

// A text that was edited, for a world whose entities came from the former one. Entities of the texts are those that are
// called so; whoever has no name in them is left alone. Zero-initialised, but for what is asked.
typedef struct scene_follow_t {
  const char *file, *scene; // "scenes/hill.json", "hill"
  shoal_entity map;         // of a text by ids: whose objects they are
  bool is_layer;            // its entities are those that say so, in `in_scene`; else also those that say nothing
  scene_ask_t before, now;
  scene_listener_t to;
  uint32_t entities, values, kept; // told: how many were touched, values set, and values that stay as the game set them
} scene_follow_t;

// Outside of ticks. Components that the text adds or drops, and values that it says differently, come to the living
// entities, where they are as the former text said. False when the former text does not fit what is declared now: then
// nothing is done.
bool scene_follow(world_o *w, scene_follow_t *ask, allocator_t *a);

#endif
