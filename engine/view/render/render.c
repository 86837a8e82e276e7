// Life cycle of the renderer, headless mode, and the steps of a frame: collect, draw, present.
#include "render/render.h"

#include "base/alloc.h"
#include "base/assert.h"
#include "components/data_components.h"
#include "platform/letterbox.h"
#include "render/gl.h"
#include "render/images.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POINTER_MAX_PIXELS 256 // maximum side of a pointer image; not all systems show larger pointers

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
  float strip; // height of the tool strip below the image, in logical pixels
  bool is_sharp;
  typesetter_o *default_type; // typesetter used while there is no game
  typesetter_o *type;
  glyphs_o *glyphs;
  images_o *images;
  frame_t frame;
  sheets_o *sheets;
  canvases_t canvases;
  uint32_t textures[CANVASES_MAX]; // textures of the active canvases
  uint32_t drawing;                // index of the canvas being drawn; CANVASES_MAX: the screen
  gl_o *gl;                        // OpenGL renderer; NULL if headless
  letterbox_t box;                 // placement of the most recent frame
  platform_area_t area;
  bool has_frame;
  bool waits_for_images;
  char icon[128];
  struct {
    char image[256]; // name of the pointer's image; "": the system's pointer
    int scale;       // scale with which the image is shown; 0: the image must be read again
  } pointer;
  // Textures, shaders and meshes of plugins, from the draw list of the most recent frame; borrowed; may be NULL.
  paint_o *paint;
};

// Returns the image of a canvas. If the canvas does not exist or is disabled, the image has size 0 and is not drawn.
static image_t find_canvas(render_o *render, const char *name) {
  uint32_t index = canvases_find(&render->canvases, name);
  const canvas_t *canvas = &render->canvases.items[index < CANVASES_MAX ? index : 0];
  if (index == CANVASES_MAX || !canvas->enabled)
    return (image_t){0};
  return (image_t){.texture = render->textures[index],
                   .width = canvas->width,
                   .height = canvas->height,
                   .sharp = canvas->filter == CANVAS_AUTO ? render->is_sharp : canvas->filter == CANVAS_PIXELS};
}

static image_t find_image(void *context, const char *name) {
  render_o *render = context;
  if (canvas_is_reference(name))
    return find_canvas(render, name);
  image_t image = images_find_or_add(render->images, name);
  image.sheet = render->sheets ? sheets_find_or_load(render->sheets, name) : NULL;
  image.sharp = image.sheet && image.sheet->filter != SHEET_FILTER_NONE ? image.sheet->filter == SHEET_FILTER_PIXELS
                                                                        : render->is_sharp;
  return image;
}

render_o *render_create(const render_desc_t *desc, error_info_t *error) {
  bool headless = platform_is_headless(desc->platform);
  gl_o *gl = headless ? NULL : gl_create(desc->assets, desc->log, error);
  if (!gl && !headless)
    return NULL;
  render_o *render = alloc_object(sizeof *render);
  render->platform = desc->platform;
  render->log = desc->log;
  render->waits_for_images = desc->waits_for_images;
  render->width = desc->width > 0 ? desc->width : 1280;
  render->height = desc->height > 0 ? desc->height : 720;
  render->gl = gl;
  render->default_type = render->type = typesetter_create(desc->assets, desc->log);
  render->glyphs = glyphs_create(desc->log);
  render->images = images_create(desc->assets, !headless, desc->log);
  frame_init(&render->frame, render->glyphs, (image_source_t){.context = render, .find = find_image}, desc->log);
  return render;
}

void render_destroy(render_o *render) {
  if (!render)
    return;
  frame_fini(&render->frame);
  canvases_fini(&render->canvases);
  images_destroy(render->images);
  glyphs_destroy(render->glyphs);
  typesetter_destroy(render->default_type);
  gl_destroy(render->gl);
  free(render);
}

