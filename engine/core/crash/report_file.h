// The file of a crash report. A crashed process, whose memory may be damaged, writes it in several stages
// (crash/report_stage.h). No function allocates memory or takes locks.
#ifndef SHOAL_CRASH_REPORT_FILE_H
#define SHOAL_CRASH_REPORT_FILE_H

#include <stdbool.h>
#include <stddef.h>

// Opens the file for writing. `is_new`: true creates or empties the file; false appends to an existing file. Fails
// instead of blocking if the path is a pipe without a reader. Returns a file for call_stack_write_frame, or -1 on
// failure. The file stays open until the process ends.
int report_file_open(const char *path, bool is_new);
// Appends text. Returns true on success, or false if writing fails or `file` is -1.
bool report_file_write(int file, const char *text, size_t bytes);

#endif
