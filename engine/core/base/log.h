// Log lines for users: written to the terminal (stderr), an optional file and a listener (the in-game console, a test).
// The host owns the log_o and passes it down. The functions that log a message accept NULL, which logs to stderr at
// level info. Main thread only, except that other threads may log between log_defer and log_defer(NULL).
#ifndef SHOAL_BASE_LOG_H
#define SHOAL_BASE_LOG_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum log_level_t { LOG_NONE, LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG } log_level_t;

typedef struct log_o log_o;
typedef void (*log_listener_t)(void *context, log_level_t level, const char *line);

log_o *log_create(log_level_t level);
void log_destroy(log_o *log);

// Parses "error", "warn", "info", "debug" or "none". Returns true on success, or false for an unknown name.
bool log_level_parse(const char *name, log_level_t *level);

// Mutes or unmutes the log. A muted log drops all lines, including lines that scripts print.
void log_mute(log_o *log, bool muted);
bool log_is_muted(const log_o *log);

// Sets the listener, which replaces the previous listener and receives lines at or above the log level, without a
// newline. NULL removes the listener.
void log_set_listener(log_o *log, log_listener_t listener, void *context);

// Stores `text`, which contains all notices about a subject such as a file; "" means no notices. Returns true if the
// caller must log `text`. Returns false if `text` equals the stored text, as after most reloads, or if the log is
// muted. Returns true if `log` is NULL, and for subjects beyond the first 64, which are not stored.
bool log_is_new_notice(log_o *log, const char *subject, const char *text);

// Writes a line that a script has printed, without a newline, to standard output and the listener. If the log does not
// write to the terminal, logs the line at level info instead. `bytes`: size of `line`, which may contain zero bytes.
// Accepts NULL.
void log_print(log_o *log, const char *line, size_t bytes);

// Lines that a thread has deferred. Empty when zero-initialized.
typedef struct log_deferred_t {
  struct log_entry_t *entries;
  uint32_t count, capacity;
} log_deferred_t;
// Until log_defer(NULL), stores the lines that the calling thread logs or prints, in any log, instead of writing them.
// Any thread.
void log_defer(log_deferred_t *lines);
// Writes the stored lines to the log, and frees them. Main thread.
void log_write_deferred(log_o *log, log_deferred_t *lines);
void log_free_deferred(log_deferred_t *lines);

// Enables or disables output to the terminal; the file and the listener are not affected. Enabled by default.
void log_set_terminal(log_o *log, bool enabled);

// Also appends lines to the file `path`, with their level and prefix. A file that exceeds LOG_FILE_MAX_BYTES is renamed
// to `path`.1, after an existing `path`.1 was renamed to `path`.2. Returns true on success, or false with a message if
// the file cannot be opened or the path is too long.
#define LOG_FILE_MAX_BYTES (1u << 20)
bool log_open_file(log_o *log, const char *path, error_info_t *error);
// Replaces `secret` (at most 127 bytes; copied) with asterisks in the log file, which other users may read. NULL: hides
// nothing.
void log_hide_in_file(log_o *log, const char *secret);
// Sets the prefix of all lines in the terminal, including lines that scripts print: `label` (at most 71 bytes; copied)
// and a colon. "" removes the prefix.
void log_set_label(log_o *log, const char *label);
// Sets the prefix of the next lines in the file, such as "tick 3, system hunger"; "" for no prefix. Copied.
void log_set_prefix(log_o *log, const char *prefix);

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
