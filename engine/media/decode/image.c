// Decodes images with stb_image and libwebp, premultiplies alpha, and generates mipmaps.
#include "decode/image.h"

#include "base/alloc.h"
#include "base/assert.h"
#include "decode/aseprite.h"
#include "decode/asset_format.h"

#include <stdlib.h>
#include <string.h>

#ifndef __clang_analyzer__ // stb_image.h is too large for the analyzer
#define STB_IMAGE_IMPLEMENTATION
#endif
#define STBI_NO_STDIO
#define STBI_ONLY_PNG
#define STBI_ONLY_JPEG
#define STBI_ONLY_BMP
#define STBI_ONLY_TGA
#define STBI_FAILURE_USERMSG
#include <stb/stb_image.h>
#include <webp/decode.h>

// --- mipmaps: each level is half the size of the previous level

uint32_t image_half_size(uint32_t side) {
  return side > 1 ? side / 2 : 1;
}

size_t image_levels_bytes(uint32_t width, uint32_t height) {
  size_t pixels = (size_t)width * height;
  while (width > 1 || height > 1) {
    width = image_half_size(width);
    height = image_half_size(height);
    pixels += (size_t)width * height;
  }
  return pixels * 4;
}

// Halves an image: each target pixel is the average of four source pixels. Drops the last row or column of an odd side.
static void halve_image(const uint8_t *source, uint32_t width, uint32_t height, uint8_t *target) {
  uint32_t right_offset = width > 1 ? 4 : 0, columns = image_half_size(width), rows = image_half_size(height);
  size_t below_offset = height > 1 ? (size_t)width * 4 : 0;
  for (uint32_t y = 0; y < rows; ++y) {
    const uint8_t *pixel = source + 2 * y * (size_t)width * 4;
    for (uint32_t x = 0; x < columns; ++x, pixel += 8, target += 4)
      for (uint32_t channel = 0; channel < 4; ++channel)
        target[channel] = (uint8_t)((pixel[channel] + pixel[channel + right_offset] + pixel[channel + below_offset] +
                                     pixel[channel + below_offset + right_offset] + 2) /
                                    4);
  }
}

static void generate_mip_levels(uint8_t *rgba, uint32_t width, uint32_t height) {
  while (width > 1 || height > 1) {
    uint8_t *next_level = rgba + (size_t)width * height * 4;
    halve_image(rgba, width, height, next_level);
    rgba = next_level;
    width = image_half_size(width);
    height = image_half_size(height);
  }
}

void image_apply_colour_key(uint8_t *rgba, uint32_t width, uint32_t height, const uint8_t colour[3]) {
  size_t count = (size_t)width * height;
  shoal_assert(rgba && colour, "rgba and colour must not be NULL");
  for (size_t i = 0; i < count; ++i)
    if (rgba[4 * i + 3] == 255 && memcmp(&rgba[4 * i], colour, 3) == 0)
      memset(&rgba[4 * i], 0, 4);
  generate_mip_levels(rgba, width, height);
}

// Multiplies colours by alpha, because filtering colours that are not premultiplied produces visible seams at edges.
static void premultiply_alpha(uint8_t *rgba, size_t pixels) {
  shoal_assert(rgba, "rgba must not be NULL (%zu pixels)", pixels);
  for (size_t i = 0; i < pixels; ++i)
    for (size_t channel = 0; channel < 3; ++channel)
      rgba[4 * i + channel] = (uint8_t)((rgba[4 * i + channel] * rgba[4 * i + 3] + 127) / 255);
}

// --- reading

// Position in a file. `past_end` is true if stb_image has read past the end of the file, where it reads zeros and may
// still produce an image.
typedef struct reader_t {
  const char *bytes;
  size_t size_bytes, position;
  bool past_end;
} reader_t;

