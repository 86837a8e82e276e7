// Assemblages that the program defines while its world lives (world.define). They are rows of the single
// shoal.definitions, so snapshots, saves and hashes include them; the code declares them again after each restore.
//
// A list of definitions is a text: for each a line with its name and a line of JSON, in the order in which they were
// first made.
#ifndef SHOAL_ECS_DEFINITIONS_H
#define SHOAL_ECS_DEFINITIONS_H

#include "ecs/world.h"

#define DEFINITIONS_COMPONENT "shoal.definitions" // columns: name, json; a row for each definition after row 0
bool definitions_declare(world_o *w, error_t *error);

// What is defined, also by a system that has not ended. Borrowed until the next call; "" for nothing.
const char *definitions_list(world_o *w);
// What was declared of them last, by definitions_end. Borrowed until the next change; for workers too.
const char *definitions_declared(const world_o *w);
// Builds a list from texts of another world: begin, add each definition, end. An empty name is left out. The result
// is borrowed as of definitions_list.
void definitions_list_begin(world_o *w);
void definitions_list_add(world_o *w, const char *name, size_t name_bytes, const char *json, size_t json_bytes);
const char *definitions_list_end(world_o *w);
// Has the code of `w` declare this list (world_set_definer), if it has declared another one.
void definitions_require(world_o *w, const char *list);

// Between the two all that changes is retired and declared (world_assemblage_declare …). `name` and `json` are text
// ids of the definition that changes; name 0 is a change of the code or of the state, which no entity follows.
// Living entities follow when the commands are applied, at once outside a system: a value that is still the one of the
// assemblage that they were spawned from becomes the new one, as when a file is edited (ecs/assemblage_merge.h).
void definitions_begin(world_o *w, uint32_t name, uint32_t json);
void definitions_retire(world_o *w, uint32_t name); // it is declared anew, or not there any more
void definitions_end(world_o *w, const char *list); // what is declared now
void definitions_follow(world_o *w); // entities follow: when the commands have been applied. Private to ecs

#endif
