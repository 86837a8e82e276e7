// Reads scenes: checks the whole text, converts it to a list of steps that cannot fail, then executes the steps.
// Strings are interned only when the steps are executed.
#include "content/former_names.h"
#include "ecs/name_hint.h"

#include "base/assert.h"
#include "base/interrupt.h"
#include "base/json_value.h"
#include "schema/bit_names.h"
#include "store/scene_plan.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// --- location of faults

static void enter_element(scene_plan_t *plan, const char *key, size_t index) {
  if (plan->depth < SCENE_MAX_DEPTH)
    plan->path[plan->depth] = (scene_path_key_t){key, index};
  plan->depth++;
}

static void leave_element(scene_plan_t *plan) {
  shoal_assert(plan->depth > 0, "leave_element was called without enter_element");
  plan->depth--;
}

static void write_path(const scene_plan_t *plan, uint32_t steps) {
  char *out = plan->fault->path;
  size_t length = 0;
  for (uint32_t i = 0; i < steps && length < SCENE_FAULT_PATH_BYTES; ++i) {
    const scene_path_key_t *key = &plan->path[i];
    size_t capacity = SCENE_FAULT_PATH_BYTES - length;
    const char *separator = i ? "\n" : "";
    int written = key->key ? snprintf(out + length, capacity, "%s%s", separator, key->key)
                           : snprintf(out + length, capacity, "%s%zu", separator, key->index + 1);
    length += written > 0 ? (size_t)written : capacity;
  }
}

__attribute__((format(printf, 2, 3))) static bool fail(scene_plan_t *plan, const char *format, ...) {
  char shown[sizeof plan->fault->error.text - 128];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(shown, sizeof shown, format, arguments);
  va_end(arguments);
  uint32_t steps = plan->depth < SCENE_MAX_DEPTH ? plan->depth : SCENE_MAX_DEPTH;
  plan->fault->line = plan->check || plan->desc->list
                          ? 0
                          : scene_find_line(plan->desc->text, plan->desc->text_bytes, plan->path, steps);
  write_path(plan, steps);
  if (plan->items.count == 0)
    return error_set(&plan->fault->error, "%s", shown);
  const scene_item_t *item = &plan->items.items[plan->current_item];
  const char *name = strings_text(world_strings(plan->world), world_assemblage_name(plan->world, item->assemblage));
  return error_set(&plan->fault->error, "entity %u%s%.80s%s: %s", item->number, name[0] ? " (" : "", name,
                   name[0] ? ")" : "", shown);
}

// Reports a former name at the current path, if the caller has passed `former_names`.
static void report_former_name(scene_plan_t *plan, const char *subject, const char *former, const char *current) {
  scene_fault_t former_fault, *fault = plan->fault;
  if (!plan->desc->former_names)
    return;
  plan->fault = &former_fault;
  fail(plan, "“%.60s” is the former name of %s: write “%.60s”", former, subject, current);
  plan->fault = fault;
  const char *text = strncmp(former_fault.error.text, "entity ", 7) == 0 ? strstr(former_fault.error.text, ": ") : NULL;
  if (text)
    memmove(former_fault.error.text, text + 2, strlen(text + 2) + 1);
  plan->desc->former_names->report(plan->desc->former_names->context, plan->items.items[plan->current_item].number,
                                   &former_fault, former, current);
}

#define MAX_SKIPPED 20u // maximum number of skipped names that are reported for a text

// Handles a component or field that the text contains but the world lacks. In an import, reports its first occurrence
// and returns true, so that the caller skips it. Otherwise, returns false with `message` as the fault.
static bool skip_removed(scene_plan_t *plan, const char *name, const char *message) {
  scene_fault_t skipped, *fault = plan->fault;
  char line[sizeof skipped.error.text + 16];
  if (!plan->desc->is_import)
    return fail(plan, "%s", message);
  size_t count = json_object_size(plan->skipped_names);
  if (count > MAX_SKIPPED || json_object_get(plan->skipped_names, name))
    return true;
  json_object_set_new(plan->skipped_names, name, json_true());
  plan->fault = &skipped;
  fail(plan, "%s", count < MAX_SKIPPED ? message : "more fields are skipped");
  plan->fault = fault;
  int length = snprintf(line, sizeof line, "%u\t%s", skipped.line, skipped.error.text);
  for (int i = 0; i < length; ++i)
    array_push(plan->memory, &plan->skipped, line[i] == '\n' ? ' ' : line[i]);
  array_push(plan->memory, &plan->skipped, '\n');
  return true;
}

// --- entities

// Returns true for null, and for false, which scenes in Lua use instead of null. Both mean "removed" or "no entity".
static bool is_null_or_false(const json_t *value) {
  return json_is_null(value) || json_is_false(value);
}

// Returns true, or false with a fault if reading was interrupted. Checks for an interrupt only at every 256th `i`.
static bool check_interrupt(scene_plan_t *plan, size_t i) {
  return i % 256 != 255 || !interrupt_is_pending() || fail(plan, "reading was interrupted");
}

// Returns the string's id, or 0 if the value is not a string, contains '\0', or is not interned in the world.
static uint32_t find_interned_text(const scene_plan_t *plan, const json_t *value) {
  bool whole = json_is_string(value) && strlen(json_string_value(value)) == json_string_length(value);
  return whole ? strings_find(world_strings(plan->world), json_string_value(value)) : 0;
}

static bool check_keys(scene_plan_t *plan, json_t *object, const char *const *keys, const char *expected) {
  const char *key;
  json_t *value;
  json_object_foreach(object, key, value) {
    uint32_t i = 0;
    while (keys[i] && strcmp(keys[i], key) != 0)
      i++;
    if (keys[i])
      continue;
    enter_element(plan, key, 0);
    nearest_name_t suggestion;
    char hint[HINT_BYTES];
    nearest_name_init(&suggestion, key);
    for (uint32_t k = 0; keys[k]; ++k)
      nearest_name_offer(&suggestion, keys[k]);
    return fail(plan, "unknown key “%.60s”: %s%s", key, expected,
                world_find_manager(plan->world, key) ? ": put components in \"components\""
                                                     : nearest_name_hint(&suggestion, hint, sizeof hint));
  }
  return true;
}

static bool read_assemblage(scene_plan_t *plan, scene_item_t *item) {
  json_t *value = json_object_get(item->json, "assemblage");
  char shown[JSON_VALUE_BYTES], hint[HINT_BYTES];
  error_info_t error;
  if (!value)
    return true;
  enter_element(plan, "assemblage", 0);
  if (!json_is_string(value))
    return fail(plan, "assemblage must be a name, got %s", json_value_describe(value, shown));
  uint32_t name = find_interned_text(plan, value);
  item->assemblage = name ? world_find_assemblage(plan->world, name) : 0;
  const char *current = item->assemblage ? NULL : former_names_find_text(plan->world, json_string_value(value));
  if (current) {
    item->assemblage = world_find_assemblage(plan->world, strings_find(world_strings(plan->world), current));
    report_former_name(plan, "an assemblage", json_string_value(value), current);
  }
  if (item->assemblage == 0)
    return fail(plan, "unknown assemblage %s%s", json_value_name(value, shown),
                hint_assemblage(plan->world, json_string_value(value), hint));
  uint32_t size = world_assemblage_tree_size(plan->world, item->assemblage, &error);
  if (size == 0)
    return fail(plan, "%s", error.text);
  plan->spawn_count += size - 1;
  leave_element(plan);
  return true;
}

// Returns the hint for a message about an unknown name, chosen from the names that `offer` adds.
static const char *format_hint(const scene_plan_t *plan, const json_t *value,
                               void (*offer)(const scene_plan_t *, nearest_name_t *), char *out) {
  nearest_name_t suggestion;
  nearest_name_init(&suggestion, json_is_string(value) ? json_string_value(value) : "");
  offer(plan, &suggestion);
  return nearest_name_hint(&suggestion, out, HINT_BYTES);
}

static void suggest_states(const scene_plan_t *plan, nearest_name_t *suggestion) {
  uint32_t name, assemblage = plan->items.items[plan->current_item].assemblage;
  for (uint32_t i = 0; (name = world_assemblage_state_name(plan->world, assemblage, i)) != 0; ++i)
    nearest_name_offer(suggestion, strings_text(world_strings(plan->world), name));
}

