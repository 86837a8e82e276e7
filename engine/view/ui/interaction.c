// Handles player input to widgets: focus, keys and pointer.
#include "ui/interaction.h"

#include "base/assert.h"
#include "ui/actions.h"
#include "ui/apply_action.h"
#include "ui/controls.h"
#include "ui/text_entry.h"
#include "ui/events.h"
#include "ui/machine.h"
#include "ui/measure.h"
#include "ui/scroll.h"
#include "ui/tree.h"

#include <math.h>
#include <string.h>

#define REPEAT_DELAY_S 0.4
#define REPEAT_INTERVAL_S 0.06
#define SCROLL_STEP 60.0f   // scroll distance per key press or wheel notch, in pixels
#define SCROLL_SPEED 600.0f // scroll speed in pixels per second

// --- input

static bool is_action_held(const ui_o *ui, uint32_t action, const input_state_t *sample, int32_t player) {
  for (uint32_t i = 0; i < ui->binding_count[action]; ++i)
    if (fabsf(input_value(sample, &ui->bindings[action][i], player)) > 0.5f)
      return true;
  return false;
}

bool ui_is_held_by_pad(const ui_o *ui, uint32_t action, int32_t player) {
  for (uint32_t i = 0; i < ui->binding_count[action]; ++i) {
    const input_binding_t *b = &ui->bindings[action][i];
    bool is_pad = b->device == INPUT_PAD_BUTTON || b->device == INPUT_PAD_AXIS;
    if (is_pad && fabsf(input_value(ui->desc.input, b, player)) > 0.5f)
      return true;
  }
  return false;
}

#define SCANCODE_LEFT_SHIFT 225
#define SCANCODE_RIGHT_SHIFT 229

// Returns true if the player uses the mouse and the keyboard bindings without a player number ("key:w", not "key2:w").
// Both belong to the first local player.
static bool has_keyboard(int32_t player) {
  return player <= 0;
}

static void read_pointer(const ui_o *ui, ui_input_t *in) {
  const input_state_t *current = ui->desc.input, *previous = ui->desc.input_before;
  in->mouse_x = current->mouse_x;
  in->mouse_y = current->mouse_y;
  in->wheel = current->wheel;
  in->mouse_down = current->mouse_buttons[1] != 0;
  in->mouse_pressed = in->mouse_down && !previous->mouse_buttons[1];
  in->mouse_released = !in->mouse_down && previous->mouse_buttons[1];
  in->mouse_moved = current->mouse_x != previous->mouse_x || current->mouse_y != previous->mouse_y;
}

static void read_input(const ui_o *ui, ui_input_t *in, double dt_s, int32_t player) {
  const input_state_t *current = ui->desc.input, *previous = ui->desc.input_before;
  double elapsed_s = dt_s > 0 ? dt_s : current->paused_ms / 1000.0;
  *in = (ui_input_t){.dt_s = elapsed_s, .player = player};
  for (uint32_t i = 0; i < UI_ACTION_COUNT; ++i) {
    in->held[i] = is_action_held(ui, i, current, player);
    in->pressed[i] = in->held[i] && !is_action_held(ui, i, previous, player);
    in->repeats[i] = in->pressed[i];
  }
  if (has_keyboard(player))
    read_pointer(ui, in);
  if (in->pressed[UI_NEXT] && has_keyboard(player) &&
      (current->keys[SCANCODE_LEFT_SHIFT] || current->keys[SCANCODE_RIGHT_SHIFT])) {
    in->pressed[UI_NEXT] = false;
    in->pressed[UI_PREVIOUS] = true;
  }
}

