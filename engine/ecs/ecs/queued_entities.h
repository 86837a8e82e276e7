// Entities whose spawn is queued: alive, but without rows, so queries skip them. To read their future components, the
// queued commands are applied to private managers, which contain only rows of these entities. Main thread only.
#ifndef SHOAL_ECS_QUEUED_ENTITIES_H
#define SHOAL_ECS_QUEUED_ENTITIES_H

#include "ecs/world.h"

typedef struct queued_entities_o queued_entities_o;

// Returns true if e is alive and its spawn has not been applied yet. Safe for any value of e, on any thread.
bool world_is_queued(const world_o *w, shoal_entity e);
bool world_has_queued_spawn(const world_o *w);

// Returns the number of queued entities whose assemblage has this name.
uint32_t queued_entity_count(world_o *w, uint32_t name);

// Returns the private manager of a component. The rows of this manager are valid until the next change;
// queued_entities_update applies later changes. The manager exists as long as the world.
manager_o *queued_manager(world_o *w, uint32_t manager);
void queued_entities_update(world_o *w);
// Returns the first row that e will have in the component, or ROW_NONE if e will lack the component. Calls
// queued_entities_update.
uint32_t queued_row(world_o *w, shoal_entity e, uint32_t manager);
// Returns the state (string id) that e will have; 0 if e will have no state.
uint32_t queued_state(world_o *w, shoal_entity e);
// Writes the children that e will have to `out`: first queued children, in queue order, then living children. Returns
// their number, which may exceed `max`.
uint32_t queued_list_children(world_o *w, shoal_entity e, shoal_entity *out, uint32_t max);

// Private to ecs.
void queued_entities_clear(world_o *w); // call after the queue was applied or dropped
void queued_entities_redeclare(world_o *w, uint32_t manager, const schema_t *schema);
void queued_entities_free(world_o *w);

#endif
