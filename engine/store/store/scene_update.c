// Applies an edited scene to living entities, which are found by their names in the text. A value that differs between
// the two versions of the text is set only if the world still has the previous value. Values changed by the game are
// therefore kept, as with assemblages. Both versions are checked against the current declarations. If one of them does
// not match, nothing is applied.
#include "base/assert.h"
#include "components/name.h"
#include "content/merge_rule.h"
#include "schema/bit_names.h"
#include "store/scene_plan.h"
#include "tilemap/tilemap.h"

#include <stdio.h>
#include <string.h>

#define AMBIGUOUS UINT32_MAX // value for a name that several entities have
#define UNKNOWN (-1.0)       // value for a string that is not interned in the world
#define MAX_LINES 4u         // maximum number of log lines about kept values
#define MAX_NAMES 4u         // maximum number of names per line

typedef struct name_list_t {
  char text[400];
  uint32_t count;
} name_list_t;

typedef struct updater_t {
  world_o *world;
  scene_update_t *desc;
  scene_plan_t old_plan, new_plan;
  scene_parts_t parts; // parts of the current entity
  shoal_entity entity;
  const char *name; // name of `entity` in the text
  bool changed;
  name_list_t delayed; // changes that take effect only when the scene is restarted
} updater_t;

// The row of a component or instance.
typedef struct row_key_t {
  manager_o *manager;
  uint32_t instance; // string id of the instance's name
} row_key_t;

__attribute__((format(printf, 2, 3))) static void log_line(updater_t *updater, const char *format, ...) {
  char line[900];
  va_list arguments;
  int length = snprintf(line, sizeof line, "%s: ", updater->desc->file);
  shoal_assert(length >= 0 && (size_t)length < sizeof line, "the scene path is too long (%d bytes)", length - 2);
  va_start(arguments, format);
  vsnprintf(line + length, sizeof line - (size_t)length, format, arguments);
  va_end(arguments);
  updater->desc->listener.log_line(updater->desc->listener.context, line);
}

static void add_delayed_item(updater_t *updater, const char *name, const char *reason) {
  size_t length = strlen(updater->delayed.text);
  if (updater->delayed.count++ < MAX_NAMES)
    snprintf(updater->delayed.text + length, sizeof updater->delayed.text - length, "%s%.64s%s", length ? ", " : "",
             name, reason);
  else if (updater->delayed.count == MAX_NAMES + 1)
    snprintf(updater->delayed.text + length, sizeof updater->delayed.text - length, ", …");
}

// --- names

// Returns the item with this name in the text, or NULL if no item or several items have the name.
static scene_item_t *find_item_by_name(const scene_plan_t *plan, const char *name) {
  json_t *number = json_object_get(plan->desc->match_by_id ? plan->ids : plan->by_name, name);
  return number && json_integer_value(number) >= 0 ? &plan->items.items[json_integer_value(number)] : NULL;
}

static bool is_in_scene(const updater_t *updater, shoal_entity e) {
  const manager_o *m = world_find_manager(updater->world, "in_scene");
  uint32_t row = m ? manager_row(m, e) : ROW_NONE;
  return row == ROW_NONE
             ? !updater->desc->is_layer
             : ((const uint32_t *)m->data[0])[row] == strings_find(world_strings(updater->world), updater->desc->scene);
}

// Finds the items' entities by their map object ids. Stores AMBIGUOUS if several entities have the same id.
static void find_object_entities(updater_t *updater, scene_plan_t *plan) {
  const manager_o *m = builtin_find(updater->world, "map_object");
  map_object_columns columns = map_object_columns_of(m);
  for (uint32_t row = 0; m && row < m->count; ++row) {
    char name[24];
    snprintf(name, sizeof name, "#%u", columns.id[row]);
    scene_item_t *item = columns.map[row] == updater->desc->tilemap ? find_item_by_name(plan, name) : NULL;
    if (item)
      item->entity = item->entity ? AMBIGUOUS : m->owner[row];
  }
}

static void find_entities(updater_t *updater, scene_plan_t *plan) {
  if (plan->desc->match_by_id) {
    find_object_entities(updater, plan);
    return;
  }
  const manager_o *names = plan->names;
  for (uint32_t row = 0; names && row < names->count; ++row) {
    const char *name = strings_text(world_strings(updater->world), ((const uint32_t *)names->data[0])[row]);
    scene_item_t *item = find_item_by_name(plan, name);
    if (item && is_in_scene(updater, names->owner[row]))
      item->entity = item->entity ? AMBIGUOUS : names->owner[row];
  }
}

