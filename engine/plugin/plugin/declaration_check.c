// Checks a plugin's declarations before any of them is used.
#include "plugin/declaration_check.h"

#include "access/custom_manager.h"
#include "base/assert.h"
#include "components/builtin.h"
#include "plugin/system.h"
#include "plugin/panel.h"
#include "plugin/result.h"
#include "schema/schema_build.h"
#include "shoal/command.h"
#include "shoal/observe.h"

#include <stdio.h>
#include <string.h>

// --- components

bool plugin_build_schema(plugins_o *plugins, const plugin_t *plugin, const shoal_component *component, bool is_declared,
                         schema_t *schema, error_info_t *error) {
  char origin[sizeof schema->origin];
  snprintf(origin, sizeof origin, "plugin %s", plugin->name);
  allocator_t *allocator = world_allocator(plugins->world);
  schema_desc_t desc = {.component = component, .origin = origin, .any_name = !is_declared};
  desc.required = is_declared && plugin->has_required ? component->required : NULL;
  if (!schema_build(schema, &desc, allocator, NULL, error))
    return false;
  if (schema->field_count == component->column_count)
    return true;
  error_set(error, "%s: .column_count must be %u for %u fields, got %u", component->name, schema->field_count,
            component->field_count, component->column_count);
  schema_fini(schema, allocator);
  return false;
}

static bool check_component(plugins_o *plugins, const plugin_t *plugin, const shoal_component *component,
                            bool is_declared, error_info_t *error) {
  schema_t schema;
  if (!plugin_build_schema(plugins, plugin, component, is_declared, &schema, error))
    return false;
  schema_fini(&schema, world_allocator(plugins->world));
  return !component->manager || custom_manager_check_declaration(component, error);
}

static const char *describe_owner(const schema_t *schema) {
  return strcmp(schema->origin, "C") == 0 ? "Shoal" : schema->origin;
}

static bool check_is_not_declared(plugins_o *plugins, const shoal_component *component, error_info_t *error) {
  const manager_o *manager = world_find_manager(plugins->world, component->name);
  const event_o *event = world_find_event(plugins->world, component->name);
  if ((!manager && !event) || (!event && builtin_can_release_name(plugins->world, component->name)))
    return true;
  return error_set(error, "%s %s is already declared by %s",
                   component->kind == SHOAL_KIND_EVENT ? "event" : "component", component->name,
                   describe_owner(manager ? &manager->schema : &event->schema));
}

static bool check_is_not_repeated(const shoal_plugin *def, const shoal_component *const *component,
                                  error_info_t *error) {
  for (const shoal_component *const *earlier = def->components; earlier != component; ++earlier)
    if (strcmp((*earlier)->name, (*component)->name) == 0)
      return error_set(error, "component %s is listed twice: remove one of the entries", (*component)->name);
  return true;
}

// --- systems and observers

static bool check_name_list(const char *system, const char *member, const char *const *names, error_info_t *error) {
  for (uint32_t i = 0; i < SHOAL_MAX_NAMES && names[i]; ++i)
    if (!names[i][0] || strlen(names[i]) >= 2 * COMPONENT_NAME_MAX)
      return error_set(error, "system %s: each name in .%s must have 1 to %u bytes", system, member,
                       2 * COMPONENT_NAME_MAX - 1u);
  return true;
}

static bool contains_name(const char *const *names, const char *name) {
  for (uint32_t i = 0; i < SHOAL_MAX_NAMES && names[i]; ++i)
    if (strcmp(names[i], name) == 0)
      return true;
  return false;
}

// Checks that .reads names only components of the query. With .concurrent, .reads may name any component, so the check
// is omitted. The names are resolved when the plugin is bound to the world.
static bool check_reads(const shoal_system *system, error_info_t *error) {
  for (uint32_t i = 0; i < SHOAL_MAX_NAMES && system->reads[i] && !system->concurrent; ++i)
    if (!contains_name(system->query, system->reads[i]) && !contains_name(system->optional, system->reads[i]) &&
        !contains_name(system->any, system->reads[i]))
      return error_set(error, "system %s: .reads must name components of .query, .optional or .any, got %s",
                       system->name, system->reads[i]);
  return true;
}

static bool check_common_fields(const shoal_system *system, error_info_t *error) {
  if (!schema_is_valid_name(system->name, COMPONENT_NAME_MAX))
    return error_set(
        error,
        "the name of a system or observer must consist of 1 to %u letters, digits and _, and must not begin "
        "with a digit, got %.80s",
        COMPONENT_NAME_MAX - 1u, system->name ? system->name : "NULL");
  if ((uint32_t)system->phase > SHOAL_PHASE_RENDER)
    return error_set(error, "system %s: .phase must be a SHOAL_PHASE_… constant, got %d", system->name,
                     (int)system->phase);
  return check_name_list(system->name, "query", system->query, error) &&
         check_name_list(system->name, "without", system->without, error) &&
         check_name_list(system->name, "optional", system->optional, error) &&
         check_name_list(system->name, "any", system->any, error) &&
         check_name_list(system->name, "reads", system->reads, error) &&
         check_name_list(system->name, "after", system->after, error) &&
         check_name_list(system->name, "before", system->before, error) && check_reads(system, error);
}

