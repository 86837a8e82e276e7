// Builds and runs post-processing passes. The file of a pass is the body of a fragment shader. It is preceded by a
// header generated from the uniforms, which are declared only in shaders.lua. If the driver rejects a pass, its
// previous version is kept.
#include "render/gl_passes.h"

#include "base/assert.h"
#include "base/files.h"
#include "paint/glsl.h"
#include "paint/shader_check.h"

#include <stdio.h>
#include <string.h>

static const char VERTEX[] = "#version 330 core\n"
                             "out vec2 at;\n"
                             "void main() {\n"
                             "  at = vec2(float((gl_VertexID << 1) & 2), float(gl_VertexID & 2));\n"
                             "  gl_Position = vec4(at * 2.0 - 1.0, 0.0, 1.0);\n"
                             "}\n";
static const char HEAD[] = "#version 330 core\n"
                           "uniform sampler2D image;\nuniform vec2 size;\nuniform vec2 texel;\nuniform float time;\n"
                           "in vec2 at;\nout vec4 result;\n";
static const char *const TYPES[] = {
    [UNIFORM_FLOAT] = "float", [UNIFORM_INT] = "int",   [UNIFORM_BOOL] = "bool",
    [UNIFORM_VEC2] = "vec2",   [UNIFORM_VEC3] = "vec3", [UNIFORM_VEC4] = "vec4",
};

static void drop_pass(gl_pass_t *p) {
  glDeleteProgram(p->program);
  *p = (gl_pass_t){0};
}

void gl_passes_clear(gl_passes_t *g) {
  for (uint32_t i = 0; i < FRAME_MAX_PASSES; ++i)
    drop_pass(&g->items[i]);
}

void gl_passes_fini(gl_passes_t *g) {
  gl_passes_clear(g);
  target_fini(&g->from);
  target_fini(&g->to);
}

// --- building

static void format_head(const shader_pass_t *p, char *out) {
  size_t used = (size_t)snprintf(out, GL_PASS_HEAD, "%s", HEAD);
  for (uint32_t i = 0; i < p->uniform_count; ++i)
    used += (size_t)snprintf(out + used, GL_PASS_HEAD - used, "uniform %s %s;\n", TYPES[p->uniforms[i].kind],
                             p->uniforms[i].name);
  used += (size_t)snprintf(out + used, GL_PASS_HEAD - used, "#line 1\n");
  shoal_assert(used < GL_PASS_HEAD, "the shader header of pass %s needs %zu bytes (at most %u)", p->name, used,
               GL_PASS_HEAD);
}

// Builds the program of a pass. Returns 0 with an error on failure.
static GLuint build_pass(const assets_t *assets, const char *file, const char *head, error_info_t *error) {
  char path[1280];
  allocator_t memory = {0};
  size_t size_bytes = 0;
  if (!assets_find(assets, file, path, sizeof path)) {
    error_set(error, "%s", path);
    return 0;
  }
  char *text = file_read(&memory, path, &size_bytes, error);
  if (!text)
    return 0;
  GLuint program = 0;
  if (strstr(text, "#version"))
    error_set(error, "%s: unexpected #version (the engine adds this line): remove the line", path);
  else if (shader_check(path, text, size_bytes, error))
    program = glsl_link_program(&(glsl_stage_t){"", VERTEX, path}, &(glsl_stage_t){head, text, path}, error);
  file_free(&memory, text, size_bytes);
  return program;
}

void gl_passes_build(gl_passes_t *g, const programs_t *programs, const frame_t *f) {
  for (uint32_t i = 0; i < f->pass_count; ++i) {
    const shader_pass_t *p = &f->passes[i];
    gl_pass_t *to = &g->items[i];
    char head[GL_PASS_HEAD];
    format_head(p, head);
    if (strcmp(to->name, p->name) != 0)
      drop_pass(to);
    if (strcmp(to->head, head) != 0 || strcmp(to->file, p->file) != 0) {
      error_info_t error = {0};
      GLuint program = build_pass(programs->assets, p->file, head, &error);
      if (program) {
        glDeleteProgram(to->program);
        to->program = program;
      } else {
        log_error(programs->log, "shaders.lua: %s: %s", p->name, error.text);
      }
      memcpy(to->name, p->name, sizeof to->name);
      memcpy(to->file, p->file, sizeof to->file);
      memcpy(to->head, head, sizeof to->head);
    }
  }
}

