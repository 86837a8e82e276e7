// Reads inotify events.
#include "platform/folder_events.h"

#include <errno.h>
#include <sys/inotify.h>
#include <unistd.h>

#define FOLDER_EVENTS                                                                                                  \
  (IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_CREATE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)

int folder_events_open(void) {
  return inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
}

void folder_events_close(int events) {
  if (events >= 0)
    close(events);
}

bool folder_events_add(int events, const char *folder) {
  return inotify_add_watch(events, folder, FOLDER_EVENTS) >= 0 || (errno != ENOSPC && errno != ENOMEM);
}

void folder_events_read(int events, folder_event_f *on_event, void *context) {
  _Alignas(struct inotify_event) char buffer[16384];
  for (ssize_t bytes; (bytes = read(events, buffer, sizeof buffer)) > 0;)
    for (ssize_t at = 0; at < bytes;) {
      const struct inotify_event *event = (const struct inotify_event *)(const void *)(buffer + at);
      at += (ssize_t)(sizeof *event + event->len);
      // A new link causes only IN_CREATE; a new file also causes IN_CLOSE_WRITE once it is closed.
      on_event(context, event->len > 0 ? event->name : "", !(event->mask & IN_CREATE) || event->mask & IN_ISDIR);
    }
}
