// WebP images: image_decode with libwebp, in a decoder process.
#include "decode/decoder.h"
#include "decode/image.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

// 8 × 6 pixels, red at the top and blue at the bottom, compressed without loss.
static const uint8_t GRADIENT[] = {0x52, 0x49, 0x46, 0x46, 0x3A, 0x00, 0x00, 0x00, 0x57, 0x45, 0x42, 0x50, 0x56, 0x50,
                                   0x38, 0x4C, 0x2D, 0x00, 0x00, 0x00, 0x2F, 0x07, 0x40, 0x01, 0x00, 0x2F, 0x00, 0x10,
                                   0x84, 0xFF, 0x6D, 0x13, 0x33, 0xF3, 0xE6, 0xFF, 0xF9, 0x4F, 0x96, 0x06, 0x84, 0x6C,
                                   0x24, 0xE9, 0x14, 0x4E, 0xE1, 0x15, 0x5E, 0xE1, 0x15, 0xDE, 0x5F, 0xAB, 0x13, 0xD1,
                                   0xFF, 0xF8, 0x78, 0xD5, 0xAD, 0x0E, 0xB6, 0x1A, 0x00, 0x00};
// Header of an animated image.
static const uint8_t ANIMATED[] = {'R', 'I', 'F', 'F', 22, 0, 0, 0, 'W', 'E', 'B', 'P', 'V', 'P', '8',
                                   'X', 10,  0,   0,   0,  2, 0, 0, 0,   7,   0,   0,   5,   0,   0};

static decoder_o *decode(const uint8_t *bytes, size_t size_bytes, decoder_result_t *result) {
  decoder_o *d = decoder_create(&(decoder_desc_t){.type = &IMAGE_DECODER, .capacity_bytes = 1 << 20, .limit_ms = 2000});
  decoder_add_file_bytes(d, 0, bytes, size_bytes, false);
  assert_true(decoder_next_result(d, true, result));
  return d;
}

TEST(webp_image_is_decoded) {
  decoder_result_t result;
  image_pixels_t pixels;
  decoder_o *d = decode(GRADIENT, sizeof GRADIENT, &result);
  if (!result.out)
    fail_msg("%s", result.error.text);
  assert_true(image_read_result(result.out, result.out_bytes, &pixels));
  assert_true(pixels.width == 8 && pixels.height == 6 && pixels.is_complete);
  assert_memory_equal(pixels.rgba, "\xFF\0\0\xFF", 4);
  assert_memory_equal(pixels.rgba + 4 * 47, "\0\0\xFF\xFF", 4);
  decoder_destroy(d);
}

TEST(truncated_webp_image_is_rejected) {
  for (size_t size = 12; size < sizeof GRADIENT; size += 6) {
    decoder_result_t result;
    decoder_o *d = decode(GRADIENT, size, &result);
    assert_true(!result.out && result.rejected);
    assert_string_equal(result.error.text, "cannot load image: unexpected end of file");
    decoder_destroy(d);
  }
}

TEST(animated_webp_image_is_rejected) {
  decoder_result_t result;
  decoder_o *d = decode(ANIMATED, sizeof ANIMATED, &result);
  assert_true(!result.out && result.rejected);
  assert_string_equal(result.error.text, "cannot load image: the WebP image is animated: save its frames as one sheet");
  decoder_destroy(d);
}
