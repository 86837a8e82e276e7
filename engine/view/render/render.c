// Life cycle of the renderer, headless mode, and the steps of a frame: collect, draw, present.
#include "render/render.h"

#include "base/alloc.h"
#include "base/assert.h"
#include "components/data_components.h"
#include "platform/letterbox.h"
#include "render/gl.h"
#include "render/images.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STB_IMAGE_WRITE_STATIC
#ifndef __clang_analyzer__ // too large for the static analyser
#define STB_IMAGE_WRITE_IMPLEMENTATION
#endif
#include <stb/stb_image_write.h>

struct render_o {
  platform_o *platform;
  log_o *log;
  int width, height;
  letterbox_mode_t scale;
  bool sharp;
  typesetter_o *own_type; // typesetter used while there is no game
  typesetter_o *type;
  glyphs_o *glyphs;
  images_o *images;
  frame_t frame;
  sheets_o *sheets;
  canvases_t canvases;
  uint32_t textures[CANVASES_MAX]; // textures of the active canvases
  uint32_t drawing;                // index of the canvas being drawn; CANVASES_MAX: the screen
  gl_o *gl;                        // NULL if headless
  letterbox_t box;                 // placement of the most recent frame
  platform_area_t area;
  bool drawn;
  char icon[128];
  paint_o *paint; // meshes of the most recent frame; may be NULL
};

// Returns the image of a canvas. If the canvas does not exist or is disabled, the image has size 0 and is not drawn.
static image_t find_canvas(render_o *r, const char *name) {
  uint32_t number = canvases_find(&r->canvases, name);
  const canvas_t *c = &r->canvases.items[number < CANVASES_MAX ? number : 0];
  if (number == CANVASES_MAX || !c->enabled)
    return (image_t){0};
  return (image_t){.texture = r->textures[number],
                   .width = c->width,
                   .height = c->height,
                   .sharp = c->filter == CANVAS_AUTO ? r->sharp : c->filter == CANVAS_PIXELS};
}

static image_t find_image(void *context, const char *name) {
  render_o *r = context;
  if (canvas_is_reference(name))
    return find_canvas(r, name);
  image_t image = images_find_or_add(r->images, name);
  image.sheet = r->sheets ? sheets_find_or_load(r->sheets, name) : NULL;
  image.sharp =
      image.sheet && image.sheet->filter != SHEET_FILTER_NONE ? image.sheet->filter == SHEET_FILTER_PIXELS : r->sharp;
  return image;
}

render_o *render_create(const render_desc_t *desc, error_info_t *error) {
  bool headless = platform_is_headless(desc->platform);
  gl_o *gl = headless ? NULL : gl_create(desc->assets, desc->log, error);
  if (!gl && !headless)
    return NULL;
  render_o *r = alloc_object(sizeof *r);
  r->platform = desc->platform;
  r->log = desc->log;
  r->width = desc->width > 0 ? desc->width : 1280;
  r->height = desc->height > 0 ? desc->height : 720;
  r->gl = gl;
  r->own_type = r->type = typesetter_create(desc->assets, desc->log);
  r->glyphs = glyphs_create(desc->log);
  r->images = images_create(desc->assets, !headless, desc->log);
  frame_init(&r->frame, r->glyphs, (image_source_t){.context = r, .find = find_image}, desc->log);
  return r;
}

void render_destroy(render_o *r) {
  if (!r)
    return;
  frame_fini(&r->frame);
  canvases_fini(&r->canvases);
  images_destroy(r->images);
  glyphs_destroy(r->glyphs);
  typesetter_destroy(r->own_type);
  gl_destroy(r->gl);
  free(r);
}

void render_set_screen(render_o *r, int width, int height, letterbox_mode_t scale, bool sharp) {
  shoal_assert(width > 0 && height > 0, "the logical size must be positive, got %d × %d", width, height);
  r->width = width;
  r->height = height;
  r->scale = scale;
  r->sharp = sharp;
}

