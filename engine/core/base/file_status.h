// File status: type, permissions, owner, identity, size and times.
#ifndef SHOAL_BASE_FILE_STATUS_H
#define SHOAL_BASE_FILE_STATUS_H

#include <stdbool.h>
#include <stdint.h>

typedef enum file_type_t {
  FILE_TYPE_UNKNOWN,
  FILE_TYPE_REGULAR,
  FILE_TYPE_FOLDER,
  FILE_TYPE_LINK, // symbolic link
  FILE_TYPE_PIPE,
  FILE_TYPE_SOCKET,
  FILE_TYPE_DEVICE
} file_type_t;

typedef struct file_status_t {
  file_type_t type;
  uint32_t permissions;    // POSIX mode bits (07777); restored with file_status_set_permissions
  uint32_t owner;          // id of the user who owns the file
  uint64_t device, number; // identity: no two files that exist at the same time have the same pair
  uint64_t size_bytes;
  // Times in ns since 1970. `changed_ns` also changes if the file is renamed, or if its permissions change.
  int64_t accessed_ns, modified_ns, changed_ns;
} file_status_t;

// Each function returns true on success, or false with errno. file_status follows links; file_status_of_link, and
// file_status_of_entry for a name in the open folder `folder`, return the status of the link itself.
bool file_status(const char *path, file_status_t *out);
bool file_status_of_link(const char *path, file_status_t *out);
bool file_status_of_open(int file, file_status_t *out);
bool file_status_of_entry(int folder, const char *name, file_status_t *out);
// Returns true if this process may use the file as requested. `uses`: combination of FILE_USE_…; 0: the file must only
// exist. For a folder, FILE_USE_EXECUTE is the permission to enter it.
enum { FILE_USE_EXECUTE = 1, FILE_USE_WRITE = 2, FILE_USE_READ = 4 };
bool file_status_permits(const char *path, uint32_t uses);
bool file_status_set_permissions(const char *path, uint32_t permissions);
bool file_status_set_times(const char *path, const file_status_t *times); // sets accessed_ns and modified_ns

bool file_status_is_own(const file_status_t *status); // returns true if the user who runs the program owns the file
// Returns true if both are the status of the same file.
static inline bool file_status_is_same(const file_status_t *a, const file_status_t *b) {
  return a->device == b->device && a->number == b->number;
}

#endif
