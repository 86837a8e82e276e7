// Input handling of buttons, sliders, checkboxes and lists.
#include "ui/controls.h"

#include "base/assert.h"
#include "ui/apply_action.h"
#include "ui/dialogue.h"
#include "ui/machine.h"
#include "ui/text_entry.h"
#include "ui/events.h"
#include "ui/measure.h"
#include "ui/tree.h"

#include <math.h>

// --- sliders

static void set_slider(ui_o *ui, const ui_node_t *n, float value) {
  shoal_assert(n->kind == UI_SLIDER, "widget of kind %d is not a slider", (int)n->kind);
  const slider_columns *sliders = &ui->columns.slider;
  float min = sliders->min[n->row], max = sliders->max[n->row], step = sliders->step[n->row];
  if (!(min <= max)) {
    ui_warn_once(ui, n, "slider", "min must not be greater than max: the slider cannot move", "");
    return;
  }
  if (step > 0)
    value = min + floorf((value - min) / step + 0.5f) * step;
  value = value < min ? min : value > max ? max : value;
  if (value == (float)machine_get_sent(ui, n, (double)sliders->value[n->row]) || !isfinite(value))
    return;
  ui_act(ui, n, &(widget_action_t){.kind = WIDGET_ACTION_SET, .value = value});
  if (ui->machine)
    machine_set_sent(ui, n, (double)value);
}

static void slide_to(ui_o *ui, const ui_node_t *n, float x) {
  float left, width;
  ui_compute_slider_track(ui, n, &left, &width);
  float fraction = width > 0 ? (x - left) / width : 0, min = ui->columns.slider.min[n->row],
        max = ui->columns.slider.max[n->row];
  fraction = fraction < 0 ? 0 : fraction > 1 ? 1 : fraction;
  set_slider(ui, n, min + (max - min) * fraction);
}

static void slide_by(ui_o *ui, const ui_node_t *n, int step) {
  float increment = ui->columns.slider.step[n->row],
        range = ui->columns.slider.max[n->row] - ui->columns.slider.min[n->row];
  float value = (float)machine_get_sent(ui, n, (double)ui->columns.slider.value[n->row]);
  set_slider(ui, n, value + (float)step * (increment > 0 ? increment : range / 10));
}

// --- lists

static uint32_t count_items(const ui_o *ui, const ui_node_t *n) {
  return ui_count_lines(ui_get_text(ui, ui->columns.list.items[n->row]));
}

static uint32_t get_selected(const ui_o *ui, const ui_node_t *n) {
  return (uint32_t)machine_get_sent(ui, n, ui->columns.list.selected[n->row]);
}

static void scroll_to_item(ui_o *ui, const ui_node_t *n, uint32_t selected, uint32_t count) {
  shoal_assert(n->kind == UI_LIST, "widget of kind %d is not a list", (int)n->kind);
  uint32_t *first_row = &ui->columns.list.first[n->row], rows = ui_count_visible_rows(ui, n);
  uint32_t max_first_row = count > rows ? count - rows + 1 : 1;
  if (selected > 0 && selected < *first_row)
    *first_row = selected;
  if (selected >= *first_row + rows)
    *first_row = selected - rows + 1;
  *first_row = *first_row > max_first_row ? max_first_row : *first_row < 1 ? 1 : *first_row;
}

static bool is_disabled_item(const ui_o *ui, const ui_node_t *n, uint32_t item) {
  return ui_is_line_disabled(ui_get_text(ui, ui->columns.list.items[n->row]), item);
}

static bool select_item(ui_o *ui, const ui_node_t *n, uint32_t item) {
  uint32_t count = count_items(ui, n);
  if (item < 1 || item > count || is_disabled_item(ui, n, item))
    return false;
  if (ui->columns.list.rows[n->row] > 1)
    scroll_to_item(ui, n, item, count);
  if (get_selected(ui, n) == item)
    return true;
  ui_act(ui, n, &(widget_action_t){.kind = WIDGET_ACTION_CHOOSE, .number = item});
  if (ui->machine)
    machine_set_sent(ui, n, item);
  return true;
}

static void select_adjacent_item(ui_o *ui, const ui_node_t *n, int step) {
  uint32_t count = count_items(ui, n), item = get_selected(ui, n);
  for (uint32_t i = 0; i < count; ++i) {
    item = step > 0 ? item % count + 1 : item > 1 ? item - 1 : count;
    if (select_item(ui, n, item))
      return;
  }
}

static uint32_t find_item_at(ui_o *ui, const ui_node_t *n, float y) {
  const ui_look_t *look = ui_get_look(ui, n);
  float row = floorf((y - n->y - look->padding / 2) / ui_measure_row_height(ui, look));
  return row >= 0 && row < (float)ui_count_visible_rows(ui, n) ? ui->columns.list.first[n->row] + (uint32_t)row : 0;
}

