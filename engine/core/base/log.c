// Writes each message as a line to the terminal, the log file and the listener.
#include "base/log.h"

#include "base/assert.h"
#include "base/error.h"
#include "base/file_system.h"
#include "base/hash.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_BYTES 2048
#define MAX_NOTICES 64u // maximum number of subjects whose last notice is stored

struct log_o {
  log_level_t level;
  bool muted, no_terminal;
  log_listener_t listener;
  void *listener_context;
  FILE *file;
  char path[1024], prefix[256], secret[128];
  char label[74]; // prefix of each line in the terminal, with a colon and a space
  struct {
    uint64_t subject, text; // hashes of the subject and of the text
  } notices[MAX_NOTICES];
  uint32_t notice_count;
};

typedef enum entry_kind_t { ENTRY_LINE, ENTRY_PREFIX, ENTRY_PRINTED, ENTRY_NOTICE } entry_kind_t;

// A deferred call.
typedef struct log_entry_t {
  entry_kind_t kind;
  log_level_t level;      // ENTRY_LINE: level of the line
  char *text;             // text of the line, or the prefix
  size_t bytes;           // size of `text` without its terminating zero
  uint64_t subject, hash; // ENTRY_NOTICE: hashes of the subject and of the notice
} log_entry_t;

static _Thread_local log_deferred_t *deferred; // deferred lines of this thread; NULL: lines are written immediately

static const char *const level_names[] = {"none", "error", "warn", "info", "debug"};

log_o *log_create(log_level_t level) {
  log_o *log = calloc(1, sizeof *log);
  if (!log)
    abort();
  log->level = level;
  return log;
}

void log_destroy(log_o *log) {
  if (log && log->file)
    fclose(log->file);
  free(log);
}

// --- deferred lines

static void defer_entry(const log_entry_t *entry, const char *text) {
  log_deferred_t *queue = deferred;
  if (queue->count == queue->capacity) {
    queue->capacity = queue->capacity ? queue->capacity * 2 : 16;
    queue->entries = realloc(queue->entries, queue->capacity * sizeof *queue->entries);
  }
  char *copy = malloc(entry->bytes + 1);
  if (!queue->entries || !copy)
    abort();
  if (entry->bytes > 0)
    memcpy(copy, text, entry->bytes);
  copy[entry->bytes] = '\0';
  queue->entries[queue->count] = *entry;
  queue->entries[queue->count++].text = copy;
}

void log_defer(log_deferred_t *lines) {
  deferred = lines;
}

void log_free_deferred(log_deferred_t *lines) {
  for (uint32_t i = 0; i < lines->count; ++i)
    free(lines->entries[i].text);
  free(lines->entries);
  *lines = (log_deferred_t){0};
}

// --- log file

bool log_open_file(log_o *log, const char *path, error_info_t *error) {
  if (strlen(path) + sizeof ".2" > sizeof log->path)
    return error_set(error, "--log-file: the path is too long: %zu bytes (at most %zu)", strlen(path),
                     sizeof log->path - sizeof ".2");
  log->file = fopen(path, "a");
  if (!log->file)
    return error_set(error, "--log-file: cannot open %s: %s", path, strerror(errno));
  strcpy(log->path, path);
  return true;
}

void log_set_prefix(log_o *log, const char *prefix) {
  if (deferred)
    defer_entry(&(log_entry_t){.kind = ENTRY_PREFIX, .bytes = strlen(prefix)}, prefix);
  else if (log)
    snprintf(log->prefix, sizeof log->prefix, "%s", prefix);
}

void log_hide_in_file(log_o *log, const char *secret) {
  size_t bytes = secret ? strlen(secret) : 0;
  shoal_assert(bytes < sizeof log->secret, "the secret is too long (%zu bytes)", bytes);
  memcpy(log->secret, secret ? secret : "", bytes + 1);
}

static void rotate_file(log_o *log) {
  char first_backup[sizeof log->path + 2], second_backup[sizeof log->path + 2];
  snprintf(first_backup, sizeof first_backup, "%s.1", log->path);
  snprintf(second_backup, sizeof second_backup, "%s.2", log->path);
  fclose(log->file);
  file_system_rename(first_backup, second_backup);
  file_system_rename(log->path, first_backup);
  log->file = fopen(log->path, "a");
}

static void write_to_file(log_o *log, log_level_t level, const char *line) {
  char text[LINE_BYTES];
  memcpy(text, line, strlen(line) + 1);
  for (char *match = text; log->secret[0] && (match = strstr(match, log->secret)) != NULL;)
    memset(match, '*', strlen(log->secret));
  fprintf(log->file, "%-5s %s%s%s\n", level_names[level], log->prefix, log->prefix[0] ? ": " : "", text);
  fflush(log->file);
  if (ftell(log->file) > (long)LOG_FILE_MAX_BYTES)
    rotate_file(log);
}