static shoal_entity get_found_entity(const scene_plan_t *plan, uint32_t item) {
  shoal_assert(item < plan->items.count, "item %u is out of range (count %u)", item, plan->items.count);
  shoal_entity e = plan->items.items[item].entity;
  return e == AMBIGUOUS ? 0 : e;
}

// --- values

// Returns the id of a string. If the world has not interned the string, interns it if `intern` is true, because the
// string is about to be written. Otherwise, returns UNKNOWN.
static double find_or_intern_text(const updater_t *updater, const char *text, size_t bytes, bool intern) {
  strings_o *strings = world_strings(updater->world);
  uint32_t id = strlen(text) == bytes ? strings_find(strings, text) : 0;
  if (id == 0 && bytes > 0)
    return intern ? strings_intern_bytes(strings, text, bytes) : UNKNOWN;
  return id;
}

static bool is_step_of_row(const updater_t *updater, const scene_step_t *step, const row_key_t *key) {
  double instance = step->instance ? find_or_intern_text(updater, step->instance, step->instance_bytes, false) : 0;
  return step->manager == key->manager->id && instance == key->instance;
}

static row_key_t resolve_step(const updater_t *updater, const scene_step_t *step) {
  double instance = step->instance ? find_or_intern_text(updater, step->instance, step->instance_bytes, true) : 0;
  return (row_key_t){world_manager(updater->world, step->manager), (uint32_t)instance};
}

static const scene_step_t *get_steps(const scene_plan_t *plan, const scene_item_t *item) {
  shoal_assert(item->first_step + item->step_count <= plan->steps.count, "steps %u … %u are out of range (count %u)",
               item->first_step, item->first_step + item->step_count, plan->steps.count);
  return plan->steps.items + item->first_step;
}

static bool is_row_step(const scene_step_t *step) {
  return step->kind == STEP_ADD || step->kind == STEP_REMOVE;
}

// Returns true if the entity has this row according to the text.
static bool is_row_in_text(const updater_t *updater, const scene_plan_t *plan, const scene_item_t *item,
                           const row_key_t *key) {
  bool exists = scene_find_part(&updater->parts, key->manager->id, key->instance) != NULL;
  for (uint32_t i = 0; i < item->step_count; ++i) {
    const scene_step_t *step = get_steps(plan, item) + i;
    bool removes_all = step->kind == STEP_REMOVE && step->manager == key->manager->id && !step->instance;
    if (is_row_step(step) && (removes_all || is_step_of_row(updater, step, key)))
      exists = step->kind == STEP_ADD;
  }
  return exists;
}

// Returns the field's value in the text. If the text does not set the field, returns the value in the assemblage, or
// the default value if the assemblage does not have the component.
static double find_text_value(const updater_t *updater, const scene_plan_t *plan, const scene_item_t *item,
                              const row_key_t *key, uint32_t column, bool intern) {
  const assemblage_part_t *part = scene_find_part(&updater->parts, key->manager->id, key->instance);
  double value = part ? part->values[column] : key->manager->columns.initial[column];
  for (uint32_t i = 0; i < item->step_count; ++i) {
    const scene_step_t *step = get_steps(plan, item) + i;
    if (step->column != column || !is_step_of_row(updater, step, key))
      continue;
    if (step->kind == STEP_NUMBER)
      value = step->number;
    else if (step->kind == STEP_TEXT)
      value = find_or_intern_text(updater, step->text, step->text_bytes, intern);
    else if (step->kind == STEP_ENTITY)
      value = get_found_entity(plan, step->target);
  }
  return key->manager->schema.fields[column].type == FIELD_F32 ? (double)(float)value : value;
}

