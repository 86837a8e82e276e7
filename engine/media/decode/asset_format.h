// Detects the format of a file from its first bytes, ignoring its name: supported formats, and unsupported formats that
// are often used by mistake.
#ifndef SHOAL_DECODE_ASSET_FORMAT_H
#define SHOAL_DECODE_ASSET_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum asset_format_t {
  FORMAT_OTHER, // a format that is not recognized
  FORMAT_PNG,
  FORMAT_JPEG,
  FORMAT_BMP,
  FORMAT_ASEPRITE,
  FORMAT_WEBP,
  FORMAT_TGA, // TGA has no magic number; detected by a plausible header
  FORMAT_WAV,
  FORMAT_OGG,
  FORMAT_FLAC,
  FORMAT_MP3,
  FORMAT_FONT,
  FORMAT_UNSUPPORTED // a known but unsupported format (asset_format_describe)
} asset_format_t;

asset_format_t asset_format_detect(const uint8_t *bytes, size_t size_bytes);
// Returns a phrase that completes "the file is ": "a GIF image", "empty", "in an unknown format".
const char *asset_format_describe(const uint8_t *bytes, size_t size_bytes);

#endif
