// Operations on files and folders that C11 lacks. base/files.h is for game files; these functions are for paths that
// the program has chosen, and do not check whether a path leaves a confined folder.
//
// Functions return true or a descriptor on success; on failure, they return false or -1 with errno.
#ifndef SHOAL_BASE_FILE_SYSTEM_H
#define SHOAL_BASE_FILE_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// --- files

// Opens an existing file for reading or, if `writes`, for reading and writing.
int file_system_open(const char *path, bool writes);
// Opens an existing file for reading, without waiting if it is a pipe. Fails if the path is a link.
int file_system_open_unlinked(const char *path);
// Creates a file that only this user may read and write, and opens it for writing. Fails if a file or a link with this
// name exists.
int file_system_create_private(const char *path);
// Opens a file that only this user may read and write, for reading and writing, and creates it if it is missing. Fails
// if the path is a link.
int file_system_open_private(const char *path);
// Creates a private file with a new name, and opens it for reading and writing. Replaces XXXXXX in `path`, in front of
// a suffix of `suffix_bytes` bytes, with characters that make the name unique.
int file_system_create_temporary(char *path, size_t suffix_bytes);
bool file_system_close(int file);

bool file_system_is_open(int file);             // returns true if the descriptor is open; also accepts sockets
int file_system_duplicate(int file);            // returns a second descriptor, which child programs do not inherit
void file_system_disable_inheritance(int file); // keeps child programs from inheriting the descriptor
// Opens the null device in place of each closed standard file (input, output or error). Returns true if it has replaced
// a file, or false if all standard files were open or the null device cannot be opened.
bool file_system_reopen_standard_files(void);

// Reads up to `bytes` bytes from the current position, and tries again after signals. Returns the number of bytes read,
// 0 at the end of the file, or -1 on failure.
int64_t file_system_read(int file, void *out, size_t bytes);
// Writes at the current position, and tries again after signals. Returns the number of bytes written, or -1 on failure.
// The number is smaller than `bytes` if, for example, the disk becomes full.
int64_t file_system_write(int file, const void *data, size_t bytes);
// Writes `bytes` bytes at an offset, which may be after the end of the file. Returns true if all bytes were written.
bool file_system_write_at(int file, uint64_t offset, const void *data, size_t bytes);
bool file_system_empty(int file); // removes the file's content
// Returns a stream that writes to the file and owns its descriptor, or NULL on failure. `appends`: true if the file was
// opened for appending.
FILE *file_system_open_stream(int file, bool appends);
// Waits until the file's content is on disk. The file must be open for writing.
bool file_system_synchronize_file(int file);

// Locks the byte at an offset, which may be after the end of the file, until this process ends or closes any descriptor
// of the file. Fails if a different process has locked this byte.
bool file_system_lock_byte(int file, uint64_t offset);
void file_system_unlock_byte(int file, uint64_t offset);
// Returns true and stores the process's id if a different process has locked the byte, otherwise false. The id is 0 if
// the system reports none, and is not valid here if the process runs on a different machine or in a different
// container.
bool file_system_find_lock_holder(int file, uint64_t offset, long *process);

// Reads up to `bytes` bytes from an offset in the file. Returns the number of bytes read, or 0 on failure or at the end
// of the file.
size_t file_system_read_at(int file, uint64_t offset, void *out, size_t bytes);
// Writes `data` at the start of the file. Empties the file if it cannot write all bytes.
bool file_system_write_start(int file, const void *data, size_t bytes);

// Gives a file a second name. Fails with EEXIST if the name exists, even if a different process has just created it.
bool file_system_add_name(const char *path, const char *new_path);
// Renames a file or a folder. A file that already has the new name is replaced, contrary to C's rename on Windows.
bool file_system_rename(const char *path, const char *new_path);
bool file_system_exchange(const char *a, const char *b); // exchanges the names of two files or folders in one step

// --- entries of an open folder, which may have been moved

// Creates a file with default permissions, and opens it for writing. Fails if the name exists.
int file_system_create_entry(int folder, const char *name);
bool file_system_replace_entry(int folder, const char *new_name, const char *name); // renames `new_name` to `name`
bool file_system_remove_entry(int folder, const char *name);                        // removes a file or a link
bool file_system_remove_folder_entry(int folder, const char *name);                 // fails if the folder is not empty

// --- folders

bool file_system_create_folder(const char *path, bool is_private); // is_private: only this user may access it
bool file_system_create_temporary_folder(char *path);              // private; replaces the final XXXXXX in `path`
bool file_system_remove_folder(const char *path);                  // fails if the folder is not empty
// Removes a folder and its contents, without following links. Ignores failures.
void file_system_remove_tree(const char *path);

// Opens a folder for locking and synchronizing.
int file_system_open_folder(const char *path);
// Locks an open file or folder until the descriptor and its copies in forked processes are closed. Fails if the file is
// already locked.
bool file_system_lock(int file);
// Waits until all changes to the file system that contains the open file are on disk.
bool file_system_synchronize(int file);

#endif
