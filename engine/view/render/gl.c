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
#define LEVEL_SHARE 0.8f

// Multisampled target for triangles with a depth buffer, which are then composited into the image.
typedef struct solids_t {
  GLuint framebuffer, colour, depth; // multisampled
  target_t flat;                     // resolved image
} solids_t;

// Resources with the size of the image being drawn (the window or a canvas).
typedef struct sized_t {
  solids_t solids;
  target_t scene, levels[MAX_LEVELS], glow; // glow: sum of the levels, filtered for the final pass
  int level_count;
  target_t light; // light target of a canvas, saved while another image is drawn
} sized_t;

typedef struct gl_canvas_t {
  char name[CANVAS_NAME_MAX]; // "" if the slot is unused
  bool used;                  // true if the canvas is used in this frame
  target_t drawn;             // as rendered, with the bottom row first
  target_t shown;             // flipped: top row first, like all images
  sized_t sized;
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
  sized_t sized;
  gl_canvas_t canvases[CANVASES_MAX];
};

// --- life cycle

static GLuint create_sampler(GLint filter) {
  GLuint out = 0;
  glGenSamplers(1, &out);
  glSamplerParameteri(out, GL_TEXTURE_MIN_FILTER, filter);
  glSamplerParameteri(out, GL_TEXTURE_MAG_FILTER, filter);
  glSamplerParameteri(out, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glSamplerParameteri(out, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  return out;
}

static void init_point_drawing(gl_o *g) {
  GLfloat sizes[2] = {0};
  glGetFloatv(GL_POINT_SIZE_RANGE, sizes);
  g->points = sizes[0] <= FRAME_POINT_MIN && sizes[1] >= FRAME_POINT_MAX;
  glEnable(GL_PROGRAM_POINT_SIZE);
  glGenVertexArrays(1, &g->point_array);
  glBindVertexArray(g->point_array);
  for (GLuint i = 0; i < 5; ++i)
    glEnableVertexAttribArray(i);
}

gl_o *gl_create(const assets_t *assets, log_o *log, error_info_t *error) {
  if (epoxy_gl_version() < 33) {
    error_set(error, "render: OpenGL 3.3 is required, but the driver provides %d.%d: update the graphics driver",
              epoxy_gl_version() / 10, epoxy_gl_version() % 10);
    return NULL;
  }
  gl_o *g = alloc_object(sizeof *g);
  if (!programs_init(&g->programs, assets, log, error)) {
    gl_destroy(g);
    return NULL;
  }
  glGenVertexArrays(1, &g->vertex_array);
  glGenVertexArrays(1, &g->empty_array);
  glGenBuffers(1, &g->buffer);
  glBindVertexArray(g->vertex_array);
  for (GLuint i = 0; i < 5; ++i) {
    glEnableVertexAttribArray(i);
    glVertexAttribDivisor(i, 1);
  }
  init_point_drawing(g);
  g->nearest = create_sampler(GL_NEAREST);
  g->linear = create_sampler(GL_LINEAR);
  glGenVertexArrays(1, &g->solid_array);
  glGenBuffers(1, &g->solid_buffer);
  glBindVertexArray(g->solid_array);
  glBindBuffer(GL_ARRAY_BUFFER, g->solid_buffer);
  for (GLuint i = 0; i < 2; ++i) {
    glEnableVertexAttribArray(i);
    glVertexAttribPointer(i, 4, GL_FLOAT, GL_FALSE, sizeof(solid_corner_t), (const void *)(i * 4 * sizeof(float)));
  }
  log_debug(log, "render: %s, OpenGL %s", (const char *)glGetString(GL_RENDERER),
            (const char *)glGetString(GL_VERSION));
  return g;
}

static void drop_solids(solids_t *s) {
  glDeleteFramebuffers(1, &s->framebuffer);
  glDeleteRenderbuffers(1, &s->colour);
  glDeleteRenderbuffers(1, &s->depth);
  target_fini(&s->flat);
  *s = (solids_t){0};
}

static void drop_targets(sized_t *s) {
  target_fini(&s->scene);
  target_fini(&s->glow);
  for (int i = 0; i < s->level_count; ++i)
    target_fini(&s->levels[i]);
  s->level_count = 0;
}

static void drop_sized_targets(sized_t *s) {
  drop_targets(s);
  drop_solids(&s->solids);
  target_fini(&s->light);
}

static void drop_canvas(gl_canvas_t *c) {
  target_fini(&c->drawn);
  target_fini(&c->shown);
  drop_sized_targets(&c->sized);
  *c = (gl_canvas_t){0};
}

void gl_destroy(gl_o *g) {
  if (!g)
    return;
  for (uint32_t i = 0; i < CANVASES_MAX; ++i)
    drop_canvas(&g->canvases[i]);
  drop_sized_targets(&g->sized);
  gl_light_fini(&g->light);
  gl_passes_fini(&g->passes);
  paint_gl_fini(&g->paint);
  programs_fini(&g->programs);
  glDeleteTextures(1, &g->atlas);
  glDeleteBuffers(1, &g->buffer);
  glDeleteBuffers(1, &g->solid_buffer);
  glDeleteSamplers(1, &g->nearest);
  glDeleteSamplers(1, &g->linear);
  glDeleteVertexArrays(1, &g->solid_array);
  glDeleteVertexArrays(1, &g->vertex_array);
  glDeleteVertexArrays(1, &g->point_array);
  glDeleteVertexArrays(1, &g->empty_array);
  free(g);
}

void gl_reset(gl_o *g) {
  programs_rebuild(&g->programs);
  gl_passes_clear(&g->passes);
}

asset_fate_t gl_asset_changed(gl_o *g, const char *name, error_info_t *why) {
  asset_fate_t fate = programs_asset_changed(&g->programs, name, why);
  return fate == ASSET_UNUSED ? gl_passes_asset_changed(&g->passes, &g->programs, name, why) : fate;
}

bool gl_build_paint(gl_o *g, const paint_o *p, error_info_t *why) {
  return paint_gl_rebuild_shaders(&g->paint, p, why);
}

// --- upload

static void upload_atlas(gl_o *g, atlas_t *a) {
  shoal_assert(a->dirty_top >= 0 && a->dirty_bottom <= a->size, "dirty rows %d to %d exceed the atlas size %d",
               a->dirty_top, a->dirty_bottom, a->size);
  if (a->dirty_top >= a->dirty_bottom && g->atlas_size == a->size)
    return;
  if (!g->atlas)
    glGenTextures(1, &g->atlas);
  glBindTexture(GL_TEXTURE_2D, g->atlas);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
  if (g->atlas_size != a->size) {
    const GLint swizzle[4] = {GL_RED, GL_RED, GL_RED, GL_RED};
    glTexImage2D(GL_TEXTURE_2D, 0, GL_R8, a->size, a->size, 0, GL_RED, GL_UNSIGNED_BYTE, a->pixels);
    glTexParameteriv(GL_TEXTURE_2D, GL_TEXTURE_SWIZZLE_RGBA, swizzle);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    g->atlas_size = a->size;
  } else {
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, a->dirty_top, a->size, a->dirty_bottom - a->dirty_top, GL_RED,
                    GL_UNSIGNED_BYTE, a->pixels + (size_t)a->dirty_top * (size_t)a->size);
  }
  a->dirty_top = a->dirty_bottom = 0;
}

void gl_upload(gl_o *g, const frame_t *f) {
  gl_light_upload(&g->light, f);
  upload_atlas(g, glyphs_get_atlas(f->glyphs));
  paint_gl_upload(&g->paint, f->paint, f->log);
  glBindBuffer(GL_ARRAY_BUFFER, g->buffer);
  glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(f->instances.count * sizeof(instance_t)), f->instances.items,
               GL_STREAM_DRAW);
  if (f->corners.count == 0)
    return;
  glBindBuffer(GL_ARRAY_BUFFER, g->solid_buffer);
  glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(f->corners.count * sizeof(solid_corner_t)), f->corners.items,
               GL_STREAM_DRAW);
}

