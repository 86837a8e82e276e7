// Typesetter: font chains, shaping by HarfBuzz, right-to-left text, line breaking, spans. Independent of windows and
// pixels.
//
// Text sizes are part of the simulation: they depend only on the text, the style and the fonts' files. Advance widths
// are unhinted integers in font units, multiplied by the size once. They are therefore identical on every processor,
// headless, and at any window size, so layouts may affect the world.
//
// Main thread only.
#ifndef SHOAL_TEXT_TYPESETTER_H
#define SHOAL_TEXT_TYPESETTER_H

#include "base/log.h"
#include "platform/assets.h"
#include "text/layout.h"
#include "text/game_strings.h"

typedef struct typesetter_o typesetter_o;

// Borrows both. Never fails: without fonts, all characters are boxes. `assets` may be NULL.
typesetter_o *typesetter_create(const assets_t *assets, log_o *log);
void typesetter_destroy(typesetter_o *t);

// Lays out `bytes` of UTF-8. An empty text has no lines, or one if carets are requested. Layouts are cached while in
// use, so repeated calls are cheap. Valid until the next call.
const text_layout_t *typesetter_layout(typesetter_o *t, const text_style_t *style, const char *text, size_t bytes);
// Stores only the width and height.
void typesetter_measure(typesetter_o *t, const text_style_t *style, const char *text, float *width, float *height);

// Reloads a font that was changed, added or deleted. If the old font is kept, stores the reason in `why`. Call
// between ticks.
asset_fate_t typesetter_changed(typesetter_o *t, const char *name, error_t *why);
// Sets the fonts to try after a text's own and before the engine's: "a.ttf, b.ttf", or "" for none.
void typesetter_set_fallbacks(typesetter_o *t, const char *names);
const char *typesetter_fallbacks(const typesetter_o *t);
// Sets the strings that references in texts resolve to (text/game_strings.h). Borrowed. NULL, the default: references
// are shown literally.
void typesetter_use_strings(typesetter_o *t, game_strings_o *phrases);
// Resolves references in `text`, for typesetter_layout.
const char *typesetter_resolve(typesetter_o *t, const char *text);

// Sets what [prompt=NAME] shows in texts with markup (text/markup.h). Call between systems.
void typesetter_set_prompt(typesetter_o *t, const char *name, const char *text);
// Returns a number that changes whenever layouts may change: fonts or prompts.
uint32_t typesetter_changes(const typesetter_o *t);

// For glyph renderers: returns the file contents of a face, or NULL if it was closed. Valid until typesetter_version
// changes.
const char *typesetter_face(const typesetter_o *t, uint32_t face, size_t *size_bytes);
uint32_t typesetter_version(const typesetter_o *t);

#endif