static int reader_read(void *context, char *out, int requested) {
  reader_t *reader = context;
  size_t remaining = reader->size_bytes - reader->position,
         count = (size_t)requested < remaining ? (size_t)requested : remaining;
  reader->past_end |= remaining == 0;
  memcpy(out, reader->bytes + reader->position, count);
  reader->position += count;
  return (int)count;
}

static void reader_skip(void *context, int count) {
  reader_t *reader = context;
  bool fits = count >= 0 && (size_t)count <= reader->size_bytes - reader->position;
  reader->past_end |= !fits;
  reader->position = fits ? reader->position + (size_t)count : reader->size_bytes;
}

static int reader_is_at_end(void *context) {
  const reader_t *reader = context;
  return reader->position >= reader->size_bytes;
}

static const stbi_io_callbacks CALLBACKS = {.read = reader_read, .skip = reader_skip, .eof = reader_is_at_end};

// --- decoding

// Header of the result. The pixels follow.
typedef struct result_t {
  uint32_t width, height, is_complete;
} result_t;

bool image_check_format(const void *bytes, size_t size_bytes, error_info_t *error) {
  switch (asset_format_detect(bytes, size_bytes)) {
  case FORMAT_PNG:
  case FORMAT_JPEG:
  case FORMAT_BMP:
  case FORMAT_ASEPRITE:
  case FORMAT_WEBP:
  case FORMAT_TGA: return true;
  default:
    return size_bytes == 0
               ? error_set(error, "cannot load image: the file is empty")
               : error_set(error,
                           "cannot load image: the file is %s: images must be PNG, JPEG, WebP, BMP, TGA or Aseprite",
                           asset_format_describe(bytes, size_bytes));
  }
}

static bool check_size(decode_job_t *job, uint32_t width, uint32_t height) {
  if (width == 0 || height == 0)
    return error_set(job->error, "cannot load image: width and height must be at least 1 pixel, got %u × %u", width,
                     height);
  if (width > IMAGE_MAX_SIDE || height > IMAGE_MAX_SIDE)
    return error_set(job->error, "cannot load image: width and height must be at most %u pixels, got %u × %u",
                     IMAGE_MAX_SIDE, width, height);
  uint64_t bytes = (uint64_t)width * height * 4;
  if (bytes > IMAGE_MAX_BYTES)
    return error_set(job->error, "cannot load image: the image is too large: %u × %u pixels need %u MB (at most %u MB)",
                     width, height, (uint32_t)(bytes >> 20), IMAGE_MAX_BYTES >> 20);
  job->needs_capacity = sizeof(result_t) + image_levels_bytes(width, height) > job->out_bytes;
  return !job->needs_capacity;
}

static void write_result(decode_job_t *job, const uint8_t *rgba, uint32_t width, uint32_t height, bool is_complete) {
  uint8_t *pixels = job->out + sizeof(result_t);
  size_t count = (size_t)width * height;
  shoal_assert(sizeof(result_t) + image_levels_bytes(width, height) <= job->out_bytes,
               "%u × %u pixels exceed the output buffer", width, height);
  memcpy(job->out, &(result_t){.width = width, .height = height, .is_complete = is_complete}, sizeof(result_t));
  memcpy(pixels, rgba, count * 4);
  premultiply_alpha(pixels, count);
  generate_mip_levels(pixels, width, height);
  job->out_bytes = sizeof(result_t) + image_levels_bytes(width, height);
}

static bool decode_aseprite(decode_job_t *job) {
  aseprite_t file;
  error_info_t reason = {0};
  if (!aseprite_open(job->in, job->in_bytes, &file, &reason))
    return error_set(job->error, "cannot load image: %s", reason.text);
  uint32_t width = file.columns * file.width, height = file.rows * file.height;
  if (!check_size(job, width, height))
    return false;
  uint8_t *rgba = alloc_object((size_t)width * height * 4);
  bool ok = aseprite_decode(&file, rgba, &reason);
  if (ok)
    write_result(job, rgba, width, height, true);
  else
    error_set(job->error, "cannot load image: %s", reason.text);
  free(rgba);
  return ok;
}

