// Proposes to rename a component, a field, an assemblage, a state, a behaviour or an event in all files of the game.
// Adds renamed_from to the declaration, so that the running world, saves and recordings are converted.
#include "cockpit/kind_rename.h"

#include "base/files.h"
#include "base/nearest_name.h"
#include "cockpit/cockpit_state.h"
#include "content/former_names.h"
#include "ecs/assemblage_inspect.h"
#include "ecs/name_hint.h"
#include "schema/schema_build.h"

#include <stdio.h>
#include <string.h>

#define MAX_UNSURE 200u

// --- places that are not changed

void rename_add_unsure_mention(rename_job_t *job, const char *file, const char *text, size_t bytes, size_t offset) {
  size_t begin = offset, line = 1, length;
  char excerpt[160];
  for (size_t i = 0; i < offset; ++i)
    line += text[i] == '\n';
  if ((line == job->last_line && strcmp(file, job->last_file) == 0) || job->unsure_count++ >= MAX_UNSURE)
    return;
  job->last_line = line;
  snprintf(job->last_file, sizeof job->last_file, "%s", file);
  while (begin > 0 && text[begin - 1] != '\n')
    --begin;
  begin += strspn(text + begin, " \t");
  for (length = 0; begin + length < bytes && !strchr("\r\n", text[begin + length]);)
    ++length;
  snprintf(excerpt, sizeof excerpt, "%.*s", (int)length, text + begin);
  json_write_begin(&job->proposal->unsure_mentions, '{');
  json_write_pair(&job->proposal->unsure_mentions, "file", file);
  json_write_integer_pair(&job->proposal->unsure_mentions, "line", (long long)line);
  json_write_pair(&job->proposal->unsure_mentions, "text", excerpt);
  json_write_end(&job->proposal->unsure_mentions, '}');
}

static bool is_name_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

void rename_report_matches(rename_job_t *job, const char *file) {
  size_t bytes = 0, length = strlen(job->name.name);
  const char *text = file_changes_read(&job->proposal->files, file, &bytes, NULL), *match = text;
  while (text && (match = strstr(match, job->name.name)) != NULL) {
    if ((match == text || !is_name_byte(match[-1])) && !is_name_byte(match[length]))
      rename_add_unsure_mention(job, file, text, bytes, (size_t)(match - text));
    match += length;
  }
}

// --- the world's names

bool rename_is_component(void *world, const char *name) {
  return world_find_manager(world, name) != NULL;
}

bool rename_is_field(void *world, const char *component, const char *path) {
  const manager_o *manager = world_find_manager(world, component);
  size_t bytes = strlen(path);
  for (uint32_t i = 0; manager && i < manager->schema.field_count; ++i)
    if (strncmp(manager->schema.fields[i].name, path, bytes) == 0 && strchr(".", manager->schema.fields[i].name[bytes]))
      return true; // strchr also finds the terminating '\0'
  return false;
}

static bool has_field_part(const schema_t *schema, const char *name) {
  size_t bytes = strlen(name);
  for (uint32_t i = 0; i < schema->field_count; ++i)
    for (const char *part = schema->fields[i].name; *part;
         part += strcspn(part, ".") + (part[strcspn(part, ".")] == '.'))
      if (strcspn(part, ".") == bytes && strncmp(part, name, bytes) == 0)
        return true;
  return false;
}

// Returns true if the name also denotes a different component, a different field, or a field of an event, so that a
// table member with this name may refer to it.
static bool has_other_meaning(rename_job_t *job) {
  const char *name = job->name.name;
  bool is_field = job->name.kind == LUA_NAME_FIELD, found = is_field && world_find_manager(job->world, name);
  for (uint32_t id = 1; !found && id <= world_manager_count(job->world); ++id) {
    const schema_t *schema = &world_manager(job->world, id)->schema;
    found = !(is_field && strcmp(schema->name, job->name.component) == 0) && has_field_part(schema, name);
  }
  for (uint32_t id = 1; !found && id <= world_event_count(job->world); ++id)
    found = has_field_part(&world_event(job->world, id)->schema, name);
  return found;
}

// --- checks

// Returns true if a file of the game contains the declaration. Otherwise, reports a problem and returns false.
static bool check_origin(proposal_t *proposal, const char *kind, const char *name, const schema_t *schema) {
  bool is_file = schema->line > 0 && strstr(schema->origin, ".lua") && !schema_is_kept(schema);
  if (is_file && strncmp(schema->origin, "addons/", 7) != 0 && !strchr(name, '.'))
    return true;
  if (schema_is_kept(schema))
    return proposal_add_problem(proposal, "name", "no file declares %s any more: declare it again", name);
  if (is_file)
    return proposal_add_problem(proposal, "name", "%s belongs to an add-on (%s): rename it there", name,
                                schema->origin);
  return proposal_add_problem(proposal, "name", "cannot rename %s: the %s is built in or declared by a plugin", name,
                              kind);
}

