// Arguments of `shoal clip`.
#ifndef SHOAL_CLIP_CLIP_OPTIONS_H
#define SHOAL_CLIP_CLIP_OPTIONS_H

#include "base/error.h"
#include "start/options.h"
#include "start/package.h"

#include <stdio.h>

#define CLIP_MAX_S 600.0 // maximum duration of a clip

typedef enum clip_format_t { CLIP_NONE, CLIP_WEBP, CLIP_MP4, CLIP_GIF } clip_format_t;

// Parsed arguments. Strings point into argv.
typedef struct clip_options_t {
  options_t run;   // options of the run whose frames are written
  const char *out; // file name of the clip
  clip_format_t format;
  bool has_to, help;
  double from_s, to_s; // seconds from the start of the recording, or of the run
  double last_s;       // --last: duration of a clip that ends with the recording; 0: not given
  int width, height;   // size in pixels
  uint32_t fps, quality;
  bool lossless; // true if every pixel is kept; used only for WebP
} clip_options_t;

// Parses the arguments. Returns true on success, or false with a message if an argument is unknown or invalid, or
// cannot be combined with the other arguments.
bool clip_options_parse(int argc, const char *const *argv, const package_t *package, clip_options_t *out,
                        error_info_t *error);
// Writes the help text of `shoal clip`.
void clip_options_print_help(FILE *out);

#endif
