// Draws frames with OpenGL: batches, triangles with depth, bloom, canvases. Shaders, images, lighting and
// post-processing passes are in separate files.
#include "render/gl.h"

#include "base/alloc.h"
#include "base/assert.h"
#include "paint/paint_gl.h"
#include "render/gl_light.h"
#include "render/gl_passes.h"
#include "render/programs.h"
#include "render/target.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LEVELS 7       // maximum number of bloom levels
#define MIN_LEVEL_PIXELS 8 // minimum height of a bloom level in pixels
#define SOLID_SAMPLES 4    // number of samples per pixel
// Fraction of a level's light that is added to the next finer level; lower values make the glow tighter.
#define LEVEL_WEIGHT 0.8f

// Multisampled target with a depth buffer, for depth-tested triangles. Its resolved image is composited into the image
// being drawn.
typedef struct solids_t {
  GLuint framebuffer, colour, depth; // multisampled framebuffer and its buffers
  target_t resolved;                 // the image after resolving the samples
} solids_t;

// Resources with the size of the image being drawn (the window or a canvas).
typedef struct sized_targets_t {
  solids_t solids;
  target_t scene, levels[MAX_LEVELS], glow; // `glow`: sum of the levels, filtered for the final pass
  int level_count;
  target_t light; // light target of a canvas, saved while a different image is drawn
} sized_targets_t;

typedef struct gl_canvas_t {
  char name[CANVAS_NAME_MAX]; // name; "" if the slot is unused
  bool is_used;               // true if the canvas is used in this frame
  target_t rendered;          // the image as drawn, with the bottom row first
  target_t flipped;           // the image with the top row first, like all images
  sized_targets_t sized;
} gl_canvas_t;

struct gl_o {
  programs_t programs;
  GLuint vertex_array, point_array, empty_array, buffer;
  bool points; // true if the driver supports points of FRAME_POINT_MAX pixels
  GLuint solid_array, solid_buffer;
  GLuint nearest; // sampler for nearest-neighbour filtering
  GLuint linear;  // sampler for bilinear filtering without mipmaps
  gl_light_t light;
  gl_passes_t passes;
  paint_gl_t paint;
  GLuint atlas;
  int32_t atlas_size;
  sized_targets_t sized;
  gl_canvas_t canvases[CANVASES_MAX];
};

// --- life cycle

