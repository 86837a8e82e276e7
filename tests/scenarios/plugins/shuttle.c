// A plugin that moves bodies forth and back between two points, by writing the columns of `transform`.
#include <shoal/plugin.h>

#define SHUTTLE_FIELDS(F) F(f32, x1, 0) F(f32, y1, 0) F(f32, x2, 0) F(f32, y2, 0) F(f32, seconds, 1) F(f64, elapsed, 0)
SHOAL_COMPONENT(shuttle, SHUTTLE_FIELDS)
SHOAL_COMPONENT(transform, SHOAL_TRANSFORM_FIELDS)

static void move(shoal_context *c, const shoal_view *v, float dt_s) {
  (void)c;
  for (uint32_t i = 0; i < v->count; ++i) {
    double elapsed = SHOAL_COLUMN(v, shuttle, elapsed)[i] + (double)dt_s;
    double phase = elapsed / (double)SHOAL_COLUMN(v, shuttle, seconds)[i];
    phase -= 2 * (double)(int64_t)(phase / 2);
    float part = (float)(phase < 1 ? phase : 2 - phase);
    float x = SHOAL_COLUMN(v, shuttle, x1)[i], y = SHOAL_COLUMN(v, shuttle, y1)[i];
    SHOAL_COLUMN(v, shuttle, elapsed)[i] = elapsed;
    SHOAL_COLUMN(v, transform, x)[i] = x + (SHOAL_COLUMN(v, shuttle, x2)[i] - x) * part;
    SHOAL_COLUMN(v, transform, y)[i] = y + (SHOAL_COLUMN(v, shuttle, y2)[i] - y) * part;
  }
}

SHOAL_PLUGIN(.name = "shuttle", .version = 1, .components = SHOAL_COMPONENTS(shuttle),
             .uses = SHOAL_COMPONENTS(transform),
             .systems = SHOAL_SYSTEMS({.name = "shuttle", .query = {"shuttle", "transform"}, .run = move}))
