// Actions of a game, for scripts and plugins. scripts/shoal/kit/input.lua registers the declared bindings. Bindings
// chosen by players are parsed from the singleton shoal.input, so they stay correct when the world is restored.
#include "ui/actions.h"

#include "base/assert.h"
#include "base/nearest_name.h"
#include "components/access.h"
#include "ui/machine.h"
#include "ui/state.h"
#include "ui/ui.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PART_COUNT 3u
#define MAX_CHOSEN 32u // maximum number of bindings per part
#define INPUT_SINGLETON "shoal.input"
static const char *const PART_NAMES[PART_COUNT] = {"axis", "negative", "positive"};

typedef struct action_part_t {
  ARRAY(input_binding_t) declared, chosen; // `chosen` replaces `declared` if `replaces` is true
  bool replaces;
} action_part_t;

typedef struct action_t {
  char name[64];
  char presses[64]; // event whose button the action presses; "": no button
  bool is_held;     // true if declared with `held = true`
  // bit of the action in a sample's `toggled` (setting press_to_hold); 0: not declared with `held = true`
  uint8_t toggle;
  action_part_t parts[PART_COUNT];
} action_t;

typedef ARRAY(char) text_t; // text terminated by '\0'; empty: ""

struct actions_o {
  allocator_t *allocator;
  uint32_t max_players;  // maximum number of players; 0: the game declares no players
  ARRAY(action_t) items; // actions sorted by name; the index of an action is its number in player_input_t
  text_t applied;        // text from which the `chosen` bindings were parsed
  // In a game that declares players: strings that belong to the machine, and the stage of rebinding a key.
  text_t machine_texts[UI_MACHINE_TEXT_COUNT];
  uint32_t rebinding_stage;
};

actions_o *actions_create(allocator_t *allocator) {
  actions_o *actions = alloc_resize(allocator, NULL, 0, sizeof *actions);
  *actions = (actions_o){.allocator = allocator};
  return actions;
}

void actions_destroy(actions_o *actions) {
  if (!actions)
    return;
  for (uint32_t i = 0; i < actions->items.count; ++i)
    for (uint32_t k = 0; k < PART_COUNT; ++k) {
      array_free(actions->allocator, &actions->items.items[i].parts[k].declared);
      array_free(actions->allocator, &actions->items.items[i].parts[k].chosen);
    }
  array_free(actions->allocator, &actions->items);
  array_free(actions->allocator, &actions->applied);
  for (uint32_t i = 0; i < UI_MACHINE_TEXT_COUNT; ++i)
    array_free(actions->allocator, &actions->machine_texts[i]);
  alloc_resize(actions->allocator, actions, sizeof *actions, 0);
}

const char *actions_get_name(const actions_o *actions, uint32_t index) {
  return index < actions->items.count ? actions->items.items[index].name : NULL;
}

// Assigns a bit of `toggled` to each action that a press can keep down, in name order.
static void assign_toggles(actions_o *actions) {
  uint32_t bit = 1;
  for (uint32_t i = 0; i < actions->items.count; ++i) {
    action_t *action = &actions->items.items[i];
    action->toggle = action->is_held ? (uint8_t)bit : 0;
    bit <<= action->is_held;
  }
}

