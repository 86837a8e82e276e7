// Structural changes to managers and queries. Call at sync points only. Private to ecs.
#ifndef SHOAL_ECS_STRUCTURAL_CHANGES_H
#define SHOAL_ECS_STRUCTURAL_CHANGES_H

#include "ecs/world_internal.h"

// Returns the properties of a new entity of an assemblage (may be NULL).
entity_properties_t structure_initial_properties(const assemblage_t *a, uint8_t marks);
// Creates an entity without rows; structure_spawn_entities adds the rows.
shoal_entity structure_create_entity(world_o *w, uint32_t assemblage);
void structure_free_entity(world_o *w, shoal_entity e, uint32_t destroyer);
// Adds `change` to the living-entity count of the assemblage with this name.
void structure_adjust_alive_count(world_o *w, uint32_t name, int32_t change);
void structure_set_assemblage(world_o *w, shoal_entity e, uint32_t name);
void structure_set_marks(world_o *w, const shoal_entity *entities, uint32_t count, uint8_t mark, bool enabled);
// Keeps and marks the entities that are alive and do not have the mark yet. Returns their number.
uint32_t structure_mark_unmarked(world_o *w, shoal_entity *entities, uint32_t count, uint8_t mark);
void structure_spawn_entities(world_o *w, uint32_t assemblage, const shoal_entity *entities, uint32_t count,
                              spawn_batch_t *block);
// Creates an entity together with its rows. If `assemblage` is not 0, the assemblage must have no children, and its
// plan must be up to date. There must be capacity for an entity.
shoal_entity structure_spawn_entity(world_o *w, uint32_t assemblage);
// Creates entities with this mark (0: no mark), without rows.
void structure_create_entities(world_o *w, uint32_t assemblage, shoal_entity *out, uint32_t count, uint8_t mark);
// Makes e a child of `parent`, and names it `name` unless it has a name. Adds a transform if e lacks one, because
// transform.parent links children to their parents.
void structure_attach_child(world_o *w, shoal_entity e, shoal_entity parent, uint32_t name);
// Spawns e, as the child `name` (string id) of `parent` unless `parent` is 0.
void structure_spawn_child(world_o *w, shoal_entity e, uint32_t assemblage, shoal_entity parent, uint32_t name);
// Returns true if the world has capacity for `needed` more entities; otherwise returns false with an error.
bool structure_check_capacity(world_o *w, uint64_t needed, error_info_t *error);
// Adds the component, and the components that it requires with their defaults. Does nothing if e already has the
// component.
void structure_add_component(world_o *w, shoal_entity e, manager_o *m, uint32_t instance, const double *values);
bool structure_has_max_instances(const manager_o *m, shoal_entity e);
// Removes the component, unless e has a component that requires it. Callers report this earlier (world_check_removal),
// so only changes by systems that ran in parallel can conflict here.
void structure_remove_component(world_o *w, shoal_entity e, manager_o *m, uint32_t instance);
// Removes all instances. `leaving`: e has already left all queries, so queries are only notified of moved rows.
void structure_remove_all_instances(manager_o *m, shoal_entity e, bool leaving);
// Write one field immediately. `element` must have the type of the column.
void structure_write_field(world_o *w, manager_o *m, uint32_t row, uint32_t column, double value);
void structure_write_element(world_o *w, manager_o *m, uint32_t row, uint32_t column, const void *element);
// Like structure_add_component and structure_remove_component, for many distinct living entities.
// structure_add_component_to_many skips entities that already have the component, structure_remove_component_from_many
// skips entities that lack it. Plain components only. Overwrites the list.
void structure_add_component_to_many(world_o *w, manager_o *m, shoal_entity *entities, uint32_t count,
                                     const double *values);
// Adds the components that m requires to distinct living entities.
void structure_add_required_to_many(world_o *w, const manager_o *m, const shoal_entity *entities, uint32_t count);
void structure_remove_component_from_many(world_o *w, manager_o *m, shoal_entity *entities, uint32_t count);
// Like structure_remove_component_from_many, as part of a removal of several components, which the caller ends with
// last_values_end_operation.
void structure_remove_part_from_many(world_o *w, manager_o *m, shoal_entity *entities, uint32_t count);
void structure_enter_state(world_o *w, shoal_entity e, uint32_t state);
void structure_add_to_destroy_batch(world_o *w, const shoal_entity *entities, uint32_t count, uint32_t destroyer);
// Adds one entity to the batch, from a `died` hook.
void structure_add_to_destroy_batch_in_hook(world_o *w, shoal_entity e);
void structure_flush_added_rows(world_o *w);

#endif
