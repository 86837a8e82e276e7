// Manages the OpenGL objects of a paint_o. Each object stores the generation and version of its texture or shader, so
// that objects of released ids are freed in the next frame.
#include "paint/paint_gl.h"

#include "base/assert.h"
#include "paint/glsl.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define HEAD_BYTES 3072u

// Start of each vertex shader, followed by its uniforms and its source. `place` maps mesh coordinates to the screen.
static const char VERTEX_HEAD[] =
    "#version 330 core\n"
    "layout(location = 0) in vec2 at;\nlayout(location = 1) in vec2 uv;\nlayout(location = 2) in vec4 colour;\n"
    "uniform vec4 to_pixels;\nuniform vec2 origin;\nuniform vec2 to_clip;\nuniform float time;\nuniform vec2 size;\n"
    "uniform sampler2D image;\nuniform sampler2D other;\n"
    "out vec2 v_at;\nout vec2 v_uv;\nout vec4 v_colour;\n"
    "vec4 place(vec2 p) {\n"
    "  return vec4((to_pixels.xy * p.x + to_pixels.zw * p.y + origin) * to_clip + vec2(-1.0, 1.0), 0.0, 1.0);\n"
    "}\n";
static const char DEFAULT_VERTEX_SHADER[] = "void main() {\n  v_at = at;\n  v_uv = uv;\n  v_colour = colour;\n"
                                            "  gl_Position = place(at);\n}\n";
// Start of each fragment shader, followed by its uniforms and its source. `cover` premultiplies a colour for `result`.
// `below` samples the frame drawn so far, at an offset in pixels.
static const char FRAGMENT_HEAD[] =
    "#version 330 core\n"
    "uniform float time;\nuniform vec2 size;\nuniform vec2 corner;\n"
    "uniform sampler2D image;\nuniform sampler2D other;\nuniform sampler2D picture;\n"
    "in vec2 v_at;\nin vec2 v_uv;\nin vec4 v_colour;\nout vec4 result;\n"
    "vec4 cover(vec4 straight) { return vec4(straight.rgb * straight.a, straight.a); }\n"
    "vec4 below(vec2 pixels) {\n"
    "  return texture(picture, (gl_FragCoord.xy - corner + vec2(pixels.x, -pixels.y)) / size);\n"
    "}\n";
static const char DEFAULT_FRAGMENT_SHADER[] = "void main() {\n  result = texture(image, v_uv) * cover(v_colour);\n}\n";

// --- programs

static void format_shader_head(const paint_shader_t *shader, const char *head, char *out) {
  static const char *const TYPES[] = {"", "float", "vec2", "vec3", "vec4"};
  size_t used = (size_t)snprintf(out, HEAD_BYTES, "%s", head);
  for (uint32_t i = 0; shader && i < shader->uniform_count; ++i)
    used += (size_t)snprintf(out + used, HEAD_BYTES - used, "uniform %s %s;\n", TYPES[shader->uniforms[i].floats],
                             shader->uniforms[i].name);
  used += (size_t)snprintf(out + used, HEAD_BYTES - used, "#line 1\n");
  shoal_assert(used < HEAD_BYTES, "the shader header needs %zu bytes (at most %u)", used, (unsigned)HEAD_BYTES);
}

// Builds the program of a shader, or the default program if `shader` is NULL.
static GLuint build_program(const paint_shader_t *shader, error_info_t *error) {
  char vertex_head[HEAD_BYTES], fragment_head[HEAD_BYTES];
  const char *vertex = shader && shader->text[PAINT_VERTEX] ? shader->text[PAINT_VERTEX] : DEFAULT_VERTEX_SHADER;
  const char *fragment = shader ? shader->text[PAINT_FRAGMENT] : DEFAULT_FRAGMENT_SHADER;
  format_shader_head(shader, VERTEX_HEAD, vertex_head);
  format_shader_head(shader, FRAGMENT_HEAD, fragment_head);
  return glsl_link_program(
      &(glsl_stage_t){vertex_head, vertex, shader ? shader->origin[PAINT_VERTEX] : "the default shader"},
      &(glsl_stage_t){fragment_head, fragment, shader ? shader->origin[PAINT_FRAGMENT] : "the default shader"}, error);
}

static bool update_shader(paint_gl_program_t *program, const paint_shader_t *shader, error_info_t *error) {
  if (program->generation != shader->generation) {
    glDeleteProgram(program->name);
    *program = (paint_gl_program_t){.generation = shader->generation};
  }
  if (!shader->owner || program->version == shader->version)
    return true;
  program->version = shader->version;
  GLuint new_program = build_program(shader, error);
  if (!new_program)
    return false;
  glDeleteProgram(program->name);
  program->name = new_program;
  return true;
}

bool paint_gl_rebuild_shaders(paint_gl_t *g, const paint_o *p, error_info_t *error) {
  bool ok = true;
  error_info_t shader_error = {0};
  for (uint32_t i = 0; i < PAINT_MAX_SHADERS; ++i)
    ok &= update_shader(&g->programs[i], &p->shaders[i], &shader_error);
  return ok || error_set(error, "%s", shader_error.text);
}

