// Changes of files and folders that C11 does not offer. base/files.h is for the files of games; these functions are for
// paths that the program has chosen, and do not check whether a path leaves a confined folder.
//
// Functions return true or a descriptor, or false or -1 with errno on failure.
#ifndef SHOAL_BASE_FILE_SYSTEM_H
#define SHOAL_BASE_FILE_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// --- files

// Creates a file that only this user may read and write, and opens it for writing. Fails if a file or a link of this
// name exists.
int file_system_create_private(const char *path);
// Opens a file that only this user may read and write, for reading and writing, and creates it if it is missing. Fails
// if the path is a link.
int file_system_open_private(const char *path);
// Replaces the letters XXXXXX in `path`, which `suffix_bytes` bytes follow, by others, so that the name is new, and
// creates a private file.
int file_system_create_temporary(char *path, size_t suffix_bytes);
bool file_system_close(int file);

// Reads up to `bytes` from the start of the file. Returns the number of bytes read; 0 on failure.
size_t file_system_read_start(int file, void *out, size_t bytes);
// Writes `bytes` at the start of the file. Empties the file if it cannot write all of them.
bool file_system_write_start(int file, const void *data, size_t bytes);

// Gives a file a second name. Fails with EEXIST if the name exists, even if it was created in the same moment.
bool file_system_add_name(const char *path, const char *new_path);
bool file_system_exchange(const char *a, const char *b); // exchanges the names of two files or folders in one step

// --- folders

bool file_system_create_folder(const char *path, bool is_private); // is_private: only this user may use the folder
bool file_system_create_temporary_folder(char *path);              // replaces the final XXXXXX in `path`
bool file_system_remove_folder(const char *path);                  // fails if the folder is not empty
void file_system_remove_tree(const char *path); // removes a folder and everything in it that can be removed

// Opens a folder for locking and synchronizing.
int file_system_open_folder(const char *path);
// Locks an open file or folder for this process until it is closed. Fails if a different process holds the lock.
bool file_system_lock(int file);
// Waits until all changes of the file system that contains the open file are on disk.
bool file_system_synchronize(int file);

#endif
