// Tries plugins in a forked child, because loading a library and calling `create` and `open` may crash and cannot be
// undone. The child opens all plugins and reports its progress. A library that killed the child is not opened
// (design/0013).
#include "plugin/probe.h"

#include "base/assert.h"
#include "process/child.h"
#include "process/signals.h"
#include "plugin/open.h"

#include <stdio.h>
#include <string.h>

enum { PROBE_TIMEOUT_MS = 10000 };

typedef struct probe_t {
  plugins_o *plugins;
  const char *const *names;
  uint32_t count;
} probe_t;

static void open_plugins(void *context, int fd) {
  const probe_t *probe = context;
  probe->plugins->quiet = probe->plugins->desc.forked = true;
  probe->plugins->progress = fd;
  plugin_open_all(probe->plugins, probe->names, probe->count);
  child_write(fd, &(open_progress_t){.done = 1}, sizeof(open_progress_t));
}

static void reject_library(plugins_o *plugins, const child_t *child, uint64_t hash) {
  rejected_library_t rejected = {.hash = hash};
  int signal_number = 0;
  if (child->late)
    snprintf(rejected.reason, sizeof rejected.reason,
             "loading took more than %d s: look for an endless loop in the constructors of the library",
             PROBE_TIMEOUT_MS / 1000);
  else if (child_has_crashed(child, &signal_number))
    snprintf(rejected.reason, sizeof rejected.reason, "the library crashed while loading: %s (%s)%s%.400s",
             signals_description(signal_number), signals_name(signal_number), child->crash_location[0] ? " in " : "",
             child->crash_location);
  else
    snprintf(rejected.reason, sizeof rejected.reason,
             "the library exited the process while loading (exit code %d): do not call exit() in constructors",
             child_exit_code(child));
  array_push(&plugins->memory, &plugins->rejected, rejected);
}

bool plugin_probe_libraries(plugins_o *plugins, const char *const *names, uint32_t count) {
  shoal_assert(!plugins->quiet, "a probe cannot start another probe");
  probe_t probe = {.plugins = plugins, .names = names, .count = count};
  open_progress_t last = {0};
  child_t child;
  if (!child_begin(&child, PROBE_TIMEOUT_MS, open_plugins, &probe))
    return false; // the process cannot be forked: skip the trial
  for (open_progress_t progress; !last.done && child_read(&child, &progress, sizeof progress);) {
    last = progress;
    if (progress.rejected.hash != 0)
      array_push(&plugins->memory, &plugins->rejected, progress.rejected);
  }
  child_end(&child);
  if (last.done || last.hash == 0)
    return false;
  reject_library(plugins, &child, last.hash);
  return true;
}
