// Where a body was is a column: what is saved, rewound or replayed goes on from there.
// of collisions.
#include "components/swept.h"

#include "base/assert.h"
#include "components/builtin.h"
#include "components/collider.h"
#include "shoal/number.h"

// clang-format off
#define SWEPT_FIELDS(F)                                                                                                \
  F(f32, from_x, 0) F(f32, from_y, 0) F(bool, jumped, 1) F(f32, time, 1) F(entity, hit) F(f32, stop_x, 0)              \
  F(f32, stop_y, 0)
// clang-format on
SHOAL_COMPONENT(swept, SWEPT_FIELDS)
_Static_assert(SHOAL_INDEX(swept, stop_y) == SWEPT_STOP_Y &&
                   sizeof(swept_columns) / sizeof(void *) == SWEPT_COLUMN_COUNT,
               "the fields are in the order of their numbers");

bool swept_declare(world_o *w, error_t *error) {
  return builtin_declare(w, &swept_component, error);
}

void sweeps_free(sweeps_t *s, allocator_t *a) {
  array_free(a, &s->ways);
}

// The body of e and the row of its transform; false for what has none, or what is switched off.
static bool find_body(const sweeps_t *s, const world_o *w, shoal_entity e, uint32_t *row, uint32_t *place) {
  *row = manager_row(s->bodies, e);
  *place = manager_row(s->transforms, e);
  return *row != ROW_NONE && *place != ROW_NONE && ((const uint8_t *)manager_column(s->bodies, BODY_ENABLED))[*row] &&
         !world_is_disabled(w, e, s->manager->id) && !world_is_disabled(w, e, s->bodies->id);
}

static way_t begin_row(const sweeps_t *s, const world_o *w, uint32_t row, transform_places_t *places) {
  const manager_o *m = s->manager;
  float *x = (float *)manager_column(m, SWEPT_FROM_X) + row, *y = (float *)manager_column(m, SWEPT_FROM_Y) + row;
  uint8_t *jumped = (uint8_t *)manager_column(m, SWEPT_JUMPED) + row;
  uint32_t body, place;
  float world[16];
  way_t way = {0, 0};
  ((float *)manager_column(m, SWEPT_TIME))[row] = 1;
  ((shoal_entity *)manager_column(m, SWEPT_HIT))[row] = SHOAL_ENTITY_NONE;
  if (!find_body(s, w, m->owner[row], &body, &place)) {
    *jumped = 1;
    return way;
  }
  transform_place(places, place, world);
  collider_t k = collider_place(s->bodies, body, world);
  if (!*jumped)
    way = (way_t){k.x - (double)*x, k.y - (double)*y};
  if (!isfinite(way.dx) || !isfinite(way.dy))
    way = (way_t){0, 0};
  *x = shoal_f32(k.x);
  *y = shoal_f32(k.y);
  *jumped = !isfinite(*x) || !isfinite(*y);
  ((float *)manager_column(m, SWEPT_STOP_X))[row] = shoal_f32((double)world[12]);
  ((float *)manager_column(m, SWEPT_STOP_Y))[row] = shoal_f32((double)world[13]);
  return way;
}

void sweeps_begin(sweeps_t *s, world_o *w, transform_places_t *places) {
  s->manager = builtin_find(w, "swept");
  if (!s->manager || s->manager->count == 0) {
    s->manager = NULL;
    return;
  }
  s->bodies = world_find_manager(w, "body");
  s->transforms = world_find_manager(w, "transform");
  shoal_assert(s->bodies && s->transforms, "bodies are swept in a world that has none");
  array_reserve(world_allocator(w), &s->ways, s->manager->count);
  s->ways.count = s->manager->count;
  for (uint32_t row = 0; row < s->manager->count; ++row)
    s->ways.items[row] = begin_row(s, w, row, places);
  for (uint32_t c = 0; c < SWEPT_COLUMN_COUNT; ++c)
    columns_touch(&s->manager->columns, c, 0, s->manager->count);
}

void sweeps_hit(const sweeps_t *s, shoal_entity e, shoal_entity other, float time) {
  uint32_t row = s->manager ? manager_row(s->manager, e) : ROW_NONE;
  if (row == ROW_NONE)
    return;
  float *first = (float *)manager_column(s->manager, SWEPT_TIME) + row;
  shoal_entity *hit = (shoal_entity *)manager_column(s->manager, SWEPT_HIT) + row;
  shoal_assert(time >= 0 && time <= 1, "met after %g of its way", (double)time);
  if (*hit != SHOAL_ENTITY_NONE && time >= *first)
    return;
  float *x = (float *)manager_column(s->manager, SWEPT_STOP_X) + row;
  float *y = (float *)manager_column(s->manager, SWEPT_STOP_Y) + row;
  double back = (double)*first - (double)time; // from where it would have stopped until now
  *x = shoal_f32((double)*x - s->ways.items[row].dx * back);
  *y = shoal_f32((double)*y - s->ways.items[row].dy * back);
  *first = time;
  *hit = other;
}
