// Handles player input to widgets: focus, keys and pointer.
#include "ui/interaction.h"

#include "base/assert.h"
#include "ui/controls.h"
#include "ui/text_entry.h"
#include "ui/events.h"
#include "ui/measure.h"
#include "ui/scroll.h"
#include "ui/tree.h"

#include <math.h>
#include <string.h>

#define REPEAT_AFTER_S 0.4
#define REPEAT_EVERY_S 0.06
#define SCROLL_BY 60.0f     // scroll distance per key press or wheel notch, in pixels
#define SCROLL_SPEED 600.0f // scroll speed in pixels per second

// --- input

static bool is_action_held(const ui_o *ui, uint32_t action, const input_state_t *sample) {
  for (uint32_t i = 0; i < ui->binding_count[action]; ++i)
    if (fabsf(input_value(sample, &ui->bindings[action][i], -1)) > 0.5f)
      return true;
  return false;
}

#define SCANCODE_LEFT_SHIFT 225
#define SCANCODE_RIGHT_SHIFT 229

static void read_input(const ui_o *ui, ui_input_t *in, double dt_s) {
  const input_state_t *now = ui->desc.input, *before = ui->desc.input_before;
  double passed_s = dt_s > 0 ? dt_s : now->paused_ms / 1000.0;
  *in = (ui_input_t){.dt_s = passed_s, .mouse_x = now->mouse_x, .mouse_y = now->mouse_y, .wheel = now->wheel};
  for (uint32_t i = 0; i < UI_ACTIONS; ++i) {
    in->down[i] = is_action_held(ui, i, now);
    in->pressed[i] = in->down[i] && !is_action_held(ui, i, before);
    in->repeats[i] = in->pressed[i];
  }
  if (in->pressed[UI_NEXT] && (now->keys[SCANCODE_LEFT_SHIFT] || now->keys[SCANCODE_RIGHT_SHIFT])) {
    in->pressed[UI_NEXT] = false;
    in->pressed[UI_PREVIOUS] = true;
  }
  in->mouse_down = now->mouse_buttons[1] != 0;
  in->mouse_pressed = in->mouse_down && !before->mouse_buttons[1];
  in->mouse_released = !in->mouse_down && before->mouse_buttons[1];
  in->mouse_moved = now->mouse_x != before->mouse_x || now->mouse_y != before->mouse_y;
}

// Adds the key repeats of the four directions. The focused widget stores how long a direction has been held (held_s).
static void add_key_repeats(ui_o *ui, uint32_t focus, ui_input_t *in) {
  static const ui_action_t REPEATED[] = {UI_UP, UI_DOWN, UI_LEFT, UI_RIGHT};
  bool any = false;
  if (focus == UI_NO_NODE)
    return;
  float *held = &ui->columns.widget.held_s[ui->nodes.items[focus].widget];
  for (uint32_t i = 0; i < sizeof REPEATED / sizeof *REPEATED; ++i)
    any |= in->down[REPEATED[i]];
  if (ui_is_scroll_bar_held(ui, &ui->nodes.items[focus]))
    return;
  double before = fmax(*held, 0), after = any ? before + in->dt_s : 0;
  *held = (float)(after < 1e4 ? after : REPEAT_AFTER_S);
  if (after < REPEAT_AFTER_S)
    return;
  double from = before > REPEAT_AFTER_S ? before - REPEAT_AFTER_S : 0, to = after - REPEAT_AFTER_S;
  int times = (int)(floor(to / REPEAT_EVERY_S) - floor(from / REPEAT_EVERY_S));
  for (uint32_t i = 0; i < sizeof REPEATED / sizeof *REPEATED; ++i)
    in->repeats[REPEATED[i]] += in->down[REPEATED[i]] ? times : 0;
}

// --- focus

// The nodes that accept input. If there are modal roots, only the topmost of them can have the focus, and only this
// root and the roots above it accept the pointer.
typedef struct ui_scope_t {
  uint32_t first, end; // range of nodes that accept the pointer
  bool modal;
} ui_scope_t;