static GLuint create_sampler(GLint filter) {
  GLuint sampler = 0;
  glGenSamplers(1, &sampler);
  glSamplerParameteri(sampler, GL_TEXTURE_MIN_FILTER, filter);
  glSamplerParameteri(sampler, GL_TEXTURE_MAG_FILTER, filter);
  glSamplerParameteri(sampler, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glSamplerParameteri(sampler, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  return sampler;
}

static void init_point_drawing(gl_o *gl) {
  GLfloat sizes[2] = {0};
  glGetFloatv(GL_POINT_SIZE_RANGE, sizes);
  gl->points = sizes[0] <= FRAME_POINT_MIN && sizes[1] >= FRAME_POINT_MAX;
  glEnable(GL_PROGRAM_POINT_SIZE);
  glGenVertexArrays(1, &gl->point_array);
  glBindVertexArray(gl->point_array);
  for (GLuint i = 0; i < 5; ++i)
    glEnableVertexAttribArray(i);
}

gl_o *gl_create(const assets_t *assets, log_o *log, error_info_t *error) {
  if (epoxy_gl_version() < 33) {
    error_set(error, "render: OpenGL 3.3 is required, but the driver provides %d.%d: update the graphics driver",
              epoxy_gl_version() / 10, epoxy_gl_version() % 10);
    return NULL;
  }
  gl_o *gl = alloc_object(sizeof *gl);
  if (!programs_init(&gl->programs, assets, log, error)) {
    gl_destroy(gl);
    return NULL;
  }
  glGenVertexArrays(1, &gl->vertex_array);
  glGenVertexArrays(1, &gl->empty_array);
  glGenBuffers(1, &gl->buffer);
  glBindVertexArray(gl->vertex_array);
  for (GLuint i = 0; i < 5; ++i) {
    glEnableVertexAttribArray(i);
    glVertexAttribDivisor(i, 1);
  }
  init_point_drawing(gl);
  gl->nearest = create_sampler(GL_NEAREST);
  gl->linear = create_sampler(GL_LINEAR);
  glGenVertexArrays(1, &gl->solid_array);
  glGenBuffers(1, &gl->solid_buffer);
  glBindVertexArray(gl->solid_array);
  glBindBuffer(GL_ARRAY_BUFFER, gl->solid_buffer);
  for (GLuint i = 0; i < 2; ++i) {
    glEnableVertexAttribArray(i);
    glVertexAttribPointer(i, 4, GL_FLOAT, GL_FALSE, sizeof(solid_corner_t), (const void *)(i * 4 * sizeof(float)));
  }
  log_debug(log, "render: %s, OpenGL %s", (const char *)glGetString(GL_RENDERER),
            (const char *)glGetString(GL_VERSION));
  return gl;
}

static void drop_solids(solids_t *solids) {
  glDeleteFramebuffers(1, &solids->framebuffer);
  glDeleteRenderbuffers(1, &solids->colour);
  glDeleteRenderbuffers(1, &solids->depth);
  target_fini(&solids->resolved);
  *solids = (solids_t){0};
}

static void drop_targets(sized_targets_t *targets) {
  target_fini(&targets->scene);
  target_fini(&targets->glow);
  for (int i = 0; i < targets->level_count; ++i)
    target_fini(&targets->levels[i]);
  targets->level_count = 0;
}

static void drop_sized_targets(sized_targets_t *targets) {
  drop_targets(targets);
  drop_solids(&targets->solids);
  target_fini(&targets->light);
}

static void drop_canvas(gl_canvas_t *canvas) {
  target_fini(&canvas->rendered);
  target_fini(&canvas->flipped);
  drop_sized_targets(&canvas->sized);
  *canvas = (gl_canvas_t){0};
}

void gl_destroy(gl_o *gl) {
  if (!gl)
    return;
  for (uint32_t i = 0; i < CANVASES_MAX; ++i)
    drop_canvas(&gl->canvases[i]);
  drop_sized_targets(&gl->sized);
  gl_light_fini(&gl->light);
  gl_passes_fini(&gl->passes);
  paint_gl_fini(&gl->paint);
  programs_fini(&gl->programs);
  glDeleteTextures(1, &gl->atlas);
  glDeleteBuffers(1, &gl->buffer);
  glDeleteBuffers(1, &gl->solid_buffer);
  glDeleteSamplers(1, &gl->nearest);
  glDeleteSamplers(1, &gl->linear);
  glDeleteVertexArrays(1, &gl->solid_array);
  glDeleteVertexArrays(1, &gl->vertex_array);
  glDeleteVertexArrays(1, &gl->point_array);
  glDeleteVertexArrays(1, &gl->empty_array);
  free(gl);
}

void gl_reset(gl_o *gl) {
  programs_rebuild(&gl->programs);
  gl_passes_clear(&gl->passes);
}

asset_fate_t gl_asset_changed(gl_o *gl, const char *name, error_info_t *error) {
  asset_fate_t fate = programs_asset_changed(&gl->programs, name, error);
  return fate == ASSET_UNUSED ? gl_passes_asset_changed(&gl->passes, &gl->programs, name, error) : fate;
}

bool gl_build_paint(gl_o *gl, const paint_o *p, error_info_t *error) {
  return paint_gl_rebuild_shaders(&gl->paint, p, error);
}

// --- upload

static void upload_atlas(gl_o *gl, atlas_t *atlas) {
  shoal_assert(atlas->dirty_top >= 0 && atlas->dirty_bottom <= atlas->size,
               "dirty rows %d to %d exceed the atlas size %d", atlas->dirty_top, atlas->dirty_bottom, atlas->size);
  if (atlas->dirty_top >= atlas->dirty_bottom && gl->atlas_size == atlas->size)
    return;
  if (!gl->atlas)
    glGenTextures(1, &gl->atlas);
  glBindTexture(GL_TEXTURE_2D, gl->atlas);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
  if (gl->atlas_size != atlas->size) {
    const GLint swizzle[4] = {GL_RED, GL_RED, GL_RED, GL_RED};
    glTexImage2D(GL_TEXTURE_2D, 0, GL_R8, atlas->size, atlas->size, 0, GL_RED, GL_UNSIGNED_BYTE, atlas->pixels);
    glTexParameteriv(GL_TEXTURE_2D, GL_TEXTURE_SWIZZLE_RGBA, swizzle);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    gl->atlas_size = atlas->size;
  } else {
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, atlas->dirty_top, atlas->size, atlas->dirty_bottom - atlas->dirty_top, GL_RED,
                    GL_UNSIGNED_BYTE, atlas->pixels + (size_t)atlas->dirty_top * (size_t)atlas->size);
  }
  atlas->dirty_top = atlas->dirty_bottom = 0;
}

void gl_upload(gl_o *gl, const frame_t *frame) {
  gl_light_upload(&gl->light, frame);
  upload_atlas(gl, glyphs_get_atlas(frame->glyphs));
  paint_gl_upload(&gl->paint, frame->paint, frame->log);
  glBindBuffer(GL_ARRAY_BUFFER, gl->buffer);
  glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(frame->instances.count * sizeof(instance_t)), frame->instances.items,
               GL_STREAM_DRAW);
  if (frame->corners.count == 0)
    return;
  glBindBuffer(GL_ARRAY_BUFFER, gl->solid_buffer);
  glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(frame->corners.count * sizeof(solid_corner_t)), frame->corners.items,
               GL_STREAM_DRAW);
}

