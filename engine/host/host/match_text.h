// Strings of scripts/shoal/kit/ui_strings.lua that a match shows to players, in the language of the running game.
#ifndef SHOAL_HOST_MATCH_TEXT_H
#define SHOAL_HOST_MATCH_TEXT_H

#include "match/match_link.h"

typedef struct host_o host_o;

#define MATCH_TEXT_VALUES 2u
#define MATCH_TEXT_BYTES 512u // maximum size of a formatted string

// A value for a placeholder of a string.
typedef struct match_value_t {
  const char *name; // name of the placeholder; NULL: no value
  const char *text; // text, or a reference to one of Shoal's strings, such as "@shoal.close_code"
} match_value_t;

typedef struct match_text_t {
  const char *key; // key of the string, such as "refused_full"
  match_value_t values[MATCH_TEXT_VALUES];
} match_text_t;

// Write the string with its values to `out` (MATCH_TEXT_BYTES). Return `out`. match_text_format uses the game's
// language, or English if the game has no strings.
const char *match_text_format(const host_o *h, const match_text_t *text, char *out);
const char *match_text_format_english(const host_o *h, const match_text_t *text, char *out);
// Writes the string with its values to `out` (`bytes`), truncated after a character to fit. Returns `out`.
char *match_text_write(const host_o *h, const match_text_t *text, char *out, size_t bytes);

// Returns a reference to the string that names a reason for closing a connection, such as "invalid data". The reference
// is a valid match_value_t.text.
const char *match_text_get_close_reason(match_close_t reason);

// A failure, as a text for players and a line for developers.
typedef struct match_failure_t {
  match_text_t text;
  char value[FILE_DIFFERENCES * (FILE_NAME_BYTES + 2u)]; // storage for the value of the text
  char details[MATCH_DETAILS_BYTES];
} match_failure_t;

// Fill in the text for a refusal, or for the reason why a session was closed. `own`: identity of this machine. `files`:
// hashes of its files, used to name the files that differ from the host's.
void match_text_describe_refusal(const match_end_t *end, const match_identity_t *own, const file_hashes_o *files,
                                 bool is_world, match_failure_t *out);
void match_text_describe_close(const match_end_t *end, match_failure_t *out);

#endif