static bool reject_webp(decode_job_t *job, VP8StatusCode status) {
  bool is_cut = status == VP8_STATUS_NOT_ENOUGH_DATA || status == VP8_STATUS_SUSPENDED;
  return error_set(job->error, "cannot load image: %s",
                   is_cut ? "unexpected end of file" : "the WebP file is damaged: save it again");
}

static bool decode_webp(decode_job_t *job) {
  WebPDecoderConfig config;
  if (!WebPInitDecoderConfig(&config))
    return error_set(job->error, "cannot load image: the libwebp library has an incompatible version: update it");
  VP8StatusCode status = WebPGetFeatures(job->in, job->in_bytes, &config.input);
  if (status != VP8_STATUS_OK)
    return reject_webp(job, status);
  if (config.input.has_animation)
    return error_set(job->error, "cannot load image: the WebP image is animated: save its frames as one sheet");
  if (!check_size(job, (uint32_t)config.input.width, (uint32_t)config.input.height))
    return false;
  config.output.colorspace = MODE_RGBA;
  status = WebPDecode(job->in, job->in_bytes, &config);
  if (status == VP8_STATUS_OK)
    write_result(job, config.output.u.RGBA.rgba, (uint32_t)config.input.width, (uint32_t)config.input.height, true);
  WebPFreeDecBuffer(&config.output);
  return status == VP8_STATUS_OK || reject_webp(job, status);
}

static bool decode_with_stb(decode_job_t *job) {
  reader_t reader = {.bytes = job->in, .size_bytes = job->in_bytes};
  int width = 0, height = 0;
  // Checks the size only if the header can be read. Otherwise, decoding fails, too, and reports a more precise reason.
  if (stbi_info_from_callbacks(&CALLBACKS, &reader, &width, &height, NULL) &&
      !check_size(job, (uint32_t)width, (uint32_t)height))
    return false;
  reader = (reader_t){.bytes = job->in, .size_bytes = job->in_bytes};
  uint8_t *rgba = stbi_load_from_callbacks(&CALLBACKS, &reader, &width, &height, NULL, 4);
  if (!rgba)
    return error_set(job->error, "cannot load image: %s",
                     reader.past_end ? "unexpected end of file" : stbi_failure_reason());
  bool ok = check_size(job, (uint32_t)width, (uint32_t)height);
  if (ok)
    write_result(job, rgba, (uint32_t)width, (uint32_t)height, !reader.past_end);
  stbi_image_free(rgba);
  return ok;
}

bool image_decode(decode_job_t *job) {
  shoal_assert(job->in && job->out && job->error, "job->in, job->out and job->error must not be NULL");
  if (!image_check_format(job->in, job->in_bytes, job->error))
    return false;
  switch (asset_format_detect(job->in, job->in_bytes)) {
  case FORMAT_ASEPRITE: return decode_aseprite(job);
  case FORMAT_WEBP: return decode_webp(job);
  default: return decode_with_stb(job);
  }
}

const decoder_type_t IMAGE_DECODER = {DECODER_TASK("decode-image"), .decode = image_decode};

bool image_read_result(const uint8_t *bytes, size_t size_bytes, image_pixels_t *out) {
  result_t result;
  shoal_assert(bytes || size_bytes == 0, "bytes must not be NULL (size %zu)", size_bytes);
  if (size_bytes < sizeof result)
    return false;
  memcpy(&result, bytes, sizeof result);
  *out = (image_pixels_t){.width = result.width,
                          .height = result.height,
                          .is_complete = result.is_complete == 1,
                          .rgba = bytes + sizeof result};
  return result.width > 0 && result.height > 0 && result.width <= IMAGE_MAX_SIDE && result.height <= IMAGE_MAX_SIDE &&
         size_bytes == sizeof result + image_levels_bytes(result.width, result.height);
}