static void suggest_children(const scene_plan_t *plan, nearest_name_t *suggestion) {
  uint32_t name, assemblage = plan->items.items[plan->current_item].assemblage;
  for (uint32_t i = 0; (name = world_assemblage_child_name(plan->world, assemblage, i)) != 0; ++i)
    nearest_name_offer(suggestion, strings_text(world_strings(plan->world), name));
}

static void suggest_items(const scene_plan_t *plan, nearest_name_t *suggestion) {
  const char *key;
  json_t *value;
  json_object_foreach(plan->ids, key, value) {
    nearest_name_offer(suggestion, key);
  }
  json_object_foreach(plan->by_name, key, value) {
    nearest_name_offer(suggestion, key);
  }
}

// Returns the id of the state's name, or of its current name if the state was renamed, or 0 if the state is unknown.
// Reports a former name.
static uint32_t find_state(scene_plan_t *plan, const scene_item_t *item, const json_t *value) {
  uint32_t name = find_interned_text(plan, value);
  if (item->assemblage == 0 || !json_is_string(value))
    return 0;
  if (name && world_assemblage_has_state(plan->world, item->assemblage, name))
    return name;
  const char *assemblage_name =
      strings_text(world_strings(plan->world), world_assemblage_name(plan->world, item->assemblage));
  const char *current = former_names_find_state_text(plan->world, assemblage_name, json_string_value(value));
  name = current ? strings_find(world_strings(plan->world), current) : 0;
  if (name == 0 || !world_assemblage_has_state(plan->world, item->assemblage, name))
    return 0;
  report_former_name(plan, "a state", json_string_value(value), current);
  return name;
}

static bool read_state(scene_plan_t *plan, scene_item_t *item) {
  json_t *value = json_object_get(item->json, "state");
  char shown[JSON_VALUE_BYTES], hint[HINT_BYTES];
  item->state = scene_resolve_state(plan->world, item->assemblage, 0);
  if (!value)
    return true;
  enter_element(plan, "state", 0);
  uint32_t name = find_state(plan, item, value);
  if (name == 0)
    return fail(plan, "unknown state %s%s", json_value_name(value, shown),
                format_hint(plan, value, suggest_states, hint));
  item->state = name;
  leave_element(plan);
  return true;
}

#define ENTITY_KEY_BYTES 24

// Returns the value, an id or a reference, as a key of `ids`, or NULL if the value is neither. The key of an entity id
// is stored in `digits`.
static const char *get_id_key(const scene_plan_t *plan, const json_t *value, char digits[ENTITY_KEY_BYTES]) {
  if (!plan->desc->accepts_entity_ids || !json_is_integer(value))
    return json_string_value(value);
  snprintf(digits, ENTITY_KEY_BYTES, "%lld", (long long)json_integer_value(value));
  return digits;
}

static bool read_id(scene_plan_t *plan, const scene_item_t *item, uint32_t number) {
  json_t *id = json_object_get(item->json, "id"), *name = json_object_get(item->json, "name");
  char digits[ENTITY_KEY_BYTES];
  if (id) {
    enter_element(plan, "id", 0);
    const char *key = get_id_key(plan, id, digits);
    if (!key || !key[0])
      return fail(plan, "an id must be a non-empty string");
    if (json_is_string(id) && strlen(key) != json_string_length(id))
      return fail(plan, "an id must not contain \\u0000");
    if (json_object_get(plan->ids, key))
      return fail(plan, "two entities have the id \"%.60s\": change one of the ids", key);
    json_object_set_new(plan->ids, key, json_integer(number));
    leave_element(plan);
  }
  if (json_is_string(name) && json_string_length(name) > 0) {
    bool is_duplicate = json_object_get(plan->by_name, json_string_value(name)) != NULL;
    json_object_set_new(plan->by_name, json_string_value(name), json_integer(is_duplicate ? -1 : (json_int_t)number));
  }
  return true;
}

static bool read_item(scene_plan_t *plan, json_t *json, scene_item_t item);

// Returns the current name of a child whose former name is `slot` (`renamed_from` contains a path such as "tank/gun"),
// and reports the former name. If `slot` is not a former name, returns `slot`.
static const char *find_current_slot(scene_plan_t *plan, uint32_t assemblage, const char *slot) {
  char path[256];
  uint32_t name;
  strings_o *s = world_strings(plan->world);
  for (uint32_t i = 0; (name = world_assemblage_child_name(plan->world, assemblage, i)) != 0; ++i)
    if (strcmp(strings_text(s, name), slot) == 0)
      return slot;
  snprintf(path, sizeof path, "%.120s/%.120s", strings_text(s, world_assemblage_name(plan->world, assemblage)), slot);
  const char *current = former_names_find_text(plan->world, path), *last = current ? strrchr(current, '/') : NULL;
  if (!last)
    return slot;
  report_former_name(plan, "a child", slot, last + 1);
  return last + 1;
}

static bool read_child(scene_plan_t *plan, uint32_t owner, const char *slot, json_t *json) {
  scene_item_t item = plan->items.items[owner];
  char hint[HINT_BYTES];
  nearest_name_t suggestion;
  slot = find_current_slot(plan, item.assemblage, slot);
  nearest_name_init(&suggestion, slot);
  suggest_children(plan, &suggestion);
  uint32_t assemblage = item.assemblage, tree_index = item.tree_index + 1, i = 0;
  for (uint32_t name;; ++i) {
    name = world_assemblage_child_name(plan->world, assemblage, i);
    if (name == 0)
      return fail(plan, "the assemblage has no child “%.60s”%s", slot,
                  nearest_name_hint(&suggestion, hint, sizeof hint));
    uint32_t number = world_assemblage_child_number(plan->world, assemblage, i);
    item.assemblage = number;
    if (strcmp(strings_text(world_strings(plan->world), name), slot) == 0)
      break;
    tree_index += world_assemblage_tree_size(plan->world, number, NULL);
  }
  item = (scene_item_t){.json = json,
                        .assemblage = item.assemblage,
                        .tree_index = tree_index,
                        .number = item.number,
                        .parent = owner,
                        .is_slot_child = true};
  return read_item(plan, json, item);
}

static bool read_children(scene_plan_t *plan, uint32_t owner) {
  json_t *children = json_object_get(plan->items.items[owner].json, "children"), *value;
  const char *slot;
  if (!children)
    return true;
  enter_element(plan, "children", 0);
  if (!json_is_object(children))
    return fail(plan, "children must be an object that maps names of children to changes");
  json_object_foreach(children, slot, value) {
    enter_element(plan, slot, 0);
    plan->current_item = owner;
    if (!read_child(plan, owner, slot, value))
      return false;
    leave_element(plan);
  }
  leave_element(plan);
  return true;
}

static bool read_item(scene_plan_t *plan, json_t *json, scene_item_t item) {
  static const char *const ROOT_KEYS[] = {"assemblage", "children", "components", "id",
                                          "name",       "parent",   "state",      NULL};
  static const char *const SLOT_KEYS[] = {"children", "components", "id", "name", "state", NULL};
  plan->current_item = plan->items.count;
  array_push(plan->memory, &plan->items, item);
  if (item.is_slot_child && is_null_or_false(json))
    return true;
  if (!json_is_object(json))
    return fail(plan, "an entity must be an object (in Lua a table)");
  plan->spawn_count += !item.is_slot_child;
  if (!check_keys(plan, json, item.is_slot_child ? SLOT_KEYS : ROOT_KEYS,
                  item.is_slot_child ? "expected children, components, id, name or state"
                                     : "expected assemblage, children, components, id, name, parent or state"))
    return false;
  uint32_t number = plan->current_item;
  scene_item_t *added = &plan->items.items[number];
  return read_assemblage(plan, added) && read_state(plan, added) && read_id(plan, added, number) &&
         read_children(plan, number);
}

// --- steps

static scene_step_t *add_step(scene_plan_t *plan, scene_step_kind_t kind, const manager_o *m, const char *instance,
                              size_t bytes) {
  scene_step_t step = {
      .kind = kind, .item = plan->current_item, .manager = m->id, .instance = instance, .instance_bytes = bytes};
  array_push(plan->memory, &plan->steps, step);
  return &plan->steps.items[plan->steps.count - 1];
}

