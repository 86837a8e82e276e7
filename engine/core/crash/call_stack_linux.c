// Captures stacks with the C library's unwinder, and reads this process's mappings from /proc.
#include "crash/call_stack.h"

#include <execinfo.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

uint32_t call_stack_capture(void **frames, uint32_t capacity) {
  return (uint32_t)backtrace(frames, (int)capacity);
}

void call_stack_write_frame(int file, void *frame) {
  backtrace_symbols_fd(&frame, 1, file);
}

typedef struct mapping_t {
  uint64_t begin, offset;
  char path[600];
} mapping_t;

static uint64_t read_hex(const char **cursor) {
  uint64_t value = 0;
  for (; strchr("0123456789abcdef", **cursor) && **cursor; ++*cursor)
    value = value * 16 + (uint64_t)(**cursor <= '9' ? **cursor - '0' : **cursor - 'a' + 10);
  return value;
}

// Parses a line such as "7f00-7f10 r-xp 00001000 08:01 1234 /tmp/heat.so (deleted)". Returns true if the line maps a
// file and contains `address`.
static bool read_mapping(const char *line, uint64_t address, mapping_t *out) {
  const char *cursor = line;
  out->begin = read_hex(&cursor);
  if (*cursor++ != '-' || address < out->begin || address >= read_hex(&cursor))
    return false;
  cursor += strcspn(cursor + (*cursor != '\0'), " ") + 1; // skips the permissions
  cursor += *cursor == ' ';
  out->offset = read_hex(&cursor);
  const char *path = strchr(cursor, '/');
  snprintf(out->path, sizeof out->path, "%s", path ? path : "");
  char *suffix = strstr(out->path, " (deleted)");
  if (suffix)
    *suffix = '\0';
  return path != NULL;
}

static bool find_mapping(uint64_t address, mapping_t *out) {
  char line[1024];
  size_t length = 0;
  char buffer[4096];
  bool found = false;
  int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  for (ssize_t count; file >= 0 && !found && (count = read(file, buffer, sizeof buffer)) > 0;)
    for (ssize_t i = 0; i < count && !found; ++i) {
      if (buffer[i] != '\n') {
        if (length + 1 < sizeof line)
          line[length++] = buffer[i];
        continue;
      }
      line[length] = '\0';
      length = 0;
      found = read_mapping(line, address, out);
    }
  if (file >= 0)
    close(file);
  return found;
}

bool call_stack_find_file(const void *code, char *path, size_t path_bytes, uint64_t *offset) {
  mapping_t mapping;
  if (!find_mapping((uint64_t)(uintptr_t)code, &mapping))
    return false;
  snprintf(path, path_bytes, "%s", mapping.path);
  *offset = (uint64_t)(uintptr_t)code - mapping.begin + mapping.offset;
  return true;
}
