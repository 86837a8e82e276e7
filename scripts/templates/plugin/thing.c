// The plugin `thing`: a component, a system that changes it, and a function for scripts. <shoal/plugin.h> documents the
// rest of the API.
#include <shoal/plugin.h>

// Field type, name, default: declared once for C, Lua, SQL and saves.
#define THING_FIELDS(F) F(f32, value, 0, .doc = "current value") F(f32, rate, 1, .doc = "change per second")
SHOAL_COMPONENT(thing, THING_FIELDS)

// Runs once a tick over all entities that have `thing`: element i of every column belongs to the same entity.
static void grow(shoal_context *c, const shoal_view *v, float dt_s) {
  float *value = SHOAL_COLUMN(v, thing, value);
  const float *rate = SHOAL_COLUMN(v, thing, rate);
  (void)c;
  for (uint32_t i = 0; i < v->count; ++i)
    SHOAL_AT(v, value, i) += SHOAL_AT(v, rate, i) * dt_s; // value[i]; bounds-checked in `make sanitize`
}

// shoal.plugins.thing.double(e) in Lua: doubles e's value and returns it.
static void twice(shoal_context *c, const shoal_value *arguments, shoal_value *results) {
  uint32_t row = shoal_find_row(shoal_get_world(c), &thing_component, arguments[0].entity);
  if (row == SHOAL_NO_ROW) {
    shoal_fail(c, "this entity has no thing");
    return;
  }
  float *value = SHOAL_ROWS_COLUMNS(shoal_get_rows(shoal_get_world(c), &thing_component), thing)->value;
  results[0].number = value[row] *= 2;
}

SHOAL_PLUGIN(.name = "thing", .version = 1, .components = SHOAL_COMPONENTS(thing),
             .systems = SHOAL_SYSTEMS({.name = "grow", .query = {"thing"}, .run = grow}),
             .functions = SHOAL_FUNCTIONS({.name = "double",
                                           .parameters = "e:entity",
                                           .results = "value:number",
                                           .doc = "Doubles the value of e's thing.",
                                           .call = twice}))