// --- instances

static void set_vertex_pointers(uint32_t first) {
  const size_t offsets[5] = {offsetof(instance_t, a), offsetof(instance_t, b), offsetof(instance_t, c),
                             offsetof(instance_t, colour), offsetof(instance_t, kind)};
  for (GLuint i = 0; i < 5; ++i)
    glVertexAttribPointer(i, 4, GL_FLOAT, GL_FALSE, sizeof(instance_t),
                          (const void *)(first * sizeof(instance_t) + offsets[i]));
}

static program_kind_t choose_program(gl_o *g, const batch_t *b, bool points) {
  static const program_kind_t PROGRAMS[] = {[BATCH_SHAPES] = PROGRAM_SHAPES,
                                            [BATCH_GLYPHS] = PROGRAM_IMAGES,
                                            [BATCH_IMAGE] = PROGRAM_IMAGES,
                                            [BATCH_MATERIAL] = PROGRAM_MATERIALS};
  program_kind_t kind = PROGRAMS[b->kind];
  if (kind == PROGRAM_SHAPES)
    return points && programs_can_replace(&g->programs, PROGRAM_DISCS, kind) ? PROGRAM_DISCS : kind;
  if (kind != PROGRAM_IMAGES || !(b->smooth || b->exact) ||
      !programs_can_replace(&g->programs, PROGRAM_PLAIN, PROGRAM_IMAGES))
    return kind;
  return points && programs_can_replace(&g->programs, PROGRAM_POINTS, PROGRAM_PLAIN) ? PROGRAM_POINTS : PROGRAM_PLAIN;
}

