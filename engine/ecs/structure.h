// What commands do to managers and queries, at sync points only. Private to ecs and relation.
#ifndef SHOAL_ECS_STRUCTURE_H
#define SHOAL_ECS_STRUCTURE_H

#include "ecs/spawn_batch.h"

shoal_entity structure_create(world_o *w, uint32_t assemblage);
void structure_free(world_o *w, shoal_entity e, uint32_t by);
void structure_count_alive(world_o *w, uint32_t name, int32_t change); // of the assemblage of this name
void structure_rename(world_o *w, shoal_entity e, uint32_t name);      // its assemblage has another one now
void structure_mark(world_o *w, const shoal_entity *entities, uint32_t count, uint8_t mark, bool on);
// Marks those that are alive and do not carry the mark, and keeps these. → how many they are.
uint32_t structure_mark_new(world_o *w, shoal_entity *entities, uint32_t count, uint8_t mark);
void structure_spawn(world_o *w, uint32_t assemblage, const shoal_entity *entities, uint32_t count,
                     spawn_batch_t *block);
void structure_create_many(world_o *w, uint32_t assemblage, shoal_entity *out, uint32_t count);
// Spawns what a command names, as a child where `parent` is not 0.
void structure_spawn_child(world_o *w, shoal_entity e, uint32_t assemblage, shoal_entity parent, uint32_t name);
bool structure_room(world_o *w, uint64_t wanted, error_t *error); // is there room for so many more entities?
void structure_add(world_o *w, shoal_entity e, manager_o *m, uint32_t instance, const double *values);
bool structure_is_full(const manager_o *m, shoal_entity e); // it has as many instances as an entity may have
void structure_remove(world_o *w, shoal_entity e, manager_o *m, uint32_t instance);
void structure_remove_all(manager_o *m, shoal_entity e, bool leaving); // every instance; `leaving`: as of remove_row
void structure_write(world_o *w, manager_o *m, uint32_t row, uint32_t column, double value); // one field, at once
// The same for those of many living entities that have none, or have one. Of a plain component; no entity is there
// twice. The list is used up.
void structure_add_many(world_o *w, manager_o *m, shoal_entity *entities, uint32_t count, const double *values);
void structure_remove_many(world_o *w, manager_o *m, shoal_entity *entities, uint32_t count);
void structure_enter(world_o *w, shoal_entity e, uint32_t state);
void structure_join_batch(world_o *w, const shoal_entity *entities, uint32_t count, uint32_t by);
void structure_join_dying(world_o *w, shoal_entity e); // the batch that is being asked about now
void structure_flush_added(world_o *w);

#endif
