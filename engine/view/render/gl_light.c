// Draws all lights of a view with a single draw call.
#include "render/gl_light.h"

#include "base/assert.h"

#include <math.h>
#include <stddef.h>

void gl_light_fini(gl_light_t *light) {
  target_fini(&light->sum);
  glDeleteTextures(1, &light->shadows);
  glDeleteBuffers(1, &light->buffer);
  glDeleteVertexArrays(1, &light->array);
  *light = (gl_light_t){0};
}

static void create_buffers(gl_light_t *light) {
  glGenVertexArrays(1, &light->array);
  glGenBuffers(1, &light->buffer);
  glBindVertexArray(light->array);
  glBindBuffer(GL_ARRAY_BUFFER, light->buffer);
  for (GLuint i = 0; i < 4; ++i) {
    glEnableVertexAttribArray(i);
    glVertexAttribDivisor(i, 1);
    glVertexAttribPointer(i, 4, GL_FLOAT, GL_FALSE, sizeof(light_t), (const void *)(i * 4 * sizeof(float)));
  }
  glGenTextures(1, &light->shadows);
  glBindTexture(GL_TEXTURE_2D, light->shadows);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
}

void gl_light_upload(gl_light_t *light, const frame_t *frame) {
  const lights_t *lights = &frame->lights;
  if (frame->light_detail <= 0.0f)
    return;
  if (!light->array)
    create_buffers(light);
  glBindBuffer(GL_ARRAY_BUFFER, light->buffer);
  glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(lights->lights.count * sizeof *lights->lights.items), lights->lights.items,
               GL_STREAM_DRAW);
  glBindTexture(GL_TEXTURE_2D, light->shadows);
  if (lights->rows > light->rows || light->rows == 0) {
    light->rows = lights->rows > 16 ? lights->rows * 2 : 16;
    light->rows = light->rows < LIGHT_MAX_ROWS ? light->rows : LIGHT_MAX_ROWS;
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA32F, LIGHT_ROW, (GLsizei)light->rows, 0, GL_RGBA, GL_FLOAT, NULL);
  }
  if (lights->rows > 0)
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, LIGHT_ROW, (GLsizei)lights->rows, GL_RGBA, GL_FLOAT, lights->shadows.items);
}

static void add_lights(const gl_light_t *light, const program_t *program, const frame_t *frame,
                       const camera_view_t *view) {
  float scale_x = (float)light->sum.width / frame->view.width, scale_y = (float)light->sum.height / frame->view.height;
  if (view->clipped) {
    int left = (int)floorf((float)view->clip[0] * scale_x), right = (int)ceilf((float)view->clip[2] * scale_x);
    int top = (int)floorf((float)view->clip[1] * scale_y), bottom = (int)ceilf((float)view->clip[3] * scale_y);
    glEnable(GL_SCISSOR_TEST);
    glScissor(left, light->sum.height - bottom, right - left, bottom - top);
  }
  glClearColor(view->ambient.colour[0], view->ambient.colour[1], view->ambient.colour[2], 0.0f);
  glClear(GL_COLOR_BUFFER_BIT);
  const affine_t *transform = &view->world;
  glUniform4f(program->axes, transform->ux, transform->uy, transform->vx, transform->vy);
  glUniform2f(program->origin, transform->x, transform->y);
  if (frame->lights.lights.count > 0)
    glDrawArraysInstanced(GL_TRIANGLE_FAN, 0, 8, (GLsizei)frame->lights.lights.count);
  glDisable(GL_SCISSOR_TEST);
}

void gl_light_draw(gl_light_t *light, programs_t *programs, const frame_t *frame) {
  if (frame->light_detail <= 0.0f)
    return;
  int width = (int)ceilf(frame->view.width * frame->light_detail),
      height = (int)ceilf(frame->view.height * frame->light_detail);
  shoal_assert(light->array, "lights must be uploaded before they are drawn");
  if (light->sum.width != width || light->sum.height != height) {
    target_fini(&light->sum);
    target_init(&light->sum, width, height, GL_RGBA16F, GL_LINEAR);
  }
  const program_t *program = programs_use(programs, PROGRAM_LIGHT);
  glBindFramebuffer(GL_FRAMEBUFFER, light->sum.framebuffer);
  glViewport(0, 0, width, height);
  glUseProgram(program->id);
  glBindVertexArray(light->array);
  glUniform2f(program->to_clip, 2.0f / frame->view.width, -2.0f / frame->view.height);
  glBindTexture(GL_TEXTURE_2D, light->shadows);
  glEnable(GL_BLEND);
  glBlendFunc(GL_ONE, GL_ONE);
  for (uint32_t i = 0; i < frame->view_count; ++i)
    if (frame->views[i].lit)
      add_lights(light, program, frame, &frame->views[i]);
  glDisable(GL_BLEND);
}

void gl_light_composite(gl_light_t *light, programs_t *programs, const frame_t *frame, uint32_t view,
                        const surface_t *surface, GLuint empty_array) {
  const program_t *program = programs_use(programs, PROGRAM_LIT);
  const float *ambient = frame->views[view].ambient.colour;
  glUseProgram(program->id);
  glUniform2f(program->corner, (float)surface->x, (float)surface->y);
  glUniform2f(program->texel, 1.0f / (float)surface->width, 1.0f / (float)surface->height);
  glUniform4f(program->ambient, ambient[0], ambient[1], ambient[2], 0.0f);
  glBindTexture(GL_TEXTURE_2D, light->sum.texture);
  glBindVertexArray(empty_array);
  glUniform1f(program->weight, 0.0f);
  glBlendFuncSeparate(GL_DST_COLOR, GL_SRC_COLOR, GL_ZERO, GL_ONE); // light at most doubles the brightness of a pixel
  glDrawArrays(GL_TRIANGLES, 0, 3);
  if (frame->lights.has_glow) {
    glUniform1f(program->weight, 1.0f);
    glBlendFunc(GL_ONE, GL_ONE);
    glDrawArrays(GL_TRIANGLES, 0, 3);
  }
  glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
}
