// Manages the OpenGL objects of a paint_o. Textures and programs are matched by generation and version, so that objects
// of released ids are freed in the next frame.
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
static const char VERTEX[] = "void main() {\n  v_at = at;\n  v_uv = uv;\n  v_colour = colour;\n"
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
static const char FRAGMENT[] = "void main() {\n  result = texture(image, v_uv) * cover(v_colour);\n}\n";

// --- programs

static void format_shader_head(const paint_shader_t *s, const char *head, char *out) {
  static const char *const TYPES[] = {"", "float", "vec2", "vec3", "vec4"};
  size_t used = (size_t)snprintf(out, HEAD_BYTES, "%s", head);
  for (uint32_t i = 0; s && i < s->uniform_count; ++i)
    used += (size_t)snprintf(out + used, HEAD_BYTES - used, "uniform %s %s;\n", TYPES[s->uniforms[i].floats],
                             s->uniforms[i].name);
  used += (size_t)snprintf(out + used, HEAD_BYTES - used, "#line 1\n");
  shoal_assert(used < HEAD_BYTES, "the shader header needs %zu bytes (at most %u)", used, (unsigned)HEAD_BYTES);
}

// Builds the program of a shader; if `s` is NULL, the default program.
static GLuint build_program(const paint_shader_t *s, error_info_t *error) {
  char vertex_head[HEAD_BYTES], fragment_head[HEAD_BYTES];
  const char *vertex = s && s->text[PAINT_VERTEX] ? s->text[PAINT_VERTEX] : VERTEX;
  const char *fragment = s ? s->text[PAINT_FRAGMENT] : FRAGMENT;
  format_shader_head(s, VERTEX_HEAD, vertex_head);
  format_shader_head(s, FRAGMENT_HEAD, fragment_head);
  return glsl_link_program(
      &(glsl_stage_t){vertex_head, vertex, s ? s->origin[PAINT_VERTEX] : "the default shader"},
      &(glsl_stage_t){fragment_head, fragment, s ? s->origin[PAINT_FRAGMENT] : "the default shader"}, error);
}

static bool update_shader(paint_gl_program_t *to, const paint_shader_t *s, error_info_t *error) {
  if (to->generation != s->generation) {
    glDeleteProgram(to->name);
    *to = (paint_gl_program_t){.generation = s->generation};
  }
  if (!s->owner || to->version == s->version)
    return true;
  to->version = s->version;
  GLuint program = build_program(s, error);
  if (!program)
    return false;
  glDeleteProgram(to->name);
  to->name = program;
  return true;
}

bool paint_gl_rebuild_shaders(paint_gl_t *g, const paint_o *p, error_info_t *error) {
  bool ok = true;
  error_info_t why = {0};
  for (uint32_t i = 0; i < PAINT_MAX_SHADERS; ++i)
    ok &= update_shader(&g->programs[i], &p->shaders[i], &why);
  return ok || error_set(error, "%s", why.text);
}

// --- textures

static void set_sampler_parameters(const paint_texture_t *t) {
  GLint wrap = t->repeats ? GL_REPEAT : GL_CLAMP_TO_EDGE, filter = t->sharp ? GL_NEAREST : GL_LINEAR;
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, wrap);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, wrap);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, filter);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, filter);
}

static void update_texture(paint_gl_texture_t *to, paint_texture_t *t) {
  if (to->generation != t->generation && to->name) {
    glDeleteTextures(1, &to->name);
    to->name = 0;
  }
  to->generation = t->generation;
  if (!t->owner || (to->name && t->dirty_top >= t->dirty_bottom))
    return;
  GLsizei width = (GLsizei)t->width, height = (GLsizei)t->height;
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  if (!to->name) {
    glGenTextures(1, &to->name);
    glBindTexture(GL_TEXTURE_2D, to->name);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, t->pixels);
    set_sampler_parameters(t);
  } else {
    shoal_assert(t->dirty_bottom <= t->height, "dirty row %u exceeds texture %s", t->dirty_bottom, t->name);
    glBindTexture(GL_TEXTURE_2D, to->name);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, (GLint)t->dirty_top, width, (GLsizei)(t->dirty_bottom - t->dirty_top), GL_RGBA,
                    GL_UNSIGNED_BYTE, t->pixels + (size_t)t->dirty_top * t->width * 4);
  }
  t->dirty_top = t->dirty_bottom = 0;
}

