// Declarations on their way from Lua to the world: a schema, and a system for the schedule.
#include "script/abi.h"
#include "script/vm.h"

#include <string.h>

#define MAX_NAMES 32

// A schema that Lua looks at and hands to the world; declare_free ends it. NULL as schema_build says.
schema_t *declare_build(world_o *w, const schema_desc_t *desc, uint32_t *wrong, error_t *error) {
  allocator_t *a = world_allocator(w);
  schema_t *s = alloc_resize(a, NULL, 0, sizeof *s);
  if (schema_build(s, desc, a, wrong, error))
    return s;
  alloc_resize(a, s, sizeof *s, 0);
  return NULL;
}

void declare_free(world_o *w, schema_t *s) {
  allocator_t *a = world_allocator(w);
  schema_fini(s, a);
  alloc_resize(a, s, sizeof *s, 0);
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

static void run_lua_system(void *context, world_o *w, uint32_t number, float dt_s) {
  (void)w;
  vm_run_system(context, number, dt_s);
}

// `after` and `before` are names, a line each.
bool declare_system(schedule_o *s, vm_o *vm, const char *name, const char *phase, int32_t priority, const char *after,
                    const char *before, uint32_t every, uint32_t number, const char *file, uint32_t line,
                    const char *doc, const char *when, bool off, error_t *error) {
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
                                       .number = number,
                                       .file = file,
                                       .line = line,
                                       .doc = doc,
                                       .when = when,
                                       .off = off},
                      error);
}