// Parses numbers that JSON cannot express: "nan", "inf" and "-inf". Returns true on success, or false for any other
// value.
static bool parse_special_number(const json_t *value, double *out) {
  const char *text = json_string_value(value);
  if (!text || (strcmp(text, "nan") != 0 && strcmp(text, "inf") != 0 && strcmp(text, "-inf") != 0))
    return false;
  *out = text[0] == 'n' ? (double)NAN : text[0] == 'i' ? (double)INFINITY : -(double)INFINITY;
  return true;
}

static bool read_number(scene_plan_t *plan, const field_t *field, const json_t *value, double *out) {
  char shown[JSON_VALUE_BYTES];
  bool is_real = field->type == FIELD_F32 || field->type == FIELD_F64;
  field_limits_t range = field_limits(field->type);
  if (is_real && parse_special_number(value, out))
    return true;
  double number = json_number_value(value);
  if (!json_is_number(value) || (!is_real && number != floor(number)))
    return fail(plan, "%s must be %s, got %s", field->name, is_real ? "a number" : "an integer",
                json_value_describe(value, shown));
  if (number < range.low || number > range.high)
    return fail(plan, "%s: %s does not fit in %s", field->name, json_value_describe(value, shown),
                field_type_name(field->type));
  *out = number;
  return true;
}

static bool read_choice(scene_plan_t *plan, const field_t *field, const json_t *value, double *out) {
  char choices[200], shown[JSON_VALUE_BYTES], hint[HINT_BYTES];
  const char *text = json_is_string(value) ? json_string_value(value) : "";
  int32_t choice = json_is_string(value) ? field_find_choice(field, text, strlen(text)) : -1;
  *out = choice;
  return choice >= 0 ||
         fail(plan, "%s must be one of %s, got %s%s", field->name, field_list_choices(field, choices, sizeof choices),
              json_value_describe(value, shown), hint_choice(field, text, hint));
}

static bool read_layer(scene_plan_t *plan, const field_t *field, const json_t *value, uint32_t *bits) {
  char shown[JSON_VALUE_BYTES], hint[HINT_BYTES];
  const char *name = json_string_value(value);
  return (name && bit_names_find(field, name, json_string_length(value), bits)) ||
         fail(plan, "%s: unknown layer %s%s", field->name, json_value_name(value, shown),
              name ? hint_choice(field, name, hint) : "");
}

// Stores layers as bits in `out`. The value is the name of a layer, a list of names, or a number in which each bit is a
// layer. Returns true on success, or false with a fault.
static bool read_layers(scene_plan_t *plan, const field_t *field, const json_t *value, double *out) {
  uint32_t bits = 0, bit = 0;
  if (json_is_number(value))
    return read_number(plan, field, value, out);
  for (size_t i = 0; i < json_array_size(value); ++i, bits |= bit)
    if (!read_layer(plan, field, json_array_get(value, i), &bit))
      return false;
  if (!json_is_array(value) && !read_layer(plan, field, value, &bits))
    return false;
  *out = bits;
  return true;
}

static const char *get_entity_name(const scene_plan_t *plan, shoal_entity e) {
  uint32_t row = plan->names ? manager_row(plan->names, e) : ROW_NONE;
  return row == ROW_NONE ? "" : strings_text(world_strings(plan->world), ((const uint32_t *)plan->names->data[0])[row]);
}

// Returns the living entity with this name, or SHOAL_ENTITY_NONE if no entity or several entities have the name.
static shoal_entity find_named_entity(const scene_plan_t *plan, const char *name) {
  uint32_t id = strings_find(world_strings(plan->world), name), found = 0;
  shoal_entity e = SHOAL_ENTITY_NONE;
  for (uint32_t row = 0; id != 0 && plan->names && row < plan->names->count; ++row)
    if (((const uint32_t *)plan->names->data[0])[row] == id) {
      e = plan->names->owner[row];
      ++found;
    }
  return found == 1 ? e : SHOAL_ENTITY_NONE;
}

static const char *get_string(const json_t *object, const char *key) {
  const char *text = json_string_value(json_object_get(object, key));
  return text ? text : "";
}

// Writes the path of the field that is being read: "target.entity", "gun.left.aim", "parent". Returns `out`.
static const char *format_field_path(const scene_plan_t *plan, char out[200]) {
  uint32_t first = plan->depth > 0 ? plan->depth - 1 : 0;
  for (uint32_t i = 0; i < plan->depth; ++i)
    if (plan->path[i].key && strcmp(plan->path[i].key, "components") == 0)
      first = i + 1;
  out[0] = '\0';
  for (uint32_t i = first; i < plan->depth && i < SCENE_MAX_DEPTH; ++i) {
    size_t length = strlen(out);
    if (plan->path[i].key)
      snprintf(out + length, 200 - length, "%s%.60s", length ? "." : "", plan->path[i].key);
    else
      snprintf(out + length, 200 - length, "[%zu]", plan->path[i].index + 1);
  }
  return out;
}

// Adds "entity 2: target.entity refers to tank boss" to the references that could not be resolved.
static void add_unresolved_reference(scene_plan_t *plan, const char *assemblage, const char *name) {
  char line[480], path[200];
  int length = snprintf(line, sizeof line, "entity %u: %s refers to %.80s%s%.80s\n",
                        plan->items.items[plan->current_item].number, format_field_path(plan, path),
                        assemblage[0] ? assemblage : "an entity", name[0] ? " " : "", name);
  for (int i = 0; i < length && i + 1 < (int)sizeof line; ++i)
    array_push(plan->memory, &plan->unresolved, line[i]);
}

// Resolves a reference to an entity outside the text. Returns the living entity. If it is not found, records the
// reference as unresolved and returns SHOAL_ENTITY_NONE.
static shoal_entity find_outside_entity(scene_plan_t *plan, const json_t *value) {
  const entities_t *s = world_entities(plan->world);
  const char *name = get_string(value, "name"), *assemblage = get_string(value, "assemblage");
  json_int_t id = json_integer_value(json_object_get(value, "entity"));
  shoal_entity e = id > 0 && id <= UINT32_MAX ? (shoal_entity)id : SHOAL_ENTITY_NONE;
  if (plan->desc->is_import && entities_is_alive(s, e) && strcmp(get_entity_name(plan, e), name) == 0 &&
      strcmp(strings_text(world_strings(plan->world), s->assemblage[shoal_entity_index(e)]), assemblage) == 0)
    return e;
  e = name[0] ? find_named_entity(plan, name) : SHOAL_ENTITY_NONE;
  if (e == SHOAL_ENTITY_NONE)
    add_unresolved_reference(plan, assemblage, name);
  return e;
}

// Resolves a reference. If it refers to an item of the text, sets `out` to the item's index. Otherwise, sets `out` to
// -1, and `outside` to the living entity that it refers to, or to SHOAL_ENTITY_NONE. Returns true on success, or false
// with a fault if the id or name is unknown, or if several items have the name.
static bool find_reference(scene_plan_t *plan, const char *field_name, const json_t *value, int64_t *out,
                           shoal_entity *outside) {
  char shown[JSON_VALUE_BYTES], hint[HINT_BYTES], digits[ENTITY_KEY_BYTES];
  *out = -1;
  *outside = SHOAL_ENTITY_NONE;
  if (is_null_or_false(value))
    return true;
  if (json_is_object(value) && (json_object_get(value, "entity") || json_object_get(value, "name"))) {
    *outside = find_outside_entity(plan, value);
    return true;
  }
  const char *key = get_id_key(plan, value, digits);
  if (!key)
    return fail(plan, "%s must be the id or name of an entity, or null, got %s", field_name,
                json_value_describe(value, shown));
  json_t *found = json_object_get(plan->ids, key);
  if (!found && json_is_integer(value)) {
    json_int_t e = json_integer_value(value);
    if (e > 0 && e <= UINT32_MAX && entities_is_alive(world_entities(plan->world), (shoal_entity)e))
      *outside = (shoal_entity)e;
    return true;
  }
  found = found ? found : json_object_get(plan->by_name, key);
  if (!found)
    return fail(plan, "%s: unknown entity %s%s", field_name, json_value_name(value, shown),
                format_hint(plan, value, suggest_items, hint));
  if (json_integer_value(found) < 0)
    return fail(plan, "%s: several entities are named %s: give one of them an id and use the id", field_name,
                json_value_name(value, shown));
  *out = json_integer_value(found);
  return true;
}

