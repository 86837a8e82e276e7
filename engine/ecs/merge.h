// Edited assemblages reach the entities that were spawned from them: a merge of the old template, the new one and the entity. A value
// that nobody has overridden follows the new template, an overridden one stays; components that the template got come, those that it
// lost go unless somebody has set them; children and states likewise. What is overridden the marks say (world_track_touched); in a
// world without them it is what differs from the old template. Templates that are the same touch nothing. Private to ecs.
#ifndef SHOAL_ECS_MERGE_H
#define SHOAL_ECS_MERGE_H

#include "ecs/carry.h"

// `to` has the rows of `from` already, and the same ids of texts. Between two ticks. False with a message when children find no room.
bool merge_assemblages(world_o *from, world_o *to, const carry_desc_t *desc, carry_counts_t *counts, error_t *error);

// For rows whose marks nobody has kept: what differs from the template in `templates` (w itself, or the world that w comes from) has
// been overridden.
void merge_derive_marks(world_o *templates, world_o *w);

#endif
