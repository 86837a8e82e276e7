// Reads scenes: checks the whole text and turns it into a list of steps that can no longer fail, then executes the
// steps. No string is interned before the steps are executed.
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

static void enter_element(scene_plan_t *x, const char *key, size_t index) {
  if (x->depth < SCENE_MAX_DEPTH)
    x->place[x->depth] = (scene_place_t){key, index};
  x->depth++;
}

static void leave_element(scene_plan_t *x) {
  shoal_assert(x->depth > 0, "leave_element was called without enter_element");
  x->depth--;
}

static void write_path(const scene_plan_t *x, uint32_t steps) {
  char *out = x->fault->place;
  size_t used = 0;
  for (uint32_t i = 0; i < steps && used < SCENE_FAULT_PLACE_BYTES; ++i) {
    const scene_place_t *p = &x->place[i];
    size_t capacity = SCENE_FAULT_PLACE_BYTES - used;
    const char *between = i ? "\n" : "";
    int written = p->key ? snprintf(out + used, capacity, "%s%s", between, p->key)
                         : snprintf(out + used, capacity, "%s%zu", between, p->index + 1);
    used += written > 0 ? (size_t)written : capacity;
  }
}

__attribute__((format(printf, 2, 3))) static bool fail(scene_plan_t *x, const char *format, ...) {
  char shown[sizeof x->fault->error.text - 128];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(shown, sizeof shown, format, arguments);
  va_end(arguments);
  uint32_t steps = x->depth < SCENE_MAX_DEPTH ? x->depth : SCENE_MAX_DEPTH;
  x->fault->line = x->check ? 0 : scene_find_line(x->desc->text, x->desc->text_bytes, x->place, steps);
  write_path(x, steps);
  if (x->items.count == 0)
    return error_set(&x->fault->error, "%s", shown);
  const scene_item_t *item = &x->items.items[x->item];
  const char *name = strings_text(world_strings(x->world), world_assemblage_name(x->world, item->assemblage));
  return error_set(&x->fault->error, "entity %u%s%.80s%s: %s", item->number, name[0] ? " (" : "", name,
                   name[0] ? ")" : "", shown);
}

// Reports a former name at the current path.
static void report_former_name(scene_plan_t *x, const char *what, const char *former, const char *current) {
  scene_fault_t where, *fault = x->fault;
  if (!x->desc->former)
    return;
  x->fault = &where;
  fail(x, "“%.60s” is the former name of %s: write “%.60s”", former, what, current);
  x->fault = fault;
  const char *text = strncmp(where.error.text, "entity ", 7) == 0 ? strstr(where.error.text, ": ") : NULL;
  if (text)
    memmove(where.error.text, text + 2, strlen(text + 2) + 1);
  x->desc->former->found(x->desc->former->context, x->items.items[x->item].number, &where);
}

// --- entities

// Returns true for null, and for false, which scenes in Lua use instead of null. Both mean "removed" or "no entity".
static bool is_null_or_false(const json_t *v) {
  return json_is_null(v) || json_is_false(v);
}

// Fails if reading was interrupted. Checks this on every 256th call only.
static bool check_interrupt(scene_plan_t *x, size_t i) {
  return i % 256 != 255 || !interrupt_is_pending() || fail(x, "reading was interrupted");
}

// Returns the string's id; 0 if the world has not interned it or it contains '\0'.
static uint32_t find_interned_text(const scene_plan_t *x, const json_t *v) {
  bool whole = json_is_string(v) && strlen(json_string_value(v)) == json_string_length(v);
  return whole ? strings_find(world_strings(x->world), json_string_value(v)) : 0;
}

static bool check_keys(scene_plan_t *x, json_t *object, const char *const *keys, const char *expected) {
  const char *key;
  json_t *value;
  json_object_foreach(object, key, value) {
    uint32_t i = 0;
    while (keys[i] && strcmp(keys[i], key) != 0)
      i++;
    if (keys[i])
      continue;
    enter_element(x, key, 0);
    nearest_name_t near;
    char hint[HINT_BYTES];
    nearest_name_init(&near, key);
    for (uint32_t k = 0; keys[k]; ++k)
      nearest_name_offer(&near, keys[k]);
    return fail(x, "unknown key “%.60s”: %s%s", key, expected,
                world_find_manager(x->world, key) ? ": put components in \"components\""
                                                  : nearest_name_hint(&near, hint, sizeof hint));
  }
  return true;
}

static bool read_assemblage(scene_plan_t *x, scene_item_t *item) {
  json_t *v = json_object_get(item->json, "assemblage");
  char shown[JSON_VALUE_SHOWN], hint[HINT_BYTES];
  error_info_t error;
  if (!v)
    return true;
  enter_element(x, "assemblage", 0);
  if (!json_is_string(v))
    return fail(x, "assemblage must be a name, got %s", json_value_describe(v, shown));
  uint32_t name = find_interned_text(x, v);
  item->assemblage = name ? world_find_assemblage(x->world, name) : 0;
  const char *current = item->assemblage ? NULL : former_names_find_text(x->world, json_string_value(v));
  if (current) {
    item->assemblage = world_find_assemblage(x->world, strings_find(world_strings(x->world), current));
    report_former_name(x, "an assemblage", json_string_value(v), current);
  }
  if (item->assemblage == 0)
    return fail(x, "unknown assemblage %s%s", json_value_name(v, shown),
                hint_assemblage(x->world, json_string_value(v), hint));
  uint32_t size = world_assemblage_tree_size(x->world, item->assemblage, &error);
  if (size == 0)
    return fail(x, "%s", error.text);
  x->spawn_count += size - 1;
  leave_element(x);
  return true;
}

// Returns the hint for a message about an unknown name, chosen from the names that `offer` adds.
static const char *format_hint(const scene_plan_t *x, const json_t *v,
                               void (*offer)(const scene_plan_t *, nearest_name_t *), char *out) {
  nearest_name_t s;
  nearest_name_init(&s, json_is_string(v) ? json_string_value(v) : "");
  offer(x, &s);
  return nearest_name_hint(&s, out, HINT_BYTES);
}

static void suggest_states(const scene_plan_t *x, nearest_name_t *s) {
  uint32_t name, assemblage = x->items.items[x->item].assemblage;
  for (uint32_t i = 0; (name = world_assemblage_state_name(x->world, assemblage, i)) != 0; ++i)
    nearest_name_offer(s, strings_text(world_strings(x->world), name));
}

static void suggest_children(const scene_plan_t *x, nearest_name_t *s) {
  uint32_t name, assemblage = x->items.items[x->item].assemblage;
  for (uint32_t i = 0; (name = world_assemblage_child_name(x->world, assemblage, i)) != 0; ++i)
    nearest_name_offer(s, strings_text(world_strings(x->world), name));
}

static void suggest_items(const scene_plan_t *x, nearest_name_t *s) {
  const char *key;
  json_t *value;
  json_object_foreach(x->ids, key, value) {
    nearest_name_offer(s, key);
  }
  json_object_foreach(x->by_name, key, value) {
    nearest_name_offer(s, key);
  }
}

