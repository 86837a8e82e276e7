// Draws all lights of a view with a single draw call.
#include "render/gl_light.h"

#include "base/assert.h"

#include <math.h>
#include <stddef.h>

void gl_light_fini(gl_light_t *g) {
  target_fini(&g->sum);
  glDeleteTextures(1, &g->shadows);
  glDeleteBuffers(1, &g->buffer);
  glDeleteVertexArrays(1, &g->array);
  *g = (gl_light_t){0};
}

static void create_buffers(gl_light_t *g) {
  glGenVertexArrays(1, &g->array);
  glGenBuffers(1, &g->buffer);
  glBindVertexArray(g->array);
  glBindBuffer(GL_ARRAY_BUFFER, g->buffer);
  for (GLuint i = 0; i < 4; ++i) {
    glEnableVertexAttribArray(i);
    glVertexAttribDivisor(i, 1);
    glVertexAttribPointer(i, 4, GL_FLOAT, GL_FALSE, sizeof(light_t), (const void *)(i * 4 * sizeof(float)));
  }
  glGenTextures(1, &g->shadows);
  glBindTexture(GL_TEXTURE_2D, g->shadows);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
}

void gl_light_upload(gl_light_t *g, const frame_t *f) {
  const lights_t *l = &f->lights;
  if (f->light_detail <= 0.0f)
    return;
  if (!g->array)
    create_buffers(g);
  glBindBuffer(GL_ARRAY_BUFFER, g->buffer);
  glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(l->lights.count * sizeof *l->lights.items), l->lights.items,
               GL_STREAM_DRAW);
  glBindTexture(GL_TEXTURE_2D, g->shadows);
  if (l->rows > g->rows || g->rows == 0) {
    g->rows = l->rows > 16 ? l->rows * 2 : 16;
    g->rows = g->rows < LIGHT_MAX_ROWS ? g->rows : LIGHT_MAX_ROWS;
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA32F, LIGHT_ROW, (GLsizei)g->rows, 0, GL_RGBA, GL_FLOAT, NULL);
  }
  if (l->rows > 0)
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, LIGHT_ROW, (GLsizei)l->rows, GL_RGBA, GL_FLOAT, l->shadows.items);
}

static void add_lights(const gl_light_t *g, const program_t *p, const frame_t *f, const camera_view_t *v) {
  float k = (float)g->sum.width / f->view.width, down = (float)g->sum.height / f->view.height;
  if (v->clipped) {
    int left = (int)floorf((float)v->clip[0] * k), right = (int)ceilf((float)v->clip[2] * k);
    int top = (int)floorf((float)v->clip[1] * down), bottom = (int)ceilf((float)v->clip[3] * down);
    glEnable(GL_SCISSOR_TEST);
    glScissor(left, g->sum.height - bottom, right - left, bottom - top);
  }
  glClearColor(v->ambient.colour[0], v->ambient.colour[1], v->ambient.colour[2], 0.0f);
  glClear(GL_COLOR_BUFFER_BIT);
  const affine_t *m = &v->world;
  glUniform4f(p->axes, m->ux, m->uy, m->vx, m->vy);
  glUniform2f(p->origin, m->x, m->y);
  if (f->lights.lights.count > 0)
    glDrawArraysInstanced(GL_TRIANGLE_FAN, 0, 8, (GLsizei)f->lights.lights.count);
  glDisable(GL_SCISSOR_TEST);
}

void gl_light_draw(gl_light_t *g, programs_t *programs, const frame_t *f) {
  if (f->light_detail <= 0.0f)
    return;
  int width = (int)ceilf(f->view.width * f->light_detail), height = (int)ceilf(f->view.height * f->light_detail);
  shoal_assert(g->array, "lights must be uploaded before they are drawn");
  if (g->sum.width != width || g->sum.height != height) {
    target_fini(&g->sum);
    target_init(&g->sum, width, height, GL_RGBA16F, GL_LINEAR);
  }
  const program_t *p = programs_use(programs, PROGRAM_LIGHT);
  glBindFramebuffer(GL_FRAMEBUFFER, g->sum.framebuffer);
  glViewport(0, 0, width, height);
  glUseProgram(p->id);
  glBindVertexArray(g->array);
  glUniform2f(p->to_clip, 2.0f / f->view.width, -2.0f / f->view.height);
  glBindTexture(GL_TEXTURE_2D, g->shadows);
  glEnable(GL_BLEND);
  glBlendFunc(GL_ONE, GL_ONE);
  for (uint32_t i = 0; i < f->view_count; ++i)
    if (f->views[i].lit)
      add_lights(g, p, f, &f->views[i]);
  glDisable(GL_BLEND);
}

void gl_light_composite(gl_light_t *g, programs_t *programs, const frame_t *f, uint32_t view, const surface_t *s,
                        GLuint empty_array) {
  const program_t *p = programs_use(programs, PROGRAM_LIT);
  const float *ambient = f->views[view].ambient.colour;
  glUseProgram(p->id);
  glUniform2f(p->corner, (float)s->x, (float)s->y);
  glUniform2f(p->texel, 1.0f / (float)s->width, 1.0f / (float)s->height);
  glUniform4f(p->ambient, ambient[0], ambient[1], ambient[2], 0.0f);
  glBindTexture(GL_TEXTURE_2D, g->sum.texture);
  glBindVertexArray(empty_array);
  glUniform1f(p->weight, 0.0f);
  glBlendFuncSeparate(GL_DST_COLOR, GL_SRC_COLOR, GL_ZERO, GL_ONE); // light at most doubles the brightness of a pixel
  glDrawArrays(GL_TRIANGLES, 0, 3);
  if (f->lights.has_glow) {
    glUniform1f(p->weight, 1.0f);
    glBlendFunc(GL_ONE, GL_ONE);
    glDrawArrays(GL_TRIANGLES, 0, 3);
  }
  glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
}
