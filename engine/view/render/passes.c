// Reads the post-processing passes from the world. A pass is a singleton component with the name of the pass. The
// schema of the singleton shoal.passes lists all passes: each of its fields is a pass, and the default of the field
// contains the coverage and file of the pass. The schema always matches the current code, regardless of the contents of
// a save or of the world before a reload.
#include "render/passes.h"

#include "base/assert.h"
#include "components/access.h"

#include <stdio.h>
#include <string.h>

static float read_uniform_value(const manager_o *manager, uint32_t column) {
  return manager->count > 0 ? (float)columns_get(&manager->columns, 0, column)
                            : (float)manager->schema.fields[column].initial;
}

static uniform_kind_t get_uniform_kind(field_type_t type) {
  return type == FIELD_BOOL ? UNIFORM_BOOL : type == FIELD_F32 ? UNIFORM_FLOAT : UNIFORM_INT;
}

// Adds a column to the uniforms. The columns "tint.x", "tint.y", … form one uniform: each column after the first
// extends the previous uniform.
static void add_uniform(shader_pass_t *pass, const manager_o *manager, uint32_t column) {
  const field_t *field = &manager->schema.fields[column];
  const char *dot = strchr(field->name, '.');
  int length = (int)(dot ? (size_t)(dot - field->name) : strlen(field->name));
  uint32_t component = dot ? (uint32_t)(dot[1] == 'w' ? 3 : dot[1] - 'x') : 0;
  if (component > 3 || (component == 0 && pass->uniform_count == FRAME_MAX_UNIFORMS) ||
      (component > 0 && pass->uniform_count == 0))
    return;
  uniform_t *uniform = &pass->uniforms[component == 0 ? pass->uniform_count++ : pass->uniform_count - 1];
  if (component == 0) {
    *uniform = (uniform_t){.kind = get_uniform_kind(field->type)};
    snprintf(uniform->name, sizeof uniform->name, "%.*s", length, field->name);
  } else {
    uniform->kind = component == 1 ? UNIFORM_VEC2 : component == 2 ? UNIFORM_VEC3 : UNIFORM_VEC4;
  }
  uniform->value[component] = read_uniform_value(manager, column);
}

static void read_pass(shader_pass_t *pass, const manager_o *manager) {
  shoal_assert(manager->schema.kind == SCHEMA_SINGLE, "pass %s must be a singleton", pass->name);
  for (uint32_t i = 0; i < manager->schema.field_count; ++i)
    if (strcmp(manager->schema.fields[i].name, "enabled") == 0)
      pass->enabled = read_uniform_value(manager, i) != 0.0f;
    else
      add_uniform(pass, manager, i);
}

bool passes_has_enabled(const frame_t *frame, bool covers_screen) {
  for (uint32_t i = 0; i < frame->pass_count; ++i)
    if (frame->passes[i].enabled && frame->passes[i].covers_screen == covers_screen)
      return true;
  return false;
}

// Adds the pass for the player's colour vision after the game's passes, if the player needs it and a pass is free.
static void add_colour_pass(frame_t *frame, const world_o *w) {
  access_colours_t colours = access_read(w).colours;
  if (colours == ACCESS_COLOURS_PLAIN || frame->pass_count == FRAME_MAX_PASSES)
    return;
  shader_pass_t *pass = &frame->passes[frame->pass_count++];
  *pass =
      (shader_pass_t){.name = "shoal.colours", .file = "passes/colours.frag", .enabled = true, .covers_screen = true};
  pass->uniforms[pass->uniform_count++] = (uniform_t){.name = "kind", .kind = UNIFORM_INT, .value = {(float)colours}};
}

void passes_list(frame_t *frame, world_o *w) {
  const manager_o *list = w ? world_find_manager(w, "shoal.passes") : NULL;
  frame->pass_count = 0;
  for (uint32_t i = 0; list && i < list->schema.field_count && frame->pass_count < FRAME_MAX_PASSES; ++i) {
    const field_t *field = &list->schema.fields[i];
    const manager_o *settings = world_find_manager(w, field->name);
    if (!settings || settings->schema.kind != SCHEMA_SINGLE)
      continue;
    shader_pass_t *pass = &frame->passes[frame->pass_count++];
    *pass = (shader_pass_t){0};
    snprintf(pass->name, sizeof pass->name, "%s", field->name);
    const char *text = field->initial_text ? field->initial_text : "", *file = strchr(text, ' ');
    pass->covers_screen = strncmp(text, "all ", 4) == 0;
    snprintf(pass->file, sizeof pass->file, "%s", file ? file + 1 : "");
    read_pass(pass, settings);
  }
  add_colour_pass(frame, w);
}