void render_set_screen(render_o *render, int width, int height, letterbox_mode_t scale, bool is_sharp) {
  shoal_assert(width > 0 && height > 0, "the logical size must be positive, got %d × %d", width, height);
  render->width = width;
  render->height = height;
  render->scale = scale;
  render->is_sharp = is_sharp;
}

void render_set_strip(render_o *render, float height) {
  render->strip = height;
}

static void request_image(render_o *render, const char *name) {
  if (canvas_is_reference(name))
    canvases_find(&render->canvases, name);
  else
    images_find_or_add(render->images, name);
}

static void request_particle_images(render_o *render, world_o *w) {
  emitters_o *e = w ? emitters_find(w) : NULL;
  uint32_t count = e ? emitters_count(e) : 0;
  for (uint32_t i = 0; i < count; ++i)
    if (emitters_get_image(e, i)[0])
      request_image(render, emitters_get_image(e, i));
}

// Requests the images of all sprites when headless, where nothing is drawn, so that missing and invalid files are
// logged.
static void check_images(render_o *render, world_o *w) {
  manager_o *manager = w ? world_find_manager(w, "sprite") : NULL;
  const uint32_t *ids = sprite_columns_of(manager).image;
  uint32_t previous = 0;
  for (uint32_t row = 0; manager && row < manager->count; ++row) {
    if (ids[row] != previous && ids[row] != 0)
      request_image(render, strings_text(world_strings(w), ids[row]));
    previous = ids[row];
  }
}

void render_store_poses(render_o *render, world_o *world) {
  if (render->gl)
    poses_store(&render->frame.poses, &render->frame.allocator, world);
}

void render_set_pose_corrections(render_o *render, const pose_corrections_t *corrections) {
  render->frame.poses.corrections = corrections;
}

static void collect_frame(render_o *render, const frame_desc_t *desc) {
  frame_collect(&render->frame, desc);
  if (images_has_pending(render->images)) {
    images_wait(render->images);
    frame_collect(&render->frame, desc);
  }
  gl_upload(render->gl, &render->frame);
}

// Removes batches that would draw a canvas into itself, and logs a warning. Images outside of the view have no batch
// and cause no warning.
static void remove_canvas_feedback(render_o *render) {
  bool found = false;
  for (uint32_t i = 0; i < render->frame.batches.count; ++i) {
    batch_t *batch = &render->frame.batches.items[i];
    bool draws_image = batch->kind == BATCH_IMAGE || batch->kind == BATCH_MATERIAL || batch->kind == BATCH_MESH;
    if (!draws_image || batch->texture != render->textures[render->drawing])
      continue;
    batch->count = 0;
    found = true;
  }
  if (found)
    canvases_warn_own_camera(&render->canvases, render->drawing);
}

// Draws the canvases in order. A canvas can show the canvases drawn before it.
static void draw_canvases(render_o *render, const frame_desc_t *screen) {
  canvases_t *canvases = &render->canvases;
  for (uint32_t i = 0; i < canvases->count; ++i)
    render->textures[i] = canvases->items[i].enabled
                              ? gl_prepare_canvas(render->gl, canvases->items[i].name, canvases->items[i].width,
                                                  canvases->items[i].height)
                              : 0;
  for (render->drawing = 0; render->drawing < canvases->count; ++render->drawing) {
    const canvas_t *canvas = &canvases->items[render->drawing];
    frame_desc_t desc = *screen;
    desc.canvas = canvas;
    desc.strip = 0;
    memset(desc.margin, 0, sizeof desc.margin);
    desc.width = (float)canvas->width;
    desc.height = (float)canvas->height;
    desc.scale_x = desc.scale_y = 1.0f;
    desc.logical_width = canvas->width;
    desc.logical_height = canvas->height;
    if (!canvas->enabled)
      continue;
    collect_frame(render, &desc);
    remove_canvas_feedback(render);
    gl_draw_canvas(render->gl, &render->frame, render->textures[render->drawing]);
  }
  render->drawing = CANVASES_MAX;
  gl_end_canvases(render->gl);
}