// Returns the index of the action with this name, or the index at which it must be inserted.
static uint32_t find_position(const actions_o *actions, const char *name) {
  uint32_t low = 0, high = actions->items.count;
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    if (strcmp(actions->items.items[middle].name, name) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static action_t *find_action(actions_o *actions, const char *name) {
  uint32_t i = actions ? find_position(actions, name) : 0;
  return actions && i < actions->items.count && strcmp(actions->items.items[i].name, name) == 0
             ? &actions->items.items[i]
             : NULL;
}

static action_t *insert_action(actions_o *actions, const char *name) {
  action_t new_action = {0};
  uint32_t position = find_position(actions, name);
  snprintf(new_action.name, sizeof new_action.name, "%s", name);
  array_push(actions->allocator, &actions->items, new_action);
  action_t *items = actions->items.items;
  memmove(items + position + 1, items + position, (actions->items.count - 1 - position) * sizeof *items);
  items[position] = new_action;
  return &items[position];
}

void ui_declare_action_bindings(world_o *w, const char *name, uint32_t part, const input_binding_t *bindings,
                                uint32_t count) {
  ui_o *ui = ui_of_world(w);
  shoal_assert(part < PART_COUNT, "part %u of action %s is out of range", part, name);
  if (!ui || strlen(name) >= sizeof((action_t *)0)->name)
    return;
  action_t *action = find_action(ui->actions, name);
  action = action ? action : insert_action(ui->actions, name);
  action->parts[part].declared.count = 0;
  for (uint32_t i = 0; i < count; ++i)
    array_push(ui->actions->allocator, &action->parts[part].declared, bindings[i]);
}

void ui_declare_held_action(world_o *w, const char *name, bool is_held) {
  ui_o *ui = ui_of_world(w);
  action_t *action = ui ? find_action(ui->actions, name) : NULL;
  if (action)
    action->is_held = is_held;
  if (ui)
    assign_toggles(ui->actions);
}

void ui_declare_action_button(world_o *w, const char *name, const char *event) {
  ui_o *ui = ui_of_world(w);
  action_t *action = ui ? find_action(ui->actions, name) : NULL;
  if (action && strlen(event) < sizeof action->presses)
    snprintf(action->presses, sizeof action->presses, "%s", event);
}

// --- bindings chosen by players

// Returns true for a list. An empty list may be stored as an empty object, because Lua has a single table type.
static bool is_list(const json_t *value) {
  return json_is_array(value) || (json_is_object(value) && json_object_size(value) == 0);
}

// Parses the chosen bindings of a part. The declared bindings stay in use if `list` is not a list, has more than
// MAX_CHOSEN items, or contains an invalid binding.
static void read_chosen_bindings(actions_o *actions, action_part_t *action_part, const json_t *list) {
  input_binding_t binding;
  action_part->chosen.count = 0;
  action_part->replaces = is_list(list) && json_array_size(list) <= MAX_CHOSEN;
  for (size_t i = 0; action_part->replaces && i < json_array_size(list); ++i) {
    const char *text = json_string_value(json_array_get(list, i));
    action_part->replaces = text && input_parse(text, &binding);
    if (action_part->replaces)
      array_push(actions->allocator, &action_part->chosen, binding);
  }
}

static void store_text(allocator_t *a, text_t *target, const char *text) {
  uint32_t bytes = (uint32_t)strlen(text) + 1;
  array_reserve(a, target, bytes);
  memcpy(target->items, text, bytes);
  target->count = bytes;
}

static void apply_bindings(actions_o *actions, const char *text) {
  json_t *chosen_bindings = json_loads(text, 0, NULL);
  for (uint32_t i = 0; i < actions->items.count; ++i) {
    action_t *action = &actions->items.items[i];
    const json_t *chosen = json_object_get(chosen_bindings, action->name);
    for (uint32_t k = 0; k < PART_COUNT; ++k) {
      bool is_plain = k == 0 && is_list(chosen);
      read_chosen_bindings(actions, &action->parts[k], is_plain ? chosen : json_object_get(chosen, PART_NAMES[k]));
    }
  }
  json_decref(chosen_bindings);
  store_text(actions->allocator, &actions->applied, text);
}

static uint32_t read_number(const manager_o *manager, const char *field) {
  int32_t column = schema_find_field(&manager->schema, field);
  return column >= 0 && manager->count > 0 ? (uint32_t)columns_get(&manager->columns, 0, (uint32_t)column) : 0;
}

const char *ui_machine_text(world_o *w, uint32_t kind) {
  const ui_o *ui = ui_of_world(w);
  shoal_assert(kind < UI_MACHINE_TEXT_COUNT, "text %u of the machine is out of range", kind);
  return ui && ui->actions->machine_texts[kind].count > 0 ? ui->actions->machine_texts[kind].items : "";
}

void ui_set_machine_text(world_o *w, uint32_t kind, const char *text) {
  ui_o *ui = ui_of_world(w);
  shoal_assert(kind < UI_MACHINE_TEXT_COUNT, "text %u of the machine is out of range", kind);
  if (ui)
    store_text(ui->actions->allocator, &ui->actions->machine_texts[kind], text);
}

uint32_t ui_rebinding_stage(world_o *w) {
  const ui_o *ui = ui_of_world(w);
  return ui ? ui->actions->rebinding_stage : 0;
}

void ui_set_rebinding_stage(world_o *w, uint32_t stage) {
  ui_o *ui = ui_of_world(w);
  if (ui)
    ui->actions->rebinding_stage = stage;
}

void ui_take_over_machine(ui_o *ui, const ui_o *old) {
  if (ui->machine && old->machine)
    machine_replace(ui, old->machine);
  for (uint32_t i = 0; i < UI_MACHINE_TEXT_COUNT; ++i)
    ui_set_machine_text(ui->world, i, ui_machine_text(old->world, i));
}

bool actions_are_rebound(world_o *w, const actions_o *actions) {
  const manager_o *manager = world_find_manager(w, INPUT_SINGLETON);
  return (manager && read_number(manager, "stage") != 0) || actions->rebinding_stage != 0;
}

// Parses the chosen bindings again if they have changed. Returns true while the player is rebinding a key; all actions
// are then released.
static bool update_bindings(world_o *w, actions_o *actions) {
  const manager_o *manager = world_find_manager(w, INPUT_SINGLETON);
  if (!manager && actions->max_players == 0)
    return false;
  const char *text = manager ? strings_text(world_strings(w), read_number(manager, "bindings"))
                             : ui_machine_text(w, UI_MACHINE_BINDINGS);
  if (strcmp(text, actions->applied.count > 0 ? actions->applied.items : "") != 0)
    apply_bindings(actions, text);
  return actions_are_rebound(w, actions);
}

// --- values

// Returns true if widgets consume the input of this binding.
static bool is_captured(uint32_t captured, const input_binding_t *b) {
  bool mouse = b->device == INPUT_MOUSE_BUTTON || b->device == INPUT_WHEEL;
  return captured >= UI_CAPTURES_DIALOGUE || (mouse && captured & UI_CAPTURES_MOUSE) ||
         (b->device == INPUT_KEY && captured & UI_CAPTURES_KEYS);
}

static float part_value(const input_state_t *sample, const action_part_t *action_part, uint32_t captured,
                        int32_t player) {
  uint32_t count = action_part->replaces ? action_part->chosen.count : action_part->declared.count;
  const input_binding_t *b = action_part->replaces ? action_part->chosen.items : action_part->declared.items;
  float total = 0;
  for (uint32_t i = 0; i < count; ++i)
    total += is_captured(captured, &b[i]) ? 0.0f : input_value(sample, &b[i], player);
  return total;
}

static bool captures_mouse_only(uint32_t captured) {
  return (captured & ~(uint32_t)UI_CAPTURES_MOUSE) == 0;
}

// Returns true if an earlier press keeps the action down. `player`: from 0, or UI_ANY_DEVICE.
static bool is_toggled(const input_state_t *sample, const action_t *action, int32_t player) {
  uint32_t toggled = player >= 0 && player < INPUT_PADS ? sample->toggled[player] : 0;
  for (uint32_t i = 0; player < 0 && i < INPUT_PADS; ++i)
    toggled |= sample->toggled[i];
  return (toggled & action->toggle) != 0;
}

static float action_value(const input_state_t *sample, const action_t *action, uint32_t captured, int32_t player) {
  if (captured == UI_CAPTURES_DIALOGUE && action->presses[0])
    captured = 0;
  if (action->toggle && captures_mouse_only(captured) && is_toggled(sample, action, player))
    return 1.0f;
  float total = part_value(sample, &action->parts[0], captured, player) +
                part_value(sample, &action->parts[2], captured, player) -
                part_value(sample, &action->parts[1], captured, player);
  return total < -1.0f ? -1.0f : total > 1.0f ? 1.0f : total;
}

static bool is_held(const input_state_t *sample, const action_t *action, uint32_t captured, int32_t player) {
  return fabsf(action_value(sample, action, captured, player)) > 0.5f;
}

// Returns the actions that the player presses in this sample, as bits.
static uint8_t find_toggles(const ui_o *ui, const input_state_t *previous, const input_state_t *sample,
                            int32_t player) {
  input_state_t now = *sample, before = *previous;
  uint8_t out = 0;
  memset(now.toggled, 0, sizeof now.toggled);
  memset(before.toggled, 0, sizeof before.toggled);
  for (uint32_t i = 0; i < ui->actions->items.count; ++i) {
    const action_t *action = &ui->actions->items.items[i];
    if (action->toggle && is_held(&now, action, 0, player) && !is_held(&before, action, 0, player))
      out |= action->toggle;
  }
  return out;
}

void ui_toggle_actions(ui_o *ui, const input_state_t *previous, input_state_t *sample) {
  bool has_players = ui->actions->max_players > 0;
  bool is_enabled =
      access_read(ui->world).press_to_hold && !sample->window.unfocused && !update_bindings(ui->world, ui->actions);
  for (int32_t player = 0; player < INPUT_PADS; ++player) {
    uint32_t captured = has_players ? ui->captured_of[player] : ui->captured;
    sample->toggled[player] = is_enabled && captures_mouse_only(captured)
                                  ? previous->toggled[player] ^ find_toggles(ui, previous, sample, player)
                                  : 0;
  }
}

bool actions_press_button(const ui_o *ui, const char *event, int32_t player) {
  uint32_t captured = ui->is_entry_focused ? UI_CAPTURES_KEYS : 0;
  bool found = false;
  if (event[0] == '\0' || update_bindings(ui->world, ui->actions))
    return false;
  for (uint32_t i = 0; i < ui->actions->items.count && !found; ++i) {
    const action_t *action = &ui->actions->items.items[i];
    found = strcmp(action->presses, event) == 0 && is_held(ui->desc.input, action, captured, player) &&
            !is_held(ui->desc.input_before, action, captured, player);
  }
  return found;
}

const input_binding_t *ui_action_bindings(world_o *w, const char *name, uint32_t part, uint32_t *count) {
  ui_o *ui = ui_of_world(w);
  shoal_assert(part < PART_COUNT, "part %u of action %s is out of range", part, name);
  if (ui)
    update_bindings(w, ui->actions);
  const action_t *action = ui ? find_action(ui->actions, name) : NULL;
  const action_part_t *action_part = action ? &action->parts[part] : NULL;
  *count = !action_part ? 0 : action_part->replaces ? action_part->chosen.count : action_part->declared.count;
  return !action_part ? NULL : action_part->replaces ? action_part->chosen.items : action_part->declared.items;
}

uint32_t ui_count_actions(world_o *w) {
  const ui_o *ui = ui_of_world(w);
  return ui ? ui->actions->items.count : 0;
}

bool ui_has_action_binding(world_o *w, input_device_t device, int32_t code) {
  const ui_o *ui = ui_of_world(w);
  for (uint32_t i = 0; ui && i < ui->actions->items.count * PART_COUNT; ++i) {
    uint32_t count = 0;
    const char *name = ui->actions->items.items[i / PART_COUNT].name;
    const input_binding_t *bindings = ui_action_bindings(w, name, i % PART_COUNT, &count);
    for (uint32_t k = 0; k < count; ++k)
      if (bindings[k].device == device && bindings[k].code == code)
        return true;
  }
  return false;
}

// --- players

void ui_set_players(ui_o *ui, uint32_t max_players) {
  shoal_assert(max_players <= PLAYER_MAX, "%u players are too many (at most %u)", max_players, PLAYER_MAX);
  ui->actions->max_players = max_players;
  if (max_players > 0 && !ui->machine)
    ui->machine = machine_create(ui);
}

uint32_t ui_max_players(world_o *w) {
  const ui_o *ui = ui_of_world(w);
  return ui && ui->actions->max_players > 0 ? ui->actions->max_players : INPUT_PADS;
}

static int8_t to_player_value(float value) {
  return (int8_t)lroundf(value * (float)PLAYER_VALUE_MAX);
}

static bool is_value_down(int value) {
  return abs(value) >= PLAYER_DOWN;
}

void ui_compute_player_input(ui_o *ui, const input_state_t *previous, const input_state_t *sample, int32_t device,
                             player_input_t *out) {
  actions_o *actions = ui->actions;
  shoal_assert(device >= UI_ANY_DEVICE && device < (int32_t)PLAYER_MAX, "device %d is out of range [-1, %u)", device,
               PLAYER_MAX);
  memset(out, 0, sizeof *out);
  uint32_t captured = device < (int32_t)INPUT_PADS ? ui->captured_of[device < 0 ? 0 : device] : 0;
  if (update_bindings(ui->world, actions))
    return;
  for (uint32_t i = 0; i < actions->items.count && i < PLAYER_MAX_ACTIONS; ++i) {
    const action_t *action = &actions->items.items[i];
    out->values[i] = to_player_value(action_value(sample, action, captured, device));
    bool is_down = is_value_down(out->values[i]),
         was_down = is_value_down(to_player_value(action_value(previous, action, captured, device)));
    out->pressed |= (uint64_t)(is_down && !was_down) << i;
    out->released |= (uint64_t)(was_down && !is_down) << i;
  }
}

// An action of a player in two consecutive ticks. `value` and `previous` agree with the edges: an action that was
// pressed is down now and was up, even if the key was released within the tick or the previous tick was predicted.
typedef struct player_action_t {
  float value, previous;
  bool pressed, released;
} player_action_t;

static bool is_down(float value) {
  return fabsf(value) >= (float)PLAYER_DOWN / PLAYER_VALUE_MAX;
}

static float force_down(float value) {
  return is_down(value) ? value : 1.0f;
}

static float force_up(float value) {
  return is_down(value) ? 0.0f : value;
}

static player_action_t read_player_action(const ui_o *ui, uint32_t action, uint32_t player) {
  const sampled_player_t *input = &ui->desc.input->players.players[player],
                         *before = &ui->desc.input_before->players.players[player];
  player_action_t out = {.value = (float)input->values[action] / PLAYER_VALUE_MAX,
                         .previous = (float)before->values[action] / PLAYER_VALUE_MAX,
                         .pressed = input->pressed >> action & 1,
                         .released = input->released >> action & 1};
  out.value = out.pressed ? force_down(out.value) : out.value;
  bool was_down = is_down(out.value) ? !out.pressed : out.released;
  out.previous = was_down ? force_down(out.previous) : force_up(out.previous);
  return out;
}

// Reads an action of a player. For all players (-1), returns the value with the largest magnitude, and the edges of any
// player.
static player_action_t read_player_actions(const ui_o *ui, uint32_t action, int32_t player) {
  player_action_t out = {0};
  uint32_t first = player < 0 ? 0 : (uint32_t)player, end = player < 0 ? PLAYER_MAX : first + 1;
  for (uint32_t i = first; i < end && i < PLAYER_MAX; ++i) {
    if (!(ui->desc.input->players.present >> i & 1))
      continue;
    player_action_t read = read_player_action(ui, action, i);
    out.value = fabsf(read.value) > fabsf(out.value) ? read.value : out.value;
    out.previous = fabsf(read.previous) > fabsf(out.previous) ? read.previous : out.previous;
    out.pressed |= read.pressed;
    out.released |= read.released;
  }
  return out;
}

// --- reading

// Returns the action, or NULL if the name is unknown. `read_by_player` receives the action's state in a game that
// declares players.
static action_t *find_action_to_read(world_o *w, const char *name, int32_t player, player_action_t *read_by_player) {
  ui_o *ui = ui_of_world(w);
  action_t *action = ui ? find_action(ui->actions, name) : NULL;
  if (action && ui->actions->max_players > 0)
    *read_by_player = read_player_actions(ui, (uint32_t)(action - ui->actions->items.items), player);
  return action;
}

bool ui_read_action(world_o *w, const char *name, int32_t player, float *value, float *previous_value) {
  player_action_t read = {0};
  ui_o *ui = ui_of_world(w);
  const action_t *action = find_action_to_read(w, name, player, &read);
  if (action && ui->actions->max_players == 0 && !update_bindings(w, ui->actions)) {
    read.value = action_value(ui->desc.input, action, ui->captured, player);
    read.previous = action_value(ui->desc.input_before, action, ui->captured, player);
  }
  *value = read.value;
  *previous_value = read.previous;
  return action != NULL;
}

bool ui_read_action_edges(world_o *w, const char *name, int32_t player, bool *pressed, bool *released) {
  player_action_t read = {0};
  bool found = find_action_to_read(w, name, player, &read) != NULL;
  *pressed = read.pressed;
  *released = read.released;
  return found;
}

const char *ui_action_hint(world_o *w, const char *name, char *out, uint32_t bytes) {
  const ui_o *ui = ui_of_world(w);
  nearest_name_t nearest;
  nearest_name_init(&nearest, name);
  for (uint32_t i = 0; ui && i < ui->actions->items.count; ++i)
    nearest_name_offer(&nearest, ui->actions->items.items[i].name);
  if (ui && ui->actions->items.count > 0)
    return nearest_name_hint(&nearest, out, bytes);
  snprintf(out, bytes, ": input.lua binds no actions; add %s = \"key:space\"", name);
  return out;
}
