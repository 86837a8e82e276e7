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

#define PARTS 3u
#define MAX_CHOSEN 32u // maximum number of bindings per part
#define SINGLE "shoal.input"
static const char *const PART_NAMES[PARTS] = {"axis", "negative", "positive"};

typedef struct action_part_t {
  ARRAY(input_binding_t) declared, chosen; // `chosen` replaces `declared` if `replaces` is true
  bool replaces;
} action_part_t;

typedef struct action_t {
  char name[64];
  action_part_t parts[PARTS];
} action_t;

struct actions_o {
  allocator_t *allocator;
  ARRAY(action_t) items;
  ARRAY(char) applied; // text from which the `chosen` bindings were parsed
};

actions_o *actions_create(allocator_t *a) {
  actions_o *x = alloc_resize(a, NULL, 0, sizeof *x);
  *x = (actions_o){.allocator = a};
  return x;
}

void actions_destroy(actions_o *x) {
  if (!x)
    return;
  for (uint32_t i = 0; i < x->items.count; ++i)
    for (uint32_t k = 0; k < PARTS; ++k) {
      array_free(x->allocator, &x->items.items[i].parts[k].declared);
      array_free(x->allocator, &x->items.items[i].parts[k].chosen);
    }
  array_free(x->allocator, &x->items);
  array_free(x->allocator, &x->applied);
  alloc_resize(x->allocator, x, sizeof *x, 0);
}

const char *actions_get_name(const actions_o *x, uint32_t index) {
  return index < x->items.count ? x->items.items[index].name : NULL;
}

static action_t *find_action(actions_o *x, const char *name) {
  for (uint32_t i = 0; x && i < x->items.count; ++i)
    if (strcmp(x->items.items[i].name, name) == 0)
      return &x->items.items[i];
  return NULL;
}

void ui_declare_action_bindings(world_o *w, const char *name, uint32_t part, const input_binding_t *bindings,
                                uint32_t count) {
  ui_o *ui = ui_of_world(w);
  shoal_assert(part < PARTS, "part %u of action %s is out of range", part, name);
  if (!ui || strlen(name) >= sizeof((action_t *)0)->name)
    return;
  action_t *a = find_action(ui->actions, name);
  if (!a) {
    action_t fresh = {0};
    snprintf(fresh.name, sizeof fresh.name, "%s", name);
    array_push(ui->actions->allocator, &ui->actions->items, fresh);
    a = &ui->actions->items.items[ui->actions->items.count - 1];
  }
  a->parts[part].declared.count = 0;
  for (uint32_t i = 0; i < count; ++i)
    array_push(ui->actions->allocator, &a->parts[part].declared, bindings[i]);
}

// --- bindings chosen by players

// Returns true for a list. An empty list may be stored as an empty object, because Lua has a single table type.
static bool is_list(const json_t *v) {
  return json_is_array(v) || (json_is_object(v) && json_object_size(v) == 0);
}

// Parses the chosen bindings of a part. The declared bindings stay in use if `list` is not a list, has more than
// MAX_CHOSEN items, or contains an unknown name.
static void read_chosen_bindings(actions_o *x, action_part_t *p, const json_t *list) {
  input_binding_t binding;
  p->chosen.count = 0;
  p->replaces = is_list(list) && json_array_size(list) <= MAX_CHOSEN;
  for (size_t i = 0; p->replaces && i < json_array_size(list); ++i) {
    const char *text = json_string_value(json_array_get(list, i));
    p->replaces = text && input_parse(text, &binding);
    if (p->replaces)
      array_push(x->allocator, &p->chosen, binding);
  }
}

static void apply_bindings(actions_o *x, const char *written) {
  json_t *all = json_loads(written, 0, NULL);
  for (uint32_t i = 0; i < x->items.count; ++i) {
    action_t *a = &x->items.items[i];
    const json_t *chosen = json_object_get(all, a->name);
    for (uint32_t k = 0; k < PARTS; ++k) {
      bool whole = k == 0 && is_list(chosen);
      read_chosen_bindings(x, &a->parts[k], whole ? chosen : json_object_get(chosen, PART_NAMES[k]));
    }
  }
  json_decref(all);
  uint32_t bytes = (uint32_t)strlen(written) + 1;
  array_reserve(x->allocator, &x->applied, bytes);
  memcpy(x->applied.items, written, bytes);
  x->applied.count = bytes;
}