// --- instances

static void set_vertex_pointers(uint32_t first_instance) {
  const size_t offsets[5] = {offsetof(instance_t, a), offsetof(instance_t, b), offsetof(instance_t, c),
                             offsetof(instance_t, colour), offsetof(instance_t, kind)};
  for (GLuint i = 0; i < 5; ++i)
    glVertexAttribPointer(i, 4, GL_FLOAT, GL_FALSE, sizeof(instance_t),
                          (const void *)(first_instance * sizeof(instance_t) + offsets[i]));
}

static program_kind_t choose_program(gl_o *gl, const batch_t *batch, bool draws_points) {
  static const program_kind_t PROGRAMS[] = {[BATCH_SHAPES] = PROGRAM_SHAPES,
                                            [BATCH_GLYPHS] = PROGRAM_IMAGES,
                                            [BATCH_IMAGE] = PROGRAM_IMAGES,
                                            [BATCH_MATERIAL] = PROGRAM_MATERIALS};
  program_kind_t kind = PROGRAMS[batch->kind];
  if (kind == PROGRAM_SHAPES)
    return draws_points && programs_can_replace(&gl->programs, PROGRAM_DISCS, kind) ? PROGRAM_DISCS : kind;
  if (batch->reduced && programs_can_replace(&gl->programs, PROGRAM_REDUCED, PROGRAM_IMAGES))
    return PROGRAM_REDUCED;
  if (kind != PROGRAM_IMAGES || !(batch->smooth || batch->exact) ||
      !programs_can_replace(&gl->programs, PROGRAM_PLAIN, PROGRAM_IMAGES))
    return kind;
  return draws_points && programs_can_replace(&gl->programs, PROGRAM_POINTS, PROGRAM_PLAIN) ? PROGRAM_POINTS
                                                                                            : PROGRAM_PLAIN;
}

// Draws a batch as points. OpenGL clips points by their centres, so the viewport is enlarged, and the scissor restricts
// drawing to the image.
static void draw_points(const program_t *program, const frame_t *frame, const batch_t *batch,
                        const surface_t *surface) {
  const int margin = (int)(FRAME_POINT_MAX * 0.5f), height = surface->height + surface->strip;
  if (batch->clip == 0) {
    glEnable(GL_SCISSOR_TEST);
    glScissor(surface->x, surface->y - surface->strip, surface->width, height);
  }
  glViewport(surface->x - margin, surface->y - surface->strip - margin, surface->width + 2 * margin,
             height + 2 * margin);
  glUniform1f(program->margin, (float)margin);
  glUniform2f(program->to_clip, 2.0f / (frame->view.width + 2.0f * (float)margin),
              -2.0f / (frame->view.height + (float)(surface->strip + 2 * margin)));
  glDrawArrays(GL_POINTS, 0, (GLsizei)batch->count);
  glViewport(surface->x, surface->y, surface->width, surface->height);
  if (batch->clip == 0)
    glDisable(GL_SCISSOR_TEST);
}

