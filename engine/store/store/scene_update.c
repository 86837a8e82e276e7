// Applies an edited scene to living entities, which are found by their names in the text. A value that differs between
// the two texts is set only if the world still has the previous value, so that values changed by the game are kept, as
// with assemblages. Both texts are checked against the current declarations; if either does not match, nothing is
// applied.
#include "base/assert.h"
#include "components/name.h"
#include "schema/bit_names.h"
#include "store/scene_plan.h"
#include "tilemap/tilemap.h"

#include <stdio.h>
#include <string.h>

#define SEVERAL UINT32_MAX // several entities have this name
#define UNKNOWN (-1.0)     // the string is not interned in the world
#define MAX_LINES 4u       // maximum number of log lines about kept values
#define MAX_NAMES 4u       // maximum number of names per line

typedef struct list_t {
  char text[400];
  uint32_t count;
} list_t;

typedef struct follower_t {
  world_o *world;
  scene_update_t *ask;
  scene_plan_t before, now;
  scene_parts_t parts; // parts of the current entity
  shoal_entity e;
  const char *name; // name of `e` in the text
  bool touched;
  list_t waiting; // changes that take effect only when the scene is started again
} follower_t;

// The row of a component or of an instance.
typedef struct place_t {
  manager_o *m;
  uint32_t instance; // string id of the instance's name
} place_t;

__attribute__((format(printf, 2, 3))) static void log_line(follower_t *f, const char *format, ...) {
  char line[900];
  va_list arguments;
  int used = snprintf(line, sizeof line, "%s: ", f->ask->file);
  shoal_assert(used >= 0 && (size_t)used < sizeof line, "the scene path is too long (%d bytes)", used - 2);
  va_start(arguments, format);
  vsnprintf(line + used, sizeof line - (size_t)used, format, arguments);
  va_end(arguments);
  f->ask->to.log_line(f->ask->to.context, line);
}

static void add_waiting_item(follower_t *f, const char *name, const char *why) {
  size_t used = strlen(f->waiting.text);
  if (f->waiting.count++ < MAX_NAMES)
    snprintf(f->waiting.text + used, sizeof f->waiting.text - used, "%s%.64s%s", used ? ", " : "", name, why);
  else if (f->waiting.count == MAX_NAMES + 1)
    snprintf(f->waiting.text + used, sizeof f->waiting.text - used, ", …");
}

// --- names

// Returns the item with this name in the text; NULL if no item or several items have it.
static scene_item_t *find_item_by_name(const scene_plan_t *plan, const char *name) {
  json_t *number = json_object_get(plan->desc->by_id ? plan->ids : plan->by_name, name);
  return number && json_integer_value(number) >= 0 ? &plan->items.items[json_integer_value(number)] : NULL;
}

static bool is_in_scene(const follower_t *f, shoal_entity e) {
  const manager_o *m = world_find_manager(f->world, "in_scene");
  uint32_t row = m ? manager_row(m, e) : ROW_NONE;
  return row == ROW_NONE ? !f->ask->is_layer
                         : ((const uint32_t *)m->data[0])[row] == strings_find(world_strings(f->world), f->ask->scene);
}

// Finds the entities of items by the ids of map objects. Stores SEVERAL if several entities have the id.
static void find_object_entities(follower_t *f, scene_plan_t *plan) {
  const manager_o *m = builtin_find(f->world, "map_object");
  map_object_columns c = map_object_columns_of(m);
  for (uint32_t row = 0; m && row < m->count; ++row) {
    char name[24];
    snprintf(name, sizeof name, "#%u", c.id[row]);
    scene_item_t *item = c.map[row] == f->ask->map ? find_item_by_name(plan, name) : NULL;
    if (item)
      item->e = item->e ? SEVERAL : m->owner[row];
  }
}

