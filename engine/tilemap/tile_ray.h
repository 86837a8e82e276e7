// Solid cells of tilemaps along a ray: what stands in the line of sight besides bodies (collision/near.h).
#ifndef SHOAL_TILEMAP_TILE_RAY_H
#define SHOAL_TILEMAP_TILE_RAY_H

#include "collision/near.h"

// The first solid cell on the way, of all tilemaps that are upright and not disabled; `entity` is the tilemap's. Cells
// that the ray begins in are passed over, as far as they reach. False when it meets none.
bool tile_ray(world_o *w, double x1, double y1, double x2, double y2, near_hit_t *out);

#endif
