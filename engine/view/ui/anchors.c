// Widgets anchored to an entity of the world: a bar above an enemy, a name below a player. The anchor's position is
// stored in columns and updated before each layout, using the current camera.
#include "ui/anchors.h"

#include "base/assert.h"
#include "camera/viewport.h"
#include "transform/transform.h"

#include <math.h>

// Returns the explicit target, or the widget's parent in the transform hierarchy; 0 if the widget has neither.
static shoal_entity find_target(const ui_o *ui, uint32_t row) {
  const manager_o *transform = ui->managers.transform;
  shoal_entity explicit_target = ui->columns.follow.target[row];
  uint32_t row_in_transform = manager_row(transform, ui->managers.follow->owner[row]);
  if (explicit_target != 0 || row_in_transform == ROW_NONE)
    return explicit_target;
  return ui->columns.transform.parent[row_in_transform];
}

static void update_anchor(ui_o *ui, transform_matrices_t *matrices, uint32_t row) {
  const ui_follow_columns *follows = &ui->columns.follow;
  shoal_entity target = find_target(ui, row), camera = 0;
  uint32_t transform_row = target != 0 ? manager_row(ui->managers.transform, target) : ROW_NONE;
  float world[16];
  follows->shown[row] = transform_row != ROW_NONE && world_is_alive(ui->world, target);
  if (!follows->shown[row])
    return;
  transform_compute_world_matrix(matrices, transform_row, world);
  double xy[2] = {(double)world[12] + (double)follows->offset_x[row],
                  (double)world[13] + (double)follows->offset_y[row]};
  bool is_visible = viewport_project(ui->world, (double)ui->width, (double)ui->height,
                                     ui->machine ? world_view_players(ui->world) : 0, false, xy, &camera);
  follows->shown[row] = is_visible && fabs(xy[0]) < 1e6 && fabs(xy[1]) < 1e6; // the comparisons are false for NaN
  follows->at_x[row] = follows->shown[row] ? (float)xy[0] : 0;
  follows->at_y[row] = follows->shown[row] ? (float)xy[1] : 0;
}

void ui_update_anchors(ui_o *ui) {
  transform_matrices_t matrices = {0};
  uint32_t count = ui->managers.follow->count;
  if (count == 0)
    return;
  transform_matrices_begin(&matrices, ui->managers.transform);
  for (uint32_t row = 0; row < count; ++row)
    update_anchor(ui, &matrices, row);
  transform_matrices_end(&matrices);
}

ui_anchor_t ui_find_anchor(const ui_o *ui, shoal_entity entity, float *x, float *y) {
  uint32_t row = ui->managers.follow->count > 0 ? manager_row(ui->managers.follow, entity) : ROW_NONE;
  if (row == ROW_NONE)
    return UI_ANCHOR_NONE;
  *x = ui->columns.follow.at_x[row];
  *y = ui->columns.follow.at_y[row];
  return ui->columns.follow.shown[row] ? UI_ANCHOR_VISIBLE : UI_ANCHOR_HIDDEN;
}

void ui_destroy_orphans(ui_o *ui) {
  shoal_assert(world_is_deferring(ui->world),
               "widgets of destroyed entities must be destroyed while commands are deferred");
  for (uint32_t row = 0; row < ui->managers.follow->count; ++row) {
    shoal_entity target = ui->columns.follow.target[row];
    if (target != 0 && !world_is_alive(ui->world, target))
      world_destroy_entity(ui->world, ui->managers.follow->owner[row]);
  }
}