static void draw_instances(gl_o *gl, const frame_t *frame, const batch_t *batch, const surface_t *surface) {
  shoal_assert(batch->first + batch->count <= frame->instances.count, "instances %u to %u are out of range (count %u)",
               batch->first, batch->first + batch->count, frame->instances.count);
  bool is_same_size = frame->view.width == (float)surface->width && frame->view.height == (float)surface->height;
  program_kind_t kind = choose_program(gl, batch, gl->points && is_same_size && batch->points == batch->count);
  bool draws_points = kind == PROGRAM_POINTS || kind == PROGRAM_DISCS,
       is_plain = kind == PROGRAM_POINTS || kind == PROGRAM_PLAIN;
  const program_t *program = programs_use(&gl->programs, kind);
  glUseProgram(program->id);
  bool uses_mipmaps = kind != PROGRAM_REDUCED && !(is_plain && batch->large);
  glBindSampler(0, is_plain && batch->exact ? gl->nearest : uses_mipmaps ? 0 : gl->linear);
  if (batch->kind != BATCH_SHAPES)
    glBindTexture(GL_TEXTURE_2D, batch->kind == BATCH_GLYPHS ? gl->atlas : batch->texture);
  glBindVertexArray(draws_points ? gl->point_array : gl->vertex_array);
  glBindBuffer(GL_ARRAY_BUFFER, gl->buffer);
  set_vertex_pointers(batch->first);
  if (draws_points) {
    draw_points(program, frame, batch, surface);
  } else {
    glViewport(surface->x, surface->y - surface->strip, surface->width, surface->height + surface->strip);
    glUniform2f(program->to_clip, 2.0f / frame->view.width, -2.0f / (frame->view.height + (float)surface->strip));
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, (GLsizei)batch->count);
    glViewport(surface->x, surface->y, surface->width, surface->height);
  }
  glBindSampler(0, 0);
}

// --- views

// Sets the scissor to the clip region `clip` (see batch_t). Disables the scissor if `clip` is 0.
static void set_scissor(const frame_t *frame, const surface_t *surface, uint32_t clip) {
  if (clip == 0) {
    glDisable(GL_SCISSOR_TEST);
    return;
  }
  shoal_assert(clip <= frame->view_count ||
                   (clip > FRAME_MAX_VIEW_CLIP && clip <= FRAME_MAX_VIEW_CLIP + frame->clip_rects.count),
               "clip %u is out of range (%u views, %u clip rectangles)", clip, frame->view_count,
               frame->clip_rects.count);
  const int32_t *rect = clip > FRAME_MAX_VIEW_CLIP ? frame->clip_rects.items[clip - FRAME_MAX_VIEW_CLIP - 1].rect
                                                   : frame->views[clip - 1].clip;
  glEnable(GL_SCISSOR_TEST);
  glScissor(surface->x + rect[0], surface->y + surface->height - rect[3], rect[2] - rect[0], rect[3] - rect[1]);
}

// --- triangles with depth

static void create_storage(GLuint *name, GLint samples, GLenum format, GLenum attachment, const surface_t *surface) {
  glGenRenderbuffers(1, name);
  glBindRenderbuffer(GL_RENDERBUFFER, *name);
  glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, format, surface->width, surface->height);
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, attachment, GL_RENDERBUFFER, *name);
}

static void resize_solids(solids_t *solids, const surface_t *surface) {
  if (solids->resolved.width == surface->width && solids->resolved.height == surface->height)
    return;
  GLint samples = 0;
  drop_solids(solids);
  glGetIntegerv(GL_MAX_SAMPLES, &samples);
  samples = samples < SOLID_SAMPLES ? samples : SOLID_SAMPLES;
  target_init(&solids->resolved, surface->width, surface->height, GL_RGBA16F, GL_NEAREST);
  glGenFramebuffers(1, &solids->framebuffer);
  glBindFramebuffer(GL_FRAMEBUFFER, solids->framebuffer);
  create_storage(&solids->colour, samples, GL_RGBA16F, GL_COLOR_ATTACHMENT0, surface);
  create_storage(&solids->depth, samples, GL_DEPTH_COMPONENT24, GL_DEPTH_ATTACHMENT, surface);
}

static void composite_solids(gl_o *gl, const surface_t *surface) {
  const program_t *program = programs_use(&gl->programs, PROGRAM_PASTE);
  glBindFramebuffer(GL_FRAMEBUFFER, surface->framebuffer);
  glViewport(surface->x, surface->y, surface->width, surface->height);
  glEnable(GL_BLEND);
  glUseProgram(program->id);
  glUniform2f(program->corner, (float)surface->x, (float)surface->y);
  glBindTexture(GL_TEXTURE_2D, gl->sized.solids.resolved.texture);
  glBindVertexArray(gl->empty_array);
  glDrawArrays(GL_TRIANGLES, 0, 3);
}