// Draws a batch as points. OpenGL clips points by their centres, so the viewport is enlarged, and the scissor restricts
// drawing to the image.
static void draw_points(const program_t *p, const frame_t *f, const batch_t *b, const surface_t *s) {
  const int margin = (int)(FRAME_POINT_MAX * 0.5f);
  if (b->clip == 0) {
    glEnable(GL_SCISSOR_TEST);
    glScissor(s->x, s->y, s->width, s->height);
  }
  glViewport(s->x - margin, s->y - margin, s->width + 2 * margin, s->height + 2 * margin);
  glUniform1f(p->margin, (float)margin);
  glUniform2f(p->to_clip, 2.0f / (f->view.width + 2.0f * (float)margin),
              -2.0f / (f->view.height + 2.0f * (float)margin));
  glDrawArrays(GL_POINTS, 0, (GLsizei)b->count);
  glViewport(s->x, s->y, s->width, s->height);
  if (b->clip == 0)
    glDisable(GL_SCISSOR_TEST);
}

static void draw_instances(gl_o *g, const frame_t *f, const batch_t *b, const surface_t *s) {
  shoal_assert(b->first + b->count <= f->instances.count, "instances %u to %u are out of range (count %u)", b->first,
               b->first + b->count, f->instances.count);
  bool same_size = f->view.width == (float)s->width && f->view.height == (float)s->height;
  program_kind_t kind = choose_program(g, b, g->points && same_size && b->points == b->count);
  bool points = kind == PROGRAM_POINTS || kind == PROGRAM_DISCS,
       plain = kind == PROGRAM_POINTS || kind == PROGRAM_PLAIN;
  const program_t *p = programs_use(&g->programs, kind);
  glUseProgram(p->id);
  glBindSampler(0, !plain ? 0 : b->exact ? g->nearest : b->large ? g->linear : 0);
  if (b->kind != BATCH_SHAPES)
    glBindTexture(GL_TEXTURE_2D, b->kind == BATCH_GLYPHS ? g->atlas : b->texture);
  glBindVertexArray(points ? g->point_array : g->vertex_array);
  glBindBuffer(GL_ARRAY_BUFFER, g->buffer);
  set_vertex_pointers(b->first);
  if (points) {
    draw_points(p, f, b, s);
  } else {
    glUniform2f(p->to_clip, 2.0f / f->view.width, -2.0f / f->view.height);
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, (GLsizei)b->count);
  }
  glBindSampler(0, 0);
}

// --- views

// Sets the scissor to clip region `clip` (see batch_t).
static void set_scissor(const frame_t *f, const surface_t *s, uint32_t clip) {
  if (clip == 0) {
    glDisable(GL_SCISSOR_TEST);
    return;
  }
  shoal_assert(clip <= f->view_count || (clip > FRAME_CUTS && clip <= FRAME_CUTS + f->cuts.count),
               "clip %u is out of range (%u views, %u clip rectangles)", clip, f->view_count, f->cuts.count);
  const int32_t *part = clip > FRAME_CUTS ? f->cuts.items[clip - FRAME_CUTS - 1].part : f->views[clip - 1].clip;
  glEnable(GL_SCISSOR_TEST);
  glScissor(s->x + part[0], s->y + s->height - part[3], part[2] - part[0], part[3] - part[1]);
}

// --- triangles with depth

