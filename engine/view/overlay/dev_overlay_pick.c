// Mouse input on the game's image: a click selects, another click selects the entity below; dragging moves the
// selection or draws a box. Also draws the outlines of the selected entities.
#include "overlay/dev_overlay_internal.h"

#include "base/assert.h"
#include "camera/viewport.h"
#include "transform/transform.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define STILL 4.0f // maximum distance, in units, that the mouse may move during a click

static picking_view_t build_picking_view(const dev_overlay_view_t *v) {
  return (picking_view_t){
      .world = v->world, .render = v->render, .sheets = v->sheets, .width = v->width, .height = v->height};
}

static bool is_picked(const dev_overlay_view_t *v, shoal_entity e) {
  for (uint32_t i = 0; i < v->picked_count; ++i)
    if (v->picked[i] == e)
      return true;
  return false;
}

static void request_selection(dev_overlay_o *d, const shoal_entity *list, uint32_t count) {
  char text[16 * HITS_MAX_BOXED + 2];
  int n = 0;
  text[0] = '\0';
  shoal_assert(count <= HITS_MAX_BOXED, "%u selected entities exceed the maximum %u", count, HITS_MAX_BOXED);
  for (uint32_t i = 0; i < count; ++i)
    n += snprintf(text + n, sizeof text - (size_t)n, "%s%u", i ? "," : "", list[i]);
  dev_overlay_request(d, "{\"do\":\"pick\",\"entities\":[%s]}", text);
}

// Adds the entity to the selection, or removes it if it is already selected.
static void toggle_selected(dev_overlay_o *d, const dev_overlay_view_t *v, shoal_entity e) {
  shoal_entity list[HITS_MAX_BOXED];
  uint32_t count = 0;
  for (uint32_t i = 0; i < v->picked_count && count + 1 < HITS_MAX_BOXED; ++i)
    if (v->picked[i] != e)
      list[count++] = v->picked[i];
  if (!is_picked(v, e)) { // the most recently selected entity comes first
    memmove(list + 1, list, count * sizeof *list);
    list[0] = e;
    ++count;
  }
  request_selection(d, list, count);
}

static void handle_click(dev_overlay_o *d, const gui_t *b, const dev_overlay_view_t *v) {
  shoal_entity stack[HITS_MAX];
  picking_view_t view = build_picking_view(v);
  uint32_t count = picking_list_entities_at(&view, d->from_x * b->unit, d->from_y * b->unit, stack, HITS_MAX);
  bool same_position = fabsf(d->from_x - d->click_x) < STILL && fabsf(d->from_y - d->click_y) < STILL;
  shoal_entity picked = v->picked_count > 0 ? v->picked[0] : 0;
  d->click_x = d->from_x;
  d->click_y = d->from_y;
  if (count > 0 && dev_overlay_is_shift_down(v))
    toggle_selected(d, v, stack[0]);
  else if (count > 0)
    request_selection(d, (shoal_entity[]){same_position ? picking_next_in_stack(stack, count, picked) : stack[0]}, 1);
  else if (v->picked_count > 0)
    request_selection(d, NULL, 0);
}

// --- dragging

static void add_moved_entity(dev_overlay_o *d, const dev_overlay_view_t *v, shoal_entity e) {
  const manager_o *m = world_find_manager(v->world, "transform");
  uint32_t row = m ? manager_row(m, e) : ROW_NONE;
  shoal_assert(d->moved_count <= DEV_OVERLAY_MOVES, "%u moved entities exceed the maximum %u", d->moved_count,
               DEV_OVERLAY_MOVES);
  if (row == ROW_NONE || d->moved_count == DEV_OVERLAY_MOVES)
    return;
  d->moved[d->moved_count++] = (dev_overlay_moved_t){e, columns_get(&m->columns, row, SHOAL_COLUMN_INDEX(transform, x)),
                                                     columns_get(&m->columns, row, SHOAL_COLUMN_INDEX(transform, y))};
}

// Returns true if an ancestor is also selected, in which case the entity moves with its ancestor.
static bool moves_with_ancestor(const dev_overlay_view_t *v, shoal_entity e) {
  for (uint32_t deep = 0; deep < 64 && (e = transform_find_parent(v->world, e)) != 0; ++deep)
    if (is_picked(v, e))
      return true;
  return false;
}

// Returns true if the entity's outline is larger than half of the screen. Such an entity is probably a background, so a
// drag that starts on it draws a box.
static bool is_backdrop(const dev_overlay_view_t *v, shoal_entity e) {
  float xy[8];
  picking_view_t view = build_picking_view(v);
  if (!picking_compute_outline(&view, e, 0, xy))
    return false;
  float area = fabsf((xy[2] - xy[0]) * (xy[7] - xy[1]) - (xy[3] - xy[1]) * (xy[6] - xy[0]));
  return area > 0.5f * v->width * v->height;
}

