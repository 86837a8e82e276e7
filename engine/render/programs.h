// GLSL programs of gl.c, from assets/shaders. A game can override a file by one of the same name. A GL context must
// be current in every call.
#ifndef SHOAL_RENDER_PROGRAMS_H
#define SHOAL_RENDER_PROGRAMS_H

#include "base/error.h"
#include "base/log.h"
#include "platform/assets.h"

#include <epoxy/gl.h>
#include <stdbool.h>

typedef enum program_kind_t {
  PROGRAM_SHAPES,
  PROGRAM_IMAGES,
  PROGRAM_PLAIN,  // simpler program for images without effects
  PROGRAM_POINTS, // for square images drawn as points
  PROGRAM_DISCS,  // for discs drawn as points
  PROGRAM_MATERIALS,
  PROGRAM_SOLIDS,
  PROGRAM_PASTE,
  PROGRAM_GATHER,
  PROGRAM_SHRINK,
  PROGRAM_SPREAD,
  PROGRAM_FINAL,
  PROGRAM_LIGHT,
  PROGRAM_LIT,
  PROGRAM_COUNT
} program_kind_t;

typedef struct program_t {
  GLuint id;
  bool own; // built from a file of the game
  GLint to_clip, image, texel, weight, scale, glow, corner, glow_texel, strength, axes, origin, ambient,
      margin; // -1: the program has no such uniform
} program_t;

// `assets` is borrowed; its contents may change between games.
typedef struct programs_t {
  program_t items[PROGRAM_COUNT]; // id 0: not built yet
  bool refused[PROGRAM_COUNT];    // building failed
  const assets_t *assets;
  log_o *log;
} programs_t;

// Builds the programs that every frame needs and those overridden by the game; the others are built on first use,
// because each takes milliseconds. Returns false with an error if the engine's own files are missing or the driver
// rejects one. A game's file that is rejected is logged and replaced by the engine's. Call programs_fini in either
// case.
bool programs_init(programs_t *p, const assets_t *assets, log_o *log, error_t *error);
void programs_fini(programs_t *p);
// Returns the program, building it if necessary. A failure is logged once; the program's id is then 0 and nothing is
// drawn with it.
const program_t *programs_use(programs_t *p, program_kind_t kind);
// Returns true if the specialized program `kind` gives the same result as `other`; false if the game overrides the
// shaders of `other`.
bool programs_can_replace(programs_t *p, program_kind_t kind, program_kind_t other);
// Reloads everything for another game. A required program that fails to build keeps its previous version.
void programs_forget(programs_t *p);
// Rebuilds all programs that use the file "shaders/…", or none. If the old ones are kept, stores the reason in `why`.
asset_fate_t programs_changed(programs_t *p, const char *name, error_t *why);

#endif
