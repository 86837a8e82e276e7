// Former names of events, assemblages and states, stored as texts: string ids change when a state is installed.
#include "content/former_names.h"

#include "base/assert.h"
#include "content/content_internal.h"

#include <stdio.h>
#include <string.h>

// --- declarations

// Adds "ASSEMBLAGE\0FROM\0TO". `assemblage`: name of the renamed state's assemblage; "" for other kinds.
static void add_former_name(world_o *w, former_name_kind_t kind, const char *assemblage, const char *from,
                            const char *to) {
  const char *texts[] = {assemblage, from, to};
  size_t bytes = strlen(assemblage) + strlen(from) + strlen(to) + 3;
  former_name_t x = {.kind = kind, .bytes = bytes, .text = alloc_resize(&w->allocator, NULL, 0, bytes)};
  char *at = x.text;
  shoal_assert(from[0] && to[0], "a former name of %s is empty", assemblage);
  for (size_t i = 0; i < 3; ++i) {
    memcpy(at, texts[i], strlen(texts[i]) + 1);
    at += strlen(texts[i]) + 1;
  }
  array_push(&w->allocator, &content_get(w)->former_names, x);
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
  content_o *c = content_get(w);
  for (uint32_t i = 0; i < c->former_names.count; ++i)
    alloc_resize(&w->allocator, c->former_names.items[i].text, c->former_names.items[i].bytes, 0);
  c->former_names.count = 0;
}

const former_name_t *former_names_get(const world_o *w, uint32_t i) {
  const content_o *c = content_read(w);
  return i < c->former_names.count ? &c->former_names.items[i] : NULL;
}

// --- lookups

// A former name as string ids. An id is 0 if the world's string table lacks the text.
typedef struct ids_t {
  uint32_t assemblage, from, to;
} ids_t;

static ids_t find_ids(const world_o *w, uint32_t i) {
  const char *assemblage = content_read(w)->former_names.items[i].text, *from = assemblage + strlen(assemblage) + 1,
             *to = from + strlen(from) + 1;
  return (ids_t){assemblage[0] ? strings_find(w->strings, assemblage) : 0, strings_find(w->strings, from),
                 strings_find(w->strings, to)};
}

// Returns the ids of a former name of this kind; zeros for another kind.
static ids_t find_ids_of_kind(const world_o *w, uint32_t i, former_name_kind_t kind) {
  return content_read(w)->former_names.items[i].kind == kind ? find_ids(w, i) : (ids_t){0};
}

static bool is_former_assemblage(world_o *w, const ids_t *x) {
  return x->from != 0 && x->to != 0 && world_find_assemblage(w, x->from) == 0;
}

static bool is_former_state(world_o *w, const ids_t *x) {
  uint32_t number = x->assemblage ? world_find_assemblage(w, x->assemblage) : 0;
  return x->from != 0 && x->to != 0 && number != 0 && !world_assemblage_has_state(w, number, x->from);
}

uint32_t former_names_find_current(world_o *w, uint32_t name) {
  for (uint32_t i = 0; name != 0 && i < content_read(w)->former_names.count; ++i) {
    ids_t x = find_ids_of_kind(w, i, FORMER_ASSEMBLAGE);
    if (x.from == name && is_former_assemblage(w, &x))
      return x.to;
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
    const former_name_t *x = &content_read(w)->former_names.items[i];
    const char *from = x->text + strlen(x->text) + 1;
    if (x->kind == FORMER_STATE && strcmp(x->text, assemblage) == 0 && strcmp(from, state) == 0)
      return from + strlen(from) + 1;
  }
  return NULL;
}

bool former_names_get_field(const world_o *w, const char *component, uint32_t i, former_field_t *out) {
  for (uint32_t k = 0; k < w->renames.count; ++k) {
    const rename_t *x = &w->renames.items[k];
    if (strcmp(x->from, component) != 0 || i-- > 0)
      continue;
    *out = (former_field_t){.manager = x->manager, .column = x->column, .field = x->field};
    return true;
  }
  return false;
}

event_o *former_names_find_event(world_o *w, const char *name) {
  event_o *found = world_find_event(w, name);
  const char *current = found ? NULL : find_text(w, FORMER_EVENT, name);
  return current ? world_find_event(w, current) : found;
}

