// Proposes to rename a component, a field, an assemblage, a state, a behaviour or an event in all files of the game.
// Adds renamed_from to the declaration, so that the running world, saves and recordings are converted.
#include "cockpit/kind_rename.h"

#include "base/files.h"
#include "base/nearest_name.h"
#include "cockpit/cockpit_state.h"
#include "ecs/assemblage_inspect.h"
#include "ecs/name_hint.h"
#include "schema/schema_build.h"

#include <stdio.h>
#include <string.h>

#define MAX_UNSURE 200u

// --- places that are not changed

void rename_add_unsure_mention(rename_job_t *job, const char *file, const char *text, size_t bytes, size_t at) {
  size_t begin = at, line = 1, length;
  char shown[160];
  for (size_t i = 0; i < at; ++i)
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
  snprintf(shown, sizeof shown, "%.*s", (int)length, text + begin);
  json_write_begin(&job->x->unsure, '{');
  json_write_pair(&job->x->unsure, "file", file);
  json_write_integer_pair(&job->x->unsure, "line", (long long)line);
  json_write_pair(&job->x->unsure, "text", shown);
  json_write_end(&job->x->unsure, '}');
}

static bool is_name_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

void rename_report_matches(rename_job_t *job, const char *file) {
  size_t bytes = 0, length = strlen(job->name.name);
  const char *text = file_changes_read(&job->x->files, file, &bytes, NULL), *at = text;
  while (text && (at = strstr(at, job->name.name)) != NULL) {
    if ((at == text || !is_name_byte(at[-1])) && !is_name_byte(at[length]))
      rename_add_unsure_mention(job, file, text, bytes, (size_t)(at - text));
    at += length;
  }
}

// --- the world's names

bool rename_is_component(void *world, const char *name) {
  return world_find_manager(world, name) != NULL;
}

bool rename_is_field(void *world, const char *component, const char *path) {
  const manager_o *m = world_find_manager(world, component);
  size_t bytes = strlen(path);
  for (uint32_t i = 0; m && i < m->schema.field_count; ++i)
    if (strncmp(m->schema.fields[i].name, path, bytes) == 0 && strchr(".", m->schema.fields[i].name[bytes]))
      return true; // strchr also finds the terminating '\0'
  return false;
}

static bool has_field_part(const schema_t *s, const char *name) {
  size_t bytes = strlen(name);
  for (uint32_t i = 0; i < s->field_count; ++i)
    for (const char *at = s->fields[i].name; *at; at += strcspn(at, ".") + (at[strcspn(at, ".")] == '.'))
      if (strcspn(at, ".") == bytes && strncmp(at, name, bytes) == 0)
        return true;
  return false;
}

// Returns true if another component, field or event has the name, so that a table member with this name may refer to
// it.
static bool has_other_meaning(rename_job_t *job) {
  const char *name = job->name.name;
  bool is_field = job->name.kind == LUA_NAME_FIELD, found = is_field && world_find_manager(job->w, name);
  for (uint32_t id = 1; !found && id <= world_manager_count(job->w); ++id) {
    const schema_t *s = &world_manager(job->w, id)->schema;
    found = !(is_field && strcmp(s->name, job->name.component) == 0) && has_field_part(s, name);
  }
  for (uint32_t id = 1; !found && id <= world_event_count(job->w); ++id)
    found = has_field_part(&world_event(job->w, id)->schema, name);
  return found;
}

// --- checks

// Reports a problem if the declaration is not in a file of the game.
static bool check_origin(proposal_t *x, const char *sort, const char *name, const schema_t *s) {
  bool is_file = s->line > 0 && strstr(s->origin, ".lua");
  if (is_file && strncmp(s->origin, "addons/", 7) != 0 && !strchr(name, '.'))
    return true;
  if (is_file)
    return proposal_add_problem(x, "name", "%s belongs to an add-on (%s): rename it there", name, s->origin);
  return proposal_add_problem(x, "name", "cannot rename %s: the %s is built in or declared by a plugin", name, sort);
}

// Checks the new name of a component or a field against the rules for declarations.
static bool check_reserved(proposal_t *x, const char *component, const char *field) {
  shoal_field f = {.name = field ? field : "value", .type = SHOAL_TYPE_f32};
  const shoal_component c = {.name = component, .fields = &f, .field_count = 1};
  schema_t *s = alloc_resize(&x->c->memory, NULL, 0, sizeof *s);
  error_info_t error;
  bool ok = schema_build(s, &(schema_desc_t){.component = &c, .origin = ""}, &x->c->memory, NULL, &error);
  if (ok)
    schema_fini(s, &x->c->memory);
  alloc_resize(&x->c->memory, s, sizeof *s, 0);
  return ok || proposal_add_problem(x, "to", "%s", error.text);
}