// Returns the id of the state's name, or of its current name if it was renamed; 0 if unknown.
static uint32_t find_state(scene_plan_t *x, const scene_item_t *item, const json_t *v) {
  uint32_t name = find_interned_text(x, v);
  if (item->assemblage == 0 || !json_is_string(v))
    return 0;
  if (name && world_assemblage_has_state(x->world, item->assemblage, name))
    return name;
  const char *of = strings_text(world_strings(x->world), world_assemblage_name(x->world, item->assemblage));
  const char *current = former_names_find_state_text(x->world, of, json_string_value(v));
  name = current ? strings_find(world_strings(x->world), current) : 0;
  if (name == 0 || !world_assemblage_has_state(x->world, item->assemblage, name))
    return 0;
  report_former_name(x, "a state", json_string_value(v), current);
  return name;
}

static bool read_state(scene_plan_t *x, scene_item_t *item) {
  json_t *v = json_object_get(item->json, "state");
  char shown[JSON_VALUE_SHOWN], hint[HINT_BYTES];
  item->state = scene_resolve_state(x->world, item->assemblage, 0);
  if (!v)
    return true;
  enter_element(x, "state", 0);
  uint32_t name = find_state(x, item, v);
  if (name == 0)
    return fail(x, "unknown state %s%s", json_value_name(v, shown), format_hint(x, v, suggest_states, hint));
  item->state = name;
  leave_element(x);
  return true;
}

#define ENTITY_KEY_BYTES 24

// Returns an id or a reference as a key of `ids`; NULL for any other value. `digits` receives the id of an entity.
static const char *get_id_key(const scene_plan_t *x, const json_t *v, char digits[ENTITY_KEY_BYTES]) {
  if (!x->desc->by_entity || !json_is_integer(v))
    return json_string_value(v);
  snprintf(digits, ENTITY_KEY_BYTES, "%lld", (long long)json_integer_value(v));
  return digits;
}

static bool read_id(scene_plan_t *x, const scene_item_t *item, uint32_t number) {
  json_t *id = json_object_get(item->json, "id"), *name = json_object_get(item->json, "name");
  char digits[ENTITY_KEY_BYTES];
  if (id) {
    enter_element(x, "id", 0);
    const char *key = get_id_key(x, id, digits);
    if (!key || !key[0])
      return fail(x, "an id must be a non-empty string");
    if (json_is_string(id) && strlen(key) != json_string_length(id))
      return fail(x, "an id must not contain \\u0000");
    if (json_object_get(x->ids, key))
      return fail(x, "two entities have the id \"%.60s\": change one of the ids", key);
    json_object_set_new(x->ids, key, json_integer(number));
    leave_element(x);
  }
  if (json_is_string(name) && json_string_length(name) > 0) {
    bool twice = json_object_get(x->by_name, json_string_value(name)) != NULL;
    json_object_set_new(x->by_name, json_string_value(name), json_integer(twice ? -1 : (json_int_t)number));
  }
  return true;
}

static bool read_item(scene_plan_t *x, json_t *json, scene_item_t item);

// Returns the current name of a child that was renamed, for a path such as "tank/gun"; otherwise `slot`.
static const char *find_current_slot(scene_plan_t *x, uint32_t assemblage, const char *slot) {
  char path[256];
  uint32_t name;
  strings_o *s = world_strings(x->world);
  for (uint32_t i = 0; (name = world_assemblage_child_name(x->world, assemblage, i)) != 0; ++i)
    if (strcmp(strings_text(s, name), slot) == 0)
      return slot;
  snprintf(path, sizeof path, "%.120s/%.120s", strings_text(s, world_assemblage_name(x->world, assemblage)), slot);
  const char *current = former_names_find_text(x->world, path), *last = current ? strrchr(current, '/') : NULL;
  if (!last)
    return slot;
  report_former_name(x, "a child", slot, last + 1);
  return last + 1;
}

static bool read_child(scene_plan_t *x, uint32_t owner, const char *slot, json_t *json) {
  scene_item_t item = x->items.items[owner];
  char hint[HINT_BYTES];
  nearest_name_t s;
  slot = find_current_slot(x, item.assemblage, slot);
  nearest_name_init(&s, slot);
  suggest_children(x, &s);
  uint32_t assemblage = item.assemblage, in_tree = item.in_tree + 1, i = 0;
  for (uint32_t name;; ++i) {
    name = world_assemblage_child_name(x->world, assemblage, i);
    if (name == 0)
      return fail(x, "the assemblage has no child “%.60s”%s", slot, nearest_name_hint(&s, hint, sizeof hint));
    uint32_t number = world_assemblage_child_number(x->world, assemblage, i);
    item.assemblage = number;
    if (strcmp(strings_text(world_strings(x->world), name), slot) == 0)
      break;
    in_tree += world_assemblage_tree_size(x->world, number, NULL);
  }
  item = (scene_item_t){.json = json,
                        .assemblage = item.assemblage,
                        .in_tree = in_tree,
                        .number = item.number,
                        .parent = owner,
                        .in_slot = true};
  return read_item(x, json, item);
}

static bool read_children(scene_plan_t *x, uint32_t owner) {
  json_t *children = json_object_get(x->items.items[owner].json, "children"), *value;
  const char *slot;
  if (!children)
    return true;
  enter_element(x, "children", 0);
  if (!json_is_object(children))
    return fail(x, "children must be an object that maps names of children to changes");
  json_object_foreach(children, slot, value) {
    enter_element(x, slot, 0);
    x->item = owner;
    if (!read_child(x, owner, slot, value))
      return false;
    leave_element(x);
  }
  leave_element(x);
  return true;
}

static bool read_item(scene_plan_t *x, json_t *json, scene_item_t item) {
  static const char *const listed[] = {"assemblage", "children", "components", "id", "name", "parent", "state", NULL};
  static const char *const in_slot[] = {"children", "components", "id", "name", "state", NULL};
  x->item = x->items.count;
  array_push(x->memory, &x->items, item);
  if (item.in_slot && is_null_or_false(json))
    return true;
  if (!json_is_object(json))
    return fail(x, "an entity must be an object (in Lua a table)");
  x->spawn_count += !item.in_slot;
  if (!check_keys(x, json, item.in_slot ? in_slot : listed,
                  item.in_slot ? "expected children, components, id, name or state"
                               : "expected assemblage, children, components, id, name, parent or state"))
    return false;
  uint32_t number = x->item;
  scene_item_t *made = &x->items.items[number];
  return read_assemblage(x, made) && read_state(x, made) && read_id(x, made, number) && read_children(x, number);
}

// --- steps

static scene_step_t *add_step(scene_plan_t *x, scene_step_kind_t kind, const manager_o *m, const char *instance,
                              size_t bytes) {
  scene_step_t step = {.kind = kind, .item = x->item, .manager = m->id, .instance = instance, .instance_bytes = bytes};
  array_push(x->memory, &x->steps, step);
  return &x->steps.items[x->steps.count - 1];
}

