// Text set into lines: font chains, shaping by HarfBuzz, right-to-left, line breaks, spans. Knows no window, no pixel.
//
// Sizes here are a part of the simulation: they follow from the text, the style and the bytes of the fonts alone. All
// widths are integers in the fonts' own units, without hinting, multiplied once by the size; so they are the same on
// every processor, headless, in every window and at any size of it, and a layout may decide what a world becomes.
// Main thread.
#ifndef SHOAL_TEXT_TYPESETTER_H
#define SHOAL_TEXT_TYPESETTER_H

#include "base/log.h"
#include "platform/assets.h"
#include "text/layout.h"
#include "text/game_strings.h"

typedef struct typesetter_o typesetter_o;

// Both borrowed. Never fails: without any font all characters are boxes. `assets` NULL: there is none.
typesetter_o *typesetter_create(const assets_t *assets, log_o *log);
void typesetter_destroy(typesetter_o *t);

// The layout of `bytes` of UTF-8; an empty text has no lines, but one when carets are wanted. Kept while it is in use,
// so asking again costs a look; valid until the next call.
const text_layout_t *typesetter_layout(typesetter_o *t, const text_style_t *style, const char *text, size_t bytes);
// Width and height alone.
void typesetter_measure(typesetter_o *t, const text_style_t *style, const char *text, float *width, float *height);

// A font that has changed, appeared or gone. `why` is filled when the old one is kept. Between two ticks.
asset_fate_t typesetter_changed(typesetter_o *t, const char *name, error_t *why);
// Fonts that are asked for characters that a text's own have not, before the engine's: "a.ttf, b.ttf"; "" for none.
void typesetter_set_fallbacks(typesetter_o *t, const char *names);
const char *typesetter_fallbacks(const typesetter_o *t);
// What references in texts stand for (text/game_strings.h); NULL, at first: for themselves. Borrowed.
void typesetter_use_phrases(typesetter_o *t, game_strings_o *phrases);
// The text that is shown, for typesetter_layout.
const char *typesetter_words(typesetter_o *t, const char *text);

// What [prompt=NAME] in a text with tags stands for (text/markup.h). Between two systems.
void typesetter_set_prompt(typesetter_o *t, const char *name, const char *shows);
// Another number when texts may be set otherwise than before: fonts, prompts.
uint32_t typesetter_changes(const typesetter_o *t);

// For who draws glyphs. The bytes of a face, NULL when it has none any more; they live until `version` is another.
const char *typesetter_face(const typesetter_o *t, uint32_t face, size_t *size_bytes);
uint32_t typesetter_version(const typesetter_o *t);

#endif
