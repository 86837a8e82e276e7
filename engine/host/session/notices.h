// Notices: one-line reports to the user, such as "Saved slot 1". Plain data: the host shows them on the screen in the
// next frame.
#ifndef SHOAL_SESSION_NOTICES_H
#define SHOAL_SESSION_NOTICES_H

#include <stdint.h>

#define NOTICES_MAX 4 // maximum number of notices per frame

typedef enum notice_kind_t {
  NOTICE_PLAIN,
  NOTICE_GOOD,
  NOTICE_BAD,
  NOTICE_RELOAD // result of a reload; disappears when a later change is reloaded or refused
} notice_kind_t;

typedef struct notice_t {
  notice_kind_t kind;
  char text[192];
} notice_t;

// Queue of notices, oldest first. Valid when zero-initialized.
typedef struct notices_t {
  notice_t items[NOTICES_MAX];
  uint32_t count;
} notices_t;

// Adds a notice. If the queue is full, drops the oldest notice.
#ifdef __GNUC__
__attribute__((format(printf, 3, 4)))
#endif
void notice_add(notices_t *n, notice_kind_t kind, const char *format, ...);

#endif
