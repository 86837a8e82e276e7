// Scenes as text: entities as JSON, for hand-made levels and for diffs. Contains only differences from an entity's
// assemblage, in a stable order, one component per line:
//
//   { "format": 1,
//     "entities": [
//       { "assemblage": "tank", "state": "dying", "name": "boss", "id": "tank#1", "parent": "hill",
//         "components": { "gun": { "left": { "heat": 2 }, "right": null }, "health": { "hp": 3 }, "motion": null },
//         "children": { "turret": { "components": { "transform": { "y": 9 } } }, "flag": null } } ] }
//
// `null` removes a component, instance or child of the assemblage. `false` does the same, for scenes in Lua, whose
// tables cannot contain null. Components that the assemblage lacks are added. Components with several instances are
// written by instance, including the unnamed instance (""). `children` lists the children that the assemblage defines.
// Additional children are entries of the list that set `parent`. References (`parent` and entity fields) contain the id
// of an entity of the text, or its name if the name is unique; null means no entity. Vectors are lists, objects of axes
// ({ "x": 1 }; the remaining axes keep their values) or colours ("#ff8800"). Enum choices are strings. "nan", "inf" and
// "-inf" are valid numbers. Scenes do not contain singletons, events, hidden and read-only fields, and matrices.
//
// A reference to an entity outside the text is an object, { "entity": 7, "name": "boss", "assemblage": "tank" }. It
// refers to the entity with this name in the world or, in an import, to the living entity with this id, name and
// assemblage. If no such entity exists, the reference becomes null.
#ifndef SHOAL_STORE_SCENE_H
#define SHOAL_STORE_SCENE_H

#include "base/array.h"
#include "ecs/world.h"

#define SCENE_FORMAT 1u
#define SCENE_MAX_BYTES (64u << 20)
#define SCENE_MAX_OBJECTS 1000000u

#define SCENE_FAULT_PATH_BYTES 400

typedef struct scene_fault_t {
  uint32_t line;                     // line in the text; 0 if the fault concerns the whole text
  char path[SCENE_FAULT_PATH_BYTES]; // keys and indices from the root, one per line: "entities\n2\ncomponents\nhull"
  error_info_t error;
} scene_fault_t;

// Callback for former names in a scene (`renamed_from`), which are read like the current names. `number` is the
// position of the entity in the list, from 1. `former` and `current` are the names, such as "bite.power".
typedef struct scene_former_t {
  void (*report)(void *context, uint32_t number, const scene_fault_t *fault, const char *former, const char *current);
  void *context;
} scene_former_t;

struct json_t;

typedef struct scene_desc_t {
  const char *text;
  size_t text_bytes;
  // Entities as a JSON list, used instead of a text; borrowed. Faults in a list have no line. The report function of
  // scene_check_each may edit the reported entity.
  struct json_t *list;
  const char *ignored; // components to skip (metadata), each followed by '\n'; may be NULL
  bool match_by_id;    // true if scene_update identifies entities by ids ("#12") in the component map_object
  // Used by e:json(). Ids and references may also be entity ids (numbers). A number that is not an id of the text
  // refers to the living entity with that id, or to no entity if no living entity has that id.
  bool accepts_entity_ids;
  // Used by world.import. References to entities outside the text may also be resolved by their ids. Removed fields and
  // components are skipped with a warning.
  bool is_import;
  const scene_former_t *former_names; // receives the former names in the scene; may be NULL
} scene_desc_t;

// The name of an entity in a scene: its id or unique name.
typedef struct scene_id_t {
  shoal_entity entity;
  uint32_t text_offset; // offset in `text` of the name, which ends with '\0'
} scene_id_t;
typedef struct scene_ids_t {
  ARRAY(scene_id_t) list;
  ARRAY(char) text;
} scene_ids_t;

// Spawned entities: `items` contains the entities of the list, in order, and `ids` the entities with an id or a name.
// Empty when zero-initialized.
typedef struct scene_spawned_t {
  shoal_entity *items;
  uint32_t count, capacity;
  scene_ids_t ids;
  // References that could not be resolved, one per line: "entity 2: target refers to tank \"boss\"".
  ARRAY(char) unresolved;
  ARRAY(char) skipped; // first occurrence of each skipped field or component: "LINE\tentity 2: gun has no field heat\n"
} scene_spawned_t;