static bool read_value(scene_plan_t *plan, scene_step_t *step, const field_t *field, const json_t *value) {
  char shown[JSON_VALUE_BYTES];
  int64_t item;
  shoal_entity entity;
  switch (field->type) {
  case FIELD_BOOL:
    step->number = json_is_true(value);
    return json_is_boolean(value) ||
           fail(plan, "%s must be true or false, got %s", field->name, json_value_describe(value, shown));
  case FIELD_ENUM: return read_choice(plan, field, value, &step->number);
  case FIELD_STRING:
  case FIELD_ASSET:
    step->kind = STEP_TEXT;
    step->text = json_string_value(value);
    step->text_bytes = json_string_length(value);
    return step->text || fail(plan, "%s must be a string, got %s", field->name, json_value_describe(value, shown));
  case FIELD_ENTITY:
    if (!find_reference(plan, field->name, value, &item, &entity))
      return false;
    step->kind = item < 0 ? STEP_NUMBER : STEP_ENTITY;
    step->number = entity;
    step->target = item < 0 ? 0 : (uint32_t)item;
    return true;
  case FIELD_U32:
    if (bit_names_exist(field))
      return read_layers(plan, field, value, &step->number);
    return read_number(plan, field, value, &step->number);
  default: return read_number(plan, field, value, &step->number);
  }
}

// Returns element `i` of a vector written as a list, as an object of axes or channels, or as a colour ("#rrggbb" or
// "#rrggbbaa"), or NULL if the element keeps its value. `*owned` owns a temporary value.
static const json_t *get_vector_element(const json_t *value, uint32_t i, json_t **owned) {
  static const char *const AXES[] = {"x", "y", "z", "w"}, *const CHANNELS[] = {"r", "g", "b", "a"};
  unsigned channel = 255;
  if (json_is_array(value))
    return json_array_get(value, i);
  if (json_is_object(value))
    return json_object_get(value, AXES[i]) ? json_object_get(value, AXES[i]) : json_object_get(value, CHANNELS[i]);
  if (json_string_length(value) > 2 * (size_t)i + 1)
    sscanf(json_string_value(value) + 1 + 2 * i, "%2x", &channel);
  return *owned = json_real(channel / 255.0);
}

static bool is_colour(const json_t *value, uint32_t n) {
  size_t bytes = json_string_length(value);
  return n >= 3 && (bytes == 7 || bytes == 9) && json_string_value(value)[0] == '#' &&
         strspn(json_string_value(value) + 1, "0123456789abcdefABCDEF") == bytes - 1;
}

static bool check_vector(scene_plan_t *plan, const field_t *field, uint32_t n, const json_t *value) {
  static const char LETTERS[] = "xyzwrgba";
  bool ok = json_is_object(value) || json_array_size(value) == n || is_colour(value, n);
  const char *key;
  json_t *element;
  json_object_foreach((json_t *)value, key, element) { // NOLINT: read only
    const char *letter = key[0] && !key[1] ? strchr(LETTERS, key[0]) : NULL;
    ok = ok && letter && (uint32_t)(letter - LETTERS) % 4 < n;
  }
  return ok || fail(plan, "%.*s must be a list of %u numbers%s", (int)(strrchr(field->name, '.') - field->name),
                    field->name, n, n >= 3 ? " or a colour, \"#ff8800\"" : "");
}

// Reads all values of a list, and sets unused values to 0. `column_count`: number of columns of the list. Returns true
// on success, or false with a fault.
static bool read_list_field(scene_plan_t *plan, scene_step_t prototype, const manager_o *m, uint32_t column,
                            uint32_t column_count, const json_t *value) {
  const field_t *count = &m->schema.fields[column];
  int bytes = (int)field_base_bytes(count);
  // In Lua, an empty object and an empty list are the same value
  bool is_empty_table = json_is_object(value) && json_object_size(value) == 0;
  if (!json_is_array(value) && !is_empty_table)
    return fail(plan, "%.*s must be a list of up to %u values", bytes, count->name, column_count - 1);
  if (json_array_size(value) >= column_count)
    return fail(plan, "too many values for %.*s: %zu (at most %u): declare a larger capacity", bytes, count->name,
                json_array_size(value), column_count - 1);
  for (uint32_t i = 0; i < column_count; ++i) {
    const field_t *field = count + i;
    scene_step_t step = prototype;
    step.column = column + i;
    step.number = i == 0 ? (double)json_array_size(value) : 0;
    bool is_used = i > 0 && i <= json_array_size(value);
    if (is_used && !read_value(plan, &step, field, json_array_get(value, i - 1)))
      return false;
    // Clamps a used 0 to the range, because the column's own clamp accepts 0, the value of unused elements
    if (is_used && step.number == 0 && field_has_range(field))
      step.number = field->low > 0 ? field->low : field->high < 0 ? field->high : 0;
    array_push(plan->memory, &plan->steps, step);
  }
  return true;
}

// Reads one value, or all values of a vector or list. Returns true on success, or false with a fault.
static bool read_field(scene_plan_t *plan, scene_step_t prototype, const manager_o *m, uint32_t column,
                       uint32_t column_count, const json_t *value) {
  const field_t *field = &m->schema.fields[column];
  shoal_assert(column_count > 0 && column + column_count <= m->schema.field_count,
               "columns %u … %u of %s are out of range (count %u)", column, column + column_count, m->schema.name,
               m->schema.field_count);
  if (field->flags & FIELD_IS_COUNT)
    return read_list_field(plan, prototype, m, column, column_count, value);
  if (column_count > 1 && !check_vector(plan, field, column_count, value))
    return false;
  for (uint32_t i = 0; i < column_count; ++i) {
    scene_step_t step = prototype;
    json_t *owned = NULL;
    const json_t *element = column_count > 1 ? get_vector_element(value, i, &owned) : value;
    step.column = column + i;
    bool ok = !element || read_value(plan, &step, field + i, element);
    json_decref(owned);
    if (!ok)
      return false;
    if (element)
      array_push(plan->memory, &plan->steps, step);
  }
  return true;
}

static uint32_t find_field(const manager_o *m, const char *key, uint32_t *column_count) {
  for (uint32_t column = 0; column < m->schema.field_count; column += *column_count) {
    size_t bytes;
    *column_count = scene_count_field_columns(&m->schema, column, &bytes);
    bytes = *column_count > 1 ? bytes : strlen(m->schema.fields[column].name);
    if (strlen(key) == bytes && memcmp(m->schema.fields[column].name, key, bytes) == 0)
      return column;
  }
  return UINT32_MAX;
}

// Like find_field, for a former name of the field.
static uint32_t find_renamed_field(const manager_o *m, const char *key, uint32_t *column_count) {
  char name[FIELD_NAME_MAX + 128];
  for (uint32_t column = 0; column < m->schema.field_count; column += *column_count) {
    size_t bytes;
    *column_count = scene_count_field_columns(&m->schema, column, &bytes);
    snprintf(name, sizeof name, "%.110s%s", key, *column_count > 1 ? m->schema.fields[column].name + bytes : "");
    if (field_has_former_name(&m->schema.fields[column], name))
      return column;
  }
  return UINT32_MAX;
}

// Like find_field, but also accepts a former name of a field, and reports it.
static uint32_t find_field_or_report(scene_plan_t *plan, const manager_o *m, const char *key, uint32_t *column_count) {
  char former[FIELD_NAME_MAX + COMPONENT_NAME_MAX + 64], current[FIELD_NAME_MAX + COMPONENT_NAME_MAX + 64];
  uint32_t column = find_field(m, key, column_count);
  if (column != UINT32_MAX || (column = find_renamed_field(m, key, column_count)) == UINT32_MAX)
    return column;
  size_t bytes;
  scene_count_field_columns(&m->schema, column, &bytes);
  bytes = *column_count > 1 ? bytes : strlen(m->schema.fields[column].name);
  snprintf(former, sizeof former, "%s.%.100s", m->schema.name, key);
  snprintf(current, sizeof current, "%s.%.*s", m->schema.name, (int)bytes, m->schema.fields[column].name);
  report_former_name(plan, "a field", former, current);
  return column;
}

static bool is_record(const manager_o *m, const char *path) {
  size_t bytes = strlen(path);
  for (uint32_t column = 0; column < m->schema.field_count; ++column)
    if (strncmp(m->schema.fields[column].name, path, bytes) == 0 && m->schema.fields[column].name[bytes] == '.')
      return true;
  return false;
}

