// Assemblages that the program defines while its world lives (world.define): facts of the world, which snapshots, saves
// and hashes hold as texts, and which code declares anew wherever a state is restored.
//
// A list of definitions is a text: for each a line with its name and a line of JSON, in the order in which they were
// first made.
#ifndef SHOAL_STATE_DEFINITIONS_H
#define SHOAL_STATE_DEFINITIONS_H

#include "ecs/world.h"
#include "state/snapshot.h"

// What is defined, also by a system that has not ended. Borrowed until the next call; "" for nothing.
const char *definitions_list(world_o *w);
// What was declared of them last, by definitions_end. Borrowed until the next change; for workers too.
const char *definitions_declared(const world_o *w);
// What is defined in a snapshot. Borrowed from `w` as of definitions_list; "" for nothing, and when it is damaged.
const char *definitions_in(const snapshot_o *s, world_o *w);

// Between the two all that changes is retired and declared (world_assemblage_declare …). `words` is the id of the text
// "define:NAME\n{…}" that changes, or 0: then code that has changed, or another state, has its say, and no entity
// follows. The entities that are alive follow when the commands are applied, at once outside a system: a value that
// is still the one of the assemblage that they were spawned from becomes the new one, as when a file is edited
// (state/assemblage_merge.h).
void definitions_begin(world_o *w, uint32_t words);
void definitions_retire(world_o *w, uint32_t name); // it is declared anew, or not there any more
void definitions_end(world_o *w, const char *list); // what is declared now

#endif