static void find_entities(follower_t *f, scene_plan_t *plan) {
  if (plan->desc->by_id) {
    find_object_entities(f, plan);
    return;
  }
  const manager_o *names = plan->names;
  for (uint32_t row = 0; names && row < names->count; ++row) {
    const char *name = strings_text(world_strings(f->world), ((const uint32_t *)names->data[0])[row]);
    scene_item_t *item = find_item_by_name(plan, name);
    if (item && is_in_scene(f, names->owner[row]))
      item->e = item->e ? SEVERAL : names->owner[row];
  }
}

static shoal_entity get_found_entity(const scene_plan_t *plan, uint32_t item) {
  shoal_assert(item < plan->items.count, "item %u is out of range (count %u)", item, plan->items.count);
  shoal_entity e = plan->items.items[item].e;
  return e == SEVERAL ? 0 : e;
}

// --- values

// Returns the id of a string. If the world has not interned the string, interns it if `intern` is true (because the
// string is about to be written), and otherwise returns UNKNOWN.
static double find_or_intern_text(const follower_t *f, const char *text, size_t bytes, bool intern) {
  strings_o *strings = world_strings(f->world);
  uint32_t id = strlen(text) == bytes ? strings_find(strings, text) : 0;
  if (id == 0 && bytes > 0)
    return intern ? strings_intern_bytes(strings, text, bytes) : UNKNOWN;
  return id;
}

static bool is_step_of_place(const follower_t *f, const scene_step_t *step, const place_t *p) {
  double instance = step->instance ? find_or_intern_text(f, step->instance, step->instance_bytes, false) : 0;
  return step->manager == p->m->id && instance == p->instance;
}

static place_t resolve_step(const follower_t *f, const scene_step_t *step) {
  double instance = step->instance ? find_or_intern_text(f, step->instance, step->instance_bytes, true) : 0;
  return (place_t){world_manager(f->world, step->manager), (uint32_t)instance};
}

static const scene_step_t *get_steps(const scene_plan_t *plan, const scene_item_t *item) {
  shoal_assert(item->first_step + item->step_count <= plan->steps.count, "steps %u … %u are out of range (count %u)",
               item->first_step, item->first_step + item->step_count, plan->steps.count);
  return plan->steps.items + item->first_step;
}

static bool is_row_step(const scene_step_t *step) {
  return step->kind == STEP_ADD || step->kind == STEP_REMOVE;
}

// Returns true if the text gives the entity this row.
static bool is_row_in_text(const follower_t *f, const scene_plan_t *plan, const scene_item_t *item, const place_t *p) {
  bool exists = scene_find_part(&f->parts, p->m->id, p->instance) != NULL;
  for (uint32_t i = 0; i < item->step_count; ++i) {
    const scene_step_t *step = get_steps(plan, item) + i;
    bool all = step->kind == STEP_REMOVE && step->manager == p->m->id && !step->instance;
    if (is_row_step(step) && (all || is_step_of_place(f, step, p)))
      exists = step->kind == STEP_ADD;
  }
  return exists;
}

// Returns the field's value in the text. If the text does not set it, returns the value in the assemblage, or the
// default value if the assemblage does not have the component.
static double find_text_value(const follower_t *f, const scene_plan_t *plan, const scene_item_t *item, const place_t *p,
                              uint32_t column, bool intern) {
  const assemblage_part_t *part = scene_find_part(&f->parts, p->m->id, p->instance);
  double value = part ? part->values[column] : p->m->columns.initial[column];
  for (uint32_t i = 0; i < item->step_count; ++i) {
    const scene_step_t *step = get_steps(plan, item) + i;
    if (step->column != column || !is_step_of_place(f, step, p))
      continue;
    if (step->kind == STEP_NUMBER)
      value = step->number;
    else if (step->kind == STEP_TEXT)
      value = find_or_intern_text(f, step->text, step->text_bytes, intern);
    else if (step->kind == STEP_ENTITY)
      value = get_found_entity(plan, step->other);
  }
  return p->m->schema.fields[column].type == FIELD_F32 ? (double)(float)value : value;
}

