// Windows can report changed files (ReadDirectoryChangesW), but this is not implemented: the folders are scanned
// periodically.
#include "platform/folder_events.h"

#include <errno.h>

int folder_events_open(void) {
  errno = ENOSYS;
  return -1;
}

void folder_events_close(int events) {
  (void)events;
}

bool folder_events_add(int events, const char *folder) {
  (void)events, (void)folder;
  errno = ENOSYS;
  return false;
}

void folder_events_read(int events, folder_event_f *on_event, void *context) {
  (void)events, (void)on_event, (void)context;
}
