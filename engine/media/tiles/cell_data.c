// Decodes and encodes Tiled's cell data: base64 of zlib, gzip, Zstandard or raw bytes. The decoder rejects data that
// does not have exactly the expected size. A file therefore cannot cause larger allocations than its layer needs.
#include "tiles/map_reader.h"

#include "base/assert.h"
#include "base/base64.h"

#include <limits.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

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
  size_t capacity = BASE64_MAX_DECODED_BYTES(strlen(text));
  shoal_assert(text && compression, "text and compression must not be NULL");
  size_t method = 0;
  while (method < 4 && strcmp(METHODS[method], compression) != 0)
    ++method;
  if (method == 4)
    return map_fail(reader, "unknown compression \"%.40s\": use zlib, gzip, zstd or none", compression);
  uint8_t *bytes = alloc_resize(reader->allocator, NULL, 0, capacity);
  size_t size = base64_decode(text, bytes);
  bool ok = size != SIZE_MAX && decompress_cells(bytes, size, compression, (uint8_t *)out, (size_t)count * 4);
  alloc_resize(reader->allocator, bytes, capacity, 0);
  for (uint32_t i = 0; i < count && ok; ++i) {
    const uint8_t *b = (const uint8_t *)&out[i];
    out[i] = (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
  }
  return ok || map_fail(reader, "the data is damaged or does not contain %u cells", count);
}

// --- encoding

// Compresses `size` bytes to `out`. Returns the number of compressed bytes, or 0 on failure.
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
  char *text = alloc_resize(allocator, NULL, 0, BASE64_TEXT_BYTES(packed) + 1);
  json_write_bytes(out, text, base64_encode(bytes, packed, text));
  alloc_resize(allocator, text, BASE64_TEXT_BYTES(packed) + 1, 0);
  alloc_resize(allocator, raw, size + 1, 0);
  alloc_resize(allocator, bytes, capacity, 0);
  return packed > 0 || count == 0;
}
