// Reads .aseprite and .ase files: frames, chunks, and the pixels of all frames, with their visible layers merged.
// Frames are arranged in a grid, row by row, in one image. Only aseprite_decode decompresses pixels. Like decoders of
// other image formats, it runs in a decoder process (decode/decoder.h). All other functions read plain fields within
// their bounds.
#ifndef SHOAL_DECODE_ASEPRITE_H
#define SHOAL_DECODE_ASEPRITE_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum aseprite_chunk_kind_t {
  ASEPRITE_OLD_PALETTE = 0x0004,
  ASEPRITE_LAYER = 0x2004,
  ASEPRITE_CEL = 0x2005,
  ASEPRITE_TAGS = 0x2018,
  ASEPRITE_PALETTE = 0x2019,
  ASEPRITE_SLICE = 0x2022
} aseprite_chunk_kind_t;

#define ASEPRITE_LAYER_VISIBLE 1u
#define ASEPRITE_LAYER_BACKGROUND 8u
#define ASEPRITE_LAYER_REFERENCE 64u
#define ASEPRITE_LAYER_TILEMAP 2u // layer kind of a tilemap

typedef struct aseprite_t {
  const uint8_t *bytes; // content of the file; borrowed
  size_t size_bytes;
  uint32_t frame_count, width, height; // width and height of a frame in pixels
  uint32_t pixel_bytes;                // bytes per pixel: 4 for RGBA, 2 for grey with alpha, 1 for a palette index
  uint32_t columns, rows;              // grid of the frames in the image
  uint8_t transparent_index;
  bool has_layer_opacity, has_group_opacity;
} aseprite_t;

// Fields of a chunk, which are read sequentially. Reading past the end returns 0 and sets `is_past_end`.
typedef struct aseprite_fields_t {
  const uint8_t *bytes;
  size_t size_bytes, position;
  bool is_past_end;
} aseprite_fields_t;

typedef struct aseprite_chunk_t {
  uint32_t kind; // an aseprite_chunk_kind_t, or the number of an unsupported kind
  aseprite_fields_t fields;
} aseprite_chunk_t;

typedef struct aseprite_frame_t {
  uint32_t duration_ms;
  size_t chunk, end;        // offsets of the next chunk and of the end of the frame
  uint32_t remaining_count; // number of chunks that have not been read yet
} aseprite_frame_t;

// Checks the header and the bounds of all frames and chunks. Returns true if the file is valid. Otherwise, stores the
// reason, without the file's name, in `error`.
bool aseprite_open(const void *bytes, size_t size_bytes, aseprite_t *out, error_info_t *error);
// Returns the frame that starts at `offset`, which is aseprite_first_frame() for the first frame, otherwise `end` of
// the previous frame.
aseprite_frame_t aseprite_frame_at(const aseprite_t *file, size_t offset);
size_t aseprite_first_frame(void);
// Stores the next chunk of a frame. Returns true on success, or false after the last chunk.
bool aseprite_next_chunk(const aseprite_t *file, aseprite_frame_t *frame, aseprite_chunk_t *out);

// Reads an unsigned little-endian number of 1 to 4 bytes.
uint32_t aseprite_read_unsigned(aseprite_fields_t *fields, size_t bytes);
int32_t aseprite_read_signed(aseprite_fields_t *fields, size_t bytes); // reads a signed number of 2 or 4 bytes
void aseprite_skip(aseprite_fields_t *fields, size_t bytes);
// Returns a string, which is not '\0'-terminated, and stores its length in bytes.
const char *aseprite_read_string(aseprite_fields_t *fields, size_t *length);

// A layer. The layers of a file are in drawing order.
typedef struct aseprite_layer_t {
  uint32_t flags, kind, level, blend_mode, opacity; // opacity: 0 to 255
  const char *name;
  size_t name_length;
} aseprite_layer_t;
aseprite_layer_t aseprite_read_layer(const aseprite_t *file, aseprite_fields_t *fields);

// Draws all frames into `rgba`, which has columns × width by rows × height zero-initialized pixels. Alpha is not
// premultiplied. Returns true on success, or false with an error.
bool aseprite_decode(const aseprite_t *file, uint8_t *rgba, error_info_t *error);

#endif
