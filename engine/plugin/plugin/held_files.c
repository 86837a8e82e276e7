// Open files and sockets that the host holds for plugins. A new instance gets duplicates of the previous instance's
// descriptors, so each can close its descriptors without affecting the other.
#include "plugin/held_files.h"

#include "base/assert.h"
#include "plugin/report.h"
#include "plugin/plugin.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MAX_HELD 64u

static held_file_t *find_held_file(plugin_t *x, const char *name) {
  for (uint32_t i = 0; x && i < x->held.count; ++i)
    if (strcmp(x->held.items[i].name, name) == 0)
      return &x->held.items[i];
  return NULL;
}

static bool add_held_file(plugin_t *x, const char *name, int file) {
  held_file_t held = {.file = file};
  shoal_assert(file >= 0 && strlen(name) < sizeof held.name, "invalid file %d, or too long name %s", file, name);
  snprintf(held.name, sizeof held.name, "%s", name);
  array_push(&x->plugins->memory, &x->held, held);
  return true;
}

bool plugin_hold_file(plugin_t *x, const char *name, int file) {
  if (!name || !name[0] || strlen(name) >= sizeof x->held.items->name) {
    plugin_warn_once(x, "shoal_store_fd: `name` must have 1 to 63 bytes");
    return false;
  }
  if (fcntl(file, F_GETFD) < 0) {
    plugin_warn_once(x, "shoal_store_fd: `file` must be an open file");
    return false;
  }
  held_file_t *there = find_held_file(x, name);
  if (!there && x->held.count == MAX_HELD) {
    plugin_warn_once(x, "shoal_store_fd: too many files (at most 64): close one with shoal_close_fd");
    return false;
  }
  fcntl(file, F_SETFD, FD_CLOEXEC); // child processes of the game must not inherit the descriptor
  if (!there)
    return add_held_file(x, name, file);
  if (there->file != file)
    close(there->file);
  there->file = file;
  return true;
}

int plugin_get_held_file(plugin_t *x, const char *name) {
  const held_file_t *there = find_held_file(x, name),
                    *before = x->opening ? find_held_file(plugin_previous_instance(x), name) : NULL;
  if (there || !before)
    return there ? there->file : -1;
  int file = fcntl(before->file, F_DUPFD_CLOEXEC, 0);
  return file >= 0 && add_held_file(x, name, file) ? file : -1;
}

void plugin_close_held_file(plugin_t *x, const char *name) {
  held_file_t *there = find_held_file(x, name);
  if (!there)
    return;
  close(there->file);
  *there = x->held.items[--x->held.count];
}

void plugin_close_held_files(plugin_t *x) {
  for (uint32_t i = 0; i < x->held.count; ++i)
    close(x->held.items[i].file);
  array_free(&x->plugins->memory, &x->held);
}