// Adds the key repeats of the four directions. The focused widget stores how long a direction has been held (held_s).
static void add_key_repeats(ui_o *ui, uint32_t focus, ui_input_t *in) {
  static const ui_action_t REPEATED[] = {UI_UP, UI_DOWN, UI_LEFT, UI_RIGHT};
  bool is_held = false;
  if (focus == UI_NO_NODE)
    return;
  float *hold_time = &ui->columns.widget.held_s[ui->nodes.items[focus].widget];
  for (uint32_t i = 0; i < sizeof REPEATED / sizeof *REPEATED; ++i)
    is_held |= in->held[REPEATED[i]];
  if (ui_is_scroll_bar_held(ui, &ui->nodes.items[focus]))
    return;
  double previous_s = fmax(*hold_time, 0), current_s = is_held ? previous_s + in->dt_s : 0;
  *hold_time = (float)(current_s < 1e4 ? current_s : REPEAT_DELAY_S);
  if (current_s < REPEAT_DELAY_S)
    return;
  double first_s = previous_s > REPEAT_DELAY_S ? previous_s - REPEAT_DELAY_S : 0, last_s = current_s - REPEAT_DELAY_S;
  int repeat_count = (int)(floor(last_s / REPEAT_INTERVAL_S) - floor(first_s / REPEAT_INTERVAL_S));
  for (uint32_t i = 0; i < sizeof REPEATED / sizeof *REPEATED; ++i)
    in->repeats[REPEATED[i]] += in->held[REPEATED[i]] ? repeat_count : 0;
}

// --- focus

// The nodes that accept input. If there are modal roots, only the topmost of them can have the focus, and only this
// root and the roots above it accept the pointer.
typedef struct ui_scope_t {
  uint32_t first, end; // range of nodes that accept the pointer
  bool modal;
} ui_scope_t;

static ui_scope_t find_scope(const ui_o *ui) {
  ui_scope_t scope = {.end = ui->nodes.count};
  for (uint32_t i = 0; i < ui->nodes.count; i = ui->nodes.items[i].end)
    if (ui_is_modal(ui, &ui->nodes.items[i]) && (!ui->machine || machine_can_use(ui, &ui->nodes.items[i])))
      scope = (ui_scope_t){i, ui->nodes.count, true};
  return scope;
}

// Returns true if the node hides nodes behind it from the pointer: a dialogue, or a panel with a visible box that is a
// root or has a style.
static bool blocks_pointer(const ui_o *ui, const ui_node_t *n) {
  return n->kind == UI_DIALOGUE ||
         (n->kind == UI_PANEL && (n->parent == UI_NO_NODE || ui->columns.panel.style[n->row] != 0) &&
          ui_get_look(ui, n)->fill[3] > 0);
}

static uint32_t find_node_at(const ui_o *ui, const ui_scope_t *scope, float x, float y) {
  for (uint32_t k = ui_find_target(ui, scope->end); k-- > 0 && ui->targets.items[k] >= scope->first;) {
    uint32_t i = ui->targets.items[k];
    const ui_node_t *n = &ui->nodes.items[i];
    if (ui_is_visible_at(ui, n, x, y) && (ui_can_focus(ui, n) || blocks_pointer(ui, n)))
      return i;
  }
  return UI_NO_NODE;
}

static bool accepts_keys(const ui_o *ui, const ui_node_t *n) {
  const ui_node_t *root = &ui->nodes.items[n->root];
  return root->kind != UI_PANEL || ui->columns.panel.keys[root->row];
}

// Returns true if the node is an enabled control and, in a match, confirmed by the host.
static bool can_use(const ui_o *ui, const ui_node_t *n) {
  return ui_can_focus(ui, n) && machine_is_confirmed(ui, n->entity);
}

// Returns true if the node can have the focus, now or once the host has confirmed it.
static bool is_focusable(const ui_o *ui, const ui_scope_t *scope, uint32_t i) {
  const ui_node_t *n = &ui->nodes.items[i];
  bool is_in_scope = !scope->modal || n->root == scope->first;
  return i >= scope->first && is_in_scope && ui_can_focus(ui, n);
}

static bool can_focus(const ui_o *ui, const ui_scope_t *scope, uint32_t i) {
  const ui_node_t *n = &ui->nodes.items[i];
  return is_focusable(ui, scope, i) && accepts_keys(ui, n) && can_use(ui, n);
}

static void clear_column(uint8_t *column, uint32_t count) {
  memset(column, 0, count);
}

static void remove_focus(ui_o *ui) {
  clear_column(ui->columns.widget.focused, ui->managers.widget->count);
  clear_column(ui->columns.widget.had_focus, ui->managers.widget->count);
}

