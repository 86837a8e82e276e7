// Tries plugins in a forked child, because loading a library and calling `create` and `open` may crash and cannot be
// undone. The child opens all plugins and reports its progress. A library that killed the child is not opened
// (design/0013).
#include "plugin/probe.h"

#include "base/assert.h"
#include "process/child.h"
#include "plugin/open.h"

#include <stdio.h>
#include <string.h>

enum { PROBE_LIMIT_MS = 10000 };

typedef struct probe_t {
  plugins_o *plugins;
  const char *const *names;
  uint32_t count;
} probe_t;

static void open_plugins(void *context, int to) {
  const probe_t *probe = context;
  probe->plugins->quiet = probe->plugins->desc.copied = true;
  probe->plugins->progress = to;
  plugin_open_all(probe->plugins, probe->names, probe->count);
  child_write(to, &(open_progress_t){.done = 1}, sizeof(open_progress_t));
}

static void reject_library(plugins_o *p, const child_t *child, uint64_t hash) {
  refused_library_t x = {.hash = hash};
  int number = 0;
  if (child->late)
    snprintf(x.why, sizeof x.why,
             "loading took more than %d s: look for an endless loop in the constructors of the library",
             PROBE_LIMIT_MS / 1000);
  else if (child_has_crashed(child, &number))
    snprintf(x.why, sizeof x.why, "the library crashed while loading: %s (signal %d)%s%.400s", strsignal(number),
             number, child->where[0] ? " in " : "", child->where);
  else
    snprintf(x.why, sizeof x.why,
             "the library exited the process while loading (exit code %d): do not call exit() in constructors",
             child_exit_code(child));
  array_push(&p->memory, &p->refused, x);
}

bool plugin_probe_libraries(plugins_o *p, const char *const *names, uint32_t count) {
  shoal_assert(!p->quiet, "a probe cannot start another probe");
  probe_t probe = {.plugins = p, .names = names, .count = count};
  open_progress_t last = {0};
  child_t child;
  if (!child_begin(&child, PROBE_LIMIT_MS, open_plugins, &probe))
    return false; // the process cannot be forked: skip the trial
  for (open_progress_t line; !last.done && child_read(&child, &line, sizeof line);) {
    last = line;
    if (line.refused.hash != 0)
      array_push(&p->memory, &p->refused, line.refused);
  }
  child_end(&child);
  if (last.done || last.hash == 0)
    return false;
  reject_library(p, &child, last.hash);
  return true;
}
