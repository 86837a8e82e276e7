// Explores the screens of a game, depth first: restores a screen, presses a widget, and looks at the result.
#include "walk.h"

#include "base/hash.h"
#include "ui/actions.h"
#include "ui/tree.h"

#include <stdio.h>
#include <string.h>

#define SETTLE_TICKS 30u // ticks after each press
#define MAX_SCREENS 120u // maximum number of screens; further screens are reported once, and not explored
#define STABLE_TICKS 5u  // ticks for which controls must stay in place
#define MAX_SETTLE_TICKS 90u

// A widget that has been focused, and the state in which it has the focus.
typedef struct focus_t {
  shoal_entity entity;
  walk_state_t state;
} focus_t;

typedef struct focus_list_t {
  ARRAY(focus_t) items;
  ARRAY(shoal_entity) wanted; // the screen's controls
} focus_list_t;

typedef struct device_t {
  const char *name, *accept, *back, *bind;
  const char *moves[6]; // controls that move the focus
} device_t;

static const device_t KEYS = {
    "key", "key:return", "key:escape", "key:k", {"key:tab", "key:down", "key:up", "key:right", "key:left"}};
static const device_t PAD = {"pad", "pad:a", "pad:b", "pad:y", {"pad:dpdown", "pad:dpup", "pad:dpright", "pad:dpleft"}};

static screen_t *get_screen(walk_t *w, uint32_t index) {
  return w->screens.items[index];
}

static void set_path(walk_t *w, const screen_t *s, const char *press) {
  snprintf(w->path, sizeof w->path, "%.*s > %s", (int)(WALK_PATH_MAX - 256), s->path, press);
}

static void go_to(walk_t *w, uint32_t screen, const char *press) {
  set_path(w, get_screen(w, screen), press);
  walk_restore(w, &get_screen(w, screen)->state);
}

// --- screens

// Waits after a press, at least until the controls stop moving, so that the pointer can hit them.
static void settle(walk_t *w) {
  uint64_t before = 0;
  for (uint32_t i = 0; i < SETTLE_TICKS - STABLE_TICKS; i += STABLE_TICKS)
    walk_wait(w, STABLE_TICKS);
  for (uint32_t i = 0, same = 0; i < MAX_SETTLE_TICKS && same < STABLE_TICKS && !w->exits; ++i) {
    walk_skip(w, 1);
    uint64_t now = screen_geometry(w);
    same = now == before ? same + 1 : 0;
    before = now;
  }
  walk_wait(w, 1);
}

static void count_widgets(walk_t *w) {
  const ui_o *ui = walk_ui(w);
  for (uint32_t i = 0; i < ui->nodes.count; ++i) {
    uint64_t hash = screen_widget_hash(ui, &ui->nodes.items[i]);
    bool found = !ui_can_focus(ui, &ui->nodes.items[i]);
    for (uint32_t k = 0; !found && k < w->widgets.count; ++k)
      found = w->widgets.items[k] == hash;
    if (!found)
      array_push(&w->memory, &w->widgets, hash);
  }
}

uint32_t walk_add_screen(walk_t *w) {
  settle(w);
  if (w->exits)
    return WALK_EXIT;
  screen_check_prompts(w);
  uint64_t signature = screen_signature(w);
  for (uint32_t i = 0; i < w->screens.count; ++i)
    if (get_screen(w, i)->signature == signature)
      return i;
  if (w->screens.count == MAX_SCREENS)
    walk_report(w, "the game has too many screens");
  screen_t *s = alloc_resize(&w->memory, NULL, 0, sizeof *s);
  *s = (screen_t){.signature = signature, .menu = screen_menu(w), .explored = w->screens.count >= MAX_SCREENS};
  snprintf(s->path, sizeof s->path, "%s", w->path);
  s->plays = !screen_has_controls(w) && !w->host->session.game->paused;
  walk_save(w, &s->state);
  screen_check_layout(w);
  count_widgets(w);
  array_push(&w->memory, &w->screens, s);
  if (w->pictures)
    walk_picture(w, w->screens.count - 1, "");
  return w->screens.count - 1;
}