// --- input

static void press(ui_o *ui, const ui_node_t *n) {
  ui_act(ui, n, &(widget_action_t){.kind = WIDGET_ACTION_PRESS});
}

void ui_accept(ui_o *ui, uint32_t node) {
  const ui_node_t *n = &ui->nodes.items[node];
  shoal_assert(ui_can_focus(ui, n), "node %u cannot take the focus", node);
  if (n->kind == UI_BUTTON)
    press(ui, n);
  else if (n->kind == UI_CHECKBOX)
    ui_act(ui, n, &(widget_action_t){.kind = WIDGET_ACTION_TOGGLE});
  else if (n->kind == UI_LIST && ui->columns.list.rows[n->row] <= 1)
    select_adjacent_item(ui, n, 1);
  else if (n->kind == UI_LIST && get_selected(ui, n) > 0 && !is_disabled_item(ui, n, get_selected(ui, n)))
    press(ui, n);
  else if (n->kind == UI_DIALOGUE)
    ui_continue_dialogue(ui, n);
}

void ui_press(ui_o *ui, uint32_t node, const ui_input_t *in) {
  const ui_node_t *n = &ui->nodes.items[node];
  if (n->kind == UI_SLIDER)
    slide_to(ui, n, in->mouse_x);
  else if (n->kind == UI_ENTRY)
    ui_set_entry_cursor(ui, n, in->mouse_x, ui->desc.input->keys[225] || ui->desc.input->keys[229]);
}

void ui_drag(ui_o *ui, uint32_t node, const ui_input_t *in) {
  const ui_node_t *n = &ui->nodes.items[node];
  if (n->kind == UI_SLIDER && in->mouse_moved)
    slide_to(ui, n, in->mouse_x);
  else if (n->kind == UI_ENTRY && in->mouse_moved)
    ui_set_entry_cursor(ui, n, in->mouse_x, true);
}

void ui_release(ui_o *ui, uint32_t node, const ui_input_t *in) {
  const ui_node_t *n = &ui->nodes.items[node];
  if (n->kind == UI_LIST && ui->columns.list.rows[n->row] <= 1) {
    float right = n->x + n->width - ui_get_look(ui, n)->padding;
    select_adjacent_item(ui, n, in->mouse_x < (ui_compute_stepper_left(ui, n) + right) / 2 ? -1 : 1);
  } else if (n->kind == UI_LIST) {
    if (select_item(ui, n, find_item_at(ui, n, in->mouse_y)))
      press(ui, n);
  } else if (n->kind == UI_DIALOGUE) {
    ui_click_dialogue(ui, n, in->mouse_y);
  } else if (n->kind != UI_SLIDER) {
    ui_accept(ui, node);
  }
}

void ui_handle_wheel(ui_o *ui, uint32_t node, float notches) {
  const ui_node_t *n = &ui->nodes.items[node];
  if (n->kind == UI_LIST && ui->columns.list.rows[n->row] > 1) {
    uint32_t count = count_items(ui, n), rows = ui_count_visible_rows(ui, n),
             *first_row = &ui->columns.list.first[n->row];
    int64_t max_first_row = count > rows ? (int64_t)(count - rows) + 1 : 1;
    int64_t new_first_row = (int64_t)*first_row - (int64_t)fmaxf(fminf(roundf(notches * 3), 1e6f), -1e6f);
    *first_row = (uint32_t)(new_first_row < 1 ? 1 : new_first_row > max_first_row ? max_first_row : new_first_row);
  } else if (n->kind == UI_SLIDER) {
    slide_by(ui, n, notches > 0 ? 1 : -1);
  }
}

bool ui_step_horizontally(ui_o *ui, uint32_t node, int step) {
  const ui_node_t *n = &ui->nodes.items[node];
  if (n->kind == UI_SLIDER)
    slide_by(ui, n, step);
  else if (n->kind == UI_LIST && ui->columns.list.rows[n->row] <= 1)
    select_adjacent_item(ui, n, step);
  else
    return false;
  return true;
}

bool ui_step_vertically(ui_o *ui, uint32_t node, int step) {
  const ui_node_t *n = &ui->nodes.items[node];
  if (n->kind == UI_LIST && ui->columns.list.rows[n->row] > 1) {
    int64_t count = count_items(ui, n), item = (int64_t)get_selected(ui, n) + step;
    while (item >= 1 && item <= count && !select_item(ui, n, (uint32_t)item))
      item += step;
    return item >= 1 && item <= count;
  }
  return n->kind == UI_DIALOGUE && ui_move_choice(ui, n, step);
}
