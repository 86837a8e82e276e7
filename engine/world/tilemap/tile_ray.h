// Ray casts against solid cells of tilemaps; see collision/near_queries.h for bodies.
#ifndef SHOAL_TILEMAP_TILE_RAY_H
#define SHOAL_TILEMAP_TILE_RAY_H

#include "collision/near_queries.h"

// Finds the first solid cell on the segment in all tilemaps that are neither rotated, mirrored nor disabled; `entity`
// receives the tilemap. Solid cells at the start of the ray are ignored until the ray has left them. Returns true if
// the ray hits a solid cell.
bool tile_ray_cast(world_o *w, double x1, double y1, double x2, double y2, near_hit_t *out);

#endif