static void draw_solid_batch(gl_o *gl, const frame_t *frame, const batch_t *batch, const surface_t *surface) {
  const float transparent[4] = {0}, farthest = 1.0f;
  int w = surface->width, h = surface->height;
  resize_solids(&gl->sized.solids, surface);
  set_scissor(frame, &(surface_t){.width = w, .height = h}, batch->clip);
  glBindFramebuffer(GL_FRAMEBUFFER, gl->sized.solids.framebuffer);
  glViewport(0, 0, w, h);
  glClearBufferfv(GL_COLOR, 0, transparent);
  glClearBufferfv(GL_DEPTH, 0, &farthest);
  glEnable(GL_DEPTH_TEST);
  glDisable(GL_BLEND);
  glUseProgram(programs_use(&gl->programs, PROGRAM_SOLIDS)->id);
  glBindVertexArray(gl->solid_array);
  glDrawArrays(GL_TRIANGLES, (GLint)batch->first, (GLsizei)batch->count);
  glDisable(GL_DEPTH_TEST);
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, gl->sized.solids.resolved.framebuffer);
  glBlitFramebuffer(0, 0, w, h, 0, 0, w, h, GL_COLOR_BUFFER_BIT, GL_NEAREST);
  set_scissor(frame, surface, batch->clip);
  composite_solids(gl, surface);
}

// --- meshes drawn by plugins

static void draw_mesh_batch(gl_o *gl, const frame_t *frame, const batch_t *batch, const surface_t *surface) {
  const mesh_instance_t *instance = &frame->mesh_instances.items[batch->points];
  paint_view_t view = {.to_pixels = instance->to_pixels,
                       .width = frame->view.width,
                       .height = frame->view.height,
                       .framebuffer = surface->framebuffer,
                       .x = surface->x,
                       .y = surface->y,
                       .surface_width = surface->width,
                       .surface_height = surface->height,
                       .image = batch->texture,
                       .time_s = frame->time_s};
  memcpy(view.view, instance->visible, sizeof view.view);
  paint_gl_draw(&gl->paint, frame->paint, batch->first, &view);
}

// --- batches, drawn into the bound surface

static void draw_batches(gl_o *gl, const frame_t *frame, const surface_t *surface, uint32_t begin, uint32_t end) {
  shoal_assert(begin <= end && end <= frame->batches.count, "batches %u to %u are out of range (count %u)", begin, end,
               frame->batches.count);
  glEnable(GL_BLEND);
  glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
  uint32_t clip = 0;
  for (uint32_t i = begin; i < end; ++i) {
    const batch_t *batch = &frame->batches.items[i];
    if (batch->clip != clip)
      set_scissor(frame, surface, clip = batch->clip);
    if (batch->kind == BATCH_SOLIDS)
      draw_solid_batch(gl, frame, batch, surface);
    else if (batch->kind == BATCH_LIGHT)
      gl_light_composite(&gl->light, &gl->programs, frame, batch->first, surface, gl->empty_array);
    else if (batch->kind == BATCH_MESH && batch->count > 0)
      draw_mesh_batch(gl, frame, batch, surface);
    else if (batch->kind != BATCH_MESH)
      draw_instances(gl, frame, batch, surface);
  }
  set_scissor(frame, surface, 0);
  glDisable(GL_BLEND);
}

// --- bloom

static void resize_targets(gl_o *gl, int width, int height) {
  if (gl->sized.scene.width == width && gl->sized.scene.height == height)
    return;
  drop_targets(&gl->sized);
  target_init(&gl->sized.scene, width, height, GL_RGBA16F, GL_LINEAR);
  int w = (width + 3) / 4, h = (height + 3) / 4;
  target_init(&gl->sized.glow, w, h, GL_RGBA16F, GL_LINEAR);
  while (gl->sized.level_count < MAX_LEVELS && (gl->sized.level_count == 0 || h >= MIN_LEVEL_PIXELS)) {
    target_init(&gl->sized.levels[gl->sized.level_count++], w, h, GL_RGBA16F, GL_LINEAR);
    w = (w + 1) / 2;
    h = (h + 1) / 2;
  }
}

