// Standard streams on Windows. They and all files are binary: the C library would otherwise write "\r\n" for "\n".
#include "base/standard_streams.h"

#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>
#include <windows.h>

#define STANDARD_ERROR 2

static void open_console(FILE *stream, DWORD handle) {
  if (freopen("CONOUT$", "wb", stream))
    SetStdHandle(handle, (HANDLE)_get_osfhandle(_fileno(stream)));
}

// The program of a package has no console (packing/windows_program.h), and thus no standard streams unless they are
// redirected. If it was started from a console, it writes there.
static void attach_console(void) {
  bool has_stream = _get_osfhandle(_fileno(stdout)) >= 0 || _get_osfhandle(_fileno(stderr)) >= 0;
  if (has_stream || !AttachConsole(ATTACH_PARENT_PROCESS))
    return;
  open_console(stdout, STD_OUTPUT_HANDLE);
  open_console(stderr, STD_ERROR_HANDLE);
}

// Runs before main. The console shows UTF-8.
__attribute__((constructor)) static void prepare_streams(void) {
  attach_console();
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
