// FreeType draws, and HarfBuzz shapes, character by character from the first one on, for a while.
#include "text/font_trial.h"

#include "base/apart.h"

#include <harfbuzz/hb-ot.h>
#include <harfbuzz/hb.h>
#include <time.h>

#include <ft2build.h>
#include FT_FREETYPE_H

#define TRIAL_SIZE 24
#define TRIAL_MS 50        // for so long,
#define TRIAL_MOST_MS 2000 // and no single character takes longer than this

static void shape_pair(hb_font_t *font, uint32_t code) {
  const uint32_t codes[2] = {'A', code};
  hb_buffer_t *buffer = hb_buffer_create();
  hb_buffer_add_codepoints(buffer, codes, 2, 0, 2);
  hb_buffer_guess_segment_properties(buffer);
  hb_shape(font, buffer, NULL, 0);
  hb_buffer_destroy(buffer);
}

static bool draw_characters(FT_Face face, hb_font_t *font) {
  for (uint32_t code = ' '; code < 0x10000 && clock() < TRIAL_MS * CLOCKS_PER_SEC / 1000; ++code) {
    FT_UInt glyph = FT_Get_Char_Index(face, code);
    if (glyph == 0)
      continue;
    FT_Load_Glyph(face, glyph, FT_LOAD_RENDER | FT_LOAD_TARGET_LIGHT);
    shape_pair(font, code);
  }
  return true;
}

static bool try_work(apart_work_t *work) {
  FT_Library library;
  FT_Face face;
  if (FT_Init_FreeType(&library) != 0)
    return error_set(work->why, "FreeType does not run");
  FT_Error error = FT_New_Memory_Face(library, work->in, (FT_Long)work->in_bytes, 0, &face);
  if (error == 0)
    error = FT_Set_Pixel_Sizes(face, 0, TRIAL_SIZE);
  if (error)
    return error_set(work->why, "FreeType cannot open it (error %d)", error);
  hb_blob_t *blob = hb_blob_create(work->in, (unsigned)work->in_bytes, HB_MEMORY_MODE_READONLY, NULL, NULL);
  hb_face_t *shaped = hb_face_create(blob, 0);
  hb_font_t *font = hb_font_create(shaped);
  hb_ot_font_set_funcs(font);
  return draw_characters(face, font); // the copy ends here, with all that it holds
}

bool font_trial_run(const char *file, size_t bytes, error_t *why) {
  apart_t apart;
  size_t left = 0;
  const apart_desc_t desc = {.work = try_work, .in = file, .in_bytes = bytes, .limit_ms = TRIAL_MOST_MS};
  if (!apart_begin(&apart, &desc, why))
    return false;
  bool good = apart_end(&apart, &left, why) != NULL;
  apart_free(&apart);
  return good;
}
