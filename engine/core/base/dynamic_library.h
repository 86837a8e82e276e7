// Loads libraries at run time, and finds the files and symbols at code addresses.
#ifndef SHOAL_BASE_DYNAMIC_LIBRARY_H
#define SHOAL_BASE_DYNAMIC_LIBRARY_H

// Opens a library and resolves all symbols that it needs. Libraries opened later cannot use its symbols. `name`: a
// path, or a file name that the system searches for. Returns the library, or NULL on failure (see
// dynamic_library_error).
void *dynamic_library_open(const char *name);
void dynamic_library_close(void *library);
// Returns the address of a function or variable that the library exports, or NULL if it exports no such symbol.
void *dynamic_library_find(void *library, const char *symbol);
// Returns the description of the latest failure on this thread, valid until the next call. Call once per failure.
const char *dynamic_library_error(void);

// Returns the path of the program or library that contains the code at `address`, or NULL if no such file is known. The
// path is valid until the library is closed.
const char *dynamic_library_path(const void *address);
// Returns the name of the exported symbol that contains or precedes `address` in its program or library, or NULL if
// no exported symbol precedes it. The name is valid until the library is closed.
const char *dynamic_library_symbol(const void *address);

#endif
