// The plugin `thing`: a component, a system that changes it, and a function for scripts. <shoal/plugin.hpp> documents
// the rest of the API in C++.
#include <shoal/plugin.hpp>

#include <stdexcept>

// Field type, name, default: declared once for C++, Lua, SQL and saves.
#define THING_FIELDS(F) F(f32, value, 0, .doc = "current value") F(f32, rate, 1, .doc = "change per second")
SHOAL_COMPONENT(thing, THING_FIELDS)
SHOAL_CPP(thing)

// Runs once a tick over all entities that have `thing`. A `thing_row &` is written, a `const thing_row &` only read.
static void grow(shoal_context *, const shoal_view *v, float dt_s) {
  shoal::each(v, [&](thing_row &thing) { thing.value += thing.rate * dt_s; });
}

// shoal.plugins.thing.double(e) in Lua: doubles e's value and returns it. The text of an exception becomes the error.
static double twice(shoal_context *c, shoal_entity e) {
  shoal::rows<thing_cpp> things(c);
  uint32_t row = shoal_find_row(shoal_get_world(c), &thing_component, e);
  if (row == SHOAL_NO_ROW)
    throw std::runtime_error("this entity has no thing");
  return things->value[row] *= 2;
}

SHOAL_PLUGIN(.name = "thing", .version = 1, .components = SHOAL_COMPONENTS(thing),
             .systems = SHOAL_SYSTEMS({.name = "grow", .query = {"thing"}, .run = grow}),
             .functions = SHOAL_FUNCTIONS(shoal::define("double", "e", "value", "Doubles the value of e's thing.",
                                                        [](shoal_context *c, shoal_entity e) { return twice(c, e); })))
