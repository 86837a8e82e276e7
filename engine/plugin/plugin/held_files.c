// Open files and sockets that the host holds for plugins. A new instance gets duplicates of the previous instance's
// descriptors, so each can close its descriptors without affecting the other.
#include "plugin/held_files.h"

#include "base/assert.h"
#include "base/file_system.h"
#include "plugin/report.h"
#include "plugin/plugin.h"

#include <stdio.h>
#include <string.h>

#define MAX_HELD_FILES 64u

static held_file_t *find_held_file(plugin_t *plugin, const char *name) {
  for (uint32_t i = 0; plugin && i < plugin->held_files.count; ++i)
    if (strcmp(plugin->held_files.items[i].name, name) == 0)
      return &plugin->held_files.items[i];
  return NULL;
}

static bool add_held_file(plugin_t *plugin, const char *name, int fd) {
  held_file_t held_file = {.fd = fd};
  shoal_assert(fd >= 0 && strlen(name) < sizeof held_file.name, "invalid file %d, or too long name %s", fd, name);
  snprintf(held_file.name, sizeof held_file.name, "%s", name);
  array_push(&plugin->plugins->memory, &plugin->held_files, held_file);
  return true;
}

bool plugin_hold_file(plugin_t *plugin, const char *name, int fd) {
  if (!name || !name[0] || strlen(name) >= sizeof plugin->held_files.items->name) {
    plugin_warn_once(plugin, "shoal_store_fd: `name` must have 1 to 63 bytes");
    return false;
  }
  if (!file_system_is_open(fd)) {
    plugin_warn_once(plugin, "shoal_store_fd: `file` must be an open file");
    return false;
  }
  held_file_t *existing = find_held_file(plugin, name);
  if (!existing && plugin->held_files.count == MAX_HELD_FILES) {
    plugin_warn_once(plugin, "shoal_store_fd: too many files (at most 64): close one with shoal_close_fd");
    return false;
  }
  file_system_disable_inheritance(fd);
  if (!existing)
    return add_held_file(plugin, name, fd);
  if (existing->fd != fd)
    file_system_close(existing->fd);
  existing->fd = fd;
  return true;
}

int plugin_get_held_file(plugin_t *plugin, const char *name) {
  const held_file_t *existing = find_held_file(plugin, name),
                    *previous = plugin->opening ? find_held_file(plugin_previous_instance(plugin), name) : NULL;
  if (existing || !previous)
    return existing ? existing->fd : -1;
  int copy = file_system_duplicate(previous->fd);
  return copy >= 0 && add_held_file(plugin, name, copy) ? copy : -1;
}

void plugin_close_held_file(plugin_t *plugin, const char *name) {
  held_file_t *existing = find_held_file(plugin, name);
  if (!existing)
    return;
  file_system_close(existing->fd);
  *existing = plugin->held_files.items[--plugin->held_files.count];
}

void plugin_close_held_files(plugin_t *plugin) {
  for (uint32_t i = 0; i < plugin->held_files.count; ++i)
    file_system_close(plugin->held_files.items[i].fd);
  array_free(&plugin->plugins->memory, &plugin->held_files);
}
