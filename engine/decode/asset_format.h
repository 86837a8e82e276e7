// What a file is, by its first bytes: its name says nothing. Formats that are read and those that are often put in
// their place.
#ifndef SHOAL_PLATFORM_ASSET_FORMAT_H
#define SHOAL_PLATFORM_ASSET_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum asset_format_t {
  FORMAT_OTHER, // not known
  FORMAT_PNG,
  FORMAT_JPEG,
  FORMAT_BMP,
  FORMAT_TGA, // which has no mark of its own: its head makes sense as one
  FORMAT_WAV,
  FORMAT_OGG,
  FORMAT_FLAC,
  FORMAT_MP3,
  FORMAT_FONT,
  FORMAT_REFUSED // known, and not read: asset_format_words tells which
} asset_format_t;

asset_format_t asset_format(const uint8_t *bytes, size_t size_bytes);
// "it is a GIF picture", "it is empty", "it is in an unknown format".
const char *asset_format_words(const uint8_t *bytes, size_t size_bytes);

#endif