static bool is_pass_active(const gl_passes_t *g, const frame_t *f, uint32_t number, bool all) {
  return f->passes[number].enabled && f->passes[number].all == all && g->items[number].program;
}

bool gl_passes_has_active(const gl_passes_t *g, const frame_t *f, bool all) {
  for (uint32_t i = 0; i < f->pass_count; ++i)
    if (is_pass_active(g, f, i, all))
      return true;
  return false;
}

asset_fate_t gl_passes_asset_changed(gl_passes_t *g, const programs_t *programs, const char *name, error_info_t *why) {
  GLuint fresh[FRAME_MAX_PASSES] = {0};
  bool used = false, good = true;
  for (uint32_t i = 0; i < FRAME_MAX_PASSES && good; ++i) {
    if (!g->items[i].head[0] || strcmp(g->items[i].file, name) != 0)
      continue;
    used = true;
    fresh[i] = build_pass(programs->assets, name, g->items[i].head, why);
    good = fresh[i] != 0;
  }
  for (uint32_t i = 0; i < FRAME_MAX_PASSES; ++i) {
    if (!fresh[i])
      continue;
    glDeleteProgram(good ? g->items[i].program : fresh[i]);
    g->items[i].program = good ? fresh[i] : g->items[i].program;
  }
  return !used ? ASSET_UNUSED : good ? ASSET_RELOADED : ASSET_KEPT;
}

// --- drawing

static void resize_target(target_t *t, int width, int height) {
  if (t->width == width && t->height == height)
    return;
  target_fini(t);
  target_init(t, width, height, GL_RGBA8, GL_LINEAR);
}

surface_t gl_passes_begin(gl_passes_t *g, int width, int height) {
  resize_target(&g->from, width, height);
  return (surface_t){g->from.framebuffer, 0, 0, width, height};
}

static void set_uniforms(GLuint program, const shader_pass_t *p) {
  for (uint32_t i = 0; i < p->uniform_count; ++i) {
    const uniform_t *u = &p->uniforms[i];
    GLint at = glGetUniformLocation(program, u->name);
    switch (u->kind) {
    case UNIFORM_FLOAT: glUniform1f(at, u->value[0]); break;
    case UNIFORM_INT:
    case UNIFORM_BOOL: glUniform1i(at, (GLint)u->value[0]); break;
    case UNIFORM_VEC2: glUniform2fv(at, 1, u->value); break;
    case UNIFORM_VEC3: glUniform3fv(at, 1, u->value); break;
    case UNIFORM_VEC4: glUniform4fv(at, 1, u->value); break;
    }
  }
}

static void draw_pass(const gl_passes_t *g, const frame_t *f, uint32_t number, GLuint empty_array) {
  GLuint program = g->items[number].program;
  float width = (float)g->from.width, height = (float)g->from.height;
  glUseProgram(program);
  glUniform1i(glGetUniformLocation(program, "image"), 0);
  glUniform2f(glGetUniformLocation(program, "size"), width, height);
  glUniform2f(glGetUniformLocation(program, "texel"), 1.0f / width, 1.0f / height);
  glUniform1f(glGetUniformLocation(program, "time"), f->time_s);
  set_uniforms(program, &f->passes[number]);
  glBindTexture(GL_TEXTURE_2D, g->from.texture);
  glBindVertexArray(empty_array);
  glDrawArrays(GL_TRIANGLES, 0, 3);
}

void gl_passes_draw(gl_passes_t *g, const frame_t *f, bool all, const surface_t *s, GLuint empty_array) {
  uint32_t last = FRAME_MAX_PASSES;
  for (uint32_t i = 0; i < f->pass_count; ++i)
    last = is_pass_active(g, f, i, all) ? i : last;
  shoal_assert(last < f->pass_count, "none of the %u passes is enabled", f->pass_count);
  for (uint32_t i = 0; i <= last; ++i) {
    if (!is_pass_active(g, f, i, all))
      continue;
    bool ends = i == last && s;
    if (!ends)
      resize_target(&g->to, g->from.width, g->from.height);
    glBindFramebuffer(GL_FRAMEBUFFER, ends ? s->framebuffer : g->to.framebuffer);
    glViewport(ends ? s->x : 0, ends ? s->y : 0, g->from.width, g->from.height);
    draw_pass(g, f, i, empty_array);
    if (ends)
      return;
    target_t swap = g->from;
    g->from = g->to;
    g->to = swap;
  }
}