static uint32_t read_number(const manager_o *m, const char *field) {
  int32_t column = schema_find_field(&m->schema, field);
  return column >= 0 && m->count > 0 ? (uint32_t)columns_get(&m->columns, 0, (uint32_t)column) : 0;
}

// Parses the chosen bindings again if they have changed. Returns true while the player is rebinding a key; all actions
// are then released.
static bool update_bindings(world_o *w, actions_o *x) {
  const manager_o *m = world_find_manager(w, SINGLE);
  if (!m)
    return false;
  const char *written = strings_text(world_strings(w), read_number(m, "bindings"));
  if (strcmp(written, x->applied.count > 0 ? x->applied.items : "") != 0)
    apply_bindings(x, written);
  return read_number(m, "stage") != 0;
}

// --- values

// Returns true if widgets consume the input of this binding.
static bool is_captured(uint32_t captured, const input_binding_t *b) {
  bool mouse = b->device == INPUT_MOUSE_BUTTON || b->device == INPUT_WHEEL;
  return captured == UI_CAPTURES_ALL || (mouse && captured & UI_CAPTURES_MOUSE) ||
         (b->device == INPUT_KEY && captured & UI_CAPTURES_KEYS);
}

static float part_value(const input_state_t *sample, const action_part_t *p, uint32_t captured, int32_t player) {
  uint32_t count = p->replaces ? p->chosen.count : p->declared.count;
  const input_binding_t *b = p->replaces ? p->chosen.items : p->declared.items;
  float total = 0;
  for (uint32_t i = 0; i < count; ++i)
    total += is_captured(captured, &b[i]) ? 0.0f : input_value(sample, &b[i], player);
  return total;
}

static float action_value(const input_state_t *sample, const action_t *a, uint32_t captured, int32_t player) {
  float total = part_value(sample, &a->parts[0], captured, player) +
                part_value(sample, &a->parts[2], captured, player) - part_value(sample, &a->parts[1], captured, player);
  return total < -1.0f ? -1.0f : total > 1.0f ? 1.0f : total;
}

const input_binding_t *ui_action_bindings(world_o *w, const char *name, uint32_t part, uint32_t *count) {
  ui_o *ui = ui_of_world(w);
  shoal_assert(part < PARTS, "part %u of action %s is out of range", part, name);
  if (ui)
    update_bindings(w, ui->actions);
  const action_t *a = ui ? find_action(ui->actions, name) : NULL;
  const action_part_t *p = a ? &a->parts[part] : NULL;
  *count = !p ? 0 : p->replaces ? p->chosen.count : p->declared.count;
  return !p ? NULL : p->replaces ? p->chosen.items : p->declared.items;
}

bool ui_read_action(world_o *w, const char *name, int32_t player, float *now, float *before) {
  ui_o *ui = ui_of_world(w);
  bool rebinding = ui && update_bindings(w, ui->actions);
  const action_t *a = ui ? find_action(ui->actions, name) : NULL;
  *now = *before = 0.0f;
  if (a && !rebinding) {
    *now = action_value(ui->desc.input, a, ui->captured, player);
    *before = action_value(ui->desc.input_before, a, ui->captured, player);
  }
  return a != NULL;
}

const char *ui_action_hint(world_o *w, const char *name, char *out, uint32_t bytes) {
  const ui_o *ui = ui_of_world(w);
  nearest_name_t similar;
  nearest_name_init(&similar, name);
  for (uint32_t i = 0; ui && i < ui->actions->items.count; ++i)
    nearest_name_offer(&similar, ui->actions->items.items[i].name);
  if (ui && ui->actions->items.count > 0)
    return nearest_name_hint(&similar, out, bytes);
  snprintf(out, bytes, ": input.lua binds no actions; add %s = \"key:space\"", name);
  return out;
}