static void request_image(render_o *r, const char *name) {
  if (canvas_is_reference(name))
    canvases_find(&r->canvases, name);
  else
    images_find_or_add(r->images, name);
}

static void request_particle_images(render_o *r, world_o *w) {
  emitters_o *e = w ? emitters_find(w) : NULL;
  uint32_t count = e ? emitters_count(e) : 0;
  for (uint32_t i = 0; i < count; ++i)
    if (emitters_get_image(e, i)[0])
      request_image(r, emitters_get_image(e, i));
}

// Requests the images of all sprites when headless, where nothing is drawn, so that missing and invalid files are
// logged.
static void check_images(render_o *r, world_o *w) {
  manager_o *m = w ? world_find_manager(w, "sprite") : NULL;
  const uint32_t *ids = sprite_columns_of(m).image;
  uint32_t last = 0;
  for (uint32_t row = 0; m && row < m->count; ++row) {
    if (ids[row] != last && ids[row] != 0)
      request_image(r, strings_text(world_strings(w), ids[row]));
    last = ids[row];
  }
}

void render_store_poses(render_o *r, world_o *world) {
  if (r->gl)
    poses_store(&r->frame.poses, &r->frame.allocator, world);
}

static void collect_frame(render_o *r, const frame_desc_t *desc) {
  frame_collect(&r->frame, desc);
  if (images_has_pending(r->images)) {
    images_wait(r->images);
    frame_collect(&r->frame, desc);
  }
  gl_upload(r->gl, &r->frame);
}

// Removes batches that would draw a canvas into itself, and logs a warning. Images outside of the view have no batch
// and cause no warning.
static void remove_canvas_feedback(render_o *r) {
  bool any = false;
  for (uint32_t i = 0; i < r->frame.batches.count; ++i) {
    batch_t *b = &r->frame.batches.items[i];
    bool image = b->kind == BATCH_IMAGE || b->kind == BATCH_MATERIAL || b->kind == BATCH_MESH;
    if (!image || b->texture != r->textures[r->drawing])
      continue;
    b->count = 0;
    any = true;
  }
  if (any)
    canvases_warn_own_camera(&r->canvases, r->drawing);
}

// Draws the canvases in order. A canvas can show the canvases drawn before it.
static void draw_canvases(render_o *r, const frame_desc_t *screen) {
  canvases_t *all = &r->canvases;
  for (uint32_t i = 0; i < all->count; ++i)
    r->textures[i] = all->items[i].enabled
                         ? gl_prepare_canvas(r->gl, all->items[i].name, all->items[i].width, all->items[i].height)
                         : 0;
  for (r->drawing = 0; r->drawing < all->count; ++r->drawing) {
    const canvas_t *c = &all->items[r->drawing];
    frame_desc_t desc = *screen;
    desc.canvas = c;
    desc.width = (float)c->width;
    desc.height = (float)c->height;
    desc.scale_x = desc.scale_y = 1.0f;
    desc.logical_width = c->width;
    desc.logical_height = c->height;
    if (!c->enabled)
      continue;
    collect_frame(r, &desc);
    remove_canvas_feedback(r);
    gl_draw_canvas(r->gl, &r->frame, r->textures[r->drawing]);
  }
  r->drawing = CANVASES_MAX;
  gl_end_canvases(r->gl);
}

void render_frame(render_o *r, world_o *world, sheets_o *sheets, draw_o *draw, float alpha) {
  r->sheets = sheets;
  r->paint = draw ? draw_get_paint(draw) : NULL;
  canvases_list(&r->canvases, world);
  if (!r->gl) {
    check_images(r, world);
    request_particle_images(r, world);
    return;
  }
  images_advance(r->images);
  r->area = platform_area(r->platform);
  if (r->area.width <= 0 || r->area.height <= 0)
    return;
  r->box = letterbox_fit(r->width, r->height, r->area.width, r->area.height, r->scale);
  frame_desc_t desc = {.world = world,
                       .draw = draw,
                       .type = r->type,
                       .alpha = alpha < 0.0f   ? 0.0f
                                : alpha > 1.0f ? 1.0f
                                               : alpha,
                       .width = (float)r->box.width,
                       .height = (float)r->box.height,
                       .scale_x = r->box.scale_x,
                       .scale_y = r->box.scale_y,
                       .logical_width = r->width,
                       .logical_height = r->height};
  draw_canvases(r, &desc);
  collect_frame(r, &desc);
  gl_draw(r->gl, &r->frame, r->box, r->area);
  r->drawn = true;
}

