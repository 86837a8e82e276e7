// Implements the queue of notices.
#include "session/notices.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void notice_add(notices_t *n, notice_kind_t kind, const char *format, ...) {
  if (n->count == NOTICES_MAX) {
    memmove(n->items, n->items + 1, (NOTICES_MAX - 1) * sizeof *n->items);
    n->count--;
  }
  notice_t *notice = &n->items[n->count++];
  notice->kind = kind;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(notice->text, sizeof notice->text, format, arguments);
  va_end(arguments);
}
