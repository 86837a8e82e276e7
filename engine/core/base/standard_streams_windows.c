// Standard streams on Windows. They and all files are binary: the C library would otherwise write "\r\n" for "\n".
#include "base/standard_streams.h"

#include <fcntl.h>
#include <io.h>
#include <stdlib.h>
#include <windows.h>

#define STANDARD_ERROR 2

// Runs before main. The console shows UTF-8.
__attribute__((constructor)) static void set_binary(void) {
  _fmode = _O_BINARY;
  for (int file = 0; file <= STANDARD_ERROR; ++file)
    _setmode(file, _O_BINARY);
  SetConsoleOutputCP(CP_UTF8);
}

bool standard_input_is_terminal(void) {
  DWORD mode;
  return GetConsoleMode(GetStdHandle(STD_INPUT_HANDLE), &mode); // fails for files, pipes and "NUL"
}

void standard_error_write(const char *text, size_t bytes) {
  DWORD written;
  WriteFile(GetStdHandle(STD_ERROR_HANDLE), text, (DWORD)bytes, &written, NULL);
}

void standard_error_silence(void) {
  int null_device = _open("NUL", _O_WRONLY | _O_BINARY);
  if (null_device < 0)
    return;
  _dup2(null_device, STANDARD_ERROR);
  _close(null_device);
  SetStdHandle(STD_ERROR_HANDLE, (HANDLE)_get_osfhandle(STANDARD_ERROR));
}
