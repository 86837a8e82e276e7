// A stream that collects text, for functions that print to a FILE.
#ifndef SHOAL_BASE_TEXT_STREAM_H
#define SHOAL_BASE_TEXT_STREAM_H

#include <stddef.h>
#include <stdio.h>

typedef struct text_stream_t {
  FILE *stream;
  char *text;   // collected text, owned by the system until text_stream_close
  size_t bytes; // length of the text
} text_stream_t;

// Opens the stream `out->stream` for writing. Returns the stream, or NULL with errno on failure. Close it afterwards.
FILE *text_stream_open(text_stream_t *out);
// Closes the stream. Returns the text, followed by a '\0', which the caller frees with free(); or NULL if memory or the
// disk is full.
char *text_stream_close(text_stream_t *stream);

#endif
