// Proposes the declaration of a new assemblage: its components with their values, its children and its states.
#include "cockpit/kind_edit.h"

#include "cockpit/cockpit_state.h"
#include "content/former_names.h"
#include "ecs/assemblage_inspect.h"
#include "ecs/name_hint.h"

#include <stdio.h>
#include <string.h>

#define MAX_DEPTH 8

static bool is_declared(world_o *w, const char *name) {
  uint32_t id = name[0] ? strings_find(world_strings(w), name) : 0, assemblage = id ? world_find_assemblage(w, id) : 0;
  return assemblage && !world_assemblage_is_retired(w, assemblage);
}

bool kind_check_assemblage(proposal_t *proposal, const char *path, const char *name) {
  world_o *w = kind_get_world(proposal, NULL);
  char hint[HINT_BYTES];
  return is_declared(w, name) ||
         proposal_add_problem(proposal, path, "unknown assemblage %.64s%s", name, hint_assemblage(w, name, hint));
}

// Returns true if an earlier entry of the list has the same name and, unless `any_instance` is true, the same instance.
static bool is_listed_before(const json_t *list, size_t i, bool any_instance) {
  const json_t *entry = json_array_get(list, i), *earlier;
  for (size_t k = 0; k < i && (earlier = json_array_get(list, k)) != NULL; ++k)
    if (strcmp(get_text_member(earlier, "name"), get_text_member(entry, "name")) == 0 &&
        (any_instance || strcmp(get_text_member(earlier, "instance"), get_text_member(entry, "instance")) == 0))
      return true;
  return false;
}

// Checks the name of a child or a state, which must be unique in its list. `path`: path of the list in the request.
static bool check_entry_name(proposal_t *proposal, const json_t *list, size_t i, const char *path, const char *plural) {
  const char *name = get_text_member(json_array_get(list, i), "name");
  char name_path[160];
  snprintf(name_path, sizeof name_path, "%s.%zu.name", path, i);
  bool ok = kind_check_name(proposal, name_path, name);
  if (is_listed_before(list, i, true))
    ok = proposal_add_problem(proposal, name_path, "two %s are named %.64s: rename one", plural, name);
  return ok;
}

// Adds the values of one list entry, or of all entries with the same component if they name instances.
static bool add_component(proposal_t *proposal, const json_t *list, size_t first_index, const char *list_path,
                          lua_table_t *out) {
  const json_t *entry = json_array_get(list, first_index);
  const char *name = get_text_member(entry, "name");
  char entry_path[128];
  lua_table_t values;
  snprintf(entry_path, sizeof entry_path, "%s.%zu", list_path, first_index);
  const manager_o *manager = kind_find_component(proposal, entry_path, name);
  bool ok = manager != NULL, has_instances = get_text_member(entry, "instance")[0] != '\0';
  if (ok && has_instances && manager->schema.kind != SCHEMA_MANY)
    ok = proposal_add_problem(proposal, entry_path, "%s has no named instances: omit “instance”", name);
  // `gun = {}` declares no instance, so entities of the assemblage would lack the component.
  if (ok && !has_instances && manager->schema.kind == SCHEMA_MANY &&
      json_object_size(json_object_get(entry, "values")) == 0)
    ok = proposal_add_problem(proposal, entry_path, "%s would have no instance: enter an instance name or a value",
                              name);
  lua_table_init(&values, &proposal->cockpit->memory, KIND_MAX_COLUMNS);
  for (size_t i = first_index; ok && i < json_array_size(list); ++i) {
    const json_t *sibling = json_array_get(list, i);
    const char *instance = get_text_member(sibling, "instance");
    if (strcmp(get_text_member(sibling, "name"), name) != 0)
      continue;
    snprintf(entry_path, sizeof entry_path, "%s.%zu", list_path, i);
    if (i > first_index && (!has_instances || !instance[0] || is_listed_before(list, i, false))) {
      ok = proposal_add_problem(proposal, entry_path, "%s is listed twice: remove one of the entries%s", name,
                                manager->schema.kind == SCHEMA_MANY ? ", or enter different instances" : "");
      break;
    }
    if (!has_instances) {
      ok = kind_add_values(proposal, entry_path, manager, json_object_get(sibling, "values"), &values);
      continue;
    }
    lua_table_t instance_values;
    lua_table_init(&instance_values, &proposal->cockpit->memory, KIND_MAX_COLUMNS);
    ok = kind_add_values(proposal, entry_path, manager, json_object_get(sibling, "values"), &instance_values) && ok;
    lua_table_add_table(&values, instance, &instance_values);
    lua_table_fini(&instance_values);
  }
  if (ok)
    lua_table_add_table(out, name, &values);
  lua_table_fini(&values);
  return ok;
}

static bool add_components(proposal_t *proposal, const json_t *list, const char *path, lua_table_t *out) {
  bool ok = true;
  for (size_t i = 0; i < json_array_size(list); ++i)
    if (!is_listed_before(list, i, true))
      ok = add_component(proposal, list, i, path, out) && ok;
  return ok;
}

static bool add_bases(proposal_t *proposal, const json_t *declaration, const char *prefix, lua_table_t *out) {
  const json_t *list = json_object_get(declaration, "is");
  lua_table_t names;
  char name_path[128];
  bool ok = true;
  lua_table_init(&names, &proposal->cockpit->memory, KIND_MAX_COLUMNS);
  for (size_t i = 0; i < json_array_size(list); ++i) {
    const char *name = json_string_value(json_array_get(list, i));
    snprintf(name_path, sizeof name_path, "%sis.%zu", prefix, i);
    ok = kind_check_assemblage(proposal, name_path, name ? name : "") && ok;
    lua_table_add_text(&names, NULL, name ? name : "");
  }
  if (json_array_size(list) == 1)
    lua_table_add_text(out, "is", names.text.text.count ? json_string_value(json_array_get(list, 0)) : "");
  else if (json_array_size(list) > 1)
    lua_table_add_table(out, "is", &names);
  lua_table_fini(&names);
  return ok;
}

