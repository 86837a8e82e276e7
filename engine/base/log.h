// Lines for people: to the terminal (stderr), and to whoever listens (the in-game console, a test).
// A log_o is owned by the host and passed down; every function takes NULL for "stderr, level info". Main thread only.
#ifndef SHOAL_BASE_LOG_H
#define SHOAL_BASE_LOG_H

#include "base/error.h"

#include <stdbool.h>

typedef enum log_level_t { LOG_NONE, LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG } log_level_t;

typedef struct log_o log_o;
typedef void (*log_listener_t)(void *context, log_level_t level, const char *line);

log_o *log_create(log_level_t level);
void log_destroy(log_o *log);

// "error", "warn", "info", "debug", "none" → *level; false when the word is none of them.
bool log_level_parse(const char *word, log_level_t *level);

// While it is muted nothing is said, by print of the scripts either.
void log_mute(log_o *log, bool muted);
bool log_is_muted(const log_o *log);

// One listener; it hears lines at or above the level, without a newline. NULL removes it.
void log_listen(log_o *log, log_listener_t listener, void *context);

// Off: the terminal gets no lines; whoever listens and the file do. It is on to begin with.
void log_set_terminal(log_o *log, bool on);
bool log_has_terminal(const log_o *log);

// Lines go to the end of this file too, with their level and what log_set_place says. One that grows past
// LOG_FILE_MAX_BYTES becomes `path`.1, and that one `path`.2, which is the last. False with a message.
#define LOG_FILE_MAX_BYTES (1u << 20)
bool log_to_file(log_o *log, const char *path, error_t *error);
// Where the next lines come from, for the file: "tick 3, system hunger"; "" for nothing. Copied.
void log_set_place(log_o *log, const char *place);

#ifdef __GNUC__
#define LOG_PRINTF __attribute__((format(printf, 2, 3)))
#else
#define LOG_PRINTF
#endif
LOG_PRINTF void log_error(log_o *log, const char *format, ...);
LOG_PRINTF void log_warn(log_o *log, const char *format, ...);
LOG_PRINTF void log_info(log_o *log, const char *format, ...);
LOG_PRINTF void log_debug(log_o *log, const char *format, ...);

#endif
