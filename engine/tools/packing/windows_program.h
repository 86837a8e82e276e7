// Turns a copy of shoal.exe into the program of a game. The system shows the game's icon, title and version, which are
// resources of the program (section .rsrc). The game's program opens no console window, unlike shoal.exe.
#ifndef SHOAL_PACKING_WINDOWS_PROGRAM_H
#define SHOAL_PACKING_WINDOWS_PROGRAM_H

#include "base/error.h"
#include "packing/icon_images.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct windows_program_desc_t {
  const char *file_name; // file name of the program, such as "asteroids.exe"
  const char *title, *version;
  const icon_images_t *icon;
} windows_program_desc_t;

// Writes the game's program for the given shoal.exe. Keeps the manifest, replaces all other resources, and removes
// debug information. Equal inputs give identical bytes. Returns the program, to be freed with alloc_resize, or NULL
// with an error if `program` is not a program for 64-bit Windows with a manifest.
uint8_t *windows_program_create(allocator_t *memory, const uint8_t *program, size_t program_bytes,
                                const windows_program_desc_t *desc, size_t *out_bytes, error_info_t *error);

#endif