// Writes these entities and the children that their assemblages define, ordered by entity index. Read-only. Inside a
// system, queued changes are not included. The text is allocated with `a` (*bytes + 1) and ends with '\0'. Returns the
// text, or NULL with an error that names the entity if a string is not valid UTF-8.
char *scene_write(world_o *w, const shoal_entity *entities, uint32_t count, allocator_t *a, size_t *bytes,
                  error_info_t *error);
// Like scene_write, but every entity, including children from assemblages, has an id or a unique name, which is added
// to `ids`.
char *scene_write_named(world_o *w, const shoal_entity *entities, uint32_t count, allocator_t *a, scene_ids_t *ids,
                        size_t *bytes, error_info_t *error);
// Key of a row that scene_write_items writes: the names of the fields whose values equal the assemblage's, or true if
// the values of all fields do.
#define SCENE_EQUAL_KEY "="
// Like scene_write, for items of players (store/item_rows.h): writes exactly the given entities, with all values of
// their components. The id of entities[i] is items[i], each entity has its assemblage and its name, and references to
// all other entities are empty. Replaces invalid UTF-8. Returns the text.
char *scene_write_items(world_o *w, const shoal_entity *entities, const int64_t *items, uint32_t count, allocator_t *a,
                        size_t *bytes);

// Spawns all entities of the text and stores them in `out`. Inside a system, spawns them as commands. If `out` is NULL,
// only checks the text. Memory of `out` is allocated with `a`. Safe for untrusted text. Returns true on success.
// Returns false with the fault if the text is invalid. The world is then unchanged.
bool scene_read(world_o *w, const scene_desc_t *desc, allocator_t *a, scene_spawned_t *out, scene_fault_t *fault);
// Callback of scene_check_each: `number` is the position of the invalid entity in the list, from 1. The fault has no
// line.
typedef struct scene_check_t {
  void (*report)(void *context, uint32_t number, const scene_fault_t *fault);
  void *context;
} scene_check_t;

// Checks a scene, which is a text or a list, without changing the world. For each invalid entity, reports its first
// fault to `check`. Returns true on success, or false with the fault if the scene is invalid as a whole. If the
// reported entities are removed from the scene, the remaining entities can be spawned, unless they refer to reported
// entities or are their own ancestors.
bool scene_check_each(world_o *w, const scene_desc_t *desc, allocator_t *a, const scene_check_t *check,
                      scene_fault_t *fault);
void scene_spawned_fini(scene_spawned_t *spawned, allocator_t *a);
void scene_ids_fini(scene_ids_t *ids, allocator_t *a);

// Callbacks for log lines about changes that could not be applied (`log_line`) or take effect later (`log_delayed`).
typedef struct scene_listener_t {
  void (*log_line)(void *context, const char *line);
  void (*log_delayed)(void *context, const char *line); // not called by scene_update
  void *context;
} scene_listener_t;

// Input and result of scene_update, which applies an edited scene to a world whose entities come from its previous
// version. Entities are matched by their names in both versions. Unnamed entities are not changed. Zero-initialize all
// members except the inputs.
typedef struct scene_update_t {
  const char *file, *scene; // file and name of the scene: "scenes/hill.json", "hill"
  shoal_entity tilemap;     // tilemap whose objects became the entities, used with match_by_id
  // If true, matches only entities with this scene in `in_scene`. If false, also matches entities without `in_scene`.
  bool is_layer;
  scene_desc_t old_version, new_version;
  scene_listener_t listener;
  // Results
  uint32_t changed_entities; // number of changed entities
  uint32_t set_values;       // number of values set
  uint32_t kept_values;      // number of values kept because the game has changed them
  uint32_t delayed_changes;  // number of changes that take effect later
} scene_update_t;

// Applies added and removed components and changed values to living entities, unless the game has changed the same
// values since. Call outside ticks. Returns true on success. Returns false, without any change, if either version does
// not match the current declarations.
bool scene_update(world_o *w, scene_update_t *desc, allocator_t *a);

#endif