static void set_focus(ui_o *ui, uint32_t node, bool audible) {
  shoal_assert(node < ui->nodes.count && can_use(ui, &ui->nodes.items[node]), "node %u cannot take the focus", node);
  const ui_node_t *n = &ui->nodes.items[node], *root = &ui->nodes.items[n->root];
  float repeat = 0;
  // Transfer the previous focus's key repeat to the node.
  for (uint32_t row = 0; row < ui->managers.widget->count; ++row)
    repeat = ui->columns.widget.focused[row] ? fmaxf(ui->columns.widget.held_s[row], 0) : repeat;
  remove_focus(ui);
  ui->columns.widget.focused[n->widget] = ui->columns.widget.had_focus[n->widget] = 1;
  ui->columns.widget.held_s[n->widget] = repeat;
  if (root->kind == UI_PANEL)
    ui->columns.panel.last[root->row] = n->entity;
  ui_act(ui, n, &(widget_action_t){.kind = WIDGET_ACTION_FOCUS});
  if (audible)
    ui_play_sound(ui, ui->theme.palette.focus);
}

// Returns the first row from `row` on whose value in a column of `widget` is true; the number of rows if all are false.
static uint32_t find_true(const ui_o *ui, const uint8_t *column, uint32_t row) {
  uint32_t count = ui->managers.widget->count;
  const uint8_t *found = row < count ? memchr(column + row, 1, count - row) : NULL;
  return found ? (uint32_t)(found - column) : count;
}

// Returns true if a widget is of a kind that can have the focus (ui_can_focus). A screen with thousands of labels often
// has no such widget.
static bool has_controls(const ui_o *ui) {
  static const ui_kind_t KINDS[] = {UI_BUTTON, UI_SLIDER, UI_CHECKBOX, UI_LIST, UI_ENTRY, UI_DIALOGUE};
  uint32_t count = 0;
  for (uint32_t i = 0; i < sizeof KINDS / sizeof *KINDS; ++i)
    count += ui->managers.kinds[KINDS[i]]->count;
  return count > 0;
}

// Returns the focused node; UI_NO_NODE if no node in the scope has the focus. A focus set by a script takes precedence
// over the previous focus.
static uint32_t find_focus(ui_o *ui, const ui_scope_t *scope) {
  uint32_t focus = UI_NO_NODE;
  if (!has_controls(ui))
    return UI_NO_NODE;
  for (uint32_t k = ui_find_target(ui, scope->first); k < ui->targets.count && ui->targets.items[k] < scope->end; ++k) {
    uint32_t i = ui->targets.items[k];
    const ui_node_t *n = &ui->nodes.items[i];
    bool is_requested = ui->columns.widget.focused[n->widget], has_focus = ui->columns.widget.had_focus[n->widget];
    bool is_allowed = is_requested && is_focusable(ui, scope, i) && can_use(ui, n);
    if (!has_focus && is_allowed) {
      set_focus(ui, i, false);
      ui_scroll_to_node(ui, i);
      return i;
    }
    focus = is_allowed ? i : focus;
  }
  return focus;
}

// Returns the node that gets the focus if find_focus returns UI_NO_NODE. This is an unconfirmed node for which a script
// has requested the focus. If there is no such node, it is a node in the topmost root that accepts keys: the node that
// last had the focus or, if no node had it, the first node. Returns UI_NO_NODE if no node can have the focus.
static uint32_t find_first_focus(ui_o *ui, const ui_scope_t *scope) {
  uint32_t focus = UI_NO_NODE, root = UI_NO_NODE;
  if (!has_controls(ui))
    return UI_NO_NODE;
  for (uint32_t k = ui_find_target(ui, scope->first); k < ui->targets.count && ui->targets.items[k] < scope->end; ++k) {
    uint32_t i = ui->targets.items[k];
    const ui_node_t *n = &ui->nodes.items[i], *root_node = &ui->nodes.items[n->root];
    if (!is_focusable(ui, scope, i))
      continue;
    if (ui->columns.widget.focused[n->widget])
      return i;
    if (!accepts_keys(ui, n))
      continue;
    bool is_last = root_node->kind == UI_PANEL && ui->columns.panel.last[root_node->row] == n->entity;
    if (n->root != root || is_last)
      focus = i, root = n->root;
  }
  return focus;
}

