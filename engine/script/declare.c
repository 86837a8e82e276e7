// Declarations on their way from Lua to the world: a schema under construction, and a system for the schedule.
#include "script/abi.h"
#include "script/vm.h"

#include <string.h>

#define MAX_NAMES 32

schema_t *declare_schema(world_o *w, const char *name, uint32_t kind, const char *origin) {
  schema_t *s = alloc_resize(world_allocator(w), NULL, 0, sizeof *s);
  schema_init(s, name, (schema_kind_t)kind, origin);
  return s;
}

// Splits "a\nb\n" in place; returns how many there are, `max` at most.
static uint32_t split_lines(char *text, const char **out, uint32_t max) {
  uint32_t count = 0;
  while (*text && count < max) {
    out[count++] = text;
    char *end = strchr(text, '\n');
    if (!end)
      break;
    *end = '\0';
    text = end + 1;
  }
  return count;
}

bool declare_field(world_o *w, schema_t *s, const char *name, field_type_id_t type, double initial, const char *text,
                   const char *choices, error_t *error) {
  field_t *field = schema_add(s, name, (field_type_t)type, initial, error);
  if (!field)
    return false;
  if (text)
    field_set_text(field, world_allocator(w), text);
  if (choices) {
    char copy[8192];
    const char *names[256];
    if (strlen(choices) >= sizeof copy)
      return error_set(error, "the choices of %s are longer than %zu bytes", name, sizeof copy - 1);
    strcpy(copy, choices);
    field_set_choices(field, world_allocator(w), names, split_lines(copy, names, 256));
  }
  return true;
}

void declare_range(schema_t *s, bool has_min, double min, bool has_max, double max) {
  field_t *field = &s->fields[s->field_count - 1];
  field->flags |= (has_min ? FIELD_HAS_MIN : 0u) | (has_max ? FIELD_HAS_MAX : 0u);
  field->min = min;
  field->max = max;
}

static char *copy_text(allocator_t *a, const char *text) {
  size_t bytes = strlen(text) + 1;
  return memcpy(alloc_resize(a, NULL, 0, bytes), text, bytes);
}

void declare_words(world_o *w, schema_t *s, const char *unit, const char *doc) {
  field_t *field = &s->fields[s->field_count - 1];
  if (unit)
    field->unit = copy_text(world_allocator(w), unit);
  if (doc)
    field->doc = copy_text(world_allocator(w), doc);
}

// False when the old name is too long to be one.
bool declare_renamed(schema_t *s, const char *from) {
  field_t *field = &s->fields[s->field_count - 1];
  size_t bytes = strlen(from) + 1;
  if (bytes > sizeof field->renamed_from)
    return false;
  memcpy(field->renamed_from, from, bytes);
  return true;
}

void declare_migrates(schema_t *s) {
  s->migrates = true;
}

void declare_free(world_o *w, schema_t *s) {
  allocator_t *a = world_allocator(w);
  schema_fini(s, a);
  alloc_resize(a, s, sizeof *s, 0);
}

static void run_lua_system(void *context, world_o *w, uint32_t number, float dt_s) {
  (void)w;
  vm_run_system(context, number, dt_s);
}

// `after` and `before` are names, a line each.
bool declare_system(schedule_o *s, vm_o *vm, const char *name, const char *phase, int32_t priority, const char *after,
                    const char *before, uint32_t every, uint32_t number, error_t *error) {
  char after_text[2048], before_text[2048];
  const char *after_names[MAX_NAMES + 1], *before_names[MAX_NAMES + 1];
  if (strlen(after) >= sizeof after_text || strlen(before) >= sizeof before_text)
    return error_set(error, "system %s: `after` or `before` is longer than %zu bytes", name, sizeof after_text - 1);
  strcpy(after_text, after);
  strcpy(before_text, before);
  after_names[split_lines(after_text, after_names, MAX_NAMES)] = NULL;
  before_names[split_lines(before_text, before_names, MAX_NAMES)] = NULL;
  return schedule_add(s,
                      &(system_desc_t){.name = name,
                                       .phase = phase_parse(phase),
                                       .priority = priority,
                                       .after = after_names,
                                       .before = before_names,
                                       .every = every,
                                       .run = run_lua_system,
                                       .context = vm,
                                       .number = number},
                      error);
}