// Checks the new name of a component or a field against the rules for declarations. Returns true if the name is valid.
// Otherwise, reports a problem and returns false.
static bool check_reserved(proposal_t *proposal, const char *component, const char *field) {
  shoal_field f = {.name = field ? field : "value", .type = SHOAL_TYPE_f32};
  const shoal_component c = {.name = component, .fields = &f, .field_count = 1};
  schema_t *schema = alloc_resize(&proposal->cockpit->memory, NULL, 0, sizeof *schema);
  error_info_t error;
  bool ok =
      schema_build(schema, &(schema_desc_t){.component = &c, .origin = ""}, &proposal->cockpit->memory, NULL, &error);
  if (ok)
    schema_fini(schema, &proposal->cockpit->memory);
  alloc_resize(&proposal->cockpit->memory, schema, sizeof *schema, 0);
  return ok || proposal_add_problem(proposal, "to", "%s", error.text);
}

static bool check_component(rename_job_t *job, error_info_t *error) {
  proposal_t *proposal = job->proposal;
  const manager_o *manager = world_find_manager(job->world, job->name.name);
  (void)error;
  if (!manager && !kind_find_component(proposal, "name", job->name.name))
    return false;
  if (!check_origin(proposal, "component", job->name.name, &manager->schema))
    return false;
  if (strncmp(manager->schema.origin, "behaviours/", 11) == 0)
    job->behaviour = manager->schema.origin;
  job->name.is_system = job->behaviour[0] != '\0';
  return kind_check_name_is_free(proposal, "to", job->new_name, true, job->name.is_system) &&
         check_reserved(proposal, job->new_name, NULL);
}

static bool check_field(rename_job_t *job, error_info_t *error) {
  proposal_t *proposal = job->proposal;
  const lua_name_t *n = &job->name;
  const manager_o *manager = world_find_manager(job->world, n->component);
  char full_path[LUA_ROLE_PATH], current_path[2 * FIELD_NAME_MAX], hint[HINT_BYTES];
  size_t bytes;
  (void)error;
  if (!manager && !kind_find_component(proposal, "name", n->component))
    return false;
  if (!check_origin(proposal, "component", n->component, &manager->schema))
    return false;
  if (!rename_is_field(job->world, n->component, n->path))
    return proposal_add_problem(proposal, "name", "%s has no field %s%s", n->component, n->path,
                                hint_field(&manager->schema, n->path, hint));
  snprintf(full_path, sizeof full_path, "%s", job->parent);
  lua_values_append_name(full_path, sizeof full_path, job->new_name);
  if (rename_is_field(job->world, n->component, full_path))
    return proposal_add_problem(proposal, "to", "%s already has a field %s: choose a different name", n->component,
                                full_path);
  int32_t renamed_field = schema_find_renamed_field(&manager->schema, full_path);
  if (renamed_field >= 0)
    snprintf(current_path, sizeof current_path, "%s.%s", n->component, manager->schema.fields[renamed_field].name);
  const char *text = strncmp(manager->schema.origin, "behaviours/", 11) == 0
                         ? file_changes_read(&proposal->files, manager->schema.origin, &bytes, NULL)
                         : NULL;
  return kind_check_former_name(proposal, "to", full_path, renamed_field >= 0 ? current_path : NULL) &&
         (!text || kind_check_behaviour_field(proposal, "to", text, job->new_name)) &&
         check_reserved(proposal, n->component, job->new_name);
}

static uint32_t find_assemblage(world_o *w, const char *name) {
  uint32_t id = strings_find(world_strings(w), name), assemblage = id ? world_find_assemblage(w, id) : 0;
  return assemblage && !world_assemblage_is_retired(w, assemblage) ? assemblage : 0;
}

static bool check_assemblage(rename_job_t *job, error_info_t *error) {
  char hint[HINT_BYTES];
  (void)error;
  if (!find_assemblage(job->world, job->name.name))
    return proposal_add_problem(job->proposal, "name", "unknown assemblage %.64s%s", job->name.name,
                                hint_assemblage(job->world, job->name.name, hint));
  if (strchr(job->name.name, '.'))
    return proposal_add_problem(job->proposal, "name", "%s belongs to an add-on: rename it there", job->name.name);
  if (strchr(job->name.name, '/'))
    return proposal_add_problem(job->proposal, "name", "%s is a child: rename the child's key in the file",
                                job->name.name);
  if (find_assemblage(job->world, job->new_name))
    return proposal_add_problem(job->proposal, "to", "assemblage %s already exists: choose a different name",
                                job->new_name);
  return kind_check_former_name(job->proposal, "to", job->new_name, former_names_find_text(job->world, job->new_name));
}