static uint32_t restore_focus(ui_o *ui, const ui_scope_t *scope) {
  uint32_t focus = find_focus(ui, scope);
  bool is_lost = focus == UI_NO_NODE;
  // If a script has removed the focus, no widget gets it.
  const uint8_t *had_focus = ui->columns.widget.had_focus;
  uint32_t count = is_lost ? ui->managers.widget->count : 0;
  for (uint32_t row = find_true(ui, had_focus, 0); row < count; row = find_true(ui, had_focus, row + 1))
    if (!ui->columns.widget.focused[row])
      return UI_NO_NODE;
  if (!is_lost)
    return focus;
  focus = find_first_focus(ui, scope);
  if (focus == UI_NO_NODE)
    remove_focus(ui);
  else if (can_use(ui, &ui->nodes.items[focus]))
    set_focus(ui, focus, false);
  else // until this node is confirmed, no other node gets the focus
    return UI_NO_NODE;
  return focus;
}

// --- keyboard input

// Returns the nearest focusable widget in a direction; with `wraps`, the farthest widget in the opposite direction.
// Left and right stay in the row of widgets as long as it continues.
static uint32_t find_nearest(const ui_o *ui, const ui_scope_t *scope, uint32_t start_node, float dx, float dy,
                             bool wraps) {
  const ui_node_t *start = &ui->nodes.items[start_node];
  uint32_t nearest = UI_NO_NODE;
  float best_cost = INFINITY, start_x = start->x + start->width / 2, start_y = start->y + start->height / 2;
  for (uint32_t i = scope->first; i < scope->end; ++i) {
    const ui_node_t *candidate = &ui->nodes.items[i];
    if (i == start_node || !can_focus(ui, scope, i))
      continue;
    float offset_x = candidate->x + candidate->width / 2 - start_x,
          offset_y = candidate->y + candidate->height / 2 - start_y;
    float distance = offset_x * dx + offset_y * dy, offset = fabsf(offset_x * dy) + fabsf(offset_y * dx);
    float overlap =
        dx != 0 ? fminf(start->y + start->height, candidate->y + candidate->height) - fmaxf(start->y, candidate->y)
                : fminf(start->x + start->width, candidate->x + candidate->width) - fmaxf(start->x, candidate->x);
    if (wraps ? distance >= 0 || overlap <= 0 : distance <= 0.5f)
      continue;
    float cost = distance + (overlap > 0 ? 0 : dx != 0 ? 1e6f + 2 * offset : 2 * offset + 50) + 0.01f * offset;
    if (cost < best_cost)
      best_cost = cost, nearest = i;
  }
  return nearest;
}

static uint32_t find_next_in_order(const ui_o *ui, const ui_scope_t *scope, uint32_t start_node, int step) {
  uint32_t count = scope->end - scope->first, index = start_node == UI_NO_NODE ? 0 : start_node - scope->first;
  for (uint32_t i = 0; i < count; ++i) {
    index = step > 0 ? (index + 1) % count : (index + count - 1) % count;
    if (can_focus(ui, scope, scope->first + index))
      return scope->first + index;
  }
  return UI_NO_NODE;
}

static uint32_t move_focus_towards(ui_o *ui, const ui_scope_t *scope, uint32_t focus, float dx, float dy,
                                   bool is_repeat) {
  uint32_t target = find_nearest(ui, scope, focus, dx, dy, false), scroller = ui->nodes.items[focus].scroller;
  if (target == UI_NO_NODE && dy != 0 && scroller != UI_NO_NODE && ui_scroll_panel(ui, scroller, dy * SCROLL_STEP))
    return focus;
  if (target == UI_NO_NODE && !is_repeat)
    target = find_nearest(ui, scope, focus, dx, dy, true);
  if (target == UI_NO_NODE)
    return focus;
  set_focus(ui, target, true);
  ui_scroll_to_node(ui, target);
  return target;
}