static void draw_bloom_pass(const program_t *program, const target_t *source, const target_t *destination,
                            float weight) {
  glBindFramebuffer(GL_FRAMEBUFFER, destination->framebuffer);
  glViewport(0, 0, destination->width, destination->height);
  glUseProgram(program->id);
  glUniform2f(program->texel, 1.0f / (float)source->width, 1.0f / (float)source->height);
  glUniform1f(program->weight, weight);
  glUniform1f(program->scale, destination->width > source->width ? 0.5f : 1.0f);
  glBindTexture(GL_TEXTURE_2D, source->texture);
  glDrawArrays(GL_TRIANGLES, 0, 3);
}

static void blur_levels(gl_o *gl) {
  const program_t *spread = programs_use(&gl->programs, PROGRAM_SPREAD);
  const program_t *shrink = programs_use(&gl->programs, PROGRAM_SHRINK);
  glBindVertexArray(gl->empty_array);
  draw_bloom_pass(programs_use(&gl->programs, PROGRAM_GATHER), &gl->sized.scene, &gl->sized.levels[0], 1.0f);
  for (int i = 1; i < gl->sized.level_count; ++i)
    draw_bloom_pass(shrink, &gl->sized.levels[i - 1], &gl->sized.levels[i], 1.0f);
  glEnable(GL_BLEND);
  glBlendFunc(GL_ONE, GL_ONE);
  for (int i = gl->sized.level_count - 1; i > 0; --i)
    draw_bloom_pass(spread, &gl->sized.levels[i], &gl->sized.levels[i - 1], LEVEL_WEIGHT);
  glDisable(GL_BLEND);
  draw_bloom_pass(spread, &gl->sized.levels[0], &gl->sized.glow, 1.0f);
}

static void compose_bloom(gl_o *gl, const frame_t *frame, int x, int y) {
  const program_t *program = programs_use(&gl->programs, PROGRAM_FINAL);
  glBindVertexArray(gl->empty_array);
  glUseProgram(program->id);
  glUniform1i(program->image, 0);
  glUniform1i(program->glow, 1);
  glUniform2f(program->corner, (float)x, (float)y);
  glUniform2f(program->glow_texel, 1.0f / (float)gl->sized.glow.width, 1.0f / (float)gl->sized.glow.height);
  glUniform1f(program->strength, frame->view.bloom);
  glActiveTexture(GL_TEXTURE1);
  glBindTexture(GL_TEXTURE_2D, gl->sized.glow.texture);
  glActiveTexture(GL_TEXTURE0);
  glBindTexture(GL_TEXTURE_2D, gl->sized.scene.texture);
  glDrawArrays(GL_TRIANGLES, 0, 3);
}

// --- the image

static void clear_colour(const float colour[4]) {
  glClearColor(colour[0], colour[1], colour[2], colour[3]);
  glClear(GL_COLOR_BUFFER_BIT);
}

// Clears the letterbox bars, and the image if `clears_image` is true. (x, y) is the lower left corner of the image.
// Pixels outside of `area` belong to the embedding program.
static void clear_area(const frame_t *frame, letterbox_t box, int x, int y, platform_area_t area, bool clears_image) {
  const float black[4] = {0.0f, 0.0f, 0.0f, 1.0f};
  glEnable(GL_SCISSOR_TEST);
  glScissor(area.x, area.y, area.width, area.height);
  if (box.width < area.width || box.height < area.height)
    clear_colour(black);
  glScissor(x, y, box.width, box.height);
  if (clears_image)
    clear_colour(frame->view.background);
  glDisable(GL_SCISSOR_TEST);
}

// Draws the batches before index `end` into a surface, with bloom if any camera has bloom. If `clears_surface` is true,
// first fills the surface with the background.
static void draw_batches_with_bloom(gl_o *gl, const frame_t *frame, const surface_t *surface, uint32_t end,
                                    bool clears_surface) {
  bool has_bloom = frame->view.bloom > 0.0f;
  if (has_bloom) {
    resize_targets(gl, surface->width, surface->height);
    glBindFramebuffer(GL_FRAMEBUFFER, gl->sized.scene.framebuffer);
    glViewport(0, 0, surface->width, surface->height);
    clear_colour(frame->view.background);
    const surface_t scene = {gl->sized.scene.framebuffer, 0, 0, surface->width, surface->height, 0};
    draw_batches(gl, frame, &scene, 0, end);
    blur_levels(gl);
  }
  glBindFramebuffer(GL_FRAMEBUFFER, surface->framebuffer);
  glViewport(surface->x, surface->y, surface->width, surface->height);
  if (clears_surface && !has_bloom)
    clear_colour(frame->view.background);
  if (has_bloom)
    compose_bloom(gl, frame, surface->x, surface->y);
  else
    draw_batches(gl, frame, surface, 0, end);
}