// Starts a drag. If a selected entity is under the mouse, the drag moves the selection; otherwise, the drag selects and
// moves the topmost entity under the mouse. The drag draws a box instead if there is no such entity, if it is a
// backdrop and not one of several selected entities, if Shift is down, in a read-only cockpit, and in a replay.
static void begin_pick_drag(dev_overlay_o *d, const gui_t *b, const dev_overlay_view_t *v) {
  shoal_entity stack[HITS_MAX];
  picking_view_t view = build_picking_view(v);
  uint32_t count = picking_list_entities_at(&view, d->from_x * b->unit, d->from_y * b->unit, stack, HITS_MAX),
           top_selected = 0;
  while (top_selected < count && !is_picked(v, stack[top_selected]))
    ++top_selected;
  d->moved_count = 0;
  bool movable = count > 0 && (top_selected < count ? v->picked_count > 1 || !is_backdrop(v, stack[top_selected])
                                                    : !is_backdrop(v, stack[0]));
  d->drag = movable && !v->read_only && !v->replays && !dev_overlay_is_shift_down(v) ? DRAG_MOVE : DRAG_BOX;
  if (d->drag != DRAG_MOVE)
    return;
  if (top_selected == count) {
    request_selection(d, stack, 1);
    add_moved_entity(d, v, stack[0]);
    return;
  }
  for (uint32_t i = 0; i < v->picked_count; ++i)
    if (world_is_alive(v->world, v->picked[i]) && !moves_with_ancestor(v, v->picked[i]))
      add_moved_entity(d, v, v->picked[i]);
}

static void drag_selection(dev_overlay_o *d, const gui_t *b, const dev_overlay_view_t *v) {
  char text[64 * DEV_OVERLAY_MOVES + 2];
  int n = 0;
  picking_view_t view = build_picking_view(v);
  if (fabsf(b->x - d->last_x) + fabsf(b->y - d->last_y) < 0.5f || d->moved_count == 0)
    return;
  d->last_x = b->x;
  d->last_y = b->y;
  for (uint32_t i = 0; i < d->moved_count; ++i) {
    double by[2];
    const dev_overlay_moved_t *x = &d->moved[i];
    if (picking_compute_move(&view, x->entity, (b->x - d->from_x) * b->unit, (b->y - d->from_y) * b->unit, by))
      n += snprintf(text + n, sizeof text - (size_t)n, "%s[%u,%.9g,%.9g]", n ? "," : "", x->entity, x->x + by[0],
                    x->y + by[1]);
  }
  if (n > 0)
    dev_overlay_request(d, "{\"do\":\"move\",\"goes_on\":%s,\"places\":[%s]}", d->drag_began ? "true" : "false", text);
  d->drag_began |= n > 0;
}

static void select_in_box(dev_overlay_o *d, const gui_t *b, const dev_overlay_view_t *v) {
  shoal_entity list[HITS_MAX_BOXED];
  picking_view_t view = build_picking_view(v);
  float u = b->unit;
  uint32_t count = picking_list_in_box(&view, d->from_x * u, d->from_y * u, b->x * u, b->y * u, list, HITS_MAX_BOXED);
  request_selection(d, list, count);
}

static void draw_box(const dev_overlay_o *d, gui_t *b) {
  gui_rect_t r = {fminf(d->from_x, b->x), fminf(d->from_y, b->y), fabsf(b->x - d->from_x), fabsf(b->y - d->from_y)};
  gui_fill_rect(b, r, BRUSH_ACCENT, 0.10f);
  gui_draw_outline(b, r, BRUSH_ACCENT);
}

void dev_overlay_update_selection(dev_overlay_o *d, gui_t *b, const dev_overlay_view_t *v) {
  if (!v->world)
    return;
  if (b->pressed && !b->over && d->drag == DRAG_ELSEWHERE)
    d->drag = DRAG_PRESS;
  bool moved = fabsf(b->x - d->from_x) > STILL || fabsf(b->y - d->from_y) > STILL;
  if (d->drag == DRAG_PRESS && b->down && moved)
    begin_pick_drag(d, b, v);
  if (d->drag == DRAG_PRESS && !b->down)
    handle_click(d, b, v);
  if (d->drag == DRAG_MOVE)
    drag_selection(d, b, v);
  if (d->drag == DRAG_BOX && b->down)
    draw_box(d, b);
  else if (d->drag == DRAG_BOX)
    select_in_box(d, b, v);
}

// --- outlines

static void draw_outline(gui_t *b, const dev_overlay_view_t *v, shoal_entity e, shoal_entity camera, bool first) {
  float xy[8];
  picking_view_t view = build_picking_view(v);
  if (!picking_compute_outline(&view, e, camera, xy))
    return;
  draw_set_colour(b->draw, 0, 0, 0, 0.55f);
  draw_polygon(b->draw, xy, 4, false, 4 * b->unit);
  draw_set_colour(b->draw, 1, first ? 0.74f : 0.9f, first ? 0.25f : 0.65f, 1);
  draw_polygon(b->draw, xy, 4, false, (first ? 2 : 1.4f) * b->unit);
}

void dev_overlay_draw_outlines(gui_t *b, const dev_overlay_view_t *v) {
  viewport_t views[VIEWPORTS_MAX];
  uint32_t count = v->world ? viewports_list(v->world, v->width, v->height, views) : 0;
  for (uint32_t i = 0; v->world && i < v->picked_count; ++i)
    for (uint32_t k = 0; k < (count > 0 ? count : 1); ++k)
      draw_outline(b, v, v->picked[i], count > 0 ? views[k].camera : 0, i == 0);
}
