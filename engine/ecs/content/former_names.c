// Former names of events, assemblages and states, stored as text, because string ids change when a state is installed.
#include "content/former_names.h"

#include "base/assert.h"
#include "content/content_internal.h"

#include <stdio.h>
#include <string.h>

// --- declarations

// Adds "ASSEMBLAGE\0FROM\0TO". `assemblage`: name of the renamed state's assemblage; "" for other kinds.
static void add_former_name(world_o *w, former_name_kind_t kind, const char *assemblage, const char *from,
                            const char *to) {
  const char *parts[] = {assemblage, from, to};
  size_t bytes = strlen(assemblage) + strlen(from) + strlen(to) + 3;
  former_name_t former_name = {.kind = kind, .bytes = bytes, .text = alloc_resize(&w->allocator, NULL, 0, bytes)};
  char *cursor = former_name.text;
  shoal_assert(from[0] && to[0], "a former name of %s is empty", assemblage);
  for (size_t i = 0; i < 3; ++i) {
    memcpy(cursor, parts[i], strlen(parts[i]) + 1);
    cursor += strlen(parts[i]) + 1;
  }
  array_push(&w->allocator, &content_get(w)->former_names, former_name);
}

void world_declare_renamed_assemblage(world_o *w, const char *from, const char *to) {
  add_former_name(w, FORMER_ASSEMBLAGE, "", from, to);
}

void world_declare_renamed_state(world_o *w, const char *assemblage, const char *from, const char *to) {
  shoal_assert(assemblage[0], "the assemblage of state %s has no name", to);
  add_former_name(w, FORMER_STATE, assemblage, from, to);
}

void world_declare_renamed_event(world_o *w, const char *from, const char *to) {
  add_former_name(w, FORMER_EVENT, "", from, to);
}

void former_names_clear(world_o *w) {
  former_names_cut(w, 0);
}

uint32_t former_names_count(const world_o *w) {
  return content_read(w)->former_names.count;
}

void former_names_cut(world_o *w, uint32_t count) {
  content_o *content = content_get(w);
  for (uint32_t i = count; i < content->former_names.count; ++i)
    alloc_resize(&w->allocator, content->former_names.items[i].text, content->former_names.items[i].bytes, 0);
  if (content->former_names.count > count)
    content->former_names.count = count;
}

const former_name_t *former_names_get(const world_o *w, uint32_t i) {
  const content_o *content = content_read(w);
  return i < content->former_names.count ? &content->former_names.items[i] : NULL;
}

// --- lookups

// A former name as string ids. An id is 0 if the world's string table lacks the text.
typedef struct former_name_ids_t {
  uint32_t assemblage, old_name, new_name;
} former_name_ids_t;

static former_name_ids_t find_ids(const world_o *w, uint32_t i) {
  const char *assemblage = content_read(w)->former_names.items[i].text, *from = assemblage + strlen(assemblage) + 1,
             *to = from + strlen(from) + 1;
  return (former_name_ids_t){assemblage[0] ? strings_find(w->strings, assemblage) : 0, strings_find(w->strings, from),
                             strings_find(w->strings, to)};
}

// Returns the ids of former name `i` if it has this kind, or zeros if it has a different kind.
static former_name_ids_t find_ids_of_kind(const world_o *w, uint32_t i, former_name_kind_t kind) {
  return content_read(w)->former_names.items[i].kind == kind ? find_ids(w, i) : (former_name_ids_t){0};
}

static bool is_former_assemblage(world_o *w, const former_name_ids_t *ids) {
  return ids->old_name != 0 && ids->new_name != 0 && world_find_assemblage(w, ids->old_name) == 0;
}

static bool is_former_state(world_o *w, const former_name_ids_t *ids) {
  uint32_t number = ids->assemblage ? world_find_assemblage(w, ids->assemblage) : 0;
  return ids->old_name != 0 && ids->new_name != 0 && number != 0 &&
         !world_assemblage_has_state(w, number, ids->old_name);
}

uint32_t former_names_find_current(world_o *w, uint32_t name) {
  for (uint32_t i = 0; name != 0 && i < content_read(w)->former_names.count; ++i) {
    former_name_ids_t ids = find_ids_of_kind(w, i, FORMER_ASSEMBLAGE);
    if (ids.old_name == name && is_former_assemblage(w, &ids))
      return ids.new_name;
  }
  return name;
}

static const char *find_text(const world_o *w, former_name_kind_t kind, const char *name) {
  for (uint32_t i = 0; i < content_read(w)->former_names.count; ++i) {
    const char *from = content_read(w)->former_names.items[i].text + 1;
    if (content_read(w)->former_names.items[i].kind == kind && strcmp(from, name) == 0)
      return from + strlen(from) + 1;
  }
  return NULL;
}

const char *former_names_find_text(const world_o *w, const char *name) {
  return find_text(w, FORMER_ASSEMBLAGE, name);
}

const char *former_names_find_state_text(const world_o *w, const char *assemblage, const char *state) {
  for (uint32_t i = 0; i < content_read(w)->former_names.count; ++i) {
    const former_name_t *former_name = &content_read(w)->former_names.items[i];
    const char *from = former_name->text + strlen(former_name->text) + 1;
    if (former_name->kind == FORMER_STATE && strcmp(former_name->text, assemblage) == 0 && strcmp(from, state) == 0)
      return from + strlen(from) + 1;
  }
  return NULL;
}

