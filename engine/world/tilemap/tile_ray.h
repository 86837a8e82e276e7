// Ray casts against solid cells of tilemaps; see collision/near_queries.h for bodies.
#ifndef SHOAL_TILEMAP_TILE_RAY_H
#define SHOAL_TILEMAP_TILE_RAY_H

#include "collision/near_queries.h"

// Finds the first solid cell that the segment enters, in all enabled tilemaps that are not rotated or mirrored. Stores
// the tilemap in out->entity. Ignores solid cells at the start of the segment until the segment has left them. Returns
// true if the segment enters a solid cell.
bool tile_ray_cast(world_o *w, double x1, double y1, double x2, double y2, near_hit_t *out);

#endif
