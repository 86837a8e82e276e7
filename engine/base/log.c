#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_BYTES 2048

struct log_o {
  log_level_t level;
  log_listener_t listener;
  void *listener_context;
};

static const char *const level_names[] = {"none", "error", "warn", "info", "debug"};

log_o *log_create(log_level_t level) {
  log_o *log = calloc(1, sizeof *log);
  if (!log)
    abort();
  log->level = level;
  return log;
}

void log_destroy(log_o *log) {
  free(log);
}

bool log_level_parse(const char *word, log_level_t *level) {
  for (int i = LOG_NONE; i <= LOG_DEBUG; i++)
    if (strcmp(word, level_names[i]) == 0) {
      *level = (log_level_t)i;
      return true;
    }
  return false;
}

void log_listen(log_o *log, log_listener_t listener, void *context) {
  log->listener = listener;
  log->listener_context = context;
}

static void write_line(log_o *log, log_level_t level, const char *format, va_list arguments) {
  if (level > (log ? log->level : LOG_INFO))
    return;
  char line[LINE_BYTES];
  vsnprintf(line, sizeof line, format, arguments);
  size_t length = strlen(line);
  while (length > 0 && line[length - 1] == '\n')
    line[--length] = '\0';
  // Plain news needs no label; what went wrong does.
  if (level == LOG_INFO)
    fprintf(stderr, "%s\n", line);
  else
    fprintf(stderr, "%s: %s\n", level_names[level], line);
  if (log && log->listener)
    log->listener(log->listener_context, level, line);
}

#define DEFINE_LOG(name, level)                                                                                        \
  void name(log_o *log, const char *format, ...) {                                                                     \
    va_list arguments;                                                                                                 \
    va_start(arguments, format);                                                                                       \
    write_line(log, level, format, arguments);                                                                         \
    va_end(arguments);                                                                                                 \
  }

DEFINE_LOG(log_error, LOG_ERROR)
DEFINE_LOG(log_warn, LOG_WARN)
DEFINE_LOG(log_info, LOG_INFO)
DEFINE_LOG(log_debug, LOG_DEBUG)