static bool add_declaration(proposal_t *proposal, const json_t *declaration, const char *at, int depth,
                            lua_table_t *out);

static bool add_children(proposal_t *proposal, const json_t *declaration, const char *prefix, int depth,
                         lua_table_t *out) {
  const json_t *list = json_object_get(declaration, "children");
  lua_table_t children, child;
  char child_path[128];
  bool ok = true;
  lua_table_init(&children, &proposal->cockpit->memory, KIND_MAX_COLUMNS);
  for (size_t i = 0; i < json_array_size(list); ++i) {
    const json_t *entry = json_array_get(list, i);
    snprintf(child_path, sizeof child_path, "%schildren", prefix);
    ok = check_entry_name(proposal, list, i, child_path, "children") && ok;
    snprintf(child_path, sizeof child_path, "%schildren.%zu.", prefix, i);
    lua_table_init(&child, &proposal->cockpit->memory, KIND_MAX_COLUMNS);
    ok = add_declaration(proposal, entry, child_path, depth + 1, &child) && ok;
    lua_table_add_table(&children, get_text_member(entry, "name"), &child);
    lua_table_fini(&child);
  }
  if (!lua_table_is_empty(&children))
    lua_table_add_table(out, "children", &children);
  lua_table_fini(&children);
  return ok;
}

static bool add_states(proposal_t *proposal, const json_t *declaration, const char *prefix, lua_table_t *out) {
  const json_t *list = json_object_get(declaration, "states");
  lua_table_t states, state;
  char states_path[128], name_path[160];
  bool ok = true;
  lua_table_init(&states, &proposal->cockpit->memory, KIND_MAX_COLUMNS);
  for (size_t i = 0; i < json_array_size(list); ++i) {
    const json_t *entry = json_array_get(list, i);
    const char *name = get_text_member(entry, "name");
    snprintf(states_path, sizeof states_path, "%sstates", prefix);
    ok = check_entry_name(proposal, list, i, states_path, "states") && ok;
    snprintf(name_path, sizeof name_path, "%s.%zu.name", states_path, i);
    if (strcmp(name, "initial") == 0)
      ok = proposal_add_problem(proposal, name_path,
                                "a state cannot be named initial (a reserved key of states): choose a different name");
    if (i == 0)
      lua_table_add_text(&states, "initial", name);
    lua_table_init(&state, &proposal->cockpit->memory, KIND_MAX_COLUMNS);
    snprintf(states_path, sizeof states_path, "%sstates.%zu.components", prefix, i);
    ok = add_components(proposal, json_object_get(entry, "components"), states_path, &state) && ok;
    lua_table_add_table(&states, name, &state);
    lua_table_fini(&state);
  }
  if (!lua_table_is_empty(&states))
    lua_table_add_table(out, "states", &states);
  lua_table_fini(&states);
  return ok;
}

// Adds the members of an assemblage or a child. `prefix`: path of the declaration in the request, ending with "."
// unless it is empty.
static bool add_declaration(proposal_t *proposal, const json_t *declaration, const char *prefix, int depth,
                            lua_table_t *out) {
  const char *doc = get_text_member(declaration, "doc");
  char components_path[128];
  lua_table_t components;
  if (depth > MAX_DEPTH)
    return proposal_add_problem(proposal, prefix, "children are nested too deeply (at most %d levels)", MAX_DEPTH);
  if (doc[0])
    lua_table_add_text(out, "doc", doc);
  bool ok = add_bases(proposal, declaration, prefix, out);
  lua_table_init(&components, &proposal->cockpit->memory, KIND_MAX_COLUMNS);
  snprintf(components_path, sizeof components_path, "%scomponents", prefix);
  ok = add_components(proposal, json_object_get(declaration, "components"), components_path, &components) && ok;
  if (!lua_table_is_empty(&components) || json_array_size(json_object_get(declaration, "is")) == 0)
    lua_table_add_table(out, "components", &components);
  lua_table_fini(&components);
  ok = add_children(proposal, declaration, prefix, depth, out) && ok;
  return add_states(proposal, declaration, prefix, out) && ok;
}

bool kind_propose_assemblage(proposal_t *proposal, error_info_t *error) {
  const char *name = get_text_member(proposal->request, "name");
  char file[FILE_CHANGES_NAME];
  lua_table_t table;
  json_writer_t value;
  world_o *w = kind_get_world(proposal, error);
  if (!w)
    return false;
  snprintf(proposal->title, sizeof proposal->title, "assemblage %.64s", name);
  bool ok = kind_check_name(proposal, "name", name);
  if (ok && is_declared(w, name))
    ok = proposal_add_problem(proposal, "name", "assemblage %s already exists: choose a different name", name);
  ok = ok && kind_check_former_name(proposal, "name", name, former_names_find_text(w, name));
  lua_table_init(&table, &proposal->cockpit->memory, KIND_MAX_COLUMNS);
  json_writer_init(&value, &proposal->cockpit->memory);
  ok = add_declaration(proposal, proposal->request, "", 0, &table) && ok;
  lua_table_write(&table, &value);
  kind_choose_file(proposal, "assemblages", file, sizeof file);
  bool succeeded = !ok || kind_insert_declaration(proposal, file, "", name, json_writer_text(&value), error);
  json_writer_fini(&value);
  lua_table_fini(&table);
  return succeeded;
}
