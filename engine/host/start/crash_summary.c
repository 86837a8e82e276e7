// Reads the lines "KEY: VALUE" of a crash report.
#include "start/crash_summary.h"

#include "base/assert.h"
#include "base/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *crash_summary_find_line(const char *text, const char *key, char *out, size_t bytes) {
  shoal_assert(key[0] && bytes > 0, "key must not be empty, and bytes must not be 0");
  const char *line = text;
  out[0] = '\0';
  while (line && strncmp(line, key, strlen(key)) != 0) {
    line = strchr(line, '\n');
    line = line ? line + 1 : NULL;
  }
  if (line)
    snprintf(out, bytes, "%.*s", (int)strcspn(line + strlen(key), "\n"), line + strlen(key));
  return out;
}

static uint64_t find_number(const char *text, const char *key, int base) {
  char number[32];
  return strtoull(crash_summary_find_line(text, key, number, sizeof number), NULL, base);
}

// Extracts "SIGSEGV, invalid memory access" from the line "signal: 11 (SIGSEGV, invalid memory access), at 0x10". If
// the program was terminated without a signal, copies the line "reason: " instead.
static void find_reason(const char *text, char *out, size_t bytes) {
  char line[256];
  const char *name = strchr(crash_summary_find_line(text, "signal: ", line, sizeof line), '(');
  if (name)
    snprintf(out, bytes, "%.*s", (int)strcspn(name + 1, ")"), name + 1);
  else
    crash_summary_find_line(text, "reason: ", out, bytes);
}

// Splits the line "code: plugin heat, grow at heat.c:12" into the plugin and the position.
static void find_code(const char *text, crash_summary_t *out) {
  char line[sizeof out->plugin + sizeof out->code + 16];
  crash_summary_find_line(text, "code: plugin ", line, sizeof line);
  size_t length = strcspn(line, ",");
  snprintf(out->plugin, sizeof out->plugin, "%.*s", (int)length, line);
  snprintf(out->code, sizeof out->code, "%s", line[length] ? line + length + 2 : "");
}

bool crash_summary_read(const char *path, crash_summary_t *out, error_info_t *error) {
  allocator_t memory = {0};
  size_t size = 0;
  *out = (crash_summary_t){.report = ""};
  char *text = file_read(&memory, path, &size, error);
  if (!text)
    return false;
  crash_summary_find_line(text, "folder: ", out->folder, sizeof out->folder);
  crash_summary_find_line(text, "recording: ", out->recording, sizeof out->recording);
  crash_summary_find_line(text, "library: ", out->library, sizeof out->library);
  crash_summary_find_line(text, "heap: damaged, found by ", out->heap_function, sizeof out->heap_function);
  find_reason(text, out->reason, sizeof out->reason);
  find_code(text, out);
  out->library_hash = find_number(text, "library hash: ", 16);
  out->tick = find_number(text, "tick: ", 10);
  out->seed = find_number(text, "seed: ", 10);
  bool is_report = strncmp(text, "Shoal ", 6) == 0 && out->folder[0];
  file_free(&memory, text, size);
  if (!is_report)
    return error_set(error, "%s is not a report of a crash in a running game", path);
  bool names_plugin = out->plugin[0] && out->library_hash != 0;
  if (!names_plugin && !out->heap_function[0])
    return error_set(error, "%s: the report names no plugin: replay its recording instead", path);
  snprintf(out->report, sizeof out->report, "%s", path);
  return true;
}

int crash_summary_find_source(const crash_summary_t *summary, char *file, size_t bytes) {
  const char *at = strstr(summary->code, " at "), *colon = at ? strrchr(at, ':') : NULL;
  snprintf(file, bytes, "%.*s", colon ? (int)(colon - at - 4) : 0, colon ? at + 4 : "");
  return colon ? atoi(colon + 1) : 0;
}
