// Compiles and links the programs. If a shader of the game fails, reports the reason and uses the engine's shaders.
#include "render/programs.h"

#include "base/assert.h"
#include "base/files.h"
#include "paint/glsl.h"
#include "paint/shader_check.h"

#include <string.h>

typedef struct recipe_t {
  const char *vertex, *fragment;
} recipe_t;

static const recipe_t RECIPES[PROGRAM_COUNT] = {
    [PROGRAM_SHAPES] = {"shaders/shape.vert", "shaders/shape.frag"},
    [PROGRAM_IMAGES] = {"shaders/image.vert", "shaders/image.frag"},
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

typedef struct text_t {
  char path[1280], *source;
  size_t bytes;
} text_t;

// Reads the source of a stage, and validates it if it belongs to the game. Returns false with an error on failure.
static bool read_text(const assets_t *assets, const char *name, allocator_t *memory, text_t *out, error_info_t *error) {
  if (!assets_find(assets, name, out->path, sizeof out->path))
    return error_set(error, "%s", out->path);
  out->source = file_read(memory, out->path, &out->bytes, error);
  return out->source && (!is_game_file(assets, out->path) || shader_check(out->path, out->source, out->bytes, error));
}

static bool build_program(const assets_t *assets, const recipe_t *recipe, program_t *out, error_info_t *error) {
  allocator_t memory = {0};
  text_t stages[2] = {{.bytes = 0}};
  program_t p = {.id = 0};
  if (read_text(assets, recipe->vertex, &memory, &stages[0], error) &&
      read_text(assets, recipe->fragment, &memory, &stages[1], error))
    p.id = glsl_link_program(&(glsl_stage_t){"", stages[0].source, stages[0].path},
                             &(glsl_stage_t){"", stages[1].source, stages[1].path}, error);
  for (int i = 0; i < 2; ++i) {
    p.uses_game_files |= is_game_file(assets, stages[i].path);
    file_free(&memory, stages[i].source, stages[i].bytes);
  }
  if (!p.id)
    return false;
  p.to_clip = glGetUniformLocation(p.id, "to_clip");
  p.image = glGetUniformLocation(p.id, "image");
  p.texel = glGetUniformLocation(p.id, "texel");
  p.weight = glGetUniformLocation(p.id, "weight");
  p.scale = glGetUniformLocation(p.id, "scale");
  p.glow = glGetUniformLocation(p.id, "glow");
  p.corner = glGetUniformLocation(p.id, "corner");
  p.glow_texel = glGetUniformLocation(p.id, "glow_texel");
  p.strength = glGetUniformLocation(p.id, "strength");
  p.axes = glGetUniformLocation(p.id, "axes");
  p.origin = glGetUniformLocation(p.id, "origin");
  p.margin = glGetUniformLocation(p.id, "margin");
  p.ambient = glGetUniformLocation(p.id, "ambient");
  *out = p;
  return true;
}

// Builds a program, with the game's files in place of the engine's. If this fails, logs a warning and uses only the
// engine's files.
static bool build_with_fallback(const programs_t *p, const recipe_t *recipe, program_t *out, error_info_t *error) {
  if (build_program(p->assets, recipe, out, error))
    return true;
  if (p->assets->game[0] == '\0')
    return false;
  log_warn(p->log, "render: %s", error->text);
  assets_t own = *p->assets;
  own.game[0] = '\0';
  return build_program(&own, recipe, out, error);
}

static void replace_program(program_t *to, program_t fresh) {
  glDeleteProgram(to->id);
  *to = fresh;
}

// Returns true for programs that every frame needs or that the game overrides. These are built immediately, so that
// errors are reported at startup.
static bool needs_early_build(const programs_t *p, int kind) {
  shoal_assert(RECIPES[kind].vertex && RECIPES[kind].fragment, "program %d has no source files", kind);
  return kind == PROGRAM_SHAPES || kind == PROGRAM_IMAGES || has_file(p->assets, RECIPES[kind].vertex) ||
         has_file(p->assets, RECIPES[kind].fragment);
}

bool programs_init(programs_t *p, const assets_t *assets, log_o *log, error_info_t *error) {
  *p = (programs_t){.assets = assets, .log = log};
  error_info_t why = {0};
  for (int i = 0; i < PROGRAM_COUNT; ++i)
    if (needs_early_build(p, i) && !build_with_fallback(p, &RECIPES[i], &p->items[i], &why))
      return error_set(error, "render: %s", why.text);
  return true;
}

const program_t *programs_use(programs_t *p, program_kind_t kind) {
  error_info_t error = {0};
  if (p->items[kind].id == 0 && !p->refused[kind] && !build_with_fallback(p, &RECIPES[kind], &p->items[kind], &error)) {
    p->refused[kind] = true;
    log_error(p->log, "render: %s", error.text);
  }
  return &p->items[kind];
}

bool programs_can_replace(programs_t *p, program_kind_t kind, program_kind_t other) {
  return programs_use(p, kind)->id && !programs_use(p, other)->uses_game_files;
}

void programs_fini(programs_t *p) {
  for (int i = 0; i < PROGRAM_COUNT; ++i)
    replace_program(&p->items[i], (program_t){0});
}

void programs_rebuild(programs_t *p) {
  for (int i = 0; i < PROGRAM_COUNT; ++i) {
    program_t fresh = {0};
    error_info_t error = {0};
    p->refused[i] = false;
    if (!needs_early_build(p, i) || build_with_fallback(p, &RECIPES[i], &fresh, &error))
      replace_program(&p->items[i], fresh);
    else
      log_warn(p->log, "render: %s", error.text);
  }
}

asset_fate_t programs_asset_changed(programs_t *p, const char *name, error_info_t *why) {
  program_t fresh[PROGRAM_COUNT] = {{0}};
  bool ok = true, used = false;
  for (int i = 0; i < PROGRAM_COUNT && ok; ++i) {
    if (strcmp(RECIPES[i].vertex, name) != 0 && strcmp(RECIPES[i].fragment, name) != 0)
      continue;
    used = true;
    ok = build_program(p->assets, &RECIPES[i], &fresh[i], why);
  }
  for (int i = 0; i < PROGRAM_COUNT; ++i)
    if (ok && fresh[i].id)
      replace_program(&p->items[i], fresh[i]);
    else
      glDeleteProgram(fresh[i].id);
  return !used ? ASSET_UNUSED : ok ? ASSET_RELOADED : ASSET_KEPT;
}
