// The GLSL programs of gl.c, from files below assets/shaders. A game may bring its own file of the same name. A GL
// context is current in every call.
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
  PROGRAM_PLAIN,  // images that need less
  PROGRAM_POINTS, // those of them that are squares
  PROGRAM_DISCS,  // shapes that are nothing else
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
  bool own; // of the game
  GLint to_clip, image, texel, weight, scale, glow, corner, glow_texel, strength, axes, origin, ambient,
      margin; // -1: none
} program_t;

// `assets` is borrowed and may change between games.
typedef struct programs_t {
  program_t items[PROGRAM_COUNT]; // id 0: not built yet
  bool refused[PROGRAM_COUNT];    // it was tried, and cannot be had
  const assets_t *assets;
  log_o *log;
} programs_t;

// Builds what every frame needs, and what the game has files for; the rest is built when it is used, for each takes
// milliseconds. False with a sentence when the engine's own files are missing or this driver refuses one. A game's file
// that is refused is logged, and the engine's stands for it. Call programs_fini either way.
bool programs_init(programs_t *p, const assets_t *assets, log_o *log, error_t *error);
void programs_fini(programs_t *p);
// Built now if it was not yet. One that cannot be had is logged once and has the id 0: nothing is drawn with it.
const program_t *programs_use(programs_t *p, program_kind_t kind);
// Does a program draw what it can like another one, which can do more? Not in a game that has a shader of its own for
// the other one.
bool programs_stands_for(programs_t *p, program_kind_t kind, program_kind_t other);
// Another game: its files are looked for. A program that every frame needs and that cannot be had stays what it was.
void programs_forget(programs_t *p);
// Builds again what uses the file "shaders/…"; all of that or nothing. `why` is filled when the old ones are kept.
asset_fate_t programs_changed(programs_t *p, const char *name, error_t *why);

#endif
