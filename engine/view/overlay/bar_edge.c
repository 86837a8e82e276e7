// Chooses the screen edge for the scrub bar and the toasts. The hero is guessed, because games do not declare a hero.
// Without a hero, compares the numbers of entities near both edges.
#include "overlay/bar_edge.h"

#include "access/entities.h"

#define EDGE_SHARE 0.3f // share of the screen's height that belongs to an edge

// Returns the first living entity that a component `follow` targets, or 0 if no component targets a living entity.
static shoal_entity find_followed(world_o *w) {
  const manager_o *m = world_find_manager(w, "follow");
  int32_t column = m ? manager_find_column(m, "target") : -1;
  for (uint32_t row = 0; column >= 0 && row < m->count; ++row) {
    shoal_entity target = (shoal_entity)columns_get(&m->columns, row, (uint32_t)column);
    if (world_is_alive(w, target))
      return target;
  }
  return 0;
}

static shoal_entity find_named(world_o *w) {
  shoal_entity hero = access_find_entity(w, "hero");
  return hero ? hero : access_find_entity(w, "player");
}

// Returns the y coordinate of the hero on the screen, or -1 if the game has no hero or the hero has no position.
static float find_hero_y(const picking_view_t *view) {
  float xy[8];
  shoal_entity hero = find_followed(view->world);
  hero = hero ? hero : find_named(view->world);
  return hero && picking_compute_outline(view, hero, 0, xy) ? (xy[1] + xy[3] + xy[5] + xy[7]) / 4 : -1;
}

static uint32_t count_entities(const picking_view_t *view, float y1, float y2) {
  shoal_entity found[PICKING_MAX_ENTITIES];
  return picking_list_in_box(view, 0, y1, view->width, y2, found, PICKING_MAX_ENTITIES);
}

bool bar_edge_is_top(const picking_view_t *view, bool is_top, bool opens) {
  float y = find_hero_y(view), edge = view->height * EDGE_SHARE;
  if (y < 0 && opens)
    return count_entities(view, view->height - edge, view->height) > count_entities(view, 0, edge);
  if (y < 0)
    return is_top;
  is_top &= !opens;
  return is_top ? y >= edge : y > view->height - edge;
}