// Parses numbers that JSON cannot express: "nan", "inf" and "-inf". Returns false for any other value.
static bool parse_special_number(const json_t *v, double *out) {
  const char *text = json_string_value(v);
  if (!text || (strcmp(text, "nan") != 0 && strcmp(text, "inf") != 0 && strcmp(text, "-inf") != 0))
    return false;
  *out = text[0] == 'n' ? (double)NAN : text[0] == 'i' ? (double)INFINITY : -(double)INFINITY;
  return true;
}

static bool read_number(scene_plan_t *x, const field_t *f, const json_t *v, double *out) {
  char shown[JSON_VALUE_SHOWN];
  bool real = f->type == FIELD_F32 || f->type == FIELD_F64;
  field_limits_t range = field_limits(f->type);
  if (real && parse_special_number(v, out))
    return true;
  double number = json_number_value(v);
  if (!json_is_number(v) || (!real && number != floor(number)))
    return fail(x, "%s must be %s, got %s", f->name, real ? "a number" : "an integer", json_value_describe(v, shown));
  if (number < range.low || number > range.high)
    return fail(x, "%s: %s does not fit in %s", f->name, json_value_describe(v, shown), field_type_name(f->type));
  *out = number;
  return true;
}

static bool read_choice(scene_plan_t *x, const field_t *f, const json_t *v, double *out) {
  char all[200], shown[JSON_VALUE_SHOWN], hint[HINT_BYTES];
  const char *text = json_is_string(v) ? json_string_value(v) : "";
  int32_t found = json_is_string(v) ? field_find_choice(f, text, strlen(text)) : -1;
  *out = found;
  return found >= 0 || fail(x, "%s must be one of %s, got %s%s", f->name, field_list_choices(f, all, sizeof all),
                            json_value_describe(v, shown), hint_choice(f, text, hint));
}

static bool read_layer(scene_plan_t *x, const field_t *f, const json_t *v, uint32_t *bits) {
  char shown[JSON_VALUE_SHOWN], hint[HINT_BYTES];
  const char *name = json_string_value(v);
  return (name && bit_names_find(f, name, json_string_length(v), bits)) ||
         fail(x, "%s: unknown layer %s%s", f->name, json_value_name(v, shown), name ? hint_choice(f, name, hint) : "");
}

// Reads the name of a layer, a list of names, or a number in which each bit is a layer.
static bool read_layers(scene_plan_t *x, const field_t *f, const json_t *v, double *out) {
  uint32_t bits = 0, bit = 0;
  if (json_is_number(v))
    return read_number(x, f, v, out);
  for (size_t i = 0; i < json_array_size(v); ++i, bits |= bit)
    if (!read_layer(x, f, json_array_get(v, i), &bit))
      return false;
  if (!json_is_array(v) && !read_layer(x, f, v, &bits))
    return false;
  *out = bits;
  return true;
}

static const char *get_entity_name(const scene_plan_t *x, shoal_entity e) {
  uint32_t row = x->names ? manager_row(x->names, e) : ROW_NONE;
  return row == ROW_NONE ? "" : strings_text(world_strings(x->world), ((const uint32_t *)x->names->data[0])[row]);
}

// Returns the living entity that has this name; 0 if no entity or several entities have it.
static shoal_entity find_named_entity(const scene_plan_t *x, const char *name) {
  uint32_t id = strings_find(world_strings(x->world), name), found = 0;
  shoal_entity e = SHOAL_ENTITY_NONE;
  for (uint32_t row = 0; id != 0 && x->names && row < x->names->count; ++row)
    if (((const uint32_t *)x->names->data[0])[row] == id) {
      e = x->names->owner[row];
      ++found;
    }
  return found == 1 ? e : SHOAL_ENTITY_NONE;
}

static const char *get_string(const json_t *object, const char *key) {
  const char *text = json_string_value(json_object_get(object, key));
  return text ? text : "";
}

// Writes the path of the field that is being read: "target.entity", "gun.left.aim", "parent". Returns `out`.
static const char *format_field_path(const scene_plan_t *x, char out[200]) {
  uint32_t first = x->depth > 0 ? x->depth - 1 : 0;
  for (uint32_t i = 0; i < x->depth; ++i)
    if (x->place[i].key && strcmp(x->place[i].key, "components") == 0)
      first = i + 1;
  out[0] = '\0';
  for (uint32_t i = first; i < x->depth && i < SCENE_MAX_DEPTH; ++i) {
    size_t used = strlen(out);
    if (x->place[i].key)
      snprintf(out + used, 200 - used, "%s%.60s", used ? "." : "", x->place[i].key);
    else
      snprintf(out + used, 200 - used, "[%zu]", x->place[i].index + 1);
  }
  return out;
}

// Adds "entity 2: target.entity refers to tank boss" to the references that could not be resolved.
static void note_lost_reference(scene_plan_t *x, const char *assemblage, const char *name) {
  char line[480], path[200];
  int length = snprintf(line, sizeof line, "entity %u: %s refers to %.80s%s%.80s\n", x->items.items[x->item].number,
                        format_field_path(x, path), assemblage[0] ? assemblage : "an entity", name[0] ? " " : "", name);
  for (int i = 0; i < length && i + 1 < (int)sizeof line; ++i)
    array_push(x->memory, &x->lost, line[i]);
}

// Resolves a reference to an entity that the text does not contain. Notes the reference if it cannot be resolved.
static shoal_entity find_outside_entity(scene_plan_t *x, const json_t *v) {
  const entities_t *s = world_entities(x->world);
  const char *name = get_string(v, "name"), *assemblage = get_string(v, "assemblage");
  json_int_t id = json_integer_value(json_object_get(v, "entity"));
  shoal_entity e = id > 0 && id <= UINT32_MAX ? (shoal_entity)id : SHOAL_ENTITY_NONE;
  if (x->desc->is_import && entities_is_alive(s, e) && strcmp(get_entity_name(x, e), name) == 0 &&
      strcmp(strings_text(world_strings(x->world), s->assemblage[shoal_entity_index(e)]), assemblage) == 0)
    return e;
  e = name[0] ? find_named_entity(x, name) : SHOAL_ENTITY_NONE;
  if (e == SHOAL_ENTITY_NONE)
    note_lost_reference(x, assemblage, name);
  return e;
}