static bool skip_unknown_field(scene_plan_t *plan, const manager_o *m, const char *path) {
  char hint[HINT_BYTES], name[COMPONENT_NAME_MAX + FIELD_NAME_MAX + 64], message[512];
  snprintf(name, sizeof name, "%s.%.100s", m->schema.name, path);
  snprintf(message, sizeof message, "%s has no field %.60s%s", m->schema.name, path,
           hint_field(&m->schema, path, hint));
  return skip_removed(plan, name, message);
}

// Reads the fields of a row, or of a record in it. `record`: names of the records, each followed by "."; "" for a row.
// Returns true on success, or false with a fault.
static bool read_fields(scene_plan_t *plan, scene_step_t prototype, const manager_o *m, const char *record,
                        json_t *values) {
  const char *key;
  char path[FIELD_NAME_MAX + 64];
  json_t *value;
  uint32_t column_count;
  json_object_foreach(values, key, value) {
    snprintf(path, sizeof path, "%.48s%.60s", record, key);
    enter_element(plan, key, 0);
    uint32_t column = find_field_or_report(plan, m, path, &column_count);
    if (column == UINT32_MAX && is_record(m, path)) {
      if (!json_is_object(value))
        return fail(plan, "%s.%s must be an object of fields (in Lua a table)", m->schema.name, path);
      snprintf(path, sizeof path, "%.48s%.60s.", record, key);
      if (!read_fields(plan, prototype, m, path, value))
        return false;
      leave_element(plan);
      continue;
    }
    if (column == UINT32_MAX || m->schema.fields[column].flags & FIELD_HIDDEN) {
      if (!skip_unknown_field(plan, m, path))
        return false;
      leave_element(plan);
      continue;
    }
    if (!field_is_settable(&m->schema.fields[column]))
      return fail(plan, "%s.%s is read-only", m->schema.name, path);
    if (m == plan->transforms && column == plan->parent_column)
      return fail(plan, "set the parent in \"parent\", next to \"components\"");
    if (!read_field(plan, prototype, m, column, column_count, value))
      return false;
    leave_element(plan);
  }
  return true;
}

static bool read_row(scene_plan_t *plan, const manager_o *m, const char *instance, size_t instance_bytes,
                     json_t *values) {
  if (!json_is_object(values))
    return fail(plan, "%s must be an object of fields, or null (in Lua a table, or false)", m->schema.name);
  scene_step_t prototype = *add_step(plan, STEP_ADD, m, instance, instance_bytes);
  prototype.kind = STEP_NUMBER;
  return read_fields(plan, prototype, m, "", values);
}

// --- components

// Adds the assemblage's instance with all its values, so that the values do not depend on the entity's previous state.
static void add_assemblage_instance(scene_plan_t *plan, const assemblage_part_t *part) {
  manager_o *m = world_manager(plan->world, part->manager);
  strings_o *s = world_strings(plan->world);
  const char *name = part->instance ? strings_text(s, part->instance) : NULL;
  add_step(plan, STEP_ADD, m, name, strings_length(s, part->instance));
  for (uint32_t column = 0; column < m->schema.field_count; ++column)
    if (m->schema.fields[column].type != FIELD_MAT4 && !(m->schema.fields[column].flags & FIELD_READ_ONLY)) {
      scene_step_t *step = add_step(plan, STEP_NUMBER, m, name, strings_length(s, part->instance));
      step->column = column;
      step->number = part->values[column];
    }
}

// Removes the unnamed instance, which requires removing all instances and adding the assemblage's named instances
// again.
static void remove_unnamed_instance(scene_plan_t *plan, const manager_o *m) {
  add_step(plan, STEP_REMOVE, m, NULL, 0);
  for (uint32_t i = 0; i < plan->parts.count; ++i)
    if (plan->parts.items[i].manager == m->id && plan->parts.items[i].instance != 0)
      add_assemblage_instance(plan, &plan->parts.items[i]);
}

static bool read_instances(scene_plan_t *plan, const manager_o *m, json_t *instances) {
  json_t *unnamed = json_object_get(instances, ""), *values;
  const char *name;
  if (!json_is_object(instances))
    return fail(plan, "%s must be an object of instances, or null (in Lua a table, or false)", m->schema.name);
  if (json_object_size(instances) > MANAGER_MAX_INSTANCES)
    return fail(plan, "too many instances of %s: %zu (at most %u per entity)", m->schema.name,
                json_object_size(instances), MANAGER_MAX_INSTANCES);
  if (is_null_or_false(unnamed))
    remove_unnamed_instance(plan, m);
  json_object_foreach(instances, name, values) {
    size_t bytes = strlen(name);
    enter_element(plan, name, 0);
    if (is_null_or_false(values) && bytes > 0)
      add_step(plan, STEP_REMOVE, m, name, bytes);
    else if (!is_null_or_false(values) && !json_is_object(values))
      return fail(plan, "%s has named instances: the value of each name must be an object of fields", m->schema.name);
    else if (!is_null_or_false(values) && !read_row(plan, m, bytes ? name : NULL, bytes, values))
      return false;
    leave_element(plan);
  }
  return true;
}

// Returns true if the scene's description lists the component as ignored.
static bool is_ignored_component(const scene_plan_t *plan, const char *name) {
  size_t bytes = strlen(name);
  const char *line = plan->desc->ignored, *end;
  for (; line && (end = strchr(line, '\n')) != NULL; line = end + 1)
    if ((size_t)(end - line) == bytes && memcmp(line, name, bytes) == 0)
      return true;
  return false;
}

// --- former components

// Returns the value at a path of keys, such as "look.r", or NULL if it is missing.
static json_t *get_at_path(json_t *object, const char *path) {
  char key[FIELD_NAME_MAX];
  for (; object; path += strcspn(path, ".") + 1) {
    snprintf(key, sizeof key, "%.*s", (int)strcspn(path, "."), path);
    object = json_object_get(object, key);
    if (!path[strcspn(path, ".")])
      return object;
  }
  return NULL;
}

static void set_at_path(json_t *object, const char *path, size_t bytes, json_t *value) {
  char key[FIELD_NAME_MAX];
  size_t length = strcspn(path, ".");
  for (; length < bytes; path += length + 1, bytes -= length + 1, length = strcspn(path, ".")) {
    snprintf(key, sizeof key, "%.*s", (int)length, path);
    json_t *inner = json_object_get(object, key);
    if (!json_is_object(inner))
      json_object_set_new(object, key, inner = json_object());
    object = inner;
  }
  snprintf(key, sizeof key, "%.*s", (int)bytes, path);
  json_object_set(object, key, value);
}

// Deletes the value at a path of keys, and objects that become empty.
static void delete_at_path(json_t *object, const char *path) {
  char key[FIELD_NAME_MAX];
  size_t length = strcspn(path, ".");
  snprintf(key, sizeof key, "%.*s", (int)length, path);
  json_t *inner = path[length] ? json_object_get(object, key) : NULL;
  if (inner)
    delete_at_path(inner, path + length + 1);
  if (!inner || json_object_size(inner) == 0)
    json_object_del(object, key);
}

static void report_moved_field(scene_plan_t *plan, const char *component, const char *field, const manager_o *m,
                               const char *name) {
  char former[COMPONENT_NAME_MAX + FIELD_NAME_MAX + 2], current[COMPONENT_NAME_MAX + FIELD_NAME_MAX + 2];
  snprintf(former, sizeof former, "%s.%s", component, field);
  snprintf(current, sizeof current, "%s.%s", m->schema.name, name);
  report_former_name(plan, "a field", former, current);
}

