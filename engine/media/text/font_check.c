// Loads all outlines of a TrueType font, then renders and shapes its characters, within a time limit.
#include "text/font_check.h"

#include "decode/decoder.h"

#include <harfbuzz/hb-ot.h>
#include <harfbuzz/hb.h>
#include <string.h>
#include <time.h>

#include <ft2build.h>
#include FT_FREETYPE_H
#include FT_FONT_FORMATS_H
#include FT_TRUETYPE_TABLES_H

#define TRIAL_MAX_MS 2000 // CPU time limit of the whole test, in ms; a font that exceeds it is rejected
#define TRIAL_SIZE 24
#define DRAW_MS 50 // CPU time in ms after which no further characters are rendered; a single character may take longer
#define MAX_CODE 0xffff // highest character that is rendered
#define GLYPHS_PER_CHECK 16
#define GLYPHS_MAX_MS 50 // limit in ms per GLYPHS_PER_CHECK glyphs, which normally take 0.01 ms

static void shape_pair(hb_font_t *font, uint32_t code) {
  const uint32_t codes[2] = {'A', code};
  hb_buffer_t *buffer = hb_buffer_create();
  hb_buffer_add_codepoints(buffer, codes, 2, 0, 2);
  hb_buffer_guess_segment_properties(buffer);
  hb_shape(font, buffer, NULL, 0);
  hb_buffer_destroy(buffer);
}

// Returns the offset of the first font in a collection (.ttc), or 0 for a single font.
static size_t find_first_font(const uint8_t *bytes, size_t size_bytes) {
  bool is_collection = size_bytes >= 16 && memcmp(bytes, "ttcf", 4) == 0;
  return is_collection ? (size_t)bytes[12] << 24 | (size_t)bytes[13] << 16 | (size_t)bytes[14] << 8 | bytes[15] : 0;
}

// Returns true if FreeType has found all tables of the font, or if the font has no directory of tables. FreeType
// ignores tables outside the file, so a font that is still being written might open without any glyphs.
static bool is_complete(FT_Face face, const uint8_t *bytes, size_t size_bytes) {
  FT_ULong table_count = 0;
  size_t offset = find_first_font(bytes, size_bytes);
  return size_bytes < 6 || offset > size_bytes - 6 || FT_Sfnt_Table_Info(face, 0, NULL, &table_count) != 0 ||
         table_count == ((FT_ULong)bytes[offset + 4] << 8 | bytes[offset + 5]);
}

static bool is_slow(clock_t start) {
  return clock() - start > GLYPHS_MAX_MS * CLOCKS_PER_SEC / 1000;
}

// Loads all outlines, within a time limit. The limit is necessary because FreeType does not limit composite glyphs
// (only CFF programs): sixty glyphs that each use the previous glyph twice would never finish loading. Returns true on
// success, or false with an error if loading takes too long.
static bool load_outlines(FT_Face face, error_info_t *error) {
  clock_t start = clock();
  for (FT_Long glyph = 0; FT_IS_SCALABLE(face) && glyph < face->num_glyphs; ++glyph) {
    FT_Load_Glyph(face, (FT_UInt)glyph, FT_LOAD_NO_HINTING);
    if (glyph % GLYPHS_PER_CHECK != 0)
      continue;
    if (is_slow(start))
      return error_set(error, "glyphs %ld to %ld take more than %d ms to load",
                       (long)(glyph > GLYPHS_PER_CHECK ? glyph - GLYPHS_PER_CHECK + 1 : 0), (long)glyph, GLYPHS_MAX_MS);
    start = clock();
  }
  return !is_slow(start) || error_set(error, "the last glyphs take more than %d ms to load", GLYPHS_MAX_MS);
}

static void draw_characters(FT_Face face, hb_font_t *font) {
  FT_UInt glyph;
  clock_t start = clock();
  for (FT_ULong code = FT_Get_Next_Char(face, ' ' - 1, &glyph);
       glyph != 0 && code <= MAX_CODE && clock() - start < DRAW_MS * CLOCKS_PER_SEC / 1000;
       code = FT_Get_Next_Char(face, code, &glyph)) {
    FT_Load_Glyph(face, glyph, FT_LOAD_RENDER | FT_LOAD_TARGET_LIGHT);
    shape_pair(font, (uint32_t)code);
  }
}

static bool check_font(decode_job_t *job) {
  FT_Library library;
  FT_Face face;
  if (FT_Init_FreeType(&library) != 0)
    return error_set(job->error, "FreeType cannot be initialized");
  FT_Error ft_error = FT_New_Memory_Face(library, job->in, (FT_Long)job->in_bytes, 0, &face);
  if (ft_error == 0 && !is_complete(face, job->in, job->in_bytes))
    return error_set(job->error, "unexpected end of file");
  if (ft_error == 0 && face->num_glyphs == 0)
    return error_set(job->error, "the font has no glyphs");
  if (ft_error == 0 && !FT_IS_SCALABLE(face) && FT_HAS_COLOR(face))
    return error_set(job->error, "the font has only colour pictures, such as emoji, which are not drawn: use icons "
                                 "in the text, or a font with outlines");
  if (ft_error == 0)
    ft_error = FT_Set_Pixel_Sizes(face, 0, TRIAL_SIZE);
  if (ft_error)
    return error_set(job->error, "FreeType cannot open the file (FreeType error %d)", ft_error);
  if (strcmp(FT_Get_Font_Format(face), "TrueType") == 0 && !load_outlines(face, job->error))
    return false;
  hb_blob_t *blob = hb_blob_create(job->in, (unsigned)job->in_bytes, HB_MEMORY_MODE_READONLY, NULL, NULL);
  hb_font_t *font = hb_font_create(hb_face_create(blob, 0));
  hb_ot_font_set_funcs(font);
  draw_characters(face, font);
  job->out_bytes = 0;
  return true; // the process exits next, which frees everything
}

const decoder_type_t FONT_DECODER = {DECODER_TASK("check-font"), .decode = check_font};

bool font_check_run(const char *file, size_t bytes, error_info_t *error) {
  decoder_o *decoder =
      decoder_create(&(decoder_desc_t){.type = &FONT_DECODER, .capacity_bytes = 1, .limit_ms = TRIAL_MAX_MS});
  decoder_result_t result;
  decoder_add_file_bytes(decoder, 0, file, bytes, false);
  bool ok = decoder_next_result(decoder, true, &result) && result.out;
  decoder_destroy(decoder);
  return ok || error_set(error, "%s", result.error.text);
}
