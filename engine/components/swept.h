// The swept component: the way that a body has come since collisions were last looked for, so that what is fast meets
// what lies on its way and not only what lies at its end.
#ifndef SHOAL_COMPONENTS_SWEPT_H
#define SHOAL_COMPONENTS_SWEPT_H

#include "base/array.h"
#include "components/transform.h"

// Indices of the columns, in schema order.
enum {
  SWEPT_FROM_X,
  SWEPT_FROM_Y,
  SWEPT_JUMPED,
  SWEPT_TIME,
  SWEPT_HIT,
  SWEPT_STOP_X,
  SWEPT_STOP_Y,
  SWEPT_COLUMN_COUNT
};

typedef struct way_t {
  double dx, dy;
} way_t;

// Memory is kept between ticks; zeros at first.
typedef struct sweeps_t {
  manager_o *manager; // NULL where nothing is swept
  const manager_o *bodies, *transforms;
  ARRAY(way_t) ways; // by row
} sweeps_t;

bool swept_declare(world_o *w, error_t *error);

// The ways of all, from where they were to where they are; where they are is where the next ones begin. Forgets what
// they met.
void sweeps_begin(sweeps_t *s, world_o *w, transform_places_t *places);
void sweeps_free(sweeps_t *s, allocator_t *a);

// 0 and 0 for what is not swept.
static inline way_t sweeps_way(const sweeps_t *s, shoal_entity e) {
  uint32_t row = s->manager ? manager_row(s->manager, e) : ROW_NONE;
  return row != ROW_NONE ? s->ways.items[row] : (way_t){0, 0};
}

// e has met `other`, that part of its way from its beginning; the first that it met is kept.
void sweeps_hit(const sweeps_t *s, shoal_entity e, shoal_entity other, float time);

#endif