static bool is_same_value(double a, double b) {
  // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): 0 and -0 differ; all NaN are equal
  return memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b);
}

static const char *describe_value(const follower_t *f, const field_t *field, double v, char *out, size_t bytes) {
  const char *at = field->choices;
  if (field->type == FIELD_STRING || field->type == FIELD_ASSET) {
    snprintf(out, bytes, "\"%.60s\"", strings_text(world_strings(f->world), (uint32_t)v));
  } else if (field->type == FIELD_ENTITY) {
    name_describe(f->world, (shoal_entity)v, out, bytes);
  } else if (field->type == FIELD_BOOL) {
    snprintf(out, bytes, "%s", v != 0 ? "true" : "false");
  } else if (field->type == FIELD_ENUM && at) {
    for (uint32_t i = 0; i < (uint32_t)v && i + 1 < field->choice_count; ++i)
      at += strlen(at) + 1;
    snprintf(out, bytes, "%s", at);
  } else if (bit_names_exist(field)) {
    bit_names_format(field, (uint32_t)v, out, bytes);
  } else {
    snprintf(out, bytes, "%.9g", v);
  }
  return out;
}

static void report_kept_value(follower_t *f, const place_t *p, uint32_t column, double here, double now) {
  char current_text[NAME_DESCRIPTION_MAX], wanted_text[NAME_DESCRIPTION_MAX];
  const field_t *field = &p->m->schema.fields[column];
  const char *instance = strings_text(world_strings(f->world), p->instance);
  char label[FIELD_NAME_MAX];
  if (f->ask->kept++ >= MAX_LINES)
    return;
  if (field->flags & FIELD_IS_COUNT)
    log_line(f, "%.64s: %s%s%s.%s keeps its values: the game has changed them", f->name, p->m->schema.name,
             instance[0] ? "." : "", instance, field_label(field, label));
  else
    log_line(f, "%.64s: %s%s%s.%s stays %s instead of %s: the game has changed it", f->name, p->m->schema.name,
             instance[0] ? "." : "", instance, field->name,
             describe_value(f, field, here, current_text, sizeof current_text),
             describe_value(f, field, now, wanted_text, sizeof wanted_text));
}

static void set_value(follower_t *f, const place_t *p, uint32_t column, double value) {
  error_info_t error;
  bool ok = world_set_field(f->world, f->e, p->m->id, p->instance, column, value, &error);
  f->ask->values += ok;
  f->touched |= ok;
}

// Updates a field, or all columns of a list: a text that sets a list has a step for each column.
static void update_value(follower_t *f, const scene_item_t *before, const scene_item_t *now, const place_t *p,
                         uint32_t column) {
  uint32_t row = manager_find_instance_row(p->m, f->e, p->instance);
  uint32_t first, count = schema_list_columns(&p->m->schema, column, &first);
  double wanted[SCHEMA_MAX_FIELDS];
  bool changed = false, same = true, kept = true; // kept: the game has not changed the value
  if (column != first || row == ROW_NONE || !is_row_in_text(f, &f->before, before, p) ||
      !is_row_in_text(f, &f->now, now, p))
    return;
  for (uint32_t i = first; i < first + count; ++i) {
    double was = find_text_value(f, &f->before, before, p, i, false), here = columns_get(&p->m->columns, row, i);
    wanted[i] = find_text_value(f, &f->now, now, p, i, true);
    changed |= !is_same_value(was, wanted[i]);
    same &= is_same_value(here, wanted[i]);
    kept &= is_same_value(here, was);
  }
  if (!changed || same)
    return;
  if (!kept)
    report_kept_value(f, p, first, columns_get(&p->m->columns, row, first), wanted[first]);
  for (uint32_t i = first; kept && i < first + count; ++i)
    set_value(f, p, i, wanted[i]);
}