// Resolves a reference. If it refers to an item of the text, sets `out` to the item's index. Otherwise sets `out` to
// -1, and `outside` to the living entity or to 0 (`by_entity`). Fails if the id or name is unknown, or if several items
// have the name.
static bool find_reference(scene_plan_t *x, const char *what, const json_t *v, int64_t *out, shoal_entity *outside) {
  char shown[JSON_VALUE_SHOWN], hint[HINT_BYTES], digits[ENTITY_KEY_BYTES];
  *out = -1;
  *outside = SHOAL_ENTITY_NONE;
  if (is_null_or_false(v))
    return true;
  if (json_is_object(v) && (json_object_get(v, "entity") || json_object_get(v, "name"))) {
    *outside = find_outside_entity(x, v);
    return true;
  }
  const char *key = get_id_key(x, v, digits);
  if (!key)
    return fail(x, "%s must be the id or name of an entity, or null, got %s", what, json_value_describe(v, shown));
  json_t *found = json_object_get(x->ids, key);
  if (!found && json_is_integer(v)) {
    json_int_t e = json_integer_value(v);
    if (e > 0 && e <= UINT32_MAX && entities_is_alive(world_entities(x->world), (shoal_entity)e))
      *outside = (shoal_entity)e;
    return true;
  }
  found = found ? found : json_object_get(x->by_name, key);
  if (!found)
    return fail(x, "%s: unknown entity %s%s", what, json_value_name(v, shown), format_hint(x, v, suggest_items, hint));
  if (json_integer_value(found) < 0)
    return fail(x, "%s: several entities are named %s: give one of them an id and use the id", what,
                json_value_name(v, shown));
  *out = json_integer_value(found);
  return true;
}

static bool read_value(scene_plan_t *x, scene_step_t *step, const field_t *f, const json_t *v) {
  char shown[JSON_VALUE_SHOWN];
  int64_t other;
  shoal_entity outside;
  switch (f->type) {
  case FIELD_BOOL:
    step->number = json_is_true(v);
    return json_is_boolean(v) || fail(x, "%s must be true or false, got %s", f->name, json_value_describe(v, shown));
  case FIELD_ENUM: return read_choice(x, f, v, &step->number);
  case FIELD_STRING:
  case FIELD_ASSET:
    step->kind = STEP_TEXT;
    step->text = json_string_value(v);
    step->text_bytes = json_string_length(v);
    return step->text || fail(x, "%s must be a string, got %s", f->name, json_value_describe(v, shown));
  case FIELD_ENTITY:
    if (!find_reference(x, f->name, v, &other, &outside))
      return false;
    step->kind = other < 0 ? STEP_NUMBER : STEP_ENTITY;
    step->number = outside;
    step->other = other < 0 ? 0 : (uint32_t)other;
    return true;
  case FIELD_U32:
    if (bit_names_exist(f))
      return read_layers(x, f, v, &step->number);
    return read_number(x, f, v, &step->number);
  default: return read_number(x, f, v, &step->number);
  }
}

// Returns element `i` of a vector written as a list, as an object of axes or channels, or as a colour ("#rrggbb" or
// "#rrggbbaa"); NULL if the element keeps its value. `*held` owns a temporary value.
static const json_t *get_vector_element(const json_t *v, uint32_t i, json_t **held) {
  static const char *const axes[] = {"x", "y", "z", "w"}, *const channels[] = {"r", "g", "b", "a"};
  unsigned part = 255;
  if (json_is_array(v))
    return json_array_get(v, i);
  if (json_is_object(v))
    return json_object_get(v, axes[i]) ? json_object_get(v, axes[i]) : json_object_get(v, channels[i]);
  if (json_string_length(v) > 2 * (size_t)i + 1)
    sscanf(json_string_value(v) + 1 + 2 * i, "%2x", &part);
  return *held = json_real(part / 255.0);
}

static bool is_colour(const json_t *v, uint32_t n) {
  size_t bytes = json_string_length(v);
  return n >= 3 && (bytes == 7 || bytes == 9) && json_string_value(v)[0] == '#' &&
         strspn(json_string_value(v) + 1, "0123456789abcdefABCDEF") == bytes - 1;
}

static bool check_vector(scene_plan_t *x, const field_t *f, uint32_t n, const json_t *v) {
  static const char letters[] = "xyzwrgba";
  bool ok = json_is_object(v) || json_array_size(v) == n || is_colour(v, n);
  const char *key;
  json_t *part;
  json_object_foreach((json_t *)v, key, part) { // NOLINT: read only
    const char *letter = key[0] && !key[1] ? strchr(letters, key[0]) : NULL;
    ok = ok && letter && (uint32_t)(letter - letters) % 4 < n;
  }
  return ok || fail(x, "%.*s must be a list of %u numbers%s", (int)(strrchr(f->name, '.') - f->name), f->name, n,
                    n >= 3 ? " or a colour, \"#ff8800\"" : "");
}

// Reads all values of a list, and sets unused values to 0. `n`: number of columns of the list.
static bool read_list_field(scene_plan_t *x, scene_step_t proto, const manager_o *m, uint32_t column, uint32_t n,
                            const json_t *v) {
  const field_t *count = &m->schema.fields[column];
  int bytes = (int)field_base_bytes(count);
  // Lua does not distinguish an empty object from a list
  bool is_empty_table = json_is_object(v) && json_object_size(v) == 0;
  if (!json_is_array(v) && !is_empty_table)
    return fail(x, "%.*s must be a list of up to %u values", bytes, count->name, n - 1);
  if (json_array_size(v) >= n)
    return fail(x, "too many values for %.*s: %zu (at most %u): declare a larger capacity", bytes, count->name,
                json_array_size(v), n - 1);
  for (uint32_t i = 0; i < n; ++i) {
    const field_t *f = count + i;
    scene_step_t step = proto;
    step.column = column + i;
    step.number = i == 0 ? (double)json_array_size(v) : 0;
    bool is_used = i > 0 && i <= json_array_size(v);
    if (is_used && !read_value(x, &step, f, json_array_get(v, i - 1)))
      return false;
    // the column's own clamp lets 0 pass, because unused values are 0
    if (is_used && step.number == 0 && field_has_range(f))
      step.number = f->low > 0 ? f->low : f->high < 0 ? f->high : 0;
    array_push(x->memory, &x->steps, step);
  }
  return true;
}

// Reads one value, or all values of a vector or list.
static bool read_field(scene_plan_t *x, scene_step_t proto, const manager_o *m, uint32_t column, uint32_t n,
                       const json_t *v) {
  const field_t *f = &m->schema.fields[column];
  shoal_assert(n > 0 && column + n <= m->schema.field_count, "columns %u … %u of %s are out of range (count %u)",
               column, column + n, m->schema.name, m->schema.field_count);
  if (f->flags & FIELD_IS_COUNT)
    return read_list_field(x, proto, m, column, n, v);
  if (n > 1 && !check_vector(x, f, n, v))
    return false;
  for (uint32_t i = 0; i < n; ++i) {
    scene_step_t step = proto;
    json_t *held = NULL;
    const json_t *part = n > 1 ? get_vector_element(v, i, &held) : v;
    step.column = column + i;
    bool ok = !part || read_value(x, &step, f + i, part);
    json_decref(held);
    if (!ok)
      return false;
    if (part)
      array_push(x->memory, &x->steps, step);
  }
  return true;
}

