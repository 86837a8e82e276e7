// A service is what the host can do in one subject: a table of functions, fetched by name and version. A table of a
// version never changes, so a library that was built against it is loaded by every later Shoal; what is added is a
// table of the next version beside it. Each subject has a header of its own, whose functions fetch the table and call:
//
// | header            | name      | what                                            |
// |-------------------|-----------|-------------------------------------------------|
// | <shoal/asset.h>   | "asset"   | kinds of files                                  |
// | <shoal/call.h>    | "call"    | other plugins' functions                        |
// | <shoal/draw.h>    | "draw"    | triangles, textures, shaders, sprites, words    |
// | <shoal/input.h>   | "input"   | actions, the mouse, what was typed              |
// | <shoal/job.h>     | "job"     | work that takes longer than a tick              |
// | <shoal/observe.h> | "observe" | has it changed since                            |
// | <shoal/outside.h> | "outside" | files that outlive a reload                     |
// | <shoal/profile.h> | "profile" | how long parts take                             |
// | <shoal/sound.h>   | "sound"   | play, stop, volume                              |
// | <shoal/table.h>   | "table"   | tables and texts of any bytes, to and from Lua  |
// | <shoal/world.h>   | "world"   | spawn with values, find by name, query, instances |
//
// All services are for the main thread, and where they say so, for parts of parallel systems. What is called from
// where it cannot work does nothing, and the call that is going on has failed with a sentence, as by shoal_fail.
//
// Part of the public plugin headers: C11, usable from C++.
#ifndef SHOAL_SERVICE_H
#define SHOAL_SERVICE_H

#include "shoal/plugin.h"

// The table of that name and version. A name or version that this Shoal does not have: NULL, and the call that is going
// on has failed with a sentence that says which there are. Any thread that has a context. The table stays valid until
// `close`.
static inline const void *shoal_service(shoal_context *c, const char *name, uint32_t version) {
  return c->api->service(c, name, version);
}

#endif