static void create_storage(GLuint *name, GLint samples, GLenum format, GLenum attachment, const surface_t *s) {
  glGenRenderbuffers(1, name);
  glBindRenderbuffer(GL_RENDERBUFFER, *name);
  glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, format, s->width, s->height);
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, attachment, GL_RENDERBUFFER, *name);
}

static void resize_solids(solids_t *o, const surface_t *s) {
  if (o->flat.width == s->width && o->flat.height == s->height)
    return;
  GLint samples = 0;
  drop_solids(o);
  glGetIntegerv(GL_MAX_SAMPLES, &samples);
  samples = samples < SOLID_SAMPLES ? samples : SOLID_SAMPLES;
  target_init(&o->flat, s->width, s->height, GL_RGBA16F, GL_NEAREST);
  glGenFramebuffers(1, &o->framebuffer);
  glBindFramebuffer(GL_FRAMEBUFFER, o->framebuffer);
  create_storage(&o->colour, samples, GL_RGBA16F, GL_COLOR_ATTACHMENT0, s);
  create_storage(&o->depth, samples, GL_DEPTH_COMPONENT24, GL_DEPTH_ATTACHMENT, s);
}

static void composite_solids(gl_o *g, const surface_t *s) {
  const program_t *p = programs_use(&g->programs, PROGRAM_PASTE);
  glBindFramebuffer(GL_FRAMEBUFFER, s->framebuffer);
  glViewport(s->x, s->y, s->width, s->height);
  glEnable(GL_BLEND);
  glUseProgram(p->id);
  glUniform2f(p->corner, (float)s->x, (float)s->y);
  glBindTexture(GL_TEXTURE_2D, g->sized.solids.flat.texture);
  glBindVertexArray(g->empty_array);
  glDrawArrays(GL_TRIANGLES, 0, 3);
}

static void draw_solid_batch(gl_o *g, const frame_t *f, const batch_t *b, const surface_t *s) {
  const float transparent[4] = {0}, farthest = 1.0f;
  int w = s->width, h = s->height;
  resize_solids(&g->sized.solids, s);
  set_scissor(f, &(surface_t){.width = w, .height = h}, b->clip);
  glBindFramebuffer(GL_FRAMEBUFFER, g->sized.solids.framebuffer);
  glViewport(0, 0, w, h);
  glClearBufferfv(GL_COLOR, 0, transparent);
  glClearBufferfv(GL_DEPTH, 0, &farthest);
  glEnable(GL_DEPTH_TEST);
  glDisable(GL_BLEND);
  glUseProgram(programs_use(&g->programs, PROGRAM_SOLIDS)->id);
  glBindVertexArray(g->solid_array);
  glDrawArrays(GL_TRIANGLES, (GLint)b->first, (GLsizei)b->count);
  glDisable(GL_DEPTH_TEST);
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, g->sized.solids.flat.framebuffer);
  glBlitFramebuffer(0, 0, w, h, 0, 0, w, h, GL_COLOR_BUFFER_BIT, GL_NEAREST);
  set_scissor(f, s, b->clip);
  composite_solids(g, s);
}

// --- meshes drawn by plugins

static void draw_mesh_batch(gl_o *g, const frame_t *f, const batch_t *b, const surface_t *s) {
  const mesh_instance_t *p = &f->mesh_instances.items[b->points];
  paint_view_t view = {.to_pixels = p->to_pixels,
                       .width = f->view.width,
                       .height = f->view.height,
                       .framebuffer = s->framebuffer,
                       .x = s->x,
                       .y = s->y,
                       .surface_width = s->width,
                       .surface_height = s->height,
                       .image = b->texture,
                       .time_s = f->time_s};
  memcpy(view.view, p->seen, sizeof view.view);
  paint_gl_draw(&g->paint, f->paint, b->first, &view);
}

// --- batches, drawn into the bound surface