static uint32_t find_field(const manager_o *m, const char *key, uint32_t *n) {
  for (uint32_t c = 0; c < m->schema.field_count; c += *n) {
    size_t bytes;
    *n = scene_count_field_columns(&m->schema, c, &bytes);
    bytes = *n > 1 ? bytes : strlen(m->schema.fields[c].name);
    if (strlen(key) == bytes && memcmp(m->schema.fields[c].name, key, bytes) == 0)
      return c;
  }
  return UINT32_MAX;
}

// Like find_field, for a former name of the field.
static uint32_t find_renamed_field(const manager_o *m, const char *key, uint32_t *n) {
  char name[FIELD_NAME_MAX + 128];
  for (uint32_t c = 0; c < m->schema.field_count; c += *n) {
    size_t bytes;
    *n = scene_count_field_columns(&m->schema, c, &bytes);
    snprintf(name, sizeof name, "%.110s%s", key, *n > 1 ? m->schema.fields[c].name + bytes : "");
    if (field_has_former_name(&m->schema.fields[c], name))
      return c;
  }
  return UINT32_MAX;
}

// Like find_field, but also accepts a former name of a field, and reports it.
static uint32_t find_field_or_report(scene_plan_t *x, const manager_o *m, const char *key, uint32_t *n) {
  char former[FIELD_NAME_MAX + COMPONENT_NAME_MAX + 64], current[FIELD_NAME_MAX + COMPONENT_NAME_MAX + 64];
  uint32_t column = find_field(m, key, n);
  if (column != UINT32_MAX || (column = find_renamed_field(m, key, n)) == UINT32_MAX)
    return column;
  size_t bytes;
  scene_count_field_columns(&m->schema, column, &bytes);
  bytes = *n > 1 ? bytes : strlen(m->schema.fields[column].name);
  snprintf(former, sizeof former, "%s.%.100s", m->schema.name, key);
  snprintf(current, sizeof current, "%s.%.*s", m->schema.name, (int)bytes, m->schema.fields[column].name);
  report_former_name(x, "a field", former, current);
  return column;
}

static bool is_record(const manager_o *m, const char *path) {
  size_t bytes = strlen(path);
  for (uint32_t c = 0; c < m->schema.field_count; ++c)
    if (strncmp(m->schema.fields[c].name, path, bytes) == 0 && m->schema.fields[c].name[bytes] == '.')
      return true;
  return false;
}

// Reads the fields of a row, or of a record in it. `record`: names of the records, each followed by "."; "" for a row.
static bool read_fields(scene_plan_t *x, scene_step_t proto, const manager_o *m, const char *record, json_t *values) {
  const char *key;
  char hint[HINT_BYTES], path[FIELD_NAME_MAX + 64];
  json_t *v;
  uint32_t n;
  json_object_foreach(values, key, v) {
    snprintf(path, sizeof path, "%.48s%.60s", record, key);
    enter_element(x, key, 0);
    uint32_t column = find_field_or_report(x, m, path, &n);
    if (column == UINT32_MAX && is_record(m, path)) {
      if (!json_is_object(v))
        return fail(x, "%s.%s must be an object of fields (in Lua a table)", m->schema.name, path);
      snprintf(path, sizeof path, "%.48s%.60s.", record, key);
      if (!read_fields(x, proto, m, path, v))
        return false;
      leave_element(x);
      continue;
    }
    if (column == UINT32_MAX || m->schema.fields[column].flags & FIELD_HIDDEN)
      return fail(x, "%s has no field %.60s%s", m->schema.name, path, hint_field(&m->schema, path, hint));
    if (!field_is_settable(&m->schema.fields[column]))
      return fail(x, "%s.%s is read-only", m->schema.name, path);
    if (m == x->transforms && column == x->parent_column)
      return fail(x, "set the parent in \"parent\", next to \"components\"");
    if (!read_field(x, proto, m, column, n, v))
      return false;
    leave_element(x);
  }
  return true;
}

static bool read_row(scene_plan_t *x, const manager_o *m, const char *instance, size_t instance_bytes, json_t *values) {
  if (!json_is_object(values))
    return fail(x, "%s must be an object of fields, or null (in Lua a table, or false)", m->schema.name);
  scene_step_t proto = *add_step(x, STEP_ADD, m, instance, instance_bytes);
  proto.kind = STEP_NUMBER;
  return read_fields(x, proto, m, "", values);
}

// --- components

// Adds the assemblage's instance with all its values, so that the values do not depend on the entity's previous state.
static void add_assemblage_instance(scene_plan_t *x, const assemblage_part_t *part) {
  manager_o *m = world_manager(x->world, part->manager);
  strings_o *s = world_strings(x->world);
  const char *name = part->instance ? strings_text(s, part->instance) : NULL;
  add_step(x, STEP_ADD, m, name, strings_length(s, part->instance));
  for (uint32_t c = 0; c < m->schema.field_count; ++c)
    if (m->schema.fields[c].type != FIELD_MAT4 && !(m->schema.fields[c].flags & FIELD_READ_ONLY)) {
      scene_step_t *step = add_step(x, STEP_NUMBER, m, name, strings_length(s, part->instance));
      step->column = c;
      step->number = part->values[c];
    }
}

// Removes the unnamed instance. This is only possible by removing all instances, so the assemblage's named instances
// are added again.
static void remove_unnamed_instance(scene_plan_t *x, const manager_o *m) {
  add_step(x, STEP_REMOVE, m, NULL, 0);
  for (uint32_t i = 0; i < x->parts.count; ++i)
    if (x->parts.items[i].manager == m->id && x->parts.items[i].instance != 0)
      add_assemblage_instance(x, &x->parts.items[i]);
}

static bool read_instances(scene_plan_t *x, const manager_o *m, json_t *instances) {
  json_t *nameless = json_object_get(instances, ""), *values;
  const char *name;
  if (!json_is_object(instances))
    return fail(x, "%s must be an object of instances, or null (in Lua a table, or false)", m->schema.name);
  if (json_object_size(instances) > MANAGER_MAX_INSTANCES)
    return fail(x, "too many instances of %s: %zu (at most %u per entity)", m->schema.name, json_object_size(instances),
                MANAGER_MAX_INSTANCES);
  if (is_null_or_false(nameless))
    remove_unnamed_instance(x, m);
  json_object_foreach(instances, name, values) {
    size_t bytes = strlen(name);
    enter_element(x, name, 0);
    if (is_null_or_false(values) && bytes > 0)
      add_step(x, STEP_REMOVE, m, name, bytes);
    else if (!is_null_or_false(values) && !json_is_object(values))
      return fail(x, "%s has named instances: the value of each name must be an object of fields", m->schema.name);
    else if (!is_null_or_false(values) && !read_row(x, m, bytes ? name : NULL, bytes, values))
      return false;
    leave_element(x);
  }
  return true;
}

// Returns true if components of this name are skipped.
static bool is_ignored_component(const scene_plan_t *x, const char *name) {
  size_t bytes = strlen(name);
  const char *at = x->desc->ignored, *end;
  for (; at && (end = strchr(at, '\n')) != NULL; at = end + 1)
    if ((size_t)(end - at) == bytes && memcmp(at, name, bytes) == 0)
      return true;
  return false;
}