void render_frame(render_o *render, world_o *world, sheets_o *sheets, draw_o *draw, float alpha) {
  render->sheets = sheets;
  render->paint = draw ? draw_get_paint(draw) : NULL;
  canvases_list(&render->canvases, world);
  if (!render->gl) {
    check_images(render, world);
    request_particle_images(render, world);
    return;
  }
  images_advance(render->images, render->waits_for_images);
  render->area = platform_area(render->platform);
  if (render->area.width <= 0 || render->area.height <= 0)
    return;
  render->box = letterbox_fit(render->width, render->height, render->strip, render->area.width, render->area.height,
                              render->scale);
  const letterbox_t picture = letterbox_get_picture(&render->box);
  frame_desc_t desc = {
      .world = world,
      .draw = draw,
      .type = render->type,
      .alpha = alpha < 0.0f   ? 0.0f
               : alpha > 1.0f ? 1.0f
                              : alpha,
      .width = (float)picture.width,
      .height = (float)picture.height,
      .scale_x = render->box.scale_x,
      .scale_y = render->box.scale_y,
      .strip = render->strip * render->box.scale_y,
      .margin = {(float)render->box.left, (float)render->box.top, (float)render->box.right, (float)render->box.bottom},
      .logical_width = render->width,
      .logical_height = render->height};
  draw_canvases(render, &desc);
  collect_frame(render, &desc);
  gl_draw(render->gl, &render->frame, render->box, render->area);
  render->has_frame = true;
}

void render_set_typesetter(render_o *render, typesetter_o *type) {
  render->type = type ? type : render->default_type;
}

typesetter_o *render_typesetter(const render_o *render) {
  return render->type;
}

void render_measure_text(render_o *render, const text_style_t *style, const char *text, float *width, float *height) {
  typesetter_measure(render->type, style, typesetter_resolve(render->type, text), width, height);
}

bool render_get_image_frame(render_o *render, sheets_o *sheets, const render_image_t *image_frame, float size[2],
                            float pivot[2]) {
  image_t loaded = images_find_or_add(render->images, image_frame->image);
  if (loaded.width <= 0 || loaded.height <= 0)
    return false;
  const sheet_t *sheet = sheets ? sheets_find_or_load(sheets, image_frame->image) : NULL;
  sheet_frame_t f = {.full_width = (float)loaded.width / (float)(image_frame->frames > 1 ? image_frame->frames : 1),
                     .full_height = (float)loaded.height};
  if (sheet)
    f = sheet_frame(sheet, image_frame->frame, loaded.width, loaded.height);
  size[0] = f.full_width;
  size[1] = f.full_height;
  pivot[0] = sheet ? sheet->pivot[0] : 0.5f;
  pivot[1] = sheet ? sheet->pivot[1] : 0.5f;
  return true;
}

uint8_t *render_read_frame(render_o *render, allocator_t *allocator, int *width, int *height) {
  *width = render->area.width;
  *height = render->area.height;
  if (!render->gl || !render->has_frame)
    return NULL;
  return gl_read_pixels(render->gl, &render->frame, render->box, *width, *height, allocator);
}

bool render_write_screenshot(render_o *render, const char *path, error_info_t *error) {
  if (!render->gl)
    return error_set(error, "cannot write the screenshot %s: there is no window (--headless)", path);
  if (!render->has_frame)
    return error_set(error, "cannot write the screenshot %s: no frame has been drawn yet", path);
  allocator_t memory = {0};
  int width, height;
  uint8_t *pixels = render_read_frame(render, &memory, &width, &height);
  size_t bytes = (size_t)width * (size_t)height * 3;
  bool written = stbi_write_png(path, width, height, 3, pixels, width * 3) != 0;
  alloc_resize(&memory, pixels, bytes, 0);
  return written ||
         error_set(error, "cannot write %s: check that the folder is writable and the disk is not full", path);
}