void render_set_typesetter(render_o *r, typesetter_o *type) {
  r->type = type ? type : r->own_type;
}

typesetter_o *render_typesetter(const render_o *r) {
  return r->type;
}

void render_measure_text(render_o *r, const text_style_t *style, const char *text, float *width, float *height) {
  typesetter_measure(r->type, style, typesetter_resolve(r->type, text), width, height);
}

bool render_get_image_frame(render_o *r, sheets_o *sheets, const render_image_t *of, float size[2], float pivot[2]) {
  image_t i = images_find_or_add(r->images, of->image);
  if (i.width <= 0 || i.height <= 0)
    return false;
  const sheet_t *sheet = sheets ? sheets_find_or_load(sheets, of->image) : NULL;
  sheet_frame_t f = {.full_width = (float)i.width / (float)(of->frames > 1 ? of->frames : 1),
                     .full_height = (float)i.height};
  if (sheet)
    f = sheet_frame(sheet, of->frame, i.width, i.height);
  size[0] = f.full_width;
  size[1] = f.full_height;
  pivot[0] = sheet ? sheet->pivot[0] : 0.5f;
  pivot[1] = sheet ? sheet->pivot[1] : 0.5f;
  return true;
}

bool render_write_screenshot(render_o *r, const char *path, error_info_t *error) {
  if (!r->gl)
    return error_set(error, "cannot write the screenshot %s: there is no window (--headless)", path);
  if (!r->drawn)
    return error_set(error, "cannot write the screenshot %s: no frame has been drawn yet", path);
  allocator_t a = {0};
  int width = r->area.width, height = r->area.height;
  size_t bytes = (size_t)width * (size_t)height * 3;
  uint8_t *pixels = gl_read_pixels(r->gl, &r->frame, r->box, width, height, &a);
  bool written = stbi_write_png(path, width, height, 3, pixels, width * 3) != 0;
  alloc_resize(&a, pixels, bytes, 0);
  return written ||
         error_set(error, "cannot write %s: check that the folder is writable and the disk is not full", path);
}

// Downscales an image by averaging. `stride` is the number of pixels per row of `from`.
static void downscale_pixels(const uint8_t *from, uint32_t stride, uint32_t width, uint32_t height, uint8_t *to,
                             uint32_t columns, uint32_t rows) {
  shoal_assert(columns > 0 && rows > 0 && columns <= width && rows <= height, "%u × %u cells do not fit %u × %u pixels",
               columns, rows, width, height);
  for (uint32_t i = 0; i < columns * rows; ++i) {
    uint32_t left = i % columns * width / columns, right = (i % columns + 1) * width / columns;
    uint32_t top = i / columns * height / rows, bottom = (i / columns + 1) * height / rows, sum[3] = {0};
    for (uint32_t y = top; y < bottom; ++y)
      for (uint32_t x = left; x < right; ++x)
        for (uint32_t c = 0; c < 3; ++c)
          sum[c] += from[((size_t)y * stride + x) * 3 + c];
    for (uint32_t c = 0; c < 3; ++c)
      to[(size_t)i * 3 + c] = (uint8_t)(sum[c] / ((right - left) * (bottom - top)));
  }
}

