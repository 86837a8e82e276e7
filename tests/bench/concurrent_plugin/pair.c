// Two plugin systems without shared columns that perform the same computation: sixteen iterations of the logistic map
// per tick.
#include <shoal/plugin.h>

#define SIDE_FIELDS(F) F(f32, x, 0)
SHOAL_COMPONENT(left, SIDE_FIELDS)
SHOAL_COMPONENT(right, SIDE_FIELDS)

static void iterate_map(float *restrict x, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i)
    for (int step = 0; step < 16; ++step)
      x[i] = 3.75f * x[i] * (1.0f - x[i]);
}

static void update_left(shoal_context *c, const shoal_view *v, float dt_s) {
  (void)c, (void)dt_s;
  iterate_map(SHOAL_COLUMN(v, left, x), v->count);
}

static void update_right(shoal_context *c, const shoal_view *v, float dt_s) {
  (void)c, (void)dt_s;
  iterate_map(SHOAL_COLUMN(v, right, x), v->count);
}

SHOAL_PLUGIN(.name = "pair", .version = 1, .components = SHOAL_COMPONENTS(left, right),
             .systems = SHOAL_SYSTEMS({.name = "left", .query = {"left"}, .concurrent = true, .run = update_left},
                                      {.name = "right", .query = {"right"}, .concurrent = true, .run = update_right}))
