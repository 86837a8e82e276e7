// Mouse input on the game's image: a click selects, another click selects the entity below; dragging moves the
// selection or draws a box. Also draws the outlines of the selected entities.
#include "overlay/dev_overlay_internal.h"

#include "base/assert.h"
#include "camera/viewport.h"
#include "transform/transform.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define CLICK_DISTANCE 4.0f // maximum distance, in units, that the mouse may move during a click

static picking_view_t build_picking_view(const dev_overlay_view_t *view) {
  return (picking_view_t){.world = view->world,
                          .render = view->render,
                          .sheets = view->sheets,
                          .width = view->width,
                          .height = view->height};
}

static bool is_selected(const dev_overlay_view_t *view, shoal_entity entity) {
  for (uint32_t i = 0; i < view->selected_count; ++i)
    if (view->selected[i] == entity)
      return true;
  return false;
}

static void request_selection(dev_overlay_o *overlay, const shoal_entity *entities, uint32_t count) {
  char text[16 * PICKING_MAX_ENTITIES + 2];
  int length = 0;
  text[0] = '\0';
  shoal_assert(count <= PICKING_MAX_ENTITIES, "%u selected entities exceed the maximum %u", count,
               PICKING_MAX_ENTITIES);
  for (uint32_t i = 0; i < count; ++i)
    length += snprintf(text + length, sizeof text - (size_t)length, "%s%u", i ? "," : "", entities[i]);
  dev_overlay_request(overlay, "{\"do\":\"pick\",\"entities\":[%s]}", text);
}

// Adds the entity to the selection, or removes it if it is already selected.
static void toggle_selected(dev_overlay_o *overlay, const dev_overlay_view_t *view, shoal_entity entity) {
  shoal_entity entities[PICKING_MAX_ENTITIES];
  uint32_t count = 0;
  for (uint32_t i = 0; i < view->selected_count && count + 1 < PICKING_MAX_ENTITIES; ++i)
    if (view->selected[i] != entity)
      entities[count++] = view->selected[i];
  if (!is_selected(view, entity)) { // the most recently selected entity comes first
    memmove(entities + 1, entities, count * sizeof *entities);
    entities[0] = entity;
    ++count;
  }
  request_selection(overlay, entities, count);
}

static void handle_click(dev_overlay_o *overlay, const gui_t *gui, const dev_overlay_view_t *view) {
  shoal_entity stack[PICKING_MAX_HITS];
  picking_view_t picking = build_picking_view(view);
  uint32_t count = picking_list_entities_at(&picking, overlay->press_x * gui->unit, overlay->press_y * gui->unit, stack,
                                            PICKING_MAX_HITS);
  bool is_same_position = fabsf(overlay->press_x - overlay->click_x) < CLICK_DISTANCE &&
                          fabsf(overlay->press_y - overlay->click_y) < CLICK_DISTANCE;
  shoal_entity selected_entity = view->selected_count > 0 ? view->selected[0] : 0;
  overlay->click_x = overlay->press_x;
  overlay->click_y = overlay->press_y;
  if (count > 0 && dev_overlay_is_shift_down(view))
    toggle_selected(overlay, view, stack[0]);
  else if (count > 0)
    request_selection(
        overlay, (shoal_entity[]){is_same_position ? picking_next_in_stack(stack, count, selected_entity) : stack[0]},
        1);
  else if (view->selected_count > 0)
    request_selection(overlay, NULL, 0);
}

// --- dragging

static void add_moved_entity(dev_overlay_o *overlay, const dev_overlay_view_t *view, shoal_entity entity) {
  const manager_o *manager = world_find_manager(view->world, "transform");
  uint32_t row = manager ? manager_row(manager, entity) : ROW_NONE;
  shoal_assert(overlay->moved_count <= DEV_OVERLAY_MOVES, "%u moved entities exceed the maximum %u",
               overlay->moved_count, DEV_OVERLAY_MOVES);
  if (row == ROW_NONE || overlay->moved_count == DEV_OVERLAY_MOVES)
    return;
  overlay->moved_entities[overlay->moved_count++] =
      (dev_overlay_moved_t){entity, columns_get(&manager->columns, row, SHOAL_COLUMN_INDEX(transform, x)),
                            columns_get(&manager->columns, row, SHOAL_COLUMN_INDEX(transform, y))};
}

// Returns true if an ancestor is also selected, in which case the entity moves with its ancestor.
static bool moves_with_ancestor(const dev_overlay_view_t *view, shoal_entity entity) {
  for (uint32_t depth = 0; depth < 64 && (entity = transform_find_parent(view->world, entity)) != 0; ++depth)
    if (is_selected(view, entity))
      return true;
  return false;
}

// Returns true if the entity's outline is larger than half of the screen. Such an entity is probably a background, so a
// drag that starts on it draws a box.
static bool is_backdrop(const dev_overlay_view_t *view, shoal_entity entity) {
  float xy[8];
  picking_view_t picking = build_picking_view(view);
  if (!picking_compute_outline(&picking, entity, 0, xy))
    return false;
  float area = fabsf((xy[2] - xy[0]) * (xy[7] - xy[1]) - (xy[3] - xy[1]) * (xy[6] - xy[0]));
  return area > 0.5f * view->width * view->height;
}

