// Declares built-in components and finds them in a world. Only built-in components may have reserved names such as
// `name`.
#include "components/builtin.h"

#include "base/assert.h"
#include "schema/schema_build.h"

#include <stdio.h>
#include <string.h>

// Returns true if the fields match the struct of column pointers in order, name and type.
static bool matches_columns(const manager_o *manager, const shoal_component *component) {
  uint32_t column = 0;
  for (uint32_t i = 0; i < component->field_count; ++i) {
    uint32_t width = schema_column_count(component->fields[i].type);
    for (uint32_t k = 0; k < width; ++k, ++column) {
      char name[FIELD_NAME_MAX];
      const char *axis = schema_axis_suffix(component->fields[i].type, k);
      const field_t *field = &manager->schema.fields[column];
      snprintf(name, sizeof name, axis ? "%s.%s" : "%s", component->fields[i].name, axis);
      if (strcmp(field->name, name) != 0 ||
          field->type != (width > 1 ? FIELD_F32 : (field_type_t)component->fields[i].type))
        return false;
    }
  }
  return column == component->column_count && column == manager->schema.field_count + manager->schema.derived_count;
}

// Descriptions for editors, the inspector and SQL.
static const char *const DOCS[][2] = {
    {"transform", "Position, angle and scale, relative to the parent."},
    {"body", "A collider: a circle or a box."},
    {"findable", "Lets spatial queries such as world.near find an entity that has no body."},
    {"neighbours",
     "The bodies and findable entities near its entity: their number, their centre and the eight nearest."},
    {"camera", "A view of the world, centred on the transform."},
    {"lifetime", "Destroys its entity after a number of seconds."},
    {"sprite", "An image drawn at the transform."},
    {"shape", "A circle, rectangle, polygon or line drawn at the transform."},
    {"text", "Text drawn at the transform."},
    {"text_style", "Outline, shadow and spacing of text."},
    {"material", "Effects on a sprite."},
    {"y_sort", "Draws the entities of a layer in the order of their y coordinates."},
    {"viewport", "The part of the screen that a camera draws to."},
    {"camera_layers", "The layers that a camera shows."},
    {"canvas", "Draws the view of its camera into an image instead of onto the screen."},
    {"follow", "Makes its entity follow another entity."},
    {"shaken", "Shakes its camera; the strength is the square of trauma."},
    {"animation", "Plays a clip of the sprite's sheet, hero.json next to hero.png."},
    {"tilemap", "A map from Tiled or LDtk; the transform is its top left corner. world.tiles returns its cells."},
    {"map_object", "Marks an entity that was created from an object of a map."},
    {"light", "A light. It lights all layers below the layer of ambient."},
    {"ambient", "Ambient light. On a camera it applies to that camera, otherwise to all cameras without ambient."},
    {"occluder", "Casts a shadow."},
    {"emitter", "Emits particles. A table of values may name a preset: fire, smoke, sparks, explosion, trail, rain, "
                "snow, magic or dust."},
    {"trail", "A ribbon along the path of its entity."},
    {"emitter_forces", "Forces on the particles of its emitter."},
    {"sound", "A sound that plays while its entity has the component."},
    {"sound_listener", "Sounds with sound_space are heard from its position instead of the camera's."},
    {"sound_space", "Plays its sound at the position of its entity."},
    {"mover", "Moves its entity by its speed until something solid stops it."},
    {"timer", "Emits an event after a delay; created by world.after."},
    {"tween", "Changes a field over time; created by world.tween. One row per path."},
    {"path", "Moves its entity from point to point."},
    {"swept", "Makes its body collide along its whole path from tick to tick, not only at the end."},
    {"widget", "Common fields of all widgets."},
    {"panel", "Arranges its child widgets."},
    {"dialogue", "Shows its text or, if empty, the lines of sequences."},
    {"ui_follow",
     "Centres a widget on an entity's screen position, plus an offset; the widget is destroyed with the entity."},
};

static const char *find_doc(const char *name) {
  for (size_t i = 0; i < sizeof DOCS / sizeof *DOCS; ++i)
    if (strcmp(DOCS[i][0], name) == 0)
      return DOCS[i][1];
  return NULL;
}

// Ranges of fields: values out of range are clamped, and reported in declarations and scenes.
static const struct {
  const char *component, *field;
  double min, max;
} RANGES[] = {{"sound", "volume", 0, 1},          {"sound", "pan", -1, 1},
              {"camera", "player", 0, 8},         {"viewport", "player", 0, 8},
              {"sound_listener", "player", 0, 8}, {"widget", "player", 0, 8}};

// Sets FIELD_IS_ADDED for fields that a later version added to built-in components.
static void mark_added_fields(manager_o *m) {
  static const char *const COMPONENTS[] = {"camera", "viewport", "sound_listener", "widget"};
  for (size_t i = 0; i < sizeof COMPONENTS / sizeof *COMPONENTS; ++i) {
    int32_t column = strcmp(m->schema.name, COMPONENTS[i]) == 0 ? manager_find_column(m, "player") : -1;
    if (column >= 0)
      m->schema.fields[column].flags |= FIELD_IS_ADDED;
  }
}

