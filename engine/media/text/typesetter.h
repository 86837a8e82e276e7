// Typesetter: font chains, shaping with HarfBuzz, right-to-left text, line breaking, spans. Independent of windows and
// pixels.
//
// Text sizes are part of the simulation: they depend only on the text, the style and the contents of the fonts. Advance
// widths are unhinted integers in font units, multiplied by the text size once. Sizes are therefore identical on every
// processor, headless or not, and at any window size, so layouts may affect the world.
//
// Main thread only.
#ifndef SHOAL_TEXT_TYPESETTER_H
#define SHOAL_TEXT_TYPESETTER_H

#include "base/log.h"
#include "platform/assets.h"
#include "text/layout.h"
#include "text/game_strings.h"

typedef struct typesetter_o typesetter_o;

// Creates a typesetter. Borrows both arguments. Never fails: without fonts, all characters are boxes. `assets` may be
// NULL.
typesetter_o *typesetter_create(const assets_t *assets, log_o *log);
void typesetter_destroy(typesetter_o *t);

// Lays out `bytes` bytes of UTF-8, at most TEXT_MAX_BYTES. An empty text has no lines, or one line if carets are
// requested. Layouts are cached while in use, so repeated calls are cheap. The result is valid until the next call.
const text_layout_t *typesetter_layout(typesetter_o *t, const text_style_t *style, const char *text, size_t bytes);
// Like typesetter_layout, but stores only the width and height. Measures most ASCII strings faster (pair_widths.h).
void typesetter_measure(typesetter_o *t, const text_style_t *style, const char *text, float *width, float *height);

// Reloads a font that was changed, added or deleted. Returns ASSET_RELOADED on success, ASSET_UNUSED if the font was
// never requested, or ASSET_KEPT with the reason in `error` if the old version stays in use. Call between two ticks.
asset_fate_t typesetter_asset_changed(typesetter_o *t, const char *name, error_info_t *error);
// Sets the fonts that are tried after the text's fonts and before the engine's fonts: "a.ttf, b.ttf"; "" for no such
// fonts.
void typesetter_set_fallbacks(typesetter_o *t, const char *names);
const char *typesetter_fallbacks(const typesetter_o *t);
// Sets the game's strings, to which references in text resolve (text/game_strings.h). Borrowed. With NULL, the
// default, references are shown literally.
void typesetter_set_strings(typesetter_o *t, game_strings_o *strings);
// Returns `text` with its references resolved, as game_strings_resolve does. Pass the result to typesetter_layout.
const char *typesetter_resolve(typesetter_o *t, const char *text);

// Sets the text that replaces [prompt=NAME] in markup (text/markup.h). Call between two systems.
void typesetter_set_prompt(typesetter_o *t, const char *name, const char *text);
// Returns a counter that changes whenever layouts may change because of fonts or prompts.
uint32_t typesetter_change_count(const typesetter_o *t);

// Returns the file contents of a face, for glyph renderers, or NULL if the face is not open. Valid until
// typesetter_version changes.
const char *typesetter_get_face(const typesetter_o *t, uint32_t face, size_t *size_bytes);
// Returns a number that changes when a font is reloaded or the fallbacks change, and that differs between typesetters.
uint32_t typesetter_version(const typesetter_o *t);

#endif