static void add_row(follower_t *f, const scene_item_t *now, const place_t *p) {
  error_info_t error;
  if (!world_add_component(f->world, f->e, p->m->id, p->instance, &error)) {
    log_line(f, "%.64s: %s", f->name, error.text);
    return;
  }
  f->touched = true;
  for (uint32_t c = 0; c < p->m->schema.field_count; ++c)
    if (field_is_settable(&p->m->schema.fields[c]))
      set_value(f, p, c, find_text_value(f, &f->now, now, p, c, true));
}

static void remove_row(follower_t *f, const scene_item_t *before, const place_t *p) {
  uint32_t row = manager_find_instance_row(p->m, f->e, p->instance);
  char label[FIELD_NAME_MAX];
  for (uint32_t c = 0; c < p->m->schema.field_count; ++c) {
    double here = columns_get(&p->m->columns, row, c);
    if (field_is_settable(&p->m->schema.fields[c]) &&
        !is_same_value(here, find_text_value(f, &f->before, before, p, c, false))) {
      f->ask->kept++;
      log_line(f, "%.64s keeps its %s: the game has changed %s", f->name, p->m->schema.name,
               field_label(&p->m->schema.fields[c], label));
      return;
    }
  }
  f->touched |= world_remove_component(f->world, f->e, p->m->id, p->instance);
}

static void update_row(follower_t *f, const scene_item_t *before, const scene_item_t *now, const place_t *p) {
  bool was = is_row_in_text(f, &f->before, before, p), is = is_row_in_text(f, &f->now, now, p);
  bool here = manager_find_instance_row(p->m, f->e, p->instance) != ROW_NONE;
  if (!was && is && !here)
    add_row(f, now, p);
  else if (was && !is && here)
    remove_row(f, before, p);
}

// --- entities

// Returns true if any of the item's steps, from `first` on, affects the same row or value as `step`.
static bool has_same_step(const follower_t *f, const scene_plan_t *plan, const scene_item_t *item, uint32_t first,
                          const scene_step_t *step) {
  place_t p = resolve_step(f, step);
  for (uint32_t i = first; i < item->step_count; ++i) {
    const scene_step_t *other = get_steps(plan, item) + i;
    if (is_row_step(other) == is_row_step(step) && other->column == step->column && is_step_of_place(f, other, &p))
      return true;
  }
  return false;
}

// Applies every row and value that either text mentions, each once.
static void update_mentioned_values(follower_t *f, const scene_item_t *before, const scene_item_t *now) {
  for (uint32_t i = 0; i < now->step_count + before->step_count; ++i) {
    bool is_now = i < now->step_count;
    const scene_plan_t *plan = is_now ? &f->now : &f->before;
    const scene_item_t *item = is_now ? now : before;
    uint32_t at = is_now ? i : i - now->step_count;
    const scene_step_t *step = get_steps(plan, item) + at;
    place_t p = resolve_step(f, step);
    if (p.m == plan->names || has_same_step(f, plan, item, at + 1, step) ||
        (!is_now && has_same_step(f, &f->now, now, 0, step)))
      continue;
    if (is_row_step(step))
      update_row(f, before, now, &p);
    else
      update_value(f, before, now, &p, step->column);
  }
}

static bool has_assemblage(const follower_t *f, const scene_item_t *item, shoal_entity e) {
  uint32_t name = item->assemblage ? world_assemblage_name(f->world, item->assemblage) : 0;
  return world_entities(f->world)->assemblage[shoal_entity_index(e)] == name;
}

static void update_entity(follower_t *f, const scene_item_t *before, const scene_item_t *now) {
  if (json_equal(before->json, now->json))
    return;
  f->e = now->e;
  f->touched = false;
  if (f->e == 0 || f->e == SEVERAL) {
    add_waiting_item(f, f->name, f->e ? " (name not unique)" : " (not found)");
  } else if (before->assemblage != now->assemblage || before->state != now->state || !has_assemblage(f, now, f->e)) {
    add_waiting_item(f, f->name, " (assemblage or state differs)");
  } else {
    scene_list_parts(f->world, now->assemblage, now->state, f->now.memory, &f->parts);
    update_mentioned_values(f, before, now);
  }
  f->ask->entities += f->touched;
}