static bool check_state(rename_job_t *job, error_info_t *error) {
  world_o *w = job->world;
  uint32_t old_id = strings_find(world_strings(w), job->name.name),
           new_id = strings_find(world_strings(w), job->new_name), count = 0;
  (void)error;
  for (uint32_t i = 1; old_id && i <= world_assemblage_count(w); ++i) {
    if (!world_assemblage_has_state(w, i, old_id) || world_assemblage_is_retired(w, i))
      continue;
    const char *name = strings_text(world_strings(w), world_assemblage_name(w, i));
    ++count;
    if (strchr(name, '.'))
      return proposal_add_problem(job->proposal, "name", "cannot rename the state: %s of an add-on also has it", name);
    if (new_id && world_assemblage_has_state(w, i, new_id))
      return proposal_add_problem(job->proposal, "to", "%s already has a state %s: choose a different name", name,
                                  job->new_name);
    if (!kind_check_former_name(job->proposal, "to", job->new_name,
                                former_names_find_state_text(w, name, job->new_name)))
      return false;
  }
  if (count == 0)
    return proposal_add_problem(job->proposal, "name", "no assemblage has a state %.64s", job->name.name);
  if (strcmp(job->new_name, "initial") == 0 || strcmp(job->new_name, "renamed_from") == 0)
    return proposal_add_problem(job->proposal, "to",
                                "a state cannot be named %s (a reserved key of states): choose a different name",
                                job->new_name);
  return true;
}

static bool check_event(rename_job_t *job, error_info_t *error) {
  const event_o *ev = world_find_event(job->world, job->name.name);
  char hint[HINT_BYTES];
  (void)error;
  if (!ev)
    return proposal_add_problem(job->proposal, "name", "unknown event %.64s%s", job->name.name,
                                hint_event(job->world, job->name.name, hint));
  if (!check_origin(job->proposal, "event", job->name.name, &ev->schema))
    return false;
  if (world_find_event(job->world, job->new_name))
    return proposal_add_problem(job->proposal, "to", "event %s already exists: choose a different name", job->new_name);
  const event_o *renamed = former_names_find_event(job->world, job->new_name);
  return kind_check_former_name(job->proposal, "to", job->new_name, renamed ? renamed->schema.name : NULL);
}

static const struct {
  const char *name;
  lua_name_kind_t kind;
  bool (*check)(rename_job_t *job, error_info_t *error);
} rename_kinds[] = {{"component", LUA_NAME_COMPONENT, check_component},
                    {"behaviour", LUA_NAME_COMPONENT, check_component},
                    {"field", LUA_NAME_FIELD, check_field},
                    {"assemblage", LUA_NAME_ASSEMBLAGE, check_assemblage},
                    {"state", LUA_NAME_STATE, check_state},
                    {"event", LUA_NAME_EVENT, check_event}};

// --- files

static bool belongs_to_game(const char *file) {
  return strncmp(file, "addons/", 7) != 0;
}

// Calls `edit` for each of the game's files that end with `suffix`. Stops at the first failure. Returns true on
// success, or false with an error.
static bool for_each_file(rename_job_t *job, const char *suffix, error_info_t *error,
                          bool (*edit)(rename_job_t *job, const char *file, error_info_t *error)) {
  file_list_t list = {0};
  bool ok = file_list(&job->proposal->cockpit->memory, job->proposal->files.folder, suffix, &list, error);
  for (uint32_t i = 0; ok && i < list.count; ++i)
    if (belongs_to_game(list.paths[i]))
      ok = edit(job, list.paths[i], error);
  file_list_free(&job->proposal->cockpit->memory, &list);
  return ok;
}

static bool check_ambiguity_in_file(rename_job_t *job, const char *file, error_info_t *error) {
  (void)error;
  rename_check_ambiguity(job, file);
  return true;
}

static bool edit_map(rename_job_t *job, const char *file, error_info_t *error) {
  return rename_in_data_file(job, file, true, error);
}

static bool edit_scene(rename_job_t *job, const char *file, error_info_t *error) {
  return strncmp(file, "scenes/", 7) != 0 || rename_in_data_file(job, file, false, error);
}

static bool report_matches(rename_job_t *job, const char *file, error_info_t *error) {
  (void)error;
  if (job->name.kind != LUA_NAME_FIELD)
    rename_report_matches(job, file);
  return true;
}

