// Detects formats by a table of magic numbers. TGA files, MP3 files without an ID3 tag, and text files have no magic
// number and are detected separately.
#include "decode/asset_format.h"

#include <string.h>

typedef struct signature_t {
  uint8_t offset, count;
  const char *bytes;
  asset_format_t format;
  const char *description;
} signature_t;

#define SIGNATURE(at, bytes, format, description)                                                                      \
  { at, sizeof(bytes) - 1, bytes, format, description }

static const signature_t SIGNATURES[] = {
    // Checked first, because the size in front of Aseprite's magic number can look like a different signature.
    SIGNATURE(4, "\xE0\xA5", FORMAT_ASEPRITE, "an Aseprite file"),
    SIGNATURE(0, "\x89PNG\r\n\x1A\n", FORMAT_PNG, "a PNG image"),
    SIGNATURE(0, "\xFF\xD8\xFF", FORMAT_JPEG, "a JPEG image"),
    SIGNATURE(0, "OggS", FORMAT_OGG, "an Ogg sound"),
    SIGNATURE(0, "fLaC", FORMAT_FLAC, "a FLAC sound"),
    SIGNATURE(0, "ID3", FORMAT_MP3, "an MP3 sound"),
    SIGNATURE(8, "WAVE", FORMAT_WAV, "a WAV sound"),
    SIGNATURE(0, "\x00\x01\x00\x00", FORMAT_FONT, "a font"),
    SIGNATURE(0, "OTTO", FORMAT_FONT, "a font"),
    SIGNATURE(0, "true", FORMAT_FONT, "a font"),
    SIGNATURE(0, "ttcf", FORMAT_FONT, "a font collection"),
    SIGNATURE(0, "wOFF", FORMAT_UNSUPPORTED, "a WOFF web font (unpack it to TTF)"),
    SIGNATURE(0, "wOF2", FORMAT_UNSUPPORTED, "a WOFF2 web font (unpack it to TTF)"),
    SIGNATURE(0, "GIF8", FORMAT_UNSUPPORTED, "a GIF image"),
    SIGNATURE(8, "WEBP", FORMAT_WEBP, "a WebP image"),
    SIGNATURE(4, "ftyp", FORMAT_UNSUPPORTED, "an MP4, M4A, HEIC or AVIF file"),
    SIGNATURE(0, "II*\0", FORMAT_UNSUPPORTED, "a TIFF image"),
    SIGNATURE(0, "MM\0*", FORMAT_UNSUPPORTED, "a TIFF image"),
    SIGNATURE(0, "8BPS", FORMAT_UNSUPPORTED, "a Photoshop image"),
    SIGNATURE(0, "gimp xcf", FORMAT_UNSUPPORTED, "a GIMP image"),
    SIGNATURE(0, "DDS ", FORMAT_UNSUPPORTED, "a DDS image"),
    SIGNATURE(0, "qoif", FORMAT_UNSUPPORTED, "a QOI image"),
    SIGNATURE(0, "\xABKTX", FORMAT_UNSUPPORTED, "a KTX image"),
    SIGNATURE(0, "\0\0\1\0", FORMAT_UNSUPPORTED, "an icon (ICO)"),
    SIGNATURE(0, "\x76\x2F\x31\x01", FORMAT_UNSUPPORTED, "an OpenEXR image"),
    SIGNATURE(0, "#?RADIANCE", FORMAT_UNSUPPORTED, "an HDR image"),
    SIGNATURE(0, "MThd", FORMAT_UNSUPPORTED, "a MIDI file, which contains notes but no audio"),
    SIGNATURE(8, "RMID", FORMAT_UNSUPPORTED, "a MIDI file, which contains notes but no audio"),
    SIGNATURE(8, "AIFF", FORMAT_UNSUPPORTED, "an AIFF sound"),
    SIGNATURE(8, "AIFC", FORMAT_UNSUPPORTED, "an AIFF sound"),
    SIGNATURE(0, "Extended Module:", FORMAT_UNSUPPORTED, "a tracker module (XM)"),
    SIGNATURE(0, "IMPM", FORMAT_UNSUPPORTED, "a tracker module (IT)"),
    SIGNATURE(44, "SCRM", FORMAT_UNSUPPORTED, "a tracker module (S3M)"),
    SIGNATURE(0, "Creative Voice File", FORMAT_UNSUPPORTED, "a VOC sound"),
    SIGNATURE(0, ".snd", FORMAT_UNSUPPORTED, "an AU sound"),
    SIGNATURE(0, "wvpk", FORMAT_UNSUPPORTED, "a WavPack sound"),
    SIGNATURE(0, "\x30\x26\xB2\x75", FORMAT_UNSUPPORTED, "a Windows Media file"),
    SIGNATURE(0, "\x1A\x45\xDF\xA3", FORMAT_UNSUPPORTED, "a Matroska or WebM video"),
    SIGNATURE(8, "AVI ", FORMAT_UNSUPPORTED, "an AVI video"),
    SIGNATURE(0, "PK\3\4", FORMAT_UNSUPPORTED, "a ZIP archive"),
    SIGNATURE(0, "\x1F\x8B", FORMAT_UNSUPPORTED, "a gzip archive"),
    SIGNATURE(0, "7z\xBC\xAF", FORMAT_UNSUPPORTED, "a 7z archive"),
    SIGNATURE(0, "%PDF", FORMAT_UNSUPPORTED, "a PDF document"),
    SIGNATURE(0,
              "\x7F"
              "ELF",
              FORMAT_UNSUPPORTED, "a program"),
    SIGNATURE(0, "MZ", FORMAT_UNSUPPORTED, "a program"),
    SIGNATURE(0, "<svg", FORMAT_UNSUPPORTED, "an SVG drawing (export it as PNG)"),
    SIGNATURE(0, "<?xml", FORMAT_UNSUPPORTED, "an XML file (export an SVG drawing as PNG)"),
    SIGNATURE(0, "<!DOCTYPE", FORMAT_UNSUPPORTED, "a web page"),
    SIGNATURE(0, "<html", FORMAT_UNSUPPORTED, "a web page"),
    SIGNATURE(0, "version https://git-lfs", FORMAT_UNSUPPORTED,
              "a Git LFS pointer, not the file itself (git lfs pull)"),
    SIGNATURE(0, "BM", FORMAT_BMP, "a BMP image"),
};

