// Decodes and encodes Tiled's cell data: base64 of zlib, gzip, Zstandard or raw bytes. The decoder rejects data that
// does not have exactly the expected size, so that no file can cause larger allocations than its layer needs.
#include "tiles/map_reader.h"

#include "base/assert.h"

#include <limits.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

static int base64_digit_value(char c) {
  if (c >= 'A' && c <= 'Z')
    return c - 'A';
  if (c >= 'a' && c <= 'z')
    return c - 'a' + 26;
  if (c >= '0' && c <= '9')
    return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

// Decodes base64 into `out`, which must hold strlen(text) / 4 * 3 + 3 bytes. Returns the number of bytes; SIZE_MAX if
// the text is not base64.
static size_t decode_base64(const char *text, uint8_t *out) {
  uint32_t bits = 0, bit_count = 0;
  size_t count = 0;
  for (; *text; ++text) {
    if (*text == '=' || *text == '\n' || *text == '\r' || *text == '\t' || *text == ' ')
      continue;
    int digit = base64_digit_value(*text);
    if (digit < 0)
      return SIZE_MAX;
    bits = bits << 6 | (uint32_t)digit;
    bit_count += 6;
    if (bit_count >= 8) {
      bit_count -= 8;
      out[count++] = (uint8_t)(bits >> bit_count);
    }
  }
  return count;
}

static bool inflate_all(const uint8_t *bytes, size_t size, uint8_t *out, size_t out_size) {
  z_stream stream = {
      .next_in = (Bytef *)(uintptr_t)bytes, .avail_in = (uInt)size, .next_out = out, .avail_out = (uInt)out_size};
  if (size > UINT_MAX || out_size > UINT_MAX || inflateInit2(&stream, 15 + 32) != Z_OK)
    return false;
  int status = inflate(&stream, Z_FINISH);
  bool complete = status == Z_STREAM_END && stream.avail_out == 0;
  inflateEnd(&stream);
  return complete;
}

static bool decompress_cells(const uint8_t *bytes, size_t size, const char *compression, uint8_t *out,
                             size_t out_size) {
  if (strcmp(compression, "zlib") == 0 || strcmp(compression, "gzip") == 0)
    return inflate_all(bytes, size, out, out_size);
  if (strcmp(compression, "zstd") == 0)
    return ZSTD_decompress(out, out_size, bytes, size) == out_size;
  if (size == out_size)
    memcpy(out, bytes, out_size);
  return size == out_size;
}

bool map_unpack_cells(map_reader_t *reader, const char *text, const char *compression, uint32_t *out, uint32_t count) {
  static const char *const METHODS[] = {"", "zlib", "gzip", "zstd"};
  size_t capacity = strlen(text) / 4 * 3 + 4;
  bool is_supported = false;
  shoal_assert(text && compression, "text and compression must not be NULL");
  for (size_t i = 0; i < sizeof METHODS / sizeof *METHODS; ++i)
    is_supported |= strcmp(METHODS[i], compression) == 0;
  if (!is_supported)
    return map_fail(reader, "unknown compression \"%.40s\": use zlib, gzip, zstd or none", compression);
  uint8_t *bytes = alloc_resize(reader->allocator, NULL, 0, capacity);
  size_t size = decode_base64(text, bytes);
  bool ok = size != SIZE_MAX && decompress_cells(bytes, size, compression, (uint8_t *)out, (size_t)count * 4);
  alloc_resize(reader->allocator, bytes, capacity, 0);
  for (uint32_t i = 0; i < count && ok; ++i) {
    const uint8_t *b = (const uint8_t *)&out[i];
    out[i] = (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
  }
  return ok || map_fail(reader, "the data is damaged or does not contain %u cells", count);
}

// --- encoding

static void write_base64(const uint8_t *bytes, size_t size, json_writer_t *out) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < size; i += 3) {
    uint32_t remaining = (uint32_t)(size - i), bits = (uint32_t)bytes[i] << 16;
    bits |= (remaining > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) | (remaining > 2 ? (uint32_t)bytes[i + 2] : 0);
    char group[4] = {digits[bits >> 18], digits[bits >> 12 & 63], remaining > 1 ? digits[bits >> 6 & 63] : '=',
                     remaining > 2 ? digits[bits & 63] : '='};
    json_write_bytes(out, group, sizeof group);
  }
}

// Compresses `size` bytes to `out`. Returns the number of bytes; 0 on failure.
static size_t deflate_all(const uint8_t *bytes, size_t size, bool gzip, int level, uint8_t *out, size_t capacity) {
  z_stream stream = {
      .next_in = (Bytef *)(uintptr_t)bytes, .avail_in = (uInt)size, .next_out = out, .avail_out = (uInt)capacity};
  if (size > UINT_MAX || capacity > UINT_MAX ||
      deflateInit2(&stream, level < -1 || level > 9 ? -1 : level, Z_DEFLATED, gzip ? 31 : 15, 8, Z_DEFAULT_STRATEGY) !=
          Z_OK)
    return 0;
  int status = deflate(&stream, Z_FINISH);
  deflateEnd(&stream);
  return status == Z_STREAM_END ? stream.total_out : 0;
}

bool map_pack_cells(allocator_t *allocator, const uint32_t *cells, uint32_t count, const char *compression, int level,
                    json_writer_t *out) {
  size_t size = (size_t)count * 4, capacity = size + size / 100 + ZSTD_compressBound(size) + 1024, packed = size;
  uint8_t *raw = alloc_resize(allocator, NULL, 0, size + 1), *bytes = alloc_resize(allocator, NULL, 0, capacity);
  for (uint32_t i = 0; i < count; ++i)
    for (uint32_t k = 0; k < 4; ++k)
      raw[(size_t)i * 4 + k] = (uint8_t)(cells[i] >> (8 * k));
  if (strcmp(compression, "zlib") == 0 || strcmp(compression, "gzip") == 0) {
    packed = deflate_all(raw, size, compression[0] == 'g', level, bytes, capacity);
  } else if (strcmp(compression, "zstd") == 0) {
    packed = ZSTD_compress(bytes, capacity, raw, size, level < 1 || level > ZSTD_maxCLevel() ? 0 : level);
    packed = ZSTD_isError(packed) ? 0 : packed;
  } else {
    memcpy(bytes, raw, size);
  }
  write_base64(bytes, packed, out);
  alloc_resize(allocator, raw, size + 1, 0);
  alloc_resize(allocator, bytes, capacity, 0);
  return packed > 0 || count == 0;
}
