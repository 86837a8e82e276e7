// What an entity is, as a text of its world: for watchers that asked for it (world_watch_words).
#ifndef SHOAL_ECS_LAST_WORDS_H
#define SHOAL_ECS_LAST_WORDS_H

#include "ecs/world.h"

uint32_t last_words(world_o *w, shoal_entity e); // → the text's id

#endif