static bool check_component(rename_job_t *job, error_info_t *error) {
  proposal_t *x = job->x;
  const manager_o *m = world_find_manager(job->w, job->name.name);
  (void)error;
  if (!m && !kind_find_component(x, "name", job->name.name))
    return false;
  if (!check_origin(x, "component", job->name.name, &m->schema))
    return false;
  if (strncmp(m->schema.origin, "behaviours/", 11) == 0)
    job->behaviour = m->schema.origin;
  job->name.is_system = job->behaviour[0] != '\0';
  return kind_check_name_is_free(x, "to", job->to, true, job->name.is_system) && check_reserved(x, job->to, NULL);
}

static bool check_field(rename_job_t *job, error_info_t *error) {
  proposal_t *x = job->x;
  const lua_name_t *n = &job->name;
  const manager_o *m = world_find_manager(job->w, n->component);
  char whole[LUA_ROLE_PATH], hint[HINT_BYTES];
  (void)error;
  if (!m && !kind_find_component(x, "name", n->component))
    return false;
  if (!check_origin(x, "component", n->component, &m->schema))
    return false;
  if (!rename_is_field(job->w, n->component, n->path))
    return proposal_add_problem(x, "name", "%s has no field %s%s", n->component, n->path,
                                hint_field(&m->schema, n->path, hint));
  snprintf(whole, sizeof whole, "%s", job->parent);
  lua_values_append_name(whole, sizeof whole, job->to);
  if (rename_is_field(job->w, n->component, whole))
    return proposal_add_problem(x, "to", "%s already has a field %s: choose another name", n->component, whole);
  return check_reserved(x, n->component, job->to);
}

static uint32_t find_assemblage(world_o *w, const char *name) {
  uint32_t id = strings_find(world_strings(w), name), assemblage = id ? world_find_assemblage(w, id) : 0;
  return assemblage && !world_assemblage_is_retired(w, assemblage) ? assemblage : 0;
}

static bool check_assemblage(rename_job_t *job, error_info_t *error) {
  char hint[HINT_BYTES];
  (void)error;
  if (!find_assemblage(job->w, job->name.name))
    return proposal_add_problem(job->x, "name", "unknown assemblage %.64s%s", job->name.name,
                                hint_assemblage(job->w, job->name.name, hint));
  if (strchr(job->name.name, '.'))
    return proposal_add_problem(job->x, "name", "%s belongs to an add-on: rename it there", job->name.name);
  if (strchr(job->name.name, '/'))
    return proposal_add_problem(job->x, "name", "%s is a child: rename the child's key in the file", job->name.name);
  return !find_assemblage(job->w, job->to) ||
         proposal_add_problem(job->x, "to", "assemblage %s already exists: choose another name", job->to);
}

static bool check_state(rename_job_t *job, error_info_t *error) {
  world_o *w = job->w;
  uint32_t from = strings_find(world_strings(w), job->name.name), to = strings_find(world_strings(w), job->to),
           count = 0;
  (void)error;
  for (uint32_t i = 1; from && i <= world_assemblage_count(w); ++i) {
    if (!world_assemblage_has_state(w, i, from) || world_assemblage_is_retired(w, i))
      continue;
    const char *name = strings_text(world_strings(w), world_assemblage_name(w, i));
    ++count;
    if (strchr(name, '.'))
      return proposal_add_problem(job->x, "name", "cannot rename the state: %s of an add-on also has it", name);
    if (to && world_assemblage_has_state(w, i, to))
      return proposal_add_problem(job->x, "to", "%s already has a state %s: choose another name", name, job->to);
  }
  if (count == 0)
    return proposal_add_problem(job->x, "name", "no assemblage has a state %.64s", job->name.name);
  if (strcmp(job->to, "initial") == 0 || strcmp(job->to, "renamed_from") == 0)
    return proposal_add_problem(job->x, "to",
                                "a state cannot be named %s (a reserved key of states): choose another name", job->to);
  return true;
}

static bool check_event(rename_job_t *job, error_info_t *error) {
  const event_o *ev = world_find_event(job->w, job->name.name);
  char hint[HINT_BYTES];
  (void)error;
  if (!ev)
    return proposal_add_problem(job->x, "name", "unknown event %.64s%s", job->name.name,
                                hint_event(job->w, job->name.name, hint));
  if (!check_origin(job->x, "event", job->name.name, &ev->schema))
    return false;
  return !world_find_event(job->w, job->to) ||
         proposal_add_problem(job->x, "to", "event %s already exists: choose another name", job->to);
}

static const struct {
  const char *name;
  lua_name_kind_t kind;
  bool (*check)(rename_job_t *job, error_info_t *error);
} sorts[] = {{"component", LUA_NAME_COMPONENT, check_component},
             {"behaviour", LUA_NAME_COMPONENT, check_component},
             {"field", LUA_NAME_FIELD, check_field},
             {"assemblage", LUA_NAME_ASSEMBLAGE, check_assemblage},
             {"state", LUA_NAME_STATE, check_state},
             {"event", LUA_NAME_EVENT, check_event}};

