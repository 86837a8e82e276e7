// Path functions that are the same on every system, because they examine only the text.
#include "base/file_path.h"

#include "base/assert.h"

#include <string.h>

bool path_is_rooted(const char *name) {
  return name[0] == '/' || name[0] == '\\' || (name[0] != '\0' && name[1] == ':');
}

bool path_ends_with(const char *path, const char *suffix) {
  size_t length = strlen(path), suffix_length = strlen(suffix);
  return length > suffix_length && strcmp(path + length - suffix_length, suffix) == 0;
}

static size_t append_text(char *out, size_t out_bytes, size_t offset, const char *text, size_t length) {
  size_t available = out_bytes - 1 - offset;
  if (length > available)
    length = available;
  memmove(out + offset, text, length);
  out[offset + length] = '\0';
  return offset + length;
}

char *path_join(char *out, size_t out_bytes, const char *folder, const char *name) {
  shoal_assert(out_bytes > 0, "out_bytes must not be 0 (joining %s and %s)", folder, name);
  size_t length = strlen(folder);
  while (length > 1 && folder[length - 1] == '/')
    length--;
  size_t offset = append_text(out, out_bytes, 0, folder, length);
  if (length > 0 && folder[length - 1] != '/')
    offset = append_text(out, out_bytes, offset, "/", 1);
  append_text(out, out_bytes, offset, name, strlen(name));
  return out;
}