static const char *describe_value(const updater_t *updater, const field_t *field, double value, char *out,
                                  size_t bytes) {
  const char *choice = field->choices;
  if (field->type == FIELD_STRING || field->type == FIELD_ASSET) {
    snprintf(out, bytes, "\"%.60s\"", strings_text(world_strings(updater->world), (uint32_t)value));
  } else if (field->type == FIELD_ENTITY) {
    name_describe(updater->world, (shoal_entity)value, out, bytes);
  } else if (field->type == FIELD_BOOL) {
    snprintf(out, bytes, "%s", value != 0 ? "true" : "false");
  } else if (field->type == FIELD_ENUM && choice) {
    for (uint32_t i = 0; i < (uint32_t)value && i + 1 < field->choice_count; ++i)
      choice += strlen(choice) + 1;
    snprintf(out, bytes, "%s", choice);
  } else if (bit_names_exist(field)) {
    bit_names_format(field, (uint32_t)value, out, bytes);
  } else {
    snprintf(out, bytes, "%.9g", value);
  }
  return out;
}

static void report_kept_value(updater_t *updater, const row_key_t *key, uint32_t column, double current,
                              double new_value) {
  char current_text[NAME_DESCRIPTION_MAX], new_text[NAME_DESCRIPTION_MAX];
  const field_t *field = &key->manager->schema.fields[column];
  const char *instance = strings_text(world_strings(updater->world), key->instance);
  char label[FIELD_NAME_MAX];
  if (updater->desc->kept_values++ >= MAX_LINES)
    return;
  if (field->flags & FIELD_IS_COUNT)
    log_line(updater, "%.64s: %s%s%s.%s keeps its values: the game has changed them", updater->name,
             key->manager->schema.name, instance[0] ? "." : "", instance, field_label(field, label));
  else
    log_line(updater, "%.64s: %s%s%s.%s stays %s instead of %s: the game has changed it", updater->name,
             key->manager->schema.name, instance[0] ? "." : "", instance, field->name,
             describe_value(updater, field, current, current_text, sizeof current_text),
             describe_value(updater, field, new_value, new_text, sizeof new_text));
}

static void set_value(updater_t *updater, const row_key_t *key, uint32_t column, double value) {
  error_info_t error;
  bool ok = world_set_field(updater->world, updater->entity, key->manager->id, key->instance, column, value, &error);
  updater->desc->set_values += ok;
  updater->changed |= ok;
}

// Updates a field. If `column` is the first column of a list, updates all columns of the list, because a text that sets
// a list has a step for each column.
static void update_value(updater_t *updater, const scene_item_t *old_item, const scene_item_t *new_item,
                         const row_key_t *key, uint32_t column) {
  uint32_t row = manager_find_instance_row(key->manager, updater->entity, key->instance);
  uint32_t first_column, count = schema_list_columns(&key->manager->schema, column, &first_column);
  double old_values[SCHEMA_MAX_FIELDS], new_values[SCHEMA_MAX_FIELDS];
  bool is_current = true;
  if (column != first_column || row == ROW_NONE || !is_row_in_text(updater, &updater->old_plan, old_item, key) ||
      !is_row_in_text(updater, &updater->new_plan, new_item, key))
    return;
  for (uint32_t i = first_column; i < first_column + count; ++i) {
    old_values[i] = find_text_value(updater, &updater->old_plan, old_item, key, i, false);
    new_values[i] = find_text_value(updater, &updater->new_plan, new_item, key, i, true);
    is_current &= merge_is_same_value(columns_get(&key->manager->columns, row, i), new_values[i], MERGE_BITS);
  }
  merge_choice_t choice = merge_choose(key->manager, row, first_column, count, old_values, new_values, MERGE_BITS);
  if (choice == MERGE_KEEP && !is_current)
    report_kept_value(updater, key, first_column, columns_get(&key->manager->columns, row, first_column),
                      new_values[first_column]);
  for (uint32_t i = first_column; choice == MERGE_SET && i < first_column + count; ++i)
    set_value(updater, key, i, new_values[i]);
}

static void add_row(updater_t *updater, const scene_item_t *new_item, const row_key_t *key) {
  error_info_t error;
  if (!world_add_component(updater->world, updater->entity, key->manager->id, key->instance, &error)) {
    log_line(updater, "%.64s: %s", updater->name, error.text);
    return;
  }
  updater->changed = true;
  for (uint32_t column = 0; column < key->manager->schema.field_count; ++column)
    if (field_is_settable(&key->manager->schema.fields[column]))
      set_value(updater, key, column, find_text_value(updater, &updater->new_plan, new_item, key, column, true));
}

