// Whether the bytes of a sound file can be all of it. Decoders play what is there and say nothing about what is missing.
#ifndef SHOAL_PLATFORM_SOUND_FILE_H
#define SHOAL_PLATFORM_SOUND_FILE_H

#include <stdbool.h>
#include <stddef.h>

// False when a WAV or an Ogg file says that it is longer than it is, or when there is nothing. True for every other format.
bool sound_file_is_whole(const char *bytes, size_t size_bytes);

#endif