static bool matches_signature(const signature_t *signature, const uint8_t *bytes, size_t size_bytes) {
  return (size_t)signature->offset + signature->count <= size_bytes &&
         memcmp(bytes + signature->offset, signature->bytes, signature->count) == 0;
}

// Returns true for an MPEG audio layer III frame header with valid bit rate and sample rate.
static bool is_mp3(const uint8_t *header, size_t size_bytes) {
  return size_bytes >= 4 && header[0] == 0xFF && (header[1] & 0xE0) == 0xE0 && (header[1] & 0x06) == 0x02 &&
         (header[1] & 0x18) != 0x08 && header[2] >> 4 != 0xF && header[2] >> 4 != 0 && (header[2] & 0x0C) != 0x0C;
}

static bool is_tga(const uint8_t *header, size_t size_bytes) {
  if (size_bytes < 18)
    return false;
  uint8_t image_type = header[2] & 7, depth = header[16], has_palette = header[1];
  bool valid_type = (header[2] & ~8) == image_type && image_type >= 1 && image_type <= 3;
  bool valid_depth = depth == 8 || depth == 15 || depth == 16 || depth == 24 || depth == 32;
  return valid_type && valid_depth && has_palette == (image_type == 1) && (header[12] | header[13]) &&
         (header[14] | header[15]) && !(header[17] & 0xC0);
}

static bool is_text(const uint8_t *bytes, size_t size_bytes) {
  for (size_t i = 0; i < size_bytes && i < 64; ++i)
    if ((bytes[i] < 32 && bytes[i] != '\n' && bytes[i] != '\r' && bytes[i] != '\t') || bytes[i] >= 127)
      return false;
  return true;
}

static const signature_t *find_signature(const uint8_t *bytes, size_t size_bytes) {
  for (size_t i = 0; i < sizeof SIGNATURES / sizeof *SIGNATURES; ++i)
    if (matches_signature(&SIGNATURES[i], bytes, size_bytes))
      return &SIGNATURES[i];
  return NULL;
}

asset_format_t asset_format_detect(const uint8_t *bytes, size_t size_bytes) {
  const signature_t *signature = find_signature(bytes, size_bytes);
  if (signature)
    return signature->format;
  return is_mp3(bytes, size_bytes) ? FORMAT_MP3 : is_tga(bytes, size_bytes) ? FORMAT_TGA : FORMAT_OTHER;
}

const char *asset_format_describe(const uint8_t *bytes, size_t size_bytes) {
  const signature_t *signature = find_signature(bytes, size_bytes);
  if (signature)
    return signature->description;
  if (size_bytes == 0)
    return "empty";
  switch (asset_format_detect(bytes, size_bytes)) {
  case FORMAT_MP3: return "an MP3 sound";
  case FORMAT_TGA: return "a TGA image";
  default: return is_text(bytes, size_bytes) ? "a text file" : "in an unknown format";
  }
}
