// Opens DLLs. A path with a folder also selects the folder of the libraries that the DLL needs. A file name is searched
// for in the program's folder and in the folders of Windows, but not in the current folder.
#include "base/dynamic_library.h"

#include "base/native_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#define MESSAGE_UNITS 512

static _Thread_local DWORD last_failure;

void *dynamic_library_open(const char *name) {
  wchar_t wide[NATIVE_PATH_MAX];
  bool has_folder = strpbrk(name, "/\\");
  bool is_converted = has_folder ? native_path_from_utf8(name, wide)
                                 : MultiByteToWideChar(CP_UTF8, 0, name, -1, wide, NATIVE_PATH_MAX) > 0;
  DWORD flags = LOAD_LIBRARY_SEARCH_DEFAULT_DIRS | (has_folder ? LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR : 0);
  void *library = is_converted ? LoadLibraryExW(wide, NULL, flags) : NULL;
  last_failure = library ? ERROR_SUCCESS : is_converted ? GetLastError() : ERROR_INVALID_NAME;
  return library;
}

void dynamic_library_close(void *library) {
  FreeLibrary(library);
}

void *dynamic_library_find(void *library, const char *symbol) {
  FARPROC address = GetProcAddress(library, symbol);
  last_failure = address ? ERROR_SUCCESS : GetLastError();
  return (void *)(uintptr_t)address;
}

const char *dynamic_library_error(void) {
  static _Thread_local char text[MESSAGE_UNITS * 3];
  wchar_t wide[MESSAGE_UNITS];
  if (last_failure == ERROR_BAD_EXE_FORMAT)
    return "the file is not a library for Windows with 64 bits"; // Windows itself inserts a name into its message
  DWORD count = FormatMessageW(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, NULL, last_failure, 0, wide,
                               MESSAGE_UNITS, NULL);
  while (count > 0 && (wide[count - 1] <= L' ' || wide[count - 1] == L'.')) // the message ends with a line break
    wide[--count] = 0;
  int bytes = count > 0 ? WideCharToMultiByte(CP_UTF8, 0, wide, (int)count, text, sizeof text - 1, NULL, NULL) : 0;
  if (bytes > 0)
    text[bytes] = '\0';
  else
    snprintf(text, sizeof text, "error %lu", last_failure);
  return text;
}

// Returns the program or library that contains the address, or NULL.
static HMODULE find_module(const void *address) {
  HMODULE module = NULL;
  const DWORD flags = GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
  return GetModuleHandleExW(flags, address, &module) ? module : NULL;
}

const char *dynamic_library_path(const void *address) {
  static _Thread_local char path[NATIVE_PATH_MAX * 3];
  wchar_t wide[NATIVE_PATH_MAX];
  HMODULE module = find_module(address);
  DWORD count = module ? GetModuleFileNameW(module, wide, NATIVE_PATH_MAX) : 0;
  return count > 0 && count < NATIVE_PATH_MAX && native_path_to_utf8(wide, count, path, sizeof path) ? path : NULL;
}

// Searches the export table of the module's file in memory for the last symbol that does not follow the address.
const char *dynamic_library_symbol(const void *address) {
  const char *base = (const char *)find_module(address), *best_name = NULL;
  if (!base)
    return NULL;
  const IMAGE_NT_HEADERS *headers =
      (const IMAGE_NT_HEADERS *)(const void *)(base + ((const IMAGE_DOS_HEADER *)(const void *)base)->e_lfanew);
  IMAGE_DATA_DIRECTORY exports = headers->OptionalHeader.DataDirectory[IMAGE_DIRECTORY_ENTRY_EXPORT];
  if (exports.Size == 0)
    return NULL;
  const IMAGE_EXPORT_DIRECTORY *table = (const IMAGE_EXPORT_DIRECTORY *)(const void *)(base + exports.VirtualAddress);
  const DWORD *names = (const DWORD *)(const void *)(base + table->AddressOfNames);
  const DWORD *functions = (const DWORD *)(const void *)(base + table->AddressOfFunctions);
  const WORD *ordinals = (const WORD *)(const void *)(base + table->AddressOfNameOrdinals);
  size_t offset = (size_t)((const char *)address - base), best_offset = 0;
  for (DWORD i = 0; i < table->NumberOfNames; ++i) {
    DWORD start = functions[ordinals[i]];
    if (start <= offset && (!best_name || start > best_offset)) {
      best_offset = start;
      best_name = base + names[i];
    }
  }
  return best_name;
}
