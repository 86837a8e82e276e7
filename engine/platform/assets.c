#include "platform/assets.h"

#include "base/files.h"

#include <stdio.h>
#include <string.h>

// Names come from scripts and data: they must not lead out of the two folders.
static bool name_is_safe(const char *name) {
  if (name[0] == '\0' || name[0] == '/' || name[0] == '\\' || (name[0] != '\0' && name[1] == ':'))
    return false;
  for (const char *part = name; part; part = strpbrk(part, "/\\")) {
    part += *part == '/' || *part == '\\';
    if (part[0] == '.' && part[1] == '.' && (part[2] == '\0' || part[2] == '/' || part[2] == '\\'))
      return false;
  }
  return true;
}

static bool found_in(const char *folder, const char *name, char *out, size_t out_bytes) {
  if (folder[0] == '\0' || strlen(folder) + strlen(name) + 2 > out_bytes)
    return false;
  path_join(out, out_bytes, folder, name);
  return file_exists(out) && !file_is_folder(out);
}

bool assets_find(const assets_t *a, const char *name, char *out, size_t out_bytes) {
  if (!name_is_safe(name)) {
    snprintf(out, out_bytes, "%s: not a name below assets/ (absolute and \"..\" names are refused)", name);
    return false;
  }
  if (found_in(a->game, name, out, out_bytes) || found_in(a->engine, name, out, out_bytes))
    return true;
  bool both = a->game[0] != '\0' && a->engine[0] != '\0';
  snprintf(out, out_bytes, "%s: not found (searched %s%s%s)", name, a->game, both ? ", " : "", a->engine);
  return false;
}
