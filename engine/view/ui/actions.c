// Actions of a game, for scripts and plugins. scripts/shoal/kit/input.lua registers the declared bindings. Bindings
// chosen by players are parsed from the singleton shoal.input, so they stay correct when the world is restored.
#include "ui/actions.h"

#include "base/assert.h"
#include "base/nearest_name.h"
#include "ui/state.h"
#include "ui/ui.h"

#include <jansson.h>
#include <stdio.h>
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
  action_part_t parts[PART_COUNT];
} action_t;

struct actions_o {
  allocator_t *allocator;
  ARRAY(action_t) items;
  ARRAY(char) applied; // text from which the `chosen` bindings were parsed
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
  alloc_resize(actions->allocator, actions, sizeof *actions, 0);
}

const char *actions_get_name(const actions_o *actions, uint32_t index) {
  return index < actions->items.count ? actions->items.items[index].name : NULL;
}

static action_t *find_action(actions_o *actions, const char *name) {
  for (uint32_t i = 0; actions && i < actions->items.count; ++i)
    if (strcmp(actions->items.items[i].name, name) == 0)
      return &actions->items.items[i];
  return NULL;
}

void ui_declare_action_bindings(world_o *w, const char *name, uint32_t part, const input_binding_t *bindings,
                                uint32_t count) {
  ui_o *ui = ui_of_world(w);
  shoal_assert(part < PART_COUNT, "part %u of action %s is out of range", part, name);
  if (!ui || strlen(name) >= sizeof((action_t *)0)->name)
    return;
  action_t *action = find_action(ui->actions, name);
  if (!action) {
    action_t new_action = {0};
    snprintf(new_action.name, sizeof new_action.name, "%s", name);
    array_push(ui->actions->allocator, &ui->actions->items, new_action);
    action = &ui->actions->items.items[ui->actions->items.count - 1];
  }
  action->parts[part].declared.count = 0;
  for (uint32_t i = 0; i < count; ++i)
    array_push(ui->actions->allocator, &action->parts[part].declared, bindings[i]);
}

// --- bindings chosen by players

// Returns true for a list. An empty list may be stored as an empty object, because Lua has a single table type.
static bool is_list(const json_t *value) {
  return json_is_array(value) || (json_is_object(value) && json_object_size(value) == 0);
}

// Parses the chosen bindings of a part. The declared bindings stay in use if `list` is not a list, has more than
// MAX_CHOSEN items, or contains an unknown name.
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
  uint32_t bytes = (uint32_t)strlen(text) + 1;
  array_reserve(actions->allocator, &actions->applied, bytes);
  memcpy(actions->applied.items, text, bytes);
  actions->applied.count = bytes;
}

static uint32_t read_number(const manager_o *manager, const char *field) {
  int32_t column = schema_find_field(&manager->schema, field);
  return column >= 0 && manager->count > 0 ? (uint32_t)columns_get(&manager->columns, 0, (uint32_t)column) : 0;
}

// Parses the chosen bindings again if they have changed. Returns true while the player is rebinding a key; all actions
// are then released.
static bool update_bindings(world_o *w, actions_o *actions) {
  const manager_o *manager = world_find_manager(w, INPUT_SINGLETON);
  if (!manager)
    return false;
  const char *text = strings_text(world_strings(w), read_number(manager, "bindings"));
  if (strcmp(text, actions->applied.count > 0 ? actions->applied.items : "") != 0)
    apply_bindings(actions, text);
  return read_number(manager, "stage") != 0;
}

// --- values

// Returns true if widgets consume the input of this binding.
static bool is_captured(uint32_t captured, const input_binding_t *b) {
  bool mouse = b->device == INPUT_MOUSE_BUTTON || b->device == INPUT_WHEEL;
  return captured == UI_CAPTURES_ALL || (mouse && captured & UI_CAPTURES_MOUSE) ||
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

static float action_value(const input_state_t *sample, const action_t *action, uint32_t captured, int32_t player) {
  float total = part_value(sample, &action->parts[0], captured, player) +
                part_value(sample, &action->parts[2], captured, player) -
                part_value(sample, &action->parts[1], captured, player);
  return total < -1.0f ? -1.0f : total > 1.0f ? 1.0f : total;
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

bool ui_read_action(world_o *w, const char *name, int32_t player, float *value, float *previous_value) {
  ui_o *ui = ui_of_world(w);
  bool rebinding = ui && update_bindings(w, ui->actions);
  const action_t *action = ui ? find_action(ui->actions, name) : NULL;
  *value = *previous_value = 0.0f;
  if (action && !rebinding) {
    *value = action_value(ui->desc.input, action, ui->captured, player);
    *previous_value = action_value(ui->desc.input_before, action, ui->captured, player);
  }
  return action != NULL;
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
