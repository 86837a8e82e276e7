// The columns world_x and world_y of transform. Private to transform.
#ifndef SHOAL_TRANSFORM_WORLD_POSITIONS_H
#define SHOAL_TRANSFORM_WORLD_POSITIONS_H

#include "ecs/manager.h"

// Writes the world position of each row to the element of that row in `x` and `y`. `rows`: `count` row numbers, of
// which ROW_NONE is skipped; NULL: the component's first `count` rows. `workspace` keeps the lists of parents for the
// next call, which reuses them if the rows and their parents are the same.
void world_positions_compute(const manager_o *transform, const uint32_t *rows, uint32_t count, float *x, float *y,
                             manager_workspace_t *workspace);

#endif
