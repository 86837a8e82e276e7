// Builds and runs post-processing passes. The file of a pass is the body of a fragment shader. The header in front of
// the body is generated from the uniforms, which are declared only in shaders.lua. If the driver rejects a pass, its
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
static const char HEADER[] = "#version 330 core\n"
                             "uniform sampler2D image;\nuniform vec2 size;\nuniform vec2 texel;\nuniform float time;\n"
                             "in vec2 at;\nout vec4 result;\n";
static const char *const TYPES[] = {
    [UNIFORM_FLOAT] = "float", [UNIFORM_INT] = "int",   [UNIFORM_BOOL] = "bool",
    [UNIFORM_VEC2] = "vec2",   [UNIFORM_VEC3] = "vec3", [UNIFORM_VEC4] = "vec4",
};

static void drop_pass(gl_pass_t *pass) {
  glDeleteProgram(pass->program);
  *pass = (gl_pass_t){0};
}

void gl_passes_clear(gl_passes_t *passes) {
  for (uint32_t i = 0; i < FRAME_MAX_PASSES; ++i)
    drop_pass(&passes->items[i]);
}

void gl_passes_fini(gl_passes_t *passes) {
  gl_passes_clear(passes);
  target_fini(&passes->source);
  target_fini(&passes->destination);
}

// --- building

static void format_header(const shader_pass_t *pass, char *out) {
  size_t length = (size_t)snprintf(out, GL_PASS_HEADER_BYTES, "%s", HEADER);
  for (uint32_t i = 0; i < pass->uniform_count; ++i)
    length += (size_t)snprintf(out + length, GL_PASS_HEADER_BYTES - length, "uniform %s %s;\n",
                               TYPES[pass->uniforms[i].kind], pass->uniforms[i].name);
  length += (size_t)snprintf(out + length, GL_PASS_HEADER_BYTES - length, "#line 1\n");
  shoal_assert(length < GL_PASS_HEADER_BYTES, "the shader header of pass %s needs %zu bytes (at most %u)", pass->name,
               length, GL_PASS_HEADER_BYTES);
}

// Returns the new program of a pass, or 0 with an error if the file is missing, invalid, or rejected by the driver.
static GLuint build_pass(const assets_t *assets, const char *file, const char *header, error_info_t *error) {
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
    program = glsl_link_program(&(glsl_stage_t){"", VERTEX, path}, &(glsl_stage_t){header, text, path}, error);
  file_free(&memory, text, size_bytes);
  return program;
}

void gl_passes_build(gl_passes_t *passes, const programs_t *programs, const frame_t *frame) {
  for (uint32_t i = 0; i < frame->pass_count; ++i) {
    const shader_pass_t *pass = &frame->passes[i];
    gl_pass_t *slot = &passes->items[i];
    char header[GL_PASS_HEADER_BYTES];
    format_header(pass, header);
    if (strcmp(slot->name, pass->name) != 0)
      drop_pass(slot);
    if (strcmp(slot->header, header) != 0 || strcmp(slot->file, pass->file) != 0) {
      error_info_t error = {0};
      GLuint program = build_pass(programs->assets, pass->file, header, &error);
      if (program) {
        glDeleteProgram(slot->program);
        slot->program = program;
      } else {
        log_error(programs->log, "shaders.lua: %s: %s", pass->name, error.text);
      }
      memcpy(slot->name, pass->name, sizeof slot->name);
      memcpy(slot->file, pass->file, sizeof slot->file);
      memcpy(slot->header, header, sizeof slot->header);
    }
  }
}

static bool is_pass_active(const gl_passes_t *passes, const frame_t *frame, uint32_t index, bool covers_screen) {
  return frame->passes[index].enabled && frame->passes[index].covers_screen == covers_screen &&
         passes->items[index].program;
}

bool gl_passes_has_active(const gl_passes_t *passes, const frame_t *frame, bool covers_screen) {
  for (uint32_t i = 0; i < frame->pass_count; ++i)
    if (is_pass_active(passes, frame, i, covers_screen))
      return true;
  return false;
}

