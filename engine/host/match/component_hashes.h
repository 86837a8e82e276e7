// Hashes of the components of a world, as the machines of a match exchange them to find what differs after a desync.
#ifndef SHOAL_MATCH_COMPONENT_HASHES_H
#define SHOAL_MATCH_COMPONENT_HASHES_H

#include <stddef.h>
#include <stdint.h>

typedef struct world_o world_o; // defined in ecs/world.h

// Writes the names and hashes of all components with rows to `out`, in order. Omits those that do not fit into
// `capacity` bytes. Returns the size.
size_t component_hashes_write(world_o *w, uint8_t *out, size_t capacity);

// Writes the names and both hashes of the components that differ to `out`: "motion 1b2c3d4e and 5f607182, …". Returns
// the number of these components. Safe for untrusted bytes: ignores a malformed rest.
uint32_t component_hashes_compare(const uint8_t *host, size_t host_size, const uint8_t *own, size_t own_size, char *out,
                                  size_t out_bytes);

#endif