// --- life cycle

static void create_objects(paint_gl_t *g) {
  const uint8_t white[4] = {255, 255, 255, 255};
  error_info_t error = {0};
  g->usual = build_program(NULL, &error);
  shoal_assert(g->usual, "%s", error.text);
  glGenTextures(1, &g->white);
  glBindTexture(GL_TEXTURE_2D, g->white);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, white);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glGenVertexArrays(1, &g->array);
  glGenBuffers(1, &g->buffer);
  glBindVertexArray(g->array);
  glBindBuffer(GL_ARRAY_BUFFER, g->buffer);
  const GLint floats[3] = {2, 2, 4};
  const size_t offsets[3] = {0, offsetof(paint_vertex_t, u), offsetof(paint_vertex_t, colour)};
  for (GLuint i = 0; i < 3; ++i) {
    glEnableVertexAttribArray(i);
    glVertexAttribPointer(i, floats[i], GL_FLOAT, GL_FALSE, sizeof(paint_vertex_t), (const void *)offsets[i]);
  }
}

void paint_gl_fini(paint_gl_t *g) {
  for (uint32_t i = 0; i < PAINT_MAX_TEXTURES; ++i)
    glDeleteTextures(1, &g->textures[i].name);
  for (uint32_t i = 0; i < PAINT_MAX_SHADERS; ++i)
    glDeleteProgram(g->programs[i].name);
  glDeleteProgram(g->usual);
  glDeleteTextures(1, &g->white);
  glDeleteTextures(1, &g->backdrop);
  glDeleteBuffers(1, &g->buffer);
  glDeleteVertexArrays(1, &g->array);
  *g = (paint_gl_t){0};
}

void paint_gl_upload(paint_gl_t *g, paint_o *p, log_o *log) {
  error_info_t error = {0};
  if (!p)
    return;
  for (uint32_t i = 0; i < PAINT_MAX_TEXTURES; ++i)
    update_texture(&g->textures[i], &p->textures[i]);
  if (!paint_gl_rebuild_shaders(g, p, &error))
    log_error(log, "%s", error.text);
  if (p->meshes.count == 0)
    return;
  if (!g->array)
    create_objects(g);
  // The last six vertices are two triangles that cover the whole view.
  glBindBuffer(GL_ARRAY_BUFFER, g->buffer);
  glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)((p->vertices.count + 6) * sizeof(paint_vertex_t)), NULL, GL_STREAM_DRAW);
  glBufferSubData(GL_ARRAY_BUFFER, 0, (GLsizeiptr)(p->vertices.count * sizeof(paint_vertex_t)), p->vertices.items);
}

// --- drawing

static void append_view_quad(const paint_gl_t *g, const paint_o *p, const paint_view_t *v) {
  static const float CORNERS[6][2] = {{0, 0}, {1, 0}, {0, 1}, {0, 1}, {1, 0}, {1, 1}};
  paint_vertex_t corners[6];
  for (int i = 0; i < 6; ++i) {
    float u = CORNERS[i][0], w = CORNERS[i][1];
    corners[i] = (paint_vertex_t){.u = u, .v = w, .colour = {1.0f, 1.0f, 1.0f, 1.0f}};
    float x = v->view[0] + u * (v->view[2] - v->view[0]), y = v->view[1] + w * (v->view[3] - v->view[1]), at[2];
    if (affine_apply_inverse(&v->to_pixels, x, y, at)) { // if the transform is singular, the triangle is empty
      corners[i].x = at[0];
      corners[i].y = at[1];
    }
  }
  glBindBuffer(GL_ARRAY_BUFFER, g->buffer);
  glBufferSubData(GL_ARRAY_BUFFER, (GLintptr)(p->vertices.count * sizeof *corners), sizeof corners, corners);
}

