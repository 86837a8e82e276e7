// Detects when sound servers and sound cards of the system appear or disappear, without connecting to them.
#ifndef SHOAL_PLATFORM_SOUND_SERVER_H
#define SHOAL_PLATFORM_SOUND_SERVER_H

#include <stdint.h>

// Returns a hash of the user's sound server sockets and the list of sound cards. The hash changes when a server or
// card appears, disappears or is replaced. Takes a few microseconds.
uint64_t sound_server_hash(void);
// Stops ALSA from printing errors, which it repeats for each attempt to open a card. SDL reports the failure. Does
// nothing if ALSA is not installed.
void sound_server_mute_errors(void);

#endif