static void remove_row(updater_t *updater, const scene_item_t *old_item, const row_key_t *key) {
  uint32_t row = manager_find_instance_row(key->manager, updater->entity, key->instance);
  char label[FIELD_NAME_MAX];
  double old_values[SCHEMA_MAX_FIELDS];
  for (uint32_t column = 0; column < key->manager->schema.field_count; ++column)
    old_values[column] = find_text_value(updater, &updater->old_plan, old_item, key, column, false);
  uint32_t overridden = merge_find_overridden(key->manager, row, old_values, MERGE_BITS);
  if (overridden != MERGE_NO_COLUMN) {
    updater->desc->kept_values++;
    log_line(updater, "%.64s keeps its %s: the game has changed %s", updater->name, key->manager->schema.name,
             field_label(&key->manager->schema.fields[overridden], label));
    return;
  }
  updater->changed |= world_remove_component(updater->world, updater->entity, key->manager->id, key->instance);
}

static void update_row(updater_t *updater, const scene_item_t *old_item, const scene_item_t *new_item,
                       const row_key_t *key) {
  bool was_in_text = is_row_in_text(updater, &updater->old_plan, old_item, key),
       is_in_text = is_row_in_text(updater, &updater->new_plan, new_item, key);
  bool exists = manager_find_instance_row(key->manager, updater->entity, key->instance) != ROW_NONE;
  if (!was_in_text && is_in_text && !exists)
    add_row(updater, new_item, key);
  else if (was_in_text && !is_in_text && exists)
    remove_row(updater, old_item, key);
}

// --- entities

// Returns true if any of the item's steps, from `first` on, affects the same row or value as `step`.
static bool has_same_step(const updater_t *updater, const scene_plan_t *plan, const scene_item_t *item, uint32_t first,
                          const scene_step_t *step) {
  row_key_t key = resolve_step(updater, step);
  for (uint32_t i = first; i < item->step_count; ++i) {
    const scene_step_t *candidate = get_steps(plan, item) + i;
    if (is_row_step(candidate) == is_row_step(step) && candidate->column == step->column &&
        is_step_of_row(updater, candidate, &key))
      return true;
  }
  return false;
}

// Updates each row and value that either text mentions, once.
static void update_mentioned_values(updater_t *updater, const scene_item_t *old_item, const scene_item_t *new_item) {
  for (uint32_t i = 0; i < new_item->step_count + old_item->step_count; ++i) {
    bool is_now = i < new_item->step_count;
    const scene_plan_t *plan = is_now ? &updater->new_plan : &updater->old_plan;
    const scene_item_t *item = is_now ? new_item : old_item;
    uint32_t index = is_now ? i : i - new_item->step_count;
    const scene_step_t *step = get_steps(plan, item) + index;
    row_key_t key = resolve_step(updater, step);
    if (key.manager == plan->names || has_same_step(updater, plan, item, index + 1, step) ||
        (!is_now && has_same_step(updater, &updater->new_plan, new_item, 0, step)))
      continue;
    if (is_row_step(step))
      update_row(updater, old_item, new_item, &key);
    else
      update_value(updater, old_item, new_item, &key, step->column);
  }
}

static bool has_assemblage(const updater_t *updater, const scene_item_t *item, shoal_entity e) {
  uint32_t name = item->assemblage ? world_assemblage_name(updater->world, item->assemblage) : 0;
  return world_entities(updater->world)->assemblage[shoal_entity_index(e)] == name;
}

static void update_entity(updater_t *updater, const scene_item_t *old_item, const scene_item_t *new_item) {
  if (json_equal(old_item->json, new_item->json))
    return;
  updater->entity = new_item->entity;
  updater->changed = false;
  if (updater->entity == 0 || updater->entity == AMBIGUOUS) {
    add_delayed_item(updater, updater->name, updater->entity ? " (name not unique)" : " (not found)");
  } else if (old_item->assemblage != new_item->assemblage || old_item->state != new_item->state ||
             !has_assemblage(updater, new_item, updater->entity)) {
    add_delayed_item(updater, updater->name, " (assemblage or state differs)");
  } else {
    scene_list_parts(updater->world, new_item->assemblage, new_item->state, updater->new_plan.memory, &updater->parts);
    update_mentioned_values(updater, old_item, new_item);
  }
  updater->desc->changed_entities += updater->changed;
}

