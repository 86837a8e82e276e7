// GLSL programs of the OpenGL renderer, from assets/shaders. A game can override each file with a file of the same
// name. A GL context must be current during every call.
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
  PROGRAM_REDUCED, // draws parts of images at a reduced size, without mipmaps
  PROGRAM_PLAIN,   // simplified program for images without effects
  PROGRAM_POINTS,  // draws square images as points
  PROGRAM_DISCS,   // draws discs as points
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
  bool uses_game_files; // true if one of the game's files was used
  // Locations of the uniforms; -1 if the program does not have the uniform.
  GLint to_clip, image, texel, weight, scale, glow, corner, glow_texel, strength, axes, origin, ambient, margin;
} program_t;

// The programs. `assets` is borrowed; its contents may change between games.
typedef struct programs_t {
  program_t items[PROGRAM_COUNT]; // programs, indexed by program_kind_t; id 0: not yet built
  bool failed[PROGRAM_COUNT];     // true if building has failed
  const assets_t *assets;
  log_o *log;
} programs_t;

// Builds the programs that every frame needs, and the programs that the game overrides. All remaining programs are
// built on first use, because each build takes milliseconds. Returns true on success, or false with an error if one of
// the engine's files is missing or rejected by the driver. If one of the game's files is rejected, it is logged and
// replaced by the engine's file. Call programs_fini even if this fails.
bool programs_init(programs_t *programs, const assets_t *assets, log_o *log, error_info_t *error);
void programs_fini(programs_t *programs);
// Returns a program, building it if necessary. A failure is logged once; the id of the program is then 0.
const program_t *programs_use(programs_t *programs, program_kind_t kind);
// Returns true if the specialized program `kind` can be used in place of `replaced`: it could be built, and the game
// does not override the shaders of `replaced`.
bool programs_can_replace(programs_t *programs, program_kind_t kind, program_kind_t replaced);
// Rebuilds the programs for a different game: the programs of programs_init immediately, all remaining programs on
// their next use. If an immediate rebuild fails, the program keeps its previous version.
void programs_rebuild(programs_t *programs);
// Rebuilds all programs that use the file "shaders/…". Returns ASSET_RELOADED on success, or ASSET_UNUSED if no program
// uses the file. If this fails, keeps all old programs, stores the reason in `error` and returns ASSET_KEPT.
asset_fate_t programs_asset_changed(programs_t *programs, const char *name, error_info_t *error);

#endif