bool former_names_get_field(const world_o *w, const char *component, uint32_t i, former_field_t *out) {
  for (uint32_t k = 0; k < w->renames.count; ++k) {
    const rename_t *renaming = &w->renames.items[k];
    if (strcmp(renaming->from, component) != 0 || i-- > 0)
      continue;
    *out = (former_field_t){.manager = renaming->manager, .column = renaming->column, .field = renaming->field};
    return true;
  }
  return false;
}

event_o *former_names_find_event(world_o *w, const char *name) {
  event_o *event = world_find_event(w, name);
  const char *current = event ? NULL : find_text(w, FORMER_EVENT, name);
  return current ? world_find_event(w, current) : event;
}

uint32_t former_names_find_assemblage(world_o *old_world, world_o *w, uint32_t name) {
  uint32_t number = world_find_assemblage(old_world, name);
  for (uint32_t i = 0; number == 0 && i < content_read(w)->former_names.count; ++i) {
    former_name_ids_t ids = find_ids_of_kind(w, i, FORMER_ASSEMBLAGE);
    if (ids.new_name == name && is_former_assemblage(w, &ids))
      number = world_find_assemblage(old_world, ids.old_name);
  }
  return number;
}

uint32_t former_names_find_state(world_o *old_world, uint32_t old_number, world_o *w, uint32_t assemblage,
                                 uint32_t state) {
  bool is_current = old_number == 0 || world_assemblage_has_state(old_world, old_number, state);
  for (uint32_t i = 0; !is_current && state != 0 && i < content_read(w)->former_names.count; ++i) {
    former_name_ids_t ids = find_ids_of_kind(w, i, FORMER_STATE);
    if (ids.assemblage == assemblage && ids.new_name == state && is_former_state(w, &ids) &&
        world_assemblage_has_state(old_world, old_number, ids.old_name))
      return ids.old_name;
  }
  return state;
}

bool former_names_find_path(world_o *w, const char *path, char *out, size_t bytes) {
  const char *field = "";
  const manager_o *m = world_find_manager_by_path(w, path, &field);
  int32_t column = m ? schema_find_renamed_field(&m->schema, field) : -1;
  for (uint32_t i = 0; column < 0 && i < w->renames.count; ++i) {
    const rename_t *renaming = &w->renames.items[i];
    size_t length = strlen(renaming->from);
    if (strncmp(path, renaming->from, length) != 0 || path[length] != '.' ||
        strcmp(path + length + 1, renaming->field) != 0)
      continue;
    m = world_manager(w, renaming->manager);
    column = (int32_t)renaming->column;
  }
  if (!m || column < 0)
    return false;
  snprintf(out, bytes, "%s.%s", m->schema.name, m->schema.fields[column].name);
  return true;
}

// --- entities

void former_names_update_entities(world_o *w) {
  entities_t *entities = &w->entities;
  for (uint32_t i = 0; i < content_read(w)->former_names.count; ++i) {
    former_name_ids_t ids = find_ids_of_kind(w, i, FORMER_ASSEMBLAGE);
    for (uint32_t k = 1; is_former_assemblage(w, &ids) && k < entities->used; ++k)
      if (entities->assemblage[k] == ids.old_name)
        entities->assemblage[k] = ids.new_name;
  }
  for (uint32_t i = 0; i < content_read(w)->former_names.count; ++i) {
    former_name_ids_t ids = find_ids_of_kind(w, i, FORMER_STATE);
    bool is_former = is_former_state(w, &ids);
    for (uint32_t k = 1; is_former && k < entities->used; ++k)
      if (entities->assemblage[k] == ids.assemblage && entities->state[k] == ids.old_name)
        entities->state[k] = ids.new_name;
  }
}

// Returns the instance in "kept:NAME" after the state's rename: "calm" for "idle", "calm/left" for "idle/left".
static uint32_t rename_instance(world_o *w, const former_name_ids_t *ids, uint32_t instance) {
  char name[256];
  const char *text = strings_text(w->strings, instance), *from = strings_text(w->strings, ids->old_name);
  size_t bytes = strlen(from);
  if (instance == ids->old_name)
    return ids->new_name;
  if (strncmp(text, from, bytes) != 0 || text[bytes] != '/')
    return instance;
  snprintf(name, sizeof name, "%.120s%.120s", strings_text(w->strings, ids->new_name), text + bytes);
  return strings_intern(w->strings, name);
}

void former_names_update_retained(world_o *w) {
  for (uint32_t i = 0; i < content_read(w)->former_names.count; ++i) {
    former_name_ids_t ids = find_ids_of_kind(w, i, FORMER_STATE);
    bool is_former = is_former_state(w, &ids);
    for (uint32_t id = 1; is_former && id <= w->managers.count; ++id) {
      manager_o *m = world_manager(w, id);
      bool is_retained = strncmp(m->schema.name, "kept:", 5) == 0 && m->schema.kind == SCHEMA_MANY;
      for (uint32_t row = 0; is_retained && row < m->count; ++row)
        if (w->entities.assemblage[shoal_entity_index(m->owner[row])] == ids.assemblage)
          m->instance[row] = rename_instance(w, &ids, m->instance[row]);
    }
  }
}