// Returns an object with the values of fields that moved from `former` to `m`. `former` was renamed or has lost fields.
// Removes these values from `remaining`, which is a deep copy of `values`.
static json_t *convert_fields(scene_plan_t *plan, const char *former, const manager_o *m, json_t *values,
                              json_t *remaining) {
  former_field_t part;
  json_t *converted = json_object();
  const manager_o *source = world_find_manager(plan->world, former); // NULL if the component was renamed
  for (uint32_t column = 0, column_count; column < m->schema.field_count; column += column_count) {
    size_t bytes;
    column_count = scene_count_field_columns(&m->schema, column, &bytes);
    const char *name = m->schema.fields[column].name, *suffix = column_count > 1 ? name + bytes : "";
    for (uint32_t i = 0; former_names_get_field(plan->world, former, i, &part); ++i) {
      char old_name[FIELD_NAME_MAX];
      size_t old_bytes = strlen(part.field), suffix_bytes = strlen(suffix);
      if (part.manager != m->id || part.column != column || old_bytes <= suffix_bytes)
        continue;
      snprintf(old_name, sizeof old_name, "%.*s", (int)(old_bytes - suffix_bytes), part.field);
      uint32_t old_count;
      json_t *value =
          source && find_field(source, old_name, &old_count) != UINT32_MAX ? NULL : get_at_path(values, old_name);
      if (value) {
        if (source)
          report_moved_field(plan, former, old_name, m, name);
        set_at_path(converted, name, column_count > 1 ? bytes : strlen(name), value);
        delete_at_path(remaining, old_name);
      }
    }
  }
  return converted;
}

static json_t *convert_component(scene_plan_t *plan, const char *former, const manager_o *m, json_t *value,
                                 json_t *remaining) {
  if (!json_is_object(value))
    return json_incref(value);
  if (m->schema.kind != SCHEMA_MANY)
    return convert_fields(plan, former, m, value, remaining);
  json_t *out = json_object(), *values;
  const char *instance;
  json_object_foreach(value, instance, values) {
    json_t *rest = json_object_get(remaining, instance),
           *fields = json_is_object(values) ? convert_fields(plan, former, m, values, rest) : json_incref(values);
    if (!json_is_object(fields) || json_object_size(fields) > 0 || !world_find_manager(plan->world, former))
      json_object_set(out, instance, fields);
    json_decref(fields);
  }
  return out;
}

// Returns a field that no component has taken over, or NULL if all fields have been taken over.
static const char *find_remaining_field(json_t *remaining, bool is_many) {
  const char *key;
  json_t *value;
  json_object_foreach(remaining, key, value) {
    const char *field = !is_many ? key : json_is_object(value) ? find_remaining_field(value, false) : NULL;
    if (field)
      return field;
  }
  return NULL;
}

static bool read_component(scene_plan_t *plan, const char *name, json_t *value);

// Reads a component with a former name as the components that took over its fields. Returns true on success, or false
// with a fault.
static bool read_former_component(scene_plan_t *plan, const char *former, json_t *value) {
  former_field_t part;
  json_t *converted = json_object(), *remaining = json_is_object(value) ? json_deep_copy(value) : json_object(),
         *values;
  char names[200] = "", message[256];
  const char *name;
  bool is_many = false;
  json_array_append_new(plan->converted, converted);
  for (uint32_t i = 0; former_names_get_field(plan->world, former, i, &part); ++i) {
    const manager_o *m = world_manager(plan->world, part.manager);
    size_t length = strlen(names);
    if (json_object_get(converted, m->schema.name))
      continue;
    json_object_set_new(converted, m->schema.name, convert_component(plan, former, m, value, remaining));
    is_many |= m->schema.kind == SCHEMA_MANY;
    snprintf(names + length, sizeof names - length, "%s%s", length ? "” and “" : "", m->schema.name);
  }
  report_former_name(plan, "a component", former, names);
  const char *unknown = find_remaining_field(remaining, is_many);
  snprintf(message, sizeof message, "%.60s, now %.100s, has no field %.60s", former, names, unknown ? unknown : "");
  bool ok = !unknown || skip_removed(plan, message, message);
  json_decref(remaining);
  json_object_foreach(converted, name, values) {
    ok = ok && read_component(plan, name, values);
  }
  return ok;
}

// Reads the fields of `value` that different components have taken over, as fields of those components. Returns the
// remaining fields, owned by the plan, or NULL on failure.
static json_t *read_moved_fields(scene_plan_t *plan, const manager_o *source, json_t *value) {
  former_field_t part;
  const char *name;
  json_t *converted = json_object(), *remaining = json_deep_copy(value), *values;
  json_array_append_new(plan->converted, converted);
  json_array_append_new(plan->converted, remaining);
  for (uint32_t i = 0; former_names_get_field(plan->world, source->schema.name, i, &part); ++i) {
    const manager_o *m = world_manager(plan->world, part.manager);
    if (m != source && !json_object_get(converted, m->schema.name))
      json_object_set_new(converted, m->schema.name, convert_component(plan, source->schema.name, m, value, remaining));
  }
  bool ok = true;
  json_object_foreach(converted, name, values) {
    ok = ok && (json_object_size(values) == 0 || read_component(plan, name, values));
  }
  return ok ? remaining : NULL;
}

static bool read_component(scene_plan_t *plan, const char *name, json_t *value) {
  former_field_t part;
  char message[256];
  manager_o *m = world_find_manager(plan->world, name);
  scene_item_t *item = &plan->items.items[plan->current_item];
  char hint[HINT_BYTES];
  if (!m && !is_ignored_component(plan, name) && world_is_component_renamed_to(plan->world, name, 0))
    return read_former_component(plan, name, value);
  if (!m && !is_ignored_component(plan, name) && world_is_component_removed(plan->world, name)) {
    snprintf(message, sizeof message, "the component %.60s was removed", name);
    return skip_removed(plan, name, message);
  }
  if (!m)
    return is_ignored_component(plan, name) ||
           fail(plan, "unknown component “%.60s”%s", name, hint_component(plan->world, name, hint));
  if (m->schema.kind == SCHEMA_SINGLE)
    return fail(plan, "%s is a singleton, which belongs to no entity", name);
  if (m == plan->names)
    return fail(plan, "set the name in \"name\", next to \"components\"");
  if (m == plan->transforms)
    item->has_transform = !is_null_or_false(value);
  if (is_null_or_false(value)) {
    add_step(plan, STEP_REMOVE, m, NULL, 0);
    return true;
  }
  if (json_is_object(value) && former_names_get_field(plan->world, name, 0, &part) &&
      !(value = read_moved_fields(plan, m, value)))
    return false;
  return m->schema.kind == SCHEMA_MANY ? read_instances(plan, m, value) : read_row(plan, m, NULL, 0, value);
}

static bool read_components(scene_plan_t *plan) {
  json_t *components = json_object_get(plan->items.items[plan->current_item].json, "components"), *value;
  const char *name;
  if (!components)
    return true;
  enter_element(plan, "components", 0);
  if (!json_is_object(components))
    return fail(plan, "components must be an object that maps component names to fields");
  json_object_foreach(components, name, value) {
    enter_element(plan, name, 0);
    if (!read_component(plan, name, value))
      return false;
    leave_element(plan);
  }
  leave_element(plan);
  return true;
}

static bool read_name(scene_plan_t *plan) {
  json_t *value = json_object_get(plan->items.items[plan->current_item].json, "name");
  if (!value)
    return true;
  enter_element(plan, "name", 0);
  if (!plan->names || (!json_is_string(value) && !is_null_or_false(value)))
    return fail(plan, "a name must be a string or null");
  add_step(plan, is_null_or_false(value) ? STEP_REMOVE : STEP_ADD, plan->names, NULL, 0);
  if (json_is_string(value)) {
    scene_step_t *step = add_step(plan, STEP_TEXT, plan->names, NULL, 0);
    step->text = json_string_value(value);
    step->text_bytes = json_string_length(value);
  }
  leave_element(plan);
  return true;
}

static bool read_parent(scene_plan_t *plan) {
  scene_item_t *item = &plan->items.items[plan->current_item];
  json_t *value = json_object_get(item->json, "parent");
  if (!value)
    return true;
  shoal_entity outside;
  enter_element(plan, "parent", 0);
  if (!find_reference(plan, "parent", value, &item->parent, &outside))
    return false;
  bool is_item = item->parent >= 0;
  if ((is_item || outside) && !item->has_transform)
    return fail(plan, "an entity with a parent must have a transform");
  if (is_item || outside) {
    scene_step_t *step = add_step(plan, is_item ? STEP_ENTITY : STEP_NUMBER, plan->transforms, NULL, 0);
    step->column = plan->parent_column;
    step->target = is_item ? (uint32_t)item->parent : 0;
    step->number = outside;
  }
  leave_element(plan);
  return true;
}