static bool check_system(const shoal_plugin *def, const shoal_system *system, error_info_t *error) {
  if (!check_common_fields(system, error))
    return false;
  for (const shoal_system *earlier = def->systems; earlier != system; ++earlier)
    if (strcmp(earlier->name, system->name) == 0)
      return error_set(error, "two systems are named %s: rename one of them", system->name);
  if (!system->run)
    return error_set(error, "system %s: .run must not be NULL", system->name);
  if (system->parallel && (!system->query[0] || system->phase == SHOAL_PHASE_RENDER))
    return error_set(error, "system %s: .parallel requires .query and a phase other than SHOAL_PHASE_RENDER",
                     system->name);
  if (system->concurrent && system->phase == SHOAL_PHASE_RENDER)
    return error_set(error, "system %s: .concurrent requires a phase other than SHOAL_PHASE_RENDER", system->name);
  return !system->concurrent_changes || system->concurrent ||
         error_set(error, "system %s: .concurrent_changes requires .concurrent: set .concurrent", system->name);
}

static bool check_observer(const shoal_plugin *def, const shoal_observer *observer, error_info_t *error) {
  shoal_system described;
  if (!observer->enter && !observer->leave && !observer->changed)
    return error_set(error, "observer %s must have .enter, .leave or .changed", observer->name);
  if (!observer->query[0])
    return error_set(error, "observer %s: .query must name a component", observer->name);
  if (observer->phase == SHOAL_PHASE_RENDER)
    return error_set(error, "observer %s: .phase must not be SHOAL_PHASE_RENDER", observer->name);
  for (const shoal_observer *earlier = def->observers; earlier != observer; ++earlier)
    if (strcmp(earlier->name, observer->name) == 0)
      return error_set(error, "two observers are named %s: rename one of them", observer->name);
  for (const shoal_system *system = def->systems; system && system->name; ++system)
    if (strcmp(system->name, observer->name) == 0)
      return error_set(error, "a system and an observer are both named %s: rename one of them", observer->name);
  plugin_observer_to_system(observer, &described);
  return check_common_fields(&described, error);
}

static bool check_observers(const shoal_plugin *def, error_info_t *error) {
  for (uint32_t i = 0; i < plugin_count_observers(def); ++i)
    if (!check_observer(def, &def->observers[i], error))
      return false;
  return true;
}

// --- functions

// Checks a signature such as "e:entity degrees:number". Returns true on success, or false with an error if a name or a
// type is invalid, or if the signature has too many values.
static bool check_signature(const char *function, const char *signature, error_info_t *error) {
  static const char *const TYPES[] = {"number", "bool", "string", "entity", "any", "table", "number[]", "entity[]"};
  uint32_t count = 0;
  for (const char *cursor = signature ? signature : ""; *cursor;) {
    size_t length = strcspn(cursor, " ");
    const char *colon = memchr(cursor, ':', length);
    bool is_known_type = false;
    for (size_t i = 0; colon && i < sizeof TYPES / sizeof TYPES[0]; ++i)
      is_known_type |= strlen(TYPES[i]) == length - (size_t)(colon + 1 - cursor) &&
                       strncmp(TYPES[i], colon + 1, strlen(TYPES[i])) == 0;
    char name[FIELD_NAME_MAX];
    snprintf(name, sizeof name, "%.*s", colon && colon - cursor < FIELD_NAME_MAX ? (int)(colon - cursor) : 0, cursor);
    if (!is_known_type || !schema_is_valid_name(name, sizeof name) || schema_is_lua_keyword(name))
      return error_set(error,
                       "function %s: “%.*s” must be NAME:TYPE (types: number, bool, string, entity, any, table, "
                       "number[], entity[])",
                       function, (int)length, cursor);
    if (++count > PLUGIN_MAX_VALUES)
      return error_set(error, "function %s: too many values at “%.*s” (at most %u)", function, (int)length, cursor,
                       PLUGIN_MAX_VALUES);
    cursor += length;
    cursor += strspn(cursor, " ");
  }
  return true;
}

static bool check_function(const shoal_plugin *def, const shoal_function *function, error_info_t *error) {
  if (!schema_is_valid_name(function->name, COMPONENT_NAME_MAX) || schema_is_lua_keyword(function->name))
    return error_set(error,
                     "the name of a function must consist of 1 to %u letters, digits and _, must not begin with a "
                     "digit, and must not be a Lua keyword, got %.80s",
                     COMPONENT_NAME_MAX - 1u, function->name ? function->name : "NULL");
  if (!function->call)
    return error_set(error, "function %s: .call must not be NULL", function->name);
  for (const shoal_function *earlier = def->functions; earlier != function; ++earlier)
    if (strcmp(earlier->name, function->name) == 0)
      return error_set(error, "two functions are named %s: rename one of them", function->name);
  return check_signature(function->name, function->parameters, error) &&
         check_signature(function->name, function->results, error);
}

