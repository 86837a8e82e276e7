// Collects the lights that may affect the part of the world visible in any lit view.
#include "render/visible_lights.h"

#include "base/assert.h"
#include "render/emit.h"

#include <math.h>

// Extends `visible` by the part of the world visible in a view.
static void extend_visible_area(const frame_t *frame, const camera_view_t *view, float visible[4]) {
  float edges[4] = {0.0f, 0.0f, frame->view.width, frame->view.height};
  for (int i = 0; view->clipped && i < 4; ++i)
    edges[i] = (float)view->clip[i];
  for (int i = 0; i < 4; ++i) {
    float point[2];
    if (!affine_apply_inverse(&view->world, edges[i % 2 * 2], edges[i / 2 * 2 + 1], point))
      continue;
    visible[0] = fminf(visible[0], point[0]);
    visible[1] = fminf(visible[1], point[1]);
    visible[2] = fmaxf(visible[2], point[0]);
    visible[3] = fmaxf(visible[3], point[1]);
  }
}

// Logs a warning, once, if a view is dark only because the world has its first light: without lights, it was drawn in
// full brightness.
static void warn_of_default_ambient(frame_t *frame, const camera_view_t *view) {
  if (!view->ambient.is_default || frame->ambient_logged)
    return;
  frame->ambient_logged = true;
  log_warn(frame->log, "light: the world has lights but no ambient, so everything out of their range is nearly black: "
                       "add ambient = { colour = { 0.5, 0.5, 0.6, 1 } } to the camera, or ambient = {} for night");
}

void visible_lights_list(frame_t *frame, world_o *w, double time_s) {
  float visible[4] = {INFINITY, INFINITY, -INFINITY, -INFINITY};
  for (uint32_t i = 0; i < frame->view_count; ++i) {
    camera_view_t *view = &frame->views[i];
    view->lit = ambient_find(w, view->camera, &view->ambient);
    if (!view->lit)
      continue;
    warn_of_default_ambient(frame, view);
    frame->light_detail = fmaxf(frame->light_detail, view->ambient.detail);
    extend_visible_area(frame, view, visible);
  }
  if (frame->light_detail > 0.0f)
    lights_list(&frame->lights, &frame->allocator, w, &(light_shapes_t){&frame->poses, &frame->outlines}, visible,
                time_s);
}

void visible_lights_emit(frame_t *frame, uint32_t view) {
  shoal_assert(view < frame->view_count && frame->views[view].lit, "view %u has no lighting", view);
  batch_t batch = {.kind = BATCH_LIGHT, .first = view, .clip = frame->clip};
  array_push(&frame->allocator, &frame->batches, batch);
}