// --- textures

static void set_sampler_parameters(const paint_texture_t *t) {
  GLint wrap = t->repeats ? GL_REPEAT : GL_CLAMP_TO_EDGE, filter = t->sharp ? GL_NEAREST : GL_LINEAR;
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, wrap);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, wrap);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, filter);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, filter);
}

static void update_texture(paint_gl_texture_t *entry, paint_texture_t *texture) {
  if (entry->generation != texture->generation && entry->name) {
    glDeleteTextures(1, &entry->name);
    entry->name = 0;
  }
  entry->generation = texture->generation;
  if (!texture->owner || (entry->name && texture->dirty_top >= texture->dirty_bottom))
    return;
  GLsizei width = (GLsizei)texture->width, height = (GLsizei)texture->height;
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  if (!entry->name) {
    glGenTextures(1, &entry->name);
    glBindTexture(GL_TEXTURE_2D, entry->name);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, texture->pixels);
    set_sampler_parameters(texture);
  } else {
    shoal_assert(texture->dirty_bottom <= texture->height, "dirty row %u exceeds texture %s", texture->dirty_bottom,
                 texture->name);
    glBindTexture(GL_TEXTURE_2D, entry->name);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, (GLint)texture->dirty_top, width,
                    (GLsizei)(texture->dirty_bottom - texture->dirty_top), GL_RGBA, GL_UNSIGNED_BYTE,
                    texture->pixels + (size_t)texture->dirty_top * texture->width * 4);
  }
  texture->dirty_top = texture->dirty_bottom = 0;
}

// --- life cycle

static void create_objects(paint_gl_t *gl) {
  const uint8_t white_texture[4] = {255, 255, 255, 255};
  error_info_t error = {0};
  gl->default_program = build_program(NULL, &error);
  shoal_assert(gl->default_program, "%s", error.text);
  glGenTextures(1, &gl->white_texture);
  glBindTexture(GL_TEXTURE_2D, gl->white_texture);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, white_texture);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glGenVertexArrays(1, &gl->vertex_array);
  glGenBuffers(1, &gl->vertex_buffer);
  glBindVertexArray(gl->vertex_array);
  glBindBuffer(GL_ARRAY_BUFFER, gl->vertex_buffer);
  const GLint floats[3] = {2, 2, 4};
  const size_t offsets[3] = {0, offsetof(paint_vertex_t, u), offsetof(paint_vertex_t, colour)};
  for (GLuint i = 0; i < 3; ++i) {
    glEnableVertexAttribArray(i);
    glVertexAttribPointer(i, floats[i], GL_FLOAT, GL_FALSE, sizeof(paint_vertex_t), (const void *)offsets[i]);
  }
}

void paint_gl_fini(paint_gl_t *gl) {
  for (uint32_t i = 0; i < PAINT_MAX_TEXTURES; ++i)
    glDeleteTextures(1, &gl->textures[i].name);
  for (uint32_t i = 0; i < PAINT_MAX_SHADERS; ++i)
    glDeleteProgram(gl->programs[i].name);
  glDeleteProgram(gl->default_program);
  glDeleteTextures(1, &gl->white_texture);
  glDeleteTextures(1, &gl->backdrop);
  glDeleteBuffers(1, &gl->vertex_buffer);
  glDeleteVertexArrays(1, &gl->vertex_array);
  *gl = (paint_gl_t){0};
}

void paint_gl_upload(paint_gl_t *gl, paint_o *paint, log_o *log) {
  error_info_t error = {0};
  if (!paint)
    return;
  for (uint32_t i = 0; i < PAINT_MAX_TEXTURES; ++i)
    update_texture(&gl->textures[i], &paint->textures[i]);
  if (!paint_gl_rebuild_shaders(gl, paint, &error))
    log_error(log, "%s", error.text);
  if (paint->meshes.count == 0)
    return;
  if (!gl->vertex_array)
    create_objects(gl);
  // The last six vertices are two triangles that cover the whole view.
  glBindBuffer(GL_ARRAY_BUFFER, gl->vertex_buffer);
  glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)((paint->vertices.count + 6) * sizeof(paint_vertex_t)), NULL,
               GL_STREAM_DRAW);
  glBufferSubData(GL_ARRAY_BUFFER, 0, (GLsizeiptr)(paint->vertices.count * sizeof(paint_vertex_t)),
                  paint->vertices.items);
}

// --- drawing

static void append_view_quad(const paint_gl_t *gl, const paint_o *paint, const paint_view_t *view) {
  static const float CORNERS[6][2] = {{0, 0}, {1, 0}, {0, 1}, {0, 1}, {1, 0}, {1, 1}};
  paint_vertex_t corners[6];
  for (int i = 0; i < 6; ++i) {
    float u = CORNERS[i][0], v = CORNERS[i][1];
    corners[i] = (paint_vertex_t){.u = u, .v = v, .colour = {1.0f, 1.0f, 1.0f, 1.0f}};
    float x = view->view[0] + u * (view->view[2] - view->view[0]),
          y = view->view[1] + v * (view->view[3] - view->view[1]), position[2];
    // With a singular transform, all corners stay at the same point, so the triangles are empty.
    if (affine_apply_inverse(&view->to_pixels, x, y, position)) {
      corners[i].x = position[0];
      corners[i].y = position[1];
    }
  }
  glBindBuffer(GL_ARRAY_BUFFER, gl->vertex_buffer);
  glBufferSubData(GL_ARRAY_BUFFER, (GLintptr)(paint->vertices.count * sizeof *corners), sizeof corners, corners);
}

