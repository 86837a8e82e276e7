// A plugin with a component that has the same name as a built-in component.
#include <shoal/plugin.h>

#define LIST_FIELDS(F) F(f32, length, 3)
SHOAL_COMPONENT(list, LIST_FIELDS)

static void grow(shoal_context *c, const shoal_view *v, float dt_s) {
  float *length = SHOAL_COLUMN(v, list, length);
  (void)c, (void)dt_s;
  for (uint32_t i = 0; i < v->count; ++i)
    length[i] += 1;
}

SHOAL_PLUGIN(.name = "named", .version = 1, .components = SHOAL_COMPONENTS(list),
             .systems = SHOAL_SYSTEMS({.name = "grow", .query = {"list"}, .run = grow}))
