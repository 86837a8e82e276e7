// The .grass format, the description of a meadow. Each line contains one property: a keyword and its values. A line
// that begins with "#" is a comment. After the values, "# " begins a comment.
//
//   blades  1.6              per 100 square pixels
//   height  18 46            pixels, minimum and maximum
//   width   2 4              pixels, minimum and maximum
//   root    #16321f          colour at the ground
//   tips    #8fc04a #b8d860  colours of the tips, at most 8
//   flowers 0.03 #f2c14e     fraction of blades with a flower; colours, at most 8
//   wind    0.6 180 1.2      strength, gust length in pixels, gust speed
//   shine   0.5              how much a gust brightens the blades
#ifndef SHOAL_PLUGINS_GRASS_FILE_H
#define SHOAL_PLUGINS_GRASS_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GRASS_MAX_COLOURS 8

typedef struct grass_kind_t {
  float blades, height[2], width[2], wind[3], shine, flowers;
  uint8_t root[3], tips[GRASS_MAX_COLOURS][3], petals[GRASS_MAX_COLOURS][3];
  uint32_t tip_count, petal_count;
} grass_kind_t;

// Sets the properties of the default meadow, which also apply if a file omits them.
void grass_set_defaults(grass_kind_t *out);
// Reads a file. Returns true on success, or false with a message in `message` and the number of the line in `line`.
bool grass_read(grass_kind_t *out, const char *text, size_t size, uint32_t *line, char *message, size_t message_bytes);

#endif
