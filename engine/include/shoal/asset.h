// Asset types: files that a plugin parses, selected by extension. A file is loaded when it is first used and reloaded
// when it changes.
//
//   static void *load(shoal_context *c, const char *name, const void *bytes, size_t size) {
//     struct grass *g = shoal_realloc(c, NULL, 0, sizeof *g);
//     if (read_grass(g, bytes, size))
//       return g;
//     shoal_realloc(c, g, sizeof *g, 0);
//     shoal_report_asset_error(c, 3, "color must be #rrggbb, got %s", word); // "assets/meadow.grass:3: …"
//     return NULL;
//   }
//
//   SHOAL_PLUGIN(…, .assets = SHOAL_ASSETS({.extension = ".grass", .load = load, .unload = unload}))
//
//   const struct grass *g = shoal_get_asset(c, "meadow.grass", NULL); // NULL if the file is missing or invalid
//
// A changed file is loaded between two ticks and replaces the previous object. If it cannot be loaded, the host logs an
// error and keeps the previous object, also across a reload of the plugin. A file that is not used for 600 ticks is
// unloaded. The next use loads it again. `assets.preload` of scripts loads files before their first use. Files are
// limited to 64 MB. `load` and `unload` may create and free textures and shaders (<shoal/draw.h>).
//
// Like scripts, files are part of the game, not of the world, of saves or of recordings. A replay needs the same files
// and warns if the simulation uses a different file. Store values that change during the game in columns instead. The
// result of `load` must depend on the bytes alone.
//
// Part of the public plugin headers: C11, usable from C++.
#ifndef SHOAL_ASSET_H
#define SHOAL_ASSET_H

#include "shoal/plugin.h"

// Returns the object that `load` created from a file in the game's or the engine's assets/ folder. Loads the file if
// necessary. `version` (may be NULL) receives the number of times that the file was loaded since it was last unloaded;
// 0 if NULL is returned. The object is valid until the system or function ends.
//
// Returns NULL if the file is missing or no version of the file could be loaded, which is logged once per change to the
// file. Fails the current call if the plugin does not declare the extension, if `name` is NULL or has more than 127
// bytes, or if called in `load`. Main thread; everywhere except in managers and in systems with `.parallel` or
// `.concurrent`.
SHOAL_NODISCARD static inline const void *shoal_get_asset(shoal_context *c, const char *name, uint32_t *version) {
  if (version)
    *version = 0;
  return c->api->get_asset(c, name, version);
}

// Reports an error in the file that `load` is reading: "assets/NAME:LINE: message". Line 0 omits the line. Call it in
// `load`, and return NULL afterwards.
SHOAL_PRINTF(3, 4)
static inline void shoal_report_asset_error(shoal_context *c, uint32_t line, const char *format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  c->api->report_asset_error(c, line, text);
}

#endif