// Sets the current path to an item, starting at the list.
static void set_path(scene_plan_t *plan, uint32_t number) {
  shoal_assert(number < plan->items.count, "item %u is out of range (count %u)", number, plan->items.count);
  uint32_t i = number, ancestors[SCENE_MAX_DEPTH], length = 0;
  plan->depth = 0;
  plan->current_item = number;
  for (; plan->items.items[i].is_slot_child && length < SCENE_MAX_DEPTH; i = (uint32_t)plan->items.items[i].parent)
    ancestors[length++] = i;
  enter_element(plan, "entities", 0);
  enter_element(plan, NULL, plan->items.items[number].number - 1);
  while (length > 0) {
    const scene_item_t *child = &plan->items.items[ancestors[--length]];
    json_t *siblings = json_object_get(plan->items.items[child->parent].json, "children"), *value;
    const char *slot;
    enter_element(plan, "children", 0);
    json_object_foreach(siblings, slot, value) {
      if (value == child->json) {
        enter_element(plan, slot, 0);
        break;
      }
    }
  }
}

static bool read_item_steps(scene_plan_t *plan, uint32_t number) {
  scene_item_t *item = &plan->items.items[number];
  item->first_step = plan->steps.count;
  set_path(plan, number);
  if (is_null_or_false(item->json))
    return true;
  scene_list_parts(plan->world, item->assemblage, item->state, plan->memory, &plan->parts);
  item->has_transform =
      item->is_slot_child || (plan->transforms && scene_find_part(&plan->parts, plan->transforms->id, 0));
  for (uint32_t i = 0; i < plan->parts.count; ++i)
    if (plan->parts.items[i].state != 0 && item->state != scene_resolve_state(plan->world, item->assemblage, 0))
      add_assemblage_instance(plan, &plan->parts.items[i]);
  bool ok = read_components(plan) && read_name(plan) && read_parent(plan);
  item->step_count = plan->steps.count - item->first_step;
  return ok;
}

// Returns true if no entity is its own ancestor, otherwise false with a fault.
static bool check_cycles(scene_plan_t *plan) {
  uint32_t count = plan->items.count;
  if (count == 0)
    return true;
  uint32_t *visited = alloc_resize(plan->memory, NULL, 0, count * sizeof *visited);
  bool ok = true;
  memset(visited, 0, count * sizeof *visited);
  for (uint32_t i = 0; i < count && ok; ++i)
    for (int64_t ancestor = i; ancestor >= 0 && ok; ancestor = plan->items.items[ancestor].parent) {
      if (visited[ancestor] == i + 1) {
        set_path(plan, i);
        enter_element(plan, "parent", 0);
        ok = fail(plan, "the entity is its own ancestor: remove one \"parent\"");
      } else if (visited[ancestor] != 0) {
        break;
      }
      visited[ancestor] = i + 1;
    }
  alloc_resize(plan->memory, visited, count * sizeof *visited, 0);
  return ok;
}

// --- the whole text

// Reports the fault of an entity in the list to scene_check_each, and marks its items, the first of which is
// `first_item`, as invalid. References to the entity remain valid. Returns true if reading can continue. Returns false
// if the caller is not scene_check_each, or if reading was interrupted.
static bool skip_invalid_entity(scene_plan_t *plan, uint32_t number, uint32_t first_item) {
  if (!plan->check || interrupt_is_pending())
    return false;
  const char *id = json_string_value(json_object_get(plan->items.items[first_item].json, "id"));
  if (id && !json_object_get(plan->ids, id))
    json_object_set_new(plan->ids, id, json_integer(first_item));
  plan->check->report(plan->check->context, number, plan->fault);
  for (uint32_t i = first_item; i < plan->items.count && plan->items.items[i].number == number; ++i)
    plan->items.items[i].is_invalid = true;
  plan->depth = 1; // the path contains only the list
  return true;
}

static bool is_within_capacity(scene_plan_t *plan) {
  uint32_t available = entities_available(world_entities(plan->world));
  return plan->spawn_count <= available || fail(plan, "too many entities: %llu (the world can have only %u more)",
                                                (unsigned long long)plan->spawn_count, available);
}

static bool read_root(scene_plan_t *plan, json_t *root) {
  static const char *const KEYS[] = {"entities", "format", "saved", NULL};
  json_t *format = json_object_get(root, "format"), *list = json_object_get(root, "entities"), *json;
  char shown[JSON_VALUE_BYTES];
  size_t i;
  if (!json_is_object(root))
    return fail(plan, "a scene must be an object: { \"format\": 1, \"entities\": [ … ] }");
  if (!check_keys(plan, root, KEYS, "expected format, saved or entities"))
    return false;
  if (format && json_integer_value(format) != SCENE_FORMAT) {
    enter_element(plan, "format", 0);
    return fail(plan, "format must be %u, got %s", SCENE_FORMAT, json_value_describe(format, shown));
  }
  if ((json = json_object_get(root, "saved")) && !json_is_boolean(json)) {
    enter_element(plan, "saved", 0);
    return fail(plan, "saved must be true or false");
  }
  if (!json_is_array(list))
    return fail(plan, "entities must be a list: { \"format\": 1, \"entities\": [ … ] }");
  enter_element(plan, "entities", 0);
  json_array_foreach(list, i, json) {
    uint32_t number = plan->items.count;
    scene_item_t item = {.json = json, .number = (uint32_t)i + 1, .parent = -1};
    enter_element(plan, NULL, i);
    if (!read_item(plan, json, item)) {
      if (!skip_invalid_entity(plan, item.number, number))
        return false;
      continue;
    }
    if (!check_interrupt(plan, i) || !is_within_capacity(plan))
      return false;
    array_push(plan->memory, &plan->root_items, number);
    leave_element(plan);
  }
  leave_element(plan);
  shoal_assert(plan->depth == 0, "%u levels of the text were entered but not left", plan->depth);
  return true;
}

static bool check_scene(scene_plan_t *plan, json_t *root) {
  if (!read_root(plan, root))
    return false;
  for (uint32_t i = 0; i < plan->items.count; ++i) {
    const scene_item_t *item = &plan->items.items[i];
    if (!item->is_invalid && !read_item_steps(plan, i) && !skip_invalid_entity(plan, item->number, i))
      return false;
    if (!check_interrupt(plan, i))
      return false;
  }
  return plan->check || check_cycles(plan);
}

// Returns true if the text has too many bytes, objects or lists, otherwise false, also if the check was interrupted.
// The number of objects is limited because even a short text, such as a list of empty objects, may need a lot of
// memory.
static bool is_too_large(const scene_plan_t *plan) {
  uint32_t objects = 0;
  if (plan->desc->text_bytes > SCENE_MAX_BYTES)
    return true;
  for (size_t i = 0; i < plan->desc->text_bytes && objects <= SCENE_MAX_OBJECTS; ++i) {
    if (i % (1u << 20) == 0 && interrupt_is_pending())
      return false; // read_chunk detects the interrupt as well, and parse_json reports it
    objects += plan->desc->text[i] == '{' || plan->desc->text[i] == '[';
  }
  return objects > SCENE_MAX_OBJECTS;
}

// Returns a hint for a byte order mark or for a typical JSON error: the hint of the first entry whose text occurs in
// Jansson's message. Returns "" if no entry matches.
static const char *get_json_hint(const scene_desc_t *desc, const json_error_t *error) {
  static const struct {
    const char *part, *advice;
  } HINTS[] = {
      {"near '/'", ": JSON does not allow comments"},
      {"near '#'", ": JSON does not allow comments"},
      {"near ']'", ": remove the comma before ]"},
      {"near '}'", ": remove the comma before }"},
      {"near '''", ": put strings and names in double quotes"},
      {"near '='", ": write a colon before the value, \"x\": 1"},
      {"near end of file", ": the file is incomplete: add the missing } or ]"},
      {"string or '}' expected", ": put names in double quotes, \"x\": 1"},
      {"'}' expected near", ": add the missing comma"},
      {"']' expected near", ": add the missing comma"},
      {"invalid token", ": expected a string in double quotes, a number such as 1, 0.5 or -2, true, false or null"},
      {"unable to decode", ": save the file as UTF-8"},
      {"control character", ": close the string on the same line"},
  };
  if (desc->text_bytes >= 3 && memcmp(desc->text, "\xef\xbb\xbf", 3) == 0)
    return ": the file starts with a byte order mark: save it as UTF-8 without one";
  for (size_t i = 0; i < sizeof HINTS / sizeof *HINTS; ++i)
    if (strstr(error->text, HINTS[i].part))
      return HINTS[i].advice;
  return "";
}