static uint32_t move_focus(ui_o *ui, const ui_scope_t *scope, uint32_t focus, const ui_input_t *in) {
  bool is_entry = focus != UI_NO_NODE && ui->nodes.items[focus].kind == UI_ENTRY;
  // Left and right move the cursor in an entry, except on a pad, which does not edit text.
  bool keeps_left = is_entry && !ui_is_held_by_pad(ui, UI_LEFT, in->player);
  bool keeps_right = is_entry && !ui_is_held_by_pad(ui, UI_RIGHT, in->player);
  // If no widget has the focus (a script may have removed it), the keys for next and down set it.
  if (focus == UI_NO_NODE) {
    bool sets_focus = scope->end > scope->first && (in->pressed[UI_NEXT] || in->pressed[UI_DOWN]);
    focus = sets_focus ? find_next_in_order(ui, scope, scope->end - 1, 1) : UI_NO_NODE;
    if (focus != UI_NO_NODE)
      set_focus(ui, focus, true);
    return focus;
  }
  for (int i = 0; i < in->repeats[UI_UP]; ++i)
    if (!ui_step_vertically(ui, focus, -1))
      focus = move_focus_towards(ui, scope, focus, 0, -1, !in->pressed[UI_UP]);
  for (int i = 0; i < in->repeats[UI_DOWN]; ++i)
    if (!ui_step_vertically(ui, focus, 1))
      focus = move_focus_towards(ui, scope, focus, 0, 1, !in->pressed[UI_DOWN]);
  for (int i = 0; !keeps_left && i < in->repeats[UI_LEFT]; ++i)
    if (!ui_step_horizontally(ui, focus, -1))
      focus = move_focus_towards(ui, scope, focus, -1, 0, !in->pressed[UI_LEFT]);
  for (int i = 0; !keeps_right && i < in->repeats[UI_RIGHT]; ++i)
    if (!ui_step_horizontally(ui, focus, 1))
      focus = move_focus_towards(ui, scope, focus, 1, 0, !in->pressed[UI_RIGHT]);
  int step = in->pressed[UI_NEXT] ? 1 : in->pressed[UI_PREVIOUS] ? -1 : 0;
  uint32_t target = step != 0 ? find_next_in_order(ui, scope, focus, step) : focus;
  if (target != focus && target != UI_NO_NODE) {
    set_focus(ui, focus = target, true);
    ui_scroll_to_node(ui, target);
  }
  return focus;
}

// Returns the root that receives the keys: the modal root or the root of the focus; UI_NO_NODE if neither exists.
static uint32_t find_key_root(const ui_o *ui, const ui_scope_t *scope, uint32_t focus) {
  return scope->modal ? scope->first : focus != UI_NO_NODE ? ui->nodes.items[focus].root : UI_NO_NODE;
}

static void press_cancel(ui_o *ui, uint32_t root) {
  if (root == UI_NO_NODE)
    return;
  for (uint32_t i = root; i < ui->nodes.items[root].end; ++i) {
    const ui_node_t *n = &ui->nodes.items[i];
    if (n->kind != UI_BUTTON || !ui->columns.button.cancel[n->row] || !ui_can_focus(ui, n))
      continue;
    if (can_use(ui, n))
      ui_accept(ui, i);
    return;
  }
  ui_act(ui, &ui->nodes.items[root], &(widget_action_t){.kind = WIDGET_ACTION_CANCEL});
}

// Presses the first button for which the game declares an action (`presses` in input.lua) that has just been pressed.
static void press_button_of_action(ui_o *ui, uint32_t root, const ui_input_t *in) {
  uint32_t end = root == UI_NO_NODE ? 0 : ui->nodes.items[root].end;
  for (uint32_t k = ui_find_target(ui, root); k < ui->targets.count && ui->targets.items[k] < end; ++k) {
    uint32_t i = ui->targets.items[k];
    const ui_node_t *n = &ui->nodes.items[i];
    if (n->kind == UI_BUTTON && ui_can_focus(ui, n) &&
        actions_press_button(ui, ui_get_text(ui, ui->columns.button.emits[n->row]), in->player)) {
      ui_accept(ui, i);
      return;
    }
  }
}