static void bind_surface(const surface_t *surface) {
  glBindFramebuffer(GL_FRAMEBUFFER, surface->framebuffer);
  glViewport(surface->x, surface->y, surface->width, surface->height);
}

// Draws with post-processing. Passes over the world run before screen-space drawing; passes over the whole image run
// after it.
static void draw_passes(gl_o *gl, const frame_t *frame, const surface_t *destination, bool has_world_passes,
                        bool has_screen_passes) {
  surface_t scene = gl_passes_begin(&gl->passes, destination->width, destination->height);
  draw_batches_with_bloom(gl, frame, &scene, has_world_passes ? frame->screen_batch : frame->overlay_batch, true);
  if (has_world_passes) {
    gl_passes_draw(&gl->passes, frame, false, has_screen_passes ? NULL : destination, gl->empty_array);
    scene = has_screen_passes ? gl_passes_begin(&gl->passes, destination->width, destination->height) : *destination;
    bind_surface(&scene);
    draw_batches(gl, frame, &scene, frame->screen_batch, frame->overlay_batch);
  }
  if (has_screen_passes)
    gl_passes_draw(&gl->passes, frame, true, destination, gl->empty_array);
}

static void draw_frame_into(gl_o *gl, const frame_t *frame, GLuint framebuffer, letterbox_t screen,
                            platform_area_t area) {
  const letterbox_t box = letterbox_get_picture(&screen);
  int x = area.x + box.x, y = area.y + area.height - box.y - box.height; // y points up in OpenGL
  const surface_t image = {framebuffer, x, y, box.width, box.height, 0};
  glDisable(GL_DEPTH_TEST);
  glDisable(GL_CULL_FACE);
  glDisable(GL_SCISSOR_TEST);
  glActiveTexture(GL_TEXTURE0);
  gl_light_draw(&gl->light, &gl->programs, frame);
  gl_passes_build(&gl->passes, &gl->programs, frame);
  bool has_world_passes = gl_passes_has_active(&gl->passes, frame, false),
       has_screen_passes = gl_passes_has_active(&gl->passes, frame, true);
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  clear_area(frame, box, x, y, area, frame->view.bloom <= 0.0f && !has_world_passes && !has_screen_passes);
  if (has_world_passes || has_screen_passes)
    draw_passes(gl, frame, &image, has_world_passes, has_screen_passes);
  else
    draw_batches_with_bloom(gl, frame, &image, frame->overlay_batch, false);
  bind_surface(&image);
  const surface_t image_and_strip = {framebuffer, x, y, box.width, box.height, (int)(frame->view.strip + 0.5f)};
  draw_batches(gl, frame, &image_and_strip, frame->overlay_batch, frame->batches.count);
}

void gl_draw(gl_o *gl, const frame_t *frame, letterbox_t box, platform_area_t area) {
  GLint bound = 0;
  glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &bound);
  draw_frame_into(gl, frame, (GLuint)bound, box, area);
  glFlush(); // swapping buffers would flush, but offscreen targets are not swapped
}

// --- canvases

uint32_t gl_prepare_canvas(gl_o *gl, const char *name, int width, int height) {
  gl_canvas_t *canvas = NULL;
  for (uint32_t i = 0; i < CANVASES_MAX; ++i)
    if (strcmp(gl->canvases[i].name, name) == 0)
      canvas = &gl->canvases[i];
  for (uint32_t i = 0; i < CANVASES_MAX && !canvas; ++i)
    if (!gl->canvases[i].name[0])
      canvas = &gl->canvases[i];
  for (uint32_t i = 0; i < CANVASES_MAX && !canvas; ++i) // reuses the slot of a canvas that no longer exists
    if (!gl->canvases[i].is_used)
      canvas = &gl->canvases[i];
  shoal_assert(canvas && name[0], "the canvas has no name, or the frame has more than %u canvases", CANVASES_MAX);
  if (strcmp(canvas->name, name) != 0 || canvas->flipped.width != width || canvas->flipped.height != height) {
    GLint bound = 0;
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &bound);
    drop_canvas(canvas);
    memcpy(canvas->name, name, strlen(name) + 1);
    target_init(&canvas->rendered, width, height, GL_RGBA8, GL_NEAREST);
    target_init(&canvas->flipped, width, height, GL_RGBA8, GL_LINEAR);
    clear_colour((const float[4]){0});
    glBindFramebuffer(GL_FRAMEBUFFER, (GLuint)bound);
  }
  canvas->is_used = true;
  return canvas->flipped.texture;
}

