// A game's strings by key and language, and resolution of references to them.
//
// The world stores references such as "@menu.start". A reference may contain JSON values for the placeholders of its
// string: "@menu.lives {"n":3}" for "{n} lives". The value n selects the plural form. Each line of a string may be a
// reference, and so may each value. References are resolved when text is measured or drawn, and the result is only
// cached. The world's state is therefore the same in every language, and a change of language is visible immediately.
// Text that is not a reference is returned unchanged.
//
// Main thread only.
#ifndef SHOAL_TEXT_GAME_STRINGS_H
#define SHOAL_TEXT_GAME_STRINGS_H

#include "base/log.h"
#include "text/plural.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct game_strings_o game_strings_o;

// Callback that returns the current language, such as "de". If the game lacks this language, its first language is
// used.
typedef const char *(*game_strings_language_t)(void *context);

// Creates an empty set of strings. `log` and `context` are borrowed.
game_strings_o *game_strings_create(log_o *log, game_strings_language_t language, void *context);
void game_strings_destroy(game_strings_o *p); // accepts NULL

// Adds a string. Copies its arguments. If a language lacks a key, the first added language that has the key is used.
// Use PLURAL_OTHER for a string without plural forms. Ignores new languages when the maximum number is reached.
void game_strings_add(game_strings_o *p, const char *language, const char *key, plural_t form, const char *text);

// Returns the text to show, or `text` itself if it contains no reference. The result is valid until the language
// changes, a string is added, or later calls have resolved GAME_STRINGS_CACHE_BYTES bytes. `p` may be NULL.
#define GAME_STRINGS_CACHE_BYTES (4u << 20)
const char *game_strings_resolve(game_strings_o *p, const char *text);
// Returns the current language, such as "de", or "" if `p` is NULL.
const char *game_strings_language(const game_strings_o *p);
// Returns a version number that changes whenever results of game_strings_resolve may change. `p` may be NULL.
uint64_t game_strings_version(game_strings_o *p);

#endif