// --- files

static bool belongs_to_game(const char *file) {
  return strncmp(file, "addons/", 7) != 0;
}

// Calls `edit` for the game's files that end with `suffix`.
static bool for_each_file(rename_job_t *job, const char *suffix, error_info_t *error,
                          bool (*edit)(rename_job_t *job, const char *file, error_info_t *error)) {
  file_list_t list = {0};
  bool ok = file_list(&job->x->c->memory, job->x->files.folder, suffix, &list, error);
  for (uint32_t i = 0; ok && i < list.count; ++i)
    if (belongs_to_game(list.paths[i]))
      ok = edit(job, list.paths[i], error);
  file_list_free(&job->x->c->memory, &list);
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
  snprintf(file, sizeof file, "%.*s/%s.lua", (int)(slash - job->behaviour), job->behaviour, job->to);
  const char *text = file_changes_read(&job->x->files, job->behaviour, &bytes, error);
  return text && file_changes_put(&job->x->files, file, text, bytes, error) &&
         file_changes_remove(&job->x->files, job->behaviour, error);
}

static bool edit_files(rename_job_t *job, error_info_t *error) {
  if (!for_each_file(job, ".lua", error, check_ambiguity_in_file) ||
      !for_each_file(job, ".lua", error, rename_in_lua_file) || !for_each_file(job, ".json", error, edit_scene) ||
      !for_each_file(job, ".tmj", error, edit_map) || !for_each_file(job, ".c", error, report_matches) ||
      !for_each_file(job, ".ldtk", error, report_matches) || !move_behaviour(job, error))
    return false;
  if (job->declaration_count == 0)
    return error_set(error, "the declaration of %s is computed by code: edit the file", job->name.name);
  return true;
}

// --- the proposal

// Splits the path of a field, "look.colors.r", into the component, the path in the component, the record and the last
// name.
static void split_path(rename_job_t *job, const char *path, char *component, size_t bytes) {
  const char *dot = strchr(path, '.'), *last = strrchr(path, '.');
  snprintf(component, bytes, "%.*s", dot ? (int)(dot - path) : (int)strlen(path), path);
  job->name.component = component;
  job->name.path = dot ? dot + 1 : "";
  job->name.name = last ? last + 1 : "";
  snprintf(job->parent, sizeof job->parent, "%.*s", last > dot ? (int)(last - dot - 1) : 0, dot ? dot + 1 : "");
}

static bool read_kind(rename_job_t *job, size_t *out) {
  const char *sort = text_member(job->x->request, "kind");
  char hint[SIMILAR_MAX + 32];
  nearest_name_t nearest;
  nearest_name_init(&nearest, sort);
  for (size_t i = 0; i < sizeof sorts / sizeof *sorts; ++i) {
    *out = i;
    if (strcmp(sorts[i].name, sort) == 0)
      return true;
    nearest_name_offer(&nearest, sorts[i].name);
  }
  return proposal_add_problem(job->x, "kind",
                              "the kind must be component, field, assemblage, state, behaviour or event, got "
                              "%.32s%s",
                              sort, nearest_name_hint(&nearest, hint, sizeof hint));
}

static bool check_names(rename_job_t *job, size_t sort, error_info_t *error) {
  if (!job->name.name[0])
    return proposal_add_problem(job->x, "name", "the old name is missing: choose what to rename");
  if (!kind_check_name(job->x, "to", job->to))
    return false;
  if (strcmp(job->name.name, job->to) == 0)
    return proposal_add_problem(job->x, "to", "the name is already %s: enter another name", job->to);
  return sorts[sort].check(job, error);
}

bool kind_propose_rename(proposal_t *x, error_info_t *error) {
  rename_job_t job = {.x = x, .to = text_member(x->request, "to"), .w = kind_world(x, error), .behaviour = ""};
  const char *name = text_member(x->request, "name");
  char component[LUA_ROLE_NAME] = "";
  size_t sort = 0;
  if (!job.w)
    return false;
  snprintf(x->title, sizeof x->title, "%.64s → %.64s", name, job.to);
  if (!read_kind(&job, &sort))
    return true;
  job.name = (lua_name_t){.kind = sorts[sort].kind, .name = name, .component = "", .path = ""};
  if (job.name.kind == LUA_NAME_FIELD)
    split_path(&job, name, component, sizeof component);
  if (!check_names(&job, sort, error))
    return true;
  job.name.is_ambiguous = has_other_meaning(&job);
  bool ok = edit_files(&job, error);
  if (ok && job.unsure_count > MAX_UNSURE) {
    json_write_begin(&x->unsure, '{');
    json_write_pair(&x->unsure, "file", "");
    json_write_integer_pair(&x->unsure, "line", 0);
    json_write_pair(&x->unsure, "text", "… and more places");
    json_write_end(&x->unsure, '}');
  }
  return ok;
}
