// Messages of expected failures: a function that fails returns false, NULL, 0 or -1 and stores a message in the
// caller's error_info_t. The caller may pass NULL if it does not need the message.
#ifndef SHOAL_BASE_ERROR_H
#define SHOAL_BASE_ERROR_H

#include <stdbool.h>
#include <stdint.h>

typedef struct error_info_t {
  char text[1024];
  // Structured position of the error, set by error_set_at; also part of the text.
  char file[128]; // file with the error, relative to the game's folder; "" if unknown
  uint32_t line;
  uint32_t message_at; // offset in `text` of the message that follows the position
  // Piece of the game that cannot run, such as "system movement" or "plugins"; "" if unknown. Set by error_set_piece.
  char piece[96];
  // True if the cause may be a file that is being saved: it was missing, unreadable or incomplete. error_set and
  // error_set_at clear it.
  bool may_be_unfinished;
} error_info_t;

// Formats the message (truncated to fit) and returns false, for `return error_set(error, "…")`.
#ifdef __GNUC__
__attribute__((format(printf, 2, 3)))
#endif
bool error_set(error_info_t *error, const char *format, ...);
// Like error_set, with a position: the text becomes "file:line: …". `file` may be "" if `line` is 0: no position.
#ifdef __GNUC__
__attribute__((format(printf, 4, 5)))
#endif
bool error_set_at(error_info_t *error, const char *file, uint32_t line, const char *format, ...);

// Sets the piece of the game that cannot run. Returns false.
bool error_set_piece(error_info_t *error, const char *piece);

// Replaces control characters except newlines and tabs with '?'. Applied to all error messages and log lines.
void error_strip_controls(char *text);

#endif