// Copies the frame drawn so far, so that shaders can sample it.
static void copy_backdrop(paint_gl_t *g, const paint_view_t *v) {
  if (!g->backdrop)
    glGenTextures(1, &g->backdrop);
  glActiveTexture(GL_TEXTURE2);
  glBindTexture(GL_TEXTURE_2D, g->backdrop);
  if (g->backdrop_width != v->surface_width || g->backdrop_height != v->surface_height) {
    g->backdrop_width = v->surface_width;
    g->backdrop_height = v->surface_height;
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA16F, v->surface_width, v->surface_height, 0, GL_RGBA, GL_FLOAT, NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  }
  glBindFramebuffer(GL_READ_FRAMEBUFFER, v->framebuffer);
  glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, v->x, v->y, v->surface_width, v->surface_height);
  glBindFramebuffer(GL_FRAMEBUFFER, v->framebuffer);
  glActiveTexture(GL_TEXTURE0);
}

static GLuint get_texture_or_default(const paint_gl_t *g, const paint_o *p, paint_id id, GLuint otherwise) {
  const paint_texture_t *t = paint_find_texture(p, id);
  return t ? g->textures[t - p->textures].name : otherwise;
}

static void set_uniforms(GLuint program, const paint_o *p, const paint_mesh_t *m) {
  const paint_shader_t *s = paint_find_shader(p, m->shader);
  for (uint32_t i = 0; s && i < s->uniform_count; ++i) {
    const float *value = &p->values.items[m->values + 4 * i];
    GLint at = glGetUniformLocation(program, s->uniforms[i].name);
    switch (s->uniforms[i].floats) {
    case 1: glUniform1fv(at, 1, value); break;
    case 2: glUniform2fv(at, 1, value); break;
    case 3: glUniform3fv(at, 1, value); break;
    default: glUniform4fv(at, 1, value); break;
    }
  }
}

static void set_view_uniforms(GLuint program, const paint_view_t *v) {
  glUniform4fv(glGetUniformLocation(program, "to_pixels"), 1, &v->to_pixels.ux);
  glUniform2f(glGetUniformLocation(program, "origin"), v->to_pixels.x, v->to_pixels.y);
  glUniform2f(glGetUniformLocation(program, "to_clip"), 2.0f / v->width, -2.0f / v->height);
  glUniform2f(glGetUniformLocation(program, "size"), (float)v->surface_width, (float)v->surface_height);
  glUniform2f(glGetUniformLocation(program, "corner"), (float)v->x, (float)v->y);
  glUniform1f(glGetUniformLocation(program, "time"), v->time_s);
  glUniform1i(glGetUniformLocation(program, "image"), 0);
  glUniform1i(glGetUniformLocation(program, "other"), 1);
  glUniform1i(glGetUniformLocation(program, "picture"), 2);
}

void paint_gl_draw(paint_gl_t *g, const paint_o *p, uint32_t mesh, const paint_view_t *v) {
  shoal_assert(v->width > 0.0f && v->height > 0.0f, "the view size must be positive, got %g × %g", (double)v->width,
               (double)v->height);
  if (mesh >= p->meshes.count) // happens if the previous frame is drawn again after its meshes were discarded
    return;
  const paint_mesh_t *m = &p->meshes.items[mesh];
  const paint_shader_t *s = paint_find_shader(p, m->shader);
  GLuint program = !m->shader ? g->usual : s ? g->programs[s - p->shaders].name : 0;
  if (!program || !g->array)
    return;
  if (s && s->reads_below)
    copy_backdrop(g, v);
  glUseProgram(program);
  set_view_uniforms(program, v);
  set_uniforms(program, p, m);
  glActiveTexture(GL_TEXTURE1);
  glBindTexture(GL_TEXTURE_2D, get_texture_or_default(g, p, m->second_image, g->white));
  glActiveTexture(GL_TEXTURE0);
  glBindTexture(GL_TEXTURE_2D, get_texture_or_default(g, p, m->image, v->image ? v->image : g->white));
  glBindVertexArray(g->array);
  if (m->add)
    glBlendFunc(GL_ONE, GL_ONE);
  if (m->count == 0)
    append_view_quad(g, p, v);
  glDrawArrays(GL_TRIANGLES, m->count > 0 ? (GLint)m->first : (GLint)p->vertices.count,
               m->count > 0 ? (GLsizei)m->count : 6);
  glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
}