// Downscales an image by averaging. `stride` is the number of pixels per row of `source`.
static void downscale_pixels(const uint8_t *source, uint32_t stride, uint32_t width, uint32_t height,
                             uint8_t *destination, uint32_t columns, uint32_t rows) {
  shoal_assert(columns > 0 && rows > 0 && columns <= width && rows <= height, "%u × %u cells do not fit %u × %u pixels",
               columns, rows, width, height);
  for (uint32_t i = 0; i < columns * rows; ++i) {
    uint32_t left = i % columns * width / columns, right = (i % columns + 1) * width / columns;
    uint32_t top = i / columns * height / rows, bottom = (i / columns + 1) * height / rows, sum[3] = {0};
    for (uint32_t y = top; y < bottom; ++y)
      for (uint32_t x = left; x < right; ++x)
        for (uint32_t channel = 0; channel < 3; ++channel)
          sum[channel] += source[((size_t)y * stride + x) * 3 + channel];
    for (uint32_t channel = 0; channel < 3; ++channel)
      destination[(size_t)i * 3 + channel] = (uint8_t)(sum[channel] / ((right - left) * (bottom - top)));
  }
}

bool render_write_thumbnail(render_o *render, const char *path, error_info_t *error) {
  if (!render->gl || !render->has_frame)
    return false;
  allocator_t memory = {0};
  uint32_t width = (uint32_t)render->box.width, height = (uint32_t)render->box.height,
           stride = (uint32_t)render->area.width;
  uint32_t longest = width > height ? width : height;
  uint32_t side = longest < RENDER_THUMBNAIL_SIDE ? longest : RENDER_THUMBNAIL_SIDE;
  uint32_t columns = width * side / longest > 0 ? width * side / longest : 1;
  uint32_t rows = height * side / longest > 0 ? height * side / longest : 1;
  uint8_t *pixels =
      gl_read_pixels(render->gl, &render->frame, render->box, render->area.width, render->area.height, &memory);
  uint8_t *thumbnail = alloc_resize(&memory, NULL, 0, (size_t)columns * rows * 3);
  const uint8_t *origin = pixels + ((size_t)render->box.y * stride + (size_t)render->box.x) * 3;
  downscale_pixels(origin, stride, width, height, thumbnail, columns, rows);
  bool written = stbi_write_png(path, (int)columns, (int)rows, 3, thumbnail, (int)columns * 3) != 0;
  alloc_resize(&memory, thumbnail, (size_t)columns * rows * 3, 0);
  alloc_resize(&memory, pixels, (size_t)stride * (size_t)render->area.height * 3, 0);
  return written ||
         error_set(error, "cannot write %s: check that the folder is writable and the disk is not full", path);
}

void render_set_icon(render_o *render, const char *image) {
  error_info_t error = {0};
  int width, height;
  if (!render->gl || !image[0] || strcmp(render->icon, image) == 0)
    return;
  const uint8_t *rgba = images_read(render->images, image, &width, &height, &error);
  if (!rgba) {
    log_warn(render->log, "window.icon: %s", error.text);
    return;
  }
  snprintf(render->icon, sizeof render->icon, "%s", image);
  platform_set_icon(render->platform, rgba, width, height);
}

// Shows the pointer's image. Returns true on success, or false with an error if the image cannot be read, is too large,
// or is not accepted by the system.
static bool show_pointer_image(const render_o *render, sheets_o *sheets, error_info_t *error) {
  const char *name = render->pointer.image;
  platform_pointer_image_t image = {.scale = render->pointer.scale};
  image.rgba = images_read(render->images, name, &image.width, &image.height, error);
  if (!image.rgba)
    return false;
  int side = image.width > image.height ? image.width : image.height;
  if (side > POINTER_MAX_PIXELS)
    return error_set(error, "%s: the image has %d × %d pixels, but a pointer can have at most %d pixels per side", name,
                     image.width, image.height, POINTER_MAX_PIXELS);
  while (image.scale > 1 && side * image.scale > POINTER_MAX_PIXELS)
    --image.scale;
  const sheet_t *sheet = sheets ? sheets_find_or_load(sheets, name) : NULL;
  float pivot_x = sheet ? sheet->pivot[0] : 0.5f, pivot_y = sheet ? sheet->pivot[1] : 0.5f;
  image.hot_x = (int)fmaxf(fminf(pivot_x * (float)image.width, (float)(image.width - 1)), 0.0f);
  image.hot_y = (int)fmaxf(fminf(pivot_y * (float)image.height, (float)(image.height - 1)), 0.0f);
  return platform_set_pointer_image(render->platform, &image, error);
}