// --- panels, commands, asset types

static bool check_panels(plugin_t *plugin, error_info_t *error) {
  uint32_t count = 0;
  for (const shoal_panel *panel = plugin->def->panels; panel && panel->title; ++panel) {
    if (!panel->title[0] || strlen(panel->title) > 60 || strchr(panel->title, '\n'))
      return error_set(error, "the title of a panel must be one line of 1 to 60 bytes, got “%.80s”", panel->title);
    if (!panel->sql == !panel->draw)
      return error_set(error, "panel “%s” must have either .sql or .draw, got %s", panel->title,
                       panel->sql ? "both" : "neither");
    for (const shoal_panel *earlier = plugin->def->panels; earlier != panel; ++earlier)
      if (strcmp(earlier->title, panel->title) == 0)
        return error_set(error, "two panels are named “%s”: rename one of them", panel->title);
    if (++count > PLUGIN_MAX_PANELS)
      return error_set(error, "too many panels (at most %u per plugin)", PLUGIN_MAX_PANELS);
  }
  return true;
}

static bool check_commands(plugin_t *plugin, error_info_t *error) {
  uint32_t count = 0;
  for (const shoal_command *command = plugin->def->commands; command && command->name; ++command) {
    if (!command->name[0] || strlen(command->name) > 60 || strchr(command->name, '\n'))
      return error_set(error, "the name of a command must be one line of 1 to 60 bytes, got “%.80s”", command->name);
    if (command->help && strchr(command->help, '\n'))
      return error_set(error, "command “%s”: .help must be one line", command->name);
    if (!command->run)
      return error_set(error, "command “%s”: .run must not be NULL", command->name);
    for (const shoal_command *earlier = plugin->def->commands; earlier != command; ++earlier)
      if (strcmp(earlier->name, command->name) == 0)
        return error_set(error, "two commands are named “%s”: rename one of them", command->name);
    if (++count > SHOAL_MAX_COMMANDS)
      return error_set(error, "too many commands (at most %d per plugin)", SHOAL_MAX_COMMANDS);
  }
  return true;
}

static bool check_assets(const plugin_t *plugin, error_info_t *error) {
  for (const shoal_asset_type *type = plugin->def->assets; type && type->extension; ++type) {
    size_t length = strlen(type->extension);
    if (length < 2 || length > 16 || type->extension[0] != '.' || strpbrk(type->extension + 1, "./\\ "))
      return error_set(error,
                       "a file extension must be a dot and one word of 1 to 15 bytes, such as .grass, got “%.40s”",
                       type->extension);
    if (!type->load || !type->unload)
      return error_set(error, "asset type %s: .%s must not be NULL", type->extension, type->load ? "unload" : "load");
    for (const shoal_asset_type *earlier = plugin->def->assets; earlier != type; ++earlier)
      if (strcmp(earlier->extension, type->extension) == 0)
        return error_set(error, "two asset types have the extension %s: remove one of them", type->extension);
  }
  return true;
}

// --- all declarations

static bool check_names(plugins_o *plugins, const plugin_t *plugin, error_info_t *error) {
  const char *name = plugin->def->name;
  if (!schema_is_valid_name(name, COMPONENT_NAME_MAX) || schema_is_lua_keyword(name))
    return error_set(error,
                     "the name of a plugin must consist of 1 to %u letters, digits and _, must not begin with a digit, "
                     "and must not be a Lua keyword, got %.80s",
                     COMPONENT_NAME_MAX - 1u, name ? name : "NULL");
  if (strcmp(name, plugin->name) != 0)
    return error_set(error, ".name must match the file name (%s), got %s", plugin->name, name);
  for (uint32_t i = 0; i < plugins->list.count && plugins->list.items[i] != plugin; ++i)
    if (strcmp(plugins->list.items[i]->name, name) == 0)
      return error_set(error, "two plugins are named %s (the other file is %s): remove one of them", name,
                       plugins->list.items[i]->path);
  return true;
}

bool plugin_check_declarations(plugins_o *plugins, plugin_t *plugin, error_info_t *error) {
  shoal_assert(plugin->def, "plugin %s has no definition", plugin->name);
  const shoal_plugin *def = plugin->def;
  if (!check_names(plugins, plugin, error))
    return false;
  for (const shoal_component *const *component = def->components; component && *component; ++component)
    if (!check_component(plugins, plugin, *component, true, error) || !check_is_not_repeated(def, component, error) ||
        !check_is_not_declared(plugins, *component, error))
      return false;
  for (const shoal_component *const *component = def->uses; component && *component; ++component)
    if (!check_component(plugins, plugin, *component, false, error))
      return false;
  for (const shoal_system *system = def->systems; system && system->name; ++system)
    if (!check_system(def, system, error))
      return false;
  for (const shoal_function *function = def->functions; function && function->name; ++function)
    if (!check_function(def, function, error))
      return false;
  return check_observers(def, error) && check_panels(plugin, error) && check_commands(plugin, error) &&
         check_assets(plugin, error);
}