static void draw_batches(gl_o *g, const frame_t *f, const surface_t *s, uint32_t from, uint32_t to) {
  shoal_assert(from <= to && to <= f->batches.count, "batches %u to %u are out of range (count %u)", from, to,
               f->batches.count);
  glEnable(GL_BLEND);
  glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
  uint32_t clip = 0;
  for (uint32_t i = from; i < to; ++i) {
    const batch_t *b = &f->batches.items[i];
    if (b->clip != clip)
      set_scissor(f, s, clip = b->clip);
    if (b->kind == BATCH_SOLIDS)
      draw_solid_batch(g, f, b, s);
    else if (b->kind == BATCH_LIGHT)
      gl_light_composite(&g->light, &g->programs, f, b->first, s, g->empty_array);
    else if (b->kind == BATCH_MESH && b->count > 0)
      draw_mesh_batch(g, f, b, s);
    else if (b->kind != BATCH_MESH)
      draw_instances(g, f, b, s);
  }
  set_scissor(f, s, 0);
  glDisable(GL_BLEND);
}

// --- bloom

static void resize_targets(gl_o *g, int width, int height) {
  if (g->sized.scene.width == width && g->sized.scene.height == height)
    return;
  drop_targets(&g->sized);
  target_init(&g->sized.scene, width, height, GL_RGBA16F, GL_LINEAR);
  int w = (width + 3) / 4, h = (height + 3) / 4;
  target_init(&g->sized.glow, w, h, GL_RGBA16F, GL_LINEAR);
  while (g->sized.level_count < MAX_LEVELS && (g->sized.level_count == 0 || h >= MIN_LEVEL_PIXELS)) {
    target_init(&g->sized.levels[g->sized.level_count++], w, h, GL_RGBA16F, GL_LINEAR);
    w = (w + 1) / 2;
    h = (h + 1) / 2;
  }
}

static void draw_bloom_pass(const program_t *p, const target_t *from, const target_t *to, float weight) {
  glBindFramebuffer(GL_FRAMEBUFFER, to->framebuffer);
  glViewport(0, 0, to->width, to->height);
  glUseProgram(p->id);
  glUniform2f(p->texel, 1.0f / (float)from->width, 1.0f / (float)from->height);
  glUniform1f(p->weight, weight);
  glUniform1f(p->scale, to->width > from->width ? 0.5f : 1.0f);
  glBindTexture(GL_TEXTURE_2D, from->texture);
  glDrawArrays(GL_TRIANGLES, 0, 3);
}

static void blur_levels(gl_o *g) {
  const program_t *spread = programs_use(&g->programs, PROGRAM_SPREAD);
  const program_t *shrink = programs_use(&g->programs, PROGRAM_SHRINK);
  glBindVertexArray(g->empty_array);
  draw_bloom_pass(programs_use(&g->programs, PROGRAM_GATHER), &g->sized.scene, &g->sized.levels[0], 1.0f);
  for (int i = 1; i < g->sized.level_count; ++i)
    draw_bloom_pass(shrink, &g->sized.levels[i - 1], &g->sized.levels[i], 1.0f);
  glEnable(GL_BLEND);
  glBlendFunc(GL_ONE, GL_ONE);
  for (int i = g->sized.level_count - 1; i > 0; --i)
    draw_bloom_pass(spread, &g->sized.levels[i], &g->sized.levels[i - 1], LEVEL_SHARE);
  glDisable(GL_BLEND);
  draw_bloom_pass(spread, &g->sized.levels[0], &g->sized.glow, 1.0f);
}

static void compose_bloom(gl_o *g, const frame_t *f, int x, int y) {
  const program_t *p = programs_use(&g->programs, PROGRAM_FINAL);
  glBindVertexArray(g->empty_array);
  glUseProgram(p->id);
  glUniform1i(p->image, 0);
  glUniform1i(p->glow, 1);
  glUniform2f(p->corner, (float)x, (float)y);
  glUniform2f(p->glow_texel, 1.0f / (float)g->sized.glow.width, 1.0f / (float)g->sized.glow.height);
  glUniform1f(p->strength, f->view.bloom);
  glActiveTexture(GL_TEXTURE1);
  glBindTexture(GL_TEXTURE_2D, g->sized.glow.texture);
  glActiveTexture(GL_TEXTURE0);
  glBindTexture(GL_TEXTURE_2D, g->sized.scene.texture);
  glDrawArrays(GL_TRIANGLES, 0, 3);
}

// --- the image

static void clear_colour(const float colour[4]) {
  glClearColor(colour[0], colour[1], colour[2], colour[3]);
  glClear(GL_COLOR_BUFFER_BIT);
}

