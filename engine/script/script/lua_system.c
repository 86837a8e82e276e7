// Declares a Lua system in a schedule.
#include "script/lua_system.h"

#include "script/system_faults.h"

#include <string.h>

#define MAX_NAMES 32

// Splits "a\nb\n" in place. Returns the number of parts, at most `max`.
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

bool declare_system(schedule_o *schedule, vm_o *vm, const char *name, const char *phase, int32_t priority,
                    const char *after, const char *before, uint32_t every, uint32_t number, const char *file,
                    uint32_t line, const char *doc, const char *when, bool disabled, error_info_t *error) {
  char after_text[2048], before_text[2048];
  const char *after_names[MAX_NAMES + 1], *before_names[MAX_NAMES + 1];
  if (strlen(after) >= sizeof after_text || strlen(before) >= sizeof before_text)
    return error_set(error, "system %s: the names in `after` or `before` are too long (at most %zu bytes in total)",
                     name, sizeof after_text - 1);
  strcpy(after_text, after);
  strcpy(before_text, before);
  after_names[split_lines(after_text, after_names, MAX_NAMES)] = NULL;
  before_names[split_lines(before_text, before_names, MAX_NAMES)] = NULL;
  return schedule_add_system(schedule,
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
                                              .off = disabled},
                             error);
}
