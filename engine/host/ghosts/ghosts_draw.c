// Draws trails. A trail is a line that tapers, with a copy of the entity every GHOSTS_POSE_TICKS ticks and a cross
// where the entity is destroyed. The copies fade with the distance in time.
#include "ghosts/ghosts.h"

#include <math.h>

#define LAYER 9000
#define MAX_SEGMENTS 90u   // maximum number of line segments per trail
#define JUMP_PIXELS 160.0f // maximum length of a line segment; longer segments (wrapping, teleporting) are not drawn
#define MAX_POINTS 64u
#define OUTLINE_WIDTH 1.8f

static float lighten(float part) {
  return part + (1.0f - part) * 0.35f;
}

static void set_colour(draw_o *d, const ghost_trail_t *t, float opacity) {
  draw_set_colour(d, lighten(t->colour[0]), lighten(t->colour[1]), lighten(t->colour[2]), opacity);
}

// Draws the path as a narrow line in the entity's colour or, with `is_shadow`, as a wide, dark line, which separates
// the path from a bright background.
static void draw_path(const ghost_trail_t *t, draw_o *d, uint32_t ticks, bool is_shadow) {
  uint32_t stride = t->count / MAX_SEGMENTS + 1;
  for (uint32_t i = 0; i + 1 < t->count; i += stride) {
    uint32_t k = i + stride < t->count ? i + stride : t->count - 1;
    const ghost_pose_t *start = &t->poses[i], *end = &t->poses[k];
    if (hypotf(end->x - start->x, end->y - start->y) > JUMP_PIXELS)
      continue;
    float remaining = 1.0f - (float)i / (float)ticks, width = 2.0f + 3.0f * remaining;
    if (is_shadow)
      draw_set_colour(d, 0.0f, 0.0f, 0.05f, 0.15f + 0.3f * remaining);
    else
      set_colour(d, t, 0.4f + 0.6f * remaining);
    draw_line(d, start->x, start->y, end->x, end->y, is_shadow ? width + 4.0f : width);
  }
}

static void draw_shape(const ghost_trail_t *t, draw_o *d, const ghost_pose_t *p, bool is_filled) {
  float xy[2 * MAX_POINTS];
  uint32_t count = t->outline_count < MAX_POINTS ? t->outline_count : MAX_POINTS;
  if (count < 2) {
    float scale = hypotf(p->ux, p->uy);
    draw_circle(d, p->x, p->y, (t->radius > 0 ? t->radius : 4.0f) * scale, is_filled, OUTLINE_WIDTH);
    return;
  }
  for (uint32_t i = 0; i < count; ++i) {
    float x = t->outline[2 * i], y = t->outline[2 * i + 1];
    xy[2 * i] = p->ux * x + p->vx * y + p->x;
    xy[2 * i + 1] = p->uy * x + p->vy * y + p->y;
  }
  draw_polygon(d, xy, count, is_filled, OUTLINE_WIDTH);
}

// Draws a copy of the entity, which fades with the distance in time.
static void draw_copy(const ghost_trail_t *t, draw_o *d, const ghost_pose_t *p, float remaining) {
  set_colour(d, t, 0.08f + 0.27f * remaining);
  if (t->outline_count != 2) // an outline of 2 points is a line
    draw_shape(t, d, p, true);
  set_colour(d, t, 0.3f + 0.6f * remaining);
  draw_shape(t, d, p, false);
}

static void draw_death(const ghost_trail_t *t, draw_o *d) {
  const ghost_pose_t *p = &t->poses[t->count - 1];
  float radius = 7.0f;
  draw_set_colour(d, 1.0f, 0.42f, 0.35f, 0.85f);
  draw_line(d, p->x - radius, p->y - radius, p->x + radius, p->y + radius, 3.0f);
  draw_line(d, p->x - radius, p->y + radius, p->x + radius, p->y - radius, 3.0f);
  draw_circle(d, p->x, p->y, 1.7f * radius, false, OUTLINE_WIDTH);
}

// Gets trail `i` without its first `elapsed` poses, which are in the past. Computing a prediction may take several
// frames, and the game continues meanwhile.
static void copy_future_poses(const ghosts_o *g, uint32_t i, uint64_t elapsed, ghost_trail_t *out) {
  ghosts_get(g, i, out);
  uint32_t skipped = elapsed < out->count ? (uint32_t)elapsed : out->count;
  out->poses += skipped;
  out->count -= skipped;
}

void ghosts_draw(const ghosts_o *g, uint64_t tick, draw_o *d) {
  ghost_trail_t t;
  uint32_t longest = 1, count = tick < ghosts_tick(g) ? 0 : ghosts_count(g);
  uint64_t elapsed = tick - ghosts_tick(g);
  for (uint32_t i = 0; i < count; ++i) {
    copy_future_poses(g, i, elapsed, &t);
    longest = t.count > longest ? t.count : longest;
  }
  draw_reset(d);
  draw_set_layer(d, LAYER);
  for (uint32_t i = 0; i < count; ++i) {
    copy_future_poses(g, i, elapsed, &t);
    if (t.count < 2)
      continue;
    draw_path(&t, d, longest, true);
    draw_path(&t, d, longest, false);
    uint32_t first = GHOSTS_POSE_TICKS - (uint32_t)(elapsed % GHOSTS_POSE_TICKS); // keeps copies at fixed positions
    for (uint32_t k = first; k < t.count; k += GHOSTS_POSE_TICKS)
      draw_copy(&t, d, &t.poses[k], 1.0f - (float)k / (float)longest);
    if (t.dies)
      draw_death(&t, d);
  }
}
