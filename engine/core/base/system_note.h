// A note for users about the support of the operating system.
#ifndef SHOAL_BASE_SYSTEM_NOTE_H
#define SHOAL_BASE_SYSTEM_NOTE_H

// Returns a line without a line break that --version shows, or NULL if there is nothing to note.
const char *system_note(void);

#endif