static const char *get_item_name(const scene_plan_t *plan, const scene_item_t *item) {
  shoal_assert(item, "item must not be NULL (count %u)", plan->items.count);
  const char *name = json_string_value(json_object_get(item->json, plan->desc->match_by_id ? "id" : "name"));
  return name && find_item_by_name(plan, name) ? name : NULL;
}

// Returns the index of the first item from `i` on that has no unique name, or the number of items if all have names.
static uint32_t find_next_unnamed(const scene_plan_t *plan, uint32_t i) {
  while (i < plan->items.count && get_item_name(plan, &plan->items.items[i]))
    i++;
  return i;
}

static bool are_unnamed_equal(const updater_t *updater) {
  uint32_t a = find_next_unnamed(&updater->old_plan, 0), b = find_next_unnamed(&updater->new_plan, 0);
  while (a < updater->old_plan.items.count && b < updater->new_plan.items.count &&
         json_equal(updater->old_plan.items.items[a].json, updater->new_plan.items.items[b].json)) {
    a = find_next_unnamed(&updater->old_plan, a + 1);
    b = find_next_unnamed(&updater->new_plan, b + 1);
  }
  return a == updater->old_plan.items.count && b == updater->new_plan.items.count;
}

static void update_entities(updater_t *updater) {
  find_entities(updater, &updater->old_plan);
  find_entities(updater, &updater->new_plan);
  for (uint32_t i = 0; i < updater->new_plan.items.count; ++i) {
    const scene_item_t *new_item = &updater->new_plan.items.items[i], *old_item;
    updater->name = get_item_name(&updater->new_plan, new_item);
    old_item = updater->name ? find_item_by_name(&updater->old_plan, updater->name) : NULL;
    if (old_item)
      update_entity(updater, old_item, new_item);
    else if (updater->name && !updater->desc->tilemap) // new map objects are spawned immediately and need no restart
      add_delayed_item(updater, updater->name, " (new)");
  }
  for (uint32_t i = 0; i < updater->old_plan.items.count; ++i) {
    const char *name = get_item_name(&updater->old_plan, &updater->old_plan.items.items[i]);
    if (name && !updater->desc->tilemap && !find_item_by_name(&updater->new_plan, name))
      add_delayed_item(updater, name, " (removed)");
  }
  if (!are_unnamed_equal(updater))
    add_delayed_item(updater, "unnamed entities", "");
}

static void report_remaining_items(updater_t *updater) {
  const scene_update_t *desc = updater->desc;
  if (desc->kept_values > MAX_LINES)
    log_line(updater, "%u more value%s kept", desc->kept_values - MAX_LINES,
             desc->kept_values - MAX_LINES == 1 ? " is" : "s are");
  if (updater->delayed.count > 0 && desc->tilemap)
    log_line(updater, "these changes take effect when the tilemap is spawned again: %s", updater->delayed.text);
  else if (updater->delayed.count > 0)
    log_line(updater,
             desc->is_layer ? "these changes take effect when the scene \"%s\" is closed and opened again: %s"
                            : "these changes take effect when world.scene(\"%s\") starts the scene again: %s",
             desc->scene, updater->delayed.text);
  else if (!desc->tilemap && desc->changed_entities == 0 && desc->kept_values == 0)
    log_line(updater, "the entities in the world already match the file");
}

bool scene_update(world_o *w, scene_update_t *desc, allocator_t *a) {
  shoal_assert(!world_is_deferring(w), "cannot apply %s while commands are queued", desc->file);
  shoal_assert(desc->listener.log_line, "%s: `to.log_line` must not be NULL", desc->file);
  scene_fault_t fault;
  updater_t updater = {.world = w, .desc = desc};
  desc->changed_entities = desc->set_values = desc->kept_values = desc->delayed_changes = 0;
  bool old_ok = scene_plan_init(&updater.old_plan, w, &desc->old_version, a, &fault);
  bool ok = scene_plan_init(&updater.new_plan, w, &desc->new_version, a, &fault) && old_ok;
  if (ok) {
    update_entities(&updater);
    desc->delayed_changes = updater.delayed.count;
    report_remaining_items(&updater);
  }
  array_free(a, &updater.parts);
  scene_plan_fini(&updater.new_plan);
  scene_plan_fini(&updater.old_plan);
  return ok;
}
