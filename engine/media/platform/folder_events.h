// System events about changed files in folders. An event only shows that something may have changed: scan the folder to
// find the changes.
#ifndef SHOAL_PLATFORM_FOLDER_EVENTS_H
#define SHOAL_PLATFORM_FOLDER_EVENTS_H

#include <stdbool.h>

// Returns a queue of events, or -1 if the system provides no events. The folders must then be scanned periodically.
int folder_events_open(void);
void folder_events_close(int events); // accepts -1

// Adds a folder, but not its subfolders. Adding a folder twice is harmless, and deleted folders are removed. Returns
// true, even if this folder cannot be watched, or false with errno if the system's limit or memory is exhausted.
bool folder_events_add(int events, const char *folder);

// Called for each event. `name`: name of the changed file; "" for the folder itself. `is_written`: false for a new
// link, or for a new file that a program may still be writing; a second event follows when it closes the file.
typedef void folder_event_f(void *context, const char *name, bool is_written);
// Removes all events from the queue, without waiting.
void folder_events_read(int events, folder_event_f *on_event, void *context);

#endif