// Scrolls the first scrollable panel with the up and down keys. Called if no widget has the focus.
static void scroll_by_keys(ui_o *ui, const ui_scope_t *scope, const ui_input_t *in) {
  float distance = SCROLL_SPEED * (float)in->dt_s * ((in->held[UI_DOWN] ? 1.0f : 0) - (in->held[UI_UP] ? 1.0f : 0));
  for (uint32_t i = scope->first; distance != 0 && i < scope->end; ++i)
    if (ui->nodes.items[i].overflow > UI_MIN_OVERFLOW && accepts_keys(ui, &ui->nodes.items[i]) &&
        ui_scroll_panel(ui, i, distance))
      return;
}

static void handle_keys(ui_o *ui, const ui_scope_t *scope, uint32_t focus, ui_input_t *in) {
  add_key_repeats(ui, focus, in);
  if (focus == UI_NO_NODE)
    scroll_by_keys(ui, scope, in);
  focus = move_focus(ui, scope, focus, in);
  if (focus != UI_NO_NODE && ui->nodes.items[focus].kind == UI_ENTRY && has_keyboard(in->player))
    ui_edit_text(ui, focus, in);
  else if (focus != UI_NO_NODE && ui->nodes.items[focus].kind == UI_ENTRY)
    ui_open_keyboard(ui, focus, in);
  else if (focus != UI_NO_NODE && in->pressed[UI_ACCEPT])
    ui_accept(ui, focus);
  if (in->pressed[UI_BACK]) // handled even if an action has the same key, so that the key presses only one button
    press_cancel(ui, find_key_root(ui, scope, focus));
  else if (!in->pressed[UI_ACCEPT])
    press_button_of_action(ui, find_key_root(ui, scope, focus), in);
}

// --- pointer input

static uint32_t find_pressed(const ui_o *ui) {
  const uint8_t *held = ui->columns.widget.held;
  uint32_t first = UI_NO_NODE, count = ui->managers.widget->count;
  for (uint32_t row = find_true(ui, held, 0); row < count; row = find_true(ui, held, row + 1))
    first = ui->row_nodes.items[row] < first ? ui->row_nodes.items[row] : first;
  return first;
}

// Returns true if the pointer moves the focus to this node by hovering. Entries and scrolling lists need a click.
static bool focus_follows_pointer(const ui_o *ui, const ui_node_t *n) {
  return n->kind != UI_ENTRY && (n->kind != UI_LIST || ui->columns.list.rows[n->row] <= 1);
}

// Handles scroll bars, which take precedence over the contents of their panel. Returns true if the pointer is over a
// scroll bar or is dragging a scroll bar.
static bool handle_scroll_bar(ui_o *ui, const ui_scope_t *scope, const ui_input_t *in, uint32_t hovered,
                              uint32_t pressed) {
  bool is_dragging = pressed != UI_NO_NODE && ui_is_scroll_bar_held(ui, &ui->nodes.items[pressed]);
  uint32_t bar = is_dragging ? pressed : UI_NO_NODE;
  if (pressed == UI_NO_NODE)
    bar = ui_find_scroll_bar_at(ui, scope->first, scope->end, hovered, in->mouse_x, in->mouse_y);
  if (bar == UI_NO_NODE)
    return false;
  ui->captured |= UI_CAPTURES_MOUSE;
  if (is_dragging && in->mouse_down) {
    ui_drag_scroll_bar(ui, bar, ui->desc.input_before->mouse_y, in->mouse_y);
  } else if (is_dragging) {
    ui_set_scroll_bar_held(ui, &ui->nodes.items[bar], false);
  } else if (in->mouse_pressed) {
    ui_set_scroll_bar_held(ui, &ui->nodes.items[bar], true);
    ui_press_scroll_bar(ui, bar, in->mouse_y);
  }
  return true;
}