static void add_edge(walk_t *w, uint32_t from, uint32_t to, bool by_pad) {
  for (uint32_t i = 0; i < w->edges.count; ++i)
    if (w->edges.items[i].from == from && w->edges.items[i].to == to) {
      w->edges.items[i].by_pad |= by_pad;
      return;
    }
  array_push(&w->memory, &w->edges, ((edge_t){from, to, by_pad}));
}

// Adds the screen to which the last press has led, if it is new, and the edge that leads to it.
static void arrive(walk_t *w, uint32_t from, bool by_pad) {
  add_edge(w, from, walk_add_screen(w), by_pad);
}

// --- focus

static const focus_t *find_focus(const focus_list_t *l, shoal_entity e) {
  for (uint32_t i = 0; i < l->items.count; ++i)
    if (l->items.items[i].entity == e)
      return &l->items.items[i];
  return NULL;
}

// Adds the focused widget, unless it was added before or is not a control of the screen.
static void add_focus(walk_t *w, focus_list_t *l) {
  focus_t f = {.entity = screen_focus(w)};
  bool wanted = f.entity == 0 && l->items.count == 0;
  for (uint32_t i = 0; !wanted && i < l->wanted.count; ++i)
    wanted = l->wanted.items[i] == f.entity;
  if (!wanted || find_focus(l, f.entity))
    return;
  walk_save(w, &f.state);
  array_push(&w->memory, &l->items, f);
}

static void move_focus(walk_t *w, uint32_t screen, focus_list_t *l, uint32_t from, const char *control) {
  bool by_pad = strncmp(control, "pad:", 4) == 0;
  set_path(w, get_screen(w, screen), control);
  walk_restore(w, &l->items.items[from].state);
  walk_press_named(w, control);
  if (!w->exits) {
    screen_check_focus(w);
    add_focus(w, l);
  }
  if (w->exits || screen_signature(w) != get_screen(w, screen)->signature)
    arrive(w, screen, by_pad); // a widget may change the screen when it gets the focus
}

static void list_controls(walk_t *w, focus_list_t *out) {
  const ui_o *ui = walk_ui(w);
  for (uint32_t i = 0; i < ui->nodes.count; ++i)
    if (screen_takes_keys(ui, i))
      array_push(&w->memory, &out->wanted, ui->nodes.items[i].entity);
}

// Moves the focus to every widget that the device can reach. Stops once all controls are found.
static void find_focusable(walk_t *w, uint32_t screen, const device_t *d, focus_list_t *out) {
  uint32_t presses = w->presses;
  walk_restore(w, &get_screen(w, screen)->state);
  list_controls(w, out);
  if (out->wanted.count > 0)
    add_focus(w, out);
  uint32_t none = out->items.count > 0 && out->items.items[0].entity == 0;
  for (uint32_t before = 0; before < out->items.count;) { // a control may need moves in several directions
    before = out->items.count;
    for (uint32_t k = 0; k < sizeof d->moves / sizeof *d->moves && d->moves[k]; ++k)
      for (uint32_t i = 0; i < out->items.count && out->items.count - none < out->wanted.count; ++i)
        move_focus(w, screen, out, i, d->moves[k]);
  }
  w->presses = presses; // only presses of widgets and actions are counted
}

static void free_focus_list(walk_t *w, focus_list_t *l) {
  for (uint32_t i = 0; i < l->items.count; ++i)
    walk_release(w, &l->items.items[i].state);
  array_free(&w->memory, &l->items);
  array_free(&w->memory, &l->wanted);
}

// --- presses

// Waits after a press. If the game then waits for a control to bind, presses a control of the device of the last press;
// if this has no effect, presses a control of the other device.
static void finish_press(walk_t *w, uint32_t screen, bool by_pad) {
  const char *const controls[] = {by_pad ? PAD.bind : KEYS.bind, by_pad ? KEYS.bind : PAD.bind};
  for (uint32_t i = 0; i < 2 && !w->exits && walk_is_rebinding(w); ++i) {
    walk_wait(w, 3);
    walk_press_named(w, controls[i]);
    walk_wait(w, 3);
  }
  arrive(w, screen, by_pad);
}

