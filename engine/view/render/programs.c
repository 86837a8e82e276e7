// Compiles and links the programs. If a shader of the game fails, reports the reason and uses the engine's shaders.
#include "render/programs.h"

#include "base/assert.h"
#include "base/files.h"
#include "paint/glsl.h"
#include "paint/shader_check.h"

#include <string.h>

typedef struct program_files_t {
  const char *vertex, *fragment;
} program_files_t;

static const program_files_t PROGRAM_FILES[PROGRAM_COUNT] = {
    [PROGRAM_SHAPES] = {"shaders/shape.vert", "shaders/shape.frag"},
    [PROGRAM_IMAGES] = {"shaders/image.vert", "shaders/image.frag"},
    [PROGRAM_REDUCED] = {"shaders/reduced.vert", "shaders/reduced.frag"},
    [PROGRAM_PLAIN] = {"shaders/plain.vert", "shaders/plain.frag"},
    [PROGRAM_POINTS] = {"shaders/point.vert", "shaders/point.frag"},
    [PROGRAM_DISCS] = {"shaders/disc.vert", "shaders/disc.frag"},
    [PROGRAM_MATERIALS] = {"shaders/material.vert", "shaders/material.frag"},
    [PROGRAM_SOLIDS] = {"shaders/solid.vert", "shaders/solid.frag"},
    [PROGRAM_PASTE] = {"shaders/screen.vert", "shaders/paste.frag"},
    [PROGRAM_GATHER] = {"shaders/screen.vert", "shaders/gather.frag"},
    [PROGRAM_SHRINK] = {"shaders/screen.vert", "shaders/shrink.frag"},
    [PROGRAM_SPREAD] = {"shaders/screen.vert", "shaders/spread.frag"},
    [PROGRAM_FINAL] = {"shaders/screen.vert", "shaders/final.frag"},
    [PROGRAM_LIGHT] = {"shaders/light.vert", "shaders/light.frag"},
    [PROGRAM_LIT] = {"shaders/screen.vert", "shaders/lit.frag"},
};

static bool is_game_file(const assets_t *assets, const char *path) {
  size_t length = strlen(assets->game);
  return length > 0 && strncmp(path, assets->game, length) == 0;
}

static bool has_file(const assets_t *assets, const char *name) {
  char path[1280];
  return assets_find(assets, name, path, sizeof path) && is_game_file(assets, path);
}

typedef struct shader_source_t {
  char path[1280], *source;
  size_t bytes;
} shader_source_t;

// Reads the source of a stage, and validates it if it belongs to the game. Returns true on success, or false with an
// error.
static bool read_source(const assets_t *assets, const char *name, allocator_t *memory, shader_source_t *out,
                        error_info_t *error) {
  if (!assets_find(assets, name, out->path, sizeof out->path))
    return error_set(error, "%s", out->path);
  out->source = file_read(memory, out->path, &out->bytes, error);
  return out->source && (!is_game_file(assets, out->path) || shader_check(out->path, out->source, out->bytes, error));
}

static bool build_program(const assets_t *assets, const program_files_t *files, program_t *out, error_info_t *error) {
  allocator_t memory = {0};
  shader_source_t stages[2] = {{.bytes = 0}};
  program_t program = {.id = 0};
  if (read_source(assets, files->vertex, &memory, &stages[0], error) &&
      read_source(assets, files->fragment, &memory, &stages[1], error))
    program.id = glsl_link_program(&(glsl_stage_t){"", stages[0].source, stages[0].path},
                                   &(glsl_stage_t){"", stages[1].source, stages[1].path}, error);
  for (int i = 0; i < 2; ++i) {
    program.uses_game_files |= is_game_file(assets, stages[i].path);
    file_free(&memory, stages[i].source, stages[i].bytes);
  }
  if (!program.id)
    return false;
  program.to_clip = glGetUniformLocation(program.id, "to_clip");
  program.image = glGetUniformLocation(program.id, "image");
  program.texel = glGetUniformLocation(program.id, "texel");
  program.weight = glGetUniformLocation(program.id, "weight");
  program.scale = glGetUniformLocation(program.id, "scale");
  program.glow = glGetUniformLocation(program.id, "glow");
  program.corner = glGetUniformLocation(program.id, "corner");
  program.glow_texel = glGetUniformLocation(program.id, "glow_texel");
  program.strength = glGetUniformLocation(program.id, "strength");
  program.axes = glGetUniformLocation(program.id, "axes");
  program.origin = glGetUniformLocation(program.id, "origin");
  program.margin = glGetUniformLocation(program.id, "margin");
  program.ambient = glGetUniformLocation(program.id, "ambient");
  *out = program;
  return true;
}

