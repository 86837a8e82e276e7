// A .grass file: what a meadow is made of. One thing a line, a word and what it is; # and a blank begin a remark.
//
//   blades  1.6              for each 100 square pixels
//   height  18 46            pixels, from and to
//   width   2 4
//   root    #16321f          the colour at the ground
//   tips    #8fc04a #b8d860  at the top, each blade one of them; up to 8
//   flowers 0.03 #f2c14e     the share of blades that flower, and in which colours; up to 8
//   wind    0.6 180 1.2      how far it bends them, how long a gust is, how fast it goes
//   shine   0.5              how much lighter a gust makes them
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

// What is not said is as in the plugin's own meadow.
void grass_default(grass_kind_t *out);
// False with words, and the line.
bool grass_read(grass_kind_t *out, const char *text, size_t size, uint32_t *line, char *words, size_t words_bytes);

#endif