// --- former components

// Returns the value at a path of keys, "look.r"; NULL if missing.
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

// Moves the values of a former component's fields to the fields of `m`. Removes them from `left`, which is a copy of
// `values`.
static json_t *convert_fields(scene_plan_t *x, const char *former, const manager_o *m, json_t *values, json_t *left) {
  former_field_t part;
  json_t *out = json_object();
  for (uint32_t c = 0, n; c < m->schema.field_count; c += n) {
    size_t bytes;
    n = scene_count_field_columns(&m->schema, c, &bytes);
    const char *name = m->schema.fields[c].name, *end = n > 1 ? name + bytes : "";
    for (uint32_t i = 0; former_names_get_field(x->world, former, i, &part); ++i) {
      char old[FIELD_NAME_MAX];
      size_t old_bytes = strlen(part.field), end_bytes = strlen(end);
      if (part.manager != m->id || part.column != c || old_bytes <= end_bytes)
        continue;
      snprintf(old, sizeof old, "%.*s", (int)(old_bytes - end_bytes), part.field);
      json_t *value = get_at_path(values, old);
      if (value)
        set_at_path(out, name, n > 1 ? bytes : strlen(name), value);
      old[strcspn(old, ".")] = '\0';
      if (value)
        json_object_del(left, old);
    }
  }
  return out;
}

static json_t *convert_component(scene_plan_t *x, const char *former, const manager_o *m, json_t *v, json_t *left) {
  if (!json_is_object(v))
    return json_incref(v);
  if (m->schema.kind != SCHEMA_MANY)
    return convert_fields(x, former, m, v, left);
  json_t *out = json_object(), *values;
  const char *instance;
  json_object_foreach(v, instance, values) {
    json_object_set_new(out, instance, convert_component(x, former, m, values, NULL));
    json_object_del(left, instance);
  }
  return out;
}

static bool read_component(scene_plan_t *x, const char *name, json_t *v);

// Reads a component whose name is a former one as the components that took over its fields.
static bool read_former_component(scene_plan_t *x, const char *former, json_t *v) {
  former_field_t part;
  json_t *all = json_object(), *left = json_is_object(v) ? json_copy(v) : json_object(), *values;
  char names[200] = "";
  const char *name;
  json_array_append_new(x->converted, all);
  for (uint32_t i = 0; former_names_get_field(x->world, former, i, &part); ++i) {
    const manager_o *m = world_manager(x->world, part.manager);
    size_t used = strlen(names);
    if (json_object_get(all, m->schema.name))
      continue;
    json_object_set_new(all, m->schema.name, convert_component(x, former, m, v, left));
    snprintf(names + used, sizeof names - used, "%s%s", used ? "” and “" : "", m->schema.name);
  }
  report_former_name(x, "a component", former, names);
  const char *unknown = json_object_iter_key(json_object_iter(left));
  bool ok = !unknown || fail(x, "%.60s, now %s, has no field %.60s", former, names, unknown);
  json_decref(left);
  json_object_foreach(all, name, values) {
    ok = ok && read_component(x, name, values);
  }
  return ok;
}

static bool read_component(scene_plan_t *x, const char *name, json_t *v) {
  manager_o *m = world_find_manager(x->world, name);
  scene_item_t *item = &x->items.items[x->item];
  char hint[HINT_BYTES];
  if (!m && !is_ignored_component(x, name) && world_is_component_renamed_to(x->world, name, 0))
    return read_former_component(x, name, v);
  if (!m)
    return is_ignored_component(x, name) ||
           fail(x, "unknown component “%.60s”%s", name, hint_component(x->world, name, hint));
  if (m->schema.kind == SCHEMA_SINGLE)
    return fail(x, "%s is a singleton, which belongs to no entity", name);
  if (m == x->names)
    return fail(x, "set the name in \"name\", next to \"components\"");
  if (m == x->transforms)
    item->has_transform = !is_null_or_false(v);
  if (is_null_or_false(v)) {
    add_step(x, STEP_REMOVE, m, NULL, 0);
    return true;
  }
  return m->schema.kind == SCHEMA_MANY ? read_instances(x, m, v) : read_row(x, m, NULL, 0, v);
}

static bool read_components(scene_plan_t *x) {
  json_t *components = json_object_get(x->items.items[x->item].json, "components"), *v;
  const char *name;
  if (!components)
    return true;
  enter_element(x, "components", 0);
  if (!json_is_object(components))
    return fail(x, "components must be an object that maps component names to fields");
  json_object_foreach(components, name, v) {
    enter_element(x, name, 0);
    if (!read_component(x, name, v))
      return false;
    leave_element(x);
  }
  leave_element(x);
  return true;
}

static bool read_name(scene_plan_t *x) {
  json_t *v = json_object_get(x->items.items[x->item].json, "name");
  if (!v)
    return true;
  enter_element(x, "name", 0);
  if (!x->names || (!json_is_string(v) && !is_null_or_false(v)))
    return fail(x, "a name must be a string or null");
  add_step(x, is_null_or_false(v) ? STEP_REMOVE : STEP_ADD, x->names, NULL, 0);
  if (json_is_string(v)) {
    scene_step_t *step = add_step(x, STEP_TEXT, x->names, NULL, 0);
    step->text = json_string_value(v);
    step->text_bytes = json_string_length(v);
  }
  leave_element(x);
  return true;
}

static bool read_parent(scene_plan_t *x) {
  scene_item_t *item = &x->items.items[x->item];
  json_t *v = json_object_get(item->json, "parent");
  if (!v)
    return true;
  shoal_entity outside;
  enter_element(x, "parent", 0);
  if (!find_reference(x, "parent", v, &item->parent, &outside))
    return false;
  bool is_item = item->parent >= 0;
  if ((is_item || outside) && !item->has_transform)
    return fail(x, "an entity with a parent must have a transform");
  if (is_item || outside) {
    scene_step_t *step = add_step(x, is_item ? STEP_ENTITY : STEP_NUMBER, x->transforms, NULL, 0);
    step->column = x->parent_column;
    step->other = is_item ? (uint32_t)item->parent : 0;
    step->number = outside;
  }
  leave_element(x);
  return true;
}

// Sets the current path to an item, starting at the list.
static void set_path(scene_plan_t *x, uint32_t number) {
  shoal_assert(number < x->items.count, "item %u is out of range (count %u)", number, x->items.count);
  uint32_t i = number, chain[SCENE_MAX_DEPTH], length = 0;
  x->depth = 0;
  x->item = number;
  for (; x->items.items[i].in_slot && length < SCENE_MAX_DEPTH; i = (uint32_t)x->items.items[i].parent)
    chain[length++] = i;
  enter_element(x, "entities", 0);
  enter_element(x, NULL, x->items.items[number].number - 1);
  while (length > 0) {
    const scene_item_t *child = &x->items.items[chain[--length]];
    json_t *siblings = json_object_get(x->items.items[child->parent].json, "children"), *v;
    const char *slot;
    enter_element(x, "children", 0);
    json_object_foreach(siblings, slot, v) {
      if (v == child->json) {
        enter_element(x, slot, 0);
        break;
      }
    }
  }
}