// Renames the behaviour's file, which is named after the behaviour.
static bool move_behaviour(rename_job_t *job, error_info_t *error) {
  char file[FILE_CHANGES_NAME];
  size_t bytes = 0;
  const char *slash = strrchr(job->behaviour, '/');
  if (!job->behaviour[0])
    return true;
  snprintf(file, sizeof file, "%.*s/%s.lua", (int)(slash - job->behaviour), job->behaviour, job->new_name);
  const char *text = file_changes_read(&job->proposal->files, job->behaviour, &bytes, error);
  return text && file_changes_put(&job->proposal->files, file, text, bytes, error) &&
         file_changes_remove(&job->proposal->files, job->behaviour, error);
}

static bool edit_files(rename_job_t *job, error_info_t *error) {
  host_state_t state;
  if (!for_each_file(job, ".lua", error, check_ambiguity_in_file) ||
      !for_each_file(job, ".lua", error, rename_in_lua_file) || !for_each_file(job, ".json", error, edit_scene) ||
      !for_each_file(job, ".tmj", error, edit_map) || !for_each_file(job, ".c", error, report_matches) ||
      !for_each_file(job, ".ldtk", error, report_matches))
    return false;
  host_get_state(job->proposal->cockpit->host, &state);
  if (job->declaration_count == 0 && state.card->kind == ERROR_CARD_RELOAD)
    return error_set(error, "no file declares %s: " COCKPIT_CORRECT_RELOAD, job->name.name);
  if (job->declaration_count == 0)
    return error_set(error, "the declaration of %s is computed by code: edit the file", job->name.name);
  return move_behaviour(job, error);
}

// --- the proposal

// Splits the path of a field, "look.colors.r", into the component, the path in the component, the record and the last
// name.
static void split_path(rename_job_t *job, const char *path, char *component, size_t bytes) {
  const char *dot = strchr(path, '.'), *last_dot = strrchr(path, '.');
  snprintf(component, bytes, "%.*s", dot ? (int)(dot - path) : (int)strlen(path), path);
  job->name.component = component;
  job->name.path = dot ? dot + 1 : "";
  job->name.name = last_dot ? last_dot + 1 : "";
  snprintf(job->parent, sizeof job->parent, "%.*s", last_dot > dot ? (int)(last_dot - dot - 1) : 0, dot ? dot + 1 : "");
}

static bool read_kind(rename_job_t *job, size_t *out) {
  const char *kind = get_text_member(job->proposal->request, "kind");
  char hint[NEAREST_NAME_MAX_BYTES + 32];
  nearest_name_t nearest;
  nearest_name_init(&nearest, kind);
  for (size_t i = 0; i < sizeof rename_kinds / sizeof *rename_kinds; ++i) {
    *out = i;
    if (strcmp(rename_kinds[i].name, kind) == 0)
      return true;
    nearest_name_offer(&nearest, rename_kinds[i].name);
  }
  return proposal_add_problem(job->proposal, "kind",
                              "the kind must be component, field, assemblage, state, behaviour or event, got "
                              "%.32s%s",
                              kind, nearest_name_hint(&nearest, hint, sizeof hint));
}

static bool check_names(rename_job_t *job, size_t kind, error_info_t *error) {
  if (!job->name.name[0])
    return proposal_add_problem(job->proposal, "name", "the old name is missing: choose what to rename");
  if (!kind_check_name(job->proposal, "to", job->new_name))
    return false;
  if (strcmp(job->name.name, job->new_name) == 0)
    return proposal_add_problem(job->proposal, "to", "the name is already %s: enter a different name", job->new_name);
  return rename_kinds[kind].check(job, error);
}

bool kind_propose_rename(proposal_t *proposal, error_info_t *error) {
  rename_job_t job = {.proposal = proposal,
                      .new_name = get_text_member(proposal->request, "to"),
                      .world = kind_get_world(proposal, error),
                      .behaviour = ""};
  const char *name = get_text_member(proposal->request, "name");
  char component[LUA_ROLE_NAME] = "";
  size_t sort = 0;
  if (!job.world)
    return false;
  snprintf(proposal->title, sizeof proposal->title, "%.64s → %.64s", name, job.new_name);
  if (!read_kind(&job, &sort))
    return true;
  job.name = (lua_name_t){.kind = rename_kinds[sort].kind, .name = name, .component = "", .path = ""};
  if (job.name.kind == LUA_NAME_FIELD)
    split_path(&job, name, component, sizeof component);
  if (!check_names(&job, sort, error))
    return true;
  job.name.is_ambiguous = has_other_meaning(&job);
  bool ok = edit_files(&job, error);
  if (ok && job.unsure_count > MAX_UNSURE) {
    json_write_begin(&proposal->unsure_mentions, '{');
    json_write_pair(&proposal->unsure_mentions, "file", "");
    json_write_integer_pair(&proposal->unsure_mentions, "line", 0);
    json_write_pair(&proposal->unsure_mentions, "text", "… and more places");
    json_write_end(&proposal->unsure_mentions, '}');
  }
  return ok;
}