bool render_set_pointer_image(render_o *render, sheets_o *sheets, const char *image, error_info_t *error) {
  int scale = platform_get_pixel_scale(render->platform);
  if (!render->gl || (strcmp(render->pointer.image, image) == 0 && render->pointer.scale == scale))
    return true;
  snprintf(render->pointer.image, sizeof render->pointer.image, "%s", image);
  render->pointer.scale = scale;
  if (image[0] && show_pointer_image(render, sheets, error))
    return true;
  platform_set_pointer_image(render->platform, NULL, NULL);
  return !image[0];
}

bool render_preload(render_o *render, const char *name) {
  return images_preload(render->images, name);
}

asset_fate_t render_asset_changed(render_o *render, const char *name, error_info_t *error) {
  asset_fate_t fate = images_asset_changed(render->images, name, error);
  render->pointer.scale = 0;
  if (fate == ASSET_UNUSED && strcmp(render->pointer.image, name) == 0)
    fate = ASSET_RELOADED;
  if (fate == ASSET_UNUSED)
    fate = typesetter_asset_changed(render->default_type, name, error);
  if (fate == ASSET_UNUSED && render->gl)
    fate = gl_asset_changed(render->gl, name, error);
  if (fate == ASSET_UNUSED && render->paint) {
    fate = paint_asset_changed(render->paint, name, error);
    fate =
        fate == ASSET_RELOADED && render->gl && !gl_build_paint(render->gl, render->paint, error) ? ASSET_KEPT : fate;
  }
  return fate;
}

bool render_get_texture(const render_o *render, uint32_t index, render_texture_t *out) {
  const atlas_t *atlas = render->gl ? glyphs_get_atlas(render->glyphs) : NULL;
  if (index == 0) {
    int32_t size = atlas ? atlas->size : 0;
    *out = (render_texture_t){"", "glyphs", size, size, (size_t)size * (size_t)size};
    return true;
  }
  if (index <= render->canvases.count) {
    const canvas_t *canvas = &render->canvases.items[index - 1];
    size_t bytes = render->gl && canvas->enabled ? (size_t)canvas->width * (size_t)canvas->height * 4 : 0;
    *out = (render_texture_t){canvas->name, "canvas", canvas->width, canvas->height, bytes};
    return true;
  }
  image_info_t info;
  const paint_texture_t *texture =
      render->paint ? paint_texture_at(render->paint, index - 1 - render->canvases.count) : NULL;
  if (texture) {
    *out = (render_texture_t){texture->name, "plugin", (int32_t)texture->width, (int32_t)texture->height,
                              (size_t)texture->width * texture->height * 4};
    return true;
  }
  uint32_t plugins = render->paint ? paint_texture_count(render->paint) : 0;
  if (!images_get(render->images, index - 1 - render->canvases.count - plugins, &info))
    return false;
  *out = (render_texture_t){info.name, info.missing ? "missing" : "image", info.width, info.height, info.bytes};
  return true;
}

void render_reset(render_o *render) {
  images_clear(render->images);
  render->icon[0] = '\0';
  render_set_typesetter(render, NULL);
  if (render->gl)
    gl_reset(render->gl);
  render->has_frame = false;
  render->canvases.logged.count = 0;
}