// Starts a drag. If a selected entity is under the mouse, the drag moves the selection. Otherwise, the drag selects and
// moves the topmost entity under the mouse. The drag draws a box instead if no entity is under the mouse, if the entity
// is a backdrop and not one of several selected entities, if Shift is down, in a read-only cockpit, and in a replay.
static void begin_pick_drag(dev_overlay_o *overlay, const gui_t *gui, const dev_overlay_view_t *view) {
  shoal_entity stack[PICKING_MAX_HITS];
  picking_view_t picking = build_picking_view(view);
  uint32_t count = picking_list_entities_at(&picking, overlay->press_x * gui->unit, overlay->press_y * gui->unit, stack,
                                            PICKING_MAX_HITS),
           top_selected = 0;
  while (top_selected < count && !is_selected(view, stack[top_selected]))
    ++top_selected;
  overlay->moved_count = 0;
  bool is_movable =
      count > 0 && (top_selected < count ? view->selected_count > 1 || !is_backdrop(view, stack[top_selected])
                                         : !is_backdrop(view, stack[0]));
  overlay->drag =
      is_movable && !view->read_only && !view->replays && !dev_overlay_is_shift_down(view) ? DRAG_MOVE : DRAG_BOX;
  if (overlay->drag != DRAG_MOVE)
    return;
  if (top_selected == count) {
    request_selection(overlay, stack, 1);
    add_moved_entity(overlay, view, stack[0]);
    return;
  }
  for (uint32_t i = 0; i < view->selected_count; ++i)
    if (world_is_alive(view->world, view->selected[i]) && !moves_with_ancestor(view, view->selected[i]))
      add_moved_entity(overlay, view, view->selected[i]);
}

static void drag_selection(dev_overlay_o *overlay, const gui_t *gui, const dev_overlay_view_t *view) {
  char text[64 * DEV_OVERLAY_MOVES + 2];
  int length = 0;
  picking_view_t picking = build_picking_view(view);
  if (fabsf(gui->x - overlay->last_x) + fabsf(gui->y - overlay->last_y) < 0.5f || overlay->moved_count == 0)
    return;
  overlay->last_x = gui->x;
  overlay->last_y = gui->y;
  for (uint32_t i = 0; i < overlay->moved_count; ++i) {
    double translation[2];
    const dev_overlay_moved_t *moved = &overlay->moved_entities[i];
    if (picking_compute_move(&picking, moved->entity, (gui->x - overlay->press_x) * gui->unit,
                             (gui->y - overlay->press_y) * gui->unit, translation))
      length += snprintf(text + length, sizeof text - (size_t)length, "%s[%u,%.9g,%.9g]", length ? "," : "",
                         moved->entity, moved->x + translation[0], moved->y + translation[1]);
  }
  if (length > 0)
    dev_overlay_request(overlay, "{\"do\":\"move\",\"goes_on\":%s,\"places\":[%s]}",
                        overlay->drag_sent ? "true" : "false", text);
  overlay->drag_sent |= length > 0;
}

static void select_in_box(dev_overlay_o *overlay, const gui_t *gui, const dev_overlay_view_t *view) {
  shoal_entity entities[PICKING_MAX_ENTITIES];
  picking_view_t picking = build_picking_view(view);
  float unit = gui->unit;
  uint32_t count = picking_list_in_box(&picking, overlay->press_x * unit, overlay->press_y * unit, gui->x * unit,
                                       gui->y * unit, entities, PICKING_MAX_ENTITIES);
  request_selection(overlay, entities, count);
}

static void draw_box(const dev_overlay_o *overlay, gui_t *gui) {
  gui_rect_t rect = {fminf(overlay->press_x, gui->x), fminf(overlay->press_y, gui->y), fabsf(gui->x - overlay->press_x),
                     fabsf(gui->y - overlay->press_y)};
  gui_fill_rect(gui, rect, GUI_LOOK_ACCENT, 0.10f);
  gui_draw_outline(gui, rect, GUI_LOOK_ACCENT);
}

void dev_overlay_update_selection(dev_overlay_o *overlay, gui_t *gui, const dev_overlay_view_t *view) {
  if (!view->world)
    return;
  if (gui->pressed && !gui->is_hovered && overlay->drag == DRAG_ELSEWHERE)
    overlay->drag = DRAG_PRESS;
  bool has_moved =
      fabsf(gui->x - overlay->press_x) > CLICK_DISTANCE || fabsf(gui->y - overlay->press_y) > CLICK_DISTANCE;
  if (overlay->drag == DRAG_PRESS && gui->held && has_moved)
    begin_pick_drag(overlay, gui, view);
  if (overlay->drag == DRAG_PRESS && !gui->held)
    handle_click(overlay, gui, view);
  if (overlay->drag == DRAG_MOVE)
    drag_selection(overlay, gui, view);
  if (overlay->drag == DRAG_BOX && gui->held)
    draw_box(overlay, gui);
  else if (overlay->drag == DRAG_BOX)
    select_in_box(overlay, gui, view);
}

// --- outlines

static void draw_outline(gui_t *gui, const dev_overlay_view_t *view, shoal_entity entity, shoal_entity camera,
                         bool is_first) {
  float xy[8];
  picking_view_t picking = build_picking_view(view);
  if (!picking_compute_outline(&picking, entity, camera, xy))
    return;
  draw_set_colour(gui->draw, 0, 0, 0, 0.55f);
  draw_polygon(gui->draw, xy, 4, false, 4 * gui->unit);
  draw_set_colour(gui->draw, 1, is_first ? 0.74f : 0.9f, is_first ? 0.25f : 0.65f, 1);
  draw_polygon(gui->draw, xy, 4, false, (is_first ? 2 : 1.4f) * gui->unit);
}

void dev_overlay_draw_outlines(gui_t *gui, const dev_overlay_view_t *view) {
  viewport_t views[VIEWPORTS_MAX];
  uint32_t count =
      view->world ? viewports_list(view->world, view->width, view->height, world_view_players(view->world), views) : 0;
  for (uint32_t i = 0; view->world && i < view->selected_count; ++i)
    for (uint32_t k = 0; k < (count > 0 ? count : 1); ++k)
      draw_outline(gui, view, view->selected[i], count > 0 ? views[k].camera : 0, i == 0);
}