// Clears the bars, and the image if `picture` is true. (x, y) is the corner of the image. Pixels outside of `area`
// belong to the embedding program.
static void clear_area(const frame_t *f, letterbox_t box, int x, int y, platform_area_t area, bool picture) {
  const float black[4] = {0.0f, 0.0f, 0.0f, 1.0f};
  glEnable(GL_SCISSOR_TEST);
  glScissor(area.x, area.y, area.width, area.height);
  if (box.width < area.width || box.height < area.height)
    clear_colour(black);
  glScissor(x, y, box.width, box.height);
  if (picture)
    clear_colour(f->view.background);
  glDisable(GL_SCISSOR_TEST);
}

// Draws the batches before index `to` into a surface, with bloom if any camera has bloom. If `clears` is true, first
// fills the surface with the background.
static void draw_batches_with_bloom(gl_o *g, const frame_t *f, const surface_t *s, uint32_t to, bool clears) {
  bool bloom = f->view.bloom > 0.0f;
  if (bloom) {
    resize_targets(g, s->width, s->height);
    glBindFramebuffer(GL_FRAMEBUFFER, g->sized.scene.framebuffer);
    glViewport(0, 0, s->width, s->height);
    clear_colour(f->view.background);
    const surface_t scene = {g->sized.scene.framebuffer, 0, 0, s->width, s->height};
    draw_batches(g, f, &scene, 0, to);
    blur_levels(g);
  }
  glBindFramebuffer(GL_FRAMEBUFFER, s->framebuffer);
  glViewport(s->x, s->y, s->width, s->height);
  if (clears && !bloom)
    clear_colour(f->view.background);
  if (bloom)
    compose_bloom(g, f, s->x, s->y);
  else
    draw_batches(g, f, s, 0, to);
}

static void bind_surface(const surface_t *s) {
  glBindFramebuffer(GL_FRAMEBUFFER, s->framebuffer);
  glViewport(s->x, s->y, s->width, s->height);
}

// Draws with post-processing. Passes over the world run before screen-space drawing; passes over the whole image run
// after it.
static void draw_passes(gl_o *g, const frame_t *f, const surface_t *picture, bool world, bool all) {
  surface_t first = gl_passes_begin(&g->passes, picture->width, picture->height);
  draw_batches_with_bloom(g, f, &first, world ? f->screen_batch : f->overlay_batch, true);
  if (world) {
    gl_passes_draw(&g->passes, f, false, all ? NULL : picture, g->empty_array);
    first = all ? gl_passes_begin(&g->passes, picture->width, picture->height) : *picture;
    bind_surface(&first);
    draw_batches(g, f, &first, f->screen_batch, f->overlay_batch);
  }
  if (all)
    gl_passes_draw(&g->passes, f, true, picture, g->empty_array);
}

static void draw_frame_into(gl_o *g, const frame_t *f, GLuint framebuffer, letterbox_t box, platform_area_t area) {
  int x = area.x + box.x, y = area.y + area.height - box.y - box.height; // y points up in OpenGL
  const surface_t picture = {framebuffer, x, y, box.width, box.height};
  glDisable(GL_DEPTH_TEST);
  glDisable(GL_CULL_FACE);
  glDisable(GL_SCISSOR_TEST);
  glActiveTexture(GL_TEXTURE0);
  gl_light_draw(&g->light, &g->programs, f);
  gl_passes_build(&g->passes, &g->programs, f);
  bool world = gl_passes_has_active(&g->passes, f, false), all = gl_passes_has_active(&g->passes, f, true);
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  clear_area(f, box, x, y, area, f->view.bloom <= 0.0f && !world && !all);
  if (world || all)
    draw_passes(g, f, &picture, world, all);
  else
    draw_batches_with_bloom(g, f, &picture, f->overlay_batch, false);
  bind_surface(&picture);
  draw_batches(g, f, &picture, f->overlay_batch, f->batches.count);
}

void gl_draw(gl_o *g, const frame_t *f, letterbox_t box, platform_area_t area) {
  GLint bound = 0;
  glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &bound);
  draw_frame_into(g, f, (GLuint)bound, box, area);
  glFlush(); // swapping buffers would flush, but offscreen targets are not swapped
}

// --- canvases