bool log_level_parse(const char *name, log_level_t *level) {
  shoal_assert(name && level, "name and level must not be NULL");
  for (int i = LOG_NONE; i <= LOG_DEBUG; ++i)
    if (strcmp(name, level_names[i]) == 0) {
      *level = (log_level_t)i;
      return true;
    }
  return false;
}

static bool store_notice(log_o *log, uint64_t subject, uint64_t text) {
  uint32_t i = 0;
  while (i < log->notice_count && log->notices[i].subject != subject)
    ++i;
  if (i == MAX_NOTICES)
    return true;
  bool is_new = i == log->notice_count || log->notices[i].text != text;
  if (!deferred) {
    log->notice_count += i == log->notice_count;
    log->notices[i].subject = subject;
    log->notices[i].text = text;
  }
  return is_new;
}

bool log_is_new_notice(log_o *log, const char *subject, const char *text) {
  log_entry_t entry = {.kind = ENTRY_NOTICE, .subject = hash_text(subject), .hash = hash_text(text)};
  if (!log || (!deferred && log->muted))
    return !log;
  if (deferred)
    defer_entry(&entry, "");
  return store_notice(log, entry.subject, entry.hash);
}

void log_mute(log_o *log, bool muted) {
  log->muted = muted;
}

bool log_is_muted(const log_o *log) {
  return log && log->muted;
}

void log_set_listener(log_o *log, log_listener_t listener, void *context) {
  log->listener = listener;
  log->listener_context = context;
}

void log_set_terminal(log_o *log, bool enabled) {
  log->no_terminal = !enabled;
}

static bool has_terminal(const log_o *log) {
  return !log || !log->no_terminal;
}

void log_set_label(log_o *log, const char *label) {
  shoal_assert(strlen(label) + sizeof ": " <= sizeof log->label, "the label is too long (%zu bytes)", strlen(label));
  snprintf(log->label, sizeof log->label, "%s%s", label, label[0] ? ": " : "");
}

// Writes a line to the terminal. Info lines begin with the label only, all other lines also with their level.
static void write_to_terminal(const log_o *log, log_level_t level, const char *line) {
  const char *label = log ? log->label : "";
  if (level == LOG_INFO)
    fprintf(stderr, "%s%s\n", label, line);
  else
    fprintf(stderr, "%s%s: %s\n", label, level_names[level], line);
}

static void write_line(log_o *log, log_level_t level, const char *line) {
  if (deferred)
    defer_entry(&(log_entry_t){.kind = ENTRY_LINE, .level = level, .bytes = strlen(line)}, line);
  if (deferred || log_is_muted(log))
    return;
  if (has_terminal(log))
    write_to_terminal(log, level, line);
  if (log && log->file)
    write_to_file(log, level, line);
  if (log && log->listener)
    log->listener(log->listener_context, level, line);
}

static void format_line(log_o *log, log_level_t level, const char *format, va_list arguments) {
  if (level > (log ? log->level : LOG_INFO))
    return;
  char line[LINE_BYTES];
  vsnprintf(line, sizeof line, format, arguments);
  error_strip_controls(line);
  size_t length = strlen(line);
  while (length > 0 && line[length - 1] == '\n')
    line[--length] = '\0';
  write_line(log, level, line);
}

void log_print(log_o *log, const char *line, size_t bytes) {
  if (deferred) {
    defer_entry(&(log_entry_t){.kind = ENTRY_PRINTED, .bytes = bytes}, line);
  } else if (!has_terminal(log)) {
    log_info(log, "%s", line);
  } else if (!log_is_muted(log)) {
    if (log)
      fputs(log->label, stdout);
    fwrite(line, 1, bytes, stdout);
    fputc('\n', stdout);
    fflush(stdout);
    if (log && log->listener)
      log->listener(log->listener_context, LOG_INFO, line);
  }
}

static void write_entry(log_o *log, const log_entry_t *entry) {
  switch (entry->kind) {
  case ENTRY_LINE: write_line(log, entry->level, entry->text); break;
  case ENTRY_PREFIX: log_set_prefix(log, entry->text); break;
  case ENTRY_PRINTED: log_print(log, entry->text, entry->bytes); break;
  case ENTRY_NOTICE: store_notice(log, entry->subject, entry->hash); break;
  }
}

void log_write_deferred(log_o *log, log_deferred_t *lines) {
  shoal_assert(log && !deferred, "deferred lines must be written to a log, on a thread that does not defer lines");
  for (uint32_t i = 0; i < lines->count; ++i)
    write_entry(log, &lines->entries[i]);
  log_free_deferred(lines);
}

#define DEFINE_LOG(name, level)                                                                                        \
  void name(log_o *log, const char *format, ...) {                                                                     \
    va_list arguments;                                                                                                 \
    va_start(arguments, format);                                                                                       \
    format_line(log, level, format, arguments);                                                                        \
    va_end(arguments);                                                                                                 \
  }

DEFINE_LOG(log_error, LOG_ERROR)
DEFINE_LOG(log_warn, LOG_WARN)
DEFINE_LOG(log_info, LOG_INFO)
DEFINE_LOG(log_debug, LOG_DEBUG)
