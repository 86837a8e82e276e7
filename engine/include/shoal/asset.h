// Kinds of files that a plugin reads: declared by their ending, loaded when they are asked for, and loaded again when
// they change.
//
//   static void *load(shoal_context *c, const char *name, const void *bytes, size_t size) {
//     struct grass *g = shoal_resize(c, NULL, 0, sizeof *g);
//     if (read_grass(g, bytes, size))
//       return g;
//     shoal_resize(c, g, sizeof *g, 0);
//     shoal_asset_wrong(c, 3, "a colour is #rrggbb, and not %s", word); // "assets/meadow.grass:3: …"
//     return NULL;
//   }
//
//   SHOAL_PLUGIN(…, .assets = SHOAL_ASSETS({.ending = ".grass", .load = load, .unload = unload}))
//
//   const struct grass *g = shoal_asset_data(c, "meadow.grass", NULL); // NULL: it is not there, or broken
//
// A file that changed is loaded between two ticks, in the place of the one before; one that cannot be loaded is a line
// in the log, and the one before stays, also across a reload of the plugin. A file that was not asked for in 600 ticks
// is unloaded, and loaded again by the next question. `load` and `unload` may make textures and shaders, and give them
// back (<shoal/draw.h>).
//
// What is in a file belongs to the game as its scripts do: it is no part of the world, of saves and of recordings, so a
// replay wants the same files, and says where the simulation used another one. What a game changes of it has to be in
// columns. `load` follows from the bytes alone.
//
// Part of the public plugin headers: C11, usable from C++.
#ifndef SHOAL_ASSET_H
#define SHOAL_ASSET_H

#include "shoal/plugin.h"

// What `load` made of a file of the game's assets/ or the engine's, whose ending is one of the plugin's own; NULL when
// there is no such file, or no version of it could be loaded so far: the log says so once, until the file changes.
// Valid until the system or function ends. `version` (may be NULL): another number whenever it is another one, and 0
// for none. Main thread, everywhere but in managers; an ending that is not declared is a failure.
static inline const void *shoal_asset_data(shoal_context *c, const char *name, uint32_t *version) {
  if (version)
    *version = 0;
  return c->api->asset_data(c, name, version);
}

// In `load`: the file is wrong, in this line (0: in none). Return NULL after it.
SHOAL_PRINTF(3, 4)
static inline void shoal_asset_wrong(shoal_context *c, uint32_t line, const char *format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  c->api->asset_wrong(c, line, text);
}

#endif