static ui_scope_t find_scope(const ui_o *ui) {
  ui_scope_t s = {.end = ui->nodes.count};
  for (uint32_t i = 0; i < ui->nodes.count; i = ui->nodes.items[i].end)
    if (ui_is_modal(ui, &ui->nodes.items[i]))
      s = (ui_scope_t){i, ui->nodes.count, true};
  return s;
}

// Returns true if the node, a dialogue or a panel with a visible box, hides nodes behind it from the pointer.
static bool blocks_pointer(const ui_o *ui, const ui_node_t *n) {
  return n->kind == UI_DIALOGUE ||
         (n->kind == UI_PANEL && (n->parent == UI_NO_NODE || ui->columns.panel.style[n->row] != 0) &&
          ui_get_look(ui, n)->fill[3] > 0);
}

static uint32_t find_node_at(const ui_o *ui, const ui_scope_t *scope, float x, float y) {
  for (uint32_t i = scope->end; i-- > scope->first;) {
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

static bool can_focus(const ui_o *ui, const ui_scope_t *scope, uint32_t i) {
  const ui_node_t *n = &ui->nodes.items[i];
  bool inside = !scope->modal || n->root == scope->first;
  return i >= scope->first && inside && ui_can_focus(ui, n) && accepts_keys(ui, n);
}

static void remove_focus(ui_o *ui) {
  for (uint32_t row = 0; row < ui->managers.widget->count; ++row)
    ui->columns.widget.focused[row] = ui->columns.widget.had_focus[row] = 0;
}

static void set_focus(ui_o *ui, uint32_t node, bool audible) {
  shoal_assert(node < ui->nodes.count && ui_can_focus(ui, &ui->nodes.items[node]), "node %u cannot take the focus",
               node);
  const ui_node_t *n = &ui->nodes.items[node], *root = &ui->nodes.items[n->root];
  float repeat = 0;
  for (uint32_t row = 0; row < ui->managers.widget->count; ++row) // keep the key repeat running
    repeat = ui->columns.widget.focused[row] ? fmaxf(ui->columns.widget.held_s[row], 0) : repeat;
  remove_focus(ui);
  ui->columns.widget.focused[n->widget] = ui->columns.widget.had_focus[n->widget] = 1;
  ui->columns.widget.held_s[n->widget] = repeat;
  if (root->kind == UI_PANEL)
    ui->columns.panel.last[root->row] = n->entity;
  ui_emit(ui, "focused", n, 0, 0);
  if (audible)
    ui_play_sound(ui, ui->theme.palette.focus);
}

// Returns the focused node; UI_NO_NODE if no node in the scope has the focus. A focus set by a script takes precedence
// over the previous focus.
static uint32_t find_focus(ui_o *ui, const ui_scope_t *scope) {
  uint32_t had = UI_NO_NODE;
  for (uint32_t i = scope->first; i < scope->end; ++i) {
    const ui_node_t *n = &ui->nodes.items[i];
    bool requested = ui->columns.widget.focused[n->widget], has = ui->columns.widget.had_focus[n->widget];
    bool allowed =
        can_focus(ui, scope, i) || (requested && ui_can_focus(ui, n) && (!scope->modal || n->root == scope->first));
    if (requested && !has && allowed) {
      set_focus(ui, i, false);
      ui_scroll_to(ui, i);
      return i;
    }
    had = requested && has && allowed ? i : had;
  }
  return had;
}

static uint32_t find_first_focus(ui_o *ui, const ui_scope_t *scope) {
  uint32_t found = UI_NO_NODE, root = UI_NO_NODE;
  for (uint32_t i = scope->first; i < scope->end; ++i) {
    if (!can_focus(ui, scope, i))
      continue;
    const ui_node_t *n = &ui->nodes.items[i], *r = &ui->nodes.items[n->root];
    bool last = r->kind == UI_PANEL && ui->columns.panel.last[r->row] == n->entity;
    if (n->root != root || last)
      found = i, root = n->root;
  }
  return found;
}

static uint32_t restore_focus(ui_o *ui, const ui_scope_t *scope) {
  uint32_t focus = find_focus(ui, scope);
  bool dropped = focus == UI_NO_NODE;
  // If a script has removed the focus, no widget gets it.
  for (uint32_t row = 0; dropped && row < ui->managers.widget->count; ++row)
    if (ui->columns.widget.had_focus[row] && !ui->columns.widget.focused[row])
      return UI_NO_NODE;
  if (!dropped)
    return focus;
  focus = find_first_focus(ui, scope);
  if (focus != UI_NO_NODE)
    set_focus(ui, focus, false);
  else
    remove_focus(ui);
  return focus;
}

// --- keyboard input

static uint32_t find_nearest(const ui_o *ui, const ui_scope_t *scope, uint32_t from, float dx, float dy, bool wraps) {
  const ui_node_t *a = &ui->nodes.items[from];
  uint32_t best = UI_NO_NODE;
  float best_distance = INFINITY, ax = a->x + a->width / 2, ay = a->y + a->height / 2;
  for (uint32_t i = scope->first; i < scope->end; ++i) {
    const ui_node_t *b = &ui->nodes.items[i];
    if (i == from || !can_focus(ui, scope, i))
      continue;
    float bx = b->x + b->width / 2 - ax, by = b->y + b->height / 2 - ay;
    float along = bx * dx + by * dy, aside = fabsf(bx * dy) + fabsf(by * dx);
    float overlap = dx != 0 ? fminf(a->y + a->height, b->y + b->height) - fmaxf(a->y, b->y)
                            : fminf(a->x + a->width, b->x + b->width) - fmaxf(a->x, b->x);
    if (wraps ? along >= 0 || overlap <= 0 : along <= 0.5f)
      continue;
    float far = along + (overlap > 0 ? 0 : 2 * aside + 50) + 0.01f * aside;
    if (far < best_distance)
      best_distance = far, best = i;
  }
  return best;
}

static uint32_t find_next_in_order(const ui_o *ui, const ui_scope_t *scope, uint32_t from, int step) {
  uint32_t count = scope->end - scope->first, at = from == UI_NO_NODE ? 0 : from - scope->first;
  for (uint32_t i = 0; i < count; ++i) {
    at = step > 0 ? (at + 1) % count : (at + count - 1) % count;
    if (can_focus(ui, scope, scope->first + at))
      return scope->first + at;
  }
  return UI_NO_NODE;
}

static uint32_t move_focus_towards(ui_o *ui, const ui_scope_t *scope, uint32_t focus, float dx, float dy,
                                   bool repeated) {
  uint32_t to = find_nearest(ui, scope, focus, dx, dy, false), scroller = ui->nodes.items[focus].scroller;
  if (to == UI_NO_NODE && dy != 0 && scroller != UI_NO_NODE && ui_scroll(ui, scroller, dy * SCROLL_BY))
    return focus;
  if (to == UI_NO_NODE && !repeated)
    to = find_nearest(ui, scope, focus, dx, dy, true);
  if (to == UI_NO_NODE)
    return focus;
  set_focus(ui, to, true);
  ui_scroll_to(ui, to);
  return to;
}

static uint32_t move_focus(ui_o *ui, const ui_scope_t *scope, uint32_t focus, const ui_input_t *in) {
  bool writes = focus != UI_NO_NODE && ui->nodes.items[focus].kind == UI_ENTRY;
  // If no widget has the focus (a script may have removed it), the keys for next and down set it.
  if (focus == UI_NO_NODE) {
    bool restores = scope->end > scope->first && (in->pressed[UI_NEXT] || in->pressed[UI_DOWN]);
    focus = restores ? find_next_in_order(ui, scope, scope->end - 1, 1) : UI_NO_NODE;
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
  for (int i = 0; !writes && i < in->repeats[UI_LEFT]; ++i)
    if (!ui_step_horizontally(ui, focus, -1))
      focus = move_focus_towards(ui, scope, focus, -1, 0, !in->pressed[UI_LEFT]);
  for (int i = 0; !writes && i < in->repeats[UI_RIGHT]; ++i)
    if (!ui_step_horizontally(ui, focus, 1))
      focus = move_focus_towards(ui, scope, focus, 1, 0, !in->pressed[UI_RIGHT]);
  int step = in->pressed[UI_NEXT] ? 1 : in->pressed[UI_PREVIOUS] ? -1 : 0;
  uint32_t to = step != 0 ? find_next_in_order(ui, scope, focus, step) : focus;
  if (to != focus && to != UI_NO_NODE) {
    set_focus(ui, focus = to, true);
    ui_scroll_to(ui, to);
  }
  return focus;
}

static void press_cancel(ui_o *ui, const ui_scope_t *scope, uint32_t focus) {
  uint32_t root = scope->modal ? scope->first : focus != UI_NO_NODE ? ui->nodes.items[focus].root : UI_NO_NODE;
  if (root == UI_NO_NODE)
    return;
  for (uint32_t i = root; i < ui->nodes.items[root].end; ++i) {
    const ui_node_t *n = &ui->nodes.items[i];
    if (n->kind == UI_BUTTON && ui->columns.button.cancel[n->row] && ui_can_focus(ui, n)) {
      ui_accept(ui, i);
      return;
    }
  }
  ui_emit(ui, "cancelled", &ui->nodes.items[root], 0, 0);
}

// Scrolls the first scrollable panel with the up and down keys. Called if no widget has the focus.
static void scroll_by_keys(ui_o *ui, const ui_scope_t *scope, const ui_input_t *in) {
  float by = SCROLL_SPEED * (float)in->dt_s * ((in->down[UI_DOWN] ? 1.0f : 0) - (in->down[UI_UP] ? 1.0f : 0));
  for (uint32_t i = scope->first; by != 0 && i < scope->end; ++i)
    if (ui->nodes.items[i].over > UI_SCROLLS && accepts_keys(ui, &ui->nodes.items[i]) && ui_scroll(ui, i, by))
      return;
}

static void handle_keys(ui_o *ui, const ui_scope_t *scope, uint32_t focus, ui_input_t *in) {
  add_key_repeats(ui, focus, in);
  if (focus == UI_NO_NODE)
    scroll_by_keys(ui, scope, in);
  focus = move_focus(ui, scope, focus, in);
  if (focus != UI_NO_NODE && ui->nodes.items[focus].kind == UI_ENTRY)
    ui_edit_text(ui, focus, in);
  else if (focus != UI_NO_NODE && in->pressed[UI_ACCEPT])
    ui_accept(ui, focus);
  if (in->pressed[UI_BACK])
    press_cancel(ui, scope, focus);
}

// --- pointer input

static uint32_t find_pressed(const ui_o *ui) {
  for (uint32_t i = 0; i < ui->nodes.count; ++i)
    if (ui->columns.widget.held[ui->nodes.items[i].widget])
      return i;
  return UI_NO_NODE;
}

static void clear_column(uint8_t *column, uint32_t count) {
  memset(column, 0, count);
}

// Returns true if the pointer moves the focus to this node by hovering. Entries and scrolling lists need a click.
static bool focus_follows_pointer(const ui_o *ui, const ui_node_t *n) {
  return n->kind != UI_ENTRY && (n->kind != UI_LIST || ui->columns.list.rows[n->row] <= 1);
}

// Handles scroll bars, which take precedence over the contents of their panel. Returns true if the pointer is over a
// scroll bar or is dragging one.
static bool handle_scroll_bar(ui_o *ui, const ui_scope_t *scope, const ui_input_t *in, uint32_t at, uint32_t held) {
  bool drags = held != UI_NO_NODE && ui_is_scroll_bar_held(ui, &ui->nodes.items[held]);
  uint32_t bar = drags ? held : UI_NO_NODE;
  if (held == UI_NO_NODE)
    bar = ui_find_scroll_bar_at(ui, scope->first, scope->end, at, in->mouse_x, in->mouse_y);
  if (bar == UI_NO_NODE)
    return false;
  ui->captured |= UI_CAPTURES_MOUSE;
  if (drags && in->mouse_down) {
    ui_drag_scroll_bar(ui, bar, ui->desc.input_before->mouse_y, in->mouse_y);
  } else if (drags) {
    ui_set_scroll_bar_held(ui, &ui->nodes.items[bar], false);
  } else if (in->mouse_pressed) {
    ui_set_scroll_bar_held(ui, &ui->nodes.items[bar], true);
    ui_press_scroll_bar(ui, bar, in->mouse_y);
  }
  return true;
}

static void handle_wheel(ui_o *ui, const ui_scope_t *scope, const ui_input_t *in, uint32_t at) {
  bool control = at != UI_NO_NODE && ui_can_focus(ui, &ui->nodes.items[at]);
  uint32_t scroller = ui_scroller_at(ui, scope->first, scope->end, in->mouse_x, in->mouse_y);
  if (scroller != UI_NO_NODE)
    ui->captured |= UI_CAPTURES_MOUSE;
  bool own = control && (ui->nodes.items[at].kind == UI_LIST || scroller == UI_NO_NODE);
  if (in->wheel != 0 && own)
    ui_handle_wheel(ui, at, in->wheel);
  else if (in->wheel != 0 && scroller != UI_NO_NODE)
    ui_scroll(ui, scroller, -in->wheel * SCROLL_BY);
}

static void handle_pointer(ui_o *ui, const ui_scope_t *scope, const ui_input_t *in, uint32_t focus) {
  uint32_t at = find_node_at(ui, scope, in->mouse_x, in->mouse_y), held = find_pressed(ui),
           count = ui->managers.widget->count;
  bool control = at != UI_NO_NODE && ui_can_focus(ui, &ui->nodes.items[at]);
  clear_column(ui->columns.widget.hovered, count);
  handle_wheel(ui, scope, in, at);
  if (handle_scroll_bar(ui, scope, in, at, held))
    return;
  if (control && held == UI_NO_NODE)
    ui->columns.widget.hovered[ui->nodes.items[at].widget] = 1;
  if (at != UI_NO_NODE || held != UI_NO_NODE)
    ui->captured |= UI_CAPTURES_MOUSE;
  bool writes = focus != UI_NO_NODE && ui->nodes.items[focus].kind == UI_ENTRY;
  bool follows =
      in->mouse_moved && !writes && held == UI_NO_NODE && control && focus_follows_pointer(ui, &ui->nodes.items[at]);
  if (control && at != focus && (in->mouse_pressed || follows) && can_focus(ui, scope, at))
    set_focus(ui, at, follows);
  if (control && in->mouse_pressed) {
    ui->columns.widget.held[ui->nodes.items[at].widget] = 1;
    ui_press(ui, at, in);
  } else if (held != UI_NO_NODE && in->mouse_down) {
    ui_drag(ui, held, in);
  } else if (held != UI_NO_NODE) {
    clear_column(ui->columns.widget.held, count);
    if (held == at && in->mouse_released)
      ui_release(ui, held, in);
  }
}

static void update_captured_input(ui_o *ui, const ui_scope_t *scope, uint32_t focus) {
  ui->captured = scope->modal ? UI_CAPTURES_ALL : 0;
  ui->composes = focus != UI_NO_NODE && ui->nodes.items[focus].kind == UI_ENTRY;
  if (ui->composes)
    ui->captured |= UI_CAPTURES_KEYS;
}

// Returns true while a key is being rebound (scripts/shoal/kit/input.lua); widgets then ignore input.
static bool is_rebinding(const ui_o *ui) {
  const manager_o *m = world_find_manager(ui->world, "shoal.input");
  int32_t stage = m && m->count > 0 ? manager_find_column(m, "stage") : -1;
  return stage >= 0 && columns_get(&m->columns, 0, (uint32_t)stage) != 0;
}

void ui_interact(ui_o *ui, double dt_s) {
  ui_input_t in;
  read_input(ui, &in, dt_s);
  ui_scope_t scope = find_scope(ui);
  shoal_assert(scope.first <= scope.end, "the focus scope must not end before it begins: nodes %u to %u", scope.first,
               scope.end);
  uint32_t focus = restore_focus(ui, &scope);
  update_captured_input(ui, &scope, focus);
  if (is_rebinding(ui))
    return;
  handle_pointer(ui, &scope, &in, focus);
  focus = find_focus(ui, &scope);
  handle_keys(ui, &scope, focus, &in);
}
