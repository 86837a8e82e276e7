// Access to running games: a secret token, and for each port a link file that only this user can read.
#ifndef SHOAL_COCKPIT_ACCESS_TOKEN_H
#define SHOAL_COCKPIT_ACCESS_TOKEN_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

// Writes a new random token of HTTP_TOKEN_BYTES bytes, including the '\0'. Returns true on success, or false with an
// error if the system provides no random numbers.
bool access_token_generate(char *out, error_info_t *error);
// Creates or replaces the link file of `port`, with mode 0600 and `link` as its contents, and creates its folder if
// necessary. Writes the file's path to `path`, a buffer of `bytes` bytes. Returns true on success, or false with an
// error if the folder cannot be created, if other users can access it, or if the file cannot be written.
bool access_token_write_link(unsigned port, const char *link, char *path, size_t bytes, error_info_t *error);

#endif
