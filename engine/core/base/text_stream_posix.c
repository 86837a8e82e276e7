// Text streams in memory.
#include "base/text_stream.h"

#include "base/assert.h"

#include <stdbool.h>
#include <stdlib.h>

FILE *text_stream_open(text_stream_t *out) {
  *out = (text_stream_t){0};
  return out->stream = open_memstream(&out->text, &out->bytes);
}

char *text_stream_close(text_stream_t *stream) {
  shoal_assert(stream->stream, "the stream is not open");
  bool is_complete = fclose(stream->stream) == 0;
  stream->stream = NULL;
  if (is_complete)
    return stream->text;
  free(stream->text);
  return NULL;
}