static void begin_press(walk_t *w, uint32_t screen, const ui_node_t *n, const char *how, const walk_state_t *from) {
  char name[96], press[160];
  walk_restore(w, from);
  screen_describe_widget(w, n, name, sizeof name);
  snprintf(press, sizeof press, "%s %s", how, name);
  set_path(w, get_screen(w, screen), press);
}

static void report_unreachable(walk_t *w, const ui_node_t *n, const device_t *d) {
  char message[192], name[96];
  screen_describe_widget(w, n, name, sizeof name);
  snprintf(message, sizeof message, "the %s cannot move the focus to %s", d == &PAD ? "pad" : "keys", name);
  walk_report(w, message);
}

static void press_with(walk_t *w, uint32_t screen, const ui_node_t *n, const device_t *d, const focus_list_t *l) {
  const focus_t *f = find_focus(l, n->entity);
  begin_press(w, screen, n, d->name, f ? &f->state : &get_screen(w, screen)->state);
  if (!f) {
    report_unreachable(w, n, d);
    return;
  }
  if (n->kind == UI_ENTRY && d == &KEYS)
    walk_type(w, "Ab 1");
  walk_press_named(w, d->accept);
  finish_press(w, screen, d == &PAD);
}

// Presses a direction on a slider or a list, which changes its value.
static void press_direction(walk_t *w, uint32_t screen, const ui_node_t *n, const char *control,
                            const focus_list_t *l) {
  const focus_t *f = find_focus(l, n->entity);
  if (!f)
    return;
  begin_press(w, screen, n, control, &f->state);
  walk_press_named(w, control);
  arrive(w, screen, strncmp(control, "pad:", 4) == 0);
}

static void check_hit(walk_t *w, const ui_node_t *n) {
  const ui_node_t *hit = screen_find_hovered(w);
  char message[256], name[96], other[96] = "nothing";
  if (hit && hit->entity == n->entity)
    return;
  screen_describe_widget(w, n, name, sizeof name);
  if (hit)
    screen_describe_widget(w, hit, other, sizeof other);
  snprintf(message, sizeof message, "the pointer at the centre of %s hits %s", name, other);
  walk_report(w, message);
}

// Moves the pointer to the widget and, if `presses`, clicks at it.
static void click(walk_t *w, uint32_t screen, const ui_node_t *n, const focus_list_t *l, bool presses) {
  const focus_t *f = find_focus(l, n->entity); // the focus scrolls to the widget
  begin_press(w, screen, n, "click", f ? &f->state : &get_screen(w, screen)->state);
  walk_wait(w, 1);
  const ui_node_t *now = screen_find(w, n->entity);
  ui_node_t target = now ? *now : *n;
  walk_point(w, target.x + target.width / 2, target.y + target.height / 2);
  if (target.kind != UI_DIALOGUE)
    check_hit(w, &target);
  if (!presses)
    return;
  walk_press_named(w, "mouse:left");
  finish_press(w, screen, false);
}

// Returns true if the widget was pressed with every device on another screen, so that the pad alone suffices here; the
// ways of a pad are checked for each screen.
static bool is_pressed(walk_t *w, uint64_t hash) {
  uint32_t probe = 0;
  if (!w->repeats && hash_table_find_next(&w->pressed, hash, &probe) != 0)
    return true;
  hash_table_insert(&w->pressed, &w->memory, hash, 1);
  return false;
}

static void press_widget(walk_t *w, uint32_t screen, uint32_t node, const focus_list_t *keys, const focus_list_t *pad) {
  walk_restore(w, &get_screen(w, screen)->state);
  walk_wait(w, 1);
  const ui_o *ui = walk_ui(w);
  if (node >= ui->nodes.count || !screen_takes_pointer(ui, node))
    return;
  ui_node_t n = ui->nodes.items[node];
  bool takes_keys = screen_takes_keys(ui, node), is_known = takes_keys && is_pressed(w, screen_widget_hash(ui, &n));
  if (takes_keys && !is_known) {
    press_with(w, screen, &n, &KEYS, keys);
    if (n.kind == UI_SLIDER || n.kind == UI_LIST) {
      press_direction(w, screen, &n, n.kind == UI_LIST ? "key:down" : "key:left", keys);
      press_direction(w, screen, &n, "key:right", keys);
    }
  } else if (takes_keys && !find_focus(keys, n.entity)) {
    begin_press(w, screen, &n, KEYS.name, &get_screen(w, screen)->state);
    report_unreachable(w, &n, &KEYS);
  }
  if (takes_keys) {
    press_with(w, screen, &n, &PAD, pad);
    if (n.kind == UI_SLIDER || n.kind == UI_LIST) {
      press_direction(w, screen, &n, n.kind == UI_LIST ? "pad:dpdown" : "pad:dpleft", pad);
      press_direction(w, screen, &n, "pad:dpright", pad);
    }
  }
  click(w, screen, &n, keys, !is_known);
}