static void handle_wheel(ui_o *ui, const ui_scope_t *scope, const ui_input_t *in, uint32_t hovered) {
  bool is_control = hovered != UI_NO_NODE && can_use(ui, &ui->nodes.items[hovered]);
  uint32_t scroller = ui_find_scroller_at(ui, scope->first, scope->end, in->mouse_x, in->mouse_y);
  if (scroller != UI_NO_NODE)
    ui->captured |= UI_CAPTURES_MOUSE;
  bool uses_control = is_control && (ui->nodes.items[hovered].kind == UI_LIST || scroller == UI_NO_NODE);
  if (in->wheel != 0 && uses_control)
    ui_handle_wheel(ui, hovered, in->wheel);
  else if (in->wheel != 0 && scroller != UI_NO_NODE)
    ui_scroll_panel(ui, scroller, -in->wheel * SCROLL_STEP);
}

// Returns true if keys or a pad have moved the focus away from the control under a resting pointer. The control is then
// not highlighted, so that only one control seems to be selected.
static bool is_left_for_keys(const ui_o *ui, const ui_input_t *in, uint32_t hovered, uint32_t focus) {
  return !in->mouse_moved && !in->mouse_pressed && focus != UI_NO_NODE && hovered != focus &&
         focus_follows_pointer(ui, &ui->nodes.items[hovered]);
}

static void handle_pointer(ui_o *ui, const ui_scope_t *scope, const ui_input_t *in, uint32_t focus) {
  uint32_t hovered = find_node_at(ui, scope, in->mouse_x, in->mouse_y), pressed = find_pressed(ui),
           count = ui->managers.widget->count;
  bool is_control = hovered != UI_NO_NODE && can_use(ui, &ui->nodes.items[hovered]);
  clear_column(ui->columns.widget.hovered, count);
  handle_wheel(ui, scope, in, hovered);
  if (handle_scroll_bar(ui, scope, in, hovered, pressed))
    return;
  if (is_control && pressed == UI_NO_NODE && !is_left_for_keys(ui, in, hovered, focus))
    ui->columns.widget.hovered[ui->nodes.items[hovered].widget] = 1;
  if (hovered != UI_NO_NODE || pressed != UI_NO_NODE)
    ui->captured |= UI_CAPTURES_MOUSE;
  bool is_editing = focus != UI_NO_NODE && ui->nodes.items[focus].kind == UI_ENTRY;
  bool follows_pointer = in->mouse_moved && !is_editing && pressed == UI_NO_NODE && is_control &&
                         focus_follows_pointer(ui, &ui->nodes.items[hovered]);
  if (is_control && hovered != focus && (in->mouse_pressed || follows_pointer) && can_focus(ui, scope, hovered))
    set_focus(ui, hovered, follows_pointer);
  if (is_control && in->mouse_pressed) {
    ui->columns.widget.held[ui->nodes.items[hovered].widget] = 1;
    ui_press(ui, hovered, in);
  } else if (pressed != UI_NO_NODE && in->mouse_down) {
    ui_drag(ui, pressed, in);
  } else if (pressed != UI_NO_NODE) {
    clear_column(ui->columns.widget.held, count);
    if (pressed == hovered && in->mouse_released)
      ui_release(ui, pressed, in);
  }
}

static void update_captured_input(ui_o *ui, const ui_scope_t *scope, uint32_t focus) {
  bool is_dialogue = scope->modal && ui->nodes.items[scope->first].kind == UI_DIALOGUE;
  ui->captured = is_dialogue ? UI_CAPTURES_DIALOGUE : scope->modal ? UI_CAPTURES_ALL : 0;
  ui->is_entry_focused = focus != UI_NO_NODE && ui->nodes.items[focus].kind == UI_ENTRY;
  if (ui->is_entry_focused)
    ui->captured |= UI_CAPTURES_KEYS;
}

void ui_interact(ui_o *ui, double dt_s, int32_t player) {
  ui_input_t in;
  read_input(ui, &in, dt_s, player);
  ui_scope_t scope = find_scope(ui);
  shoal_assert(scope.first <= scope.end, "the focus scope must not end before it begins: nodes %u to %u", scope.first,
               scope.end);
  uint32_t focus = restore_focus(ui, &scope);
  update_captured_input(ui, &scope, focus);
  if (actions_are_rebound(ui->world, ui->actions)) // widgets ignore input while a key is rebound
    return;
  if (has_keyboard(player))
    handle_pointer(ui, &scope, &in, focus);
  focus = find_focus(ui, &scope);
  handle_keys(ui, &scope, focus, &in);
}