static void swap_sized_targets(gl_o *gl, sized_targets_t *targets) {
  sized_targets_t previous = gl->sized;
  previous.light = gl->light.sum;
  gl->sized = *targets;
  gl->light.sum = targets->light;
  *targets = previous;
}

static void draw_canvas(gl_o *gl, const frame_t *frame, gl_canvas_t *canvas) {
  int width = canvas->rendered.width, height = canvas->rendered.height;
  const surface_t whole_surface = {canvas->rendered.framebuffer, 0, 0, width, height, 0};
  GLint bound = 0;
  glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &bound);
  glDisable(GL_DEPTH_TEST);
  glDisable(GL_CULL_FACE);
  glDisable(GL_SCISSOR_TEST);
  glActiveTexture(GL_TEXTURE0);
  swap_sized_targets(gl, &canvas->sized);
  gl_light_draw(&gl->light, &gl->programs, frame);
  draw_batches_with_bloom(gl, frame, &whole_surface, frame->batches.count, true);
  swap_sized_targets(gl, &canvas->sized);
  glBindFramebuffer(GL_READ_FRAMEBUFFER, canvas->rendered.framebuffer);
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, canvas->flipped.framebuffer);
  glBlitFramebuffer(0, 0, width, height, 0, height, width, 0, GL_COLOR_BUFFER_BIT, GL_NEAREST);
  glBindFramebuffer(GL_FRAMEBUFFER, (GLuint)bound);
}

void gl_draw_canvas(gl_o *gl, const frame_t *frame, uint32_t texture) {
  for (uint32_t i = 0; i < CANVASES_MAX; ++i)
    if (gl->canvases[i].is_used && gl->canvases[i].flipped.texture == texture)
      draw_canvas(gl, frame, &gl->canvases[i]);
}

void gl_end_canvases(gl_o *gl) {
  for (uint32_t i = 0; i < CANVASES_MAX; ++i) {
    if (!gl->canvases[i].is_used && gl->canvases[i].name[0])
      drop_canvas(&gl->canvases[i]);
    gl->canvases[i].is_used = false;
  }
}

uint8_t *gl_read_pixels(gl_o *gl, const frame_t *frame, letterbox_t box, int width, int height,
                        allocator_t *allocator) {
  shoal_assert(width > 0 && height > 0, "the image size must be positive, got %d × %d", width, height);
  target_t target;
  GLint bound = 0;
  glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &bound);
  target_init(&target, width, height, GL_RGBA8, GL_NEAREST);
  draw_frame_into(gl, frame, target.framebuffer, box, (platform_area_t){.width = width, .height = height});
  size_t row_bytes = (size_t)width * 3, bytes = row_bytes * (size_t)height;
  uint8_t *pixels = alloc_resize(allocator, NULL, 0, bytes), *row_buffer = alloc_resize(allocator, NULL, 0, row_bytes);
  glBindFramebuffer(GL_FRAMEBUFFER, target.framebuffer);
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, width, height, GL_RGB, GL_UNSIGNED_BYTE, pixels);
  for (size_t top = 0, bottom = (size_t)height - 1; top < bottom; ++top, --bottom) {
    memcpy(row_buffer, pixels + top * row_bytes, row_bytes);
    memcpy(pixels + top * row_bytes, pixels + bottom * row_bytes, row_bytes);
    memcpy(pixels + bottom * row_bytes, row_buffer, row_bytes);
  }
  alloc_resize(allocator, row_buffer, row_bytes, 0);
  glBindFramebuffer(GL_FRAMEBUFFER, (GLuint)bound);
  target_fini(&target);
  return pixels;
}
