// Movement, x += vx * dt and y += vy * dt, as a simple plugin system.
#include <shoal/plugin.h>

#define POSITION_FIELDS(F) F(f32, x, 0) F(f32, y, 0)
#define VELOCITY_FIELDS(F) F(f32, x, 0) F(f32, y, 0)
SHOAL_COMPONENT(position, POSITION_FIELDS)
SHOAL_COMPONENT(velocity, VELOCITY_FIELDS)

static void move(shoal_context *c, const shoal_view *v, float dt_s) {
  float *restrict x = SHOAL_COLUMN(v, position, x), *restrict y = SHOAL_COLUMN(v, position, y);
  const float *restrict vx = SHOAL_COLUMN(v, velocity, x), *restrict vy = SHOAL_COLUMN(v, velocity, y);
  (void)c;
  for (uint32_t i = 0; i < v->count; ++i) {
    x[i] += vx[i] * dt_s;
    y[i] += vy[i] * dt_s;
  }
}

SHOAL_PLUGIN(.name = "motion", .version = 1, .components = SHOAL_COMPONENTS(position, velocity),
             .systems = SHOAL_SYSTEMS({.name = "move",
                                       .query = {"position", "velocity"},
                                       .reads = {"velocity"},
                                       .parallel = true,
                                       .run = move}))