bool render_write_thumbnail(render_o *r, const char *path, error_info_t *error) {
  if (!r->gl || !r->drawn)
    return false;
  allocator_t a = {0};
  uint32_t width = (uint32_t)r->box.width, height = (uint32_t)r->box.height, stride = (uint32_t)r->area.width;
  uint32_t longest = width > height ? width : height;
  uint32_t side = longest < RENDER_THUMBNAIL_SIDE ? longest : RENDER_THUMBNAIL_SIDE;
  uint32_t columns = width * side / longest > 0 ? width * side / longest : 1;
  uint32_t rows = height * side / longest > 0 ? height * side / longest : 1;
  uint8_t *pixels = gl_read_pixels(r->gl, &r->frame, r->box, r->area.width, r->area.height, &a);
  uint8_t *small = alloc_resize(&a, NULL, 0, (size_t)columns * rows * 3);
  const uint8_t *first = pixels + ((size_t)r->box.y * stride + (size_t)r->box.x) * 3;
  downscale_pixels(first, stride, width, height, small, columns, rows);
  bool written = stbi_write_png(path, (int)columns, (int)rows, 3, small, (int)columns * 3) != 0;
  alloc_resize(&a, small, (size_t)columns * rows * 3, 0);
  alloc_resize(&a, pixels, (size_t)stride * (size_t)r->area.height * 3, 0);
  return written ||
         error_set(error, "cannot write %s: check that the folder is writable and the disk is not full", path);
}

void render_set_icon(render_o *r, const char *image) {
  error_info_t why = {0};
  int width, height;
  if (!r->gl || !image[0] || strcmp(r->icon, image) == 0)
    return;
  const uint8_t *rgba = images_read(r->images, image, &width, &height, &why);
  if (!rgba) {
    log_warn(r->log, "window.icon: %s", why.text);
    return;
  }
  snprintf(r->icon, sizeof r->icon, "%s", image);
  platform_set_icon(r->platform, rgba, width, height);
}

bool render_preload(render_o *r, const char *name) {
  return images_preload(r->images, name);
}

asset_fate_t render_asset_changed(render_o *r, const char *name, error_info_t *why) {
  asset_fate_t fate = images_asset_changed(r->images, name, why);
  if (fate == ASSET_UNUSED)
    fate = typesetter_asset_changed(r->own_type, name, why);
  if (fate == ASSET_UNUSED && r->gl)
    fate = gl_asset_changed(r->gl, name, why);
  if (fate == ASSET_UNUSED && r->paint) {
    fate = paint_asset_changed(r->paint, name, why);
    fate = fate == ASSET_RELOADED && r->gl && !gl_build_paint(r->gl, r->paint, why) ? ASSET_KEPT : fate;
  }
  return fate;
}

bool render_get_texture(const render_o *r, uint32_t number, render_texture_t *out) {
  const atlas_t *atlas = r->gl ? glyphs_get_atlas(r->glyphs) : NULL;
  if (number == 0) {
    int32_t size = atlas ? atlas->size : 0;
    *out = (render_texture_t){"", "glyphs", size, size, (size_t)size * (size_t)size};
    return true;
  }
  if (number <= r->canvases.count) {
    const canvas_t *c = &r->canvases.items[number - 1];
    size_t bytes = r->gl && c->enabled ? (size_t)c->width * (size_t)c->height * 4 : 0;
    *out = (render_texture_t){c->name, "canvas", c->width, c->height, bytes};
    return true;
  }
  image_facts_t x;
  const paint_texture_t *t = r->paint ? paint_texture_at(r->paint, number - 1 - r->canvases.count) : NULL;
  if (t) {
    *out =
        (render_texture_t){t->name, "plugin", (int32_t)t->width, (int32_t)t->height, (size_t)t->width * t->height * 4};
    return true;
  }
  uint32_t plugins = r->paint ? paint_texture_count(r->paint) : 0;
  if (!images_get(r->images, number - 1 - r->canvases.count - plugins, &x))
    return false;
  *out = (render_texture_t){x.name, x.missing ? "missing" : "image", x.width, x.height, x.bytes};
  return true;
}

void render_reset(render_o *r) {
  images_clear(r->images);
  r->icon[0] = '\0';
  render_set_typesetter(r, NULL);
  if (r->gl)
    gl_reset(r->gl);
  r->drawn = false;
  r->canvases.logged.count = 0;
}
