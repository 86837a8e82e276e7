// Detects sound servers by the sockets where PulseAudio and PipeWire listen, and sound cards by the folder of ALSA's
// cards.
#include "platform/sound_server.h"

#include "base/dynamic_library.h"
#include "base/library_names.h"
#include "base/file_status.h"
#include "base/hash.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Adds the identity of a file to the hash. A missing file leaves the hash unchanged. A server that restarts creates a
// new socket, which has a new change time even if its inode is reused.
static uint64_t hash_file(const char *path, uint64_t hash) {
  file_status_t status;
  if (!file_status(path, &status))
    return hash;
  uint64_t identity[] = {status.device, status.number, (uint64_t)status.changed_ns};
  return hash_bytes(identity, sizeof identity, hash);
}

static uint64_t hash_file_in(const char *variable, const char *name, uint64_t hash) {
  char path[1024];
  const char *folder = getenv(variable);
  if (!folder || snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
    return hash;
  return hash_file(path, hash);
}

uint64_t sound_server_hash(void) {
  // PULSE_SERVER has a form such as "unix:/run/pulse/native".
  const char *server = getenv("PULSE_SERVER"), *path = server ? strchr(server, '/') : NULL;
  uint64_t hash = path ? hash_file(path, 0) : 0;
  hash = hash_file_in("PULSE_RUNTIME_PATH", "native", hash);
  hash = hash_file_in("XDG_RUNTIME_DIR", "pulse/native", hash);
  hash = hash_file_in("XDG_RUNTIME_DIR", "pipewire-0", hash);
  return hash_file("/dev/snd", hash);
}

static void ignore_error(const char *file, int line, const char *function, int code, const char *format, ...) {
  (void)file, (void)line, (void)function, (void)code, (void)format;
}

void sound_server_mute_errors(void) {
  typedef void handler_t(const char *file, int line, const char *function, int code, const char *format, ...);
  int (*set_handler)(handler_t * handler) = NULL;
  const char *name = library_name(LIBRARY_NAME_ALSA);
  void *library = name ? dynamic_library_open(name) : NULL; // stays loaded, so that SDL uses this copy
  if (library)
    *(void **)&set_handler = dynamic_library_find(library, "snd_lib_error_set_handler");
  if (set_handler)
    set_handler(ignore_error);
}
