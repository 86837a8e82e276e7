// Hashes of a world's components. After a desync, the machines of a match compare them to find different components.
#ifndef SHOAL_MATCH_COMPONENT_HASHES_H
#define SHOAL_MATCH_COMPONENT_HASHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COMPONENT_HASHES_ENTITIES "" // name of a pseudo-component whose hash covers the existing entities

typedef struct world_o world_o; // defined in ecs/world.h

// Returns the hash of the world, which is never 0 (see match_world_t).
uint64_t match_hash_world(world_o *w);

// Writes the hash of the entities to `out`, and then the names and hashes of all components with rows, in the order of
// their declarations. Omits components that do not fit into `capacity` bytes. Returns the size.
size_t component_hashes_write(world_o *w, uint8_t *out, size_t capacity);

// Returns true if the component has different hashes in the two lists, or is in only one list. Safe for untrusted
// bytes: stops reading at malformed data.
bool component_hashes_differ(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size, const char *name);

#endif