// Copies the frame drawn so far, so that shaders can sample it.
static void copy_backdrop(paint_gl_t *gl, const paint_view_t *view) {
  if (!gl->backdrop)
    glGenTextures(1, &gl->backdrop);
  glActiveTexture(GL_TEXTURE2);
  glBindTexture(GL_TEXTURE_2D, gl->backdrop);
  if (gl->backdrop_width != view->surface_width || gl->backdrop_height != view->surface_height) {
    gl->backdrop_width = view->surface_width;
    gl->backdrop_height = view->surface_height;
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA16F, view->surface_width, view->surface_height, 0, GL_RGBA, GL_FLOAT, NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  }
  glBindFramebuffer(GL_READ_FRAMEBUFFER, view->framebuffer);
  glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, view->x, view->y, view->surface_width, view->surface_height);
  glBindFramebuffer(GL_FRAMEBUFFER, view->framebuffer);
  glActiveTexture(GL_TEXTURE0);
}

static GLuint get_texture_or_default(const paint_gl_t *g, const paint_o *p, paint_id id, GLuint fallback) {
  const paint_texture_t *t = paint_find_texture(p, id);
  return t ? g->textures[t - p->textures].name : fallback;
}

static void set_uniforms(GLuint program, const paint_o *paint, const paint_mesh_t *paint_mesh) {
  const paint_shader_t *shader = paint_find_shader(paint, paint_mesh->shader);
  for (uint32_t i = 0; shader && i < shader->uniform_count; ++i) {
    const float *value = &paint->values.items[paint_mesh->values + 4 * i];
    GLint location = glGetUniformLocation(program, shader->uniforms[i].name);
    switch (shader->uniforms[i].floats) {
    case 1: glUniform1fv(location, 1, value); break;
    case 2: glUniform2fv(location, 1, value); break;
    case 3: glUniform3fv(location, 1, value); break;
    default: glUniform4fv(location, 1, value); break;
    }
  }
}

static void set_view_uniforms(GLuint program, const paint_view_t *view) {
  glUniform4fv(glGetUniformLocation(program, "to_pixels"), 1, &view->to_pixels.ux);
  glUniform2f(glGetUniformLocation(program, "origin"), view->to_pixels.x, view->to_pixels.y);
  glUniform2f(glGetUniformLocation(program, "to_clip"), 2.0f / view->width, -2.0f / view->height);
  glUniform2f(glGetUniformLocation(program, "size"), (float)view->surface_width, (float)view->surface_height);
  glUniform2f(glGetUniformLocation(program, "corner"), (float)view->x, (float)view->y);
  glUniform1f(glGetUniformLocation(program, "time"), view->time_s);
  glUniform1i(glGetUniformLocation(program, "image"), 0);
  glUniform1i(glGetUniformLocation(program, "other"), 1);
  glUniform1i(glGetUniformLocation(program, "picture"), 2);
}

void paint_gl_draw(paint_gl_t *gl, const paint_o *paint, uint32_t mesh, const paint_view_t *view) {
  shoal_assert(view->width > 0.0f && view->height > 0.0f, "the view size must be positive, got %g × %g",
               (double)view->width, (double)view->height);
  if (mesh >= paint->meshes.count) // happens if the previous frame is drawn again after its meshes were discarded
    return;
  const paint_mesh_t *paint_mesh = &paint->meshes.items[mesh];
  const paint_shader_t *shader = paint_find_shader(paint, paint_mesh->shader);
  GLuint program = !paint_mesh->shader ? gl->default_program : shader ? gl->programs[shader - paint->shaders].name : 0;
  if (!program || !gl->vertex_array)
    return;
  if (shader && shader->reads_below)
    copy_backdrop(gl, view);
  glUseProgram(program);
  set_view_uniforms(program, view);
  set_uniforms(program, paint, paint_mesh);
  glActiveTexture(GL_TEXTURE1);
  glBindTexture(GL_TEXTURE_2D, get_texture_or_default(gl, paint, paint_mesh->second_image, gl->white_texture));
  glActiveTexture(GL_TEXTURE0);
  glBindTexture(GL_TEXTURE_2D,
                get_texture_or_default(gl, paint, paint_mesh->image, view->image ? view->image : gl->white_texture));
  glBindVertexArray(gl->vertex_array);
  if (paint_mesh->add)
    glBlendFunc(GL_ONE, GL_ONE);
  if (paint_mesh->count == 0)
    append_view_quad(gl, paint, view);
  glDrawArrays(GL_TRIANGLES, paint_mesh->count > 0 ? (GLint)paint_mesh->first : (GLint)paint->vertices.count,
               paint_mesh->count > 0 ? (GLsizei)paint_mesh->count : 6);
  glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
}
