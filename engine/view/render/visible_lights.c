// Collects the lights that may affect the part of the world visible in any lit view.
#include "render/visible_lights.h"

#include "base/assert.h"
#include "render/emit.h"

#include <math.h>

// Extends `seen` by the part of the world visible in a view.
static void extend_visible_area(const frame_t *f, const camera_view_t *v, float seen[4]) {
  float ends[4] = {0.0f, 0.0f, f->view.width, f->view.height};
  for (int i = 0; v->clipped && i < 4; ++i)
    ends[i] = (float)v->clip[i];
  for (int i = 0; i < 4; ++i) {
    float at[2];
    if (!affine_apply_inverse(&v->world, ends[i % 2 * 2], ends[i / 2 * 2 + 1], at))
      continue;
    seen[0] = fminf(seen[0], at[0]);
    seen[1] = fminf(seen[1], at[1]);
    seen[2] = fmaxf(seen[2], at[0]);
    seen[3] = fmaxf(seen[3], at[1]);
  }
}

void visible_lights_list(frame_t *f, world_o *w, double time_s) {
  float seen[4] = {INFINITY, INFINITY, -INFINITY, -INFINITY};
  for (uint32_t i = 0; i < f->view_count; ++i) {
    camera_view_t *v = &f->views[i];
    v->lit = ambient_find(w, v->camera, &v->ambient);
    if (!v->lit)
      continue;
    f->light_detail = fmaxf(f->light_detail, v->ambient.detail);
    extend_visible_area(f, v, seen);
  }
  if (f->light_detail > 0.0f)
    lights_list(&f->lights, &f->allocator, w, &(light_shapes_t){&f->poses, &f->outlines}, seen, time_s);
}

void visible_lights_emit(frame_t *f, uint32_t view) {
  shoal_assert(view < f->view_count && f->views[view].lit, "view %u has no lighting", view);
  batch_t batch = {.kind = BATCH_LIGHT, .first = view, .clip = f->clip};
  array_push(&f->allocator, &f->batches, batch);
}