// Callback of Jansson's parser, which requests the text in chunks. Returns (size_t)-1, which stops the parser, if the
// program is interrupted.
static size_t read_chunk(void *buffer, size_t max_bytes, void *reader) {
  scene_plan_t *plan = reader;
  size_t remaining = plan->desc->text_bytes - plan->parsed_bytes, bytes = remaining < max_bytes ? remaining : max_bytes;
  if (interrupt_is_pending())
    return (size_t)-1;
  memcpy(buffer, plan->desc->text + plan->parsed_bytes, bytes);
  plan->parsed_bytes += bytes;
  return bytes;
}

static json_t *parse_json(scene_plan_t *plan) {
  json_error_t error;
  if (is_too_large(plan)) {
    error_set(&plan->fault->error, "the scene is too large (at most %u MB and %u objects)", SCENE_MAX_BYTES >> 20,
              SCENE_MAX_OBJECTS);
    return NULL;
  }
  json_t *root = json_load_callback(read_chunk, plan, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);
  if (root)
    return root;
  if (plan->parsed_bytes < plan->desc->text_bytes && interrupt_is_pending()) {
    error_set(&plan->fault->error, "reading was interrupted");
    return NULL;
  }
  plan->fault->line = error.line > 0 ? (uint32_t)error.line : 1;
  error_set(&plan->fault->error, "invalid JSON: %s%s", error.text, get_json_hint(plan->desc, &error));
  return NULL;
}

// --- executing the steps

static bool spawn_all_items(scene_plan_t *plan, error_info_t *error) {
  ARRAY(shoal_entity) tree = {0};
  bool ok = true;
  for (uint32_t i = 0; i < plan->items.count && ok; ++i) {
    scene_item_t *item = &plan->items.items[i];
    if (!item->is_slot_child) {
      uint32_t size = item->assemblage ? world_assemblage_tree_size(plan->world, item->assemblage, error) : 1;
      array_reserve(plan->memory, &tree, size);
      ok = world_spawn_tree(plan->world, item->assemblage, tree.items, size, error) == size;
    }
    shoal_assert(!ok || item->tree_index < tree.capacity, "entity %u is outside its tree of %u", item->tree_index,
                 tree.capacity);
    item->entity = ok ? tree.items[item->tree_index] : 0; // NOLINT: a tree has at least one entity
    ok = ok && check_interrupt(plan, i);
  }
  array_free(plan->memory, &tree);
  return ok;
}

static bool enter_states(scene_plan_t *plan, error_info_t *error) {
  for (uint32_t i = 0; i < plan->items.count; ++i) {
    const scene_item_t *item = &plan->items.items[i];
    if (is_null_or_false(item->json))
      world_destroy_entity(plan->world, item->entity);
    else if (item->state != scene_resolve_state(plan->world, item->assemblage, 0) &&
             !world_enter_state(plan->world, item->entity, item->state, error))
      return false;
  }
  return true;
}

static bool apply_step(scene_plan_t *plan, const scene_step_t *step, error_info_t *error) {
  strings_o *s = world_strings(plan->world);
  shoal_entity e = plan->items.items[step->item].entity;
  shoal_assert(e != SHOAL_ENTITY_NONE, "item %u was not spawned", step->item);
  shoal_assert(step->kind != STEP_ENTITY || step->target < plan->items.count, "item %u is out of range (count %u)",
               step->target, plan->items.count);
  uint32_t instance = step->instance ? strings_intern_bytes(s, step->instance, step->instance_bytes) : 0;
  double number = step->number;
  switch (step->kind) {
  case STEP_ADD: return world_add_component(plan->world, e, step->manager, instance, error);
  case STEP_REMOVE:
    if (!world_check_removal(plan->world, e, step->manager, error))
      return false;
    world_remove_component(plan->world, e, step->manager, instance);
    return true;
  case STEP_TEXT: number = strings_intern_bytes(s, step->text, step->text_bytes); break;
  case STEP_ENTITY: number = plan->items.items[step->target].entity; break;
  default: break;
  }
  return world_set_field(plan->world, e, step->manager, instance, step->column, number, error);
}

static void collect_ids(const scene_plan_t *plan, json_t *items, scene_spawned_t *out) {
  const char *id;
  json_t *item;
  json_object_foreach(items, id, item) if (json_integer_value(item) >= 0)
      scene_ids_push(&out->ids, plan->memory, plan->items.items[json_integer_value(item)].entity, id);
}

static bool apply_plan(scene_plan_t *plan, scene_spawned_t *out) {
  error_info_t *error = &plan->fault->error;
  world_defer_begin(plan->world, 0);
  bool ok = spawn_all_items(plan, error) && enter_states(plan, error);
  for (uint32_t i = 0; i < plan->steps.count && ok; ++i)
    ok = apply_step(plan, &plan->steps.items[i], error) && check_interrupt(plan, i);
  world_defer_end(plan->world, !ok);
  for (uint32_t i = 0; i < plan->root_items.count && ok; ++i)
    array_push(plan->memory, out, plan->items.items[plan->root_items.items[i]].entity);
  if (ok) {
    collect_ids(plan, plan->ids, out);
    collect_ids(plan, plan->by_name, out);
    for (uint32_t i = 0; i < plan->unresolved.count; ++i)
      array_push(plan->memory, &out->unresolved, plan->unresolved.items[i]);
    for (uint32_t i = 0; i < plan->skipped.count; ++i)
      array_push(plan->memory, &out->skipped, plan->skipped.items[i]);
  }
  return ok;
}

static bool init_plan(scene_plan_t *plan, world_o *w, const scene_desc_t *desc, allocator_t *a,
                      const scene_check_t *check, scene_fault_t *fault) {
  *plan = (scene_plan_t){.world = w, .desc = desc, .memory = a, .fault = fault, .check = check};
  *fault = (scene_fault_t){.line = 0};
  plan->root = desc->list ? json_pack("{s:O}", "entities", desc->list) : parse_json(plan);
  if (!plan->root)
    return false;
  plan->names = world_find_manager(w, "name");
  plan->transforms = world_find_manager(w, "transform");
  int32_t parent = plan->transforms ? manager_find_column(plan->transforms, "parent") : -1;
  plan->transforms = parent >= 0 ? plan->transforms : NULL;
  plan->parent_column = parent >= 0 ? (uint32_t)parent : 0;
  plan->ids = json_object();
  plan->by_name = json_object();
  plan->converted = json_array();
  plan->skipped_names = json_object();
  return check_scene(plan, plan->root);
}

bool scene_plan_init(scene_plan_t *plan, world_o *w, const scene_desc_t *desc, allocator_t *a, scene_fault_t *fault) {
  return init_plan(plan, w, desc, a, NULL, fault);
}

void scene_plan_fini(scene_plan_t *plan) {
  json_decref(plan->ids);
  json_decref(plan->by_name);
  json_decref(plan->converted);
  json_decref(plan->skipped_names);
  json_decref(plan->root);
  array_free(plan->memory, &plan->items);
  array_free(plan->memory, &plan->steps);
  array_free(plan->memory, &plan->root_items);
  array_free(plan->memory, &plan->unresolved);
  array_free(plan->memory, &plan->skipped);
  array_free(plan->memory, &plan->parts);
}

bool scene_read(world_o *w, const scene_desc_t *desc, allocator_t *a, scene_spawned_t *out, scene_fault_t *fault) {
  shoal_assert(fault, "`fault` must not be NULL");
  shoal_assert(desc->text || desc->text_bytes == 0, "text must not be NULL (%zu bytes)", desc->text_bytes);
  scene_plan_t plan;
  bool ok = scene_plan_init(&plan, w, desc, a, fault) && (!out || apply_plan(&plan, out));
  scene_plan_fini(&plan);
  return ok;
}

bool scene_check_each(world_o *w, const scene_desc_t *desc, allocator_t *a, const scene_check_t *check,
                      scene_fault_t *fault) {
  shoal_assert(check && fault, "`check` and `fault` must not be NULL");
  scene_plan_t plan;
  bool ok = init_plan(&plan, w, desc, a, check, fault);
  scene_plan_fini(&plan);
  return ok;
}
