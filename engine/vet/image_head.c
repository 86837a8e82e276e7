// A reader for each format; then the limits that hold for all of them.
#include "vet/image_head.h"

#include "base/assert.h"
#include "vet/jpeg_check.h"

#include <string.h>

static const char CUT[] = "the file ends too early";

static uint32_t big16(const uint8_t *at) {
  return (uint32_t)at[0] << 8 | at[1];
}

static uint32_t big32(const uint8_t *at) {
  return big16(at) << 16 | big16(at + 2);
}

static uint32_t little16(const uint8_t *at) {
  return (uint32_t)at[1] << 8 | at[0];
}

static uint32_t little32(const uint8_t *at) {
  return little16(at + 2) << 16 | little16(at);
}

// --- PNG

static bool read_png(const uint8_t *b, size_t size, image_head_t *out, error_t *why) {
  if (size < 33)
    return error_set(why, "%s", CUT);
  if (big32(b + 8) != 13 || memcmp(b + 12, "IHDR", 4) != 0)
    return error_set(why, "a PNG begins with its head (IHDR), and this one with another chunk");
  out->width = big32(b + 16);
  out->height = big32(b + 20);
  uint8_t depth = b[24], colours = b[25];
  bool depth_known = depth == 1 || depth == 2 || depth == 4 || depth == 8 || depth == 16;
  bool colours_known = colours == 0 || colours == 2 || colours == 3 || colours == 4 || colours == 6;
  if (!depth_known || !colours_known || b[26] || b[27] || b[28] > 1)
    return error_set(why, "a PNG with %u bits of the kind %u is not known", depth, colours);
  return true;
}

// --- JPEG

enum { TABLES = 0xC4, ARITHMETIC = 0xC8, CODING = 0xCC, START = 0xD8, END = 0xD9, SCAN = 0xDA };

static bool is_frame(uint8_t marker) {
  return marker >= 0xC0 && marker <= 0xCF && marker != TABLES && marker != ARITHMETIC && marker != CODING;
}

static bool read_frame(const uint8_t *b, size_t left, uint8_t marker, image_head_t *out, error_t *why) {
  if (marker > 0xC2)
    return error_set(why, "a lossless or arithmetic JPEG is not read: save it as a baseline JPEG");
  if (left < 8)
    return error_set(why, "%s", CUT);
  if (out->width)
    return error_set(why, "a JPEG with two heads");
  out->height = big16(b + 3);
  out->width = big16(b + 5);
  return b[2] == 8 || error_set(why, "a JPEG of %u bits: 8 are read", b[2]);
}

// Where the next marker is, at or behind `at`: in the data of a scan, FF 00 and FF D0 to D7 are none.
static size_t next_marker(const uint8_t *b, size_t size, size_t at) {
  while (at + 1 < size && (b[at] != 0xFF || b[at + 1] == 0 || b[at + 1] == 0xFF || (b[at + 1] & 0xF8) == 0xD0))
    ++at;
  return at;
}

static bool read_jpeg(const uint8_t *b, size_t size, image_head_t *out, error_t *why) {
  out->scans = 0;
  for (size_t at = next_marker(b, size, 2); at + 4 <= size && b[at + 1] != END; at = next_marker(b, size, at)) {
    uint8_t marker = b[at + 1];
    size_t length = big16(b + at + 2);
    if (is_frame(marker) && !read_frame(b + at + 2, size - at - 2, marker, out, why))
      return false;
    out->scans += marker == SCAN;
    at += marker == START || length < 2 ? 2 : 2 + length;
  }
  if (!out->width && !out->height)
    return error_set(why, "%s", out->scans ? "a JPEG without a head" : CUT);
  if (out->scans > IMAGE_MOST_SCANS)
    return error_set(why, "a JPEG of %u scans, and %u are the most: save it as a baseline JPEG", out->scans,
                     IMAGE_MOST_SCANS);
  return jpeg_check(b, size) || error_set(why, "a JPEG with broken tables");
}

// --- BMP and TGA

static uint32_t positive(uint32_t side) {
  return side > INT32_MAX ? 0u - side : side;
}

static bool read_bmp(const uint8_t *b, size_t size, image_head_t *out, error_t *why) {
  uint32_t head = size < 26 ? 0 : little32(b + 14);
  if (size < 26 || size < 14 + (size_t)head)
    return error_set(why, "%s", CUT);
  if (head != 12 && head != 40 && head != 56 && head != 108 && head != 124)
    return error_set(why, "a BMP with a head of %u bytes is not known", head);
  out->width = head == 12 ? little16(b + 18) : little32(b + 18);
  out->height = head == 12 ? little16(b + 20) : positive(little32(b + 22)); // negative: from its top
  uint32_t packing = head == 12 ? 0 : little32(b + 30);
  return packing == 0 || packing == 3 || error_set(why, "a packed BMP is not read: save it as PNG");
}

static bool read_tga(const uint8_t *b, size_t size, image_head_t *out, error_t *why) {
  if (size < 18)
    return error_set(why, "%s", CUT);
  out->width = little16(b + 12);
  out->height = little16(b + 14);
  return true;
}

// --- all

static bool read_format(const uint8_t *bytes, size_t size_bytes, image_head_t *out, error_t *why) {
  switch (out->format) {
  case FORMAT_PNG: return read_png(bytes, size_bytes, out, why);
  case FORMAT_JPEG: return read_jpeg(bytes, size_bytes, out, why);
  case FORMAT_BMP: return read_bmp(bytes, size_bytes, out, why);
  case FORMAT_TGA: return read_tga(bytes, size_bytes, out, why);
  default:
    return size_bytes == 0
               ? error_set(why, "the file is empty")
               : error_set(why, "it is %s: images are PNG, JPEG, BMP or TGA", asset_format_words(bytes, size_bytes));
  }
}

bool image_head_read(const uint8_t *bytes, size_t size_bytes, image_head_t *out, error_t *why) {
  shoal_assert(bytes || size_bytes == 0, "%zu bytes are nowhere", size_bytes);
  *out = (image_head_t){.format = asset_format(bytes, size_bytes), .scans = 1};
  if (!read_format(bytes, size_bytes, out, why))
    return false;
  if (out->width == 0 || out->height == 0)
    return error_set(why, "it has no pixels");
  if (out->width > IMAGE_MOST_SIDE || out->height > IMAGE_MOST_SIDE)
    return error_set(why, "it has %u × %u pixels, and a side has at most %u", out->width, out->height, IMAGE_MOST_SIDE);
  if ((uint64_t)out->width * out->height * 4 > IMAGE_MOST_BYTES)
    return error_set(why, "it has %u × %u pixels, which are %u MB, and %u are the most", out->width, out->height,
                     (uint32_t)((uint64_t)out->width * out->height * 4 >> 20), IMAGE_MOST_BYTES >> 20);
  return true;
}