uint32_t former_names_find_assemblage(world_o *from, world_o *w, uint32_t name) {
  uint32_t found = world_find_assemblage(from, name);
  for (uint32_t i = 0; found == 0 && i < content_read(w)->former_names.count; ++i) {
    ids_t x = find_ids_of_kind(w, i, FORMER_ASSEMBLAGE);
    if (x.to == name && is_former_assemblage(w, &x))
      found = world_find_assemblage(from, x.from);
  }
  return found;
}

uint32_t former_names_find_state(world_o *from, uint32_t number, world_o *w, uint32_t assemblage, uint32_t state) {
  bool known = number == 0 || world_assemblage_has_state(from, number, state);
  for (uint32_t i = 0; !known && state != 0 && i < content_read(w)->former_names.count; ++i) {
    ids_t x = find_ids_of_kind(w, i, FORMER_STATE);
    if (x.assemblage == assemblage && x.to == state && is_former_state(w, &x) &&
        world_assemblage_has_state(from, number, x.from))
      return x.from;
  }
  return state;
}

bool former_names_find_path(world_o *w, const char *path, char *out, size_t bytes) {
  const char *field = "";
  const manager_o *m = world_find_manager_by_path(w, path, &field);
  int32_t column = m ? schema_find_renamed_field(&m->schema, field) : -1;
  for (uint32_t i = 0; column < 0 && i < w->renames.count; ++i) {
    const rename_t *x = &w->renames.items[i];
    size_t length = strlen(x->from);
    if (strncmp(path, x->from, length) != 0 || path[length] != '.' || strcmp(path + length + 1, x->field) != 0)
      continue;
    m = world_manager(w, x->manager);
    column = (int32_t)x->column;
  }
  if (!m || column < 0)
    return false;
  snprintf(out, bytes, "%s.%s", m->schema.name, m->schema.fields[column].name);
  return true;
}

// --- entities

void former_names_update_entities(world_o *w) {
  entities_t *s = &w->entities;
  for (uint32_t i = 0; i < content_read(w)->former_names.count; ++i) {
    ids_t x = find_ids_of_kind(w, i, FORMER_ASSEMBLAGE);
    for (uint32_t k = 1; is_former_assemblage(w, &x) && k < s->used; ++k)
      if (s->assemblage[k] == x.from)
        s->assemblage[k] = x.to;
  }
  for (uint32_t i = 0; i < content_read(w)->former_names.count; ++i) {
    ids_t x = find_ids_of_kind(w, i, FORMER_STATE);
    bool former = is_former_state(w, &x);
    for (uint32_t k = 1; former && k < s->used; ++k)
      if (s->assemblage[k] == x.assemblage && s->state[k] == x.from)
        s->state[k] = x.to;
  }
}

// Returns the instance in "kept:NAME" after the state's rename: "calm" for "idle", "calm/left" for "idle/left".
static uint32_t rename_instance(world_o *w, const ids_t *x, uint32_t instance) {
  char name[256];
  const char *text = strings_text(w->strings, instance), *from = strings_text(w->strings, x->from);
  size_t bytes = strlen(from);
  if (instance == x->from)
    return x->to;
  if (strncmp(text, from, bytes) != 0 || text[bytes] != '/')
    return instance;
  snprintf(name, sizeof name, "%.120s%.120s", strings_text(w->strings, x->to), text + bytes);
  return strings_intern(w->strings, name);
}

void former_names_update_retained(world_o *w) {
  for (uint32_t i = 0; i < content_read(w)->former_names.count; ++i) {
    ids_t x = find_ids_of_kind(w, i, FORMER_STATE);
    bool former = is_former_state(w, &x);
    for (uint32_t id = 1; former && id <= w->managers.count; ++id) {
      manager_o *m = world_manager(w, id);
      bool keeps = strncmp(m->schema.name, "kept:", 5) == 0 && m->schema.kind == SCHEMA_MANY;
      for (uint32_t row = 0; keeps && row < m->count; ++row)
        if (w->entities.assemblage[shoal_entity_index(m->owner[row])] == x.assemblage)
          m->instance[row] = rename_instance(w, &x, m->instance[row]);
    }
  }
}
