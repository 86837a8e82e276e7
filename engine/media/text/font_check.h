// Tests an untrusted font in a decoder process (decode/decoder.h) before this process opens it. Rejects a font that is
// damaged or incomplete, that has no glyphs or only colour pictures, that crashes FreeType or HarfBuzz there, or that
// exceeds the time limit.
#ifndef SHOAL_TEXT_FONT_CHECK_H
#define SHOAL_TEXT_FONT_CHECK_H

#include "base/error.h"
#include "decode/decoder.h"

#include <stdbool.h>
#include <stddef.h>

extern const decoder_type_t FONT_DECODER; // tests a font, and returns no bytes

// Runs the test. Returns true if the font passes, otherwise false with the reason, which the caller appends to "cannot
// load font: ".
bool font_check_run(const char *file, size_t bytes, error_info_t *error);

#endif
