// Text streams on Windows, whose C library has no streams in memory: the text is written to a temporary file.
#include "base/text_stream.h"

#include "base/assert.h"
#include "base/file_system.h"
#include "base/native_file.h"
#include "base/system_random.h"
#include "base/user_folders.h"

#include <stdbool.h>
#include <stdlib.h>
#include <windows.h>
#include <winternl.h>

FILE *text_stream_open(text_stream_t *out) {
  char path[NATIVE_PATH_MAX];
  uint64_t number = 0;
  *out = (text_stream_t){0};
  if (!system_random(&number, sizeof number))
    return NULL;
  snprintf(path, sizeof path, "%s/shoal-text-%016llx", user_folder_temporary(), (unsigned long long)number);
  const native_open_t desc = {.access = FILE_READ_DATA | FILE_WRITE_DATA | DELETE,
                              .disposition = FILE_CREATE,
                              .options = FILE_NON_DIRECTORY_FILE | FILE_DELETE_ON_CLOSE};
  int file = native_to_file(native_open(path, &desc));
  out->stream = file >= 0 ? file_system_open_stream(file, false) : NULL;
  if (!out->stream && file >= 0)
    file_system_close(file);
  return out->stream;
}

char *text_stream_close(text_stream_t *stream) {
  shoal_assert(stream->stream, "the stream is not open");
  bool is_complete = fflush(stream->stream) == 0 && !ferror(stream->stream);
  long bytes = ftell(stream->stream);
  char *text = is_complete && bytes >= 0 ? malloc((size_t)bytes + 1) : NULL;
  if (text) {
    stream->bytes = file_system_read_at(fileno(stream->stream), 0, text, (size_t)bytes);
    text[stream->bytes] = '\0';
  }
  fclose(stream->stream);
  stream->stream = NULL;
  return text;
}