static void press_widgets(walk_t *w, uint32_t screen) {
  focus_list_t keys = {0}, pad = {0};
  find_focusable(w, screen, &KEYS, &keys);
  find_focusable(w, screen, &PAD, &pad);
  walk_restore(w, &get_screen(w, screen)->state);
  walk_wait(w, 1);
  uint32_t count = walk_ui(w)->nodes.count;
  for (uint32_t i = 0; i < count; ++i)
    press_widget(w, screen, i, &keys, &pad);
  free_focus_list(w, &keys);
  free_focus_list(w, &pad);
}

// --- actions

static bool is_of_pad(const input_binding_t *b) {
  return b->device == INPUT_PAD_BUTTON || b->device == INPUT_PAD_AXIS;
}

static void press_control(walk_t *w, uint32_t screen, const char *name, const input_binding_t *b) {
  char control[INPUT_NAME_BYTES], press[192];
  snprintf(press, sizeof press, "%s (%s)", input_name(b, control), name);
  go_to(w, screen, press);
  walk_press(w, b);
  arrive(w, screen, is_of_pad(b));
}

// Presses the first key, the first mouse button and the first pad control of each part of the action.
static void press_action(walk_t *w, uint32_t screen, const char *name) {
  world_o *world = w->host->session.game->world;
  for (uint32_t part = 0; part < 3; ++part) {
    uint32_t count;
    const input_binding_t *list = ui_action_bindings(world, name, part, &count);
    input_binding_t chosen[3];
    uint32_t chosen_count = 0, devices = 0;
    for (uint32_t i = 0; i < count; ++i) {
      uint32_t device = is_of_pad(&list[i]) ? 1 : list[i].device == INPUT_KEY ? 2 : 4;
      if (!(devices & device))
        chosen[chosen_count++] = list[i];
      devices |= device;
    }
    for (uint32_t i = 0; i < chosen_count; ++i)
      press_control(w, screen, name, &chosen[i]);
  }
}

// Clicks in the middle of the picture and between the middle and its corners.
static void click_picture(walk_t *w, uint32_t screen) {
  static const float POINTS[][2] = {{0.5f, 0.5f}, {0.25f, 0.25f}, {0.75f, 0.25f}, {0.25f, 0.75f}, {0.75f, 0.75f}};
  char press[64];
  for (uint32_t i = 0; i < sizeof POINTS / sizeof *POINTS; ++i) {
    const ui_o *ui = walk_ui(w);
    float x = ui->width * POINTS[i][0], y = ui->height * POINTS[i][1];
    snprintf(press, sizeof press, "click at %.0f, %.0f", (double)x, (double)y);
    go_to(w, screen, press);
    walk_point(w, x, y);
    walk_press_named(w, "mouse:left");
    arrive(w, screen, false);
  }
}

static void press_actions(walk_t *w, uint32_t screen) {
  const char *name;
  input_binding_t back;
  const device_t *const devices[] = {&KEYS, &PAD};
  for (uint32_t i = 0; i < 2 && input_parse(devices[i]->back, &back); ++i)
    press_control(w, screen, "ui_back", &back);
  walk_restore(w, &get_screen(w, screen)->state);
  if (walk_ui(w)->captured == UI_CAPTURES_ALL)
    return; // the game's actions receive no input
  for (uint32_t i = 0; (name = actions_get_name(walk_ui(w)->actions, i)) != NULL; ++i)
    press_action(w, screen, name);
  if (get_screen(w, screen)->plays)
    click_picture(w, screen);
}

// --- the walk