asset_fate_t gl_passes_asset_changed(gl_passes_t *passes, const programs_t *programs, const char *name,
                                     error_info_t *error) {
  GLuint new_programs[FRAME_MAX_PASSES] = {0};
  bool is_used = false, ok = true;
  for (uint32_t i = 0; i < FRAME_MAX_PASSES && ok; ++i) {
    if (!passes->items[i].header[0] || strcmp(passes->items[i].file, name) != 0)
      continue;
    is_used = true;
    new_programs[i] = build_pass(programs->assets, name, passes->items[i].header, error);
    ok = new_programs[i] != 0;
  }
  for (uint32_t i = 0; i < FRAME_MAX_PASSES; ++i) {
    if (!new_programs[i])
      continue;
    glDeleteProgram(ok ? passes->items[i].program : new_programs[i]);
    passes->items[i].program = ok ? new_programs[i] : passes->items[i].program;
  }
  return !is_used ? ASSET_UNUSED : ok ? ASSET_RELOADED : ASSET_KEPT;
}

// --- drawing

static void resize_target(target_t *target, int width, int height) {
  if (target->width == width && target->height == height)
    return;
  target_fini(target);
  target_init(target, width, height, GL_RGBA8, GL_LINEAR);
}

surface_t gl_passes_begin(gl_passes_t *passes, int width, int height) {
  resize_target(&passes->source, width, height);
  return (surface_t){passes->source.framebuffer, 0, 0, width, height, 0};
}

static void set_uniforms(GLuint program, const shader_pass_t *pass) {
  for (uint32_t i = 0; i < pass->uniform_count; ++i) {
    const uniform_t *uniform = &pass->uniforms[i];
    GLint location = glGetUniformLocation(program, uniform->name);
    switch (uniform->kind) {
    case UNIFORM_FLOAT: glUniform1f(location, uniform->value[0]); break;
    case UNIFORM_INT:
    case UNIFORM_BOOL: glUniform1i(location, (GLint)uniform->value[0]); break;
    case UNIFORM_VEC2: glUniform2fv(location, 1, uniform->value); break;
    case UNIFORM_VEC3: glUniform3fv(location, 1, uniform->value); break;
    case UNIFORM_VEC4: glUniform4fv(location, 1, uniform->value); break;
    }
  }
}

static void draw_pass(const gl_passes_t *passes, const frame_t *frame, uint32_t index, GLuint empty_array) {
  GLuint program = passes->items[index].program;
  float width = (float)passes->source.width, height = (float)passes->source.height;
  glUseProgram(program);
  glUniform1i(glGetUniformLocation(program, "image"), 0);
  glUniform2f(glGetUniformLocation(program, "size"), width, height);
  glUniform2f(glGetUniformLocation(program, "texel"), 1.0f / width, 1.0f / height);
  glUniform1f(glGetUniformLocation(program, "time"), frame->time_s);
  set_uniforms(program, &frame->passes[index]);
  glBindTexture(GL_TEXTURE_2D, passes->source.texture);
  glBindVertexArray(empty_array);
  glDrawArrays(GL_TRIANGLES, 0, 3);
}

void gl_passes_draw(gl_passes_t *passes, const frame_t *frame, bool covers_screen, const surface_t *surface,
                    GLuint empty_array) {
  uint32_t last_pass = FRAME_MAX_PASSES;
  for (uint32_t i = 0; i < frame->pass_count; ++i)
    last_pass = is_pass_active(passes, frame, i, covers_screen) ? i : last_pass;
  shoal_assert(last_pass < frame->pass_count, "none of the %u passes is enabled", frame->pass_count);
  for (uint32_t i = 0; i <= last_pass; ++i) {
    if (!is_pass_active(passes, frame, i, covers_screen))
      continue;
    bool is_final = i == last_pass && surface;
    if (!is_final)
      resize_target(&passes->destination, passes->source.width, passes->source.height);
    glBindFramebuffer(GL_FRAMEBUFFER, is_final ? surface->framebuffer : passes->destination.framebuffer);
    glViewport(is_final ? surface->x : 0, is_final ? surface->y : 0, passes->source.width, passes->source.height);
    draw_pass(passes, frame, i, empty_array);
    if (is_final)
      return;
    target_t old_source = passes->source;
    passes->source = passes->destination;
    passes->destination = old_source;
  }
}
