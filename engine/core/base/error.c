// Formats error messages; messages that are too long are truncated.
#include "base/error.h"

#include "base/assert.h"

#include <stdarg.h>
#include <stdio.h>

// Replaces control characters, because text from files may contain escape sequences for terminals.
void error_strip_controls(char *text) {
  for (; *text; ++text)
    if (((unsigned char)*text < 32 && *text != '\n' && *text != '\t') || *text == 127)
      *text = '?';
}

// Writes the message after the position, which occupies the first `message_at` bytes of the text.
static void format_message(error_info_t *error, const char *format, va_list arguments) {
  vsnprintf(error->text + error->message_at, sizeof error->text - error->message_at, format, arguments);
  error_strip_controls(error->text);
}

bool error_set(error_info_t *error, const char *format, ...) {
  if (!error)
    return false;
  va_list arguments;
  va_start(arguments, format);
  error->file[0] = error->piece[0] = '\0';
  error->line = error->message_at = 0;
  error->may_be_unfinished = false;
  format_message(error, format, arguments);
  va_end(arguments);
  return false;
}

bool error_set_at(error_info_t *error, const char *file, uint32_t line, const char *format, ...) {
  shoal_assert(file && (file[0] || line == 0), "the error has line %u, but no file", line);
  if (!error)
    return false;
  va_list arguments;
  va_start(arguments, format);
  snprintf(error->file, sizeof error->file, "%s", file);
  error->line = line;
  error->piece[0] = '\0';
  error->message_at = 0;
  error->may_be_unfinished = false;
  if (file[0])
    error->message_at = (uint32_t)snprintf(error->text, sizeof error->text, "%s:%u: ", error->file, line);
  format_message(error, format, arguments);
  va_end(arguments);
  error_strip_controls(error->text);
  return false;
}

bool error_set_piece(error_info_t *error, const char *piece) {
  if (error)
    snprintf(error->piece, sizeof error->piece, "%s", piece);
  return false;
}