static const char *get_item_name(const scene_plan_t *plan, const scene_item_t *item) {
  shoal_assert(item, "item must not be NULL (count %u)", plan->items.count);
  const char *name = json_string_value(json_object_get(item->json, plan->desc->by_id ? "id" : "name"));
  return name && find_item_by_name(plan, name) ? name : NULL;
}

// Returns the index of the next item without a unique name, starting at `i`; the number of items if there is none.
static uint32_t find_next_unnamed(const scene_plan_t *plan, uint32_t i) {
  while (i < plan->items.count && get_item_name(plan, &plan->items.items[i]))
    i++;
  return i;
}

static bool are_unnamed_equal(const follower_t *f) {
  uint32_t a = find_next_unnamed(&f->before, 0), b = find_next_unnamed(&f->now, 0);
  while (a < f->before.items.count && b < f->now.items.count &&
         json_equal(f->before.items.items[a].json, f->now.items.items[b].json)) {
    a = find_next_unnamed(&f->before, a + 1);
    b = find_next_unnamed(&f->now, b + 1);
  }
  return a == f->before.items.count && b == f->now.items.count;
}

static void update_entities(follower_t *f) {
  find_entities(f, &f->before);
  find_entities(f, &f->now);
  for (uint32_t i = 0; i < f->now.items.count; ++i) {
    const scene_item_t *now = &f->now.items.items[i], *before;
    f->name = get_item_name(&f->now, now);
    before = f->name ? find_item_by_name(&f->before, f->name) : NULL;
    if (before)
      update_entity(f, before, now);
    else if (f->name && !f->ask->map) // new map objects are spawned at once and need no restart
      add_waiting_item(f, f->name, " (new)");
  }
  for (uint32_t i = 0; i < f->before.items.count; ++i) {
    const char *name = get_item_name(&f->before, &f->before.items.items[i]);
    if (name && !f->ask->map && !find_item_by_name(&f->now, name))
      add_waiting_item(f, name, " (removed)");
  }
  if (!are_unnamed_equal(f))
    add_waiting_item(f, "unnamed entities", "");
}

static void report_remaining_items(follower_t *f) {
  const scene_update_t *x = f->ask;
  if (x->kept > MAX_LINES)
    log_line(f, "%u more value%s kept", x->kept - MAX_LINES, x->kept - MAX_LINES == 1 ? " is" : "s are");
  if (f->waiting.count > 0 && x->map)
    log_line(f, "takes effect when the tilemap is spawned again: %s", f->waiting.text);
  else if (f->waiting.count > 0)
    log_line(f,
             x->is_layer ? "takes effect when the scene \"%s\" is closed and opened again: %s"
                         : "takes effect when world.scene(\"%s\") starts the scene again: %s",
             x->scene, f->waiting.text);
  else if (!x->map && x->entities == 0 && x->kept == 0)
    log_line(f, "the entities in the world already match the file");
}

bool scene_update(world_o *w, scene_update_t *ask, allocator_t *a) {
  shoal_assert(!world_is_deferring(w), "cannot apply %s while commands are queued", ask->file);
  shoal_assert(ask->to.log_line, "%s: `to.log_line` must not be NULL", ask->file);
  scene_fault_t fault;
  follower_t f = {.world = w, .ask = ask};
  ask->entities = ask->values = ask->kept = ask->waiting = 0;
  bool former = scene_plan_init(&f.before, w, &ask->before, a, &fault);
  bool ok = scene_plan_init(&f.now, w, &ask->now, a, &fault) && former;
  if (ok) {
    update_entities(&f);
    ask->waiting = f.waiting.count;
    report_remaining_items(&f);
  }
  array_free(a, &f.parts);
  scene_plan_fini(&f.now);
  scene_plan_fini(&f.before);
  return ok;
}
