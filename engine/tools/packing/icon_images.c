// Scales an icon by averaging, and writes each size as a device-independent bitmap of Windows.
#include "packing/icon_images.h"

#include "base/assert.h"
#include "base/files.h"
#include "decode/image.h"

#include <string.h>

#define HEADER_BYTES 40u
#define MIN_LARGEST_SIDE 48u // size of icons on the desktop: smaller icons are enlarged to this size
#define DECODE_MS 5000u

static const uint32_t SIDES[ICON_MAX_IMAGES] = {16, 24, 32, 48, 64, 128, 256};

// Returns a pixel of the square that contains the image in its centre. `out`: premultiplied RGBA.
static void add_pixel(const image_pixels_t *image, uint32_t square, uint32_t x, uint32_t y, uint32_t out[4]) {
  uint32_t left = (square - image->width) / 2, top = (square - image->height) / 2;
  if (x < left || y < top || x - left >= image->width || y - top >= image->height)
    return;
  const uint8_t *pixel = image->rgba + ((size_t)(y - top) * image->width + (x - left)) * 4;
  for (uint32_t channel = 0; channel < 4; ++channel)
    out[channel] += pixel[channel];
}

// Averages the pixels of the square that one pixel of the icon covers, and writes straight BGRA.
static void scale_pixel(const image_pixels_t *image, uint32_t side, uint32_t column, uint32_t row, uint8_t *out) {
  uint32_t square = image->width > image->height ? image->width : image->height, sum[4] = {0}, count = 0;
  uint32_t left = column * square / side, right = (column + 1) * square / side;
  uint32_t top = row * square / side, bottom = (row + 1) * square / side;
  right = right > left ? right : left + 1; // an enlarged image repeats its pixels
  bottom = bottom > top ? bottom : top + 1;
  for (uint32_t y = top; y < bottom; ++y)
    for (uint32_t x = left; x < right; ++x, ++count)
      add_pixel(image, square, x, y, sum);
  for (uint32_t channel = 0; channel < 3; ++channel) { // dividing by the alpha sum also undoes the premultiplication
    uint32_t value = sum[3] > 0 ? (sum[2 - channel] * 255 + sum[3] / 2) / sum[3] : 0;
    out[channel] = (uint8_t)(value < 255 ? value : 255);
  }
  out[3] = (uint8_t)((sum[3] + count / 2) / count);
}

static void write_number(uint8_t *out, uint32_t value, uint32_t bytes) {
  for (uint32_t i = 0; i < bytes; ++i)
    out[i] = (uint8_t)(value >> (8 * i));
}

// Writes the header, the pixels from the bottom row to the top row, and the mask, one bit per pixel, whose rows are
// padded to 4 bytes. The mask is set for transparent pixels, for displays without alpha.
static icon_image_t create_image(allocator_t *memory, const image_pixels_t *source, uint32_t side) {
  uint32_t mask_stride = (side + 31) / 32 * 4, pixel_bytes = side * side * 4;
  icon_image_t image = {.side = side, .size_bytes = HEADER_BYTES + pixel_bytes + (size_t)mask_stride * side};
  image.bytes = alloc_resize(memory, NULL, 0, image.size_bytes);
  memset(image.bytes, 0, image.size_bytes);
  write_number(image.bytes, HEADER_BYTES, 4);
  write_number(image.bytes + 4, side, 4);
  write_number(image.bytes + 8, side * 2, 4); // the pixels and the mask
  write_number(image.bytes + 12, 1, 2);       // planes
  write_number(image.bytes + 14, 32, 2);      // bits per pixel
  write_number(image.bytes + 20, pixel_bytes + mask_stride * side, 4);
  for (uint32_t y = 0; y < side; ++y)
    for (uint32_t x = 0; x < side; ++x) {
      uint8_t *pixel = image.bytes + HEADER_BYTES + ((size_t)(side - 1 - y) * side + x) * 4;
      scale_pixel(source, side, x, y, pixel);
      if (pixel[3] == 0)
        image.bytes[HEADER_BYTES + pixel_bytes + (size_t)(side - 1 - y) * mask_stride + x / 8] |=
            (uint8_t)(0x80 >> (x % 8));
    }
  return image;
}

bool icon_images_init(icon_images_t *icon, allocator_t *memory, const char *path, error_info_t *error) {
  *icon = (icon_images_t){.count = 0};
  decoder_o *decoder = decoder_create(
      &(decoder_desc_t){.type = &IMAGE_DECODER, .capacity_bytes = IMAGE_CAPACITY_BYTES, .limit_ms = DECODE_MS});
  decoder_result_t result = {0};
  image_pixels_t image = {0};
  decoder_add_file(decoder, 0, path, true);
  bool ok = decoder_next_result(decoder, true, &result);
  shoal_assert(ok, "the decoder must return the result of %s", path);
  if (!result.out)
    ok = error_set(error, "%s: %s", path, result.error.text);
  else if (!image_read_result(result.out, result.out_bytes, &image))
    ok = error_set(error, "%s: cannot decode the image", path);
  uint32_t square = image.width > image.height ? image.width : image.height;
  uint32_t largest = square > MIN_LARGEST_SIDE ? square : MIN_LARGEST_SIDE;
  for (uint32_t i = 0; ok && i < ICON_MAX_IMAGES && SIDES[i] <= largest; ++i)
    icon->images[icon->count++] = create_image(memory, &image, SIDES[i]);
  decoder_destroy(decoder);
  return ok;
}

void icon_images_fini(icon_images_t *icon, allocator_t *memory) {
  for (uint32_t i = 0; i < icon->count; ++i)
    alloc_resize(memory, icon->images[i].bytes, icon->images[i].size_bytes, 0);
  icon->count = 0;
}