// Returns true for a modal menu that was explored on `phases` other screens, or in a different walk.
static bool is_familiar(const walk_t *w, const screen_t *s) {
  uint32_t count = 0, probe = 0;
  if (s->menu != 0 && hash_table_find_next(&w->known_menus, s->menu, &probe) != 0)
    return true;
  for (uint32_t i = 0; s->menu != 0 && i < w->screens.count; ++i)
    count += w->screens.items[i]->explored && w->screens.items[i]->menu == s->menu;
  return count >= w->phases;
}

void walk_explore(walk_t *w) {
  for (uint32_t i = w->screens.count; i-- > 0;) {
    screen_t *s = get_screen(w, i);
    if (s->explored)
      continue;
    for (uint32_t device = 0; is_familiar(w, s) && device < WALK_DEVICES; ++device)
      s->is_home[device] = true;
    s->explored = true;
    if (s->is_home[WALK_ANY] && i > 0)
      continue;
    press_widgets(w, i);
    press_actions(w, i);
    i = w->screens.count; // continue with the newest screen
  }
}

// Holds random keys of the game's actions for `ticks` ticks.
static void hold_random_controls(walk_t *w, uint64_t *random, uint32_t ticks) {
  const char *name;
  memset(w->devices.keys, 0, sizeof w->devices.keys);
  for (uint32_t i = 0; (name = actions_get_name(walk_ui(w)->actions, i)) != NULL; ++i)
    for (uint32_t part = 0; part < 3; ++part) {
      uint32_t count;
      const input_binding_t *list = ui_action_bindings(w->host->session.game->world, name, part, &count);
      *random = hash_bytes(&i, sizeof i, *random);
      if (count > 0 && list[0].device == INPUT_KEY && *random % 3 == 0)
        w->devices.keys[list[0].code] = 1;
    }
  walk_wait(w, ticks);
}

void walk_play(walk_t *w, uint32_t screen, uint32_t ticks) {
  uint64_t random = 1;
  walk_state_t state;
  char press[64];
  go_to(w, screen, "play");
  walk_save(w, &state);
  for (uint32_t i = 0; i < ticks; i += 12) {
    snprintf(press, sizeof press, "play %u ticks", i + 12);
    set_path(w, get_screen(w, screen), press);
    hold_random_controls(w, &random, 12);
    bool is_menu = w->exits || screen_has_controls(w) || w->host->session.game->paused;
    walk_state_t now;
    walk_save(w, &now);
    if (!w->exits) {
      memset(w->devices.keys, 0, sizeof w->devices.keys);
      add_edge(w, screen, walk_add_screen(w), true);
    }
    walk_restore(w, is_menu ? &state : &now);
    walk_release(w, is_menu ? &now : &state);
    if (!is_menu)
      state = now;
  }
  walk_release(w, &state);
}

// --- ways to and from screens

static bool returns(const walk_t *w, uint32_t screen, walk_device_t device) {
  return screen == WALK_EXIT || w->screens.items[screen]->is_home[device];
}

static bool is_usable(const edge_t *e, walk_device_t device) {
  return device == WALK_ANY || e->by_pad;
}

// Marks the screens from which a press leads to a screen that is marked already.
static void spread_returns(walk_t *w, walk_device_t device) {
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = 0; i < w->edges.count; ++i) {
      const edge_t *e = &w->edges.items[i];
      screen_t *from = get_screen(w, e->from);
      if (!from->is_home[device] && is_usable(e, device) && returns(w, e->to, device))
        changed = from->is_home[device] = true;
    }
  }
}

// Marks the screens to which a press leads from a screen that is marked already.
static void spread_reached(walk_t *w, walk_device_t device) {
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = 0; i < w->edges.count; ++i) {
      const edge_t *e = &w->edges.items[i];
      if (e->to == WALK_EXIT || !is_usable(e, device) || !get_screen(w, e->from)->is_reached[device] ||
          get_screen(w, e->to)->is_reached[device])
        continue;
      changed = get_screen(w, e->to)->is_reached[device] = true;
    }
  }
}

static bool has_returned(walk_t *w, uint32_t screen, walk_device_t device) {
  uint64_t now = w->exits ? 0 : screen_signature(w);
  for (uint32_t k = 0; !w->exits && k < w->screens.count; ++k)
    if (get_screen(w, k)->signature == now && k != screen && returns(w, k, device))
      return true;
  return w->exits;
}