// Writes the ranges of the component's fields to `out`. Returns true if at least one field has a range.
static bool collect_ranges(const shoal_component *component, field_range_t out[SCHEMA_MAX_FIELDS]) {
  bool found = false;
  for (size_t i = 0; i < sizeof RANGES / sizeof *RANGES; ++i)
    for (uint32_t k = 0; strcmp(RANGES[i].component, component->name) == 0 && k < component->field_count; ++k)
      if (strcmp(RANGES[i].field, component->fields[k].name) == 0) {
        out[k] = (field_range_t){.min = RANGES[i].min, .max = RANGES[i].max, .has_min = true, .has_max = true};
        found = true;
      }
  return found;
}

static bool declare_schema(world_o *w, const schema_desc_t *base_desc, error_info_t *error) {
  schema_desc_t desc = *base_desc;
  field_range_t ranges[SCHEMA_MAX_FIELDS] = {0};
  desc.ranges = collect_ranges(desc.component, ranges) ? ranges : NULL;
  desc.doc = desc.doc ? desc.doc : find_doc(desc.component->name);
  desc.rejects_nan = desc.component->kind != SHOAL_KIND_EVENT;
  if (world_declare_schema_desc(w, &desc, error) == 0)
    return false;
  manager_o *manager = world_find_manager(w, desc.component->name);
  if (desc.component->kind != SHOAL_KIND_EVENT)
    mark_added_fields(manager);
  bool matches = desc.component->kind == SHOAL_KIND_EVENT || matches_columns(manager, desc.component);
  shoal_assert(matches, "the columns of %s do not match its list of fields", manager->schema.name);
  return matches || error_set(error, "the columns of %s do not match its list of fields", manager->schema.name);
}

bool builtin_declare(world_o *w, const shoal_component *component, error_info_t *error) {
  return declare_schema(
      w, &(schema_desc_t){.component = component, .origin = "C", .any_name = true, .required = component->required},
      error);
}

bool builtin_declare_derived(world_o *w, const shoal_component *component, uint32_t derived_count,
                             error_info_t *error) {
  return declare_schema(
      w, &(schema_desc_t){.component = component, .origin = "C", .any_name = true, .derived_count = derived_count},
      error);
}

bool builtin_declare_tag(world_o *w, const char *name, shoal_component_kind kind, const char *doc,
                         error_info_t *error) {
  const shoal_component tag = {.name = name, .kind = kind};
  return declare_schema(w, &(schema_desc_t){.component = &tag, .origin = "C", .any_name = true, .doc = doc}, error);
}

void builtin_read_columns(const manager_o *manager, const shoal_component *component, void *columns) {
  uint32_t count = manager ? manager->columns.column_count : 0;
  shoal_assert(!manager || manager->schema.field_count + manager->schema.derived_count == component->column_count,
               "%s has %u columns, but the declaration of %s has %u", manager->schema.name, manager->schema.field_count,
               component->name, component->column_count);
  void **pointers = columns;
  for (uint32_t i = 0; i < component->column_count; ++i)
    pointers[i] = i < count ? manager->data[i] : NULL;
}

// Built-in components whose names games cannot declare.
static const char *const RESERVED_NAMES[] = {"name",   "transform", "sprite", "shape",    "text",
                                             "camera", "body",      "sound",  "lifetime", "disabled"};

static manager_o *find_engine_component(world_o *w, const char *name) {
  manager_o *m = world_find_manager(w, name);
  return m && strcmp(m->schema.origin, "C") == 0 ? m : NULL;
}

manager_o *builtin_find(world_o *w, const char *name) {
  char qualified_name[COMPONENT_NAME_MAX];
  manager_o *m = find_engine_component(w, name);
  if (m)
    return m;
  snprintf(qualified_name, sizeof qualified_name, "shoal.%s", name);
  return find_engine_component(w, qualified_name);
}

bool builtin_can_release_name(world_o *w, const char *name) {
  const manager_o *m = find_engine_component(w, name);
  for (size_t i = 0; i < sizeof RESERVED_NAMES / sizeof *RESERVED_NAMES; ++i)
    if (strcmp(RESERVED_NAMES[i], name) == 0)
      return false;
  return m && m->count == 0 && strncmp(name, "shoal.", 6) != 0;
}

bool builtin_release_name(world_o *w, const char *name, const char *owner) {
  // A copy is necessary: `name` may be the schema's own string, which world_rename_manager overwrites.
  char qualified_name[COMPONENT_NAME_MAX];
  manager_o *manager = find_engine_component(w, name);
  if (!builtin_can_release_name(w, name))
    return false;
  snprintf(qualified_name, sizeof qualified_name, "shoal.%s", name);
  log_info(world_log(w), "%s declares its own component %s: Shoal's %s is named shoal.%s in this game", owner, name,
           name, name);
  world_rename_manager(w, manager->id, qualified_name);
  shoal_assert(builtin_find(w, qualified_name + 6) == manager, "%s not found", manager->schema.name);
  return true;
}

event_o *builtin_find_event(world_o *w, const char *name) {
  event_o *event = world_find_event(w, name);
  return event && strcmp(event->schema.origin, "[shoal]") == 0 ? event : NULL;
}