static bool read_item_steps(scene_plan_t *x, uint32_t number) {
  scene_item_t *item = &x->items.items[number];
  item->first_step = x->steps.count;
  set_path(x, number);
  if (is_null_or_false(item->json))
    return true;
  scene_list_parts(x->world, item->assemblage, item->state, x->memory, &x->parts);
  item->has_transform = item->in_slot || (x->transforms && scene_find_part(&x->parts, x->transforms->id, 0));
  for (uint32_t i = 0; i < x->parts.count; ++i)
    if (x->parts.items[i].state != 0 && item->state != scene_resolve_state(x->world, item->assemblage, 0))
      add_assemblage_instance(x, &x->parts.items[i]);
  bool ok = read_components(x) && read_name(x) && read_parent(x);
  item->step_count = x->steps.count - item->first_step;
  return ok;
}

// Fails if an entity is its own ancestor.
static bool check_cycles(scene_plan_t *x) {
  uint32_t count = x->items.count;
  if (count == 0)
    return true;
  uint32_t *seen = alloc_resize(x->memory, NULL, 0, count * sizeof *seen);
  bool ok = true;
  memset(seen, 0, count * sizeof *seen);
  for (uint32_t i = 0; i < count && ok; ++i)
    for (int64_t at = i; at >= 0 && ok; at = x->items.items[at].parent) {
      if (seen[at] == i + 1) {
        set_path(x, i);
        enter_element(x, "parent", 0);
        ok = fail(x, "the entity is its own ancestor: remove one \"parent\"");
      } else if (seen[at] != 0) {
        break;
      }
      seen[at] = i + 1;
    }
  alloc_resize(x->memory, seen, count * sizeof *seen, 0);
  return ok;
}

// --- the whole text

// Reports the fault of an entity of the list to scene_check_each, and marks its items, the first of which is `first`,
// as invalid. References to it remain valid. Returns false if the whole text is read at once, or if reading was
// interrupted.
static bool skip_invalid_entity(scene_plan_t *x, uint32_t number, uint32_t first) {
  if (!x->check || interrupt_is_pending())
    return false;
  const char *id = json_string_value(json_object_get(x->items.items[first].json, "id"));
  if (id && !json_object_get(x->ids, id))
    json_object_set_new(x->ids, id, json_integer(first));
  x->check->invalid(x->check->context, number, x->fault);
  for (uint32_t i = first; i < x->items.count && x->items.items[i].number == number; ++i)
    x->items.items[i].is_invalid = true;
  x->depth = 1; // in the list
  return true;
}

static bool is_within_capacity(scene_plan_t *x) {
  uint32_t available = entities_available(world_entities(x->world));
  return x->spawn_count <= available || fail(x, "too many entities: %llu (the world can have only %u more)",
                                             (unsigned long long)x->spawn_count, available);
}

static bool read_root(scene_plan_t *x, json_t *root) {
  static const char *const keys[] = {"entities", "format", "saved", NULL};
  json_t *format = json_object_get(root, "format"), *list = json_object_get(root, "entities"), *json;
  char shown[JSON_VALUE_SHOWN];
  size_t i;
  if (!json_is_object(root))
    return fail(x, "a scene must be an object: { \"format\": 1, \"entities\": [ … ] }");
  if (!check_keys(x, root, keys, "expected format, saved or entities"))
    return false;
  if (format && json_integer_value(format) != SCENE_FORMAT) {
    enter_element(x, "format", 0);
    return fail(x, "format must be %u, got %s", SCENE_FORMAT, json_value_describe(format, shown));
  }
  if ((json = json_object_get(root, "saved")) && !json_is_boolean(json)) {
    enter_element(x, "saved", 0);
    return fail(x, "saved must be true or false");
  }
  if (!json_is_array(list))
    return fail(x, "entities must be a list: { \"format\": 1, \"entities\": [ … ] }");
  enter_element(x, "entities", 0);
  json_array_foreach(list, i, json) {
    uint32_t number = x->items.count;
    scene_item_t item = {.json = json, .number = (uint32_t)i + 1, .parent = -1};
    enter_element(x, NULL, i);
    if (!read_item(x, json, item)) {
      if (!skip_invalid_entity(x, item.number, number))
        return false;
      continue;
    }
    if (!check_interrupt(x, i) || !is_within_capacity(x))
      return false;
    array_push(x->memory, &x->lists, number);
    leave_element(x);
  }
  leave_element(x);
  shoal_assert(x->depth == 0, "%u levels of the text were entered but not left", x->depth);
  return true;
}

static bool check_scene(scene_plan_t *x, json_t *root) {
  if (!read_root(x, root))
    return false;
  for (uint32_t i = 0; i < x->items.count; ++i) {
    const scene_item_t *item = &x->items.items[i];
    if (!item->is_invalid && !read_item_steps(x, i) && !skip_invalid_entity(x, item->number, i))
      return false;
    if (!check_interrupt(x, i))
      return false;
  }
  return x->check || check_cycles(x);
}

// Returns true if the text has too many bytes, objects or lists. A short text, such as a list of empty objects, may
// need a lot of memory.
static bool is_too_large(const scene_plan_t *x) {
  uint32_t objects = 0;
  if (x->desc->text_bytes > SCENE_MAX_BYTES)
    return true;
  for (size_t i = 0; i < x->desc->text_bytes && objects <= SCENE_MAX_OBJECTS; ++i) {
    if (i % (1u << 20) == 0 && interrupt_is_pending())
      return false; // interrupted: read_chunk detects this, too, and parse_json reports it
    objects += x->desc->text[i] == '{' || x->desc->text[i] == '[';
  }
  return objects > SCENE_MAX_OBJECTS;
}