// Repeats a press, such as one that continues a dialogue, or waits for half a minute if `control` is "".
static bool ends_after(walk_t *w, uint32_t screen, const char *control, walk_device_t device) {
  bool ended = false;
  uint32_t presses = w->presses;
  go_to(w, screen, control);
  for (uint32_t i = 0; i < 40 && !ended; ++i) {
    if (control[0])
      walk_press_named(w, control);
    walk_wait(w, 45);
    ended = has_returned(w, screen, device);
  }
  w->presses = presses;
  return ended;
}

// Reports the screens from which no press of the device leads back.
static void check_returns(walk_t *w, walk_device_t device) {
  const device_t *d = device == WALK_PAD ? &PAD : &KEYS;
  for (uint32_t i = 0; i < w->screens.count; ++i)
    get_screen(w, i)->is_home[device] |= get_screen(w, i)->plays;
  spread_returns(w, device);
  for (uint32_t i = 0; i < w->screens.count; ++i) {
    screen_t *s = get_screen(w, i);
    if (!s->is_home[device] &&
        (ends_after(w, i, "", device) || ends_after(w, i, d->accept, device) || ends_after(w, i, d->back, device))) {
      s->is_home[device] = true;
      spread_returns(w, device);
    }
  }
  for (uint32_t i = 0; i < w->screens.count; ++i)
    if (!get_screen(w, i)->is_home[device]) {
      snprintf(w->path, sizeof w->path, "%s", get_screen(w, i)->path);
      walk_report(w, device == WALK_PAD ? "no press of a pad leads back from this screen"
                                        : "no press leads back from this screen");
    }
}

static void check_reached_by_pad(walk_t *w) {
  spread_reached(w, WALK_PAD);
  for (uint32_t i = 0; i < w->screens.count; ++i)
    if (!get_screen(w, i)->is_reached[WALK_PAD]) {
      snprintf(w->path, sizeof w->path, "%s", get_screen(w, i)->path);
      walk_report(w, "no press of a pad leads to this screen");
    }
}

// Reports an action with a key but without a control of a pad. Actions with only a mouse button are not reported: a pad
// has no pointer.
static void check_action(walk_t *w, const char *name) {
  char message[192];
  bool has_key = false, has_pad = false;
  for (uint32_t part = 0; part < 3; ++part) {
    uint32_t count;
    const input_binding_t *list = ui_action_bindings(w->host->session.game->world, name, part, &count);
    for (uint32_t i = 0; i < count; ++i) {
      has_key |= list[i].device == INPUT_KEY;
      has_pad |= is_of_pad(&list[i]);
    }
  }
  snprintf(message, sizeof message, "the action %s has a key, but no control of a pad", name);
  if (has_key && !has_pad)
    walk_report(w, message);
}

void walk_check_ways(walk_t *w) {
  const char *name;
  check_returns(w, WALK_ANY);
  check_returns(w, WALK_PAD);
  check_reached_by_pad(w);
  walk_restore(w, &get_screen(w, 0)->state);
  snprintf(w->path, sizeof w->path, "input.lua");
  for (uint32_t i = 0; (name = actions_get_name(walk_ui(w)->actions, i)) != NULL; ++i)
    check_action(w, name);
}

// --- languages

void walk_check_languages(walk_t *w, const char *without) {
  manager_o *m = world_find_manager(w->host->session.game->world, "settings");
  int32_t column = m ? manager_find_column(m, "language") : -1;
  w->languages = 1;
  if (column < 0 || m->schema.fields[column].type != FIELD_ENUM)
    return;
  w->languages = m->schema.fields[column].choice_count;
  for (uint32_t i = 0; i < w->screens.count; ++i)
    for (uint32_t language = 0; language < w->languages; ++language) {
      if (strcmp(field_choice(&m->schema.fields[column], language), without) == 0)
        continue;
      go_to(w, i, field_choice(&m->schema.fields[column], language));
      columns_set(&m->columns, 0, (uint32_t)column, language);
      walk_wait(w, 3);
      screen_check_layout(w);
      if (w->pictures)
        walk_picture(w, i, field_choice(&m->schema.fields[column], language));
    }
}
