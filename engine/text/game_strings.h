// The texts of a game by their keys, in each of its languages, and what is shown in place of a key.
//
// What the world holds is a reference: "@menu.start", or "@menu.lives {"n":3}" with values as JSON for what stands in
// braces in the text ("{n} lives"); n chooses the plural form. Each line of a text may be one. What stands for it is
// looked up when it is drawn or measured, and kept nowhere: so a world is the same in every language, and a switch is
// seen at once. A value that is a reference is looked up, too. A text in another form is shown as it is.
// Main thread.
#ifndef SHOAL_TEXT_GAME_STRINGS_H
#define SHOAL_TEXT_GAME_STRINGS_H

#include "base/log.h"
#include "text/plural.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct game_strings_o game_strings_o;

// The language that is shown now: "de". What is no language of the game's means the first one.
typedef const char *(*game_strings_language_t)(void *context);

game_strings_o *game_strings_create(log_o *log, game_strings_language_t language, void *context); // all borrowed
void game_strings_destroy(game_strings_o *p);                                                     // NULL is fine

// Copied. The language that is put first stands in where another one has no text. A text without plural forms is put as
// PLURAL_OTHER.
void game_strings_put(game_strings_o *p, const char *language, const char *key, plural_t form, const char *text);

// The text to be shown: `text` itself where it holds no reference. Good until PHRASES_KEPT bytes of other texts were
// asked for, or another language is shown. `p` may be NULL.
#define PHRASES_KEPT (4u << 20)
const char *game_strings_show(game_strings_o *p, const char *text);
// Changes with whatever may change what is shown. `p` may be NULL.
uint64_t game_strings_version(game_strings_o *p);

#endif