// Returns a hint for a byte order mark or for a typical JSON error: the hint of the first entry whose text occurs in
// Jansson's message. Returns "" if there is none.
static const char *get_json_hint(const scene_desc_t *desc, const json_error_t *error) {
  static const struct {
    const char *part, *advice;
  } WORDINGS[] = {
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
  for (size_t i = 0; i < sizeof WORDINGS / sizeof *WORDINGS; ++i)
    if (strstr(error->text, WORDINGS[i].part))
      return WORDINGS[i].advice;
  return "";
}

// Callback of Jansson's parser, which requests the text in chunks. Returns (size_t)-1, which stops the parser, if the
// program is interrupted.
static size_t read_chunk(void *buffer, size_t max_bytes, void *reader) {
  scene_plan_t *x = reader;
  size_t left = x->desc->text_bytes - x->parsed, bytes = left < max_bytes ? left : max_bytes;
  if (interrupt_is_pending())
    return (size_t)-1;
  memcpy(buffer, x->desc->text + x->parsed, bytes);
  x->parsed += bytes;
  return bytes;
}

static json_t *parse_json(scene_plan_t *x) {
  json_error_t error;
  if (is_too_large(x)) {
    error_set(&x->fault->error, "the scene is too large (at most %u MB and %u objects)", SCENE_MAX_BYTES >> 20,
              SCENE_MAX_OBJECTS);
    return NULL;
  }
  json_t *root = json_load_callback(read_chunk, x, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);
  if (root)
    return root;
  if (x->parsed < x->desc->text_bytes && interrupt_is_pending()) {
    error_set(&x->fault->error, "reading was interrupted");
    return NULL;
  }
  x->fault->line = error.line > 0 ? (uint32_t)error.line : 1;
  error_set(&x->fault->error, "invalid JSON: %s%s", error.text, get_json_hint(x->desc, &error));
  return NULL;
}

// --- executing the steps

static bool spawn_all_items(scene_plan_t *x, error_info_t *error) {
  ARRAY(shoal_entity) tree = {0};
  bool ok = true;
  for (uint32_t i = 0; i < x->items.count && ok; ++i) {
    scene_item_t *item = &x->items.items[i];
    if (!item->in_slot) {
      uint32_t size = item->assemblage ? world_assemblage_tree_size(x->world, item->assemblage, error) : 1;
      array_reserve(x->memory, &tree, size);
      ok = world_spawn_tree(x->world, item->assemblage, tree.items, size, error) == size;
    }
    shoal_assert(!ok || item->in_tree < tree.capacity, "entity %u is outside its tree of %u", item->in_tree,
                 tree.capacity);
    item->e = ok ? tree.items[item->in_tree] : 0; // NOLINT: a tree has at least one entity
    ok = ok && check_interrupt(x, i);
  }
  array_free(x->memory, &tree);
  return ok;
}

static bool enter_states(scene_plan_t *x, error_info_t *error) {
  for (uint32_t i = 0; i < x->items.count; ++i) {
    const scene_item_t *item = &x->items.items[i];
    if (is_null_or_false(item->json))
      world_destroy_entity(x->world, item->e);
    else if (item->state != scene_resolve_state(x->world, item->assemblage, 0) &&
             !world_enter_state(x->world, item->e, item->state, error))
      return false;
  }
  return true;
}

static bool apply_step(scene_plan_t *x, const scene_step_t *step, error_info_t *error) {
  strings_o *s = world_strings(x->world);
  shoal_entity e = x->items.items[step->item].e;
  shoal_assert(e != SHOAL_ENTITY_NONE, "item %u was not spawned", step->item);
  shoal_assert(step->kind != STEP_ENTITY || step->other < x->items.count, "item %u is out of range (count %u)",
               step->other, x->items.count);
  uint32_t instance = step->instance ? strings_intern_bytes(s, step->instance, step->instance_bytes) : 0;
  double number = step->number;
  switch (step->kind) {
  case STEP_ADD: return world_add_component(x->world, e, step->manager, instance, error);
  case STEP_REMOVE:
    if (!world_check_removal(x->world, e, step->manager, error))
      return false;
    world_remove_component(x->world, e, step->manager, instance);
    return true;
  case STEP_TEXT: number = strings_intern_bytes(s, step->text, step->text_bytes); break;
  case STEP_ENTITY: number = x->items.items[step->other].e; break;
  default: break;
  }
  return world_set_field(x->world, e, step->manager, instance, step->column, number, error);
}

static void collect_ids(const scene_plan_t *x, json_t *known, scene_made_t *out) {
  const char *id;
  json_t *item;
  json_object_foreach(known, id, item) if (json_integer_value(item) >= 0)
      scene_ids_push(&out->ids, x->memory, x->items.items[json_integer_value(item)].e, id);
}

static bool apply_plan(scene_plan_t *x, scene_made_t *out) {
  error_info_t *error = &x->fault->error;
  world_defer_begin(x->world, 0);
  bool ok = spawn_all_items(x, error) && enter_states(x, error);
  for (uint32_t i = 0; i < x->steps.count && ok; ++i)
    ok = apply_step(x, &x->steps.items[i], error) && check_interrupt(x, i);
  world_defer_end(x->world, !ok);
  for (uint32_t i = 0; i < x->lists.count && ok; ++i)
    array_push(x->memory, out, x->items.items[x->lists.items[i]].e);
  if (ok) {
    collect_ids(x, x->ids, out);
    collect_ids(x, x->by_name, out);
    for (uint32_t i = 0; i < x->lost.count; ++i)
      array_push(x->memory, &out->lost, x->lost.items[i]);
  }
  return ok;
}

static bool init_plan(scene_plan_t *x, world_o *w, const scene_desc_t *desc, allocator_t *a, const scene_check_t *check,
                      scene_fault_t *fault) {
  *x = (scene_plan_t){.world = w, .desc = desc, .memory = a, .fault = fault, .check = check};
  *fault = (scene_fault_t){.line = 0};
  x->root = parse_json(x);
  if (!x->root)
    return false;
  x->names = world_find_manager(w, "name");
  x->transforms = world_find_manager(w, "transform");
  int32_t parent = x->transforms ? manager_find_column(x->transforms, "parent") : -1;
  x->transforms = parent >= 0 ? x->transforms : NULL;
  x->parent_column = parent >= 0 ? (uint32_t)parent : 0;
  x->ids = json_object();
  x->by_name = json_object();
  x->converted = json_array();
  return check_scene(x, x->root);
}

bool scene_plan_init(scene_plan_t *x, world_o *w, const scene_desc_t *desc, allocator_t *a, scene_fault_t *fault) {
  return init_plan(x, w, desc, a, NULL, fault);
}

void scene_plan_fini(scene_plan_t *x) {
  json_decref(x->ids);
  json_decref(x->by_name);
  json_decref(x->converted);
  json_decref(x->root);
  array_free(x->memory, &x->items);
  array_free(x->memory, &x->steps);
  array_free(x->memory, &x->lists);
  array_free(x->memory, &x->lost);
  array_free(x->memory, &x->parts);
}

bool scene_read(world_o *w, const scene_desc_t *desc, allocator_t *a, scene_made_t *out, scene_fault_t *fault) {
  shoal_assert(fault, "`fault` must not be NULL");
  shoal_assert(desc->text || desc->text_bytes == 0, "text must not be NULL (%zu bytes)", desc->text_bytes);
  scene_plan_t x;
  bool ok = scene_plan_init(&x, w, desc, a, fault) && (!out || apply_plan(&x, out));
  scene_plan_fini(&x);
  return ok;
}

bool scene_check_each(world_o *w, const scene_desc_t *desc, allocator_t *a, const scene_check_t *check,
                      scene_fault_t *fault) {
  shoal_assert(check && fault, "`check` and `fault` must not be NULL");
  scene_plan_t x;
  bool ok = init_plan(&x, w, desc, a, check, fault);
  scene_plan_fini(&x);
  return ok;
}