uint32_t gl_prepare_canvas(gl_o *g, const char *name, int width, int height) {
  gl_canvas_t *to = NULL;
  for (uint32_t i = 0; i < CANVASES_MAX; ++i)
    if (strcmp(g->canvases[i].name, name) == 0)
      to = &g->canvases[i];
  for (uint32_t i = 0; i < CANVASES_MAX && !to; ++i)
    if (!g->canvases[i].name[0])
      to = &g->canvases[i];
  for (uint32_t i = 0; i < CANVASES_MAX && !to; ++i) // reuse the slot of a canvas that no longer exists
    if (!g->canvases[i].used)
      to = &g->canvases[i];
  shoal_assert(to && name[0], "the canvas has no name, or the frame has more than %u canvases", CANVASES_MAX);
  if (strcmp(to->name, name) != 0 || to->shown.width != width || to->shown.height != height) {
    GLint bound = 0;
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &bound);
    drop_canvas(to);
    memcpy(to->name, name, strlen(name) + 1);
    target_init(&to->drawn, width, height, GL_RGBA8, GL_NEAREST);
    target_init(&to->shown, width, height, GL_RGBA8, GL_LINEAR);
    clear_colour((const float[4]){0});
    glBindFramebuffer(GL_FRAMEBUFFER, (GLuint)bound);
  }
  to->used = true;
  return to->shown.texture;
}

static void swap_sized_targets(gl_o *g, sized_t *with) {
  sized_t was = g->sized;
  was.light = g->light.sum;
  g->sized = *with;
  g->light.sum = with->light;
  *with = was;
}

static void draw_canvas(gl_o *g, const frame_t *f, gl_canvas_t *c) {
  int width = c->drawn.width, height = c->drawn.height;
  const surface_t all = {c->drawn.framebuffer, 0, 0, width, height};
  GLint bound = 0;
  glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &bound);
  glDisable(GL_DEPTH_TEST);
  glDisable(GL_CULL_FACE);
  glDisable(GL_SCISSOR_TEST);
  glActiveTexture(GL_TEXTURE0);
  swap_sized_targets(g, &c->sized);
  gl_light_draw(&g->light, &g->programs, f);
  draw_batches_with_bloom(g, f, &all, f->batches.count, true);
  swap_sized_targets(g, &c->sized);
  glBindFramebuffer(GL_READ_FRAMEBUFFER, c->drawn.framebuffer);
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, c->shown.framebuffer);
  glBlitFramebuffer(0, 0, width, height, 0, height, width, 0, GL_COLOR_BUFFER_BIT, GL_NEAREST);
  glBindFramebuffer(GL_FRAMEBUFFER, (GLuint)bound);
}

void gl_draw_canvas(gl_o *g, const frame_t *f, uint32_t texture) {
  for (uint32_t i = 0; i < CANVASES_MAX; ++i)
    if (g->canvases[i].used && g->canvases[i].shown.texture == texture)
      draw_canvas(g, f, &g->canvases[i]);
}

void gl_end_canvases(gl_o *g) {
  for (uint32_t i = 0; i < CANVASES_MAX; ++i) {
    if (!g->canvases[i].used && g->canvases[i].name[0])
      drop_canvas(&g->canvases[i]);
    g->canvases[i].used = false;
  }
}

uint8_t *gl_read_pixels(gl_o *g, const frame_t *f, letterbox_t box, int width, int height, allocator_t *a) {
  shoal_assert(width > 0 && height > 0, "the image size must be positive, got %d × %d", width, height);
  target_t t;
  GLint bound = 0;
  glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &bound);
  target_init(&t, width, height, GL_RGBA8, GL_NEAREST);
  draw_frame_into(g, f, t.framebuffer, box, (platform_area_t){.width = width, .height = height});
  size_t row = (size_t)width * 3, bytes = row * (size_t)height;
  uint8_t *pixels = alloc_resize(a, NULL, 0, bytes), *line = alloc_resize(a, NULL, 0, row);
  glBindFramebuffer(GL_FRAMEBUFFER, t.framebuffer);
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, width, height, GL_RGB, GL_UNSIGNED_BYTE, pixels);
  for (size_t top = 0, bottom = (size_t)height - 1; top < bottom; ++top, --bottom) {
    memcpy(line, pixels + top * row, row);
    memcpy(pixels + top * row, pixels + bottom * row, row);
    memcpy(pixels + bottom * row, line, row);
  }
  alloc_resize(a, line, row, 0);
  glBindFramebuffer(GL_FRAMEBUFFER, (GLuint)bound);
  target_fini(&t);
  return pixels;
}