// Builds a program, with the game's files in place of the engine's. If this fails, logs a warning and uses only the
// engine's files. Returns true on success, or false with an error.
static bool build_with_fallback(const programs_t *programs, const program_files_t *files, program_t *out,
                                error_info_t *error) {
  if (build_program(programs->assets, files, out, error))
    return true;
  if (programs->assets->game[0] == '\0')
    return false;
  log_warn(programs->log, "render: %s", error->text);
  assets_t engine_assets = *programs->assets;
  engine_assets.game[0] = '\0';
  return build_program(&engine_assets, files, out, error);
}

static void replace_program(program_t *program, program_t new_program) {
  glDeleteProgram(program->id);
  *program = new_program;
}

// Returns true for programs that every frame needs or that the game overrides. These are built immediately, so that
// errors are reported at startup.
static bool needs_early_build(const programs_t *programs, int kind) {
  shoal_assert(PROGRAM_FILES[kind].vertex && PROGRAM_FILES[kind].fragment, "program %d has no source files", kind);
  return kind == PROGRAM_SHAPES || kind == PROGRAM_IMAGES || has_file(programs->assets, PROGRAM_FILES[kind].vertex) ||
         has_file(programs->assets, PROGRAM_FILES[kind].fragment);
}

bool programs_init(programs_t *programs, const assets_t *assets, log_o *log, error_info_t *error) {
  *programs = (programs_t){.assets = assets, .log = log};
  error_info_t reason = {0};
  for (int i = 0; i < PROGRAM_COUNT; ++i)
    if (needs_early_build(programs, i) &&
        !build_with_fallback(programs, &PROGRAM_FILES[i], &programs->items[i], &reason))
      return error_set(error, "render: %s", reason.text);
  return true;
}

const program_t *programs_use(programs_t *programs, program_kind_t kind) {
  error_info_t error = {0};
  if (programs->items[kind].id == 0 && !programs->failed[kind] &&
      !build_with_fallback(programs, &PROGRAM_FILES[kind], &programs->items[kind], &error)) {
    programs->failed[kind] = true;
    log_error(programs->log, "render: %s", error.text);
  }
  return &programs->items[kind];
}

bool programs_can_replace(programs_t *programs, program_kind_t kind, program_kind_t replaced) {
  return programs_use(programs, kind)->id && !programs_use(programs, replaced)->uses_game_files;
}

void programs_fini(programs_t *programs) {
  for (int i = 0; i < PROGRAM_COUNT; ++i)
    replace_program(&programs->items[i], (program_t){0});
}

void programs_rebuild(programs_t *programs) {
  for (int i = 0; i < PROGRAM_COUNT; ++i) {
    program_t new_program = {0};
    error_info_t error = {0};
    programs->failed[i] = false;
    if (!needs_early_build(programs, i) || build_with_fallback(programs, &PROGRAM_FILES[i], &new_program, &error))
      replace_program(&programs->items[i], new_program);
    else
      log_warn(programs->log, "render: %s", error.text);
  }
}

asset_fate_t programs_asset_changed(programs_t *programs, const char *name, error_info_t *error) {
  program_t new_programs[PROGRAM_COUNT] = {{0}};
  bool ok = true, is_used = false;
  for (int i = 0; i < PROGRAM_COUNT && ok; ++i) {
    if (strcmp(PROGRAM_FILES[i].vertex, name) != 0 && strcmp(PROGRAM_FILES[i].fragment, name) != 0)
      continue;
    is_used = true;
    ok = build_program(programs->assets, &PROGRAM_FILES[i], &new_programs[i], error);
  }
  for (int i = 0; i < PROGRAM_COUNT; ++i)
    if (ok && new_programs[i].id)
      replace_program(&programs->items[i], new_programs[i]);
    else
      glDeleteProgram(new_programs[i].id);
  return !is_used ? ASSET_UNUSED : ok ? ASSET_RELOADED : ASSET_KEPT;
}
